//! The tables of a scene file as data: a key, what its value must be, what happens without it.

use impinge_solvers::mlcp::MOST_FRICTION;

/// The most that a count may be.
pub const COUNT: i128 = u32::MAX as i128;

/// What a key's value must be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
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
    /// One of the words that a program has when it reads.
    WordOf(fn() -> Vec<(&'static str, &'static str)>),
    /// A list of these words, each once.
    Words(&'static [(&'static str, &'static str)]),
    /// Three finite numbers.
    Vector,
    /// So many finite numbers, each above zero.
    Size(usize),
    /// Three finite numbers, not all zero; the length does not matter.
    Direction,
    /// A non-empty list of points.
    Points,
    /// Two or more rows of two or more finite numbers, all rows of one length.
    Rows,
    /// Two texts.
    Pair,
    /// A list of names, maybe empty.
    Names,
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
#[derive(Clone, Copy, Debug)]
pub enum Range {
    /// Every one.
    Any,
    /// Above 0.
    Positive,
    /// From 0.
    NotNegative,
    /// From 0 to 1, both included.
    Fraction,
    /// A coefficient of friction: beyond a million a cone is a half space to rounding.
    Friction,
}

/// What happens when a key is absent.
#[derive(Clone, Copy, Debug)]
pub enum Absent {
    /// An error.
    Required,
    /// This TOML value is read instead.
    Default(&'static str),
    /// Something that depends on other keys, in words.
    Otherwise(&'static str),
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As it is written in a file.
    pub name: &'static str,
    /// What its value must be.
    pub kind: Kind,
    /// SI unit; `1` for a pure number, empty where a unit makes no sense.
    pub unit: &'static str,
    /// What holds without it.
    pub absent: Absent,
    /// For the reference.
    pub meaning: &'static str,
}

/// One table of keys.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// As it is written in a file: `[scene]`, `[[body]]`, `mesh.torus`.
    pub title: &'static str,
    /// For the reference.
    pub meaning: &'static str,
    /// In the order of the reference.
    pub keys: &'static [Key],
}

/// Writes one [`Key`]; the tables below stay readable as tables.
#[must_use]
pub const fn key(
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    absent: Absent,
    meaning: &'static str,
) -> Key {
    Key { name, kind, unit, absent, meaning }
}

impl Section {
    /// The name of its table, where it stands at the top of a file: the title without brackets.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.title.trim_matches(['[', ']'])
    }

    /// The key of this name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|k| k.name == name)
    }

    /// The names of its keys.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|k| k.name).collect()
    }
}

impl Range {
    /// Whether a number is within.
    #[must_use]
    pub fn contains(self, x: f64) -> bool {
        match self {
            Self::Any => true,
            Self::Positive => x > 0.0,
            Self::NotNegative => x >= 0.0,
            Self::Fraction => (0.0..=1.0).contains(&x),
            Self::Friction => (0.0..=MOST_FRICTION).contains(&x),
        }
    }

    /// "a number above 0" and so on.
    #[must_use]
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
    /// The words it may be, each with its meaning.
    #[must_use]
    pub fn choices(&self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Word(words) | Self::Words(words) => words.to_vec(),
            Self::WordOf(words) => words(),
            _ => Vec::new(),
        }
    }

    /// What to write, in words; the reader's messages and the reference share it.
    #[must_use]
    pub fn words(&self) -> String {
        let whole = |lo: &i128, hi: &i128| {
            if *hi == COUNT {
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
            Self::Word(_) | Self::WordOf(_) => {
                let list: Vec<String> = self.choices().iter().map(|(w, _)| format!("\"{w}\"")).collect();
                list.join(" or ")
            }
            Self::Words(_) => {
                let list: Vec<String> = self.choices().iter().map(|(w, _)| format!("\"{w}\"")).collect();
                format!("a list of words, each once, of {}", list.join(", "))
            }
            Self::Vector => "three finite numbers [x, y, z]".into(),
            Self::Size(2) => "two finite numbers [x, y], each above 0".into(),
            Self::Size(_) => "three finite numbers [x, y, z], each above 0".into(),
            Self::Direction => "three finite numbers [x, y, z], not all 0".into(),
            Self::Points => "a list of one or more points [[x, y, z], …]".into(),
            Self::Rows => {
                "two or more rows [[a, b, …], …] of as many finite numbers each, two or more".into()
            }
            Self::Pair => "two texts [\"a\", \"b\"]".into(),
            Self::Names => "a list of names [\"a\", …]: a letter, then letters, digits, `-` or `_`".into(),
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
