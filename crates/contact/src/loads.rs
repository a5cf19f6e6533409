//! Loads: what a response leaves behind, be it springs or constraints: impulses on vertices and wrenches on bodies.

use impinge_geometry::DVec3;

/// "No vertex" in a stencil.
pub const NONE: u32 = u32::MAX;

/// An impulse and its moment about the body's centre of mass at the start of the step, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wrench {
    /// N·s.
    pub impulse: DVec3,
    /// N·m·s.
    pub moment: DVec3,
}

impl Default for Wrench {
    fn default() -> Self {
        Self { impulse: DVec3::zero(), moment: DVec3::zero() }
    }
}

impl std::ops::AddAssign for Wrench {
    fn add_assign(&mut self, rhs: Self) {
        self.impulse += rhs.impulse;
        self.moment += rhs.moment;
    }
}

/// Marks that are looked at in the time that sorting one vertex takes, about.
const MARKS: usize = 8;

/// Impulses on surface vertices and wrenches on bodies. Only what was touched is cleared, so a step costs
/// the size of its contacts and not of its meshes.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Loads {
    /// Impulse on each surface vertex (N·s).
    pub impulse: Vec<DVec3>,
    /// Wrench on each body (N·s, N·m·s).
    pub wrench: Vec<Wrench>,
    touched: Vec<u32>,
    marked: Vec<bool>,
}

impl Loads {
    /// Makes room for `vertices` and `bodies` and clears everything.
    pub fn shape(&mut self, vertices: usize, bodies: usize) {
        self.clear();
        self.impulse.resize(vertices, DVec3::zero());
        self.marked.resize(vertices, false);
        self.wrench.resize(bodies, Wrench::default());
    }

    /// Zeroes what was written since the last clear.
    pub fn clear(&mut self) {
        for &v in &self.touched {
            self.impulse[v as usize] = DVec3::zero();
            self.marked[v as usize] = false;
        }
        self.touched.clear();
        self.wrench.fill(Wrench::default());
    }

    /// Adds an impulse to a surface vertex; [`NONE`] is ignored.
    #[inline]
    pub fn add_impulse(&mut self, vertex: u32, impulse: DVec3) {
        if vertex == NONE {
            return;
        }
        let v = vertex as usize;
        self.impulse[v] += impulse;
        if !self.marked[v] {
            self.marked[v] = true;
            self.touched.push(vertex);
        }
    }

    /// Adds a wrench to a body.
    #[inline]
    pub fn add_wrench(&mut self, slot: usize, wrench: Wrench) {
        self.wrench[slot] += wrench;
    }

    /// The vertices written since the last clear. In the order they were first written until
    /// [`Loads::sort_touched`], ascending after.
    #[must_use]
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Sorts the touched vertices, so that sums over them do not depend on the order of contacts.
    pub fn sort_touched(&mut self) {
        // Where many of the vertices are touched, looking at all marks is quicker than comparing.
        if self.touched.len() * MARKS < self.marked.len() {
            self.touched.sort_unstable();
            return;
        }
        self.touched.clear();
        self.touched.extend((0..).zip(&self.marked).filter(|(_, m)| **m).map(|(v, _)| v));
    }
}
