//! Fixed and prescribed components by projection.
//!
//! A filter keeps, for each constrained node, the projector P onto its free directions (Baraff and Witkin, Large Steps
//! in Cloth Simulation, 1998, §5.3). Solvers work on P A P: `x` keeps the constrained components it came with, to the bit
//! where a node is fixed along coordinate axes or altogether.

use crate::matrix::{Block, mul, product};
use impinge_geometry::{DVec3, is_finite, try_normalized};

/// Projectors of the constrained nodes; a node that is not listed is free.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Ascending by node.
    nodes: Vec<(u32, Block)>,
    /// Place in `nodes` of each node up to the last one that is constrained, [`NONE`] for a free one. Whoever goes through all nodes asks
    /// for each of them, several times a step: a search in `nodes` instead took 2 ms of a step with 13 thousand nodes, 384 of them held.
    place: Vec<u32>,
}

/// A node that is free.
const NONE: u32 = u32::MAX;

/// Why a constraint was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadDirection {
    /// Which node.
    pub node: u32,
    /// What was given.
    pub direction: DVec3,
}

impl std::fmt::Display for BadDirection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "node {} cannot be held along {:?}; give a finite direction that is not zero",
            self.node, self.direction
        )
    }
}

impl std::error::Error for BadDirection {}

const FREE: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

impl Filter {
    /// Nothing is held.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Holds all three components.
    pub fn fix(&mut self, node: u32) {
        *self.projector_mut(node) = [0.0; 9];
    }

    /// Holds one more direction: P ← P − p pᵀ/(pᵀp) with p = P d. A direction that is held already changes nothing.
    ///
    /// # Errors
    /// [`BadDirection`] for a zero or non-finite direction.
    pub fn hold(&mut self, node: u32, direction: DVec3) -> Result<(), BadDirection> {
        let bad = BadDirection { node, direction };
        if !is_finite(direction) {
            return Err(bad);
        }
        let d = try_normalized(direction).ok_or(bad)?;
        let p = self.projector_mut(node);
        let free = mul(p, d);
        // What is left of a unit vector after projections that already hold it is rounding.
        if free.mag() < 1e-7 {
            return Ok(());
        }
        let u = free / free.mag();
        let us = [u.x, u.y, u.z];
        for i in 0..3 {
            for j in 0..3 {
                p[3 * i + j] -= us[i] * us[j];
            }
        }
        // Three directions leave rounding behind; nothing may leak through it.
        if p[0] + p[4] + p[8] < 0.5 {
            *p = [0.0; 9];
        }
        Ok(())
    }

    /// Lets the node go.
    pub fn release(&mut self, node: u32) {
        if let Ok(k) = self.nodes.binary_search_by_key(&node, |n| n.0) {
            self.nodes.remove(k);
            self.place[node as usize] = NONE;
            self.number(k);
            self.place.truncate(self.nodes.last().map_or(0, |n| n.0 as usize + 1));
        }
    }

    /// Writes the places of the nodes from the `k`-th on.
    fn number(&mut self, k: usize) {
        for (at, (node, _)) in self.nodes.iter().enumerate().skip(k) {
            self.place[*node as usize] = at as u32;
        }
    }

    fn projector_mut(&mut self, node: u32) -> &mut Block {
        let k = match self.nodes.binary_search_by_key(&node, |n| n.0) {
            Ok(k) => k,
            Err(k) => {
                self.nodes.insert(k, (node, FREE));
                let reach = self.nodes.last().map_or(0, |n| n.0 as usize + 1);
                self.place.resize(reach.max(self.place.len()), NONE);
                self.number(k);
                k
            }
        };
        &mut self.nodes[k].1
    }

    /// What holds a stretch of nodes, numbered from its first on.
    #[must_use]
    pub fn part(&self, nodes: std::ops::Range<usize>) -> Self {
        let at = |node: usize| self.nodes.partition_point(|n| (n.0 as usize) < node);
        let mut part = Self::none();
        for (i, p) in &self.nodes[at(nodes.start)..at(nodes.end.max(nodes.start))] {
            *part.projector_mut(i - nodes.start as u32) = *p;
        }
        part
    }

    /// The projector of a node, `None` for a free one.
    #[must_use]
    pub fn projector(&self, node: usize) -> Option<&Block> {
        let k = *self.place.get(node)?;
        // Past the end for a free node.
        self.nodes.get(k as usize).map(|n| &n.1)
    }

    /// The constrained nodes and their projectors, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Block)> {
        self.nodes.iter().map(|(i, p)| (*i as usize, p))
    }

    /// Nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Takes the held components out of a vector. Nodes beyond its end are ignored.
    pub fn project(&self, v: &mut [DVec3]) {
        for (i, p) in &self.nodes {
            if let Some(v) = v.get_mut(*i as usize) {
                *v = mul(p, *v);
            }
        }
    }

    /// Whether a vector has held components that are more than rounding. Nodes beyond its end are ignored.
    #[must_use]
    pub fn prescribes(&self, v: &[DVec3]) -> bool {
        let held = |p: &Block, v: DVec3| (mul(p, v) - v).mag() > 1e-12 * v.mag();
        self.iter().any(|(i, p)| v.get(i).is_some_and(|v| held(p, *v)))
    }

    /// `P A P + s (I − P)` of a diagonal block, s = trace/3 or 1: what a preconditioner inverts.
    #[must_use]
    pub fn diagonal(&self, node: usize, a: &Block) -> Block {
        let Some(p) = self.projector(node) else { return *a };
        let mut out = product(&product(p, a), p);
        let t = (a[0] + a[4] + a[8]) / 3.0;
        let s = if t > 0.0 && t.is_finite() { t } else { 1.0 };
        for i in 0..9 {
            out[i] += s * (FREE[i] - p[i]);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of each node is that in the list, whatever the order of holding and releasing.
    #[test]
    fn projectors_are_found_by_node() {
        let mut filter = Filter::none();
        let mut state = 7u32;
        for _ in 0..400 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let node = state >> 27;
            match state >> 8 & 3 {
                0 => filter.release(node),
                1 => filter.fix(node),
                _ => filter.hold(node, DVec3::new(f64::from(node), 1.0, 0.0)).unwrap(),
            }
            for i in 0..40usize {
                let listed = filter.nodes.iter().find(|n| n.0 as usize == i).map(|n| &n.1);
                assert_eq!(filter.projector(i), listed, "node {i}");
            }
            // Equal filters compare equal: nothing is kept of nodes that were released.
            let mut again = Filter::none();
            for (node, p) in filter.iter() {
                *again.projector_mut(node as u32) = *p;
            }
            assert_eq!(filter, again);
            // Of a stretch, by its own numbers.
            let (from, end) = ((state >> 3 & 15) as usize, 16 + (state >> 11 & 15) as usize);
            let part = filter.part(from..end);
            assert!(
                (0..40).all(|i| part.projector(i) == filter.projector(from + i).filter(|_| from + i < end))
            );
            assert_eq!(filter.prescribes(&[DVec3::new(1.0, 1.0, -2.0); 40]), !filter.is_empty());
            assert!(!filter.prescribes(&[DVec3::zero(); 40]) && !filter.prescribes(&[]));
        }
    }
}
