//! Hessian blocks of a body into a block-sparse matrix of the caller's: takes positions and a slot for each pair of
//! corners, adds 3×3 blocks.
//!
//! The matrix may keep all blocks or one triangle: a pair of corners whose slot is [`SKIP`] is left out.
//! [`super::TetPattern`] makes rows, columns and slots; a matrix type of its own makes them from
//! [`super::TetElements::tets`]. As for forces, blocks are worked out in groups that stay in cache and added in the order of the tets.

use super::elements::{LANES, TetBlock, TetElements, Workspace};
use super::lane::{Lanes, Motion, ZERO};
use super::modes::{BlockHessian, Modes};
use super::wide::wide;
use super::Model;
use impinge_contact::par;
use impinge_geometry::DVec3;

/// Stands in a slot table for a block the matrix does not keep.
pub const SKIP: u32 = u32::MAX;

/// Which second derivative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tangent {
    /// ∂²E/∂x² as it is. Not definite under compression: Newton's method may go uphill with it.
    Exact,
    /// Eigenvalues of each tet's ∂P/∂F clamped to zero, from their closed forms: symmetric positive semidefinite,
    /// and equal to the exact one where that is definite.
    #[default]
    Spd,
    /// R K Rᵀ, the stiffness of linear elasticity turned with the tet, as seed 002's corotational elements use: positive
    /// semidefinite, a third of the work, and wrong in the second-order terms that come from ∂R/∂x (Newton's method converges
    /// linearly with it). Corotational only; the neo-Hookean energy takes [`Tangent::Spd`] in its place.
    Warped,
}

/// What multiplies the stiffness K of a tet: `stiffness + damping · β`, β its Rayleigh coefficient (s).
///
/// Implicit Euler with step h wants `stiffness: h²`, `damping: h` (and α h of the mass, which the caller adds).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Factor of K.
    pub stiffness: f64,
    /// Factor of βK.
    pub damping: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { stiffness: 1.0, damping: 0.0 }
    }
}

/// Blocks per piece of parallel work, and pieces per group: 16 blocks hold 90 KiB of Hessians.
const PIECE: usize = 2;
const PIECES: usize = 8;

/// Adds the block of corners (i, j) of tet `t`, ∂²E/∂xᵢ∂xⱼ (N/m, by rows), times its weight, to
/// `values[slots[t][i][j]]`.
///
/// # Panics
/// When `x` is shorter than the nodes, `slots` than the tets, or a slot is neither in range nor [`SKIP`].
pub fn add_hessian(
    body: &TetElements,
    x: &[DVec3],
    tangent: Tangent,
    weights: Weights,
    slots: &[[[u32; 4]; 4]],
    values: &mut [[f64; 9]],
    ws: &mut Workspace,
) {
    body.check(x, "x");
    assert!(slots.len() >= body.tets().len(), "{} rows of slots for {} tets", slots.len(), body.tets().len());
    let (blocks, model, width) = (body.blocks(), body.model(), ws.width);
    ws.hessians.resize(blocks.len().min(PIECE * PIECES), [ZERO; 90]);
    for first in (0..blocks.len()).step_by(PIECE * PIECES) {
        let group = &mut ws.hessians[..(blocks.len() - first).min(PIECE * PIECES)];
        par::for_each_chunk(group, PIECE, |c, piece| {
            let range = first + c * PIECE..first + c * PIECE + piece.len();
            let task = Task { model, tangent, weights, x };
            block_hessians(width, &task, &blocks[range.clone()], &body.beta()[range], piece);
        });
        for (k, h) in group.iter().enumerate() {
            let tet = (first + k) * LANES;
            for (l, s) in slots[tet..tet + body.lanes(first + k)].iter().enumerate() {
                scatter(h, l, s, values);
            }
        }
    }
}

/// What all blocks have in common.
struct Task<'a> {
    model: Model,
    tangent: Tangent,
    weights: Weights,
    x: &'a [DVec3],
}

const ROWS: [usize; 9] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const COLUMNS: [usize; 9] = [0, 3, 6, 1, 4, 7, 2, 5, 8];

/// Adds the ten blocks of one lane, and their transposes, where the matrix keeps them.
#[inline(always)]
fn scatter(h: &BlockHessian, l: usize, slots: &[[u32; 4]; 4], values: &mut [[f64; 9]]) {
    let mut add = |slot: u32, block: usize, order: &[usize; 9]| {
        let to = &mut values[slot as usize];
        for k in 0..9 {
            to[k] += h[9 * block + order[k]][l];
        }
    };
    let mut block = 0;
    for i in 0..4 {
        if slots[i][i] != SKIP {
            add(slots[i][i], block, &ROWS);
        }
        block += 1;
        for j in i + 1..4 {
            let (upper, lower) = (slots[i][j], slots[j][i]);
            // A matrix that keeps one triangle has one of the two, which one depends on the numbering: choosing
            // the order by a select instead of a branch saves a misprediction on every other block.
            let (slot, other) = (upper.min(lower), upper.max(lower));
            if slot != SKIP {
                add(slot, block, if slot == upper { &ROWS } else { &COLUMNS });
            }
            if other != SKIP {
                add(other, block, if slot == upper { &COLUMNS } else { &ROWS });
            }
            block += 1;
        }
    }
}

wide! {
    fn block_hessians(task: &Task<'_>, blocks: &[TetBlock], beta: &[Lanes], out: &mut [BlockHessian]) = wide_hessians, wide_hessians
}

#[inline(always)]
fn wide_hessians(task: &Task<'_>, blocks: &[TetBlock], beta: &[Lanes], out: &mut [BlockHessian]) {
    let mut motion = Motion::new();
    let mut modes = Modes::new();
    let mut scale = ZERO;
    for ((b, beta), o) in blocks.iter().zip(beta).zip(out) {
        for l in 0..LANES {
            scale[l] = task.weights.stiffness + task.weights.damping * beta[l];
        }
        motion.gradient(b, task.x);
        motion.rotate();
        modes.update(task.model, task.tangent, b, &motion);
        modes.blocks(b, &scale, o);
    }
}
