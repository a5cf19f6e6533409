//! A surface carried by the nodes of a coarser body: `x_v = Σ w_vk x_nk`, and the loads carried back by the
//! transpose.
//!
//! Takes up to four nodes with weights per surface vertex: a fine skin in a coarse tet mesh (barycentric
//! weights, found by `impinge_query::attach`), or the boundary of the tet mesh itself (one node per vertex,
//! four bytes). Gives three kernels over slices: positions and velocities down, impulses back up. Because the
//! way up is the transpose of the way down, `⟨S u, f⟩ = ⟨u, Sᵀ f⟩`: contact on the skin invents no power, and
//! because weights sum to one it invents no momentum either, so a contact never needs a mesh of its own.
//!
//! Weights may be negative: a vertex a little outside its tet is extrapolated. Going up, a node's sum runs over
//! its vertices in ascending order whatever the number of threads, so the bits are the same for any pool.

use crate::{NONE, par};
use impinge_geometry::DVec3;
use std::fmt;

/// Vertices or nodes per block of a parallel loop.
const CHUNK: usize = 2048;

/// Weights whose sum differs from 1 by more than this, times the sum of their magnitudes, are refused.
const SUM_TOLERANCE: f64 = 1e-12;

/// How the vertices of one surface follow the nodes of one body. Nodes are counted from the body's first.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    nodes: usize,
    rows: Rows,
    /// The transpose: node `n` is pulled by `vertex[start[n]..start[n + 1]]`, ascending.
    start: Vec<u32>,
    vertex: Vec<u32>,
    /// Weights of the transpose; empty where every vertex is one node.
    share: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
enum Rows {
    /// Every vertex is a node.
    One(Vec<u32>),
    /// Four nodes with weights; a row with fewer repeats its first node with weight 0.
    Four(Vec<[u32; 4]>, Vec<[f64; 4]>),
}

/// Why an embedding was refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// The two columns differ in length.
    Length {
        /// Rows of nodes.
        stencils: usize,
        /// Rows of weights.
        weights: usize,
    },
    /// A vertex names a node that does not exist.
    NodeOutOfRange {
        /// The surface vertex, counted from 0.
        vertex: usize,
        /// The node it names.
        node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A weight is NaN or infinite, or the weights of a vertex do not sum to 1.
    Weights {
        /// The surface vertex, counted from 0.
        vertex: usize,
        /// Their sum.
        sum: f64,
    },
    /// More nodes or weights than a 32-bit index counts.
    TooLarge {
        /// How many were given.
        count: usize,
    },
}

impl fmt::Display for EmbeddingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { stencils, weights } => write!(
                f,
                "{stencils} rows of nodes but {weights} rows of weights; give one of each per surface vertex"
            ),
            Self::NodeOutOfRange { vertex, node, nodes } => write!(
                f,
                "surface vertex {vertex} names node {node}, but the body has {nodes} nodes (0 to {}); nodes are \
                 counted from the body's first",
                nodes.saturating_sub(1)
            ),
            Self::Weights { vertex, sum } => write!(
                f,
                "the weights of surface vertex {vertex} sum to {sum}; they must be finite and sum to 1, or the \
                 surface would not move with the body: divide them by their sum"
            ),
            Self::TooLarge { count } => write!(
                f,
                "{count} nodes or weights do not fit a 32-bit index; split the surface or the body in parts"
            ),
        }
    }
}

impl std::error::Error for EmbeddingError {}

impl Embedding {
    /// Vertex `v` is `Σ weight[v][k] · x[stencil[v][k]]` of a body with `nodes` nodes. [`NONE`] in a stencil
    /// stands for "no node" and its weight must be 0.
    ///
    /// # Errors
    /// [`EmbeddingError`] for columns of different length, a node that does not exist, or weights that are not
    /// finite or do not sum to 1.
    pub fn new(nodes: usize, stencil: &[[u32; 4]], weight: &[[f64; 4]]) -> Result<Self, EmbeddingError> {
        if stencil.len() != weight.len() {
            return Err(EmbeddingError::Length { stencils: stencil.len(), weights: weight.len() });
        }
        fits(nodes)?;
        fits(stencil.len().saturating_mul(4))?;
        let mut rows = Vec::with_capacity(stencil.len());
        for (vertex, (s, w)) in stencil.iter().zip(weight).enumerate() {
            let sum = w[0] + w[1] + w[2] + w[3];
            let size = w[0].abs() + w[1].abs() + w[2].abs() + w[3].abs();
            let bad = !size.is_finite() || (sum - 1.0).abs() > SUM_TOLERANCE * size;
            if bad || (0..4).any(|k| s[k] == NONE && w[k] != 0.0) {
                return Err(EmbeddingError::Weights { vertex, sum });
            }
            if let Some(&node) = s.iter().find(|&&n| n != NONE && n as usize >= nodes) {
                return Err(EmbeddingError::NodeOutOfRange { vertex, node, nodes });
            }
            let first = s.iter().copied().find(|&n| n != NONE).unwrap_or(0);
            rows.push(s.map(|n| if n == NONE { first } else { n }));
        }
        Ok(Self::transposed(nodes, Rows::Four(rows, weight.to_vec())))
    }

    /// Vertex `v` is node `node[v]`: the boundary surface of a tet mesh (`TetSurface::vertices`), at four bytes
    /// per vertex each way and no arithmetic.
    ///
    /// # Errors
    /// [`EmbeddingError::NodeOutOfRange`], [`EmbeddingError::TooLarge`].
    pub fn of_nodes(nodes: usize, node: &[u32]) -> Result<Self, EmbeddingError> {
        fits(nodes)?;
        fits(node.len())?;
        if let Some(vertex) = node.iter().position(|&n| n as usize >= nodes) {
            return Err(EmbeddingError::NodeOutOfRange { vertex, node: node[vertex], nodes });
        }
        Ok(Self::transposed(nodes, Rows::One(node.to_vec())))
    }

    /// Vertex `v` is node `v`.
    ///
    /// # Errors
    /// [`EmbeddingError::TooLarge`].
    pub fn identity(nodes: usize) -> Result<Self, EmbeddingError> {
        fits(nodes)?;
        Ok(Self::transposed(nodes, Rows::One((0..nodes as u32).collect())))
    }

    /// Counting sort of the rows by node; zero weights are left out, since they pull nothing.
    fn transposed(nodes: usize, rows: Rows) -> Self {
        let mut made = Self { nodes, rows, start: vec![0; nodes + 1], vertex: vec![], share: vec![] };
        let vertices = made.vertices();
        for v in 0..vertices {
            for (n, _) in made.pulls(v) {
                made.start[n as usize + 1] += 1;
            }
        }
        for n in 0..nodes {
            made.start[n + 1] += made.start[n];
        }
        let entries = made.start[nodes] as usize;
        let blends = matches!(made.rows, Rows::Four(..));
        let (mut vertex, mut share) = (vec![0u32; entries], vec![0.0f64; if blends { entries } else { 0 }]);
        let mut next = made.start.clone();
        for v in 0..vertices {
            for (n, w) in made.pulls(v) {
                let slot = next[n as usize] as usize;
                next[n as usize] += 1;
                vertex[slot] = v as u32;
                if blends {
                    share[slot] = w;
                }
            }
        }
        (made.vertex, made.share) = (vertex, share);
        made
    }

    /// The nodes that pull a vertex, with their weights.
    fn pulls(&self, v: usize) -> impl Iterator<Item = (u32, f64)> + use<> {
        let (s, w) = self.row(v);
        (0..4).map(move |k| (s[k], w[k])).filter(|&(_, w)| w != 0.0)
    }

    /// How many surface vertices there are.
    #[must_use]
    pub fn vertices(&self) -> usize {
        match &self.rows {
            Rows::One(node) => node.len(),
            Rows::Four(stencil, _) => stencil.len(),
        }
    }

    /// How many nodes the body has.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The nodes and weights of a vertex; nodes without weight repeat another one.
    #[inline]
    #[must_use]
    pub fn row(&self, vertex: usize) -> ([u32; 4], [f64; 4]) {
        match &self.rows {
            Rows::One(node) => ([node[vertex]; 4], [1.0, 0.0, 0.0, 0.0]),
            Rows::Four(stencil, weight) => (stencil[vertex], weight[vertex]),
        }
    }

    /// The nodes, where every vertex is one node.
    #[must_use]
    pub fn as_nodes(&self) -> Option<&[u32]> {
        match &self.rows {
            Rows::One(node) => Some(node),
            Rows::Four(..) => None,
        }
    }

    /// A node quantity seen at one vertex.
    #[inline]
    #[must_use]
    pub fn at(&self, vertex: usize, node_value: &[DVec3]) -> DVec3 {
        match &self.rows {
            Rows::One(node) => node_value[node[vertex] as usize],
            Rows::Four(stencil, weight) => blend(&stencil[vertex], &weight[vertex], node_value),
        }
    }

    /// Where the surface is (m) when the nodes are at `node_x` (m). `node_x` holds the body's nodes, `out` a
    /// place per vertex.
    ///
    /// # Panics
    /// When a slice is shorter than the embedding says.
    pub fn positions(&self, node_x: &[DVec3], out: &mut [DVec3]) {
        let out = &mut out[..self.vertices()];
        match &self.rows {
            Rows::One(node) => par::fill(out, CHUNK, |v, x| *x = node_x[node[v] as usize]),
            Rows::Four(stencil, weight) => {
                par::fill(out, CHUNK, |v, x| *x = blend(&stencil[v], &weight[v], node_x));
            }
        }
    }

    /// How fast the surface moves (m/s): the map is linear, so it is the same sum as of positions.
    ///
    /// # Panics
    /// As [`Embedding::positions`].
    pub fn velocities(&self, node_v: &[DVec3], out: &mut [DVec3]) {
        self.positions(node_v, out);
    }

    /// `Sᵀ`: adds the impulses on the surface vertices (N·s; or forces, N) to the nodes that carry them. Every
    /// node sums over its vertices in ascending order: the same bits for any number of threads.
    ///
    /// # Panics
    /// When a slice is shorter than the embedding says.
    pub fn carry_back(&self, impulse: &[DVec3], out: &mut [DVec3]) {
        let entries = |n: usize| self.start[n] as usize..self.start[n + 1] as usize;
        let out = &mut out[..self.nodes];
        match &self.rows {
            Rows::One(_) => par::fill(out, CHUNK, |n, sum| {
                for &v in &self.vertex[entries(n)] {
                    *sum += impulse[v as usize];
                }
            }),
            Rows::Four(..) => par::fill(out, CHUNK, |n, sum| {
                for e in entries(n) {
                    *sum += impulse[self.vertex[e] as usize] * self.share[e];
                }
            }),
        }
    }

    /// Bytes held.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let rows = match &self.rows {
            Rows::One(node) => 4 * node.capacity(),
            Rows::Four(stencil, weight) => 16 * stencil.capacity() + 32 * weight.capacity(),
        };
        size_of::<Self>()
            + rows
            + 4 * (self.start.capacity() + self.vertex.capacity())
            + 8 * self.share.capacity()
    }
}

/// The weighted sum, always in the same order.
#[inline]
fn blend(s: &[u32; 4], w: &[f64; 4], x: &[DVec3]) -> DVec3 {
    let at = |k: usize| x[s[k] as usize] * w[k];
    ((at(0) + at(1)) + at(2)) + at(3)
}

fn fits(count: usize) -> Result<(), EmbeddingError> {
    if count >= NONE as usize { Err(EmbeddingError::TooLarge { count }) } else { Ok(()) }
}
