//! What a crate brings along: features that leave nothing behind when they are off, and how many crates a user builds.

use crate::workspace::{Failure, cargo, output};
use std::collections::BTreeSet;

/// Crates that a build of this one needs at most, itself left out, as `cargo tree -e normal` names them: with what is on by default,
/// and with nothing. NUMBERS ONLY SHRINK.
const MOST: &[(&str, usize, usize)] = &[
    ("impinge-ccd", 13, 7),
    ("impinge-volume", 15, 9),
    ("impinge-penalty", 14, 8),
    ("impinge-pressure", 21, 15),
    ("impinge-world", 59, 54),
];

/// Crates that run on the pool without being asked: programs.
const THREADED: &[&str] = &["impinge-cli"];

/// Crates that read or write files by serde, without being asked.
const WRITERS: &[&str] = &["impinge-cli", "impinge-report"];

/// Checks the published crates; what is wrong goes to `wrong`. Gives a line for each crate with a bound.
///
/// # Errors
/// When cargo cannot say what a crate needs.
pub fn check(published: &[String], wrong: &mut Vec<String>) -> Result<Vec<String>, Failure> {
    let mut lines = Vec::new();
    for name in published {
        let without = needs(name, &["--no-default-features"])?;
        wrong.extend(left(name, &without));
        if let Some(&(_, most, least)) = MOST.iter().find(|m| m.0 == name.as_str()) {
            let with = needs(name, &[])?;
            lines.push(format!("{name} needs {} crates, {} without its features", with.len(), without.len()));
            wrong.extend(above(name, with.len(), most, "by default"));
            wrong.extend(above(name, without.len(), least, "without its features"));
        }
    }
    Ok(lines)
}

/// What is there though nobody asked for it.
fn left(name: &str, without: &BTreeSet<String>) -> Vec<String> {
    let rules = [("rayon", "parallel", THREADED), ("serde", "serde", WRITERS)];
    let there =
        |(package, _, exempt): &(&str, &str, &[&str])| without.contains(*package) && !exempt.contains(&name);
    let told = |(package, feature, _): (&str, &str, &[&str])| {
        format!(
            "{name} needs {package} without its feature `{feature}`: a dependency has default features, see `cargo tree -i {package}`"
        )
    };
    rules.into_iter().filter(there).map(told).collect()
}

fn above(name: &str, is: usize, most: usize, when: &str) -> Option<String> {
    (is > most).then(|| {
        format!("{name} needs {is} crates {when}, {most} at most: put what brings them behind a feature (xtask/checks/src/supply/trees.rs)")
    })
}

/// The crates that a build of `name` needs, by name and version, itself left out.
fn needs(name: &str, features: &[&str]) -> Result<BTreeSet<String>, Failure> {
    let mut c = cargo();
    c.args(["tree", "--locked", "--package", name, "--edges", "normal", "--prefix", "none"]).args(features);
    Ok(names(&output(&mut c, "cargo tree")?, name))
}

/// Each package of a tree once: its name where there is one version, else name and version.
fn names(tree: &str, itself: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut out = BTreeSet::new();
    for line in tree.lines() {
        let mut words = line.split_whitespace();
        let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
        if name != itself && seen.insert((name, version)) && !out.insert(name.to_string()) {
            out.insert(format!("{name} {version}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str =
        "impinge-a v0.1.0 (/x)\nrayon v1.0.0\nwide v0.7.0\nwide v1.0.0\nwide v0.7.0 (*)\nserde v1.0.0 (*)\n";

    #[test]
    fn a_package_counts_once_for_each_version() {
        let all = names(TREE, "impinge-a");
        assert_eq!(all.len(), 4, "{all:?}");
        assert!(all.contains("wide") && all.contains("wide v1.0.0") && !all.contains("impinge-a"));
    }

    #[test]
    fn what_stays_behind_is_named_with_its_feature() {
        let all = names(TREE, "impinge-a");
        let told = left("impinge-a", &all);
        assert!(told.len() == 2 && told[0].contains("`parallel`") && told[1].contains("`serde`"), "{told:?}");
        assert_eq!(left("impinge-report", &all).len(), 1);
        assert!(above("impinge-a", 4, 4, "by default").is_none());
        assert!(above("impinge-a", 5, 4, "by default").is_some_and(|s| s.contains("impinge-a needs 5")));
    }
}
