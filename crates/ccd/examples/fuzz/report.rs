//! What was found, by family.

use super::oracle::families::FAMILIES;
use super::work::Part;
use std::fmt::Write;
use std::time::Duration;

/// Results of one or many chunks of one family.
#[derive(Clone, Default)]
pub struct Found {
    pub queries: u64,
    pub positives: u64,
    /// Decisions of the batch by tier: axis, signs, certified, exact.
    pub tiers: [usize; 4],
    /// Widest enclosure of a root.
    pub widest: f64,
    /// Largest distance of the points of a first contact, over the size of the pair.
    pub separation: f64,
    /// Queries with an enclosure wider than [`LOOSE`](super::oracle::check::LOOSE).
    pub loose: u64,
    pub mismatches: Vec<String>,
}

/// Results of a part.
#[derive(Default)]
pub struct Report {
    families: Vec<Found>,
    took: Duration,
}

impl Report {
    pub fn add(&mut self, family: usize, found: Found) {
        self.families.resize_with(FAMILIES.len(), Found::default);
        let f = &mut self.families[family];
        f.queries += found.queries;
        f.positives += found.positives;
        f.tiers = std::array::from_fn(|i| f.tiers[i] + found.tiers[i]);
        f.widest = f.widest.max(found.widest);
        f.separation = f.separation.max(found.separation);
        f.loose += found.loose;
        f.mismatches.extend(found.mismatches);
    }

    pub fn took(&mut self, took: Duration) {
        self.took = took;
    }

    pub fn queries(&self) -> u64 {
        self.families.iter().map(|f| f.queries).sum()
    }

    pub fn mismatches(&self) -> usize {
        self.families.iter().map(|f| f.mismatches.len()).sum()
    }

    /// One line per family and their sum.
    pub fn table(&self, part: Part) -> String {
        let mut out = format!("part {part}, {:.1} s\n", self.took.as_secs_f64());
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{:<12} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>9} {:>9} {:>9} {:>10}",
            "family",
            "queries",
            "touch",
            "axis",
            "signs",
            "certified",
            "exact",
            "widest",
            "apart",
            "loose",
            "mismatches"
        );
        let mut all = Found::default();
        let mut line = |name: &str, f: &Found| {
            let _ = write!(out, "{name:<12} {:>11} {:>11}", f.queries, f.positives);
            f.tiers.iter().for_each(|t| {
                let _ = write!(out, " {t:>11}");
            });
            let _ = writeln!(
                out,
                " {:>9.1e} {:>9.1e} {:>9} {:>10}",
                f.widest,
                f.separation,
                f.loose,
                f.mismatches.len()
            );
        };
        for (family, f) in FAMILIES.iter().zip(&self.families).filter(|(_, f)| f.queries > 0) {
            line(family.name, f);
            all.queries += f.queries;
            all.positives += f.positives;
            all.tiers = std::array::from_fn(|i| all.tiers[i] + f.tiers[i]);
            all.widest = all.widest.max(f.widest);
            all.separation = all.separation.max(f.separation);
            all.loose += f.loose;
            all.mismatches.extend(f.mismatches.iter().cloned());
        }
        line("all", &all);
        out
    }
}
