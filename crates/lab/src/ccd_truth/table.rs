//! The table: one row per file, one per folder, then what was wrong.

use super::file::Set;
use super::measure::{Measured, quantile};
use impinge_ccd::{Kind, TierCounts};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Wrong answers named per file.
const NAMED: usize = 5;

/// A line of `--list`.
pub fn listed(path: &Path, set: &Set) -> String {
    let positives = set.truth.iter().filter(|t| **t).count();
    format!("{} {:>7} queries {:>6} positive  {}", short(set.kind), set.len(), positives, path.display())
}

/// The kind of a set's queries.
pub fn short(kind: Kind) -> &'static str {
    match kind {
        Kind::VertexFace => "vf",
        Kind::EdgeEdge => "ee",
    }
}

/// One row, whatever it sums.
struct Line<'a> {
    name: &'a str,
    kind: &'a str,
    queries: usize,
    positives: usize,
    wrong: [usize; 3],
    times: [f64; 4],
    tiers: TierCounts,
}

impl Line<'_> {
    fn write(&self, width: usize, out: &mut String) {
        let [mean, median, p99, max] = self.times;
        let [negatives, positives, other] = self.wrong;
        let t = self.tiers;
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{:<width$} {:<4} {:>7} {:>8} {negatives:>5} {positives:>5} {other:>5}  {mean:>8.1} {median:>8.0} {p99:>8.0} {max:>8.0}  {:>7} {:>7} {:>9} {:>6}",
            self.name, self.kind, self.queries, self.positives, t.axis, t.signs, t.certified, t.exact
        );
    }
}

fn line(m: &Measured) -> Line<'_> {
    Line {
        name: &m.name,
        kind: short(m.kind),
        queries: m.queries,
        positives: m.positives,
        wrong: [m.false_negatives, m.false_positives, m.failed()],
        times: [m.mean, m.quantile(0.5), m.quantile(0.99), m.worst()],
        tiers: m.tiers,
    }
}

/// All queries of some files as one.
fn sum<'a>(name: &'a str, files: &[&Measured]) -> Line<'a> {
    let total = |f: &dyn Fn(&Measured) -> usize| files.iter().map(|m| f(m)).sum::<usize>();
    let queries = total(&|m| m.queries);
    let mut single: Vec<f64> = files.iter().flat_map(|m| m.single.iter().copied()).collect();
    single.sort_by(f64::total_cmp);
    let batch: f64 = files.iter().map(|m| m.mean * m.queries as f64).sum();
    let worst = single.last().copied().unwrap_or(0.0);
    Line {
        name,
        kind: "",
        queries,
        positives: total(&|m| m.positives),
        wrong: [total(&|m| m.false_negatives), total(&|m| m.false_positives), total(&|m| m.failed())],
        times: [batch / queries.max(1) as f64, quantile(&single, 0.5), quantile(&single, 0.99), worst],
        tiers: TierCounts {
            axis: total(&|m| m.tiers.axis),
            signs: total(&|m| m.tiers.signs),
            certified: total(&|m| m.tiers.certified),
            exact: total(&|m| m.tiers.exact),
        },
    }
}

/// The whole table.
pub fn table(dir: &Path, groups: &BTreeMap<PathBuf, Vec<Measured>>, passes: u32) -> String {
    let mut out = format!(
        "Nanoseconds per query, one thread: mean of the batch call (median of {passes} passes); median, 99 % and max of \
         single calls (least of {passes} each).\nFN, FP: of the batch. wrong: queries with any wrong answer: batch, \
         single call, roots, and roots.csv where there is one.\n\n"
    );
    let relative = |folder: &Path| {
        let inside = folder.strip_prefix(dir).unwrap_or(folder).display().to_string();
        if inside.is_empty() { ".".to_string() } else { inside }
    };
    let names = groups.values().flatten().map(|m| m.name.len());
    let width = names.chain(groups.keys().map(|f| relative(f).len() + 4)).max().unwrap_or(0);
    let head = |first: &str, out: &mut String| {
        let _ = writeln!(
            out,
            "{first:<width$} {:<4} {:>7} {:>8} {:>5} {:>5} {:>5}  {:>8} {:>8} {:>8} {:>8}  {:>7} {:>7} {:>9} {:>6}",
            "kind",
            "queries",
            "positive",
            "FN",
            "FP",
            "wrong",
            "mean",
            "median",
            "99 %",
            "max",
            "axis",
            "signs",
            "certified",
            "exact"
        );
    };
    for (folder, files) in groups {
        let name = relative(folder);
        head(&name, &mut out);
        files.iter().for_each(|m| line(m).write(width, &mut out));
        out.push('\n');
    }
    head("folder", &mut out);
    for (folder, files) in groups {
        let name = relative(folder);
        for kind in [Kind::VertexFace, Kind::EdgeEdge] {
            let some: Vec<&Measured> = files.iter().filter(|m| m.kind == kind).collect();
            if !some.is_empty() {
                Line { kind: short(kind), ..sum(&name, &some) }.write(width, &mut out);
            }
        }
        sum(&name, &files.iter().collect::<Vec<_>>()).write(width, &mut out);
    }
    sum("all", &groups.values().flatten().collect::<Vec<_>>()).write(width, &mut out);
    let checked: usize = groups.values().flatten().map(|m| m.listed).sum();
    let _ = writeln!(out, "\nroots compared with roots.csv: {checked} queries");
    for m in groups.values().flatten() {
        for (i, what) in m.wrong.iter().take(NAMED) {
            let _ = writeln!(out, "wrong: {} query {i}: {what}", m.name);
        }
        if m.failed() > NAMED {
            let _ = writeln!(out, "wrong: {} and {} more", m.name, m.failed() - NAMED);
        }
    }
    out
}
