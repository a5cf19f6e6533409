//! Triangles between the vertices of one loop.
//!
//! Takes the positions around the loop, gives triangles of places along it. The triangulation of least weight is found
//! by dynamic programming over all of them (Barequet and Sharir 1995, "Filling gaps in the boundary of a polyhedron"),
//! with area plus a little for long sides as the weight: least area keeps the patch from folding over, the sides
//! choose between patches of equal area; a triangle without height, which area would favour, costs its sides many
//! times over. That is cubic in the length; long loops are filled by cutting off the corner
//! with the shortest new side, again and again.

use impinge_geometry::{DVec3, triangle_area};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// The longest loop for which all triangulations are weighed: about half a second.
const LONGEST: usize = 500;

/// The share of squared sides in the weight.
const SIDES: f64 = 0.02;

/// Squared sides of a triangle flatter than [`FLAT`] count this many times more.
const PENALTY: f64 = 100.0;

/// Area per sum of squared sides; the regular triangle has 0.144.
const FLAT: f64 = 2e-3;

/// Triangles of ascending indices into `rim`, running along it in its own direction; `None` when every way needs a
/// side that `forbidden` refuses or a triangle that is `banned`.
pub(super) fn triangulate(
    rim: &[DVec3],
    forbidden: impl Fn(usize, usize) -> bool,
    banned: &BTreeSet<[usize; 3]>,
) -> Option<Vec<[usize; 3]>> {
    match rim.len() {
        0..3 => None,
        3 => Some(vec![[0, 1, 2]]),
        n if n <= LONGEST => least_weight(rim, forbidden, banned),
        _ => cut_corners(rim, forbidden, banned),
    }
}

fn weight(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let area = triangle_area([a, b, c]);
    let squares = (b - a).mag_sq() + (c - b).mag_sq() + (a - c).mag_sq();
    let factor = if area < FLAT * squares { PENALTY } else { 1.0 };
    area + SIDES * squares * factor
}

fn least_weight(
    rim: &[DVec3],
    forbidden: impl Fn(usize, usize) -> bool,
    banned: &BTreeSet<[usize; 3]>,
) -> Option<Vec<[usize; 3]>> {
    let n = rim.len();
    // best[i n + j]: least weight of the polygon i, i + 1, …, j closed by the side j–i; tip: its third corner there.
    let (mut best, mut tip) = (vec![f64::INFINITY; n * n], vec![0u16; n * n]);
    (0..n - 1).for_each(|i| best[i * n + i + 1] = 0.0);
    for length in 2..n {
        for i in 0..n - length {
            let j = i + length;
            // The side that closes the whole loop is there already.
            if length < n - 1 && forbidden(i, j) {
                continue;
            }
            let (mut least, mut at) = (f64::INFINITY, i);
            for k in i + 1..j {
                let parts = best[i * n + k] + best[k * n + j];
                if parts < least {
                    let w = parts + weight(rim[i], rim[k], rim[j]);
                    if w < least && !banned.contains(&[i, k, j]) {
                        (least, at) = (w, k);
                    }
                }
            }
            best[i * n + j] = least;
            tip[i * n + j] = at as u16;
        }
    }
    if !best[n - 1].is_finite() {
        return None;
    }
    let mut triangles = Vec::with_capacity(n - 2);
    let mut open = vec![(0, n - 1)];
    while let Some((i, j)) = open.pop() {
        if j - i < 2 {
            continue;
        }
        let k = tip[i * n + j] as usize;
        triangles.push([i, k, j]);
        open.extend([(k, j), (i, k)]);
    }
    Some(triangles)
}

fn cut_corners(
    rim: &[DVec3],
    forbidden: impl Fn(usize, usize) -> bool,
    banned: &BTreeSet<[usize; 3]>,
) -> Option<Vec<[usize; 3]>> {
    let n = rim.len();
    let mut next: Vec<usize> = (0..n).map(|i| (i + 1) % n).collect();
    let mut previous: Vec<usize> = (0..n).map(|i| (i + n - 1) % n).collect();
    let mut gone = vec![false; n];
    // Squared lengths are not negative, so their bits are in the order of their values.
    let entry = |p: usize, i: usize, q: usize| Reverse(((rim[q] - rim[p]).mag_sq().to_bits(), i, p, q));
    let mut corners: BinaryHeap<_> = (0..n).map(|i| entry(previous[i], i, next[i])).collect();
    let mut triangles = Vec::with_capacity(n - 2);
    while let Some(Reverse((_, i, p, q))) = corners.pop() {
        // Entries of corners whose neighbours changed are stale.
        if gone[i] || previous[i] != p || next[i] != q {
            continue;
        }
        let last = triangles.len() == n - 3;
        // Around the start of the rim the order is turned, never mirrored.
        let mut t = [p, i, q];
        let lowest = (0..3).min_by_key(|&k| t[k]).unwrap_or(0);
        t.rotate_left(lowest);
        if (!last && forbidden(p.min(q), p.max(q))) || banned.contains(&t) {
            continue;
        }
        triangles.push(t);
        if last {
            return Some(triangles);
        }
        gone[i] = true;
        next[p] = q;
        previous[q] = p;
        corners.push(entry(previous[p], p, q));
        corners.push(entry(p, q, next[q]));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(n: usize) -> Vec<DVec3> {
        (0..n)
            .map(|i| (i as f64 / n as f64 * std::f64::consts::TAU).sin_cos())
            .map(|(s, c)| DVec3::new(c, s, 0.1 * c * s))
            .collect()
    }

    /// Every rim side once, every inner side twice and opposite ways.
    fn fills(n: usize, triangles: &[[usize; 3]]) {
        assert_eq!(triangles.len(), n - 2);
        let mut sides: Vec<[usize; 2]> =
            triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
        sides.sort_unstable();
        assert!(sides.windows(2).all(|w| w[0] != w[1]), "a side is used twice in one direction");
        for i in 0..n {
            assert!(sides.binary_search(&[i, (i + 1) % n]).is_ok());
        }
        let inner = sides.iter().filter(|[a, b]| sides.binary_search(&[*b, *a]).is_ok()).count();
        assert_eq!(inner, 2 * (n - 3));
    }

    #[test]
    fn loops_of_any_length_are_filled() {
        let none = BTreeSet::new();
        for n in [3, 4, 5, 17, 120, LONGEST + 1, 3000] {
            fills(n, &triangulate(&circle(n), |_, _| false, &none).unwrap());
        }
        assert_eq!(triangulate(&circle(2), |_, _| false, &none), None);
    }

    #[test]
    fn a_bay_is_not_covered() {
        let none = BTreeSet::new();
        // An arrowhead: the reflex corner must be an end of the diagonal.
        let rim = [[0.0, 0.0], [2.0, 1.0], [0.0, 2.0], [0.6, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.0));
        let t = triangulate(&rim, |_, _| false, &none).unwrap();
        assert!(t.iter().all(|t| t.contains(&3) && t.contains(&1)), "{t:?}");
        // Refused that diagonal, it takes the other; refused both, it says so.
        let t = triangulate(&rim, |a, b| (a, b) == (1, 3), &none).unwrap();
        assert!(t.iter().all(|t| t.contains(&0) && t.contains(&2)), "{t:?}");
        // The same by a banned triangle.
        let banned = BTreeSet::from([[0, 1, 3]]);
        assert_eq!(triangulate(&rim, |_, _| false, &banned).unwrap(), t);
        assert_eq!(triangulate(&rim, |_, _| true, &none), None);
        assert_eq!(triangulate(&circle(LONGEST + 9), |_, _| true, &none), None);
    }
}
