//! `impinge calibrate` on a plane and a box, where the answer is known: n vertices of stiffness k give n k δ, whatever the response.

use crate::program::{accepted, file, impinge, place, words};
use std::sync::LazyLock;

fn calibrate(scene: &str, args: &[&str]) -> (bool, String) {
    let out = impinge(&[&["calibrate", scene], args].concat());
    (out.status.success(), words(&out))
}

/// A box of 1 kg with four vertices below, χ = 5 s/m, μ = 0.5, on a plane.
const SCENE: &str = "[scene]\ntitle = \"t\"\ndescription = \"d\"\ndt = 1e-3\nduration = 0.02\n\
        [[material]]\nname = \"m\"\n[[pair]]\nmaterials = [\"m\", \"m\"]\nstiffness = 1e4\nmu_s = 0.5\n\
        damping = { hunt_crossley = 5.0 }\n\
        [[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"m\"\nplane = { normal = [0.0, 0.0, 1.0] }\n\
        [[body]]\nname = \"box\"\nmaterial = \"m\"\nmass = 1.0\nmesh = { box = { size = [0.1, 0.1, 0.1] } }\n\
        pressure = { modulus = 1e6 }\nposition = [0.0, 0.0, 0.06]\n";

/// Its file, written once: the tests run at the same time.
fn scene() -> &'static str {
    static FILE: LazyLock<String> = LazyLock::new(|| file(&place(""), "calibrate.toml", SCENE));
    &FILE
}

/// The number after `what` on a line of its own.
fn number(text: &str, what: &str) -> f64 {
    let rest = text.split_once(what).unwrap_or_else(|| panic!("no {what}:\n{text}")).1;
    let word = rest.split_whitespace().next().unwrap().trim_end_matches([',', ';']);
    word.parse().unwrap_or_else(|_| panic!("{word} after {what}:\n{text}"))
}

#[test]
fn penalty_fitted_to_penalty_is_itself() {
    let (good, text) = calibrate(scene(), &["--from", "penalty", "--to", "penalty"]);
    assert!(good, "{text}");
    assert!((number(&text, "stiffness  ") / 1e4 - 1.0).abs() < 1e-9, "{text}");
    assert!(number(&text, "residual ") < 1e-9, "{text}");
    assert!((number(&text, "χ = ") / 5.0 - 1.0).abs() < 1e-6, "{text}");
    assert!((number(&text, "μs = ") - 0.5).abs() < 1e-9, "{text}");
    // Four vertices: F = 4 k δ.
    let (depth, force) = (number(&text, "pressed "), number(&text, "'floor': "));
    assert!((force / (4e4 * depth) - 1.0).abs() < 1e-3, "{force} N at {depth} m");
    assert!(text.contains("| penalty | penalty | penalty fitted |"), "{text}");
}

#[test]
fn continuous_penalty_has_the_same_stiffness_and_friction_as_the_discrete_one() {
    for to in ["cpf", "cpf-implicit", "dpf-ccd"] {
        let (good, text) = calibrate(scene(), &["--from", "penalty", "--to", to]);
        assert!(good, "{text}");
        assert!((number(&text, "stiffness  ") / 1e4 - 1.0).abs() < 1e-3, "{to}: {text}");
        assert!((number(&text, "μs = ") - 0.5).abs() < 1e-3, "{to}: {text}");
    }
}

#[test]
fn a_field_of_pressure_becomes_a_spring_of_its_own_force() {
    // A box of modulus E pressed flat on a plane by δ: p = E δ / (h/2) over its face, so F = 2 E A δ / h = 2e5 N/m · δ: 5e4 for each of four.
    let (good, text) = calibrate(scene(), &["--from", "pressure", "--to", "penalty"]);
    assert!(good, "{text}");
    assert!((number(&text, "stiffness  ") / 5e4 - 1.0).abs() < 0.02, "{text}");
}

#[test]
fn what_has_no_stiffness_is_refused_with_the_reason() {
    for (args, why) in [
        (["--from", "qp", "--to", "penalty"], "hard constraint"),
        (["--from", "penalty", "--to", "volume"], "hard constraint"),
        (["--from", "penalty", "--to", "pressure"], "pressure fields of the bodies"),
        (["--from", "penalty", "--to", "penaltie"], "unknown response"),
    ] {
        let (good, text) = calibrate(scene(), &args);
        assert!(!good && text.contains(why), "{args:?}: {text}");
    }
    let (good, text) = calibrate("cable-sag", &["--from", "penalty", "--to", "cpf"]);
    assert!(!good && text.contains("pair"), "{text}");
}

/// What is printed as keys is the fitted run: the same hash.
#[test]
fn the_keys_give_the_fitted_run() {
    let scene = scene();
    for (from, to) in [("penalty", "cpf"), ("volume-penalty", "penalty"), ("penalty", "volume-penalty")] {
        let (good, text) = calibrate(scene, &["--from", from, "--to", to]);
        assert!(good, "{text}");
        let keys = text.lines().find_map(|l| l.strip_prefix("as keys    ")).unwrap();
        let mut args = vec!["run", scene, "--no-report", "--response", to];
        for key in keys.split("--set ").map(|k| k.trim().trim_matches('\'')).filter(|k| !k.is_empty()) {
            args.extend(["--set", key]);
        }
        let out = accepted(&args);
        let hash = out.lines().find_map(|l| l.strip_prefix("hash ")).unwrap_or_else(|| panic!("{out}"));
        let told = text.lines().find(|l| l.starts_with("| hash ")).unwrap();
        assert!(told.trim_end_matches([' ', '|']).ends_with(hash), "{from} to {to}: {keys}\n{told}\n{hash}");
    }
}
