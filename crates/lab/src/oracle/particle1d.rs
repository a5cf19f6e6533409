//! Family `particle1d`: a particle that falls on a spring (seed 000, the 1-D experiment), through the pipeline.
//!
//! `k_n = k (1 + ε sin(ω n Δt + φ))`; method `se` is symplectic Euler with the force taken at the start of the
//! step: `I_n = Δt k_n max(0, −x_n)`, `v_{n+1} = v_n − g Δt + I_n/m`, `x_{n+1} = x_n + Δt v_{n+1}`. A bilateral
//! spring also pulls. The unilateral spring is the penalty contact with a plane, the bilateral one a spring to an
//! anchor; both run in a whole world. Method `cpf` is the explicit continuous penalty force: v* = v − g Δt, the impulse over
//! the straight path to x + Δt v*, then the velocity and the position; it runs on the kernel alone.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use impinge_contact::{External, PairLaw, Stiffness};
use impinge_cpf::{Normalisation, Params};
use impinge_geometry::DVec3;
use impinge_integrators::AnchorSpring;
use impinge_penalty::{Evaluate, Release};
use impinge_world::{BodyDesc, Detection, Forces, Laws, Motion, NodeState, Penalty, Simulation};
use serde::Deserialize;

/// The family.
pub struct Particle1d;

/// `input` of a case.
#[derive(Deserialize)]
pub struct Input {
    method: Method,
    m: f64,
    k: f64,
    g: f64,
    x0: f64,
    v0: f64,
    dt: f64,
    eps: f64,
    omega: f64,
    phase: f64,
    steps: usize,
    #[serde(default)]
    bilateral: Option<bool>,
}

/// Which force.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Symplectic Euler.
    Se,
    /// Continuous penalty force.
    Cpf,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    x: Vec<f64>,
    v: Vec<f64>,
    impulse: Vec<f64>,
    tol_x: f64,
    tol_v: f64,
    tol_impulse: f64,
}

/// The spring under the particle.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Spring {
    /// Pushes when the particle is below 0.
    Unilateral,
    /// Pushes below 0 and pulls above.
    Bilateral,
}

/// A particle over a spring at 0, moving along z.
pub struct Particle {
    sim: Simulation,
    spring: Spring,
    slot: usize,
}

/// What a particle starts with.
pub struct Start {
    /// Mass (kg).
    pub m: f64,
    /// Gravity, downwards (m/s²).
    pub g: f64,
    /// Step (s).
    pub dt: f64,
    /// Height (m).
    pub x: f64,
    /// Velocity upwards (m/s).
    pub v: f64,
}

impl Particle {
    /// Builds the world.
    ///
    /// # Errors
    /// What the world refuses about these numbers.
    pub fn new(start: &Start, spring: Spring) -> Result<Self, Malformed> {
        let mut body = BodyDesc::particles("particle", vec![DVec3::new(0.0, 0.0, start.x)], start.m);
        if let Motion::Particles { velocities, .. } = &mut body.motion {
            velocities[0].z = start.v;
        }
        let world = Simulation::builder(start.dt)
            .gravity(DVec3::new(0.0, 0.0, -start.g))
            // A world wants a positive stiffness; `step` writes the real one before it is read. A stiffness
            // that swings below zero pulls, which `Release::Force` would cut off.
            .law(PairLaw::elastic(1.0))
            .response(Penalty {
                evaluate: Evaluate::Start,
                release: Release::Depth,
                detection: Detection::Facing,
            });
        let (world, slot) = match spring {
            Spring::Unilateral => (world.body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0)), 1),
            Spring::Bilateral => (
                world.anchor(AnchorSpring {
                    body: 0,
                    node: Some(0),
                    arm: DVec3::zero(),
                    to: DVec3::zero(),
                    stiffness: 0.0,
                    damping: 0.0,
                    rest_length: 0.0,
                }),
                0,
            ),
        };
        let sim = world.body(body).build().map_err(|e| Malformed(format!("the world refuses it: {e}")))?;
        Ok(Self { sim, spring, slot })
    }

    /// One step with the spring at stiffness `k` (N/m). Gives the spring's impulse on the particle (N·s).
    ///
    /// # Errors
    /// Why the step failed.
    pub fn step(&mut self, k: f64) -> Result<f64, String> {
        let (world, arena) = (self.sim.world(), self.sim.arena());
        match self.spring {
            Spring::Unilateral => {
                let mut laws = world.get::<&mut Laws>(arena).map_err(|e| e.to_string())?;
                laws.laws[0].stiffness = Stiffness::PerContact(k);
            }
            Spring::Bilateral => {
                let mut forces = world.get::<&mut Forces>(arena).map_err(|e| e.to_string())?;
                forces.0.anchors[0].stiffness = k;
            }
        }
        self.sim.step().map_err(|e| e.to_string())?;
        Ok(match self.spring {
            Spring::Unilateral => self.sim.ledger().contact[self.slot].impulse.z,
            Spring::Bilateral => self.sim.column::<External>().anchors[self.slot].impulse.z,
        })
    }

    /// Height (m) and velocity (m/s).
    pub fn state(&self) -> (f64, f64) {
        let n = self.sim.column::<NodeState>();
        (n.x[0].z, n.v[0].z)
    }
}

/// The same under continuous penalty forces.
pub struct Continuous {
    particle: impinge_cpf::Particle,
    params: Params,
    state: (f64, f64),
}

impl Continuous {
    /// Takes what the kernel needs.
    ///
    /// # Errors
    /// The mass or the step makes no sense.
    pub fn new(start: &Start, spring: Spring) -> Result<Self, Malformed> {
        let bad = |e: impinge_cpf::ParamError| Malformed(e.to_string());
        let particle =
            impinge_cpf::Particle::new(start.m, start.g, spring == Spring::Bilateral).map_err(bad)?;
        let params = Params::new(start.dt, Normalisation::Constant).map_err(bad)?;
        Ok(Self { particle, params, state: (start.x, start.v) })
    }

    /// One step with the spring at stiffness `k` (N/m). Gives the spring's impulse on the particle (N·s).
    pub fn step(&mut self, k: f64) -> f64 {
        let next = self.particle.explicit(self.state.0, self.state.1, k, &self.params);
        self.state = (next.x, next.v);
        next.impulse
    }

    /// Height (m) and velocity (m/s).
    pub fn state(&self) -> (f64, f64) {
        self.state
    }
}

impl Family for Particle1d {
    const NAME: &'static str = "particle1d";
    const KEYS: &'static str = "input{method m k g x0 v0 dt eps omega phase steps bilateral?} \
        expected{x v impulse tol_x tol_v tol_impulse}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let (states, impulses) = (input.steps + 1, input.steps);
        if [expected.x.len(), expected.v.len(), expected.impulse.len()] != [states, states, impulses] {
            return Err(Malformed(format!(
                "{} steps need {states} of `x` and `v` and {impulses} of `impulse`; there are {}, {} and {}",
                input.steps,
                expected.x.len(),
                expected.v.len(),
                expected.impulse.len()
            )));
        }
        let start = Start { m: input.m, g: input.g, dt: input.dt, x: input.x0, v: input.v0 };
        let spring = if input.bilateral == Some(true) { Spring::Bilateral } else { Spring::Unilateral };
        match input.method {
            Method::Cpf => {
                let p = Continuous::new(&start, spring)?;
                follow(p, Continuous::state, |p, k| Ok(p.step(k)), input, expected, out);
            }
            Method::Se => {
                let p = Particle::new(&start, spring)?;
                follow(p, Particle::state, Particle::step, input, expected, out);
            }
        }
        Ok(())
    }
}

/// Runs a particle and compares every state and impulse.
fn follow<P>(
    mut particle: P,
    state: fn(&P) -> (f64, f64),
    step: fn(&mut P, f64) -> Result<f64, String>,
    input: &Input,
    expected: &Expected,
    out: &mut Comparison,
) {
    for n in 0..=input.steps {
        let (x, v) = state(&particle);
        out.number(|| format!("x[{n}]"), x, expected.x[n], expected.tol_x);
        out.number(|| format!("v[{n}]"), v, expected.v[n], expected.tol_v);
        if n == input.steps {
            break;
        }
        let k = input.k * (1.0 + input.eps * (input.omega * (n as f64 * input.dt) + input.phase).sin());
        match step(&mut particle, k) {
            Ok(i) => out.number(|| format!("impulse[{n}]"), i, expected.impulse[n], expected.tol_impulse),
            Err(reason) => {
                out.holds(false, || format!("step {n} failed: {reason}"));
                break;
            }
        }
    }
}
