//! record: energy by term and the momentum balance, from what was applied.

use crate::column::{Access, Column, Io};
use crate::components::{Decisions, Dofs, Forces, Laws};
use crate::stage::{AnyStage, Outcome, StageError, Step};
use crate::tables::TablesOf;
use hecs::{Entity, Query, World};
use impinge_bodies::{Names, check};
use impinge_contact::{
    Advanced, BalanceWorkspace, Contacts, Couple, Decided, External, FinishedStep, Ledger, Pairs,
    PlaneContacts, Surface, SurfaceMap, balance, balance_parts,
};
use impinge_geometry::DVec3;

/// Closes the books of the step.
#[derive(Debug)]
pub struct Record {
    names: Names,
    workspace: BalanceWorkspace,
}

impl Record {
    /// Names for errors.
    #[must_use]
    pub fn new(names: Names) -> Self {
        Self { names, workspace: BalanceWorkspace::default() }
    }
}

type Detected =
    (&'static Pairs, &'static Contacts, &'static PlaneContacts, &'static Surface, &'static Decisions);
type Motion = (
    &'static SurfaceMap,
    &'static Dofs,
    &'static Advanced,
    &'static External,
    &'static Forces,
    &'static Laws,
);

/// Tables of one of several responses.
type Tables = (&'static TablesOf, Detected, &'static mut Ledger);

/// What one response found and decided.
struct Found<'a> {
    pairs: &'a Pairs,
    contacts: &'a Contacts,
    planes: &'a PlaneContacts,
    surface: &'a Surface,
    decisions: &'a Decisions,
}

impl<'a> Found<'a> {
    /// # Errors
    /// [`StageError::Undecided`].
    fn new(
        (pairs, contacts, planes, surface, decisions): <Detected as Query>::Item<'a>,
    ) -> Result<Self, StageError> {
        let found = (contacts.len(), planes.len());
        let decided = (decisions.mesh.len(), decisions.plane.len());
        if found != decided {
            let (contacts, decided) = (found.0 + found.1, decided.0 + decided.1);
            return Err(StageError::Undecided { contacts, decided });
        }
        Ok(Self { pairs, contacts, planes, surface, decisions })
    }

    /// `couples` are those of its pairs.
    fn finished<'s>(&'s self, moved: &Moved<'s>, couples: &'s [Couple], dt: f64) -> FinishedStep<'s> {
        FinishedStep {
            dt,
            bodies: moved.dofs.bodies.view(),
            nodes: moved.dofs.nodes.view(),
            advanced: moved.advanced,
            external: moved.external,
            map: moved.map,
            surface: self.surface.view(),
            pairs: self.pairs.view(),
            decided: Decided {
                mesh: (self.contacts.view(), self.decisions.mesh.view()),
                plane: (self.planes.view(), self.decisions.plane.view()),
                bend: &self.decisions.bend,
                patches: self.decisions.patches.view(),
            },
            evaluated: self.decisions.evaluated,
            surface_velocities: &moved.laws.surface_velocities,
            couples,
        }
    }

    /// Impulses inside bodies, which are no contact.
    fn inner(&self, moved: &Moved<'_>, ledger: &mut Ledger) {
        let surface = self.surface;
        for i in &self.decisions.inner {
            let [p, q] = i.ends.map(|v| v as usize);
            let of = |v: &[DVec3]| {
                let [a, b] = i.ends.map(|e| moved.map.at_nodes(e, v).unwrap_or(DVec3::zero()));
                a - b
            };
            let mean = (of(&moved.dofs.nodes.v) + of(&moved.advanced.node_v)) * 0.5;
            ledger.energy.work_elastic += i.impulse.dot(mean);
            // Along the edge at the end, applied at the start.
            ledger.momentum.predicted_leak += (surface.x0[p] - surface.x0[q]).cross(i.impulse);
        }
    }
}

/// How the bodies moved.
struct Moved<'a> {
    map: &'a SurfaceMap,
    dofs: &'a Dofs,
    advanced: &'a Advanced,
    external: &'a External,
    forces: &'a Forces,
    laws: &'a Laws,
}

impl Moved<'_> {
    /// Potentials of what acts from outside; stops a run whose energy is no number.
    fn potentials(&self, names: &Names, ledger: &mut Ledger) -> Result<Outcome, StageError> {
        let (bodies, nodes) = (self.dofs.bodies.view(), self.dofs.nodes.view());
        let advanced = self.advanced;
        (ledger.energy.gravity, ledger.energy.anchors) =
            self.forces.0.potential(bodies, nodes, &advanced.pose, &advanced.node_x);
        if !ledger.energy.total().is_finite() {
            // Squares overflow before the state itself does: the run is lost all the same.
            let fast = |b: usize| {
                !advanced.velocity[b].mag_sq().is_finite()
                    || !advanced.angular_velocity[b].mag_sq().is_finite()
            };
            let body = (0..bodies.len()).find(|&b| fast(b)).unwrap_or(0);
            check(names, body, false, "the energy")?;
            return Ok(Outcome::default());
        }
        Ok(Outcome::items(ledger.pairs.len()))
    }
}

impl Record {
    /// The books of each response, and their sum.
    fn add_up(
        &mut self,
        mut parts: Vec<<Tables as Query>::Item<'_>>,
        total: &mut Ledger,
        moved: &Moved<'_>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        parts.sort_unstable_by_key(|p| p.0.0);
        let (mut found, mut ledgers) = (Vec::new(), Vec::new());
        for (_, detected, ledger) in parts {
            found.push(Found::new(detected)?);
            ledgers.push(ledger);
        }
        let mut couples = vec![Vec::new(); found.len()];
        for c in &moved.forces.0.couples {
            couples[moved.laws.response_of(c.a, c.b) as usize].push(*c);
        }
        let of_parts = found.iter().zip(&couples);
        let steps: Vec<FinishedStep<'_>> = of_parts.map(|(f, own)| f.finished(moved, own, step.dt)).collect();
        balance_parts(&steps, &mut ledgers, total, &mut self.workspace);
        found.iter().for_each(|f| f.inner(moved, total));
        moved.potentials(&self.names, total)
    }
}

impl AnyStage for Record {
    fn name(&self) -> String {
        "record".to_string()
    }

    fn access(&self, out: &mut Vec<Access>) {
        <(Detected, Motion, &'static mut Ledger)>::access(out);
    }

    fn rows(&self, _out: &mut Vec<Access>) {}

    fn updates(&self, out: &mut Vec<&'static str>) {
        out.push(Ledger::NAME);
    }

    fn run(&mut self, world: &World, arena: Entity, step: &Step) -> Result<Outcome, StageError> {
        let missing = || StageError::Missing("one that the books need".to_string());
        let mut motion = world.query_one::<Motion>(arena);
        let (map, dofs, advanced, external, forces, laws) = motion.get().map_err(|_| missing())?;
        let moved = Moved { map, dofs, advanced, external, forces, laws };
        let mut several = world.query::<Tables>();
        let parts: Vec<_> = several.iter().collect();
        if !parts.is_empty() {
            let mut total = world.get::<&mut Ledger>(arena).map_err(|_| missing())?;
            return self.add_up(parts, &mut total, &moved, step);
        }
        let mut tables = world.query_one::<(Detected, &mut Ledger)>(arena);
        let (detected, ledger) = tables.get().map_err(|_| missing())?;
        let found = Found::new(detected)?;
        balance(&found.finished(&moved, &forces.0.couples, step.dt), ledger, &mut self.workspace);
        found.inner(&moved, ledger);
        moved.potentials(&self.names, ledger)
    }
}
