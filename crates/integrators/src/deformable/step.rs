//! One step of the deformables: predict without contact, then answer contact impulses through the same operator.
//!
//! With w the velocity the positions move by (the end's for implicit Euler, the mean for the midpoint rule), ũ the
//! velocity after external impulses and τ = h or h/2, both schemes solve
//!
//! ```text
//! g(w) = M (w − ũ) + τ ∂E/∂x(x₀ + τ w) + τ D w − (τ/h) I = 0          x₁ = x₀ + h w,  v₁ = v₀ + (h/τ)(w − v₀)
//! ```
//! I contact impulses, 0 while predicting. `Linearised` replaces ∂E/∂x by its first-order expansion at x₀: seed 001 (1),
//! seed 002 (1)–(3), one linear solve. Newton's method walks down the incremental potential whose gradient g is,
//! with a backtracking line search.
//!
//! What is conserved: linear momentum by every scheme to rounding (what the solver leaves over is spread as a translation,
//! which no energy feels); angular momentum by the midpoint rule to the solver's tolerance. Implicit Euler turns with
//! forces taken at its end and applied at its start: it loses angular momentum even when solved exactly, by the amount in
//! [`Books::leak`]; so do linearised forces and Rayleigh's dampers in a body under stress.

mod books;
mod linearised;
mod newton;

use super::operator::{ElasticError, ElasticOperator, grip_points, matrix};
use super::system::{ElasticSystem, Grip};
use crate::Scheme;
use impinge_contact::sums::ordered_sum;
use impinge_contact::{BodyDofsView, Prediction};
use impinge_elasticity::Projection;
use impinge_geometry::DVec3;
use impinge_solvers::{Block, Method};

/// Tolerances of the deformables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticSettings {
    /// Linear solver: ‖b − A x‖ / ‖b‖ of the linearised step.
    pub tolerance: f64,
    /// Most iterations of a linear solve.
    pub max_iterations: u32,
    /// Newton's method: ‖g‖ / (‖M ũ‖ + τ ‖∂E/∂x(x₀)‖).
    pub newton_tolerance: f64,
    /// Most Newton iterations of a solve.
    pub newton_max: u32,
    /// The linear solver; `None` chooses by size.
    pub method: Option<Method>,
}

impl Default for ElasticSettings {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 2000, newton_tolerance: 1e-10, newton_max: 200, method: None }
    }
}

/// What a step starts from; node arrays in the order of the system.
#[derive(Clone, Copy, Debug)]
pub struct StepInput<'a> {
    /// Step (s).
    pub dt: f64,
    /// Scheme.
    pub scheme: Scheme,
    /// Positions (m).
    pub x: &'a [DVec3],
    /// Velocities (m/s).
    pub v: &'a [DVec3],
    /// Velocities after external impulses (m/s).
    pub free: &'a [DVec3],
    /// A guess for the change of velocity (m/s), e.g. that of the step before; may be empty.
    pub guess: &'a [DVec3],
    /// Bodies at the start.
    pub bodies: BodyDofsView<'a>,
    /// Bodies after external impulses: velocities, momenta, and end poses of prescribed ones.
    pub prediction: &'a Prediction,
}

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElasticReport {
    /// Newton iterations; 1 when linearised, 0 when explicit.
    pub newton: u32,
    /// Iterations of the linear solver.
    pub linear: u32,
    /// What is left: relative to ‖b‖ when linearised, to the momentum scale otherwise.
    pub residual: f64,
}

/// What the step did to nodes and tied bodies, for the ledger.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Books {
    /// Impulse on each node from outside the deformables: pins, ties to prescribed points, mass-proportional damping (N·s).
    pub held: Vec<DVec3>,
    /// Impulse (N·s) and moment about the centre of mass (N·m·s) of ties on each tied rigid body.
    pub tied: Vec<[DVec3; 2]>,
    /// Work of pins and ties among those impulses (J).
    pub work_held: f64,
    /// Work of mass-proportional damping (J).
    pub work_drag: f64,
    /// Work of everything inside: elasticity, damping, ties to rigid bodies (J).
    pub work_elastic: f64,
    /// Elastic energy at the end, ties included (J).
    pub energy: f64,
    /// Angular momentum about the origin that the inner forces are known to leak (kg m²/s): Σ x₀ × J of the impulses J of their formulas, which
    /// act where the nodes were at the start. Zero for elastic forces of the start, −Σ (xₑ − x₀) × J for those of a place xₑ. Linearised ones, and
    /// dampers by a stiffness that was made definite, have a moment of their own in a body under stress. What a solve left over is in no J. With it the couples of
    /// ties that have opened.
    pub leak: DVec3,
}

/// Vectors of the step in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct StepState {
    h: f64,
    tau: f64,
    scheme: Scheme,
    x0: Vec<DVec3>,
    /// Block velocities: at the start, after external impulses (all of them), ũ, end.
    u0: Vec<DVec3>,
    external: Vec<DVec3>,
    aim: Vec<DVec3>,
    w: Vec<DVec3>,
    /// c of `A w = c` when linearised; −∂E/∂x − D v at the start when explicit.
    rhs: Vec<DVec3>,
    /// (τ/h) I.
    load: Vec<DVec3>,
    /// What every answer of this step starts from, once there was one.
    predicted: Predicted,
    /// What momenta are measured with.
    scale: f64,
    g: Vec<DVec3>,
    /// When linearised: A times the velocities that changes are counted from, and the g of the solve before.
    base: Vec<DVec3>,
    solved: Vec<DVec3>,
    force: Vec<DVec3>,
    delta: Vec<DVec3>,
    trial: Vec<DVec3>,
    product: Vec<DVec3>,
}

/// The step as it was predicted.
#[derive(Clone, Debug, Default)]
struct Predicted {
    known: bool,
    w: Vec<DVec3>,
    g: Vec<DVec3>,
    /// Of Newton's method alone, which moves on from them.
    x: Vec<DVec3>,
    stiffness: Vec<Block>,
}

fn norm(system: &ElasticSystem, v: &mut [DVec3]) -> f64 {
    system.filter.project(v);
    ordered_sum(v.len(), |i| v[i].mag_sq()).sqrt()
}

fn reset(v: &mut Vec<DVec3>, n: usize) {
    v.clear();
    v.resize(n, DVec3::zero());
}

impl ElasticOperator {
    /// The step without contact. [`ElasticOperator::velocity`] and [`ElasticOperator::position`] give the result,
    /// [`ElasticOperator::respond`] goes on from it.
    ///
    /// # Errors
    /// [`ElasticError`] with the residual when a solver stops short.
    ///
    /// # Panics
    /// When `x`, `v` or `free` is not as long as the system has nodes.
    pub fn predict(
        &mut self,
        system: &ElasticSystem,
        input: &StepInput<'_>,
        settings: &ElasticSettings,
    ) -> Result<ElasticReport, ElasticError> {
        let n = system.nodes();
        assert!(
            input.x.len() == n && input.v.len() == n && input.free.len() == n,
            "{}, {} and {} entries for {n} nodes",
            input.x.len(),
            input.v.len(),
            input.free.len()
        );
        self.linear.wanted = settings.method;
        self.place(system, input.bodies, &input.prediction.pose, input.dt);
        self.begin(system, input);
        match input.scheme {
            Scheme::SymplecticEuler | Scheme::ExplicitEuler => Ok(self.explicit(system, input.dt)),
            Scheme::ImplicitEuler => self.linearised(system, settings),
            Scheme::ImplicitEulerNewton | Scheme::ImplicitMidpoint => self.newton(system, settings, true),
        }
    }

    fn begin(&mut self, system: &ElasticSystem, input: &StepInput<'_>) {
        let s = &mut self.step;
        let (n, h) = (system.nodes(), input.dt);
        s.h = h;
        s.predicted.known = false;
        s.scheme = input.scheme;
        s.tau = if input.scheme == Scheme::ImplicitMidpoint { 0.5 * h } else { h };
        s.x0.clear();
        s.x0.extend_from_slice(input.x);
        self.x.clear();
        self.x.extend_from_slice(input.x);
        s.u0.clear();
        s.u0.extend_from_slice(input.v);
        s.external.clear();
        s.external.extend_from_slice(input.free);
        for &b in &system.rigid {
            let b = b as usize;
            let r = input.bodies.pose[b].matrix();
            let spin = |l: DVec3| input.bodies.mobility[b].spin(&r, l);
            s.u0.push(input.bodies.velocity[b]);
            s.u0.push(spin(input.bodies.angular_momentum[b]));
            s.external.push(input.prediction.velocity[b]);
            s.external.push(spin(input.prediction.angular_momentum[b]));
        }
        let share = s.tau / h;
        s.aim.clear();
        s.aim.extend(s.u0.iter().zip(&s.external).map(|(u, e)| *u + (*e - *u) * share));
        // The guess; pinned nodes move as their grips do.
        s.w.clear();
        s.w.extend_from_slice(&s.u0);
        if input.guess.len() == n {
            for (w, g) in s.w.iter_mut().zip(input.guess) {
                *w += *g * share;
            }
        }
        for p in &system.pins {
            let end = match p.to {
                Grip::World(q) => q,
                Grip::Prescribed { body, arm } | Grip::Rigid { body, arm } => {
                    grip_points(input.bodies, &input.prediction.pose, body, arm).1
                }
            };
            s.w[p.node as usize] = (end - input.x[p.node as usize]) / h;
        }
        reset(&mut s.load, system.layout.blocks());
    }

    fn explicit(&mut self, system: &ElasticSystem, h: f64) -> ElasticReport {
        let mut s = std::mem::take(&mut self.step);
        // The operator of an explicit step is the mass: nothing answers a contact but the node itself.
        self.values.clear();
        self.values.resize(system.pattern.blocks(), [0.0; 9]);
        self.add_mass(system, 0.0);
        let x0 = std::mem::take(&mut s.x0);
        self.forces(system, &x0, &mut s.rhs);
        if system.damped {
            self.assemble_stiffness(system, &x0, Projection::Spd, true);
            reset(&mut s.product, system.layout.blocks());
            matrix(system, &self.damping).apply(&s.u0, &mut s.product, &mut self.apply);
            for (f, d) in s.rhs.iter_mut().zip(&s.product) {
                *f -= *d;
            }
        }
        for i in 0..system.nodes() {
            s.rhs[i] -= s.u0[i] * system.mass_damping[i];
        }
        for (t, tie) in system.ties.iter().enumerate() {
            let spanned = x0[tie.node as usize] - self.ties[t].point;
            // D v has the damping with the grip at rest; what a moving grip adds.
            let f = spanned * -tie.stiffness + self.ties[t].velocity * tie.damping;
            self.add_tie_force(system, t, f, &mut s.rhs);
        }
        s.x0 = x0;
        for i in 0..system.layout.blocks() {
            if system.filter.projector(i).is_none() {
                s.w[i] = s.external[i] + inverse_mass(self, system, i, s.rhs[i] * h);
            }
        }
        self.step = s;
        ElasticReport::default()
    }

    /// Where contact impulses (N·s; N·m·s on angular blocks) lead to from the prediction. What an earlier call gave is forgotten.
    ///
    /// # Errors
    /// As [`ElasticOperator::predict`].
    ///
    /// # Panics
    /// When `impulse` is not as long as the system has blocks.
    pub fn respond(
        &mut self,
        system: &ElasticSystem,
        impulse: &[DVec3],
        settings: &ElasticSettings,
    ) -> Result<ElasticReport, ElasticError> {
        let blocks = system.layout.blocks();
        assert_eq!(impulse.len(), blocks, "one impulse for each block");
        self.return_to_prediction(system)?;
        if impulse.iter().all(|i| *i == DVec3::zero()) {
            return Ok(ElasticReport::default());
        }
        let share = self.step.tau / self.step.h;
        self.step.load.clear();
        self.step.load.extend(impulse.iter().map(|i| *i * share));
        match self.step.scheme {
            Scheme::SymplecticEuler | Scheme::ExplicitEuler => {
                for i in 0..blocks {
                    if system.filter.projector(i).is_none() {
                        let kick = inverse_mass(self, system, i, impulse[i]);
                        self.step.w[i] += kick;
                    }
                }
                Ok(ElasticReport::default())
            }
            Scheme::ImplicitEuler => self.solve_linearised(system, settings, false),
            Scheme::ImplicitEulerNewton | Scheme::ImplicitMidpoint => self.newton(system, settings, false),
        }
    }

    /// Goes back to the prediction where this step has been answered before.
    fn return_to_prediction(&mut self, system: &ElasticSystem) -> Result<(), ElasticError> {
        let s = &mut self.step;
        let newton = matches!(s.scheme, Scheme::ImplicitEulerNewton | Scheme::ImplicitMidpoint);
        let from = &mut s.predicted;
        if !from.known {
            from.known = true;
            from.w.clone_from(&s.w);
            from.g.clone_from(&s.g);
            if newton {
                from.x.clone_from(&self.x);
                from.stiffness.clone_from(&self.stiffness);
            }
            return Ok(());
        }
        s.w.clone_from(&from.w);
        s.g.clone_from(&from.g);
        reset(&mut s.load, system.layout.blocks());
        if !newton {
            return Ok(());
        }
        self.x.clone_from(&from.x);
        self.stiffness.clone_from(&from.stiffness);
        let tau = s.tau;
        self.assemble(system, tau)
    }

    /// Velocity of a block at the end of the step as it stands (m/s, rad/s).
    #[must_use]
    pub fn velocity(&self, system: &ElasticSystem, block: usize) -> DVec3 {
        let s = &self.step;
        if s.scheme != Scheme::ImplicitMidpoint || system.filter.projector(block).is_some() {
            return s.w[block];
        }
        s.w[block] * 2.0 - s.u0[block]
    }

    /// The velocity a block's position moves by (m/s, rad/s).
    #[must_use]
    pub fn moving_velocity(&self, block: usize) -> DVec3 {
        if self.step.scheme == Scheme::ExplicitEuler { self.step.u0[block] } else { self.step.w[block] }
    }

    /// Position of a node at the end of the step as it stands (m).
    #[must_use]
    pub fn position(&self, system: &ElasticSystem, node: usize) -> DVec3 {
        let pinned = system.filter.projector(node).is_some();
        let w = if pinned { self.step.w[node] } else { self.moving_velocity(node) };
        self.step.x0[node] + w * self.step.h
    }
}

/// `M⁻¹ j` of one block.
fn inverse_mass(op: &ElasticOperator, system: &ElasticSystem, block: usize, j: DVec3) -> DVec3 {
    let nodes = system.nodes();
    if block < nodes {
        return j / system.mass[block];
    }
    let (mass, inertia) = &op.rigid[(block - nodes) / 2];
    if (block - nodes).is_multiple_of(2) {
        return j / *mass;
    }
    impinge_geometry::inverse(inertia).map_or(DVec3::zero(), |i| i * j)
}

/// Spreads the sum of `left` over each free body as a translation: no inner force feels it, so the equations of the sum are
/// then met to rounding.
fn translate(system: &ElasticSystem, left: &[DVec3], tau: f64, out: &mut [DVec3]) {
    for b in 0..system.bodies() {
        if !system.free[b] {
            continue;
        }
        let r = system.range(b);
        let (mut sum, mut mass) = (DVec3::zero(), 0.0);
        for i in r.clone() {
            sum += left[i];
            mass += system.mass[i] + tau * system.mass_damping[i];
        }
        for o in &mut out[r] {
            *o += sum / mass;
        }
    }
}
