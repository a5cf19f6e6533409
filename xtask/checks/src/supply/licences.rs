//! Licences of everything that comes from elsewhere against the list of `deny.toml`.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Licences that `deny.toml` allows.
///
/// # Errors
/// When it has no such list.
pub fn allowed(deny: &str) -> Result<BTreeSet<String>, String> {
    let table: toml::Table = deny.parse().map_err(|e| format!("deny.toml: {e}"))?;
    let list = table.get("licenses").and_then(|l| l.get("allow")).and_then(toml::Value::as_array);
    let list = list.ok_or("deny.toml has no list licenses.allow")?;
    Ok(list.iter().filter_map(toml::Value::as_str).map(str::to_string).collect())
}

/// Names and versions of the packages from elsewhere, and how many there are; what has no allowed licence goes to `wrong`.
pub fn check(metadata: &Value, allowed: &BTreeSet<String>, wrong: &mut Vec<String>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for p in metadata["packages"].as_array().into_iter().flatten() {
        // Members of the workspace have no source.
        if p["source"].is_null() {
            continue;
        }
        let word = |key: &str| p[key].as_str().unwrap_or("").to_string();
        let (name, version, licence) = (word("name"), word("version"), word("license"));
        if licence.is_empty() {
            wrong.push(format!(
                "{name} {version} names no licence; look at its files, and drop it if there is none"
            ));
        } else if !permits(&licence, allowed) {
            wrong.push(format!("{name} {version} is under '{licence}', which deny.toml does not allow"));
        }
        found.push((name, version));
    }
    found
}

/// Packages that are there in several versions.
pub fn twice(packages: &[(String, String)]) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, version) in packages {
        all.entry(name.clone()).or_default().push(version.clone());
    }
    all.retain(|_, v| v.len() > 1);
    all
}

/// Whether an SPDX expression can be met with the licences allowed; `/` is the old way to write OR.
pub fn permits(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let text = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut at = 0;
    let answer = either(&words, &mut at, allowed);
    answer && at == words.len()
}

fn either(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut any = both(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        any |= both(words, at, allowed);
    }
    any
}

fn both(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut all = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        all &= one(words, at, allowed);
    }
    all
}

fn one(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let Some(&word) = words.get(*at) else { return false };
    *at += 1;
    if word == "(" {
        let inner = either(words, at, allowed);
        let closed = words.get(*at) == Some(&")");
        *at += 1;
        return inner && closed;
    }
    if words.get(*at) == Some(&"WITH") {
        let name = format!("{word} WITH {}", words.get(*at + 1).unwrap_or(&""));
        *at += 2;
        return allowed.contains(&name);
    }
    allowed.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let allowed: BTreeSet<String> = ["MIT", "Unicode-3.0"].map(str::to_string).into();
        for fine in
            ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(MIT OR Apache-2.0) AND Unicode-3.0", "A WITH B OR MIT"]
        {
            assert!(permits(fine, &allowed), "{fine}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT", "MIT WITH exception", "MIT MIT"] {
            assert!(!permits(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn a_package_without_a_good_licence_is_named() {
        let m = serde_json::json!({"packages": [
            {"name": "ours", "version": "1.0.0", "source": null, "license": null},
            {"name": "a", "version": "1.0.0", "source": "registry", "license": "MIT"},
            {"name": "a", "version": "2.0.0", "source": "registry", "license": "GPL-3.0"},
            {"name": "b", "version": "1.0.0", "source": "registry", "license": null},
        ]});
        let mut wrong = Vec::new();
        let all = check(&m, &["MIT".to_string()].into(), &mut wrong);
        assert_eq!(all.len(), 3);
        assert!(wrong[0].contains("a 2.0.0") && wrong[1].contains("b 1.0.0") && wrong.len() == 2);
        assert_eq!(twice(&all)["a"], ["1.0.0", "2.0.0"]);
    }
}
