//! Plots for the page: takes full curves, gives JSON with curves thin enough to draw at once.
//!
//! A short plot shares one time axis; in a long one each curve keeps its own samples (see [`keep_extremes`])
//! and their times. A plot's budget is shared by its curves, so a plot of two hundred pairs is no bigger than
//! one of two.

use crate::decimate::keep_extremes;
use crate::encode::{curve, f64s};
use crate::record::Plot;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Samples per plot, all curves together; a plot that has no more is stored whole.
const BUDGET: usize = 48_000;

/// Stretches of a curve of which the extremes are kept, so that all curves of a plot keep to its budget.
#[must_use]
pub fn buckets(curves: usize) -> usize {
    (BUDGET / (3 * curves.max(1))).clamp(150, 1200)
}

/// The most samples that the page has of a plot with so many curves.
#[must_use]
pub fn most_samples(curves: usize, steps: usize) -> usize {
    // At most three of a stretch, which are two where no number is missing.
    let whole = curves * steps;
    if whole > BUDGET { whole.min(curves * 2 * buckets(curves)) } else { whole }
}

/// Times and values of a curve thin enough to draw.
#[must_use]
pub fn thinned(x: &[f64], values: &[f64], buckets: usize) -> (Value, Value) {
    let kept = keep_extremes(values, buckets);
    let time: Vec<f64> = kept.iter().map(|&i| x.get(i).copied().unwrap_or(f64::NAN)).collect();
    let kept: Vec<f64> = kept.iter().map(|&i| values[i]).collect();
    (curve(&time), curve(&kept))
}

/// Of curves with the same times the first keeps them (`x`); the others say which one it is.
pub fn share_times(curves: &mut [Value]) {
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    for (i, curve) in curves.iter_mut().enumerate() {
        let Some(times) = curve.get("x").filter(|x| x.is_object()) else { continue };
        let same = *first.entry(times.to_string()).or_insert(i);
        if same < i {
            curve["x"] = json!(same);
        }
    }
}

/// The page's form of one plot; `csv` is the name of its CSV file, relative to the page.
#[must_use]
pub fn plot(plot: &Plot, csv: &str) -> Value {
    let buckets = buckets(plot.curves.len());
    let samples: usize = plot.curves.iter().map(|c| c.values.len()).sum();
    let thin = samples > BUDGET
        && plot.curves.iter().any(|c| keep_extremes(&c.values, buckets).len() < c.values.len());
    let mut curves: Vec<Value> = plot
        .curves
        .iter()
        .map(|c| {
            if !thin {
                return json!({ "name": c.name, "v": curve(&c.values) });
            }
            let (x, v) = thinned(&plot.x, &c.values, buckets);
            json!({ "name": c.name, "x": x, "v": v })
        })
        .collect();
    share_times(&mut curves);
    json!({
        "id": plot.id,
        "title": plot.title,
        "unit": plot.unit,
        "log": plot.log,
        "note": plot.note,
        "csv": csv,
        "samples": plot.x.len(),
        "x": if thin { Value::Null } else { f64s(&plot.x) },
        "curves": curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Curve;

    #[test]
    fn curves_with_the_same_times_keep_them_once() {
        let (a, b) = ([0.0, 1.0, 2.0], [0.0, 1.0, 3.0]);
        let value = |x: &[f64]| {
            let (x, v) = thinned(x, &[1.0, 2.0, 3.0], 10);
            json!({ "x": x, "v": v })
        };
        let mut curves = [&a, &a, &b, &a, &b].map(|x| value(x));
        let alone = curves[2].clone();
        share_times(&mut curves);
        assert!(curves[0]["x"]["d"].is_string());
        assert_eq!([1, 3].map(|i: usize| curves[i]["x"].as_u64()), [Some(0); 2]);
        assert_eq!((&curves[2], curves[4]["x"].as_u64()), (&alone, Some(2)));
    }

    #[test]
    fn a_long_plot_stays_small_and_keeps_its_peak() {
        let x: Vec<f64> = (0..100_000).map(|i| f64::from(i) * 1e-4).collect();
        let mut values = vec![0.0; x.len()];
        values[50_001] = 1e9;
        let curves = vec![Curve { name: "f".into(), values }; 200];
        let value = plot(&Plot { x, curves, ..Plot::default() }, "csv/f.csv");
        assert!(value.to_string().len() < 1_500_000);
        let data = value["curves"][0]["v"]["d"].as_str().expect("text");
        let peak = crate::encode::base64(&1e9f32.to_le_bytes());
        let bytes = crate::encode::tests::bytes_of(data);
        let found = bytes.chunks_exact(4).any(|b| b == 1e9f32.to_le_bytes());
        assert!(found, "{peak} is missing");
    }

    #[test]
    fn a_plot_within_the_budget_is_whole() {
        let stored = |samples: usize| {
            let x: Vec<f64> = (0..samples).map(|i| i as f64).collect();
            let curves = vec![Curve { name: "f".into(), values: x.clone() }; 8];
            plot(&Plot { x, curves, ..Plot::default() }, "csv/f.csv")
        };
        let whole = stored(BUDGET / 8);
        let bytes = crate::encode::tests::bytes_of(whole["curves"][7]["v"]["d"].as_str().expect("text"));
        assert_eq!((whole["x"].is_object(), bytes.len()), (true, 4 * BUDGET / 8));
        assert!(stored(BUDGET / 8 + 1)["x"].is_null());
    }

    #[test]
    fn a_short_plot_shares_its_times() {
        let value = plot(
            &Plot { x: vec![0.0, 1.0], curves: vec![Curve::default(); 2], ..Plot::default() },
            "csv/p.csv",
        );
        assert!(value["x"].is_object() && value["curves"][1].get("x").is_none());
    }
}
