//! What is to be solved, how, and what is said afterwards.

use crate::kkt::Kkt;
use crate::rows::Rows;
use impinge_geometry::{DVec3, is_finite};
use impinge_solvers::{Layout, MatrixError, Operator, System};
use std::fmt;

/// min ½ΔvᵀKΔv − bᵀΔv over JΔv ≤ c: seed 001 (3), (4). K is the operator of the implicit step (M − h∂f/∂v − h²∂f/∂x), or M
/// for explicit integration (§3); b its right-hand side (N·s).
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// K, symmetric positive definite.
    pub k: System<'a>,
    /// b, one block per block of K.
    pub b: &'a [DVec3],
    /// J, c, friction.
    pub rows: &'a Rows,
    /// Which block is a node and which belongs to a body, for messages.
    pub layout: Layout,
}

impl<'a> Problem<'a> {
    /// A problem whose blocks are all nodes.
    #[must_use]
    pub fn of_nodes(k: System<'a>, b: &'a [DVec3], rows: &'a Rows) -> Self {
        Self { k, b, rows, layout: Layout { nodes: k.nodes(), bodies: 0 } }
    }

    /// ½ΔvᵀKΔv − bᵀΔv (J).
    #[must_use]
    pub fn objective(&self, dv: &[DVec3]) -> f64 {
        let mut kx = vec![DVec3::zero(); dv.len()];
        self.k.apply(dv, &mut kx, &mut Default::default());
        kx.iter().zip(dv).zip(self.b).map(|((k, x), b)| (*k * 0.5 - *b).dot(*x)).sum()
    }

    /// No block of K knows another: nothing but rows ties them.
    pub(crate) fn is_apart(&self) -> bool {
        self.k.contacts().is_empty() && self.k.matrix().pattern().lower().1.is_empty()
    }

    /// Checks that there are as many blocks of K, of b and in the layout, and of a vector `what` given beside them.
    pub(crate) fn check_lengths(&self, what: &'static str, vector: &[DVec3]) -> Result<(), QpError> {
        let k = self.k.nodes();
        if self.b.len() != k || self.layout.blocks() != k {
            return Err(QpError::Length { k, b: self.b.len(), layout: self.layout.blocks() });
        }
        if vector.len() != k {
            return Err(QpError::VectorLength { what, blocks: vector.len(), k });
        }
        Ok(())
    }

    /// Checks lengths and numbers, and that every diagonal block is positive definite.
    pub(crate) fn check(&self) -> Result<Vec<[f64; 9]>, QpError> {
        let n = self.k.nodes();
        self.check_lengths("b", self.b)?;
        if let Some(i) = self.b.iter().position(|v| !is_finite(*v)) {
            return Err(QpError::NotFinite { at: Dof::of(&self.layout, i), what: "b" });
        }
        if let Some(block) = self.rows.largest_block().filter(|&b| b as usize >= n) {
            return Err(QpError::NoSuchBlock { block, blocks: n });
        }
        let mut diagonal = vec![[0.0; 9]; n];
        self.k.add_diagonal(&mut diagonal);
        for (i, d) in diagonal.iter_mut().enumerate() {
            let at = Dof::of(&self.layout, i);
            if !d.iter().all(|v| v.is_finite()) {
                return Err(QpError::NotFinite { at, what: "K" });
            }
            *d = inverse_of_definite(d).ok_or(QpError::NotDefinite { at })?;
        }
        if let Some(k) = self.k.matrix().blocks().position(|b| !b.iter().all(|v| v.is_finite())) {
            let p = self.k.matrix().pattern();
            let row = (0..n).find(|&i| i == k || p.row_slots(i).contains(&k)).unwrap_or(0);
            return Err(QpError::NotFinite { at: Dof::of(&self.layout, row), what: "K" });
        }
        Ok(diagonal)
    }
}

/// A block of the vector by what it moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dof {
    /// A free node.
    Node(usize),
    /// The linear velocity of a rigid body.
    Linear(usize),
    /// The angular velocity of a rigid body.
    Angular(usize),
}

impl Dof {
    /// The meaning of block `i`.
    #[must_use]
    pub fn of(layout: &Layout, i: usize) -> Self {
        match i.checked_sub(layout.nodes) {
            None => Self::Node(i),
            Some(k) if k % 2 == 0 => Self::Linear(k / 2),
            Some(k) => Self::Angular(k / 2),
        }
    }
}

impl fmt::Display for Dof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(i) => write!(f, "node {i}"),
            Self::Linear(i) => write!(f, "the linear part of body {i}"),
            Self::Angular(i) => write!(f, "the angular part of body {i}"),
        }
    }
}

/// Why a problem is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QpError {
    /// K, b and the layout do not have the same number of blocks.
    Length {
        /// Blocks of K.
        k: usize,
        /// Blocks of b.
        b: usize,
        /// Blocks of the layout.
        layout: usize,
    },
    /// A vector given beside the problem does not have the blocks of K.
    VectorLength {
        /// `dv` or `v`.
        what: &'static str,
        /// Its blocks.
        blocks: usize,
        /// Blocks of K.
        k: usize,
    },
    /// A row names a block that is not there.
    NoSuchBlock {
        /// What it names.
        block: u32,
        /// How many there are.
        blocks: usize,
    },
    /// A number of K or b is NaN or infinite.
    NotFinite {
        /// Where.
        at: Dof,
        /// `K` or `b`.
        what: &'static str,
    },
    /// K is not positive definite; no mass is the commonest reason.
    NotDefinite {
        /// A block that takes most part in a motion without positive energy.
        at: Dof,
    },
    /// This method has no friction.
    Friction {
        /// Its name.
        method: &'static str,
    },
    /// A dense method and too many unknowns.
    TooLarge {
        /// Unknowns.
        unknowns: usize,
        /// Most it takes.
        most: usize,
    },
    /// A setting makes no sense.
    Setting(&'static str),
    /// The factorisation gave up.
    Matrix(MatrixError),
}

impl fmt::Display for QpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { k, b, layout } => write!(
                f,
                "K has {k} blocks, b has {b}, the layout {layout}; they must be the same (nodes + 2 bodies)"
            ),
            Self::VectorLength { what, blocks, k } => {
                write!(f, "{what} has {blocks} blocks, K has {k}; they must be the same (nodes + 2 bodies)")
            }
            Self::NoSuchBlock { block, blocks } => {
                write!(
                    f,
                    "a row names block {block} of {blocks}; points on rails have no block (pattern::NONE)"
                )
            }
            Self::NotFinite { at, what } => {
                write!(f, "{what} is not finite at {at}; stop at the state that made it")
            }
            Self::NotDefinite { at } => {
                write!(f, "K is not positive definite at {at}; give it mass, or project its stiffness to SPD")
            }
            Self::Friction { method } => {
                write!(f, "the {method} method has no friction; use Method::PrimalDual")
            }
            Self::TooLarge { unknowns, most } => {
                write!(f, "{unknowns} unknowns for a dense method of at most {most}; use Method::PrimalDual")
            }
            Self::Setting(s) => f.write_str(s),
            Self::Matrix(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for QpError {}

/// How to solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Semismooth Newton (primal–dual active set) on the augmented Lagrangian, with an exact line search: any size, with
    /// friction, always ends. See [`crate::Solver`].
    #[default]
    PrimalDual,
    /// Goldfarb and Idnani's dual active set: dense, small, one row at a time.
    Dual,
    /// Algorithm 1 on the composite system (8), (18), (19) by MINRES.
    PaperComposite,
    /// Algorithm 1 in Schur form (20), (21) with K factorised.
    PaperSchur,
}

/// l of (23), (24): the lower right block −L.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Regularisation {
    /// Small against each row's own JᵢD⁻¹Jᵢᵀ, and removed again by the proximal iteration: the answer is that of l = 0.
    #[default]
    Removed,
    /// As given (m/s per N·s) and kept: rows give way, JΔv ≤ c + lμ. Always has a solution, feasible or not.
    Kept(f64),
}

/// Settings of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How.
    pub method: Method,
    /// Largest relative KKT residual allowed (see [`Kkt`]).
    pub tolerance: f64,
    /// A large system with friction, slow on the way there, may end at this relative KKT residual, at [`Status::Solved`]; 0: it may not.
    /// [`crate::resolve`] goes on from there once no row changes.
    pub enough: f64,
    /// Largest violation allowed besides (m/s): what is below counts as satisfied whatever the scale.
    pub velocity_tolerance: f64,
    /// A small system goes on past the tolerance while that helps, a few rounds at most: what is left of its rows' violations would add up from step to step.
    pub polish: bool,
    /// Most linear solves of an island (paper: changes of the active set; 0 stands for its 3n + m). [`Report::iterations`] adds up the islands,
    /// and what it took to solve Coulomb's law head on.
    pub max_iterations: u32,
    /// (23).
    pub regularisation: Regularisation,
    /// §7.2: a row that changes sides more often than this is thrown away. Paper's methods only; it leaves the row violated.
    pub watch_list: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::PrimalDual,
            tolerance: 1e-10,
            enough: 0.0,
            velocity_tolerance: 1e-13,
            polish: true,
            max_iterations: 0,
            regularisation: Regularisation::Removed,
            watch_list: None,
        }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All conditions hold.
    Solved,
    /// No Δv satisfies all rows; [`Report::conflict`] names some that contradict each other.
    Infeasible,
    /// Iterations used up, or rounding allows no more; the residuals say how good it is.
    Unfinished,
}

/// What a solve did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// How it ended; `None` before anything was solved.
    pub status: Option<Status>,
    /// Linear systems solved.
    pub iterations: u32,
    /// Proximal (or Coulomb) rounds.
    pub rounds: u32,
    /// Factorisations of a matrix of the size of K.
    pub factorisations: u32,
    /// Iterations of conjugate gradients or MINRES inside.
    pub inner: u32,
    /// Changes of a row from active to inactive or back, after the first guess.
    pub toggles: u32,
    /// Rows with a multiplier at the end.
    pub active: u32,
    /// Residuals of what is left in Δv, μ (Solved, Unfinished), or of the attempt (Infeasible).
    pub kkt: Kkt,
    /// It ended at [`Settings::enough`], short of the tolerance.
    pub rough: bool,
    /// Rows that contradict each other.
    pub conflict: Vec<u32>,
    /// Rows thrown away by the watch list.
    pub dropped: Vec<u32>,
}

impl Report {
    /// `status == Solved`.
    #[must_use]
    pub fn solved(&self) -> bool {
        self.status == Some(Status::Solved)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?}: {} solves, {} rounds, {} factorisations, {} toggles, {} active, residuals {}",
            self.status.unwrap_or(Status::Unfinished),
            self.iterations,
            self.rounds,
            self.factorisations,
            self.toggles,
            self.active,
            self.kkt
        )
    }
}

/// Inverse of a symmetric positive definite 3×3 block, row-major; `None` when a pivot is rounding.
pub(crate) fn inverse_of_definite(d: &[f64; 9]) -> Option<[f64; 9]> {
    let usable = |pivot: f64, entry: f64| pivot > 1e-14 * entry && pivot >= f64::MIN_POSITIVE;
    let [a, b, c, e, f, i] = [d[0], d[3], d[6], d[4], d[7], d[8]];
    if !usable(a, a) {
        return None;
    }
    let (l1, l2) = (b / a, c / a);
    let p1 = e - l1 * b;
    if !usable(p1, e) {
        return None;
    }
    let l3 = (f - l2 * b) / p1;
    let p2 = i - l2 * c - l3 * l3 * p1;
    if !usable(p2, i) {
        return None;
    }
    // L⁻¹ of the unit lower triangle, then L⁻ᵀ D⁻¹ L⁻¹.
    let m20 = l1 * l3 - l2;
    let (d0, d1, d2) = (1.0 / a, 1.0 / p1, 1.0 / p2);
    let i00 = d0 + l1 * l1 * d1 + m20 * m20 * d2;
    let i10 = -l1 * d1 - m20 * l3 * d2;
    let i20 = m20 * d2;
    let i11 = d1 + l3 * l3 * d2;
    let i21 = -l3 * d2;
    let out = [i00, i10, i20, i10, i11, i21, i20, i21, d2];
    out.iter().all(|v| v.is_finite()).then_some(out)
}

/// `D⁻¹ v` of one block.
pub(crate) fn mul(m: &[f64; 9], v: DVec3) -> DVec3 {
    DVec3::new(
        m[0] * v.x + m[1] * v.y + m[2] * v.z,
        m[3] * v.x + m[4] * v.y + m[5] * v.z,
        m[6] * v.x + m[7] * v.y + m[8] * v.z,
    )
}
