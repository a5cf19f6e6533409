//! What hostile testers broke, small.

use crate::program::{command, file, impinge, root, temp, words};
use std::process::Command;

const HEAD: &str = "[scene]\ntitle = \"t\"\ndt = 1e-3\n[[material]]\nname = \"m\"\ndensity = 1000\n[[pair]]\nmaterials = [\"*\", \"*\"]\n";

/// An L of polygons with a notch, which a fan of triangles would close.
const NOTCHED: &str = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n\
    f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";

#[test]
fn a_ball_falls_through_the_notch_of_a_concave_mesh() {
    let dir = temp("breaker-notch");
    file(&dir, "l.obj", NOTCHED);
    let time = 0.6f64;
    // Symplectic Euler falls half a step's way more.
    let (lands, about) = (1.2 - 9.81 / 2.0 * time * time, 9.81 * time * 1e-3);
    let scene = format!(
        "{HEAD}stiffness = 1e5\ndamping = {{ kelvin_voigt = 50.0 }}\n[volume]\ncell = 0.3\n\
         [[body]]\nname = \"l\"\nkind = \"fixed\"\nmaterial = \"m\"\nmesh = {{ file = {{ path = \"l.obj\" }} }}\n\
         [[body]]\nname = \"ball\"\nmaterial = \"m\"\nmesh = {{ icosphere = {{ radius = 0.05, subdivisions = 1 }} }}\nposition = [1.2, 1.15, 1.2]\n\
         [[expect]]\nname = \"falls-through\"\nmeasure = \"position.z\"\nbody = \"ball\"\nvalue = {lands}\nabs = {about}\nevery_response = true\nat = \"end\"\n"
    )
    .replace("dt = 1e-3\n", &format!("dt = 1e-3\nduration = {time}\n"));
    let scene = file(&dir, "s.toml", &scene);
    for response in
        ["penalty", "cpf", "dpf-ccd", "cpf-implicit", "qp", "volume", "volume-penalty", "pressure"]
    {
        let out = impinge(&["run", &scene, "--response", response, "--no-report"]);
        assert_eq!(out.status.code(), Some(0), "{response}: {}", words(&out));
    }
}

/// Boxes one on the other on springs that hold one of them well, and not a column.
#[test]
fn a_column_on_springs_that_hold_one_body_is_warned_of_before_the_run() {
    let dir = temp("breaker-column");
    let scene = |boxes: u32| {
        let head = HEAD.replace("dt = 1e-3\n", "dt = 1e-3\nduration = 2e-3\n");
        let scene = format!(
            "{head}stiffness = 4e4\ndamping = {{ kelvin_voigt = 20.0 }}\n\
             [[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = {{}}\n\
             [[body]]\nname = \"b\"\nmaterial = \"m\"\nmesh = {{ box = {{ size = [0.1, 0.1, 0.1], segments = 2 }} }}\nposition = [0, 0, 0.05]\n\
             copies = {{ count = {boxes}, offset = [0, 0, 0.1] }}\n"
        );
        let scene = file(&dir, "s.toml", &scene);
        words(&impinge(&["run", &scene, "--response", "penalty", "--no-report"]))
    };
    let (one, many) = (scene(1), scene(50));
    assert!(!one.contains("stability number"), "{one}");
    assert!(many.contains("stability number") && many.contains("in a stack of 50"), "{many}");
    assert!(many.matches("stability number").count() < 5, "grouped: {many}");
}

#[test]
fn a_driver_beyond_all_bounds_is_refused_by_name() {
    let set = "body.0.driver.constant_velocity.velocity=[1e300,1e300,1e300]";
    let out = impinge(&["run", "stick-cpf", "--set", set, "--no-report", "--duration", "0.001"]);
    let e = words(&out);
    assert!(out.status.code() == Some(2) && e.contains("velocity") && e.contains("1e300"), "{e}");
}

/// Processor time, which another program on the machine does not take: 20 s of it if each pair were looked at.
#[test]
#[cfg(unix)]
fn many_bodies_are_set_up_in_a_time_that_grows_with_their_number() {
    let dir = temp("breaker-many");
    let scene = format!(
        "{}stiffness = 1e5\ndamping = {{ kelvin_voigt = 50.0 }}\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = {{}}\n\
         [[body]]\nname = \"b\"\nmaterial = \"m\"\nmesh = {{ box = {{ size = [0.1, 0.1, 0.1] }} }}\nposition = [0, 0, 0.15]\n\
         copies = {{ count = 20000, offset = [1, 0, 0] }}\n",
        HEAD.replace("dt = 1e-3\n", "dt = 1e-3\nduration = 2e-3\n")
    );
    let scene = file(&dir, "s.toml", &scene);
    let program = command(&[]).get_program().to_os_string();
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -t 10; exec \"$0\" run \"$1\" --no-report --threads 1"])
        .arg(program)
        .arg(&scene);
    let out = limited.current_dir(root()).output().expect("sh is there");
    assert!(out.status.success(), "{}", words(&out));
}

/// Boxes that all lie in each other: each pair is a warning, and pairs that are alike share one.
#[test]
fn overlaps_that_are_alike_are_told_once() {
    let dir = temp("breaker-overlaps");
    let scene = format!(
        "{}stiffness = 1e4\n[[body]]\nname = \"a\"\nmaterial = \"m\"\nmesh = {{ box = {{ size = [0.1, 0.1, 0.1], segments = 2 }} }}\n\
         position = [0, 0, 1]\ncopies = {{ count = 12, offset = [0, 0, 0] }}\n",
        HEAD.replace("dt = 1e-3\n", "dt = 1e-3\nduration = 1e-3\n")
    );
    let scene = file(&dir, "s.toml", &scene);
    let said = words(&impinge(&["run", &scene, "--response", "penalty", "--no-report"]));
    for told in ["initial overlap of", "inside each other and 'penalty' does not hold them"] {
        let lines: Vec<&str> = said.lines().filter(|l| l.contains(told)).collect();
        assert!(lines.len() == 1 && lines[0].contains("(and 65 pairs like it"), "{said}");
    }
}
