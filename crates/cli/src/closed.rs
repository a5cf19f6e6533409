//! Whether the program was started without a standard output (`>&-`). Before `main` the standard library opens a device in its place that takes
//! everything, so that nothing says later that what was printed is lost: it is looked at before that.

/// Whether there was none.
pub fn output() -> bool {
    #[cfg(target_os = "linux")]
    return start::CLOSED.load(std::sync::atomic::Ordering::Relaxed);
    #[cfg(not(target_os = "linux"))]
    false
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod start {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub static CLOSED: AtomicBool = AtomicBool::new(false);

    // SAFETY: these are the functions of the system's C library, with their own types; they take any number.
    unsafe extern "C" {
        safe fn dup(file: i32) -> i32;
        safe fn close(file: i32) -> i32;
    }

    // SAFETY: the section holds functions that the system calls before `main`; their arguments may be left aside. This one needs nothing of
    // the standard library that `main` sets up, and cannot panic.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        let copy = dup(1);
        if copy < 0 {
            CLOSED.store(true, Ordering::Relaxed);
        } else {
            close(copy);
        }
    }
}
