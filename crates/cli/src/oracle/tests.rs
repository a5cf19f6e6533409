//! The whole command over small folders: what it prints and whether it succeeds. The expected values are worked out
//! here, by hand or by the formula of the schema, never by the kernels.

use super::{OracleArgs, run};
use serde_json::{Value, json};
use std::path::PathBuf;

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
        let args = OracleArgs {
            dir: self.0.clone(),
            family: families.iter().map(|f| f.to_string()).collect(),
            verbose: false,
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let ok = run(&args, &mut out, &mut err).unwrap();
        (ok, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
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

/// A corner of the unit cube cut off: points inside near the floor, inside on the medial axis, outside. The kernel
/// takes the tie with the lower triangle, which is the one listed for `listed_tie` = 1.
fn dpf_mesh(listed_tie: usize) -> Value {
    let ties = [[0.0, 0.1, 0.3], [0.1, 0.0, 0.3]];
    let out_of = [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
    // Triangle 2 is (v0, v3, v2) in x = 0, triangle 1 is (v0, v1, v3) in y = 0.
    let (triangle, weights) = [(2, [0.6, 0.3, 0.1]), (1, [0.6, 0.1, 0.3])][listed_tie];
    let impulse = out_of[listed_tie].map(|n| 2.0 * 0.1 * n);
    json!({
        "input": {
            "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0, 1, 0], [0.0, 0.0, 1.0]],
            "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
            "points": [[0.3, 0.2, 0.01], [0.1, 0.1, 0.3], [0.25, 0.25, -0.5]],
            "point_kinds": ["inside", "medial_axis_tie", "outside"],
            "k": 2000.0, "dt": 1e-3,
        },
        "expected": {
            "tol_length": 1e-12, "tol_impulse": 1e-12,
            "points": [
                {
                    "inside": true, "winding": 1.0, "depth": 0.01, "distance": 0.01, "closest": [0.3, 0.2, 0.0],
                    "triangle": 0, "feature": "face", "triangles_tied": [0], "weights": [0.5, 0.2, 0.3],
                    "unique": true, "alternatives": [[0.3, 0.2, 0.0]], "normal": [0.0, 0.0, -1.0],
                    "impulse": [0.0, 0.0, -0.02], "reaction": [[0.0, 0.0, 0.01], [0.0, 0.0, 0.004], [0.0, 0.0, 0.006]],
                },
                {
                    "inside": true, "winding": 1.0, "depth": 0.1, "distance": 0.1, "closest": ties[listed_tie],
                    "triangle": triangle, "feature": "face", "triangles_tied": [triangle], "weights": weights,
                    "unique": false, "alternatives": ties, "normal": out_of[listed_tie], "impulse": impulse,
                    "reaction": weights.map(|w| impulse.map(|i| -w * i)),
                },
                {
                    "inside": false, "winding": 0.0, "depth": 0.0, "distance": 0.5, "closest": [0.25, 0.25, 0.0],
                    "triangle": 0, "feature": "face", "triangles_tied": [0], "weights": [0.5, 0.25, 0.25],
                    "unique": true, "alternatives": [[0.25, 0.25, 0.0]], "normal": [0.0, 0, 0],
                    "impulse": [0.0, 0.0, 0.0], "reaction": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
                },
            ],
        },
    })
}

/// The recursion of the schema, written out.
fn particle1d(method: &str, m: f64, x0: f64, v0: f64, eps: f64, bilateral: Option<bool>) -> Value {
    let (k, g, dt, omega, phase, steps) = (9e3, 9.81, 1.5e-3, 70.0, 0.3, 120);
    let (mut x, mut v) = (vec![x0], vec![v0]);
    let mut impulse = Vec::new();
    for n in 0..steps {
        let k_n = k * (1.0 + eps * (omega * f64::from(n) * dt + phase).sin());
        let (xn, vn) = (x[n as usize], v[n as usize]);
        let pulls = bilateral == Some(true);
        let depth = match method {
            "cpf" => {
                // The mean of −x over the path to the predicted end; a crossing path is below 0 for part of it.
                let end = xn + dt * (vn - g * dt);
                match (xn < 0.0, end < 0.0) {
                    (true, true) => -0.5 * (xn + end),
                    _ if pulls => -0.5 * (xn + end),
                    (false, false) => 0.0,
                    (true, false) => 0.5 * xn * xn / (end - xn),
                    (false, true) => 0.5 * end * end / (xn - end),
                }
            }
            _ => {
                if pulls || xn < 0.0 {
                    -xn
                } else {
                    0.0
                }
            }
        };
        impulse.push(dt * k_n * depth);
        let next = vn - g * dt + dt * k_n * depth / m;
        v.push(next);
        x.push(xn + dt * next);
    }
    json!({
        "input": {"method": method, "m": m, "k": k, "g": g, "x0": x0, "v0": v0, "dt": dt, "eps": eps,
                  "omega": omega, "phase": phase, "steps": steps, "bilateral": bilateral},
        "expected": {"x": x, "v": v, "impulse": impulse, "tol_x": 1e-11, "tol_v": 1e-9, "tol_impulse": 1e-9},
    })
}

/// SE: λ² − (2 − s) λ + 1 = 0; at s = 4.5 it is λ² + 2.5 λ + 1, roots −2 and −½. CPF: λ² − (2 − 3s/2) λ + 1 − s/2 = 0; at s = 4
/// λ² + 4 λ − 1, roots −2 ± √5; at s = 4.5 λ² + 4.75 λ − 1.25, roots −5 and ¼.
fn spectral() -> Value {
    json!({
        "input": {"s": [0.5, 4, 4.5]},
        "expected": {"se": [1.0, 1.0, 2.0], "cpf": [0.8660254037844386, 4.23606797749979, 5.0], "tol": 1e-7},
    })
}

/// First touch, pulled, dragged beyond the cone, let go.
fn friction() -> Value {
    let slide = 0.25 * 10.0 * -f64::exp_m1(-2.0);
    json!({
        "input": {
            "normal": [0.0, 0.0, 1.0],
            "positions": [[0.0, 0.0, 0.0], [0.01, 0.0, 0.5], [0.1, 0.0, 0.0], [0.1, 0.0, 0.0]],
            "slip_velocities": [[0.0, 0.0, 0.0], [0.1, 0.0, 7.0], [0.2, 0.0, 0.0], [0.0, 0.0, 0.0]],
            "normal_forces": [10.0, 10.0, 10.0, 0.0],
            "k_fp": 100.0, "k_fd": 5.0, "mu_s": 0.5, "mu_d": 0.25, "k_omega": 10.0,
        },
        "expected": {
            "tol_rel": 1e-12, "min_switch_margin": 0.1,
            "steps": [
                {"state": "static", "force": [0.0, 0.0, 0.0], "p_ref": [0.0, 0.0, 0.0]},
                {"state": "static", "force": [-1.5, 0.0, 0.0], "p_ref": [0.0, 0.0, 0.0]},
                {"state": "dynamic", "force": [-slide, 0.0, 0.0], "p_ref": [0.1, 0.0, 0.0]},
                {"state": "none", "force": [0.0, 0.0, 0.0], "p_ref": null},
            ],
        },
    })
}

/// A vertex falls through (¼, ¼) of a face in z = 0 that reaches from 0 to 1, from 1 to −1; and rises again in the
/// eyes of a pair that was below from the start.
fn ccd_pair(carried: bool) -> Value {
    let face = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let at = |z: f64| json!([[0.25, 0.25, z], face[0], face[1], face[2]]);
    let weights = [0.5, 0.25, 0.25];
    let (from, initial, interval) = if carried {
        let open = json!({"ta": 0.0, "tb": 0.5, "side": 1, "entry": "initial", "weights": weights});
        (-1.0, json!({"side": 1, "weights": weights}), open)
    } else {
        (1.0, json!(null), json!({"ta": 0.5, "tb": 1.0, "side": 1, "entry": "contact", "weights": weights}))
    };
    json!({
        "input": {"pair": "vf", "x0": at(from), "x1": at(-from), "initial": initial},
        "expected": {
            "coeffs": [from, -2.0 * from, 0.0, 0.0], "coeff_tol": 1e-14, "classification": "regular",
            "roots": [{"t": 0.5, "t_tol": 1e-12, "multiplicity": 1, "sign_change": true, "inside": true,
                       "parallel": false, "weights": weights, "w_tol": 1e-12}],
            "degenerate_times": [], "contact_times": [0.5], "first_contact": 0.5, "coplanar_contact": null,
            "intervals": [interval], "robust_events": true, "robust_intervals": true, "why": [],
        },
    })
}

/// A vertex falls from 1/8 to −3/8 through (¼, ¼) of a face at rest in z = 0: k Δt ∫ depth dt = 10 · (3/8)²/(2 · ½), and
/// k Δt times the depth at the end for the discrete force.
fn falling() -> (Value, [f64; 3]) {
    let at = |z: f64| json!([[0.25, 0.25, z], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let input =
        json!({"pair": "vf", "x0": at(0.125), "x1": at(-0.375), "initial": null, "k": 1000.0, "dt": 0.01});
    (input, [0.5, 0.25, 0.25])
}

/// An impulse along z on the vertex and its reaction on the corners.
fn shared(i: f64, weights: [f64; 3]) -> Value {
    let [a, b, c] = weights.map(|w| [0.0, 0.0, -w * i]);
    json!([[0.0, 0.0, i], a, b, c])
}

fn cpf_pair() -> Value {
    let (input, weights) = falling();
    let i = 1.40625;
    let up = [0.0, 0.0, i];
    let points = shared(i, weights);
    json!({
        "input": input,
        "expected": {
            "L": [1.0, 1.0, 1.0, 1.0, 1.0], "Lk": 1.0, "I_approx": up, "I_exact": up,
            "impulses_approx": points, "impulses_exact": points,
            "impulses_approx_single_w": points, "impulses_exact_single_w": points,
            "intervals": [{"ta": 0.25, "tb": 1.0, "side": 1, "entry": "contact", "weights": weights,
                           "I_approx": up, "I_exact": up}],
            "tol_total": 1e-12, "tol_points": 1e-12, "robust": true, "classification": "regular",
        },
    })
}

fn dpf_ccd_pair() -> Value {
    let (input, weights) = falling();
    json!({
        "input": input,
        "expected": {
            "depth": 0.375, "side": 1, "normal": [0.0, 0.0, 1.0], "weights": weights,
            "impulse": [0.0, 0.0, 3.75], "impulses": shared(3.75, weights), "tol": 1e-12,
            "robust": true, "classification": "regular",
        },
    })
}

/// From ½ above the plane to ½ below it: half the step, mean depth ¼.
fn ground() -> Value {
    json!({
        "input": {"p0": [3.0, 0.5, 1.0], "p1": [2.0, -0.5, 1.0], "normal": [0.0, 1.0, 0.0], "offset": 0.0, "k": 1000.0,
                  "dt": 0.01},
        "expected": {"interval": [0.5, 1.0], "impulse": [0.0, 1.25, 0.0], "tol": 1e-12, "t_tol": 1e-12},
    })
}

/// Without gravity and at rest above the spring a particle stays: its apex is where it began, whatever the method. A
/// criterion below that calls it unstable.
fn robustness(low: bool) -> Value {
    let run = |method: &str, criterion: f64| json!({"method": method, "eps": 0.3, "omega": 50.0, "phase": 0.1, "T": 0.5, "dt": 0.002, "criterion": criterion});
    let (criterion, unstable) = if low { (0.5, true) } else { (1.5, false) };
    let verdict = json!({"unstable": unstable, "apex_ratio": 1.0, "robust": true});
    json!({
        "input": {"m": 2.0, "k": 1e4, "g": 0.0, "x0": 0.25, "runs": [run("se", criterion), run("cpf", criterion)]},
        "expected": {"verdicts": [verdict, verdict]},
    })
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
    assert_eq!(last_line(&out), "17 passed, 0 failed", "{out}");
}

/// Paths of the expected answers that must matter.
fn leaves(v: &Value, path: &str, found: &mut Vec<String>) {
    // Tolerances and lists of what else is allowed are no answers; `unique` says how to read the others.
    let ignored = [
        "min_switch_margin",
        "unique",
        "alternatives",
        "triangles_tied",
        "coeff_tol",
        "t_tol",
        "w_tol",
        "robust",
        "robust_events",
        "robust_intervals",
        "coplanar_contact",
    ];
    let name = path.rsplit('/').next().unwrap_or_default();
    if name.starts_with("tol") || ignored.contains(&name) {
        return;
    }
    match v {
        Value::Array(a) => a.iter().enumerate().for_each(|(i, v)| leaves(v, &format!("{path}/{i}"), found)),
        Value::Object(o) => o.iter().for_each(|(k, v)| leaves(v, &format!("{path}/{k}"), found)),
        _ => found.push(path.to_string()),
    }
}

#[test]
fn every_wrong_answer_fails() {
    let folder = Folder::new("wrong");
    for (family, cases) in right_cases() {
        let mut paths = Vec::new();
        leaves(&cases[0]["expected"], "", &mut paths);
        assert!(!paths.is_empty(), "{family}");
        for path in paths {
            // The normal of the outside point says nothing, and on the medial axis the listed closest point is
            // one of the alternatives, any of which will do.
            let free = ["/points/2/normal", "/points/1/closest"];
            if family == "dpf_mesh" && free.iter().any(|f| path.starts_with(f)) {
                continue;
            }
            let mut case = cases[0].clone();
            let leaf = case["expected"].pointer_mut(&path).unwrap();
            *leaf = match &*leaf {
                Value::Number(n) if n.is_u64() => json!(n.as_u64().unwrap() + 1),
                Value::Number(n) => json!(n.as_f64().unwrap() + 1.0),
                Value::Bool(b) => json!(!b),
                Value::Null => json!([0.0, 0.0, 0.0]),
                Value::String(s) if s == "face" => continue,
                Value::String(s) => json!(match s.as_str() {
                    "static" => "dynamic",
                    "regular" => "coplanar_always",
                    "contact" => "initial",
                    _ => "static",
                }),
                other => panic!("{path} is {other}"),
            };
            if let Some(point) = path.strip_suffix("/triangle") {
                // The list of ties holds the triangle itself.
                let tied = json!([case["expected"].pointer(&path)]);
                *case["expected"].pointer_mut(&format!("{point}/triangles_tied")).unwrap() = tied;
            }
            std::fs::write(folder.0.join("a.json"), case_file(family, &[case])).unwrap();
            let (ok, out, _) = folder.oracle(&[family]);
            assert!(!ok, "{family}: {path} changed and nothing happened\n{out}");
            assert!(last_line(&out).starts_with("0 passed, 1 failed"), "{family}: {path}\n{out}");
            assert!(out.contains("failed: "), "{out}");
        }
    }
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
