//! Cables against each other, and against themselves where they may meet: segments against segments, and nodes against segments.
//!
//! Two segments that cross have a distance of their own; whatever lies along another, or ends at it, is near with a node. A node is an edge
//! without length (the mark by which [`super::near`] knows it). Segments that share a node touch for good and do not meet; the nodes
//! at their far ends do, so that a cable does not fold flat on itself.

use super::scene::Scene;
use impinge_bodies::{ContactError, Names, two};
use impinge_broadphase::{Aabb, BodyPairs};
use impinge_contact::{Sides, Surface};
use impinge_geometry::DVec3;
use impinge_swept::Faces;

/// A cable, and where its features are in the list of edges: its first segment, and the edge of its first node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cable {
    pub body: u32,
    pub segment: u32,
    pub node: u32,
    pub meets_itself: bool,
}

/// Scratch to find the pairs of cables.
#[derive(Default)]
pub(crate) struct Cables {
    pairs: BodyPairs,
    /// Around the ways of whole cables, and of the segments of those looked at.
    whole: Vec<Aabb>,
    boxes: Vec<Aabb>,
    near: Vec<(u32, u32)>,
    met: Vec<(u32, u32)>,
    ways: Vec<[DVec3; 2]>,
    segments: Vec<Segment>,
}

/// Its edge, the edge of the node that it begins with, and whether it is the last of its cable.
#[derive(Clone, Copy)]
struct Segment {
    edge: u32,
    node: u32,
    last: bool,
}

/// Appends the nodes `range` as edges without length; the number of the first.
pub(crate) fn number_nodes(range: std::ops::Range<usize>, faces: &mut Faces) -> u32 {
    let first = faces.edges.len() as u32;
    faces.edges.extend(range.map(|v| [v as u32; 2]));
    first
}

impl Cables {
    /// Appends what may come within the thickness on the way of `surface`: pairs of segments without a common node, and nodes with the
    /// segments that they are not an end of.
    pub fn find(
        &mut self,
        (scene, names): (&Scene<'_>, &Names),
        cables: &[Cable],
        surface: &Surface,
        segments: &mut Vec<(u32, u32)>,
        nodes: &mut Vec<(u32, u32)>,
    ) -> Result<(), ContactError> {
        for c in cables.iter().filter(|c| c.meets_itself) {
            self.find_between((scene, names), [c, c], surface, segments, nodes)?;
        }
        let reach = |c: &Cable| 0.5 * scene.reach.get(c.body as usize).map_or(0.0, |m| m.others);
        let whole = |c: &Cable| {
            let r = scene.map.range(c.body as usize);
            let [from, to] = [&surface.x0, &surface.x1].map(|x| Aabb::from_points(&x[r.clone()]));
            from.union(&to).inflated(reach(c))
        };
        self.whole.clear();
        self.whole.extend(cables.iter().map(whole));
        let dynamic = |c: &Cable| scene.dofs.bodies.kind[c.body as usize].is_dynamic();
        let may_meet = |i: u32, j: u32| {
            let [a, b] = [i, j].map(|i| &cables[i as usize]);
            scene.laws.of(a.body, b.body).is_some() && (dynamic(a) || dynamic(b))
        };
        let mut met = std::mem::take(&mut self.met);
        self.pairs.find(&self.whole, may_meet, &mut met)?;
        for &(i, j) in &met {
            let pair = [i, j].map(|i| &cables[i as usize]);
            self.find_between((scene, names), pair, surface, segments, nodes)?;
        }
        self.met = met;
        Ok(())
    }

    /// The same of two cables, or of one with itself.
    fn find_between(
        &mut self,
        (scene, names): (&Scene<'_>, &Names),
        [a, b]: [&Cable; 2],
        surface: &Surface,
        segments: &mut Vec<(u32, u32)>,
        nodes: &mut Vec<(u32, u32)>,
    ) -> Result<(), ContactError> {
        let Some((_, sides)) = scene.laws.of(a.body, b.body) else { return Ok(()) };
        let parts = if a == b { &[a][..] } else { &[a, b] };
        let of = |c: &Cable| scene.map.range(c.body as usize);
        let places = || parts.iter().flat_map(|c| of(c)).map(|v| [surface.x0[v], surface.x1[v]]);
        // As seen from what goes along: whether they meet does not depend on where all of it goes.
        let way = places().fold(DVec3::zero(), |sum, [a, b]| sum + (b - a));
        let drift = way / places().count().max(1) as f64;
        // The difference is rounded.
        let farthest = places().flatten().fold(0.0f64, |m, x| m.max(x.abs().component_max()));
        let around = 0.5 * scene.between(a.body, b.body) + 4.0 * f64::EPSILON * farthest;
        self.boxes.clear();
        self.segments.clear();
        let mut first_of_other = 0;
        for c in parts {
            first_of_other = self.boxes.len() as u32;
            self.ways.clear();
            self.ways.extend(of(c).map(|v| [surface.x0[v], surface.x1[v] - drift]));
            let box_of = |w: &[[DVec3; 2]]| Aabb::from_points(w.as_flattened()).inflated(around);
            self.boxes.extend(self.ways.windows(2).map(box_of));
            let count = self.ways.len().saturating_sub(1) as u32;
            let segment = |i| Segment { edge: c.segment + i, node: c.node + i, last: i + 1 == count };
            self.segments.extend((0..count).map(segment));
        }
        let apart = |i: u32, j: u32| a == b || i < first_of_other && j >= first_of_other;
        self.pairs.find(&self.boxes, apart, &mut self.near)?;
        for &(i, j) in &self.near {
            let [s, t] = [i, j].map(|i| self.segments[i as usize]);
            // Segments of two cables share no node: the numbers of their nodes follow each other, one more than segments.
            if sides == Sides::Both && t.node > s.node + 1 {
                segments.push((s.edge, t.edge));
            }
            // A node belongs to the segment that it begins, and the last one to the last.
            for (of, with, side) in [(s, t, Sides::First), (t, s, Sides::Second)] {
                if sides != Sides::Both && sides != side {
                    continue;
                }
                let ends = [Some(of.node), of.last.then_some(of.node + 1)];
                let new = ends.into_iter().flatten().filter(|n| *n != with.node && *n != with.node + 1);
                nodes.extend(new.map(|n| (n, with.edge)));
            }
        }
        scene.laws.limits.candidates(segments.len() + nodes.len(), || two(names, a.body, b.body))
    }
}
