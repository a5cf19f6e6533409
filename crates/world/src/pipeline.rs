//! The pipeline: an ordered list of stages, each in a named place so that one can be swapped.

use crate::column::{Access, Origin};
use crate::stage::{AnyStage, Outcome, StageCost, StageError, Step, timed};
use hecs::{Entity, World};
use impinge_geometry::halt;

/// A place in the step. The order of the variants is the order of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Body rows to degrees of freedom.
    Gather,
    /// External forces, unconstrained end of the step.
    Predict,
    /// Surface vertices.
    Surface,
    /// Body pairs and candidates.
    Broad,
    /// Contacts.
    Narrow,
    /// Impulses, or constraint rows.
    Response,
    /// Rows to impulses.
    Solve,
    /// New velocities and positions.
    Advance,
    /// Position-level corrections.
    Stabilise,
    /// Books: energy and momentum.
    Record,
    /// The step is accepted.
    Commit,
}

/// Whose a stage is. What a program added or swapped stays when bodies come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Recipe,
    Added,
    Swapped,
}

struct Entry {
    place: Place,
    stage: Box<dyn AnyStage>,
    cost: StageCost,
    whose: Whose,
}

impl Entry {
    fn of_response(&self) -> bool {
        (Place::Surface..=Place::Stabilise).contains(&self.place) && self.place != Place::Advance
    }
}

/// The stages of one step, in order.
#[derive(Default)]
pub struct Pipeline {
    entries: Vec<Entry>,
}

/// One line of the data-flow table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowLine {
    /// Place in the step.
    pub place: Place,
    /// Stage name.
    pub stage: String,
    /// Columns read.
    pub reads: Vec<&'static str>,
    /// Columns written (a column that is read and written stands here).
    pub writes: Vec<&'static str>,
}

/// A column read before anything wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dangling {
    /// The reading stage.
    pub stage: String,
    /// The column.
    pub column: &'static str,
}

impl Pipeline {
    /// Adds a stage after the others of its place. Places stay in step order whatever the order of calls.
    #[must_use]
    pub fn with(mut self, place: Place, stage: impl AnyStage + 'static) -> Self {
        self.add(place, stage);
        self
    }

    /// The same for a pipeline that is in use. The stage stays when the response is exchanged, and when bodies come and go.
    ///
    /// A stage after [`Place::Commit`] sees the books of the step and the new rows of the bodies, with components of your own.
    pub fn add(&mut self, place: Place, stage: impl AnyStage + 'static) {
        self.put(Entry { place, stage: Box::new(stage), cost: StageCost::default(), whose: Whose::Added });
    }

    fn put(&mut self, entry: Entry) {
        let at = self.entries.partition_point(|e| e.place <= entry.place);
        self.entries.insert(at, entry);
    }

    /// Its stages are those of the step and of a response.
    pub(crate) fn into_recipe(mut self) -> Self {
        self.entries.iter_mut().for_each(|e| e.whose = Whose::Recipe);
        self
    }

    /// Its stages with their places, in order.
    pub(crate) fn into_stages(self) -> impl Iterator<Item = (Place, Box<dyn AnyStage>)> {
        self.entries.into_iter().map(|e| (e.place, e.stage))
    }

    /// Puts one stage where the stages of `place` were. It stays when bodies come and go; another response takes the place again.
    pub fn swap(&mut self, place: Place, stage: impl AnyStage + 'static) {
        self.entries.retain(|e| e.place != place);
        self.put(Entry { place, stage: Box::new(stage), cost: StageCost::default(), whose: Whose::Swapped });
    }

    /// Puts a stage in the place of the one of its name, where that is still there.
    pub(crate) fn renew(&mut self, place: Place, stage: impl AnyStage + 'static) {
        if let Some(e) = self.entries.iter_mut().find(|e| e.place == place && e.stage.name() == stage.name())
        {
            e.stage = Box::new(stage);
        }
    }

    /// Takes the places from surface to stabilisation, but advance, from another pipeline: the recipe of its response. Stages that were added
    /// come after those of the recipe.
    pub fn swap_response(&mut self, recipe: Pipeline) {
        self.entries.retain(|e| !(e.of_response() && e.whose == Whose::Swapped));
        self.renew_response(recipe);
    }

    /// The same recipe for other bodies: stages that were swapped in keep their places.
    pub(crate) fn renew_response(&mut self, recipe: Pipeline) {
        self.entries.retain(|e| !(e.of_response() && e.whose == Whose::Recipe));
        let (own, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.entries).into_iter().partition(Entry::of_response);
        self.entries = rest;
        let swapped: Vec<Place> = own.iter().filter(|e| e.whose == Whose::Swapped).map(|e| e.place).collect();
        for e in recipe.entries.into_iter().filter(|e| e.of_response() && !swapped.contains(&e.place)) {
            self.put(Entry { whose: Whose::Recipe, ..e });
        }
        own.into_iter().for_each(|e| self.put(e));
    }

    /// Runs every stage once, showing each to `watch` when it has run. `judge` says whether what was advanced and booked may be accepted.
    ///
    /// # Errors
    /// The name of the stage that failed, and why.
    pub(crate) fn run(
        &mut self,
        world: &World,
        arena: Entity,
        step: &Step,
        watch: &mut dyn FnMut(&dyn AnyStage),
        judge: &mut dyn FnMut() -> Result<(), StageError>,
    ) -> Result<(), (String, StageError)> {
        let mut judged = false;
        for e in &mut self.entries {
            // What was given up half way is not committed, and what is being committed is not given up.
            if !judged && halt::asked() {
                return Err((e.stage.name(), StageError::GivenUp));
            }
            if e.place == Place::Commit && !judged {
                judged = true;
                judge().map_err(|error| ("advance".to_string(), error))?;
            }
            let (result, seconds) = timed(e.stage.as_mut(), world, arena, step);
            let given_up = !judged && result.is_err() && halt::asked();
            let why = |error| if given_up { StageError::GivenUp } else { error };
            let outcome = result.map_err(|error| (e.stage.name(), why(error)))?;
            e.cost = StageCost { seconds, items: outcome.items };
            watch(e.stage.as_ref());
        }
        Ok(())
    }

    /// A place no step can do without, if it is empty: a pipeline without it would count steps and move nothing.
    #[must_use]
    pub fn lacks(&self) -> Option<Place> {
        let needed = [Place::Gather, Place::Predict, Place::Advance, Place::Commit];
        needed.into_iter().find(|p| !self.entries.iter().any(|e| e.place == *p))
    }

    /// Name and cost of each stage in the last step.
    pub fn costs(&self) -> impl Iterator<Item = (String, StageCost)> + '_ {
        self.entries.iter().map(|e| (e.stage.name(), e.cost))
    }

    /// Cost of each stage in the last step, in order; allocates nothing.
    pub fn raw_costs(&self) -> impl Iterator<Item = StageCost> + '_ {
        self.entries.iter().map(|e| e.cost)
    }

    /// What each stage reads and writes, from its types.
    #[must_use]
    pub fn flow(&self) -> Vec<FlowLine> {
        self.entries
            .iter()
            .map(|e| {
                let (mut reads, mut writes) = (Vec::new(), Vec::new());
                for a in touched(e.stage.as_ref()) {
                    if a.writes { &mut writes } else { &mut reads }.push(a.column);
                }
                FlowLine { place: e.place, stage: e.stage.name(), reads, writes }
            })
            .collect()
    }

    /// The same as a Markdown table: place, stage, columns read, columns written.
    #[must_use]
    pub fn flow_markdown(&self) -> String {
        let mut out = String::from("| place | stage | reads | writes |\n|---|---|---|---|\n");
        for line in self.flow() {
            let place = format!("{:?}", line.place).to_lowercase();
            let (reads, writes) = (line.reads.join(", "), line.writes.join(", "));
            out.push_str(&format!("| {place} | {} | {reads} | {writes} |\n", line.stage));
        }
        out
    }

    /// Columns that a stage reads although no earlier stage writes them and nothing sets them at load. Empty
    /// for a pipeline that can run.
    #[must_use]
    pub fn dangling(&self) -> Vec<Dangling> {
        let mut written: Vec<&'static str> = Vec::new();
        let mut out = Vec::new();
        for e in &self.entries {
            let access = touched(e.stage.as_ref());
            let mut updates = Vec::new();
            e.stage.updates(&mut updates);
            let reads = |a: &&Access| !a.writes || updates.contains(&a.column);
            for a in access.iter().filter(reads).filter(|a| a.origin == Origin::Step) {
                if !written.contains(&a.column) {
                    out.push(Dangling { stage: e.stage.name(), column: a.column });
                }
            }
            written.extend(access.iter().filter(|a| a.writes).map(|a| a.column));
        }
        out
    }
}

pub(crate) fn touched(stage: &dyn AnyStage) -> Vec<Access> {
    let mut access = Vec::new();
    stage.rows(&mut access);
    stage.access(&mut access);
    access
}

/// A stage made of stages: runs them in order until none asks again.
pub struct Repeat {
    max: usize,
    stages: Vec<Box<dyn AnyStage>>,
}

impl Repeat {
    /// At most `max` rounds (at least one).
    #[must_use]
    pub fn new(max: usize) -> Self {
        Self { max: max.max(1), stages: Vec::new() }
    }

    /// Adds a stage to the round.
    #[must_use]
    pub fn with(mut self, stage: impl AnyStage + 'static) -> Self {
        self.stages.push(Box::new(stage));
        self
    }

    fn stage_names(&self) -> String {
        self.stages.iter().map(|s| s.name()).collect::<Vec<_>>().join(" + ")
    }
}

impl AnyStage for Repeat {
    fn name(&self) -> String {
        format!("repeat({})", self.stage_names())
    }

    fn access(&self, out: &mut Vec<Access>) {
        self.stages.iter().for_each(|s| s.access(out));
    }

    fn rows(&self, out: &mut Vec<Access>) {
        self.stages.iter().for_each(|s| s.rows(out));
    }

    fn updates(&self, out: &mut Vec<&'static str>) {
        // A column an earlier stage of the round writes is not read from before the round.
        let mut written = Vec::new();
        for s in &self.stages {
            let mut own = Vec::new();
            s.updates(&mut own);
            out.extend(own.into_iter().filter(|c| !written.contains(c)));
            let mut access = Vec::new();
            s.access(&mut access);
            written.extend(access.iter().filter(|a| a.writes).map(|a| a.column));
        }
    }

    fn run(&mut self, world: &World, arena: Entity, step: &Step) -> Result<Outcome, StageError> {
        let mut items = 0;
        for _ in 0..self.max {
            let mut again = false;
            for s in &mut self.stages {
                let o = s.run(world, arena, step)?;
                items += o.items;
                again |= o.again;
            }
            if !again {
                return Ok(Outcome::items(items));
            }
        }
        Err(StageError::Diverged { rounds: self.max, stages: self.stage_names() })
    }
}
