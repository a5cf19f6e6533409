//! Frames, rows, penalty: closed forms, finite differences along rigid motions, balance, and a box that comes to rest.

use crate::support::{Numbers, at, gradients, overlap, sum, turned, v3};
use impinge_geometry::{DVec3, TriMesh, cuboid, icosphere, torus};
use impinge_solvers::Settings;
use impinge_solvers::mlcp::{Cone, ContactProblem, ContactRows, semismooth_newton};
use impinge_volume::{
    ContactFrame, Exact, FrictionAt, Overlap, RigidRow, friction_rows, ghost_torque, normal_row,
    penalty_energy, penalty_forces, viscous_force,
};

fn pair() -> [TriMesh; 2] {
    let a = turned(&icosphere(0.5, 2).unwrap(), v3(0.4, 0.2, 0.1), v3(0.1, 0.2, 0.8));
    [a, cuboid(v3(2.0, 2.0, 1.0), [2; 3]).unwrap()]
}

fn measure([a, b]: &[TriMesh; 2]) -> Overlap {
    overlap(&mut Exact::new(), a, b, None)
}

#[test]
fn a_row_is_minus_the_slope_along_a_rigid_motion() {
    let m = pair();
    let o = measure(&m);
    let mut numbers = Numbers(1);
    for side in 0..2 {
        let centre = numbers.vector();
        let row = normal_row(&o, 0, side, m[side].positions(), centre);
        for _ in 0..3 {
            let (v, w) = (numbers.vector(), numbers.vector());
            let h = 1e-4;
            let at = |s: f64| {
                let mut m = m.clone();
                m[side] = m[side].mapped(|p| p + (v + w.cross(p - centre)) * (s * h)).unwrap();
                measure(&m).volume()
            };
            let slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
            assert!((slope + row.dot(v, w)).abs() < 1e-8, "{slope} {}", row.dot(v, w));
        }
    }
}

#[test]
fn friction_balances_and_the_centre_has_no_ghost_torque() {
    let m = pair();
    let o = measure(&m);
    let x = [m[0].positions(), m[1].positions()];
    let frame = ContactFrame::new(&o, 0, x).unwrap();
    assert!((frame.normal - v3(0.0, 0.0, 1.0)).mag() < 1e-12, "the box pushes up");
    assert!(frame.tangents[0].cross(frame.tangents[1]).dot(frame.normal) > 1.0 - 1e-12);
    let rows = |at, side: usize| friction_rows(&frame, at, &o, 0, side, x[side], DVec3::zero());
    let total = |at| -> RigidRow {
        let (a, b) = (rows(at, 0)[0], rows(at, 1)[0]);
        RigidRow { linear: a.linear + b.linear, angular: a.angular + b.angular }
    };
    let (surface, centre) = (total(FrictionAt::Surface), total(FrictionAt::Center));
    assert!(surface.linear.mag() < 1e-14 && centre.linear.mag() < 1e-14);
    assert!(centre.angular.mag() < 1e-14, "{:?}", centre.angular);
    let force = rows(FrictionAt::Surface, 0)[0].linear;
    assert!((surface.angular - ghost_torque(&frame, force)).mag() < 1e-14);
    assert!(surface.angular.mag() > 1e-3 * frame.area * frame.mean_depth, "there is a ghost to be gone");
    // v_rel of translations is the projected area times their difference; viscous forces follow it and balance.
    let motion: [Vec<DVec3>; 2] = [v3(0.3, 0.0, 0.1), v3(-0.2, 0.5, 0.0)].map(|v| vec![v; 10_000]);
    let v = frame.relative_velocity(&o, 0, [&motion[0], &motion[1]]);
    assert!((v - v3(-0.5, 0.5, -0.1) * frame.projected_area).mag() < 1e-14);
    let forces: Vec<DVec3> =
        (0..2).flat_map(|s| o.gradient(0, s).1.iter().map(|&g| viscous_force(&frame, 2.0, g, v))).collect();
    assert!(sum(&forces).mag() < 1e-14);
    let on_a = (0..o.gradient(0, 0).1.len()).fold(DVec3::zero(), |s, k| s + forces[k]);
    assert!(on_a.dot(motion[0][0] - motion[1][0]) < 0.0, "viscous friction slows");
}

/// A bar goes through a plate whose faces are not quite parallel: the pushes up and down all but cancel, what is left points sideways, and the
/// barycentre of its weights is a kilometre away. Friction acts where the bodies are.
#[test]
fn what_all_but_cancels_has_its_centre_where_the_bodies_are() {
    let plate = cuboid(v3(2.0, 2.0, 0.2), [2; 3]).unwrap();
    let wedge = plate.mapped(|p| v3(p.x, p.y, p.z * (1.0 + 1e-3 * p.x))).unwrap();
    let m = [cuboid(v3(0.1, 0.1, 1.0), [1; 3]).unwrap(), wedge];
    let o = measure(&m);
    let frame = ContactFrame::new(&o, 0, [m[0].positions(), m[1].positions()]).unwrap();
    assert!(frame.normal.x.abs() > 0.99 && frame.center_of[0].mag() > 100.0, "{frame:?}");
    // Corners of the plate are 1.42 m from its middle.
    assert!(frame.center.mag() < 1.5, "{frame:?}");
}

#[test]
fn no_frame_inside_another_body() {
    let m = [cuboid(v3(0.2, 0.2, 0.2), [1; 3]).unwrap(), cuboid(v3(1.0, 1.0, 1.0), [1; 3]).unwrap()];
    let o = measure(&m);
    assert!(ContactFrame::new(&o, 0, [m[0].positions(), m[1].positions()]).is_none());
}

#[test]
fn penalty_forces_are_minus_the_slope_of_their_energy() {
    let a = torus(0.7, 0.3, 12, 8).unwrap();
    let m = [turned(&a, v3(0.1, 0.2, 0.3), v3(0.2, 0.1, 0.4)), a];
    let k = 250.0;
    let o = measure(&m);
    let mut forces = [0, 1].map(|s| vec![DVec3::zero(); m[s].positions().len()]);
    (0..2).for_each(|s| penalty_forces(k, &o, s, 1.0, &mut forces[s]));
    assert!((sum(&forces[0]) + sum(&forces[1])).mag() < 1e-12);
    let mut numbers = Numbers(2);
    let way: Vec<DVec3> = m[0].positions().iter().map(|_| numbers.vector()).collect();
    let h = 1e-4;
    let at = |s: f64| {
        let mut i = 0;
        let moved = m[0].mapped(|p| {
            i += 1;
            p + way[i - 1] * (s * h)
        });
        penalty_energy(k, &measure(&[moved.unwrap(), m[1].clone()]))
    };
    let slope = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
    let work: f64 = forces[0].iter().zip(&way).map(|(f, w)| f.dot(*w)).sum();
    assert!((slope + work).abs() < 1e-6 * slope.abs(), "{slope} {work}");
    assert!((penalty_energy(k, &o) - 0.5 * k * o.volume() * o.volume()).abs() < 1e-15);
    assert_eq!(gradients(&o, &m[0], &m[1])[0][0] * (-k * o.volume()), forces[0][0]);
}

/// A unit cube of 1 kg on a fixed floor: one velocity problem, then positions until the mean depth is what it should be.
#[test]
fn a_cube_stops_and_is_lifted_to_the_depth_asked_for() {
    let floor = cuboid(v3(4.0, 4.0, 1.0), [1; 3]).unwrap();
    let cube = cuboid(v3(1.0, 1.0, 1.0), [2; 3]).unwrap();
    let mut centre = v3(0.1, 0.0, 0.9);
    let (dt, g, mu, depth) = (0.01, 9.81, 0.5, 1e-4);
    let rows = |o: &Overlap, cube: &TriMesh, centre: DVec3| {
        let frame = ContactFrame::new(o, 0, [cube.positions(), floor.positions()]).unwrap();
        let n = normal_row(o, 0, 0, cube.positions(), centre);
        let t = friction_rows(&frame, FrictionAt::Center, o, 0, 0, cube.positions(), centre);
        let mut rows = ContactRows::new();
        for r in [n, t[0], t[1]] {
            let (l, a) = (r.linear, r.angular);
            rows.push([(0, l.x), (1, l.y), (2, l.z), (3, a.x), (4, a.y), (5, a.z)]);
        }
        (rows, frame)
    };
    // Unit cube of 1 kg: inverse inertia 6.
    let inverse = |x: &mut [f64]| x[3..].iter_mut().for_each(|w| *w *= 6.0);
    let settings = Settings { tolerance: 1e-12, max_iterations: 100 };
    let o = measure(&[at(&cube, centre), floor.clone()]);
    let (r, _) = rows(&o, &at(&cube, centre), centre);
    let motion = [0.2, 0.0, -g * dt, 0.0, 0.0, 0.0];
    let p = ContactProblem::assemble(&r, &motion, None, vec![Cone::Round { mu }], inverse).unwrap();
    let mut force = [[0.0; 3]];
    assert!(semismooth_newton(&p, &mut force, &settings).converged);
    let mut push = vec![0.0; 6];
    r.add_transposed(&force, &mut push);
    // The pressure carries the weight (B22), friction is at its limit and turns the cube: the floor is half a metre down.
    assert!((push[2] - g * dt).abs() < 1e-9 * g * dt, "{push:?}");
    let friction = (push[0] * push[0] + push[1] * push[1]).sqrt();
    assert!((friction - mu * g * dt).abs() < 1e-9 && push[0] < 0.0, "{push:?}");

    let mut rounds = 0;
    loop {
        let cube = at(&cube, centre);
        let o = measure(&[cube.clone(), floor.clone()]);
        let (r, frame) = rows(&o, &cube, centre);
        let allowed = frame.volume_at_depth(depth);
        if o.volume() <= allowed * (1.0 + 1e-9) {
            assert!((frame.mean_depth - depth).abs() < 1e-9, "{}", frame.mean_depth);
            break;
        }
        rounds += 1;
        assert!(rounds < 5);
        let room = [allowed - o.volume()];
        let p =
            ContactProblem::assemble(&r, &[0.0; 6], Some(&room), vec![Cone::Frictionless], inverse).unwrap();
        let mut xi = [[0.0; 3]];
        assert!(semismooth_newton(&p, &mut xi, &settings).converged);
        let mut step = vec![0.0; 6];
        r.add_transposed(&xi, &mut step);
        inverse(&mut step);
        centre += DVec3::new(step[0], step[1], step[2]);
        assert!(step[3..].iter().all(|w| w.abs() < 1e-9), "a flat cube is lifted straight");
    }
    assert!(rounds <= 2, "a flat contact's volume is linear: {rounds} rounds");
}
