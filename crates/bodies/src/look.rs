//! Looks at placed bodies: where a ray meets one, which point of one is nearest, whether a point is inside.

use crate::plane::world_plane;
use crate::shapes::Shape;
use impinge_geometry::{DVec3, Pose, TriMesh, try_normalized};
use impinge_query::{MeshIndex, brute_force};

/// A body where it is.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// Its pose; of bodies made of nodes it is not asked.
    pub pose: Pose,
    /// Its surface vertices (m, world); only of bodies made of nodes they are asked.
    pub vertices: &'a [DVec3],
    /// A tree over those of a soft surface, where there is one; without it every triangle is looked at, with the same answers.
    pub tree: Option<&'a MeshIndex>,
}

/// Where a ray meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// Way along the ray (m).
    pub distance: f64,
    /// The point (m).
    pub point: DVec3,
    /// Unit normal of the surface, out of the body.
    pub normal: DVec3,
    /// The triangle; `None` of a plane.
    pub triangle: Option<u32>,
}

/// The point of a body that is nearest to some point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The point (m).
    pub point: DVec3,
    /// Distance to it (m), negative inside.
    pub distance: f64,
}

impl Placed<'_> {
    /// The first point of a ray from `origin` along the unit vector `direction`, at most `max` (m) away. A ray that starts inside meets the surface
    /// where it comes out; of a half space that is its start. Loose points and cables have no surface to meet.
    #[must_use]
    pub fn ray(&self, origin: DVec3, direction: DVec3, max: f64) -> Option<Met> {
        match self.shape {
            Shape::Mesh(m) => {
                let (o, d) = (self.pose.point_to_body(origin), self.pose.vector_to_body(direction));
                let hit = m.index.ray(o, d, max)?;
                let normal = self.pose.vector_to_world(normal(&m.mesh, hit.triangle));
                let point = origin + direction * hit.t;
                Some(Met { distance: hit.t, point, normal, triangle: Some(hit.triangle) })
            }
            Shape::Plane { normal, offset } => {
                let (n, d) = world_plane(&self.pose, *normal, *offset);
                let (height, along) = (n.dot(origin) - d, n.dot(direction));
                let distance = if height <= 0.0 { 0.0 } else { height / -along };
                let met = (distance >= 0.0 && distance <= max).then_some(distance)?;
                Some(Met { distance, point: origin + direction * met, normal: n, triangle: None })
            }
            Shape::Soft(s) => {
                let (hit, normal) = match (self.tree, &s.mesh) {
                    (Some(tree), Some(rest)) => {
                        let hit = tree.ray(origin, direction, max)?;
                        let corner = |v: u32| self.vertices.get(v as usize).copied();
                        let [a, b, c] = rest.triangles()[hit.triangle as usize].map(corner);
                        (hit, across([a?, b?, c?]))
                    }
                    _ => {
                        let mesh = s.standing(self.vertices)?;
                        let hit = brute_force::ray(&mesh, origin, direction, max)?;
                        (hit, normal(&mesh, hit.triangle))
                    }
                };
                let point = origin + direction * hit.t;
                Some(Met { distance: hit.t, point, normal, triangle: Some(hit.triangle) })
            }
            Shape::Points { .. } => None,
        }
    }

    /// Its point nearest to `p`; `None` of a body without vertices. Only a closed surface and a half space have an inside.
    #[must_use]
    pub fn closest(&self, p: DVec3) -> Option<Closest> {
        match self.shape {
            Shape::Mesh(m) => {
                let q = self.pose.point_to_body(p);
                let nearest = m.index.nearest(q);
                let distance =
                    if !m.open && m.index.inside(q) { -nearest.distance } else { nearest.distance };
                Some(Closest { point: self.pose.point_to_world(nearest.point), distance })
            }
            Shape::Plane { normal, offset } => {
                let (n, d) = world_plane(&self.pose, *normal, *offset);
                let distance = n.dot(p) - d;
                Some(Closest { point: p - n * distance, distance })
            }
            Shape::Soft(s) => {
                let (nearest, inside) = if let Some(tree) = self.tree {
                    (tree.nearest(p), s.closed && tree.winding(p) != 0)
                } else {
                    let Some(mesh) = s.standing(self.vertices) else { return self.on_line(p) };
                    (brute_force::nearest(&mesh, p), s.closed && brute_force::winding(&mesh, p) != 0)
                };
                let distance = if inside { -nearest.distance } else { nearest.distance };
                Some(Closest { point: nearest.point, distance })
            }
            Shape::Points { .. } => self.among(p, self.vertices.iter().copied()),
        }
    }

    /// Whether a point is inside; on a plane counts.
    #[must_use]
    pub fn contains(&self, p: DVec3) -> bool {
        match self.shape {
            Shape::Mesh(m) => !m.open && m.index.inside(self.pose.point_to_body(p)),
            Shape::Plane { normal, offset } => {
                let (n, d) = world_plane(&self.pose, *normal, *offset);
                n.dot(p) <= d
            }
            Shape::Soft(s) => {
                s.closed
                    && match self.tree {
                        Some(tree) => tree.winding(p) != 0,
                        None => s.standing(self.vertices).is_some_and(|m| brute_force::winding(&m, p) != 0),
                    }
            }
            Shape::Points { .. } => false,
        }
    }

    fn on_line(&self, p: DVec3) -> Option<Closest> {
        let feet = self.vertices.windows(2).map(|w| {
            let along = w[1] - w[0];
            let size = along.mag_sq();
            let t = if size > 0.0 { ((p - w[0]).dot(along) / size).clamp(0.0, 1.0) } else { 0.0 };
            w[0] + along * t
        });
        self.among(p, feet)
    }

    fn among(&self, p: DVec3, points: impl Iterator<Item = DVec3>) -> Option<Closest> {
        let of = |point: DVec3| Closest { point, distance: (point - p).mag() };
        points.map(of).min_by(|a, b| a.distance.total_cmp(&b.distance))
    }
}

fn normal(mesh: &TriMesh, triangle: u32) -> DVec3 {
    across(mesh.corners(triangle as usize))
}

fn across([a, b, c]: [DVec3; 3]) -> DVec3 {
    try_normalized((b - a).cross(c - a)).unwrap_or_else(DVec3::zero)
}

#[cfg(test)]
mod tests {
    use super::Placed;
    use crate::shapes::{MeshShape, Shape, SoftShape};
    use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
    use std::sync::Arc;

    /// A box answers as its closed forms say, whether it is rigid and turned or a soft surface in the same place.
    #[test]
    fn a_box_is_looked_at_from_all_sides() {
        let half = DVec3::new(0.5, 0.3, 0.2);
        let mesh = generators::cuboid(half * 2.0, [2; 3]).unwrap();
        let turn = rotor_from_rotation_vector(DVec3::new(0.4, -0.9, 0.3));
        let pose = Pose::new(DVec3::new(1.0, -2.0, 0.5), turn);
        let vertices: Vec<DVec3> = mesh.positions().iter().map(|p| pose.point_to_world(*p)).collect();
        let rigid = Shape::Mesh(Arc::new(MeshShape::new(mesh.clone()).unwrap()));
        let soft = Shape::Soft(Arc::new(SoftShape::surface(mesh)));
        for shape in [&rigid, &soft] {
            let body = Placed { shape, pose, vertices: &vertices, tree: None };
            for i in 0..200 {
                let f = f64::from(i);
                let q = DVec3::new((f * 1.1).sin(), (f * 2.3 + 1.0).sin(), (f * 3.7 + 2.0).sin());
                let p = pose.point_to_world(q);
                // Distance of a box.
                let d = q.abs() - half;
                let out = d.max_by_component(DVec3::zero());
                let signed = out.mag() + d.component_max().min(0.0);
                let c = body.closest(p).unwrap();
                assert!((c.distance - signed).abs() < 1e-12, "{i}: {} {signed}", c.distance);
                assert!(((c.point - p).mag() - signed.abs()).abs() < 1e-12);
                assert_eq!(body.contains(p), signed < 0.0);
                // A ray along an axis of the box from outside.
                let from = DVec3::new(0.49 * q.x, 0.29 * q.y, 3.0);
                let (o, dir) = (pose.point_to_world(from), pose.vector_to_world(-DVec3::unit_z()));
                let met = body.ray(o, dir, 10.0).unwrap();
                assert!((met.distance - 2.8).abs() < 1e-12);
                assert!((pose.vector_to_body(met.normal) - DVec3::unit_z()).mag() < 1e-12);
                assert!(body.ray(o, dir, 2.7).is_none() && body.ray(o, -dir, 10.0).is_none());
            }
        }
    }

    #[test]
    fn half_spaces_cables_and_points() {
        let plane = Shape::Plane { normal: DVec3::unit_z(), offset: 1.0 };
        let floor = Placed { shape: &plane, pose: Pose::identity(), vertices: &[], tree: None };
        let down = floor.ray(DVec3::new(0.0, 0.0, 3.0), -DVec3::unit_z(), 5.0).unwrap();
        assert_eq!((down.distance, down.point.z), (2.0, 1.0));
        assert!(floor.ray(DVec3::new(0.0, 0.0, 3.0), DVec3::unit_z(), 5.0).is_none());
        assert!(floor.ray(DVec3::new(0.0, 0.0, 3.0), DVec3::unit_x(), 5.0).is_none());
        assert_eq!(floor.ray(DVec3::zero(), DVec3::unit_x(), 5.0).unwrap().distance, 0.0);
        assert_eq!(floor.closest(DVec3::zero()).unwrap().distance, -1.0);
        let line = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_x() * 2.0];
        let cable = Shape::Soft(Arc::new(SoftShape::line(3)));
        let cable = Placed { shape: &cable, pose: Pose::identity(), vertices: &line, tree: None };
        let c = cable.closest(DVec3::new(1.5, 2.0, 0.0)).unwrap();
        assert_eq!((c.point.x, c.distance), (1.5, 2.0));
        let dust = Shape::Points { count: 3 };
        let dust = Placed { shape: &dust, pose: Pose::identity(), vertices: &line, tree: None };
        let c = dust.closest(DVec3::new(1.6, 0.0, 0.3)).unwrap();
        assert_eq!(c.point.x, 2.0);
        assert!((c.distance - 0.5).abs() < 1e-15);
        assert!(dust.ray(DVec3::unit_z(), -DVec3::unit_z(), 9.0).is_none() && !dust.contains(line[0]));
    }
}
