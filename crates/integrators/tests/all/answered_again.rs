//! A step may be answered more than once: responses that are solved in turn ask what each load would do.

use crate::rig::{Rig, rubber};
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, generators};
use impinge_integrators::{Grip, Pin, Scheme};

/// What was asked before leaves no trace in the next answer, not even the question with no load at all.
#[test]
fn every_answer_starts_from_the_prediction() {
    let mesh = generators::tet_box(DVec3::new(0.5, 0.1, 0.1), [6, 2, 2]).unwrap();
    let x = mesh.positions();
    let schemes = [
        Scheme::SymplecticEuler,
        Scheme::ExplicitEuler,
        Scheme::ImplicitEuler,
        Scheme::ImplicitEulerNewton,
        Scheme::ImplicitMidpoint,
    ];
    for scheme in schemes {
        let pins = (0..x.len()).filter(|&i| x[i].x < -0.2499);
        let pins = pins.map(|i| Pin { node: i as u32, to: Grip::World(x[i]) }).collect::<Vec<_>>();
        let dt = if matches!(scheme, Scheme::SymplecticEuler | Scheme::ExplicitEuler) { 1e-5 } else { 0.02 };
        let answers = |loads: &[f64]| {
            let mut rig = Rig::new(&mesh, Model::Corotational, &rubber(), pins.clone(), vec![], scheme, dt);
            rig.gravity = DVec3::new(0.0, 0.0, -9.81);
            rig.predict().unwrap();
            for share in loads {
                let impulse: Vec<DVec3> = rig.mass.iter().map(|m| rig.gravity * (share * m * dt)).collect();
                rig.operator.respond(&rig.system, &impulse, &rig.settings).unwrap();
            }
            (0..x.len()).map(|i| rig.operator.velocity(&rig.system, i)).collect::<Vec<DVec3>>()
        };
        for last in [0.0, -0.75, 3.0] {
            let asked = answers(&[-0.75, 2.0, last]);
            assert!(asked == answers(&[last]), "{scheme:?}, load {last}");
        }
        assert!(answers(&[-0.75]) != answers(&[0.0]), "{scheme:?}: a load does nothing");
    }
}
