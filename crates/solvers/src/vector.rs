//! Vectors of blocks: sums in the fixed order of `impinge_contact::sums`, and the three updates solvers need.

use impinge_contact::sums::ordered_sum;
use impinge_geometry::DVec3;

/// `a · b`, in fixed blocks.
pub(crate) fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    ordered_sum(a.len(), |i| a[i].dot(b[i]))
}

/// `‖a‖`.
pub(crate) fn norm(a: &[DVec3]) -> f64 {
    dot(a, a).sqrt()
}

/// `y += s x`.
pub(crate) fn add_scaled(y: &mut [DVec3], s: f64, x: &[DVec3]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += *x * s;
    }
}

/// `y = x + s y`.
pub(crate) fn scale_and_add(y: &mut [DVec3], s: f64, x: &[DVec3]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = *x + *y * s;
    }
}

/// Empties and refills with zeros; allocates only when it grows.
pub(crate) fn reset(v: &mut Vec<DVec3>, n: usize) {
    v.clear();
    v.resize(n, DVec3::zero());
}
