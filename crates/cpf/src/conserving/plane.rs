//! Vertex against a plane: the discrete gradient is the quotient ΔU/Δδ, in closed form.

/// What a plane does to a vertex in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeightGradient {
    /// Mean force along the normal (N): −ΔU/Δh, and the damper's.
    pub force: f64,
    /// −∂force/∂h₁ (N/m, ≥ 0 without damping).
    pub stiffness: f64,
    /// Start and end of the penetration, fractions of the step; `None` for a vertex that stays free.
    pub interval: Option<[f64; 2]>,
    /// Depth at the end (m).
    pub depth: f64,
    /// ½ k δ² at the end (J).
    pub energy: f64,
    /// Energy the damper takes (J, ≥ 0).
    pub dissipated: f64,
}

/// Heights `h0`, `h1` (m) above the plane at both ends of the step of `dt` (s); stiffness `k` (N/m), damping `c` (N·s/m). The work on
/// the vertex is `force·(h1 − h0)` = −ΔU − dissipated, whatever the stiffness. A damper never pulls: what it could not hold back
/// is dissipated.
#[must_use]
pub fn height_gradient(h0: f64, h1: f64, k: f64, c: f64, dt: f64) -> HeightGradient {
    let (a, b) = ((-h0).max(0.0), (-h1).max(0.0));
    let c = c / dt;
    // The part of the way that is below the plane, without cancellation.
    let (interval, part) = match (h0 < 0.0, h1 < 0.0) {
        (false, false) => return HeightGradient::default(),
        (true, true) => ([0.0, 1.0], 1.0),
        (false, true) => ([h0 / (h0 - h1), 1.0], h1 / (h1 - h0)),
        (true, false) => ([0.0, h0 / (h0 - h1)], h0 / (h0 - h1)),
    };
    let (force, stiffness) = match interval {
        [0.0, 1.0] if a > 0.0 => (0.5 * k * (a + b) + c * (b - a), 0.5 * k + c),
        // b·part with part = b/(b + h₀): the derivative of the product by b is part (2 − part).
        [_, 1.0] => ((0.5 * k + c) * b * part, (0.5 * k + c) * part * (2.0 - part)),
        _ => ((0.5 * k - c) * a * part, (0.5 * k - c) * part * part),
    };
    let energy = 0.5 * k * b * b;
    let (force, stiffness, dissipated) = if force < 0.0 {
        (0.0, 0.0, 0.5 * k * a * a - energy)
    } else {
        (force, stiffness, c * (b - a) * (b - a))
    };
    HeightGradient { force, stiffness, interval: Some(interval), depth: b, energy, dissipated }
}
