//! The complementarity problem of the contacts, group by group: contacts that share no body do not know of each other.

use super::compliance::{Answer, Compliance};
use super::rows::Contact;
use super::still::Seen;
use impinge_bodies::{ContactError, Elastic, Operator};
use impinge_contact::{NONE, par};
use impinge_geometry::{DVec3, halt};
use impinge_solvers::mlcp::{
    Cone, ContactProblem, DIRECT_CONTACTS, accelerated, gauss_seidel, interior_point, interior_point_pays,
    semismooth_newton,
};
use impinge_solvers::{Outcome, Reason, Settings};

/// What all groups took together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solved {
    pub islands: u32,
    pub iterations: u32,
    pub residual: f64,
    pub unfinished: u32,
    /// Residual and a contact of the group of which most is left over.
    pub worst: Option<(f64, usize)>,
    /// Island of each contact, [`NONE`] of those that move nothing.
    pub island: Vec<u32>,
    /// Residual of each island that did not end; 0 of others.
    pub left: Vec<f64>,
    /// Contacts of groups with a driven body that contradict themselves: what was added to their compliance takes up part of the motion.
    pub contradict: Vec<usize>,
}

/// Part of the fastest approach in a group that the compliance added to a contact may take up, and of a way (m/s over a step, given by the caller): where
/// driven bodies turn together their ways are chords, which close by the second order of the step.
const TAKEN_UP: f64 = 1e-3;

/// Contacts up to which the direct method takes over where the other ends short.
const DENSE_CONTACTS: usize = 96;
/// Linear systems of the direct method before the other takes over.
const SYSTEMS: u32 = 30;

/// Solves for `r` (N·s; normal, t₁, t₂), which comes with a start. `even` times its own compliance is added to each contact: it picks one of many
/// equal answers, and bounds what contradicts itself. With `settle` free rigid bodies at rest stay where they are to rounding, in groups of up to 16. Groups without a contact that is `wanted` are left as they are. Returns
/// what the blocks get: A⁻¹ Gᵀ r by elastic block and by block of free rigid bodies, if `motion` asks for it.
pub(crate) fn solve(
    contacts: &[Contact],
    free: &[[f64; 3]],
    cones: &[Cone],
    (wanted, driven, way): (impl Fn(usize) -> bool, impl Fn(u32) -> bool, f64),
    compliance: &Compliance,
    (elastic, operator): (&Elastic, &mut Operator),
    (settings, even, settle): (&Settings, f64, bool),
    r: &mut [[f64; 3]],
    mut motion: Option<&mut Vec<DVec3>>,
) -> Result<Solved, ContactError> {
    let mut out = Solved::default();
    let mut scratch = Vec::new();
    let settle = settle && compliance.elastic == 0;
    let with = With { contacts, free, cones, compliance, settings, even, settle, moves: motion.is_some() };
    // Answers of the elastic system are as long as that: one group of them at a time.
    let at_once = if compliance.elastic == 0 { usize::MAX } else { 1 };
    let all = islands(contacts, compliance);
    out.island.resize(contacts.len(), NONE);
    out.left.resize(all.len(), 0.0);
    for (island, number) in all.iter().zip(0..) {
        island.iter().for_each(|&i| out.island[i] = number);
    }
    let mut groups = all.into_iter().filter(|island| island.iter().any(|&i| wanted(i)));
    loop {
        let mut batch = Vec::new();
        for island in groups.by_ref().take(at_once) {
            let mut answers: Vec<[Answer; 3]> = Vec::new();
            if compliance.elastic > 0 {
                for &i in &island {
                    let mut a: [Answer; 3] = Default::default();
                    for k in 0..rows_of(cones[i]) {
                        a[k] = compliance.answer(&contacts[i].rows[k], elastic, operator, &mut scratch)?;
                    }
                    answers.push(a);
                }
            }
            let forces = island.iter().map(|&i| r[i]).collect();
            batch.push(Group { added: vec![0.0; island.len()], island, answers, forces, outcome: None });
        }
        if batch.is_empty() {
            return Ok(out);
        }
        par::fill(&mut batch, CHUNK, |_, group| group.outcome = Some(group.solve(&with)));
        for Group { island, answers, forces, added, outcome } in batch {
            let Some(outcome) = outcome.transpose()? else { continue };
            out.islands += 1;
            out.iterations += outcome.iterations;
            out.residual = out.residual.max(outcome.residual);
            if outcome.reason != Reason::Converged {
                out.unfinished += 1;
                out.left[out.island[island[0]] as usize] = outcome.residual;
                if out.worst.is_none_or(|(r, _)| r < outcome.residual) {
                    out.worst = Some((outcome.residual, island[0]));
                }
            }
            let fastest = island.iter().flat_map(|&i| free[i]).map(f64::abs).fold(way, f64::max);
            let against = |p: &usize| added[*p] * forces[*p][0] > TAKEN_UP * fastest;
            if island.iter().any(|&i| contacts[i].bodies.into_iter().any(&driven)) {
                out.contradict.extend((0..island.len()).filter(against).map(|p| island[p]));
            }
            island.iter().zip(&forces).for_each(|(&i, f)| r[i] = *f);
            let Some(motion) = motion.as_deref_mut() else { continue };
            for (f, a) in forces.iter().zip(&answers) {
                for k in 0..3 {
                    for (m, v) in motion.iter_mut().zip(&a[k].elastic) {
                        *m += *v * f[k];
                    }
                    a[k].rigid.iter().for_each(|&(b, v)| motion[b as usize] += v * f[k]);
                }
            }
        }
    }
}

/// Groups solved in one go.
const CHUNK: usize = 2;

/// What all groups are solved with.
pub(super) struct With<'a> {
    pub contacts: &'a [Contact],
    pub free: &'a [[f64; 3]],
    pub cones: &'a [Cone],
    pub compliance: &'a Compliance,
    pub settings: &'a Settings,
    pub even: f64,
    /// Bodies at rest are to stay where they are, to rounding.
    pub settle: bool,
    /// What the blocks get is asked for.
    moves: bool,
}

/// Rows of a contact that count.
pub(super) fn rows_of(cone: Cone) -> usize {
    if cone == Cone::Frictionless { 1 } else { 3 }
}

/// Contacts that share bodies, and their impulses.
struct Group {
    island: Vec<usize>,
    /// Of free rigid bodies alone only where they are asked for.
    answers: Vec<[Answer; 3]>,
    forces: Vec<[f64; 3]>,
    /// Added to the compliance of each.
    added: Vec<f64>,
    outcome: Option<Result<Outcome, ContactError>>,
}

impl Group {
    fn solve(&mut self, with: &With<'_>) -> Result<Outcome, ContactError> {
        let kept = if with.compliance.elastic == 0 { self.kept(with) } else { None };
        if self.answers.is_empty() && (kept.is_none() || with.moves) {
            self.answers.extend(self.island.iter().map(|&i| {
                let mut a: [Answer; 3] = Default::default();
                for (a, row) in a.iter_mut().zip(&with.contacts[i].rows).take(rows_of(with.cones[i])) {
                    a.rigid = with.compliance.rigid(row);
                }
                a
            }));
        }
        let (outcome, seen) = match kept {
            Some((outcome, seen)) => (outcome, Some(seen)),
            None => (self.solve_anew(with)?, None),
        };
        if with.settle && outcome.reason == Reason::Converged {
            let (island, forces) = (&self.island, &self.forces);
            let seen = seen.or_else(|| Seen::of(with, island, forces));
            if let Some(stopped) = seen.and_then(|seen| seen.stopped(with, island, forces)) {
                self.forces = stopped;
            }
        }
        Ok(outcome)
    }

    /// The forces it starts with, where they obey the law already: what rests is told by the motion of its bodies, without the compliance between
    /// each two of its contacts. Of free rigid bodies alone.
    fn kept(&mut self, with: &With<'_>) -> Option<(Outcome, Seen)> {
        let seen = Seen::of(with, &self.island, &self.forces)?;
        let outcome = seen.obeys(with, &self.island, &self.forces, &mut self.added)?;
        Some((outcome, seen))
    }

    /// By the methods for complementarity problems.
    fn solve_anew(&mut self, with: &With<'_>) -> Result<Outcome, ContactError> {
        let &With { contacts, free, cones, compliance, settings, even, .. } = with;
        let Self { island, answers, forces, added, .. } = self;
        // Two bodies at most; of pairs of contacts without one in common nothing is asked.
        let groups: Vec<[u32; 2]> =
            island.iter().map(|&i| ends(&contacts[i], compliance).unwrap_or_default()).collect();
        // One triangle, mirrored: solves are as good as their tolerance and W must be symmetric.
        let mut blocks: Vec<Vec<(u32, [f64; 9])>> = vec![Vec::new(); island.len()];
        for (p, &i) in island.iter().enumerate() {
            if halt::asked() {
                let (residual, reason) = (f64::INFINITY, Reason::MaxIterations);
                return Ok(Outcome { iterations: 0, residual, converged: false, reason });
            }
            for (q, &j) in island.iter().enumerate().take(p + 1) {
                if !groups[p].iter().any(|g| groups[q].contains(g)) {
                    continue;
                }
                let counted = |c: usize, k: usize| k == 0 || cones[c] != Cone::Frictionless;
                let mut block = [0.0; 9];
                for (e, b) in block.iter_mut().enumerate() {
                    let (row, column) = (e / 3, e % 3);
                    // The own block is symmetric to the bit, too.
                    let (row, column) =
                        if p == q { (row.max(column), row.min(column)) } else { (row, column) };
                    if counted(i, row) && counted(j, column) {
                        *b = answers[p][row].dot(&contacts[j].rows[column], compliance.elastic);
                    }
                }
                if p == q {
                    let largest = block[0].max(block[4]).max(block[8]);
                    added[p] = even * largest;
                    for k in [0, 4, 8] {
                        block[k] +=
                            if k == 0 || cones[i] != Cone::Frictionless { even * largest } else { 0.0 };
                    }
                    blocks[p].push((p as u32, block));
                } else if block.iter().any(|x| *x != 0.0) {
                    // Contacts without a body in common know nothing of each other.
                    blocks[p].push((q as u32, block));
                    blocks[q].push((p as u32, std::array::from_fn(|e| block[3 * (e % 3) + e / 3])));
                }
            }
        }
        let problem = ContactProblem::new(
            island.iter().map(|&i| free[i]).collect(),
            island.iter().map(|&i| cones[i]).collect(),
            |p| std::mem::take(&mut blocks[p]),
        )
        .map_err(|e| ContactError::refused("contact volumes", e.to_string()))?;
        let outcome = best(&problem, forces, settings);
        if outcome.reason == Reason::NonFinite {
            let [a, b] = contacts[island[0]].bodies;
            return Err(ContactError::refused(
                "contact volumes",
                format!("the contact of bodies {a} and {b} has no finite impulse"),
            ));
        }
        Ok(outcome)
    }
}

/// The direct method for few contacts, gradients for many: with the last step's forces as start they are through in some ten iterations.
/// Where they end short an interior-point method begins anew if its linear systems are cheap, and the others go on from the best.
fn best(problem: &ContactProblem, r: &mut [[f64; 3]], settings: &Settings) -> Outcome {
    let direct = Settings { max_iterations: settings.max_iterations.min(SYSTEMS), ..*settings };
    type Method = fn(&ContactProblem, &mut [[f64; 3]], &Settings) -> Outcome;
    let (systems, gradients, sweeps, inside): (Method, Method, Method, Method) =
        (semismooth_newton, accelerated, gauss_seidel, interior_point);
    let turns: &[(Method, &Settings)] = if problem.len() <= DIRECT_CONTACTS {
        &[
            (systems, &direct),
            (inside, settings),
            (gradients, settings),
            (sweeps, settings),
            (systems, &direct),
        ]
    } else if problem.len() <= DENSE_CONTACTS {
        &[(gradients, settings), (inside, settings), (systems, &direct), (sweeps, settings)]
    } else if interior_point_pays(problem) {
        &[(gradients, settings), (inside, settings), (sweeps, settings)]
    } else {
        &[(gradients, settings), (sweeps, settings)]
    };
    let mut out: Option<Outcome> = None;
    for (method, settings) in turns {
        let kept = r.to_vec();
        let mut next = method(problem, r, settings);
        if let Some(last) = out {
            next.iterations += last.iterations;
            let better = next.residual < last.residual;
            if !better {
                r.copy_from_slice(&kept);
                next = Outcome { iterations: next.iterations, ..last };
            }
        }
        out = Some(next);
        if next.reason == Reason::Converged || next.reason == Reason::NonFinite {
            break;
        }
    }
    out.unwrap_or(Outcome { iterations: 0, residual: 0.0, converged: true, reason: Reason::Converged })
}

/// Groups of the bodies that a contact moves. A row has at most two, and blocks ascend: the first and the last name them.
fn ends(c: &Contact, compliance: &Compliance) -> Option<[u32; 2]> {
    c.rows[0].first().zip(c.rows[0].last()).map(|(a, b)| [a.0, b.0].map(|b| compliance.group(b)))
}

/// Contacts that share a body, in groups; groups and contacts in ascending order.
fn islands(contacts: &[Contact], compliance: &Compliance) -> Vec<Vec<usize>> {
    let groups = 1 + (compliance.len() - compliance.elastic) / 2;
    let mut root: Vec<u32> = (0..groups as u32).collect();
    fn find(root: &mut [u32], mut g: u32) -> u32 {
        while root[g as usize] != g {
            root[g as usize] = root[root[g as usize] as usize];
            g = root[g as usize];
        }
        g
    }
    for c in contacts {
        let Some([a, b]) = ends(c, compliance) else { continue };
        let (a, b) = (find(&mut root, a), find(&mut root, b));
        root[a.max(b) as usize] = a.min(b);
    }
    let mut out: Vec<Vec<usize>> = Vec::new();
    let mut island = vec![usize::MAX; groups];
    for (i, c) in contacts.iter().enumerate() {
        let Some([a, _]) = ends(c, compliance) else { continue };
        let g = find(&mut root, a) as usize;
        if island[g] == usize::MAX {
            island[g] = out.len();
            out.push(Vec::new());
        }
        out[island[g]].push(i);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::compliance::Row;
    use crate::{ContactFrame, RigidRow};
    use impinge_bodies::RigidStep;
    use impinge_contact::PairLaw;
    use impinge_geometry::{Pose, generators};
    use impinge_integrators::Scheme;

    /// A contact of body 1 at an arm from its centre, pushed along z.
    fn contact(compliance: &Compliance, arm: DVec3) -> Contact {
        let axes = [DVec3::unit_z(), DVec3::unit_x(), DVec3::unit_y()];
        let mut rows = [Row::new(), Row::new(), Row::new()];
        for (row, n) in rows.iter_mut().zip(axes) {
            compliance.add_body(1, &RigidRow { linear: n, angular: arm.cross(n) }, row);
        }
        let frame = ContactFrame {
            normal: axes[0],
            tangents: [axes[1], axes[2]],
            area: 1.0,
            projected_area: 1.0,
            center_of: [arm; 2],
            center: arm,
            center_by_magnitude: arm,
            mean_depth: 0.0,
            reach: 0.0,
        };
        let (bodies, sides) = ([0, 1], Default::default());
        Contact {
            pair: 0,
            bodies,
            cell: 0,
            index: [0; 3],
            part: 0,
            frame,
            volume: 0.0,
            target: 0.0,
            sides,
            rows,
        }
    }

    #[test]
    fn forces_are_kept_where_the_compliance_says_that_they_obey_the_law() {
        let law = PairLaw::elastic(1e4);
        let mut step = RigidStep::new(Scheme::SymplecticEuler, DVec3::zero(), law);
        step.add_plane("floor", DVec3::unit_z(), 0.0);
        let mesh = generators::cuboid(DVec3::new(0.2, 0.3, 0.2), [1; 3]).unwrap();
        step.add_rigid("box", &mesh, 2.0, Pose::from_position(DVec3::new(0.0, 0.0, 0.1))).unwrap();
        let mut compliance = Compliance::default();
        compliance.lay_out(&step.dofs, &step.elastic);
        let arms = [[-0.1, -0.15], [0.1, -0.15], [-0.1, 0.15], [0.1, 0.15], [0.0, 0.05]];
        let contacts = arms.map(|[x, y]| contact(&compliance, DVec3::new(x, y, -0.1)));
        let free = [[-1e-2, 2e-3, -1e-3]; 5];
        let cones = [Cone::Round { mu: 0.5 }, Cone::Pyramid { mu: 0.5 }, Cone::Frictionless]
            .into_iter()
            .cycle()
            .take(5)
            .collect::<Vec<_>>();
        let settings = Settings { tolerance: 1e-11, max_iterations: 500 };
        let with = With {
            contacts: &contacts,
            free: &free,
            cones: &cones,
            compliance: &compliance,
            settings: &settings,
            even: 1e-10,
            settle: false,
            moves: false,
        };
        let group = |forces: &[[f64; 3]]| Group {
            island: (0..5).collect(),
            answers: Vec::new(),
            forces: forces.to_vec(),
            added: vec![0.0; 5],
            outcome: None,
        };
        let mut first = group(&[[0.0; 3]; 5]);
        assert!(first.kept(&with).is_none());
        assert!(first.solve(&with).unwrap().iterations > 0);
        let mut again = group(&first.forces);
        let (kept, _) = again.kept(&with).unwrap();
        // The same by blocks between contacts.
        let mut blocks = group(&first.forces);
        let all = With { moves: true, ..with };
        blocks.solve(&all).unwrap();
        let outcome = blocks.solve_anew(&all).unwrap();
        assert_eq!((kept.iterations, outcome.iterations), (0, 0));
        assert!((kept.residual - outcome.residual).abs() < 1e-14, "{kept:?} {outcome:?}");
        assert_eq!((&again.forces, &blocks.forces), (&first.forces, &first.forces));
        let off = |a: &f64, b: &f64| (a - b).abs() > 1e-14 * b;
        assert!(!again.added.iter().zip(&blocks.added).any(|(a, b)| off(a, b)));
        // At rest all velocities are rounding, by a change of the forces as small as they were; what slides is left alone.
        let still = With { settle: true, cones: &[Cone::Round { mu: 0.5 }; 5], ..with };
        let fastest = |g: &Group| {
            let seen = Seen::of(&still, &g.island, &g.forces).unwrap();
            seen.velocity.iter().flatten().fold(0.0f64, |m, u| m.max(u.abs()))
        };
        let mut creeps = group(&[[0.0; 3]; 5]);
        creeps.solve(&With { settle: false, ..still }).unwrap();
        let mut stands = group(&creeps.forces);
        stands.solve(&still).unwrap();
        let (before, after) = (fastest(&creeps), fastest(&stands));
        assert!(before > 1e-13 && after < 1e-17, "{before} m/s, then {after}");
        let change = creeps.forces.iter().flatten().zip(stands.forces.iter().flatten());
        assert!(change.fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) < 1e-12);
        let slides = With { cones: &[Cone::Round { mu: 0.01 }; 5], ..still };
        let [a, b] = [&With { settle: false, ..slides }, &slides].map(|with| {
            let mut g = group(&[[0.0; 3]; 5]);
            g.solve(with).unwrap();
            g.forces
        });
        assert_eq!(a, b);
        // A little more is too much.
        let more: Vec<[f64; 3]> = first.forces.iter().map(|f| f.map(|x| 1.001 * x)).collect();
        assert!(group(&more).kept(&with).is_none());
    }
}
