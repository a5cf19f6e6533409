//! Project tasks: `cargo xtask --help`.
//!
//! Takes the name of a task and its arguments, gives an exit status: 0 for success, 1 when the task found
//! something wrong, 2 when it was asked for something it does not understand. One file per task; this one only
//! looks them up. Tasks start the other binaries, so that this one compiles in seconds.

mod browser;
mod ci;
mod diff;
mod fixtures;
mod forward;
mod fuzz;
mod golden;
mod prose;
mod stages;

use std::ffi::OsString;
use std::process::ExitCode;
use workspace::{Failure, Outcome};
// Modules here name them `crate::arguments` and `crate::workspace`.
use xtask::{arguments, workspace};

/// One task.
struct Task {
    name: &'static str,
    arguments: &'static str,
    summary: &'static str,
    /// Shown by `--help`; `None` where the program that is started explains its own arguments.
    help: Option<&'static str>,
    run: fn(&[OsString]) -> Outcome,
}

const TASKS: &[Task] = &[
    Task {
        name: "run",
        arguments: "SCENE [--duration S] [--mesh FILE] …",
        summary: "run a scene and write its report (also: cargo xtask run --help)",
        help: None,
        run: |a| forward::to_impinge("run", a),
    },
    Task {
        name: "replay",
        arguments: "FILE",
        summary: "run a recorded run again and name the first step and stage that differ",
        help: None,
        run: |a| forward::to_impinge("replay", a),
    },
    Task {
        name: "soak",
        arguments: "[--steps N] [--responses a,b]",
        summary: "a small scene for very many steps under every response: memory, energy, hashes",
        help: None,
        run: |a| forward::to_lab("soak", a),
    },
    Task {
        name: "kills",
        arguments: "[SCENE …] [--runs N] [--write FILE]",
        summary: "runs ended by signals at random moments go on to the same bits",
        help: None,
        run: |a| forward::to_lab("kills", a),
    },
    Task {
        name: "outcomes",
        arguments: "[SCENE …] [--responses a,b] [--write FILE]",
        summary: "scenes that others reported, under every response: right, refused, warned of, or false in silence",
        help: None,
        run: |a| forward::to_lab("outcomes", a),
    },
    Task {
        name: "compare",
        arguments: "SCENE [--responses a,b] [--sweep KEY=V,V]",
        summary: "one scene under several responses, side by side on one page",
        help: None,
        run: |a| forward::to_impinge("compare", a),
    },
    Task {
        name: "conform",
        arguments: "[SCENE …] [--responses a,b] [--write FILE]",
        summary: "what must hold of every scene under every response",
        help: None,
        run: |a| forward::to_lab("conform", a),
    },
    Task {
        name: "sweep",
        arguments: "SCENE --grid KEY=V,V [--shard i/n]",
        summary: "a grid of parameters, in parts that merge",
        help: None,
        run: |a| forward::to_impinge("sweep", a),
    },
    Task {
        name: "calibrate",
        arguments: "SCENE --from RESPONSE --to RESPONSE",
        summary: "fit one response's numbers to another's",
        help: None,
        run: |a| forward::to_impinge("calibrate", a),
    },
    Task {
        name: "gallery",
        arguments: "[SCENE …] [--out DIR]",
        summary: "every scene with a picture, on one page",
        help: None,
        run: |a| forward::to_lab("gallery", a),
    },
    Task {
        name: "export",
        arguments: "SCENE --gltf FILE | --vtu DIR",
        summary: "a run for other programs",
        help: None,
        run: |a| forward::to_impinge("export", a),
    },
    Task {
        name: "list",
        arguments: "",
        summary: "the scenes and what each one shows",
        help: None,
        run: |a| forward::to_impinge("list", a),
    },
    Task {
        name: "new",
        arguments: "FILE --mesh FILE …",
        summary: "a scene for meshes of your own",
        help: None,
        run: |a| forward::to_impinge("new", a),
    },
    Task {
        name: "wrench",
        arguments: "A B --pose N,…",
        summary: "what two bodies do to each other at a pose, under each law",
        help: None,
        run: |a| forward::to_impinge("wrench", a),
    },
    Task {
        name: "mesh",
        arguments: "FILE",
        summary: "what is in a mesh file, and whether it can be simulated",
        help: None,
        run: |a| forward::to_impinge("mesh", a),
    },
    Task {
        name: "repro",
        arguments: "[FIGURE …] [--out DIR]",
        summary: "figures of the papers computed anew, beside what the papers say",
        help: None,
        run: |a| forward::to_lab("repro", a),
    },
    Task {
        name: "verify",
        arguments: "[TEST …] [--check FILE]",
        summary: "tests with known answers under every response, as one table",
        help: None,
        run: |a| forward::to_lab("verify", a),
    },
    Task {
        name: "oracle",
        arguments: "DIR [--family a,b]",
        summary: "compare with reference cases computed elsewhere",
        help: None,
        run: |a| forward::to_lab("oracle", a),
    },
    Task {
        name: "ccd-truth",
        arguments: "DIR [--repeat N] [--list]",
        summary: "exact collision detection against queries with known answers, timed",
        help: None,
        run: |a| forward::to_lab("ccd-truth", a),
    },
    Task {
        name: "fixtures",
        arguments: "list|check [SCENE…]",
        summary: "the scenes; run them and compare with what they expect of themselves",
        help: Some(fixtures::HELP),
        run: fixtures::run,
    },
    Task {
        name: "golden",
        arguments: "[--bless]",
        summary: "compare every scene's hash with fixtures/golden; --bless writes them",
        help: Some(golden::HELP),
        run: golden::run,
    },
    Task {
        name: "bench",
        arguments: "[volume|pressure|scaling] [--against NAME|PROGRAM]",
        summary: "measure kernels and scenes, compare with a baseline or with another program run in turn",
        help: None,
        run: |a| forward::to_checks("bench", a),
    },
    Task {
        name: "browser",
        arguments: "[--screenshots DIR]",
        summary: "open reports in Chromium, where it is at hand: three widths, light and dark",
        help: Some(browser::HELP),
        run: browser::run,
    },
    Task {
        name: "fuzz",
        arguments: "[TARGET …] [--seconds N] [--seed S]",
        summary: "hostile input for every reader and kernel; --case K repeats one",
        help: None,
        run: fuzz::fuzz,
    },
    Task {
        name: "zoo",
        arguments: "[--check FILE] [--write FILE]",
        summary: "broken meshes through health, repair, filling and every response",
        help: None,
        run: fuzz::zoo,
    },
    Task {
        name: "supply",
        arguments: "[--package]",
        summary: "licences, manifests, unsafe code, what a release needs",
        help: None,
        run: |a| forward::to_checks("supply", a),
    },
    Task {
        name: "layers",
        arguments: "",
        summary: "check that every crate depends on lower layers only",
        help: None,
        run: |a| forward::to_checks("layers", a),
    },
    Task {
        name: "prose",
        arguments: "[FILE.md …]",
        summary: "find sentences and commit subjects that are too long",
        help: Some(prose::HELP),
        run: prose::run,
    },
    Task {
        name: "stages",
        arguments: "[--bless]",
        summary: "compare the guide's data-flow table with the stages' types",
        help: Some(stages::HELP),
        run: stages::run,
    },
    Task {
        name: "ci",
        arguments: "",
        summary: "everything the continuous integration runs",
        help: Some(ci::HELP),
        run: ci::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    workspace::finish(dispatch(&arguments))
}

fn dispatch(arguments: &[OsString]) -> Outcome {
    let Some((first, rest)) = arguments.split_first() else {
        print!("{}", overview());
        return Ok(ExitCode::SUCCESS);
    };
    // `help TASK` reads the same as `TASK --help`.
    match (first.to_str(), rest) {
        (Some("help" | "--help" | "-h"), []) => {
            print!("{}", overview());
            Ok(ExitCode::SUCCESS)
        }
        (Some("help"), [task, ..]) => start(find(task)?, &["--help".into()]),
        _ => start(find(first)?, rest),
    }
}

fn start(task: &Task, rest: &[OsString]) -> Outcome {
    let explained = task.help.and_then(|help| arguments::explained(help, rest));
    explained.map_or_else(|| (task.run)(rest), Ok)
}

fn find(name: &OsString) -> Result<&'static Task, Failure> {
    TASKS.iter().find(|t| name == t.name).ok_or_else(|| {
        let names: Vec<&str> = TASKS.iter().map(|t| t.name).collect();
        Failure::usage(format!(
            "there is no task '{}'; the tasks are {}, and cargo xtask --help explains them",
            name.to_string_lossy(),
            names.join(", ")
        ))
    })
}

fn overview() -> String {
    let mut out = String::from(
        "Project tasks. Start with\n\n    cargo xtask run drop          and open the report it names\n\nTasks:\n\n",
    );
    for t in TASKS {
        let call = format!("{} {}", t.name, t.arguments);
        out.push_str(&format!("  {:<45} {}\n", call.trim_end(), t.summary));
    }
    out.push_str(
        "\nA task explains itself with cargo xtask TASK --help. Tasks start the other programs through cargo, in the\n\
         folder of the workspace, so paths are relative to that; arguments that a task does not know go to the program.\n\
         XTASK_IMPINGE=target/debug/impinge starts that program, and impinge-lab and the fuzzers beside it where they\n\
         are there, instead of building them.\n",
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_found_by_its_own_name_and_explained() {
        let text = overview();
        for t in TASKS {
            assert_eq!(find(&t.name.into()).ok().map(|f| f.name), Some(t.name));
            assert!(text.contains(&format!("  {}", t.name)), "{} is not in the overview", t.name);
            if let Some(help) = t.help {
                assert!(help.contains(&format!("cargo xtask {}", t.name)), "{}'s help shows no call", t.name);
            }
        }
    }

    #[test]
    fn an_unknown_task_is_a_usage_error_that_lists_the_tasks() {
        let e = dispatch(&["bnech".into()]).unwrap_err();
        assert_eq!(e.status, 2);
        assert!(e.message.contains("'bnech'") && e.message.contains("bench"), "{}", e.message);
    }
}
