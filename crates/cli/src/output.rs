//! What is printed, and where: to a reader that may have gone (`impinge run … | head`), to nobody (`--quiet`), to a program (`--json`).

pub use crate::failure::Failure;

use crate::failure::Document;
use clap::error::{ContextKind, ContextValue};
use impinge_scene::did_you_mean;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Exit code of a command that could not do what it was asked for.
pub const NOT_DONE: u8 = 2;

/// What a command comes to: its exit code, or why it could not do what it was asked for.
pub type Done = Result<ExitCode, Failure>;

/// Exit code of a command that is done, where all is as it should be, or not.
pub fn judged(good: bool) -> ExitCode {
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints an error the way every command does and gives the exit code. With `--json` a document says it too.
pub fn fail(failure: impl Into<Failure>) -> ExitCode {
    let failure = failure.into();
    complaint(format_args!("error: {failure}"));
    Json { json: JSON.load(Ordering::Relaxed) }.print(&Document { error: &failure });
    ExitCode::from(NOT_DONE)
}

/// Lines for people are held back, and shown only when the command does not succeed.
static QUIET: AtomicBool = AtomicBool::new(false);
/// Standard output belongs to one JSON document; lines for people go to standard error.
static JSON: AtomicBool = AtomicBool::new(false);
/// There was no standard output when the process began; the system's library has opened a device in its place that takes everything.
static CLOSED: AtomicBool = AtomicBool::new(false);
/// Something for standard output could not be written.
static LOST: AtomicBool = AtomicBool::new(false);
/// What `--quiet` holds back.
static HELD: Mutex<String> = Mutex::new(String::new());

/// `--json` of a command that prints a table or a list.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct Json {
    /// Print one JSON document, and nothing else, on standard output; lines for people go to standard error. Where the command cannot be done
    /// it is {"error": {"message", "problems", "code"}}: the problems are those of a scene, each with file, line, column, what and fix.
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
            Ok(text) => print(format_args!("{text}")),
            Err(e) => lost(&e.into()),
        }
    }
}

/// `eprintln!` that goes on when nobody reads.
#[macro_export]
macro_rules! complain {
    ($($text:tt)*) => {
        $crate::output::complaint(format_args!($($text)*))
    };
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
        complaint(text);
    } else {
        print(text);
    }
}

/// Prints a line that is what the command is for: `--quiet` does not hold it back.
pub(crate) fn result(text: Arguments<'_>) {
    if JSON.load(Ordering::Relaxed) { line(text) } else { print(text) }
}

/// A closed pipe is no error: who reads has seen enough. Any other failure is told once, on the other stream, and makes the command fail.
fn print(text: Arguments<'_>) {
    match writeln!(std::io::stdout().lock(), "{text}") {
        _ if CLOSED.load(Ordering::Relaxed) => lost(&no_output()),
        Err(e) if e.kind() != ErrorKind::BrokenPipe => lost(&e),
        _ => {}
    }
}

/// To be told before anything is printed: there is no standard output.
pub(crate) fn is_closed() {
    CLOSED.store(true, Ordering::Relaxed);
}

fn no_output() -> std::io::Error {
    std::io::Error::other("standard output is closed")
}

fn lost(e: &std::io::Error) {
    if !LOST.swap(true, Ordering::Relaxed) {
        complain!("error: the output cannot be printed: {e}");
    }
}

/// Prints an error or a warning.
pub fn complaint(text: Arguments<'_>) {
    // If that fails, there is nobody left to tell.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Prints help, a version or what is wrong with the arguments of `program`, and gives the exit code of that.
pub fn usage(e: &clap::Error, program: &clap::Command) -> ExitCode {
    // The arguments are not read: whether a document is wanted is seen from the word.
    JSON.store(std::env::args_os().any(|a| a == "--json"), Ordering::Relaxed);
    if let Some(ContextValue::String(given)) = e.get(ContextKind::InvalidSubcommand) {
        let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
        let name = program.get_name();
        return fail(format!(
            "there is no command `{name} {given}`; {}",
            did_you_mean(given, &names, "commands")
        ));
    }
    match e.print() {
        Ok(()) if !e.use_stderr() && CLOSED.load(Ordering::Relaxed) => lost(&no_output()),
        Err(trouble) if trouble.kind() != ErrorKind::BrokenPipe => lost(&trouble),
        _ => {}
    }
    if e.use_stderr() {
        let message = e.render().to_string();
        let message = message.strip_prefix("error: ").unwrap_or(&message).trim_end();
        Json { json: JSON.load(Ordering::Relaxed) }.print(&Document { error: &message.into() });
    }
    status(if e.use_stderr() { ExitCode::from(NOT_DONE) } else { ExitCode::SUCCESS })
}

/// No success when what was printed is lost.
fn status(code: ExitCode) -> ExitCode {
    let lost = code == ExitCode::SUCCESS && LOST.load(Ordering::Relaxed);
    if lost { ExitCode::from(NOT_DONE) } else { code }
}

/// Runs a command; if `quiet`, its lines for people are held back, and shown only when it does not succeed: the reasons are among them.
pub fn quietly(quiet: bool, command: impl FnOnce() -> ExitCode) -> ExitCode {
    QUIET.store(quiet, Ordering::Relaxed);
    let code = command();
    if code != ExitCode::SUCCESS {
        let held = std::mem::take(&mut *HELD.lock().unwrap_or_else(PoisonError::into_inner));
        let _ = std::io::stderr().lock().write_all(held.as_bytes());
    }
    status(code)
}

/// Whether progress is to be hidden.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Progress over so many steps, drawn as the template says.
pub fn bar(steps: u64, template: &str) -> ProgressBar {
    let bar = if is_quiet() { ProgressBar::hidden() } else { ProgressBar::new(steps) };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
