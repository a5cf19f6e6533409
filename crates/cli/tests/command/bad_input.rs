//! Bad input through the command: an error with the reason and the fix, and nothing lost.

use crate::program::{accepted, command, document, file, impinge, refused, root, temp, words};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

#[test]
fn meshes() {
    let dir = temp("meshes");
    let drop_with = |mesh: &str| refused(&["run", "drop", "--no-report", "--quiet", "--mesh", mesh]);

    let e = drop_with("no-such-file.obj");
    assert!(e.contains("no-such-file.obj"), "{e}");

    let truncated = file(&dir, "truncated.obj", "v 0 0 0\nv 1 0 0\nv 0 1\n");
    let e = drop_with(&truncated);
    assert!(e.contains("truncated.obj") && e.contains('3'), "names file and line: {e}");

    let nan = file(&dir, "nan.obj", &TETRAHEDRON.replace("v 1 0 0", "v nan 0 0"));
    let e = drop_with(&nan);
    assert!(e.contains("nan.obj") && e.contains(":2"), "{e}");

    let range = file(&dir, "range.obj", &TETRAHEDRON.replace("f 2 3 4", "f 2 3 9"));
    let e = drop_with(&range);
    assert!(e.contains("range.obj") && e.contains('9') && e.contains(":8"), "{e}");

    let open = file(&dir, "open.obj", &TETRAHEDRON.replace("f 2 3 4\n", ""));
    let e = drop_with(&open);
    assert!(e.contains("not closed") && e.contains("3 boundary edges"), "{e}");

    // And the whole one is taken.
    let good = file(&dir, "good.obj", TETRAHEDRON);
    accepted(&["run", "drop", "--no-report", "--quiet", "--duration", "0.05", "--mesh", &good]);
}

#[test]
fn parameters() {
    let run = |set: &str| refused(&["run", "drop", "--no-report", "--quiet", "--set", set]);
    let e = run("scene.dt=0");
    assert!(e.contains("dt") && e.contains("fix:"), "{e}");
    let e = run("pair.0.stiffness_per_area=-5");
    assert!(e.contains("stiffness_per_area") && e.contains("-5"), "{e}");
    let e = run("material.rubber.density=-1");
    assert!(e.contains("density") && e.contains("-1"), "{e}");
    let e = run("scene.gravty=[0,0,-1]");
    assert!(e.contains("did you mean `gravity`"), "{e}");
    let e = run("nonsense");
    assert!(e.contains("KEY=VALUE"), "{e}");

    let e = refused(&["run", "drop", "--response", "magic"]);
    assert!(e.contains("unknown response 'magic'") && e.contains("penalty"), "{e}");
    let e = refused(&["rnu", "drop"]);
    assert!(e.contains("no command `impinge rnu`; did you mean `run`?") && e.lines().count() == 1, "{e}");
    let e = refused(&["run", "dorp"]);
    assert!(e.contains("no scene 'dorp'") && e.contains("drop"), "{e}");
    let e = refused(&["run", "drop", "--threads", "0", "--no-report"]);
    assert!(e.contains("--threads 0"), "{e}");
}

/// What is no scene is said at once, with what to do, and not as a thousand errors of TOML.
#[test]
fn no_scene_at_all() {
    let dir = temp("no-scene");
    let mesh = file(&dir, "part.obj", &TETRAHEDRON.repeat(100));
    let e = refused(&["run", &mesh]);
    assert!(
        e.contains("is a mesh, not a scene") && e.contains("impinge new") && e.lines().count() == 1,
        "{e}"
    );
    std::fs::write(dir.join("part.bin"), [0u8; 100]).unwrap();
    let e = refused(&["run", &dir.join("part.bin").to_string_lossy()]);
    assert!(e.contains("binary file") && e.lines().count() == 1, "{e}");
    let wrong = file(&dir, "wrong.toml", &"v 0 0 0\n".repeat(50));
    let e = refused(&["run", &wrong]);
    assert!(e.contains("more: ") && e.matches("fix:").count() == 10, "{e}");
}

#[test]
fn scene_files() {
    let dir = temp("scenes");
    let scene = std::fs::read_to_string(root().join("fixtures/scenes/incline.toml")).unwrap();
    let typo = file(&dir, "typo.toml", &scene.replacen("duration", "durration", 1));
    let e = refused(&["run", &typo, "--no-report"]);
    assert!(e.contains("typo.toml:") && e.contains("did you mean `duration`"), "{e}");
    // Cut inside the last body: its table has a name and nothing else.
    let at = scene.rfind("[[body]]").unwrap() + "[[body]]\nname = ".len() + 2;
    let cut = file(&dir, "cut.toml", &scene[..at]);
    let e = refused(&["run", &cut, "--no-report"]);
    assert!(e.contains("cut.toml"), "{e}");
}

#[test]
fn an_output_folder_that_cannot_be_written_is_named_before_the_run() {
    let dir = temp("unwritable");
    let blocked = file(&dir, "a-file", "");
    let e = refused(&["run", "drop", "--quiet", "--out", &format!("{blocked}/report")]);
    assert!(e.contains("cannot be written") && e.contains("--out"), "{e}");
    assert!(!e.contains("hash"), "nothing was run: {e}");
}

#[test]
fn a_step_that_blows_up_leaves_a_report_of_what_was_computed() {
    let dir = temp("blow-up");
    let out = dir.join("report");
    // So stiff that the first contact throws the ring out of the range of numbers.
    let set = "pair.0.stiffness_per_area=1e308";
    let e = refused(&["run", "drop", "--quiet", "--set", set, "--out", &out.to_string_lossy()]);
    assert!(e.contains("stopped: step") && e.contains("stage '") && e.contains("'dropped'"), "{e}");
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(html.contains("is not finite") && html.contains("dropped"));
    let energy = std::fs::read_to_string(out.join("csv/energy.csv")).unwrap();
    assert!(energy.lines().count() > 200, "the steps before are kept: {}", energy.lines().count());
    let bodies = std::fs::read_to_string(out.join("csv/bodies.csv")).unwrap();
    assert!(bodies.lines().nth(1).is_some_and(|l| l.starts_with("0.0,dropped,")), "{bodies}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_finishes_the_step_and_writes_the_report() {
    let dir = temp("ctrl-c");
    let out = dir.join("report");
    let args = ["run", "drop", "--duration", "2000", "--checkpoint-steps", "1", "--out"];
    let mut child = command(&args).arg(&out).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The first checkpoint says that it is on its way.
    while !out.join("checkpoint.bin").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let asked = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(asked.elapsed() < Duration::from_secs(60), "the run did not end after Ctrl-C");
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("interrupted after") && text.contains("hash "), "{text}");
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(html.to_lowercase().contains("interrupted"));
}

#[test]
fn mesh_health_and_repairs() {
    let dir = temp("mesh-health");
    let open = file(&dir, "open.obj", &TETRAHEDRON.replace("f 2 3 4\n", ""));
    let e = refused(&["mesh", &open]);
    assert!(e.contains("3 boundary edges") && e.contains("fill-holes"), "{e}");
    let (closed, page) = (dir.join("closed.obj"), dir.join("page"));
    let (closed, page) = (closed.to_string_lossy(), page.to_string_lossy());
    let text = accepted(&["mesh", &open, "--repair", "fill-holes", "--out", &closed, "--report", &page]);
    assert!(text.contains("1 hole"), "{text}");
    accepted(&["mesh", &closed]);
    assert!(Path::new(&*page).join("report.html").is_file());
    let e = refused(&["mesh", &open, "--repair", "magic"]);
    assert!(e.contains("magic") && e.contains("weld"), "{e}");
    // The extension is looked at before the mesh is.
    for (out, why) in [("x.step", ".obj, .stl, .ply, .vtk, .vtu, .msh"), ("x", "no extension")] {
        let e = refused(&["mesh", "not-there.obj", "--out", out]);
        assert!(e.contains(why) && e.contains(out), "{e}");
    }
    let e = refused(&["mesh", &closed, "--tets", "0.1", "--out", "x.stl"]);
    assert!(e.contains("`.stl` holds no tetrahedra") && e.contains(".vtk, .vtu, .msh"), "{e}");
    // Tets of the closed one, and why there are none of the open one, too fine or too coarse.
    let tets = dir.join("tets.vtu").to_string_lossy().into_owned();
    let text = accepted(&["mesh", &closed, "--tets", "0.1", "--out", &tets]);
    assert!(text.contains("dihedral angles"), "{text}");
    assert!(impinge_io::read_tets(&tets, &Default::default()).is_ok());
    for (mesh, cell, why) in [
        (&*open, "0.1", "3 boundary edges"),
        (&*closed, "1e-6", "a lattice of"),
        (&*closed, "9", "no node"),
        (&*closed, "-1", "above zero"),
    ] {
        let e = refused(&["mesh", mesh, "--tets", cell]);
        assert!(e.contains(why), "{e}");
    }
}

#[test]
fn a_mesh_goes_through_every_format_and_back() {
    let dir = temp("mesh-formats");
    let mut mesh = file(&dir, "a.obj", TETRAHEDRON);
    for extension in ["stl", "ply", "vtk", "vtu", "msh", "obj"] {
        let out = dir.join(format!("b.{extension}")).to_string_lossy().into_owned();
        let document = document(&["mesh", &mesh, "--out", &out, "--json"]);
        assert_eq!(
            (&document["body"], &document["wrote"]),
            (&true.into(), &out.clone().into()),
            "{document}"
        );
        assert_eq!(document["numbers"]["volume"], 1.0 / 6.0, "{extension}");
        assert_eq!(document["surface"]["triangles"], 4, "{extension}");
        assert!(refused(&["mesh", &mesh, "--out", &out]).contains("--force"));
        mesh = out;
    }
    // Tets: from one format to the next, and their boundary.
    let [vtu, msh, stl] = ["t.vtu", "t.msh", "t.stl"].map(|n| dir.join(n).to_string_lossy().into_owned());
    accepted(&["mesh", &mesh, "--tets", "0.2", "--out", &vtu]);
    let document = document(&["mesh", &vtu, "--out", &msh, "--json"]);
    let options = impinge_io::ReadOptions::default();
    assert_eq!(
        impinge_io::read_tets(&msh, &options).unwrap(),
        impinge_io::read_tets(&vtu, &options).unwrap()
    );
    assert!(document["tets"]["dihedral angles"].as_str().unwrap().contains("°"), "{document}");
    assert_eq!(document["boundary"]["closed"], "yes");
    let text = accepted(&["mesh", &msh, "--out", &stl]);
    assert!(text.contains("the boundary is written") && text.contains("32-bit floats"), "{text}");
    accepted(&["mesh", &stl]);
    assert!(refused(&["mesh", &vtu, "--tets", "0.1"]).contains("tets already"));
}

/// Inside out, and one that is there twice: named by line, mended by name, and then a body.
#[test]
fn tets_are_named_by_line_and_mended() {
    let dir = temp("mesh-tets");
    let head =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
    let bad = file(
        &dir,
        "bad.msh",
        &format!("{head}$Elements\n2\n1 4 2 1 1 2 1 3 4\n2 4 2 1 1 1 2 3 4\n$EndElements\n"),
    );
    let text = refused(&["mesh", &bad]);
    for part in ["inside out", "0 in line 13", "there twice", "1 in line 14", "orient, drop-degenerate"] {
        assert!(text.contains(part), "{part} not in {text}");
    }
    let good = dir.join("good.vtu").to_string_lossy().into_owned();
    let text = accepted(&["mesh", &bad, "--repair", "orient,drop-degenerate", "--out", &good]);
    assert!(text.contains("1 tets turned") && text.contains("1 that were there twice"), "{text}");
    accepted(&["mesh", &good]);
    assert!(refused(&["mesh", &bad, "--repair", "weld"]).contains("orient, drop-degenerate, drop-unused"));
}

/// The spring of a box of a tonne and half a metre would have to be 2.45 m long: four corners of 1 kN/m.
#[test]
fn a_contact_deeper_than_the_body_is_told() {
    let scene = |stiffness: f64| {
        format!(
            "[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 1.0\n[[material]]\nname = \"m\"\n[[pair]]\nmaterials = [\"*\", \"*\"]\n\
             stiffness = {stiffness:?}\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = {{}}\n[[body]]\nname = \"box\"\n\
             material = \"m\"\nmass = 1000\nmesh = {{ box = {{ size = [0.5, 0.5, 0.5] }} }}\nposition = [0, 0, 0.251]\n"
        )
    };
    let dir = temp("too-soft");
    for response in ["penalty", "cpf", "cpf-implicit"] {
        for (stiffness, told) in [(1e3, true), (1e6, false)] {
            let scene = file(&dir, "scene.toml", &scene(stiffness));
            let text = words(&impinge(&["run", &scene, "--no-report", "--response", response]));
            assert_eq!(
                text.contains("'floor' and 'box', more than the 5.00e-1 m"),
                told,
                "{response}: {text}"
            );
            assert_eq!(text.contains("the stiffness is too low"), told, "{response}: {text}");
        }
    }
}

#[test]
fn a_command_that_went_to_the_repository_says_so_in_a_line() {
    let gone = ["ccd-truth", "conform", "gallery", "golden", "oracle", "repro", "soak", "stages", "verify"];
    for (name, task) in gone.map(|name| (name, name)).into_iter().chain([("scenes-bench", "bench")]) {
        let out = command(&["--quiet", name, "x", "--responses", "qp"]).output().unwrap();
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && text.lines().count() == 1, "{text}");
        assert!(text.contains(&format!("`impinge {name}` is now `cargo xtask {task}`")), "{text}");
    }
    assert!(refused(&["wrnch"]).contains("wrench"));
}
