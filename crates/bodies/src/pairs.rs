//! Body pairs whose boxes meet: the first half of every broad phase that looks at boxes at given times.

use crate::error::ContactError;
use crate::laws::Laws;
use crate::plane::world_plane;
use crate::shapes::{Shape, Shapes};
use crate::tables::Dofs;
use impinge_broadphase::{Aabb, BodyPairs, plane_overlaps};
use impinge_geometry::{DVec3, Pose};

/// Finds them; kept from step to step for its memory alone.
#[derive(Debug, Default)]
pub struct PairFinder {
    boxes: BodyPairs,
    found: Vec<(u32, u32)>,
    /// One plane at each of the poses.
    planes: Vec<(DVec3, f64)>,
}

impl PairFinder {
    /// Pairs of different bodies that a law lets meet and of which one is moved by forces, the lower slot first, in no order. A plane is
    /// near a box that reaches below it with any of the `poses`.
    pub fn find(
        &mut self,
        shapes: &Shapes,
        laws: &Laws,
        dofs: &Dofs,
        poses: &[&[Pose]],
        bounds: &[Aabb],
    ) -> Result<&mut Vec<(u32, u32)>, ContactError> {
        let kind = &dofs.bodies.kind;
        let may_touch = |a: u32, b: u32| {
            let dynamic = kind[a as usize].is_dynamic() || kind[b as usize].is_dynamic();
            dynamic && laws.of(a, b).is_some()
        };
        self.boxes.find(bounds, may_touch, &mut self.found)?;
        for (p, shape) in shapes.0.iter().enumerate() {
            let Shape::Plane { normal, offset } = shape else { continue };
            self.planes.clear();
            self.planes.extend(poses.iter().map(|poses| world_plane(&poses[p], *normal, *offset)));
            for (b, around) in bounds.iter().enumerate() {
                let (lo, hi) = (p.min(b) as u32, p.max(b) as u32);
                let near = |&(n, o): &(DVec3, f64)| plane_overlaps(around, n, o);
                if b != p && self.planes.iter().any(near) && may_touch(lo, hi) {
                    self.found.push((lo, hi));
                }
            }
        }
        Ok(&mut self.found)
    }
}
