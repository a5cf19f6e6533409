//! What is wrong with a scene: every finding with its file, line, column, reason and fix.

use std::fmt;

/// One finding: where, what, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The scene file, or `set KEY = VALUE` for a value given on top of the file, or a mesh file.
    pub origin: String,
    /// Line, counted from 1; 0 where the finding has no place in a text.
    pub line: usize,
    /// Column, counted from 1 in characters; 0 where the finding has no place in a text.
    pub column: usize,
    /// The line it stands on, for the caret picture; empty when there is none.
    pub source_line: String,
    /// How many characters the caret picture underlines.
    pub width: usize,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub fix: String,
}

impl Issue {
    /// A finding without a place in a text, such as a folder that cannot be read.
    #[must_use]
    pub fn placeless(origin: impl Into<String>, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            origin: origin.into(),
            line: 0,
            column: 0,
            source_line: String::new(),
            width: 0,
            what: what.into(),
            fix: fix.into(),
        }
    }
}

/// Characters of a line that are shown, and of what is said.
const MOST_SHOWN: usize = 120;
const MOST_WORDS: usize = 4000;

/// At most so many characters of a text.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

impl Issue {
    /// What is shown of the line, the characters before what is underlined, and how many of these there are.
    fn window(&self) -> (String, usize, usize) {
        let (at, length) = (self.column.saturating_sub(1), self.source_line.chars().count());
        let width = self.width.max(1);
        if length <= MOST_SHOWN {
            return (self.source_line.clone(), at, width);
        }
        // A third of it before what is wrong.
        let from = at.saturating_sub(MOST_SHOWN / 3);
        let from = if from > 1 { from } else { 0 };
        let mut shown: String = self.source_line.chars().skip(from).take(MOST_SHOWN).collect();
        let mut before = at - from;
        if from > 0 {
            shown.insert(0, '…');
            before += 1;
        }
        if length > from + MOST_SHOWN {
            shown.push('…');
        }
        let width = width.min((from + MOST_SHOWN + 1).saturating_sub(at)).max(1);
        (shown, before, width)
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = cut(&short_numbers(&self.what), MOST_WORDS);
        if self.line == 0 {
            write!(f, "{}: {what}", self.origin)?;
        } else {
            let number = self.line.to_string();
            let margin = " ".repeat(number.len());
            let (shown, before, width) = self.window();
            let (indent, carets) = (" ".repeat(before), "^".repeat(width));
            writeln!(f, "{}:{}:{}: {what}", self.origin, self.line, self.column)?;
            writeln!(f, "{margin} |")?;
            // A tab would shift the carets; every character is drawn one column wide.
            writeln!(f, "{number} | {}", shown.replace('\t', " "))?;
            write!(f, "{margin} | {indent}{carets}")?;
        }
        if !self.fix.is_empty() {
            write!(f, "\n  fix: {}", cut(&self.fix, MOST_WORDS))?;
        }
        Ok(())
    }
}

/// Numbers of more digits than any double needs, such as 1e-300 written out, with an exponent.
fn short_numbers(text: &str) -> String {
    const MOST: usize = 24;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(from.len());
        let (digits, after) = from.split_at(end);
        out.push_str(before);
        match digits.parse::<f64>() {
            Ok(x) if digits.len() > MOST => out.push_str(&format!("{x:e}")),
            _ => out.push_str(digits),
        }
        rest = after;
    }
    out + rest
}

/// Findings that are printed: who has more of them has one mistake that makes many.
const SHOWN: usize = 10;

/// Why a scene was refused; never empty, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SceneError {
    issues: Vec<Issue>,
}

impl SceneError {
    /// Wraps findings, sorted by place.
    pub(crate) fn new(mut issues: Vec<Issue>) -> Self {
        issues.sort_by(|a, b| {
            (&a.origin, a.line, a.column, &a.what).cmp(&(&b.origin, b.line, b.column, &b.what))
        });
        issues.dedup();
        Self { issues }
    }

    /// Every finding.
    #[must_use]
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }
}

impl From<Issue> for SceneError {
    fn from(issue: Issue) -> Self {
        Self { issues: vec![issue] }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, issue) in self.issues.iter().take(SHOWN).enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{issue}")?;
        }
        match self.issues.len() {
            0 | 1 => Ok(()),
            n if n > SHOWN => write!(f, "\n\nand {} more: {n} problems in this scene", n - SHOWN),
            n => write!(f, "\n\n{n} problems in this scene"),
        }
    }
}

impl std::error::Error for SceneError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_what_is_wrong() {
        for (column, width) in [(1, 1), (7, 200), (300, 5), (1000, 1), (1001, 1)] {
            let line: String = (0..1000).map(|i| char::from(b'a' + (i % 26) as u8)).collect();
            let issue = Issue {
                origin: "s.toml".into(),
                line: 1,
                column,
                source_line: line.clone(),
                width,
                what: "w".repeat(100_000),
                fix: String::new(),
            };
            let text = issue.to_string();
            assert!(text.chars().count() < 5000, "{}", text.len());
            let lines: Vec<&str> = text.lines().collect();
            let marked = lines[3].chars().position(|c| c == '^').unwrap();
            let under: Vec<char> = lines[2].chars().collect();
            assert_eq!(under.get(marked).copied(), line.chars().nth(column - 1), "{text}");
            assert!(lines[3].chars().count() <= under.len() + 1, "{text}");
        }
    }
}
