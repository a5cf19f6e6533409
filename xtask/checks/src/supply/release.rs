//! What is checked before a release, with a network and minutes to spare: packages that build alone, the oldest versions that the manifests
//! allow, and breaks of an interface.

use super::manifests;
use crate::workspace::{Failure, cargo, output, root, succeed, target};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// Packs all published crates at once, which finds those that are not on the registry yet among each other, and builds each from what
/// was packed. Then packs them again: the same checkout must give the same bytes.
///
/// # Errors
/// When one cannot be packed or built, or becomes another package.
pub fn package(metadata: &Value) -> Result<(), Failure> {
    let names = manifests::published(metadata);
    let pack = |more: &[&str]| {
        let mut c = cargo();
        c.args(["package", "--locked"]).args(more);
        names.iter().for_each(|name| {
            c.args(["--package", name]);
        });
        succeed(&mut c, "cargo package")
    };
    pack(&[])?;
    let first = packed(metadata, &names)?;
    pack(&["--no-verify"])?;
    let again = packed(metadata, &names)?;
    let differ: Vec<&str> = (names.iter().zip(first.iter().zip(&again)))
        .filter(|(_, (a, b))| a != b)
        .map(|(n, _)| n.as_str())
        .collect();
    if !differ.is_empty() {
        return Err(Failure::new(format!(
            "packed twice and not the same to the byte: {}",
            differ.join(", ")
        )));
    }
    println!("{} packages, each the same to the byte when packed again", names.len());
    Ok(())
}

/// The bytes of each package.
fn packed(metadata: &Value, names: &[String]) -> Result<Vec<Vec<u8>>, Failure> {
    let version = |name: &str| {
        let of = metadata["packages"].as_array().into_iter().flatten().find(|p| p["name"] == name);
        of.and_then(|p| p["version"].as_str()).unwrap_or_default().to_string()
    };
    let read = |name: &String| {
        let file = target().join("package").join(format!("{name}-{}.crate", version(name)));
        fs::read(&file).map_err(|e| Failure::new(format!("{}: {e}", file.display())))
    };
    names.iter().map(read).collect()
}

/// Builds the libraries and programs, in a copy of the workspace, with the oldest versions of its direct dependencies that its manifests allow.
///
/// # Errors
/// When the copy cannot be made, or does not build: then a manifest promises too old a version.
pub fn minimal() -> Result<(), Failure> {
    let copy = target().join("minimal");
    let failed = |what: &str, e: &std::io::Error| Failure::new(format!("{what}: {e}"));
    let list = output(Command::new("git").args(["ls-files", "-z"]).current_dir(root()), "git ls-files")?;
    if copy.exists() {
        fs::remove_dir_all(&copy).map_err(|e| failed("the last copy cannot be removed", &e))?;
    }
    // A file that was deleted and not committed is still in the list.
    for file in list.split_terminator('\0').filter(|f| root().join(f).is_file()) {
        let to = copy.join(file);
        let made = to.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::copy(root().join(file), &to)).map_err(|e| failed(file, &e))?;
    }
    let unstable = |arguments: &[&str]| {
        let mut c = cargo();
        // The choice of versions is a feature of unreleased cargos; this is how a released one is asked for it. The compiler sees nothing of it.
        c.current_dir(&copy).env("RUSTC_BOOTSTRAP", "1").args(arguments);
        c
    };
    succeed(
        &mut unstable(&["-Zdirect-minimal-versions", "generate-lockfile"]),
        "choosing the oldest versions",
    )?;
    let mut check = cargo();
    check.current_dir(&copy).env("CARGO_TARGET_DIR", target().join("minimal-build"));
    succeed(check.args(["check", "--workspace", "--locked"]), "building with the oldest versions")
}

/// Compares the interfaces of the published crates with those of `revision`, by the program `cargo semver-checks`.
///
/// # Errors
/// When the program is not there, or finds a break that the version does not announce.
pub fn semver(metadata: &Value, revision: &str) -> Result<(), Failure> {
    let mut c = cargo();
    c.args(["semver-checks", "--baseline-rev", revision]);
    for name in manifests::published(metadata).into_iter().filter(|n| is_library(metadata, n)) {
        c.args(["--package", &name]);
    }
    let what = "cargo semver-checks (a program of its own: cargo install cargo-semver-checks --locked)";
    succeed(&mut c, what)
}

fn is_library(metadata: &Value, name: &str) -> bool {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let targets =
        packages.filter(|p| p["name"] == name).flat_map(|p| p["targets"].as_array().into_iter().flatten());
    targets.flat_map(|t| t["kind"].as_array().into_iter().flatten()).any(|k| k == "lib")
}
