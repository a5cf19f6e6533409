//! A number with what it must be, and how the tables tell it.

use serde::Serialize;

/// A number with what it must be.
pub struct Known {
    /// Test of ACCEPTANCE.
    pub id: &'static str,
    /// What was computed, from what.
    pub what: String,
    /// What it must be.
    expected: Expected,
    /// What came out.
    got: f64,
    /// Unit of both; empty for a pure number.
    unit: &'static str,
    /// What else there is to say: a peer's number, where the value comes from.
    pub note: &'static str,
}

/// A number with what it must be, for `--json`.
#[derive(Serialize)]
pub struct Line<'a> {
    test: &'static str,
    what: &'a str,
    expected: String,
    computed: f64,
    unit: &'static str,
    holds: bool,
    note: &'static str,
}

enum Expected {
    Near { value: f64, tolerance: f64 },
    AtMost(f64),
    AtLeast(f64),
    Reported,
}

impl Known {
    /// `got` must be `value` within `tolerance`, both in `unit`.
    pub fn near(id: &'static str, what: impl Into<String>, got: f64, value: f64, tolerance: f64) -> Self {
        Self::of(id, what.into(), got, Expected::Near { value, tolerance })
    }

    /// `got` must not exceed `most`.
    pub fn at_most(id: &'static str, what: impl Into<String>, got: f64, most: f64) -> Self {
        Self::of(id, what.into(), got, Expected::AtMost(most))
    }

    /// `got` must be `least` or more.
    pub fn at_least(id: &'static str, what: impl Into<String>, got: f64, least: f64) -> Self {
        Self::of(id, what.into(), got, Expected::AtLeast(least))
    }

    /// Told, not judged: ACCEPTANCE says "report".
    pub fn reported(id: &'static str, what: impl Into<String>, got: f64) -> Self {
        Self::of(id, what.into(), got, Expected::Reported)
    }

    fn of(id: &'static str, what: String, got: f64, expected: Expected) -> Self {
        Self { id, what, expected, got, unit: "", note: "" }
    }

    pub fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    pub fn note(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// Met, or told only. A value that is not a number is neither.
    pub fn holds(&self) -> bool {
        match self.expected {
            Expected::Near { value, tolerance } => (self.got - value).abs() <= tolerance,
            Expected::AtMost(most) => self.got <= most,
            Expected::AtLeast(least) => self.got >= least,
            Expected::Reported => self.got.is_finite(),
        }
    }

    /// For `--json`.
    pub fn line(&self) -> Line<'_> {
        let [expected, ..] = self.cells();
        let (holds, note) = (self.holds(), self.note);
        Line { test: self.id, what: &self.what, expected, computed: self.got, unit: self.unit, holds, note }
    }

    /// What was expected, what came out, how far that is off, and the verdict, as cells of a table.
    pub fn cells(&self) -> [String; 4] {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let (expected, error) = match self.expected {
            Expected::Near { value, tolerance } => (
                format!("{} ± {}{unit}", number(value), short(tolerance)),
                size((self.got - value).abs(), tolerance),
            ),
            Expected::AtMost(most) => (
                format!("≤ {}{unit}", short(most)),
                if self.got < 1e-9 { size(self.got, most) } else { "–".into() },
            ),
            Expected::AtLeast(least) => (format!("≥ {}{unit}", short(least)), "–".into()),
            Expected::Reported => (format!("told{unit}"), "–".into()),
        };
        let mark = match (&self.expected, self.holds()) {
            (Expected::Reported, true) => "·",
            (_, true) => "✓",
            (_, false) => "✗",
        };
        [expected, number(self.got), error, mark.into()]
    }
}

/// Eight digits: those in which runs agree on every machine. What is rounding is told by its size only.
fn number(v: f64) -> String {
    match v.abs() {
        0.0 => "0".into(),
        m if m < 1e-9 => "< 1e-9".into(),
        m if !(1e-3..1e6).contains(&m) => format!("{v:.6e}"),
        _ if v == v.round() => format!("{v}"),
        _ => format!("{v:.7}").trim_end_matches('0').into(),
    }
}

/// A bound to two digits: `1e-9`, `0.02`.
fn short(v: f64) -> String {
    let v: f64 = format!("{v:.1e}").parse().unwrap_or(v);
    if v != 0.0 && v.abs() < 1e-3 { format!("{v:e}") } else { format!("{v}") }
}

/// How large an error is. Rounding is told by its size only, and nothing at all with it: both depend on the machine.
fn size(v: f64, bound: f64) -> String {
    match v {
        0.0 if bound == 0.0 => "0".into(),
        // Of a bound that is smaller still, that it holds.
        v if v < 1e-9 && v <= bound && bound > 0.0 => format!("< {}", short(bound.min(1e-9))),
        v if v < 1e-9 => "< 1e-9".into(),
        v => format!("{v:.1e}"),
    }
}
