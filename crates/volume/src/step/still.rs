//! What rests stays where it is, to rounding: what lies on it seldom needs to be measured anew.
//!
//! A solve ends within its tolerance, and the compliance added to its contacts yields: bodies at rest creep by 10⁻¹⁰ of what gravity gives them in a step.
//! Where contacts hold their bodies, the least change of their forces, each counted by its contact's compliance, takes that away to rounding. With rows G,
//! J = G A⁻¹ and D⁻¹ the contacts' own compliances, S = Jᵀ D J: u = J p with S p = Jᵀ D u, and r changes by −D J q with S q = A⁻¹ p. The system is as
//! large as the bodies are many, whatever the number of contacts. The change is far below the tolerance, so which of many equal answers it is stays
//! as it was chosen; what slides, parts or contradicts itself is left alone.

use super::solve::{With, rows_of};
use impinge_geometry::DVec3;
use impinge_solvers::mlcp::Cone;
use impinge_solvers::{DenseCholesky, Outcome, Reason};
use smallvec::SmallVec;

/// Part of what enters a velocity at a contact up to which it is rounding.
const SETTLED: f64 = 16.0 * f64::EPSILON;
/// And up to which there is nothing to take away.
const STILL: f64 = 0.25 * f64::EPSILON;
/// Part of a body's own entry that is added to it: contacts that leave it a freedom have no inverse.
const FREEDOM: f64 = 1e-10;
/// Blocks of bodies up to which it is done, two for each: the system is dense.
const BLOCKS: usize = 32;
/// Part of the bound of friction that a force must leave to hold.
const HOLDS: f64 = 1e-6;

/// A group of contacts of free rigid bodies as its forces move it.
pub(super) struct Seen {
    /// Motion by block, ascending.
    motion: SmallVec<[(u32, DVec3); 16]>,
    /// Velocity at each contact (m/s).
    pub velocity: Vec<[f64; 3]>,
    /// Largest own compliance of each (1/kg).
    own: Vec<f64>,
    /// Largest free velocity (m/s).
    reference: f64,
    /// What enters the velocities (m/s).
    terms: f64,
}

impl Seen {
    /// `None` where a force is outside its cone.
    pub fn of(with: &With<'_>, island: &[usize], forces: &[[f64; 3]]) -> Option<Self> {
        let &With { contacts, free, cones, compliance, .. } = with;
        let mut motion: SmallVec<[(u32, DVec3); 16]> = SmallVec::new();
        let each = || island.iter().zip(forces).map(|(&i, f)| (&contacts[i], cones[i], free[i], f));
        let mut reference = 0.0f64;
        for (c, cone, free, f) in each() {
            if cone.project(*f) != *f {
                return None;
            }
            let rows = rows_of(cone);
            reference = free[..rows].iter().fold(reference, |m, u| m.max(u.abs()));
            for ((row, f), _) in c.rows.iter().zip(f).zip(0..rows) {
                for &(b, g) in row {
                    match motion.binary_search_by_key(&b, |m| m.0) {
                        Ok(at) => motion[at].1 += g * *f,
                        Err(at) => motion.insert(at, (b, g * *f)),
                    }
                }
            }
        }
        motion.iter_mut().for_each(|(b, m)| *m = compliance.of_rigid(*b, *m));
        let reference = if reference > 0.0 { reference } else { 1.0 };
        let (mut velocity, mut largest) =
            (Vec::with_capacity(island.len()), Vec::with_capacity(island.len()));
        let mut terms = reference;
        for (c, cone, free, f) in each() {
            let (mut own, mut u) = ([0.0; 3], free);
            for k in 0..rows_of(cone) {
                for &(b, g) in &c.rows[k] {
                    let at = motion.binary_search_by_key(&b, |m| m.0).ok()?;
                    own[k] += compliance.of_rigid(b, g).dot(g);
                    u[k] += motion[at].1.dot(g);
                }
            }
            let own = own.into_iter().fold(0.0, f64::max);
            terms += own * f.iter().map(|f| f.abs()).sum::<f64>();
            velocity.push(u);
            largest.push(own);
        }
        Some(Self { motion, velocity, own: largest, reference, terms })
    }

    /// The outcome of a solve that has nothing to do, as the forces obey the law already: that of contacts which yield by what is `added` to them, or the one
    /// without. Fills `added`.
    pub fn obeys(
        &self,
        with: &With<'_>,
        island: &[usize],
        forces: &[[f64; 3]],
        added: &mut [f64],
    ) -> Option<Outcome> {
        let most = with.settings.tolerance * self.reference;
        let (mut obey, mut worst) = ([true, with.settle], [0.0f64; 2]);
        for (p, (&i, f)) in island.iter().zip(forces).enumerate() {
            let (cone, own) = (with.cones[i], self.own[p]);
            added[p] = with.even * own;
            let plain = self.velocity[p];
            let mut u = plain;
            (0..rows_of(cone)).for_each(|k| u[k] += added[p] * f[k]);
            for (k, (u, own)) in [(u, own + added[p]), (plain, own)].into_iter().enumerate() {
                if obey[k] {
                    let violation = cone.violation(*f, u, own);
                    // A NaN is no answer.
                    obey[k] = violation <= most;
                    worst[k] = worst[k].max(violation);
                }
            }
            if obey == [false; 2] {
                return None;
            }
        }
        let worst = if obey[0] { worst[0] } else { worst[1] };
        Some(Outcome {
            iterations: 0,
            residual: worst / self.reference,
            converged: true,
            reason: Reason::Converged,
        })
    }

    /// The forces that stop a group whose contacts hold it; `None` where it does not rest, or rests already.
    pub fn stopped(&self, with: &With<'_>, island: &[usize], forces: &[[f64; 3]]) -> Option<Vec<[f64; 3]>> {
        if self.motion.len() > BLOCKS {
            return None;
        }
        let mut moves = 0.0f64;
        for ((&i, f), u) in island.iter().zip(forces).zip(&self.velocity).filter(|c| *c.0.1 != [0.0; 3]) {
            let cone = with.cones[i];
            let t = [f[1], f[2]];
            let held =
                cone == Cone::Frictionless || cone.project_tangent(t, cone.mu() * f[0] * (1.0 - HOLDS)) == t;
            if !(f[0] > 0.0 && held) {
                return None;
            }
            moves = u[..rows_of(cone)].iter().fold(moves, |m, u| m.max(u.abs()));
        }
        if !(moves > STILL * self.terms) {
            return None;
        }
        let stopped = self.less(with, island, forces)?;
        let seen = Self::of(with, island, &stopped)?;
        let violation = |p: usize| with.cones[island[p]].violation(stopped[p], seen.velocity[p], seen.own[p]);
        (0..island.len()).all(|p| violation(p) <= SETTLED * seen.terms).then_some(stopped)
    }

    /// The forces less what takes the velocities away.
    fn less(&self, with: &With<'_>, island: &[usize], forces: &[[f64; 3]]) -> Option<Vec<[f64; 3]>> {
        let n = 3 * self.motion.len();
        let mut held: Vec<Held> = Vec::with_capacity(island.len());
        for (c, &i) in island.iter().enumerate().filter(|&(c, _)| forces[c] != [0.0; 3]) {
            held.push(Held::new(with, i, c, 1.0 / self.own[c], |b| {
                self.motion.binary_search_by_key(&b, |m| m.0).ok()
            })?);
        }
        let mut factor = DenseCholesky::<8>::new();
        let (matrix, mut p) = (factor.matrix_mut(n), vec![0.0; n]);
        for h in &held {
            h.add(&self.velocity[h.contact], n, matrix, &mut p);
        }
        for i in 0..n {
            let own = &mut matrix[i * n + i];
            *own = if *own > 0.0 { *own * (1.0 + FREEDOM) } else { 1.0 };
        }
        factor.factor().ok()?;
        factor.solve(&mut p);
        for (of, (b, _)) in p.as_chunks_mut::<3>().0.iter_mut().zip(&self.motion) {
            *of = with.compliance.of_rigid(*b, DVec3::from(*of)).into();
        }
        factor.solve(&mut p);
        let mut out = forces.to_vec();
        for h in &held {
            for (k, j) in h.rows.iter().enumerate() {
                let of = |(e, &at): (usize, &usize)| (0..3).map(|a| j[3 * e + a] * p[at + a]).sum::<f64>();
                out[h.contact][k] -= h.weight * h.at.iter().enumerate().map(of).sum::<f64>();
            }
        }
        Some(out)
    }
}

/// Rows of J of a contact that has a force. Two bodies have four blocks.
struct Held {
    contact: usize,
    /// Where its blocks begin among the unknowns.
    at: SmallVec<[usize; 4]>,
    rows: SmallVec<[[f64; 12]; 3]>,
    /// D (kg).
    weight: f64,
}

impl Held {
    /// Contact `i`, number `contact` of its group; `place` finds a block.
    fn new(
        with: &With<'_>,
        i: usize,
        contact: usize,
        weight: f64,
        place: impl Fn(u32) -> Option<usize>,
    ) -> Option<Self> {
        let of = &with.contacts[i].rows[..rows_of(with.cones[i])];
        let at = of[0].iter().map(|&(b, _)| place(b).map(|at| 3 * at)).collect::<Option<SmallVec<_>>>()?;
        let mut rows = SmallVec::new();
        for row in of {
            if row.len() > 4 || row.iter().map(|r| r.0).ne(of[0].iter().map(|r| r.0)) {
                return None;
            }
            let mut j = [0.0; 12];
            for (j, &(b, g)) in j.as_chunks_mut::<3>().0.iter_mut().zip(row) {
                *j = with.compliance.of_rigid(b, g).into();
            }
            rows.push(j);
        }
        Some(Self { contact, at, rows, weight })
    }

    /// Adds its part of S, the lower half, and of Jᵀ D u.
    fn add(&self, velocity: &[f64; 3], n: usize, matrix: &mut [f64], p: &mut [f64]) {
        let mut own = [[0.0; 12]; 12];
        for (j, u) in self.rows.iter().zip(velocity) {
            let d = j.map(|x| self.weight * x);
            for (own, d) in own.iter_mut().zip(d) {
                own.iter_mut().zip(j).for_each(|(own, j)| *own += d * j);
            }
            for (d, &at) in d.as_chunks::<3>().0.iter().zip(&self.at) {
                p[at..at + 3].iter_mut().zip(d).for_each(|(p, d)| *p += d * u);
            }
        }
        for (e, &row) in self.at.iter().enumerate() {
            // Blocks of a row ascend.
            for (f, &column) in self.at[..=e].iter().enumerate() {
                for a in 0..3 {
                    let to = &mut matrix[(row + a) * n + column..][..3];
                    to.iter_mut().zip(&own[3 * e + a][3 * f..3 * f + 3]).for_each(|(to, own)| *to += own);
                }
            }
        }
    }
}
