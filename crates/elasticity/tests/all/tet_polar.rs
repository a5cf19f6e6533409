//! The closest rotation: its defining properties on random, singular, inverted, huge and tiny matrices.

use impinge_elasticity::closest_rotation;
use impinge_geometry::{DMat3, DVec3, determinant, rotor_from_rotation_vector, sub, symmetric_eigen, trace};
use proptest::prelude::*;

fn norm(m: &DMat3) -> f64 {
    m.cols.iter().map(|c| c.mag_sq()).sum::<f64>().sqrt()
}

/// |RᵀR − 1|, det R − 1, |skew(RᵀF)| and the least sum of two eigenvalues of RᵀF: all that makes R the closest.
fn check(f: &DMat3) {
    let r = closest_rotation(f);
    let one = DMat3::identity();
    assert!(norm(&sub(&(r.transposed() * r), &one)) < 4e-15, "{f:?}: not orthogonal: {r:?}");
    assert!((determinant(&r) - 1.0).abs() < 4e-15, "{f:?}: det {}", determinant(&r));
    let s = r.transposed() * *f;
    let size = norm(f);
    let skew = norm(&sub(&s, &s.transposed()));
    assert!(skew <= 1e-13 * size, "{f:?}: not symmetric: {:e}", skew / size);
    // tr(S) is largest where the two smallest eigenvalues have a sum that is not negative.
    let (e, _) = symmetric_eigen(&s);
    assert!(e[0] + e[1] >= -1e-13 * size, "{f:?}: not the closest: {e:?}");
}

fn vector() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn matrix() -> impl Strategy<Value = DMat3> {
    (vector(), vector(), vector()).prop_map(|(a, b, c)| DMat3::new(a, b, c))
}

/// U diag(σ) Vᵀ with σ from a list that makes every kind of degenerate matrix.
fn degenerate() -> impl Strategy<Value = DMat3> {
    let value =
        prop::sample::select(vec![0.0, 1.0, -1.0, 1e-3, -1e-3, 1e-8, -1e-8, 1e-16, 0.5, 2.0, 1e-160, 1e8]);
    (prop::collection::vec(value, 3), vector(), vector()).prop_map(|(s, u, v)| {
        let m = |w: DVec3| rotor_from_rotation_vector(w * 6.0).into_matrix();
        let d = DMat3::new(DVec3::unit_x() * s[0], DVec3::unit_y() * s[1], DVec3::unit_z() * s[2]);
        m(u) * d * m(v).transposed()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_noise(f in matrix()) {
        check(&f);
    }

    #[test]
    fn of_singular_and_inverted_matrices(f in degenerate()) {
        check(&f);
    }

    #[test]
    fn of_any_scale(f in matrix(), exponent in -150i32..150) {
        check(&(f * 10f64.powi(exponent)));
    }

    /// R(Q F) = Q R(F), and F = R(F) S gives back the rotation it was made with.
    #[test]
    fn turns_with_the_matrix(f in matrix(), w in vector()) {
        let q = rotor_from_rotation_vector(w * 3.0).into_matrix();
        let s = closest_rotation(&f).transposed() * f;
        let (e, _) = symmetric_eigen(&s);
        // Where it is unique, and in proportion to how clearly.
        let gap = (e[0] + e[1]) / norm(&f);
        prop_assume!(gap > 1e-6);
        let difference = sub(&closest_rotation(&(q * f)), &(q * closest_rotation(&f)));
        prop_assert!(norm(&difference) < 1e-14 / gap, "{difference:?}");
    }

    /// No other rotation is closer.
    #[test]
    fn beats_random_rotations(f in matrix(), w in vector()) {
        let q = rotor_from_rotation_vector(w * 3.2).into_matrix();
        prop_assert!(trace(&(closest_rotation(&f).transposed() * f)) >= trace(&(q.transposed() * f)) - 1e-14);
    }
}

/// Rank one but for rounding: many Jacobi rotations, whose own rounding once showed.
#[test]
fn of_a_matrix_that_takes_many_rotations() {
    check(&DMat3::new(
        DVec3::new(29243115.00958381, -67601728.03023393, -52613058.3958778),
        DVec3::new(-4162787.4677304826, 9623174.382732296, 7489522.568051877),
        DVec3::new(13086008.271654433, -30251113.542602934, -23543830.657773264),
    ));
}

#[test]
fn of_what_is_no_deformation() {
    let one = DMat3::identity();
    for bad in [0.0, f64::NAN, f64::INFINITY] {
        let mut f = one * 0.0;
        f.cols[1].z = bad;
        assert_eq!(closest_rotation(&f), one, "{bad}");
    }
    check(&(one * f64::MIN_POSITIVE));
    assert_eq!(closest_rotation(&(one * f64::from_bits(1))), one);
    // Rank one: the smallest rotation from x to y, a quarter turn about z.
    let f = DMat3::new(DVec3::unit_y(), DVec3::zero(), DVec3::zero());
    let r = closest_rotation(&f);
    assert!(
        (r * DVec3::unit_z() - DVec3::unit_z()).mag() < 1e-15
            && (r * DVec3::unit_x() - DVec3::unit_y()).mag() < 1e-15
    );
}

/// Along a path through flat (det F = 0) the rotation does not jump: what turns an inverted tet back is steady.
#[test]
fn is_continuous_through_inversion() {
    let mut last = None;
    for k in 0..=400 {
        let z = 1.0 - 0.00375 * f64::from(k);
        let f = DMat3::new(DVec3::new(1.1, 0.1, 0.0), DVec3::new(0.2, 0.95, 0.0), DVec3::new(0.3, -0.1, z));
        let r = closest_rotation(&f);
        check(&f);
        if let Some(last) = last {
            assert!(norm(&sub(&r, &last)) < 0.02, "jumps at z = {z}");
        }
        last = Some(r);
    }
}
