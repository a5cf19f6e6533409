//! Every example in every `--help` of both programs and in README.md is a call that its program understands.

use crate::Cli;
use clap::CommandFactory;

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

fn understood(program: &clap::Command, call: &[String]) -> Result<(), String> {
    let name = program.get_name();
    match program.clone().try_get_matches_from(std::iter::once(name).chain(call.iter().map(String::as_str))) {
        Ok(_) => Ok(()),
        Err(e) if !e.use_stderr() => Ok(()),
        Err(e) => Err(format!("{name} {}\n{e}", call.join(" "))),
    }
}

/// The programs, how their examples begin, and how many there are at least.
fn programs() -> [(clap::Command, &'static [&'static str], usize); 2] {
    [
        (impinge_cli::command_line(), &["impinge "], 25),
        (Cli::command(), &["cargo xtask ", "cargo run -p impinge-lab -- "], 25),
    ]
}

#[test]
fn examples_of_every_help_are_understood_and_fit_the_width() {
    let mut wrong = Vec::new();
    for (program, begins, least) in programs() {
        let mut texts = Vec::new();
        helps(&program, &mut texts);
        let mut count = 0;
        for (text, begin) in texts.iter().flat_map(|t| begins.iter().map(move |b| (t, b))) {
            let wide = |l: &&str| {
                l.starts_with("  ")
                    && l.contains(begin)
                    && without_comment(l).trim_end().chars().count() > WIDTH
            };
            wrong.extend(text.lines().filter(wide).map(|l| format!("too wide: {l}")));
            for mut call in calls(text, begin) {
                count += 1;
                // `bench` is a folder of tasks.
                if call.first().is_some_and(|t| t == "bench") {
                    call.remove(0);
                }
                wrong.extend(understood(&program, &call).err());
            }
        }
        assert!(count >= least, "only {count} examples of {} were found", program.get_name());
        // Every command has one.
        let without =
            program.get_subcommands().filter(|c| c.get_name() != "help" && c.get_after_help().is_none());
        wrong.extend(without.map(|c| format!("no example: {}", c.get_name())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn calls_of_the_readme_are_understood() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    // Tasks that another program does.
    const OTHERS: [&str; 7] = ["fuzz", "zoo", "bench", "supply", "layers", "ci", "--help"];
    let (tool, lab) = (impinge_cli::command_line(), Cli::command());
    let mut wrong = Vec::new();
    let mut count = 0;
    for block in readme.split("```").skip(1).step_by(2) {
        for mut call in calls(block, "cargo xtask ") {
            // `fixtures` is a folder of tasks.
            if call.first().is_some_and(|t| t == "fixtures") {
                call.remove(0);
            }
            let task = call.first().map_or("", String::as_str);
            if OTHERS.contains(&task) {
                continue;
            }
            count += 1;
            let program = if lab.find_subcommand(task).is_some() { &lab } else { &tool };
            wrong.extend(understood(program, &call).err());
        }
        for call in calls(block, "impinge ") {
            count += 1;
            wrong.extend(understood(&tool, &call).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 0, "no call was found");
}
