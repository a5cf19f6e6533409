//! Every example in every `--help` and in README.md is a call that the program understands.

use crate::Cli;
use clap::{CommandFactory, Parser};

/// Lines longer than this are wrapped by `--help`, and then are no longer what one can copy.
const WIDTH: usize = 98;

/// The text that stands below the options of a command and of those below it.
fn helps(command: &clap::Command, out: &mut Vec<String>) {
    out.extend(command.get_after_help().map(ToString::to_string));
    command.get_subcommands().for_each(|c| helps(c, out));
}

/// The calls among lines of text, as words; continued lines are one.
fn calls(text: &str, begin: &str) -> Vec<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    let mut out = Vec::new();
    for line in joined.lines() {
        let line = without_comment(line).trim();
        let Some(at) = line
            .find(begin)
            .filter(|&at| at == 0 || line.starts_with("srun ") || line.starts_with("parallel "))
        else {
            continue;
        };
        // What a shell or GNU parallel puts in.
        let call = line[at + begin.len()..].split(" :::").next().unwrap_or_default();
        let call = call.replace("$SLURM_ARRAY_TASK_ID", "7").replace("{}", "7");
        out.push(call.split_whitespace().map(|w| w.trim_matches(['\'', '"']).to_string()).collect());
    }
    out
}

/// A comment stands after a hash or in brackets at the end; what follows a comma is prose.
fn without_comment(line: &str) -> &str {
    [" # ", "   (", ", then:"].iter().fold(line, |line, mark| line.split(mark).next().unwrap_or(line))
}

fn understood(call: &[String]) -> Result<(), String> {
    match Cli::try_parse_from(std::iter::once("impinge").chain(call.iter().map(String::as_str))) {
        Ok(_) => Ok(()),
        Err(e) if !e.use_stderr() => Ok(()),
        Err(e) => Err(format!("impinge {}\n{e}", call.join(" "))),
    }
}

#[test]
fn examples_of_every_help_are_understood_and_fit_the_width() {
    let mut texts = Vec::new();
    helps(&Cli::command(), &mut texts);
    let mut wrong = Vec::new();
    let mut count = 0;
    for text in &texts {
        let wide = |l: &&str| {
            l.starts_with("  ")
                && l.contains("impinge ")
                && without_comment(l).trim_end().chars().count() > WIDTH
        };
        wrong.extend(text.lines().filter(wide).map(|l| format!("too wide: {l}")));
        for call in calls(text, "impinge ") {
            count += 1;
            wrong.extend(understood(&call).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 40, "only {count} examples were found");
    // Every command has one.
    let command = Cli::command();
    let without =
        command.get_subcommands().filter(|c| c.get_name() != "help" && c.get_after_help().is_none());
    let names: Vec<&str> = without.map(clap::Command::get_name).collect();
    assert!(names.is_empty(), "no example: {names:?}");
}

#[test]
fn calls_of_the_readme_are_understood() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    // Tasks that another program does.
    const OTHERS: [&str; 7] = ["fuzz", "zoo", "bench", "supply", "layers", "ci", "--help"];
    let mut wrong = Vec::new();
    let mut count = 0;
    for block in readme.split("```").skip(1).step_by(2) {
        let tasks = calls(block, "cargo xtask ")
            .into_iter()
            .filter(|c| c.first().is_none_or(|t| !OTHERS.contains(&t.as_str())));
        for mut call in tasks.chain(calls(block, "impinge ")) {
            // `fixtures` is a folder of tasks.
            if call.first().is_some_and(|t| t == "fixtures") {
                call.remove(0);
            }
            count += 1;
            wrong.extend(understood(&call).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 0, "no call was found");
}
