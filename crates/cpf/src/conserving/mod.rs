//! Energy-conserving continuous penalty forces: discrete gradients of the contact potential U = ½ k δ² (MODELS §2, 1–2 and 5).
//!
//! With x₁ = x₀ + Δt(v₀ + v₁)/2 and M(v₁ − v₀) = −Δt G, a vector G(x₀, x₁) with G·(x₁ − x₀) = U(x₁) − U(x₀) keeps the energy
//! whatever the stiffness, through make and break of contact. Two are built:
//!
//! * [`Scheme::PathAverage`]: G = ∫∇U dτ over the penetration intervals of the straight path — the average vector field
//!   method (Quispel, McLaren 2008), which is what CPF becomes when the path is the one that is really taken. Keeps energy and
//!   linear momentum; angular momentum leaks by Σ Δxᵢ × ∫(½ − τ)∇ᵢU dτ, reported as [`PairGradient::couple`].
//! * [`Scheme::Equivariant`]: G = (ΔU/Δδ) Dδ, where Dδ is a discrete gradient of the depth that turns with the pair (Gonzalez 1996; Simo
//!   and Tarnow 1992): ∇δ at the middle, corrected along vectors that carry no moment so that Dδ·Δx = Δδ. Keeps angular
//!   momentum as well.
//!
//! Damping is chosen, not a by-product: it adds a force along Dδ whose power is −c (Δδ₊/Δt)².
//!
//! A pair's potential is that of the open contact; contacts open and close by the rules of literal CPF, at depth 0, so U is
//! continuous along the path. The ends of the intervals depend on x₁, but the integrand is zero there: the tangent is the
//! integral of τ∇²U and nothing else.

mod average;
mod batch;
mod depth;
mod equivariant;
mod pair;
mod particles;
mod plane;

pub(crate) use batch::crossing;
pub use batch::{ContactLaw, GradientRow, GradientWorkspace, PARALLEL, gradients, stored};
pub use pair::{PairGradient, PairTangent, Scheme, gradient_over, pair_gradient, pair_tangent, tangent_over};
pub use particles::{ConservingOptions, ConservingStep, ContactPair, NotConverged, conserving_step};
pub use plane::{HeightGradient, height_gradient};
