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
mod modes;
mod pattern;
mod report;
mod spectrum;
mod wide;

pub use attachments::{Attachment, Attachments};
pub use damping::{add_damping_forces, add_stiffness_times};
pub use elements::{LANES, TetElements, Workspace};
pub use energy::{add_forces, energy};
pub use hessian::{SKIP, Tangent, Weights, add_forces_and_hessian, add_hessian};
pub use pattern::{TetPattern, Triangle};
pub use report::{TetStress, deformation_gradients, stresses};
pub use wide::Width;

/// The energy of a tet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// Ψ = μ|F − R|² + λ/2 tr²(RᵀF − 1), R the closest proper rotation: linear elasticity that follows the turning
    /// tet. Its force is that of the corotational elements of seed 002 (Nesme et al. 2005) with the polar rotation in
    /// the place of their QR frame, R K (Rᵀx − X), and unlike theirs has an energy and no torque of its own.
    /// Cheap, soft under large compression, and recovers from inversion.
    #[default]
    Corotational,
    /// Ψ = μ/2 (|F|² − 3) + λ/2 (J − 1)² − ¾μ (J − 1) − μ/2 ln((|F|² + 1)/4), J = det F: Smith, de Goes and Kim 2018,
    /// eq. 14 less its constant, with μ = 4/3 μ_Lamé and λ = λ_Lamé + 5/6 μ_Lamé so that small strain is that of the
    /// material. Keeps volume at large strain and recovers from inversion.
    StableNeoHookean,
}
