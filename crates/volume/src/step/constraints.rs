//! Velocities that satisfy the contact law (Algorithm 1, line 1 of seed 002).

use super::compliance::Compliance;
use super::rebound::Rebound;
use super::rows::{Contact, Maker, Motion, coefficient};
use super::solve::solve;
use super::tables::{
    CellImpulse, CellImpulses, MeasuredPair, Overlaps, VolumeReport, VolumeSettings, pair_id,
};
use crate::RigidRow;
use impinge_bodies::{ContactError, Decisions, Dofs, Elastic, Laws, Operator};
use impinge_contact::{
    BodyKind, Evaluated, Pair, Pairs, PatchRow, PatchShare, Patches, Prediction, SurfaceMap, Wrench, par,
};
use impinge_geometry::DVec3;
use impinge_solvers::Settings;
use impinge_solvers::mlcp::Cone;

/// Part of a contact's own compliance that is added to it. Several cells under one rigid body share its weight in more ways than one; this
/// picks the evenest, and slips by that part of what it would without friction: below any tolerance here.
const EVEN: f64 = 1e-10;

/// Residual over what enters a solve up to which its best answer is taken, and told of (`unfinished`): friction out of step with its pressure by this
/// part.
const TAKEN: f64 = 1e-3;

/// Part of V̄ that a volume may lack and be at it: rounding of measures lets no body sink.
const LACKS: f64 = 1e-9;

/// Solves for the pressures of measured cells; kept from step to step for its memory alone.
#[derive(Debug, Default)]
pub struct VolumeConstraints {
    compliance: Compliance,
    /// Pair and cell.
    cells: Vec<(usize, usize)>,
    made: Vec<Option<Made>>,
    contacts: Vec<Contact>,
    forces: Vec<[f64; 3]>,
}

/// A contact, its coefficient of friction, how fast it parts when the step begins, and how it would move without impulses (m/s).
#[derive(Debug)]
struct Made {
    contact: Contact,
    mu: f64,
    apart: f64,
    free: [f64; 3],
}

/// Contacts made in one go.
const CHUNK: usize = 32;

/// Where a response over volumes writes what it decides.
pub struct Answered<'a> {
    /// Pairs that act, in the order of their patches.
    pub pairs: &'a mut Pairs,
    /// Patches: one for each cell that acts.
    pub decisions: &'a mut Decisions,
    /// What the step took.
    pub report: &'a mut VolumeReport,
    /// Impulses of cells, ascending: what the next step starts from.
    pub next: &'a mut Vec<CellImpulse>,
}

/// Impulses of the last step on this step's contacts.
fn start(contacts: &[Contact], last: &CellImpulses, forces: &mut Vec<[f64; 3]>) {
    forces.clear();
    forces.extend(contacts.iter().map(|c| {
        last.get(c.bodies, c.index, c.part).map_or([0.0; 3], |m| {
            // Row k pushes the lower slot along −t_k.
            let along = |k: usize| -m.friction.dot(c.frame.tangents[k]);
            [m.normal, along(0), along(1)]
        })
    }));
}

impl VolumeConstraints {
    /// Solves for impulses on the cells of `overlaps` in a step of `dt` (s) that leads to `prediction` without them, and writes them to `out`;
    /// returns how many contacts there are. `last` are the impulses of the step before: where the solve starts. With `accept_unfinished` the best
    /// answer of a solve that did not end is taken.
    ///
    /// # Errors
    /// [`ContactError::Unfinished`] with the name of the body at which most is left, [`ContactError::Elastic`] where the operator of the
    /// deformables was not solved, [`ContactError::Refused`] where no impulse is finite.
    pub fn solve(
        &mut self,
        settings: &VolumeSettings,
        overlaps: &Overlaps,
        (map, dofs, prediction, laws): (&SurfaceMap, &Dofs, &Prediction, &Laws),
        (elastic, operator): (&Elastic, &mut Operator),
        last: &CellImpulses,
        (dt, accept_unfinished): (f64, bool),
        name: impl Fn(u32) -> String,
        out: Answered<'_>,
    ) -> Result<usize, ContactError> {
        let Answered { pairs, decisions, report, next } = out;
        decisions.clear();
        decisions.evaluated = Evaluated::Start;
        next.clear();
        *report = overlaps.report();
        self.compliance.lay_out(dofs, elastic);
        let friction = Some(settings.friction_at);
        let (poses, belts) = (&dofs.bodies.pose, &laws.surface_velocities);
        let maker = Maker {
            map,
            compliance: &self.compliance,
            poses,
            depth: settings.depth,
            friction,
            unknowns: true,
        };
        self.contacts.clear();
        let (mut free, mut cones) = (Vec::new(), Vec::new());
        let mut rebound = Rebound::default();
        self.cells.clear();
        self.cells.extend((0..).zip(&overlaps.pairs).flat_map(|(p, m)| m.cells().map(move |cell| (p, cell))));
        self.made.clear();
        self.made.resize_with(self.cells.len(), || None);
        let before = Motion { map, dofs, prediction: None, belts, mean_over: -dt, came: false };
        let after = Motion { prediction: Some(prediction), mean_over: dt, ..before };
        let cells = &self.cells;
        par::fill(&mut self.made, CHUNK, |i, made| {
            let (p, cell) = cells[i];
            let measured = &overlaps.pairs[p];
            *made = maker.contact(p, measured, cell).map(|contact| {
                let least = || before.least_slip(&maker, measured, &contact);
                let mu = coefficient(laws, measured.law, least, settings.depth / dt);
                let apart: f64 = before.normal(&maker, measured, &contact).iter().sum();
                Made { mu, apart, free: after.velocity(&maker, measured, &contact), contact }
            });
        });
        report.cells = self.made.len() as u32;
        for made in self.made.drain(..) {
            let Some(Made { contact: c, mu, apart, free: mut u }) = made else {
                report.contained += 1;
                continue;
            };
            let measured = &overlaps.pairs[c.pair];
            cones.push(match mu {
                0.0 => Cone::Frictionless,
                mu if settings.pyramid => Cone::Pyramid { mu },
                mu => Cone::Round { mu },
            });
            let law = &laws.laws[measured.law as usize];
            if law.damping.restitution().is_some() {
                let [at, then] = [&before, &after].map(|motion| motion.normal(&maker, measured, &c));
                let given = (0..2).map(|side| (then[side] - at[side]).abs()).sum::<f64>();
                rebound.look(law, free.len(), (apart, given), settings.depth / dt);
            }
            rebound.before(u);
            // It may sink to the depth that resting contacts keep, and no farther.
            let lacks = c.target - c.volume;
            if lacks > LACKS * c.target {
                u[0] += lacks / (c.frame.projected_area * dt);
            }
            free.push(u);
            self.contacts.push(c);
        }
        let solver = Settings { tolerance: settings.tolerance, max_iterations: settings.iterations };
        let mut motion = Vec::new();
        let mut rebounds = !rebound.is_empty();
        let solved = loop {
            start(&self.contacts, last, &mut self.forces);
            motion.clear();
            motion.resize(self.compliance.len(), DVec3::zero());
            let solved = solve(
                &self.contacts,
                &rebound.asked(&free),
                &cones,
                (|_| true, |b| dofs.bodies.kind[b as usize] == BodyKind::Kinematic, settings.depth / dt),
                &self.compliance,
                (elastic, operator),
                (&solver, EVEN, true),
                &mut self.forces,
                rebounds.then_some(&mut motion),
            )?;
            if !rebounds {
                break solved;
            }
            let (island, islands) = (&solved.island, solved.left.len());
            let gains = rebound.gains((&self.contacts, &self.forces, &motion), (island, islands));
            let refused = |i: usize| {
                let island = island[i] as usize;
                gains.get(island).is_some_and(|gains| *gains || solved.left[island] > TAKEN)
            };
            match rebound.lessen(refused) {
                None => break solved,
                Some(left) => rebounds = left,
            }
        };
        report.pressed = (solved.contradict.into_iter())
            .max_by(|&i, &j| self.forces[i][0].total_cmp(&self.forces[j][0]))
            .map(|i| self.contacts[i].bodies);
        report.islands = solved.islands;
        report.iterations = solved.iterations;
        report.residual = solved.residual;
        report.unfinished = solved.unfinished;
        report.unfinished_by = solved.worst.map(|(_, i)| self.contacts[i].bodies);
        // What contradicts itself has no answer at any step: it is told of, and what presses most is named.
        if let Some((residual, i)) =
            (solved.worst).filter(|w| w.0 > TAKEN && !accept_unfinished && report.pressed.is_none())
        {
            let body = self.contacts[i]
                .bodies
                .into_iter()
                .max_by_key(|&b| dofs.bodies.kind[b as usize].is_dynamic());
            return Err(ContactError::Unfinished {
                solve: "the contact law of volumes",
                body: body.map(name).unwrap_or_default(),
                residual,
                tolerance: settings.tolerance,
                remedy: "allow more `iterations`",
            });
        }
        // The books have a row for each pair that acts, and no other.
        pairs.clear();
        for (c, f) in self.contacts.iter().zip(&self.forces) {
            if *f == [0.0; 3] {
                continue;
            }
            report.active += 1;
            let [a, b] = c.bodies;
            let measured = &overlaps.pairs[c.pair];
            if pairs.is_empty() || (pairs.a[pairs.len() - 1], pairs.b[pairs.len() - 1]) != (a, b) {
                let sides = laws.of(a, b).map(|l| l.1).unwrap_or_default();
                pairs.push(Pair { a, b, law: measured.law, sides });
            }
            let across = c.frame.tangents[0] * f[1] + c.frame.tangents[1] * f[2];
            next.push(CellImpulse {
                bodies: c.bodies,
                cell: c.index,
                part: c.part,
                normal: f[0],
                friction: -across,
                slides: false,
            });
            push(&maker, measured, c, f, pairs.len() as u32 - 1, (map.bodies(), dt), &mut decisions.patches);
        }
        Ok(self.contacts.len())
    }
}

/// Writes what a contact does: wrenches on its bodies, or shares on the vertices of those with nodes.
pub(crate) fn push(
    maker: &Maker<'_>,
    measured: &MeasuredPair,
    c: &Contact,
    f: &[f64; 3],
    pair: u32,
    (bodies, dt): (usize, f64),
    out: &mut Patches,
) {
    let point = c.frame.center;
    let (mut normal, mut friction) = ([Wrench::default(); 2], [Wrench::default(); 2]);
    let patch = out.rows.len() as u32;
    let wrench = |r: &RigidRow, f: f64| Wrench { impulse: r.linear * f, moment: r.angular * f };
    for side in 0..2 {
        let slot = c.bodies[side] as usize;
        if !maker.map.attachment(slot).has_nodes() {
            normal[side] = wrench(&c.sides[side][0], f[0]);
            for k in 1..3 {
                friction[side] += wrench(&c.sides[side][k], f[k]);
            }
            continue;
        }
        let (vertices, x) = (measured.overlap.gradient(c.cell, side).0, &measured.x[side]);
        let from = out.shares.len();
        maker.vertices(measured, c.cell, side, &c.frame, 0, |vertex, g| {
            out.shares.push(PatchShare { patch, vertex, normal: g * f[0], friction: DVec3::zero() });
        });
        for k in 1..3 {
            let mut at = from;
            maker.vertices(measured, c.cell, side, &c.frame, k, |_, g| {
                out.shares.friction[at] += g * f[k];
                at += 1;
            });
        }
        for (i, &v) in (from..out.shares.len()).zip(vertices) {
            let arm = x[v as usize] - point;
            let (n, t) = (out.shares.normal[i], out.shares.friction[i]);
            normal[side] += Wrench { impulse: n, moment: arm.cross(n) };
            friction[side] += Wrench { impulse: t, moment: arm.cross(t) };
        }
    }
    let id = pair_id(c.bodies, bodies);
    let depth = c.frame.mean_depth;
    out.rows.push(PatchRow {
        pair,
        point,
        normal,
        friction,
        area: c.frame.projected_area,
        volume: c.volume,
        // The largest of a cell is not measured: its mean.
        depth_max: depth,
        depth_mean: depth,
        pressure_max: f[0] / (c.frame.projected_area * dt),
        energy: 0.0,
        work: None,
        key: measured.overlap.cells()[c.cell].key(id),
    });
}
