//! The whole command over small folders: what it prints and whether it succeeds. The expected values are worked out
//! here, by hand or by the formula of the schema, never by the kernels.

mod bodies;
mod exit_codes;
mod mutations;
mod pairs;
mod points;
mod programs;

use crate::program::lab;
use bodies::{pressure_bodies, tet_pair, volume};
use pairs::{ccd_pair, cpf_pair, dpf_ccd_pair, ground};
use points::{dpf_mesh, friction, particle1d, robustness, spectral};
use programs::{infeasible, mlcp, qp, stabilisation};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of its own that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("impinge-oracle-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    fn with(self, name: &str, text: &str) -> Self {
        std::fs::write(self.0.join(name), text).unwrap();
        self
    }

    /// Success, standard output, standard error.
    fn oracle(&self, families: &[&str]) -> (bool, String, String) {
        let mut args = vec!["oracle".to_string(), self.0.to_string_lossy().into_owned()];
        if !families.is_empty() {
            args.extend(["--family".to_string(), families.join(",")]);
        }
        let out = lab(&args.iter().map(String::as_str).collect::<Vec<_>>());
        (out.status.success(), text(&out.stdout), text(&out.stderr))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn case_file(family: &str, cases: &[Value]) -> String {
    let cases: Vec<Value> = cases
        .iter()
        .enumerate()
        .map(|(i, c)| {
            let (input, expected) = (&c["input"], &c["expected"]);
            json!({"id": format!("case_{i}"), "family": family, "tags": [], "note": "", "input": input, "expected": expected})
        })
        .collect();
    json!({"family": family, "version": 1, "cases": cases}).to_string()
}

fn last_line(out: &str) -> &str {
    out.lines().last().unwrap()
}

/// A case with another value at one place.
fn changed(case: &Value, path: &str, value: Value) -> Value {
    let mut case = case.clone();
    *case.pointer_mut(path).unwrap_or_else(|| panic!("no {path}")) = value;
    case
}

/// The command over one case.
fn oracle(family: &str, case: &Value) -> (bool, String, String) {
    // Tests run side by side, and each needs a folder of its own.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder =
        Folder::new(&format!("one-{n}")).with("a.json", &case_file(family, std::slice::from_ref(case)));
    folder.oracle(&[family])
}

/// The case is read and its answer is wrong, with these words.
#[track_caller]
fn assert_fails(family: &str, case: &Value, words: &[&str]) {
    let (ok, out, err) = oracle(family, case);
    assert!(!ok && err.is_empty(), "{out}{err}");
    assert!(last_line(&out).starts_with("0 passed, 1 failed"), "{out}");
    assert!(words.iter().all(|w| out.contains(w)) && !out.contains("panicked"), "{words:?}: {out}");
}

/// The file is refused, with these words.
#[track_caller]
fn assert_refused(family: &str, case: &Value, words: &[&str]) {
    let (ok, out, err) = oracle(family, case);
    assert!(!ok && words.iter().all(|w| err.contains(w)), "{words:?}: {out}{err}");
    assert_eq!(last_line(&out), "0 passed, 0 failed");
}

fn right_cases() -> Vec<(&'static str, Vec<Value>)> {
    vec![
        ("ccd_pair", vec![ccd_pair(false), ccd_pair(true)]),
        ("cpf_pair", vec![cpf_pair()]),
        ("ground", vec![ground()]),
        ("dpf_ccd_pair", vec![dpf_ccd_pair()]),
        ("dpf_mesh", vec![dpf_mesh(1), dpf_mesh(0)]),
        (
            "particle1d",
            vec![
                particle1d("se", 1.0, 0.02, -0.5, 0.2, None),
                particle1d("se", 3.7, -0.004, 0.3, 0.0, Some(false)),
                particle1d("se", 0.6, 0.01, 0.0, 0.4, Some(true)),
                // The stiffness swings below zero: the formula to the letter, so the spring pulls.
                particle1d("se", 2.0, -0.001, -0.2, 3.0, None),
                particle1d("cpf", 1.0, 0.02, -0.5, 0.2, None),
                particle1d("cpf", 0.6, 0.01, 0.0, 0.4, Some(true)),
            ],
        ),
        ("particle1d_spectral", vec![spectral()]),
        ("particle1d_robustness", vec![robustness(false), robustness(true)]),
        ("friction", vec![friction()]),
        ("qp", vec![qp(false), qp(true), infeasible()]),
        ("mlcp", vec![mlcp("slip"), mlcp("stick"), mlcp("separating")]),
        ("mlcp_stabilization", vec![stabilisation()]),
        ("tet_pair", vec![tet_pair()]),
        ("pressure_bodies", vec![pressure_bodies("tet_tet"), pressure_bodies("half_space_rigid")]),
        ("volume", vec![volume(-10.0, 0.5), volume(-1.0, 1.01)]),
    ]
}

#[test]
fn right_answers_pass_in_every_family() {
    let mut all = Folder::new("right");
    for (family, cases) in right_cases() {
        all = all.with(&format!("{family}.json"), &case_file(family, &cases));
        let one = Folder::new(&format!("right-{family}")).with("a.json", &case_file(family, &cases));
        let (ok, out, err) = one.oracle(&[family]);
        assert!(ok && err.is_empty(), "{family}: {out}{err}");
        assert!(last_line(&out).starts_with(&format!("{} passed, 0 failed", cases.len())), "{out}");
    }
    let (ok, out, err) = all.oracle(&[]);
    assert!(ok && err.is_empty(), "{out}{err}");
    assert_eq!(last_line(&out), "29 passed, 0 failed", "{out}");
}

/// The schema may grow, so a key that nobody knows is no error; it is counted and named.
#[test]
fn unknown_keys_are_counted_and_named() {
    let mut case = ground();
    case["input"]["ofset"] = json!(1.0);
    case["expected"]["impulses"] = json!([]);
    let (ok, out, err) = oracle("ground", &case);
    assert!(ok && err.is_empty(), "{out}{err}");
    assert_eq!(last_line(&out), "1 passed, 0 failed, 2 skipped");
    assert!(
        out.contains("unknown key `input.ofset`") && out.contains("unknown key `expected.impulses`"),
        "{out}"
    );
}

#[test]
fn a_case_that_fails_does_not_hide_the_others() {
    let mut wrong = particle1d("se", 1.0, 0.02, -0.5, 0.2, None);
    wrong["expected"]["v"][7] = json!(0.25);
    let cases =
        [wrong, particle1d("se", 1.0, 0.02, -0.5, 0.2, None), particle1d("cpf", 1.0, 0.1, 0.0, 0.0, None)];
    let (ok, out, _) = Folder::new("mixed").with("a.json", &case_file("particle1d", &cases)).oracle(&[]);
    assert!(!ok);
    assert_eq!(last_line(&out), "2 passed, 1 failed");
    assert!(out.contains("failed: particle1d case_0: v[7] is "), "{out}");
}

#[test]
fn a_file_that_cannot_be_used_is_named_with_the_place() {
    let good = case_file("friction", &[friction()]);
    let short = {
        let mut c = particle1d("se", 1.0, 0.1, 0.0, 0.0, None);
        c["expected"]["v"].as_array_mut().unwrap().pop();
        case_file("particle1d", &[c])
    };
    let no_step = {
        let mut c = particle1d("se", 1.0, 0.1, 0.0, 0.0, None);
        c["input"]["dt"] = json!(0.0);
        case_file("particle1d", &[c])
    };
    let no_vertex = {
        let mut c = dpf_mesh(0);
        c["input"]["triangles"][1][0] = json!(99);
        case_file("dpf_mesh", &[c])
    };
    let no_tie = {
        let mut c = dpf_mesh(0);
        c["expected"]["points"][0]["triangles_tied"] = json!([]);
        case_file("dpf_mesh", &[c])
    };
    let twice = good.replace(r#""cases":["#, r#""cases":[XX,"#).replace("XX", &good_case(&good));
    let bad = [
        ("truncated", good[..good.len() / 2].to_string(), "line 1 column"),
        ("text", "{\n\"family\": friction\n}".to_string(), "line 2"),
        ("empty", String::new(), "line 1"),
        ("no-family", r#"{"cases": []}"#.to_string(), "no `family`"),
        (
            "field",
            good.replace("\"mu_s\"", "\"mu\""),
            "case 0 (`case_0`), `input`: missing field `mu_s` at line 1",
        ),
        (
            "type",
            good.replace("\"tol_rel\":", "\"tol_rel\":\"x\",\"was\":"),
            "case 0 (`case_0`), `expected`: invalid",
        ),
        ("version", good.replace("\"version\":1", "\"version\":7"), "`version` is 7"),
        (
            "other",
            good.replace("\"family\":\"friction\",\"id\"", "\"family\":\"qp\",\"id\""),
            "is of family `qp`",
        ),
        ("twice", twice, "the id `case_0` is used twice"),
        ("length", short, "case 0 (`case_0`): 120 steps need 121 of `x` and `v`"),
        ("dt", no_step, "dt is 0 s"),
        ("index", no_vertex, "triangle 1 names vertex 99"),
        ("tie", no_tie, "points[0].triangle is 0: not one of triangles_tied"),
    ];
    for (name, text, place) in bad {
        let folder = Folder::new(&format!("bad-{name}")).with("z.json", &good).with("bad.json", &text);
        let (ok, out, err) = folder.oracle(&[]);
        assert!(!ok, "{name}");
        assert!(err.contains("bad.json: ") && err.contains(place), "{name}: {err}");
        // What can be read still is.
        assert_eq!(last_line(&out), "1 passed, 0 failed", "{name}: {out}");
    }
}

/// The text of the only case of a file.
fn good_case(file: &str) -> String {
    let v: Value = serde_json::from_str(file).unwrap();
    v["cases"][0].to_string()
}

#[test]
fn nothing_to_check_is_not_a_success() {
    let (ok, out, err) = Folder::new("empty").oracle(&[]);
    assert!(!ok && err.contains("holds no case"), "{err}");
    assert_eq!(last_line(&out), "0 passed, 0 failed");

    let folder = Folder::new("one").with("friction.json", &case_file("friction", &[friction()]));
    let (ok, _, err) = folder.oracle(&["friction", "dpf_mesh"]);
    assert!(!ok && err.contains("no case of family `dpf_mesh`"), "{err}");
    let (ok, out, err) = folder.oracle(&["fricton"]);
    assert!(!ok && err.contains("did you mean `friction`?") && err.contains("`dpf_mesh`"), "{err}");
    assert_eq!(last_line(&out), "0 passed, 0 failed");
    let (ok, _, err) = folder.oracle(&[""]);
    assert!(!ok && err.contains("no family ``"), "{err}");

    let (ok, _, err) = Folder::new("none").with("friction.json", &case_file("friction", &[])).oracle(&[]);
    assert!(!ok && err.contains("holds no case"), "{err}");
    let hollow = json!({"input": {"s": []}, "expected": {"se": [], "cpf": [], "tol": 1.0}});
    let (ok, _, _) =
        Folder::new("hollow").with("a.json", &case_file("particle1d_spectral", &[hollow])).oracle(&[]);
    assert!(!ok, "a case that compares nothing passed");

    let missing = Folder(std::env::temp_dir().join("impinge-oracle-there-is-no-such-folder"));
    let (ok, _, err) = missing.oracle(&[]);
    assert!(!ok && err.contains("give the folder"), "{err}");
}

/// A family nobody knows is most likely a slip of the pen: its cases are not compared, and the run says so and fails.
#[test]
fn families_nobody_knows_are_errors_unless_others_were_asked_for() {
    let weather = r#"{"family": "weather", "version": 1, "cases": [{"id": "a"}, {"id": "b"}]}"#;
    let folder = Folder::new("later").with("weather.json", weather);
    let (ok, out, err) = folder.oracle(&[]);
    assert!(!ok && err.contains("weather.json: no family `weather`") && err.contains("`dpf_mesh`"), "{err}");
    assert_eq!(last_line(&out), "0 passed, 0 failed");

    let folder = folder.with("friction.json", &case_file("friction", &[friction()]));
    let (ok, out, err) = folder.oracle(&[]);
    assert!(!ok && err.contains("no family `weather`"), "{err}");
    assert_eq!(last_line(&out), "1 passed, 0 failed");
    let (ok, out, err) = folder.oracle(&["friction", "friction"]);
    assert!(ok && err.is_empty() && last_line(&out) == "1 passed, 0 failed", "{out}{err}");
}

/// An index beside the case files, and text, are passed over; the index is named.
#[test]
fn what_is_no_case_file_is_passed_over() {
    let folder = Folder::new("index")
        .with("index.json", r#"{"files": ["friction.json"]}"#)
        .with("note.txt", "not a case");
    let folder = folder.with("friction.json", &case_file("friction", &[friction()]));
    let (ok, out, err) = folder.oracle(&[]);
    assert!(ok && last_line(&out) == "1 passed, 0 failed", "{out}{err}");
    assert!(err.starts_with("note: ") && err.contains("index.json") && err.lines().count() == 1, "{err}");
}
