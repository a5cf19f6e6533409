//! Locked axes of rigid bodies, under all responses.

use crate::halved::NoLonger;
use crate::pushed::{cube, responses, under};
use impinge_contact::{Axes, Axis, Mobility};
use impinge_geometry::{DMat3, DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_pressure::fields;
use impinge_world::{
    AttachTo, BodyDesc, Builder, ClothSpec, Deformable, Mass, PairRule, Place, PressureField, Response,
    Simulation,
};

const G: f64 = 9.81;

/// A box in general position, without a plane of symmetry along an axis of the world.
fn tilted(name: &str, place: DVec3) -> BodyDesc {
    let size = DVec3::new(0.2, 0.16, 0.12);
    let mesh = generators::cuboid(size, [1; 3]).unwrap();
    let turn = rotor_from_rotation_vector(DVec3::new(0.3, -0.2, 0.5));
    BodyDesc::rigid(name, &mesh, Mass::Total(2.0), Pose::new(place, turn))
        .unwrap()
        .with_pressure(PressureField::tets(fields::cuboid(size, 1e6).unwrap()))
}

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

/// Asserts that nothing has moved along these axes since it started at `pose`, to the bit for ways and velocities.
fn held(sim: &Simulation, slot: u32, locked: Axes, start: &Pose, what: &str) {
    let (pose, twist) = (sim.pose(slot), sim.twist(slot));
    let (way, turn) =
        (pose.position - start.position, (pose.rotation * start.rotation.reversed()).normalized());
    for axis in locked.iter() {
        let along = axis.direction();
        if axis.turns() {
            assert_eq!(along.dot(twist.angular_velocity), 0.0, "{what}: {axis}");
        } else {
            assert_eq!(along.dot(twist.velocity), 0.0, "{what}: {axis}");
            assert_eq!(along.dot(way), 0.0, "{what}: {axis}");
        }
    }
    // With two free axes a body gets about the third too, as rolling balls do.
    let free = Axis::ALL.into_iter().filter(|a| a.turns() && !locked.contains(*a)).count();
    if free <= 1 {
        let axis = DVec3::new(-turn.bv.yz, turn.bv.xz, -turn.bv.xy);
        for a in locked.iter().filter(|a| a.turns()) {
            assert!(a.direction().dot(axis).abs() < 1e-13, "{what}: {a} turned by {axis:?}");
        }
    }
}

/// A box falls askew onto a floor and another box, with any of these locked: the lock holds, the books close, work is that of energy.
#[test]
fn locks_hold_through_impacts_under_all_responses() {
    let sets = [
        Axes::X | Axes::RY,
        Axes::all_but(Axes::Z),
        Axes::ROTATIONS,
        Axes::Y | Axes::RX | Axes::RY,
        Axes::RZ,
        Axes::ALL,
    ];
    for r in responses() {
        for locked in sets {
            let what = format!("{}, locked on {locked}", r.0.name());
            let start = Pose::from_position(DVec3::new(0.0, 0.0, 0.1005));
            let upper = tilted("upper", DVec3::new(0.03, 0.02, 0.335)).locked(locked);
            let from = upper.pose;
            let mut sim = under(&r)
                .gravity(DVec3::new(0.4, -0.3, -G))
                .body(floor())
                .body(cube("lower", start.position))
                .body(upper)
                .build()
                .unwrap();
            let mut pressed: f64 = 0.0;
            for step in 0..150 {
                sim.step().unwrap_or_else(|e| panic!("{what}: {e}"));
                let ledger = sim.ledger();
                assert!(ledger.residual() <= 1e-12, "{what}, {step}: {:e}", ledger.residual());
                let rows: Vec<u32> = ledger.locks.iter().map(|l| l.body).collect();
                assert_eq!(rows, [2], "{what}");
                pressed = pressed.max(ledger.pairs.pressed.iter().copied().fold(0.0, f64::max));
                drop(ledger);
                held(&sim, 2, locked, &from, &what);
            }
            let falls = !locked.contains(Axis::Z);
            assert!(pressed > 0.0 && (!falls || sim.position(2).z < from.position.z), "{what}: {pressed}");
        }
    }
}

/// At rest under a load the lock answers with it, whatever else acts.
#[test]
fn a_box_locked_across_a_slope_is_pushed_back_with_m_g_cos_theta() {
    // Free along x, which is down the slope: gravity is tilted instead of the floor.
    let theta: f64 = 0.4;
    let g = DVec3::new(theta.sin(), 0.0, -theta.cos()) * G;
    for r in responses() {
        let mut sim = under(&r)
            .gravity(g)
            .body(cube("box", DVec3::zero()).locked(Axes::all_but(Axis::X)))
            .build()
            .unwrap();
        for step in 1..=256 {
            sim.step().unwrap();
            let ledger = sim.ledger();
            let lock = ledger.locks[0];
            let push = 2.0 * G * theta.cos() * sim.dt();
            assert!((lock.impulse - DVec3::unit_z() * push).mag() < 1e-14, "{}: {lock:?}", r.0.name());
            assert_eq!(lock.work, 0.0);
            assert!(ledger.residual() <= 1e-12);
            let v = G * theta.sin() * sim.dt() * f64::from(step);
            assert!((sim.twist(0).velocity - DVec3::unit_x() * v).mag() < 1e-12);
        }
    }
}

/// What two bodies press each other with in a lock's direction is taken by the lock, in constraint solvers too: a box that is locked along z
/// carries another like a floor.
#[test]
fn a_locked_box_carries_another_as_a_floor_does() {
    for r in responses() {
        let weight = |lower: BodyDesc| {
            let mut sim = under(&r)
                .gravity(DVec3::unit_z() * -G)
                .body(lower)
                .body(cube("upper", DVec3::new(0.0, 0.0, 0.2001)))
                .build()
                .unwrap();
            let mut ends = Vec::new();
            for _ in 0..800 {
                sim.step().unwrap();
                ends.push((sim.position(1).z, sim.ledger().pairs.normal.first().map_or(0.0, |n| n.z)));
            }
            assert!(sim.ledger().residual() <= 1e-12, "{}", r.0.name());
            ends
        };
        // Wider than what it carries: no edge lies on an edge.
        let size = DVec3::new(0.3, 0.36, 0.2);
        let mesh = generators::cuboid(size, [1; 3]).unwrap();
        let field = PressureField::tets(fields::cuboid(size, 1e6).unwrap());
        let fixed = BodyDesc::fixed("lower", mesh.clone(), Pose::identity()).unwrap();
        let free = BodyDesc::rigid("lower", &mesh, Mass::Total(2.0), Pose::identity()).unwrap();
        let fixed = weight(fixed.with_pressure(field.clone()));
        let locked = weight(free.with_pressure(field).locked(Axes::ALL));
        for (step, (a, b)) in fixed.iter().zip(&locked).enumerate() {
            assert!((a.0 - b.0).abs() < 1e-7, "{}, step {step}: {a:?} {b:?}", r.0.name());
        }
        let mean = |ends: &[(f64, f64)]| ends[600..].iter().map(|l| -l.1).sum::<f64>() / 200.0;
        let (as_floor, weight) = (mean(&fixed), mean(&locked));
        println!("{}: {weight:.6} N·s a step, {:.6} expected", r.0.name(), 2.0 * G / 1024.0);
        assert!((weight / (2.0 * G / 1024.0) - 1.0).abs() < 0.05, "{}: {weight}", r.0.name());
        assert!((weight - as_floor).abs() < 1e-6 * 2.0 * G / 1024.0, "{}: {weight} {as_floor}", r.0.name());
    }
}

/// About one free axis a body turns with its inertia about that axis, though that is no principal one; J⁻¹ would have it faster.
#[test]
fn a_hinge_turns_with_the_inertia_about_it() {
    let body = tilted("door", DVec3::new(0.1, 0.2, 0.3)).locked(Axes::all_but(Axis::Rz));
    let impinge_world::Motion::Rigid { inertia, .. } = body.motion else { unreachable!() };
    let r = body.pose.matrix();
    let j = (r * inertia * r.transposed()).cols[2].z;
    for response in responses() {
        let mut sim = under(&response).body(body.clone()).build().unwrap();
        let mut work = 0.0;
        for step in 1..=200 {
            sim.apply_torque("door", [3.0, -1.0, 0.02]).unwrap();
            sim.step().unwrap();
            let spin = 0.02 * f64::from(step) * sim.dt() / j;
            let got = sim.twist(0).angular_velocity;
            assert!((got - DVec3::unit_z() * spin).mag() < 1e-11 * spin, "{}: {got:?}", response.0.name());
            let ledger = sim.ledger();
            assert!(ledger.residual() <= 1e-12, "{}: {:e}", response.0.name(), ledger.residual());
            work += ledger.energy.work_applied;
            let off = (ledger.energy.kinetic() - work).abs();
            // By the midpoint rule works go along chords, whose rounding the locked torque of 3 N·m sees.
            assert!(off < 1e-12 * work + 1e-13, "{}: {off:e} of {work:e}", response.0.name());
        }
    }
}

/// With two free axes it is no hinge: free momentum stays, energy to second order and without drift.
#[test]
fn a_spinning_body_locked_about_one_axis_keeps_its_free_momentum_and_its_energy() {
    for scheme in [Scheme::SymplecticEuler, Scheme::ImplicitMidpoint] {
        let errors: Vec<f64> = [2e-3, 1e-3]
            .into_iter()
            .map(|dt| {
                let mut body = tilted("top", DVec3::zero()).locked(Axis::Rz);
                body.angular_velocity = DVec3::new(8.0, 5.0, 0.0);
                let mut sim = Simulation::builder(dt)
                    .scheme(scheme)
                    .law(impinge_contact::PairLaw::elastic(1e4))
                    .body(body)
                    .build()
                    .unwrap();
                let momentum = |sim: &Simulation| {
                    let mobility = sim.column::<impinge_world::Dofs>().bodies.mobility[0];
                    let r = sim.pose(0).matrix();
                    r * (*mobility.inertia() * (r.transposed() * sim.twist(0).angular_velocity))
                };
                let (start, energy) = (momentum(&sim), sim.kinetic_energy(0));
                let mut worst: f64 = 0.0;
                let mut turned: f64 = 0.0;
                for _ in 0..(4.0 / dt) as usize {
                    sim.step().unwrap();
                    assert!(sim.ledger().residual() <= 1e-12);
                    let now = momentum(&sim) - start;
                    assert!(now.x.hypot(now.y) < 1e-11 * start.mag(), "{now:?}");
                    turned = turned.max(now.z.abs());
                    worst = worst.max((sim.kinetic_energy(0) / energy - 1.0).abs());
                }
                assert!(turned > 0.05 * start.mag(), "the lock has something to do: {turned}");
                worst
            })
            .collect();
        assert!(errors[0] < 2e-3, "{scheme:?}: {errors:?}");
        assert!(errors[1] < 0.3 * errors[0], "{scheme:?}: second order, {errors:?}");
    }
}

/// ω = F (Fᵀ J F)⁻¹ Fᵀ L against the 6 × 6 way: the least energy ½ ωᵀJω − ωᵀL over what is free.
#[test]
fn the_spin_of_a_locked_body_is_that_of_least_energy() {
    let j = DMat3::new(DVec3::new(2.0, 0.3, -0.1), DVec3::new(0.3, 1.0, 0.2), DVec3::new(-0.1, 0.2, 1.7));
    let r = rotor_from_rotation_vector(DVec3::new(0.4, 1.1, -0.7)).into_matrix();
    let (l, world) = (DVec3::new(0.7, -1.3, 0.4), r * j * r.transposed());
    for bits in 0..8 {
        let locked: Axes = [Axis::Rx, Axis::Ry, Axis::Rz]
            .into_iter()
            .enumerate()
            .filter(|(k, _)| bits >> k & 1 == 1)
            .map(|a| a.1)
            .collect();
        let mobility = Mobility::new(j).unwrap().locked_on(locked);
        let spin = mobility.spin(&r, l);
        let left = world * spin - l;
        for axis in [Axis::Rx, Axis::Ry, Axis::Rz] {
            let e = axis.direction();
            if locked.contains(axis) {
                assert_eq!(spin.dot(e), 0.0);
            } else {
                assert!(left.dot(e).abs() < 1e-14, "{locked}: {left:?}");
            }
        }
        // A system with the heavy mass has the same answer.
        let pose = Pose {
            position: DVec3::zero(),
            rotation: rotor_from_rotation_vector(DVec3::new(0.4, 1.1, -0.7)),
        };
        let (_, heavy) = mobility.mass_matrix(1.0, &pose);
        let solved = impinge_geometry::inverse(&heavy).unwrap() * l;
        assert!((solved - spin).mag() < 1e-14, "{locked}: {solved:?} {spin:?}");
    }
}

#[test]
fn locks_hold_in_halved_steps_and_on_any_number_of_threads() {
    let world = |r: &(Response, Scheme)| {
        let mut sim = under(r)
            .gravity(DVec3::new(1.0, 0.5, -G))
            .body(floor())
            .body(cube("lower", DVec3::new(0.0, 0.0, 0.1005)))
            .body(tilted("upper", DVec3::new(0.03, 0.02, 0.335)).locked(Axes::X | Axes::RX | Axes::RZ))
            .build()
            .unwrap();
        let now_and_then = NoLonger(sim.dt() / 4.0, 0.02..0.05);
        sim.pipeline = std::mem::take(&mut sim.pipeline).with(Place::Solve, now_and_then);
        sim
    };
    for r in responses() {
        let ends = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut sim = world(&r);
                let start = sim.pose(2);
                for _ in 0..80 {
                    sim.step().unwrap();
                    assert!(sim.ledger().residual() <= 1e-12, "{}", r.0.name());
                    held(&sim, 2, Axes::X | Axes::RX | Axes::RZ, &start, r.0.name());
                }
                assert!(sim.halved().steps > 10, "{:?}", sim.halved());
                sim.hash()
            })
        };
        assert_eq!(ends(1), ends(4), "{}", r.0.name());
    }
}

#[test]
fn locks_change_while_a_world_runs_and_are_state() {
    for r in responses() {
        let mut sim = under(&r)
            .gravity(DVec3::unit_z() * -G)
            .body(floor())
            .body(tilted("box", DVec3::new(0.0, 0.0, 0.4)))
            .build()
            .unwrap();
        for _ in 0..30 {
            sim.step().unwrap();
        }
        let (free, falling) = (sim.hash(), sim.twist(1).velocity.z);
        sim.set_locked("box", Axes::Z | Axes::RX).unwrap();
        assert_ne!(sim.hash(), free);
        assert_eq!(sim.locked("box").unwrap(), Axes::Z | Axes::RX);
        sim.step().unwrap();
        {
            // It was stopped as by a blow, which is booked.
            let ledger = sim.ledger();
            let stopped = ledger.applied[0];
            assert!((stopped.impulse.z + 2.0 * falling).abs() < 1e-12, "{stopped:?}");
            assert!((stopped.work + falling * falling).abs() < 1e-12, "{stopped:?}");
            assert!(ledger.residual() <= 1e-12);
        }
        let (mid, z) = (sim.snapshot(), sim.position(1).z);
        let go = |sim: &mut Simulation| {
            for k in 0..40 {
                if k == 20 {
                    sim.set_locked("box", Axes::NONE).unwrap();
                }
                sim.step().unwrap();
                if k == 19 {
                    assert_eq!(sim.position(1).z, z);
                }
            }
            sim.hash()
        };
        let end = go(&mut sim);
        assert!(sim.position(1).z < z);
        sim.restore(&mid).unwrap();
        assert_eq!(sim.locked("box").unwrap(), Axes::Z | Axes::RX);
        assert_eq!(go(&mut sim), end, "{}", r.0.name());
    }
}

fn world() -> Builder {
    Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4))
}

#[test]
fn what_cannot_be_locked_is_refused_with_the_remedy() {
    let refused = |body: BodyDesc, words: &[&str]| {
        let e = world().body(body).build().err().unwrap().to_string();
        words.iter().for_each(|w| assert!(e.contains(w), "{e}"));
    };
    let mut moving = cube("box", DVec3::zero()).locked(Axes::X | Axes::RZ);
    moving.velocity = DVec3::unit_x();
    refused(moving.clone(), &["'box'", "x, rz", "leave that component out"]);
    moving.velocity = DVec3::unit_y();
    world().body(moving.clone()).build().unwrap();
    moving.angular_velocity = DVec3::unit_z();
    refused(moving, &["'box'", "free the axis"]);
    refused(BodyDesc { locked: Axes::X, ..floor() }, &["'floor'", "only rigid bodies"]);
    let mut sim =
        world().body(floor()).body(cube("box", DVec3::unit_z()).locked(Axes::X | Axes::RZ)).build().unwrap();
    let said = |e: impinge_world::OpenError| e.to_string();
    assert!(said(sim.set_locked("floor", Axes::X).unwrap_err()).contains("rigid"));
    assert!(said(sim.set_velocity("box", [1.0, 0.0, 0.0]).unwrap_err()).contains("`set_locked`"));
    assert!(said(sim.set_angular_velocity("box", [0.0, 0.0, 1.0]).unwrap_err()).contains("locked on x, rz"));
    sim.set_velocity("box", [0.0, 1.0, 0.0]).unwrap();
}

/// A sheet hangs between a fixed bar and a weight that only moves down and turns about the bar's axis: the system that is solved has the lock in its mass.
#[test]
fn what_is_tied_to_a_soft_body_stays_locked() {
    let spec = ClothSpec {
        young: 1e6,
        poisson: 0.3,
        thickness: 1e-3,
        density: 500.0,
        bending: 0.1,
        rayleigh: [0.5, 1e-3],
    };
    let mesh = generators::grid([0.4, 0.4], [4, 4]).unwrap();
    let locked = Axes::all_but(Axes::Z | Axes::RY);
    for scheme in [Scheme::ImplicitEuler, Scheme::ImplicitEulerNewton, Scheme::ImplicitMidpoint] {
        let cloth = Deformable::cloth("cloth", &mesh, &spec)
            .unwrap()
            .pinned(AttachTo::World, |p| p.x < -0.199)
            .pinned(AttachTo::Body(0), |p| p.x > 0.199);
        let bar = generators::cuboid(DVec3::new(0.02, 0.5, 0.02), [1; 3]).unwrap();
        let at = Pose::from_position(DVec3::new(0.21, 0.0, 0.0));
        let weight = BodyDesc::rigid("weight", &bar, Mass::Total(0.3), at).unwrap().locked(locked);
        let mut sim = Simulation::builder(2e-3)
            .gravity(DVec3::new(0.3, 0.2, -G))
            .scheme(scheme)
            .law(impinge_contact::PairLaw::elastic(1e3))
            .body(weight)
            .body(BodyDesc::deformable("cloth", cloth, Pose::identity()))
            .rule(0, 1, PairRule::Ignore)
            .build()
            .unwrap();
        let mut pulled: f64 = 0.0;
        for _ in 0..200 {
            sim.step().unwrap();
            held(&sim, 0, locked, &at, scheme.name());
            let ledger = sim.ledger();
            // No translation is free here: what is left is the solver's tolerance.
            let off = ledger.momentum.linear_residual.mag() / ledger.momentum.linear_scale;
            assert!(off < 1e-7, "{}: {off:e}", scheme.name());
            pulled = pulled.max(ledger.locks[0].impulse.x.abs() / sim.dt());
        }
        assert!(pulled > 0.5, "{}: the sheet pulls at the lock, {pulled} N", scheme.name());
        assert!(sim.position(0).z < -0.01, "{}: {}", scheme.name(), sim.position(0).z);
    }
}
