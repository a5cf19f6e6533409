//! The schema in words: the tables that the reader obeys, as Markdown.

use crate::schema::{Absent, sections};
use crate::values::{MOST_OF_A_MOTION, MOST_OF_MASS};
use std::fmt::Write as _;

/// The schema reference as Markdown: every section, key, type, unit, default and meaning.
///
/// `fixtures/scenes/SCHEMA.md` holds this text; a test compares them. To refresh the file, run the test with
/// `IMPINGE_BLESS=1`.
///
/// ```
/// assert!(impinge_scene::schema_markdown().contains("## `[[body]]`"));
/// ```
#[must_use]
pub fn schema_markdown() -> String {
    let mut out = INTRODUCTION
        .replace("MOTION", &format!("{MOST_OF_A_MOTION:e}"))
        .replace("MASS", &format!("{MOST_OF_MASS:e}"));
    for section in sections() {
        let _ = write!(out, "\n## `{}`\n\n{}\n", section.title, section.meaning);
        if section.keys.is_empty() {
            continue;
        }
        out.push_str("\n| key | value | unit | when absent | meaning |\n|---|---|---|---|---|\n");
        for key in section.keys {
            let absent = match key.absent {
                Absent::Required => "required".to_string(),
                Absent::Default(text) => format!("`{text}`"),
                Absent::Otherwise(text) => text.to_string(),
            };
            let mut meaning = key.meaning.to_string();
            for (word, what) in key.kind.choices() {
                let _ = write!(meaning, " `\"{word}\"`: {what}.");
            }
            let _ = writeln!(
                out,
                "| `{}` | {} | {} | {absent} | {} |",
                key.name,
                cell(&key.kind.words()),
                key.unit,
                cell(&meaning)
            );
        }
    }
    out.push_str("\n## Measures\n\nWhat `measure` in `[[expect]]` may say.\n\n| measure | of | unit | meaning |\n|---|---|---|---|\n");
    for m in crate::Measure::ALL {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            m.name(),
            m.subject().words(),
            m.unit(),
            cell(m.meaning())
        );
    }
    out.push_str("\n## Which response takes which bodies\n\n");
    out.push_str(&crate::support::support_markdown());
    out
}

/// A bar would end the table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

const INTRODUCTION: &str = "\
# Scene files

A scene is one TOML file: bodies, materials, the law between each pair of materials, how the step is taken and
what is expected to come out. Units are SI throughout: metres, kilograms, seconds, newtons, radians (degrees only
where a key says so). World axes are right-handed and z is up by custom; only `gravity` decides.

A key that is not listed here is refused. Any key can be set from outside by its path: `scene.dt`,
`body.ball.mass`, `pair.0.mu_s`, `pair.steel+rubber.mu_s`, `expect.weight.value`; an element of a list is called
by its `name`, by its number from 0, or a pair by its two materials.

A length, time, speed, acceleration or frequency is at most MOTION in its unit, a mass or density at most MASS.

This page is printed from the table the reader itself obeys. To refresh it:
`IMPINGE_BLESS=1 cargo test -p impinge-scene schema`.
";
