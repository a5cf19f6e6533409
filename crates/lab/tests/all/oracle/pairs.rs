//! Cases of `ccd_pair`, `cpf_pair`, `dpf_ccd_pair`, `ground` by hand, and what must not pass.

use super::*;

/// A vertex falls through (¼, ¼) of a face in z = 0 that reaches from 0 to 1, from 1 to −1; and rises again in the
/// eyes of a pair that was below from the start.
pub fn ccd_pair(carried: bool) -> Value {
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
pub fn falling() -> (Value, [f64; 3]) {
    let at = |z: f64| json!([[0.25, 0.25, z], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let input =
        json!({"pair": "vf", "x0": at(0.125), "x1": at(-0.375), "initial": null, "k": 1000.0, "dt": 0.01});
    (input, [0.5, 0.25, 0.25])
}

/// An impulse along z on the vertex and its reaction on the corners.
pub fn shared(i: f64, weights: [f64; 3]) -> Value {
    let [a, b, c] = weights.map(|w| [0.0, 0.0, -w * i]);
    json!([[0.0, 0.0, i], a, b, c])
}

pub fn cpf_pair() -> Value {
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

pub fn dpf_ccd_pair() -> Value {
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
pub fn ground() -> Value {
    json!({
        "input": {"p0": [3.0, 0.5, 1.0], "p1": [2.0, -0.5, 1.0], "normal": [0.0, 1.0, 0.0], "offset": 0.0, "k": 1000.0,
                  "dt": 0.01},
        "expected": {"interval": [0.5, 1.0], "impulse": [0.0, 1.25, 0.0], "tol": 1e-12, "t_tol": 1e-12},
    })
}

#[test]
fn the_cubic_is_compared_with_or_without_a_root() {
    // Above the face throughout: no root, and still the coefficients are those of the height, 1 − 2t + 4.
    let mut above = ccd_pair(false);
    for path in ["/input/x0/0/2", "/input/x1/0/2"] {
        let z = above.pointer(path).unwrap().as_f64().unwrap();
        above = changed(&above, path, json!(z + 4.0));
    }
    for (key, value) in [
        ("coeffs", json!([5.0, -2.0, 0.0, 0.0])),
        ("roots", json!([])),
        ("contact_times", json!([])),
        ("first_contact", json!(null)),
        ("intervals", json!([])),
    ] {
        above["expected"][key] = value;
    }
    let (ok, out, err) = oracle("ccd_pair", &above);
    assert!(ok, "{out}{err}");
    for case in [&above, &ccd_pair(false)] {
        for factor in [7.0, -1.0] {
            let c: Vec<f64> =
                (0..4).map(|i| factor * case["expected"]["coeffs"][i].as_f64().unwrap()).collect();
            assert_fails("ccd_pair", &changed(case, "/expected/coeffs", json!(c)), &["coeffs["]);
        }
    }
}

/// All in the plane z = 0 throughout, a face whose corner c passes through its opposite side at ½, and a point far off.
#[test]
fn times_of_a_vanishing_normal_in_plane_motion_are_compared() {
    let at = |s: f64| json!([[9.0, 9.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, s, 0.0]]);
    let case = json!({
        "input": {"pair": "vf", "x0": at(1.0), "x1": at(-1.0), "initial": null},
        "expected": {
            "coeffs": [0.0, 0.0, 0.0, 0.0], "coeff_tol": 1e-14, "classification": "coplanar_always", "roots": [],
            "degenerate_times": [0.5], "contact_times": [], "first_contact": null, "coplanar_contact": [], "intervals": [],
            "robust_events": false, "robust_intervals": false, "why": [],
        },
    });
    let (ok, out, err) = oracle("ccd_pair", &case);
    assert!(ok, "{out}{err}");
    for times in [json!([]), json!([0.4]), json!([0.5, 0.6])] {
        assert_fails("ccd_pair", &changed(&case, "/expected/degenerate_times", times), &["degenerate_times"]);
    }
}

#[test]
fn pairs_without_what_they_need_are_refused() {
    for key in ["side", "normal", "weights"] {
        let mut case = dpf_ccd_pair();
        case["expected"].as_object_mut().unwrap().remove(key);
        assert_refused("dpf_ccd_pair", &case, &["case_0", "needs", "`weights`"]);
    }
    let bare = changed(&ccd_pair(false), "/expected/roots/0/weights", json!(null));
    assert_refused("ccd_pair", &bare, &["roots[0]", "`weights`"]);
    let bare = changed(&ccd_pair(false), "/expected/intervals/0/weights", json!(null));
    assert_refused("ccd_pair", &bare, &["intervals[0] has no `weights`"]);
    for normal in [[0.0, 2.0, 0.0], [0.0; 3]] {
        assert_refused(
            "ground",
            &changed(&ground(), "/input/normal", json!(normal)),
            &["case_0", "`normal` has length"],
        );
    }
    assert_refused("ground", &changed(&ground(), "/input/k", json!(-5.0)), &["`k` is -5"]);
}
