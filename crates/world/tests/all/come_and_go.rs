//! Bodies that come and go between steps, and what is read of contacts.

use crate::common::gravity;
use crate::pushed::{cube, responses, under};
use impinge_contact::{Axes, EventKind, Groups, Ledger};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::{Driver, Scheme};
use impinge_world::{BodyDesc, Deformable, Dofs, Motion, OpenError, PairRule, Response, Simulation};

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

/// Two towers of two boxes each, apart.
fn towers(r: &(Response, Scheme)) -> Simulation {
    let at = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    let mut sim = under(r)
        .gravity(gravity())
        .body(floor())
        .body(cube("a", at(0.0, 0.1001)))
        .body(cube("b", at(1.0, 0.1001)))
        .body(cube("on a", at(0.01, 0.3002)))
        .body(cube("on b", at(1.02, 0.3002)))
        .build()
        .unwrap();
    for _ in 0..150 {
        sim.step().unwrap();
    }
    sim
}

/// Pose and velocities of a body, to the bit.
fn bits(sim: &Simulation, name: &str) -> Vec<u64> {
    let id = sim.body(name).unwrap().slot();
    let (pose, twist) = (sim.pose(id), sim.twist(id));
    let r = pose.rotation;
    let mut out = vec![r.s, r.bv.xy, r.bv.xz, r.bv.yz];
    for v in [pose.position, twist.velocity, twist.angular_velocity] {
        out.extend([v.x, v.y, v.z]);
    }
    out.into_iter().map(|x| (x + 0.0).to_bits()).collect()
}

/// Whether a response solves all contacts as one system: its last bits then depend on what else there is.
fn is_local(response: &Response) -> bool {
    !response.is_implicit()
}

#[test]
fn a_tower_does_not_notice_that_a_box_of_the_other_is_taken() {
    for r in responses() {
        let mut stays = towers(&r);
        let mut sim = towers(&r);
        assert_eq!(sim.hash(), stays.hash());
        sim.remove("on b").unwrap();
        // Rows of the others stay; what is left of the other tower is another matter.
        for step in 0..100 {
            sim.step().unwrap();
            stays.step().unwrap();
            for name in ["a", "on a"] {
                if is_local(&r.0) {
                    assert_eq!(bits(&sim, name), bits(&stays, name), "{}: {name}, step {step}", r.0.name());
                }
                let id = stays.slot(name).unwrap();
                let moved = (sim.position(id) - stays.position(id)).mag();
                assert!(moved < 1e-9, "{}: {name} by {moved:e} m in step {step}", r.0.name());
            }
            assert!(sim.ledger().residual() < 1e-12, "{}: {:e}", r.0.name(), sim.ledger().residual());
        }
        let top = sim.position(sim.slot("b").unwrap());
        assert!((top.z - 0.1).abs() < 5e-3, "{}: {top:?}", r.0.name());
    }
}

#[test]
fn a_box_that_comes_makes_no_jump_of_the_others() {
    for r in responses() {
        let mut stays = towers(&r);
        let mut sim = towers(&r);
        sim.remove("b").unwrap();
        stays.remove("b").unwrap();
        // Into the slot between the others, with other features than were there.
        let mesh = generators::cuboid(DVec3::broadcast(0.2), [3; 3]).unwrap();
        let field = impinge_pressure::fields::cuboid(DVec3::broadcast(0.2), 1e6).unwrap();
        let place = Pose::from_position(DVec3::new(3.0, 0.0, 0.1001));
        let new = BodyDesc::rigid("new", &mesh, impinge_world::Mass::Total(3.0), place)
            .unwrap()
            .with_pressure(impinge_world::PressureField::tets(field));
        let id = sim.insert(new).unwrap();
        assert_eq!(id.slot(), 2);
        for step in 0..100 {
            sim.step().unwrap();
            stays.step().unwrap();
            assert!(sim.ledger().residual() < 1e-12, "{}", r.0.name());
            for name in ["a", "on a", "on b"] {
                if is_local(&r.0) {
                    assert_eq!(bits(&sim, name), bits(&stays, name), "{}: {name}, step {step}", r.0.name());
                }
                let slot = stays.slot(name).unwrap();
                let moved = (sim.position(slot) - stays.position(slot)).mag();
                assert!(moved < 1e-9, "{}: {name} by {moved:e} m in step {step}", r.0.name());
            }
        }
        // The floor carries it.
        let z = sim.position(id.slot()).z;
        assert!((z - 0.1).abs() < 5e-3, "{}: {z} m", r.0.name());
    }
}

#[test]
fn a_snapshot_knows_who_was_there() {
    for r in responses() {
        let mut sim = towers(&r);
        let full = sim.snapshot();
        let start = sim.hash();
        sim.remove("on a").unwrap();
        let removed = sim.snapshot();
        assert_ne!(sim.hash(), start);
        let run = |sim: &mut Simulation| {
            for _ in 0..20 {
                sim.step().unwrap();
            }
            sim.hash()
        };
        let without = run(&mut sim);
        sim.restore(&full).unwrap();
        assert_eq!((sim.hash(), sim.body("on a").is_some()), (start, true));
        let with = run(&mut sim);
        assert_eq!(with, run(&mut towers(&r)), "{}", r.0.name());
        sim.restore(&removed).unwrap();
        assert!(sim.body("on a").is_none());
        assert_eq!(run(&mut sim), without, "{}", r.0.name());
    }
}

#[test]
fn what_comes_and_goes_is_in_the_books() {
    let r = &responses()[0];
    let mut sim = under(r).gravity(gravity()).body(cube("a", DVec3::unit_z())).build().unwrap();
    sim.step().unwrap();
    let before = Ledger::clone(&sim.ledger());
    let mut thrown = cube("b", DVec3::new(5.0, 0.0, 2.0));
    thrown.velocity = DVec3::new(0.0, 3.0, 0.0);
    let b = sim.insert(thrown).unwrap();
    sim.step().unwrap();
    let with = Ledger::clone(&sim.ledger());
    let row = with.applied[0];
    assert_eq!((row.body, row.impulse), (1, DVec3::new(0.0, 6.0, 0.0)));
    // ½ m v² + m g h.
    assert!((row.work - (9.0 + 2.0 * 9.81 * 2.0)).abs() < 1e-12);
    let fall = |bodies: f64| bodies * 0.5 * 2.0 * (9.81 / 1024.0f64).powi(2);
    let gone = before.energy.total() + with.energy.work_applied - with.energy.total();
    assert!((gone - fall(2.0)).abs() < 1e-12, "{gone:e}");
    sim.remove(b).unwrap();
    sim.step().unwrap();
    let without = Ledger::clone(&sim.ledger());
    let gone = with.energy.total() + without.energy.work_applied - without.energy.total();
    assert!((gone - fall(1.0)).abs() < 1e-12, "{gone:e}");
    let taken = without.applied[0].impulse + with.momentum.linear;
    let left = without.momentum.linear - DVec3::new(0.0, 0.0, -2.0 * 9.81 / 1024.0);
    assert!((taken - left).mag() < 1e-12);
}

#[test]
fn soft_bodies_come_and_go_among_others() {
    let block = generators::tet_box(DVec3::broadcast(0.2), [2; 3]).unwrap();
    let rubber = impinge_elasticity::Material::new(1e5, 0.3, 1000.0).with_rayleigh(2.0, 0.0);
    let soft = |name: &str, x: f64| {
        let d = Deformable::solid(name, &block, impinge_elasticity::tet::Model::Corotational, &rubber);
        BodyDesc::deformable(name, d.unwrap(), Pose::from_position(DVec3::new(x, 0.0, 0.1001)))
    };
    let build = || {
        let r = (Response::penalty(), Scheme::ImplicitEuler);
        let mut sim = under(&r).gravity(gravity()).body(floor()).body(soft("left", 0.0)).build().unwrap();
        sim.insert(soft("middle", 1.0)).unwrap();
        sim.insert(soft("right", 2.0)).unwrap();
        for _ in 0..50 {
            sim.step().unwrap();
        }
        sim
    };
    let (mut sim, mut stays) = (build(), build());
    sim.remove("middle").unwrap();
    for _ in 0..50 {
        sim.step().unwrap();
        stays.step().unwrap();
    }
    for name in ["left", "right"] {
        let [a, b] = [&sim, &stays].map(|s| s.position(s.slot(name).unwrap()));
        assert!((a - b).mag() < 1e-9, "{name}: {a:?} {b:?}");
        assert!(a.z < 0.1 && a.z > 0.08);
    }
    let nodes = sim.nodes_of(3).len();
    let id = sim.insert(soft("another", 1.0)).unwrap();
    assert_eq!((id.slot(), sim.nodes_of(3).len()), (2, nodes));
    for _ in 0..50 {
        sim.step().unwrap();
    }
    assert!(sim.position(2).z < 0.1 && sim.position(2).z > 0.08);
    assert_eq!(sim.deformables(), 3);
}

#[test]
fn dead_names_are_refused_and_slots_are_taken_again() {
    let r = &responses()[0];
    let mut sim =
        under(r).body(floor()).body(cube("a", DVec3::unit_z())).rule(0, 1, PairRule::Ignore).build().unwrap();
    let a = sim.body("a").unwrap();
    assert!(sim.insert(cube("a", DVec3::zero())).unwrap_err().to_string().contains("'a'"));
    let start = sim.hash();
    let mut heavy = cube("b", DVec3::zero());
    if let Motion::Rigid { mass, .. } = &mut heavy.motion {
        *mass = f64::NAN;
    }
    assert!(sim.insert(heavy).is_err());
    assert_eq!(sim.hash(), start);
    sim.remove(a).unwrap();
    for error in [
        sim.apply_force(a, DVec3::unit_x()).unwrap_err(),
        sim.apply_force("a", DVec3::unit_x()).unwrap_err(),
        sim.apply_force(1, DVec3::unit_x()).unwrap_err(),
        sim.remove(a).unwrap_err(),
    ] {
        assert!(matches!(error, OpenError::NoBody { .. }), "{error}");
    }
    sim.step().unwrap();
    let b = sim.insert(cube("b", DVec3::unit_z() * 0.09)).unwrap();
    assert_eq!(b.slot(), a.slot());
    assert_ne!(a, b);
    assert!(sim.set_velocity(a, DVec3::zero()).is_err());
    assert_eq!(sim.bodies().count(), 2);
    assert_eq!(sim.column::<Dofs>().bodies.mass[1], 2.0);
    sim.step().unwrap();
    // The rule was about the one before.
    assert!(sim.contact_force(1).z > 0.0);
}

#[test]
fn contacts_and_events_say_what_presses() {
    for r in responses() {
        let mut sim = under(&r)
            .gravity(gravity())
            .body(floor())
            .body(cube("box", DVec3::new(0.0, 0.0, 0.12)))
            .build()
            .unwrap();
        let mut events = Vec::new();
        for _ in 0..600 {
            sim.step().unwrap();
            events.extend(sim.events().map(|e| e.event.kind));
            let given: DVec3 = sim.contacts().fold(DVec3::zero(), |sum, c| {
                assert_eq!((c.a, c.b, c.response), (0, 1, r.0.name()));
                sum + if c.on == 1 { c.force } else { -c.force }
            });
            let (force, size) = (sim.contact_force(1), sim.contact_force(1).mag());
            assert!((given - force).mag() <= 1e-9 * (1.0 + size), "{}: {given:?} {force:?}", r.0.name());
            for c in sim.contacts().filter(|c| c.multiplier > 0.0) {
                let up = if c.on == 1 { c.normal } else { -c.normal };
                assert!((up - DVec3::unit_z()).mag() < 1e-6, "{}: {c:?}", r.0.name());
            }
        }
        assert_eq!(events[0], EventKind::Began, "{}", r.0.name());
        let alternate = events.windows(2).all(|w| w[0] != w[1]);
        assert!(alternate, "{}: {events:?}", r.0.name());
        sim.set_pose("box", Pose::from_position(DVec3::unit_z())).unwrap();
        let touched = events.last() == Some(&EventKind::Began);
        sim.step().unwrap();
        assert_eq!(sim.events().count(), usize::from(touched));
    }
}

#[test]
fn looks_find_the_bodies_where_they_are() {
    let r = &responses()[0];
    let mut sim = under(r).body(floor()).body(cube("box", DVec3::unit_z())).build().unwrap();
    sim.set_velocity("box", [1.0, 0.0, 0.0]).unwrap();
    for _ in 0..512 {
        sim.step().unwrap();
    }
    let (body, met) = sim.cast_ray([0.5, 0.0, 5.0], [0.0, 0.0, -2.0], 10.0).unwrap();
    assert_eq!(sim.names()[body.slot() as usize], "box");
    assert!((met.distance - 3.9).abs() < 1e-12 && (met.point.z - 1.1).abs() < 1e-12);
    let (body, met) = sim.cast_ray([2.5, 0.0, 5.0], [0.0, 0.0, -2.0], 10.0).unwrap();
    assert_eq!((body.slot(), met.distance), (0, 5.0));
    assert!(sim.cast_ray([2.5, 0.0, 5.0], [0.0, 0.0, -2.0], 4.0).is_none());
    assert!(sim.cast_ray([f64::NAN; 3], [0.0, 0.0, -2.0], 4.0).is_none());
    let (body, near) = sim.closest_point([0.5, 0.0, 0.7]).unwrap();
    assert_eq!(body.slot(), 1);
    assert!((near.distance - 0.2).abs() < 1e-12 && (near.point.z - 0.9).abs() < 1e-12);
    let there: Vec<u32> = sim.bodies_at([0.5, 0.0, 1.0]).into_iter().map(|b| b.slot()).collect();
    assert_eq!(there, [1]);
    assert_eq!(sim.bodies_at([0.0, 0.0, -1.0]).len(), 1);
    sim.remove("box").unwrap();
    assert_eq!(sim.cast_ray([0.5, 0.0, 5.0], [0.0, 0.0, -2.0], 10.0).unwrap().0.slot(), 0);
}

/// A soft pad comes to a gripper that has moved and turned: it holds on where it is put, and stays there through other changes and snapshots.
#[test]
fn a_soft_body_is_attached_where_its_holder_is_now() {
    let block = generators::tet_box(DVec3::broadcast(0.2), [2; 3]).unwrap();
    let rubber = impinge_elasticity::Material::new(1e5, 0.3, 1000.0).with_rayleigh(20.0, 0.0);
    let pad = |at: Pose, to: u32| {
        let d =
            Deformable::solid("pad", &block, impinge_elasticity::tet::Model::Corotational, &rubber).unwrap();
        // The side towards −x.
        BodyDesc::deformable("pad", d.pinned(impinge_world::AttachTo::Body(to), |x| x.x < -0.099), at)
    };
    let r = (Response::penalty(), Scheme::ImplicitEuler);
    let mut driven = cube("driven", DVec3::zero());
    let turn = DVec3::unit_z() * 0.5;
    driven.motion =
        Motion::Kinematic(impinge_integrators::Driver::constant(driven.pose, DVec3::unit_y() * 0.3, turn));
    let mut sim = under(&r)
        .body(driven.clone())
        .body(cube("free", DVec3::unit_x() * 5.0))
        .rule(0, 2, PairRule::Ignore)
        .rule(1, 2, PairRule::Ignore)
        .body(BodyDesc::particles("place", vec![DVec3::unit_z() * 9.0], 1.0))
        .build()
        .unwrap();
    sim.set_angular_velocity("free", [0.0, 0.0, 1.0]).unwrap();
    (0..500).for_each(|_| sim.step().unwrap());
    sim.remove("place").unwrap();
    for (holder, slot) in [("driven", 0), ("free", 1)] {
        let frame = sim.pose(slot);
        let beside = Pose::new(frame.point_to_world(DVec3::unit_x() * 0.2), frame.rotation);
        let id = sim.insert(pad(beside, slot)).unwrap();
        assert_eq!(id.slot(), 2);
        let away = |sim: &Simulation| {
            let p = sim.pose(slot);
            (p.point_to_body(sim.position(2)) - DVec3::unit_x() * 0.2).mag()
        };
        assert!(away(&sim) < 1e-12, "{holder}");
        let here = sim.snapshot();
        let run = |sim: &mut Simulation| {
            for _ in 0..200 {
                sim.step().unwrap();
                assert!(away(sim) < 0.02, "{holder}: {} m", away(sim));
                let m = sim.ledger().momentum;
                assert!(m.linear_residual.mag() < 1e-9 * m.linear_scale, "{holder}: {m:?}");
            }
            sim.hash()
        };
        let on = run(&mut sim);
        // The tables are laid out anew; its hold stays where it was.
        let other = sim.insert(cube("other", DVec3::unit_z() * 7.0)).unwrap();
        run(&mut sim);
        assert!(sim.remove(holder).is_err());
        sim.remove(other).unwrap();
        sim.restore(&here).unwrap();
        assert_eq!(run(&mut sim), on, "{holder}");
        sim.remove("pad").unwrap();
    }
    let e = sim.insert(pad(Pose::identity(), 9)).unwrap_err().to_string();
    assert!(e.contains("slot 9"), "{e}");
}

/// What a program changed of a world is there still when a body comes, goes, or a snapshot with other bodies is restored.
#[test]
fn changes_outlive_bodies_that_come_and_go() {
    let r = &responses()[0];
    let mut moving = cube("moving", DVec3::new(2.0, 0.0, 0.1001));
    moving.velocity = DVec3::unit_x();
    let lift = |v: f64, from: f64, at: DVec3| {
        Driver::constant_from(from, Pose::from_position(at), DVec3::unit_z() * v, DVec3::zero())
    };
    let mut arm = cube("arm", DVec3::new(4.0, 0.0, 1.0));
    arm.motion = Motion::Kinematic(lift(0.0, 0.0, DVec3::new(4.0, 0.0, 1.0)));
    let build =
        || under(r).gravity(gravity()).body(floor()).body(moving.clone()).body(arm.clone()).build().unwrap();
    let mut sim = build();
    sim.step().unwrap();
    let before = sim.snapshot();
    // Locked in motion, driven elsewhere, ruled and grouped.
    sim.set_locked("moving", Axes::X | Axes::ROTATIONS).unwrap();
    sim.drive("arm", lift(0.3, sim.time(), sim.pose(2).position)).unwrap();
    sim.set_rule("floor", "moving", Some(PairRule::Ignore)).unwrap();
    let came = sim.insert(cube("came", DVec3::new(6.0, 0.0, 0.1001))).unwrap();
    sim.set_groups(came, Groups::new(2, 2)).unwrap();
    sim.step().unwrap();
    let full = sim.snapshot();
    let go = |sim: &mut Simulation| {
        for _ in 0..20 {
            sim.step().unwrap();
            assert!(sim.ledger().residual() <= 1e-12);
        }
        sim.hash()
    };
    let end = go(&mut sim);
    assert_eq!(sim.twist(1).velocity.x, 0.0);
    assert!((sim.twist(2).velocity.z - 0.3).abs() < 1e-9 && sim.twist(1).velocity.z < -0.1);
    sim.remove(came).unwrap();
    go(&mut sim);
    // The groups of a body that is not there in it are no matter to an older snapshot.
    sim.restore(&full).unwrap();
    sim.restore(&before).unwrap();
    assert_eq!(sim.locked("moving").unwrap(), Axes::NONE);
    sim.restore(&full).unwrap();
    assert_eq!(go(&mut sim), end);
    assert_ne!(before, full);
}

/// The energy of a contact that was ended is booked once, whatever ends it again.
#[test]
fn what_a_contact_stored_is_booked_once() {
    let r = &responses()[0];
    let build = || {
        let mut sim = under(r)
            .gravity(gravity())
            .body(floor())
            .body(cube("box", DVec3::unit_z() * 0.1))
            .build()
            .unwrap();
        (0..300).for_each(|_| sim.step().unwrap());
        let stored: f64 = sim.ledger().pairs.energy.iter().sum();
        assert!(stored > 1e-3);
        (sim, stored)
    };
    let booked = |sim: &mut Simulation| {
        sim.step().unwrap();
        sim.ledger().energy.work_applied
    };
    let (mut sim, stored) = build();
    for _ in 0..2 {
        sim.set_rule("floor", "box", Some(PairRule::Ignore)).unwrap();
        sim.set_rule("floor", "box", None).unwrap();
    }
    sim.set_rule("floor", "box", Some(PairRule::Ignore)).unwrap();
    assert!((booked(&mut sim) + stored).abs() < 1e-12);
    let (mut sim, stored) = build();
    sim.set_groups("box", Groups::new(0, 0)).unwrap();
    let pose = sim.pose(1);
    sim.set_pose("box", pose).unwrap();
    assert!((booked(&mut sim) + stored).abs() < 1e-12);
}

/// A rotor without length is no rotation.
#[test]
fn a_pose_without_a_rotation_is_refused() {
    let mut sim = under(&responses()[0]).body(cube("box", DVec3::zero())).build().unwrap();
    let mut none = Pose::identity();
    none.rotation.s = 0.0;
    assert!(sim.set_pose("box", none).unwrap_err().to_string().contains("finite"));
    sim.step().unwrap();
}
