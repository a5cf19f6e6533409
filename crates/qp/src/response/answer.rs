//! The quadratic program of the step, and its multipliers as impulses of contacts.

use super::dynamics::Dynamics;
use super::inside::{Inside, take_inside};
use super::places::{Left, Places, ShiftError};
use super::program::Program;
use super::rebound::Rebound;
use super::row::{Row, mesh_contact, plane_contact};
use super::rows::{Contacts as Found, Store};
use super::scene::{Scene, farthest};
use super::search::Search;
use super::tables::{Multiplier, Multipliers, MultipliersNext, PlaceShift, QpReport, QpSettings};
use crate::islands::Archipelago;
use crate::{OuterReport, OuterSettings, Problem, QpError, Rows, Settings, Solver, Status, resolve};
use impinge_bodies::{
    ContactError, Decisions, Dofs, Elastic, IdleRow, Inner, Laws, Limited, Names, Operator, Shapes, foot,
};
use impinge_contact::{
    ContactImpulse, Contacts, Evaluated, Loads, Pair, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap,
};
use impinge_geometry::{DVec3, halt, tangents};
use impinge_swept::{Faces, Followed, Reach, SweptCandidates, TrackedNext, pair_of, widest};

/// Where the response writes.
pub struct QpOut<'a> {
    /// Pairs that act.
    pub pairs: &'a mut Pairs,
    /// Contacts of meshes that act, pair by pair.
    pub contacts: &'a mut Contacts,
    /// Contacts with planes that act.
    pub planes: &'a mut PlaneContacts,
    /// Their impulses.
    pub decisions: &'a mut Decisions,
    /// What the step took.
    pub report: &'a mut QpReport,
    /// By how much places are to be moved.
    pub shift: &'a mut PlaceShift,
    /// Where the next step starts.
    pub next: &'a mut MultipliersNext,
    /// Vertices that stay inside bodies.
    pub open: &'a mut TrackedNext,
}

/// Solves the quadratic program of a step with its outer loop; kept from step to step for its memory alone.
pub struct QpAnswer {
    settings: QpSettings,
    names: Names,
    dynamics: Dynamics,
    search: Search,
    reach: Reach,
    inside: Vec<Inside>,
    store: Store,
    places: Places,
    solver: Solver,
    rows: Rows,
    dv: Vec<DVec3>,
    mu: Vec<f64>,
    order: Vec<(u32, u32)>,
}

impl QpAnswer {
    /// A response with these settings; names for errors.
    pub fn new(settings: QpSettings, names: Names) -> Self {
        Self {
            settings,
            search: Search::new(names.clone()),
            reach: Reach::default(),
            names,
            dynamics: Dynamics::default(),
            inside: Vec::new(),
            store: Store::default(),
            places: Places::default(),
            solver: Solver::new(),
            rows: Rows::new(),
            dv: Vec::new(),
            mu: Vec::new(),
            order: Vec::new(),
        }
    }

    fn name(&self, slot: u32) -> &str {
        self.names.get(slot as usize).map_or("?", String::as_str)
    }

    /// Body pairs of the rows that contradict each other, each once.
    fn conflict(&self, rows: &[u32], limited: &[Limited]) -> String {
        let of = |i: &u32| self.store.rows.iter().find(|r| r.row == *i);
        let mut pairs: Vec<[u32; 2]> = rows.iter().filter_map(of).map(|r| r.bodies).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let words = pairs.iter().map(|[a, b]| format!("'{}' against '{}'", self.name(*a), self.name(*b)));
        let strains = self.store.strains.conflict(limited, rows, &self.names);
        words.chain(strains).collect::<Vec<_>>().join(", ")
    }

    /// The error with the body's name.
    fn refused(&self, e: QpError, dofs: &Dofs) -> ContactError {
        let at = match e {
            QpError::NotDefinite { at } | QpError::NotFinite { at, .. } => at,
            other => return ContactError::refused("constraints", other.to_string()),
        };
        ContactError::refused(
            "constraints",
            format!("body '{}': {e}", self.name(self.dynamics.slot_of(at, dofs))),
        )
    }

    /// Solves from the multipliers of the last step; those of [`Self::rows`] are in `mu` afterwards.
    fn solve(
        &mut self,
        scene: Scene<'_>,
        elastic: &Elastic,
        prediction: &Prediction,
        predicted: &Surface,
        dt: f64,
        last: &Multipliers,
    ) -> Result<QpReport, ContactError> {
        let (dofs, limited) = (scene.dofs, &elastic.limited[..]);
        self.store.begin(limited.len());
        self.rows.clear();
        self.search.begin(&scene);
        self.dv.clear();
        self.dv.resize(self.dynamics.layout.blocks(), DVec3::zero());
        self.mu.clear();
        // A symbolic factor kept from other rows would order the elimination otherwise, and a restored run differ in the last bits.
        self.solver.forget();
        let (settings, dynamics) = (self.settings, &self.dynamics);
        let (search, store) = (&mut self.search, &mut self.store);
        let program = Program::Velocities;
        let inside = &self.inside[..];
        let mut found =
            Found { scene, program, dt, prediction, dynamics, limited, search, inside, store, failed: None };
        let refused = |_| ContactError::refused("constraints", "a contact's row is not finite".to_string());
        found.detect(&self.dv, &mut self.rows).map_err(refused)?;
        if let Some(e) = found.failed.take() {
            return Err(e);
        }
        if self.rows.is_empty() {
            return Ok(QpReport { clean: true, solved: true, ..QpReport::default() });
        }
        self.mu.resize(self.rows.len(), 0.0);
        let mut place = 0;
        for r in &found.store.rows {
            let Some(m) = last.next(r.order, r.key, &mut place) else { continue };
            self.mu[r.row as usize] = m.normal;
            for (t, row) in tangents(r.slip_normal).into_iter().zip(r.friction.iter().flat_map(|f| f.tangent))
            {
                self.mu[row as usize] = -t.dot(m.friction);
            }
        }
        found.store.strains.warm(last, &mut self.mu);
        // Each row says what rounding makes of it.
        let QpSettings { method, tolerance, .. } = settings;
        // A limit of an edge is cut where the answer leads, a few times in a step: rough answers would use them up.
        let enough = if limited.is_empty() { ENOUGH } else { 0.0 };
        let qp = Settings { method, tolerance, enough, velocity_tolerance: 0.0, ..Settings::default() };
        let outer = OuterSettings { qp, rounds: settings.rounds, ..OuterSettings::default() };
        // Nothing but contact drives Δv.
        let b = vec![DVec3::zero(); self.dv.len()];
        let v = b.clone();
        let empty = Rows::new();
        let problem = Problem { k: dynamics.system(), b: &b, rows: &empty, layout: dynamics.layout };
        let mut run =
            |found: &mut Found<'_>, rows: &mut Rows, (dv, mu): (&mut [DVec3], &mut Vec<f64>), rounds| {
                let outer = OuterSettings { rounds, ..outer };
                let answer = resolve(&mut self.solver, &problem, rows, &v, found, &outer, dv, mu);
                // The last answer looked at is the one.
                if !answer.as_ref().is_ok_and(|a| a.clean) {
                    found.place(dv);
                }
                // No solution has more energy than the prediction; what was not solved may have any.
                let thrown = runaway(&scene, predicted, &found.store.surface).is_some();
                let failed = answer.as_ref().is_ok_and(|a| infeasible(a) || thrown && !solved(a));
                (answer, failed)
            };
        let (mut answer, mut failed) =
            run(&mut found, &mut self.rows, (&mut self.dv, &mut self.mu), settings.rounds);
        for rounds in [settings.rounds, 0] {
            if !failed || found.on_rails(elastic, answer.as_ref().ok()) {
                break;
            }
            // Standing still would do, so it is where this began, or the turn that rows of several answers were corrected for: those of the
            // prediction, as those of an answer that is not taken would lead there again, and in the end those alone. What they do not
            // know of is cut afterwards.
            self.rows.clear();
            found.store.begin(limited.len());
            self.dv.fill(DVec3::zero());
            self.mu.clear();
            found.detect(&self.dv, &mut self.rows).map_err(refused)?;
            self.mu.resize(self.rows.len(), 0.0);
            (answer, failed) = run(&mut found, &mut self.rows, (&mut self.dv, &mut self.mu), rounds);
        }
        if let Some(e) = found.failed.take() {
            return Err(e);
        }
        let mut rebound = Rebound::default();
        if !failed && answer.as_ref().is_ok_and(solved) {
            rebound = found.rebounds(&self.mu);
        }
        if !rebound.is_empty() {
            let first = (self.dv.clone(), self.mu.clone());
            let (mut islands, mut island) = (Archipelago::default(), Vec::new());
            while !halt::asked() {
                found.ask(&rebound, &self.dv, &mut self.rows);
                let (next, failed) =
                    run(&mut found, &mut self.rows, (&mut self.dv, &mut self.mu), settings.rounds);
                let usable = !failed && found.failed.is_none() && next.as_ref().is_ok_and(solved);
                let count = islands.of_rows(&Problem { rows: &self.rows, ..problem }, &mut island);
                let gains = match usable {
                    true => found.gains((&self.dv, &self.mu, &self.rows), (&island, count)),
                    false => without_answer(next.as_ref().ok(), &island, count),
                };
                let row = |i: usize| found.store.rows[i].row as usize;
                let left = match rebound.lessen(|i| gains[island[row(i)] as usize]) {
                    None if usable => {
                        answer = join(answer, next);
                        break;
                    }
                    // Nothing was asked for where there is no answer: nobody knows why.
                    None => rebound.lessen(|_| true).unwrap_or(false),
                    Some(left) => left,
                };
                // From the first program again, whose rows all hold.
                self.dv.clone_from(&first.0);
                self.mu.clone_from(&first.1);
                self.mu.resize(self.rows.len(), 0.0);
                found.place(&self.dv);
                found.failed = None;
                if !left {
                    found.ask(&rebound, &self.dv, &mut self.rows);
                    break;
                }
            }
        }
        let outer = answer.map_err(|e| self.refused(e, dofs))?;
        if let Some(last) = outer.solves.last().filter(|_| infeasible(&outer)) {
            return Err(ContactError::Infeasible { contacts: self.conflict(&last.conflict, limited) });
        }
        Ok(self.report(&outer))
    }

    fn report(&self, outer: &OuterReport) -> QpReport {
        let sum = |of: fn(&crate::Report) -> u32| outer.solves.iter().map(of).sum();
        let last = outer.solves.last();
        QpReport {
            solves: outer.solves.len() as u32,
            iterations: sum(|s| s.iterations),
            factorisations: sum(|s| s.factorisations),
            toggles: sum(|s| s.toggles),
            rows: self.store.rows.len() as u32,
            limits: self.store.strains.rows.len() as u32,
            active: last.map_or(0, |s| s.active),
            residual: last.map_or(0.0, |s| s.kkt.worst()),
            unfinished: outer.solves.iter().filter(|s| s.status == Some(Status::Unfinished)).count() as u32,
            solved: last.is_none_or(|s| s.status != Some(Status::Unfinished)),
            clean: outer.clean,
            ..QpReport::default()
        }
    }

    /// Answers the contacts of a step of `dt` (s); returns how many rows there are. `idle` gets constraints that no impulse acts through. With
    /// `accept_unfinished` the best answer of a program that did not end is taken.
    ///
    /// # Errors
    /// [`ContactError::Infeasible`] where constraints contradict each other, [`ContactError::Unfinished`] where the last program was not
    /// solved, [`ContactError::Refused`] where its answer is not usable.
    pub fn answer(
        &mut self,
        (listed, faces, surface, map, followed): (&SweptCandidates, &Faces, &Surface, &SurfaceMap, &Followed),
        (shapes, dofs, prediction, laws): (&Shapes, &Dofs, &Prediction, &Laws),
        (elastic, operator): (&Elastic, &Operator),
        last: &Multipliers,
        (dt, accept_unfinished): (f64, bool),
        idle: Option<&mut Vec<IdleRow>>,
        out: QpOut<'_>,
    ) -> Result<usize, ContactError> {
        let QpOut { pairs, contacts, planes, decisions, report, shift, next, open } = out;
        pairs.clear();
        contacts.clear();
        planes.clear();
        decisions.clear();
        // Normals are no one moment's: the moment of a row about the start is what it leaks.
        decisions.evaluated = Evaluated::Path;
        self.dynamics.assemble(dofs, elastic, operator)?;
        let radius = 0.5 * self.settings.thickness;
        let mut by_body = std::mem::take(&mut self.reach);
        let reach = by_body.set(laws, map.bodies(), radius);
        let predicted = &surface.x1;
        let scene = Scene { map, shapes, laws, dofs, faces, listed, predicted, reach, radius };
        take_inside(followed, &scene, &surface.x0, &mut self.inside, open);
        *report = self.solve(scene, elastic, prediction, surface, dt, last)?;
        let fastest = self.dv.iter().fold(0.0f64, |m, v| m.max(v.mag()));
        // An answer of zero where rows ask for more is none, whatever part of it is off.
        let short = |i: usize| self.rows.dot(i, &self.dv) - self.rows.bounds()[i];
        let lacks = if report.solved { 0.0 } else { (0..self.rows.len()).map(short).fold(0.0, f64::max) };
        let off = (report.residual.min(1.0) * fastest).max(lacks) * dt;
        let matters = report.residual > TAKEN && off > UNMOVED * self.settings.thickness;
        if !report.solved && matters && !accept_unfinished {
            let x = &self.store.surface.x1;
            let deepest = self.store.rows.iter().min_by(|a, b| a.gap(x).total_cmp(&b.gap(x)));
            return Err(ContactError::Unfinished {
                solve: "the quadratic program of contact constraints",
                body: deepest.map_or(String::new(), |r| self.name(r.bodies[0]).to_string()),
                residual: report.residual,
                tolerance: self.settings.tolerance,
                remedy: "give bodies that touch a gap of the thickness at the start",
            });
        }
        // Only looked for where the last program was left unfinished: then its multipliers mean nothing.
        if !report.solved
            && let Some(b) = runaway(&scene, surface, &self.store.surface)
        {
            return Err(ContactError::refused(
                "constraints",
                format!(
                    "the last of the {} programs of this step was not solved (residual {:.1e}), and its answer would throw body '{}' away; give \
                 bodies that touch a gap of the thickness at the start, or take a smaller dt",
                    report.solves,
                    report.residual,
                    self.name(b)
                ),
            ));
        }
        let left = Left {
            scene,
            settings: self.settings,
            dt,
            prediction,
            dynamics: &self.dynamics,
            limited: &elastic.limited,
            inside: &self.inside,
            velocities: &self.store,
        };
        self.places.solve(&left, &mut self.search, shift, report).map_err(|e| match e {
            ShiftError::Qp(e) => self.refused(e, dofs),
            ShiftError::Stage(e) => e,
        })?;
        self.reach = by_body;

        let acting: Vec<u32> = (0..self.store.rows.len() as u32)
            .filter(|&i| self.impulse(&self.store.rows[i as usize]) != (DVec3::zero(), DVec3::zero()))
            .collect();
        let of_pair = |r: &Row| [r.bodies[0], r.bodies[1], r.law];
        let mut touching: Vec<[u32; 3]> =
            acting.iter().map(|&i| of_pair(&self.store.rows[i as usize])).collect();
        touching.dedup();
        touching.sort_unstable();
        touching.dedup();
        for [a, b, law] in touching {
            let sides = laws.of(a, b).map(|l| l.1).unwrap_or_default();
            pairs.push(Pair { a, b, law, sides });
        }
        self.order.clear();
        let mut last = ([u32::MAX; 2], 0);
        for i in acting {
            let [a, b] = self.store.rows[i as usize].bodies;
            if last.0 != [a, b] {
                last = ([a, b], pair_of(pairs, a, b).ok_or(ContactError::Foreign { a, b })?);
            }
            self.order.push((last.1, i));
        }
        self.order.sort_unstable();
        for &(pair, i) in &self.order {
            let r = &self.store.rows[i as usize];
            let (normal, friction) = self.impulse(r);
            next.0.push(Multiplier { list: r.order, key: r.key, normal: r.normal.dot(normal), friction });
            let depth = (-self.store.last_of(r).gap(&self.store.surface.x1)).max(0.0);
            let impulse = ContactImpulse { normal, friction, depth, energy: 0.0 };
            let area = shapes.vertex_area(map, r.stencil[0]);
            match r.plane {
                Some(p) => {
                    let x = &self.store.surface.x1;
                    let at = x[r.stencil[0] as usize];
                    let (point, velocity) = foot(dofs, prediction, p as usize, at, r.normal * r.gap(x));
                    planes.push(plane_contact(r, p, pair, area, point, velocity));
                    decisions.plane.push(impulse);
                }
                None => {
                    contacts.push(mesh_contact(r, pair, area));
                    decisions.mesh.push(impulse);
                }
            }
        }
        if let Some(idle_rows) = idle {
            let x = &self.store.surface.x1;
            let rows = self.store.rows.iter().filter(|r| self.impulse(r) == (DVec3::zero(), DVec3::zero()));
            idle_rows.extend(rows.map(|r| IdleRow { bodies: r.bodies, point: r.point(x), gap: r.gap(x) }));
        }
        let inner = self.store.strains.rows.iter().map(|r| {
            let [i, j] = elastic.limited[r.edge as usize].ends;
            Inner { ends: [i, j], impulse: r.impulse(&self.mu) }
        });
        decisions.inner.extend(inner.filter(|i| i.impulse != DVec3::zero()));
        Ok(self.store.rows.len())
    }

    /// Adds what strain limits do to `loads`, after contacts are booked, and puts the multipliers of the step in order.
    pub fn finish(&self, elastic: &Elastic, loads: &mut Loads, next: &mut MultipliersNext) {
        self.store.strains.apply(&elastic.limited, &self.mu, loads, &mut next.0);
        // Of a pair with several rows the last is nearest to where it is now.
        next.0.reverse();
        next.0.sort_by_key(|m| (m.list, m.key));
        next.0.dedup_by_key(|m| (m.list, m.key));
    }

    /// Impulses of a contact on its first point (N·s): along the normal, and across it.
    fn impulse(&self, r: &Row) -> (DVec3, DVec3) {
        let mu = |row: u32| self.mu.get(row as usize).copied().unwrap_or(0.0);
        let mut across = DVec3::zero();
        if let Some(f) = &r.friction {
            for (t, row) in tangents(r.slip_normal).into_iter().zip(f.tangent) {
                across -= t * mu(row);
            }
        }
        (r.normal * mu(r.row), across)
    }
}

/// Residual up to which programs are solved at least while their rows still change.
const ENOUGH: f64 = 1e-6;

/// Residual up to which the best answer of a program that did not end is taken, and told of: Coulomb's law on what a hit shakes loose may have no
/// answer that its rounds find at any length of the step, and what is left over is friction out of step with its pressure by this part.
const TAKEN: f64 = 1e-3;
/// So is what moves no surface by more than this part of the thickness: of bodies at rest that nothing presses the residual is a ratio of rounding
/// errors.
const UNMOVED: f64 = 1e-6;

/// What two programs of a step took, the answer of the second.
fn join(
    first: Result<OuterReport, QpError>,
    second: Result<OuterReport, QpError>,
) -> Result<OuterReport, QpError> {
    let (mut first, second) = (first?, second?);
    first.solves.extend(second.solves);
    Ok(OuterReport { solves: first.solves, ..second })
}

/// Islands whose rows contradict each other; all where nobody knows which has no answer.
fn without_answer(answer: Option<&OuterReport>, island: &[u32], islands: usize) -> Vec<bool> {
    let conflict = answer.filter(|a| infeasible(a)).and_then(|a| a.solves.last()).map(|s| &s.conflict[..]);
    let rows = conflict.unwrap_or_default();
    let mut out = vec![rows.is_empty(); islands];
    rows.iter().for_each(|&row| out[island[row as usize] as usize] = true);
    out
}

/// A body that the answer moves farther than contact can ask for: ten times the farthest way predicted and the thickness together.
fn runaway(scene: &Scene<'_>, predicted: &Surface, answer: &Surface) -> Option<u32> {
    let (_, expected) = farthest(&predicted.x0, &predicted.x1);
    let (v, moved) = farthest(&answer.x0, &answer.x1);
    let ordinary = moved <= 10.0 * (expected + widest(scene.reach));
    (!ordinary).then(|| scene.map.body_of(v as u32))
}

fn infeasible(report: &OuterReport) -> bool {
    report.solves.last().is_some_and(|s| s.status == Some(Status::Infeasible))
}

fn solved(report: &OuterReport) -> bool {
    report.solves.last().is_none_or(|s| s.status == Some(Status::Solved))
}
