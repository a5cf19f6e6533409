//! What bodies fall on, if they fall straight: planes and rigid meshes that are below them as a whole, taken as still. A mesh that reaches higher
//! than the body's lowest vertex (a bowl, hills) and what deforms are not seen.

use crate::components::Dofs;
use impinge_bodies::{Shape, Shapes, world_plane};
use impinge_broadphase::{Aabb, BodyPairs};
use impinge_geometry::{DVec3, Pose};

/// Part of its height that a body may hang over what it lies on, or be in it.
const LIES: f64 = 0.01;
/// Cosine of its normal with the vertical below which a plane is a wall: what glides along it falls on.
const WALL: f64 = 0.1;

/// Boxes around the bodies, and how far down they begin and end (m).
pub(crate) struct Falls {
    pub down: DVec3,
    boxes: Vec<(Aabb, [f64; 2])>,
    planes: Vec<usize>,
    /// Slots of what a body may pass on its way down, body by body.
    below: Vec<Vec<u32>>,
}

impl Falls {
    pub fn of(dofs: &Dofs, shapes: &Shapes, down: DVec3) -> Self {
        let around = |(b, shape): (usize, &Shape)| {
            let Shape::Mesh(m) = shape else { return (Aabb::empty(), [f64::INFINITY; 2]) };
            let pose = &dofs.bodies.pose[b];
            let x: Vec<DVec3> = m.mesh.positions().iter().map(|&x| pose.point_to_world(x)).collect();
            let ends = x
                .iter()
                .map(|p| p.dot(down))
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], h| [low.min(h), high.max(h)]);
            (Aabb::from_points(&x), ends)
        };
        let boxes: Vec<(Aabb, [f64; 2])> = shapes.0.iter().enumerate().map(around).collect();
        let ground =
            boxes.iter().filter(|b| !b.0.is_empty()).map(|b| b.1[1]).fold(f64::NEG_INFINITY, f64::max);
        let to_ground = |(around, [_, lowest]): &(Aabb, [f64; 2])| match around.is_empty() {
            true => *around,
            false => Self::way(around, down, ground - lowest),
        };
        let ways: Vec<Aabb> = boxes.iter().map(to_ground).collect();
        let mut pairs = Vec::new();
        if BodyPairs::new().find(&ways, |_, _| true, &mut pairs).is_err() {
            pairs.clear();
        }
        let mut below = vec![Vec::new(); boxes.len()];
        for (a, b) in pairs {
            below[a as usize].push(b);
            below[b as usize].push(a);
        }
        let planes = (0..boxes.len()).filter(|&b| matches!(shapes.0[b], Shape::Plane { .. })).collect();
        Self { down, boxes, planes, below }
    }

    /// What a box passes on its way down.
    fn way(around: &Aabb, down: DVec3, way: f64) -> Aabb {
        let fallen = around.transformed(&Pose::from_position(down * way));
        fallen.union(around).inflated(1e-9 + 1e-3 * way)
    }

    /// How far a body falls (m), and the slot of what lies under it, of those that it `meets`; `None` where nothing does. What leaps past others
    /// sideways is not followed.
    pub fn onto(
        &self,
        body: usize,
        dofs: &Dofs,
        shapes: &Shapes,
        meets: impl Fn(u32) -> bool,
    ) -> Option<(f64, usize)> {
        let (around, [top, lowest]) = self.boxes[body];
        let close = LIES * (lowest - top);
        let mut least: Option<(f64, usize)> = None;
        let mut nearer = |way: f64, o: usize| {
            if least.is_none_or(|l| way < l.0) {
                least = Some((way, o));
            }
        };
        for &o in self.planes.iter().filter(|&&o| meets(o as u32)) {
            let Shape::Plane { normal, offset } = &shapes.0[o] else { continue };
            let (n, height) = world_plane(&dofs.bodies.pose[o], *normal, *offset);
            let slope = -n.dot(self.down);
            if slope > WALL {
                let half = around.half_extent();
                let reach = half.x * n.x.abs() + half.y * n.y.abs() + half.z * n.z.abs();
                nearer((around.centre().dot(n) - reach - height).max(0.0) / slope, o);
            }
        }
        for &o in self.below[body].iter().filter(|&&o| meets(o)) {
            let (of_other, [highest, _]) = self.boxes[o as usize];
            if highest < lowest - close {
                continue;
            }
            let gap = (highest - lowest).max(0.0);
            if Self::way(&around, self.down, gap).overlaps(&of_other) {
                nearer(gap, o as usize);
            }
        }
        least
    }

    /// Whether a body lies where it falls to (this many metres) already.
    pub fn lies(&self, body: usize, way: f64) -> bool {
        let [top, lowest] = self.boxes[body].1;
        way <= LIES * (lowest - top)
    }
}
