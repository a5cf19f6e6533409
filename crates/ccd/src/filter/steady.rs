//! Signs of the coplanarity cubic that hold all step, eight pairs at a time.
//!
//! Takes coordinates packed by lane, gives the sign of the cubic where it certainly has no root in [0, 1], and 0 elsewhere. What
//! penetrated when the step began and goes on doing so is of this kind: it has no root to look for.
//!
//! Coefficients and their error are those of [`super::pair::Pair`]; all four certainly of one sign is what
//! [`super::certify`] calls an empty piece.

use super::screen::{Block, LARGEST, W, bound, max, min};
use super::single::{Cubic, cubic};
use impinge_geometry::for_each_set;

/// One lane. Without inner loops, see [`super::screen`].
#[inline(always)]
fn lane<const N: usize>(x: &[[[[f64; N]; 3]; 4]; 2], l: usize) -> f64 {
    let Cubic { b, m, .. } = cubic(x, l);
    let error = bound(m);
    let room = LARGEST - max(m[0], max(m[1], m[2]));
    let low = min(min(b[0], b[1]), min(b[2], b[3]));
    let high = max(max(b[0], b[1]), max(b[2], b[3]));
    if room < 0.0 {
        0.0
    } else if low > error {
        1.0
    } else if high < -error {
        -1.0
    } else {
        0.0
    }
}

#[inline(always)]
fn all_lanes(block: &Block, out: &mut [f64; W]) {
    for l in 0..W {
        out[l] = lane(&block.x, l);
    }
}

for_each_set! {
    /// The lanes of a block: 1, −1, or 0 where that is not certain.
    pub(crate) signs = all_lanes(block: &Block, out: &mut [f64; W])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use crate::decide::{all_roots, constant_sign};
    use impinge_geometry::DVec3;
    use impinge_geometry::wide::Instructions;
    use proptest::prelude::*;

    proptest! {
        /// On a lattice many pairs touch or are flat; beside it most have a sign, and it is the one that the pair by itself gets.
        #[test]
        fn a_sign_is_one_of_a_pair_without_roots(
            grid in prop::collection::vec(prop::array::uniform24(-3i8..=3), W), shift in prop::array::uniform3(-6.0..6.0f64),
        ) {
            let mut block = Block::zero();
            let point = |c: &[i8; 24], i: usize| DVec3::new(c[3 * i].into(), c[3 * i + 1].into(), c[3 * i + 2].into());
            // The first point goes away with the lane, so that some are far from the other three.
            let ends = |c: &[i8; 24], l: usize| {
                let away = DVec3::from(shift) * (l as f64 / W as f64);
                let mut x = [0, 4].map(|k| std::array::from_fn::<_, 4, _>(|i| point(c, i + k)));
                x.iter_mut().for_each(|x| x[0] += away);
                x
            };
            for (l, c) in grid.iter().enumerate() {
                for (end, x) in ends(c, l).into_iter().enumerate() {
                    for (i, p) in x.into_iter().enumerate() {
                        for (k, v) in <[f64; 3]>::from(p).into_iter().enumerate() {
                            block.x[end][i][k][l] = v;
                        }
                    }
                }
            }
            for with in Instructions::available() {
                let mut out = [f64::NAN; W];
                signs(with, &block, &mut out);
                for (l, c) in grid.iter().enumerate() {
                    prop_assert!([-1.0, 0.0, 1.0].contains(&out[l]), "{}", with.name());
                    let [x0, x1] = ends(c, l);
                    if out[l] != 0.0 {
                        prop_assert!(all_roots(Kind::VertexFace, &x0, &x1).roots.is_empty());
                        let sign = constant_sign(Kind::VertexFace, &x0, &x1);
                        prop_assert_eq!(out[l] * Kind::VertexFace.sign(), f64::from(sign));
                    }
                }
            }
        }
    }

    /// Above a triangle and below it; on it at one end; beyond the numbers the bound is for.
    #[test]
    fn what_has_no_root_has_a_sign() {
        let mut block = Block::zero();
        let heights = [[0.5, 1.0], [-0.5, -1.0], [0.0, 1.0], [1.0, -1.0], [1e200, 1e200]];
        for (l, h) in heights.into_iter().enumerate() {
            for (end, h) in h.into_iter().enumerate() {
                let x = [[0.2, 0.2, h], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
                for (i, p) in x.into_iter().enumerate() {
                    for (k, v) in p.into_iter().enumerate() {
                        block.x[end][i][k][l] = v;
                    }
                }
            }
        }
        let mut out = [f64::NAN; W];
        signs(Instructions::best(), &block, &mut out);
        assert_eq!(out[..5], [-1.0, 1.0, 0.0, 0.0, 0.0]);
    }
}
