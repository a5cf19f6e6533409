#![forbid(unsafe_code)]
//! The program `impinge`; its commands are in the library `impinge_cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    impinge_cli::main()
}
