//! Runs `impinge` from the root of the repository and reads what it says.

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

/// A file with this text, and its path as an argument.
pub fn file(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    std::fs::write(&path, text).expect("the folder is ours");
    path.to_string_lossy().into_owned()
}

/// The program, not started yet.
pub fn command(args: &[&str]) -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_impinge"));
    c.args(args).current_dir(root()).stdin(Stdio::null());
    c
}

/// Both its streams.
pub fn words(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

/// Runs it; it may fail but not panic.
pub fn impinge(args: &[&str]) -> Output {
    let out = command(args).output().expect("the program starts");
    let text = words(&out);
    assert!(!text.contains("panicked"), "{args:?}:\n{text}");
    out
}

/// Runs it and gives what it says; it must succeed.
pub fn accepted(args: &[&str]) -> String {
    let out = impinge(args);
    assert!(out.status.success(), "{args:?} failed:\n{}", words(&out));
    words(&out)
}

/// Runs it and gives what it says; it must fail.
pub fn refused(args: &[&str]) -> String {
    let out = impinge(args);
    assert!(!out.status.success(), "{args:?} was accepted:\n{}", words(&out));
    words(&out)
}

/// The document that it prints, alone, on standard output; it must succeed.
pub fn document(args: &[&str]) -> serde_json::Value {
    let out = impinge(args);
    assert!(out.status.success(), "{args:?} failed:\n{}", words(&out));
    serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}:\n{}", words(&out)))
}
