//! Where the solve with contact impulses starts.

use crate::rig::{Rig, rubber};
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, generators};
use impinge_integrators::{Grip, Pin, Scheme};

/// A clamped beam sets out to fall, and impulses take three quarters of its weight: the answer is a quarter of the prediction, whatever the
/// operator is, so the solve is done before its first iteration or after one. The prediction itself took many.
#[test]
fn a_load_along_the_forces_takes_no_iterations() {
    let mesh = generators::tet_box(DVec3::new(1.0, 0.1, 0.1), [20, 2, 2]).unwrap();
    let x = mesh.positions();
    let pins = (0..x.len()).filter(|&i| x[i].x < -0.4999);
    let pins = pins.map(|i| Pin { node: i as u32, to: Grip::World(x[i]) }).collect();
    let mut rig = Rig::new(&mesh, Model::Corotational, &rubber(), pins, vec![], Scheme::ImplicitEuler, 0.02);
    rig.gravity = DVec3::new(0.0, 0.0, -9.81);
    let first = rig.predict().unwrap();
    let n = rig.x.len();
    let falls: Vec<DVec3> = (0..n).map(|i| rig.operator.velocity(&rig.system, i)).collect();
    let impulse: Vec<DVec3> = rig.mass.iter().map(|m| rig.gravity * (-0.75 * m * rig.dt)).collect();
    let second = rig.operator.respond(&rig.system, &impulse, &rig.settings).unwrap();
    assert!(first.linear >= 10 && second.linear <= 1, "{first:?}, {second:?}");
    let fastest = falls.iter().map(|v| v.mag()).fold(0.0, f64::max);
    for (i, v) in falls.iter().enumerate() {
        let off = (rig.operator.velocity(&rig.system, i) - *v * 0.25).mag();
        assert!(off <= 1e-6 * fastest, "node {i}: {off:e} of {fastest}");
    }
}
