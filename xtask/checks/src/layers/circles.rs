//! Files of a crate that need each other in a circle: whoever reads one has to read all.
//!
//! Takes the sources of a crate, finds the file that defines each name a file takes by a path of the crate, and gives the groups
//! of files that all reach each other. A re-export is followed to the file that defines the name. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::tokens::{Import, Source, parse};

/// Files that may be in one circle.
pub const MOST: usize = 3;

/// The sources of a crate by module path; the root is the empty path.
pub struct Crate {
    modules: BTreeMap<Vec<String>, Source>,
}

impl Crate {
    /// Reads `src` below the folder of a crate.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let mut modules = BTreeMap::new();
        visit(&folder.join("src"), &[], &mut modules)?;
        Ok(Self { modules })
    }

    /// Each file with those it takes names from.
    fn arrows(&self) -> BTreeMap<&[String], BTreeSet<&[String]>> {
        let of = |module: &Vec<String>, source: &Source| {
            let own = |p: &Import| self.defining(module, &p.path, 0);
            source.imports.iter().filter_map(own).filter(|m| *m != module.as_slice()).collect()
        };
        self.modules.iter().map(|(m, s)| (m.as_slice(), of(m, s))).collect()
    }

    /// The module that defines what `path` names in `module`; `None` for what other crates define.
    fn defining<'a>(&'a self, module: &[String], path: &[String], followed: usize) -> Option<&'a [String]> {
        let (mut at, mut rest) = match path.first().map(String::as_str)? {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (module.to_vec(), &path[1..]),
            "super" => (module.to_vec(), path),
            _ => (module.to_vec(), path),
        };
        while rest.first().is_some_and(|s| s == "super") {
            at.pop()?;
            rest = &rest[1..];
        }
        // Without a keyword the first name is a module below this one, or another crate's.
        let relative = rest.len() == path.len();
        while let Some(next) = rest.first() {
            at.push(next.clone());
            if !self.modules.contains_key(&at) {
                at.pop();
                break;
            }
            rest = &rest[1..];
        }
        if relative && rest.len() == path.len() {
            return None;
        }
        let (key, source) = self.modules.get_key_value(&at)?;
        // A file that is there by `#[path]` lies outside of the crate.
        if rest.first().is_some_and(|n| source.children.contains(n)) {
            return None;
        }
        let Some(name) = rest.first().filter(|n| *n != "*") else { return Some(key) };
        if source.defines.contains(name) || followed > 8 {
            return Some(key);
        }
        let named = source.imports.iter().find(|i| i.name == *name && i.used);
        if let Some(import) = named {
            return self.defining(&at, &import.path, followed + 1);
        }
        // Handed on by a star.
        for star in source.imports.iter().filter(|i| i.used && i.path.last().is_some_and(|s| s == "*")) {
            let mut inner = star.path.clone();
            inner.pop();
            let there = self.defining(&at, &inner, followed + 1).and_then(|m| self.modules.get_key_value(m));
            if let Some((m, s)) = there
                && s.defines.contains(name)
            {
                return Some(m);
            }
        }
        Some(key)
    }

    /// Files of one folder of `within` that take something from another, but for what is in the folder `shared` by all.
    pub fn crossings(&self, within: &str, shared: &str) -> Vec<String> {
        let arrows = self.arrows();
        let all = arrows.iter().flat_map(|(m, to)| to.iter().map(move |t| (*m, *t)));
        let crosses = |(m, t): &(&[String], &[String])| match (m, t) {
            ([w, from, ..], [v, to, ..]) => w == within && v == within && from != to && to != shared,
            _ => false,
        };
        all.filter(crosses).map(|(m, t)| format!("{} takes from {}", name(m), name(t))).collect()
    }

    /// Files outside the folder `within` that take something from a folder in it; `lists` are those that name all of them.
    pub fn namings(&self, within: &str, lists: &[&str]) -> Vec<String> {
        let arrows = self.arrows();
        let all = arrows.iter().flat_map(|(m, to)| to.iter().map(move |t| (*m, *t)));
        let names = |(m, t): &(&[String], &[String])| {
            let inside = |path: &[String]| path.first().is_some_and(|w| w == within);
            !inside(m) && inside(t) && t.len() > 1 && !lists.contains(&name(m).as_str())
        };
        all.filter(names).map(|(m, t)| format!("{} takes from {}", name(m), name(t))).collect()
    }

    /// Groups of more than `most` files that all reach each other, as paths of modules, the largest first.
    pub fn circles(&self, most: usize) -> Vec<Vec<String>> {
        let arrows = self.arrows();
        let reach: BTreeMap<&[String], BTreeSet<&[String]>> =
            arrows.keys().map(|&m| (m, reachable(m, &arrows))).collect();
        let mut left: BTreeSet<&[String]> = arrows.keys().copied().collect();
        let mut found = Vec::new();
        while let Some(first) = left.pop_first() {
            let together = |m: &&[String]| reach[first].contains(*m) && reach[*m].contains(first);
            let group: Vec<&[String]> = left.iter().copied().filter(together).collect();
            group.iter().for_each(|m| {
                left.remove(m);
            });
            if group.len() + 1 > most {
                found.push(std::iter::once(first).chain(group).map(name).collect::<Vec<_>>());
            }
        }
        found.sort_by_key(|g| (usize::MAX - g.len(), g[0].clone()));
        found
    }
}

fn name(module: &[String]) -> String {
    if module.is_empty() { "the root".to_string() } else { module.join("::") }
}

fn reachable<'a>(
    from: &'a [String],
    arrows: &BTreeMap<&'a [String], BTreeSet<&'a [String]>>,
) -> BTreeSet<&'a [String]> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(m) = open.pop() {
        for &next in arrows.get(m).into_iter().flatten() {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}

/// Every `.rs` file below a folder, by the module it is.
fn visit(folder: &Path, module: &[String], out: &mut BTreeMap<Vec<String>, Source>) -> Result<(), String> {
    let unreadable = |e: std::io::Error| format!("{} cannot be read: {e}", folder.display());
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .map_err(unreadable)?
        .map(|e| e.map(|e| e.path()))
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    entries.sort();
    for path in entries {
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_string();
        let below: Vec<String> = module.iter().cloned().chain([stem.clone()]).collect();
        if path.is_dir() {
            visit(&path, &below, out)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path)
                .map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
            let here = if ["lib", "main", "mod"].contains(&stem.as_str()) { module.to_vec() } else { below };
            // A program beside a library is another crate.
            out.entry(here).or_insert_with(|| parse(&text));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn house(files: &[(&str, &str)]) -> Crate {
        let path = |p: &str| p.split("::").filter(|s| !s.is_empty()).map(str::to_string).collect();
        Crate { modules: files.iter().map(|(m, t)| (path(m), parse(t))).collect() }
    }

    #[test]
    fn a_circle_is_found_through_re_exports_and_not_where_names_come_from_below() {
        let files = [
            ("", "mod a; mod b; mod c; pub use a::A; pub use b::*;"),
            ("a", "use crate::B; pub struct A(B);"),
            ("b", "pub struct B; fn f() { crate::c::g(); }"),
            ("c", "use super::A; pub fn g() { let _: Option<A> = None; }"),
        ];
        let circles = house(&files).circles(1);
        assert_eq!(circles, [vec!["a".to_string(), "b".into(), "c".into()]]);
        assert!(house(&files).circles(3).is_empty());
        // The same with what ties it inside a test.
        let files = [
            files[0],
            files[1],
            ("b", "pub struct B;\n#[cfg(test)]\nmod tests { use crate::c::g; }"),
            files[3],
        ];
        assert!(house(&files).circles(1).is_empty());
    }

    #[test]
    fn folders_beside_each_other_share_one_and_nothing_else() {
        let files = [
            ("", "mod families;"),
            ("families", "pub use a::A;"),
            ("families::a", "use crate::families::common::C; pub struct A(C);"),
            ("families::b", "use super::common::C; use super::A;"),
            ("families::common", "pub struct C;"),
        ];
        assert_eq!(house(&files).crossings("families", "common"), ["families::b takes from families::a"]);
    }

    #[test]
    fn only_a_list_may_name_what_is_in_a_folder() {
        let files = [
            ("", "mod list; mod step; mod families;"),
            ("list", "use crate::families::a::A;"),
            ("step", "use crate::families::a::A; use crate::list::L;"),
            ("families", "pub mod a;"),
            ("families::a", "pub struct A;"),
        ];
        assert_eq!(house(&files).namings("families", &["list"]), ["step takes from families::a"]);
    }

    #[test]
    fn a_name_of_another_crate_and_one_in_a_comment_tie_nothing() {
        let files = [
            ("", "mod a; mod b;"),
            ("a", "use other::b::X; // crate::b::Y\nconst S: &str = \"crate::b::Z\";"),
            ("b", "use crate::a::S;"),
        ];
        assert!(house(&files).circles(1).is_empty());
    }
}
