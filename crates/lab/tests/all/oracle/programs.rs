//! Cases of `qp`, `mlcp`, `mlcp_stabilization` by hand, and what must not pass.

use super::*;

/// min Δv₀² + 2Δv₁² − 2Δv₀ − 4Δv₁ under Δv₀ ≤ ½ and Δv₁ ≤ 3, and the first row once more when `twice`. Kept at l = 0.1 a row gives way:
/// Δv₀ − μ/10 = ½ and 2Δv₀ − 2 + μ = 0 (or twice μ).
pub fn qp(twice: bool) -> Value {
    let (rows, c) = if twice {
        (json!([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), json!([0.5, 3.0, 0.5]))
    } else {
        (json!([[1.0, 0.0], [0.0, 1.0]]), json!([0.5, 3.0]))
    };
    // μ = (1 − 2 · ½ + …): with n equal rows Δv₀ (1 + 0.2/n) = ½ + 0.2/n.
    let n = if twice { 2.0 } else { 1.0 };
    let kept = (0.5 + 0.2 / n) / (1.0 + 0.2 / n);
    let mu = (2.0 - 2.0 * kept) / n;
    let (mu, regularised) = if twice {
        (json!([0.5, 0.0, 0.5]), json!([mu, 0.0, mu]))
    } else {
        (json!([1.0, 0.0]), json!([mu, 0.0]))
    };
    json!({
        "input": {"n": 2, "m": 2 + u8::from(twice), "K": [[2.0, 0.0], [0.0, 4.0]], "b": [2.0, 4.0], "J": rows, "c": c, "eq": []},
        "expected": {
            "status": "solved", "dv": [0.5, 1.0], "tol_dv": 1e-9, "objective": -2.75, "mu": mu, "mu_unique": !twice,
            "active": if twice { json!([0, 2]) } else { json!([0]) },
            "slack": if twice { json!([0.0, 2.0, 0.0]) } else { json!([0.0, 2.0]) },
            "regularised": {"l": 0.1, "dv": [kept, 1.0], "mu": regularised, "tol_dv": 1e-9, "tol_mu": 1e-8},
        },
    })
}

/// Δv ≤ −1 and Δv ≥ 1; kept at l = 1 both rows give way: μ₀ = Δv + 1, μ₁ = 1 − Δv, 2Δv − 2 + μ₀ − μ₁ = 0.
pub fn infeasible() -> Value {
    json!({
        "input": {"n": 1, "m": 2, "K": [[2.0]], "b": [2.0], "J": [[1.0], [-1.0]], "c": [-1.0, -1.0], "eq": []},
        "expected": {
            "status": "infeasible",
            "regularised": {"l": 1.0, "dv": [0.5], "mu": [1.5, 0.5], "tol_dv": 1e-9, "tol_mu": 1e-9},
        },
    })
}

/// A particle of 2 kg that runs along x at 1 m/s over a floor, falling (or rising) by `b`/2: ρ = −b, and friction takes what it can.
pub fn mlcp(state: &str) -> Value {
    let (b, mu, rho, push) = match state {
        "slip" => (-0.4, 0.5, 0.4, -0.2),
        "stick" => (-0.4, 10.0, 0.4, -2.0),
        _ => (0.4, 0.5, 0.0, 0.0),
    };
    let x = 1.0 + push / 2.0;
    let z = if state == "separating" { 0.2 } else { 0.0 };
    json!({
        "input": {
            "n": 3, "A": [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]], "b": [0.0, 0.0, b], "q0": [1.0, 0.0, 0.0],
            "contacts": [{
                "J": [0.0, 0.0, 1.0], "mu": mu,
                "T": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]],
            }],
        },
        "expected": {
            "dq": [push / 2.0, 0.0, z], "q1": [x, 0.0, z], "unique": true, "unique_forces": true,
            "tol_velocity": 1e-9, "tol_force_rel": 1e-7, "residual": 0.0,
            "contacts": [{"rho": rho, "friction": [push, 0.0], "sigma": x, "state": state, "normal_velocity": z,
                          "tangential_velocity": [x, 0.0]}],
        },
    })
}

/// Volume ½ of which 0.2 may stay, at a metre of push a cubic metre.
pub fn stabilisation() -> Value {
    json!({
        "input": {"n": 1, "A": [[2.0]], "V": [0.5], "V_bar": [0.2], "J": [[1.0]]},
        "expected": {"dq": [0.3], "xi": [0.6], "residual": 0.0, "tol": 1e-9},
    })
}

#[test]
fn states_of_contacts_matter() {
    for (right, wrong) in [
        ("slip", ["stick", "separating"]),
        ("stick", ["slip", "separating"]),
        ("separating", ["slip", "stick"]),
    ] {
        for w in wrong {
            let case = changed(&mlcp(right), "/expected/contacts/0/state", json!(w));
            assert_fails("mlcp", &case, &["state 0", "expected"]);
        }
    }
    let banana = changed(&mlcp("slip"), "/expected/contacts/0/state", json!("banana"));
    assert_refused("mlcp", &banana, &["case_0", "unknown variant `banana`"]);
    // A σ that goes with the wrong state does not save it.
    let both = changed(&mlcp("slip"), "/expected/contacts/0/state", json!("stick"));
    assert_fails("mlcp", &changed(&both, "/expected/contacts/0/sigma", json!(0.0)), &[]);
    let less = changed(&mlcp("separating"), "/expected/contacts/0/sigma", json!(0.5));
    assert_fails("mlcp", &less, &["sigma 0"]);
}

/// What creeps slower than the tolerance still slips when the file says how fast.
#[test]
fn slow_slip_is_slip() {
    let mut case = mlcp("slip");
    let (start, creep) = (0.1 + 1e-10, 1e-10);
    case["input"]["q0"] = json!([start, 0.0, 0.0]);
    case["expected"]["q1"] = json!([creep, 0.0, 0.0]);
    case["expected"]["contacts"][0]["sigma"] = json!(creep);
    case["expected"]["contacts"][0]["tangential_velocity"] = json!([creep, 0.0]);
    let (ok, out, err) = oracle("mlcp", &case);
    assert!(ok, "{out}{err}");
    case["expected"]["contacts"][0]["tangential_velocity"] = json!([0.0, 0.0]);
    assert_fails("mlcp", &case, &["state 0"]);
}

#[test]
fn programs_that_make_no_sense_are_refused_by_field() {
    let slides = mlcp("slip");
    for (path, value, place) in [
        ("/input/n", json!(3.5), "`n` is 3.5"),
        ("/input/A/0/1", json!(5.0), "`A` is not symmetric: [1][0] is 0 and [0][1] is 5"),
        ("/input/contacts/0/mu", json!(-1.0), "`contacts[0].mu` is -1"),
        ("/expected/tol_velocity", json!(-1.0), "`expected.tol_velocity` is -1"),
    ] {
        assert_refused("mlcp", &changed(&slides, path, value), &["case_0", place]);
    }
    assert_refused("mlcp_stabilization", &changed(&stabilisation(), "/input/n", json!(0.5)), &["`n` is 0.5"]);
    assert_refused(
        "qp",
        &changed(&qp(false), "/expected/regularised/l", json!(-1.0)),
        &["`regularised.l` is -1"],
    );
    assert_refused("qp", &changed(&qp(false), "/input/K/0/1", json!(1.0)), &["`K` is not symmetric"]);
}

#[test]
fn rows_and_words_of_programs_matter() {
    let right = qp(false);
    assert_refused(
        "qp",
        &changed(&right, "/expected/status", json!("banana")),
        &["unknown variant `banana`"],
    );
    assert_fails("qp", &changed(&right, "/expected/active", json!([])), &["row 0"]);
    assert_fails("qp", &changed(&right, "/expected/active", json!([0, 1])), &["row 1"]);
    assert_refused("qp", &changed(&right, "/expected/active", json!([0, 0])), &["ascending"]);
    assert_fails("qp", &changed(&right, "/expected/slack/1", json!(2.001)), &["slack[1]"]);
    assert_refused("qp", &changed(&right, "/expected/mu", json!(null)), &["`mu_unique`"]);
    // Where several μ are possible, the one given must be one of them.
    assert_fails("qp", &changed(&qp(true), "/expected/mu", json!([0.5, 0.0, 0.6])), &["Jᵀμ of the file"]);
    assert_fails("qp", &changed(&qp(true), "/expected/mu", json!([1.5, 0.0, -0.5])), &["it pushes"]);
}

/// What is said to be solved and is not leaves no multipliers: the case fails, by both methods, and nothing panics.
#[test]
fn an_answer_that_is_missing_is_no_panic() {
    let mut case = infeasible();
    let answer = json!({"status": "solved", "dv": [0.5], "tol_dv": 1e-9, "objective": -0.75, "mu": [1.0, 0.0],
                        "mu_unique": true, "active": [], "slack": [0.0, 0.0]});
    for (key, value) in answer.as_object().unwrap() {
        case["expected"][key] = value.clone();
    }
    let (_, out, err) = oracle("qp", &case);
    assert!(!out.contains("panicked") && last_line(&out).starts_with("0 passed, 1 failed"), "{out}{err}");
}

/// Pushed against two walls in a corner: Δv is 0 and so is the objective, and 1e-19 is as good.
#[test]
fn an_objective_of_nothing_has_a_tolerance() {
    let case = json!({
        "input": {"n": 3, "m": 6, "K": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "b": [2.0, -1.0, -2.0],
                  "J": [[1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [0.0, 1.0, -1.0], [-1.0, -1.0, -1.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0]],
                  "c": [0.0, 0.0, 1.0, 0.0, 0.0, 1.0], "eq": []},
        "expected": {
            "status": "solved", "dv": [0.0, 0.0, 0.0], "tol_dv": 1e-17, "objective": 0.0,
            "mu": [2.0, 1.5, 0.0, 1.5, 0.0, 0.0], "mu_unique": false, "active": [0, 1, 3, 4],
            "slack": [0.0, 0.0, 1.0, 0.0, 0.0, 1.0],
            // Rows 0, 1, 3, 4 give way by l μ each.
            "regularised": corner_kept(1e-3),
        },
    });
    let (ok, out, err) = oracle("qp", &case);
    assert!(ok, "{out}{err}");
    assert_fails("qp", &changed(&case, "/expected/objective", json!(1e-6)), &["objective"]);
}

/// Δv = K⁻¹(b − Jᵀμ) and JΔv = l μ in the active rows 0, 1, 3, 4 of the corner: (J Jᵀ + l) μ = J b, by elimination.
fn corner_kept(l: f64) -> Value {
    let rows = [[1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [-1.0, -1.0, -1.0], [1.0, -1.0, 0.0]];
    let b = [2.0, -1.0, -2.0];
    let dot = |a: &[f64; 3], b: &[f64; 3]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let mut s = [[0.0; 5]; 4];
    for i in 0..4 {
        for j in 0..4 {
            s[i][j] = dot(&rows[i], &rows[j]) + if i == j { l } else { 0.0 };
        }
        s[i][4] = dot(&rows[i], &b);
    }
    for i in 0..4 {
        for k in (0..4).filter(|&k| k != i) {
            let f = s[k][i] / s[i][i];
            (0..5).for_each(|j| s[k][j] -= f * s[i][j]);
        }
    }
    let mu: Vec<f64> = (0..4).map(|i| s[i][4] / s[i][i]).collect();
    let dv: Vec<f64> = (0..3).map(|k| b[k] - (0..4).map(|i| rows[i][k] * mu[i]).sum::<f64>()).collect();
    assert!(mu.iter().all(|&m| m > 0.0), "{mu:?}");
    json!({"l": l, "dv": dv, "mu": [mu[0], mu[1], 0.0, mu[2], mu[3], 0.0], "tol_dv": 1e-10, "tol_mu": 1e-7})
}
