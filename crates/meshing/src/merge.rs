//! Which vertices stand in the same place.
//!
//! Takes positions and a tolerance, gives for each vertex the one it would be merged into. Vertices are looked at in
//! order: one that stands within the tolerance of an earlier vertex that was kept joins the nearest such vertex (the
//! lowest on a tie), any other is kept. So nothing moves by more than the tolerance, however long a chain of close
//! vertices is, and kept vertices lie further apart than the tolerance.
//!
//! Vertices are sorted by cells of a grid; only cells that the tolerance reaches are searched.

use impinge_geometry::DVec3;

/// Cells per axis: three cell numbers fit a `u64`.
const CELLS: f64 = 1_048_576.0;

/// For each vertex the kept vertex it stands with (itself when kept), for a tolerance in metres; 0 merges only equal
/// positions (−0 and 0 are equal). A tolerance that is negative or NaN counts as 0.
#[must_use]
pub fn merge_map(positions: &[DVec3], tolerance: f64) -> Vec<u32> {
    let tolerance = tolerance.max(0.0);
    let Some(&first) = positions.first() else { return vec![] };
    let (lo, hi) = positions
        .iter()
        .fold((first, first), |(lo, hi), &p| (lo.min_by_component(p), hi.max_by_component(p)));
    // Halved first, so that opposite huge coordinates do not overflow.
    let extent = 2.0 * (hi * 0.5 - lo * 0.5).component_max();
    // A cell several tolerances wide, and as many roundings: a ball reaches into two cells per axis at most, also where
    // all vertices stand in one place far from the origin.
    let far = lo.abs().max_by_component(hi.abs()).component_max();
    let rounding = 4.0 * f64::EPSILON * (extent + far);
    let size = (8.0 * (tolerance + rounding)).max(extent / (CELLS - 2.0)).max(f64::MIN_POSITIVE);
    let cell = |x: f64, axis: usize| ((x - lo[axis]) / size).clamp(0.0, CELLS - 1.0) as u64;
    let key = |[i, j, k]: [u64; 3]| (i << 40) | (j << 20) | k;
    let mut sorted: Vec<(u64, u32)> = positions
        .iter()
        .enumerate()
        .map(|(v, p)| (key([cell(p.x, 0), cell(p.y, 1), cell(p.z, 2)]), v as u32))
        .collect();
    sorted.sort_unstable();
    // Where the run of each vertex's own cell starts: most searches end there without a binary search.
    let mut own = vec![0u32; positions.len()];
    let mut start = 0;
    for i in 0..sorted.len() {
        if sorted[i].0 != sorted[start].0 {
            start = i;
        }
        own[sorted[i].1 as usize] = start as u32;
    }
    let mut map: Vec<u32> = (0..positions.len() as u32).collect();
    let square = tolerance * tolerance;
    for v in 0..positions.len() {
        let p = positions[v];
        // Rounding of the cell numbers must not hide a vertex just across a wall.
        let reach = tolerance + rounding;
        let low = [0, 1, 2].map(|a| cell(p[a] - reach, a));
        let high = [0, 1, 2].map(|a| cell(p[a] + reach, a));
        let mut best: Option<(f64, u32)> = None;
        let mut search = |from: usize| {
            for &(k, w) in &sorted[from..] {
                if k != sorted[from].0 || w as usize >= v {
                    break;
                }
                if map[w as usize] != w {
                    continue;
                }
                let q = positions[w as usize];
                let d = (p - q).mag_sq();
                // Squares of tiny differences vanish; equality is asked for by itself.
                let near = if square < f64::MIN_POSITIVE {
                    (p - q).abs().component_max() <= tolerance
                } else {
                    d <= square
                };
                if near && best.is_none_or(|(b, u)| d < b || (d == b && w < u)) {
                    best = Some((d, w));
                }
            }
        };
        if low == high {
            search(own[v] as usize);
        } else {
            for i in low[0]..=high[0] {
                for j in low[1]..=high[1] {
                    for k in low[2]..=high[2] {
                        let wanted = key([i, j, k]);
                        let from = sorted.partition_point(|s| s.0 < wanted);
                        if sorted.get(from).is_some_and(|s| s.0 == wanted) {
                            search(from);
                        }
                    }
                }
            }
        }
        if let Some((_, w)) = best {
            map[v] = w;
        }
    }
    map
}
