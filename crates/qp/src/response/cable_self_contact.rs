//! A cable that may meet itself: its segments against each other, and its nodes against its segments.
//!
//! Two segments that cross have a distance of their own; whatever lies along another, or ends at it, is near with a node. A node is an edge
//! without length (the mark by which [`super::near`] knows it). Segments that share a node touch for good and do not meet; the nodes
//! at their far ends do, so that a cable does not fold flat on itself.

use super::scene::Scene;
use impinge_bodies::{ContactError, Names, two};
use impinge_broadphase::{Aabb, BodyPairs};
use impinge_contact::Surface;
use impinge_geometry::DVec3;
use impinge_swept::Faces;

/// Pairs of one cable with itself, and the scratch to find them.
#[derive(Default)]
pub(crate) struct CableSelfContact {
    pairs: BodyPairs,
    boxes: Vec<Aabb>,
    near: Vec<(u32, u32)>,
    ways: Vec<[DVec3; 2]>,
}

/// Where a cable's features are in the list of edges: its first segment, and the edge of its first node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub segment: u32,
    pub node: u32,
}

/// Appends the nodes `range` as edges without length; the number of the first.
pub(crate) fn number_nodes(range: std::ops::Range<usize>, faces: &mut Faces) -> u32 {
    let first = faces.edges.len() as u32;
    faces.edges.extend(range.map(|v| [v as u32; 2]));
    first
}

impl CableSelfContact {
    /// Appends what may come within the thickness on the way of `surface`: pairs of segments without a common node, and nodes with the
    /// segments that they are not an end of.
    pub fn find(
        &mut self,
        (scene, names): (&Scene<'_>, &Names),
        body: u32,
        numbers: Numbers,
        surface: &Surface,
        segments: &mut Vec<(u32, u32)>,
        nodes: &mut Vec<(u32, u32)>,
    ) -> Result<(), ContactError> {
        let range = scene.map.range(body as usize);
        if range.len() < 3 || scene.laws.of(body, body).is_none() {
            return Ok(());
        }
        let (x0, x1) = (&surface.x0[range.clone()], &surface.x1[range]);
        // As seen from the body: whether it meets itself does not depend on where all of it goes.
        let way = x0.iter().zip(x1).fold(DVec3::zero(), |sum, (a, b)| sum + (*b - *a));
        let drift = way / x0.len() as f64;
        self.ways.clear();
        self.ways.extend(x0.iter().zip(x1).map(|(a, b)| [*a, *b - drift]));
        // The difference is rounded.
        let farthest = x0.iter().chain(x1).fold(0.0f64, |m, x| m.max(x.abs().component_max()));
        let around = 0.5 * scene.between(body, body) + 4.0 * f64::EPSILON * farthest;
        let box_of = |w: &[[DVec3; 2]]| Aabb::from_points(w.as_flattened()).inflated(around);
        self.boxes.clear();
        self.boxes.extend(self.ways.windows(2).map(box_of));
        self.pairs.find(&self.boxes, |_, _| true, &mut self.near)?;
        let last = self.boxes.len() as u32 - 1;
        for &(i, j) in &self.near {
            if j > i + 1 {
                segments.push((numbers.segment + i, numbers.segment + j));
            }
            // A node belongs to the segment that it begins, and the last one to the last.
            for (of, with) in [(i, j), (j, i)] {
                let ends = [Some(of), (of == last).then_some(of + 1)];
                let apart = |n: &u32| *n != with && *n != with + 1;
                let new = ends.into_iter().flatten().filter(apart);
                nodes.extend(new.map(|n| (numbers.node + n, numbers.segment + with)));
            }
        }
        scene.laws.limits.candidates(segments.len() + nodes.len(), || two(names, body, body))
    }
}
