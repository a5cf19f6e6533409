//! `impinge compare`: the page is there with all runs, sweeps vary what they name, and what cannot run says why.

use crate::program::{impinge, temp, words};
use std::path::PathBuf;
use std::process::Output;

fn compare(args: &[&str], name: &str) -> (Output, String, PathBuf) {
    let dir = temp(name);
    let out = impinge(&[&["compare"], args, &["--out", &dir.to_string_lossy()]].concat());
    let text = words(&out);
    (out, text, dir)
}

#[test]
fn a_sweep_of_friction_under_several_responses() {
    let args = ["incline", "--responses", "penalty,cpf", "--grid", "mu=0.4,0.6", "--duration", "0.5"];
    let (output, text, dir) = compare(&args, "compare-sweep");
    assert!(output.status.success(), "{text}");
    assert!(dir.join("compare.html").is_file());
    let csv = std::fs::read_to_string(dir.join("csv/friction-ratio.csv")).unwrap();
    // The slope is tan 0.5: below that friction slides at μ, above it the box sticks with what it needs.
    for (mu, ratio) in [("0.4", 0.4), ("0.6", 0.5)] {
        for response in ["penalty", "cpf"] {
            let run = format!("\"{response}, mu = {mu}\"");
            let last =
                csv.lines().rfind(|l| l.starts_with(&run)).unwrap_or_else(|| panic!("no {run}:\n{text}"));
            let value: f64 = last.rsplit(',').next().unwrap().parse().unwrap();
            assert!((value - ratio).abs() < 1e-3, "{run}: {value}");
        }
    }
}

#[test]
fn what_cannot_run_is_on_the_page_and_what_is_misspelt_is_refused() {
    // Cloth has no inside: penalty can test its vertices, and other responses more or less.
    let (output, text, dir) = compare(&["cloth-hang", "--duration", "0.01"], "compare-refused");
    assert!(output.status.success(), "{text}");
    let html = std::fs::read_to_string(dir.join("compare.html")).unwrap();
    for line in text.lines().filter(|l| l.contains(": not run: ")) {
        let (label, _) = line.split_once(": not run: ").unwrap();
        assert!(html.contains(&format!("<b>{label}</b> did not run")), "{line}");
    }
    for (args, why) in [
        (&["incline", "--responses", "penaltie"][..], "penalty"),
        (&["incline", "--sweep", "mu"][..], "KEY=VALUE"),
        (&["incline", "--grid", "scene.dtt=0.1"][..], "dt"),
        (&["incline", "--grid", "mus=0.1"][..], "did you mean `mu`,"),
        (&["incline", "--sweep", "scene.dt=1,2,3,4,5,6,7,8,9,10"][..], "a page holds"),
        (&["incline", "--limit", "0"][..], "--limit"),
    ] {
        let (output, text, _) = compare(args, "compare-bad");
        assert!(!output.status.success() && text.contains(why), "{args:?}: {text}");
    }
}

#[test]
fn the_head_says_under_which_responses_the_scene_is_judged() {
    let args = ["stack", "--responses", "penalty,cpf", "--duration", "0.01"];
    let (output, text, dir) = compare(&args, "compare-judged");
    assert!(output.status.success(), "{text}");
    let html = std::fs::read_to_string(dir.join("compare.html")).unwrap();
    for told in [&text, &html] {
        assert!(told.contains("The scene judges ") && told.contains("weight-on-the-floor"), "{text}");
        assert!(told.contains("under penalty only."), "{text}");
    }
}

#[test]
fn a_comparison_with_a_run_that_was_ended_early_is_not_done() {
    let args = ["stack", "--responses", "penalty", "--duration", "2000", "--limit", "0.2"];
    let (output, text, dir) = compare(&args, "compare-limit");
    assert!(output.status.code() == Some(1) && text.contains("ended early"), "{text}");
    assert!(dir.join("compare.html").is_file());
}

#[test]
#[cfg(unix)]
fn a_comparison_that_is_asked_to_end_says_so_by_its_code() {
    let dir = temp("compare-asked");
    let out = dir.to_string_lossy().into_owned();
    let args = ["compare", "stack", "--responses", "penalty,cpf", "--duration", "2000", "--out", &out];
    let mut child = crate::program::command(&args);
    let child =
        child.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let id = child.id().to_string();
    // It listens once its first line is said; a signal before that ends it as any program.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let end = child.wait_with_output().unwrap();
    let text = words(&end);
    assert!(end.status.code() == Some(1) && text.contains("interrupted before it"), "{text}");
}
