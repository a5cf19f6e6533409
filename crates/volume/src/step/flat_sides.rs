//! Flat sides that are narrower than cells: one pressure for a contact carries no moment, so that a body on one rocks from side to side.

use super::sides::{Side, flat_sides};
use crate::CellGrid;
use crate::slivers::SLIVER_DEPTHS;
use impinge_geometry::{DVec3, Pose, TriMesh, try_normalized};

/// Part of the box around a body, seen along its shortest side, that its largest flat side has at least: less is a round one.
const FLAT: f64 = 0.2;
/// Triangles of a side whose edges are tried.
const TRIED: usize = 64;
/// Part of a cell that a sliver is at most: less than a quarter of its neighbour.
const SLIVER: f64 = 0.2;
/// Part of 1 by which a way that is along an axis, or a side that is as wide as a cell, may be off.
const ALONG: f64 = 1e-6;

/// How far within the rim of a side that lies in cells (m) the outermost pressure may be (m): half of the widest strip along it, a cell and the sliver that
/// is joined to it. Where cells are not joined (`depth` 0) a strip of half a cell carries a quarter of what a whole one does, and the next
/// pressure is a cell within.
#[must_use]
pub fn outermost_pressure(cell: f64, depth: f64) -> f64 {
    if depth > 0.0 { 0.5 * (cell + (SLIVER_DEPTHS * depth).min(SLIVER * cell)) } else { cell }
}

/// Cells (m) whose outermost pressure is no farther within the rim than this (m), however deep contacts rest; `joined` as slivers are.
#[must_use]
pub fn cells_to_hold(within: f64, joined: bool) -> f64 {
    if joined { 2.0 * within / (1.0 + SLIVER) } else { within }
}

/// About how wide the largest flat side of a body is (m); `None` for what is round.
#[must_use]
pub fn flat_side(mesh: &TriMesh) -> Option<f64> {
    flat_width(mesh).map(|(_, low, high)| high - low)
}

/// About how wide the largest flat side of a body is (m), where a contact on it is one cell of `grid` but for slivers; `None` where it is more, and for
/// bodies without flat sides. `depth` (m) is that of resting contacts, 0 where slivers are not joined to their neighbours.
#[must_use]
pub fn narrow_side(grid: &CellGrid, depth: f64, mesh: &TriMesh, pose: &Pose) -> Option<f64> {
    let cell = grid.size;
    let sliver = (SLIVER_DEPTHS * depth).min(SLIVER * cell);
    let (way, low, high) = flat_width(mesh)?;
    let width = high - low;
    let along = pose.rotation * way;
    // A wall that cuts it where it begins, and leaves more than slivers on both sides.
    let cut = |axis: usize| {
        let at = along[axis] * (low + 0.5 * width) + pose.position[axis] - grid.origin[axis];
        let [first, last] = [-0.5, 0.5].map(|side| (at + side * (width - 2.0 * sliver)) / cell);
        along[axis].abs() < 1.0 - ALONG || (last > first && last.floor() >= first.ceil())
    };
    let divided = width >= cell + 2.0 * sliver || (0..3).all(cut);
    (width < (1.0 - ALONG) * cell || !divided).then_some(width)
}

/// The narrowest way across the largest flat side, and between which places along it that lies (m). `None` where there is none of a size.
fn flat_width(mesh: &TriMesh) -> Option<(DVec3, f64, f64)> {
    let x = mesh.positions();
    let ends = |way: DVec3| {
        let at = x.iter().map(|p| p.dot(way));
        at.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], d| [l.min(d), h.max(d)])
    };
    let mut extents = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()].map(|way| {
        let [low, high] = ends(way);
        high - low
    });
    extents.sort_by(f64::total_cmp);
    // The first of equal ones.
    let larger = |best: Side, side: Side| if side.area > best.area { side } else { best };
    let Side { area, normal, triangles } = flat_sides(mesh).into_iter().reduce(larger)?;
    if area < FLAT * extents[1] * extents[2] {
        return None;
    }
    let corners: Vec<[DVec3; 3]> = triangles.iter().map(|&t| mesh.corners(t)).collect();
    // The narrowest of the strips along an edge that hold it all, as the narrowest strip around a convex side is along one of its edges.
    let step = corners.len().div_ceil(TRIED);
    let edges = corners.iter().step_by(step).flat_map(|&[a, b, c]| [b - a, c - b, a - c]);
    let ways = edges.filter_map(|e| try_normalized(normal.cross(e)));
    let across = ways.map(|way| {
        let at = corners.iter().flatten().map(|p| p.dot(way));
        let [low, high] = at.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], d| [l.min(d), h.max(d)]);
        (way, low, high)
    });
    across.min_by(|a, b| (a.2 - a.1).total_cmp(&(b.2 - b.1)))
}

#[cfg(test)]
mod tests {
    use super::super::Measurement;
    use super::*;
    use impinge_geometry::generators;

    #[test]
    fn boxes_have_flat_sides_and_balls_none() {
        let cuboid = generators::cuboid(DVec3::new(0.4, 0.1, 0.02), [2, 1, 1]).unwrap();
        let (way, low, high) = flat_width(&cuboid).unwrap();
        assert!(way.y.abs() > 0.999 && ((high - low) / 0.1 - 1.0).abs() < 1e-9);
        assert_eq!(flat_width(&generators::icosphere(0.1, 3).unwrap()), None);
        assert!((flat_side(&cuboid).unwrap() / 0.1 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn cells_that_hold_reach_as_near_to_the_rim() {
        for (depth, joined) in [(1e-4, true), (1e-2, true), (0.0, false)] {
            let cell = cells_to_hold(0.02, joined);
            assert!(outermost_pressure(cell, depth) <= 0.02 * (1.0 + 1e-12), "{depth}");
        }
        assert!((outermost_pressure(0.05, 1e-4) - 0.0254).abs() < 1e-12);
    }

    #[test]
    fn a_box_in_one_cell_rocks_and_one_in_several_does_not() {
        let cuboid = generators::cuboid(DVec3::new(0.4, 0.1, 0.02), [2, 1, 1]).unwrap();
        let narrow = |cell, depth| {
            let measure = Measurement { cell: Some(cell), ..Measurement::default() };
            narrow_side(&measure.grid().unwrap(), depth, &cuboid, &Pose::identity())
        };
        assert!((narrow(0.2, 0.0).unwrap() / 0.1 - 1.0).abs() < 1e-9, "half a cell");
        assert_eq!(narrow(0.04, 0.0), None, "two cells and more");
    }
}
