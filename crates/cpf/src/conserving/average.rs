//! The average of ∇U over the path, and its tangent.
//!
//! Gauss points on pieces of each interval, halved until G·Δx agrees with ΔU: the identity the average is wanted for is also
//! the check of the quadrature. What is left, rounding and all, is taken out along Δx, so that the identity holds to the last
//! few bits.

use super::depth::{Blocks, Depth, Triple, add_outer, dot, zero_matrix};
use crate::gauss::GAUSS_8;
use impinge_ccd::Interval;
use impinge_geometry::{DVec3, add, scale};

/// Pieces per interval at the most.
const PIECES: usize = 64;

/// The average, and the pieces of each interval that it took.
pub(super) fn gradient(
    y0: &Triple,
    y1: &Triple,
    intervals: &[Interval],
    k: f64,
    energy: [f64; 2],
) -> (Triple, usize) {
    let step: Triple = std::array::from_fn(|i| y1[i] - y0[i]);
    let wanted = energy[1] - energy[0];
    let mut pieces = 1;
    let mut g = integrate(y0, &step, intervals, k, pieces);
    let scale_of = |g: &Triple| dot(g, g).sqrt() * dot(&step, &step).sqrt() + energy[0] + energy[1];
    // G·Δx may agree by symmetry while G is not there yet, so the average itself has to settle too.
    while pieces < PIECES {
        let finer = integrate(y0, &step, intervals, k, 2 * pieces);
        let change: Triple = std::array::from_fn(|i| finer[i] - g[i]);
        let settled = dot(&change, &change) <= 1e-26 * dot(&finer, &finer);
        (g, pieces) = (finer, 2 * pieces);
        if settled && (dot(&g, &step) - wanted).abs() <= 1e-13 * scale_of(&g) {
            break;
        }
    }
    let square = dot(&step, &step);
    let defect = wanted - dot(&g, &step);
    // Only what quadrature left: a defect that is large says that a piece of the path is degenerate, and is not forced.
    if square > 0.0 && defect.abs() <= 1e-6 * scale_of(&g) {
        g = std::array::from_fn(|i| g[i] + step[i] * (defect / square));
    }
    (g, pieces)
}

/// Visits Gauss points: time, weight, depth.
fn visit(
    y0: &Triple,
    step: &Triple,
    intervals: &[Interval],
    pieces: usize,
    mut at: impl FnMut(f64, f64, &Depth),
) {
    for i in intervals {
        let half = 0.5 * (i.t_out - i.t_in) / pieces as f64;
        for piece in 0..pieces {
            let mid = i.t_in + half * (2 * piece + 1) as f64;
            for (x, w) in GAUSS_8 {
                let t = mid + half * x;
                let y: Triple = std::array::from_fn(|j| y0[j] + step[j] * t);
                // δ∇δ does not depend on the side.
                if let Some(depth) = Depth::new(&y, 1.0) {
                    at(t, w * half, &depth);
                }
            }
        }
    }
}

fn integrate(y0: &Triple, step: &Triple, intervals: &[Interval], k: f64, pieces: usize) -> Triple {
    let mut g = [DVec3::zero(); 3];
    visit(y0, step, intervals, pieces, |_, w, d| {
        for (g, slope) in g.iter_mut().zip(d.gradient) {
            *g += slope * (w * k * d.value);
        }
    });
    g
}

/// ∫τ k(∇δ∇δᵀ + δ∇²δ) dτ, where the average took so many pieces.
pub(super) fn tangent(y0: &Triple, y1: &Triple, intervals: &[Interval], k: f64, pieces: usize) -> Blocks {
    let step: Triple = std::array::from_fn(|i| y1[i] - y0[i]);
    let mut out = [[zero_matrix(); 3]; 3];
    visit(y0, &step, intervals, pieces.min(8), |t, w, d| {
        add_outer(&mut out, &d.gradient, &d.gradient, w * t * k);
        let h = d.hessian();
        for i in 0..3 {
            for j in 0..3 {
                out[i][j] = add(&out[i][j], &scale(&h[i][j], w * t * k * d.value));
            }
        }
    });
    out
}
