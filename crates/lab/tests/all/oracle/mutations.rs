//! Every right case with one thing changed: a number, a word, a key, the length of a list. None may pass.

use super::*;

/// Paths of the expected answers that must matter.
fn leaves(v: &Value, path: &str, found: &mut Vec<String>) {
    // Tolerances and measures of the file's own accuracy are no answers; `unique` says how to read the others.
    let ignored = [
        "min_switch_margin",
        "unique",
        "unique_forces",
        "mu_unique",
        "residual",
        "fd_rel_error",
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
            // The normal of the outside point says nothing, and the centre of a turn may move along its axis.
            let free = ["/points/2/normal", "/rigid_A/center", "/rigid_B/center"];
            if free.iter().any(|f| path.starts_with(f)) {
                continue;
            }
            let mut case = cases[0].clone();
            let leaf = case["expected"].pointer_mut(&path).unwrap();
            *leaf = match &*leaf {
                Value::Number(n) if n.is_u64() => json!(n.as_u64().unwrap() + 1),
                Value::Number(n) => json!(n.as_f64().unwrap() + 1.0),
                Value::Bool(b) => json!(!b),
                Value::Null => json!([0.0, 0.0, 0.0]),
                Value::String(s) => json!(match s.as_str() {
                    "static" => "dynamic",
                    "regular" => "coplanar_always",
                    "contact" => "initial",
                    "face" => "edge",
                    "slip" => "stick",
                    "solved" => "infeasible",
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
            let (ok, out, err) = folder.oracle(&[family]);
            assert!(!ok, "{family}: {path} changed and nothing happened\n{out}");
            assert!(last_line(&out).starts_with("0 passed"), "{family}: {path}\n{out}");
            assert!(out.contains("failed: ") || err.contains("case_0"), "{out}{err}");
            assert!(!out.contains("panicked"), "{family}: {path}\n{out}");
        }
    }
}

/// Paths of all keys, and of all lists that are not points, whose length is in their type.
fn nodes(v: &Value, path: &str, keys: &mut Vec<String>, lists: &mut Vec<String>) {
    match v {
        Value::Array(a) => {
            if !a.is_empty() {
                lists.push(path.to_string());
            }
            a.iter().enumerate().for_each(|(i, v)| nodes(v, &format!("{path}/{i}"), keys, lists));
        }
        Value::Object(o) => o.iter().for_each(|(k, v)| {
            keys.push(format!("{path}/{k}"));
            nodes(v, &format!("{path}/{k}"), keys, lists);
        }),
        _ => {}
    }
}

#[test]
fn a_key_that_is_missing_or_misspelt_is_noticed() {
    // Keys that may be absent by the schema (null is the same), or that nothing is compared with.
    let free = [
        "robust_events",
        "robust_intervals",
        "why",
        "min_switch_margin",
        "residual",
        "point_kinds",
        "degenerate",
    ];
    for (family, cases) in right_cases() {
        let (mut keys, mut lists) = (Vec::new(), Vec::new());
        nodes(&cases[0], "", &mut keys, &mut lists);
        for path in keys.iter().filter(|p| p.matches('/').count() > 1) {
            let (parent, name) = path.rsplit_once('/').unwrap();
            // The same key of a long list is tried in its first few entries.
            let far = path.split('/').any(|p| p.parse::<usize>().is_ok_and(|i| i > 3));
            if cases[0].pointer(path).unwrap().is_null() || free.contains(&name) || far {
                continue;
            }
            let mut case = cases[0].clone();
            let object = case.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            let value = object.remove(name).unwrap();
            let (ok, out, _) = oracle(family, &case);
            assert!(!ok && !out.contains("panicked"), "{family}: {path} is gone and nothing happened\n{out}");
            case.pointer_mut(parent).unwrap()[format!("{name}_")] = value;
            let (ok, out, _) = oracle(family, &case);
            assert!(
                !ok && !out.contains("panicked"),
                "{family}: {path} is misspelt and nothing happened\n{out}"
            );
        }
    }
}

#[test]
fn a_list_cut_short_or_drawn_out_is_noticed() {
    let free = ["/input/point_kinds", "/expected/why"];
    for (family, cases) in right_cases() {
        let (mut keys, mut lists) = (Vec::new(), Vec::new());
        nodes(&cases[0], "", &mut keys, &mut lists);
        for path in lists.iter().filter(|p| !free.contains(&p.as_str())) {
            if path.split('/').any(|p| p.parse::<usize>().is_ok_and(|i| i > 3)) {
                continue;
            }
            // A vertex that nothing names changes nothing.
            let lengths: &[bool] = if path.ends_with("/vertices") { &[false] } else { &[false, true] };
            for &longer in lengths {
                let mut case = cases[0].clone();
                let list = case.pointer_mut(path).unwrap().as_array_mut().unwrap();
                let last = list.pop().unwrap();
                if longer {
                    list.extend([last.clone(), last]);
                }
                let (ok, out, _) = oracle(family, &case);
                assert!(
                    !ok && !out.contains("panicked"),
                    "{family}: {path} has another length and nothing happened\n{out}"
                );
            }
        }
    }
}
