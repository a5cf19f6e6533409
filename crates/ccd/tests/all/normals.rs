//! Continuous normals against the defining cross products, sampled densely, and against the oracle file.

use impinge_ccd::{
    Kind, accelerated_length_squared_coefficients, accelerated_normal_coefficients, length_squared_at,
    length_squared_coefficients, normal_at, normal_coefficients, normal_coefficients_into, rms_length,
    unit_normal_at,
};
use impinge_geometry::DVec3;
use proptest::prelude::*;

fn defined(kind: Kind, x: &[DVec3; 4]) -> DVec3 {
    match kind {
        Kind::VertexFace => (x[2] - x[1]).cross(x[3] - x[1]),
        Kind::EdgeEdge => (x[1] - x[0]).cross(x[3] - x[2]),
    }
}

fn point() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-2.0..2.0f64).prop_map(DVec3::from)
}

fn four() -> impl Strategy<Value = [DVec3; 4]> {
    prop::array::uniform4(point())
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::VertexFace), Just(Kind::EdgeEdge)]
}

proptest! {
    /// Theorems 1 and 2: both polynomials at 41 instants.
    #[test]
    fn polynomials_are_the_cross_product((kind, x0, x1) in (kinds(), four(), four())) {
        let n = normal_coefficients(kind, &x0, &x1);
        let l = length_squared_coefficients(&n);
        for i in 0..=40 {
            let t = f64::from(i) / 40.0;
            let x: [DVec3; 4] = std::array::from_fn(|k| x0[k] * (1.0 - t) + x1[k] * t);
            let m = defined(kind, &x);
            prop_assert!((normal_at(&n, t) - m).mag() < 1e-13);
            prop_assert!((length_squared_at(&l, t) - m.mag_sq()).abs() < 1e-11);
            if m.mag() > 1e-3 {
                prop_assert!((unit_normal_at(&n, t).unwrap() - m.normalized()).mag() < 1e-10);
            }
        }
    }

    /// ERRATA C8: L_k² is the mean of |m|² over the step (Simpson's rule on 50 pieces has error far below 1e-9).
    #[test]
    fn rms_length_is_the_root_mean_square((kind, x0, x1) in (kinds(), four(), four())) {
        let n = normal_coefficients(kind, &x0, &x1);
        let lk = rms_length(&length_squared_coefficients(&n));
        let f = |i: i32| normal_at(&n, f64::from(i) / 100.0).mag_sq();
        let mean: f64 = (0..50).map(|i| (f(2 * i) + 4.0 * f(2 * i + 1) + f(2 * i + 2)) / 300.0).sum();
        prop_assert!((lk * lk - mean).abs() < 1e-5 * (1.0 + mean));
        prop_assert!(lk * lk > mean - 1e-5 * (1.0 + mean));
    }

    /// Degree 4 and 8 on quadratic paths.
    #[test]
    fn accelerated_normals((kind, b) in (kinds(), prop::array::uniform3(four()))) {
        let n = accelerated_normal_coefficients(kind, &b);
        let l = accelerated_length_squared_coefficients(&n);
        let basis = |k: usize, c: &[f64], t: f64| -> f64 {
            c[k] * t.powi(k as i32) * (1.0 - t).powi((c.len() - 1 - k) as i32)
        };
        let (c4, c8) = ([1.0, 4.0, 6.0, 4.0, 1.0], [1.0, 8.0, 28.0, 56.0, 70.0, 56.0, 28.0, 8.0, 1.0]);
        for i in 0..=20 {
            let t = f64::from(i) / 20.0;
            let s = 1.0 - t;
            let x: [DVec3; 4] =
                std::array::from_fn(|k| b[0][k] * (s * s) + b[1][k] * (2.0 * s * t) + b[2][k] * (t * t));
            let m = defined(kind, &x);
            let got = (0..5).fold(DVec3::zero(), |a, k| a + n[k] * basis(k, &c4, t));
            prop_assert!((got - m).mag() < 1e-12);
            let got: f64 = (0..9).map(|k| l[k] * basis(k, &c8, t)).sum();
            prop_assert!((got - m.mag_sq()).abs() < 1e-10 * (1.0 + m.mag_sq()));
        }
    }
}

/// By hand: the triangle (0,0,0) (1,0,0) (0,1,0) turns its side c into (0,0,1): m = (0,−t,1−t), |m|² = 1−2t+2t²,
/// mean 2/3.
#[test]
fn a_turning_triangle_by_hand() {
    let (o, x, y, z) = (DVec3::zero(), DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
    let n = normal_coefficients(Kind::VertexFace, &[z, o, x, y], &[z, o, x, z]);
    assert_eq!(n, [z, (z - y) * 0.5, -y]);
    let l = length_squared_coefficients(&n);
    assert_eq!(l, [1.0, 0.5, 1.0 / 3.0, 0.5, 1.0]);
    assert!((rms_length(&l) - (2.0f64 / 3.0).sqrt()).abs() < 1e-15);
    // ERRATA C7: the paper's sign, (b−a)×(d−c).
    assert_eq!(normal_coefficients(Kind::EdgeEdge, &[o, x, o, y], &[o, x, o, y])[1], z);
    // |m|² = 1 − 2t + 2t².
    assert!((length_squared_at(&l, 0.25) - 0.625).abs() < 1e-15);
    assert_eq!(unit_normal_at(&[o; 3], 0.5), None);
    assert_eq!(unit_normal_at(&[DVec3::new(0.0, f64::NAN, 1.0); 3], 0.5), None);
    let mut out = [[o; 3]; 2];
    normal_coefficients_into(Kind::VertexFace, &[z, o, x, y], &[z, o, x, z], &[[0, 1, 2, 3]], &mut out);
    assert_eq!(out, [n, [o; 3]]);
}
