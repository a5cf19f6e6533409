//! Where two cables that have passed through each other cross, and which pairs of segments bear it.
//!
//! Seen along a segment of one cable, that is a point, and two segments of the other one that meet in a node are the two sides of a corner. The lines of
//! the pairs say how far past the node each side sees the point, x and y, and how deep. In a hollow corner the point belongs in front of both sides: it
//! is held by the side that it is behind, and beyond the end of both (x > 0 > y) by the node, which is both of them together, in parts that go over
//! into one another. Round an outer corner it belongs in front of either: beyond the end of both it is free, and where both see it on themselves
//! (x < 0 < y) each holds it, up to where it has the node on its end. So what holds changes without a jump, on whatever path a crossing goes over nodes.
//! A pair has the product of its parts in the corners of both cables.

use super::ground::{Ground, next_segment};
use crate::edge_edge_key;
use impinge_ccd::{Kind, contact_normal};
use impinge_geometry::DVec3;
use impinge_swept::{crossing, edges_of, weights};
use smallvec::SmallVec;

/// Two segments of two cables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) key: u64,
    pub(crate) stencil: [u32; 4],
    /// Places of the nodes (m).
    x: [DVec3; 4],
    /// Where the lines cross, from 0 to 1 along each segment.
    at: [f64; 2],
    /// Lengths (m).
    long: [f64; 2],
    /// To the free side of the first.
    pub(crate) normal: DVec3,
    /// How far they are past each other (m); negative for apart.
    pub(crate) depth: f64,
}

impl Seen {
    /// `None` for parallel segments and for those that share a node.
    pub(crate) fn of(key: u64, side: i8, on: &Ground) -> Option<Self> {
        let (first, second) = edges_of(key);
        let ([a, b], [c, d]) = (*on.faces.edges.get(first as usize)?, *on.faces.edges.get(second as usize)?);
        if a == c || a == d || b == c || b == d {
            return None;
        }
        let stencil = [a, b, c, d];
        let x = stencil.map(|v| on.x[v as usize]);
        let at = crossing(&x)?;
        let normal = contact_normal(Kind::EdgeEdge, &x, &x, 0.0, side, &weights(at));
        let long = [(x[1] - x[0]).mag(), (x[3] - x[2]).mag()];
        Some(Self { key, stencil, x, at, long, normal, depth: normal.dot(x[2] - x[0]) })
    }

    /// Unit vector along the segment of the first or of the second cable.
    fn along_segment(&self, cable: usize) -> DVec3 {
        (self.x[2 * cable + 1] - self.x[2 * cable]) / self.long[cable].max(f64::MIN_POSITIVE)
    }

    /// How far the lines cross past an end of a segment (m), negative before it.
    fn past(&self, cable: usize, end: usize) -> f64 {
        let past = if end == 1 { self.at[cable] - 1.0 } else { -self.at[cable] };
        past * self.long[cable]
    }

    /// Tangent of the angle between the normal and the way to a point that is this far past the node (m).
    fn aside(&self, past: f64) -> f64 {
        past.abs() * self.along_segment(0).cross(self.along_segment(1)).mag() / self.depth
    }

    /// Signed weights of the points that are pushed: where the lines cross, past an end by no more than the depth.
    pub(crate) fn weights(&self) -> [f64; 4] {
        weights([0, 1].map(|c: usize| {
            let most = self.depth / self.long[c].max(f64::MIN_POSITIVE);
            self.at[c].clamp(-most, 1.0 + most)
        }))
    }
}

/// The next segment of a cable at the node that is nearer to a crossing.
struct Next {
    /// The pair with it, where it is not along the other one.
    seen: Seen,
    /// How far past the node it sees the crossing (m).
    past: f64,
    /// It rises towards the side that the other cable belongs on.
    hollow: bool,
}

/// Where a crossing is along one of the cables.
struct Along {
    /// How far past the node the segment before it sees it (m), negative on it.
    past: f64,
    next: Option<Next>,
}

impl Seen {
    fn along(&self, cable: usize, side: i8, on: &Ground) -> Along {
        let end = usize::from(self.at[cable] > 0.5);
        let pair = edges_of(self.key);
        let next = || {
            let segment = if cable == 0 { pair.0 } else { pair.1 };
            let next = next_segment(on.faces, segment, end)?;
            let (first, second) = if cable == 0 { (next, pair.1) } else { (pair.0, next) };
            let seen = Self::of(edge_edge_key(first, second), side, on)?;
            let past = -seen.past(cable, 1 - end);
            // The way on from the node, and the way on which the other cable is free.
            let way = if end == 1 { seen.along_segment(cable) } else { -seen.along_segment(cable) };
            let free = if cable == 0 { -self.normal } else { self.normal };
            Some(Next { seen, past, hollow: way.dot(free) > 0.0 })
        };
        Along { past: self.past(cable, end), next: next() }
    }
}

impl Along {
    /// The part that the segment before the node has of what it is `seen` in.
    fn part(&self, seen: &Seen) -> f64 {
        let x = self.past;
        let on_itself = f64::from(u8::from(x <= 0.0));
        let Some(next) = &self.next else { return on_itself };
        let (y, deep) = (next.past, next.seen.depth > 0.0);
        if next.hollow {
            match (x > 0.0 && y < 0.0, deep) {
                (true, true) => {
                    // Together as k times the distance to the node, where neither has to be more than a whole contact.
                    let [s, t] = [seen.aside(x), next.seen.aside(y)];
                    (t / (s + t) * (1.0 + s * s)).min(1.0)
                }
                (true, false) => 1.0,
                (false, _) => on_itself,
            }
        } else if x <= 0.0 && y >= 0.0 && deep && seen.normal.dot(next.seen.normal) > 0.0 {
            // Where these places are farther apart than they are deep both are contacts.
            let apart = (-x / seen.depth).min(1.0);
            if y > x { apart.max(x / (x - y)) } else { 0.5 }
        } else {
            on_itself
        }
    }

    /// Past an end of the cable, by the tip of a bend, or out in front of what goes on there.
    fn has_gone_by(&self) -> bool {
        let free = |n: &Next| if n.past < 0.0 { !n.hollow } else { n.seen.depth <= 0.0 };
        self.past > 0.0 && self.next.as_ref().is_none_or(free)
    }
}

/// Pairs that are looked at in a step for one crossing, at the most.
const MOST: usize = 64;

/// The pairs that bear a crossing which was borne by these, and the part that each has of it: one in all, or more in places that are apart. None where
/// it is over.
pub(crate) fn bearers(
    from: impl Iterator<Item = (u32, u32)>,
    side: i8,
    on: &Ground,
) -> SmallVec<[(Seen, f64); 8]> {
    let mut pairs: SmallVec<[(u32, u32); 16]> = from.collect();
    let mut parts: SmallVec<[(Seen, f64); 8]> = SmallVec::new();
    let mut kept: Option<Seen> = None;
    let mut at = 0;
    while let Some(&(first, second)) = pairs.get(at).filter(|_| at < MOST) {
        at += 1;
        let Some(seen) = Seen::of(edge_edge_key(first, second), side, on) else { continue };
        let along = [0, 1].map(|cable| seen.along(cable, side, on));
        let deep = seen.depth > 0.0;
        let part: f64 = if deep { along.iter().map(|a| a.part(&seen)).product() } else { 0.0 };
        for next in along.iter().filter(|a| part > 0.0 || a.past > 0.0).filter_map(|a| a.next.as_ref()) {
            let pair = edges_of(next.seen.key);
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        if part > 0.0 {
            parts.push((seen, part));
        } else if deep && kept.is_none() && !along.iter().any(Along::has_gone_by) {
            kept = Some(seen);
        }
    }
    if parts.is_empty() {
        // Of pairs of which each says that the next one has it, the first keeps it.
        parts.extend(kept.map(|seen| (seen, 1.0)));
    }
    let all = parts.iter().map(|p| p.1).sum::<f64>().min(1.0);
    parts.iter_mut().for_each(|p| p.1 /= all);
    parts
}

#[cfg(test)]
mod tests;
