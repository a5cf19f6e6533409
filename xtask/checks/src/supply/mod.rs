//! `supply`: what a release and its users rely on, checked without a network.

mod api;
mod licences;
mod manifests;
mod packages;
mod release;
mod trees;
mod unsafe_code;

use crate::arguments::Arguments;
use crate::workspace::{Failure, Outcome, cargo, output, root};
use serde_json::Value;
use std::ffi::OsString;
use std::process::ExitCode;

/// Shown by `--help`.
pub const HELP: &str = "\
Checks what a release and its users rely on, without a network: licences, manifests, unsafe code.

    cargo xtask supply              exits 1 and names everything that is wrong
    cargo xtask supply --write-api  keeps the interfaces as they are now
    cargo xtask supply --package    packs every published crate besides, twice, and builds each from its package
    cargo xtask supply --minimal    builds with the oldest versions of all direct dependencies besides
    cargo xtask supply --semver v0.1.0    compares the interfaces with those of a revision besides

* Every dependency's licence is on the list of deny.toml.
* Every published crate has description, licence, readme, keywords, categories and the workspace's rust-version, which
  README.md names; what it needs of the workspace carries a version, so that it can be fetched.
* Every package holds the licence texts, keywords and categories of its own, and no link out of it; docs.rs shows all features.
* Without the features `parallel` and `serde` a crate needs neither rayon nor serde, and no crate brings more others than its bound.
* The interface of every published library is that of docs/api: what is `pub`, a line each.
* Every `unsafe` in the crates has a SAFETY comment, and a crate without unsafe forbids it.

The last three take minutes and a network, and are run before a release. --package needs a clean checkout, and both packages of a crate must
be the same to the byte; --minimal works in a copy
under target; --semver needs the program cargo-semver-checks. Advisories need their database: `cargo deny check advisories`, a program of
its own, which continuous integration runs where program and database are at hand.
";

/// Checks.
///
/// # Errors
/// When cargo cannot say what there is, or something is wrong.
pub fn run(arguments: &[OsString]) -> Outcome {
    let mut a = Arguments::new(arguments)?;
    let package = a.flag("--package");
    let write_api = a.flag("--write-api");
    let minimal = a.flag("--minimal");
    let semver = a.value("--semver")?;
    a.finish("--write-api, --package, --minimal, --semver REVISION")?;
    let metadata = metadata()?;
    let deny = std::fs::read_to_string(root().join("deny.toml"))
        .map_err(|e| Failure::new(format!("deny.toml cannot be read: {e}")))?;
    let readme = std::fs::read_to_string(root().join("README.md"))
        .map_err(|e| Failure::new(format!("README.md cannot be read: {e}")))?;
    let mut wrong = Vec::new();
    let allowed = licences::allowed(&deny).map_err(Failure::new)?;
    let packages = licences::check(&metadata, &allowed, &mut wrong);
    println!(
        "{} packages from elsewhere, {} of them under a licence that is not on the list",
        packages.len(),
        wrong.len()
    );
    for (name, versions) in licences::twice(&packages) {
        println!("    warning: {name} is there {} times: {}", versions.len(), versions.join(", "));
    }
    let (published, missing) = manifests::check(&metadata, &readme, &mut wrong);
    packages::check(&metadata, &mut wrong);
    println!("{published} crates to publish");
    missing.iter().for_each(|m| println!("    warning: {m}"));
    for line in trees::check(&manifests::published(&metadata), &mut wrong)? {
        println!("    {line}");
    }
    let interfaces = api::check(&metadata, &root(), write_api, &mut wrong)?;
    println!("{interfaces} interfaces {}", if write_api { "written" } else { "held against docs/api" });
    let places = unsafe_code::check(&root(), &mut wrong).map_err(Failure::new)?;
    println!("{} lines with unsafe in the crates:", places.len());
    places.iter().for_each(|p| println!("    {p}"));
    if !wrong.is_empty() {
        return Err(Failure::new(wrong.join("\nxtask: ")));
    }
    if package {
        release::package(&metadata)?;
    }
    if minimal {
        release::minimal()?;
    }
    if let Some(revision) = semver {
        release::semver(&metadata, &revision)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn metadata() -> Result<Value, Failure> {
    let mut c = cargo();
    // Not offline: packages of other platforms are in the lock file, and a machine that has only built this has not fetched them.
    c.args(["metadata", "--format-version", "1", "--locked"]);
    let text = output(&mut c, "cargo metadata")?;
    serde_json::from_str(&text).map_err(|e| Failure::new(format!("cargo metadata: {e}")))
}
