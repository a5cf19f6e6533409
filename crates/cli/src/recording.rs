//! A recording of a run: how it was set up and the hash of every step, so that it can be run again and compared.
//!
//! One JSON value a line: a head with the scene's text, what was set, version and start state; then `["hash"]` for each step, with
//! what each stage wrote after it where that was asked for; at the end how the run ended. Before each value stands the digest of all lines
//! so far, so that a damaged file is not taken for another result. A recording that was cut off is good up to its last whole line. Until the
//! run has ended the file has `.part` behind its name; a link is followed, and a pipe or a device is written into.

use crate::claim;
use crate::digest::digest;
use crate::over::{Form, Target};
use crate::runner::Session;
use impinge_world::{StageDigest, StageError, StepError};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, LineWriter, Write};
use std::path::{Path, PathBuf};

/// The form of the file.
const FORMAT: u32 = 2;

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

/// What the file is, to whoever would write over it.
const RECORDING: Form<'_> = Form { name: "recording", is: &is_one };

/// Whether bytes begin as the head of a recording does, of whatever form.
fn is_one(bytes: &[u8]) -> bool {
    bytes.split_first_chunk::<16>().is_some_and(|(seal, rest)| {
        seal.iter().all(u8::is_ascii_hexdigit) && rest.starts_with(b" {\"format\":")
    })
}

/// The file until it is whole.
fn part_of(at: &Path) -> PathBuf {
    let mut part = at.as_os_str().to_owned();
    part.push(".part");
    part.into()
}

/// That a recording can be written, over nothing but another one; what the run `reads` is none.
pub fn ready(file: &Path, force: bool, reads: &[PathBuf]) -> Result<(), String> {
    let target = Target { option: "--recording", file, form: &RECORDING, force: Some(force) };
    target.ready(reads)?;
    impinge_io::place_of(file).map_or(Ok(()), |at| target.is_free(&part_of(&at)))
}

/// A hash as text: JSON numbers do not hold 64 bits.
pub fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

/// The digest of a line's JSON after lines whose last digest was `before`.
fn sealed(before: u64, json: &[u8]) -> u64 {
    digest(&[&before.to_le_bytes(), json].concat())
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
    /// Where it is until it is whole, and where it goes then; neither for a pipe or a device.
    part: Option<[PathBuf; 2]>,
    out: LineWriter<File>,
    /// Digest of the last line.
    seal: u64,
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
        let part = impinge_io::place_of(file).map(|at| [part_of(&at), at]);
        let out = match &part {
            Some([part, _]) => {
                let out = claim::locked(part).map_err(|e| refused(&e))?;
                out.map_err(|by| refused(&format!("{by} writes it")))?
            }
            None => File::create(file).map_err(|e| refused(&e))?,
        };
        let mut writer = Self {
            file: file.to_path_buf(),
            part,
            out: LineWriter::new(out),
            seal: 0,
            stages: head.stages.is_some(),
            digests: Vec::new(),
            line: Vec::new(),
            failed: None,
            end: None,
            steps: 0,
        };
        writer.put(head).map_err(|e| refused(&e))?;
        Ok(writer)
    }

    fn put(&mut self, value: &impl Serialize) -> std::io::Result<()> {
        let json = serde_json::to_string(value)?;
        self.seal = sealed(self.seal, json.as_bytes());
        writeln!(self.out, "{} {json}", hex(self.seal))
    }

    /// One step of the run, recorded.
    pub fn step(&mut self, session: &mut Session) -> Result<(), StepError> {
        if let Err(e) = session.step(self.stages.then_some(&mut self.digests)) {
            // One that was given up is no part of the run.
            if e.source != StageError::GivenUp {
                self.end = Some(e.to_string());
            }
            return Err(e);
        }
        self.line.clear();
        self.line.push(hex(session.sim.hash()));
        self.line.extend(self.digests.iter().map(|d| hex(d.digest)));
        self.steps = session.sim.steps();
        if self.failed.is_none() {
            let line = std::mem::take(&mut self.line);
            self.failed = self.put(&line).err();
            self.line = line;
        }
        Ok(())
    }

    /// Ends the file and gives it its name.
    pub fn finish(mut self, completed: bool) -> Result<(), String> {
        let end = self.end.take();
        let end = end.unwrap_or_else(|| if completed { "completed" } else { "interrupted" }.to_string());
        let foot = Foot { steps: self.steps, end };
        let done = match self.failed.take() {
            Some(e) => Err(e),
            None => self.put(&foot).and_then(|()| self.out.flush()).and_then(|()| match &self.part {
                Some([part, file]) => std::fs::rename(part, file),
                None => Ok(()),
            }),
        };
        done.map_err(|e| {
            let file = self.file.display();
            let told = format!("the recording {file} is not whole: {e}");
            match &self.part {
                Some([part, _]) => format!("{told}; the whole lines of {} can be replayed", part.display()),
                None => told,
            }
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
///
/// # Errors
/// In words: no file, no recording, or the line that is not as it was written.
pub fn read(file: &Path) -> Result<Recording, String> {
    let name = file.display();
    let opened = std::fs::metadata(file).and_then(|m| match m.is_file() {
        true => File::open(file),
        false => Err(std::io::Error::other("it is no file")),
    });
    let mut lines = Lines {
        file,
        reader: BufReader::new(opened.map_err(|e| {
            format!("{name} cannot be read: {e}; give a file that `impinge run --recording FILE` wrote")
        })?),
        seal: 0,
        read: 0,
        cut_off: Vec::new(),
    };
    let no_recording = |why: &str| format!("{name}: it is no recording of this version: {why}");
    let head: Head = match lines.next() {
        Ok(Some(json)) => serde_json::from_slice(&json).map_err(|e| no_recording(&e.to_string()))?,
        Ok(None) if is_one(&lines.cut_off) => {
            return Err(format!(
                "{name}: the recording is cut off in its first line, which says what was run: nothing of it can be replayed; record the run again"
            ));
        }
        Ok(None) => return Err(no_recording("it has no whole line")),
        Err(e) => return Err(format!("{e}, or no recording of this version")),
    };
    if head.format != FORMAT {
        return Err(no_recording(&format!("form {}, this version reads {FORMAT}", head.format)));
    }
    let wide = 1 + head.stages.as_ref().map_or(0, Vec::len);
    let (mut steps, mut foot) = (Vec::new(), None);
    while let Some(json) = lines.next()? {
        let wrong = |what: &str| Err(format!("{name}:{}: {what}", lines.read));
        match serde_json::from_slice::<Vec<String>>(&json) {
            _ if foot.is_some() => return wrong("a line after the end"),
            Ok(step) if step.len() == wide => steps.push(step),
            Ok(step) => return wrong(&format!("{} hashes in a line of {wide}", step.len())),
            Err(_) => match serde_json::from_slice::<Foot>(&json) {
                Ok(f) if f.steps == steps.len() as u64 => foot = Some(f),
                _ => return wrong("the end does not fit the steps before it"),
            },
        }
    }
    if foot.is_some() && !lines.cut_off.is_empty() {
        return Err(format!("{name}:{}: damaged file: bytes after the end", lines.read));
    }
    Ok(Recording { head, steps, foot })
}

/// The whole lines of a recording.
struct Lines<'a> {
    file: &'a Path,
    reader: BufReader<File>,
    seal: u64,
    read: usize,
    /// What stands at the end and is no whole line.
    cut_off: Vec<u8>,
}

impl Lines<'_> {
    /// The JSON of the next line; `None` at the end, or where a run was killed while it wrote.
    fn next(&mut self) -> Result<Option<Vec<u8>>, String> {
        let mut line = Vec::new();
        self.reader.read_until(b'\n', &mut line).map_err(|e| format!("{}: {e}", self.file.display()))?;
        self.read += 1;
        if line.pop_if(|last| *last == b'\n').is_none() {
            self.cut_off = line;
            return Ok(None);
        }
        if let Some((seal, json)) = line.split_first_chunk::<17>() {
            let own = sealed(self.seal, json);
            if *seal == *format!("{} ", hex(own)).as_bytes() {
                self.seal = own;
                return Ok(Some(json.to_vec()));
            }
        }
        Err(format!(
            "{}:{}: damaged file: this line, or one before it, is not as it was written",
            self.file.display(),
            self.read
        ))
    }
}
