//! Eigenvalues and eigenvectors of a symmetric 3×3 matrix as straight-line maths for a lane loop.

use crate::polar::M3;

/// Eigenvalues and right-handed orthonormal eigenvectors (columns) of the symmetric matrix with the rows
/// a₀₀ a₀₁ a₀₂ a₁₁ a₁₂ a₂₂, without a loop and with one branch per select.
///
/// As in Eberly's "A robust eigensolver for 3×3 symmetric matrices" (2014): of three real roots at least one lies apart
/// from the two others; its eigenvector is a cross product that cannot vanish, and what is left is a 2×2 problem in the plane
/// across it, solved by one Jacobi rotation. The root comes from Halley's method instead of a cosine. Residuals are of
/// the order ε|a|, equal eigenvalues included. (Tried before it: four sweeps of Jacobi, as exact and four times the work.)
#[inline(always)]
pub(super) fn eigen(a: [f64; 6]) -> ([f64; 3], M3) {
    // B = (a − q)/p, |B|² = 6, so that its eigenvalues are 2 cos of something: roots of y³ − 3y − 2h.
    let q = (a[0] + a[3] + a[5]) / 3.0;
    let (d0, d1, d2) = (a[0] - q, a[3] - q, a[5] - q);
    let p2 = (d0 * d0 + d1 * d1 + d2 * d2 + 2.0 * (a[1] * a[1] + a[2] * a[2] + a[4] * a[4])) / 6.0;
    let ip = reciprocal_sqrt(p2 + 1e-290);
    let (b00, b11, b22) = (d0 * ip, d1 * ip, d2 * ip);
    let (b01, b02, b12) = (a[1] * ip, a[2] * ip, a[4] * ip);
    let h =
        0.5 * (b00 * (b11 * b22 - b12 * b12) - b01 * (b01 * b22 - b12 * b02) + b02 * (b01 * b12 - b11 * b02));
    // The root of larger size, apart from the others by √3 at least: positive for h ≥ 0, mirrored for h < 0.
    let size = h.abs();
    let mut y = 1.732_050_807_568_877_2 + 0.267_949_192_431_122_7 * size;
    for _ in 0..2 {
        let y2 = y * y;
        let (g, slope) = ((y2 - 3.0) * y - 2.0 * size, 3.0 * y2 - 3.0);
        y -= g * slope / (slope * slope - g * (3.0 * y));
    }
    let y = if h < 0.0 { -y } else { y };

    // Its eigenvector: the longest cross product of two rows of B − y.
    let (r0, r1, r2) = ([b00 - y, b01, b02], [b01, b11 - y, b12], [b02, b12, b22 - y]);
    let (c0, c1, c2) = (cross(&r0, &r1), cross(&r0, &r2), cross(&r1, &r2));
    let (n0, n1, n2) = (dot(&c0, &c0), dot(&c1, &c1), dot(&c2, &c2));
    let first = n0 > n1;
    let (c, n) = (select(first, &c0, &c1), if first { n0 } else { n1 });
    let second = n > n2;
    let (c, n) = (select(second, &c, &c2), if second { n } else { n2 });
    let s = reciprocal_sqrt(n);
    let w = [c[0] * s, c[1] * s, c[2] * s];

    // Two axes across it (Duff et al. 2017), and the matrix in their plane.
    let sign = if w[2] < 0.0 { -1.0 } else { 1.0 };
    let m = -1.0 / (sign + w[2]);
    let k = w[0] * w[1] * m;
    let u = [1.0 + sign * w[0] * w[0] * m, sign * k, -sign * w[0]];
    let v = [k, sign + w[1] * w[1] * m, -w[1]];
    let apply = |x: &[f64; 3]| {
        [
            a[0] * x[0] + a[1] * x[1] + a[2] * x[2],
            a[1] * x[0] + a[3] * x[1] + a[4] * x[2],
            a[2] * x[0] + a[4] * x[1] + a[5] * x[2],
        ]
    };
    let (au, av) = (apply(&u), apply(&v));
    let (uu, uv, vv) = (dot(&u, &au), dot(&u, &av), dot(&v, &av));

    // Jacobi's rotation by the smaller angle: with d = vv − uu and r = √(d² + 4 uv²), c² = (1 + |d|/r)/2, s c = ± uv/r.
    let (d, two) = (vv - uu, 2.0 * uv);
    let r2 = d * d + two * two;
    let none = r2 < 1e-280;
    let (d, two, r2) =
        (if none { 1.0 } else { d }, if none { 0.0 } else { two }, if none { 1.0 } else { r2 });
    let ir = reciprocal_sqrt(r2);
    let c2 = 0.5 + 0.5 * d.abs() * ir;
    let ic = reciprocal_sqrt(c2);
    let s = 0.5 * (if d < 0.0 { -two } else { two }) * ir * ic;
    let (c, t) = (c2 * ic, s * ic);
    let e = |i: usize| [c * u[i] - s * v[i], s * u[i] + c * v[i], w[i]];
    ([uu - t * uv, vv + t * uv, q + y / ip], [e(0), e(1), e(2)])
}

/// 1/√x for positive normal x, to 2 ulp: the bit trick and four Newton steps, in vectors quicker than √ and ÷. NaN, with either sign bit, stays NaN.
#[inline(always)]
fn reciprocal_sqrt(x: f64) -> f64 {
    let half = 0.5 * x;
    let mut y = f64::from_bits(0x5fe6_eb50_c7b5_37a9_u64.wrapping_sub(x.to_bits() >> 1));
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    y * (1.5 - half * y * y)
}

#[inline(always)]
fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn select(first: bool, a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    let e = |k: usize| if first { a[k] } else { b[k] };
    [e(0), e(1), e(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// |a − w diag(s) wᵀ| + |wᵀw − 1| for rows of the symmetric matrix.
    fn residual(a: &[f64; 6]) -> f64 {
        let (s, w) = eigen(*a);
        let full = [[a[0], a[1], a[2]], [a[1], a[3], a[4]], [a[2], a[4], a[5]]];
        let mut worst: f64 = 0.0;
        for i in 0..3 {
            for j in 0..3 {
                let back: f64 = (0..3).map(|k| w[i][k] * s[k] * w[j][k]).sum();
                let unit: f64 = (0..3).map(|k| w[k][i] * w[k][j]).sum();
                worst = worst.max((back - full[i][j]).abs());
                worst = worst.max((unit - f64::from(u8::from(i == j))).abs());
            }
        }
        // NaN would pass a maximum.
        assert!(s.iter().all(|x| x.is_finite()), "{a:?} gives {s:?}");
        worst
    }

    #[test]
    fn eigenvalues_of_any_symmetric_matrix() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        // Noise of every size around the zero matrix, the identity, and matrices with two equal eigenvalues.
        let centres = [
            [0.0; 6],
            [1.0, 0.0, 0.0, 1.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 1.0, 0.0, -1.0],
            [0.0, 1.0, 1.0, 0.0, 1.0, 0.0],
        ];
        let mut worst: f64 = 0.0;
        for k in 0..40_000 {
            let noise = [1.0, 1e-3, 1e-7, 1e-12, 1e-15, 1e-17, 0.0][k % 7];
            let mut a = centres[k % 4];
            a.iter_mut().for_each(|x| *x += noise * next());
            worst = worst.max(residual(&a));
        }
        assert!(worst < 4e-15, "{worst}");
    }
}
