//! What is printed, and where: to a reader that may have gone (`impinge run … | head`), to nobody (`--quiet`), to a program (`--json`).

use serde::Serialize;
use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Lines for people are held back, and shown only when the command does not succeed.
static QUIET: AtomicBool = AtomicBool::new(false);
/// Standard output belongs to one JSON document; lines for people go to standard error.
static JSON: AtomicBool = AtomicBool::new(false);
/// What `--quiet` holds back.
static HELD: Mutex<String> = Mutex::new(String::new());

/// `--json` of a command that prints a table or a list.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct Json {
    /// Print one JSON document, and nothing else, on standard output; lines for people go to standard error.
    #[arg(long)]
    pub json: bool,
}

impl Json {
    /// From here on lines for people go where this says.
    pub fn begin(self) {
        JSON.store(self.json, Ordering::Relaxed);
    }

    /// Prints the document, if it was asked for. Numbers that are not finite become `null`.
    pub fn print(self, document: &impl Serialize) {
        if !self.json {
            return;
        }
        match serde_json::to_string_pretty(document) {
            Ok(text) => write(&mut std::io::stdout().lock(), format_args!("{text}")),
            Err(e) => eprintln!("error: the JSON document cannot be made: {e}"),
        }
    }
}

/// `println!` that goes on when nobody reads: a run still writes its report and gives its own exit status.
#[macro_export]
macro_rules! say {
    ($($text:tt)*) => {
        $crate::output::line(format_args!($($text)*))
    };
}

/// Prints a line for people.
pub fn line(text: Arguments<'_>) {
    if QUIET.load(Ordering::Relaxed) {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        held.push_str(&format!("{text}\n"));
    } else if JSON.load(Ordering::Relaxed) {
        write(&mut std::io::stderr().lock(), text);
    } else {
        write(&mut std::io::stdout().lock(), text);
    }
}

/// A closed pipe is no error, another failure is told on the other stream.
fn write(out: &mut impl Write, text: Arguments<'_>) {
    match writeln!(out, "{text}") {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            // If that fails, too, there is nobody left to tell.
            let _ = writeln!(std::io::stderr().lock(), "error: the output cannot be printed: {e}");
        }
        _ => {}
    }
}

/// Runs a command; if `quiet`, its lines for people are held back, and shown only when it does not succeed: the reasons are among them.
pub fn quietly(quiet: bool, command: impl FnOnce() -> ExitCode) -> ExitCode {
    QUIET.store(quiet, Ordering::Relaxed);
    let code = command();
    if code != ExitCode::SUCCESS {
        let held = std::mem::take(&mut *HELD.lock().unwrap_or_else(PoisonError::into_inner));
        let _ = std::io::stderr().lock().write_all(held.as_bytes());
    }
    code
}

/// Whether progress is to be hidden.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}
