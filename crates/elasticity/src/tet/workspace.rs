//! Scratch of the kernels.

use super::Width;
use super::lane::CornerForces;

/// Scratch of the kernels, and the width they run on; dropping it changes nothing.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// Vectors to use; the widest of this processor unless set.
    pub width: Width,
    pub(super) corners: Vec<CornerForces>,
    pub(super) hessians: Vec<super::hessian::Derivatives>,
    pub(super) energies: Vec<f64>,
}

impl Workspace {
    /// Scratch for kernels that run on `width`.
    #[must_use]
    pub fn with_width(width: Width) -> Self {
        Self { width, ..Self::default() }
    }
}
