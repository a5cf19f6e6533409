//! The manifests of the workspace as far as the rules need them: who names whom, and what for.

use std::path::Path;

/// What a dependency is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The crate itself, or its build script.
    Normal,
    /// Tests, examples and benches.
    Dev,
}

/// One dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Name of the package, whatever name it is given in the code.
    pub package: String,
    /// What for.
    pub kind: Kind,
}

/// One member of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Folder from the root, with `/`: `crates/geometry`.
    pub folder: String,
    /// Name of the package.
    pub package: String,
    /// What it names.
    pub dependencies: Vec<Dependency>,
}

/// Reads `crates/*`, `benches`, `xtask` and `xtask/checks`, sorted by folder.
///
/// # Errors
/// The file and what is wrong with it.
pub fn read(root: &Path) -> Result<Vec<Member>, String> {
    let top = table(&root.join("Cargo.toml"))?;
    let shared = top.get("workspace").and_then(|w| w.get("dependencies")).and_then(toml::Value::as_table);
    let nothing = toml::Table::new();
    let shared = shared.unwrap_or(&nothing);

    let mut folders = ["benches", "xtask", "xtask/checks"].map(String::from).to_vec();
    let crates = root.join("crates");
    let unreadable = |e: std::io::Error| format!("{} cannot be read: {e}", crates.display());
    for entry in std::fs::read_dir(&crates).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // A folder without a manifest is left over from another branch, not a crate.
        if entry.path().join("Cargo.toml").is_file() {
            folders.push(format!("crates/{}", entry.file_name().to_string_lossy()));
        }
    }
    folders.sort_unstable();
    folders.iter().map(|f| member(f, &table(&root.join(f).join("Cargo.toml"))?, shared)).collect()
}

fn table(path: &Path) -> Result<toml::Table, String> {
    let text =
        std::fs::read_to_string(path).map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
    text.parse().map_err(|e| format!("{}: {e}", path.display()))
}

/// One manifest; `shared` is the root's `[workspace.dependencies]`.
///
/// # Errors
/// When the manifest names no package.
pub fn member(folder: &str, manifest: &toml::Table, shared: &toml::Table) -> Result<Member, String> {
    let package = manifest
        .get("package")
        .and_then(|p| p.get("name"))
        .and_then(toml::Value::as_str)
        .ok_or_else(|| format!("{folder}/Cargo.toml has no package.name"))?;
    let mut dependencies = Vec::new();
    collect(manifest, shared, &mut dependencies);
    // [target.'cfg(…)'.dependencies] and its like.
    for (_, t) in manifest.get("target").and_then(toml::Value::as_table).into_iter().flatten() {
        if let Some(t) = t.as_table() {
            collect(t, shared, &mut dependencies);
        }
    }
    Ok(Member { folder: folder.to_string(), package: package.to_string(), dependencies })
}

fn collect(from: &toml::Table, shared: &toml::Table, out: &mut Vec<Dependency>) {
    for (section, kind) in [
        ("dependencies", Kind::Normal),
        ("build-dependencies", Kind::Normal),
        ("dev-dependencies", Kind::Dev),
    ] {
        for (key, value) in from.get(section).and_then(toml::Value::as_table).into_iter().flatten() {
            let renamed =
                |v: &toml::Value| v.get("package").and_then(toml::Value::as_str).map(str::to_string);
            let package =
                renamed(value).or_else(|| shared.get(key).and_then(renamed)).unwrap_or_else(|| key.clone());
            out.push(Dependency { package, kind });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> toml::Table {
        text.parse().unwrap()
    }

    #[test]
    fn every_way_to_name_a_dependency_is_seen() {
        let shared = parse("inner = { package = \"bvh\", version = \"1\" }");
        let m = member(
            "crates/a",
            &parse(
                r#"
                package.name = "impinge-a"
                [dependencies]
                plain = "1"
                inherited.workspace = true
                inner.workspace = true
                mine = { package = "parry3d", version = "1" }
                [build-dependencies]
                made = "1"
                [dev-dependencies]
                tried = "1"
                [target.'cfg(unix)'.dependencies]
                nix = "1"
                [target.'cfg(unix)'.dev-dependencies]
                pty = "1"
                "#,
            ),
            &shared,
        )
        .unwrap();
        let of = |k| {
            let mut names: Vec<&str> =
                m.dependencies.iter().filter(|d| d.kind == k).map(|d| d.package.as_str()).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(of(Kind::Normal), ["bvh", "inherited", "made", "nix", "parry3d", "plain"]);
        assert_eq!(of(Kind::Dev), ["pty", "tried"]);
    }

    #[test]
    fn a_manifest_without_a_package_is_refused_by_name() {
        let e = member("crates/a", &toml::Table::new(), &toml::Table::new()).unwrap_err();
        assert!(e.contains("crates/a/Cargo.toml"), "{e}");
    }

    #[test]
    fn this_workspace_is_read_whole() {
        let members = read(&crate::workspace::root()).unwrap();
        let geometry = members.iter().find(|m| m.folder == "crates/geometry").unwrap();
        assert_eq!(geometry.package, "impinge-geometry");
        assert!(geometry.dependencies.iter().any(|d| d.package == "ultraviolet" && d.kind == Kind::Normal));
        assert!(members.iter().any(|m| m.folder == "xtask") && members.iter().any(|m| m.folder == "benches"));
    }
}
