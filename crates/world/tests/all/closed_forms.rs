//! ACCEPTANCE B1, B2, B22, B31 (and B32) through the whole pipeline.

use crate::common::{G, gravity, law, node, particle, particle_with};
use impinge_contact::Damping;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_penalty::{Evaluate, Release, linear_restitution};
use impinge_world::{BodyDesc, Mass, Simulation};

/// The spectral radius of one step of a particle in contact, from the pipeline itself: in contact the step is
/// an affine map of (x, v), so three steps give its matrix.
fn spectral_radius(s: f64, evaluate: Evaluate) -> f64 {
    let (dt, k) = (0.125, s / (0.125 * 0.125));
    let step = |x: f64, v: f64| {
        let mut sim = particle(x, v, k, dt, 0.0, evaluate);
        sim.step().unwrap();
        node(&sim)
    };
    let base = step(-8.0, 0.0);
    let (dx, dv) = (step(-9.0, 0.0), step(-8.0, -1.0));
    let m = [[base.0 - dx.0, base.0 - dv.0], [base.1 - dx.1, base.1 - dv.1]];
    let (trace, det) = (m[0][0] + m[1][1], m[0][0] * m[1][1] - m[0][1] * m[1][0]);
    let disc = trace * trace / 4.0 - det;
    if disc < 0.0 { det.sqrt() } else { (trace.abs() / 2.0) + disc.sqrt() }
}

#[test]
fn b1_eigenvalues_of_the_discrete_rows() {
    for s in [0.04, 0.5, 1.0, 1.5] {
        let start = spectral_radius(s, Evaluate::Start);
        assert!((start - 1.0).abs() < 1e-12, "start s = {s}: {start}");
    }
    for s in [0.04, 0.5, 0.9] {
        let end = spectral_radius(s, Evaluate::End);
        assert!((end - (1.0f64 - s).sqrt()).abs() < 1e-12, "end s = {s}: {end}");
    }
    // The stability limits: 4 at the start, 4/3 at the end.
    assert!(spectral_radius(3.99, Evaluate::Start) < 1.0 + 1e-12);
    assert!(spectral_radius(4.01, Evaluate::Start) > 1.1);
    assert!(spectral_radius(1.33, Evaluate::End) < 1.0);
    assert!(spectral_radius(1.34, Evaluate::End) > 1.0);
}

#[test]
fn b2_rest_depth() {
    let (k, dt) = (1e4, 2e-3);
    let rests = [(Evaluate::Start, G / k, 9.81e-4), (Evaluate::End, G / k - G * dt * dt, 9.4176e-4)];
    for (evaluate, depth, printed) in rests {
        assert!((depth - printed).abs() < 1e-12);
        let mut sim = particle(-depth, 0.0, k, dt, G, evaluate);
        for _ in 0..500 {
            sim.step().unwrap();
            let (x, v) = node(&sim);
            assert!((x + depth).abs() < 1e-9 && v.abs() < 1e-9, "{evaluate:?}: x {x} v {v}");
        }
        // And it weighs what it weighs.
        assert!((sim.contact_force(1).z - G).abs() < 1e-9);
    }
}

#[test]
fn b22_a_settled_body_weighs_m_g() {
    let bodies = [
        ("box", generators::cuboid(DVec3::new(0.2, 0.15, 0.1), [2, 2, 1]).unwrap()),
        ("sphere", generators::icosphere(0.1, 3).unwrap()),
        ("tetrahedron", generators::tetrahedron(0.2).unwrap()),
    ];
    let floor = generators::cuboid(DVec3::new(2.0, 2.0, 0.2), [1, 1, 1]).unwrap();
    for (name, mesh) in bodies {
        for on_mesh in [false, true] {
            let lowest = mesh.bounds().0.z;
            let ground = if on_mesh {
                BodyDesc::fixed("floor", floor.clone(), Pose::from_position(DVec3::unit_z() * -0.1)).unwrap()
            } else {
                BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
            };
            let pose = Pose::from_position(DVec3::new(0.01, 0.02, 1e-4 - lowest));
            let mut sim = Simulation::builder(1e-3)
                .gravity(gravity())
                .law(law(5e3, Damping::KelvinVoigt(30.0)))
                .body(ground)
                .body(BodyDesc::rigid(name, &mesh, Mass::Total(2.0), pose).unwrap())
                .build()
                .unwrap();
            for _ in 0..3000 {
                sim.step().unwrap();
            }
            let (body, ground) = (sim.contact_force(1), sim.contact_force(0));
            assert!((body.z / (2.0 * G) - 1.0).abs() < 1e-3, "{name} on mesh {on_mesh}: {body:?}");
            assert!((body + ground).mag() < 1e-9 * G, "{name}: action and reaction");
            let pairs = sim.ledger().pairs.clone();
            let sum: f64 = (0..pairs.len()).map(|i| (pairs.normal[i] + pairs.friction[i]).z / sim.dt()).sum();
            assert!((sum.abs() - body.z).abs() < 1e-9 * G, "{name}: the pairs add up to the body");
        }
    }
}

/// Drops on a spring at speed 1 m/s and gives the restitution of the first bounce.
fn bounce(damping: Damping, release: Release, steps_per_contact: f64) -> f64 {
    let k = 1e4;
    let contact_time = std::f64::consts::PI / f64::sqrt(k);
    let dt = contact_time / steps_per_contact;
    let mut sim = particle_with(1e-9, -1.0, law(k, damping), dt, 0.0, Evaluate::Start, release);
    for _ in 0..(20.0 * steps_per_contact) as usize {
        sim.step().unwrap();
        let (_, v) = node(&sim);
        if sim.ledger().pairs.is_empty() && v > 0.0 {
            return v;
        }
    }
    node(&sim).1
}

#[test]
fn b31_bounce_with_linear_damping() {
    let depth = [(0.05, 0.854468), (0.1, 0.729248), (0.2, 0.526621), (0.5, 0.163034)];
    let force = [(0.05, 0.858758), (0.1, 0.744079), (0.2, 0.571740), (0.5, 0.298436)];
    for (release, table) in [(Release::Depth, depth), (Release::Force, force)] {
        for (zeta, expected) in table {
            assert!((linear_restitution(zeta, release) - expected).abs() < 1e-6);
            let c = 2.0 * zeta * 1e4f64.sqrt();
            let e = bounce(Damping::KelvinVoigt(c), release, 1000.0);
            assert!((e / expected - 1.0).abs() < 5e-3, "{release:?} ζ = {zeta}: {e} for {expected}");
        }
    }
}

#[test]
fn b32_bounce_with_hunt_crossley_damping() {
    for (chi, expected) in [(0.1, 0.937476), (0.5, 0.748435), (1.0, 0.593624), (2.0, 0.410720)] {
        let e = bounce(Damping::HuntCrossley(chi), Release::Force, 1000.0);
        assert!((e / expected - 1.0).abs() < 5e-3, "χ v = {chi}: {e} for {expected}");
    }
}
