//! Stiffness times a vector without a matrix, and Rayleigh damping.
//!
//! `add_stiffness_times` is what a matrix-free conjugate gradient method calls: per tet δF = Σ uᵢ gᵢᵀ, δP = ∂P/∂F : δF, and
//! forces V δP gᵢ; the same second derivatives as [`super::add_hessian`].
//!
//! Damping is −(αM + βK) v with K at the present state. The stiffness part sums to zero over a body; it has no torque
//! about a body at rest shape, but a stretched body that spins is slowed a little, because K does not vanish on spins
//! under stress. That is how Rayleigh damping is defined; give a small β to bodies that fly.

use super::Tangent;
use super::Workspace;
use super::elements::{LANES, TetBlock, TetElements};
use super::energy::scatter_groups;
use super::hessian::Weights;
use super::lane::*;
use super::modes::Modes;
use super::spectrum::principal;
use super::wide::wide;
use crate::polar::rotation;
use impinge_geometry::DVec3;

/// Adds (Σ over tets of (stiffness + damping β) K) u to `out`, K at the positions `x`: newtons when `u` is metres.
///
/// # Panics
/// When `x`, `u` or `out` is shorter than the nodes.
pub fn add_stiffness_times(
    body: &TetElements,
    x: &[DVec3],
    u: &[DVec3],
    tangent: Tangent,
    weights: Weights,
    out: &mut [DVec3],
    ws: &mut Workspace,
) {
    body.check(x, "x");
    body.check(u, "u");
    body.check(out, "out");
    let width = ws.width;
    let task = Task { body, tangent, weights, x, u };
    scatter_groups(body, out, &mut ws.corners, |first, piece| block_products(width, &task, first, piece));
}

/// Adds the Rayleigh damping forces −(αM + βK) v (N) to `out`, M the lumped masses, K at the positions `x`.
///
/// With [`Tangent::Spd`] or [`Tangent::Warped`] they never feed energy in: v · f ≤ 0.
///
/// # Panics
/// When `x`, `v` or `out` is shorter than the nodes.
pub fn add_damping_forces(
    body: &TetElements,
    x: &[DVec3],
    v: &[DVec3],
    tangent: Tangent,
    out: &mut [DVec3],
    ws: &mut Workspace,
) {
    body.check(v, "v");
    body.check(out, "out");
    for ((o, v), c) in out.iter_mut().zip(v).zip(body.mass_damping()) {
        *o -= *v * *c;
    }
    if body.damped() {
        let weights = Weights { stiffness: 0.0, damping: -1.0 };
        add_stiffness_times(body, x, v, tangent, weights, out, ws);
    }
}

/// What all blocks have in common.
struct Task<'a> {
    body: &'a TetElements,
    tangent: Tangent,
    weights: Weights,
    x: &'a [DVec3],
    u: &'a [DVec3],
}

impl Task<'_> {
    /// −(stiffness + damping β): corner forces carry the sign of forces, a product does not.
    #[inline(always)]
    fn scales(&self, block: usize) -> Lanes {
        let beta = &self.body.beta()[block];
        let mut scale = ZERO;
        for l in 0..LANES {
            scale[l] = -(self.weights.stiffness + self.weights.damping * beta[l]);
        }
        scale
    }

    fn block(&self, k: usize) -> &TetBlock {
        &self.body.blocks()[k]
    }
}

wide! {
    fn block_products(task: &Task<'_>, first: usize, out: &mut [CornerForces]) = products_wide, products_twin
}

#[inline(always)]
fn products_wide(task: &Task<'_>, first: usize, out: &mut [CornerForces]) {
    let (mut motion, mut change, mut modes) = (Motion::new(), Motion::new(), Modes::new());
    let model = task.body.model();
    for (k, o) in out.iter_mut().enumerate() {
        let b = task.block(first + k);
        motion.gradient(b, task.x);
        motion.rotate();
        modes.update(model, task.tangent, b, &motion);
        change.gradient(b, task.u);
        let scale = task.scales(first + k);
        let mut force = [ZERO; 12];
        for l in 0..LANES {
            let dp = modes.lane(l).stress_rate(&get(&change.f, l));
            put_forces(&dp, b, scale[l], l, &mut force);
        }
        *o = force;
    }
}

fn products_twin(task: &Task<'_>, first: usize, out: &mut [CornerForces]) {
    for (k, o) in out.iter_mut().enumerate() {
        let b = task.block(first + k);
        let scale = task.scales(first + k);
        for l in 0..LANES {
            let f = gradient_of(b, l, task.x);
            let h = principal(task.body.model(), task.tangent, &f, &rotation(&f), b.mu[l], b.lambda[l]);
            put_forces(&h.stress_rate(&gradient_of(b, l, task.u)), b, scale[l], l, o);
        }
    }
}
