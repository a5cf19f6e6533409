//! One energy over a range of nodes: what a deformable body is made of.
//!
//! Takes positions of the whole node array; adds energy, forces and Hessian blocks. Which element kind it is stays
//! in here, so that the integrators see energies and nothing else.

use impinge_contact::NONE;
use impinge_elasticity::assemble::{self, block_slots};
use impinge_elasticity::cloth::{Cloth, Hinges, MembraneLaw, Membranes, QuadraticBends};
use impinge_elasticity::rod::Bends;
use impinge_elasticity::spring::{Springs, damping};
use impinge_elasticity::tet::{self, Tangent, TetElements, Weights};
use impinge_elasticity::{Elements, Projection};
use impinge_geometry::DVec3;
use impinge_solvers::BlockPattern;

/// An elastic energy. Its elements name nodes from 0; [`ElasticSystem`](super::ElasticSystem) puts node 0 at the body's first.
#[derive(Clone, Debug)]
pub enum Energy {
    /// Tetrahedra, with their own Rayleigh damping.
    Tets(TetElements),
    /// Springs, with their dashpots.
    Springs(Springs),
    /// The in-plane part of cloth.
    Membranes(Membranes, MembraneLaw),
    /// The bending of cloth.
    Hinges(Hinges),
    /// The bending of cloth that is flat at rest.
    QuadraticBends(QuadraticBends),
    /// The bending of a cable.
    Bends(Bends),
}

/// An energy whose node 0 is node `first` of the system, and whose Hessian has these slots.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub energy: Energy,
    pub first: usize,
    slots: Slots,
}

#[derive(Clone, Debug)]
enum Slots {
    Two(Vec<[[u32; 2]; 2]>),
    Three(Vec<[[u32; 3]; 3]>),
    Four(Vec<[[u32; 4]; 4]>),
}

/// Scratch of all kinds of energies.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    two: assemble::Workspace<2>,
    three: assemble::Workspace<3>,
    four: assemble::Workspace<4>,
    tets: tet::Workspace,
}

impl Energy {
    /// The nodes of every element, one list after the other, for the block graph.
    pub(super) fn stencils(&self, first: u32, out: &mut Vec<[u32; 4]>) {
        let mut put = |nodes: &[u32]| {
            let mut s = [NONE; 4];
            for (s, n) in s.iter_mut().zip(nodes) {
                *s = n + first;
            }
            out.push(s);
        };
        match self {
            Self::Tets(t) => t.tets().iter().for_each(|n| put(n)),
            Self::Springs(s) => s.ends.iter().for_each(|n| put(n)),
            Self::Membranes(m, _) => m.nodes.iter().for_each(|n| put(n)),
            Self::Hinges(h) => h.nodes.iter().for_each(|n| put(n)),
            Self::QuadraticBends(q) => q.nodes.iter().for_each(|n| put(n)),
            Self::Bends(b) => b.nodes.iter().for_each(|n| put(n)),
        }
    }

    /// Elements.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Tets(t) => t.tets().len(),
            Self::Springs(s) => s.len(),
            Self::Membranes(m, _) => m.len(),
            Self::Hinges(h) => h.len(),
            Self::QuadraticBends(q) => q.len(),
            Self::Bends(b) => b.len(),
        }
    }

    /// No elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more than the highest node named.
    #[must_use]
    pub fn nodes(&self) -> usize {
        let mut all = Vec::new();
        self.stencils(0, &mut all);
        all.iter().flatten().filter(|n| **n != NONE).map(|n| *n as usize + 1).max().unwrap_or(0)
    }
}

impl Part {
    #[must_use]
    pub fn new(energy: Energy, first: usize, pattern: &BlockPattern) -> Self {
        let at = first as u32;
        // `pattern::NONE` and `assemble::SKIP` are the same number.
        let find = |i: u32, j: u32| Some(pattern.slot(i + at, j + at));
        let slots = match &energy {
            Energy::Tets(t) => Slots::Four(block_slots(t.tets(), find)),
            Energy::Springs(s) => Slots::Two(block_slots(&s.ends, find)),
            Energy::Membranes(m, _) => Slots::Three(block_slots(&m.nodes, find)),
            Energy::Hinges(h) => Slots::Four(block_slots(&h.nodes, find)),
            Energy::QuadraticBends(q) => Slots::Four(block_slots(&q.nodes, find)),
            Energy::Bends(b) => Slots::Three(block_slots(&b.nodes, find)),
        };
        Self { energy, first, slots }
    }

    /// Energy (J).
    pub fn energy(&self, x: &[DVec3], s: &mut Scratch) -> f64 {
        let x = &x[self.first..];
        match &self.energy {
            Energy::Tets(t) => tet::energy(t, x, &mut s.tets),
            Energy::Springs(e) => assemble::energy(&e.view(), x, &mut s.two),
            Energy::Membranes(m, law) => assemble::energy(&cloth(m, *law), x, &mut s.three),
            Energy::Hinges(e) => assemble::energy(&e.view(), x, &mut s.four),
            Energy::QuadraticBends(e) => assemble::energy(&e.view(), x, &mut s.four),
            Energy::Bends(e) => assemble::energy(&e.view(), x, &mut s.three),
        }
    }

    /// Adds −∂E/∂x (N).
    pub fn add_forces(&self, x: &[DVec3], out: &mut [DVec3], s: &mut Scratch) {
        let (x, out) = (&x[self.first..], &mut out[self.first..]);
        match &self.energy {
            Energy::Tets(t) => tet::add_forces(t, x, out, &mut s.tets),
            Energy::Springs(e) => assemble::add_forces(&e.view(), x, out, &mut s.two),
            Energy::Membranes(m, law) => assemble::add_forces(&cloth(m, *law), x, out, &mut s.three),
            Energy::Hinges(e) => assemble::add_forces(&e.view(), x, out, &mut s.four),
            Energy::QuadraticBends(e) => assemble::add_forces(&e.view(), x, out, &mut s.four),
            Energy::Bends(e) => assemble::add_forces(&e.view(), x, out, &mut s.three),
        }
    }

    /// Adds ∂²E/∂x² (N/m).
    pub fn add_stiffness(
        &self,
        x: &[DVec3],
        projection: Projection,
        values: &mut [[f64; 9]],
        s: &mut Scratch,
    ) {
        let x = &x[self.first..];
        let tangent = match projection {
            Projection::Exact => Tangent::Exact,
            Projection::Spd => Tangent::Spd,
        };
        match (&self.energy, &self.slots) {
            (Energy::Tets(t), Slots::Four(k)) => {
                tet::add_hessian(t, x, tangent, Weights::default(), k, values, &mut s.tets);
            }
            (Energy::Springs(e), Slots::Two(k)) => add(&e.view(), x, projection, k, values, &mut s.two),
            (Energy::Membranes(m, law), Slots::Three(k)) => {
                add(&cloth(m, *law), x, projection, k, values, &mut s.three);
            }
            (Energy::Hinges(e), Slots::Four(k)) => add(&e.view(), x, projection, k, values, &mut s.four),
            (Energy::QuadraticBends(e), Slots::Four(k)) => {
                add(&e.view(), x, projection, k, values, &mut s.four)
            }
            (Energy::Bends(e), Slots::Three(k)) => add(&e.view(), x, projection, k, values, &mut s.three),
            _ => {}
        }
    }

    /// Adds the blocks of dashpots, −∂f/∂v (N·s/m).
    pub fn add_dashpots(&self, x: &[DVec3], values: &mut [[f64; 9]]) {
        if let (Energy::Springs(e), Slots::Two(k)) = (&self.energy, &self.slots) {
            damping::add_blocks(e.view(), &x[self.first..], k, values);
        }
    }

    /// Whether there are dashpots.
    #[must_use]
    pub fn has_dashpots(&self) -> bool {
        matches!(&self.energy, Energy::Springs(e) if e.damping.iter().any(|c| *c > 0.0))
    }
}

fn cloth(m: &Membranes, law: MembraneLaw) -> Cloth<'_> {
    Cloth { membranes: m.view(), law }
}

fn add<const N: usize, E: Elements<N>>(
    e: &E,
    x: &[DVec3],
    projection: Projection,
    slots: &[[[u32; N]; N]],
    values: &mut [[f64; 9]],
    ws: &mut assemble::Workspace<N>,
) {
    assemble::add_hessian(e, x, projection, slots, values, ws);
}
