//! The thesis' figure on estimation errors (seed 003, "impulse computation CPF DPF").
//!
//! A vertex crosses a triangle at constant speed and moves by L in a step. The phase φ says where the step begins: it ends φ L
//! below the surface when entering, starts φ L below it otherwise. Over k Δt L, the impulse of the spring and what the discrete force,
//! evaluated at the end of the step or at its start, makes of it are
//!
//! | | spring | at the end | error | at the start | error |
//! |---|---|---|---|---|---|
//! | entering | φ²/2 | φ | φ − φ²/2 | 0 | −φ²/2 |
//! | deeper, from φ L to (1+φ) L | φ + 1/2 | φ + 1 | 1/2 | φ | −1/2 |
//! | rising, from (1+φ) L to φ L | φ + 1/2 | φ | −1/2 | φ + 1 | 1/2 |
//! | leaving, from φ L | φ²/2 | 0 | −φ²/2 | φ | φ − φ²/2 |

use super::figure::{Curve, Figure, short};
use super::seed_000::{Entry, Fixtures};
use impinge_ccd::{Carried, Kind, Opens};
use impinge_cpf::{Normalisation, Params, pair_impulses, tracked_discrete};
use impinge_geometry::DVec3;

/// The figures of the thesis.
pub const FIGURES: &[Entry] = &[
    ("seed-003", |_: Fixtures<'_>| estimation(Moment::End)),
    ("seed-003-start", |_: Fixtures<'_>| estimation(Moment::Start)),
];

/// When in the step the discrete force is evaluated.
#[derive(Clone, Copy, PartialEq)]
enum Moment {
    Start,
    End,
}

/// Stiffness (N/m), step (s) and way in a step (m); the figure does not depend on them.
const K: f64 = 1000.0;
const DT: f64 = 0.01;
const WAY: f64 = 0.1;

/// What the depth does in the step: heights at its start and end, in ways, for a phase.
type Heights = fn(f64) -> [f64; 2];

const CASES: [(&str, Heights); 4] = [
    ("entering", |phase| [1.0 - phase, -phase]),
    ("deeper", |phase| [-phase, -1.0 - phase]),
    ("rising", |phase| [-1.0 - phase, -phase]),
    ("leaving", |phase| [-phase, 1.0 - phase]),
];

/// Impulses over k Δt L of the continuous and the discrete force, from the kernels that simulations use.
fn impulses(heights: [f64; 2], moment: Moment) -> Result<[f64; 2], String> {
    let corners = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(2.0, -1.0, 0.0), DVec3::new(-1.0, 2.0, 0.0)];
    let [x0, x1] = heights.map(|h| [DVec3::unit_z() * (h * WAY), corners[0], corners[1], corners[2]]);
    // The vertex has come from above; one that is below at the start, through the middle of the triangle.
    let third = 1.0 / 3.0;
    let open = heights[0] < 0.0;
    let carried = Carried { side: 1, weight: open.then_some([1.0, -third, -third, -third]) };
    let params = Params::new(DT, Normalisation::Constant).map_err(|e| e.to_string())?;
    let unit = K * DT * WAY;
    let (kind, opens) = (Kind::VertexFace, Opens::FromBothSides);
    let along = |i: DVec3| i.z / unit;
    let all = pair_impulses(kind, &x0, &x1, Some(&carried), opens, K, &params).map_err(|e| e.to_string())?;
    // At the start a pair that is open has the depth of the state there.
    let end = if moment == Moment::End { &x1 } else { &x0 };
    let one = tracked_discrete(kind, &x0, end, Some(&carried), opens, K, DT).map_err(|e| e.to_string())?;
    Ok([all.iter().map(|i| along(i.impulse)).sum(), one.map_or(0.0, |i| along(i.impulse))])
}

/// The spring's impulse over k Δt L: the depth integrated along the path.
fn spring([start, end]: [f64; 2]) -> f64 {
    let under = |h: f64| 0.5 * h.min(0.0) * h.min(0.0);
    (under(end) - under(start)) / (start - end)
}

fn estimation(moment: Moment) -> Result<Figure, String> {
    let mut curves = Vec::new();
    let (mut said, mut off) = (String::new(), 0.0_f64);
    for (name, heights) in CASES {
        let mut points = Vec::new();
        for i in 0..=100 {
            let phase = f64::from(i) / 100.0;
            let h = heights(phase);
            let ([continuous, discrete], exact) = (impulses(h, moment)?, spring(h));
            off = off.max((continuous - exact).abs());
            points.push((phase, discrete - exact));
        }
        said += &format!("{name}: {} to {}\n", short(points[0].1), short(points[100].1));
        curves.push(Curve { name: format!("discrete, {name}"), points });
    }
    curves.push(Curve { name: "continuous, all four".into(), points: vec![(0.0, off), (1.0, off)] });
    let (id, title, same, balance) = match moment {
        Moment::End => (
            "seed-003",
            "Seed 003: error of the impulse of a step, by where in the step the surface is crossed",
            "The same.",
            "What entering adds beyond the spring, φ − φ²/2, and leaving takes off, φ²/2, do not cancel",
        ),
        Moment::Start => (
            "seed-003-start",
            "Seed 003: the same error with the force of the start of the step",
            "The mirror: it underestimates while the depth grows and overestimates while it falls.",
            "What entering takes off, φ²/2, and leaving adds, φ − φ²/2, do not cancel",
        ),
    };
    Ok(Figure {
        id,
        title,
        paper: "The continuous force is exact on a straight path. The discrete one overestimates while the depth grows and \
                underestimates while it falls.",
        ours: format!(
            "{same} Error of the discrete impulse over k Δt L, L being the way in a step, at phase 0 and 1:\n{said}\
             Largest error of the continuous impulse: {off:.1e}. {balance}: this is the energy that an impact gains or loses with its phase."
        ),
        x: "phase [1]",
        y: "error / (k Δt L) [1]",
        log: false,
        room: None,
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_the_closed_forms() {
        let discrete: [fn(f64) -> f64; 4] = [|p| p - 0.5 * p * p, |_| 0.5, |_| -0.5, |p| -0.5 * p * p];
        let mirror: [fn(f64) -> f64; 4] = [|p| -0.5 * p * p, |_| -0.5, |_| 0.5, |p| p - 0.5 * p * p];
        let exact: [fn(f64) -> f64; 4] = [|p| 0.5 * p * p, |p| p + 0.5, |p| p + 0.5, |p| 0.5 * p * p];
        for (case, (name, heights)) in CASES.into_iter().enumerate() {
            for i in 0..=40 {
                let phase = f64::from(i) / 40.0;
                let want = exact[case](phase);
                for (moment, error) in [(Moment::End, discrete[case]), (Moment::Start, mirror[case])] {
                    let [c, d] = impulses(heights(phase), moment).unwrap();
                    assert!((c - want).abs() < 1e-14, "{name} at {phase}: {c} for {want}");
                    assert!((d - want - error(phase)).abs() < 1e-14, "{name} at {phase}: {d}");
                }
                assert!((spring(heights(phase)) - want).abs() < 1e-14, "{name} at {phase}");
            }
        }
    }

    #[test]
    fn the_discrete_force_is_over_while_the_depth_grows_and_under_while_it_falls() {
        for (name, heights) in CASES {
            let [c, d] = impulses(heights(0.5), Moment::End).unwrap();
            let grows = matches!(name, "entering" | "deeper");
            assert_eq!(d > c, grows, "{name}: {d} against {c}");
        }
    }
}
