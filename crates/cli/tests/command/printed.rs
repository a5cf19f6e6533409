//! What becomes of what is printed: a full device is an error, a reader that has gone is none.

use crate::program::{command, document, file, outlives_its_reader, temp};
use std::process::Stdio;

const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// Each command that prints without running a scene for long.
fn printing(mesh: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["list"],
        vec!["list", "--json"],
        vec!["--help"],
        vec!["sweep", "--help"],
        vec!["mesh", mesh],
        vec!["mesh", mesh, "--json"],
        vec!["wrench", "box:1,1,1", "box:1,1,1", "--pose", "0,0,0.9"],
        vec!["run", "drop", "--duration", "0.002", "--no-report"],
    ]
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_fails_with_one_message() {
    let mesh = file(&temp("printed-full"), "part.obj", MESH);
    // Its hash is all that such a run gives.
    let hash = vec!["run", "drop", "--duration", "0.002", "--no-report", "--quiet"];
    let said = String::from_utf8(command(&hash).output().unwrap().stdout).unwrap();
    assert!(said.starts_with("hash ") && said.lines().count() == 1, "{said}");
    for args in printing(&mesh).into_iter().chain([hash]) {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let child = command(&args).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        let out = child.wait_with_output().unwrap();
        let told = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
        assert_eq!(told.matches("error:").count(), 1, "{args:?}: {told}");
        assert!(told.contains("the output cannot be printed"), "{args:?}: {told}");
    }
    // Nobody to tell is no reason to panic.
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let status = command(&["run", "no-such-scene"]).stdout(Stdio::null()).stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let mesh = file(&temp("printed-gone"), "part.obj", MESH);
    for args in printing(&mesh) {
        let told = outlives_its_reader(&args);
        assert!(!told.contains("error"), "{args:?}: {told}");
        // With `--json` what is said to people stands there.
        let says = args[0] == "run" || args.contains(&"--json");
        assert!(says || told.is_empty(), "{args:?}: {told}");
    }
}

/// Standard output has the document alone, `--quiet` or not, and what is said to people stands on the other stream.
#[test]
fn a_document_stands_alone() {
    let dir = temp("printed-json");
    let mesh = file(&dir, "part.obj", MESH);
    let vtu = dir.join("vtu").to_string_lossy().into_owned();
    for args in [
        &["list", "--json"][..],
        &["mesh", &mesh, "--json"],
        &["wrench", "box:1,1,1", "box:1,1,1", "--pose", "0,0,0.9", "--json"],
        &["export", "drop", "--duration", "0.002", "--vtu", &vtu, "--json"],
    ] {
        assert!(document(args).is_object(), "{args:?}");
        let told = command(args).output().unwrap().stderr;
        assert!(!told.is_empty(), "{args:?}");
        let quiet = [args, &["--quiet"]].concat();
        assert!(document(&quiet).is_object(), "{args:?}");
        assert!(command(&quiet).output().unwrap().stderr.is_empty(), "{args:?}");
    }
}

/// Started without a standard output (`>&-`).
#[cfg(target_os = "linux")]
#[test]
fn a_closed_output_loses_what_is_printed() {
    let mesh = file(&temp("printed-closed"), "part.obj", MESH);
    let closed = |args: &[&str]| {
        let program = command(&[]).get_program().to_os_string();
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "exec \"$0\" \"$@\" >&-"]).arg(program).args(args);
        shell.current_dir(crate::program::root()).output().unwrap()
    };
    let hash = vec!["run", "drop", "--duration", "0.002", "--no-report", "--quiet"];
    for args in printing(&mesh).into_iter().chain([hash]) {
        let out = closed(&args);
        let told = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains("the output cannot be printed") && told.contains("closed"), "{args:?}: {told}");
    }
    // Where nothing is printed, nothing is lost.
    let out = temp("printed-closed-run").to_string_lossy().into_owned();
    let quiet = closed(&["run", "drop", "--duration", "0.002", "--quiet", "--out", &out]);
    assert_eq!(quiet.status.code(), Some(0), "{}", String::from_utf8_lossy(&quiet.stderr));
}
