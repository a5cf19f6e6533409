//! What a run says of its memory is what it takes, report and all.

use crate::program::{file, impinge, temp, words};

/// MiB behind `start` in a line of what a program said, the last such line.
fn mib(said: &str, starts: &[&str]) -> Option<f64> {
    let of = |l: &str| starts.iter().find_map(|s| l.strip_prefix(s)?.split(' ').next()?.parse().ok());
    said.lines().rev().find_map(of)
}

/// Long and light: the curves are most of it, or the marks of a frame at every step.
const LIGHT: &str = "[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 0.3\n[[material]]\nname = \"m\"\ndensity = 1000\n[[pair]]\n\
    materials = [\"*\", \"*\"]\nstiffness = 1e4\nmu_s = 0.5\ndamping = { kelvin_voigt = 20.0 }\n[[body]]\nname = \"floor\"\n\
    kind = \"fixed\"\nmaterial = \"m\"\nplane = {}\n[[body]]\nname = \"a\"\nmaterial = \"m\"\n\
    mesh = { box = { size = [0.1, 0.1, 0.1], segments = 2 } }\nposition = [0, 0, 0.06]\n";

#[test]
#[cfg(target_os = "linux")]
fn of_a_long_run_the_memory_told_first_and_last_is_within_a_third_of_the_peak() {
    let dir = temp("foretold-light");
    let light = file(&dir, "light.toml", LIGHT);
    let out = dir.join("out").to_string_lossy().into_owned();
    for more in [
        &[&light, "--duration", "60"][..],
        &[&light, "--duration", "30", "--response", "qp"],
        &["stack", "--duration", "20"],
        // Boxes that touch nothing after one step.
        &["stack", "--response", "volume"],
    ] {
        let said = words(&impinge(&[&["run", "--out", &out], more].concat()));
        let peak = mib(said.lines().find(|l| l.ends_with(" at the peak")).expect("a peak"), &["memory: "]);
        let peak = peak.expect("a number");
        let first = said.lines().find_map(|l| mib(l, &["memory: about "])).expect("an estimate");
        let last = mib(&said, &["memory: about ", "memory: rather "]).expect("an estimate");
        for told in [first, last] {
            assert!((1.0 / 1.3..=1.3).contains(&(told / peak)), "{more:?}: told {told}, took {peak} MiB");
        }
    }
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
