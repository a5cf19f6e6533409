//! The 3×3 operations ultraviolet's `DMat3` lacks, written without `mul_add`.
//!
//! ultraviolet's own `determinant` and `inversed` go through scalar `mul_add`, which is a library call on
//! targets without FMA (9 ns against 1 ns measured) and gives other bits on other targets. Kernels that
//! promise the same bits everywhere use these instead.

use ultraviolet::{DMat3, DVec3};

/// No component is NaN or infinite.
#[must_use]
pub fn is_finite(v: DVec3) -> bool {
    v.x.is_finite() && v.y.is_finite() && v.z.is_finite()
}

/// The largest number that is taken for a place (m), a velocity (m/s, rad/s), a force (N), a mass (kg) or a time (s). A product of five, as the
/// energy `m v²` of what a force drove, is still a number, and so are sums of many.
pub const LARGEST: f64 = 1e60;

/// No component is NaN or beyond [`LARGEST`].
#[must_use]
pub fn is_bounded(v: DVec3) -> bool {
    v.x.abs() <= LARGEST && v.y.abs() <= LARGEST && v.z.abs() <= LARGEST
}

/// `a + b`, column by column.
#[must_use]
pub fn add(a: &DMat3, b: &DMat3) -> DMat3 {
    DMat3::new(a.cols[0] + b.cols[0], a.cols[1] + b.cols[1], a.cols[2] + b.cols[2])
}

/// `a − b`, column by column.
#[must_use]
pub fn sub(a: &DMat3, b: &DMat3) -> DMat3 {
    DMat3::new(a.cols[0] - b.cols[0], a.cols[1] - b.cols[1], a.cols[2] - b.cols[2])
}

/// `s a`.
#[must_use]
pub fn scale(a: &DMat3, s: f64) -> DMat3 {
    DMat3::new(a.cols[0] * s, a.cols[1] * s, a.cols[2] * s)
}

/// The outer product `a bᵀ`.
#[must_use]
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::new(a * b.x, a * b.y, a * b.z)
}

/// The matrix `[a]×` with `[a]× b = a × b`.
#[must_use]
pub fn skew(a: DVec3) -> DMat3 {
    DMat3::new(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

/// The matrix with these on the diagonal.
#[must_use]
pub fn diagonal(v: DVec3) -> DMat3 {
    DMat3::new(DVec3::new(v.x, 0.0, 0.0), DVec3::new(0.0, v.y, 0.0), DVec3::new(0.0, 0.0, v.z))
}

/// The sum of the diagonal.
#[must_use]
pub fn trace(a: &DMat3) -> f64 {
    a.cols[0].x + a.cols[1].y + a.cols[2].z
}

/// The determinant as a triple product.
#[must_use]
pub fn determinant(a: &DMat3) -> f64 {
    a.cols[0].dot(a.cols[1].cross(a.cols[2]))
}

/// The inverse by cofactors; `None` when the determinant is zero or not finite.
#[must_use]
pub fn inverse(a: &DMat3) -> Option<DMat3> {
    let [x, y, z] = a.cols;
    let (r0, r1, r2) = (y.cross(z), z.cross(x), x.cross(y));
    let d = x.dot(r0);
    if d == 0.0 || !d.is_finite() {
        return None;
    }
    Some(DMat3::new(r0 / d, r1 / d, r2 / d).transposed())
}

/// Two unit tangents to a unit normal, the same for the same normal.
#[must_use]
pub fn tangents(normal: DVec3) -> [DVec3; 2] {
    // The axis least along n: its cross product is never shorter than √⅔.
    let [ax, ay, az] = [normal.x.abs(), normal.y.abs(), normal.z.abs()];
    let axis = if ax <= ay && ax <= az {
        DVec3::unit_x()
    } else if ay <= az {
        DVec3::unit_y()
    } else {
        DVec3::unit_z()
    };
    let t = normal.cross(axis);
    let size = t.mag();
    let t = if size > 0.0 { t / size } else { DVec3::unit_x() };
    [t, normal.cross(t)]
}

/// `v / |v|`, or `None` where the length is zero, subnormal or not finite (a component is NaN or infinite).
///
/// The vector is scaled by its largest component first, so lengths whose square would under- or overflow
/// still normalise.
#[must_use]
pub fn try_normalized(v: DVec3) -> Option<DVec3> {
    let m = v.x.abs().max(v.y.abs()).max(v.z.abs());
    // `f64::max` passes over NaN, so each component is asked.
    if !(is_finite(v) && m >= f64::MIN_POSITIVE) {
        return None;
    }
    let w = DVec3::new(v.x / m, v.y / m, v.z / m);
    Some(w / w.mag())
}

/// Eigenvalues (ascending) and orthonormal right-handed eigenvectors (columns) of a symmetric matrix, by
/// cyclic Jacobi rotations; only the upper triangle is read.
#[must_use]
pub fn symmetric_eigen(a: &DMat3) -> ([f64; 3], DMat3) {
    let mut m = [
        [a.cols[0].x, a.cols[1].x, a.cols[2].x],
        [a.cols[1].x, a.cols[1].y, a.cols[2].y],
        [a.cols[2].x, a.cols[2].y, a.cols[2].z],
    ];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    // Convergence is quadratic: five sweeps reach rounding; sixteen bound the loop for any input.
    for _ in 0..16 {
        let off = m[0][1] * m[0][1] + m[0][2] * m[0][2] + m[1][2] * m[1][2];
        if off == 0.0 || !off.is_finite() {
            break;
        }
        for (p, q) in [(0usize, 1usize), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..3 {
                let (kp, kq) = (m[k][p], m[k][q]);
                m[k][p] = c * kp - s * kq;
                m[k][q] = s * kp + c * kq;
            }
            for k in 0..3 {
                let (pk, qk) = (m[p][k], m[q][k]);
                m[p][k] = c * pk - s * qk;
                m[q][k] = s * pk + c * qk;
            }
            m[p][q] = 0.0;
            m[q][p] = 0.0;
            for row in &mut v {
                let (kp, kq) = (row[p], row[q]);
                row[p] = c * kp - s * kq;
                row[q] = s * kp + c * kq;
            }
        }
    }
    let mut order = [0usize, 1, 2];
    order.sort_by(|&i, &j| m[i][i].total_cmp(&m[j][j]));
    let col = |i: usize| DVec3::new(v[0][i], v[1][i], v[2][i]);
    let (e0, e1) = (col(order[0]), col(order[1]));
    ([m[order[0]][order[0]], m[order[1]][order[1]], m[order[2]][order[2]]], DMat3::new(e0, e1, e0.cross(e1)))
}

/// The largest power of two that is not above `|x|`, and 1 for what is none (0, too small for a normal number, not finite). What is multiplied
/// or divided by it keeps its digits.
#[must_use]
pub fn power_of_two(x: f64) -> f64 {
    if x.is_normal() { f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000) } else { 1.0 }
}
