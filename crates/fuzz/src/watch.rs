//! A thread that knows which case each worker is at, and ends the program with its name when it takes too long.

use crate::case::Target;
use crate::memory;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What a worker is at.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// Of which target.
    pub target: &'static Target,
    /// The seed.
    pub seed: u64,
    /// Number of the case.
    pub index: u64,
    /// Since when.
    pub since: Instant,
}

impl At {
    /// The command that repeats this case alone.
    pub fn command(&self) -> String {
        format!("cargo xtask fuzz {} --seed {} --case {}", self.target.name, self.seed, self.index)
    }
}

static WORKERS: Mutex<Vec<Option<At>>> = Mutex::new(Vec::new());

/// Announces what worker `slot` is at; `None` when it is done.
pub fn announce(slot: usize, at: Option<At>) {
    let mut all = WORKERS.lock().unwrap_or_else(|e| e.into_inner());
    if all.len() <= slot {
        all.resize(slot + 1, None);
    }
    all[slot] = at;
}

/// Starts the watch. It ends the program with status 3 where a case hangs or asks for absurd memory, and says which. `allowed` are seconds in the
/// place of the target's own.
pub fn start(allowed: Option<u64>) {
    memory::watched();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let now: Vec<At> =
                WORKERS.lock().unwrap_or_else(|e| e.into_inner()).iter().flatten().copied().collect();
            if let Some(bytes) = memory::stopped() {
                eprintln!("a request for {bytes} bytes was stopped; it came from one of these cases:");
                now.iter().for_each(|at| eprintln!("    {}", at.command()));
                std::process::exit(3);
            }
            for at in now {
                let taken = at.since.elapsed();
                let allowed = allowed.unwrap_or(at.target.seconds);
                if taken > Duration::from_secs(allowed) {
                    eprintln!(
                        "{}: a case has taken {:.1} s and goes on, {} s are allowed; repeat it with\n    {}",
                        at.target.name,
                        taken.as_secs_f64(),
                        allowed,
                        at.command()
                    );
                    std::process::exit(3);
                }
            }
        }
    });
}
