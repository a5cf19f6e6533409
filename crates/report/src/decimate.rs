//! Thinning a long curve for display: takes samples, gives the indices worth drawing.
//!
//! The samples are cut into buckets of equal count; of each bucket the lowest and the highest finite sample
//! stay, at their true times, so a one-sample spike is still drawn at its full height. A gap (non-finite
//! value) inside a bucket keeps one sample of the gap, so that the line still breaks there. First and last
//! sample always stay.

/// Indices (rising, no repeats) of the samples of `values` to draw, at most about `3 * buckets + 2` of them.
/// A curve that is short enough already is kept whole.
pub fn keep_extremes(values: &[f64], buckets: usize) -> Vec<usize> {
    let n = values.len();
    let buckets = buckets.max(1);
    if n <= 3 * buckets + 2 {
        return (0..n).collect();
    }
    let mut kept = Vec::with_capacity(3 * buckets + 2);
    kept.push(0);
    for b in 0..buckets {
        // u128 keeps the product exact for any length.
        let edge = |k: usize| (k as u128 * n as u128 / buckets as u128) as usize;
        kept.extend(bucket_extremes(values, edge(b), edge(b + 1)).into_iter().flatten());
    }
    kept.push(n - 1);
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// The lowest, the highest and one missing sample of `values[from..to]`.
fn bucket_extremes(values: &[f64], from: usize, to: usize) -> [Option<usize>; 3] {
    let (mut low, mut high, mut gap) = (None, None, None);
    for i in from..to {
        let v = values[i];
        if !v.is_finite() {
            gap = gap.or(Some(i));
            continue;
        }
        if low.is_none_or(|l: usize| v < values[l]) {
            low = Some(i);
        }
        if high.is_none_or(|h: usize| v > values[h]) {
            high = Some(i);
        }
    }
    [low, high, gap]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn extremes(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
        values.filter(|v| v.is_finite()).fold(None, |e, v| match e {
            None => Some((v, v)),
            Some((a, b)) => Some((a.min(v), b.max(v))),
        })
    }

    #[test]
    fn a_single_spike_in_a_hundred_thousand_survives() {
        let mut values: Vec<f64> = (0..100_000).map(|i| (f64::from(i) * 1e-3).sin()).collect();
        values[77_777] = 1e6;
        values[12_345] = -1e6;
        let kept = keep_extremes(&values, 1000);
        assert!(kept.len() <= 3002);
        assert!(kept.contains(&77_777) && kept.contains(&12_345));
        assert!(kept.contains(&0) && kept.contains(&99_999));
    }

    #[test]
    fn short_and_empty_curves_are_kept_whole() {
        assert_eq!(keep_extremes(&[], 10), Vec::<usize>::new());
        assert_eq!(keep_extremes(&[3.0, f64::NAN], 0), vec![0, 1]);
    }

    proptest! {
        #[test]
        fn every_bucket_keeps_its_extremes_and_its_gap(
            values in prop::collection::vec(prop_oneof![8 => -1e3..1e3f64, 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)], 0..600),
            buckets in 1usize..20,
        ) {
            let kept = keep_extremes(&values, buckets);
            prop_assert!(kept.windows(2).all(|w| w[0] < w[1]));
            prop_assert!(kept.iter().all(|&i| i < values.len()));
            for b in 0..buckets {
                let (from, to) = (b * values.len() / buckets, (b + 1) * values.len() / buckets);
                let inside = || kept.iter().filter(|&&i| from <= i && i < to).map(|&i| values[i]);
                prop_assert_eq!(extremes(inside()), extremes(values[from..to].iter().copied()));
                prop_assert_eq!(
                    inside().any(|v| !v.is_finite()),
                    values[from..to].iter().any(|v| !v.is_finite())
                );
            }
        }
    }
}
