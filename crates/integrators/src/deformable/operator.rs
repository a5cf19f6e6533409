//! The operator of an implicit step, `A = M − h B − h² K` of seed 002 (2) with `B = ∂f/∂v`, `K = ∂f/∂x` (erratum V9):
//! assembled, applied and solved.
//!
//! Written with the stiffness `∂²E/∂x² = −K` and the damping matrix `D = −B`, both positive semidefinite here:
//! `A = M + τ D + τ² ∂²E/∂x²`, τ = h for implicit Euler and h/2 for the implicit midpoint rule. D holds
//! `α M + β ∂²E/∂x²` (Rayleigh, at the positions the step starts from), dashpots and the damping of ties.

use super::linear::LinearSolver;
use super::part::Scratch;
use super::system::{ElasticSystem, Grip};
use impinge_contact::{BodyDofsView, NONE};
use impinge_elasticity::Projection;
use impinge_elasticity::assemble::SKIP;
use impinge_geometry::{DMat3, DVec3, Pose, scale, skew};
use impinge_solvers::{ApplyWorkspace, Block, BlockMatrix, MatrixError, Outcome, Settings, System};
use std::fmt;

/// Why a step of the deformables failed. The state it started from is untouched.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElasticError {
    /// The linear solver stopped short of its tolerance.
    Linear {
        /// How it ended.
        outcome: Outcome,
    },
    /// Newton's method stopped short of its tolerance.
    Newton {
        /// Iterations made.
        iterations: u32,
        /// ‖residual‖ over the momentum it is compared with.
        residual: f64,
        /// The ratio asked for.
        tolerance: f64,
    },
    /// The operator cannot be used.
    Operator(MatrixError),
}

impl From<MatrixError> for ElasticError {
    fn from(e: MatrixError) -> Self {
        Self::Operator(e)
    }
}

impl fmt::Display for ElasticError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear { outcome } => write!(
                f,
                "the implicit system was not solved: {outcome}; reduce dt, allow more iterations or a larger tolerance"
            ),
            Self::Newton { iterations, residual, tolerance } => write!(
                f,
                "Newton's method stopped after {iterations} iterations with residual {residual:.2e}, asked for {tolerance:.2e}; \
                 reduce dt, or allow more iterations"
            ),
            Self::Operator(e) => write!(f, "the implicit operator was refused: {e}"),
        }
    }
}

impl std::error::Error for ElasticError {}

/// A tie during one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct TieState {
    /// Grip at the start (m).
    pub point: DVec3,
    /// Its velocity over the step where it is prescribed (m/s).
    pub velocity: DVec3,
    /// From the centre of mass of a rigid body, world axes (m).
    pub arm: DVec3,
}

/// Values of the operator, the solver and all scratch of the deformables. Kept between steps for its memory alone: nothing
/// in it is state.
#[derive(Clone, Debug, Default)]
pub struct ElasticOperator {
    /// ∂²E/∂x² with ties (N/m).
    pub(super) stiffness: Vec<Block>,
    /// D without α M (N·s/m). Empty without damping, and after a linearised step of a system where it is β K, which is in A only.
    pub(super) damping: Vec<Block>,
    /// A (kg).
    pub(super) values: Vec<Block>,
    pub(super) linear: LinearSolver,
    pub(super) scratch: Scratch,
    pub(super) apply: ApplyWorkspace,
    /// Scratch of sweeps.
    pub(super) later: Vec<DVec3>,
    pub(super) ties: Vec<TieState>,
    /// Mass (kg) of each rigid body's linear block, inertia (kg m², world axes) of its angular one.
    pub(super) rigid: Vec<(DVec3, DMat3)>,
    pub(super) x: Vec<DVec3>,
    pub(super) step: super::step::StepState,
}

impl ElasticOperator {
    /// The blocks of A of the last assembled step (kg), over [`ElasticSystem::pattern`]; M for explicit schemes. Empty before
    /// the first step, and without deformables.
    #[must_use]
    pub fn values(&self) -> &[Block] {
        &self.values
    }

    /// `y = A x` of the last assembled step.
    ///
    /// # Panics
    /// When nothing was assembled for this system yet, or a vector has another length than
    /// [`ElasticSystem::layout`] says.
    pub fn apply(&mut self, system: &ElasticSystem, x: &[DVec3], y: &mut [DVec3]) {
        matrix(system, &self.values).apply(x, y, &mut self.apply);
    }

    /// `x = A⁻¹ b` of the last assembled step; `x` comes with a guess, and with the values of pinned nodes, which stay.
    ///
    /// # Errors
    /// [`ElasticError::Operator`]; a solve that stops short says so in its [`Outcome`].
    ///
    /// # Panics
    /// As [`ElasticOperator::apply`].
    pub fn solve(
        &mut self,
        system: &ElasticSystem,
        b: &[DVec3],
        x: &mut [DVec3],
        settings: &Settings,
    ) -> Result<Outcome, ElasticError> {
        let a = System::new(matrix(system, &self.values));
        Ok(self.linear.solve(&a, &system.filter, &self.x[..system.nodes()], b, x, settings)?)
    }

    /// Ties and rigid rows at the start of a step of `h` that ends at `end`.
    pub(super) fn place(&mut self, system: &ElasticSystem, bodies: BodyDofsView<'_>, end: &[Pose], h: f64) {
        self.ties.clear();
        for t in &system.ties {
            let none = DVec3::zero();
            self.ties.push(match t.to {
                Grip::World(p) => TieState { point: p, velocity: none, arm: none },
                Grip::Prescribed { body, arm } => {
                    let (p, q) = grip_points(bodies, end, body, arm);
                    TieState { point: p, velocity: (q - p) / h, arm: none }
                }
                Grip::Rigid { body, arm } => {
                    let pose = &bodies.pose[body as usize];
                    let r = pose.matrix() * arm;
                    TieState { point: pose.position + r, velocity: none, arm: r }
                }
            });
        }
        self.rigid.clear();
        for &b in &system.rigid {
            let b = b as usize;
            self.rigid.push(bodies.mobility[b].mass_matrix(bodies.mass[b], &bodies.pose[b]));
        }
    }

    /// M v of one block.
    pub(super) fn mass_times(&self, system: &ElasticSystem, block: usize, v: DVec3) -> DVec3 {
        let nodes = system.nodes();
        if block < nodes {
            return v * system.mass[block];
        }
        let (mass, inertia) = &self.rigid[(block - nodes) / 2];
        if (block - nodes).is_multiple_of(2) { v * *mass } else { *inertia * v }
    }

    /// ∂²E/∂x² at `x` with ties into `stiffness`; with `damping`, D as well.
    pub(super) fn assemble_stiffness(
        &mut self,
        system: &ElasticSystem,
        x: &[DVec3],
        projection: Projection,
        damping: bool,
    ) {
        let blocks = system.pattern.blocks();
        self.stiffness.clear();
        self.stiffness.resize(blocks, [0.0; 9]);
        for p in &system.parts {
            p.add_stiffness(x, projection, &mut self.stiffness, &mut self.scratch);
        }
        if damping {
            self.damping.clear();
            self.damping.resize(if system.damped { blocks } else { 0 }, [0.0; 9]);
            if system.damped {
                for i in 0..system.nodes() {
                    let beta = system.stiffness_damping[i];
                    for k in std::iter::once(i).chain(system.pattern.row_slots(i)) {
                        self.damping[k] = self.stiffness[k].map(|v| beta * v);
                    }
                }
                system.parts.iter().for_each(|p| p.add_dashpots(x, &mut self.damping));
            }
        }
        for (t, tie) in system.ties.iter().enumerate() {
            let g = gradient(&self.ties[t]);
            let slots = &system.tie_slots[t];
            add_tie(slots, &g, tie.stiffness, &mut self.stiffness);
            if damping && tie.damping > 0.0 {
                add_tie(slots, &g, tie.damping, &mut self.damping);
            }
        }
    }

    /// A from the parts at hand, and the solver made ready for it.
    pub(super) fn assemble(&mut self, system: &ElasticSystem, tau: f64) -> Result<(), ElasticError> {
        self.add_up(system, tau);
        let a = System::new(matrix(system, &self.values));
        Ok(self.linear.update(&a, &system.filter, &self.x)?)
    }

    /// A from the parts at hand; D is β K where none was laid down and the system is [`ElasticSystem::proportional`].
    pub(super) fn add_up(&mut self, system: &ElasticSystem, tau: f64) {
        // Every block is written below.
        self.values.resize(system.pattern.blocks(), [0.0; 9]);
        if system.proportional && self.damping.is_empty() {
            for i in 0..system.nodes() {
                let beta = system.stiffness_damping[i];
                for k in std::iter::once(i).chain(system.pattern.row_slots(i)) {
                    self.values[k] = self.stiffness[k].map(|s| tau * tau * s + tau * (beta * s));
                }
            }
        } else {
            for (k, (v, s)) in self.values.iter_mut().zip(&self.stiffness).enumerate() {
                *v = s.map(|s| tau * tau * s);
                if let Some(d) = self.damping.get(k) {
                    for (v, d) in v.iter_mut().zip(d) {
                        *v += tau * d;
                    }
                }
            }
        }
        self.add_mass(system, tau);
    }

    /// `(1 + τ α) M` on the diagonal.
    pub(super) fn add_mass(&mut self, system: &ElasticSystem, tau: f64) {
        for i in 0..system.nodes() {
            let m = system.mass[i] + tau * system.mass_damping[i];
            for k in [0, 4, 8] {
                self.values[i][k] += m;
            }
        }
        for (r, (mass, inertia)) in self.rigid.iter().enumerate() {
            system.layout.add_rigid_mass(r, *mass, inertia, &mut self.values);
        }
    }

    /// −∂E/∂x of everything but ties.
    pub(super) fn forces(&mut self, system: &ElasticSystem, x: &[DVec3], out: &mut Vec<DVec3>) {
        out.clear();
        out.resize(system.layout.blocks(), DVec3::zero());
        for p in &system.parts {
            p.add_forces(x, out, &mut self.scratch);
        }
    }

    /// Elastic energy with ties (J); `stretch(t)` is the vector a tie spans.
    pub(super) fn energy(
        &mut self,
        system: &ElasticSystem,
        x: &[DVec3],
        stretch: impl Fn(usize, &TieState) -> DVec3,
    ) -> f64 {
        let mut e = 0.0;
        for p in &system.parts {
            e += p.energy(x, &mut self.scratch);
        }
        for (t, tie) in system.ties.iter().enumerate() {
            e += 0.5 * tie.stiffness * stretch(t, &self.ties[t]).mag_sq();
        }
        e
    }

    /// Adds `Gᵀ f` of tie `t`.
    pub(super) fn add_tie_force(&self, system: &ElasticSystem, t: usize, f: DVec3, out: &mut [DVec3]) {
        out[system.ties[t].node as usize] += f;
        let row = system.tie_row[t];
        if row != NONE {
            let r = row as usize;
            out[system.layout.linear(r) as usize] -= f;
            out[system.layout.angular(r) as usize] -= self.ties[t].arm.cross(f);
        }
    }

    /// `G w` of tie `t` less its prescribed velocity: how fast it opens (m/s).
    pub(super) fn tie_rate(&self, system: &ElasticSystem, t: usize, w: &[DVec3]) -> DVec3 {
        let mut rate = w[system.ties[t].node as usize] - self.ties[t].velocity;
        let row = system.tie_row[t];
        if row != NONE {
            let r = row as usize;
            let spin = w[system.layout.angular(r) as usize];
            rate -= w[system.layout.linear(r) as usize] + spin.cross(self.ties[t].arm);
        }
        rate
    }
}

/// A grip of a fixed or kinematic body at the start and the end of the step.
pub(super) fn grip_points(bodies: BodyDofsView<'_>, end: &[Pose], body: u32, arm: DVec3) -> (DVec3, DVec3) {
    let b = body as usize;
    (bodies.pose[b].point_to_world(arm), end[b].point_to_world(arm))
}

pub(super) fn matrix<'a>(system: &'a ElasticSystem, values: &'a [Block]) -> BlockMatrix<'a> {
    BlockMatrix::new(&system.pattern, values).expect("assembled for this system")
}

/// G of `s = x − p`: identity on the node, minus it on the linear part, [r]× on the angular one.
fn gradient(t: &TieState) -> [DMat3; 3] {
    [DMat3::identity(), scale(&DMat3::identity(), -1.0), skew(t.arm)]
}

fn add_tie(slots: &[[u32; 3]; 3], g: &[DMat3; 3], k: f64, values: &mut [Block]) {
    for i in 0..3 {
        for j in 0..3 {
            if slots[i][j] != SKIP {
                let b = g[i].transposed() * g[j];
                let to = &mut values[slots[i][j] as usize];
                for r in 0..3 {
                    for c in 0..3 {
                        to[3 * r + c] += k * b.cols[c][r];
                    }
                }
            }
        }
    }
}
