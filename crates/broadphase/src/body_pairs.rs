//! Which bodies may touch: world boxes in, sorted overlapping pairs out.
//!
//! parry3d's f32 tree proposes, the f64 boxes decide, so the answer equals [`body_pairs_brute_force`] bit for
//! bit and depends on nothing but the boxes: not on the shape of the tree, nor on what was asked before.

use crate::aabb::Aabb;
use crate::outward::{Frame, GROW_FOR_SPLIT, build};
use impinge_geometry::DVec3;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use std::fmt;

/// Why a list of boxes was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoxError {
    /// A box has a NaN or infinite corner (and is not the empty box).
    NonFinite {
        /// The body's slot, counted from 0.
        slot: usize,
    },
}

impl fmt::Display for BoxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NonFinite { slot } => write!(
                f,
                "the box of body {slot} has a NaN or infinite corner; its state is broken or it is a plane: \
                 give the empty box and test a plane with plane_overlaps"
            ),
        }
    }
}

impl std::error::Error for BoxError {}

/// Overlapping pairs among one box per body slot; keeps its tree from step to step.
///
/// The tree is refitted while the same slots are in use and rebuilt when another set is, or when the boxes
/// have moved by about their own size on average since the last build. No allocation while neither the set
/// nor the number of pairs grows. Dropping it loses nothing but time.
#[derive(Clone, Default)]
#[doc(alias("broad phase", "sweep and prune", "dynamic AABB tree"))]
pub struct BodyPairs {
    bvh: Bvh,
    workspace: BvhWorkspace,
    /// Slot of each leaf, ascending: slots with a box that is not empty.
    slots: Vec<u32>,
    fresh: Vec<u32>,
    /// Box centre of each leaf when the tree was split.
    built_at: Vec<DVec3>,
    rebuilds: usize,
}

impl fmt::Debug for BodyPairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyPairs")
            .field("leaves", &self.slots.len())
            .field("rebuilds", &self.rebuilds)
            .finish()
    }
}

impl BodyPairs {
    /// An empty tree.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes every pair `(i, j)`, `i < j`, of overlapping boxes with `filter(i, j)` to `out`, sorted.
    ///
    /// `boxes[i]` is the world box (m) of body slot `i`; an empty box takes part in no pair. `filter` is
    /// called once per overlapping pair, in sorted order. `out` is cleared first.
    ///
    /// # Errors
    /// [`BoxError::NonFinite`] names the first slot whose box is NaN or infinite; `out` is then empty.
    pub fn find(
        &mut self,
        boxes: &[Aabb],
        mut filter: impl FnMut(u32, u32) -> bool,
        out: &mut Vec<(u32, u32)>,
    ) -> Result<(), BoxError> {
        out.clear();
        self.fresh.clear();
        let mut bounds = Aabb::empty();
        for (slot, b) in boxes.iter().enumerate() {
            if b.is_empty() {
                continue;
            }
            if !b.is_finite() {
                return Err(BoxError::NonFinite { slot });
            }
            self.fresh.push(slot as u32);
            bounds = bounds.union(b);
        }
        if self.fresh.len() < 2 {
            return Ok(());
        }
        self.update(boxes, &Frame::around(&bounds));

        let slots = &self.slots;
        // Change detection stays off: parry3d sets no change flag for updates without a margin.
        self.bvh.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            let (a, b) = (slots[a as usize], slots[b as usize]);
            if boxes[a as usize].overlaps(&boxes[b as usize]) {
                out.push((a.min(b), a.max(b)));
            }
        });
        out.sort_unstable();
        out.retain(|&(i, j)| filter(i, j));
        Ok(())
    }

    /// How often the tree was split anew.
    #[must_use]
    pub fn rebuilds(&self) -> usize {
        self.rebuilds
    }

    /// Bytes held.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.bvh.total_memory_size()
            + 4 * (self.slots.capacity() + self.fresh.capacity())
            + size_of::<DVec3>() * self.built_at.capacity()
    }

    fn update(&mut self, boxes: &[Aabb], frame: &Frame) {
        let same_slots = self.slots == self.fresh;
        if !same_slots {
            std::mem::swap(&mut self.slots, &mut self.fresh);
        }
        let box_of = |leaf: usize| boxes[self.slots[leaf] as usize];
        let n = self.slots.len();
        let split_anew = !same_slots || self.has_spread(boxes);
        if !same_slots {
            self.bvh = build(frame, self.slots.iter().map(|&s| boxes[s as usize]));
        } else {
            if split_anew {
                for leaf in 0..n {
                    let grown = frame.outward(&box_of(leaf), GROW_FOR_SPLIT);
                    self.bvh.insert_or_update_partially(grown, leaf as u32, 0.0);
                }
                self.bvh.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
            }
            for leaf in 0..n {
                self.bvh.insert_or_update_partially(frame.outward(&box_of(leaf), 0.0), leaf as u32, 0.0);
            }
        }
        self.bvh.refit(&mut self.workspace);
        if split_anew {
            self.rebuilds += 1;
            self.built_at.clear();
            self.built_at.extend(self.slots.iter().map(|&s| boxes[s as usize].centre()));
        }
    }

    /// Whether the boxes have moved apart by more than their own size, on average, since the last split.
    ///
    /// A motion common to all does the tree no harm, so the mean motion is taken off. Only speed depends on
    /// the answer.
    fn has_spread(&self, boxes: &[Aabb]) -> bool {
        let mut mean = DVec3::zero();
        for (&s, &c) in self.slots.iter().zip(&self.built_at) {
            mean += boxes[s as usize].centre() - c;
        }
        mean /= self.slots.len() as f64;
        let (mut moved, mut size) = (0.0, 0.0);
        for (&s, &c) in self.slots.iter().zip(&self.built_at) {
            let b = &boxes[s as usize];
            moved += (b.centre() - c - mean).abs().component_max();
            size += b.half_extent().component_max();
        }
        moved > 2.0 * size
    }
}

/// The same as [`BodyPairs::find`] by testing every pair: the oracle, and quicker for a handful of bodies.
///
/// # Errors
/// As [`BodyPairs::find`].
pub fn body_pairs_brute_force(
    boxes: &[Aabb],
    mut filter: impl FnMut(u32, u32) -> bool,
    out: &mut Vec<(u32, u32)>,
) -> Result<(), BoxError> {
    out.clear();
    if let Some(slot) = boxes.iter().position(|b| !b.is_empty() && !b.is_finite()) {
        return Err(BoxError::NonFinite { slot });
    }
    for i in 0..boxes.len() {
        for j in i + 1..boxes.len() {
            if boxes[i].overlaps(&boxes[j]) && filter(i as u32, j as u32) {
                out.push((i as u32, j as u32));
            }
        }
    }
    Ok(())
}
