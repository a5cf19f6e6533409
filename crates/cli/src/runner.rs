//! Runs one scene to its end, whatever that is.

use crate::carried::Carried;
use crate::memory;
use crate::patience::patiently;
use crate::spun::Spun;
use crate::step_times::StepTimes;
use crate::sunk::Sunk;
use crate::swings::Swings;
use crate::trembling::Trembling;
use impinge_report::Recorder;
use impinge_scene::{Checked, Monitor, Response, SceneSpec};
use impinge_world::{
    ContactError, EnergyBooks, Simulation, StageDigest, StageError, StepError, Unseen, VolumeWatch,
};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// How a run ended.
pub enum End {
    /// All steps done.
    Completed,
    /// A step failed; the state is the last accepted one.
    Stopped(StepError),
    /// Somebody asked for it.
    Interrupted,
}

impl End {
    /// Why the run stopped, if it did.
    pub fn stopped(&self) -> Option<String> {
        if let Self::Stopped(e) = self { Some(e.to_string()) } else { None }
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Completed => f.write_str("completed"),
            Self::Stopped(e) => write!(f, "stopped: {e}"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl End {
    /// It stopped because what was computed is no physics.
    pub(crate) fn is_absurd(&self) -> bool {
        matches!(self, Self::Stopped(e) if matches!(e.source, StageError::Contact(ContactError::Absurd { .. })))
    }
}

/// A finished run.
pub struct Run {
    /// The world in its last accepted state.
    pub sim: Simulation,
    /// Curves and frames, if they were asked for.
    pub recorder: Option<Recorder>,
    /// What the run showed that its settings should not be.
    pub warnings: Vec<String>,
    /// Those that say that what was computed is no physics.
    pub lost: Vec<String>,
    /// What was said of the scene before the first step.
    pub told: Vec<String>,
    /// How good the images of volumes were.
    pub(crate) note: Option<String>,
    /// How many steps were halved.
    pub(crate) halved: Option<String>,
    /// Expectations with their results.
    pub checks: Vec<Checked>,
    /// How it ended.
    pub end: End,
    /// Total energy before the first step (J).
    pub(crate) start_energy: f64,
    /// Wall time of the steps alone.
    pub times: StepTimes,
}

/// A run in progress: the simulation and those who watch it.
pub struct Session {
    /// The world.
    pub sim: Simulation,
    /// Curves and frames, if they were asked for.
    pub recorder: Option<Recorder>,
    /// Follows the expectations.
    pub(crate) monitor: Monitor,
    /// How long the steps took.
    pub times: StepTimes,
    /// What warnings after the run are about.
    pub(crate) watched: Watched,
    /// What was said of the scene before the first step.
    told: Vec<String>,
    /// Total energy before the first step (J).
    start_energy: f64,
}

/// What a run gathers on its way to say at its end: a run that goes on from a checkpoint goes on with it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Watched {
    /// Contacts that do not come to rest, images that are not sure, bodies in each other.
    volumes: VolumeWatch,
    sunk: Sunk,
    trembling: Trembling,
    carried: Carried,
    swings: Swings,
    /// Told once: no more where it was told before the first step.
    spun: Option<Spun>,
}

impl Watched {
    fn see(&mut self, sim: &Simulation) {
        self.volumes.see(sim);
        self.sunk.see(sim);
        self.trembling.see(sim);
        self.carried.see(sim);
        self.swings.see(sim);
        if let Some(spun) = &mut self.spun {
            spun.see(sim);
        }
    }
}

/// Energy from nowhere over the energy in play from which on a run says nothing of what it is about.
const RUN_AWAY: f64 = 1.0;
/// The same from which on forces and motion are off by about as much.
const GAINED: f64 = 0.1;

impl Session {
    /// Builds the scene, if there is memory for it, and starts to watch it, judging its expectations if `judge`. Warnings go to the
    /// terminal.
    pub fn start(spec: &SceneSpec, response: Response, record: bool, judge: bool) -> Result<Self, String> {
        let session = Self::start_unheard(spec, response, record, judge)?;
        session.told.iter().for_each(|w| complain!("warning: {w}"));
        Ok(session)
    }

    fn start_unheard(
        spec: &SceneSpec,
        response: Response,
        record: bool,
        judge: bool,
    ) -> Result<Self, String> {
        memory::fits(spec)?;
        let what = format!("setting up {} bodies", spec.bodies.len());
        let sim = patiently(&what, || spec.simulation_with(response)).map_err(|e| e.to_string())?;
        let mut told: Vec<String> = sim.warnings().iter().map(ToString::to_string).collect();
        told.extend(sim.coarse());
        told.extend(sim.leans());
        told.extend(sim.unmet().iter().map(ToString::to_string));
        told.extend(sim.unseen().iter().map(ToString::to_string));
        told.extend(sim.response_warnings());
        let mut spun = Spun::default();
        spun.see(&sim);
        let fast = spun.warning(&sim);
        let spun = fast.is_none().then_some(spun);
        told.extend(fast);
        let recorder = record.then(|| Recorder::new(&sim, spec.record.frame_interval));
        let mut monitor = Monitor::new(spec, response, &sim);
        if !judge {
            monitor.do_not_judge();
        }
        let (sunk, start_energy) = (Sunk::new(&sim), sim.energy().total());
        let trembling = Trembling::new(spec.gravity.mag());
        let carried = Carried::new(&sim);
        Ok(Self {
            sim,
            recorder,
            monitor,
            times: StepTimes::default(),
            watched: Watched {
                sunk,
                trembling,
                carried,
                spun,
                volumes: VolumeWatch::default(),
                swings: Swings::default(),
            },
            told,
            start_energy,
        })
    }

    /// One step, watched. A failed one is the end of the run.
    pub fn step(&mut self, digests: Option<&mut Vec<StageDigest>>) -> Result<(), StepError> {
        let (index, start) = (self.sim.steps(), Instant::now());
        let result = match digests {
            Some(out) => self.sim.step_digested(out),
            None => self.sim.step(),
        };
        let took = start.elapsed();
        if let Err(e) = result {
            let not_finite = matches!(
                e.source,
                StageError::Contact(ContactError::NonFinite { .. } | ContactError::Absurd { .. })
                    | StageError::BadDriver { .. }
            );
            self.monitor.stopped(self.sim.time(), not_finite);
            return Err(e);
        }
        self.times.add(index, took, self.sim.pipeline.raw_costs().map(|c| c.seconds));
        self.monitor.observe(&self.sim);
        self.watched.see(&self.sim);
        if let Some(r) = &mut self.recorder {
            r.capture(&self.sim);
        }
        Ok(())
    }

    /// What there is to say of a run that gained energy from nowhere, though less than it had.
    fn gained(&self) -> Option<String> {
        let gained = self.sim.energy_books().map_or(0.0, EnergyBooks::gained);
        (gained > GAINED && gained <= RUN_AWAY && !self.sim.unbooked()).then(|| {
            format!(
                "{gained:.2} of the energy in play came from nowhere: contacts are too stiff for the step, or they change while they store something; \
                 use a smaller dt, less stiffness, or meshes with more `segments`"
            )
        })
    }

    /// What there is to say of a run that gained more energy from nowhere than it had.
    fn run_away(&self) -> Option<String> {
        let gained = self.sim.energy_books().map_or(0.0, EnergyBooks::gained);
        (gained > RUN_AWAY && !self.sim.unbooked()).then(|| {
            let own = self.sim.response().name();
            let stable = |f: &Response| f.response().is_implicit() && f.name() != own;
            let names: Vec<&str> = Response::ALL.iter().filter(|f| stable(f)).map(|f| f.name()).collect();
            format!(
                "unphysical energy gain, {gained:.1e} times the energy in play: what follows is no physics. Contacts are too stiff for the step, or \
                 there was initial overlap; use a smaller dt, less stiffness, more damping, or a response without a stability limit ({})",
                names.join(", ")
            )
        })
    }

    /// Closes the run.
    pub(crate) fn finish(mut self, end: End) -> Run {
        if matches!(end, End::Interrupted) {
            self.monitor.do_not_judge();
        }
        let watched = &self.watched;
        let mut warnings = watched.volumes.warnings(&self.sim);
        warnings.extend(watched.spun.as_ref().and_then(|s| s.warning(&self.sim)));
        warnings.extend(watched.trembling.warning(&self.sim));
        warnings.extend(watched.carried.warnings(&self.sim));
        let checks = self.monitor.finish();
        warnings.extend(watched.swings.warnings(&self.sim, &checks));
        if !matches!(end, End::Stopped(_)) {
            let through = |u: &Unseen| {
                format!(
                    "at the end '{}' and '{}' are {:.2e} m inside each other and '{}' does not hold them: they went through each other where no vertex was inside, or \
                     within a step; give the meshes more `segments` or use a smaller dt, or --response cpf, cpf-implicit or qp",
                    u.a, u.b, u.depth, u.response
                )
            };
            warnings.extend(self.sim.unheld_now().iter().map(through));
        }
        let mut lost: Vec<String> = self.run_away().into_iter().collect();
        warnings.extend(lost.iter().cloned());
        warnings.extend(self.gained());
        let loose = watched.sunk.lost_hold(&self.sim);
        warnings.extend(loose.iter().cloned());
        lost.extend(loose);
        let sunk = watched.sunk.warning(&self.sim);
        warnings.extend(sunk.iter().cloned());
        if watched.sunk.for_good(&self.sim) {
            lost.extend(sunk);
        }
        let halved = self.sim.halved();
        let halved = (halved.steps > 0).then(|| format!("{halved}, as a solve did not end otherwise"));
        Run {
            checks,
            note: watched.volumes.note(),
            halved,
            warnings,
            lost,
            told: self.told,
            sim: self.sim,
            recorder: self.recorder,
            end,
            start_energy: self.start_energy,
            times: self.times,
        }
    }
}

/// Runs `spec` under `response`, judging the scene's expectations if `judge`. `after_step` is called after every step and stops the run by returning
/// `false`.
pub fn run(
    spec: &SceneSpec,
    response: Response,
    record: bool,
    judge: bool,
    mut after_step: impl FnMut(&Simulation) -> bool,
) -> Result<Run, String> {
    let session = Session::start(spec, response, record, judge)?;
    Ok(to_the_end(session, spec, &mut after_step))
}

/// Runs `spec` under `response` and judges it; what is said of it goes nowhere but into the [`Run`].
pub fn run_unheard(spec: &SceneSpec, response: Response) -> Result<Run, String> {
    let session = Session::start_unheard(spec, response, false, true)?;
    Ok(to_the_end(session, spec, &mut |_| true))
}

fn to_the_end(
    mut session: Session,
    spec: &SceneSpec,
    after_step: &mut dyn FnMut(&Simulation) -> bool,
) -> Run {
    while session.sim.steps() < spec.steps() {
        if let Err(e) = session.step(None) {
            return session.finish(End::Stopped(e));
        }
        if !after_step(&session.sim) {
            return session.finish(End::Interrupted);
        }
    }
    session.finish(End::Completed)
}

/// Why a scene was refused, without the file and line that each part begins with: in a table of one scene it is the same for all, and the
/// path is another on the next machine.
pub fn without_file(reason: &str) -> String {
    // Lines of the file, with a number or none before a bar.
    let quoted = |line: &&str| {
        let bare = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        bare.starts_with('|')
    };
    let parts: Vec<&str> = reason
        .lines()
        .filter(|line| !quoted(line))
        .map(|line| {
            let Some(at) = line.find(".toml:") else { return line.trim() };
            let mut rest = &line[at + 6..];
            // Line and column, where they are told.
            while let Some((number, after)) = rest.split_once(':')
                && !number.is_empty()
                && number.bytes().all(|b| b.is_ascii_digit())
            {
                rest = after;
            }
            rest.trim()
        })
        .collect();
    parts.join("; ")
}
