//! `prose`: sentences and commit subjects that are too long to be read once.
//!
//! Takes Markdown, leaves out code, tables and headings, counts the words of each sentence, and names file and line of those
//! above the limit. Commit subjects are counted since the commit that added this file.

use crate::arguments::Arguments;
use crate::workspace::{Failure, Outcome, root};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Shown by `--help`.
pub const HELP: &str = "\
Finds sentences above 40 words in Markdown, and commit subjects above 72 characters.

    cargo xtask prose                        README, guide, crate READMEs, changelog, glossary: names what breaks the rule, exits 1
    cargo xtask prose FILE.md …              these files

Code, tables, headings and HTML comments are left out. A sentence ends at . : ; ? or ! before a blank, at a blank line, or at the
next item of a list.
";

/// Words of a sentence, at most.
const WORDS: usize = 40;
/// Characters of a commit's subject, at most.
const SUBJECT: usize = 72;

/// Pages beside guide and crate READMEs.
const PAGES: &[&str] =
    &["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/GLOSSARY.md", "docs/evidence/README.md"];

/// The folder of the guide.
const GUIDE: &str = "crates/impinge/src/guide";

/// Checks and prints.
///
/// # Errors
/// When a file cannot be read, or something is too long.
pub fn run(arguments: &[OsString]) -> Outcome {
    let named = Arguments::new(arguments)?.names("none, only files")?;
    let pages = if named.is_empty() { all()? } else { named };
    let mut long = 0;
    for page in &pages {
        let text = std::fs::read_to_string(root().join(page))
            .map_err(|e| Failure::new(format!("{page} cannot be read: {e}")))?;
        for s in too_long(&text) {
            eprintln!("{page}:{}: {} words, at most {WORDS}: {} …", s.line, s.words, s.opening);
            long += 1;
        }
    }
    let subjects = long_subjects(&root());
    for s in &subjects {
        eprintln!("commit: {} characters, at most {SUBJECT}: {s}", s.chars().count());
    }
    match long + subjects.len() {
        0 => {
            println!(
                "{} pages: no sentence above {WORDS} words, no commit subject above {SUBJECT} characters",
                pages.len()
            );
            Ok(ExitCode::SUCCESS)
        }
        n => Err(Failure::new(format!("{n} too long; cut sentences in two, amend subjects"))),
    }
}

/// Every page, guide and crate READMEs by name.
fn all() -> Result<Vec<String>, Failure> {
    let names = |dir: &str| -> Result<Vec<String>, Failure> {
        let entries = std::fs::read_dir(root().join(dir))
            .map_err(|e| Failure::new(format!("{dir} cannot be read: {e}")))?;
        let mut names: Vec<String> = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    };
    let guide = names(GUIDE)?.into_iter().map(|n| format!("{GUIDE}/{n}")).filter(|n| n.ends_with(".md"));
    let readmes = names("crates")?.into_iter().map(|n| format!("crates/{n}/README.md"));
    let pages = PAGES.iter().map(|p| p.to_string());
    Ok(pages.chain(guide).chain(readmes.filter(|r| root().join(r).is_file())).collect())
}

/// A sentence above the limit.
#[derive(Debug, PartialEq)]
struct Sentence {
    /// Line where it begins, from 1.
    line: usize,
    words: usize,
    /// Its first words.
    opening: String,
}

/// Sentences of a page above the limit.
fn too_long(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut now: Vec<&str> = Vec::new();
    let mut began = 0;
    let (mut code, mut comment) = (false, false);
    let mut end = |now: &mut Vec<&str>, began: usize| {
        if now.len() > WORDS {
            found.push(Sentence { line: began, words: now.len(), opening: now[..8].join(" ") });
        }
        now.clear();
    };
    for (n, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("```") {
            code = !code;
        }
        comment |= line.starts_with("<!--");
        let skipped =
            code || comment || line.is_empty() || line.starts_with(['#', '|']) || line.starts_with("```");
        comment &= !line.ends_with("-->");
        if skipped || item(line) {
            end(&mut now, began);
        }
        if skipped {
            continue;
        }
        for word in line.split_whitespace().filter(|w| w.chars().any(char::is_alphanumeric)) {
            if now.is_empty() {
                began = n + 1;
            }
            now.push(word);
            if word.trim_end_matches([')', '"', '*', '`', '_']).ends_with(['.', ':', ';', '?', '!']) {
                end(&mut now, began);
            }
        }
    }
    end(&mut now, began);
    found
}

/// A line that opens an item of a list.
fn item(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("* ") || line.starts_with("- ") || (number != line && number.starts_with(". "))
}

/// Commit subjects above the limit, of the commits that follow the one which added this file; none where there is no history.
fn long_subjects(root: &Path) -> Vec<String> {
    let git = |arguments: &[&str]| -> Option<String> {
        let out = Command::new("git").args(arguments).current_dir(root).output().ok()?;
        out.status.success().then(|| String::from_utf8_lossy(&out.stdout).into_owned())
    };
    let first = git(&["log", "--diff-filter=A", "--format=%H", "--", "xtask/src/prose.rs"]);
    let Some(first) = first.as_deref().and_then(|h| h.lines().last()) else {
        return Vec::new();
    };
    let subjects = git(&["log", "--no-merges", "--format=%s", &format!("{first}..HEAD")]).unwrap_or_default();
    subjects.lines().filter(|s| s.chars().count() > SUBJECT).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_is_found_where_it_begins_and_code_and_tables_are_not() {
        let long = "word ".repeat(41);
        let text = format!(
            "# {long}\n\nShort one. {long}\n\n| {long} |\n\n```text\n{long}\n```\n<!--\n{long}\n-->\n"
        );
        assert_eq!(too_long(&text), [Sentence { line: 3, words: 41, opening: ["word"; 8].join(" ") }]);
    }

    #[test]
    fn a_sentence_ends_at_a_mark_a_blank_line_and_the_next_item() {
        let half = "word ".repeat(30);
        for between in [". ", ":\n", "?\n", "\n\n", "\n* ", "\n2. "] {
            assert_eq!(too_long(&format!("{}{between}{half}", half.trim_end())), [], "{between:?}");
        }
        // A full stop within a number or a name ends nothing, and a broken line neither.
        assert_eq!(too_long(&format!("{half} 1.5 m\n{half}"))[0].words, 62);
    }

    #[test]
    fn the_pages_are_there() {
        let pages = all().unwrap();
        assert!(pages.len() > PAGES.len() + 20, "{pages:?}");
        for page in pages {
            assert!(root().join(&page).is_file(), "{page}");
        }
    }
}
