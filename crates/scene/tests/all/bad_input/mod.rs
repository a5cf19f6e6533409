//! Every mistake is reported at its line and column, with a reason and a fix. In the cases below `@` marks the place; it is
//! taken out before the text is read.

use impinge_scene::{SceneError, SceneSpec};
use std::path::Path;

mod actuators;
mod bodies;
mod laws;
mod sensors;
mod soft;

const GOOD: &str = r#"
[scene]
title = "good"
dt = 1e-3
duration = 1.0

[[material]]
name = "steel"
density = 7800.0

[[material]]
name = "rubber"
density = 1100.0

[[pair]]
materials = ["steel", "rubber"]
stiffness = 1e4

[[pair]]
materials = ["rubber", "rubber"]
stiffness = 1e3

[[body]]
name = "floor"
kind = "fixed"
material = "steel"
plane = {}

[[body]]
name = "ball"
material = "rubber"
mesh = { icosphere = { radius = 0.1, subdivisions = 1 } }
"#;

fn read(text: &str) -> Result<SceneSpec, SceneError> {
    SceneSpec::from_str(text, Path::new("test.toml"))
}

/// Puts `new` in the place of `old` in the good scene; the first issue must stand at the `@` and say all of `says`.
#[track_caller]
fn case(old: &str, new: &str, says: &[&str]) {
    assert_eq!(GOOD.matches(old).count(), 1, "`{old}` must stand once in the good scene");
    text_case(&GOOD.replace(old, new), says);
}

#[track_caller]
fn added(text: &str, says: &[&str]) {
    text_case(&format!("{GOOD}\n{text}\n"), says);
}

#[track_caller]
fn text_case(marked: &str, says: &[&str]) {
    let at = marked.find('@').expect("the case marks the place with @");
    let before = &marked[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
    let text = marked.replacen('@', "", 1);
    let error = match read(&text) {
        Ok(scene) => scene.meshes().expect_err("the scene was taken"),
        Err(e) => e,
    };
    let all = error.to_string();
    let issue = error
        .issues()
        .iter()
        .find(|i| (i.line, i.column) == (line, column))
        .unwrap_or_else(|| panic!("nothing reported at {line}:{column}:\n{all}"));
    let shown = issue.to_string();
    for say in says {
        assert!(shown.contains(say), "`{say}` is missing in:\n{shown}");
    }
    assert_eq!(error.issues().len(), 1, "one mistake, one report:\n{all}");
    assert_eq!(issue.origin, "test.toml");
    // The caret stands under the marked letter.
    let lines: Vec<&str> = shown.lines().collect();
    let caret = lines.iter().find(|l| l.trim_end().ends_with('^')).expect("a caret picture");
    let source = lines.iter().find(|l| l.starts_with(&format!("{line} | "))).expect("the source line");
    let under = caret.chars().position(|c| c == '^').unwrap();
    let marked_char = marked[at + 1..].chars().next().unwrap_or(' ');
    if marked_char != '\n' {
        assert_eq!(source.chars().nth(under), Some(marked_char), "{shown}");
    }
}

#[test]
fn the_good_scene_is_good() {
    let scene = read(GOOD).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((scene.bodies.len(), scene.steps()), (2, 1000));
    assert!(scene.meshes().is_ok());
}

#[test]
fn unknown_keys() {
    case(
        "density = 7800.0",
        "@densty = 7800.0",
        &["`densty` is not a key of `[[material]]`", "did you mean `density`?"],
    );
    case(
        "dt = 1e-3",
        "dt = 1e-3\n@time_step = 1.0",
        &["`time_step` is not a key of `[scene]`", "`duration`"],
    );
    case(
        "[scene]",
        "[@secne]\n[scene]",
        &["`secne` is not a key of the scene file", "did you mean `scene`?"],
    );
    case("subdivisions = 1", "@subdivision = 1", &["`mesh.icosphere`", "did you mean `subdivisions`?"]);
    case("mesh = { icosphere", "mesh = { @icospere", &["did you mean `icosphere`?"]);
    case(
        "stiffness = 1e4",
        "stiffness = 1e4\ndamping = { @kelvin_voight = 1.0 }",
        &["did you mean `kelvin_voigt`?"],
    );
}

/// A key of another table is told with that table, a joint with what there is instead.
#[test]
fn keys_of_other_tables() {
    case(
        "density = 7800.0",
        "density = 7800.0\n@young = 1e6",
        &[
            "`young` is not a key of `[[material]]`",
            "fix: it is a key of `body.elastic`, `body.cloth`, `body.cable`;",
        ],
    );
    case("dt = 1e-3", "dt = 1e-3\n@frame_interval = 0.1", &["it is a key of `[record]`"]);
    added(
        "[[@joint]]\nbodies = [\"ball\", \"floor\"]",
        &["`joint`", "out of scope", "`anchors`", "`attach`", "`keyframes`"],
    );
}

#[test]
fn the_keys_of_a_table_are_listed_once() {
    let text = GOOD.replace("dt = 1e-3", "dt = 1e-3\nfoo = 1\ngravty = 2\nqux = 3");
    let e = read(&text).unwrap_err().to_string();
    assert_eq!(e.matches("the keys here are").count(), 1, "{e}");
    assert!(e.contains("did you mean `gravity`?") && e.contains("stand above"), "{e}");
}

/// Told at the line, and no number in hundreds of digits.
#[test]
fn numbers_beyond_use() {
    let e = read(&GOOD.replace("dt = 1e-3", "dt = 1e-300")).unwrap_err().to_string();
    assert!(e.contains("1 s in steps of 1e-300 s are 1.0e300 steps"), "{e}");
    let scene = read(&GOOD.replace("density = 1100.0", "density = 1e-300")).unwrap();
    let e = scene.simulation().err().expect("taken").to_string();
    let line = GOOD.lines().position(|l| l.starts_with("mesh")).unwrap() + 1;
    assert!(e.contains(&format!("test.toml:{line}:")) && e.contains("fix: check `density`"), "{e}");
    case("radius = 0.1", "radius = @1e150", &["`radius` may not be 1e150 m", "at most 1e9 m"]);
    let e = read(&GOOD.replace("density = 1100.0", "density = 1e300")).unwrap_err().to_string();
    assert!(e.contains("`density` may not be 1e300 kg/m³") && e.contains("at most 1e30 kg/m³"), "{e}");
    case("duration = 1.0", "duration = @1e300", &["`duration` may not be 1e300 s", "at most 1e9 s"]);
    case(
        "duration = 1.0",
        "duration = 1.0\ngravity = [0, 0, @-1e300]",
        &["`gravity` may not be -1e300 m/s²"],
    );
    let driven = |driver: &str| {
        let body = format!(
            "[[body]]\nname = \"pusher\"\nkind = \"kinematic\"\nmaterial = \"steel\"\nmesh = {{ box = {{ size = [1, 1, 1] }} }}\n{driver}\n"
        );
        let text = format!("{GOOD}\n{body}");
        let line = text.lines().position(|l| l.contains("1e300")).unwrap() + 1;
        let e = read(&text).unwrap_err().to_string();
        assert!(e.contains(&format!("test.toml:{line}:")) && e.contains("at most 1e9 m"), "{e}");
    };
    driven("driver = { constant_velocity = { velocity = [0, 1e300, 0] } }");
    driven("driver = { sine = { amplitude = [0, 0, 1e300], frequency = 1 } }");
    driven("keyframes = [{ time = 0, position = [0, 0, 0] }, { time = 1, position = [1e300, 0, 0] }]");
}

#[test]
fn broken_text() {
    case("dt = 1e-3", "dt = @", &["test.toml:4:6", "TOML"]);
    let e = read("[scene\ntitle = ").unwrap_err();
    assert!(!e.issues().is_empty() && e.issues()[0].line == 1);
    for text in
        ["", "\n\n", "[scene]", "body = []", "body = 3", "scene = [[[", "=", "\u{feff}[scene]", "é = 1"]
    {
        assert!(!read(text).unwrap_err().issues().is_empty(), "{text:?} was taken");
    }
}

#[test]
fn missing_keys() {
    case(
        "[scene]\ntitle = \"good\"\ndt = 1e-3\nduration = 1.0",
        "@[scene]\ntitle = \"good\"\ndt = 1e-3",
        &["has no `duration`", "(s)", "Simulated time"],
    );
    case("[[material]]\nname = \"steel\"", "@[[material]]", &["has no `name`"]);
    let e = read("").unwrap_err().to_string();
    assert!(e.contains("has no `scene`") && e.contains("has no `body`"), "{e}");
}

#[test]
fn numbers_out_of_bounds() {
    for bad in ["0.0", "-1e-3", "nan", "inf", "\"fast\"", "1e999", "[1.0]", "true", "1979-05-27"] {
        case("dt = 1e-3", &format!("dt = @{bad}"), &["`dt` may not be", "above 0 (s)"]);
        case("duration = 1.0", &format!("duration = @{bad}"), &["`duration` may not be", "above 0 (s)"]);
    }
    case("duration = 1.0", "duration = @1e-4", &["shorter than one step"]);
    case("dt = 1e-3", "dt = @1e-12", &["steps", "raise `dt`"]);
    case("duration = 1.0", "duration = 1.0\ngravity = @[0, nan, 0]", &["`gravity` may not be [0, NaN, 0]"]);
    case("duration = 1.0", "duration = 1.0\ngravity = @[0, 1]", &["three finite numbers"]);
    case("stiffness = 1e4", "stiffness = @-1e4", &["`stiffness` may not be", "(N/m)"]);
    case("stiffness = 1e4", "stiffness = @0", &["`stiffness` may not be the integer 0"]);
    case(
        "stiffness = 1e4",
        "stiffness = 1e4\nmu_s = @-0.1",
        &["`mu_s` may not be the number -0.1", "0 or more"],
    );
    case(
        "stiffness = 1e4",
        "stiffness = 1e4\nmu_s = 0.3\nmu_k = @0.4",
        &["`mu_k` (0.4) is above `mu_s` (0.3)"],
    );
    case("density = 7800.0", "density = @-7800.0", &["`density` may not be", "kg/m³"]);
    case("material = \"rubber\"", "material = \"rubber\"\nmass = @-1.0", &["`mass` may not be", "(kg)"]);
    case(
        "subdivisions = 1",
        "subdivisions = @40",
        &["`subdivisions` may not be the integer 40", "from 0 to 8"],
    );
    case("subdivisions = 1", "subdivisions = @1.5", &["a whole number"]);
    case("subdivisions = 1", "subdivisions = @99999999999999999999999", &["from 0 to 8"]);
    case("plane = {}", "plane = { normal = @[0, 0, 0] }", &["`normal` may not be [0, 0, 0]", "not all 0"]);
    case("plane = {}", "plane = { offset = @inf }", &["`offset` may not be"]);
    added("[record]\nframes = @0", &["`frames` may not be the integer 0"]);
    added("[record]\nframes = 5\n@frame_interval = 0.1", &["stands beside `frames`"]);
}

#[test]
fn unknown_words() {
    case("dt = 1e-3", "dt = 1e-3\nresponse = @\"penlty\"", &["no \"penlty\"", "did you mean `penalty`?"]);
    case("dt = 1e-3", "dt = 1e-3\nintegrator = @\"simplectic-euler\"", &["did you mean `symplectic-euler`?"]);
    case("kind = \"fixed\"", "kind = @\"static\"", &["`kind` has no \"static\"", "`fixed`"]);
    case(
        "material = \"rubber\"",
        "material = @\"ruber\"",
        &["no material `ruber`", "did you mean `rubber`?"],
    );
    case(
        "materials = [\"steel\", \"rubber\"]",
        "materials = [@\"stel\", \"rubber\"]",
        &["no material `stel`", "did you mean `steel`?"],
    );
    added("[penalty]\nevaluate = @\"middle\"", &["`evaluate` has no \"middle\"", "`start`"]);
    added("[[rule]]\nbodies = [@\"bal\", \"floor\"]", &["no body is called `bal`", "did you mean `ball`?"]);
    added(
        "[[rule]]\nbodies = [\"ball\", \"floor\"]\nresponse = @\"magic\"",
        &["`response` has no \"magic\"", "`penalty`"],
    );
    added("[[rule]]\nbodies = @[\"ball\", \"ball\"]", &["names `ball` twice"]);
}

#[test]
fn wrong_kinds_of_tables() {
    case(
        "[[material]]\nname = \"steel\"\ndensity = 7800.0\n\n[[material]]\nname = \"rubber\"\ndensity = 1100.0\n",
        "[@material]\nname = \"steel\"\n".replace("[@", "@[").as_str(),
        &["one table; it must be a list", "[[material]]"],
    );
    added("[[@rule]]".replace("[[@rule]]", "@[[rule]]").as_str(), &["has no `bodies`"]);
    case("plane = {}", "plane = @3", &["`plane` may not be the integer 3", "a table"]);
}

#[test]
fn several_mistakes_at_once() {
    let text = GOOD
        .replace("dt = 1e-3", "dt = -1")
        .replace("density = 7800.0", "densty = 1")
        .replace("radius = 0.1", "radius = 0");
    let e = read(&text).unwrap_err();
    assert_eq!(e.issues().len(), 3, "{e}");
    assert!(e.issues().windows(2).all(|w| w[0].line < w[1].line));
    assert!(e.to_string().ends_with("3 problems in this scene"));
}

#[test]
fn files_that_are_not_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes");
    let e = SceneSpec::load(&folder.join("dorp.toml")).unwrap_err().to_string();
    assert!(e.contains("no such scene file") && e.contains("did you mean `drop.toml`?"), "{e}");
    assert!(SceneSpec::load(&folder).is_err());
    // What is there and cannot be read is not what it was mistaken for.
    let there = Path::new(env!("CARGO_TARGET_TMPDIR")).join("z.toml");
    std::fs::create_dir_all(&there).unwrap();
    let e = SceneSpec::load(&there).unwrap_err().to_string();
    assert!(e.contains("cannot be read") && !e.contains("did you mean"), "{e}");
    let e = SceneSpec::load(Path::new("/no/such/folder/x.toml")).unwrap_err().to_string();
    assert!(e.contains("give the path"), "{e}");
}

/// An editor that saves two bytes a letter.
#[test]
fn a_scene_in_utf16_is_named_as_that() {
    let text = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}[scene]".encode_utf16().chain(GOOD.encode_utf16()).flat_map(order).collect()
    };
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, bytes) in [("le.toml", text(u16::to_le_bytes)), ("be.toml", text(u16::to_be_bytes))] {
        let path = dir.join(name);
        std::fs::write(&path, bytes).unwrap();
        let said = SceneSpec::load(&path).unwrap_err().to_string();
        assert!(said.contains("UTF-16") && said.contains(name), "{said}");
    }
}
