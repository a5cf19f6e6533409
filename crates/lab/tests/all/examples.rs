//! What `--help` shows works as it stands, where it is cheap; and nobody needs to read it to the end.

use crate::program::{accepted, command, outlives_its_reader, temp};

/// Commands whose examples take seconds.
const CHEAP: [&str; 3] = ["stages", "scenes-bench", "golden"];

#[test]
fn cheap_examples_run() {
    let place = temp("examples");
    let mut ran = 0;
    for name in CHEAP {
        let help = accepted(&[name, "--help"]);
        let begins = ["  cargo xtask ", "  cargo run -p impinge-lab -- "];
        for call in help.lines().filter_map(|l| begins.iter().find_map(|b| l.strip_prefix(b))) {
            // Every scene.
            if call == "golden --json" {
                continue;
            }
            let mut program = command(&call.split(' ').collect::<Vec<_>>());
            let fixtures = crate::program::root().join("fixtures");
            if name != "stages" {
                program.arg("--fixtures").arg(fixtures);
            }
            let out = program.current_dir(&place).output().unwrap();
            assert!(out.status.success(), "{call}\n{}", crate::program::words(&out));
            ran += 1;
        }
    }
    assert_eq!(ran, 5);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    assert_eq!(outlives_its_reader(&["stages"]), "");
    assert_eq!(outlives_its_reader(&["repro", "--list"]), "");
}
