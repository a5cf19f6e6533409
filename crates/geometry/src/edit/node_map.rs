//! Where the nodes of an edited mesh come from: each is a weighted sum of at most four old ones.

use super::EditError;
use smallvec::SmallVec;
use ultraviolet::DVec3;

/// New node `i` is `Σ weights[i][k] · old[parents[i][k]]`. A row with fewer than four old nodes repeats its
/// first with weight 0; a node that is an old one, or a copy of it, has weight 1 on it and is carried bit for
/// bit.
///
/// Weights are positive and sum to 1 to rounding, so positions and velocities are interpolated, never
/// extrapolated.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeMap {
    old: usize,
    parents: Vec<[u32; 4]>,
    weights: Vec<[f64; 4]>,
}

impl NodeMap {
    /// New node `i` is old node `of[i]`, of `old` nodes.
    pub(super) fn copies(old: usize, of: impl IntoIterator<Item = u32>) -> Self {
        let parents: Vec<[u32; 4]> = of.into_iter().map(|o| [o; 4]).collect();
        Self { old, weights: vec![[1.0, 0.0, 0.0, 0.0]; parents.len()], parents }
    }

    /// Appends a node on the edge from `a` (at `t = 0`) to `b`.
    pub(super) fn push_on_edge(&mut self, [a, b]: [u32; 2], t: f64) {
        self.parents.push([a, b, a, a]);
        self.weights.push([1.0 - t, t, 0.0, 0.0]);
    }

    /// How many new nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// `true` without nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// How many old nodes there were.
    #[must_use]
    pub fn old_len(&self) -> usize {
        self.old
    }

    /// The old nodes of each new one.
    #[must_use]
    pub fn parents(&self) -> &[[u32; 4]] {
        &self.parents
    }

    /// Their weights.
    #[must_use]
    pub fn weights(&self) -> &[[f64; 4]] {
        &self.weights
    }

    /// The old node a new one is (or is a copy of); `None` for a node that was made by blending.
    #[must_use]
    pub fn source(&self, node: usize) -> Option<u32> {
        (self.weights[node][0] == 1.0).then_some(self.parents[node][0])
    }

    /// The weight of one old node in a new one.
    #[must_use]
    pub fn weight_of(&self, node: usize, old: u32) -> f64 {
        (0..4).filter(|&k| self.parents[node][k] == old).map(|k| self.weights[node][k]).sum()
    }

    /// How many new nodes each old node has become: 0 for one that is gone, 2 or more where the mesh came
    /// apart.
    #[must_use]
    pub fn copy_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.old];
        for node in 0..self.len() {
            if let Some(o) = self.source(node) {
                counts[o as usize] += 1;
            }
        }
        counts
    }

    /// A quantity of the old nodes (position, velocity, …) at the new ones.
    ///
    /// # Panics
    /// When `old` is shorter than [`NodeMap::old_len`].
    #[must_use]
    pub fn carry(&self, old: &[DVec3]) -> Vec<DVec3> {
        let blend = |(p, w): (&[u32; 4], &[f64; 4])| {
            if w[0] == 1.0 {
                return old[p[0] as usize];
            }
            let mut sum = old[p[0] as usize] * w[0];
            for k in 1..4 {
                if w[k] != 0.0 {
                    sum += old[p[k] as usize] * w[k];
                }
            }
            sum
        };
        self.parents.iter().zip(&self.weights).map(blend).collect()
    }

    /// The transpose: new masses, forces or impulses seen at the old nodes.
    ///
    /// # Panics
    /// When `new` is shorter than [`NodeMap::len`].
    #[must_use]
    pub fn carry_back(&self, new: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.old];
        for (node, (p, w)) in self.parents.iter().zip(&self.weights).enumerate() {
            for k in 0..4 {
                out[p[k] as usize] += w[k] * new[node];
            }
        }
        out
    }

    /// This map, then `next`, as one. A node made inside a tet stays a sum of that tet's corners, however often
    /// it was cut, so four old nodes are enough.
    ///
    /// # Errors
    /// [`EditError::NotConsecutive`] when `next` does not start from the nodes of this map.
    pub fn then(&self, next: &Self) -> Result<Self, EditError> {
        if next.old != self.len() {
            return Err(EditError::NotConsecutive);
        }
        let mut all = Self { old: self.old, parents: vec![], weights: vec![] };
        for (p, w) in next.parents.iter().zip(&next.weights) {
            if w[0] == 1.0 {
                all.parents.push(self.parents[p[0] as usize]);
                all.weights.push(self.weights[p[0] as usize]);
                continue;
            }
            let mut sum: SmallVec<[(u32, f64); 16]> = SmallVec::new();
            for k in (0..4).filter(|&k| w[k] != 0.0) {
                let (q, u) = (self.parents[p[k] as usize], self.weights[p[k] as usize]);
                for l in (0..4).filter(|&l| u[l] != 0.0) {
                    match sum.iter_mut().find(|s| s.0 == q[l]) {
                        Some(s) => s.1 += w[k] * u[l],
                        None => sum.push((q[l], w[k] * u[l])),
                    }
                }
            }
            if sum.is_empty() || sum.len() > 4 {
                return Err(EditError::NotConsecutive);
            }
            let (mut parents, mut weights) = ([sum[0].0; 4], [0.0; 4]);
            for (k, &(q, u)) in sum.iter().enumerate() {
                (parents[k], weights[k]) = (q, u);
            }
            all.parents.push(parents);
            all.weights.push(weights);
        }
        Ok(all)
    }
}
