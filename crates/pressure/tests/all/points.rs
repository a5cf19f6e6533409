//! [`Points`] sums what the scalar functions sum: wrench, slope and memory, holding, sliding and parting.

use crate::support::Lcg;
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_pressure::{
    BristleLaw, BristleState, ContactSurface, Dissipation, HalfSpace, Motion, Points, Quadrature, Rule,
    Shape, TractionLaw, Workspace, Wrench, bristle_slope, bristles, contact, fields, traction_slope,
    tractions,
};

fn close(a: DVec3, b: DVec3, size: f64) -> bool {
    (a - b).mag() <= 1e-12 * size
}

fn same(a: &Wrench, b: &Wrench, force: f64, arm: f64) {
    let b = b.about(a.point);
    assert!(close(a.force, b.force, force), "{:?} not {:?}", a.force, b.force);
    assert!(close(a.torque, b.torque, force * arm), "{:?} not {:?}", a.torque, b.torque);
}

#[test]
fn sums_side_by_side_are_the_scalar_ones() {
    let ball: Shape = fields::sphere(0.05, 0.0125, 1e6).unwrap().into();
    let floor: Shape = HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into();
    let here = Pose::new(DVec3::new(0.3, -0.2, 0.1), rotor_from_rotation_vector(DVec3::new(0.2, 0.1, -0.4)));
    let turned = rotor_from_rotation_vector(DVec3::new(0.11, -0.07, 0.05));
    let pairs = [
        (&ball, Pose::new(here.position + DVec3::new(0.002, 0.001, 0.085), turned), &ball, here),
        (&ball, Pose::new(DVec3::new(0.4, 0.2, 0.046), turned), &floor, Pose::identity()),
        (&floor, Pose::identity(), &ball, Pose::new(DVec3::new(0.4, 0.2, 0.046), turned)),
    ];
    let slow = Motion { velocity: DVec3::new(1e-6, 2e-6, -0.01), ..Motion::default() };
    let motions = [
        slow,
        Motion { velocity: DVec3::new(2e-4, -1e-4, -0.1), spin: DVec3::new(0.1, 0.2, 0.02), ..slow },
        Motion { velocity: DVec3::new(0.4, 0.1, 0.02), spin: DVec3::new(0.3, 0.0, 5.0), ..slow },
        // Parts so fast that the damping cuts the pressure off at some points only.
        Motion { velocity: DVec3::new(0.01, 0.0, 0.09), spin: DVec3::new(8.0, 0.0, 0.0), ..slow },
        Motion { velocity: DVec3::new(0.01, 0.0, 9.0), ..slow },
    ];
    let (mut ws, mut s, mut points) = (Workspace::new(), ContactSurface::new(), Points::new());
    let mut seen = [false; 3];
    for (a, pose_a, b, pose_b) in pairs {
        contact(a, &pose_a, b, &pose_b, Rule::Paper, &mut ws, &mut s).unwrap();
        assert!(s.faces.len() > 20);
        let (dt, quadrature) = (1e-3, Quadrature::Two);
        for (mu_s, mu_k, stiffness, chi) in
            [(0.5, 0.4, 1e5, 10.0), (0.5, 0.5, 1e4, 0.0), (0.4, 0.0, 1e5, 10.0), (0.0, 0.0, 0.0, 10.0)]
        {
            let dissipation = if chi > 0.0 { Dissipation::HuntCrossley(chi) } else { Dissipation::None };
            let law =
                BristleLaw { mu_s, mu_k, stiffness, damping: 1e-2, dissipation, quadrature, plane: None };
            let smooth = TractionLaw { dissipation, quadrature, ..TractionLaw::default() };
            let stretched = BristleState {
                shift: DVec3::new(2e-6, -1e-6, 1e-6),
                turn: DVec3::new(1e-4, 0.0, 2e-4),
                centre: DVec3::new(0.001, 0.002, -0.04),
            };
            points.fill(&s, quadrature, dissipation);
            for motion in motions.map(|m| Motion { point: s.origin, ..m }) {
                for before in [BristleState::default(), stretched] {
                    let now = points.press(&s, &pose_b, &motion, &law, dt, &before).unwrap();
                    let normal = tractions(&s, &motion, &smooth, None).normal;
                    let step = bristles(&s, &pose_b, &motion, &law, dt, &before);
                    let force = normal.force.mag().max(1e-9 * s.pressure_integral);
                    same(&now.normal, &normal, force, 0.05);
                    same(&now.friction, &step.wrench, force, 0.05);
                    assert!((now.sliding - step.sliding).abs() <= 1e-12);
                    seen[usize::from(now.sliding > 0.0) + usize::from(now.sliding >= 1.0)] = true;
                    let next = points.remember(&s, &pose_b, &motion, &law, dt, &before, now.sliding);
                    if mu_s > 0.0 {
                        let size = step.next.shift.mag() + 0.01 * step.next.turn.mag() + 1e-9;
                        assert!((next.shift - step.next.shift).mag() <= 1e-9 * size, "{next:?} {step:?}");
                        assert!((next.turn - step.next.turn).mag() * 0.01 <= 1e-9 * size);
                        assert_eq!(next.centre, step.next.centre);
                    }
                    let point = s.origin + DVec3::new(0.01, 0.0, 0.02);
                    let slope = points.slope(&s, &pose_b, &motion, &law, dt, &before, point).unwrap();
                    let one = traction_slope(&s, &motion, &smooth, point);
                    let two = bristle_slope(&s, &pose_b, &motion, &law, dt, &before, point);
                    let arm = |i: usize| if i < 3 { 1.0 } else { 0.05 };
                    let scalar = |i: usize, j: usize| (one[i][j] + two[i][j]) / (arm(i) * arm(j));
                    let all = (0..36).map(|k| (k / 6, k % 6));
                    let size = all.clone().fold(1e-9, |m: f64, (i, j)| m.max(scalar(i, j).abs()));
                    for (i, j) in all {
                        let d = slope[i][j] / (arm(i) * arm(j)) - scalar(i, j);
                        assert!(d.abs() <= 1e-11 * size, "({i}, {j}): {d:e} of {size:e}");
                    }
                }
            }
        }
    }
    assert_eq!(seen, [true; 3], "something holds, something slides in part, something slides");
    let empty = ContactSurface::new();
    points.fill(&empty, Quadrature::Two, Dissipation::None);
    let law = BristleLaw {
        mu_s: 0.5,
        mu_k: 0.5,
        stiffness: 1e5,
        damping: 0.0,
        dissipation: Dissipation::None,
        quadrature: Quadrature::Two,
        plane: None,
    };
    assert!(points.press(&empty, &here, &slow, &law, 1e-3, &BristleState::default()).is_none());
}

/// Bristles so stiff that their traction overflows slide with μ_k like others, however far they are stretched, and remember it.
#[test]
fn the_stiffest_bristles_rub() {
    let cube: Shape = fields::cuboid(DVec3::broadcast(0.1), 1e6).unwrap().into();
    let floor: Shape = HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into();
    let quadrature = Quadrature::Two;
    let mut random = Lcg(23);
    let (mut ws, mut s, mut points) = (Workspace::new(), ContactSurface::new(), Points::new());
    for stiffness in [1e5, 1e90, 1e160, 1e300, f64::INFINITY] {
        let frame = random.pose(1.0, 3.0);
        let pose = Pose::new(frame.point_to_world(DVec3::new(0.0, 0.0, 0.049)), frame.rotation);
        contact(&cube, &pose, &floor, &frame, Rule::Paper, &mut ws, &mut s).unwrap();
        points.fill(&s, quadrature, Dissipation::None);
        let law = BristleLaw {
            mu_s: 0.5,
            mu_k: 0.4,
            stiffness,
            damping: 0.0,
            dissipation: Dissipation::None,
            quadrature,
            plane: None,
        };
        let way = frame.vector_to_world(DVec3::unit_x());
        let pressed = s.wrench.force.mag();
        let mut state = [BristleState::default(); 2];
        for speed in [0.5, 0.5, 0.0] {
            let motion = Motion { velocity: way * speed, ..Motion::default() };
            let step = bristles(&s, &frame, &motion, &law, 1e-3, &state[0]);
            let now = points.press(&s, &frame, &motion, &law, 1e-3, &state[1]).unwrap();
            for friction in [step.wrench.force, now.friction.force] {
                assert!(
                    (friction + way * (0.4 * pressed)).mag() < 1e-9 * pressed,
                    "{stiffness:e}: {friction:?}"
                );
            }
            let slope = points.slope(&s, &frame, &motion, &law, 1e-3, &state[1], s.origin).unwrap();
            let scalar = bristle_slope(&s, &frame, &motion, &law, 1e-3, &state[0], s.origin);
            assert!(slope.iter().chain(&scalar).flatten().all(|k| k.is_finite()), "{stiffness:e}");
            let next = points.remember(&s, &frame, &motion, &law, 1e-3, &state[1], now.sliding);
            state = [step.next, next];
        }
    }
}
