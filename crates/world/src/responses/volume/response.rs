//! response: velocities that satisfy the contact law (Algorithm 1, line 1 of seed 002), applied through the ledger.

use super::compliance::Compliance;
use super::rows::{Contact, Maker, Motion, coefficient};
use super::settings::{
    CellImpulse, CellImpulses, CellImpulsesNext, Overlaps, VolumeReport, VolumeSettings, pair_id,
};
use super::solve::solve;
use crate::adapters::book::book;
use crate::adapters::names::Names;
use crate::components::{Decisions, Dofs, Elastic, Laws, Operator};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::{
    ApplyWorkspace, BodyKind, Contacts, Evaluated, Ledger, Loads, Pair, Pairs, PatchRow, PatchShare, Patches,
    PlaneContacts, Prediction, Surface, SurfaceMap, Wrench,
};
use impinge_geometry::DVec3;
use impinge_solvers::Settings;
use impinge_solvers::mlcp::Cone;
use impinge_volume::RigidRow;

/// Part of a contact's own compliance that is added to it. Several cells under one rigid body share its weight in more ways than one; this
/// picks the evenest, and slips by that part of what it would without friction: below any tolerance here.
const EVEN: f64 = 1e-10;

/// Residual over what enters a solve up to which its best answer is taken, and told of (`unfinished`): friction out of step with its pressure by this
/// part.
const TAKEN: f64 = 1e-3;

/// Solves for the pressures of the measured cells, then calls [`impinge_contact::apply`].
pub struct VolumeResponse {
    /// Depth, friction, tolerances.
    pub settings: VolumeSettings,
    names: Names,
    compliance: Compliance,
    contacts: Vec<Contact>,
    forces: Vec<[f64; 3]>,
    apply: ApplyWorkspace,
}

impl VolumeResponse {
    /// A response with these settings; names for errors.
    pub fn new(settings: VolumeSettings, names: Names) -> Self {
        Self {
            settings,
            names,
            compliance: Compliance::default(),
            contacts: Vec::new(),
            forces: Vec::new(),
            apply: ApplyWorkspace::default(),
        }
    }

    /// Impulses of the last step on this step's contacts.
    fn start(&mut self, last: &CellImpulses) {
        self.forces.clear();
        self.forces.extend(self.contacts.iter().map(|c| {
            last.get(c.bodies, c.index, c.part).map_or([0.0; 3], |m| {
                // Row k pushes the lower slot along −t_k.
                let along = |k: usize| -m.friction.dot(c.frame.tangents[k]);
                [m.normal, along(0), along(1)]
            })
        }));
    }
}

type Found = (&'static Overlaps, &'static Surface, &'static SurfaceMap);
type World = (
    &'static Dofs,
    &'static Prediction,
    &'static Laws,
    &'static Elastic,
    &'static CellImpulses,
    &'static mut Operator,
);
type Out = (
    &'static mut Pairs,
    &'static Contacts,
    &'static PlaneContacts,
    &'static mut Decisions,
    &'static mut VolumeReport,
    &'static mut CellImpulsesNext,
    &'static mut Loads,
    &'static mut Ledger,
);

impl Stage for VolumeResponse {
    type Io = (Found, World, Out);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: volume"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["operator"]
    }

    fn run(
        &mut self,
        (found, world, out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (overlaps, surface, map) = found;
        let (dofs, prediction, laws, elastic, last, operator) = world;
        let (pairs, mesh, planes, decisions, report, next, loads, ledger) = out;
        let settings = self.settings;
        decisions.clear();
        decisions.evaluated = Evaluated::Start;
        next.0.clear();
        *report = overlaps.report();
        self.compliance.lay_out(dofs, elastic);
        let friction = Some(settings.friction_at);
        let poses = &dofs.bodies.pose;
        let maker = Maker { map, compliance: &self.compliance, poses, depth: settings.depth, friction };
        self.contacts.clear();
        let (mut free, mut cones) = (Vec::new(), Vec::new());
        for (p, measured) in overlaps.pairs.iter().enumerate() {
            for cell in measured.cells() {
                report.cells += 1;
                let Some(c) = maker.contact(p, measured, cell) else {
                    report.contained += 1;
                    continue;
                };
                let slip = Motion { map, dofs, prediction: None }.velocity(&maker, measured, &c);
                let mu = coefficient(laws, measured.law, (slip[1] * slip[1] + slip[2] * slip[2]).sqrt());
                cones.push(match mu {
                    0.0 => Cone::Frictionless,
                    mu if settings.pyramid => Cone::Pyramid { mu },
                    mu => Cone::Round { mu },
                });
                let mut u = Motion { map, dofs, prediction: Some(prediction) }.velocity(&maker, measured, &c);
                // It may sink to the depth that resting contacts keep, and no farther.
                u[0] += (c.target - c.volume).max(0.0) / (c.frame.projected_area * step.dt);
                free.push(u);
                self.contacts.push(c);
            }
        }
        self.start(last);
        let solver = Settings { tolerance: settings.tolerance, max_iterations: settings.iterations };
        let solved = solve(
            &self.contacts,
            &free,
            &cones,
            (|_| true, |b| dofs.bodies.kind[b as usize] == BodyKind::Kinematic, settings.depth / step.dt),
            &self.compliance,
            (elastic, operator),
            (&solver, EVEN),
            &mut self.forces,
            None,
        )?;
        report.pressed = (solved.contradict.into_iter())
            .max_by(|&i, &j| self.forces[i][0].total_cmp(&self.forces[j][0]))
            .map(|i| self.contacts[i].bodies);
        report.islands = solved.islands;
        report.iterations = solved.iterations;
        report.residual = solved.residual;
        report.unfinished = solved.unfinished;
        // What contradicts itself has no answer at any step: it is told of, and what presses most is named.
        if let Some((residual, i)) =
            (solved.worst).filter(|w| w.0 > TAKEN && !step.accept_unfinished && report.pressed.is_none())
        {
            let body = self.contacts[i]
                .bodies
                .into_iter()
                .max_by_key(|&b| dofs.bodies.kind[b as usize].is_dynamic());
            return Err(StageError::Unfinished {
                solve: "the contact law of volumes",
                body: body.and_then(|b| self.names.get(b as usize).cloned()).unwrap_or_default(),
                residual,
                tolerance: settings.tolerance,
                remedy: "allow more `iterations`",
            });
        }
        // The books have a row for each pair that acts, and no other.
        pairs.clear();
        let maker = Maker { map, compliance: &self.compliance, poses, depth: settings.depth, friction };
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
            next.0.push(CellImpulse {
                bodies: c.bodies,
                cell: c.index,
                part: c.part,
                normal: f[0],
                friction: -across,
                slides: false,
            });
            push(
                &maker,
                measured,
                c,
                f,
                pairs.len() as u32 - 1,
                (map.bodies(), step.dt),
                &mut decisions.patches,
            );
        }
        let (names, ws) = (&self.names, &mut self.apply);
        let tables = (mesh.view(), planes.view());
        let bodies = dofs.bodies.view();
        book(names, map, bodies, surface.view(), pairs.view(), tables, decisions, loads, ledger, ws)?;
        Ok(Outcome::items(self.contacts.len()))
    }
}

/// Writes what a contact does: wrenches on its bodies, or shares on the vertices of those with nodes.
pub(super) fn push(
    maker: &Maker<'_>,
    measured: &super::settings::MeasuredPair,
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
        let (first, x) = (maker.map.first(slot), &measured.x[side]);
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
        for i in from..out.shares.len() {
            let arm = x[(out.shares.vertex[i] - first) as usize] - point;
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
