//! Two measurements with intervals in, a verdict out.
//!
//! With old in `[a, b]` and new in `[c, d]`, both positive, new/old lies in `[c/b, d/a]`. The interval is as wide
//! as both uncertainties at their worst together, so "same" is said rather too often than too rarely.

/// A ratio whose whole interval lies above this is a regression.
pub const LIMIT: f64 = 1.1;

/// A time with its uncertainty (ns): `0 < low ≤ median ≤ high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// The estimate.
    pub median: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// `None` unless the three are positive, finite and in order.
    pub fn new(low: f64, median: f64, high: f64) -> Option<Self> {
        (low > 0.0 && low <= median && median <= high && high.is_finite()).then_some(Self {
            low,
            median,
            high,
        })
    }

    /// Several runs as one: from the lowest end to the highest, the middle one of the medians between; `None`
    /// without runs. Wider than each run's own interval, because that does not see what differs between runs.
    pub fn envelope(runs: &[Self]) -> Option<Self> {
        let medians: Vec<f64> = runs.iter().map(|r| r.median).collect();
        let low = runs.iter().map(|r| r.low).fold(f64::INFINITY, f64::min);
        let high = runs.iter().map(|r| r.high).fold(0.0, f64::max);
        Self::new(low, Self::of_runs(&medians)?.median, high)
    }

    /// The median of several runs between the smallest and the largest; `None` without runs, or with one that is
    /// not positive and finite.
    pub fn of_runs(medians: &[f64]) -> Option<Self> {
        let mut sorted = medians.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (low, high) = (*sorted.first()?, *sorted.last()?);
        let n = sorted.len();
        Self::new(low, 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]), high)
    }
}

/// What two measurements say about each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval of the ratio is below 1.
    Faster,
    /// It contains 1.
    Same,
    /// It is above 1.
    Slower,
    /// It is above [`LIMIT`].
    Regression,
}

impl Verdict {
    /// The word in the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Same => "same",
            Self::Slower => "slower",
            Self::Regression => "SLOWER by more than 10 %",
        }
    }
}

/// New over old.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Of the medians.
    pub median: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// What it means.
    pub verdict: Verdict,
}

/// Compares two times.
pub fn compare(new: Interval, old: Interval) -> Ratio {
    let (low, high) = (new.low / old.high, new.high / old.low);
    let verdict = if low > LIMIT {
        Verdict::Regression
    } else if low > 1.0 {
        Verdict::Slower
    } else if high < 1.0 {
        Verdict::Faster
    } else {
        Verdict::Same
    };
    Ratio { median: new.median / old.median, low, high, verdict }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, median: f64, high: f64) -> Interval {
        Interval::new(low, median, high).unwrap()
    }

    #[test]
    fn a_ratio_worked_by_hand() {
        // 100 (80 … 125) before, 150 (125 … 200) now: between 125/125 and 200/80.
        let r = compare(interval(125.0, 150.0, 200.0), interval(80.0, 100.0, 125.0));
        assert_eq!((r.low, r.median, r.high), (1.0, 1.5, 2.5));
        // The interval touches 1, so nothing is claimed.
        assert_eq!(r.verdict, Verdict::Same);
    }

    #[test]
    fn verdicts_change_where_the_interval_leaves_one_and_the_limit() {
        let old = interval(99.0, 100.0, 101.0);
        let v = |percent: f64| compare(interval(percent - 1.0, percent, percent + 1.0), old).verdict;
        assert_eq!(v(97.0), Verdict::Faster); // high: 98/99
        assert_eq!(v(98.0), Verdict::Same); // high: 99/99
        assert_eq!(v(102.0), Verdict::Same); // low: 101/101
        assert_eq!(v(103.0), Verdict::Slower);
        assert_eq!(v(112.0), Verdict::Slower); // low: 111/101 < 1.1
        assert_eq!(v(112.2), Verdict::Regression); // low: 111.2/101 > 1.1
    }

    #[test]
    fn a_large_but_uncertain_slowdown_is_no_regression() {
        let r = compare(interval(60.0, 200.0, 300.0), interval(90.0, 100.0, 110.0));
        assert_eq!((r.verdict, r.median), (Verdict::Same, 2.0));
    }

    #[test]
    fn equal_times_are_the_same_and_old_new_mirror() {
        let (a, b) = (interval(1.0, 2.0, 3.0), interval(8.0, 9.0, 10.0));
        assert_eq!(compare(a, a).verdict, Verdict::Same);
        assert_eq!(compare(a, b).verdict, Verdict::Faster);
        assert_eq!(compare(b, a).verdict, Verdict::Regression);
        assert!((compare(a, b).low * compare(b, a).high - 1.0).abs() < 1e-15);
    }

    #[test]
    fn the_envelope_holds_every_run() {
        let runs = [interval(4.0, 5.0, 6.0), interval(4.5, 4.6, 4.7), interval(5.5, 7.0, 9.0)];
        assert_eq!(Interval::envelope(&runs), Interval::new(4.0, 5.0, 9.0));
        assert_eq!(Interval::envelope(&runs[1..2]), Some(runs[1]));
        assert_eq!(Interval::envelope(&[]), None);
    }

    #[test]
    fn runs_give_their_middle_and_their_ends() {
        assert_eq!(Interval::of_runs(&[3.0, 1.0, 2.0]), Interval::new(1.0, 2.0, 3.0));
        assert_eq!(Interval::of_runs(&[4.0, 1.0]), Interval::new(1.0, 2.5, 4.0));
        assert_eq!(Interval::of_runs(&[7.0]), Interval::new(7.0, 7.0, 7.0));
        for bad in [&[][..], &[0.0, 1.0], &[1.0, f64::NAN], &[-1.0], &[f64::INFINITY]] {
            assert_eq!(Interval::of_runs(bad), None, "{bad:?}");
        }
        assert_eq!(Interval::new(2.0, 1.0, 3.0), None);
    }
}
