//! What a run says of its memory is what it takes, report and all.

use crate::program::{impinge, temp, words};

/// MiB behind `start` in a line of what a program said, the last such line.
fn mib(said: &str, starts: &[&str]) -> Option<f64> {
    let of = |l: &str| starts.iter().find_map(|s| l.strip_prefix(s)?.split(' ').next()?.parse().ok());
    said.lines().rev().find_map(of)
}

/// Contacts of rows, contact surfaces that are drawn, and soft bodies with fine skins that fall on something.
#[test]
#[cfg(target_os = "linux")]
fn the_memory_told_last_is_within_a_third_of_the_peak() {
    for more in [
        &["stack", "--response", "cpf"][..],
        &["box-tower-pressure"],
        &["pile-pressure", "--duration", "2"],
        &["octopus-bowl", "--duration", "0.15"],
    ] {
        let out = temp("foretold").to_string_lossy().into_owned();
        let said = words(&impinge(&[&["run", "--out", &out], more].concat()));
        let told = mib(&said, &["memory: about ", "memory: rather "]).expect("an estimate");
        let line = said.lines().find(|l| l.ends_with(" at the peak")).expect("a peak");
        let peak = mib(line, &["memory: "]).expect("a number");
        assert!((1.0 / 1.3..=1.3).contains(&(told / peak)), "{more:?}: told {told}, took {peak} MiB");
    }
}
