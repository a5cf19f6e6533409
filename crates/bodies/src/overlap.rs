//! Whether two placed bodies overlap: share more than their boundary.

use crate::look::Placed;
use crate::plane::world_plane;
use crate::shapes::{Shape, SoftShape};
use impinge_broadphase::{Aabb, plane_overlaps};
use impinge_geometry::{DVec3, Pose};
use impinge_query::MeshIndex;
use std::cell::OnceCell;

/// What of a body can overlap another one.
#[derive(Debug)]
enum Solid<'a> {
    /// A closed surface with its pose.
    Rigid(&'a MeshIndex, Pose),
    /// A surface in the world, with its tree where one was asked for.
    Soft(&'a SoftShape, &'a [DVec3], OnceCell<Option<MeshIndex>>),
    /// The half space below `normal · x = offset`.
    Half(DVec3, f64),
    /// Points, joined one to the next of a cable.
    Loose(&'a [DVec3], bool),
}

/// A surface with its pose, and whether it has an inside.
type Surface<'a> = (&'a MeshIndex, Pose, bool);

/// The room that a body takes where it is, ready to be asked which others overlap it.
#[derive(Debug)]
pub struct Occupied<'a> {
    solid: Solid<'a>,
    around: Aabb,
}

impl<'a> Occupied<'a> {
    /// Of a placed body; `None` where there is nothing of it, or where it is not finite.
    #[must_use]
    pub fn new(body: &Placed<'a>) -> Option<Self> {
        let points = body.vertices;
        let (solid, around) = match body.shape {
            Shape::Mesh(m) => (Solid::Rigid(&m.index, body.pose), m.bounds.transformed(&body.pose)),
            Shape::Plane { normal, offset } => {
                let (n, d) = world_plane(&body.pose, *normal, *offset);
                (Solid::Half(n, d), Aabb::empty())
            }
            Shape::Soft(s) if s.mesh.is_some() => {
                (Solid::Soft(s, points, OnceCell::new()), Aabb::from_points(points))
            }
            Shape::Soft(_) => (Solid::Loose(points, true), Aabb::from_points(points)),
            Shape::Points { .. } => (Solid::Loose(points, false), Aabb::from_points(points)),
        };
        let there = matches!(solid, Solid::Half(..)) || !around.is_empty();
        (there && body.pose.is_finite()).then_some(Self { solid, around })
    }

    fn surface(&self) -> Option<Surface<'_>> {
        match &self.solid {
            Solid::Rigid(index, pose) => Some((index, *pose, index.is_closed())),
            Solid::Soft(s, x, index) => {
                let index = index.get_or_init(|| s.standing(x).map(|mesh| MeshIndex::new(&mesh)));
                Some((index.as_ref()?, Pose::identity(), s.closed))
            }
            Solid::Half(..) | Solid::Loose(..) => None,
        }
    }

    /// Whether the two share more than their boundary: a surface passes through the other, a part of one is inside the other, a loose point or a
    /// part of a cable is inside a closed surface or below a plane, a cable passes through a surface. Loose points and cables do not overlap each
    /// other.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        match (&self.solid, &other.solid) {
            (Solid::Half(n, d), _) => return other.below(*n, *d),
            (_, Solid::Half(n, d)) => return self.below(*n, *d),
            _ if !self.around.overlaps(&other.around) => return false,
            _ => {}
        }
        match (self.surface(), other.surface()) {
            (Some(a), Some(b)) => impinge_query::overlapping(a.0, &a.1, b.0, &b.1).unwrap_or(false),
            (Some(a), None) => other.enters(a),
            (None, Some(b)) => self.enters(b),
            (None, None) => false,
        }
    }

    /// Whether some of it lies below a plane.
    fn below(&self, n: DVec3, d: f64) -> bool {
        match &self.solid {
            Solid::Rigid(index, pose) => {
                let deep = |t: usize| index.corners_at(t).iter().any(|c| n.dot(pose.point_to_world(*c)) < d);
                plane_overlaps(&self.around, n, d) && (0..index.triangles()).any(deep)
            }
            Solid::Soft(_, points, _) | Solid::Loose(points, _) => points.iter().any(|p| n.dot(*p) < d),
            // Two half spaces, but for those that look at each other.
            Solid::Half(m, e) => (n + *m).mag() > 0.0 || d + e > 0.0,
        }
    }

    /// Whether a loose point is inside a surface, or a segment of a cable passes through it.
    fn enters(&self, (index, pose, closed): Surface<'_>) -> bool {
        let Solid::Loose(points, joined) = &self.solid else { return false };
        let own = |p: &DVec3| pose.point_to_body(*p);
        closed && points.iter().any(|p| index.inside(own(p)))
            || *joined
                && points.windows(2).any(|w| {
                    let (from, to) = (own(&w[0]), own(&w[1]));
                    index.ray(from, to - from, 1.0).is_some()
                })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::MeshShape;
    use impinge_geometry::{generators, rotor_from_rotation_vector};
    use std::sync::Arc;

    fn cube() -> Shape {
        Shape::Mesh(Arc::new(MeshShape::new(generators::cuboid(DVec3::one(), [1; 3]).unwrap()).unwrap()))
    }

    fn at(shape: &Shape, pose: Pose, vertices: &[DVec3], of: impl Fn(&Occupied<'_>) -> bool) -> bool {
        of(&Occupied::new(&Placed { shape, pose, vertices, tree: None }).unwrap())
    }

    /// Of boxes the separating axes say it; a turned one is as good as a soft one in its place.
    #[test]
    fn boxes_overlap_as_their_axes_say() {
        let (a, mesh) = (cube(), generators::cuboid(DVec3::one(), [2; 3]).unwrap());
        let (rigid, soft) = (
            Shape::Mesh(Arc::new(MeshShape::new(mesh.clone()).unwrap())),
            Shape::Soft(Arc::new(SoftShape::surface(mesh.clone()))),
        );
        let (mut yes, axes) = (0, [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()]);
        for i in 0..300 {
            let f = f64::from(i);
            let place = DVec3::new((f * 1.3).sin(), (f * 2.1).sin(), (f * 3.9).sin()) * 1.4;
            let turn = rotor_from_rotation_vector(DVec3::new(f.sin(), (f * 0.7).cos(), 0.3));
            let pose = Pose::new(place, turn);
            let own = axes.map(|e| pose.vector_to_world(e));
            let mut all: Vec<DVec3> = axes.iter().chain(&own).copied().collect();
            all.extend(axes.iter().flat_map(|e| own.iter().map(|o| e.cross(*o))));
            let reach = |n: &DVec3, of: &[DVec3; 3]| of.iter().map(|e| 0.5 * n.dot(*e).abs()).sum::<f64>();
            let apart = all.iter().any(|n| n.dot(place).abs() > reach(n, &axes) + reach(n, &own));
            let vertices: Vec<DVec3> = mesh.positions().iter().map(|p| pose.point_to_world(*p)).collect();
            for shape in [&rigid, &soft] {
                let found = at(&a, Pose::identity(), &[], |a| at(shape, pose, &vertices, |b| a.overlaps(b)));
                assert_eq!(found, !apart, "{i}: {place:?}");
            }
            yes += usize::from(!apart);
        }
        assert!((60..240).contains(&yes), "{yes} of 300");
    }

    #[test]
    fn a_box_inside_another_planes_points_and_cables() {
        let (big, small) = (cube(), cube());
        let tiny = [DVec3::broadcast(0.1), DVec3::broadcast(3.0)];
        let here = Pose::identity();
        let with = |other: &Shape, vertices: &[DVec3]| {
            at(&big, here, &[], |a| at(other, here, vertices, |b| a.overlaps(b) && b.overlaps(a)))
        };
        assert!(with(&small, &[]));
        let floor = |offset| Shape::Plane { normal: DVec3::unit_z(), offset };
        assert!(with(&floor(-0.49), &[]) && !with(&floor(-0.5), &[]) && with(&floor(2.0), &[]));
        let dust = Shape::Points { count: 2 };
        assert!(with(&dust, &tiny) && !with(&dust, &[DVec3::broadcast(0.6), tiny[1]]));
        let cable = Shape::Soft(Arc::new(SoftShape::line(2)));
        let through = [DVec3::unit_x() * -2.0, DVec3::unit_x() * 2.0];
        assert!(with(&cable, &through) && !with(&dust, &through));
        assert!(!with(&cable, &through.map(|p| p + DVec3::unit_y())));
        assert!(Occupied::new(&Placed { shape: &dust, pose: here, vertices: &[], tree: None }).is_none());
    }
}
