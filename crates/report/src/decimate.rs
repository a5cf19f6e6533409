//! Thinning a long curve for display: takes samples, gives the indices worth drawing.
//!
//! The samples are cut into buckets of equal count; of each bucket the lowest and the highest finite sample
//! stay, at their true times, so a one-sample spike is still drawn at its full height. A gap (non-finite
//! value) inside a bucket keeps one sample of the gap, so that the line still breaks there. First and last
//! sample always stay.

/// Indices (rising, no repeats) of the samples of `values` to draw, at most about `3 * buckets + 2` of them.
/// A curve that is short enough already is kept whole.
#[must_use]
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
