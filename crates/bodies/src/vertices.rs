//! Where the vertices of a body are at the time of evaluation, and which of them may be inside another.

use crate::detect::plane_depth;
use crate::evaluate::{node_positions, poses};
use crate::plane::world_plane;
use crate::shapes::{MeshShape, Shape, Shapes};
use crate::tables::Dofs;
use impinge_broadphase::Aabb;
use impinge_contact::{BodyDofs, Evaluate, PlaneContact, Prediction, SurfaceMap, contact_key};
use impinge_geometry::{DVec3, Pose};

/// Vertices of every body at one time of the step.
#[derive(Clone, Copy)]
pub struct Vertices<'a> {
    /// The surface.
    pub map: &'a SurfaceMap,
    /// By slot.
    pub shapes: &'a Shapes,
    /// Where bodies are then.
    pub poses: &'a [Pose],
    /// Where nodes are then (m).
    pub nodes: &'a [DVec3],
    /// Where all vertices are then (m), where that was computed: most questions are about the same few.
    pub placed: Option<&'a [DVec3]>,
}

impl<'a> Vertices<'a> {
    /// At the time of evaluation.
    #[must_use]
    pub fn at(
        at: Evaluate,
        map: &'a SurfaceMap,
        shapes: &'a Shapes,
        dofs: &'a Dofs,
        prediction: &'a Prediction,
    ) -> Self {
        let (poses, nodes) = (poses(at, dofs, prediction), node_positions(at, dofs, prediction));
        Self { map, shapes, poses, nodes, placed: None }
    }

    /// World position of a surface vertex (m).
    #[inline]
    #[must_use]
    pub fn position(&self, v: u32) -> DVec3 {
        if let Some(placed) = self.placed {
            return placed[v as usize];
        }
        self.map.at_nodes(v, self.nodes).unwrap_or_else(|| {
            let b = self.map.body_of(v) as usize;
            self.poses[b].point_to_world(self.map.arms(b)[(v - self.map.first(b)) as usize])
        })
    }

    /// The box around a body's vertices (m, world).
    #[must_use]
    pub fn around(&self, body: u32) -> Aabb {
        self.map.range(body as usize).fold(Aabb::empty(), |a, v| {
            let x = self.position(v as u32);
            a.union(&Aabb::new(x, x))
        })
    }

    /// The contact of vertex `v` with the plane of body `target`, if it is below it or nearer than `reach` (m).
    #[must_use]
    pub fn plane_contact(
        &self,
        v: u32,
        target: u32,
        pair: u32,
        bodies: &BodyDofs,
        reach: f64,
    ) -> Option<PlaneContact> {
        let t = target as usize;
        let Shape::Plane { normal, offset } = &self.shapes.0[t] else { return None };
        let (normal, offset) = world_plane(&self.poses[t], *normal, *offset);
        let x = self.position(v);
        let depth = plane_depth(normal, offset, x);
        let point = x + normal * depth;
        let velocity = bodies.velocity[t] + bodies.angular_velocity[t].cross(point - self.poses[t].position);
        let (area, key) = (self.shapes.vertex_area(self.map, v), contact_key(target, v));
        (depth + reach > 0.0).then_some(PlaneContact {
            vertex: v,
            plane: target,
            point,
            normal,
            velocity,
            area,
            pair,
            key,
        })
    }

    /// Writes the surface vertices of `own` nearer than `reach` (m) to the plane `target` or below it to `near`, ascending; none where it is
    /// no plane.
    pub fn near_plane(&self, own: u32, target: u32, reach: f64, near: &mut Vec<u32>) {
        near.clear();
        let Shape::Plane { normal, offset } = &self.shapes.0[target as usize] else { return };
        let (n, d) = world_plane(&self.poses[target as usize], *normal, *offset + reach);
        near.extend(self.map.range(own as usize).map(|v| v as u32).filter(|&v| n.dot(self.position(v)) <= d));
    }

    /// Writes the vertices of `own` that may be inside `target` to `local`, ascending, counted from the
    /// body's first. `around` is the world box of `target`.
    pub fn inside(&self, own: u32, target: u32, around: &Aabb, local: &mut Vec<u32>) {
        let (o, t) = (own as usize, target as usize);
        local.clear();
        let (first, count) = (self.map.first(o), self.map.range(o).len() as u32);
        let moving = self.map.attachment(o).has_nodes();
        let vertices = || (0..count).map(|i| (i, self.position(first + i)));
        // Behind an open mesh is room outside its box, as much as the body is large.
        let room = |m: &MeshShape| match &self.shapes.0[o] {
            _ if !m.open => 0.0,
            Shape::Mesh(own) => 2.0 * own.bounds.half_extent().mag(),
            _ => 2.0 * self.around(own).half_extent().mag(),
        };
        match (&self.shapes.0[t], moving, self.shapes.0[o].mesh()) {
            (Shape::Mesh(m), true, _) => {
                let bounds = m.bounds.inflated(room(m));
                let inside = vertices().filter(|(_, x)| bounds.contains(self.poses[t].point_to_body(*x)));
                local.extend(inside.map(|(i, _)| i));
            }
            (Shape::Plane { normal, offset }, true, _) => {
                let (n, d) = world_plane(&self.poses[t], *normal, *offset);
                local.extend(vertices().filter(|(_, x)| n.dot(*x) <= d).map(|(i, _)| i));
            }
            (Shape::Soft(_), true, _) => {
                local.extend(vertices().filter(|(_, x)| around.contains(*x)).map(|(i, _)| i));
            }
            (Shape::Soft(_), _, Some(mesh)) => {
                mesh.tree.candidates(&self.poses[o].relative_to(&Pose::identity()), around, local);
            }
            (Shape::Mesh(m), _, Some(mesh)) => {
                mesh.tree.candidates(
                    &self.poses[o].relative_to(&self.poses[t]),
                    &m.bounds.inflated(room(m)),
                    local,
                );
            }
            (Shape::Plane { normal, offset }, _, Some(mesh)) => {
                mesh.tree.below_plane(&self.poses[o].relative_to(&self.poses[t]), *normal, *offset, local);
            }
            _ => {}
        }
    }
}
