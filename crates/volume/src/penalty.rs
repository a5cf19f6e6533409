//! The soft constraint of Faure et al. 2008: E = ½ k V² for each cell, force −k V ∂V/∂p (15) (sign by the erratum V4).

use crate::Overlap;
use impinge_geometry::DVec3;

/// Energy of all cells (J) for a stiffness `k` (J/m⁶).
#[must_use]
pub fn penalty_energy(k: f64, overlap: &Overlap) -> f64 {
    overlap.cells().iter().map(|c| 0.5 * k * c.volume * c.volume).sum()
}

/// Adds the forces (N) on the vertices of body `side` (0: A, 1: B) to `out`; `scale` is 1, or a time step for impulses (N·s).
///
/// # Panics
/// When `out` is shorter than the body has vertices.
pub fn penalty_forces(k: f64, overlap: &Overlap, side: usize, scale: f64, out: &mut [DVec3]) {
    for (cell, c) in overlap.cells().iter().enumerate() {
        let pressure = k * c.volume;
        let (vertices, g) = overlap.gradient(cell, side);
        for (&v, &g) in vertices.iter().zip(g) {
            out[v as usize] -= g * (pressure * scale);
        }
    }
}
