//! Responses that are solved together with the motion, one after the other, each with the loads of the others as given, until none changes.
//!
//! One sweep over them is a map from loads to loads, and the step is its fixed point. Hard contacts one above the other make it contract
//! slowly (as block Gauss–Seidel does on a chain), so the loads of the next sweep are extrapolated from those of the last ones
//! ([`impinge_solvers::anderson`]). What is applied in the end is what the responses decided in the last sweep, never the extrapolated guess.

use crate::adapters::Names;
use crate::column::Access;
use crate::components::{Dofs, Elastic, Operator};
use crate::scoped::{Scoped, missing, sum};
use crate::stage::{AnyStage, Outcome, StageError, Step};
use crate::tables::{self, Table};
use hecs::{Entity, World};
use impinge_contact::{Advanced, BodyKind, Loads, Prediction, SurfaceMap, Wrench};
use impinge_geometry::{DVec3, halt};
use impinge_integrators::{Scheme, advance};
use impinge_solvers::anderson::Anderson;

/// Most sweeps of a step.
const ROUNDS: usize = 400;
/// They have settled when no impulse on a body changed by more than this part of the largest on any.
const SETTLED: f64 = 1e-9;
/// Sweeps that the acceleration remembers.
const DEPTH: usize = 12;

/// A response that is solved with the motion, and its stages up to its decision.
pub(crate) struct Solved {
    pub tables: Entity,
    pub held: Vec<Table>,
    pub name: &'static str,
    pub stages: Vec<Scoped>,
}

/// Solves the responses that need to know what else acts: one after the other, each with the loads of the others, until none changes.
pub(crate) struct InTurn {
    scheme: Scheme,
    names: Names,
    /// Tables of all responses of the world.
    all: Vec<Entity>,
    solved: Vec<Solved>,
    others: Loads,
    moved: Advanced,
    anderson: Anderson,
    /// Loads that a sweep starts from and ends with, of all but the first response: it is the first to be solved.
    from: Vec<f64>,
    to: Vec<f64>,
}

impl InTurn {
    /// For these responses among those of a world; names for errors.
    #[must_use]
    pub fn new(scheme: Scheme, names: Names, all: Vec<Entity>, solved: Vec<Solved>) -> Self {
        Self {
            scheme,
            names,
            all,
            solved,
            others: Loads::default(),
            moved: Advanced::default(),
            anderson: Anderson::new(DEPTH),
            from: Vec::new(),
            to: Vec::new(),
        }
    }

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
        tables::begin(world, own, &self.solved[k].held);
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

impl InTurn {
    /// Each response once, with the loads of the others as they are; how many items that were.
    fn sweep(&mut self, world: &World, arena: Entity, step: &Step) -> Result<usize, StageError> {
        let mut items = 0;
        for k in 0..self.solved.len() {
            self.start(k, world, arena, step)?;
            for stage in &mut self.solved[k].stages {
                items += stage.run(world, arena, step)?.items;
            }
        }
        Ok(items)
    }

    /// Makes the numbers that a sweep is to start from the loads of the responses.
    fn guess(&self, world: &World, arena: Entity) -> Result<(), StageError> {
        let (Ok(map), Ok(dofs)) = (world.get::<&SurfaceMap>(arena), world.get::<&Dofs>(arena)) else {
            return Err(missing("dofs"));
        };
        let numbers = Numbers { map: &map, dofs: &dofs };
        let mut rest = &self.from[..];
        for s in &self.solved[1..] {
            let mut loads = world.get::<&mut Loads>(s.tables).map_err(|_| missing("loads"))?;
            rest = numbers.read(rest, &mut loads);
        }
        Ok(())
    }
}

/// Loads as numbers that can be compared: impulses over the root of the mass, moments over that of the inertia; of bodies made of nodes the
/// impulses on their vertices. What forces do not move is left out.
struct Numbers<'a> {
    map: &'a SurfaceMap,
    dofs: &'a Dofs,
}

impl Numbers<'_> {
    fn rigid(&self, b: usize) -> Option<[f64; 2]> {
        let bodies = &self.dofs.bodies;
        let i = bodies.mobility[b].inverse_inertia();
        let root = |x: f64| if x > 0.0 { x.sqrt() } else { 1.0 };
        let spin = root((i.cols[0].x + i.cols[1].y + i.cols[2].z) / 3.0);
        (bodies.kind[b] == BodyKind::Rigid).then(|| [1.0 / root(bodies.mass[b]), spin])
    }

    fn vertices(&self, b: usize) -> std::ops::Range<usize> {
        if self.dofs.bodies.kind[b].has_nodes() { self.map.range(b) } else { 0..0 }
    }

    fn write(&self, loads: &Loads, out: &mut Vec<f64>) {
        let mut push = |v: DVec3| out.extend([v.x, v.y, v.z]);
        for b in 0..self.map.bodies() {
            if let Some([linear, angular]) = self.rigid(b) {
                push(loads.wrench[b].impulse * linear);
                push(loads.wrench[b].moment * angular);
            }
            self.vertices(b).for_each(|v| push(loads.impulse[v]));
        }
    }

    /// Puts loads in the place of those that were there; returns the numbers that are left.
    fn read<'n>(&self, mut from: &'n [f64], loads: &mut Loads) -> &'n [f64] {
        loads.clear();
        let mut next = || {
            let (v, rest) = from.split_at(3);
            from = rest;
            DVec3::new(v[0], v[1], v[2])
        };
        for b in 0..self.map.bodies() {
            if let Some([linear, angular]) = self.rigid(b) {
                loads.add_wrench(b, Wrench { impulse: next() / linear, moment: next() / angular });
            }
            for v in self.vertices(b) {
                let impulse = next();
                if impulse != DVec3::zero() {
                    loads.add_impulse(v as u32, impulse);
                }
            }
        }
        loads.sort_touched();
        from
    }

    /// The body that a number is of.
    fn body(&self, mut at: usize) -> usize {
        let size = |b: usize| self.rigid(b).map_or(0, |_| 6) + 3 * self.vertices(b).len();
        let all: usize = (0..self.map.bodies()).map(size).sum();
        at %= all.max(1);
        for b in 0..self.map.bodies() {
            match at.checked_sub(size(b)) {
                Some(rest) => at = rest,
                None => return b,
            }
        }
        0
    }
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

    fn tables(&self) -> Vec<Entity> {
        self.solved.iter().map(|s| s.tables).collect()
    }

    fn run(&mut self, world: &World, arena: Entity, step: &Step) -> Result<Outcome, StageError> {
        // What they applied in the last step is no guess that a snapshot would know.
        for s in &self.solved {
            if let Ok(mut loads) = world.get::<&mut Loads>(s.tables) {
                loads.clear();
            }
        }
        self.anderson.clear();
        self.from.clear();
        let mut unsettled = (0.0, 0);
        for round in 0..ROUNDS {
            if halt::asked() {
                return Err(StageError::GivenUp);
            }
            let items = match self.sweep(world, arena, step) {
                // Loads that were extrapolated are a guess, which may be one that nothing answers to.
                Err(StageError::Contact(_)) if self.anderson.take_back(&mut self.from) => {
                    self.guess(world, arena)?;
                    continue;
                }
                done => done?,
            };
            if self.solved.len() == 1 {
                return Ok(Outcome::items(items));
            }
            let (Ok(map), Ok(dofs)) = (world.get::<&SurfaceMap>(arena), world.get::<&Dofs>(arena)) else {
                return Err(missing("dofs"));
            };
            let numbers = Numbers { map: &map, dofs: &dofs };
            self.to.clear();
            for s in &self.solved[1..] {
                numbers.write(&*world.get::<&Loads>(s.tables).map_err(|_| missing("loads"))?, &mut self.to);
            }
            self.from.resize(self.to.len(), 0.0);
            let largest = self.to.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            let (mut most, mut at) = (0.0f64, 0);
            for (i, (a, b)) in self.from.iter().zip(&self.to).enumerate() {
                let d = (a - b).abs();
                // A NaN is a change.
                if d > most || d.is_nan() {
                    (most, at) = (d, i);
                }
            }
            if most <= SETTLED * largest {
                return Ok(Outcome::items(items));
            }
            unsettled = (most / largest, numbers.body(at));
            if round + 1 == ROUNDS {
                break;
            }
            self.anderson.next(&mut self.from, &self.to);
            self.guess(world, arena)?;
        }
        let (residual, body) = unsettled;
        let body = self.names.get(body).map_or("?", String::as_str).into();
        let responses = self.solved.iter().map(|s| s.name).collect::<Vec<_>>().join("' and '").into();
        Err(StageError::NotSettled { responses, rounds: ROUNDS as u32, body, residual, tolerance: SETTLED })
    }
}
