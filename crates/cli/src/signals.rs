//! Being asked to end: Ctrl-C, `kill`, a job that is cancelled, a terminal that is closed.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Set when somebody asks the process to end: SIGINT (Ctrl-C), SIGTERM (`kill`, schedulers), SIGHUP (the terminal is closed; not under
/// `nohup`). A second Ctrl-C ends the process at once. The others often come twice, from a shell and from the system, and mean no more then.
pub(crate) fn interrupted() -> Arc<AtomicBool> {
    use signal_hook::{consts, flag};
    let stop = Arc::new(AtomicBool::new(false));
    // A handler that is refused leaves what the system does by itself: the process ends.
    let _ = flag::register_conditional_shutdown(consts::SIGINT, 130, stop.clone());
    for signal in [consts::SIGINT, consts::SIGTERM] {
        let _ = flag::register(signal, stop.clone());
    }
    #[cfg(unix)]
    if !is_ignored(consts::SIGHUP) {
        let _ = flag::register(consts::SIGHUP, stop.clone());
    }
    stop
}

/// Whether the process was started with a signal ignored, where the system tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).is_some_and(|m| m >> (signal - 1) & 1 == 1)
}
