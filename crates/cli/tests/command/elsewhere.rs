//! What `--help` shows works as it stands, in a folder with no repository near; scenes of one's own rest; wrenches are those of closed forms.

use crate::program::{command, words};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An empty folder outside of the repository, with a cache of scenes of its own.
struct Elsewhere(PathBuf);

impl Elsewhere {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("impinge-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    fn run(&self, args: &[&str]) -> (bool, String) {
        let mut c = command(args);
        let out = c.current_dir(&self.0).env("XDG_CACHE_HOME", self.0.join("cache")).output().unwrap();
        let text = words(&out);
        assert!(!text.contains("panicked"), "{args:?}: {text}");
        (out.status.success(), text)
    }

    /// The document of a command with `--json`.
    fn json(&self, args: &[&str]) -> serde_json::Value {
        let out = command(args).current_dir(&self.0).output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", words(&out));
        serde_json::from_slice(&out.stdout).unwrap()
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.0.join(name), text).unwrap();
        self.0.join(name)
    }

    /// Runs lines as a shell does.
    fn shell(&self, lines: &str) -> (bool, String) {
        let program = PathBuf::from(command(&[]).get_program());
        let path = std::env::var("PATH").unwrap_or_default();
        let out = Command::new("sh")
            .args(["-e", "-c", lines])
            .current_dir(&self.0)
            .env("XDG_CACHE_HOME", self.0.join("cache"))
            .env("PATH", format!("{}:{path}", program.parent().unwrap_or(Path::new(".")).display()))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (out.status.success(), words(&out))
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn help(command: &str) -> String {
    let out = crate::program::command(&[command, "--help"]).output().unwrap();
    String::from_utf8(out.stdout).unwrap()
}

/// A brick of 50 by 30 by 40 in the unit of its file.
const BRICK: &str = "v 0 0 0\nv 50 0 0\nv 0 30 0\nv 50 30 0\nv 0 0 40\nv 50 0 40\nv 0 30 40\nv 50 30 40\nf 1 3 2\nf 2 3 4\nf 5 6 7\n\
    f 6 8 7\nf 1 2 5\nf 2 6 5\nf 3 7 4\nf 4 7 8\nf 1 5 3\nf 3 5 7\nf 2 4 6\nf 4 8 6\n";

/// Examples that do not run here, by a word in them, and why.
const LEFT_OUT: [(&str, &str); 7] = [
    ("calibrate", "has tests of its own"),
    ("compare", "has tests of its own"),
    ("sweep", "runs below, to the letter"),
    ("replay", "has tests of its own"),
    ("--recording", "the same"),
    ("large/", "minutes"),
    ("impinge check", "every scene"),
];

/// Commands whose examples run; what `new` writes is what `run` runs after it.
const RUN: [&str; 4] = ["list", "wrench", "new", "run"];

#[test]
fn cheap_examples_run() {
    let place = Elsewhere::new("examples");
    for name in ["part.obj", "other.obj", "bunny.obj", "gripper.obj"] {
        place.file(name, BRICK);
    }
    place.file("my.stl", "");
    let cube = "solid c\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 50 0\nvertex 50 0 0\nendloop\nendfacet\n\
        facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 50 0 0\nvertex 0 0 50\nendloop\nendfacet\n\
        facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 50\nvertex 0 50 0\nendloop\nendfacet\n\
        facet normal 0 0 0\nouter loop\nvertex 50 0 0\nvertex 0 50 0\nvertex 0 0 50\nendloop\nendfacet\nendsolid c\n";
    place.file("part.stl", cube);
    place.file(
        "mug.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nCELLS 1 5\n4 0 1 2 3\n\
         CELL_TYPES 1\n10\n",
    );
    let mut ran = 0;
    for name in RUN {
        for line in help(name).lines().filter(|l| l.starts_with("  impinge ")) {
            if LEFT_OUT.iter().any(|(word, _)| line.contains(word)) {
                continue;
            }
            let call = line.split("   (").next().unwrap_or(line).trim();
            let (good, text) = place.shell(call);
            assert!(good, "{call}\n{text}");
            ran += 1;
        }
    }
    assert!(ran >= 12, "only {ran} examples ran");
}

/// The lines after `head` that belong together, their common margin taken off.
fn block(text: &str, begin: &str) -> String {
    let from = text.lines().skip_while(|l| !l.trim_start().starts_with(begin));
    let lines: Vec<&str> = from.take_while(|l| l.starts_with("  ")).map(str::trim).collect();
    lines.join("\n")
}

#[test]
fn the_lines_for_slurm_and_gnu_parallel_work_as_they_stand() {
    let help = help("sweep");
    let place = Elsewhere::new("cluster");
    let batch = block(&help, "#!/bin/sh");
    assert!(batch.contains("--array=1-64") && batch.contains("$SLURM_ARRAY_TASK_ID/64"), "{batch}");
    // Two tasks of the 64, each with its row; the scheduler only starts what stands after its name.
    let tasks = format!("srun() {{ \"$@\"; }}\nfor SLURM_ARRAY_TASK_ID in 1 64; do\n{batch}\ndone\n");
    let (good, text) = place.shell(&tasks);
    assert!(good && text.matches("64 rows, 1 of this shard").count() == 2, "{text}");
    let merge = block(&help, "impinge sweep --merge out/mu-*");
    let (good, text) = place.shell(&merge);
    assert!(!good && text.contains("2 of 64 rows") && text.contains("rows of --shard 2-63 of 64"), "{text}");
    let (good, text) = place.shell(&format!("{merge} --partial"));
    assert!(good && text.contains("2 rows in mu.csv"), "{text}");
    let parallel = block(&help, "parallel -j4");
    let one_by_one = parallel.replace("parallel -j4 ", "for i in $(seq 8); do ").replace("{}", "$i");
    let lines = one_by_one.replace(" ::: $(seq 8)", "; done");
    let (good, text) = place.shell(&lines);
    assert!(good && text.matches("8 rows, 1 of this shard").count() == 8, "{text}");
    assert!(text.contains("8 rows in mu.csv"), "{text}");
    let (_, text) = place.run(&["sweep", "incline", "--grid", "mu=0.4", "--shard", "2/2", "--out", "idle"]);
    assert!(text.contains("nothing to do"), "{text}");
}

#[test]
fn a_scene_for_a_mesh_rests_under_every_response() {
    let place = Elsewhere::new("new");
    place.file("part.obj", BRICK);
    let made = place.run(&["new", "s.toml", "--mesh", "part.obj", "--mesh", "part.obj", "--scale", "0.001"]);
    assert!(made.0, "{}", made.1);
    let (good, text) = place.run(&["new", "s.toml", "--mesh", "part.obj"]);
    assert!(!good && text.contains("there already"), "{text}");
    let scene = std::fs::read_to_string(place.0.join("s.toml")).unwrap();
    assert!(
        scene.contains("name = \"part_2-rests\"") && scene.contains("name = \"part-is-carried\""),
        "{scene}"
    );
    // A field of tets costs too much for a program that is not optimised.
    for response in ["penalty", "cpf", "dpf-ccd", "cpf-implicit", "qp", "volume", "volume-penalty"] {
        let (good, text) = place.run(&["run", "s.toml", "--no-report", "--response", response]);
        assert!(good && !text.contains("warning"), "{response}: {text}");
    }
    // A sheet of 200 by 200 by 2 mm and a rod of 1000 by 10 by 10, and one far from the origin of its file.
    let sized = |size: [f64; 3], far: f64| -> String {
        BRICK
            .lines()
            .map(|l| match l.strip_prefix("v ") {
                Some(xyz) => {
                    let x: Vec<f64> = xyz.split(' ').map(|t| t.parse().unwrap()).collect();
                    let side = |i: usize| far + if x[i] > 0.0 { size[i] } else { 0.0 };
                    format!("v {} {} {}\n", side(0), side(1), side(2))
                }
                None => format!("{l}\n"),
            })
            .collect()
    };
    for (name, size, far) in [
        ("sheet", [200.0, 200.0, 2.0], 0.0),
        ("rod", [1000.0, 10.0, 10.0], 0.0),
        ("far", [3.0, 3.0, 4.0], 1e6),
    ] {
        let (mesh, scene) = (format!("{name}.obj"), format!("{name}.toml"));
        place.file(&mesh, &sized(size, far));
        let (good, text) = place.run(&["new", &scene, "--mesh", &mesh, "--scale", "0.001"]);
        assert!(good, "{text}");
        let written = std::fs::read_to_string(place.0.join(&scene)).unwrap();
        assert!(
            !written.contains("-0.0,") && !written.contains("0000000") && !written.contains("99999"),
            "{written}"
        );
        for response in ["penalty", "qp", "volume-penalty", "pressure"] {
            let (good, text) = place.run(&["run", &scene, "--no-report", "--response", response]);
            // How it bounces as it lands is told where it is not as the law asks.
            let warns = text.lines().any(|l| l.contains("warning") && !l.contains("a restitution of"));
            assert!(good && !warns, "{name} {response}: {text}");
        }
    }
    let open = BRICK.rsplit_once("f 4").unwrap().0;
    place.file("open.obj", open);
    let (good, text) = place.run(&["new", "o.toml", "--mesh", "open.obj"]);
    assert!(!good && text.contains("--repair fill-holes") && !place.0.join("o.toml").exists(), "{text}");
}

/// A box of side s sunk by d into a larger one: V = s² d, dV/dz = s², four corners at depth d; and under pressure fields of modulus E that reach
/// the middle of either, h deep, F = (E d/2h)((s − d)² + s d − 2d²/3) and dF/dd = (E/2h)(s − d)².
#[test]
fn two_boxes_push_each_other_as_the_closed_forms_say() {
    let place = Elsewhere::new("wrench");
    let (s, d, h, e) = (0.1f64, 1e-3f64, 0.05, 1e7);
    let table =
        place.json(&["wrench", "box:0.1,0.1,0.1", "box:0.2,0.2,0.1", "--pose", "0,0,-0.099", "--json"]);
    let row = |name: &str| {
        table["rows"].as_array().unwrap().iter().find(|r| r["response"] == name).unwrap().clone()
    };
    let near = |value: &serde_json::Value, expected: f64| {
        let got = value.as_f64().unwrap_or(f64::NAN);
        assert!((got - expected).abs() < 1e-9 * expected.abs().max(1e-3), "{got} and not {expected}");
    };
    near(&row("penalty")["force"][2], 4.0 * 1e4 * d);
    near(&row("volume")["volume"], s * s * d);
    near(&row("volume")["volume_by_translation"][2], s * s);
    near(&row("volume-penalty")["force"][2], 1e9 * s * s * d * s * s);
    near(&row("volume-penalty")["energy"], 0.5 * 1e9 * (s * s * d).powi(2));
    let pressure = row("pressure");
    near(&pressure["force"][2], e * d / (2.0 * h) * ((s - d).powi(2) + s * d - 2.0 * d * d / 3.0));
    near(&pressure["stiffness"][2][2], e / (2.0 * h) * (s - d).powi(2));
    for axis in 0..3 {
        near(&pressure["moment"][axis], 0.0);
    }
    for name in ["qp", "cpf", "volume"] {
        assert!(row(name)["no_wrench"].is_string() && row(name)["force"].is_null());
    }
}

#[test]
fn a_wrench_says_what_its_numbers_depend_on() {
    let place = Elsewhere::new("wrench-notes");
    let args = ["wrench", "sphere:1", "sphere:0.5", "--pose", "0,0,0", "--responses", "penalty,pressure"];
    let (good, text) = place.run(&args);
    assert!(good, "{text}");
    for part in [
        "note: sphere:1 has 5120 facets",
        "0.22 % below that of the round shape",
        "grows with the number of facets",
        "no contact, no force",
        "tets of A and B",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A cube of twelve tets, in the notes of its report.
#[test]
fn a_run_under_pressure_says_how_many_tets_its_fields_have() {
    let place = Elsewhere::new("tets-told");
    let body = |name: &str, rest: &str| format!("[[body]]\nname = \"{name}\"\nmaterial = \"m\"\n{rest}\n");
    let head = "[scene]\ntitle = \"t\"\ndt = 0.01\nduration = 0.02\nresponse = \"pressure\"\n[[material]]\nname = \"m\"\ndensity = 1000.0\n";
    let floor = body("floor", "kind = \"fixed\"\nplane = {}");
    let cube = "mesh = { box = { size = [0.1, 0.1, 0.1] } }\npressure = { modulus = 1e6, dissipation = 2.0 }\nposition = [0, 0, 0.06]";
    place.file("cube.toml", &(head.to_string() + &floor + &body("cube", cube)));
    let (good, text) = place.run(&["run", "cube.toml", "--out", "told"]);
    let page = std::fs::read_dir(place.0.join("told")).unwrap().filter_map(Result::ok).map(|e| e.path());
    let page = page.filter(|p| p.extension().is_some_and(|e| e == "html")).map(std::fs::read_to_string);
    let told =
        page.filter_map(Result::ok).any(|page| page.contains("Tets of pressure fields: &#39;cube&#39; 12."));
    assert!(good && told, "{text}");
}

/// Two tets that share one edge, from a file: a wrench and a run both say that four faces meet there.
#[test]
fn fields_on_tets_that_touch_are_told() {
    let place = Elsewhere::new("tets-touch");
    let points = "0 0 0\n0 0 0.1\n0.1 0 0\n0.1 0.1 0\n-0.1 0 0\n-0.1 -0.1 0\n";
    place.file(
        "touch.vtk",
        &format!(
            "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n{points}CELLS 2 10\n4 0 1 2 3\n4 0 1 4 5\n\
             CELL_TYPES 2\n10\n10\n"
        ),
    );
    let told = "its tets are not manifold (1 edges of their surface with more than two faces";
    let args = ["wrench", "touch.vtk", "box:1,1,1", "--pose", "0,0,-0.49", "--responses", "pressure"];
    let (good, text) = place.run(&args);
    assert!(good && text.contains(&format!("A: {told}")), "{text}");
    let body = "kind = \"rigid\"\nmesh = { box = { size = [0.2, 0.2, 0.1] } }\nposition = [0, 0, 1]\n\
                pressure = { modulus = 1e6, dissipation = 1.0, solid = { file = { path = \"touch.vtk\" } } }\n";
    let head = "[scene]\ntitle = \"t\"\ndt = 0.01\nduration = 0.02\nresponse = \"pressure\"\n[[material]]\nname = \"m\"\ndensity = 1000.0\n";
    place.file("touch.toml", &format!("{head}[[body]]\nname = \"two\"\nmaterial = \"m\"\n{body}"));
    let (good, text) = place.run(&["run", "touch.toml", "--out", "told"]);
    assert!(good && text.contains(&format!("body 'two': {told}")), "{text}");
}

/// Two tetrahedra, one with a corner inside the other.
#[test]
fn a_mesh_that_crosses_itself_is_told_what_that_means() {
    let place = Elsewhere::new("crossing");
    let tet = |at: f64| format!("v {0} {0} {0}\nv {1} {0} {0}\nv {0} {1} {0}\nv {0} {0} {1}\n", at, at + 1.0);
    let faces = |k: u32| {
        format!("f {0} {2} {1}\nf {0} {1} {3}\nf {0} {3} {2}\nf {1} {2} {3}\n", k + 1, k + 2, k + 3, k + 4)
    };
    place.file("two.obj", &(tet(0.0) + &tet(0.1) + &faces(0) + &faces(4)));
    let (_, text) = place.run(&["mesh", "two.obj"]);
    assert!(text.contains("it crosses itself") && text.contains("counts twice"), "{text}");
}
