//! The Hessian of a block of tets, in stages that each are one loop over lanes; the maths of a lane is in
//! [`super::spectrum`].

use super::eigen::eigen;
use super::elements::{LANES, TetBlock};
use super::lane::{Lanes, Lanes9, Motion, ZERO, get, put};
use super::spectrum::{Principal, corotational, is_definite, linear, neo_hookean, projected, stretch};
use super::{Model, Tangent};
use crate::polar::{M3, dot9, times};

/// The ten blocks (i, j), i ≤ j, of every lane: 00 01 02 03 11 12 13 22 23 33, by rows.
pub(super) type BlockHessian = [Lanes; 90];

/// The identity in every lane.
const IDENTITY: Lanes9 = {
    let one = [1.0; LANES];
    [one, ZERO, ZERO, ZERO, one, ZERO, ZERO, ZERO, one]
};

/// [`Principal`] of every lane.
#[derive(Clone, Debug)]
pub(super) struct Modes {
    sigma: [Lanes; 3],
    u: Lanes9,
    v: Lanes9,
    scaling: [Lanes; 6],
    p: [Lanes; 3],
    q: [Lanes; 3],
    frame: Lanes9,
    definite: Lanes,
}

impl Modes {
    #[must_use]
    pub fn new() -> Self {
        Self {
            sigma: [ZERO; 3],
            u: [ZERO; 9],
            v: [ZERO; 9],
            scaling: [ZERO; 6],
            p: [ZERO; 3],
            q: [ZERO; 3],
            frame: [ZERO; 9],
            definite: ZERO,
        }
    }

    /// One lane.
    #[inline(always)]
    #[must_use]
    pub fn lane(&self, l: usize) -> Principal {
        let a = |k: usize| self.scaling[k][l];
        Principal {
            u: get(&self.u, l),
            v: get(&self.v, l),
            scaling: [a(0), a(1), a(2), a(3), a(4), a(5)],
            p: [self.p[0][l], self.p[1][l], self.p[2][l]],
            q: [self.q[0][l], self.q[1][l], self.q[2][l]],
        }
    }

    /// Frames and derivatives of a block whose F and R are known.
    #[inline(always)]
    pub fn update(&mut self, model: Model, tangent: Tangent, b: &TetBlock, m: &Motion) {
        if model == Model::Corotational && tangent == Tangent::Warped {
            self.u = m.r;
            self.v = IDENTITY;
            for l in 0..LANES {
                let s = linear(b.mu[l], b.lambda[l]);
                self.take(l, s.scaling, s.planes(0.0));
            }
            return;
        }
        for l in 0..LANES {
            let (s, v) = eigen(stretch(&get(&m.f, l), &get(&m.r, l)));
            for k in 0..3 {
                self.sigma[k][l] = s[k];
            }
            put(&mut self.v, l, &v);
        }
        for l in 0..LANES {
            let u = times(&get(&m.r, l), &get(&self.v, l));
            put(&mut self.u, l, &u);
        }
        let project = tangent != Tangent::Exact;
        let floor = if project { 0.0 } else { f64::NEG_INFINITY };
        let sigma = |l: usize, m: &Self| [m.sigma[0][l], m.sigma[1][l], m.sigma[2][l]];
        match model {
            Model::Corotational => {
                for l in 0..LANES {
                    let s = corotational(sigma(l, self), b.mu[l], b.lambda[l]);
                    self.take(l, s.scaling, s.planes(floor));
                }
            }
            Model::StableNeoHookean => {
                for l in 0..LANES {
                    let f = get(&m.f, l);
                    let s = neo_hookean(sigma(l, self), dot9(&f, &f), b.mu[l], b.lambda[l]);
                    self.take(l, s.scaling, s.planes(floor));
                    self.definite[l] = is_definite(&s.scaling);
                }
                if project && self.definite.contains(&0.0) {
                    self.project_scaling();
                }
            }
        }
    }

    #[inline(always)]
    fn take(&mut self, l: usize, scaling: [f64; 6], (p, q): ([f64; 3], [f64; 3])) {
        for k in 0..6 {
            self.scaling[k][l] = scaling[k];
        }
        for k in 0..3 {
            self.p[k][l] = p[k];
            self.q[k][l] = q[k];
        }
    }

    /// Clamps the eigenvalues of A in the lanes where one is not positive.
    #[inline(always)]
    fn project_scaling(&mut self) {
        for l in 0..LANES {
            let old = self.lane(l).scaling;
            let new = projected(old);
            let keep = self.definite[l] == 1.0;
            for k in 0..6 {
                self.scaling[k][l] = if keep { old[k] } else { new[k] };
            }
        }
    }

    /// The ten blocks of every lane, times `scale`.
    #[inline(always)]
    pub fn blocks(&mut self, b: &TetBlock, scale: &Lanes, out: &mut BlockHessian) {
        for l in 0..LANES {
            let g = times(&get(&b.gradient, l), &get(&self.v, l));
            put(&mut self.frame, l, &g);
        }
        // Corners 1, 2, 3 with each other, one loop each: a loop with all six holds more than the registers do.
        self.block::<0, 0, 4>(b, scale, out);
        self.block::<0, 1, 5>(b, scale, out);
        self.block::<0, 2, 6>(b, scale, out);
        self.block::<1, 1, 7>(b, scale, out);
        self.block::<1, 2, 8>(b, scale, out);
        self.block::<2, 2, 9>(b, scale, out);
        for l in 0..LANES {
            first_corner(l, out);
        }
    }

    #[inline(always)]
    fn block<const I: usize, const J: usize, const AT: usize>(
        &self,
        b: &TetBlock,
        scale: &Lanes,
        out: &mut BlockHessian,
    ) {
        for l in 0..LANES {
            let g = get(&self.frame, l);
            let m = self.lane(l).block(&g[I], &g[J], scale[l] * b.volume[l]);
            put_block(out, AT, l, &if I == J { mirrored(&m) } else { m });
        }
    }
}

/// The Hessian of one lane, for the scalar twin.
pub(super) fn lane_blocks(h: &Principal, b: &TetBlock, scale: f64, l: usize, out: &mut BlockHessian) {
    let g = times(&get(&b.gradient, l), &h.v);
    for (k, (i, j)) in [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].into_iter().enumerate() {
        let m = h.block(&g[i], &g[j], scale * b.volume[l]);
        put_block(out, 4 + k, l, &if i == j { mirrored(&m) } else { m });
    }
    first_corner(l, out);
}

/// A diagonal block is symmetric: its lower half is the upper one, to the bit.
#[inline(always)]
fn mirrored(m: &M3) -> M3 {
    [m[0], [m[0][1], m[1][1], m[1][2]], [m[0][2], m[1][2], m[2][2]]]
}

/// Blocks 00 01 02 03 of a lane from the six others: corner 0 moves F the opposite way of the three others together.
#[inline(always)]
fn first_corner(l: usize, out: &mut BlockHessian) {
    for r in 0..3 {
        for c in 0..3 {
            let at = |k: usize| out[9 * k + 3 * r + c][l];
            let transposed = |k: usize| out[9 * k + 3 * c + r][l];
            // Summed so that block 00 is symmetric to the bit.
            let s0 = (at(4) + at(7) + at(9))
                + ((at(5) + transposed(5)) + (at(6) + transposed(6)) + (at(8) + transposed(8)));
            let s1 = at(4) + transposed(5) + transposed(6);
            let s2 = at(5) + at(7) + transposed(8);
            let s3 = at(6) + at(8) + at(9);
            out[3 * r + c][l] = s0;
            out[9 + 3 * r + c][l] = -s1;
            out[18 + 3 * r + c][l] = -s2;
            out[27 + 3 * r + c][l] = -s3;
        }
    }
}

#[inline(always)]
fn get_block(h: &BlockHessian, at: usize, l: usize) -> M3 {
    let e = |k: usize| h[9 * at + k][l];
    [[e(0), e(1), e(2)], [e(3), e(4), e(5)], [e(6), e(7), e(8)]]
}

#[inline(always)]
fn put_block(h: &mut BlockHessian, at: usize, l: usize, m: &M3) {
    for i in 0..3 {
        for j in 0..3 {
            h[9 * at + 3 * i + j][l] = m[i][j];
        }
    }
}

/// Transposes the blocks (i, j), i < j, of the lanes whose `turn` is not zero: 01 02 03 12 13 23.
#[inline(always)]
pub(super) fn turn(turn: &[Lanes; 6], out: &mut BlockHessian) {
    turn_block::<1>(&turn[0], out);
    turn_block::<2>(&turn[1], out);
    turn_block::<3>(&turn[2], out);
    turn_block::<5>(&turn[3], out);
    turn_block::<6>(&turn[4], out);
    turn_block::<8>(&turn[5], out);
}

#[inline(always)]
fn turn_block<const AT: usize>(turn: &Lanes, out: &mut BlockHessian) {
    for l in 0..LANES {
        let m = get_block(out, AT, l);
        let same = turn[l] == 0.0;
        let e = |i: usize, j: usize| if same { m[i][j] } else { m[j][i] };
        put_block(
            out,
            AT,
            l,
            &[[m[0][0], e(0, 1), e(0, 2)], [e(1, 0), m[1][1], e(1, 2)], [e(2, 0), e(2, 1), m[2][2]]],
        );
    }
}
