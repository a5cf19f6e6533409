//! A word about work that lasts before the first step.

use crate::output;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What ends before needs no words.
const FIRST: Duration = Duration::from_secs(2);

/// Does `work`. While it lasts, says on the standard error what is done, after 2 s, 4 s, 8 s and so on.
pub(crate) fn patiently<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if output::is_quiet() {
        return work();
    }
    let (working, end) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let (start, mut wait) = (Instant::now(), FIRST);
            while end.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                complain!("{what}: {:.0} s so far", start.elapsed().as_secs_f64());
                wait = start.elapsed();
            }
        });
        let done = work();
        // The other end sees this, or a panic, as the end.
        drop(working);
        done
    })
}
