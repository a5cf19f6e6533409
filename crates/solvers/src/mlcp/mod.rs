//! Contact with Coulomb friction as a mixed complementarity problem, its solvers, and one residual for all of them.
//!
//! Seed 002 (8)–(10), (16)–(19) with the errata V1 (J = −∂V/∂q) and V2 (0 ≤ β ⊥ T q̇ + e σ ≥ 0). The motion is eliminated: with the
//! rows G of all contacts, u = W r + u_free, W = G A⁻¹ Gᵀ, and the law couples each contact's three numbers
//!
//! ```text
//! 0 ≤ u_n ⊥ r_n ≥ 0,   ‖r_t‖ ≤ μ r_n,   −u_t pushes against r_t as hard as it can: r_t · u_t = −μ r_n ‖u_t‖*
//! ```
//!
//! with the Euclidean norm (round cone) or ‖·‖₁ and its dual ‖·‖∞ (the paper's pyramid: the diamond |f₁| + |f₂| ≤ μρ). Position
//! stabilisation (18), (19) is the same problem without friction, u_free = V̄ − V.

// `!(a > b)` is how a NaN is sent the same way as a number that is too small.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod accelerated;
mod envelope;
mod file;
mod gauss_seidel;
mod guarded;
mod interior;
mod law;
mod newton;
mod problem;
mod scaled;
mod warm;

pub use accelerated::accelerated;
pub use file::FileError;
pub use gauss_seidel::gauss_seidel;
pub use interior::interior_point;
pub use law::Cone;
pub use newton::semismooth_newton;
pub use problem::{ContactProblem, ContactRows, MOST_FRICTION, ProblemError};
pub use warm::carry_forces;

use crate::{Outcome, Settings};
use guarded::guarded;

/// Contacts up to which the direct method is chosen: its linear systems are dense, and beyond this gradients are faster.
pub const DIRECT_CONTACTS: usize = 32;

/// Products with the compliance that a factorisation may cost where [`solve_contacts`] chooses [`interior_point`]. It takes five to
/// thirty of them, gradients from a cold start some hundred to some thousand products.
pub const FACTOR_PRODUCTS: f64 = 40.0;

/// Solves by the method that suits the problem: [`semismooth_newton`] up to [`DIRECT_CONTACTS`]; beyond, [`interior_point`] where
/// bodies hang together in chains and stacks, so that a factorisation costs no more than [`FACTOR_PRODUCTS`], and [`accelerated`] where
/// many contacts share a body and it would cost more.
/// ([`gauss_seidel`] is cheap for a loose tolerance and a warm start; tall stacks make it slow.) `r` is
/// the warm start and the answer.
///
/// # Panics
/// When `r` has not one entry for each contact.
pub fn solve_contacts(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    if problem.len() <= DIRECT_CONTACTS {
        semismooth_newton(problem, r, settings)
    } else if interior_point_pays(problem) {
        interior_point(problem, r, settings)
    } else {
        accelerated(problem, r, settings)
    }
}

/// Whether a factorisation within the envelope of the compliance costs at most [`FACTOR_PRODUCTS`] products with it: chains and stacks
/// of any length, and some 80 contacts of which each knows all others.
#[must_use]
pub fn interior_point_pays(problem: &ContactProblem) -> bool {
    interior::products(problem) <= FACTOR_PRODUCTS
}
