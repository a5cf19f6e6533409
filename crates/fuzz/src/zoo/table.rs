//! The outcomes as Markdown.

use super::stages::{Came, Passage};
use impinge_scene::Response;
use std::fmt::Write;

const HEAD: &str = "# Broken meshes, and what becomes of them\n\n\
Written by `cargo xtask zoo --write crates/impinge/src/guide/broken_meshes.md`. Every surface is made by\n\
`crates/fuzz/src/zoo/animals.rs` and written to a file. It goes through reading, the health report (which must name the fault), the repairs that the report\n\
offers, and filling with tets. Then a body of 1 kg falls on a floor for ten steps of each response: once as it is, once repaired. A cell says how many run, `r` were refused before the first step and `s` were\n\
stopped by an error during the run, `m` ran and never met the floor; each error says what is wrong. Nothing else may happen: no panic, no\n\
state that is not finite, no momentum from nowhere.\n";

/// One cell: good ones, then refused, stopped and wrong ones where there are any.
fn cell<'a>(all: impl Iterator<Item = &'a Came>) -> String {
    let mut counts = [0; 5];
    for c in all {
        let k = match c {
            Came::Good => 0,
            Came::Refused(_) => 1,
            Came::Stopped(_) => 2,
            Came::Missed => 3,
            Came::Wrong(_) => 4,
        };
        counts[k] += 1;
    }
    let mut out = counts[0].to_string();
    for (n, mark) in counts[1..].iter().zip(["r", "s", "m", "**WRONG**"]) {
        if *n > 0 {
            let _ = write!(out, " {n}{mark}");
        }
    }
    out
}

/// Where what depends on the machine begins; it is the last part.
pub const TIMES: &str = "\n## How long it took\n\n";

/// Seconds of each fault, of `took` for each surface, and of everything on so many workers.
pub fn times(paths: &[Passage], took: &[f64], (together, threads): (f64, usize)) -> String {
    let mut out = format!(
        "{TIMES}All of it {together:.0} s on {threads} workers, in steps of all responses and what comes before them.\n\n\
         | fault | surfaces | together | longest surface |\n|---|---|---|---|\n"
    );
    let mut kinds: Vec<&str> = paths.iter().map(|p| p.kind).collect();
    kinds.dedup();
    for kind in kinds {
        let of: Vec<f64> = paths.iter().zip(took).filter(|(p, _)| p.kind == kind).map(|(_, t)| *t).collect();
        let longest = of.iter().copied().fold(0.0, f64::max);
        let _ = writeln!(out, "| {kind} | {} | {:.2} s | {longest:.2} s |", of.len(), of.iter().sum::<f64>());
    }
    out
}

/// Both tables.
pub fn markdown(paths: &[Passage], files: &[(String, Came)]) -> String {
    let mut out = HEAD.to_string();
    for (which, title) in [(1, "Repaired by the report's own offers"), (0, "As they are")] {
        let _ = write!(out, "\n## {title}\n\n| fault | surfaces | read | ");
        out += if which == 1 { "repaired: a solid | filled" } else { "reported" };
        Response::ALL.iter().for_each(|r| out += &format!(" | {}", r.name()));
        out += " |\n|---|---|---|---|";
        out += if which == 1 { "---|" } else { "" };
        Response::ALL.iter().for_each(|_| out += "---|");
        out += "\n";
        let mut kinds: Vec<&str> = paths.iter().map(|p| p.kind).collect();
        kinds.dedup();
        for kind in kinds.into_iter().chain(["all"]) {
            let these: Vec<&Passage> = paths.iter().filter(|p| p.kind == kind || kind == "all").collect();
            let _ = write!(out, "| {kind} | {} | {}", these.len(), cell(these.iter().map(|p| &p.load)));
            if which == 1 {
                let (repair, fill) =
                    (cell(these.iter().map(|p| &p.repair)), cell(these.iter().map(|p| &p.fill)));
                let _ = write!(out, " | {repair} | {fill}");
            } else {
                let _ = write!(out, " | {}", cell(these.iter().map(|p| &p.health)));
            }
            for r in Response::ALL {
                let came =
                    these.iter().flat_map(|p| p.runs[which].iter().filter(|x| x.0 == *r).map(|x| &x.1));
                let _ = write!(out, " | {}", cell(came));
            }
            out += " |\n";
        }
    }
    out += "\n## Files without a mesh\n\n| file | outcome |\n|---|---|\n";
    for (name, came) in files {
        let _ = writeln!(out, "| {name} | {} |", cell(std::iter::once(came)));
    }
    out
}

/// Everything that must not have happened, by name.
pub fn wrong(paths: &[Passage], files: &[(String, Came)]) -> Vec<String> {
    let mut out = Vec::new();
    let mut note = |name: &str, stage: &str, came: &Came| {
        if let Came::Wrong(e) = came {
            out.push(format!("{name}, {stage}: {e}"));
        }
    };
    for p in paths {
        let stages = [("read", &p.load), ("health", &p.health), ("repair", &p.repair), ("fill", &p.fill)];
        stages.into_iter().for_each(|(stage, came)| note(&p.name, stage, came));
        for (k, how) in [(0, "as it is"), (1, "repaired")] {
            p.runs[k].iter().for_each(|(r, came)| note(&p.name, &format!("{} {how}", r.name()), came));
        }
    }
    files.iter().for_each(|(name, came)| note(name, "read", came));
    out
}
