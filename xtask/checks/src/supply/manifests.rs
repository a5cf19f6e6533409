//! What a crate's manifest must say before it can be published.

use serde_json::Value;

/// Members of the workspace that are published.
pub fn members(metadata: &Value) -> impl Iterator<Item = &Value> {
    let all = metadata["packages"].as_array().into_iter().flatten();
    // `publish = false` reads as an empty list of registries.
    all.filter(|p| p["source"].is_null() && p["publish"].as_array().is_none_or(|r| !r.is_empty()))
}

/// Their names.
pub fn published(metadata: &Value) -> Vec<String> {
    members(metadata).filter_map(|p| p["name"].as_str()).map(str::to_string).collect()
}

/// How many crates are published, and warnings; what stands in the way goes to `wrong`.
pub fn check(metadata: &Value, readme: &str, wrong: &mut Vec<String>) -> (usize, Vec<String>) {
    let mut count = 0;
    let mut version: Option<String> = None;
    let mut without_repository = 0;
    for p in members(metadata) {
        count += 1;
        let name = p["name"].as_str().unwrap_or("");
        for key in ["description", "license", "readme", "rust_version"] {
            if p[key].as_str().is_none_or(str::is_empty) {
                wrong.push(format!("{name} has no {}; inherit it from the workspace", key.replace('_', "-")));
            }
        }
        for key in ["keywords", "categories"] {
            if p[key].as_array().is_none_or(Vec::is_empty) {
                wrong.push(format!("{name} has no {key}; give it its own"));
            }
        }
        without_repository += usize::from(p["repository"].as_str().is_none_or(str::is_empty));
        let own = p["rust_version"].as_str().unwrap_or("").to_string();
        match &version {
            Some(v) if *v != own => wrong.push(format!("{name} asks for Rust {own}, others for {v}")),
            Some(_) => {}
            None => version = Some(own),
        }
        for d in p["dependencies"].as_array().into_iter().flatten() {
            let (needs, version) = (d["name"].as_str().unwrap_or(""), d["req"].as_str().unwrap_or(""));
            // Tests may need what is not published; cargo leaves such dependencies out.
            if d["path"].is_string() && version == "*" && d["kind"] != "dev" {
                wrong.push(format!(
                    "{name} needs {needs} by its path alone; give a version, so that it can be fetched"
                ));
            }
        }
    }
    let named = version.as_deref().unwrap_or("");
    if named.is_empty() || !readme.contains(named) {
        wrong.push(format!("README.md does not say that Rust {named} is needed"));
    }
    let mut warnings = Vec::new();
    if without_repository > 0 {
        warnings.push(format!(
            "{without_repository} crates have no repository; set it in [workspace.package] when there is a public one"
        ));
    }
    (count, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str) -> Value {
        serde_json::json!({
            "name": name, "source": null, "publish": null, "description": "x", "license": "MIT", "readme": "README.md",
            "rust_version": "1.90", "keywords": ["a"], "categories": ["b"], "repository": null, "dependencies": [],
        })
    }

    fn problems(p: Value, readme: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        check(&serde_json::json!({"packages": [p, member("other")]}), readme, &mut wrong);
        wrong
    }

    #[test]
    fn a_full_manifest_passes_and_each_gap_is_named() {
        assert!(problems(member("a"), "Rust 1.90").is_empty());
        for key in ["description", "license", "readme", "rust_version", "keywords", "categories"] {
            let mut p = member("a");
            p[key] = Value::Null;
            let wrong = problems(p, "Rust 1.90");
            assert!(!wrong.is_empty() && wrong[0].contains('a'), "{key}: {wrong:?}");
        }
        assert!(problems(member("a"), "any Rust")[0].contains("README.md"));
        let mut p = member("a");
        p["dependencies"] = serde_json::json!([{"name": "b", "req": "*", "path": "/b", "kind": null}]);
        assert!(problems(p, "1.90")[0].contains("needs b"));
    }

    #[test]
    fn what_is_not_published_is_left_alone() {
        let mut p = member("a");
        p["publish"] = serde_json::json!([]);
        p["description"] = Value::Null;
        assert!(problems(p.clone(), "1.90").is_empty());
        assert_eq!(published(&serde_json::json!({"packages": [p, member("b")]})), ["b"]);
    }
}
