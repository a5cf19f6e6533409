//! Section 5.2 and 3.4 of "Continuous penalty forces": what a step and a pair cost.
//!
//! Wall times, so ratios only, and only of what ran turn by turn in one process. The paper's discrete baseline is detection
//! and force at one time; here that is the response `penalty`.

use super::figure::{Curve, Figure, short};
use super::methods::{ALL, all};
use super::seed_000::{Entry, Fixtures};
use super::series::{run, variation};
use impinge_ccd::{Interval, Kind, Opens, intervals};
use impinge_cpf::{Normalisation, Params, at_end, over_interval};
use impinge_geometry::DVec3;
use impinge_world::Simulation;
use std::hint::black_box;
use std::time::Instant;

/// Costs: of steps, of pairs.
pub const FIGURES: &[Entry] = &[("cost", steps), ("cost-pair", pairs)];

/// A scene, and between which bodies its force is looked at.
const SCENES: [(&str, &str, &[&str], &[&str]); 2] =
    [("chain", "chain-cpf", &["link"], &["box"]), ("rings", "rings-cpf", &["ring"], &["floor", "pin"])];

/// Of the discrete force by proximity (m): the paper's 0.4 mm for the chain, in the scene's lengths. It states none for the rings, which lie
/// on each other with the same, and come through each other with half of it.
const TOLERANCE: &str = "0.4";

/// Wall time of a run (s): all stages that deal with contact, the response alone, all.
#[derive(Clone, Copy, Default)]
struct Spent {
    contact: f64,
    response: f64,
    whole: f64,
}

/// Adds what the last step cost. The response of tracked pairs contains the detection in time.
fn add(spent: &mut Spent, sim: &Simulation, whole: f64) {
    for (name, cost) in sim.pipeline.costs() {
        if ["surface", "broad", "narrow", "response", "stabilise"].iter().any(|s| name.starts_with(s)) {
            spent.contact += cost.seconds;
        }
        if name.starts_with("response") {
            spent.response += cost.seconds;
        }
    }
    spent.whole += whole;
}

fn steps(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let (mut curves, mut said) = (Vec::new(), String::new());
    for (name, file, first, second) in SCENES {
        let specs = all().map(|m| m.scene(file, fixtures, &[], TOLERANCE).map(|spec| (spec, m)));
        let specs = specs.into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut sims = (specs.iter())
            .map(|(spec, m)| spec.simulation_with(m.response).map_err(|e| e.to_string()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut spent = [Spent::default(); ALL];
        let mut points = vec![Vec::new(); ALL];
        // Turn by turn: what else the machine does meets all of them.
        for _ in 0..specs[0].0.steps() {
            for ((sim, spent), points) in sims.iter_mut().zip(&mut spent).zip(&mut points) {
                let start = Instant::now();
                sim.step().map_err(|e| format!("{name}: {e}"))?;
                let whole = start.elapsed().as_secs_f64();
                add(spent, sim, whole);
                points.push((sim.time(), whole * 1e3));
            }
        }
        let third = format!("{:?}", specs[0].0.dt / 3.0);
        let keys = &[("scene.dt", third.as_str())];
        let [others @ .., (spec, last)] = &specs[..] else { return Err("no forces".into()) };
        let coarse = variation(&run(spec, last.response, first, second, |_| Ok(()))?.force);
        let continuous = spent[ALL - 1];
        for ((_, method), of) in others.iter().zip(&spent) {
            let spec = method.scene(file, fixtures, keys, TOLERANCE)?;
            let fine = variation(&run(&spec, method.response, first, second, |_| Ok(()))?.force);
            said += &format!(
                "{name}, continuous over {}: {} (detection, response and tracking), {} (whole step); variation of |F| at a third of the step \
                 over continuous {}\n",
                method.name,
                short(continuous.contact / of.contact),
                short(continuous.whole / of.whole),
                short(fine / coarse)
            );
        }
        let tracked = spent[ALL - 2];
        said += &format!(
            "{name}, the response alone, CCD in it, continuous over {}: {}\n",
            all()[ALL - 2].name,
            short(continuous.response / tracked.response)
        );
        curves.extend(
            all().iter().zip(points).map(|(m, points)| Curve { name: format!("{name}, {}", m.name), points }),
        );
    }
    said += &format!(
        "The formula alone, on the same pairs, without CCD on either side (`cost-pair`): L_k over discrete {}",
        like_for_like()?
    );
    Ok(Figure {
        id: "cost",
        title: "Section 5.2: cost of a step",
        paper: "CCD and continuous forces are 3 to 4 times slower than discrete detection and forces; at a third of the step the \
                discrete force is not smooth.",
        ours: format!(
            "All simulations, turn by turn. What the discrete force with features from CCD differs in is the formula only; its bodies go \
             their own way, so numbers of pairs differ.\n{said}"
        ),
        x: "t [s]",
        y: "wall time of a step [ms]",
        log: true,
        room: None,
        curves,
    })
}

type Motion = ([DVec3; 4], [DVec3; 4]);

/// Pairs that meet once in the step and penetrate at its end; their features turn by up to `turn` of their size.
fn meeting(kind: Kind, n: usize, turn: f64) -> Vec<(Motion, Interval)> {
    // Weyl sequences: evenly spread, and the same everywhere.
    let mut at = 0.0_f64;
    let mut number = || {
        at += 1.0;
        2.0 * (at * 0.618_033_988_749_894_9).fract() - 1.0
    };
    let p = DVec3::new;
    let (base, first) = match kind {
        Kind::VertexFace => ([p(0.3, 0.3, 0.1), p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0)], 1),
        Kind::EdgeEdge => ([p(-0.5, 0.0, 0.1), p(0.5, 0.1, 0.1), p(0.0, -0.5, 0.0), p(0.1, 0.5, 0.0)], 2),
    };
    let mut out = Vec::new();
    while out.len() < n {
        let mut stray = |size: f64| p(number(), number(), number()) * size;
        let x0 = base.map(|b| b + stray(0.05));
        let x1 = std::array::from_fn(|i| {
            x0[i] + stray(turn) + if i < first { p(0.0, 0.0, -0.3) } else { DVec3::zero() }
        });
        if let Ok(found) = intervals(kind, &x0, &x1, None, Opens::FromBothSides)
            && let [one] = found[..]
        {
            out.push(((x0, x1), one));
        }
    }
    out
}

/// What is timed, of one pair.
type Timed<'a> = &'a dyn Fn(&Motion, &Interval);

/// Median wall time of one call (s) of each of several functions, measured turn by turn.
fn medians(list: &[(Motion, Interval)], of: &[Timed<'_>]) -> Vec<f64> {
    let mut times = vec![Vec::new(); of.len()];
    for _ in 0..41 {
        for (f, times) in of.iter().zip(&mut times) {
            let start = Instant::now();
            list.iter().for_each(|(m, i)| f(black_box(m), i));
            times.push(start.elapsed().as_secs_f64() / list.len() as f64);
        }
    }
    times
        .into_iter()
        .map(|mut t: Vec<f64>| {
            t.sort_by(f64::total_cmp);
            t[t.len() / 2]
        })
        .collect()
}

/// Settings at a step of 10 ms.
fn params(n: Normalisation) -> Result<Params, String> {
    Params::new(0.01, n).map_err(|e| e.to_string())
}

/// Kinds of pairs, and how much they turn in a step.
const KINDS: [(Kind, &str); 2] = [(Kind::VertexFace, "vertex and face"), (Kind::EdgeEdge, "edge and edge")];
const TURNS: [(f64, &str); 2] = [(0.025, "turning little"), (0.15, "turning much")];

/// Cost of the continuous impulse with L_k over that of the discrete force on the same pairs, for each kind.
fn like_for_like() -> Result<String, String> {
    let constant = params(Normalisation::Constant)?;
    let mut of = Vec::new();
    for ((kind, name), (turn, how)) in KINDS.into_iter().flat_map(|k| TURNS.map(|t| (k, t))) {
        let list = meeting(kind, 1024, turn);
        let t = medians(
            &list,
            &[
                &|(a, b), i| {
                    black_box(over_interval(kind, a, b, i, 1e3, &constant));
                },
                &|(a, b), i| {
                    black_box(at_end(kind, a, b, i, 1e3, 0.01));
                },
            ],
        );
        of.push(format!("{} ({name}, {how})", short(t[0] / t[1])));
    }
    Ok(of.join(", "))
}

fn pairs(_: Fixtures<'_>) -> Result<Figure, String> {
    let constant = params(Normalisation::Constant)?;
    let exact = [1e-3, 1e-6, 1e-9].map(|tolerance| params(Normalisation::Exact { tolerance }));
    let [low, middle, high] = exact;
    let (low, middle, high) = (low?, middle?, high?);
    let (mut curves, mut said) = (Vec::new(), String::new());
    for (kind, name) in KINDS {
        for (turn, how) in TURNS {
            let list = meeting(kind, 1024, turn);
            let with = |p: Params| {
                move |(a, b): &Motion, i: &Interval| {
                    black_box(over_interval(kind, a, b, i, 1e3, &p));
                }
            };
            let t = medians(
                &list,
                &[
                    &with(constant),
                    &with(low),
                    &with(middle),
                    &with(high),
                    &|(a, b), i| {
                        black_box(at_end(kind, a, b, i, 1e3, 0.01));
                    },
                    &|(a, b), _| {
                        let _ = black_box(intervals(kind, a, b, None, Opens::FromBothSides));
                    },
                ],
            );
            said += &format!(
                "{name}, {how}: exact over L_k {}, {}, {} for errors of 1e-3, 1e-6, 1e-9; L_k over the discrete force {}; intervals {} ns, \
                 impulse with L_k {} ns\n",
                short(t[1] / t[0]),
                short(t[2] / t[0]),
                short(t[3] / t[0]),
                short(t[0] / t[4]),
                short(t[5] * 1e9),
                short(t[0] * 1e9)
            );
            curves.push(Curve {
                name: format!("{name}, {how}"),
                points: [-3.0, -6.0, -9.0].into_iter().zip(&t[1..4]).map(|(e, t1)| (e, t1 / t[0])).collect(),
            });
        }
    }
    Ok(Figure {
        id: "cost-pair",
        title: "Section 3.4: the exact normal against the constant L_k, cost of a pair",
        paper: "L_k speeds benchmarks up by up to an order of magnitude. A pair takes 2 µs for the intervals and less than 1 µs for the impulse.",
        ours: format!("Medians of calls on single pairs, turn by turn in one run.\n{said}"),
        x: "log10 of the error allowed [1]",
        y: "exact / L_k [1]",
        log: false,
        room: None,
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_meet_and_exact_costs_are_of_the_same_impulse() {
        for kind in [Kind::VertexFace, Kind::EdgeEdge] {
            let constant = Params::new(0.01, Normalisation::Constant).unwrap();
            let exact = Params::new(0.01, Normalisation::Exact { tolerance: 1e-9 }).unwrap();
            for ((a, b), i) in meeting(kind, 32, 0.025) {
                let c = over_interval(kind, &a, &b, &i, 1e3, &constant).impulse;
                let e = over_interval(kind, &a, &b, &i, 1e3, &exact).impulse;
                assert!((c - e).mag() < 0.2 * e.mag() && e.mag() > 0.0, "{c:?} {e:?}");
            }
        }
    }
}
