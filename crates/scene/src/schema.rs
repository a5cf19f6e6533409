//! The scene file's schema as data: the one table that the reader obeys and `SCHEMA.md` is printed from.
//!
//! A key exists because it stands here; its type, unit, bounds and default are read from here, by the reader
//! (`reader.rs`) and by [`schema_markdown`]. So the reference cannot promise a key the reader does not know.

mod body;
mod mesh;
mod model;
mod pressure;
mod soft;
mod volume;

pub(crate) use body::BODY;
pub(crate) use mesh::MESH;
pub(crate) use model::TOP;
pub(crate) use soft::SOLID;

use std::fmt::Write as _;

/// What a key's value must be.
pub(crate) enum Kind {
    /// One finite number.
    Number(Range),
    /// A whole number between two bounds, both included.
    Integer(i128, i128),
    /// `true` or `false`.
    Flag,
    /// Any text.
    Text,
    /// A name: a letter, then letters, digits, `-` or `_`.
    Name,
    /// One of these words, each with its meaning.
    Word(&'static [(&'static str, &'static str)]),
    /// Three finite numbers.
    Vector,
    /// So many finite numbers, each above zero.
    Size(usize),
    /// Three finite numbers, not all zero; the length does not matter.
    Direction,
    /// A non-empty list of points.
    Points,
    /// Two texts.
    Pair,
    /// Two finite numbers, the second above the first.
    Window,
    /// `"end"` or a time.
    Time,
    /// `"#rrggbb"`.
    Color,
    /// One whole number for all directions, or one each for so many: count, then bounds.
    Segments(usize, i128, i128),
    /// A table with the keys of a section.
    Table(&'static Section),
    /// A word, or a table with the keys of a section.
    WordOrTable(&'static str, &'static Section),
    /// A list of tables.
    Tables(&'static Section),
}

/// The bounds of a number.
#[derive(Clone, Copy)]
pub(crate) enum Range {
    Any,
    Positive,
    NotNegative,
    /// From 0 to 1, both included.
    Fraction,
    /// A coefficient of friction: beyond a million a cone is a half space to rounding.
    Friction,
}

/// What happens when a key is absent.
#[derive(Clone, Copy)]
pub(crate) enum Absent {
    /// An error.
    Required,
    /// This TOML value is read instead.
    Default(&'static str),
    /// Something that depends on other keys, in words.
    Otherwise(&'static str),
}

/// One key.
pub(crate) struct Key {
    pub name: &'static str,
    pub kind: Kind,
    /// SI unit; `1` for a pure number, empty where a unit makes no sense.
    pub unit: &'static str,
    pub absent: Absent,
    pub meaning: &'static str,
}

/// One table of keys.
pub(crate) struct Section {
    /// As it is written in a file: `[scene]`, `[[body]]`, `mesh.torus`.
    pub title: &'static str,
    pub meaning: &'static str,
    pub keys: &'static [Key],
}

/// Writes one [`Key`]; the tables below stay readable as tables.
pub(crate) const fn key(
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    absent: Absent,
    meaning: &'static str,
) -> Key {
    Key { name, kind, unit, absent, meaning }
}

impl Section {
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|k| k.name == name)
    }

    pub fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|k| k.name).collect()
    }
}

impl Range {
    pub fn contains(self, x: f64) -> bool {
        match self {
            Self::Any => true,
            Self::Positive => x > 0.0,
            Self::NotNegative => x >= 0.0,
            Self::Fraction => (0.0..=1.0).contains(&x),
            Self::Friction => (0.0..=impinge_world::MOST_FRICTION).contains(&x),
        }
    }

    /// "a number above 0" and so on.
    pub fn words(self) -> &'static str {
        match self {
            Self::Any => "a finite number",
            Self::Positive => "a finite number above 0",
            Self::NotNegative => "a finite number, 0 or more",
            Self::Fraction => "a number from 0 to 1",
            Self::Friction => "a finite number, 0 or more, at most a million",
        }
    }
}

impl Kind {
    /// What to write, in words; the reader's messages and the reference share it.
    pub fn words(&self) -> String {
        let whole = |lo: &i128, hi: &i128| {
            if *hi == i128::from(u32::MAX) {
                format!("a whole number, {lo} or more")
            } else {
                format!("a whole number from {lo} to {hi}")
            }
        };
        match self {
            Self::Number(range) => range.words().into(),
            Self::Integer(lo, hi) => whole(lo, hi),
            Self::Flag => "true or false".into(),
            Self::Text => "text in quotes".into(),
            Self::Name => "a name: a letter, then letters, digits, `-` or `_`".into(),
            Self::Word(words) => {
                let list: Vec<String> = words.iter().map(|(w, _)| format!("\"{w}\"")).collect();
                list.join(" or ")
            }
            Self::Vector => "three finite numbers [x, y, z]".into(),
            Self::Size(2) => "two finite numbers [x, y], each above 0".into(),
            Self::Size(_) => "three finite numbers [x, y, z], each above 0".into(),
            Self::Direction => "three finite numbers [x, y, z], not all 0".into(),
            Self::Points => "a list of one or more points [[x, y, z], …]".into(),
            Self::Pair => "two texts [\"a\", \"b\"]".into(),
            Self::Window => "two times [t0, t1] with 0 <= t0 < t1".into(),
            Self::Time => "\"end\", or a time, 0 or more".into(),
            Self::Color => "text \"#rrggbb\"".into(),
            Self::Segments(count, lo, hi) => format!("{}, or a list of {count} of them", whole(lo, hi)),
            Self::Table(section) => format!("a table {{ … }}, see `{}`", section.title),
            Self::WordOrTable(word, section) => {
                format!("\"{word}\", or a table {{ … }}, see `{}`", section.title)
            }
            Self::Tables(section) => format!("a list of tables, see `{}`", section.title),
        }
    }
}

/// The schema reference as Markdown: every section, key, type, unit, default and meaning.
///
/// `fixtures/scenes/SCHEMA.md` holds this text; a test compares them. To refresh the file, run the test with
/// `IMPINGE_BLESS=1`.
///
/// ```
/// assert!(impinge_scene::schema_markdown().contains("## `[[body]]`"));
/// ```
pub fn schema_markdown() -> String {
    let mut out = String::from(INTRODUCTION);
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
            if let Kind::Word(words) = key.kind {
                for (word, what) in words {
                    let _ = write!(meaning, " `\"{word}\"`: {what}.");
                }
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

/// Every section, in the order of the reference: depth first from the top.
pub(crate) fn sections() -> Vec<&'static Section> {
    fn visit(section: &'static Section, out: &mut Vec<&'static Section>) {
        if out.iter().any(|s| s.title == section.title) {
            return;
        }
        out.push(section);
        for key in section.keys {
            match key.kind {
                Kind::Table(s) | Kind::WordOrTable(_, s) | Kind::Tables(s) => visit(s, out),
                _ => {}
            }
        }
    }
    let mut out = Vec::new();
    visit(&TOP, &mut out);
    out
}

const INTRODUCTION: &str = "\
# Scene files

A scene is one TOML file: bodies, materials, the law between each pair of materials, how the step is taken and
what is expected to come out. Units are SI throughout: metres, kilograms, seconds, newtons, radians (degrees only
where a key says so). World axes are right-handed and z is up by custom; only `gravity` decides.

A key that is not listed here is refused. Any key can be set from outside by its path: `scene.dt`,
`body.ball.mass`, `pair.0.mu_s`, `pair.steel+rubber.mu_s`, `expect.weight.value`; an element of a list is called
by its `name`, by its number from 0, or a pair by its two materials.

This page is printed from the table the reader itself obeys. To refresh it:
`IMPINGE_BLESS=1 cargo test -p impinge-scene schema`.
";
