//! Surfaces that move along themselves: belts, turntables, crawlers.

use crate::common::{G, gravity};
use crate::pushed::{cube, responses, under};
use impinge_geometry::{DVec3, Pose};
use impinge_integrators::{Driver, Scheme};
use impinge_world::{BodyDesc, Deformable, Mass, Motion, OpenError, Response, Simulation, SurfaceVelocity};

const DT: f64 = 1.0 / 1024.0;

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

/// A floor that is carried along by a driver.
fn driven(velocity: DVec3, spin: DVec3) -> BodyDesc {
    let mut floor = floor();
    floor.motion = Motion::Kinematic(Driver::constant(floor.pose, velocity, spin));
    floor
}

/// A box that came to rest on a floor at the place `x`; the floor then is as given.
fn rested(r: &(Response, Scheme), floor: BodyDesc, x: f64) -> Simulation {
    let box_ = cube("box", DVec3::new(x, 0.0, 0.0995));
    under(r).gravity(gravity()).body(floor).body(box_).build().unwrap()
}

/// Steps, and how far the books of energy are off over all of them (J).
fn books(sim: &mut Simulation, steps: usize) -> f64 {
    let mut last = sim.ledger().energy.total();
    let mut off = 0.0f64;
    for _ in 0..steps {
        sim.step().unwrap();
        let e = sim.ledger().energy;
        // Of what is stored in contacts, the work of the normal forces is the change, but for what a scheme makes of it.
        let gravity = 2.0 * -G * 0.0;
        let works = e.work_normal + e.work_friction + e.work_driven + gravity;
        off = off.max((e.kinetic() - last - works).abs());
        last = e.kinetic();
    }
    off
}

#[test]
fn a_box_on_a_belt_moves_as_on_a_slab_that_really_moves() {
    let along = DVec3::new(0.6, 0.3, 0.0);
    for r in responses() {
        let name = r.0.name();
        let mut belt = rested(&r, floor().with_surface_velocity(along), 0.0);
        let mut slab = rested(&r, driven(along, DVec3::zero()), 0.0);
        let mut off = [0.0f64; 4];
        for _ in 0..400 {
            belt.step().unwrap();
            slab.step().unwrap();
            let (a, b) = (belt.ledger(), slab.ledger());
            off[0] = off[0].max((belt.position(1) - slab.position(1)).mag());
            off[1] = off[1].max((belt.twist(1).velocity - slab.twist(1).velocity).mag());
            off[2] = off[2].max((a.energy.work_driven - b.energy.work_driven).abs());
            off[3] = off[3].max((a.energy.work_friction - b.energy.work_friction).abs());
            assert!(a.residual() <= 1e-12, "{name}: {:e}", a.residual());
        }
        println!("{name}: {off:?}");
        assert!(off.iter().all(|o| *o < 1e-9), "{name}: {off:?}");
        assert!((belt.twist(1).velocity - along).mag() < 2e-3, "{name}: {:?}", belt.twist(1).velocity);
    }
}
