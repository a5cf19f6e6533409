//! The program `impinge`; its commands are in the library `impinge_cli`.

mod closed;

use std::process::ExitCode;

fn main() -> ExitCode {
    impinge_cli::main(closed::output())
}
