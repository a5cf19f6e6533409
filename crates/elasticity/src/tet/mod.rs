//! Solids of linear tetrahedra: corotational and stable neo-Hookean finite elements.
//!
//! [`TetElements`] is built once from rest mesh, energy and material. The kernels take it with the positions of the
//! nodes, add into arrays of the caller, and keep scratch in a [`Workspace`] that may be dropped at any time.
//!
//! With F = Σ xᵢ gᵢᵀ the deformation gradient of a tet, gᵢ the rest gradient of its corner's shape function, V the rest
//! volume and Ψ the energy per rest volume:
//!
//! ```text
//! E = V Ψ(F)      force on corner i: fᵢ = −V P gᵢ,  P = ∂Ψ/∂F      block: Hᵢⱼ = V gᵢ : ∂P/∂F : gⱼ
//! ```
//!
//! Tets are worked on in blocks of [`LANES`], on as many threads as the pool has, and added in the order of the mesh:
//! the bits depend neither on threads nor on the width of the vectors.

mod attachments;
mod damping;
mod eigen;
mod elements;
mod energy;
mod hessian;
mod lane;
mod model;
mod modes;
mod pattern;
mod report;
mod spectrum;
mod wide;
mod workspace;

pub use crate::assemble::SKIP;
pub use attachments::{Attachment, Attachments};
pub use damping::{add_damping_forces, add_stiffness_times};
pub use elements::{LANES, TetElements};
pub use energy::{add_forces, energy};
pub use hessian::{Weights, add_forces_and_hessian, add_hessian};
pub use model::{Model, Tangent};
pub use pattern::{TetPattern, Triangle};
pub use report::{TetStress, deformation_gradients, stresses};
pub use wide::Width;
pub use workspace::Workspace;
