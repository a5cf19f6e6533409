//! Runs `impinge` and reads what it says.

#[path = "started.rs"]
mod started;

pub use started::{accepted, command, outlives_its_reader, output as impinge, place, root, temp, words};
use std::path::Path;

const PROGRAM: &str = env!("CARGO_BIN_EXE_impinge");

/// A file with this text, and its path as an argument.
pub fn file(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    std::fs::write(&path, text).expect("the folder is ours");
    path.to_string_lossy().into_owned()
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
