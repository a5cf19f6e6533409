//! Cases of `dpf_mesh`, `friction` and the particles on a spring by hand, and what must not pass.

use super::*;

/// A corner of the unit cube cut off: points inside near the floor, inside on the medial axis, outside. The kernel
/// takes the tie with the lower triangle, which is the one listed for `listed_tie` = 1.
pub fn dpf_mesh(listed_tie: usize) -> Value {
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
pub fn particle1d(method: &str, m: f64, x0: f64, v0: f64, eps: f64, bilateral: Option<bool>) -> Value {
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
pub fn spectral() -> Value {
    json!({
        "input": {"s": [0.5, 4, 4.5]},
        "expected": {"se": [1.0, 1.0, 2.0], "cpf": [0.8660254037844386, 4.23606797749979, 5.0], "tol": 1e-7},
    })
}

/// First touch, pulled, dragged beyond the cone, let go.
pub fn friction() -> Value {
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

/// Without gravity and at rest above the spring a particle stays: its apex is where it began, whatever the method. A
/// criterion below that calls it unstable.
pub fn robustness(low: bool) -> Value {
    let run = |method: &str, criterion: f64| json!({"method": method, "eps": 0.3, "omega": 50.0, "phase": 0.1, "T": 0.5, "dt": 0.002, "criterion": criterion});
    let (criterion, unstable) = if low { (0.5, true) } else { (1.5, false) };
    let verdict = json!({"unstable": unstable, "apex_ratio": 1.0, "robust": true});
    json!({
        "input": {"m": 2.0, "k": 1e4, "g": 0.0, "x0": 0.25, "runs": [run("se", criterion), run("cpf", criterion)]},
        "expected": {"verdicts": [verdict, verdict]},
    })
}

#[test]
fn features_ties_and_windings_matter() {
    let right = dpf_mesh(1);
    for (path, value, place) in [
        ("/expected/points/0/feature", json!("edge"), "points[0].feature"),
        ("/expected/points/2/feature", json!("vertex"), "points[2].feature"),
        ("/expected/points/0/winding", json!(1.001), "points[0].winding"),
        ("/expected/points/1/alternatives/0", json!([0.3, 0.2, 0.3]), "points[1].alternatives[0]"),
        (
            "/expected/points/1/alternatives/0",
            json!([0.1, 0.0, 0.3]),
            "points[1].alternatives[1] is listed before",
        ),
        ("/expected/points/0/triangles_tied", json!([0, 3]), "points[0].closest above tied triangle 3"),
    ] {
        assert_fails("dpf_mesh", &changed(&right, path, value), &[place]);
    }
    for (path, value) in [
        ("/expected/points/1/alternatives", json!([])),
        ("/expected/points/1/alternatives", json!([[0.1, 0.0, 0.3]])),
        ("/expected/points/1/unique", json!(true)),
        ("/expected/points/0/unique", json!(false)),
    ] {
        assert_refused("dpf_mesh", &changed(&right, path, value), &["case_0", "alternatives has"]);
    }
    // Beside an edge the foot is on it, and so the feature is an edge: the middle of that from v1 to v2, from outside.
    let mut edge = right.clone();
    let (far, foot) = ([0.5 + 0.25, 0.5 + 0.25, -0.25], [0.5, 0.5, 0.0]);
    edge["input"]["points"] = json!([far]);
    edge["input"]["point_kinds"] = json!(["edge"]);
    let mut point = right["expected"]["points"][2].clone();
    for (key, value) in [
        ("distance", json!((3.0f64 / 16.0).sqrt())),
        ("closest", json!(foot)),
        ("triangle", json!(0)),
        ("triangles_tied", json!([0, 3])),
        ("weights", json!([0.0, 0.5, 0.5])),
        ("alternatives", json!([foot])),
        ("feature", json!("edge")),
    ] {
        point[key] = value;
    }
    edge["expected"]["points"] = json!([point]);
    let (ok, out, err) = oracle("dpf_mesh", &edge);
    assert!(ok, "{out}{err}");
    assert_fails(
        "dpf_mesh",
        &changed(&edge, "/expected/points/0/feature", json!("face")),
        &["points[0].feature"],
    );
}

#[test]
fn friction_on_no_plane_is_refused() {
    for normal in [[0.0; 3], [0.0, 0.0, 2.0]] {
        assert_refused(
            "friction",
            &changed(&friction(), "/input/normal", json!(normal)),
            &["case_0", "`normal` has length"],
        );
    }
    assert_refused("friction", &changed(&friction(), "/input/mu_s", json!(-0.5)), &["`mu_s` is -0.5"]);
}
