//! The loops over elements: total energy, forces on nodes, Hessian blocks into any block-sparse matrix.
//!
//! Elements are worked on in fixed groups. Inside a group the pieces may run on several threads, each writing
//! its own rows of a small buffer that stays in cache; the rows are then added in element order. So every
//! node receives its additions in the order of the elements, whatever the number of threads: the bits never
//! change, and they are those of the plain loop.
//!
//! Adding is serial and needs no colouring; only computing is shared among threads.

use crate::element::{Blocks, Elements, Projection, zero_blocks};
use impinge_contact::par;
use impinge_geometry::{DMat3, DVec3};

/// Elements per piece of parallel work, and pieces per group.
const PIECE: usize = 256;
const PIECES: usize = 16;
/// The same for Hessians, whose rows are about ten times larger.
const BLOCK_PIECE: usize = 32;

/// Stands in `slots` for a block that the matrix does not keep, such as a lower triangle.
pub const SKIP: u32 = u32::MAX;

/// Scratch of the drivers for elements of `N` nodes; dropping it changes nothing.
#[derive(Clone, Debug, Default)]
pub struct Workspace<const N: usize> {
    gradients: Vec<[DVec3; N]>,
    blocks: Vec<Blocks<N>>,
    sums: Vec<f64>,
}

/// The sum of all energies (J).
///
/// # Panics
/// When `x` is shorter than the highest node named.
pub fn energy<const N: usize, E: Elements<N>>(elements: &E, x: &[DVec3], ws: &mut Workspace<N>) -> f64 {
    let nodes = elements.nodes();
    ws.sums.clear();
    ws.sums.resize(nodes.len().div_ceil(PIECE), 0.0);
    par::fill(&mut ws.sums, 1, |c, sum| {
        *sum = elements.energy_sum(c * PIECE..((c + 1) * PIECE).min(nodes.len()), x);
    });
    ws.sums.iter().sum()
}

/// Adds the forces −∂E/∂x (N) to `out`, one entry per node.
///
/// # Panics
/// When `x` or `out` is shorter than the highest node named.
pub fn add_forces<const N: usize, E: Elements<N>>(
    elements: &E,
    x: &[DVec3],
    out: &mut [DVec3],
    ws: &mut Workspace<N>,
) {
    let nodes = elements.nodes();
    ws.gradients.resize(nodes.len().min(PIECE * PIECES), [DVec3::zero(); N]);
    for first in (0..nodes.len()).step_by(PIECE * PIECES) {
        let group = &mut ws.gradients[..(nodes.len() - first).min(PIECE * PIECES)];
        par::for_each_chunk(group, PIECE, |c, piece| elements.gradients(first + c * PIECE, x, piece));
        for (n, g) in nodes[first..].iter().zip(group.iter()) {
            for k in 0..N {
                out[n[k] as usize] -= g[k];
            }
        }
    }
}

/// Adds every element's Hessian block `[i][j]` to `values[slots[e][i][j]]`, a 3×3 block stored by rows.
/// [`SKIP`] leaves a block out.
///
/// # Panics
/// When `slots` has fewer rows than there are elements, or a slot or a node is out of range.
pub fn add_hessian<const N: usize, E: Elements<N>>(
    elements: &E,
    x: &[DVec3],
    projection: Projection,
    slots: &[[[u32; N]; N]],
    values: &mut [[f64; 9]],
    ws: &mut Workspace<N>,
) {
    let nodes = elements.nodes();
    assert!(slots.len() >= nodes.len(), "{} rows of slots for {} elements", slots.len(), nodes.len());
    if par::threads() == 1 {
        // The same additions in the same order, without the way through the buffer.
        return elements.add_hessians(0, x, projection, &slots[..nodes.len()], values);
    }
    let size = BLOCK_PIECE * PIECES;
    ws.blocks.resize(nodes.len().min(size), zero_blocks());
    for first in (0..nodes.len()).step_by(size) {
        let group = &mut ws.blocks[..(nodes.len() - first).min(size)];
        par::for_each_chunk(group, BLOCK_PIECE, |c, piece| {
            elements.hessians(first + c * BLOCK_PIECE, x, projection, piece);
        });
        for (s, h) in slots[first..].iter().zip(group.iter()) {
            add_blocks(h, s, values);
        }
    }
}

/// Adds an element's blocks to their places.
#[inline(always)]
pub(crate) fn add_blocks<const N: usize>(h: &Blocks<N>, slots: &[[u32; N]; N], values: &mut [[f64; 9]]) {
    for i in 0..N {
        for j in 0..N {
            if slots[i][j] != SKIP {
                add_block(&mut values[slots[i][j] as usize], &h[i][j]);
            }
        }
    }
}

/// Adds a matrix of columns to a block stored by rows.
#[inline(always)]
pub(crate) fn add_block(to: &mut [f64; 9], m: &DMat3) {
    let [a, b, c] = m.cols;
    for (t, v) in to.iter_mut().zip([a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z]) {
        *t += v;
    }
}

/// The slots of every element from a rule that finds block (row node, column node), e.g. a search in a
/// compressed row; `None` becomes [`SKIP`].
#[must_use]
pub fn block_slots<const N: usize>(
    nodes: &[[u32; N]],
    find: impl Fn(u32, u32) -> Option<u32>,
) -> Vec<[[u32; N]; N]> {
    nodes.iter().map(|n| n.map(|i| n.map(|j| find(i, j).unwrap_or(SKIP)))).collect()
}
