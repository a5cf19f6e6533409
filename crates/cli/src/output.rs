//! Printing to a reader that may have gone: `impinge run … | head`.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// `println!` that goes on when nobody reads: a run still writes its report and gives its own exit status.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::output::line(format_args!($($text)*))
    };
}

/// Prints a line; a closed pipe is no error, another failure is told on the other stream.
pub fn line(text: Arguments<'_>) {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            // If that fails, too, there is nobody left to tell.
            let _ = writeln!(std::io::stderr().lock(), "error: the output cannot be printed: {e}");
        }
        _ => {}
    }
}

/// Text that means nothing to a browser, in elements and in attributes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
