//! Family `particle1d_robustness`: does a particle on a spring whose stiffness is perturbed climb above where it fell from
//! (seed 000 §3.6; ERRATA "Reproduction of paper claims").

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::particle1d::{Continuous, Method, Particle, Spring, Start};
use serde::Deserialize;

/// The family.
pub struct Robustness;

/// `input` of a case.
#[derive(Deserialize)]
pub struct Input {
    m: f64,
    k: f64,
    g: f64,
    x0: f64,
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    method: Method,
    eps: f64,
    omega: f64,
    phase: f64,
    #[serde(rename = "T")]
    duration: f64,
    dt: f64,
    criterion: f64,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    verdicts: Vec<Verdict>,
}

#[derive(Deserialize)]
struct Verdict {
    unstable: bool,
    apex_ratio: f64,
    robust: bool,
}

/// Steps that are not looked at: the fall itself.
const SETTLE: usize = 100;

impl Family for Robustness {
    const NAME: &'static str = "particle1d_robustness";
    const KEYS: &'static str = "input{m k g x0 runs{method eps omega phase T dt criterion}} \
        expected{verdicts{unstable apex_ratio robust}}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        if input.runs.len() != expected.verdicts.len() {
            return Err(Malformed("`runs` and `verdicts` differ in length".into()));
        }
        for (i, (run, verdict)) in input.runs.iter().zip(&expected.verdicts).enumerate() {
            let apex = match apex(input, run) {
                Ok(x) => x / input.x0,
                Err(reason) => {
                    out.holds(false, || format!("runs[{i}] failed: {reason}"));
                    continue;
                }
            };
            out.holds(apex.is_finite(), || format!("runs[{i}]: the apex is {apex}"));
            if verdict.robust {
                let unstable = apex > run.criterion;
                out.holds(unstable == verdict.unstable, || {
                    format!("runs[{i}]: unstable is {unstable} (apex {apex}), expected {}", verdict.unstable)
                });
                // Bounces amplify rounding; runs that stay below the criterion are repeatable to a few digits.
                if !verdict.unstable {
                    let tol = 1e-2 * verdict.apex_ratio.abs();
                    out.number(|| format!("runs[{i}].apex_ratio"), apex, verdict.apex_ratio, tol);
                }
            }
        }
        Ok(())
    }
}

/// Largest height from step [`SETTLE`] on.
fn apex(input: &Input, run: &Run) -> Result<f64, String> {
    let steps = (run.duration / run.dt).round() as usize;
    let start = Start { m: input.m, g: input.g, dt: run.dt, x: input.x0, v: 0.0 };
    let stiffness =
        |n: usize| input.k * (1.0 + run.eps * (run.omega * (n as f64 * run.dt) + run.phase).sin());
    let mut highest = f64::NEG_INFINITY;
    match run.method {
        Method::Se => {
            let mut p = Particle::new(&start, Spring::Unilateral).map_err(|e| e.0)?;
            for n in 0..steps {
                p.step(stiffness(n))?;
                if n + 1 >= SETTLE {
                    highest = highest.max(p.state().0);
                }
            }
        }
        Method::Cpf => {
            let mut p = Continuous::new(&start, Spring::Unilateral).map_err(|e| e.0)?;
            for n in 0..steps {
                p.step(stiffness(n));
                if n + 1 >= SETTLE {
                    highest = highest.max(p.state().0);
                }
            }
        }
    }
    Ok(highest)
}
