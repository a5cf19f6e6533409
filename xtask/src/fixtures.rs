//! `fixtures`: the scenes in fixtures/scenes, and whether they do what they expect of themselves.

use crate::forward::to_impinge;
use crate::workspace::{Failure, Outcome};
use std::ffi::OsString;

/// Shown by `--help`.
pub const HELP: &str = "\
The scenes in fixtures/scenes.

    cargo xtask fixtures list              the scenes and what each one shows
    cargo xtask fixtures check             run them all, compare with their `expect` tables
    cargo xtask fixtures check stack rings run these two

check exits 1 when an expectation is not met, or when one that is written down as failing is met: then the
scene file should say so. More arguments of `check` are explained by cargo run -p impinge-cli -- check --help.
";

/// Lists or checks.
///
/// # Errors
/// When neither is asked for.
pub fn run(arguments: &[OsString]) -> Outcome {
    match arguments.split_first() {
        Some((what, rest)) if what == "list" => to_impinge("list", rest),
        Some((what, rest)) if what == "check" => to_impinge("check", rest),
        Some((what, _)) => {
            Err(Failure::usage(format!("fixtures can 'list' and 'check', not '{}'", what.to_string_lossy())))
        }
        None => Err(Failure::usage("say what to do with the fixtures: list or check")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_list_and_check_are_understood() {
        assert!(run(&[]).unwrap_err().message.contains("list or check"));
        let e = run(&["chekc".into()]).unwrap_err();
        assert_eq!(e.status, 2);
        assert!(e.message.contains("'chekc'"), "{}", e.message);
    }
}
