//! Which energy a tet has, and which second derivative of it is taken.

/// The energy of a tet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// Which second derivative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tangent {
    /// ∂²E/∂x² as it is. Not definite under compression: Newton's method may go uphill with it.
    Exact,
    /// Eigenvalues of each tet's ∂P/∂F clamped to zero, from their closed forms: symmetric positive semidefinite,
    /// and equal to the exact one where that is definite.
    #[default]
    Spd,
    /// R K Rᵀ, the stiffness of linear elasticity turned with the tet, as seed 002's corotational elements use: positive
    /// semidefinite, a third of the work, and wrong in the second-order terms that come from ∂R/∂x (Newton's method converges
    /// linearly with it). Corotational only; the neo-Hookean energy takes [`Tangent::Spd`] in its place.
    Warped,
}
