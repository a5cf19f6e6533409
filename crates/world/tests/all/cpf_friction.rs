//! Friction anchors of continuous penalty ride on the feature they were set on.

use crate::common::gravity;
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule, SlipState};
use impinge_elasticity::{Material, tet::Model};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::{Driver, Scheme};
use impinge_world::{
    AttachTo, BodyDesc, Cpf, Cut, Deformable, Forces, Mass, Motion, NodeState, Response, Simulation, Tracked,
};

fn law(mu: f64) -> PairLaw {
    PairLaw {
        damping: Damping::KelvinVoigt(4.0),
        friction: Some(FrictionLaw {
            mu_s: mu,
            mu_k: mu,
            k_fp: 2e3,
            k_fd: 4.0,
            k_omega: 1e3,
            rule: SlipRule::ReturnMap,
        }),
        ..PairLaw::elastic(2e3)
    }
}

fn sticking(sim: &Simulation) -> usize {
    sim.column::<Tracked>().0.iter().flat_map(|t| &t.grip).filter(|g| **g == SlipState::Static).count()
}

/// A box that starts on a soft block, to rounding, which gravity shears; `cut` divides the block under the box once both are at rest.
fn on_jelly(cut: bool, lean: f64) -> Simulation {
    let tets = generators::tet_box(DVec3::new(0.2, 0.16, 0.1), [4, 4, 2]).unwrap();
    let soft = Material::new(1e4, 0.3, 200.0).with_rayleigh(0.0, 0.02);
    let block = Deformable::solid("block", &tets, Model::Corotational, &soft).unwrap();
    let block = block.pinned(AttachTo::World, |x| x.z < -0.049);
    let load = generators::cuboid(DVec3::new(0.1, 0.08, 0.05), [2, 2, 1]).unwrap();
    let pose = Pose::from_position(DVec3::new(0.003, 0.004, 0.075));
    let mut b = Simulation::builder(1e-3)
        .gravity(DVec3::new(lean, 0.0, -9.0))
        .scheme(Scheme::ImplicitEuler)
        .law(law(0.8))
        .response(Response::cpf())
        .body(BodyDesc::deformable("block", block, Pose::identity()))
        .body(BodyDesc::rigid("load", &load, Mass::Total(0.5), pose).unwrap());
    if cut {
        let (point, normal) = (DVec3::new(0.02, 0.0, 0.0), DVec3::new(1.0, 0.2, 0.0));
        b = b.cut(Cut { time: 1.0, slot: 0, point, normal, within: None, snap: 0.05 });
    }
    b.build().unwrap()
}

#[test]
fn a_load_sticks_to_the_surface_of_a_body_that_shears_under_it() {
    let mut sim = on_jelly(false, 0.0);
    let start: Vec<DVec3> = sim.column::<NodeState>().x.clone();
    let under: Vec<usize> = (0..start.len())
        .filter(|&i| start[i].z > 0.049 && start[i].x.abs() < 0.051 && start[i].y.abs() < 0.041)
        .collect();
    assert_eq!(under.len(), 9);
    let surface = |sim: &Simulation| {
        let x = &sim.column::<NodeState>().x;
        under.iter().fold(0.0, |s, &i| s + x[i].x / under.len() as f64)
    };
    let run = |sim: &mut Simulation, steps: usize, lean: f64| {
        for i in 0..steps {
            let g = DVec3::new(3.0 * (lean * (i + 1) as f64 / steps as f64).min(1.0), 0.0, -9.0);
            sim.world().get::<&mut Forces>(sim.arena()).unwrap().0.gravity = g;
            sim.step().unwrap();
        }
    };
    run(&mut sim, 1600, 0.0);
    // Under the load, which leans with the surface.
    let foot = |sim: &Simulation| sim.pose(1).point_to_world(DVec3::new(0.0, 0.0, -0.025)).x;
    let (apart, before) = (foot(&sim) - surface(&sim), surface(&sim));
    run(&mut sim, 2000, 1.3);
    let (slid, sheared) = (foot(&sim) - surface(&sim) - apart, surface(&sim) - before);
    assert!(sheared > 1e-3 && sticking(&sim) >= 4, "sheared by {sheared} m, {} stick", sticking(&sim));
    // The springs give by 1.5 N on nine or more of 2 kN/m.
    assert!(slid.abs() < 1.5 / (9.0 * 2e3), "slid {slid} m on a surface that moved {sheared} m");
}

#[test]
fn a_cut_under_a_load_keeps_its_grip() {
    // Through the step of the cut, and a twin without it.
    let [(cut, held), (whole, twin)] = [true, false].map(|cut| {
        let mut sim = on_jelly(cut, 1.5);
        for _ in 0..1001 {
            sim.step().unwrap();
        }
        assert_eq!(sim.edits().len(), usize::from(cut));
        (sim.contact_force(1).x, sticking(&sim))
    });
    // Light vertices at the cut may be pushed out by the end of the step; in it every anchor held.
    assert!(twin >= 4 && held >= 4, "{held} anchors are left of {twin}");
    // Anchors set anew would leave the dampers: 9 · 4 N·s/m · 1.5 m/s² · 1 ms = 0.05 N of 0.75 N.
    assert!(cut / whole > 0.7 && cut / whole < 1.3, "{cut} N instead of {whole} N");
}

#[test]
fn a_load_turns_with_the_table_it_stands_on() {
    // Anchors are in the table's own faces, so a slow turn drags nothing.
    let table = generators::cuboid(DVec3::new(0.6, 0.6, 0.1), [7, 9, 1]).unwrap();
    let load = generators::cuboid(DVec3::new(0.1, 0.08, 0.05), [2, 2, 1]).unwrap();
    let mut ground = BodyDesc::fixed("table", table, Pose::from_position(DVec3::unit_z() * -0.05)).unwrap();
    ground.motion = Motion::Kinematic(Driver::constant(ground.pose, DVec3::zero(), DVec3::unit_z() * 0.5));
    let pose = Pose::new(DVec3::new(0.12, 0.05, 0.025), rotor_from_rotation_vector(DVec3::unit_z() * 0.2));
    let mut sim = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law(0.8))
        .response(Response::cpf())
        .body(ground)
        .body(BodyDesc::rigid("load", &load, Mass::Total(0.5), pose).unwrap())
        .build()
        .unwrap();
    let seen = |sim: &Simulation| sim.pose(0).point_to_body(sim.pose(1).position);
    for _ in 0..300 {
        sim.step().unwrap();
    }
    let at = seen(&sim);
    for _ in 0..1000 {
        sim.step().unwrap();
    }
    // B24: no creep with anchors. What is left is the sway of the springs.
    let crept = (seen(&sim) - at).mag();
    assert!(crept < 1e-6, "crept {crept} m in a second on a turning table");
    assert!(sticking(&sim) >= 4);
}

/// Friction integrated over the way: no creep inside the cone (B24), Coulomb's acceleration outside (B26), on a plane and on a mesh; and in a sliding
/// impact its impulse is μ times the normal one.
#[test]
fn friction_along_the_way_sticks_and_slides_as_coulomb_says() {
    let along = Response::from(Cpf { friction_along: true, ..Cpf::default() });
    let angle = 0.5f64.atan();
    let g = DVec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81;
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let ramp = generators::cuboid(DVec3::new(8.0, 2.0, 0.2), [1, 1, 1]).unwrap();
    let block = |mu: f64, on_mesh: bool, height: f64, speed: f64| {
        let ground = if on_mesh {
            BodyDesc::fixed("ramp", ramp.clone(), Pose::from_position(DVec3::unit_z() * -0.1)).unwrap()
        } else {
            BodyDesc::plane("ramp", DVec3::unit_z(), 0.0)
        };
        // Four contacts of 2 kN/m carry it at the depth it starts with.
        let rest = 9.81 * angle.cos() / 8e3;
        let pose =
            Pose::from_position(DVec3::new(-1.0, 0.3, 0.05 + height - if height > 0.0 { 0.0 } else { rest }));
        let mut body = BodyDesc::rigid("block", &mesh, Mass::Total(1.0), pose).unwrap();
        body.velocity = DVec3::new(speed, 0.0, if height > 0.0 { -1.0 } else { 0.0 });
        let builder = Simulation::builder(1e-3).gravity(g).law(law(mu)).response(along.clone());
        builder.body(ground).body(body).build().unwrap()
    };
    let mut sim = block(0.6, false, 0.0, 0.0);
    for _ in 0..3000 {
        sim.step().unwrap();
    }
    let from = sim.position(1);
    for _ in 0..1000 {
        sim.step().unwrap();
    }
    let creep = (sim.position(1) - from).mag();
    assert!(creep <= 1e-9, "creep {creep:e} m in a second");

    // Once the springs of the anchors are stretched: until then friction is less.
    let mut sim = block(0.4, false, 0.0, 0.0);
    let mut speed = [0.0; 2];
    for v in &mut speed {
        for _ in 0..1000 {
            sim.step().unwrap();
        }
        *v = sim.twist(1).velocity.x;
    }
    let want = 9.81 * (angle.sin() - 0.4 * angle.cos());
    let gained = speed[1] - speed[0];
    assert!((gained / want - 1.0).abs() < 1e-3, "{gained} {want}");

    // It arrives sliding at 3 m/s: from the second step of contact on, μ of the normal impulse.
    for on_mesh in [false, true] {
        let mut sim = block(0.4, on_mesh, 2e-4, 3.0);
        let mut touched = 0;
        for _ in 0..20 {
            sim.step().unwrap();
            let l = sim.ledger();
            if l.pairs.is_empty() {
                continue;
            }
            touched += 1;
            if touched == 1 {
                // The springs of the anchors are stretched in part of it.
                continue;
            }
            let (n, f) = (l.pairs.normal[0], l.pairs.friction[0]);
            // On a mesh edges cross and are left at every step: new contacts whose springs are stretched in part of it.
            let least = if on_mesh { 0.3 } else { 0.38 };
            let ratio = f.mag() / n.mag();
            assert!(ratio > least && ratio < 0.4 + 1e-3, "on mesh {on_mesh}: {f:?} of {n:?}");
        }
        assert!(touched > 5);
    }
}
