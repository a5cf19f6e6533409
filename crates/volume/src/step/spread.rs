//! Which of many equal splits: rigid bodies on more contacts than their resultant has numbers get the pressure that stiff equal springs have.
//!
//! Contacts that push the same bodies and touch share their normal resultant by least norm, each counted by its area. Velocities stay what they
//! were, but friction follows the pressure: where contacts slide the law is solved again about the new split, and the two take turns until neither
//! changes the other. A pair's resultant is kept; how much of it each of several pairs bears is left as the law found it. What does not move forms
//! one pair with a body, however many bodies it is made of.

use super::compliance::Compliance;
use super::rows::Contact;
use impinge_solvers::mlcp::{Cone, ContactProblem};
use impinge_solvers::{LeastNorm, Outcome, Reason, Settings};
use std::collections::BTreeMap;

/// Part of the largest force up to which splits are the same: what rests keeps its forces to the bit.
const SAME: f64 = 1e-6;
/// Part of its own compliance by which a contact yields while the law is solved again.
const YIELDS: f64 = 1e-3;
/// Turns at most.
const TURNS: u32 = 30;
/// How fast contacts that share may part, over the tolerance of the law: what is added to their compliance parts them by about that.
pub(super) const TOUCHES: f64 = 10.0;
/// Part of the bound of friction from which on a contact slides.
const SLIDES: f64 = 1.0 - 1e-9;

/// Contacts of an island that push the same rigid bodies, by their places in it.
pub(super) struct Shared {
    sets: Vec<Set>,
}

struct Set {
    of: Vec<usize>,
    gradients: Vec<[f64; 3]>,
    areas: Vec<f64>,
}

impl Shared {
    /// `None` where nothing is shared.
    pub fn of(contacts: &[Contact], compliance: &Compliance, island: &[usize]) -> Option<Self> {
        let mut sets: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (p, &i) in island.iter().enumerate() {
            let row = &contacts[i].rows[0];
            if !row.is_empty() && row.iter().all(|&(b, _)| compliance.is_body(b)) {
                sets.entry(row.iter().map(|r| r.0).collect()).or_default().push(p);
            }
        }
        let sets: Vec<Set> = (sets.into_values().filter(|of| of.len() > 1))
            .map(|of| {
                let rows = of.iter().map(|&p| &contacts[island[p]]);
                let gradients = rows.clone().flat_map(|c| c.rows[0].iter().map(|r| <[f64; 3]>::from(r.1)));
                Set {
                    gradients: gradients.collect(),
                    areas: rows.map(|c| c.frame.projected_area).collect(),
                    of,
                }
            })
            .collect();
        (!sets.is_empty()).then_some(Self { sets })
    }

    /// Splits the normal forces of contacts that move apart by less than `touch` (m/s); the largest change over the largest force. Friction of what
    /// slides goes with its pressure.
    pub fn split(
        &self,
        cones: impl Fn(usize) -> Cone,
        apart: impl Fn(usize) -> f64,
        touch: f64,
        r: &mut [[f64; 3]],
    ) -> f64 {
        let (mut kernel, mut changed) = (LeastNorm::default(), 0.0f64);
        for set in &self.sets {
            // Less and less of what parts: a split must not jump.
            let weight = |(p, area): (&usize, &f64)| match r[*p][0] > 0.0 {
                true => *area,
                false => area * (1.0 - apart(*p).abs() / touch).max(0.0),
            };
            let weights: Vec<f64> = set.of.iter().zip(&set.areas).map(weight).collect();
            let mut normal: Vec<f64> = set.of.iter().map(|&p| r[p][0]).collect();
            let by = kernel.split(&set.gradients, &weights, &mut normal);
            if by <= SAME {
                continue;
            }
            changed = changed.max(by);
            for (&p, n) in set.of.iter().zip(normal) {
                let cone = cones(p);
                let [was, x, y] = r[p];
                let bound = SLIDES * cone.mu() * was;
                let slid = cone != Cone::Frictionless && cone.project_tangent([x, y], bound) != [x, y];
                let by = if slid && was > 0.0 { n / was } else { 1.0 };
                let [x, y] = cone.project_tangent([x * by, y * by], cone.mu() * n);
                r[p] = [n, x, y];
            }
        }
        changed
    }

    /// Brings the answer `r` of a problem to the split; `solve` solves such problems. The answer stays where the turns do not end.
    pub fn settle(
        &self,
        problem: &ContactProblem,
        settings: &Settings,
        solve: impl Fn(&ContactProblem, &mut [[f64; 3]], &Settings) -> Outcome,
        r: &mut [[f64; 3]],
    ) -> u32 {
        let touch = TOUCHES * settings.tolerance * problem.reference();
        let mut now = r.to_vec();
        let mut iterations = 0;
        for _ in 0..TURNS {
            let mut next = now.clone();
            let changed = self.split(|p| problem.cone(p), |p| problem.velocity(p, &now)[0], touch, &mut next);
            if changed == 0.0 {
                break;
            }
            if problem.residual(&next) <= settings.tolerance {
                r.copy_from_slice(&next);
                break;
            }
            let outcome = solve(&problem.around(&next, YIELDS), &mut next, settings);
            iterations += outcome.iterations;
            if outcome.reason != Reason::Converged {
                break;
            }
            if problem.residual(&next) <= settings.tolerance {
                r.copy_from_slice(&next);
            }
            now = next;
        }
        iterations
    }
}

#[cfg(test)]
mod tests {
    use super::super::compliance::Compliance;
    use super::super::solve::{solve, tests::contact};
    use super::*;
    use impinge_bodies::RigidStep;
    use impinge_contact::{Damping, PairLaw, Stiffness};
    use impinge_geometry::{DVec3, Pose, generators};
    use impinge_integrators::Scheme;

    /// Impulses of a box of 2 kg on cells of these areas at these places, from a start; weight and slip before contact.
    fn answer(cells: &[([f64; 2], f64)], mu: f64, slip: [f64; 3], start: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let law = PairLaw { stiffness: Stiffness::PerContact(1e4), damping: Damping::None, friction: None };
        let mut step = RigidStep::new(Scheme::SymplecticEuler, DVec3::zero(), law);
        step.add_plane("floor", DVec3::unit_z(), 0.0);
        let mesh = generators::cuboid(DVec3::new(0.2, 0.2, 0.1), [1; 3]).unwrap();
        step.add_rigid("box", &mesh, 2.0, Pose::from_position(DVec3::new(0.0, 0.0, 0.05))).unwrap();
        let mut compliance = Compliance::default();
        compliance.lay_out(&step.dofs, &step.elastic);
        let contacts: Vec<Contact> = (cells.iter())
            .map(|([x, y], area)| {
                let mut c = contact(&compliance, DVec3::new(*x, *y, -0.05));
                c.frame.projected_area = *area;
                c
            })
            .collect();
        let [x, y, turn] = slip;
        let free: Vec<[f64; 3]> = (contacts.iter().zip(cells))
            .map(|(c, ([px, py], _))| {
                let v = DVec3::new(x - turn * py, y + turn * px, 0.0);
                [-1e-2, c.rows[1][0].1.dot(v), c.rows[2][0].1.dot(v)]
            })
            .collect();
        let cones = vec![if mu > 0.0 { Cone::Round { mu } } else { Cone::Frictionless }; cells.len()];
        let settings = Settings { tolerance: 1e-10, max_iterations: 500 };
        let mut r = start.to_vec();
        r.resize(cells.len(), [0.0; 3]);
        let solved = solve(
            &contacts,
            &free,
            &cones,
            (|_| true, |_| false, 0.0),
            &compliance,
            (&step.elastic, &mut step.operator),
            (&settings, 1e-10, true),
            &mut r,
            None,
        )
        .unwrap();
        assert!(solved.unfinished == 0 && solved.residual <= 1e-10, "{solved:?}");
        r
    }

    /// Cells of 4 × 4, those on the rim cut in half.
    fn cells(off: f64) -> Vec<([f64; 2], f64)> {
        let at = |i: usize| 0.06 * (i as f64 - 1.5);
        let half = |i: usize| if i == 0 || i == 3 { 0.5 } else { 1.0 };
        (0..16).map(|i| ([at(i % 4) - off, at(i / 4)], 3.6e-3 * half(i % 4) * half(i / 4))).collect()
    }

    #[test]
    fn a_weight_is_one_pressure_or_a_linear_one() {
        for (off, mu) in [(0.0, 0.0), (0.0, 0.5), (0.01, 0.0), (0.01, 0.5)] {
            let cells = cells(off);
            let all: f64 = cells.iter().map(|c| c.1).sum();
            let second: f64 = cells.iter().map(|([x, _], a)| a * (x + off) * (x + off)).sum();
            let mut corners = vec![[0.0; 3]; 16];
            [0, 3, 12, 15].iter().for_each(|&i: &usize| corners[i][0] = 5e-3);
            for start in [&[][..], &corners] {
                let r = answer(&cells, mu, [0.0; 3], start);
                for (([x, _], a), r) in cells.iter().zip(&r) {
                    let want = 2e-2 * a * (1.0 / all + off * (x + off) / second);
                    assert!((r[0] - want).abs() < 1e-8 * 2e-2, "{off}, {mu}: {r:?}, {want}");
                }
                // Kept to the bit where a step begins with it.
                assert_eq!(answer(&cells, mu, [0.0; 3], &r), r);
            }
        }
    }

    #[test]
    fn what_slides_and_spins_is_rubbed_by_a_linear_pressure() {
        let (cells, mu) = (cells(0.0), 0.3);
        for slip in [[0.0, 0.0, 2.0], [0.05, 0.02, 0.0], [0.05, 0.02, 1.0]] {
            let r = answer(&cells, mu, slip, &[]);
            let of = |k: usize| {
                let (mut up, mut down) = (0.0, 0.0);
                for ((p, a), r) in cells.iter().zip(&r) {
                    (up, down) = (up + p[k] * r[0], down + a * p[k] * p[k]);
                }
                up / down
            };
            let (slope, all) = ([of(0), of(1)], cells.iter().map(|c| c.1).sum::<f64>());
            for ((p, a), r) in cells.iter().zip(&r) {
                let want = a * (2e-2 / all + slope[0] * p[0] + slope[1] * p[1]);
                assert!((r[0] - want).abs() < 1e-6 * 2e-2, "{slip:?} {p:?}: {r:?}, {want}");
                let rubs = (r[1] * r[1] + r[2] * r[2]).sqrt();
                assert!((rubs - mu * r[0]).abs() < 1e-9 * 2e-2, "{slip:?}: {r:?}");
            }
        }
    }
}
