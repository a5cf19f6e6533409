//! A discrete gradient that turns with the pair: G = (ΔU/Δδ) Dδ.
//!
//! Dδ = ∇δ(ȳ) + μ W with ȳ the middle of the three vectors and Wᵢ = Σⱼ Δπᵢⱼ ȳⱼ, where πᵢⱼ = yᵢ·yⱼ are the lengths and angles.
//! Both parts have no moment about ȳ: ∇δ because δ does not change under rotation, W because Δπ is symmetric. As
//! Δπᵢⱼ = ȳᵢ·Δyⱼ + ȳⱼ·Δyᵢ, W·Δy = ½|Δπ|², so μ = (Δδ − ∇δ(ȳ)·Δy)/(½|Δπ|²) makes Dδ·Δy = Δδ. For a pair that only turns,
//! Δπ = 0 and Δy = Ω×ȳ exactly, so nothing is to be corrected.

use super::depth::{Blocks, Depth, Found, Triple, add_outer, apply, dot, zero_matrix};
use impinge_geometry::{DMat3, add, outer, scale};

/// Where the change of shape is below this part of the size squared, the correction would be the quotient of two roundings; what it
/// would correct is of third order and smaller than rounding.
const RIGID: f64 = 1e-7;

/// What the gradient and its tangent are both made of.
struct Mean {
    middle: Triple,
    step: Triple,
    /// At the middle and at the end.
    middle_depth: Depth,
    end: Depth,
    /// At the start and at the end (m).
    depths: [f64; 2],
    /// λ = ΔU/Δδ plus the damper, and its derivative by δ₁.
    force: f64,
    slope: f64,
    /// The damper would pull more than the spring pushes.
    pulls: bool,
    /// Δπ.
    turn: [[f64; 3]; 3],
    /// ½|Δπ|².
    half: f64,
    /// μ and W, where there is something to correct.
    bent: Option<(f64, Triple)>,
    /// Dδ.
    direction: Triple,
}

/// Σⱼ Δπᵢⱼ yⱼ.
fn carry(turn: &[[f64; 3]; 3], y: &Triple) -> Triple {
    std::array::from_fn(|i| y[0] * turn[i][0] + y[1] * turn[i][1] + y[2] * turn[i][2])
}

impl Mean {
    /// `None` where the scheme says nothing: a pair that is free at both ends, or that was behind the plane without being in contact,
    /// or without a normal at the ends or the middle.
    fn new(y0: &Triple, y1: &Triple, side: f64, open: [bool; 2], k: f64, c: f64) -> Option<Self> {
        let middle: Triple = std::array::from_fn(|i| (y0[i] + y1[i]) * 0.5);
        let step: Triple = std::array::from_fn(|i| y1[i] - y0[i]);
        let (d0, d1, d) = (Depth::new(y0, side)?, Depth::new(y1, side)?, Depth::new(&middle, side)?);
        let (a, b) = (d0.value, d1.value);
        let change = b - a;
        let (force, slope) = match open {
            [true, true] => (0.5 * k * (a + b) + c * change, 0.5 * k + c),
            [false, true] if a <= 0.0 && change > 0.0 => {
                let part = b / change;
                ((0.5 * k + c) * b * part, (0.5 * k + c) * part * (2.0 - part))
            }
            [true, false] if b <= 0.0 && change < 0.0 => {
                let part = a / change;
                ((-0.5 * k + c) * a * part, (0.5 * k - c) * part * part)
            }
            _ => return None,
        };
        // A damper never pulls.
        let pulls = force < 0.0;
        let (force, slope) = if pulls { (0.0, 0.0) } else { (force, slope) };
        let mut turn = [[0.0; 3]; 3];
        let (mut square, mut size) = (0.0, 0.0f64);
        for i in 0..3 {
            for j in 0..3 {
                let (g0, g1) = (y0[i].dot(y0[j]), y1[i].dot(y1[j]));
                turn[i][j] = g1 - g0;
                square += turn[i][j] * turn[i][j];
                size = size.max(g0.abs()).max(g1.abs());
            }
        }
        let half = 0.5 * square;
        let (mut bent, mut direction) = (None, d.gradient);
        if square > RIGID * RIGID * size * size {
            let along = carry(&turn, &middle);
            let mu = (change - dot(&d.gradient, &step)) / half;
            direction = std::array::from_fn(|i| d.gradient[i] + along[i] * mu);
            bent = Some((mu, along));
        }
        let depths = [a, b];
        Some(Self {
            middle,
            step,
            middle_depth: d,
            end: d1,
            depths,
            force,
            slope,
            pulls,
            turn,
            half,
            bent,
            direction,
        })
    }
}

/// `None` where the scheme says nothing ([`Mean::new`]). `c` is the damping over Δt (N/m).
pub(super) fn gradient(
    y0: &Triple,
    y1: &Triple,
    side: f64,
    open: [bool; 2],
    k: f64,
    c: f64,
) -> Option<Found> {
    let m = Mean::new(y0, y1, side, open, k, c)?;
    let loaded: [f64; 2] = std::array::from_fn(|i| if open[i] { m.depths[i] } else { 0.0 });
    let dissipated = if m.pulls {
        0.5 * k * (loaded[0] * loaded[0] - loaded[1] * loaded[1])
    } else {
        c * (loaded[1] - loaded[0]) * (loaded[1] - loaded[0])
    };
    Some(Found { gradient: m.direction.map(|v| v * m.force), dissipated })
}

/// The derivative of [`gradient`] by `y1`.
pub(super) fn tangent(
    y0: &Triple,
    y1: &Triple,
    side: f64,
    open: [bool; 2],
    k: f64,
    c: f64,
) -> Option<Blocks> {
    let m = Mean::new(y0, y1, side, open, k, c)?;
    let (d, middle, turn, half) = (&m.middle_depth, &m.middle, &m.turn, m.half);
    let hessian = d.hessian();
    // In place: `map` over blocks of blocks copies them at every level. Copies, many of them these, were 21 of 100 samples of an implicit step.
    let mut slopes: Blocks = hessian;
    slopes.as_flattened_mut().iter_mut().for_each(|h| *h = scale(h, 0.5));
    if let Some((mu, along)) = &m.bent {
        let mu = *mu;
        let bent = apply(&hessian, &m.step);
        let pulled = carry(turn, y1);
        let d_mu: Triple = std::array::from_fn(|i| {
            (m.end.gradient[i] - d.gradient[i] - bent[i] * 0.5 - pulled[i] * (2.0 * mu)) * (1.0 / half)
        });
        add_outer(&mut slopes, along, &d_mu, 1.0);
        let mut shared = zero_matrix();
        for j in 0..3 {
            shared = add(&shared, &outer(middle[j], y1[j]));
        }
        for i in 0..3 {
            for l in 0..3 {
                let mut block = add(&outer(middle[l], y1[i]), &scale(&DMat3::identity(), 0.5 * turn[i][l]));
                if i == l {
                    block = add(&block, &shared);
                }
                slopes[i][l] = add(&slopes[i][l], &scale(&block, mu));
            }
        }
    }
    slopes.as_flattened_mut().iter_mut().for_each(|s| *s = scale(s, m.force));
    add_outer(&mut slopes, &m.direction, &m.end.gradient, m.slope);
    Some(slopes)
}
