//! What a package must hold so that a stranger can use it without the repository.

use super::manifests::members;
use serde_json::Value;
use std::path::Path;

/// Licence texts that stand beside each manifest.
const TEXTS: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// Keywords that a registry takes.
const MOST_KEYWORDS: usize = 5;

/// Categories of the registry that fit here; it refuses others.
const CATEGORIES: &[&str] = &[
    "algorithms",
    "command-line-utilities",
    "encoding",
    "mathematics",
    "parser-implementations",
    "science",
    "simulation",
    "visualization",
];

/// Checks every published crate; what is wrong goes to `wrong`.
pub fn check(metadata: &Value, wrong: &mut Vec<String>) {
    for p in members(metadata) {
        let name = p["name"].as_str().unwrap_or("");
        wrong.extend(registry(p).into_iter().map(|w| format!("{name}: {w}")));
        let Some(folder) = p["manifest_path"].as_str().map(Path::new).and_then(Path::parent) else {
            continue;
        };
        // A link to the text of the workspace is packed as the text.
        let missing = TEXTS.iter().filter(|t| !folder.join(t).is_file());
        wrong.extend(missing.map(|t| format!("{name} has no {t}; `ln -s ../../{t} {}`", folder.display())));
        let readme = std::fs::read_to_string(folder.join("README.md")).unwrap_or_default();
        wrong.extend(
            outside(&readme)
                .into_iter()
                .map(|l| format!("{name}: README.md links to {l}, which is not in the package")),
        );
    }
}

/// What the registry and docs.rs are told.
fn registry(p: &Value) -> Vec<String> {
    let list = |key: &str| -> Vec<&str> {
        p[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let name = p["name"].as_str().unwrap_or("");
    let mut out = Vec::new();
    if list("keywords").len() > MOST_KEYWORDS {
        out.push(format!("at most {MOST_KEYWORDS} keywords are taken"));
    }
    let unknown = list("categories").into_iter().filter(|c| !CATEGORIES.contains(c));
    out.extend(
        unknown.map(|c| {
            format!("'{c}' is not on the list of categories in xtask/checks/src/supply/packages.rs")
        }),
    );
    if p["documentation"].as_str() != Some(&format!("https://docs.rs/{name}")) {
        out.push(format!("documentation is not https://docs.rs/{name}"));
    }
    if p["metadata"]["docs"]["rs"]["all-features"] != Value::Bool(true) {
        out.push("[package.metadata.docs.rs] does not say all-features = true".into());
    }
    out
}

/// Links of a page that lead to files of the repository.
fn outside(readme: &str) -> Vec<&str> {
    let targets = readme.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    targets
        .filter(|t| !t.contains("://") && !t.starts_with('#') && (t.contains('/') || t.ends_with(".md")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gap_is_named() {
        let mut p = serde_json::json!({
            "name": "a", "keywords": ["b"], "categories": ["simulation"], "documentation": "https://docs.rs/a",
            "metadata": {"docs": {"rs": {"all-features": true}}},
        });
        assert_eq!(registry(&p), Vec::<String>::new());
        p["keywords"] = serde_json::json!(["1", "2", "3", "4", "5", "6"]);
        p["categories"] = serde_json::json!(["physics"]);
        p["documentation"] = Value::Null;
        p["metadata"] = Value::Null;
        assert_eq!(registry(&p).len(), 4);
    }

    #[test]
    fn a_link_out_of_the_package_is_found() {
        assert_eq!(
            outside("[a](../b/c.md) [x](https://y.z/w) [`T`](#here) f[0](x) [l](LICENCE.md)"),
            ["../b/c.md", "LICENCE.md"]
        );
    }
}
