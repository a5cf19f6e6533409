//! Energy and forces of a body: takes rest data and positions, gives joules and newtons.
//!
//! Corner forces of a group of blocks are worked out side by side (and on several threads) into a buffer that stays in
//! cache, then added in the order of the tets. Tried beside it: storing all corner forces and summing per node through
//! a node → corner list ("owner computes", no serial part): the same bits, 1.45 times as slow on one core.

use super::Model;
use super::Workspace;
use super::elements::{LANES, TetBlock, TetElements};
use super::lane::*;
use super::wide::wide;
use crate::polar::rotation;
use impinge_contact::par;
use impinge_geometry::DVec3;

/// Blocks per piece of parallel work, and pieces per group: 64 blocks hold 96 KiB of corner forces.
pub(super) const PIECE: usize = 8;
pub(super) const PIECES: usize = 8;

/// The elastic energy (J): the sum over tets in fixed groups, the groups in order.
///
/// # Panics
/// When `x` is shorter than the nodes.
pub fn energy(body: &TetElements, x: &[DVec3], ws: &mut Workspace) -> f64 {
    body.check(x, "x");
    let (blocks, width) = (body.blocks(), ws.width);
    ws.energies.clear();
    ws.energies.resize(blocks.len().div_ceil(PIECE), 0.0);
    par::fill(&mut ws.energies, 8, |c, sum| {
        let range = c * PIECE..((c + 1) * PIECE).min(blocks.len());
        let mut lanes = [ZERO; PIECE];
        block_energies(width, body.model(), &blocks[range.clone()], x, &mut lanes);
        for (b, e) in range.zip(lanes) {
            for &v in &e[..body.lanes(b)] {
                *sum += v;
            }
        }
    });
    let mut total = 0.0;
    for chunk in ws.energies.chunks(64) {
        let mut sum = 0.0;
        for e in chunk {
            sum += e;
        }
        total += sum;
    }
    total
}

/// Adds the elastic forces −∂E/∂x (N) to `out`.
///
/// Internal forces sum to zero and have no torque, to rounding.
///
/// # Panics
/// When `x` or `out` is shorter than the nodes.
pub fn add_forces(body: &TetElements, x: &[DVec3], out: &mut [DVec3], ws: &mut Workspace) {
    body.check(x, "x");
    body.check(out, "out");
    let (model, width) = (body.model(), ws.width);
    scatter_groups(body, out, &mut ws.corners, |first, piece| {
        block_forces(width, model, &body.blocks()[first..first + piece.len()], x, piece);
    });
}

/// Runs `f(first block, forces of the blocks)` over all blocks and adds what it wrote, in the order of the tets.
pub(super) fn scatter_groups(
    body: &TetElements,
    out: &mut [DVec3],
    buffer: &mut Vec<CornerForces>,
    f: impl Fn(usize, &mut [CornerForces]) + Sync + Send,
) {
    let blocks = body.blocks();
    buffer.resize(blocks.len().min(PIECE * PIECES), [ZERO; 12]);
    for first in (0..blocks.len()).step_by(PIECE * PIECES) {
        let group = &mut buffer[..(blocks.len() - first).min(PIECE * PIECES)];
        par::for_each_chunk(group, PIECE, |c, piece| f(first + c * PIECE, piece));
        for (k, forces) in group.iter().enumerate() {
            scatter_block(&blocks[first + k], body.lanes(first + k), forces, out);
        }
    }
}

/// Adds the corner forces of the first `lanes` tets of a block.
#[inline(always)]
pub(super) fn scatter_block(b: &TetBlock, lanes: usize, forces: &CornerForces, out: &mut [DVec3]) {
    for l in 0..lanes.min(LANES) {
        for c in 0..4 {
            let o = &mut out[b.node[c][l] as usize];
            o.x += forces[3 * c][l];
            o.y += forces[3 * c + 1][l];
            o.z += forces[3 * c + 2][l];
        }
    }
}

wide! {
    fn block_forces(model: Model, blocks: &[TetBlock], x: &[DVec3], out: &mut [CornerForces]) = forces_wide, forces_twin
}

#[inline(always)]
fn forces_wide(model: Model, blocks: &[TetBlock], x: &[DVec3], out: &mut [CornerForces]) {
    let mut m = Motion::new();
    for (b, o) in blocks.iter().zip(out) {
        m.gradient(b, x);
        if model == Model::Corotational {
            m.rotate();
        }
        m.forces(model, b, o);
    }
}

fn forces_twin(model: Model, blocks: &[TetBlock], x: &[DVec3], out: &mut [CornerForces]) {
    for (b, o) in blocks.iter().zip(out) {
        for l in 0..LANES {
            let p = stress_of(model, &gradient_of(b, l, x), b.mu[l], b.lambda[l]);
            put_forces(&p, b, 1.0, l, o);
        }
    }
}

wide! {
    fn block_energies(model: Model, blocks: &[TetBlock], x: &[DVec3], out: &mut [Lanes]) = energies_wide, energies_twin
}

#[inline(always)]
fn energies_wide(model: Model, blocks: &[TetBlock], x: &[DVec3], out: &mut [Lanes]) {
    let mut m = Motion::new();
    let mut argument = ZERO;
    for (b, o) in blocks.iter().zip(out) {
        m.gradient(b, x);
        match model {
            Model::Corotational => {
                m.rotate();
                for l in 0..LANES {
                    let psi = corotational_energy(&get(&m.f, l), &get(&m.r, l), b.mu[l], b.lambda[l]);
                    o[l] = b.volume[l] * psi;
                }
            }
            Model::StableNeoHookean => {
                for l in 0..LANES {
                    (o[l], argument[l]) = neo_hookean_energy(&get(&m.f, l), b.mu[l], b.lambda[l]);
                }
                for l in 0..LANES {
                    o[l] = b.volume[l] * (o[l] - 0.5 * b.mu[l] * libm::log(argument[l]));
                }
            }
        }
    }
}

fn energies_twin(model: Model, blocks: &[TetBlock], x: &[DVec3], out: &mut [Lanes]) {
    for (b, o) in blocks.iter().zip(out) {
        for l in 0..LANES {
            let f = gradient_of(b, l, x);
            let psi = match model {
                Model::Corotational => corotational_energy(&f, &rotation(&f), b.mu[l], b.lambda[l]),
                Model::StableNeoHookean => {
                    let (psi, argument) = neo_hookean_energy(&f, b.mu[l], b.lambda[l]);
                    psi - 0.5 * b.mu[l] * libm::log(argument)
                }
            };
            o[l] = b.volume[l] * psi;
        }
    }
}
