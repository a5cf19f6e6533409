//! `browser`: opens reports, a comparison and a gallery in Chromium, where one is at hand.

use crate::arguments::Arguments;
use crate::workspace::{Failure, Outcome, exit_code, impinge, lab, root, status, succeed, target};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Shown by `--help`.
pub const HELP: &str = "\
Opens reports, a comparison and a gallery in Chromium at 390, 1400 and 1920 px, light and dark: plays, scrubs, picks bodies, hovers
plots, saves CSV files, loses and restores the graphics context. About a minute.

    cargo xtask browser                          exits 1 when something does not hold
    cargo xtask browser --screenshots DIR        keeps a picture of every page

It needs Node.js 20 or newer with npm, and Chromium or Chrome on the PATH; CHROMIUM=PROGRAM names another. npm fetches the package
playwright-core, whose version xtask/browser/package-lock.json fixes. Where one of them is missing the task says so and ends with 0.
";

/// Names of the program, the first that is found.
const CHROMIUM: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Oldest version of Node.js that the package runs with.
const NODE: u32 = 20;

/// Writes the pages and tests them.
///
/// # Errors
/// When the program does not build or a page cannot be written.
pub fn run(arguments: &[OsString]) -> Outcome {
    let mut a = Arguments::new(arguments)?;
    let screenshots = a.value("--screenshots")?;
    a.finish("--screenshots DIR")?;
    let home = target().join("browser");
    let chromium = match chromium().and_then(|c| prepared(&home).map(|()| c)) {
        Ok(chromium) => chromium,
        Err(reason) => {
            println!("browser: not run: {reason}");
            return Ok(ExitCode::SUCCESS);
        }
    };
    let pages = home.join("pages");
    write_pages(&pages)?;
    let mut tests = Command::new("node");
    tests.arg(home.join("run.mjs")).arg("--chromium").arg(chromium).arg("--pages").arg(&pages);
    if let Some(folder) = screenshots {
        tests.arg("--screenshots").arg(root().join(folder));
    }
    Ok(exit_code(status(&mut tests)?))
}

/// The browser.
fn chromium() -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os("CHROMIUM") {
        return match runs(Path::new(&given)) {
            Some(_) => Ok(given.into()),
            None => Err(format!("CHROMIUM={} does not start", given.to_string_lossy())),
        };
    }
    CHROMIUM
        .map(PathBuf::from)
        .into_iter()
        .find(|name| runs(name).is_some())
        .and_then(|name| which(&name))
        .ok_or(format!("none of {} is on the PATH; CHROMIUM=PROGRAM names another", CHROMIUM.join(", ")))
}

/// The path of a program that the PATH leads to.
fn which(name: &Path) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|p| p.is_file())
}

/// What a program answers to `--version`.
fn runs(program: &Path) -> Option<String> {
    let answer = Command::new(program).arg("--version").stderr(Stdio::null()).output().ok()?;
    answer.status.success().then(|| String::from_utf8_lossy(&answer.stdout).trim().to_string())
}

/// Puts the scripts and the package into a folder of their own.
fn prepared(home: &Path) -> Result<(), String> {
    let version = runs(Path::new("node")).ok_or("there is no node on the PATH")?;
    if !new_enough(&version) {
        return Err(format!("node is {version}; it must be {NODE} or newer"));
    }
    let from = root().join("xtask/browser");
    let locked = std::fs::read(home.join("package-lock.json")).ok();
    std::fs::create_dir_all(home).map_err(|e| format!("{}: {e}", home.display()))?;
    for entry in std::fs::read_dir(&from).map_err(|e| format!("{}: {e}", from.display()))?.flatten() {
        std::fs::copy(entry.path(), home.join(entry.file_name()))
            .map_err(|e| format!("{}: {e}", entry.path().display()))?;
    }
    // Once for each version of the lock file.
    if home.join("node_modules/playwright-core").is_dir()
        && locked == std::fs::read(from.join("package-lock.json")).ok()
    {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--fetch-retries=1"])
        .current_dir(home);
    match npm.status() {
        Ok(s) if s.success() => Ok(()),
        Ok(_) => {
            // Half a package would be taken for a whole one.
            let _ = std::fs::remove_dir_all(home.join("node_modules"));
            Err("npm could not fetch playwright-core; its own message is above".to_string())
        }
        Err(e) => Err(format!("npm does not start: {e}")),
    }
}

/// "v20.20.2".
fn new_enough(version: &str) -> bool {
    let major = version.trim_start_matches('v').split('.').next();
    major.and_then(|m| m.parse::<u32>().ok()).is_some_and(|m| m >= NODE)
}

/// A run, a run with thousands of contacts, a comparison, a gallery of two scenes.
fn write_pages(pages: &Path) -> Result<(), Failure> {
    if pages.exists() {
        std::fs::remove_dir_all(pages).map_err(|e| Failure::new(format!("{}: {e}", pages.display())))?;
    }
    let calls = [
        ("drop", "run drop --duration 1.2 --quiet"),
        ("crowd", "run creatures --duration 0.3 --quiet"),
        ("compare", "compare incline --duration 0.2 --quiet --responses penalty,cpf,pressure"),
        ("gallery", "gallery drop box-rest"),
    ];
    for (name, call) in calls {
        let out: [OsString; 2] = ["--out".into(), pages.join(name).into()];
        let arguments = call.split(' ').map(OsString::from).chain(out);
        let mut command = if name == "gallery" { lab(arguments, false)? } else { impinge(arguments)? };
        // What it prints is of no interest, and the run is not the scene's own.
        succeed(command.stdout(Stdio::null()), call)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_of_node_is_read() {
        assert!(new_enough("v20.20.2") && new_enough("v120.0.0"));
        assert!(!new_enough("v18.19.1") && !new_enough("") && !new_enough("node"));
    }
}
