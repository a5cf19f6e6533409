//! Points without a surface against the faces of another body. No tree has them: the boxes of their ways are compared one by one.

use crate::body_surface::BodySurface;
use crate::finder::Moving;
use crate::tables::{FeaturePairs, List, Margin};
use impinge_bodies::Shape;
use impinge_broadphase::Aabb;
use impinge_contact::Sides;

/// Lists points of one body of a pair with the faces of the other that they may meet; none for other pairs.
pub(crate) fn points_and_faces(
    m: &Moving<'_>,
    (a, b): (u32, u32),
    sides: Sides,
    surfaces: [Option<&BodySurface>; 2],
    margin: impl Fn(u32) -> Margin,
    lists: &mut [FeaturePairs; 3],
) {
    let (points, target, left_out) = match surfaces {
        [None, Some(target)] => (a, target, Sides::Second),
        [Some(target), None] => (b, target, Sides::First),
        _ => return,
    };
    if sides == left_out || !matches!(m.shapes.0[points as usize], Shape::Points { .. }) {
        return;
    }
    let around = |vertices: &[u32]| {
        let guess = |v: u32| m.guess.map_or(m.surface.x1[v as usize], |g| g[v as usize]);
        let ways = vertices.iter().map(|&v| {
            let ends = [m.surface.x0[v as usize], m.surface.x1[v as usize], guess(v)];
            Aabb::from_points(&ends)
        });
        ways.fold(Aabb::empty(), |sum, way| sum.union(&way))
    };
    let reach = margin(a).others + margin(b).others;
    let ways: Vec<(u32, Aabb)> =
        m.map.range(points as usize).map(|v| (v as u32, around(&[v as u32]).inflated(reach))).collect();
    let whole = ways.iter().fold(Aabb::empty(), |sum, (_, way)| sum.union(way));
    let faces: Vec<(u32, Aabb)> =
        (0..).zip(target.faces.iter().map(|f| around(f))).filter(|(_, face)| whole.overlaps(face)).collect();
    let list = if target.solid { List::Solid } else { List::Sheet };
    let list = &mut lists[list as usize];
    for (v, way) in ways {
        let near = faces.iter().filter(|(_, face)| way.overlaps(face));
        list.features.extend(near.map(|(f, _)| (v, target.first_face + f)));
    }
    list.close([a, b]);
}
