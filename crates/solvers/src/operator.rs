//! The operator A of an implicit step, as something to apply: block matrix plus contacts of low rank.
//!
//! One vector holds everything that moves, in blocks of three: nodes first, then two blocks for each rigid body, its
//! linear and its angular part ([`Layout`]). So a rigid body and a deformable one are rows of the same matrix, a contact
//! between them is one more stencil, and every solver here works on both.

use crate::matrix::{ApplyWorkspace, Block, BlockMatrix, WrongLength};
use crate::pattern::NONE;
use impinge_geometry::{DMat3, DVec3};

/// A symmetric linear map over blocks of three.
pub trait Operator {
    /// Block rows.
    fn nodes(&self) -> usize;

    /// `y = A x`.
    fn apply(&self, x: &[DVec3], y: &mut [DVec3], ws: &mut ApplyWorkspace);

    /// Adds the diagonal blocks to `out`.
    fn add_diagonal(&self, out: &mut [Block]);
}

impl Operator for BlockMatrix<'_> {
    fn nodes(&self) -> usize {
        self.pattern().nodes()
    }

    fn apply(&self, x: &[DVec3], y: &mut [DVec3], ws: &mut ApplyWorkspace) {
        BlockMatrix::apply(self, x, y, ws);
    }

    fn add_diagonal(&self, out: &mut [Block]) {
        for (o, d) in out.iter_mut().zip(self.diagonal()) {
            for k in 0..9 {
                o[k] += d[k];
            }
        }
    }
}

/// Where nodes and rigid bodies lie in the vector: nodes, then (linear, angular) of each body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Free nodes.
    pub nodes: usize,
    /// Rigid bodies.
    pub bodies: usize,
}

impl Layout {
    /// Block rows: `nodes + 2 bodies`.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.nodes + 2 * self.bodies
    }

    /// The block of a body's linear velocity.
    #[must_use]
    pub fn linear(&self, body: usize) -> u32 {
        (self.nodes + 2 * body) as u32
    }

    /// The block of a body's angular velocity (world axes).
    #[must_use]
    pub fn angular(&self, body: usize) -> u32 {
        self.linear(body) + 1
    }

    /// Adds mass (kg, by axis) and inertia about the centre of mass in world axes (kg m²) to the diagonal blocks.
    pub fn add_rigid_mass(&self, body: usize, mass: DVec3, inertia_world: &DMat3, values: &mut [Block]) {
        let m = &mut values[self.linear(body) as usize];
        for k in 0..3 {
            m[4 * k] += mass[k];
        }
        let i = &mut values[self.angular(body) as usize];
        for r in 0..3 {
            for c in 0..3 {
                i[3 * r + c] += inertia_world.cols[c][r];
            }
        }
    }

    /// The gradient of `n · v` for the point of a body at `arm` from its centre of mass: n on the linear part,
    /// arm × n on the angular one.
    #[must_use]
    pub fn body_gradient(&self, body: usize, arm: DVec3, n: DVec3) -> [(u32, DVec3); 2] {
        [(self.linear(body), n), (self.angular(body), arm.cross(n))]
    }
}

/// A sum of `k g gᵀ`: contact stiffness, one row each, gradients over any blocks. Kept apart from the matrix because
/// contacts change every step and the pattern need not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LowRank {
    start: Vec<u32>,
    node: Vec<u32>,
    gradient: Vec<DVec3>,
    stiffness: Vec<f64>,
}

/// A term of a gradient is not finite, or its stiffness is negative or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadRow {
    /// The row that was refused.
    pub row: usize,
}

impl std::fmt::Display for BadRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "row {} has a non-finite gradient or a stiffness that is no number ≥ 0; drop the contact",
            self.row
        )
    }
}

impl std::error::Error for BadRow {}

impl LowRank {
    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.start.clear();
        self.node.clear();
        self.gradient.clear();
        self.stiffness.clear();
    }

    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stiffness.len()
    }

    /// No rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stiffness.is_empty()
    }

    /// Adds `k g gᵀ`. Blocks named twice are merged, [`NONE`] is left out.
    ///
    /// # Errors
    /// [`BadRow`] for a negative or non-finite stiffness or gradient; nothing is added.
    pub fn push(&mut self, stiffness: f64, gradient: &[(u32, DVec3)]) -> Result<(), BadRow> {
        let ok = stiffness >= 0.0 && stiffness.is_finite();
        if !ok || gradient.iter().any(|g| !impinge_geometry::is_finite(g.1)) {
            return Err(BadRow { row: self.len() });
        }
        if self.start.is_empty() {
            self.start.push(0);
        }
        let first = self.node.len();
        for &(node, g) in gradient.iter().filter(|g| g.0 != NONE) {
            match self.node[first..].iter().position(|&n| n == node) {
                Some(k) => self.gradient[first + k] += g,
                None => {
                    self.node.push(node);
                    self.gradient.push(g);
                }
            }
        }
        self.start.push(self.node.len() as u32);
        self.stiffness.push(stiffness);
        Ok(())
    }

    /// One row: stiffness, blocks, gradients.
    #[must_use]
    pub fn row(&self, row: usize) -> (f64, &[u32], &[DVec3]) {
        let r = self.start[row] as usize..self.start[row + 1] as usize;
        (self.stiffness[row], &self.node[r.clone()], &self.gradient[r])
    }

    /// `y += Σ k g (gᵀ x)`, row by row.
    pub fn apply_add(&self, x: &[DVec3], y: &mut [DVec3]) {
        for row in 0..self.len() {
            let (k, nodes, g) = self.row(row);
            let mut s = 0.0;
            for (&i, g) in nodes.iter().zip(g) {
                s += g.dot(x[i as usize]);
            }
            let s = k * s;
            for (&i, g) in nodes.iter().zip(g) {
                y[i as usize] += *g * s;
            }
        }
    }

    /// Adds the diagonal blocks `k g_i g_iᵀ`.
    pub fn add_diagonal(&self, out: &mut [Block]) {
        for row in 0..self.len() {
            let (k, nodes, g) = self.row(row);
            for (&i, g) in nodes.iter().zip(g) {
                let g = [g.x, g.y, g.z];
                for r in 0..3 {
                    for c in 0..3 {
                        out[i as usize][3 * r + c] += k * g[r] * g[c];
                    }
                }
            }
        }
    }

    pub(crate) fn largest_node(&self) -> Option<u32> {
        self.node.iter().copied().max()
    }
}

/// Block matrix plus low rank: the operator of a step with contacts.
#[derive(Clone, Copy, Debug)]
pub struct System<'a> {
    matrix: BlockMatrix<'a>,
    contacts: &'a LowRank,
}

static NO_CONTACTS: LowRank =
    LowRank { start: Vec::new(), node: Vec::new(), gradient: Vec::new(), stiffness: Vec::new() };

impl<'a> System<'a> {
    /// A system without contacts: mass, damping, stiffness of nodes and rigid bodies.
    #[must_use]
    pub fn new(matrix: BlockMatrix<'a>) -> Self {
        Self { matrix, contacts: &NO_CONTACTS }
    }

    /// Adds contacts; an empty table costs nothing.
    ///
    /// # Errors
    /// [`WrongLength`] when a contact names a block the matrix does not have.
    pub fn with_contacts(matrix: BlockMatrix<'a>, contacts: &'a LowRank) -> Result<Self, WrongLength> {
        let wanted = matrix.pattern().nodes();
        match contacts.largest_node() {
            Some(i) if i as usize >= wanted => Err(WrongLength { wanted, given: i as usize + 1 }),
            _ => Ok(Self { matrix, contacts }),
        }
    }

    /// The block matrix.
    #[must_use]
    pub fn matrix(&self) -> BlockMatrix<'a> {
        self.matrix
    }

    /// The contacts.
    #[must_use]
    pub fn contacts(&self) -> &'a LowRank {
        self.contacts
    }
}

impl Operator for System<'_> {
    fn nodes(&self) -> usize {
        self.matrix.pattern().nodes()
    }

    fn apply(&self, x: &[DVec3], y: &mut [DVec3], ws: &mut ApplyWorkspace) {
        self.matrix.apply(x, y, ws);
        self.contacts.apply_add(x, y);
    }

    fn add_diagonal(&self, out: &mut [Block]) {
        Operator::add_diagonal(&self.matrix, out);
        self.contacts.add_diagonal(out);
    }
}
