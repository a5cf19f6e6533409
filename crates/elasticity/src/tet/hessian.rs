//! Hessian blocks of a body into a block-sparse matrix of the caller's: takes positions and a slot for each pair of
//! corners, adds 3×3 blocks.
//!
//! The matrix may keep all blocks or one triangle: a pair of corners whose slot is [`SKIP`] is left out.
//! [`super::TetPattern`] makes rows, columns and slots; a matrix type of its own makes them from
//! [`super::TetElements::tets`]. As for forces, blocks are worked out in groups that stay in cache and added in the order of the tets.

use super::Workspace;
use super::elements::{LANES, TetElements};
use super::energy::scatter_block;
use super::lane::{CornerForces, Lanes, Motion, ZERO, gradient_of, put_forces, stress_of};
use super::modes::{BlockHessian, Modes, lane_blocks, turn};
use super::spectrum::principal;
use super::wide::wide;
use super::{SKIP, Tangent};
use crate::polar::rotation;
use impinge_contact::par;
use impinge_geometry::{DVec3, TetMesh};

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

/// Blocks per piece of parallel work, and pieces per group: 8 blocks hold 100 KiB.
const PIECE: usize = 1;
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
    add(body, x, tangent, weights, slots, None, values, ws);
}

/// [`super::add_forces`] and [`add_hessian`] in one pass, with the bits of both: the rotation is found once.
///
/// # Panics
/// As [`add_hessian`], and when `forces` is shorter than the nodes.
pub fn add_forces_and_hessian(
    body: &TetElements,
    x: &[DVec3],
    tangent: Tangent,
    weights: Weights,
    slots: &[[[u32; 4]; 4]],
    forces: &mut [DVec3],
    values: &mut [[f64; 9]],
    ws: &mut Workspace,
) {
    body.check(forces, "forces");
    add(body, x, tangent, weights, slots, Some(forces), values, ws);
}

fn add(
    body: &TetElements,
    x: &[DVec3],
    tangent: Tangent,
    weights: Weights,
    slots: &[[[u32; 4]; 4]],
    mut forces: Option<&mut [DVec3]>,
    values: &mut [[f64; 9]],
    ws: &mut Workspace,
) {
    body.check(x, "x");
    assert!(slots.len() >= body.tets().len(), "{} rows of slots for {} tets", slots.len(), body.tets().len());
    let (blocks, width) = (body.blocks(), ws.width);
    let task = Task { body, tangent, weights, x, slots, forces: forces.is_some() };
    ws.hessians.resize(blocks.len().min(PIECE * PIECES), Derivatives::ZERO);
    for first in (0..blocks.len()).step_by(PIECE * PIECES) {
        let group = &mut ws.hessians[..(blocks.len() - first).min(PIECE * PIECES)];
        par::for_each_chunk(group, PIECE, |c, piece| derivatives(width, &task, first + c * PIECE, piece));
        for (k, d) in group.iter().enumerate() {
            let tet = (first + k) * LANES;
            for (l, s) in slots[tet..tet + body.lanes(first + k)].iter().enumerate() {
                scatter(&d.hessian, l, s, values);
            }
            if let Some(out) = forces.as_deref_mut() {
                scatter_block(&blocks[first + k], body.lanes(first + k), &d.force, out);
            }
        }
    }
}

/// What a group keeps of a block.
#[derive(Clone, Debug)]
pub(super) struct Derivatives {
    hessian: BlockHessian,
    force: CornerForces,
}

impl Derivatives {
    const ZERO: Self = Self { hessian: [ZERO; 90], force: [ZERO; 12] };
}

/// What all blocks have in common.
struct Task<'a> {
    body: &'a TetElements,
    tangent: Tangent,
    weights: Weights,
    x: &'a [DVec3],
    slots: &'a [[[u32; 4]; 4]],
    forces: bool,
}

/// Adds the ten blocks of one lane, and their transposes, where the matrix keeps them.
///
/// A matrix that keeps one triangle has one slot of each pair (i, j), (j, i), and which one depends on the numbering:
/// a branch that no processor predicts. So the kernel has turned those blocks (see [`turn`]), and here the one slot
/// that is left takes the block as it stands.
#[inline(always)]
fn scatter(h: &BlockHessian, l: usize, s: &[[u32; 4]; 4], values: &mut [[f64; 9]]) {
    diagonal::<0>(h, l, s[0][0], values);
    pair::<1>(h, l, s[0][1], s[1][0], values);
    pair::<2>(h, l, s[0][2], s[2][0], values);
    pair::<3>(h, l, s[0][3], s[3][0], values);
    diagonal::<4>(h, l, s[1][1], values);
    pair::<5>(h, l, s[1][2], s[2][1], values);
    pair::<6>(h, l, s[1][3], s[3][1], values);
    diagonal::<7>(h, l, s[2][2], values);
    pair::<8>(h, l, s[2][3], s[3][2], values);
    diagonal::<9>(h, l, s[3][3], values);
}

/// Block `AT` of a lane.
#[inline(always)]
fn block<const AT: usize>(h: &BlockHessian, l: usize) -> [f64; 9] {
    let e = |k: usize| h[9 * AT + k][l % LANES];
    [e(0), e(1), e(2), e(3), e(4), e(5), e(6), e(7), e(8)]
}

#[inline(always)]
fn add_nine(to: &mut [f64; 9], b: [f64; 9]) {
    for k in 0..9 {
        to[k] += b[k];
    }
}

#[inline(always)]
fn diagonal<const AT: usize>(h: &BlockHessian, l: usize, slot: u32, values: &mut [[f64; 9]]) {
    if slot != SKIP {
        add_nine(&mut values[slot as usize], block::<AT>(h, l));
    }
}

#[inline(always)]
fn pair<const AT: usize>(h: &BlockHessian, l: usize, upper: u32, lower: u32, values: &mut [[f64; 9]]) {
    let (first, second) = (upper.min(lower), upper.max(lower));
    let b = block::<AT>(h, l);
    if second == SKIP {
        if first != SKIP {
            add_nine(&mut values[first as usize], b);
        }
    } else {
        add_nine(&mut values[upper as usize], b);
        let [a, b, c, d, e, f, g, h, i] = b;
        add_nine(&mut values[lower as usize], [a, d, g, b, e, h, c, f, i]);
    }
}

wide! {
    fn derivatives(task: &Task<'_>, first: usize, out: &mut [Derivatives]) = derivatives_wide, derivatives_twin
}

impl Task<'_> {
    #[inline(always)]
    fn scales(&self, block: usize) -> Lanes {
        let beta = &self.body.beta()[block];
        let mut scale = ZERO;
        for l in 0..LANES {
            scale[l] = self.weights.stiffness + self.weights.damping * beta[l];
        }
        scale
    }

    /// Which of the blocks 01 02 03 12 13 23 the matrix wants transposed: those with only the lower slot.
    #[inline(always)]
    fn turns(&self, block: usize) -> [Lanes; 6] {
        let mut turn = [ZERO; 6];
        for (l, s) in self.slots[block * LANES..].iter().take(LANES).enumerate() {
            for (p, [i, j]) in TetMesh::EDGES.into_iter().enumerate() {
                turn[p][l] = if s[i][j] == SKIP { 1.0 } else { 0.0 };
            }
        }
        turn
    }
}

#[inline(always)]
fn derivatives_wide(task: &Task<'_>, first: usize, out: &mut [Derivatives]) {
    let mut motion = Motion::new();
    let mut modes = Modes::new();
    let model = task.body.model();
    for (k, o) in out.iter_mut().enumerate() {
        let b = &task.body.blocks()[first + k];
        motion.gradient(b, task.x);
        motion.rotate();
        if task.forces {
            // Into a local first: the compiler cannot tell a block from a derivative, and would not use vectors.
            let mut force = [ZERO; 12];
            motion.forces(model, b, &mut force);
            o.force = force;
        }
        modes.update(model, task.tangent, b, &motion);
        modes.blocks(b, &task.scales(first + k), &mut o.hessian);
        turn(&task.turns(first + k), &mut o.hessian);
    }
}

fn derivatives_twin(task: &Task<'_>, first: usize, out: &mut [Derivatives]) {
    let model = task.body.model();
    for (k, o) in out.iter_mut().enumerate() {
        let b = &task.body.blocks()[first + k];
        let scale = task.scales(first + k);
        for l in 0..LANES {
            let f = gradient_of(b, l, task.x);
            let h = principal(model, task.tangent, &f, &rotation(&f), b.mu[l], b.lambda[l]);
            lane_blocks(&h, b, scale[l], l, &mut o.hessian);
            put_forces(&stress_of(model, &f, b.mu[l], b.lambda[l]), b, 1.0, l, &mut o.force);
        }
        turn(&task.turns(first + k), &mut o.hessian);
    }
}
