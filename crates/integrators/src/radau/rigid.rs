//! Rigid bodies by Radau IIA, under any forces that are smooth functions of where bodies are and how they move.
//!
//! The unknowns of a body are its way x − x₀, the rotation vector θ of R = exp(θ) R₀, its velocity and its angular momentum:
//! ẋ = v, θ̇ = dexp⁻¹_θ ω, v̇ = F/m, L̇ = τ, with ω = R J⁻¹ Rᵀ L. All are made dimensionless by the body's radius of gyration
//! and the span asked for, so that one tolerance serves metres and radians. θ starts from 0 again when a body has turned
//! by a radian: the chart ends at a whole turn.

use super::settings::{RadauError, RadauReport, RadauSettings};
use super::stepper::{Radau, RadauProblem};
use impinge_contact::Mobility;
use impinge_geometry::{DMat3, DVec3, Pose, add, rotor_from_rotation_vector, scale, skew, trace};
use std::cell::RefCell;

/// Rotation from which a new chart is begun (rad).
const FAR: f64 = 1.0;
/// Unknowns of a body.
const SIZE: usize = 12;
/// Way of an unknown, in its own unit, by which slopes are taken.
const NUDGE: f64 = 1e-7;

/// What does not change.
#[derive(Clone, Copy, Debug)]
pub struct RigidBodies<'a> {
    /// Masses (kg).
    pub mass: &'a [f64],
    /// Inertia about the centre of mass in body axes (kg m²).
    pub inertia: &'a [DMat3],
    /// How they answer: the inverse of both, without what is locked.
    pub mobility: &'a [Mobility],
}

/// Where bodies are and how they move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigidState {
    /// Centres of mass with the body axes.
    pub pose: Vec<Pose>,
    /// Velocities of the centres (m/s).
    pub velocity: Vec<DVec3>,
    /// Angular momenta about the centres (kg m²/s, world axes).
    pub angular_momentum: Vec<DVec3>,
    /// Angular velocities (rad/s, world axes): R J⁻¹ Rᵀ L. Written, not read.
    pub spin: Vec<DVec3>,
}

/// Forces on the bodies.
pub trait RigidForces {
    /// Adds to `out` the force (N) and the torque about its centre (N·m) of each body. `only` asks for no more than what
    /// changes when that body moves: all that acts on it and what it does to others.
    fn forces(&mut self, time: f64, state: &RigidState, only: Option<usize>, out: &mut [[DVec3; 2]]);

    /// Comes after every accepted step at points of it: Σ weight g(state) is the integral of g over the step (s).
    fn tally(&mut self, _time: f64, _weight: f64, _state: &RigidState) {}
}

/// Moves `state` from the first time to the second (s). [`RadauSettings::absolute`] is in radii of gyration for ways, and in radii of gyration
/// over the span for velocities; [`RadauSettings::first_step`] and [`RadauSettings::largest_step`] are in seconds.
///
/// ```
/// use impinge_contact::Mobility;
/// use impinge_geometry::{DMat3, DVec3, Pose};
/// use impinge_integrators::{RadauSettings, RigidBodies, RigidForces, RigidState, integrate_rigid};
///
/// struct Weight;
/// impl RigidForces for Weight {
///     fn forces(&mut self, _: f64, state: &RigidState, _: Option<usize>, out: &mut [[DVec3; 2]]) {
///         (0..state.pose.len()).for_each(|i| out[i][0].z -= 2.0 * 9.81);
///     }
/// }
/// let (inertia, mut state) = (DMat3::identity(), RigidState::default());
/// let mobility = Mobility::new(inertia).unwrap();
/// state.push(Pose::identity(), DVec3::unit_x(), DVec3::zero());
/// let bodies = RigidBodies { mass: &[2.0], inertia: &[inertia], mobility: &[mobility] };
/// integrate_rigid(&RadauSettings::default(), bodies, &mut state, [0.0, 0.5], &mut Weight)?;
/// assert!((state.pose[0].position - DVec3::new(0.5, 0.0, -9.81 / 8.0)).mag() < 1e-12);
/// # Ok::<(), impinge_integrators::RadauError>(())
/// ```
///
/// # Errors
/// [`RadauError`]; the state is that of the last accepted step.
pub fn integrate_rigid(
    settings: &RadauSettings,
    bodies: RigidBodies<'_>,
    state: &mut RigidState,
    [from, to]: [f64; 2],
    forces: &mut impl RigidForces,
) -> Result<RadauReport, RadauError> {
    let span = to - from;
    check(bodies, state, span)?;
    let mut report = RadauReport::default();
    if bodies.mass.is_empty() {
        return Ok(report);
    }
    let mut settings = *settings;
    settings.first_step /= span;
    settings.largest_step /= span;
    settings.fixed_step = settings.fixed_step.map(|h| h / span);
    let forces = RefCell::new(forces);
    let mut time = 0.0;
    // One chart each.
    while time < 1.0 {
        let chart = Chart::new(bodies, state, span);
        let scratch = RefCell::new((state.clone(), vec![[DVec3::zero(); 2]; bodies.mass.len()]));
        let at = |t: f64| from + t * span;
        let mut rate = |t: f64, y: &[f64], out: &mut [f64]| {
            let (state, sums) = &mut *scratch.borrow_mut();
            chart.decode(y, state);
            sums.fill([DVec3::zero(); 2]);
            forces.borrow_mut().forces(at(t), state, None, sums);
            chart.rate(y, state, sums, out);
        };
        let mut slopes = |t: f64, y: &[f64], out: &mut [f64]| {
            let (state, _) = &mut *scratch.borrow_mut();
            chart.slopes(y, state, out, |state, only, sums| {
                forces.borrow_mut().forces(at(t), state, Some(only), sums);
            });
        };
        let mut problem = RadauProblem::with_jacobian(&mut rate, &mut slopes);
        let mut radau = Radau::new(settings, time, &chart.encode(state))?;
        let mut outcome = Ok(());
        while radau.time() < 1.0 {
            match radau.step(&mut problem, 1.0) {
                Ok(step) => settings.first_step = step.step,
                Err(e) => {
                    outcome = Err(e.at(at));
                    break;
                }
            }
            radau.stages(|t, weight, y| {
                chart.decode(y, state);
                forces.borrow_mut().tally(at(t), weight * span, state);
            });
            chart.decode(radau.state(), state);
            let tried = |r: &RadauReport| r.steps() + r.rejected + r.newton_failures;
            if tried(&report) + tried(radau.report()) >= settings.most_steps && radau.time() < 1.0 {
                outcome = Err(RadauError::TooManySteps { time: at(radau.time()) });
                break;
            }
            if chart.turned(radau.state()) > FAR {
                break;
            }
        }
        report.add(radau.report());
        outcome?;
        time = radau.time();
    }
    Ok(report)
}

fn check(bodies: RigidBodies<'_>, state: &RigidState, span: f64) -> Result<(), RadauError> {
    let n = bodies.mass.len();
    let lengths = [bodies.inertia.len(), bodies.mobility.len(), state.pose.len()];
    let more = [state.velocity.len(), state.angular_momentum.len()];
    if lengths.iter().chain(&more).any(|&l| l != n) {
        return Err(RadauError::Parameter(format!("{n} masses, and {lengths:?} and {more:?} of the rest")));
    }
    if let Some(b) = bodies.mass.iter().position(|m| !(*m > 0.0 && m.is_finite())) {
        return Err(RadauError::Parameter(format!("body {b} has the mass {} kg", bodies.mass[b])));
    }
    if !(span > 0.0 && span.is_finite()) {
        return Err(RadauError::Parameter(format!("a span of {span} s; give a positive, finite one")));
    }
    Ok(())
}

impl RigidState {
    /// One body more.
    pub fn push(&mut self, pose: Pose, velocity: DVec3, angular_momentum: DVec3) {
        self.pose.push(pose);
        self.velocity.push(velocity);
        self.angular_momentum.push(angular_momentum);
        self.spin.push(DVec3::zero());
    }
}

/// Coordinates about the poses they were made at.
struct Chart<'a> {
    bodies: RigidBodies<'a>,
    base: Vec<Pose>,
    /// Radii of gyration (m).
    size: Vec<f64>,
    span: f64,
}

impl<'a> Chart<'a> {
    fn new(bodies: RigidBodies<'a>, state: &RigidState, span: f64) -> Self {
        let gyration = |(j, m): (&DMat3, &f64)| (0.5 * trace(j) / m).sqrt();
        let size = bodies.inertia.iter().zip(bodies.mass).map(gyration);
        let size = size.map(|s| if s > 0.0 && s.is_finite() { s } else { 1.0 }).collect();
        Self { bodies, base: state.pose.clone(), size, span }
    }

    /// Units of a body: of velocities (m/s) and of angular momenta.
    fn units(&self, b: usize) -> [f64; 2] {
        let speed = self.size[b] / self.span;
        [speed, speed * self.size[b] * self.bodies.mass[b]]
    }

    fn encode(&self, state: &RigidState) -> Vec<f64> {
        let mut y = Vec::with_capacity(SIZE * self.size.len());
        for b in 0..self.size.len() {
            let [speed, momentum] = self.units(b);
            y.extend([0.0; 6]);
            y.extend(<[f64; 3]>::from(state.velocity[b] / speed));
            y.extend(<[f64; 3]>::from(state.angular_momentum[b] / momentum));
        }
        y
    }

    fn decode(&self, y: &[f64], state: &mut RigidState) {
        state.spin.resize(self.size.len(), DVec3::zero());
        (0..self.size.len()).for_each(|b| self.decode_one(y, b, state));
    }

    fn decode_one(&self, y: &[f64], b: usize, state: &mut RigidState) {
        let [x, theta, v, l] = parts(&y[SIZE * b..]);
        let ([speed, momentum], base) = (self.units(b), &self.base[b]);
        state.pose[b] = Pose {
            position: base.position + x * self.size[b],
            rotation: (rotor_from_rotation_vector(theta) * base.rotation).normalized(),
        };
        state.velocity[b] = v * speed;
        state.angular_momentum[b] = l * momentum;
        let r = state.pose[b].matrix();
        state.spin[b] = self.bodies.mobility[b].spin(&r, state.angular_momentum[b]);
    }

    fn rate(&self, y: &[f64], state: &RigidState, sums: &[[DVec3; 2]], out: &mut [f64]) {
        for (b, [force, torque]) in sums.iter().enumerate() {
            let [speed, momentum] = self.units(b);
            let out = &mut out[SIZE * b..SIZE * (b + 1)];
            self.kinematics(y, b, state, out);
            let force = self.bodies.mobility[b].linear(*force);
            let v = force * (self.span / (self.bodies.mass[b] * speed));
            out[6..9].copy_from_slice(&<[f64; 3]>::from(v));
            out[9..12].copy_from_slice(&<[f64; 3]>::from(*torque * (self.span / momentum)));
        }
    }

    /// Rates of way and rotation.
    fn kinematics(&self, y: &[f64], b: usize, state: &RigidState, out: &mut [f64]) {
        let [_, theta, v, _] = parts(&y[SIZE * b..]);
        out[..3].copy_from_slice(&<[f64; 3]>::from(v));
        out[3..6].copy_from_slice(&<[f64; 3]>::from(chart_rate(theta, state.spin[b]) * self.span));
    }

    /// ∂(rate)/∂y by differences, body by body.
    fn slopes(
        &self,
        y: &[f64],
        state: &mut RigidState,
        out: &mut [f64],
        mut forces: impl FnMut(&RigidState, usize, &mut [[DVec3; 2]]),
    ) {
        let (n, count) = (y.len(), self.size.len());
        let mut y = y.to_vec();
        let (mut here, mut there) = (vec![[DVec3::zero(); 2]; count], vec![[DVec3::zero(); 2]; count]);
        out.fill(0.0);
        self.decode(&y, state);
        for b in 0..count {
            here.fill([DVec3::zero(); 2]);
            forces(state, b, &mut here);
            let mut before = [0.0; 6];
            self.kinematics(&y, b, state, &mut before);
            for j in SIZE * b..SIZE * (b + 1) {
                let old = y[j];
                y[j] = old + NUDGE * old.abs().max(1.0);
                let way = y[j] - old;
                self.decode_one(&y, b, state);
                there.fill([DVec3::zero(); 2]);
                forces(state, b, &mut there);
                let mut after = [0.0; 6];
                self.kinematics(&y, b, state, &mut after);
                (0..6).for_each(|i| out[(SIZE * b + i) * n + j] = (after[i] - before[i]) / way);
                for k in 0..count {
                    let [speed, momentum] = self.units(k);
                    let force = self.bodies.mobility[k].linear(there[k][0] - here[k][0]);
                    let v = force * (self.span / (self.bodies.mass[k] * speed * way));
                    let l = (there[k][1] - here[k][1]) * (self.span / (momentum * way));
                    for (i, x) in <[f64; 3]>::from(v).into_iter().chain(<[f64; 3]>::from(l)).enumerate() {
                        out[(SIZE * k + 6 + i) * n + j] = x;
                    }
                }
                y[j] = old;
            }
            self.decode_one(&y, b, state);
        }
    }

    /// Largest rotation from the base (rad).
    fn turned(&self, y: &[f64]) -> f64 {
        y.chunks_exact(SIZE).map(|body| parts(body)[1].mag()).fold(0.0, f64::max)
    }
}

fn parts(y: &[f64]) -> [DVec3; 4] {
    std::array::from_fn(|k| DVec3::new(y[3 * k], y[3 * k + 1], y[3 * k + 2]))
}

/// dexp⁻¹_θ ω: how θ changes when exp(θ) turns with ω, seen from outside.
fn chart_rate(theta: DVec3, spin: DVec3) -> DVec3 {
    let square = theta.mag_sq();
    let half = 0.5 * square.sqrt();
    // (1 − h cot h)/4h²; the two terms cancel to 1/12 for small angles.
    let second = if half < 1e-2 {
        1.0 / 12.0 + square / 720.0 + square * square / 30240.0
    } else {
        (1.0 - half / libm::tan(half)) / square
    };
    let turn = skew(theta);
    let m = add(&add(&DMat3::identity(), &scale(&turn, -0.5)), &scale(&(turn * turn), second));
    m * spin
}
