//! Columns side by side: bodies that stand on others, and beside them have a line in common with what they do not stand on.
//!
//! Of equal boxes in two flush columns those on a diagonal touch along an edge: corners of one are at the rim of the other's top. Whether features there
//! meet is decided by rounding, and those that do bear a share of the weight, as each is a whole spring. Columns of 3 by 3 by 3 boxes leant and dipped by
//! 4 mm, and without friction fell; a thousandth of their size apart they stand to 1e-15 m.

use crate::components::{Dofs, Laws};
use crate::lying::Lying;
use crate::part::Part;
use crate::shadow::{Across, Point, common, hull, moments};
use impinge_bodies::{Shape, Shapes, TOUCHING};
use impinge_contact::{BodyKind, SurfaceMap};

/// Two bodies, one above the other, as seen from above.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// One stands on the other.
    Over,
    /// They touch along a line.
    Beside,
    /// They are free of each other.
    Apart,
}

/// A sentence for the bodies that stand on others and touch a third along a line.
pub(crate) fn beside(part: Part<'_>) -> Option<String> {
    let lying = Lying::of(part)?;
    let (dofs, shapes) = (part.shared::<Dofs>(), part.shared::<Shapes>());
    let (laws, map) = (part.shared::<Laws>(), part.shared::<SurfaceMap>());
    let across = Across::new(lying.up, dofs.bodies.pose.first()?.position);
    let is_mesh = |b: u32| matches!(&shapes.0[b as usize], Shape::Mesh(m) if !m.open);
    let middle = |b: u32| lying.heights[b as usize].iter().sum::<f64>();
    let face = |b: u32, way| hull(&across.face(&lying.x[map.range(b as usize)], way));
    let mut stands = vec![false; shapes.0.len()];
    let mut lines = Vec::new();
    for &(a, b) in lying.pairs.iter().filter(|&&(a, b)| is_mesh(a) && is_mesh(b)) {
        let [over, under] = if middle(a) > middle(b) { [a, b] } else { [b, a] };
        let moves = dofs.bodies.kind[over as usize] == BodyKind::Rigid;
        match seen(&face(over, lying.up), &face(under, -lying.up)) {
            Seen::Over => stands[over as usize] = true,
            Seen::Beside if moves && part.law(&laws, a, b).is_some() => lines.push([over, under]),
            Seen::Beside | Seen::Apart => {}
        }
    }
    let mut lines = lines.into_iter().filter(|[over, _]| stands[*over as usize]);
    let [over, under] = lines.next()?.map(|slot| &part.names()[slot as usize]);
    let more = match lines.count() {
        0 => String::new(),
        n => format!(" (and {n} more such pairs)"),
    };
    Some(format!(
        "'{over}' stands beside '{under}'{more} and touches it along a line alone, as flush columns do: rounding decides whether '{}' bears weight there, and \
         then columns lean, dip and push each other. Set them 1e-3 of their size apart, or use --response qp, volume or pressure",
        part.response().name()
    ))
}

/// How two convex faces lie to each other.
fn seen(a: &[Point], b: &[Point]) -> Seen {
    let area = |by: f64| moments(&common(&grown(a, by), &grown(b, by))).0;
    if area(-TOUCHING) > 0.0 {
        Seen::Over
    } else if area(TOUCHING) > 0.0 {
        Seen::Beside
    } else {
        Seen::Apart
    }
}

/// A polygon by a part of itself larger, about its middle.
fn grown(polygon: &[Point], by: f64) -> Vec<Point> {
    let n = polygon.len().max(1) as f64;
    let middle = [0, 1].map(|c| polygon.iter().map(|p| p[c]).sum::<f64>() / n);
    polygon.iter().map(|p| [0, 1].map(|c| p[c] + (p[c] - middle[c]) * by)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_with_a_line_or_a_point_in_common_are_beside_each_other() {
        let square = |x: f64, y: f64| [[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]];
        let of = |x: f64, y: f64| seen(&square(0.3, 0.7), &square(0.3 + x, 0.7 + y));
        assert!(of(0.0, 0.0) == Seen::Over && of(0.5, -0.999) == Seen::Over);
        for (x, y) in [(1.0, 0.0), (-1.0, 0.5), (1.0, -1.0), (0.2, 1.0 + 1e-12), (0.2, 1.0 - 1e-12)] {
            assert!(of(x, y) == Seen::Beside, "{x} {y}");
        }
        assert!(of(1.001, 0.0) == Seen::Apart && of(0.0, -2.0) == Seen::Apart);
    }
}
