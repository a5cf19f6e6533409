//! Starts a program of the project from the root of the repository and reads what it says. The tests of `impinge` and of `impinge-lab` have this
//! file, and each names its PROGRAM.

use super::PROGRAM;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A place for files of the tests.
pub fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// An empty folder there.
pub fn temp(name: &str) -> PathBuf {
    let dir = place(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a folder for the test");
    dir
}

/// The program, not started yet.
pub fn command(args: &[&str]) -> Command {
    let mut c = Command::new(PROGRAM);
    c.args(args).current_dir(root()).stdin(Stdio::null());
    c
}

/// Both its streams.
pub fn words(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

/// Runs it; it may fail but not panic.
pub fn output(args: &[&str]) -> Output {
    let out = command(args).output().expect("the program starts");
    let text = words(&out);
    assert!(!text.contains("panicked"), "{args:?}:\n{text}");
    out
}

/// Runs it and gives what it says; it must succeed.
pub fn accepted(args: &[&str]) -> String {
    let out = output(args);
    assert!(out.status.success(), "{args:?} failed:\n{}", words(&out));
    words(&out)
}

/// Closes its standard output before anything is read: it must end well. What it says on the other stream.
pub fn outlives_its_reader(args: &[&str]) -> String {
    let mut child = command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let out = child.wait_with_output().expect("it ends");
    assert!(out.status.success(), "{args:?}: {}", words(&out));
    words(&out)
}
