//! A run on disk, so that nothing that ends the process loses it: the state, the curves, what was measured, the times.
//!
//! One file, written beside its place, flushed, and renamed into it: at any instant there is the old one or the new one, whole; one of
//! another run gets a second name first. It
//! says which run it belongs to; another scene, parameter, response or version is refused by the first thing that differs. A
//! failed write (a full disk) is told once and the run goes on: the next attempt comes with the next checkpoint.

use crate::runner::Session;
use impinge_report::Recorder;
use impinge_scene::{Measured, Response, SceneSpec};
use impinge_watch::{StepTimes, Watches};
use impinge_world::Snapshot;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// First line of the file.
const MAGIC: &[u8] = b"impinge checkpoint 26\n";
/// Name of the file in the run's folder.
const FILE: &str = "checkpoint.bin";
/// Checkpoints by time take at most one part in this many of the run. What the first takes is not known before, and does not count.
const SHARE: u32 = 20;

/// What makes a run this run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    version: String,
    response: String,
    /// The scene as it was read, a line each.
    scene: String,
    /// What it states, and the files that it reads: what is told where scenes differ.
    stated: BTreeMap<String, String>,
    /// Shapes, masses, laws.
    world: u64,
    /// State before the first step.
    start: u64,
}

impl Identity {
    /// Of a run that has not made a step. The duration may differ: a run may be prolonged.
    pub fn of(spec: &SceneSpec, response: Response, session: &Session) -> Self {
        let mut same = spec.clone();
        same.duration = 0.0;
        Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            response: response.name().to_string(),
            scene: same.in_words(),
            stated: stated(spec),
            world: session.sim.scene_digest(),
            start: session.sim.hash(),
        }
    }

    /// What differs from `other`, first things first.
    pub fn differs_from(&self, other: &Self) -> Option<String> {
        if self.version != other.version {
            return Some(format!("version {} then, {} now", self.version, other.version));
        }
        if self.response != other.response {
            return Some(format!("response {} then, {} now", self.response, other.response));
        }
        if self.scene != other.scene {
            let keys = differing(&self.stated, &other.stated);
            return Some(if keys.is_empty() {
                "the scene: what follows from its keys, which are the same".to_string()
            } else {
                format!("the scene: {keys}")
            });
        }
        let mesh = "a mesh of the scene, or a law: another start state comes out of the same parameters";
        (self.world != other.world || self.start != other.start).then(|| mesh.to_string())
    }
}

/// The keys of a scene, and the mesh files that it reads, which the command line may have changed.
fn stated(spec: &SceneSpec) -> BTreeMap<String, String> {
    let mut stated = spec.stated();
    stated.remove("scene.duration");
    let files: Vec<String> = spec.files().iter().map(|(name, _)| name.display().to_string()).collect();
    if !files.is_empty() {
        stated.insert("mesh files".to_string(), files.join(", "));
    }
    stated
}

/// Keys that a message names, and the letters of a value in it.
const SHOWN: [usize; 2] = [4, 60];

/// The keys that differ, with their values then and now.
fn differing(then: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> String {
    let keys: BTreeSet<&String> =
        then.keys().chain(now.keys()).filter(|k| then.get(*k) != now.get(*k)).collect();
    let [most, letters] = SHOWN;
    let cut = |text: &str, from: usize| {
        let mut short: String = text.chars().skip(from).take(letters).collect();
        if from > 0 {
            short.insert(0, '…');
        }
        if text.chars().count() > from + letters {
            short.push('…');
        }
        short
    };
    let told = keys.iter().take(most).map(|key| {
        let [a, b] = [then, now].map(|of| of.get(*key).map_or("not stated", String::as_str));
        // Long values from a little before where they part.
        let alike = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        let from = if alike + 10 > letters { alike - 10 } else { 0 };
        format!("`{key}`: {} then, {} now", cut(a, from), cut(b, from))
    });
    let told: Vec<String> = told.collect();
    let more = keys.len().saturating_sub(most);
    told.join("; ") + &if more > 0 { format!("; and {more} keys more") } else { String::new() }
}

#[derive(Serialize)]
struct Outgoing<'a> {
    identity: &'a Identity,
    state: &'a Snapshot,
    hash: u64,
    recorder: Option<&'a Recorder>,
    measured: &'a Measured,
    times: &'a StepTimes,
    watches: &'a Watches,
}

#[derive(Deserialize)]
struct Incoming {
    identity: Identity,
    state: Snapshot,
    hash: u64,
    recorder: Option<Recorder>,
    measured: Measured,
    times: StepTimes,
    watches: Watches,
}

/// How often.
#[derive(Clone, Copy, Debug, Default)]
pub struct Every {
    /// Steps between two checkpoints.
    pub steps: Option<u64>,
    /// Wall time between two checkpoints.
    pub time: Option<Duration>,
}

/// What writing has taken since the run began.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    all: Duration,
    /// The last time: when it began, and what it took.
    last: [Duration; 2],
    /// How much longer it takes for each second that the run goes on: a recording grows.
    grows: f64,
}

impl Spent {
    fn add(&mut self, began: Duration, took: Duration) {
        let [before, then] = self.last;
        let longer = took.saturating_sub(then).as_secs_f64();
        // One alone does not tell how they grow.
        self.grows = if then.is_zero() { 0.0 } else { longer / (began - before).as_secs_f64().max(1e-3) };
        (self.all, self.last) = (self.all + took, [began, took]);
    }

    /// Whether the next may be written now: the time between two has passed, and with it all of them take their share at most.
    fn allows(&self, now: Duration, between: Duration) -> bool {
        let [began, took] = self.last;
        let next = took + now.saturating_sub(began).mul_f64(self.grows);
        now >= began + took + between && (self.all + next) * SHARE <= now
    }
}

/// Writes checkpoints of one run.
pub struct Keeper {
    file: PathBuf,
    identity: Identity,
    every: Every,
    last_step: u64,
    begun: Instant,
    spent: Spent,
    failing: bool,
    /// The file in place is this run's.
    ours: bool,
}

/// The checkpoint of the run whose folder is `out`.
pub fn file_in(out: &Path) -> PathBuf {
    out.join(FILE)
}

impl Keeper {
    /// Of a run that stands where `session` stands.
    /// `resumed`: the checkpoint in place is this run's own.
    pub fn new(out: &Path, identity: Identity, every: Every, session: &Session, resumed: bool) -> Self {
        Self {
            file: file_in(out),
            identity,
            every,
            last_step: session.sim.steps(),
            begun: Instant::now(),
            spent: Spent::default(),
            failing: false,
            ours: resumed,
        }
    }

    /// Writes one if it is time to.
    pub fn after_step(&mut self, session: &Session) {
        let by_steps = self.every.steps.is_some_and(|n| session.sim.steps() >= self.last_step + n);
        let by_time = self.every.time.is_some_and(|t| self.spent.allows(self.begun.elapsed(), t));
        if by_steps || by_time {
            self.save(session);
        }
    }

    /// Writes one now; `true` when it is on disk. A failure is told once, until one succeeds again.
    pub fn save(&mut self, session: &Session) -> bool {
        let began = self.begun.elapsed();
        let done = self.write(session);
        self.spent.add(began, self.begun.elapsed() - began);
        self.last_step = session.sim.steps();
        if let Err(e) = &done
            && !self.failing
        {
            complain!(
                "warning: checkpoint {} could not be written at step {}: {e}; {}",
                self.file.display(),
                session.sim.steps(),
                if self.ours {
                    "an older one of this run is still whole"
                } else {
                    "there is none of this run yet"
                }
            );
        }
        self.failing = done.is_err();
        self.ours |= done.is_ok();
        done.is_ok()
    }

    fn write(&self, session: &Session) -> Result<(), String> {
        let state = session.sim.snapshot();
        let outgoing = Outgoing {
            identity: &self.identity,
            hash: state.hash(),
            state: &state,
            recorder: session.recorder.as_ref(),
            measured: session.monitor.measured(),
            times: &session.times,
            watches: &session.watches,
        };
        let payload = postcard::to_stdvec(&outgoing).map_err(|e| e.to_string())?;
        let part = self.part();
        let written = fs::File::create(&part).and_then(|mut f| {
            f.write_all(MAGIC)?;
            f.write_all(&checksum(&payload).to_le_bytes())?;
            f.write_all(&payload)?;
            f.sync_all()
        });
        let kept = |()| match self.ours {
            false if self.file.exists() => second_name(&self.file, &self.file.with_extension("bin.old")),
            _ => Ok(()),
        };
        let done = written.and_then(kept).and_then(|()| fs::rename(&part, &self.file));
        // A power cut must not undo the renaming; where folders cannot be flushed the system does it in its own time.
        if let (Ok(()), Some(dir)) = (&done, self.file.parent()) {
            let _ = fs::File::open(dir).and_then(|d| d.sync_all());
        }
        if done.is_err() {
            // Best effort: the error worth telling is the first one.
            let _ = fs::remove_file(&part);
        }
        done.map_err(|e| e.to_string())
    }

    /// What a write that was cut off leaves behind.
    fn part(&self) -> PathBuf {
        self.file.with_extension("bin.part")
    }

    /// The run is over and its report written: nothing is left to go on with.
    pub fn remove(&self) {
        if self.ours {
            let _ = fs::remove_file(&self.file);
        }
        let _ = fs::remove_file(self.part());
    }

    /// Whether one of this run is in place.
    pub fn has_one(&self) -> bool {
        self.ours
    }

    /// Where it is.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

/// Takes `session`, which has not made a step, to where the checkpoint in `out` stands; `false` without one. One that is beyond the
/// `steps` of the run asked for is refused.
pub fn resume(out: &Path, identity: &Identity, steps: u64, session: &mut Session) -> Result<bool, String> {
    let file = file_in(out);
    let name = file.display();
    let bytes = match fs::read(&file) {
        Ok(b) => b,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(format!("{name}: {e}")),
    };
    let damaged = |what: &str| format!("{name}: {what}; delete it, or run without --resume");
    let other = || match bytes.starts_with(b"impinge checkpoint ") {
        true => damaged("another version of this program wrote it, and this one cannot read it"),
        false => damaged("it is no checkpoint"),
    };
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(other)?;
    let (sum, payload) = rest.split_first_chunk::<8>().ok_or_else(|| damaged("it is cut off"))?;
    if checksum(payload) != u64::from_le_bytes(*sum) {
        return Err(damaged("it is damaged: its content is not what was written"));
    }
    let saved: Incoming = postcard::from_bytes(payload).map_err(|e| damaged(&e.to_string()))?;
    if let Some(what) = saved.identity.differs_from(identity) {
        return Err(damaged(&format!("it belongs to another run ({what})")));
    }
    session.sim.restore(&saved.state).map_err(|e| damaged(&e))?;
    if session.sim.hash() != saved.hash {
        return Err(damaged("the state read from it has another hash than the one written"));
    }
    session.monitor.resume(saved.measured).map_err(|e| damaged(&e))?;
    if session.sim.steps() > steps {
        let made = session.sim.steps();
        return Err(format!(
            "{name}: it stands at step {made}, the run asked for has {steps}; give a --duration of {} s or more, or another --out",
            made as f64 * session.sim.dt()
        ));
    }
    if session.recorder.is_none() && saved.recorder.is_some() {
        return Err(format!(
            "{name}: it holds the curves of the report, which --no-report would throw away; go on without --no-report"
        ));
    }
    if session.recorder.is_some() {
        let recorder = saved.recorder.ok_or_else(|| {
            damaged("it was written with --no-report and holds no curves; go on with --no-report")
        })?;
        recorder.check(&session.sim).map_err(|e| damaged(&e))?;
        session.recorder = Some(recorder);
    }
    session.times = saved.times;
    session.watches = saved.watches;
    Ok(true)
}

/// Gives a file a second name; where the file system has no links, another name.
fn second_name(file: &Path, other: &Path) -> std::io::Result<()> {
    let _ = fs::remove_file(other);
    fs::hard_link(file, other).or_else(|_| fs::rename(file, other))
}

/// FNV-1a over 8 bytes at a time.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 29;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::{SHARE, Spent, checksum};
    use std::time::Duration;

    #[test]
    fn writing_takes_its_share_also_while_the_file_grows() {
        // What a file takes that is written that long after the start, and how many there are in the first 1000 s.
        let grows = |now: Duration| now.mul_f64(0.03);
        let same = |_| Duration::from_secs(2);
        let costs: [(&dyn Fn(Duration) -> Duration, usize); 2] = [(&grows, 2), (&same, 10)];
        for (cost, least) in costs {
            let (mut spent, mut written) = (Spent::default(), 0);
            let second = Duration::from_secs(1);
            let mut now = Duration::ZERO;
            while now < second * 1000 {
                now += second;
                if spent.allows(now, second) {
                    let took = cost(now);
                    spent.add(now, took);
                    now += took;
                    written += 1;
                    assert!(written == 1 || spent.all * SHARE <= now, "{spent:?} at {now:?}");
                }
            }
            assert!(written >= least, "{written}");
        }
    }

    #[test]
    fn any_changed_bit_changes_the_checksum() {
        let bytes: Vec<u8> = (0..61u8).collect();
        let sum = checksum(&bytes);
        for i in 0..bytes.len() * 8 {
            let mut other = bytes.clone();
            other[i / 8] ^= 1 << (i % 8);
            assert_ne!(sum, checksum(&other), "bit {i}");
        }
        assert_ne!(sum, checksum(&bytes[..60]));
    }
}
