//! Rows of strain limits (seed 001 §4.5, erratum Q4), beside those of contacts.
//!
//! A longest length is convex in the velocities: its row is a cut at the answer, and where the next answer turns the edge out of
//! it another is made, until the length is kept. A shortest length is not; its row is along the edge as it starts, which is the
//! strict side. An edge that starts beyond a limit goes no farther (`program.rs`: the program of places brings it back), so standing
//! still satisfies these rows as it does those of contacts.

use super::rows::Contacts;
use super::scene::Scene;
use super::tables::{Multiplier, Multipliers};
use crate::{PointRow, RowError, RowKind, Rows, strain_lower, strain_upper_at};
use impinge_bodies::{Limited, Names};
use impinge_contact::Loads;
use impinge_geometry::DVec3;
use impinge_swept::List;

/// Part of a limit that an edge may be beyond it.
const SLACK: f64 = 1e-7;
/// The same of a length that is beyond the limit.
const ROUNDING: f64 = 1e-9;
/// Cuts of one edge in a step.
const CUTS: u32 = 12;
/// Where multipliers stand: after the lists of features and planes.
const UPPER: u8 = List::ALL.len() as u8 + 1;
const LOWER: u8 = UPPER + 1;

/// A row of a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StrainRow {
    /// Which of the edges.
    pub edge: u32,
    pub upper: bool,
    /// On the velocity of the first end; the second has its negative.
    gradient: DVec3,
    /// In the table.
    pub row: u32,
}

impl StrainRow {
    fn order(&self) -> u8 {
        if self.upper { UPPER } else { LOWER }
    }

    /// Impulse on the first end (N·s).
    #[must_use]
    pub fn impulse(&self, mu: &[f64]) -> DVec3 {
        self.gradient * -mu.get(self.row as usize).copied().unwrap_or(0.0)
    }
}

/// The rows of a step, and how many each edge has.
#[derive(Default)]
pub(crate) struct Strains {
    pub rows: Vec<StrainRow>,
    cuts: Vec<u32>,
}

impl Strains {
    /// For a step with this many limited edges.
    pub fn begin(&mut self, edges: usize) {
        self.rows.clear();
        self.cuts.clear();
        self.cuts.resize(edges, 0);
    }

    /// Multipliers of the last step as a start.
    pub fn warm(&self, last: &Multipliers, mu: &mut [f64]) {
        for r in &self.rows {
            if let Some(m) = last.get(r.order(), u64::from(r.edge)) {
                mu[r.row as usize] = m.normal;
            }
        }
    }

    /// Adds their impulses to the loads and to the multipliers of the step.
    pub fn apply(&self, edges: &[Limited], mu: &[f64], loads: &mut Loads, next: &mut Vec<Multiplier>) {
        for r in &self.rows {
            let normal = mu.get(r.row as usize).copied().unwrap_or(0.0);
            if normal != 0.0 {
                let (impulse, [i, j]) = (r.impulse(mu), edges[r.edge as usize].ends);
                loads.add_impulse(i, impulse);
                loads.add_impulse(j, -impulse);
                let key = u64::from(r.edge);
                next.push(Multiplier { list: r.order(), key, normal, friction: DVec3::zero() });
            }
        }
        loads.sort_touched();
    }

    /// Bodies whose limits are among these rows, in words.
    #[must_use]
    pub fn conflict(&self, edges: &[Limited], rows: &[u32], names: &Names) -> Vec<String> {
        let of = |r: &&StrainRow| rows.contains(&r.row);
        let mut bodies: Vec<u32> = self.rows.iter().filter(of).map(|r| edges[r.edge as usize].body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let name = |b: u32| names.get(b as usize).map_or("?", String::as_str);
        bodies.into_iter().map(|b| format!("the strain limit of '{}'", name(b))).collect()
    }
}

impl Contacts<'_> {
    /// Adds the rows of edges beyond a limit where the step ends; how many.
    pub(crate) fn strains(&mut self, dv: &[DVec3], rows: &mut Rows) -> Result<usize, RowError> {
        let before = self.store.strains.rows.len();
        for (e, edge) in self.limited.iter().enumerate() {
            let h = self.dt;
            let surface = &self.store.surface;
            let at = |x: &[DVec3]| edge.ends.map(|v| x[v as usize]);
            let [start, end] = [&surface.x0, &surface.x1].map(|x| {
                let [p, q] = at(x);
                (p - q).mag()
            });
            let (x0, x1) = (at(self.program.arms(surface, self.scene.dofs).0), at(&surface.x1));
            // The motion with the unknowns in it, so that the cut is at the answer.
            let moved = [0, 1].map(|k| (x1[k] - x0[k]) / h);
            let still = [DVec3::zero(); 2];
            let (longest, shortest) = self.program.limits(edge, start);
            // What starts within the slack stays: it would grow by as much in every step.
            if end > (edge.longest * (1.0 + SLACK)).max(longest * (1.0 + ROUNDING))
                && self.store.strains.cuts[e] < CUTS
                && let Some(row) = strain_upper_at(x0, moved, still, longest, h)
                && self.push_strain(e, edge, true, row, dv, rows)?
            {
                self.store.strains.cuts[e] += 1;
            }
            let known = || self.store.strains.rows.iter().any(|r| r.edge as usize == e && !r.upper);
            if end < (edge.shortest * (1.0 - SLACK)).min(shortest * (1.0 - ROUNDING))
                && !known()
                && let Some(row) = strain_lower(x0, moved, shortest, h)
            {
                self.push_strain(e, edge, false, row, dv, rows)?;
            }
        }
        Ok(self.store.strains.rows.len() - before)
    }

    /// Adds one whose bound is about the change from `dv` on; `false` where both ends are on rails.
    fn push_strain(
        &mut self,
        e: usize,
        edge: &Limited,
        upper: bool,
        row: PointRow<2>,
        dv: &[DVec3],
        rows: &mut Rows,
    ) -> Result<bool, RowError> {
        let Scene { map, dofs, .. } = self.scene;
        let store = &mut self.store.gradient;
        store.clear();
        for (k, &v) in edge.ends.iter().enumerate() {
            self.dynamics.gradient(map, &dofs.bodies.pose, v, DVec3::zero(), row.gradient[k], store);
        }
        if store.is_empty() {
            return Ok(false);
        }
        let moved: f64 = store.iter().map(|(b, g)| g.dot(dv[*b as usize])).sum();
        let kind = if upper { RowKind::StrainUpper } else { RowKind::StrainLower };
        let at = rows.push(kind, e as u64, row.bound + moved, store)?;
        let ends = edge.ends.iter().map(|&v| self.store.surface.x1[v as usize]);
        rows.set_rounding(at as usize, self.rounding(ends, 0.0));
        self.store.strains.rows.push(StrainRow { edge: e as u32, upper, gradient: row.gradient[0], row: at });
        Ok(true)
    }
}
