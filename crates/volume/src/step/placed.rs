//! Where the vertices of bodies are at one time of the step: placed once for all pairs of a body.
//!
//! A plane becomes a box with its top on the plane, large enough to hold all of the other body that is below: the volume, its
//! gradient by the other body and the wrench on the plane are those of the half space.

use super::surfaces::Surfaces;
use crate::bounds::{Bounds, around};
use crate::closed::Known;
use crate::exact::unsettled;
use crate::{Body, ClosedSurface, VolumeError};
use impinge_bodies::{Shape, Shapes, world_plane};
use impinge_broadphase::Aabb;
use impinge_contact::{Attachment, SurfaceMap, par};
use impinge_geometry::{DVec3, Pose, generators, tangents};
use std::sync::{Arc, LazyLock};

/// Vertices placed in one go.
const CHUNK: usize = 4096;

/// Where the bodies are at one time of the step.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub map: &'a SurfaceMap,
    pub shapes: &'a Shapes,
    pub poses: &'a [Pose],
    pub nodes: &'a [DVec3],
}

impl At<'_> {
    /// Vertices of a body (m).
    pub fn vertices(&self, slot: usize, out: &mut Vec<DVec3>) {
        let range = self.map.range(slot);
        match self.map.attachment(slot) {
            Attachment::Nodes { first_node } => {
                out.clear();
                out.extend_from_slice(&self.nodes[first_node as usize..][..range.len()]);
            }
            Attachment::Embedded { first_node } => {
                out.resize(range.len(), DVec3::zero());
                if let Some(embedding) = self.map.embedding(slot) {
                    embedding.positions(&self.nodes[first_node as usize..], out);
                }
            }
            Attachment::Rigid | Attachment::Kinematic | Attachment::Fixed => {
                out.resize(range.len(), DVec3::zero());
                let (at, r, arms) =
                    (self.poses[slot].position, self.poses[slot].matrix(), self.map.arms(slot));
                par::fill(out, CHUNK, |v, x| *x = at + r * arms[v]);
            }
        }
    }

    /// Corners of the box for the plane of body `slot` under the vertices `x`, in the order of [`generators::cuboid`]; `false` where
    /// nothing is below.
    pub fn half_space(&self, slot: usize, x: &[DVec3], out: &mut Vec<DVec3>) -> bool {
        let Shape::Plane { normal, offset } = &self.shapes.0[slot] else { return false };
        let (n, top) = world_plane(&self.poses[slot], *normal, *offset);
        let t = tangents(n)[0];
        let s = n.cross(t);
        let (mut lo, mut hi) = (DVec3::broadcast(f64::INFINITY), DVec3::broadcast(f64::NEG_INFINITY));
        for &p in x {
            let local = DVec3::new(p.dot(t), p.dot(s), p.dot(n));
            lo = lo.min_by_component(local);
            hi = hi.max_by_component(local);
        }
        out.clear();
        if lo.z >= top {
            return false;
        }
        // Off by numbers without a meaning, so that its edges and diagonals fall on nothing that symmetry puts there.
        let size = (hi - lo).component_max().max(top - lo.z);
        let (lo, hi) = (
            DVec3::new(lo.x - 0.531 * size, lo.y - 0.617 * size, lo.z - 0.713 * size),
            DVec3::new(hi.x + 0.577 * size, hi.y + 0.673 * size, top),
        );
        out.extend(CUBE.iter().map(|c| {
            let pick = |c: f64, lo: f64, hi: f64| if c > 0.0 { hi } else { lo };
            t * pick(c.x, lo.x, hi.x) + s * pick(c.y, lo.y, hi.y) + n * pick(c.z, lo.z, hi.z)
        }));
        !out.is_empty()
    }
}

/// Corners of a half space's box, in the order of [`generators::cuboid`].
static CUBE: LazyLock<Vec<DVec3>> = LazyLock::new(|| {
    generators::cuboid(DVec3::one(), [1; 3]).map_or_else(|_| Vec::new(), |cube| cube.positions().to_vec())
});

/// A body where it was looked at last.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    pub surface: Option<Arc<ClosedSurface>>,
    pub failed: Option<VolumeError>,
    /// Vertices (m).
    pub x: Vec<DVec3>,
    /// Another where the surface is another, or a vertex elsewhere by a bit.
    pub version: u64,
    next: Vec<DVec3>,
    /// Box around them, where they are finite and none is next to 0; and of their clusters.
    bounds: Option<Bounds>,
    boxes: Vec<Bounds>,
    /// The look for which it was placed.
    round: u64,
}

impl Placed {
    fn place(&mut self, at: &At<'_>, slot: usize, surfaces: &mut Surfaces) {
        at.vertices(slot, &mut self.next);
        let (surface, failed) = match surfaces.get(at.shapes, slot) {
            Ok(surface) => (surface, None),
            Err(e) => (None, Some(e)),
        };
        let same = match (&self.surface, &surface) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        (self.surface, self.failed) = (surface, failed);
        if same && same_bits(&self.x, &self.next) {
            return;
        }
        self.version += 1;
        std::mem::swap(&mut self.x, &mut self.next);
        self.bounds = if self.x.is_empty() || unsettled(&self.x) { None } else { around(&self.x) };
        self.boxes.clear();
        if let Some(clusters) = self.surface.as_ref().and_then(|s| s.clusters()) {
            clusters.boxes(&self.x, &mut self.boxes);
        }
    }

    /// With what is known of it; `None` for what has no surface.
    pub fn body(&self) -> Result<Option<Body<'_>>, VolumeError> {
        let Some(surface) = &self.surface else { return Ok(None) };
        let known = self.bounds.map(|bounds| Known { bounds, boxes: &self.boxes });
        Ok(Some(Body { known, ..Body::new(surface, &self.x)? }))
    }
}

/// Points are the same to the bit.
pub(crate) fn same_bits(a: &[DVec3], b: &[DVec3]) -> bool {
    let bits = |p: &DVec3| [p.x, p.y, p.z].map(f64::to_bits);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bits(a) == bits(b))
}

/// All bodies, by slot.
#[derive(Debug, Default)]
pub(crate) struct AllPlaced {
    of: Vec<Placed>,
    round: u64,
}

impl AllPlaced {
    /// Bodies are elsewhere from now on.
    pub fn begin(&mut self) {
        self.round += 1;
    }

    /// Places a body, once for each [`Self::begin`].
    pub fn place(&mut self, at: &At<'_>, slot: usize, surfaces: &mut Surfaces) -> &Placed {
        if self.of.len() <= slot {
            self.of.resize_with(slot + 1, Placed::default);
        }
        let one = &mut self.of[slot];
        if one.round != self.round {
            one.round = self.round;
            one.place(at, slot, surfaces);
        }
        one
    }

    /// A body that was placed.
    pub fn of(&self, slot: usize) -> &Placed {
        &self.of[slot]
    }

    /// A body, if it was placed, has so many triangles that it is worth a thread.
    pub fn is_fine(&self, slot: usize) -> bool {
        let surface = self.of.get(slot).and_then(|p| p.surface.as_ref());
        surface.is_some_and(|s| s.clusters().is_some())
    }

    /// Box around a body's vertices.
    pub fn bounds(&mut self, at: &At<'_>, slot: usize, surfaces: &mut Surfaces) -> Aabb {
        let one = self.place(at, slot, surfaces);
        one.bounds.map_or_else(|| Aabb::from_points(&one.x), |b| Aabb::new(b.lo, b.hi))
    }
}
