//! The rotation closest to a 3×3 matrix: takes F, gives R with det R = +1 that maximises tr(RᵀF).
//!
//! For a matrix with positive determinant this is the polar rotation. For an inverted one (det F < 0) it is the
//! proper rotation for which S = RᵀF is symmetric with only its smallest singular value negative, so a spring
//! F − R pulls an inverted tet out along the shortest way.
//!
//! *Fast path, no state, no branch.* Of the sums ±σ₁±σ₂±σ₃ with an even number of signs turned, t = tr(RᵀF) is
//! the largest; they are the roots of (Horn 1987, the characteristic polynomial of his 4×4 matrix)
//!
//! ```text
//! t⁴ − 2a t² − 8d t + a² − 4b = 0,   a = |F|²,  b = |cof F|²,  d = det F
//! ```
//!
//! All roots are real, so Halley's method from √(3a) ≥ t falls on the largest one monotonically (five steps do what
//! nine of Newton's do). R = ∂t/∂F, and differentiating the quartic gives R in closed form (as in Lin, Chitalu and
//! Komura 2022):
//!
//! ```text
//! R = ((t² + a) F + 2t cof F − 2 F FᵀF) / (t³ − a t − 2d)
//! ```
//!
//! One Newton step on the rotation and one Newton–Schulz step on its orthogonality then square the error. What
//! they had to correct is measured; above 3e-8 the answer is not trusted (this happens where σ₂ + σ₃ nears 0: flat
//! into a line, or inverted with two equal singular values) and the robust path is taken.
//!
//! *Robust path*: one-sided Jacobi, which finds small singular values to their own size. Where the closest rotation
//! is not unique one of the closest is given, always the same for the same F; for a matrix of rank one the one
//! that turns least; for zero, NaN and infinity the identity.
//!
//! Tried and left: the eigenvector of Horn's matrix by cofactors (needs the best of four columns, so selects that
//! cost as much as the polish), and Müller et al. 2016 (needs a rotation stored per tet, which would be state).

use impinge_geometry::{DMat3, DVec3, try_normalized};

/// Rows of a 3×3 matrix.
pub(crate) type M3 = [[f64; 3]; 3];

/// The largest correction of the polish that still leaves an error of rounding.
const TRUSTED: f64 = 3e-8;

/// The rotation closest to `f`: the proper polar rotation, robust to inverted and degenerate matrices.
///
/// `det R = +1` always; `RᵀF` is symmetric to rounding, `ε |F|`. Where several rotations are equally close (an inverted
/// matrix whose two smallest singular values are equal, or rank one or less) one of them is chosen, always the same.
/// Zero and matrices with NaN or infinity give the identity.
///
/// ```
/// use impinge_elasticity::closest_rotation;
/// use impinge_geometry::{DMat3, DVec3};
/// let mirror = DMat3::new(DVec3::unit_x() * 3.0, DVec3::unit_y() * 2.0, -DVec3::unit_z());
/// assert!((closest_rotation(&mirror) * DVec3::unit_z() - DVec3::unit_z()).mag() < 1e-15);
/// ```
#[must_use]
pub fn closest_rotation(f: &DMat3) -> DMat3 {
    to_dmat3(&rotation(&from_dmat3(f)))
}

pub(crate) fn from_dmat3(m: &DMat3) -> M3 {
    let [a, b, c] = m.cols;
    [[a.x, b.x, c.x], [a.y, b.y, c.y], [a.z, b.z, c.z]]
}

pub(crate) fn to_dmat3(m: &M3) -> DMat3 {
    let col = |c: usize| DVec3::new(m[0][c], m[1][c], m[2][c]);
    DMat3::new(col(0), col(1), col(2))
}

/// The scalar twin: fast path, robust where that is not trusted.
pub(crate) fn rotation(f: &M3) -> M3 {
    let (r, trusted) = rotation_fast(f);
    if trusted { r } else { rotation_robust(f) }
}

#[inline(always)]
pub(crate) fn cofactor(m: &M3) -> M3 {
    let c = |r0: usize, r1: usize| {
        [
            m[r0][1] * m[r1][2] - m[r0][2] * m[r1][1],
            m[r0][2] * m[r1][0] - m[r0][0] * m[r1][2],
            m[r0][0] * m[r1][1] - m[r0][1] * m[r1][0],
        ]
    };
    [c(1, 2), c(2, 0), c(0, 1)]
}

#[inline(always)]
pub(crate) fn dot9(a: &M3, b: &M3) -> f64 {
    let row = |r: usize| a[r][0] * b[r][0] + a[r][1] * b[r][1] + a[r][2] * b[r][2];
    row(0) + row(1) + row(2)
}

/// `aᵀ b`.
#[inline(always)]
pub(crate) fn transposed_times(a: &M3, b: &M3) -> M3 {
    let e = |i: usize, j: usize| a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j];
    [[e(0, 0), e(0, 1), e(0, 2)], [e(1, 0), e(1, 1), e(1, 2)], [e(2, 0), e(2, 1), e(2, 2)]]
}

/// `a bᵀ`.
#[inline(always)]
pub(crate) fn times_transposed(a: &M3, b: &M3) -> M3 {
    let e = |i: usize, j: usize| a[i][0] * b[j][0] + a[i][1] * b[j][1] + a[i][2] * b[j][2];
    [[e(0, 0), e(0, 1), e(0, 2)], [e(1, 0), e(1, 1), e(1, 2)], [e(2, 0), e(2, 1), e(2, 2)]]
}

/// `a b`.
#[inline(always)]
pub(crate) fn times(a: &M3, b: &M3) -> M3 {
    let e = |i: usize, j: usize| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
    [[e(0, 0), e(0, 1), e(0, 2)], [e(1, 0), e(1, 1), e(1, 2)], [e(2, 0), e(2, 1), e(2, 2)]]
}

/// The fast path: straight-line maths for a lane loop. The flag says whether the result is good to rounding;
/// otherwise it may hold anything, NaN included.
#[inline(always)]
pub(crate) fn rotation_fast(f: &M3) -> (M3, bool) {
    let size2 = dot9(f, f);
    let k = 1.0 / size2.sqrt();
    let row = |r: usize| [f[r][0] * k, f[r][1] * k, f[r][2] * k];
    let n = [row(0), row(1), row(2)];
    // From here on |n| = 1, so a = 1 and t lies between 1 and √3.
    let cof = cofactor(&n);
    let d = n[0][0] * cof[0][0] + n[0][1] * cof[0][1] + n[0][2] * cof[0][2];
    let (d2, d8, e) = (2.0 * d, 8.0 * d, 1.0 - 4.0 * dot9(&cof, &cof));
    // The square root of three, the most that t can be.
    let mut t = 1.732_050_807_568_877_2;
    for _ in 0..5 {
        let t2 = t * t;
        let g = (t2 - 2.0) * t2 - d8 * t + e;
        let slope = 4.0 * ((t2 - 1.0) * t - d2);
        t -= g * slope / (slope * slope - g * (6.0 * t2 - 2.0));
    }
    let t2 = t * t;
    let inv = 1.0 / ((t2 - 1.0) * t - d2);
    let (ca, cb, cc) = ((t2 + 1.0) * inv, 2.0 * t * inv, 2.0 * inv);
    let c = transposed_times(&n, &n);
    let nc = times(&n, &c);
    let e = |i: usize, j: usize| ca * n[i][j] + cb * cof[i][j] - cc * nc[i][j];
    let r0 = [[e(0, 0), e(0, 1), e(0, 2)], [e(1, 0), e(1, 1), e(1, 2)], [e(2, 0), e(2, 1), e(2, 2)]];

    // Newton's step on the rotation: r0 (I + [w]×) makes rᵀ n symmetric to second order where (tr A − A) w is the
    // axial vector of A − Aᵀ, A = r0ᵀ n.
    let a = transposed_times(&r0, &n);
    let v = [a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]];
    let (g00, g11, g22) = (a[1][1] + a[2][2], a[0][0] + a[2][2], a[0][0] + a[1][1]);
    let (g01, g02, g12) =
        (-0.5 * (a[0][1] + a[1][0]), -0.5 * (a[0][2] + a[2][0]), -0.5 * (a[1][2] + a[2][1]));
    let (m00, m01, m02) = (g11 * g22 - g12 * g12, g02 * g12 - g01 * g22, g01 * g12 - g02 * g11);
    let (m11, m12, m22) = (g00 * g22 - g02 * g02, g01 * g02 - g00 * g12, g00 * g11 - g01 * g01);
    let inv = 1.0 / (g00 * m00 + g01 * m01 + g02 * m02);
    let w = [
        (m00 * v[0] + m01 * v[1] + m02 * v[2]) * inv,
        (m01 * v[0] + m11 * v[1] + m12 * v[2]) * inv,
        (m02 * v[0] + m12 * v[1] + m22 * v[2]) * inv,
    ];
    let turned = |r: &[f64; 3]| {
        [
            r[0] + (r[1] * w[2] - r[2] * w[1]),
            r[1] + (r[2] * w[0] - r[0] * w[2]),
            r[2] + (r[0] * w[1] - r[1] * w[0]),
        ]
    };
    let r1 = [turned(&r0[0]), turned(&r0[1]), turned(&r0[2])];

    // Newton–Schulz: r1 (3 − r1ᵀ r1)/2.
    let q = transposed_times(&r1, &r1);
    let (q00, q11, q22) = (1.5 - 0.5 * q[0][0], 1.5 - 0.5 * q[1][1], 1.5 - 0.5 * q[2][2]);
    let (q01, q02, q12) = (-0.5 * q[0][1], -0.5 * q[0][2], -0.5 * q[1][2]);
    let shaped = |r: &[f64; 3]| {
        [
            r[0] * q00 + r[1] * q01 + r[2] * q02,
            r[0] * q01 + r[1] * q11 + r[2] * q12,
            r[0] * q02 + r[1] * q12 + r[2] * q22,
        ]
    };
    let r = [shaped(&r1[0]), shaped(&r1[1]), shaped(&r1[2])];
    let moved = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    let (u0, u1, u2) = (q00 - 1.0, q11 - 1.0, q22 - 1.0);
    let bent = u0 * u0 + u1 * u1 + u2 * u2 + q01 * q01 + q02 * q02 + q12 * q12;
    // NaN fails each comparison; the sizes keep squares away from under- and overflow.
    let trusted = moved <= TRUSTED * TRUSTED && bent <= TRUSTED * TRUSTED && size2 > 1e-280 && size2 < 1e280;
    (r, trusted)
}

/// The robust path: any matrix.
#[cold]
#[inline(never)]
pub(crate) fn rotation_robust(f: &M3) -> M3 {
    const IDENTITY: M3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let largest = f.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    if !(largest > 0.0 && f.iter().flatten().all(|x| x.is_finite())) {
        return IDENTITY;
    }
    // Divided by the largest entry: its reciprocal might overflow.
    let scaled = to_dmat3(&f.map(|row| row.map(|x| x / largest)));
    let mut b = scaled.cols;
    let mut v = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()];
    // Rotates columns of b = F V until they are orthogonal; convergence is quadratic, 30 bounds the loop.
    for _ in 0..30 {
        let mut rotated = false;
        for (p, q) in [(0usize, 1usize), (0, 2), (1, 2)] {
            let (alpha, beta, gamma) = (b[p].dot(b[p]), b[q].dot(b[q]), b[p].dot(b[q]));
            if gamma.abs() <= 1e-16 * (alpha * beta).sqrt() {
                continue;
            }
            rotated = true;
            let zeta = (beta - alpha) / (2.0 * gamma);
            let t = (if zeta < 0.0 { -1.0 } else { 1.0 }) / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = t * c;
            (b[p], b[q]) = (b[p] * c - b[q] * s, b[p] * s + b[q] * c);
            (v[p], v[q]) = (v[p] * c - v[q] * s, v[p] * s + v[q] * c);
        }
        if !rotated {
            break;
        }
    }
    let mut order = [0usize, 1, 2];
    order.sort_by(|&i, &j| b[j].dot(b[j]).total_cmp(&b[i].dot(b[i])));
    // Ninety rotations of a matrix of rank one leave more rounding than one (found by a property test).
    let Some(v1) = try_normalized(v[order[0]]) else { return IDENTITY };
    let v2 = v[order[1]];
    let Some(v2) = try_normalized(v2 - v1 * v1.dot(v2)) else { return IDENTITY };
    let Some(u1) = try_normalized(b[order[0]]) else { return IDENTITY };
    let b2 = b[order[1]];
    let u2 = try_normalized(b2 - u1 * u1.dot(b2)).or_else(|| {
        // Rank one: v2 carried along by the smallest rotation from v1 to u1.
        let cosine = v1.dot(u1);
        let carried = if cosine > -0.999 { v2 - (v1 + u1) * (u1.dot(v2) / (1.0 + cosine)) } else { v2 };
        try_normalized(carried - u1 * u1.dot(carried))
    });
    let Some(u2) = u2 else { return IDENTITY };
    // Cleans what cancellation left in u2 when b2 was short, and closes both frames to right-handed ones.
    let u2 = try_normalized(u2 - u1 * u1.dot(u2)).unwrap_or(u2);
    let (u3, v3) = (u1.cross(u2), v1.cross(v2));
    let e = |i: usize, j: usize| u1[i] * v1[j] + u2[i] * v2[j] + u3[i] * v3[j];
    [[e(0, 0), e(0, 1), e(0, 2)], [e(1, 0), e(1, 1), e(1, 2)], [e(2, 0), e(2, 1), e(2, 2)]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_often_the_fast_path_is_trusted() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut count = |spread: f64| {
            let mut trusted = 0;
            for _ in 0..20_000 {
                let mut f = [[0.0; 3]; 3];
                for (i, row) in f.iter_mut().enumerate() {
                    for (j, x) in row.iter_mut().enumerate() {
                        *x = f64::from(u8::from(i == j)) + spread * next();
                    }
                }
                trusted += usize::from(rotation_fast(&f).1);
            }
            trusted as f64 / 20_000.0
        };
        // Strains of 30 % and 60 % never need the robust path; matrices of pure noise seldom do.
        assert_eq!(count(0.3), 1.0);
        assert_eq!(count(0.6), 1.0);
        assert!(count(100.0) > 0.98);
    }
}
