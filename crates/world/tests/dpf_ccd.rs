//! The discrete force on tracked features: the end-of-step law on the pairs of continuous penalty.

mod common;

use common::{G, collision, gravity, law, node};
use impinge_contact::{Damping, PairLaw};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Family, Mass, Response, Simulation};

/// A body on a floor, `mesh` or plane.
fn resting(response: Response, mesh: bool, law: PairLaw, dt: f64) -> Simulation {
    let b = Simulation::builder(dt).gravity(gravity()).law(law).response(response);
    let cube = generators::cuboid(DVec3::broadcast(0.2), [1, 1, 1]).unwrap();
    let (floor, z) = if mesh {
        let slab = generators::cuboid(DVec3::new(2.0, 2.0, 0.2), [1, 1, 1]).unwrap();
        (BodyDesc::fixed("floor", slab, Pose::from_position(DVec3::unit_z() * -0.1)).unwrap(), 0.1001)
    } else {
        (BodyDesc::plane("floor", DVec3::unit_z(), 0.0), 0.1001)
    };
    let pose = Pose::from_position(DVec3::new(0.01, 0.02, z));
    b.body(floor).body(BodyDesc::rigid("cube", &cube, Mass::Total(2.0), pose).unwrap()).build().unwrap()
}

#[test]
fn b2_it_rests_where_the_force_at_the_end_carries_the_weight() {
    let (k, dt) = (1e4, 2e-3);
    for (response, depth) in
        [(Response::dpf_ccd(), G / k - G * dt * dt), (Response::cpf(), G / k - 0.5 * G * dt * dt)]
    {
        let p = BodyDesc::particles("particle", vec![DVec3::new(0.0, 0.0, -depth)], 1.0);
        let mut sim = Simulation::builder(dt)
            .gravity(gravity())
            .law(law(k, Damping::None))
            .response(response)
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(p)
            .build()
            .unwrap();
        for _ in 0..500 {
            sim.step().unwrap();
            let (x, v) = node(&sim);
            assert!((x + depth).abs() < 1e-9 && v.abs() < 1e-9, "{response:?}: x {x} v {v}");
        }
    }
}

#[test]
fn b22_a_settled_body_weighs_m_g_on_a_plane_and_on_a_mesh() {
    for mesh in [false, true] {
        let mut sim = resting(Response::dpf_ccd(), mesh, law(5e3, Damping::KelvinVoigt(30.0)), 1e-3);
        for _ in 0..3000 {
            sim.step().unwrap();
        }
        let weight = sim.contact_force(1).z;
        assert!((weight / (2.0 * G) - 1.0).abs() < 1e-3, "on a mesh {mesh}: {weight} N");
    }
}

#[test]
fn momentum_is_kept_and_the_leak_is_the_one_predicted() {
    let mut sim = collision(Response::dpf_ccd(), law(4e3, Damping::None), 5e-4).build().unwrap();
    assert_eq!((sim.response().family(), sim.response().family().name()), (Family::DpfCcd, "dpf-ccd"));
    let mut touching = 0;
    for _ in 0..800 {
        sim.step().unwrap();
        let ledger = sim.ledger();
        let m = ledger.momentum;
        touching += usize::from(!ledger.pairs.is_empty());
        assert!(m.linear_residual.mag() < 1e-12 * m.linear_scale);
        assert!((m.angular_residual - m.predicted_leak).mag() < 1e-12 * m.angular_scale);
    }
    assert!(touching > 10, "{touching} steps in contact");
}
