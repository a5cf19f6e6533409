//! The discrete force on tracked features: the end-of-step law on the pairs of continuous penalty.

use crate::common::{G, collision, gravity, law, node};
use impinge_contact::{Damping, PairLaw};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Family, Mass, Response, Simulation};

/// A body on a floor, `mesh` or plane.
fn resting(response: Response, mesh: bool, law: PairLaw, dt: f64) -> Simulation {
    set_down(response, mesh, law, dt, 0.1001)
}

/// The same with the middle of the body that high (m).
fn set_down(response: Response, mesh: bool, law: PairLaw, dt: f64, z: f64) -> Simulation {
    let b = Simulation::builder(dt).gravity(gravity()).law(law).response(response.clone());
    let b =
        if response.family() == Some(Family::CPF_IMPLICIT) { b.scheme(Scheme::ImplicitMidpoint) } else { b };
    let cube = generators::cuboid(DVec3::broadcast(0.2), [1, 1, 1]).unwrap();
    let floor = if mesh {
        let slab = generators::cuboid(DVec3::new(2.0, 2.0, 0.2), [1, 1, 1]).unwrap();
        BodyDesc::fixed("floor", slab, Pose::from_position(DVec3::unit_z() * -0.1)).unwrap()
    } else {
        BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
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
            .response(response.clone())
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

/// Four corners hold it, as on a plane: the diagonals of its side and of the floor's two triangles are no edges that meet.
#[test]
fn b22_a_settled_body_weighs_m_g_on_a_plane_and_on_a_mesh() {
    let (k, c, dt) = (5e3, 30.0, 1e-3);
    // An explicit force sees the body fall by g Δt² in the step, at g Δt.
    let [at_end, on_the_way] =
        [1.0, 0.5].map(|part| 2.0 * G / (4.0 * k) - part * G * dt * dt - c / k * G * dt);
    for (response, depth) in [
        (Response::dpf_ccd(), at_end),
        (Response::cpf(), on_the_way),
        (Response::cpf_implicit(), 2.0 * G / (4.0 * k)),
    ] {
        let [plane, mesh] = [false, true].map(|mesh| {
            let mut sim = resting(response.clone(), mesh, law(k, Damping::KelvinVoigt(c)), dt);
            for _ in 0..3000 {
                sim.step().unwrap();
            }
            let weight = sim.contact_force(1).z;
            assert!((weight / (2.0 * G) - 1.0).abs() < 1e-3, "{response:?}, on a mesh {mesh}: {weight} N");
            sim.pose(1).position.z
        });
        assert!((plane - 0.1 + depth).abs() < 1e-8, "{response:?}: {plane} m");
        assert!((plane - mesh).abs() < 1e-9, "{response:?}: {mesh} m on a mesh, {plane} m on a plane");
    }
}

#[test]
fn momentum_is_kept_and_the_leak_is_the_one_predicted() {
    let mut sim = collision(Response::dpf_ccd(), law(4e3, Damping::None), 5e-4).build().unwrap();
    assert_eq!((sim.response().family(), sim.response().name()), (Some(Family::DPF_CCD), "dpf-ccd"));
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

/// What is inside when the run begins has crossed nothing, and is held all the same: as by the discrete force, and as by the closed
/// form ½ m v² = 4 · ½ k d² − m g d.
#[test]
fn a_body_that_starts_inside_a_mesh_is_pushed_out() {
    let (k, d, dt) = (1e4, 0.03, 1e-3);
    let law = law(k, Damping::None);
    let mut fell = set_down(Response::penalty(), true, law, dt, 0.1 - d);
    let mut tracked = set_down(Response::dpf_ccd(), true, law, dt, 0.1 - d);
    let mut kept = set_down(Response::cpf_implicit(), true, law, dt, 0.1 - d);
    for _ in 0..60 {
        for sim in [&mut fell, &mut tracked, &mut kept] {
            sim.step().unwrap();
        }
        let [x, y] = [&fell, &tracked].map(|sim| sim.pose(1).position.z);
        assert!((x - y).abs() < 1e-12, "{x} m and {y} m");
    }
    let height = kept.pose(1).position.z - 0.1;
    let speed = (4.0 * k * d * d / 2.0 - 2.0 * G * (d + height)).sqrt();
    let v = kept.twist(1).velocity.z;
    assert!(height > 0.0 && (v / speed - 1.0).abs() < 1e-6, "{v} m/s for {speed} at {height} m");
}
