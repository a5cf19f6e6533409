//! Where the workspace is and how its programs are started: by cargo, in its root folder.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};

/// What a task gives back: an exit status that is its answer, or the reason why it could not answer.
pub type Outcome = Result<ExitCode, Failure>;

/// Why a task stopped.
#[derive(Debug)]
pub struct Failure {
    /// The reason and the fix.
    pub message: String,
    /// Exit status: 1 for something found wrong, 2 for a call that makes no sense.
    pub status: u8,
}

impl Failure {
    /// Something is wrong with the workspace.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), status: 1 }
    }

    /// Something is wrong with the call.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), status: 2 }
    }
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    // Cargo says where the manifest is now; the path compiled in may be that of a checkout that has moved.
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let path = PathBuf::from(manifest);
    // xtask and xtask/checks are at different depths.
    let top = path.ancestors().skip(1).find(|p| p.join("Cargo.lock").is_file());
    top.map_or_else(|| path.clone(), PathBuf::from)
}

/// The folder cargo builds into.
pub fn target() -> PathBuf {
    // A relative CARGO_TARGET_DIR is relative to where cargo runs, and that is the root.
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// The cargo that started this program, in the root folder.
pub fn cargo() -> Command {
    let mut c = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    c.current_dir(root());
    c
}

/// The `impinge` program with these arguments, built and ready to start; `XTASK_IMPINGE` names one that is.
///
/// # Errors
/// When it does not build.
pub fn impinge<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Result<Command, Failure> {
    let program = match std::env::var_os("XTASK_IMPINGE") {
        Some(path) => root().join(path),
        None => built("impinge-cli", "impinge", false)?,
    };
    Ok(in_root(program, arguments))
}

/// The `impinge-lab` program with these arguments, built and ready to start; the one beside `XTASK_IMPINGE`, where it is there.
/// In `release` for what is timed or takes hours, else in `dev`, as the tests are.
///
/// # Errors
/// When it does not build.
pub fn lab<S: AsRef<OsStr>>(
    arguments: impl IntoIterator<Item = S>,
    release: bool,
) -> Result<Command, Failure> {
    let program = match beside_impinge("impinge-lab") {
        Some(path) => path,
        None => built("impinge-lab", "impinge-lab", release)?,
    };
    Ok(in_root(program, arguments))
}

/// A program in the folder of `XTASK_IMPINGE`: cargo puts all that it builds with one profile into one folder.
pub fn beside_impinge(program: &str) -> Option<PathBuf> {
    let impinge = root().join(std::env::var_os("XTASK_IMPINGE")?);
    Some(impinge.with_file_name(format!("{program}{}", std::env::consts::EXE_SUFFIX))).filter(|p| p.is_file())
}

fn in_root<S: AsRef<OsStr>>(program: PathBuf, arguments: impl IntoIterator<Item = S>) -> Command {
    let mut run = Command::new(program);
    run.current_dir(root()).args(arguments);
    run
}

/// The path of a program after building it.
///
/// # Errors
/// When it does not build.
pub fn built(package: &str, program: &str, release: bool) -> Result<PathBuf, Failure> {
    crate::compile::program(package, program, release)
}

/// Becomes that program: its exit status is ours, and Ctrl-C reaches it alone, so that it can finish its report.
///
/// # Errors
/// When it cannot be started.
#[cfg(unix)]
pub fn become_program(mut command: Command) -> Outcome {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    Err(cannot_start(&command, &error))
}

/// Runs that program and takes over its exit status.
///
/// # Errors
/// When it cannot be started.
#[cfg(not(unix))]
pub fn become_program(mut command: Command) -> Outcome {
    Ok(exit_code(status(&mut command)?))
}

/// Runs a program to its end.
///
/// # Errors
/// When it cannot be started.
pub fn status(command: &mut Command) -> Result<ExitStatus, Failure> {
    command.status().map_err(|e| cannot_start(command, &e))
}

/// Runs a program that must succeed; `what` names the purpose in the message.
///
/// # Errors
/// When it cannot be started or fails.
pub fn succeed(command: &mut Command, what: &str) -> Result<(), Failure> {
    let status = status(command)?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("{what} failed ({status}); its own message is above")))
}

/// What a program prints on its standard output; it must succeed. Its other messages stay visible.
///
/// # Errors
/// When it cannot be started, fails, or prints what is not UTF-8.
pub fn output(command: &mut Command, what: &str) -> Result<String, Failure> {
    command.stderr(std::process::Stdio::inherit());
    let out = command.output().map_err(|e| cannot_start(command, &e))?;
    if !out.status.success() {
        return Err(Failure::new(format!("{what} failed ({}); its own message is above", out.status)));
    }
    String::from_utf8(out.stdout)
        .map_err(|_| Failure::new(format!("{what} printed something that is not UTF-8")))
}

/// The exit status of a program as ours; 1 when a signal ended it.
pub fn exit_code(status: ExitStatus) -> ExitCode {
    ExitCode::from(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1))
}

/// The exit status of `main`, after saying on the standard error what went wrong.
pub fn finish(outcome: Outcome) -> ExitCode {
    outcome.unwrap_or_else(|failure| {
        eprintln!("xtask: {}", failure.message);
        ExitCode::from(failure.status)
    })
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    let program: OsString = command.get_program().into();
    Failure::new(format!("'{}' could not be started: {error}", program.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_where_the_workspace_is() {
        let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[workspace]"));
    }
}
