//! What several commands take: responses by name, times, threads.

use impinge_scene::{Response, did_you_mean};

/// More threads than this only cost time to start.
const MAX_THREADS: usize = 512;

/// The response of this name.
pub fn response_named(name: &str) -> Result<Response, String> {
    Response::ALL.iter().copied().find(|r| r.name() == name).ok_or_else(|| {
        let names: Vec<&str> = Response::ALL.iter().map(|r| r.name()).collect();
        format!("unknown response '{name}'; {}", did_you_mean(name, &names, "this version has"))
    })
}

/// The responses of these names; `otherwise` when there are none.
pub fn responses(names: &[String], otherwise: &[Response]) -> Result<Vec<Response>, String> {
    match names {
        [] => Ok(otherwise.to_vec()),
        names => names.iter().map(|n| response_named(n.trim())).collect(),
    }
}

/// The longest time that an option gives (s): thirty years, as in a scene.
const MAX_SECONDS: f64 = 1e9;

/// A time that an option gives (s).
pub fn seconds(option: &str, value: f64) -> Result<f64, String> {
    match value > 0.0 && value <= MAX_SECONDS {
        true => Ok(value),
        false => Err(format!("{option} {value:?}: give a time above 0 in seconds, {MAX_SECONDS:e} at most")),
    }
}

/// Threads as `--threads` says; as many as the machine has without it.
pub(crate) fn pool(threads: Option<usize>) -> Result<rayon::ThreadPool, String> {
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(n) = threads {
        if !(1..=MAX_THREADS).contains(&n) {
            return Err(format!("--threads {n}: give 1 to {MAX_THREADS}"));
        }
        pool = pool.num_threads(n);
    }
    pool.build().map_err(|e| format!("the threads cannot be started: {e}"))
}
