//! A problem as a text file, to be solved again elsewhere: every number as written comes back to the bit.
//!
//! ```text
//! impinge-mlcp 1
//! contacts 2
//! contact round 0.5 free 0.0 -0.1 0.0        (or: frictionless | pyramid MU)
//! blocks 2
//! 0 w00 w01 … w22
//! 1 …
//! ```

use super::law::Cone;
use super::problem::{ContactProblem, ProblemError};
use std::fmt::{self, Write};

/// Why a file was refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FileError {
    /// A line is not what it should be.
    Line {
        /// Counted from 1.
        line: usize,
        /// What should stand there.
        expected: String,
    },
    /// The numbers make no problem.
    Problem(ProblemError),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { line, expected } => write!(f, "line {line}: expected {expected}"),
            Self::Problem(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for FileError {}

impl ContactProblem {
    /// The problem as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = format!("impinge-mlcp 1\ncontacts {}\n", self.len());
        for i in 0..self.len() {
            let cone = match self.cone(i) {
                Cone::Frictionless => "frictionless".to_string(),
                Cone::Pyramid { mu } => format!("pyramid {mu:?}"),
                Cone::Round { mu } => format!("round {mu:?}"),
            };
            let [n, x, y] = self.free(i);
            // Writing to a string cannot fail.
            let _ = writeln!(out, "contact {cone} free {n:?} {x:?} {y:?}\nblocks {}", self.blocks(i).count());
            for (j, b) in self.blocks(i) {
                let _ = write!(out, "{j}");
                for x in b {
                    let _ = write!(out, " {x:?}");
                }
                out.push('\n');
            }
        }
        out
    }

    /// Reads what [`ContactProblem::to_text`] wrote.
    ///
    /// # Errors
    /// [`FileError`] with the line and what should stand there.
    pub fn from_text(text: &str) -> Result<Self, FileError> {
        let mut lines = text.lines().enumerate();
        let mut take = |expected: &str| {
            let (line, text) = lines.next().map_or((0, ""), |(i, l)| (i + 1, l));
            (text.split_whitespace().collect::<Vec<_>>(), bad(line, expected))
        };
        let (words, e) = take("impinge-mlcp 1");
        if words != ["impinge-mlcp", "1"] {
            return Err(e);
        }
        let (words, e) = take("contacts N");
        let n: usize = match words[..] {
            ["contacts", n] => n.parse().map_err(|_| e)?,
            _ => return Err(e),
        };
        let (mut free, mut cone, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..n {
            let (words, e) = take("contact (frictionless | pyramid MU | round MU) free U_N U_1 U_2");
            let number = |w: &str| w.parse::<f64>().map_err(|_| e.clone());
            let (c, u) = match words[..] {
                ["contact", "frictionless", "free", x, y, z] => (Cone::Frictionless, [x, y, z]),
                ["contact", "pyramid", mu, "free", x, y, z] => (Cone::Pyramid { mu: number(mu)? }, [x, y, z]),
                ["contact", "round", mu, "free", x, y, z] => (Cone::Round { mu: number(mu)? }, [x, y, z]),
                _ => return Err(e),
            };
            free.push([number(u[0])?, number(u[1])?, number(u[2])?]);
            cone.push(c);
            let (words, e) = take("blocks N");
            let blocks: usize = match words[..] {
                ["blocks", k] => k.parse().map_err(|_| e)?,
                _ => return Err(e),
            };
            let mut row = Vec::new();
            for _ in 0..blocks {
                let (words, e) = take("a column and nine numbers");
                let column: u32 = words.first().and_then(|w| w.parse().ok()).ok_or(e.clone())?;
                let values: Vec<f64> =
                    words[1..].iter().map(|w| w.parse()).collect::<Result<_, _>>().map_err(|_| e.clone())?;
                row.push((column, values.try_into().map_err(|_| e)?));
            }
            rows.push(row);
        }
        Self::new(free, cone, |i| std::mem::take(&mut rows[i])).map_err(FileError::Problem)
    }
}

fn bad(line: usize, expected: &str) -> FileError {
    FileError::Line { line, expected: expected.to_string() }
}
