//! Counts what a thread holds while it works on a case, and stops a request that no case may make.
//!
//! The memory that a library takes on threads of its own is not counted for the case, only held against [`LARGEST`].

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// The largest single request (bytes): above what any case may hold, below what makes a machine swap.
pub const LARGEST: usize = 2 << 30;

/// Bytes of the request that was stopped; 0 as long as there was none.
static STOPPED: AtomicUsize = AtomicUsize::new(0);

/// Whether somebody looks at [`stopped`] and knows what each thread is at.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// From here on a stopped thread waits for the watchdog instead of ending the program.
pub fn watched() {
    WATCHED.store(true, Ordering::SeqCst);
}

thread_local! {
    /// Bytes held since the last reset, and the most.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: isize) {
    // A thread that ends frees after its own variables are gone.
    let _ = HELD.try_with(|h| {
        let (held, most) = h.get();
        h.set((held + bytes, most.max(held + bytes)));
    });
}

/// The system's allocator, counted.
#[derive(Debug)]
pub struct Counted;

impl Counted {
    fn admit(size: usize) {
        if size > LARGEST {
            STOPPED.store(size, Ordering::SeqCst);
            if !WATCHED.load(Ordering::SeqCst) {
                eprintln!("a request for {size} bytes, and {LARGEST} are allowed: the program ends here");
                std::process::abort();
            }
            // An allocator may not unwind, and aborting would not say which case it was: the watchdog ends the program.
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
        count(size as isize);
    }
}

// SAFETY: every call goes to the system's allocator with the layout as given; counting neither allocates nor unwinds.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::admit(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::admit(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::admit(size);
        count(-(layout.size() as isize));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(p, layout, size) }
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(p, layout) }
    }
}

/// Starts counting on this thread.
pub fn reset() {
    HELD.set((0, 0));
}

/// Most bytes this thread has held at one time since [`reset`].
pub fn peak() -> usize {
    HELD.get().1.max(0) as usize
}

/// Bytes of a request above [`LARGEST`], whose thread now waits.
pub fn stopped() -> Option<usize> {
    Some(STOPPED.load(Ordering::SeqCst)).filter(|&n| n > 0)
}
