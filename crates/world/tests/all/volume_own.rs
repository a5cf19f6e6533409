//! A deformable that meets itself by intersection volumes: it closes and no farther, and its momenta know nothing of it.

use crate::common::slit_block;
use crate::volumes::{law, report, run};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, TetMesh, TetTopology};
use impinge_integrators::Scheme;
use impinge_volume::{Body, ClosedSurface, Evaluate, Exact, Overlap};
use impinge_world::{
    AttachTo, BodyDesc, BuildError, CellImpulses, Deformable, Matter, Measurement, NodeState, Response,
    Simulation, VolumePenaltySettings, VolumeSettings,
};

const PIXEL: f64 = 4e-3;
const DEPTH: f64 = 2e-3;

fn volume() -> Response {
    let measure = Measurement { pixel: Some(PIXEL), ..Measurement::default() };
    Response::from(VolumeSettings { measure, depth: DEPTH, ..VolumeSettings::default() })
}

/// A block with a slit from one side. `held`: the lower jaw is, and the upper one sags onto it; else both fly towards each other.
fn clamp(response: Response, mu: f64, held: bool, meets_itself: bool) -> Result<Simulation, BuildError> {
    let mesh = slit_block();
    let soft = Material::new(2e4, 0.3, 1000.0).with_rayleigh(if held { 3.0 } else { 0.0 }, 0.01);
    let mut body = Deformable::solid("clamp", &mesh, Model::StableNeoHookean, &soft).unwrap();
    if held {
        body = body.pinned(AttachTo::World, |p| p.z < -0.021);
    }
    if meets_itself {
        body = body.self_contact("clamp").unwrap();
    }
    let desc = BodyDesc::deformable("clamp", body, Pose::from_position(DVec3::unit_z()));
    let mut sim = Simulation::builder(4e-3)
        .gravity(if held { DVec3::unit_z() * -9.81 } else { DVec3::zero() })
        .scheme(Scheme::ImplicitEuler)
        .law(law(mu))
        .response(response)
        .body(desc)
        .build()?;
    if !held {
        let mut start = sim.snapshot();
        for (v, x) in start.nodes.v.iter_mut().zip(mesh.positions()) {
            let open = (x.x + 0.06).max(0.0) / 0.16;
            // A little askew, so that the jaws slide on each other.
            *v = DVec3::new(0.0, 0.3 * open, -2.0 * open) * x.z.signum() + DVec3::new(0.1, -0.2, 0.3);
        }
        sim.restore(&start).unwrap();
    }
    Ok(sim)
}

/// How much of the body is in itself, exactly (m³): ½ (∫w² − ∫w) over space, w the winding number.
fn overlap(sim: &Simulation) -> f64 {
    let x = sim.nodes_of(0).map(|n| sim.column::<NodeState>().x[n]).collect();
    let Some(Matter::Solid { mesh, .. }) = &sim.deformable(0).unwrap().matter else { panic!("a solid") };
    let mesh = TetMesh::new(x, mesh.tets().to_vec()).unwrap();
    let surface = TetTopology::new(&mesh).surface(&mesh).unwrap().mesh;
    let closed = ClosedSurface::new(&surface).unwrap();
    let body = Body::new(&closed, surface.positions()).unwrap();
    let mut squared = Overlap::new();
    Exact::new().evaluate(body, body, None, &mut squared).unwrap();
    let once: f64 = (0..surface.triangles().len())
        .map(|t| {
            let [a, b, c] = surface.corners(t);
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    0.5 * (squared.volume() - once)
}

#[test]
fn a_clamp_closes_on_itself() {
    let mut through = clamp(volume(), 0.3, true, false).unwrap();
    run(&mut through, 1.0);
    let without = overlap(&through);
    assert!(without > 1e-4, "without self-contact the jaws cross: {without} m³");
    let mut held = clamp(volume(), 0.3, true, true).unwrap();
    let (mut touched, mut force, mut deepest) = (0, 0.0f64, 0.0f64);
    for _ in 0..250 {
        held.step().unwrap();
        touched += u32::from(report(&held).active > 0);
        deepest = deepest.max(report(&held).depth);
        force = force.max(held.contact_force(0).mag());
        let l = held.ledger();
        assert!(l.pairs.a.iter().zip(&l.pairs.b).all(|(a, b)| a == b));
        assert!(l.momentum.linear_residual.mag() < 1e-7 * l.momentum.linear_scale, "{:?}", l.momentum);
    }
    let r = report(&held);
    println!(
        "{touched} steps touch, {:.3e} m³, {without:.3e} m³ without; net force {force:.1e} N; {r:?}",
        overlap(&held)
    );
    assert!(touched > 100 && force < 1e-9, "{touched}, {force}");
    // At the depth asked for, and the rays' volume is the exact one.
    assert!(
        r.depth < 1.02 * DEPTH && (r.volume / overlap(&held) - 1.0).abs() < 0.1,
        "{r:?}, {}",
        overlap(&held)
    );
    assert!(!held.column::<CellImpulses>().0.is_empty());
    assert!(
        held.snapshot() == {
            let s = held.snapshot();
            held.restore(&s).unwrap();
            held.snapshot()
        }
    );
}

#[test]
fn what_a_body_does_to_itself_is_nothing_to_its_momenta() {
    let k = VolumePenaltySettings {
        measure: Measurement { pixel: Some(PIXEL), ..Measurement::default() },
        stiffness: 3e8,
        viscosity: 1e6,
        ..VolumePenaltySettings::default()
    };
    for (response, mu) in [(volume(), 0.0), (Response::from(k), 0.0), (volume(), 0.4)] {
        let name = response.name();
        let mut sim = clamp(response, mu, false, true).unwrap();
        let (mut touched, mut linear, mut angular, mut pressed) = (0, 0.0f64, 0.0f64, 0.0f64);
        let momentum = |s: &Simulation| s.ledger().momentum.linear;
        sim.step().unwrap();
        let start = momentum(&sim);
        for _ in 0..60 {
            sim.step().unwrap();
            let l = sim.ledger();
            let push: f64 = l.pairs.pressed.iter().sum();
            touched += u32::from(push > 0.0);
            pressed = pressed.max(push);
            let w = l.contact[0];
            linear = linear.max(w.impulse.mag());
            // About the world's origin, one metre off.
            angular = angular.max(w.moment.mag());
        }
        let drift = (momentum(&sim) - start).mag();
        println!(
            "{name}, mu {mu}: {touched} steps, pushes {pressed:.2e} N s; {linear:.1e} N s, {angular:.1e} N m s; drift {drift:.1e}"
        );
        assert!(touched > 3 && pressed > 1e-3, "{touched}, {pressed}");
        assert!(linear < 1e-13 * pressed.max(1.0), "{linear}");
        assert!(drift < 1e-9, "{drift}");
        // Friction acts on both sheets, a depth apart: its couple is what the README says of it.
        let bound = if mu == 0.0 { 1e-13 } else { mu * pressed * 2.0 * DEPTH };
        assert!(angular < bound.max(1e-14), "{angular} {bound}");
    }
}

#[test]
fn exact_volumes_of_one_body_are_refused() {
    for r in [Response::volume(), Response::volume_penalty()] {
        let e = clamp(r, 0.0, true, true).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(e.contains("'clamp'") && e.contains("pixel"), "{e}");
    }
}
