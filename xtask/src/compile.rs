//! Builds a program: says so where it takes long, shows cargo's progress, is silent where nothing is to be built.

use crate::workspace::{Failure, cargo, target};
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::Stdio;

/// What a program costs to build in an empty target folder, on all cores together (CPU-minutes).
fn cost(program: &str) -> f64 {
    if program == "xtask-checks" { 0.5 } else { 7.0 }
}

/// The path of a program after building it.
///
/// The whole workspace is named, and of it this program alone is built: the features of shared dependencies are then those that
/// `cargo test --workspace` builds them with, and it builds none of them again.
///
/// # Errors
/// When it does not build.
pub fn program(name: &str, release: bool) -> Result<PathBuf, Failure> {
    let folder = target().join(if release { "release" } else { "debug" });
    if !folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)).is_file() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        eprintln!("{}", announcement(name, cores));
    }
    let mut build = cargo();
    build.arg("build").args(release.then_some("--release")).args(["--workspace", "--bin", name]);
    build.args(["--message-format", "json-render-diagnostics"]);
    build.stdout(Stdio::piped()).stderr(Stdio::piped());
    if std::io::stderr().is_terminal() {
        // Behind a pipe cargo would think that nobody looks.
        let width = std::env::var("COLUMNS").unwrap_or_else(|_| "80".into());
        build.envs([("CARGO_TERM_PROGRESS_WHEN", "always"), ("CARGO_TERM_COLOR", "always")]);
        build.env("CARGO_TERM_PROGRESS_WIDTH", width);
    }
    let cannot = |e: std::io::Error| Failure::new(format!("building the {name} program: {e}"));
    let mut cargo = build.spawn().map_err(cannot)?;
    let (Some(mut messages), Some(progress)) = (cargo.stdout.take(), cargo.stderr.take()) else {
        return Err(Failure::new("cargo was started without its channels"));
    };
    let shown = std::thread::spawn(move || show(progress, std::io::stderr()));
    let mut text = String::new();
    messages.read_to_string(&mut text).map_err(cannot)?;
    let status = cargo.wait().map_err(cannot)?;
    // A closed terminal is no reason not to build.
    let _ = shown.join();
    if !status.success() {
        return Err(Failure::new(format!(
            "building the {name} program failed ({status}); the compiler's message is above"
        )));
    }
    executable(&text, name).map(PathBuf::from).ok_or_else(|| {
        Failure::new(format!("cargo built the {name} program and did not say where it put it"))
    })
}

fn announcement(name: &str, cores: usize) -> String {
    // Beyond four cores the longest chain of crates decides.
    let minutes = (cost(name) / cores.min(4) as f64).ceil();
    let on = if cores == 1 { "one core".to_string() } else { format!("{cores} cores") };
    let (about, s) = if minutes > 1.0 { ("about", "s") } else { ("less than", "") };
    format!("building {name}: {about} {minutes} minute{s} the first time, on {on}")
}

/// Passes cargo's progress on, a line at a time, without the line that says that nothing is left to do.
fn show(mut from: impl Read, mut to: impl Write) -> std::io::Result<()> {
    let (mut line, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let n = from.read(&mut chunk)?;
        for &byte in &chunk[..n] {
            line.push(byte);
            // The progress bar ends in a carriage return, to be written over.
            if byte == b'\n' || byte == b'\r' {
                pass_on(&mut line, &mut to)?;
            }
        }
        if n == 0 {
            return pass_on(&mut line, &mut to);
        }
    }
}

fn pass_on(line: &mut Vec<u8>, to: &mut impl Write) -> std::io::Result<()> {
    if !String::from_utf8_lossy(line).contains("Finished") {
        to.write_all(line)?;
        to.flush()?;
    }
    line.clear();
    Ok(())
}

/// The path of a program in cargo's messages, one JSON object a line.
fn executable(messages: &str, name: &str) -> Option<String> {
    let ours = |l: &&str| {
        l.contains(r#""reason":"compiler-artifact""#) && l.contains(&format!(r#""name":"{name}""#))
    };
    messages.lines().filter(ours).find_map(|l| text(l.split_once(r#""executable":""#)?.1))
}

/// A JSON string up to its closing quote; what a path can hold of escapes is `\\`, `\"` and `\/`.
fn text(rest: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => return Some(out),
            '\\' => out.push(chars.next()?),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_the_libraries() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"impinge"},"executable":null}"#,
            "\nnot json\n",
            r#"{"reason":"compiler-artifact","target":{"name":"other"},"executable":"/t/other"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"impinge"},"executable":"C:\\t\\im\"pinge"}"#,
        );
        assert_eq!(executable(messages, "impinge").as_deref(), Some(r#"C:\t\im"pinge"#));
        assert_eq!(executable(messages, "absent"), None);
    }

    #[test]
    fn progress_is_passed_on_and_the_end_is_not() {
        let shown = |text: &str| {
            let mut out = Vec::new();
            show(text.as_bytes(), &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(shown("    Finished `release` profile in 0.1s\n"), "");
        assert_eq!(
            shown("  Compiling a\n Building 1/2\r Finished x\nerror: b"),
            "  Compiling a\n Building 1/2\rerror: b"
        );
    }

    #[test]
    fn fewer_cores_take_longer() {
        assert_eq!(
            announcement("impinge", 1),
            "building impinge: about 7 minutes the first time, on one core"
        );
        assert_eq!(
            announcement("impinge", 2),
            "building impinge: about 4 minutes the first time, on 2 cores"
        );
        assert_eq!(announcement("impinge", 64).replace("64", "4"), announcement("impinge", 4));
        assert!(announcement("xtask-checks", 2).contains("less than 1 minute "));
    }
}
