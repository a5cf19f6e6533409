//! What is said before anything is computed or written over.

use crate::program::{command, file, refused, temp, words};
use std::process::Command;

/// A folder with no repository near, and a cache of its own.
#[test]
fn outside_the_repository_the_scenes_of_the_program_run_and_one_that_was_edited_is_mended() {
    let dir = std::env::temp_dir().join(format!("impinge-elsewhere-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let cache = dir.join("cache");
    let run = |args: &[&str]| {
        let out = command(args).current_dir(&dir).env("XDG_CACHE_HOME", &cache).output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", words(&out));
        String::from_utf8(out.stdout).unwrap()
    };
    let list: serde_json::Value = serde_json::from_str(&run(&["list", "--json"])).unwrap();
    assert_eq!(list["built_in"], true);
    let file = |name: &str| {
        let scenes = list["scenes"].as_array().unwrap();
        let scene = scenes.iter().find(|s| s["name"] == name).unwrap();
        std::path::PathBuf::from(scene["file"].as_str().unwrap())
    };
    assert!(file("drop").starts_with(&cache) && file("dragons-cpf").is_file());
    std::fs::write(file("drop"), "edited").unwrap();
    run(&["run", "drop", "--duration", "0.01"]);
    assert!(dir.join("out/drop-penalty/report.html").is_file());
    std::fs::remove_dir_all(&dir).unwrap();
}

const LARGE: &str = "v 0 0 0\nv 120 0 0\nv 0 120 0\nv 0 0 120\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn a_mesh_that_is_there_is_not_written_over() {
    let dir = temp("keep");
    let (mesh, kept) = (file(&dir, "mesh.obj", LARGE), file(&dir, "kept.obj", "work of a week"));
    let args = ["mesh", &mesh, "--repair", "orient", "--out", &kept];
    let e = refused(&args);
    assert!(e.contains("kept.obj is there already") && e.contains("--force"), "{e}");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "work of a week");
    assert!(command(&[&args[..], &["--force"]].concat()).output().unwrap().status.success());
    assert!(std::fs::read_to_string(&kept).unwrap().contains("f 1 3 2"));
}

fn one_body(mesh: &str) -> String {
    format!(
        "scene = {{ title = \"t\", dt = 1e-3, duration = 1e-3 }}\nmaterial = [{{ name = \"m\", density = 1000.0 }}]\n\
         pair = [{{ materials = [\"*\", \"*\"], stiffness = 1e4 }}]\n\
         [[body]]\nname = \"part\"\nmaterial = \"m\"\nmesh = {mesh}\n"
    )
}

#[test]
fn a_mesh_in_millimetres_is_told() {
    let dir = temp("millimetres");
    file(&dir, "part.obj", LARGE);
    let run = |mesh: &str| {
        let scene = file(&dir, "scene.toml", &one_body(mesh));
        words(&command(&["run", &scene, "--no-report", "--quiet"]).output().unwrap())
    };
    let e = run("{ file = { path = \"part.obj\" } }");
    assert!(e.contains("warning: body 'part': part.obj looks as if it were in millimetres"), "{e}");
    assert!(e.contains("`scale = 0.001`"), "{e}");
    let e = run("{ file = { path = \"part.obj\", scale = 0.001 } }");
    assert!(!e.contains("warning"), "{e}");
}

/// The limit of the process stands for a machine with little memory.
#[cfg(target_os = "linux")]
#[test]
fn copies_that_memory_does_not_hold_are_refused_before_they_are_built() {
    let dir = temp("memory");
    let copies =
        "{ icosphere = { radius = 0.1, subdivisions = 6 } }\ncopies = { count = 1000, offset = [0, 0, 1] }";
    let scene = file(&dir, "scene.toml", &one_body(copies));
    let program = command(&[]).get_program().to_string_lossy().into_owned();
    let line = format!("ulimit -v 3000000; '{program}' run '{scene}' --no-report --quiet --threads 1");
    let out = Command::new("sh").args(["-c", &line]).output().unwrap();
    let e = words(&out);
    assert!(
        !out.status.success() && e.contains("1000 × 40960 vertices") && e.contains("lower `copies.count`"),
        "{e}"
    );
    assert!(e.contains("scene.toml:7:8"), "{e}");
}

/// 5 rad in a step, and half of one.
#[test]
fn a_body_that_turns_far_in_a_step_is_told_once() {
    let dir = temp("spun");
    for (speed, told) in [(5000.0, 1), (500.0, 0)] {
        let mesh = format!("{{ box = {{ size = [0.1, 0.1, 0.1] }} }}\nangular_velocity = [0, 0, {speed:?}]");
        let scene = file(&dir, "scene.toml", &one_body(&mesh));
        let e = words(&command(&["run", &scene, "--no-report", "--quiet"]).output().unwrap());
        assert_eq!(e.matches("'part' turns by 5.00 rad in a step").count(), told, "{e}");
    }
}
