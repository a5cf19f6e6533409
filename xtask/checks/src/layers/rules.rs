//! The rules of the house: the layer of each crate, and the dependencies that one crate walls in.

use super::manifests::{Dependency, Kind, Member};

/// Folder under `crates/` and its layer. A crate depends on lower layers only; crates of one layer do not know
/// each other. A NEW CRATE GETS ITS ROW HERE. Rows without a folder are crates still to come.
const LAYERS: &[(&str, usize)] = &[
    ("geometry", 0),
    ("contact", 1),
    ("query", 1),
    ("io", 1),
    ("broadphase", 2),
    ("ccd", 2),
    ("solvers", 2),
    ("elasticity", 2),
    ("meshing", 2),
    ("integrators", 3),
    ("bodies", 4),
    ("swept", 5),
    ("penalty", 6),
    ("cpf", 6),
    ("qp", 6),
    ("volume", 6),
    ("pressure", 6),
    ("world", 7),
    ("watch", 8),
    ("scene", 8),
    ("report", 8),
    ("impinge", 9),
    ("cli", 9),
    ("fuzz", 9),
    ("lab", 10),
];

/// A dependency that only some members may name, and why.
struct Wall {
    packages: &'static [&'static str],
    /// Folders from the root.
    allowed: &'static [&'static str],
    /// Tests elsewhere may name it.
    tests_may: bool,
    why: &'static str,
}

const WALLS: &[Wall] = &[
    Wall {
        packages: &["bvh", "nalgebra"],
        allowed: &["crates/query"],
        tests_may: true,
        why: "it brings nalgebra; ask impinge-query",
    },
    Wall {
        packages: &["parry3d", "parry3d-f64"],
        allowed: &["crates/broadphase"],
        tests_may: true,
        why: "it is large and f32; ask impinge-broadphase",
    },
    Wall {
        packages: &["hecs"],
        allowed: &["crates/world"],
        tests_may: true,
        why: "kernels are functions over slices; where a world is needed, use impinge_world::hecs",
    },
    Wall {
        packages: &["criterion"],
        allowed: &["benches"],
        tests_may: false,
        why: "it compiles longer than everything it would measure; put the bench into benches/",
    },
];

/// Every broken rule, as a sentence with the fix.
pub fn check(members: &[Member]) -> Vec<String> {
    let mut problems = Vec::new();
    for m in members {
        let layer = match m.folder.strip_prefix("crates/") {
            Some(name) => {
                let expected = package_name(name);
                if m.package != expected {
                    problems.push(format!(
                        "{}: the package is called '{}'; by its folder it is '{expected}'",
                        m.folder, m.package
                    ));
                }
                let layer = layer(name);
                if layer.is_none() {
                    problems.push(format!(
                        "{} is in no layer; add a row to LAYERS in xtask/checks/src/layers/rules.rs, one above the highest \
                         layer it depends on",
                        m.folder
                    ));
                }
                layer
            }
            None => None,
        };
        for d in &m.dependencies {
            problems.extend(direction(m, layer, d));
            problems.extend(wall(m, d));
        }
    }
    problems
}

/// The house from top to bottom.
pub fn picture(members: &[Member]) -> String {
    let mut out = String::new();
    for level in (0..=LAYERS.iter().map(|l| l.1).max().unwrap_or(0)).rev() {
        let there = |name: &str| members.iter().any(|m| m.folder == format!("crates/{name}"));
        let names: Vec<&str> =
            LAYERS.iter().filter(|&&(n, l)| l == level && there(n)).map(|&(n, _)| n).collect();
        out.push_str(&format!("L{level}  {}\n", names.join("  ")));
    }
    out
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().find(|l| l.0 == name).map(|l| l.1)
}

/// Package of a folder: the facade has the project's name, the others carry it in front.
fn package_name(folder: &str) -> String {
    if folder == "impinge" { folder.to_string() } else { format!("impinge-{folder}") }
}

/// The folder of one of our packages.
fn own(package: &str) -> Option<&str> {
    if package == "impinge" { Some(package) } else { package.strip_prefix("impinge-") }
}

fn direction(m: &Member, layer_of_m: Option<usize>, d: &Dependency) -> Option<String> {
    if m.folder == "xtask" && d.kind == Kind::Normal {
        return Some(format!(
            "xtask depends on {}; it is built without a word, so it has no dependencies: use xtask/checks",
            d.package
        ));
    }
    let name = own(&d.package)?;
    if m.folder.starts_with("xtask") {
        return Some(format!("{} depends on {}; it starts the programs instead", m.folder, d.package));
    }
    if !m.folder.starts_with("crates/") {
        return None; // The benches see everything.
    }
    let Some(other) = layer(name) else {
        // A member of crates/ without a layer is reported once, where it stands.
        return (name == "benches").then(|| format!("{} depends on the benches; nothing does", m.folder));
    };
    let own = layer_of_m?;
    let (allowed, rule) = match d.kind {
        Kind::Normal => (other < own, "a crate depends on lower layers only"),
        Kind::Dev => (other <= own, "tests that need a higher layer belong there"),
    };
    (!allowed).then(|| format!("{} (L{own}) depends on {} (L{other}): {rule}", m.folder, d.package))
}

fn wall(m: &Member, d: &Dependency) -> Option<String> {
    let w = WALLS.iter().find(|w| w.packages.contains(&d.package.as_str()))?;
    let exempt = w.tests_may && d.kind == Kind::Dev;
    if exempt || w.allowed.contains(&m.folder.as_str()) {
        return None;
    }
    Some(format!("{} names {}, which only {} may: {}", m.folder, d.package, w.allowed.join(", "), w.why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(folder: &str, normal: &[&str], dev: &[&str]) -> Member {
        let package = folder.strip_prefix("crates/").map_or_else(|| folder.to_string(), package_name);
        let all = normal.iter().map(|n| (n, Kind::Normal)).chain(dev.iter().map(|n| (n, Kind::Dev)));
        let dependencies = all.map(|(n, kind)| Dependency { package: n.to_string(), kind }).collect();
        Member { folder: folder.to_string(), package, dependencies }
    }

    /// The one problem of this member.
    fn problem(m: Member) -> String {
        let all = check(&[m]);
        assert_eq!(all.len(), 1, "{all:?}");
        all.into_iter().next().unwrap()
    }

    #[test]
    fn downwards_is_fine_and_the_benches_see_everything() {
        let members = [
            member("crates/penalty", &["impinge-geometry", "impinge-contact", "impinge-query"], &[]),
            member("crates/impinge", &["impinge-scene", "impinge-world"], &[]),
            member("crates/query", &["bvh", "impinge-geometry"], &["impinge-contact"]),
            member("benches", &["impinge-world"], &["criterion"]),
        ];
        assert_eq!(check(&members), Vec::<String>::new());
    }

    #[test]
    fn upwards_and_sideways_are_not() {
        let p = problem(member("crates/contact", &["impinge-world"], &[]));
        assert!(p.contains("crates/contact (L1)") && p.contains("impinge-world (L7)"), "{p}");
        problem(member("crates/contact", &["impinge-query"], &[]));
        problem(member("crates/cli", &["impinge"], &[]));
        problem(member("crates/geometry", &[], &["impinge-query"]));
    }

    #[test]
    fn a_crate_in_no_layer_is_told_where_to_go() {
        let p = problem(member("crates/novel", &["impinge-world"], &[]));
        assert!(p.contains("crates/novel") && p.contains("xtask/checks/src/layers/rules.rs"), "{p}");
    }

    #[test]
    fn a_package_that_does_not_match_its_folder_is_named() {
        let mut m = member("crates/query", &[], &[]);
        m.package = "impinge-queries".to_string();
        assert!(problem(m).contains("'impinge-query'"));
    }

    #[test]
    fn walls_hold() {
        for (folder, package) in [
            ("crates/penalty", "bvh"),
            ("crates/broadphase", "nalgebra"),
            ("crates/query", "parry3d"),
            ("crates/scene", "hecs"),
            ("crates/world", "criterion"),
            ("benches", "hecs"),
        ] {
            let p = problem(member(folder, &[package], &[]));
            assert!(p.contains(folder) && p.contains(package), "{p}");
        }
    }

    #[test]
    fn tests_may_look_over_a_wall_but_not_measure() {
        assert!(check(&[member("crates/scene", &[], &["hecs", "bvh", "parry3d"])]).is_empty());
        problem(member("crates/scene", &[], &["criterion"]));
    }

    #[test]
    fn xtask_starts_programs_and_links_none() {
        assert!(problem(member("xtask", &["toml"], &[])).contains("no dependencies"));
        assert!(problem(member("xtask/checks", &["impinge-scene"], &[])).contains("starts the programs"));
        problem(member("crates/io", &[], &["impinge-benches"]));
    }

    #[test]
    fn the_picture_shows_what_is_there() {
        let p = picture(&[member("crates/geometry", &[], &[]), member("crates/io", &[], &[])]);
        assert!(p.ends_with("L1  io\nL0  geometry\n"), "{p}");
    }

    #[test]
    fn this_workspace_keeps_the_rules() {
        let members = super::super::manifests::read(&crate::workspace::root()).unwrap();
        assert_eq!(check(&members), Vec::<String>::new());
    }
}
