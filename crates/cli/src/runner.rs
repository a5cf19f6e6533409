//! Runs one scene to its end, whatever that is.

use crate::memory;
use crate::patience::patiently;
use impinge_report::Recorder;
use impinge_scene::{Checked, Monitor, Response, SceneSpec, Target, Verdict, When};
use impinge_watch::{Kind, Missed, Off, StepTimes, Watches};
use impinge_world::{ContactError, Simulation, StageDigest, StageError, StepError};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
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
    /// That of a run whose last step failed so.
    pub(crate) fn of(e: StepError) -> Self {
        if e.source == StageError::GivenUp { Self::Interrupted } else { Self::Stopped(e) }
    }

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
    /// What warnings after the run are about: a run that goes on from a checkpoint goes on with it.
    pub(crate) watches: Watches,
    /// What was said of the scene before the first step.
    told: Vec<String>,
    /// Total energy before the first step (J).
    start_energy: f64,
}

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
        let told = Watches::before(&sim).into_iter().map(|w| w.text).collect();
        let recorder = record.then(|| Recorder::new(&sim, spec.record.frame_interval));
        let mut monitor = Monitor::new(spec, response, &sim);
        if !judge {
            monitor.do_not_judge();
        }
        let (watches, start_energy) = (Watches::new(&sim), sim.energy().total());
        Ok(Self { sim, recorder, monitor, times: StepTimes::default(), watches, told, start_energy })
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
            if e.source == StageError::GivenUp {
                return Err(e);
            }
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
        self.watches.see(&self.sim);
        if let Some(r) = &mut self.recorder {
            r.capture(&self.sim);
        }
        Ok(())
    }

    /// Closes the run.
    pub(crate) fn finish(mut self, end: End) -> Run {
        if matches!(end, End::Interrupted) {
            self.monitor.do_not_judge();
        }
        let checks = self.monitor.finish();
        let missed: Vec<Missed<'_>> = checks.iter().filter_map(|c| missed(c, self.sim.time())).collect();
        let mut said = self.watches.warnings_of(&self.sim, &missed);
        if matches!(end, End::Stopped(_)) {
            // They speak of the end.
            said.retain(|w| w.kind != Kind::Unheld);
        }
        // In the same words as before the first step.
        said.retain(|w| !self.told.contains(&w.text));
        let lost = said.iter().filter(|w| w.lost).map(ToString::to_string).collect();
        let halved = self.sim.halved();
        let halved = (halved.steps > 0).then(|| format!("{halved}, as a solve did not end otherwise"));
        Run {
            checks,
            note: self.watches.images(),
            halved,
            warnings: said.into_iter().map(|w| w.text).collect(),
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

/// A missed speed or force of bodies, of a run that ends at `end` (s).
fn missed(check: &Checked, end: f64) -> Option<Missed<'_>> {
    let off = match check.unit {
        "m/s" => Off::Speed(check.off),
        "N" => Off::Force(check.off),
        _ => return None,
    };
    let window = match check.when {
        When::End => [end; 2],
        When::At(t) => [t; 2],
        When::Window(from, to) => [from, to],
    };
    let bodies = match check.target {
        Target::Body(b) => vec![b as u32],
        Target::Pair(a, b) => vec![a as u32, b as u32],
        Target::Scene | Target::Sensor(..) => return None,
    };
    (check.verdict == Verdict::Fail).then(|| Missed::new(&check.name, bodies, window, off))
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

/// The same, but that a step in progress is given up once `wish` is true.
pub(crate) fn run_until(
    spec: &SceneSpec,
    response: Response,
    judge: bool,
    wish: Arc<AtomicBool>,
    mut after_step: impl FnMut(&Simulation) -> bool,
) -> Result<Run, String> {
    let mut session = Session::start(spec, response, true, judge)?;
    session.sim.give_up_when(wish);
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
            return session.finish(End::of(e));
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
