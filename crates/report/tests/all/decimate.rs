//! Thinned curves keep their extremes and their gaps.

use impinge_report::keep_extremes;
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
