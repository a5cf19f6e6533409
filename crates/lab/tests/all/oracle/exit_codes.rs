//! `cargo xtask oracle` as a program: exit codes, and the whole set of cases where IMPINGE_ORACLES names it.

use super::text;
use crate::program::{lab, temp, words};
use std::path::{Path, PathBuf};
use std::process::Output;

fn oracle(dir: &Path, more: &[&str]) -> Output {
    lab(&[&["oracle", &*dir.to_string_lossy()], more].concat())
}

/// One particle that falls freely for one step of a second: x = 4, v = 0, g = 1.
fn folder(name: &str, x1: f64) -> PathBuf {
    let dir = temp(name);
    let case = format!(
        r#"{{"family": "particle1d", "version": 1, "cases": [{{"id": "fall", "family": "particle1d",
            "input": {{"method": "se", "m": 2, "k": 100, "g": 1, "x0": 4, "v0": 0, "dt": 1,
                       "eps": 0, "omega": 0, "phase": 0, "steps": 1}},
            "expected": {{"x": [4, {x1}], "v": [0, -1], "impulse": [0],
                          "tol_x": 1e-15, "tol_v": 1e-15, "tol_impulse": 1e-15}}}}]}}"#
    );
    std::fs::write(dir.join("particle1d.json"), case).unwrap();
    dir
}

#[test]
fn exit_codes() {
    let right = oracle(&folder("oracle-right", 3.0), &["--family", "particle1d"]);
    assert_eq!(right.status.code(), Some(0), "{}", text(&right.stderr));
    assert_eq!(text(&right.stdout).lines().last(), Some("1 passed, 0 failed"));

    let wrong = oracle(&folder("oracle-wrong", 3.5), &["--verbose"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert_eq!(text(&wrong.stdout).lines().last(), Some("0 passed, 1 failed"));
    assert!(text(&wrong.stdout).contains("x[1] is 3e0, expected 3.5e0"), "{}", text(&wrong.stdout));

    let typo = oracle(&folder("oracle-typo", 3.0), &["--family", "dpf_mesh,partcle1d"]);
    assert_eq!(typo.status.code(), Some(2));
    assert!(text(&typo.stderr).contains("did you mean `particle1d`?"), "{}", text(&typo.stderr));
}

#[test]
fn every_case_of_the_built_families() {
    let Some(dir) = std::env::var_os("IMPINGE_ORACLES") else {
        eprintln!("skipped: IMPINGE_ORACLES does not name a folder of oracle cases");
        return;
    };
    let all = oracle(Path::new(&dir), &[]);
    assert_eq!(all.status.code(), Some(0), "{}", words(&all));
    let two = oracle(Path::new(&dir), &["--family", "dpf_mesh,particle1d"]);
    assert_eq!(two.status.code(), Some(0), "{}", words(&two));
}
