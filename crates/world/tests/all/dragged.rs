//! Drag takes nothing from what contact holds: what rests bears all of its weight, what is pressed all of what presses it.

use crate::common::{G, gravity};
use crate::pushed::{cube, responses, under};
use impinge_geometry::DVec3;
use impinge_world::{BodyDesc, Response, Simulation};

const MASS: f64 = 2.0;
const LINEAR: f64 = 500.0;
const ANGULAR: f64 = 3.0;

fn dragged(r: &(Response, impinge_integrators::Scheme), height: f64) -> Simulation {
    let mut block = cube("box", DVec3::unit_z() * height);
    (block.linear_drag, block.angular_drag) = (LINEAR, ANGULAR);
    let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
    under(r).gravity(gravity()).body(floor).body(block).build().unwrap()
}

#[test]
fn what_rests_with_drag_bears_its_weight_and_what_turns_it() {
    for r in responses() {
        let mut sim = dragged(&r, 0.1);
        let torque = 0.5;
        for _ in 0..3000 {
            sim.apply_torque("box", [0.0, torque, 0.0]).unwrap();
            sim.step().unwrap();
        }
        let name = r.0.name();
        let contact = sim.ledger().contact[1];
        let (force, moment) = (contact.impulse.z / sim.dt(), contact.moment.y / sim.dt());
        // Springs may still swing a little.
        let rel = 1e-3;
        assert!((force / (MASS * G) - 1.0).abs() < rel, "{name}: {force} N");
        assert!((moment / torque + 1.0).abs() < 10.0 * rel, "{name}: {moment} N m");
        let residual = sim.ledger().momentum.linear_residual.mag() / (MASS * G * sim.dt());
        assert!(residual < 1e-11, "{name}: {residual:e}");
    }
}

#[test]
fn what_falls_and_spins_with_drag_is_as_before() {
    for r in responses() {
        let name = r.0.name();
        let mut sim = dragged(&r, 100.0);
        let spin = DVec3::new(0.3, -0.2, 0.5);
        sim.set_angular_velocity("box", spin).unwrap();
        let inertia = MASS * 0.2 * 0.2 / 6.0;
        for step in 1..=400 {
            sim.step().unwrap();
            let twist = sim.twist(1);
            let left = (1.0 + ANGULAR * sim.dt() / inertia).powi(-step);
            assert!((twist.angular_velocity - spin * left).mag() < 1e-12, "{name}: {twist:?}");
            let a = LINEAR * sim.dt() / MASS;
            let v = -MASS * G / LINEAR * (1.0 - (1.0 + a).powi(-step));
            assert!((twist.velocity.z / v - 1.0).abs() < 1e-12, "{name}: {twist:?}");
            let residual = sim.ledger().momentum.linear_residual.mag() / (MASS * G * sim.dt());
            assert!(residual < 1e-11, "{name}: {residual:e}");
        }
    }
}
