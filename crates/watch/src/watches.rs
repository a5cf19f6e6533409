//! All watches as one: told of every step, asked at any time.

use crate::bodies::Bodies;
use crate::carried::Carried;
use crate::rebounds::Rebounds;
use crate::slips::Slips;
use crate::spun::Spun;
use crate::sunk::Sunk;
use crate::swings::{Missed, Swings};
use crate::trembling::Trembling;
use crate::unbraked::Unbraked;
use crate::volumes::Volumes;
use crate::warning::{Kind, Warning};
use crate::{energy, starts, unheld};
use impinge_world::Simulation;

/// Watches over a world that runs. They look on only: nothing of them enters the motion, and they cost little beside a step.
///
/// With the feature `serde` they go to a file and back beside a [`impinge_world::Snapshot`]: a run that goes on later goes on with what was seen.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Watches {
    who: Bodies,
    volumes: Volumes,
    sunk: Sunk,
    trembling: Trembling,
    carried: Carried,
    swings: Swings,
    spun: Spun,
    rebounds: Rebounds,
    unbraked: Unbraked,
    slips: Slips,
}

impl Watches {
    /// Of a world that has not made a step.
    #[must_use]
    pub fn new(sim: &Simulation) -> Self {
        let mut who = Bodies::default();
        who.see(sim);
        Self {
            volumes: Volumes::default(),
            sunk: Sunk::new(sim, &who),
            trembling: Trembling::default(),
            carried: Carried::default(),
            swings: Swings::new(sim, &who),
            spun: Spun::of(sim, &who),
            rebounds: Rebounds::default(),
            unbraked: Unbraked::default(),
            slips: Slips::default(),
            who,
        }
    }

    /// What there is to say of a world before its first step: springs too stiff or too soft for it, bodies inside each other or about to
    /// tip, restitution that its response cannot give, bodies that a step turns too far, and what its responses say of themselves.
    #[must_use]
    pub fn before(sim: &Simulation) -> Vec<Warning> {
        let mut told: Vec<String> = sim.warnings().iter().map(ToString::to_string).collect();
        told.extend(sim.coarse());
        told.extend(sim.leans());
        told.extend(sim.unmet().iter().map(ToString::to_string));
        let unseen = sim.unseen();
        let deep = starts::warning(sim, &unseen);
        told.extend(unheld::at_start(unseen));
        told.extend(deep);
        told.extend(sim.response_warnings());
        let mut all: Vec<Warning> = told.into_iter().map(|text| Warning::new(Kind::Foreseen, text)).collect();
        let mut who = Bodies::default();
        who.see(sim);
        all.extend(Spun::of(sim, &who).warning(sim, &who).map(|text| Warning::new(Kind::Spun, text)));
        all
    }

    /// Takes in the step just made; to be told of every one.
    pub fn see(&mut self, sim: &Simulation) {
        self.who.see(sim);
        let who = &self.who;
        self.volumes.see(sim, who);
        self.sunk.see(sim, who);
        self.trembling.see(sim, who);
        self.carried.see(sim, who);
        self.swings.see(sim, who);
        self.spun.see(sim, who);
        self.rebounds.see(sim, who);
        self.unbraked.see(sim, who);
        self.slips.see(sim, who);
    }

    /// What there is to say of the run so far, and of where bodies are now. What [`Self::before`] said of how far bodies turn is said again, in the same
    /// words, where none turns farther since. A body that came after the last step is not watched yet.
    #[must_use]
    pub fn warnings(&self, sim: &Simulation) -> Vec<Warning> {
        self.warnings_of(sim, &[])
    }

    /// The same, with why numbers were missed that a program asked of bodies, where that is because they still swing.
    #[must_use]
    pub fn warnings_of(&self, sim: &Simulation, missed: &[Missed<'_>]) -> Vec<Warning> {
        let mut all = Vec::new();
        let mut add = |kind, texts: &mut dyn Iterator<Item = String>| {
            all.extend(texts.map(|text| Warning::new(kind, text)));
        };
        let who = &self.who;
        add(Kind::Volumes, &mut self.volumes.warnings(sim, who).into_iter());
        add(Kind::Volumes, &mut self.unbraked.warning(who).into_iter());
        add(Kind::Spun, &mut self.spun.warning(sim, who).into_iter());
        add(Kind::Trembling, &mut self.trembling.warning(who).into_iter());
        add(Kind::Slips, &mut self.slips.warning(who).into_iter());
        add(Kind::Rebound, &mut self.rebounds.warning(who).into_iter());
        add(Kind::Carried, &mut self.carried.warnings(who).into_iter());
        add(Kind::Swings, &mut self.swings.warnings(sim, who, missed).into_iter());
        add(Kind::Unheld, &mut unheld::warnings(sim));
        all.extend(energy::run_away(sim).map(|text| Warning::lost(Kind::Energy, true, text)));
        all.extend(energy::gained(sim).map(|text| Warning::new(Kind::Energy, text)));
        all.extend(self.sunk.lost_hold(who).map(|text| Warning::lost(Kind::LetGo, true, text)));
        let for_good = self.sunk.for_good(sim, who);
        all.extend(self.sunk.warning(sim, who).map(|text| Warning::lost(Kind::Sunk, for_good, text)));
        all
    }

    /// How good the volumes by depth images were, in words; `None` for a run without any.
    #[must_use]
    pub fn images(&self) -> Option<String> {
        self.volumes.note()
    }
}
