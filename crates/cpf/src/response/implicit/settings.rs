//! What Newton's method of the response `cpf-implicit` is told, and what it tells.

/// When Newton's method stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Residual over the momenta and impulses that enter the step. Where rounding stops the descent above it, up to 1e-9 are accepted, and
    /// reported.
    pub tolerance: f64,
    /// Iterations at the most. The way by weaker contacts is begun after 12 and takes up to 84.
    pub iterations: u32,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self { tolerance: 1e-14, iterations: 120 }
    }
}

/// How the last step under the response `cpf-implicit` was solved; zeros before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonReport {
    /// Newton iterations.
    pub iterations: u32,
    /// Iterations of the linear solver.
    pub linear: u32,
    /// Which contacts are there and which slide was settled before the end: one choice made the other (the jump from μ_S to μ_K does).
    pub settled: bool,
    /// The step was found by way of weaker contacts.
    pub weakened: bool,
    /// Residual over the momenta and impulses that enter the step; where these are rounding themselves, over 1e9 times what rounding of the
    /// coordinates leaves.
    pub residual: f64,
}
