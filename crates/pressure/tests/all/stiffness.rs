//! The analytic stiffness against central differences: the reference file's, and our own on every kind of pair.
// A NaN fails like a number that is too large.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use crate::support::{drake_shape, numbers, pose, read, shared};
use impinge_geometry::{DVec3, Pose};
use impinge_pressure::{
    BristleLaw, BristleState, ContactSurface, Coulomb, Dissipation, Motion, Quadrature, Rule, TractionLaw,
    Workspace, Wrench, bristle_slope, bristles, contact, fields, stiffness, traction_slope, tractions,
};

#[test]
fn stiffness_meets_the_reference_differences() {
    let Some(dir) = shared("the reference contacts") else { return };
    let file = read(dir.join("drake/reference_contact.json"));
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    let (mut checked, mut problems) = (0, Vec::new());
    for case in file["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let gradient = &case["gradient_wrt_pose_of_B"];
        let removed = case["without_filter_numpy"]["polygons_removed_by_filter"].as_u64();
        if gradient.is_null() || removed != Some(0) {
            continue;
        }
        let (a, b) = (drake_shape(&file, &case["A"]), drake_shape(&file, &case["B"]));
        let (pa, pb) = (pose(&case["X_WA"]), pose(&case["X_WB"]));
        contact(&a, &pa, &b, &pb, Rule::Paper, &mut ws, &mut out).unwrap();
        let k = stiffness(&out, DVec3::zero(), pb.position);
        for (first, key) in [(0, "fd_dforce_on_A"), (3, "fd_dmoment_on_A")] {
            let (mut off, mut size) = (0.0f64, 0.0f64);
            for r in 0..3 {
                for (c, want) in numbers(&gradient[key][r]).into_iter().enumerate() {
                    off = off.max((k[first + r][c] - want).abs());
                    size = size.max(want.abs());
                }
            }
            if !(off <= 1e-6 * size) {
                problems.push(format!("{name} {key}: off by {:e} of {size:e}", off / size));
            }
        }
        checked += 1;
    }
    println!("{checked} cases");
    assert!(checked >= 10);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Central differences of a wrench by the six parts of a motion against a slope.
fn slope_error(at: &Motion, slope: &[[f64; 6]; 6], wrench: impl Fn(&Motion) -> Wrench) -> f64 {
    let h = 1e-6;
    let (mut off, mut size) = (0.0f64, 0.0f64);
    for c in 0..6 {
        let moved = |s: f64| {
            let mut m = *at;
            let part = if c < 3 { &mut m.velocity } else { &mut m.spin };
            part[c % 3] += s;
            wrench(&m).about(at.point)
        };
        let (plus, minus) = (moved(h), moved(-h));
        for r in 0..3 {
            for (row, d) in [(r, plus.force[r] - minus.force[r]), (3 + r, plus.torque[r] - minus.torque[r])] {
                off = off.max((slope[row][c] - d / (2.0 * h)).abs());
                size = size.max(slope[row][c].abs());
            }
        }
    }
    off / size
}

#[test]
fn slopes_by_the_motion_meet_differences() {
    let a = fields::sphere(0.05, 0.025, 1e6).unwrap().into();
    let b = fields::cuboid(DVec3::new(0.2, 0.2, 0.1), 2e6).unwrap().into();
    let (pa, pb) = (Pose::from_position(DVec3::new(0.01, 0.02, 0.092)), Pose::identity());
    let (mut ws, mut s) = (Workspace::new(), ContactSurface::new());
    contact(&a, &pa, &b, &pb, Rule::Paper, &mut ws, &mut s).unwrap();
    let motion = Motion {
        velocity: DVec3::new(0.02, -0.01, -0.03),
        spin: DVec3::new(0.2, 0.1, -0.4),
        point: DVec3::new(0.03, -0.01, 0.04),
    };
    let quadrature = Quadrature::Two;
    for dissipation in [Dissipation::None, Dissipation::HuntCrossley(3.0), Dissipation::ExtentOfA(0.1)] {
        let friction = Coulomb { mu_s: 0.5, mu_k: 0.5, stribeck: 0.0, regularisation: 1e-2 };
        let law = TractionLaw { dissipation, friction, quadrature };
        let slope = traction_slope(&s, &motion, &law, motion.point);
        let off = slope_error(&motion, &slope, |m| tractions(&s, m, &law, None).total());
        println!("tractions, {dissipation:?}: {off:.1e}");
        assert!(off < 1e-7);
    }
    for (mu, name, dissipation) in [
        (10.0, "held", Dissipation::None),
        (0.1, "sliding", Dissipation::None),
        (0.1, "sliding, damped", Dissipation::HuntCrossley(3.0)),
    ] {
        let stiffness = 1e4;
        let law =
            BristleLaw { mu_s: mu, mu_k: mu, stiffness, damping: 1e-3, dissipation, quadrature, plane: None };
        let before = BristleState {
            shift: DVec3::new(1e-5, 2e-5, 0.0),
            turn: DVec3::new(0.0, 0.0, 1e-4),
            centre: DVec3::new(0.009, 0.02, 0.045),
        };
        let slope = bristle_slope(&s, &pb, &motion, &law, 1e-3, &before, motion.point);
        let step = |m: &Motion| bristles(&s, &pb, m, &law, 1e-3, &before);
        let off = slope_error(&motion, &slope, |m| step(m).wrench);
        println!("bristles, {name}: {off:.1e}, sliding {}", step(&motion).sliding);
        assert!(off < 1e-6 && step(&motion).sliding == if mu > 1.0 { 0.0 } else { 1.0 });
    }
}
