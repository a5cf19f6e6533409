//! Runs `impinge-lab` and reads what it says.

#[path = "../../../cli/tests/command/started.rs"]
mod started;

pub use started::{accepted, command, outlives_its_reader, output as lab, place, root, temp, words};

const PROGRAM: &str = env!("CARGO_BIN_EXE_impinge-lab");
