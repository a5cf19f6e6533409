//! How long the steps of a run took: the usual step, the rare one and the worst, in constant memory.
//!
//! A mean hides what a real-time caller suffers from. Times are counted in buckets an eighth of an octave wide, so a percentile is
//! within 9 % of the true one; the longest step is exact, with the stage that took most of it.

use std::time::Duration;

/// Buckets in an octave.
const PER_OCTAVE: f64 = 8.0;
/// The first bucket ends here (s).
const SHORTEST: f64 = 1e-7;
/// Up to 2⁴⁰ times the shortest: thirty hours.
const BUCKETS: usize = 40 * PER_OCTAVE as usize;

/// The longest step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Worst {
    /// Which, counted from 0.
    step: u64,
    /// How long (s).
    seconds: f64,
    /// The stage that took most of it, by its place in the pipeline, and how long that took (s).
    stage: (usize, f64),
}

/// Times of steps.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StepTimes {
    counts: Vec<u64>,
    total: f64,
    worst: Option<Worst>,
    budget: Option<f64>,
    late: u64,
    unjudged: u64,
}

impl StepTimes {
    /// Takes in step `step` (from 0), with the times of its stages (s).
    pub fn add(&mut self, step: u64, took: Duration, stages: impl Iterator<Item = f64>) {
        let seconds = took.as_secs_f64();
        self.counts.resize(BUCKETS, 0);
        let octaves = libm::log2((seconds / SHORTEST).max(1.0));
        self.counts[((octaves * PER_OCTAVE) as usize).min(BUCKETS - 1)] += 1;
        self.total += seconds;
        self.late += u64::from(self.budget.is_some_and(|b| seconds > b));
        if self.worst.is_none_or(|w| seconds > w.seconds) {
            let most = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
            let stage = stages.enumerate().fold((0, 0.0), most);
            self.worst = Some(Worst { step, seconds, stage });
        }
    }

    /// All steps together.
    #[must_use]
    pub fn total(&self) -> Duration {
        Duration::try_from_secs_f64(self.total).unwrap_or_default()
    }

    /// Steps counted.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The time that the part `q` (0 to 1) of the steps did not exceed (s), to 9 %; 0 without steps.
    #[must_use]
    pub fn quantile(&self, q: f64) -> f64 {
        let wanted = (q * self.steps() as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (k, n) in self.counts.iter().enumerate() {
            seen += n;
            if seen >= wanted {
                // The upper end of the bucket, but no more than was ever measured.
                let end = SHORTEST * libm::exp2((k as f64 + 1.0) / PER_OCTAVE);
                return self.worst.map_or(end, |w| end.min(w.seconds));
            }
        }
        0.0
    }

    /// Counts the steps that take longer than `budget` (s), from here on where it was another before.
    pub fn set_budget(&mut self, budget: Option<f64>) {
        if self.budget != budget {
            (self.budget, self.late, self.unjudged) = (budget, 0, self.steps());
        }
    }

    /// Steps that were made before the budget was set.
    #[must_use]
    pub fn unjudged(&self) -> u64 {
        self.unjudged
    }

    /// Steps that took longer than the budget; `None` where none was set.
    #[must_use]
    pub fn late(&self) -> Option<u64> {
        self.budget.map(|_| self.late)
    }

    /// One line: median, 99th percentile, longest step and its heaviest stage; `stage_names` in the order of the pipeline.
    #[must_use]
    pub fn words(&self, stage_names: &[String]) -> Option<String> {
        let w = self.worst?;
        let stage = stage_names.get(w.stage.0).map_or("?", String::as_str);
        Some(format!(
            "step times: median {}, 99th percentile {}, longest {} (step {}; {} of it in the stage `{stage}`)",
            short_time(self.quantile(0.5)),
            short_time(self.quantile(0.99)),
            short_time(w.seconds),
            w.step,
            short_time(w.stage.1),
        ))
    }
}

/// Seconds with a unit that fits, to three digits.
#[must_use]
pub fn short_time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(millis: impl Iterator<Item = u64>) -> StepTimes {
        let mut t = StepTimes::default();
        for (i, ms) in millis.enumerate() {
            let stages = [0.1 * ms as f64 * 1e-3, 0.9 * ms as f64 * 1e-3];
            t.add(i as u64, Duration::from_millis(ms), stages.into_iter());
        }
        t
    }

    #[test]
    fn percentiles_are_within_a_bucket_and_the_worst_is_exact() {
        let t = of(1..=1000);
        for (q, expected) in [(0.5, 0.5), (0.99, 0.99), (0.01, 0.01)] {
            let got = t.quantile(q);
            assert!(got >= expected * (1.0 - 1e-9) && got <= expected * 1.0906, "{q}: {got}");
        }
        let w = t.worst.expect("steps");
        assert_eq!((w.step, w.seconds, w.stage.0), (999, 1.0, 1));
        assert_eq!(t.steps(), 1000);
        assert_eq!(t.quantile(1.0), 1.0);
    }

    #[test]
    fn a_budget_counts_what_is_over_it() {
        let mut t = StepTimes::default();
        assert_eq!(t.late(), None);
        t.set_budget(Some(0.01));
        for ms in [1, 10, 11, 40] {
            t.add(1, Duration::from_millis(ms), std::iter::empty());
        }
        assert_eq!((t.late(), t.unjudged()), (Some(2), 0));
        t.set_budget(Some(0.03));
        t.add(5, Duration::from_millis(31), std::iter::empty());
        assert_eq!((t.late(), t.unjudged(), t.steps()), (Some(1), 4, 5));
        assert_eq!(StepTimes::default().quantile(0.5), 0.0);
        assert!(StepTimes::default().words(&[]).is_none());
    }
}
