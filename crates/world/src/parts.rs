//! Several responses in one world: each body pair has one, and each response its own tables.
//!
//! Forces that are evaluated (`penalty`, `cpf`, `dpf-ccd`, `volume-penalty`, explicit `pressure`) come first, each on its pairs. Those that are
//! solved together with the motion (`cpf-implicit`, `qp`, `volume`, `pressure`) then take the loads of all others as given: they start from
//! the motion that these loads lead to. Two of them are solved in turn until neither changes the other's bodies any more.

use crate::adapters::Names;
use crate::column::{Access, Column};
use crate::components::{Dofs, Elastic, Laws, Operator};
use crate::pipeline::{Pipeline, Place};
use crate::response::Response;
use crate::responses::pressure::settings::PressureStep;
use crate::stage::{AnyStage, Outcome, StageError, Step};
use crate::tables::{self, TABLES, Table};
use hecs::{Entity, World};
use impinge_contact::{Advanced, BodyKind, Loads, Prediction, SurfaceMap};
use impinge_geometry::DVec3;
use impinge_integrators::{Scheme, advance};

/// Most rounds in which responses are solved in turn.
const ROUNDS: usize = 400;
/// They have settled when no impulse on a body changed by more than this part of the largest on any.
const SETTLED: f64 = 1e-10;

/// A response of a world and where its tables are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acting {
    pub response: Response,
    /// The arena, where it is the only one.
    pub tables: Entity,
}

impl Response {
    /// Solved together with the motion: it must know what else acts.
    pub(crate) fn is_implicit(&self) -> bool {
        match self {
            Self::Qp(_) | Self::Volume(_) | Self::CpfImplicit { .. } => true,
            Self::Pressure(s) => s.step != PressureStep::Explicit,
            Self::Penalty { .. } | Self::Cpf { .. } | Self::VolumePenalty(_) => false,
        }
    }

    /// Why it cannot act beside others, if so.
    pub(crate) fn stands_alone(&self) -> Option<&'static str> {
        match self {
            Self::Pressure(s) if s.step == PressureStep::Radau => Some(
                "`pressure` with the step 'radau' follows bodies along their path and cannot act beside another response; take the step \
                 'implicit'",
            ),
            _ => None,
        }
    }
}

/// A stage that works on the tables of one response.
struct Scoped {
    number: u8,
    name: String,
    tables: Entity,
    lent: Vec<Table>,
    stage: Box<dyn AnyStage>,
}

impl Scoped {
    fn new(number: usize, at: &Acting, stage: Box<dyn AnyStage>) -> Self {
        let mut access = Vec::new();
        stage.access(&mut access);
        let shared = |t: &Table| t.name == Prediction::NAME && !at.response.is_implicit();
        let touched = |t: &&Table| access.iter().any(|a| a.column == t.name) && !shared(t);
        let (family, own) = (at.response.family().name(), stage.name());
        let name = if own.contains(family) { own } else { format!("{own} ({family})") };
        Self {
            number: number as u8,
            name,
            tables: at.tables,
            lent: TABLES.iter().filter(touched).copied().collect(),
            stage,
        }
    }

    fn exchange(&self, world: &World, arena: Entity, acting: Option<u8>) {
        self.lent.iter().for_each(|t| t.exchange(world, arena, self.tables));
        if let Ok(mut laws) = world.get::<&mut Laws>(arena) {
            laws.acting = acting;
        }
    }
}

impl AnyStage for Scoped {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn access(&self, out: &mut Vec<Access>) {
        self.stage.access(out);
    }

    fn rows(&self, out: &mut Vec<Access>) {
        self.stage.rows(out);
    }

    fn updates(&self, out: &mut Vec<&'static str>) {
        self.stage.updates(out);
    }

    fn run(&mut self, world: &World, arena: Entity, step: &Step) -> Result<Outcome, StageError> {
        self.exchange(world, arena, Some(self.number));
        let done = self.stage.run(world, arena, step);
        self.exchange(world, arena, None);
        done
    }
}

/// Adds up loads in the order given.
fn sum<'a>(loads: impl Iterator<Item = &'a Loads>, out: &mut Loads) {
    out.clear();
    for l in loads {
        l.touched().iter().for_each(|&v| out.add_impulse(v, l.impulse[v as usize]));
        l.wrench.iter().enumerate().for_each(|(b, w)| out.add_wrench(b, *w));
    }
    out.sort_touched();
}

/// A response that is solved with the motion, and its stages up to its decision.
struct Solved {
    tables: Entity,
    name: &'static str,
    stages: Vec<Scoped>,
    /// What it applied in the round before.
    before: Loads,
}

/// Solves the responses that need to know what else acts: one after the other, each with the loads of the others, until none changes.
struct InTurn {
    scheme: Scheme,
    names: Names,
    /// Tables of all responses of the world.
    all: Vec<Entity>,
    solved: Vec<Solved>,
    others: Loads,
    moved: Advanced,
}

impl InTurn {
    /// The motion that the loads of the others lead to becomes what this response starts from.
    fn start(&mut self, k: usize, world: &World, arena: Entity, step: &Step) -> Result<(), StageError> {
        let own = self.solved[k].tables;
        {
            let loads: Vec<_> = (self.all.iter().filter(|e| **e != own))
                .filter_map(|e| world.get::<&Loads>(*e).ok())
                .collect();
            let Ok(map) = world.get::<&SurfaceMap>(arena) else { return Err(missing("surface map")) };
            self.others.shape(map.vertices(), map.bodies());
            sum(loads.iter().map(|l| &**l), &mut self.others);
        }
        tables::begin(world, own);
        let mut shared = world.query_one::<(&SurfaceMap, &Dofs, &Prediction, &Elastic, &mut Operator)>(arena);
        let Ok((map, dofs, free, elastic, operator)) = shared.get() else { return Err(missing("dofs")) };
        let Ok(mut prediction) = world.get::<&mut Prediction>(own) else { return Err(missing("prediction")) };
        prediction.clone_from(free);
        let (bodies, nodes) = (dofs.bodies.view(), dofs.nodes.view());
        let out = &mut self.moved;
        advance(self.scheme, step.dt, map, bodies, nodes, free, &self.others, out);
        crate::adapters::elastic::advance(
            self.scheme,
            step.dt,
            map,
            elastic,
            dofs,
            free,
            &self.others,
            operator,
            out,
        )?;
        for b in (0..bodies.len()).filter(|&b| bodies.kind[b] == BodyKind::Rigid) {
            prediction.velocity[b] = out.velocity[b];
            prediction.angular_momentum[b] = out.angular_momentum[b];
            prediction.pose[b] = out.pose[b];
        }
        prediction.node_v.clone_from(&out.node_v);
        prediction.node_x.clone_from(&out.node_x);
        let mass = &dofs.nodes.mass;
        crate::adapters::elastic::frames(elastic, &out.node_x, mass, &mut prediction.pose);
        Ok(())
    }
}

/// The largest change of an impulse on a body or a vertex, its body, and the largest impulse.
fn change(now: &Loads, before: &Loads, map: &SurfaceMap) -> (f64, usize, f64) {
    let (mut most, mut at, mut largest) = (0.0f64, 0, 0.0f64);
    let mut look = |body: usize, now: DVec3, before: DVec3| {
        let d = (now - before).mag();
        largest = largest.max(now.mag());
        // A NaN is a change.
        if !(d <= most) {
            (most, at) = (d, body);
        }
    };
    for b in 0..now.wrench.len() {
        let was = before.wrench.get(b).copied().unwrap_or_default();
        look(b, now.wrench[b].impulse, was.impulse);
    }
    for v in now.touched().iter().chain(before.touched()) {
        let b = map.body_of(*v) as usize;
        if map.attachment(b).has_nodes() {
            let at = *v as usize;
            look(b, now.impulse[at], before.impulse.get(at).copied().unwrap_or(DVec3::zero()));
        }
    }
    (most, at, largest)
}

fn missing(column: &str) -> StageError {
    StageError::Missing(column.to_string())
}

impl AnyStage for InTurn {
    fn name(&self) -> String {
        let names: Vec<&str> = self.solved.iter().map(|s| s.name).collect();
        format!("response: {}", names.join(" and "))
    }

    fn access(&self, out: &mut Vec<Access>) {
        self.solved.iter().flat_map(|s| &s.stages).for_each(|s| s.access(out));
    }

    fn rows(&self, out: &mut Vec<Access>) {
        self.solved.iter().flat_map(|s| &s.stages).for_each(|s| s.rows(out));
    }

    fn updates(&self, _out: &mut Vec<&'static str>) {}

    fn run(&mut self, world: &World, arena: Entity, step: &Step) -> Result<Outcome, StageError> {
        // What they applied in the last step is no guess that a snapshot would know.
        for s in &mut self.solved {
            if let Ok(mut loads) = world.get::<&mut Loads>(s.tables) {
                loads.clear();
                s.before.clone_from(&loads);
            }
        }
        let mut items = 0;
        let mut unsettled = (0.0, String::new());
        for _ in 0..ROUNDS {
            let (mut most, mut largest) = ((0.0f64, 0), 0.0f64);
            for k in 0..self.solved.len() {
                self.start(k, world, arena, step)?;
                items = 0;
                for stage in &mut self.solved[k].stages {
                    items += stage.run(world, arena, step)?.items;
                }
                let s = &mut self.solved[k];
                let (Ok(loads), Ok(map)) = (world.get::<&Loads>(s.tables), world.get::<&SurfaceMap>(arena))
                else {
                    return Err(missing("loads"));
                };
                let (d, body, size) = change(&loads, &s.before, &map);
                if !(d <= most.0) {
                    most = (d, body);
                }
                largest = largest.max(size);
                s.before.clone_from(&loads);
            }
            if self.solved.len() == 1 || most.0 <= SETTLED * largest {
                return Ok(Outcome::items(items));
            }
            let name = self.names.get(most.1).cloned().unwrap_or_default();
            unsettled = (most.0 / largest, name);
        }
        let (residual, body) = unsettled;
        let responses = self.solved.iter().map(|s| s.name).collect::<Vec<_>>().join("' and '");
        Err(StageError::NotSettled { responses, rounds: ROUNDS, body, residual, tolerance: SETTLED })
    }
}

/// Adds up what all responses apply.
struct AddLoads(Vec<Entity>);

impl AnyStage for AddLoads {
    fn name(&self) -> String {
        "loads".to_string()
    }

    fn access(&self, out: &mut Vec<Access>) {
        out.push(Access { column: Loads::NAME, origin: Loads::ORIGIN, writes: true });
    }

    fn rows(&self, _out: &mut Vec<Access>) {}

    fn updates(&self, _out: &mut Vec<&'static str>) {}

    fn run(&mut self, world: &World, arena: Entity, _step: &Step) -> Result<Outcome, StageError> {
        let parts: Vec<_> = self.0.iter().filter_map(|e| world.get::<&Loads>(*e).ok()).collect();
        let Ok(mut total) = world.get::<&mut Loads>(arena) else { return Err(missing("loads")) };
        sum(parts.iter().map(|l| &**l), &mut total);
        Ok(Outcome::items(total.touched().len()))
    }
}

impl Pipeline {
    /// Adds the stages of all responses of a world.
    pub(crate) fn with_parts(mut self, parts: &[Acting], scheme: Scheme, names: &Names) -> Self {
        if let [only] = parts {
            return self.with_recipe(only.response, names);
        }
        let mut solved = Vec::new();
        for (k, part) in parts.iter().enumerate() {
            let mut before = Vec::new();
            for (place, stage) in Pipeline::default().with_recipe(part.response, names).into_stages() {
                let stage = Scoped::new(k, part, stage);
                if place > Place::Advance {
                    self = self.with(place, stage);
                } else if part.response.is_implicit() {
                    before.push(stage);
                } else {
                    self = self.with(Place::Response, stage);
                }
            }
            if part.response.is_implicit() {
                let name = part.response.family().name();
                solved.push(Solved { tables: part.tables, name, stages: before, before: Loads::default() });
            }
        }
        let all: Vec<Entity> = parts.iter().map(|p| p.tables).collect();
        if !solved.is_empty() {
            let (others, moved) = (Loads::default(), Advanced::default());
            let turn = InTurn { scheme, names: names.clone(), all: all.clone(), solved, others, moved };
            self = self.with(Place::Solve, turn);
        }
        self.with(Place::Solve, AddLoads(all))
    }
}
