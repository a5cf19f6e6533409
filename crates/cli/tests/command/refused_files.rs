//! Nothing that a user wrote is written over, and what cannot be written is known before the run.

use crate::program::{accepted, file, impinge, refused, temp, words};
use std::path::Path;

const WORK: &str = "work of a week";

/// A scene whose run would take minutes: what is refused is refused before it.
fn long(dir: &Path) -> String {
    let text = "[scene]\ntitle = \"t\"\ndt = 1e-4\nduration = 1000.0\n[[material]]\nname = \"m\"\n[[body]]\nname = \"a\"\nmaterial = \"m\"\nmass = 1\n\
                mesh = { file = { path = \"part.obj\" } }\n";
    file(dir, "part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    file(dir, "scene.toml", text)
}

fn text(path: &str) -> String {
    std::fs::read_to_string(path).expect("it is there")
}

#[test]
fn files_of_others_stay_as_they_are() {
    let dir = temp("refused-files");
    let scene = long(&dir);
    let part = dir.join("part.obj").to_string_lossy().into_owned();
    let [notes, glb, times] = ["notes.txt", "own.glb", "t.times.csv"].map(|name| file(&dir, name, WORK));
    for folder in ["report", "compared", "vtu", "curves/csv"] {
        std::fs::create_dir_all(dir.join(folder)).expect("the folder is ours");
    }
    let own = ["report/report.html", "compared/compare.html", "vtu/bodies.csv", "curves/csv/energy.csv"];
    let own: Vec<String> = own.iter().map(|name| file(&dir, name, WORK)).collect();
    let place = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let rows = place("rows");
    accepted(&["sweep", "incline", "--duration", "0.002", "--out", &rows]);
    let (report, compared, vtu, curves) = (place("report"), place("compared"), place("vtu"), place("curves"));
    for (args, of) in [
        (&["run", &scene, "--no-report", "--recording", &notes][..], &notes),
        (&["export", &scene, "--gltf", &glb], &glb),
        (&["export", &scene, "--vtu", &vtu], &own[2]),
        (&["sweep", "--merge", &rows, "--out", &notes], &notes),
        (&["sweep", "--merge", &rows, "--out", &place("t.csv")], &times),
        (&["run", &scene, "--out", &report], &own[0]),
        (&["run", &scene, "--out", &curves], &own[3]),
        (&["compare", &scene, "--out", &compared], &own[1]),
        (&["mesh", &part, "--report", &report], &own[0]),
        (&["mesh", &part, "--out", &place("notes.obj")], &file(&dir, "notes.obj", WORK)),
    ] {
        let e = refused(args);
        assert!(e.contains(of) && e.contains("is there already") && e.contains("--force"), "{args:?}: {e}");
        assert_eq!(text(of), WORK, "{args:?}");
    }
    // What is read is not written over by any means.
    for (args, of) in [
        (&["run", &scene, "--no-report", "--force", "--recording", &scene][..], &scene),
        (&["run", &scene, "--no-report", "--force", "--recording", &part], &part),
    ] {
        let before = text(of);
        let e = refused(args);
        assert!(e.contains("is read by this command"), "{args:?}: {e}");
        assert_eq!(text(of), before);
    }
    let e = refused(&["export", &scene, "--force", "--gltf", &part]);
    assert!(e.contains("ends with .glb"), "{e}");
}

#[test]
fn what_the_program_wrote_it_writes_again_and_anything_by_force() {
    let dir = temp("written-again");
    let [rec, glb, table] = ["a.rec", "a.glb", "t.csv"].map(|name| file(&dir, name, WORK));
    let place = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let (rows, report, vtu) = (place("rows"), place("report"), place("vtu"));
    let short = ["--duration", "0.002"];
    accepted(&[&["sweep", "incline", "--out", &rows], &short[..]].concat());
    for args in [
        &[&["run", "drop", "--out", &report, "--recording", &rec], &short[..]].concat()[..],
        &[&["export", "drop", "--gltf", &glb, "--vtu", &vtu], &short[..]].concat(),
        &["sweep", "--merge", &rows, "--out", &table],
    ] {
        accepted(&[args, &["--force"]].concat());
        // Its own, without a word.
        accepted(args);
    }
    // Nothing is lost with an empty file.
    std::fs::write(&rec, "").expect("the folder is ours");
    accepted(&["run", "drop", "--no-report", "--duration", "0.002", "--recording", &rec]);
}

#[test]
fn what_cannot_be_written_is_known_before_the_run() {
    let dir = temp("refused-before");
    let scene = long(&dir);
    let place = |name: &str| dir.join(name).to_string_lossy().into_owned();
    std::fs::create_dir_all(dir.join("folder.glb")).expect("the folder is ours");
    let rows = place("rows");
    accepted(&["sweep", "incline", "--duration", "0.002", "--out", &rows]);
    let (missing, folder) = (place("no/such/a.glb"), place("folder.glb"));
    for option in ["--gltf", "--recording", "--out"] {
        let args = |to| match option {
            "--gltf" => vec!["export", &scene, option, to],
            "--recording" => vec!["run", &scene, "--no-report", option, to],
            _ => vec!["sweep", "--merge", &rows, option, to],
        };
        let e = refused(&args(&missing));
        assert!(e.contains(&missing) && e.contains("give a file in a folder that is there"), "{e}");
        let e = refused(&args(&folder));
        assert!(e.contains("it is a folder; give the name of a file"), "{e}");
    }
    // Nothing is left of the look.
    assert_eq!(std::fs::read_dir(&dir).expect("it is there").count(), 4);
}

/// One document for every command that has `--json`, and the words on the other stream as ever.
#[test]
fn a_command_that_fails_says_so_in_a_document() {
    let dir = temp("refused-json");
    let scene = file(&dir, "bad.toml", "[scene]\ntitle = \"t\"\ndt = -1\nduration = 1\nspeed = 3\n");
    let no = dir.join("no").to_string_lossy().into_owned();
    for args in [
        &["run", &scene][..],
        &["check", &scene],
        &["compare", &scene, "--responses", "cpf", "--out", &no],
        &["sweep", &scene, "--out", &no],
        &["export", &scene, "--gltf", &format!("{no}.glb")],
        &["calibrate", &scene, "--from", "penalty", "--to", "cpf"],
        &["replay", &no],
        &["mesh", &no],
        &["list", "--fixtures", &no],
        &["wrench", "box:1,1,1", &no, "--pose", "0,0,1"],
        &["run", "drop", "--bogus"],
        &["run", "dorp"],
    ] {
        let out = impinge(&[args, &["--json"]].concat());
        let told = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {}", words(&out));
        let document: serde_json::Value =
            serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {}", words(&out)));
        let error = &document["error"];
        assert_eq!(error["code"], 2);
        let message = error["message"].as_str().expect("words");
        assert!(
            !message.is_empty() && told.contains(message.lines().next().expect("a line")),
            "{args:?}: {told}"
        );
        assert!(error["problems"].is_array(), "{document}");
        if args.contains(&&*scene) {
            let problems = error["problems"].as_array().expect("a list");
            let dt =
                problems.iter().find(|p| p["line"] == 3).unwrap_or_else(|| panic!("{args:?}: {document}"));
            assert_eq!((&dt["column"], &dt["file"]), (&6.into(), &scene.clone().into()));
            assert!(dt["what"].as_str().is_some_and(|w| w.contains("`dt`")) && dt["fix"].is_string());
        }
    }
}

#[test]
fn options_that_do_nothing_or_are_beyond_all_bounds_are_refused() {
    let dir = temp("refused-options");
    let part =
        file(&dir, "part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    for (args, why) in [
        (&["mesh", &part, "--tolerance", "0.5"][..], "`weld`"),
        (&["mesh", &part, "--tolerance", "nan"], "give metres, 0 or more"),
        (&["mesh", &part, "--tolerance", "-1", "--repair", "weld"], "give metres, 0 or more"),
        (&["run", "drop", "--up", "y"], "--mesh"),
        (&["run", "drop", "--scale", "2"], "--mesh"),
        (&["run", "drop", "--open", "--no-report"], "--no-report"),
        (&["run", "drop", "--checkpoint", "1e300"], "1e9 at most"),
        (&["run", "drop", "--checkpoint", "-1"], "or 0 for none"),
        (&["run", "drop", "--limit", "1e300"], "1e9 at most"),
        (&["run", "drop", "--budget", "1e300"], "1e9 at most"),
        (&["run", "drop", "--duration", "1e300"], "1e9 at most"),
        (&["compare", "drop", "--limit", "1e300"], "1e9 at most"),
        (&["sweep", "--merge", "no", "--shard", "1/2"], "cannot be used with"),
        (
            &["wrench", "sphere:1", "sphere:1", "--pose", "0,0,1", "--responses", "qp", "--modulus", "1e6"],
            "leave it out",
        ),
    ] {
        let e = refused(args);
        assert!(e.contains(why), "{args:?}: {e}");
    }
    accepted(&["mesh", &part, "--tolerance", "0.001", "--repair", "weld"]);
    accepted(&["run", "drop", "--no-report", "--duration", "0.001", "--checkpoint", "0", "--limit", "1e9"]);
}

/// Sizes of any scale in digits that count.
#[test]
fn extents_are_told_in_digits_that_count() {
    let dir = temp("refused-extents");
    for (size, told) in
        [("3e-7", "3e-7 × 3e-7 × 3e-7"), ("1e140", "1e140 × 1e140 × 1e140"), ("0.25", "0.25 × 0.25 × 0.25")]
    {
        let text = format!(
            "v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        );
        let mesh = file(&dir, "part.obj", &text);
        let said = words(&impinge(&["mesh", &mesh]));
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn wrong_files_are_told_in_words_of_the_user() {
    let dir = temp("refused-words");
    let empty = file(&dir, "empty.toml", "");
    let e = refused(&["run", &empty]);
    assert!(e.contains("the scene file has no `body`") && !e.contains("`file`"), "{e}");
    let e = refused(&["run", "drop", "--set", "a=1"]);
    assert!(e.contains("set a = 1: `a` is not a key of the scene file"), "{e}");
    let e = refused(&["replay", "nope"]);
    assert!(e.contains("impinge run --recording"), "{e}");
    let rec = dir.join("a.rec").to_string_lossy().into_owned();
    accepted(&["run", "drop", "--no-report", "--duration", "0.002", "--recording", &rec]);
    let cut = file(&dir, "cut.rec", &text(&rec)[..200]);
    let e = refused(&["replay", &cut]);
    assert!(e.contains("cut off in its first line") && !e.contains("version"), "{e}");
    let deep = file(&dir, "deep.toml", &format!("a = {}", "[".repeat(100_000)));
    let e = refused(&["run", &deep]);
    assert!(e.len() < 20_000, "{} bytes", e.len());
}
