//! `cargo xtask conform`: the table is there, a miss that nobody foresaw fails, and so does a foreseen one that does not happen.

use crate::program::{lab, place, root, words};
use std::path::PathBuf;
use std::process::Output;

fn conform(args: &[&str]) -> (Output, String) {
    let out = lab(&[&["conform"], args].concat());
    let text = words(&out);
    (out, text)
}

#[test]
fn a_stack_conforms_and_the_table_says_how() {
    let file = place("conformance.md");
    let (output, text) =
        conform(&["incline", "stack", "--responses", "penalty,pressure", "--write", file.to_str().unwrap()]);
    assert!(output.status.success(), "{text}");
    let table = std::fs::read_to_string(file).unwrap();
    let rows: Vec<&str> =
        table.lines().filter(|l| l.starts_with("| incline") || l.starts_with("| stack")).collect();
    assert_eq!(rows.len(), 4, "{table}");
    assert!(rows.iter().all(|r| r.matches(" | ").count() == 9), "{table}");
}

/// A fixtures folder with one scene and these misses.
fn folder(name: &str, scene: &str, misses: &str) -> PathBuf {
    let dir = place(name);
    std::fs::create_dir_all(dir.join("scenes")).unwrap();
    std::fs::write(dir.join("scenes/one.toml"), scene).unwrap();
    std::fs::write(dir.join("conform.toml"), misses).unwrap();
    dir
}

fn box_on_floor(stiffness: f64, gravity: f64) -> String {
    format!(
        "[scene]\ntitle = \"t\"\ndescription = \"d\"\ndt = 1e-3\nduration = 0.1\ngravity = [0.0, 0.0, {gravity:?}]\n\
         [[material]]\nname = \"m\"\n[[pair]]\nmaterials = [\"m\", \"m\"]\nstiffness = {stiffness:?}\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = {{ normal = [0.0, 0.0, 1.0] }}\n\
         [[body]]\nname = \"box\"\nmaterial = \"m\"\nmass = 1.0\nmesh = {{ box = {{ size = [0.1, 0.1, 0.1] }} }}\n\
         position = [0.0, 0.0, 0.05]\n"
    )
}

#[test]
fn too_soft_a_floor_misses_the_depth_unless_somebody_says_so() {
    let scene = box_on_floor(10.0, -400.0);
    let miss = "[[miss]]\nscene = \"one\"\nresponse = \"penalty\"\ncheck = \"depth\"\nreason = \"forty newtons a metre carry no hundred\"\n";
    for (name, misses, good) in [("conform-silent", "", false), ("conform-told", miss, true)] {
        let dir = folder(name, &scene, misses);
        let (output, text) = conform(&["--responses", "penalty", "--fixtures", dir.to_str().unwrap()]);
        assert_eq!(output.status.success(), good, "{text}");
        assert!(text.contains(if good { "(✗)" } else { "✗" }), "{text}");
    }
    // A miss that does not happen is out of date.
    let dir = folder("conform-stale", &box_on_floor(1e4, -9.81), miss);
    let (output, text) = conform(&["--responses", "penalty", "--fixtures", dir.to_str().unwrap()]);
    assert!(!output.status.success(), "{text}");
}

/// Soft blobs without weight, this far apart (m).
fn blobs(apart: f64) -> String {
    let blob = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nkind = \"deformable\"\nmaterial = \"m\"\nposition = [{x:?}, 0.0, 0.0]\n\
             solid = {{ lattice = {{ cell = 0.05, surface = {{ ellipsoid = {{ radii = [0.1, 0.07, 0.05], subdivisions = 2 }} }} }} }}\n\
             elastic = {{ young = 1e4, poisson = 0.4, rayleigh_stiffness = 0.02, model = \"neo-hookean\" }}\n"
        )
    };
    format!(
        "[scene]\ntitle = \"t\"\ndescription = \"d\"\ndt = 0.01\nduration = 0.1\ngravity = [0.0, 0.0, 0.0]\n\
         integrator = \"implicit-euler\"\n[[material]]\nname = \"m\"\ndensity = 1000\n[[pair]]\nmaterials = [\"m\", \"m\"]\n\
         stiffness = 1e4\n{}{}",
        blob("left", 0.0),
        blob("right", apart)
    )
}

/// Where nothing is in play, rounding is no gain, and neither is what a correction of the places stores: that is in the books. (A velocity would be
/// one: `trial.rs`.)
#[test]
fn a_scene_at_rest_has_no_scale_of_energy_and_is_judged_all_the_same() {
    let dir = folder("conform-rest", &blobs(0.25), "");
    let (output, text) = conform(&["--responses", "cpf,qp", "--fixtures", dir.to_str().unwrap()]);
    assert!(output.status.success() && text.matches("energy").count() == 2, "{text}");
    let dir = folder("conform-overlap", &blobs(0.19), "");
    let (output, text) = conform(&["--responses", "volume", "--fixtures", dir.to_str().unwrap()]);
    assert!(output.status.success() && text.contains("energy < 1e-12 ✓, order < 1e-12 ✓"), "{text}");
}

#[test]
fn a_step_that_is_too_long_is_explained_by_the_program_s_own_warning() {
    let dir = folder("conform-stiff", &box_on_floor(1e8, -9.81), "");
    let file = place("conform-stiff.md");
    let (output, text) = conform(&[
        "--responses",
        "penalty",
        "--fixtures",
        dir.to_str().unwrap(),
        "--write",
        file.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{text}");
    let table = std::fs::read_to_string(file).unwrap();
    assert!(table.contains("the program warns before the run that the step is too long"), "{table}");
}

#[test]
fn a_scene_may_be_told_to_run_shortly_or_not_at_all_and_the_table_says_why() {
    let scene = box_on_floor(1e4, -9.81);
    for (steps, told) in [(3, "at most 3 steps: three will do"), (0, "not run: three will do")] {
        let short = format!(
            "[[short]]\nscene = \"one\"\nresponses = [\"penalty\"]\nsteps = {steps}\nreason = \"three will do\"\n"
        );
        let dir = folder(&format!("conform-short-{steps}"), &scene, &short);
        let file = dir.join("table.md");
        let (output, text) = conform(&[
            "--responses",
            "penalty,cpf",
            "--fixtures",
            dir.to_str().unwrap(),
            "--write",
            file.to_str().unwrap(),
        ]);
        assert!(output.status.success(), "{text}");
        let table = std::fs::read_to_string(file).unwrap();
        assert!(table.contains(told), "{table}");
        assert_eq!(table.contains("| one | penalty |"), steps > 0, "{table}");
        assert!(table.contains("| one | cpf | 50 of 50 |"), "{table}");
    }
    let dir = folder(
        "conform-short-typo",
        &scene,
        "[[short]]\nscene = \"one\"\nresponses = [\"penaltie\"]\nsteps = 3\nreason = \"r\"\n",
    );
    let (output, text) = conform(&["--fixtures", dir.to_str().unwrap()]);
    assert!(!output.status.success() && text.contains("penaltie"), "{text}");
    let dir =
        folder("conform-short-scene", &scene, "[[short]]\nscene = \"won\"\nsteps = 3\nreason = \"r\"\n");
    let (output, text) = conform(&["--responses", "penalty", "--fixtures", dir.to_str().unwrap()]);
    assert!(!output.status.success() && text.contains("no scene 'won'"), "{text}");
}

#[test]
fn what_is_driven_runs_from_its_start_until_it_has_touched() {
    let scene = box_on_floor(1e4, -9.81)
        .replace(
            "kind = \"fixed\"",
            "kind = \"kinematic\"\ndriver = { constant_velocity = { velocity = [0.0, 0.0, 0.1] } }",
        )
        .replace(
            "plane = { normal = [0.0, 0.0, 1.0] }",
            "position = [0.0, 0.0, -0.05]\nmesh = { box = { size = [1.0, 1.0, 0.1] } }",
        )
        .replace("position = [0.0, 0.0, 0.05]", "position = [0.0, 0.0, 0.06]");
    let dir = folder("conform-driven", &scene, "");
    let (output, text) = conform(&["--responses", "penalty", "--fixtures", dir.to_str().unwrap()]);
    assert!(output.status.success(), "{text}");
    let row = text.lines().find(|l| l.starts_with("one")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    let at = words.iter().position(|w| *w == "of").unwrap();
    let (touching, steps): (u64, u64) = (words[at - 1].parse().unwrap(), words[at + 1].parse().unwrap());
    assert!(touching >= 10 && steps > 50, "{text}");
}

#[test]
fn bad_arguments_are_named() {
    for (args, why) in [
        (&["no-such-scene"][..], "no scene"),
        (&["stack", "--responses", "penaltie"][..], "penalty"),
        (&["stack", "--duration", "-1"][..], "--duration"),
    ] {
        let (output, text) = conform(args);
        assert!(!output.status.success() && text.contains(why), "{args:?}: {text}");
    }
}

#[test]
fn the_area_of_two_edges_does_not_depend_on_which_body_comes_first() {
    // A fine torus on a coarse box, stiffness per area; friction is another matter.
    let scene = std::fs::read_to_string(root().join("fixtures/scenes/drop.toml"))
        .unwrap()
        .replace("mu_s = 0.6", "mu_s = 0.0")
        .replace("mu_k = 0.5", "mu_k = 0.0")
        .replace("friction_damping = 2e4\n", "");
    assert!(scene.contains("stiffness_per_area") && !scene.contains("friction_damping"));
    let known =
        "[[miss]]\nscene = \"one\"\nresponse = \"cpf\"\ncheck = \"moved\"\nreason = \"not asked here\"\n";
    let dir = folder("conform-area", &scene, known);
    let (output, text) = conform(&["--responses", "cpf", "--fixtures", dir.to_str().unwrap()]);
    assert!(output.status.success() && text.contains("order < 1e-12 ✓"), "{text}");
}

/// Numbered lines of `--follow` under a heading: step, distance, contacts of the run and of the twin.
fn followed(text: &str, check: &str) -> Vec<(u64, f64, [u32; 2])> {
    let heading = format!("{check}: step, distance, contacts");
    let below = text.lines().skip_while(|l| !l.contains(&heading)).skip(1);
    let lines = below.take_while(|l| !l.contains("step, distance"));
    let row = |l: &str| {
        let mut words = l.split_whitespace();
        let step = words.next()?.parse().ok()?;
        let distance = words.next()?.parse().ok()?;
        let contacts = [words.next()?.parse().ok()?, words.next()?.parse().ok()?];
        Some((step, distance, contacts))
    };
    lines.filter_map(row).collect()
}

#[test]
fn a_run_is_followed_beside_its_twins_and_contacts_of_one_alone_are_named() {
    let dir = folder("conform-follow", &box_on_floor(1e4, -9.81), "");
    let (output, text) = conform(&[
        "--responses",
        "penalty",
        "--follow",
        "--duration",
        "0.01",
        "--fixtures",
        dir.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{text}");
    for check in ["order", "moved"] {
        let rows = followed(&text, check);
        assert_eq!(
            rows.iter().map(|r| r.0).collect::<Vec<_>>(),
            (1..=10).collect::<Vec<_>>(),
            "{check}: {text}"
        );
        assert!(rows.iter().all(|r| r.1 <= 1e-12), "{check}: {text}");
        // It starts on the floor by rounding; sunk in, it stands on its four corners in run and twin.
        assert!(rows[2..].iter().all(|r| r.2 == [4, 4]), "{check}: {text}");
    }
    assert!(!text.contains("only:"), "{text}");

    // Boxes exactly on boxes: moved, rounding decides which vertices are inside, and contacts that meet share out one spring.
    let (output, text) = conform(&["stack", "--responses", "cpf", "--follow", "--duration", "0.02"]);
    assert!(output.status.success(), "{text}");
    let moved = followed(&text, "moved");
    assert!(moved.iter().any(|r| r.2[0] != r.2[1]) && moved.iter().all(|r| r.1 <= 1e-12), "{text}");
    assert!(text.contains("differs most of those in both: box-"), "{text}");
    // Which of the two has them, and of which boxes, is rounding's.
    let alone = |l: &&str| l.contains(" only: box-") && l.contains(": vertex ") && l.ends_with(" N");
    assert!(text.lines().any(|l| alone(&l)), "{text}");
}
