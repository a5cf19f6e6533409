//! `docs/PAPERS.md` names a command for each claim; each one must exist, down to its scene, figure, test or example.

use crate::program::{accepted, root};
use impinge_scene::{Response, SceneSpec};
use std::path::{Path, PathBuf};

/// Words of a sentence, at most.
const WORDS: usize = 25;

/// A row of a table: its line, and its cells.
struct Row {
    line: usize,
    cells: Vec<String>,
}

/// The rows of all tables with a column of commands.
fn rows(page: &str) -> Vec<Row> {
    let mut out = Vec::new();
    let mut commands = false;
    for (i, line) in page.lines().enumerate() {
        let Some(inner) = line.strip_prefix("| ").and_then(|l| l.strip_suffix(" |")) else {
            commands = commands && line.starts_with("|--");
            continue;
        };
        // `\|` is a bar within a cell.
        let inner = inner.replace("\\|", "\u{1}");
        let cells: Vec<String> = inner.split(" | ").map(|c| c.replace('\u{1}', "|")).collect();
        if cells.last().is_some_and(|c| c == "command") {
            commands = true;
        } else if commands {
            out.push(Row { line: i + 1, cells });
        }
    }
    out
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/PAPERS.md")).unwrap()
}

/// What stands between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Words of a command line; what is in double quotes is one.
fn words(command: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, part) in command.split('"').enumerate() {
        if i % 2 == 1 {
            out.push(part.to_string());
        } else {
            out.extend(part.split_whitespace().map(String::from));
        }
    }
    out
}

/// Why a command would not run.
fn wrong(command: &str, figures: &[String]) -> Option<String> {
    let words = words(command);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let missing = |p: PathBuf| (!p.exists()).then(|| format!("no {}", p.display()));
    match &words[..] {
        ["cargo", "xtask", "repro", names @ ..] => {
            names.iter().find(|n| !figures.iter().any(|f| f == *n)).map(|n| format!("no figure '{n}'"))
        }
        ["cargo", "xtask", "verify", "--long", names @ ..] => {
            names.iter().find_map(|n| missing(root().join("fixtures/verify/long").join(format!("{n}.toml"))))
        }
        ["cargo", "xtask", "verify", names @ ..] => {
            names.iter().find_map(|n| missing(root().join("fixtures/verify").join(format!("{n}.toml"))))
        }
        ["cargo", "xtask", "compare", scene] => run(scene, &[]).err(),
        ["cargo", "xtask", "run", scene, options @ ..] => run(scene, options).err(),
        ["cargo", "xtask", "bench"] => None,
        ["cargo", "xtask", "bench", "volume" | "pressure", ..] => None,
        ["cargo", "test", "-p", name] => missing(folder(name)),
        ["cargo", "test", "-p", name, filter] => test(&folder(name), filter),
        ["cargo", "run", options @ ..] => {
            let after = |flag: &str| options.iter().skip_while(|o| **o != flag).nth(1);
            match (after("-p"), after("--example")) {
                (Some(name), Some(example)) => {
                    missing(folder(name).join("examples").join(format!("{example}.rs")))
                }
                _ => Some("no crate, or no example".into()),
            }
        }
        _ => Some("a form that this test does not know".into()),
    }
}

/// The folder of a crate.
fn folder(name: &str) -> PathBuf {
    root().join("crates").join(name.strip_prefix("impinge-").unwrap_or(name))
}

fn run(scene: &str, options: &[&str]) -> Result<(), String> {
    let file = format!("{scene}.toml");
    let scenes = root().join("fixtures/scenes");
    let path = [scenes.join(&file), scenes.join("large").join(&file)]
        .into_iter()
        .find(|p| p.exists())
        .ok_or(format!("no scene '{scene}'"))?;
    let mut keys = Vec::new();
    for pair in options.chunks(2) {
        match pair {
            ["--response", name] => {
                Response::named(name).ok_or(format!("no response '{name}'"))?;
            }
            ["--set", key] => keys.push(key.split_once('=').ok_or("no value")?),
            other => return Err(format!("{other:?}")),
        }
    }
    SceneSpec::load_with(&path, &keys).map(|_| ()).map_err(|e| e.to_string())
}

/// A file of tests of that name, or a test with that in its name.
fn test(folder: &Path, filter: &str) -> Option<String> {
    let tests = folder.join("tests/all");
    if tests.join(format!("{filter}.rs")).exists() {
        return None;
    }
    let files = std::fs::read_dir(&tests).ok()?.flatten().map(|f| f.path()).filter(|p| p.is_file());
    let named = files.map(|p| std::fs::read_to_string(p).unwrap_or_default()).any(|text| {
        text.lines().any(|l| {
            l.trim_start()
                .strip_prefix("fn ")
                .is_some_and(|l| l.split('(').next().is_some_and(|n| n.contains(filter)))
        })
    });
    (!named).then(|| format!("no test '{filter}' in {}", tests.display()))
}

fn figures() -> Vec<String> {
    accepted(&["repro", "--list"]).lines().map(String::from).collect()
}

#[test]
fn every_command_of_the_page_exists() {
    let (page, figures) = (page(), figures());
    let rows = rows(&page);
    assert!(rows.len() > 150, "{} rows", rows.len());
    for Row { line, cells } in &rows {
        assert_eq!(cells.len(), 3, "line {line}: {cells:?}");
        let commands = quoted(&cells[2]);
        // What was not built, tried or measured has no command, and says so.
        let bare = cells[2] == "–" && cells[1].contains("ot ");
        assert!(bare || !commands.is_empty(), "line {line}: no command");
        for command in commands {
            assert_eq!(wrong(command, &figures), None, "line {line}: {command}");
        }
    }
}

#[test]
fn commands_that_do_not_exist_are_found() {
    let figures = figures();
    for command in [
        "cargo xtask repro fig-99",
        "cargo xtask verify --long weight",
        "cargo xtask run nothing",
        "cargo xtask run stick-cpf --set scene.nothing=1",
        "cargo xtask run stick-cpf --response nothing",
        "cargo xtask bench nothing",
        "cargo test -p impinge-cpf nothing_of_this_name",
        "cargo run -p impinge --example nothing",
        "make",
    ] {
        assert!(wrong(command, &figures).is_some(), "{command}");
    }
}

#[test]
fn every_figure_stands_in_the_page() {
    let page = page();
    for figure in figures() {
        let named = rows(&page)
            .iter()
            .any(|r| quoted(&r.cells[2]).iter().any(|c| words(c).iter().skip(3).any(|w| *w == figure)));
        assert!(named, "{figure}");
    }
}

#[test]
fn sentences_are_short() {
    for Row { line, cells } in rows(&page()) {
        for sentence in cells[..2].iter().flat_map(|c| c.split([':', ';', '?']).flat_map(|s| s.split(". "))) {
            let n = sentence.split_whitespace().count();
            assert!(n <= WORDS, "line {line}: {n} words: {sentence}");
        }
    }
}
