//! A discrete gradient that turns with the pair: G = (ΔU/Δδ) Dδ.
//!
//! Dδ = ∇δ(ȳ) + μ W with ȳ the middle of the three vectors and Wᵢ = Σⱼ Δπᵢⱼ ȳⱼ, where πᵢⱼ = yᵢ·yⱼ are the lengths and angles.
//! Both parts have no moment about ȳ: ∇δ because δ does not change under rotation, W because Δπ is symmetric. As
//! Δπᵢⱼ = ȳᵢ·Δyⱼ + ȳⱼ·Δyᵢ, W·Δy = ½|Δπ|², so μ = (Δδ − ∇δ(ȳ)·Δy)/(½|Δπ|²) makes Dδ·Δy = Δδ. For a pair that only turns,
//! Δπ = 0 and Δy = Ω×ȳ exactly, so nothing is to be corrected.

use super::depth::Found;
use super::depth::{Blocks, Depth, Triple, add_outer, apply, dot, zero_matrix};
use impinge_geometry::{DMat3, DVec3, add, outer, scale};

/// Where the change of shape is below this part of the size squared, the correction would be the quotient of two roundings; what it
/// would correct is of third order and smaller than rounding.
const RIGID: f64 = 1e-7;

/// `None` where the scheme says nothing: a pair that is free at both ends, or that was behind the plane without being in contact,
/// or without a normal at the ends or the middle.
///
/// `c` is the damping over Δt (N/m).
pub(super) fn gradient(
    y0: &Triple,
    y1: &Triple,
    side: f64,
    open: [bool; 2],
    k: f64,
    c: f64,
) -> Option<Found> {
    let middle: Triple = std::array::from_fn(|i| (y0[i] + y1[i]) * 0.5);
    let step: Triple = std::array::from_fn(|i| y1[i] - y0[i]);
    let (d0, d1, d) = (Depth::new(y0, side)?, Depth::new(y1, side)?, Depth::new(&middle, side)?);
    let (a, b) = (d0.value, d1.value);
    let change = b - a;
    // λ = ΔU/Δδ plus the damper, and its derivative by δ₁.
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
    let gram =
        |y: &Triple| -> [[f64; 3]; 3] { std::array::from_fn(|i| std::array::from_fn(|j| y[i].dot(y[j]))) };
    let (g0, g1) = (gram(y0), gram(y1));
    let mut turn = [[0.0; 3]; 3];
    let (mut square, mut size) = (0.0, 0.0f64);
    for i in 0..3 {
        for j in 0..3 {
            turn[i][j] = g1[i][j] - g0[i][j];
            square += turn[i][j] * turn[i][j];
            size = size.max(g0[i][j].abs()).max(g1[i][j].abs());
        }
    }
    let half = 0.5 * square;
    let carry = |y: &Triple| -> Triple {
        std::array::from_fn(|i| y[0] * turn[i][0] + y[1] * turn[i][1] + y[2] * turn[i][2])
    };
    let along = carry(&middle);
    let hessian = d.hessian();
    // In place: `map` over blocks of blocks copies them at every level. Copies, many of them these, were 21 of 100 samples of an implicit step.
    let mut slopes: Blocks = hessian;
    slopes.as_flattened_mut().iter_mut().for_each(|h| *h = scale(h, 0.5));
    let mut direction = d.gradient;
    if square > RIGID * RIGID * size * size {
        let mu = (change - dot(&d.gradient, &step)) / half;
        direction = std::array::from_fn(|i| d.gradient[i] + along[i] * mu);
        let bent = apply(&hessian, &step);
        let pulled = carry(y1);
        let d_mu: Triple = std::array::from_fn(|i| {
            (d1.gradient[i] - d.gradient[i] - bent[i] * 0.5 - pulled[i] * (2.0 * mu)) * (1.0 / half)
        });
        add_outer(&mut slopes, &along, &d_mu, 1.0);
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
    slopes.as_flattened_mut().iter_mut().for_each(|s| *s = scale(s, force));
    add_outer(&mut slopes, &direction, &d1.gradient, slope);
    let gradient: [DVec3; 3] = direction.map(|v| v * force);
    let loaded = [if open[0] { a } else { 0.0 }, if open[1] { b } else { 0.0 }];
    let dissipated = if pulls {
        0.5 * k * (loaded[0] * loaded[0] - loaded[1] * loaded[1])
    } else {
        c * (loaded[1] - loaded[0]) * (loaded[1] - loaded[0])
    };
    Some(Found { gradient, tangent: slopes, dissipated })
}
