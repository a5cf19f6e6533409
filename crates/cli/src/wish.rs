//! Steps that take long are given up when somebody asks for an end, or the time is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often it is looked whether somebody asked.
const EVERY: Duration = Duration::from_millis(20);

/// Becomes true when the run is to end; as long as it is there.
pub(crate) struct Wish {
    /// For [`impinge_world::Simulation::give_up_when`].
    pub flag: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
}

impl Wish {
    /// Follows `asked`, and the time after which there is no more.
    pub(crate) fn new(asked: &Arc<AtomicBool>, until: Option<Instant>) -> Self {
        let wish = Self { flag: Arc::default(), over: Arc::default() };
        let (asked, flag, over) = (asked.clone(), wish.flag.clone(), wish.over.clone());
        std::thread::spawn(move || {
            while !over.load(Ordering::SeqCst) {
                let now = Instant::now();
                if asked.load(Ordering::SeqCst) || until.is_some_and(|until| now >= until) {
                    flag.store(true, Ordering::SeqCst);
                    return;
                }
                let left = until.map_or(EVERY, |until| until - now);
                std::thread::sleep(left.min(EVERY));
            }
        });
        wish
    }
}

impl Drop for Wish {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
    }
}
