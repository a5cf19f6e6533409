//! What must hold for any pose: action and reaction, frames, −∂U/∂pose, closed loops, no jumps, coherence, bad input.

use crate::support::{Lcg, nudged};
use impinge_geometry::{DVec3, Pose, TetMesh, TriMesh, cuboid as box_surface, tet_box};
use impinge_pressure::{
    BodyError, BristleLaw, BristleState, Coherence, CompliantBody, ContactSurface, Dissipation, HalfSpace,
    Motion, PairError, Quadrature, RigidSurface, Rule, Shape, Workspace, bristles, contact, contact_again,
    energy, fields, pair_stiffness,
};
use proptest::prelude::*;

fn query(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> ContactSurface {
    let mut out = ContactSurface::new();
    contact(a, pa, b, pb, Rule::Paper, &mut Workspace::new(), &mut out).unwrap();
    out
}

fn ball() -> Shape {
    fields::sphere(0.05, 0.03, 1e5).unwrap().into()
}

fn brick() -> Shape {
    fields::cuboid(DVec3::new(0.1, 0.08, 0.06), 3e5).unwrap().into()
}

fn rod() -> Shape {
    fields::cylinder(0.03, 0.12, 0.03, 2e5).unwrap().into()
}

fn rigid() -> Shape {
    RigidSurface::new(box_surface(DVec3::new(0.1, 0.09, 0.05), [2; 3]).unwrap()).unwrap().into()
}

fn layer() -> Shape {
    HalfSpace::layer(DVec3::new(0.0, 0.0, 1.0), 0.0, 2e5, 0.04).unwrap().into()
}

fn pairs() -> Vec<(&'static str, Shape, Shape, Pose)> {
    let at = |x: f64, y: f64, z: f64| Pose::from_position(DVec3::new(x, y, z));
    let turned = |p: Pose| nudged(&p, DVec3::zero(), DVec3::new(0.31, -0.42, 0.17));
    vec![
        ("ball on brick", ball(), brick(), turned(at(0.011, 0.007, 0.066))),
        ("brick on rod", brick(), rod(), turned(at(0.013, -0.004, 0.074))),
        ("ball on rigid", ball(), rigid(), turned(at(0.021, 0.012, 0.065))),
        ("rigid on ball", rigid(), ball(), turned(at(0.021, 0.012, 0.06))),
        ("brick on layer", brick(), layer(), turned(at(0.0, 0.0, 0.03))),
        ("rigid on layer", rigid(), layer(), turned(at(0.0, 0.0, 0.03))),
        (
            "ball on plane",
            ball(),
            HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into(),
            turned(at(0.0, 0.0, 0.041)),
        ),
    ]
}

#[test]
fn the_wrench_is_the_slope_of_the_energy() {
    for (name, a, b, pose) in pairs() {
        let here = Pose::identity();
        let s = query(&a, &pose, &b, &here);
        assert!(!s.is_empty(), "{name}");
        let w = s.wrench.about(pose.position);
        let h = 1e-5;
        let slope = |shift: DVec3, turn: DVec3| {
            let u = |s: f64| energy(&a, &nudged(&pose, shift * s, turn * s), &b, &here).unwrap();
            (u(-h) - u(h)) / (2.0 * h)
        };
        let force = DVec3::new(
            slope(DVec3::unit_x(), DVec3::zero()),
            slope(DVec3::unit_y(), DVec3::zero()),
            slope(DVec3::unit_z(), DVec3::zero()),
        );
        let torque = DVec3::new(
            slope(DVec3::zero(), DVec3::unit_x()),
            slope(DVec3::zero(), DVec3::unit_y()),
            slope(DVec3::zero(), DVec3::unit_z()),
        );
        let size = w.force.mag();
        assert!((force - w.force).mag() <= 2e-6 * size, "{name}: {force:?} against {:?}", w.force);
        assert!((torque - w.torque).mag() <= 2e-6 * size * 0.05, "{name}: {torque:?} against {:?}", w.torque);
    }
}

#[test]
fn stiffness_of_the_pair_is_the_slope_of_the_wrenches() {
    for (name, a, b, pa) in pairs() {
        let pb = nudged(&Pose::identity(), DVec3::new(0.3, -0.2, 0.1), DVec3::new(0.5, 0.2, -0.3));
        let pa = Pose::new(pb.point_to_world(pa.position), pb.rotation * pa.rotation);
        let k = pair_stiffness(&query(&a, &pa, &b, &pb), pa.position, pb.position);
        let wrenches = |pa: &Pose, pb: &Pose| {
            let w = query(&a, pa, &b, pb).wrench;
            let (wa, wb) = (w.about(pa.position), w.about(pb.position));
            [wa.force, wa.torque, -wb.force, -wb.torque]
        };
        let size = k.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
        let h = 1e-7;
        for c in 0..12 {
            let unit = |i: usize| if c % 6 == i { 1.0 } else { 0.0 };
            let (v, t) =
                (DVec3::new(unit(0), unit(1), unit(2)) * h, DVec3::new(unit(3), unit(4), unit(5)) * h);
            let moved = |s: f64| {
                if c < 6 {
                    wrenches(&nudged(&pa, v * s, t * s), &pb)
                } else {
                    wrenches(&pa, &nudged(&pb, v * s, t * s))
                }
            };
            let (up, down) = (moved(1.0), moved(-1.0));
            for r in 0..12 {
                let d = (up[r / 3][r % 3] - down[r / 3][r % 3]) / (2.0 * h);
                assert!(
                    (d - k[r][c]).abs() <= 1e-6 * size,
                    "{name} [{r}][{c}]: {d:e}, analytic {:e}",
                    k[r][c]
                );
            }
        }
    }
}

#[test]
fn a_closed_loop_does_no_work() {
    // Gauss points on straight legs of a triangle of poses; the wrench is piecewise smooth, so many short legs.
    let (a, b) = (ball(), brick());
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    let n = 40_000;
    let path = |s: f64| {
        let t = std::f64::consts::TAU * s;
        DVec3::new(0.02 * t.cos(), 0.015 * t.sin(), 0.068 + 0.004 * (2.0 * t).sin())
    };
    let (mut work, mut total) = (0.0, 0.0);
    for i in 0..n {
        let s = i as f64 / n as f64;
        // The rectangle rule converges fast on a closed curve.
        let h = 1e-6;
        let dx = (path(s + h) - path(s - h)) * (0.5 / h / n as f64);
        contact(&a, &Pose::from_position(path(s)), &b, &Pose::identity(), Rule::Paper, &mut ws, &mut out)
            .unwrap();
        work += out.wrench.force.dot(dx);
        total += (out.wrench.force.dot(dx)).abs();
    }
    assert!(work.abs() <= 1e-9 * total, "{work:e} of {total:e}");
}

#[test]
fn no_jumps_through_events() {
    // One path that crosses many vertex, edge and face events; where a big step finds a change of the polygons, walk it
    // in steps of 1e-9.
    let (a, b) = (ball(), brick());
    let pose = |s: f64| Pose::from_position(DVec3::new(0.03 * s, 0.02 * s * s, 0.07 - 0.004 * s));
    let mut events = 0;
    let mut last = query(&a, &pose(0.0), &b, &Pose::identity()).faces.len();
    let mut s = 0.0;
    while s < 1.0 && events < 20 {
        let (mut lo, mut hi) = (s, s + 0.01);
        let faces = query(&a, &pose(hi), &b, &Pose::identity()).faces.len();
        if faces != last {
            while hi - lo > 1e-9 {
                let m = 0.5 * (lo + hi);
                if query(&a, &pose(m), &b, &Pose::identity()).faces.len() == last { lo = m } else { hi = m }
            }
            let (f, g) =
                (query(&a, &pose(lo), &b, &Pose::identity()), query(&a, &pose(hi), &b, &Pose::identity()));
            let jump = (f.wrench.force - g.wrench.force).mag();
            // The stiffness is about 1e5 N/m and the path 0.036 m long.
            assert!(jump <= 1e5 * 0.05 * 1e-9 + 1e-12 * f.wrench.force.mag(), "a jump of {jump:e} N at {lo}");
            events += 1;
        }
        last = faces;
        s += 0.01;
    }
    assert!(events >= 5, "{events} events only");
}

#[test]
fn coherence_gives_the_same_polygons_and_searches_less() {
    let (a, b) = (ball(), rod());
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    let mut kept = Coherence::new(2e-3);
    let mut random = Lcg(3);
    for i in 0..60 {
        let pose = Pose::from_position(DVec3::new(0.004 * f64::from(i % 20) / 20.0, 0.0, 0.104))
            .relative_to(&random.pose(1e-5, 1e-4));
        contact_again(&a, &pose, &b, &Pose::identity(), Rule::Paper, &mut kept, &mut ws, &mut out).unwrap();
        let fresh = query(&a, &pose, &b, &Pose::identity());
        assert_eq!(out.faces.len(), fresh.faces.len());
        assert!((out.wrench.force - fresh.wrench.force).mag() <= 1e-12 * fresh.wrench.force.mag());
    }
    assert!((1..30).contains(&kept.searches()), "{} searches", kept.searches());
}

/// Rows of tets are kept while bodies hardly move: to and fro by less, by about and by more than they are kept for, bit for bit.
#[test]
fn what_is_kept_for_small_motion_changes_no_bit() {
    let (a, b) = (ball(), ball());
    let (mut ws, mut out, mut fresh) = (Workspace::new(), ContactSurface::new(), ContactSurface::new());
    let mut kept = Coherence::new(2e-3);
    let mut random = Lcg(7);
    let mut rows = [0, 0];
    for size in [1e-7, 5e-6, 1e-5, 3e-5, 1e-4] {
        for _ in 0..40 {
            let pose =
                Pose::from_position(DVec3::new(0.004, 0.01, 0.085)).relative_to(&random.pose(size, size));
            let here = Pose::identity();
            contact_again(&a, &pose, &b, &here, Rule::Paper, &mut kept, &mut ws, &mut out).unwrap();
            contact(&a, &pose, &b, &here, Rule::Paper, &mut ws, &mut fresh).unwrap();
            assert!(fresh.faces.len() > 10);
            assert_eq!(out.faces, fresh.faces, "moved by about {size}");
            assert_eq!(out.corners, fresh.corners);
            assert_eq!(out.wrench, fresh.wrench);
            rows = [rows[0] + out.work.rows, rows[1] + fresh.work.rows];
        }
    }
    assert!(rows[0] < rows[1], "{rows:?}: nothing was kept");
}

#[test]
fn bristles_hold_without_creep_and_let_go_at_the_cone() {
    let (a, b) = (brick(), HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into());
    let pose = Pose::from_position(DVec3::new(0.0, 0.0, 0.029));
    let s = query(&a, &pose, &b, &Pose::identity());
    let law = BristleLaw {
        mu_s: 0.6,
        mu_k: 0.5,
        stiffness: 1e4,
        damping: 1e-3,
        dissipation: Dissipation::None,
        quadrature: Quadrature::Two,
        plane: None,
    };
    let n = s.wrench.force.z;
    let mut state = BristleState::default();
    let step = |v: f64, state: &BristleState| {
        let motion = Motion { velocity: DVec3::unit_x() * v, ..Motion::default() };
        bristles(&s, &Pose::identity(), &motion, &law, 1e-3, state)
    };
    // Pushed to a stretch of 2e-5 m and left there: the force stays for ever, no slip velocity is needed.
    for _ in 0..20 {
        state = step(1e-3, &state).next;
    }
    for _ in 0..1000 {
        let r = step(0.0, &state);
        assert_eq!((r.sliding, r.next.shift), (0.0, state.shift));
        assert!((r.wrench.force.x + n * 1e4 * 2e-5).abs() <= 1e-9 * n);
        state = r.next;
    }
    // Dragged on: μ_k of the pressing force, and the stretch does not grow.
    for _ in 0..500 {
        state = step(0.1, &state).next;
    }
    let r = step(0.1, &state);
    assert!((r.wrench.force.x + 0.5 * n).abs() <= 1e-9 * n && r.sliding == 1.0, "{:?}", r.wrench.force);
    assert!(state.shift.mag() <= 0.6 / 1e4);
}

#[test]
fn bad_input_is_refused_with_the_way_out() {
    let mesh = || tet_box(DVec3::broadcast(1.0), [1; 3]).unwrap();
    let text = |e: BodyError| e.to_string();
    assert!(text(CompliantBody::new(mesh(), vec![1.0; 8], 1e6).unwrap_err()).contains("same value"));
    assert!(text(CompliantBody::new(mesh(), vec![1.0; 7], 1e6).unwrap_err()).contains("one for each vertex"));
    let ramp = || (0..8).map(f64::from).collect::<Vec<_>>();
    assert!(text(CompliantBody::new(mesh(), ramp(), 0.0).unwrap_err()).contains("positive number"));
    assert!(text(CompliantBody::new(mesh(), ramp(), f64::NAN).unwrap_err()).contains("positive number"));
    let mut bad = ramp();
    bad[3] = f64::NAN;
    assert!(text(CompliantBody::new(mesh(), bad, 1e6).unwrap_err()).contains("vertex 3"));
    let (p, mut t) = mesh().into_parts();
    t[0].swap(0, 1);
    assert!(CompliantBody::new(TetMesh::new(p, t).unwrap(), ramp(), 1e6).is_err(), "an inverted tet");
    let (p, mut t) = box_surface(DVec3::broadcast(1.0), [1; 3]).unwrap().into_parts();
    t.pop();
    assert!(RigidSurface::new(TriMesh::new(p, t).unwrap()).is_err(), "an open surface");
    assert!(
        HalfSpace::rigid(DVec3::zero(), 0.0).is_err()
            && HalfSpace::layer(DVec3::unit_z(), 0.0, 1e6, 0.0).is_err()
    );
    assert!(fields::sphere(-1.0, 0.1, 1e6).is_err() && fields::sphere(1.0, 1e-9, 1e6).is_err());
    let mut out = query(&ball(), &Pose::identity(), &brick(), &Pose::identity());
    let lost = Pose { position: DVec3::new(f64::NAN, 0.0, 0.0), ..Pose::identity() };
    let mut ws = Workspace::new();
    let e = contact(&ball(), &lost, &brick(), &Pose::identity(), Rule::Paper, &mut ws, &mut out).unwrap_err();
    assert_eq!(e, PairError::Pose { body: 'A' });
    assert!(out.is_empty() && out.wrench.force == DVec3::zero(), "nothing half-built");
    // A rotor that is not of length 1 gave forces of a stretched body.
    let stretched = |by: f64| {
        let mut pose = Pose::identity();
        pose.rotation.s += by;
        pose
    };
    let here = Pose::identity();
    for by in [1e-3, -1e-3, -1.0, 1e200] {
        let e =
            contact(&brick(), &here, &ball(), &stretched(by), Rule::Paper, &mut ws, &mut out).unwrap_err();
        assert!(matches!(e, PairError::Rotation { body: 'B', .. }), "{e}");
        assert!(out.is_empty() && e.to_string().contains("normalise it"), "{e}");
        let e = impinge_pressure::energy(&brick(), &stretched(by), &ball(), &here).unwrap_err();
        assert!(matches!(e, PairError::Rotation { body: 'A', .. }), "{e}");
    }
    assert!(contact(&brick(), &here, &ball(), &stretched(1e-9), Rule::Paper, &mut ws, &mut out).is_ok());
    let e = contact(&rigid(), &Pose::identity(), &rigid(), &Pose::identity(), Rule::Paper, &mut ws, &mut out);
    assert!(e.is_ok() && out.warning().unwrap().contains("both bodies are rigid"), "{e:?}");
    let Shape::Compliant(b) = ball() else { unreachable!() };
    assert!(b.unit_warning(1000.0, 9.81).is_none());
    assert!(b.own_weight_penetration(f64::NAN, 9.81).is_nan() && b.unit_warning(f64::NAN, 9.81).is_some());
    assert!(fields::sphere(50.0, 30.0, 1e5).unwrap().unit_warning(1000.0, 9.81).is_some(), "millimetres");
}

#[test]
fn tets_without_a_gradient_are_cut_and_laplace_is_harmonic() {
    let mesh = tet_box(DVec3::new(0.1, 0.1, 0.1), [1; 3]).unwrap();
    assert!(fields::distance(mesh.clone(), 1e6, false).is_err(), "no inner vertex: the field is 0");
    let body = fields::distance(mesh, 1e6, true).unwrap();
    assert_eq!((body.split_tets(), body.mesh().tets().len()), (5, 20));
    // A ball with its middle as the core: the potential of a point falls off; it must be between 0 and 1 and largest there.
    let (body, report) = fields::laplace(impinge_geometry::tet_sphere(0.1, 5).unwrap(), None, 1e6).unwrap();
    assert!(report.residual <= 1e-13 && report.core == 1, "{report:?}");
    assert!(body.extent().iter().all(|e| (-1e-12..=1.0).contains(e)));
    // Between two plates the solution is a ramp, exactly: 0 is on all sides of a box, so press a thin plate's middle.
    let n = body.extent().iter().filter(|&&e| e > 0.0 && e < 1.0).count();
    assert!(n > 50);
}

/// What the rounding of coordinates `origin` away from the bodies may change of the force, N: eight roundings of a
/// coordinate, times the slope of the force that pushes `a` into `b`. It counts where bodies graze: in the test below the
/// force of 1.9e-12 N grows by 1.5e-5 N/m, and one rounding 4 m away changes it by 2e-9 of itself.
fn frame_rounding(a: &Shape, pa: &Pose, b: &Shape, here: &ContactSurface, origin: DVec3) -> f64 {
    let (force, nearer) = (here.wrench.force, 1e-9);
    if force.mag() == 0.0 {
        return 0.0;
    }
    let pressed = Pose::new(pa.position - force.normalized() * nearer, pa.rotation);
    let slope = (query(a, &pressed, b, &Pose::identity()).wrench.force - force).mag() / nearer;
    8.0 * f64::EPSILON * origin.mag() * slope
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn action_is_reaction_in_every_frame(
        p in prop::array::uniform3(-0.02f64..0.02), w in prop::array::uniform3(-3.0f64..3.0),
        q in prop::array::uniform3(-5.0f64..5.0), v in prop::array::uniform3(-3.0f64..3.0), which in 0usize..4,
    ) {
        let shapes = [ball(), brick(), rod(), rigid()];
        let (a, b) = (&shapes[which], &shapes[(which + 1) % 3]);
        let pa = nudged(&Pose::from_position(DVec3::from(p) + DVec3::new(0.0, 0.0, 0.06)), DVec3::zero(), w.into());
        let here = Pose::identity();
        let s = query(a, &pa, b, &here);
        let t = query(b, &here, a, &pa);
        let size = s.wrench.force.mag() + s.pressure_integral.abs() * 1e-3 + 1e-12;
        prop_assert!((s.wrench.force + t.wrench.force).mag() <= 1e-10 * size);
        let (m, n) = (s.wrench.about(pa.position).torque, t.wrench.about(pa.position).torque);
        prop_assert!((m + n).mag() <= 1e-10 * size);
        prop_assert_eq!(s.faces.len(), t.faces.len());
        // The same seen from elsewhere.
        let far = nudged(&Pose::from_position(q.into()), DVec3::zero(), v.into());
        let moved = |x: &Pose| Pose::new(far.point_to_world(x.position), far.rotation * x.rotation);
        let u = query(a, &moved(&pa), b, &moved(&here));
        let slack = 1e-9 * size + frame_rounding(a, &pa, b, &s, q.into());
        prop_assert!((u.wrench.force - far.vector_to_world(s.wrench.force)).mag() <= slack);
        let torque = u.wrench.about(moved(&pa).position).torque;
        prop_assert!((torque - far.vector_to_world(m)).mag() <= slack);
        for f in s.faces.iter().chain(&t.faces) {
            prop_assert!(f.area > 0.0 && f.area.is_finite() && (f.normal.mag() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn a_grazing_touch_is_the_same_far_away_up_to_the_rounding_of_its_place() {
    let (a, b) = (ball(), brick());
    let turn = DVec3::new(0.7635124485949087, 2.857031589787357, -1.9322763540982044);
    let place = Pose::from_position(DVec3::new(0.008742911565636134, 0.0, 0.079_805_472_950_986_96));
    let (pa, here) = (nudged(&place, DVec3::zero(), turn), Pose::identity());
    let near = query(&a, &pa, &b, &here);
    assert!(
        near.wrench.force.z > 0.0 && near.wrench.force.z < 1e-10,
        "the pose is to graze: {:?}",
        near.wrench.force
    );
    for x in [0.0, 4.1107534585164505, 400.0] {
        let origin = DVec3::new(x, 0.0, 0.0);
        let far =
            nudged(&Pose::from_position(origin), DVec3::zero(), DVec3::new(0.0, -1.64285036352908, 0.0));
        let moved = |p: &Pose| Pose::new(far.point_to_world(p.position), far.rotation * p.rotation);
        let force = query(&a, &moved(&pa), &b, &moved(&here)).wrench.force;
        let off = (force - far.vector_to_world(near.wrench.force)).mag();
        let slack = 1e-9 * near.wrench.force.mag() + frame_rounding(&a, &pa, &b, &near, origin);
        assert!(off <= slack, "at {x} m: {off:e} N of {:e} N, {slack:e} allowed", near.wrench.force.mag());
    }
}
