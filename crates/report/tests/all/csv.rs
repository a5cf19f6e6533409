//! Numbers, names and stages as CSV.

use impinge_report::{Curve, Plot, StageTime, plot_csv, stages_csv};
use proptest::prelude::*;

proptest! {
    #[test]
    fn every_number_parses_back_to_its_bits(bits in prop::collection::vec(any::<u64>(), 1..40)) {
        let values: Vec<f64> = bits.iter().map(|&b| f64::from_bits(b)).collect();
        let plot = Plot {
            x: values.clone(),
            curves: vec![Curve { name: "v".into(), values: values.clone() }],
            ..Plot::default()
        };
        let text = plot_csv(&plot);
        for (line, v) in text.lines().skip(1).zip(&values) {
            for word in line.split(',') {
                if v.is_nan() {
                    prop_assert_eq!(word, "");
                    continue;
                }
                let back: f64 = word.parse().expect("a number");
                prop_assert_eq!(back.to_bits(), v.to_bits());
            }
        }
        prop_assert_eq!(text.lines().count(), values.len() + 1);
    }
}

#[test]
fn names_are_quoted_and_uneven_lists_leave_empty_cells() {
    let plot = Plot {
        unit: "N".into(),
        x: vec![0.0],
        curves: vec![
            Curve { name: "a, \"b\"".into(), values: vec![1.0, 2.0] },
            Curve { name: "c".into(), values: vec![f64::NAN] },
        ],
        ..Plot::default()
    };
    assert_eq!(plot_csv(&plot), "time [s],\"a, \"\"b\"\" [N]\",c [N]\n0.0,1.0,\n,2.0,\n");
}

#[test]
fn stages_have_a_row_each() {
    let stage = StageTime { name: "broad".into(), total_seconds: 0.5, ..StageTime::default() };
    assert_eq!(stages_csv(&[stage]).lines().nth(1), Some("broad,0.5,0.0,0.0,0.0"));
}
