//! A wish that what is being computed be given up, as a program is asked to end while a step takes minutes.
//!
//! Loops that may take long ask [`asked`] between their passes and leave early where it is so. What they leave then is no result. Whoever began
//! [`within`] throws it away: [`asked`] stays true there once it was, so that nothing is taken that a loop left early. What is taken was computed
//! as without a wish, to the bit.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is computed under a wish, on whatever threads.
#[derive(Debug)]
struct Scope {
    wish: Arc<AtomicBool>,
    /// Somebody in it was told.
    seen: AtomicBool,
}

impl Scope {
    fn asked(&self) -> bool {
        let now = self.seen.load(Ordering::SeqCst) || self.wish.load(Ordering::SeqCst);
        if now {
            self.seen.store(true, Ordering::SeqCst);
        }
        now
    }
}

thread_local! {
    static SCOPE: RefCell<Option<Arc<Scope>>> = const { RefCell::new(None) };
}

/// The scope of a thread, to be taken to others.
#[derive(Clone, Debug)]
pub(crate) struct Here(Option<Arc<Scope>>);

/// The scope this is called in.
#[cfg(feature = "parallel")]
pub(crate) fn here() -> Here {
    Here(SCOPE.with_borrow(Clone::clone))
}

/// What the scope was before.
struct Restored(Option<Arc<Scope>>);

impl Drop for Restored {
    fn drop(&mut self) {
        SCOPE.set(self.0.take());
    }
}

impl Here {
    /// Runs `f` in this scope, or in none where this is none: a thread that waits may be given work of another world.
    pub fn run<T>(&self, f: impl FnOnce() -> T) -> T {
        let _restored = Restored(SCOPE.replace(self.0.clone()));
        f()
    }
}

/// Runs `f`, which is to be given up once `wish` is true.
pub fn within<T>(wish: &Arc<AtomicBool>, f: impl FnOnce() -> T) -> T {
    Here(Some(Arc::new(Scope { wish: wish.clone(), seen: AtomicBool::new(false) }))).run(f)
}

/// Whether what calls this is to be given up. Once true, it stays so to the end of [`within`].
#[must_use]
pub fn asked() -> bool {
    SCOPE.with_borrow(|scope| scope.as_ref().is_some_and(|s| s.asked()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::par;

    #[test]
    fn a_wish_is_seen_within_on_all_threads_and_stays() {
        let check = || {
            let (wish, mut told) = (Arc::new(AtomicBool::new(false)), vec![true; 100]);
            assert!(!asked());
            within(&wish, || {
                par::fill(&mut told, 1, |_, told| *told = asked());
                assert!(!told.contains(&true));
                wish.store(true, Ordering::SeqCst);
                par::fill(&mut told, 1, |_, told| *told = asked());
                assert!(!told.contains(&false));
                // Somebody was told, and has left something half done.
                wish.store(false, Ordering::SeqCst);
                assert!(asked());
            });
            par::fill(&mut told, 1, |_, told| *told = asked());
            assert!(!told.contains(&true));
            within(&wish, || assert!(!asked()));
        };
        check();
        #[cfg(feature = "parallel")]
        rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap().install(check);
    }
}
