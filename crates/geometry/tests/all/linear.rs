//! Inverse and eigenvectors of 3×3 matrices.

use impinge_geometry::{determinant, inverse, outer, power_of_two, skew, symmetric_eigen, try_normalized};
use ultraviolet::{DMat3, DVec3};

#[test]
fn inverse_and_eigen_reconstruct() {
    let a = DMat3::new(DVec3::new(4.0, 1.0, -2.0), DVec3::new(1.0, 3.0, 0.5), DVec3::new(-2.0, 0.5, 6.0));
    let i = inverse(&a).unwrap();
    let p = a * i;
    for c in 0..3 {
        for r in 0..3 {
            let want = f64::from(u8::from(c == r));
            assert!((p.cols[c][r] - want).abs() < 1e-14);
        }
    }
    let (w, v) = symmetric_eigen(&a);
    let d = DMat3::new(v.cols[0] * w[0], v.cols[1] * w[1], v.cols[2] * w[2]);
    let back = d * v.transposed();
    for c in 0..3 {
        assert!((back.cols[c] - a.cols[c]).mag() < 1e-13);
    }
    assert!(w[0] <= w[1] && w[1] <= w[2]);
    assert!((determinant(&v) - 1.0).abs() < 1e-13);
    assert!((determinant(&a) - w[0] * w[1] * w[2]).abs() < 1e-12);
}

#[test]
fn singular_and_tiny_input_is_refused_not_nan() {
    assert!(inverse(&DMat3::new(DVec3::unit_x(), DVec3::unit_x(), DVec3::unit_z())).is_none());
    assert!(try_normalized(DVec3::zero()).is_none());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for v in [
            DVec3::new(bad, 0.0, 1.0),
            DVec3::new(1.0, bad, 0.0),
            DVec3::new(0.0, -1.0, bad),
            DVec3::broadcast(bad),
        ] {
            assert!(try_normalized(v).is_none(), "{v:?}");
        }
    }
    let n = try_normalized(DVec3::new(1e-200, 0.0, 1e-200)).unwrap();
    assert!((n.mag() - 1.0).abs() < 1e-15);
}

#[test]
fn skew_is_cross() {
    let (a, b) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(-2.0, 0.5, 4.0));
    assert!((skew(a) * b - a.cross(b)).mag() < 1e-15);
    assert!((outer(a, b) * DVec3::unit_y() - a * b.y).mag() < 1e-15);
}

#[test]
fn a_power_of_two_is_within_a_factor_of_two_below() {
    let cases =
        [(1.0, 1.0), (1.99, 1.0), (-3.0, 2.0), (0.3, 0.25), (0.0, 1.0), (f64::INFINITY, 1.0), (1e-320, 1.0)];
    for (x, want) in cases {
        assert_eq!(power_of_two(x), want, "{x}");
    }
}
