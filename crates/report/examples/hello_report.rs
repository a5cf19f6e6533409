//! A curve becomes a page and a file of numbers.
//!
//! `cargo run -p impinge-report --example hello_report`

use impinge_report::{Curve, Plot, RunRecord, render_html, write_report};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let time: Vec<f64> = (0..1000).map(|i| f64::from(i) * 1e-3).collect();
    let height: Vec<f64> = time.iter().map(|t| 1.0 - 4.905 * t * t).collect();
    let plot = Plot {
        id: "height".into(),
        title: "Height".into(),
        unit: "m".into(),
        x: time,
        curves: vec![Curve { name: "stone".into(), values: height }],
        ..Plot::default()
    };
    let record = RunRecord { title: "A stone falls".into(), plots: vec![plot], ..RunRecord::default() };
    let page = render_html(&record);
    assert!(page.contains("A stone falls"));

    let folder = std::env::temp_dir().join(format!("impinge-hello-report-{}", std::process::id()));
    let written = write_report(&folder, &record)?;
    // As many rows as samples, under one of titles.
    let rows = std::fs::read_to_string(folder.join("csv").join("height.csv"))?.lines().count();
    assert_eq!(rows, 1001);
    assert_eq!(std::fs::read_to_string(&written.html)?, page);
    std::fs::remove_dir_all(&folder)?;
    println!("a page of {} kB and {} rows of numbers", page.len() / 1000, rows - 1);
    Ok(())
}
