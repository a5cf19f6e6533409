//! Friction of bodies that elements join: soft rounds of discs, then Newton's method on the natural map, in Δv and λ at once.
//!
//! ```text
//! Kx − b + Jᵀλ = 0,   λ = P(λ + ρ (Jx − c))
//! ```
//! with P the projection onto λₙ ≥ 0, and of tangents onto the disc of the normal force of the same pair (Alart and Curnier 1991). ρ is one over what a row
//! gives way by itself: it says which side a row is on, and no more. Rows that hold are equalities in the linear system, nearly as hard as numbers allow.
//! In the augmented Lagrangian one weight does both: the pieces of hard rows lie far apart, and a cloth took a hundred steps from one to the other.
//!
//! **Soft rounds** come first. Their functions are convex, so that each ends; one prepares the sides for the next, which is ten times harder.
//!
//! **What a step may do.** A step meets the first equation, which is linear, as well as its system is solved. What is left of the second may rise before it falls: it is no gradient. Where two
//! steps have not come nearer, the nearest point is taken up again with softer rows, which change forces by less (as Levenberg and Marquardt do); rows harden
//! again where steps come nearer slowly.

use super::direct::Slip;
use super::projection::{Projection, length};
use super::{Iterate, Newton, keep, spent};
use crate::problem::{Problem, QpError, Report, Settings};
use crate::rows::RowKind;
use crate::step::{Lagrangian, Side};
use crate::term::Term;
use impinge_geometry::DVec3;
use impinge_solvers::Operator;
use impinge_solvers::pattern::NONE;

/// Softness of rows in rounds of discs, over their own compliance.
const SOFT: [f64; 5] = [1.0, 1e-1, 1e-2, 1e-3, 1e-4];
/// What such a round may leave over: the next one changes sides by more.
const LOOSE: f64 = 1e-3;
/// Steps at most, and those that neither come nearer than any nor fall.
const STEPS: u32 = 60;
const PATIENCE: u32 = 2;
/// How hard rows that hold are, over what they give way by themselves: at first, at least and at most.
const HARDNESS: f64 = 1e5;
const SOFTEST: f64 = 1.0;
const HARDEST: f64 = 1e9;
/// A step that leaves more than this of the distance is slow: forces that rows share wander by as little as rows are soft.
const SLOW: f64 = 0.1;
/// A step that leaves no more than this of the distance before it falls, however far it is.
const FALLS: f64 = 0.5;

impl Newton {
    /// From the multipliers at hand, which are the centre; `None` where it does not end. Centre, discs and x are then those of the best point of the way.
    pub(super) fn joined(
        &mut self,
        p: &Problem<'_>,
        s: &Settings,
        scale: &[f64],
        report: &mut Report,
        budget: u32,
    ) -> Result<Option<Iterate>, QpError> {
        let weight = self.phi.weight.clone();
        for (k, softness) in SOFT.into_iter().enumerate() {
            self.soften(p, scale, softness);
            if k == 0 {
                self.first_guess(p, report)?;
            }
            report.rounds += 1;
            self.minimise(p, LOOSE, report, budget)?;
            self.phi.centre.copy_from_slice(&self.phi.lambda);
            self.radii(p, 1.0);
        }
        let mut n = std::mem::take(&mut self.projection);
        let found = self.natural(p, s, scale, report, budget, &mut n);
        self.projection = n;
        let found = found?;
        self.phi.weight = weight;
        self.phi.centre.copy_from_slice(&self.phi.lambda);
        self.radii(p, 1.0);
        Ok(found)
    }

    /// From x and λ of the last round. Where it does not end x and λ are the best of the way.
    fn natural(
        &mut self,
        p: &Problem<'_>,
        s: &Settings,
        scale: &[f64],
        report: &mut Report,
        budget: u32,
        n: &mut Projection,
    ) -> Result<Option<Iterate>, QpError> {
        n.give.clear();
        n.give.extend_from_slice(scale);
        for f in p.rows.friction() {
            let [a, b] = f.tangent.map(|t| t as usize);
            let most = n.give[a].max(n.give[b]);
            (n.give[a], n.give[b]) = (most, most);
        }
        n.lambda.clone_from(&self.phi.lambda);
        n.nearest.0 = f64::INFINITY;
        let mut best: Option<Iterate> = None;
        let (mut hardness, mut away, mut last) = (HARDNESS, 0, f64::INFINITY);
        for step in 0..=STEPS {
            let distance = n.distance(p.rows, &self.x);
            for (l, (own, kind)) in self.phi.lambda.iter_mut().zip(n.lambda.iter().zip(p.rows.kinds())) {
                let either = kind.is_equality() || *kind == RowKind::Tangent;
                *l = if either { *own } else { own.max(0.0) };
            }
            let kkt = self.measure.of(p, &self.x, &self.phi.lambda, 0.0);
            let worst = kkt.worst_beyond(s.velocity_tolerance);
            if best.as_ref().is_none_or(|b| worst < b.0) {
                keep(&mut best, worst, (&self.x, &self.phi.lambda), kkt);
            }
            if kkt.left_beyond(s.velocity_tolerance) <= s.tolerance {
                // Not the best by another measure.
                keep(&mut best, worst, (&self.x, &self.phi.lambda), kkt);
                return Ok(best);
            }
            if step == STEPS || spent(report, budget) || !distance.is_finite() {
                break;
            }
            // What soft rounds leave over is no point of the first equation.
            if distance < n.nearest.0 || step == 1 {
                if step > 1 && distance > SLOW * n.nearest.0 {
                    hardness = (10.0 * hardness).min(HARDEST);
                }
                away = 0;
                n.nearest.0 = distance;
                n.nearest.1.clone_from(&self.x);
                n.nearest.2.clone_from(&n.lambda);
            } else if distance > FALLS * last {
                away += 1;
                if away == PATIENCE {
                    let rough =
                        best.as_ref().is_some_and(|b| b.3.left_beyond(s.velocity_tolerance) <= s.enough);
                    if rough || hardness <= SOFTEST {
                        break;
                    }
                    (away, hardness) = (0, (1e-2 * hardness).max(SOFTEST));
                    self.x.copy_from_slice(&n.nearest.1);
                    n.lambda.copy_from_slice(&n.nearest.2);
                    n.distance(p.rows, &self.x);
                }
            }
            last = distance;
            self.pieces(p, hardness, n);
            match self.direction_of_terms(p, report) {
                Ok(()) => {}
                // Rows as hard as these use up the digits of K.
                Err(QpError::NotDefinite { .. }) => break,
                Err(e) => return Err(e),
            }
            self.after_a_step(n);
            std::mem::swap(&mut n.lambda, &mut n.next);
            self.x.iter_mut().zip(&self.d).for_each(|(x, d)| *x += *d);
        }
        let Some(found) = best else { return Ok(None) };
        self.x.copy_from_slice(&found.1);
        self.phi.lambda.copy_from_slice(&found.2);
        report.rough = found.3.left_beyond(s.velocity_tolerance) <= s.enough;
        Ok(report.rough.then_some(found))
    }

    /// The linear system at x and λ: sides, terms and slips, with the centre what λ is at d = 0 on these sides, and its right-hand side.
    fn pieces(&mut self, p: &Problem<'_>, hardness: f64, n: &Projection) {
        let Self { phi, scratch, terms, g0, x, ws, .. } = self;
        let m = p.rows.len();
        phi.side.clear();
        phi.side.resize(m, Side::Inactive);
        phi.weight.clear();
        phi.weight.extend(n.give.iter().map(|g| if *g > 0.0 { hardness / g } else { 0.0 }));
        phi.centre.clear();
        phi.centre.resize(m, 0.0);
        scratch.slips.clear();
        terms.clear();
        terms.resize(m, Term::of_row(NONE as usize, 0.0));
        let hold = |i: usize, phi: &mut Lagrangian, terms: &mut [Term]| {
            phi.side[i] = Side::Active;
            phi.centre[i] = n.lambda[i] + phi.weight[i] * n.r[i];
            terms[i] = Term::of_row(i, phi.weight[i]);
        };
        for (i, kind) in p.rows.kinds().iter().enumerate() {
            let holds = *kind != RowKind::Tangent && n.give[i] > 0.0;
            if holds && (kind.is_equality() || n.before(i) > 0.0) {
                hold(i, phi, terms);
            }
        }
        for f in p.rows.friction() {
            let [a, b] = f.tangent.map(|t| t as usize);
            let normal = f.normal as usize;
            let radius = f.mu * n.before(normal).max(0.0);
            if radius <= 0.0 || n.give[a] <= 0.0 {
                continue;
            }
            let y = [a, b].map(|t| n.before(t));
            let size = length(y);
            if size <= radius {
                [a, b].into_iter().for_each(|t| hold(t, phi, terms));
                continue;
            }
            (phi.side[a], phi.side[b]) = (Side::Slip, Side::Slip);
            let along = y.map(|y| y / size);
            // λ across the slip is on both sides of its equation.
            let across = (radius / (size - radius)).min(hardness) / n.give[a];
            let with = f.mu * phi.centre[normal];
            let beside = across * (n.r[b] * along[0] - n.r[a] * along[1]);
            phi.centre[a] = with * along[0] - beside * along[1];
            phi.centre[b] = with * along[1] + beside * along[0];
            let (row, other) = (f.tangent[0], f.tangent[1]);
            terms[a] = Term { row, other, ca: -along[1], cb: along[0], weight: across };
            let follows = f.mu * phi.weight[normal];
            scratch.slips.push(Slip { normal, tangents: [a, b], along, across, follows });
        }
        terms.retain(|t| t.row != NONE);
        p.k.apply(x, g0, ws);
        scratch.jm.clear();
        scratch.jm.resize(p.b.len(), DVec3::zero());
        p.rows.apply_transposed(&phi.centre, &mut scratch.jm);
        scratch.jm.iter_mut().zip(g0.iter().zip(p.b)).for_each(|(j, (k, b))| *j = *b - *k - *j);
        scratch.z.clear();
        scratch.z.resize(m, 0.0);
    }

    /// λ after the whole step d, `a` = Jd.
    fn after_a_step(&self, n: &mut Projection) {
        n.next.clear();
        n.next.resize(self.phi.centre.len(), 0.0);
        self.phi.answer(&self.scratch.slips, &self.a, &mut n.next);
        n.next.iter_mut().zip(&self.phi.centre).for_each(|(next, at)| *next += at);
    }
}

#[cfg(all(test, feature = "factor"))]
mod tests {
    use super::Newton;
    use crate::kkt::Kkt;
    use crate::problem::{Problem, Settings};
    use crate::rows::{RowKind, Rows};
    use impinge_geometry::DVec3;
    use impinge_solvers::{BlockMatrix, BlockPattern, System};

    const SIDE: u32 = 14;

    /// Numbers in −1 … 1 that are the same in each run.
    struct Draw(u64);

    impl Draw {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    /// A sheet of stiff springs that is thrown on bumps, with two contacts at each node whose normals are nearly the same, all with friction.
    #[test]
    fn a_sheet_on_bumps_keeps_coulombs_law_in_few_systems() {
        let at = |i: u32, j: u32| i * SIDE + j;
        let cells = (0..SIDE).flat_map(|i| (0..SIDE).map(move |j| (i, j)));
        let links: Vec<[u32; 2]> = cells
            .flat_map(|(i, j)| {
                let right = (j + 1 < SIDE).then(|| [at(i, j), at(i, j + 1)]);
                let down = (i + 1 < SIDE).then(|| [at(i, j), at(i + 1, j)]);
                [right, down]
            })
            .flatten()
            .collect();
        let n = (SIDE * SIDE) as usize;
        let pattern = BlockPattern::new(n, links.iter().map(|l| &l[..])).unwrap();
        let mut values = vec![[0.0; 9]; pattern.blocks()];
        values[..n].iter_mut().for_each(|v| (0..3).for_each(|k| v[4 * k] = 1.0));
        for &[a, b] in &links {
            for k in 0..3 {
                let stiff = if k == 2 { 3.0 } else { 300.0 };
                values[a as usize][4 * k] += stiff;
                values[b as usize][4 * k] += stiff;
                values[pattern.slot(b, a) as usize][4 * k] -= stiff;
            }
        }
        let (mut draw, mut solver, mut systems) = (Draw(7), Newton::default(), 0);
        for case in 0..12 {
            let mut rows = Rows::new();
            for node in 0..n as u32 {
                let lean = DVec3::new(0.4 * draw.next(), 0.4 * draw.next(), 0.0);
                for key in 0..2 {
                    let hair = DVec3::new(draw.next(), draw.next(), 0.0) * 1e-4;
                    let normal = (DVec3::unit_z() + lean + hair).normalized();
                    let across = normal.cross(DVec3::unit_x()).normalized();
                    let gap = 0.2 * (1.0 + draw.next());
                    let row = rows.push(RowKind::Contact, u64::from(2 * node + key), gap, &[(node, -normal)]);
                    let tangents = [across, normal.cross(across)];
                    let own = tangents.map(|t| [(node, t)]);
                    rows.push_friction(row.unwrap(), 0.5, [&own[0], &own[1]], [0.0; 2]).unwrap();
                }
            }
            let b: Vec<DVec3> =
                (0..n).map(|_| DVec3::new(draw.next(), 0.5 + draw.next(), -2.0 + draw.next())).collect();
            let k = System::new(BlockMatrix::new(&pattern, &values).unwrap());
            let p = Problem::of_nodes(k, &b, &rows);
            let (mut dv, mut mu) = (vec![DVec3::zero(); n], Vec::new());
            let report = solver.solve(&p, &Settings::default(), &mut dv, &mut mu).unwrap();
            let kkt = Kkt::measure(&p, &dv, &mu, 0.0);
            assert!(report.solved() && kkt.left_beyond(1e-13) <= 1e-10, "case {case}: {report}");
            assert!(report.active > 50, "case {case} hardly touches: {report}");
            systems += report.iterations;
        }
        assert!(systems < 12 * 60, "{systems} systems for 12 sheets");
    }
}
