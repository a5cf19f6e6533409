//! The bodies as the search for contacts sees them, and the distance that they keep.

use super::near::{Near, touching};
use impinge_bodies::{Dofs, Laws, Own, Shape, Shapes};
use impinge_contact::SurfaceMap;
use impinge_geometry::{DVec3, closest_between_segments, closest_on_triangle};
use impinge_swept::{Faces, List, Margin, SweptCandidates};

/// The world as the search sees it.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub map: &'a SurfaceMap,
    pub shapes: &'a Shapes,
    pub laws: &'a Laws,
    pub dofs: &'a Dofs,
    pub faces: &'a Faces,
    /// From the broad phase, and the ends it was made for (m).
    pub listed: &'a SweptCandidates,
    pub predicted: &'a [DVec3],
    /// The farthest that each body keeps from others, and what it keeps from itself (m), by slot.
    pub reach: &'a [Margin],
    /// Of surfaces that state none (m).
    pub radius: f64,
}

/// Times the distance that they keep within which features are near each other. What stands on each other keeps it to rounding and falls
/// alike: without this its contacts were found one after the other, each when the answer without it had tilted something, and a stack of ten boxes
/// trembled.
pub(crate) const BESIDE: f64 = 1.0 + 1e-6;
/// Times the distance that they keep within which features are that were near each other when the step began: what has held may hold. (A pile's
/// prediction lifts half of its contacts by a hair, and they were found one after the other, each when the answer without it had pressed them together.)
pub(crate) const HELD: f64 = 2.0;
/// Of the distance at rest of two features of one body, what they keep at most.
const OF_REST: f64 = 0.5;

impl Scene<'_> {
    /// Distance that the surfaces of two bodies keep (m).
    #[must_use]
    pub fn between(&self, a: u32, b: u32) -> f64 {
        self.laws.thickness.between_or(a, b, self.radius)
    }

    /// The same of the bodies of a pair of features.
    #[must_use]
    pub fn between_vertices(&self, stencil: [u32; 4]) -> f64 {
        self.between(self.map.body_of(stencil[0]), self.map.body_of(stencil[3]))
    }

    /// A pair of features of one sheet or cable.
    #[must_use]
    pub fn meets_itself_thin(&self, stencil: [u32; 4]) -> bool {
        let body = self.map.body_of(stencil[0]);
        body == self.map.body_of(stencil[3])
            && matches!(&self.shapes.0[body as usize], Shape::Soft(s) if s.meets_itself_thin())
    }

    /// Distance that a pair of features keeps (m). Two of one body keep no more than half of what is between them at rest:
    /// neighbours in a mesh finer than the thickness are not pushed apart, nor are the two sides of a fold. What touches at rest keeps
    /// nothing, and is no contact: the two lips of a cut.
    #[must_use]
    pub fn keeps(&self, list: List, stencil: [u32; 4]) -> f64 {
        let (body, other) = (self.map.body_of(stencil[0]), self.map.body_of(stencil[3]));
        let thickness = self.between(body, other);
        if other != body {
            return thickness;
        }
        let shape = &self.shapes.0[body as usize];
        let rest = match (shape, shape.triangles()) {
            (_, Some(mesh)) => mesh.positions(),
            (Shape::Soft(s), None) if let Some(Own::Line(rest)) = &s.own => rest,
            _ => return thickness,
        };
        let first = self.map.first(body as usize);
        let x = stencil.map(|v| rest[(v - first) as usize]);
        let apart = distance_squared(list, x);
        if touching(apart, &x) { 0.0 } else { thickness.min(OF_REST * apart.sqrt()) }
    }
}

/// Of two features with these vertices (m²). A node of a cable is an edge between the same two.
pub(crate) fn distance_squared(list: List, [a, b, c, d]: [DVec3; 4]) -> f64 {
    match list {
        List::Edges => closest_between_segments([a, b], [c, d]).distance_squared,
        List::Solid | List::Sheet => closest_on_triangle(a, [b, c, d]).distance_squared,
    }
}

/// A feature pair that touches on the way, or ends too near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Found {
    pub list: List,
    pub key: u64,
    pub stencil: [u32; 4],
    pub near: Near,
    /// Distance that it keeps (m), > 0.
    pub keeps: f64,
    /// When it first touches, fraction of the step; `None` where it is only near.
    pub touch: Option<f64>,
}

/// The farthest way (m) from a place of `x0` to that of `x1`, and which.
pub(crate) fn farthest(x0: &[DVec3], x1: &[DVec3]) -> (usize, f64) {
    let ways = x0.iter().zip(x1).map(|(a, b)| (*b - *a).mag()).enumerate();
    ways.fold((0, 0.0), |m, (i, w)| if w > m.1 || w.is_nan() { (i, w) } else { m })
}
