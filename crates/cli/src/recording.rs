//! A recording of a run: how it was set up and the hash of every step, so that it can be run again and compared.
//!
//! One JSON value a line: a head with the scene's text, what was set, version and start state; then `["hash"]` for each step, with
//! what each stage wrote after it where that was asked for; at the end how the run ended. A recording that was cut off is good up
//! to its last whole line.

use crate::runner::Session;
use impinge_world::{StageDigest, StepError};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, LineWriter, Write};
use std::path::{Path, PathBuf};

/// The form of the file.
const FORMAT: u32 = 1;

/// What was asked for on the command line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The scene file; meshes are relative to its folder.
    pub scene: PathBuf,
    /// Name of the response.
    pub response: String,
    /// Length (s).
    pub duration: f64,
    /// Step (s), where it was not the scene's.
    pub dt: Option<f64>,
    /// Keys that were set.
    pub set: Vec<String>,
    /// The mesh in the place of the scene's.
    pub mesh: Option<PathBuf>,
    /// Its upward axis.
    pub up: String,
    /// Its scale.
    pub scale: Option<f64>,
}

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Version of the form.
    pub format: u32,
    /// Version of this program.
    pub version: String,
    /// How the run was set up.
    pub setup: Setup,
    /// The scene file.
    pub text: String,
    /// Shapes, masses, laws: [`impinge_world::Simulation::scene_digest`].
    pub world: String,
    /// State before the first step.
    pub start: String,
    /// Names of the stages, where their digests are in the recording.
    pub stages: Option<Vec<String>>,
}

/// The last line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foot {
    /// Steps made.
    pub steps: u64,
    /// `completed`, `interrupted`, or why the step after the last was not made.
    pub end: String,
}

/// A hash as text: JSON numbers do not hold 64 bits.
pub fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

/// Head of a run that has not made a step.
pub fn head(setup: &Setup, text: String, session: &Session, stages: bool) -> Head {
    let names = || session.sim.pipeline.costs().map(|(n, _)| n).collect();
    Head {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_string(),
        setup: setup.clone(),
        text,
        world: hex(session.sim.scene_digest()),
        start: hex(session.sim.hash()),
        stages: stages.then(names),
    }
}

/// Writes a recording while the run goes on. What it cannot write it tells at the end: the run is worth more.
pub struct Writer {
    file: PathBuf,
    out: LineWriter<File>,
    stages: bool,
    digests: Vec<StageDigest>,
    line: Vec<String>,
    failed: Option<std::io::Error>,
    end: Option<String>,
    steps: u64,
}

impl Writer {
    /// Begins the file; a file that cannot be begun is refused before the run.
    pub fn start(file: &Path, head: &Head) -> Result<Self, String> {
        let refused = |e: &dyn std::fmt::Display| {
            format!("the recording {} cannot be written: {e}; give another file", file.display())
        };
        let mut out = LineWriter::new(File::create(file).map_err(|e| refused(&e))?);
        let line = serde_json::to_string(head).map_err(|e| refused(&e))?;
        writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|e| refused(&e))?;
        Ok(Self {
            file: file.to_path_buf(),
            out,
            stages: head.stages.is_some(),
            digests: Vec::new(),
            line: Vec::new(),
            failed: None,
            end: None,
            steps: 0,
        })
    }

    /// One step of the run, recorded.
    pub fn step(&mut self, session: &mut Session) -> Result<(), StepError> {
        if let Err(e) = session.step(self.stages.then_some(&mut self.digests)) {
            self.end = Some(e.to_string());
            return Err(e);
        }
        self.line.clear();
        self.line.push(hex(session.sim.hash()));
        self.line.extend(self.digests.iter().map(|d| hex(d.digest)));
        self.steps = session.sim.steps();
        if self.failed.is_none() {
            let written = serde_json::to_writer(&mut self.out, &self.line)
                .map_err(std::io::Error::from)
                .and_then(|()| self.out.write_all(b"\n"));
            self.failed = written.err();
        }
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self, completed: bool) -> Result<(), String> {
        let end = self.end.take();
        let end = end.unwrap_or_else(|| if completed { "completed" } else { "interrupted" }.to_string());
        let foot = Foot { steps: self.steps, end };
        let done = match self.failed.take() {
            Some(e) => Err(e),
            None => serde_json::to_writer(&mut self.out, &foot)
                .map_err(std::io::Error::from)
                .and_then(|()| self.out.write_all(b"\n"))
                .and_then(|()| self.out.flush()),
        };
        done.map_err(|e| {
            format!(
                "the recording {} is not whole: {e}; its whole lines can be replayed",
                self.file.display()
            )
        })
    }
}

/// A recording as it was read.
#[derive(Clone, Debug)]
pub struct Recording {
    /// How the run was set up.
    pub head: Head,
    /// Of each step: its hash, then what each stage wrote.
    pub steps: Vec<Vec<String>>,
    /// How the run ended; `None` when the recording was cut off.
    pub foot: Option<Foot>,
}

/// Reads a recording.
pub fn read(file: &Path) -> Result<Recording, String> {
    let name = file.display();
    let reader = BufReader::new(File::open(file).map_err(|e| format!("{name}: {e}"))?);
    let mut lines = reader.lines().enumerate();
    let no_recording = |why: String| format!("{name}: it is no recording of this version: {why}");
    let first = match lines.next() {
        Some((_, Ok(line))) => line,
        Some((_, Err(e))) => return Err(format!("{name}: {e}")),
        None => return Err(no_recording("it is empty".to_string())),
    };
    let head: Head = serde_json::from_str(&first).map_err(|e| no_recording(e.to_string()))?;
    if head.format != FORMAT {
        return Err(no_recording(format!("form {}, this version reads {FORMAT}", head.format)));
    }
    let wide = 1 + head.stages.as_ref().map_or(0, Vec::len);
    let (mut steps, mut foot) = (Vec::new(), None);
    while let Some((i, line)) = lines.next() {
        let line = line.map_err(|e| format!("{name}:{}: {e}", i + 1))?;
        match serde_json::from_str::<Vec<String>>(&line) {
            Ok(step) if step.len() == wide && foot.is_none() => steps.push(step),
            Ok(step) => {
                return Err(format!("{name}:{}: {} hashes in a line of {wide}", i + 1, step.len()));
            }
            Err(_) => match serde_json::from_str::<Foot>(&line) {
                Ok(f) if foot.is_none() && f.steps == steps.len() as u64 => foot = Some(f),
                Ok(_) => return Err(format!("{name}:{}: the end does not fit the steps before it", i + 1)),
                // The last line of a run that was killed while it wrote; anywhere else it is damage.
                Err(e) if lines.next().is_some() => {
                    return Err(format!("{name}:{}: damaged: {e}", i + 1));
                }
                Err(_) => break,
            },
        }
    }
    Ok(Recording { head, steps, foot })
}
