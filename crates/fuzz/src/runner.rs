//! Runs cases: one by its number, or as many as the time allows.

use crate::case::{Case, Outcome, Target};
use crate::memory;
use crate::watch::{At, announce};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    /// Text and place of the last panic of this thread.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the text of panics for the report instead of printing it at once.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        PANIC.with(|p| *p.borrow_mut() = info.to_string().replace('\n', " "));
    }));
}

/// Text and place of the last panic of this thread, for [`keep_panics`].
pub fn last_panic() -> String {
    PANIC.with(|p| p.borrow().clone())
}

/// One case.
///
/// # Errors
/// What was wrong: the judgement of the target, a panic with its place, or too much memory.
pub fn one(target: &Target, seed: u64, index: u64, verbose: bool) -> Result<(Outcome, usize), String> {
    let mut case = Case::new(target.name, seed, index, verbose);
    memory::reset();
    let result = catch_unwind(AssertUnwindSafe(|| (target.run)(&mut case)));
    let peak = memory::peak();
    let outcome = result.map_err(|_| format!("panic: {}", last_panic()))??;
    if peak > target.bytes {
        return Err(format!("{peak} bytes held at one time, {} are allowed", target.bytes));
    }
    Ok((outcome, peak))
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// After this time.
    pub time: Option<Duration>,
    /// After this many cases.
    pub count: Option<u64>,
    /// After this many failures.
    pub failures: usize,
}

/// What a run of cases found.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Cases run.
    pub cases: u64,
    /// Of those, answered.
    pub answered: u64,
    /// Most bytes held by one of them.
    pub peak: usize,
    /// Time and number of the slowest.
    pub slowest: (Duration, u64),
    /// Wall time of all.
    pub wall: Duration,
    /// Number and text of each failure, by number.
    pub failures: Vec<(u64, String)>,
}

/// Cases 0, 1, 2 … of a target on `threads` threads; worker k takes every `threads`-th case from number k on.
pub fn many(target: &'static Target, seed: u64, first: u64, until: Until, threads: usize) -> Tally {
    let start = Instant::now();
    let stop = AtomicBool::new(false);
    let work = &|slot: usize| {
        let mut t = Tally::default();
        let mut index = first + slot as u64;
        while !stop.load(Ordering::Relaxed) && until.count.is_none_or(|n| index - first < n) {
            let since = Instant::now();
            if until.time.is_some_and(|limit| since - start >= limit) {
                break;
            }
            announce(slot, Some(At { target, seed, index, since }));
            match one(target, seed, index, false) {
                Ok((outcome, peak)) => {
                    t.answered += u64::from(outcome == Outcome::Answered);
                    t.peak = t.peak.max(peak);
                }
                Err(e) => {
                    t.failures.push((index, e));
                    if t.failures.len() >= until.failures {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
            t.slowest = t.slowest.max((since.elapsed(), index));
            t.cases += 1;
            index += threads as u64;
        }
        announce(slot, None);
        t
    };
    let parts: Vec<Tally> = std::thread::scope(|s| {
        let workers: Vec<_> = (0..threads).map(|slot| s.spawn(move || work(slot))).collect();
        let died = || Tally {
            failures: vec![(first, "a worker died: its cases are lost".to_string())],
            ..Tally::default()
        };
        workers.into_iter().map(|w| w.join().unwrap_or_else(|_| died())).collect()
    });
    let mut all = Tally { wall: start.elapsed(), ..Tally::default() };
    for p in parts {
        all.cases += p.cases;
        all.answered += p.answered;
        all.peak = all.peak.max(p.peak);
        all.slowest = all.slowest.max(p.slowest);
        all.failures.extend(p.failures);
    }
    all.failures.sort_by_key(|f| f.0);
    all
}
