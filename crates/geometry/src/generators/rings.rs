//! The disc of rings: a middle vertex and `n` circles of 6, 12, 18 … vertices, six sectors of near-equal triangles.
//!
//! Ring `m` holds 6m vertices, the first on +x; sector `s` runs from vertex `s·m` to `(s + 1)·m`.

use super::check::circle_point;

/// The number of vertex `j` on ring `m`.
pub(super) fn index(m: u32, j: u32) -> u32 {
    if m == 0 { 0 } else { 1 + 3 * m * (m - 1) + j % (6 * m) }
}

#[cfg(feature = "tets")]
/// How many vertices a disc of `n` rings has.
pub(super) fn count(n: u32) -> u32 {
    1 + 3 * n * (n + 1)
}

/// The vertices of the unit disc, in order of their numbers.
pub(super) fn points(n: u32) -> impl Iterator<Item = [f64; 2]> {
    let ring = move |m: u32| {
        let r = f64::from(m) / f64::from(n);
        (0..6 * m).map(move |j| circle_point(j, 6 * m).map(|x| r * x))
    };
    std::iter::once([0.0; 2]).chain((1..=n).flat_map(ring))
}

/// The 6n² triangles, counter-clockwise, ring by ring.
pub(super) fn triangles(n: u32) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(6 * (n as usize) * (n as usize));
    for m in 1..=n {
        for s in 0..6 {
            let (inner, outer) = (s * (m - 1), s * m);
            for c in 0..m {
                triangles.push([index(m - 1, inner + c), index(m, outer + c), index(m, outer + c + 1)]);
                if c + 1 < m {
                    let next = index(m - 1, inner + c + 1);
                    triangles.push([index(m - 1, inner + c), index(m, outer + c + 1), next]);
                }
            }
        }
    }
    triangles
}
