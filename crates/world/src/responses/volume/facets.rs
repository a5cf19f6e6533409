//! Bodies with flat sides that are narrower than cells: one pressure for a contact carries no moment, so that they rock from side to side.

use super::settings::Measurement;
use crate::components::{Dofs, Forces, Laws};
use crate::part::Part;
use impinge_bodies::{Shape, Shapes};
use impinge_contact::BodyKind;
use impinge_geometry::{DVec3, TriMesh};
use impinge_volume::SLIVER_DEPTHS;

/// Part of the box around a body, seen along its shortest side, that its largest flat side has at least: less is a round one.
const FLAT: f64 = 0.2;
/// Triangles of a side whose edges are tried.
const TRIED: usize = 64;
/// Part of a cell that a sliver is at most: less than a quarter of its neighbour.
const SLIVER: f64 = 0.2;
/// Part of the size within which triangles are in one plane, and of 1 within which their normals agree.
const IN_PLANE: f64 = 1e-6;

/// A sentence for rigid bodies that fall or lie on such sides. `depth` (m) is that of resting contacts, 0 where cells are not joined: a side in one
/// cell but for slivers is one contact.
pub(super) fn facets(measure: Measurement, depth: f64, part: Part<'_>) -> Option<String> {
    let grid = measure.grid()?;
    let cell = grid.size;
    let sliver = (SLIVER_DEPTHS * depth).min(SLIVER * cell);
    if part.shared::<Forces>().0.gravity.mag() == 0.0 {
        return None;
    }
    let (dofs, shapes, laws) = (part.shared::<Dofs>(), part.shared::<Shapes>(), part.shared::<Laws>());
    let partners = laws.partners();
    let meets = |b: u32| partners.iter().any(|&o| o != b && part.law(&laws, b, o).is_some());
    let mut narrow = (0..shapes.0.len()).filter_map(|b| {
        let Shape::Mesh(m) = &shapes.0[b] else { return None };
        if dofs.bodies.kind[b] != BodyKind::Rigid || !meets(b as u32) {
            return None;
        }
        let (way, low, high) = flat_width(&m.mesh)?;
        let width = high - low;
        let pose = &dofs.bodies.pose[b];
        let along = pose.rotation * way;
        // A wall that cuts it where it begins, and leaves more than slivers on both sides.
        let cut = |axis: usize| {
            let at = along[axis] * (low + 0.5 * width) + pose.position[axis] - grid.origin[axis];
            let [first, last] = [-0.5, 0.5].map(|side| (at + side * (width - 2.0 * sliver)) / cell);
            along[axis].abs() < 1.0 - IN_PLANE || (last > first && last.floor() >= first.ceil())
        };
        let divided = width >= cell + 2.0 * sliver || (0..3).all(cut);
        (width < (1.0 - IN_PLANE) * cell || !divided).then_some((b, width))
    });
    let (first, width) = narrow.next()?;
    let more = match narrow.count() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Some(format!(
        "the largest flat side of body '{}'{more} is about {width:.2e} m wide, and cells are {cell} m: a contact of one pressure carries no moment, so that it may rock \
         from side to side without end, or slide off without friction; set `cell` in the section of '{}' to {:.1e} m, or less where sides taper",
        part.names()[first],
        part.response().name(),
        0.5 * width
    ))
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
    let size = extents[2];
    // Normal, distance from the origin and area of every triangle, in order of direction.
    let mut planes: Vec<(DVec3, f64, f64, usize)> = (0..mesh.triangles().len())
        .filter_map(|t| {
            let [a, b, c] = mesh.corners(t);
            let doubled = (b - a).cross(c - a);
            let n = impinge_geometry::try_normalized(doubled)?;
            Some((n, n.dot(a), 0.5 * doubled.mag(), t))
        })
        .collect();
    // Minus zero comes before zero in their order.
    let rounded = |v: f64| (v / IN_PLANE).round() + 0.0;
    let key =
        |p: &(DVec3, f64, f64, usize)| [rounded(p.0.x), rounded(p.0.y), rounded(p.0.z), rounded(p.1 / size)];
    planes.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        (0..4).map(|i| a[i].total_cmp(&b[i])).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut best = (0.0, 0..0);
    let mut start = 0;
    for i in 1..=planes.len() {
        if i == planes.len() || key(&planes[i]) != key(&planes[start]) {
            let area: f64 = planes[start..i].iter().map(|p| p.2).sum();
            if area > best.0 {
                best = (area, start..i);
            }
            start = i;
        }
    }
    let (area, side) = best;
    if side.is_empty() || area < FLAT * extents[1] * extents[2] {
        return None;
    }
    let normal = planes[side.start].0;
    let corners: Vec<[DVec3; 3]> = planes[side].iter().map(|p| mesh.corners(p.3)).collect();
    // The narrowest of the strips along an edge that hold it all, as the narrowest strip around a convex side is along one of its edges.
    let step = corners.len().div_ceil(TRIED);
    let edges = corners.iter().step_by(step).flat_map(|&[a, b, c]| [b - a, c - b, a - c]);
    let ways = edges.filter_map(|e| impinge_geometry::try_normalized(normal.cross(e)));
    let across = ways.map(|way| {
        let at = corners.iter().flatten().map(|p| p.dot(way));
        let [low, high] = at.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], d| [l.min(d), h.max(d)]);
        (way, low, high)
    });
    across.min_by(|a, b| (a.2 - a.1).total_cmp(&(b.2 - b.1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::generators;

    #[test]
    fn boxes_have_flat_sides_and_balls_none() {
        let cuboid = generators::cuboid(DVec3::new(0.4, 0.1, 0.02), [2, 1, 1]).unwrap();
        let (way, low, high) = flat_width(&cuboid).unwrap();
        assert!(way.y.abs() > 0.999 && ((high - low) / 0.1 - 1.0).abs() < 1e-9);
        assert_eq!(flat_width(&generators::icosphere(0.1, 3).unwrap()), None);
    }
}
