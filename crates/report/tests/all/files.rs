//! The files of a report: where they land, what they hold, and what happens when they cannot be written.

use impinge_report::*;
use std::fs;
use std::path::PathBuf;

/// A folder of its own for each test, gone at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("impinge-report-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn record() -> RunRecord {
    let awkward =
        vec![0.1 + 0.2, 5e-324, -0.0, f64::MAX, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0 / 3.0];
    RunRecord {
        title: "files".into(),
        plots: vec![Plot {
            id: "energy".into(),
            unit: "J".into(),
            x: (0..8).map(|i| f64::from(i) / 7.0).collect(),
            curves: vec![Curve { name: "kinetic".into(), values: awkward }],
            ..Default::default()
        }],
        stages: vec![StageTime { name: "broad".into(), ..Default::default() }],
        ..Default::default()
    }
}

#[test]
fn a_report_is_a_page_and_its_numbers() {
    let scratch = Scratch::new("whole");
    let dir = scratch.0.join("made/on/the/way");
    let record = record();
    let written = write_report(&dir, &record).expect("the folder is writable");
    assert_eq!(written.html, dir.join("report.html"));
    assert_eq!(written.csv, [dir.join("csv/energy.csv"), dir.join("csv/stages.csv")]);
    assert_eq!(fs::read_to_string(&written.html).expect("the page"), render_html(&record));

    let text = fs::read_to_string(&written.csv[0]).expect("the numbers");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("time [s],kinetic [J]"));
    let plot = &record.plots[0];
    for ((line, x), v) in lines.zip(&plot.x).zip(&plot.curves[0].values) {
        let (first, second) = line.split_once(',').expect("two cells");
        assert_eq!(first.parse::<f64>().expect("a number").to_bits(), x.to_bits());
        match v.is_nan() {
            true => assert_eq!(second, ""),
            false => assert_eq!(second.parse::<f64>().expect("a number").to_bits(), v.to_bits(), "{line}"),
        }
    }
    let left: Vec<_> =
        fs::read_dir(&dir).expect("a folder").map(|e| e.expect("an entry").file_name()).collect();
    assert_eq!(left.len(), 2, "no temporary file stays: {left:?}");
}

#[test]
fn a_second_report_replaces_the_first() {
    let scratch = Scratch::new("twice");
    let mut record = record();
    write_report(&scratch.0, &record).expect("the first");
    record.title = "a second title".into();
    let written = write_report(&scratch.0, &record).expect("the second");
    assert!(fs::read_to_string(written.html).expect("the page").contains("a second title"));
}

#[test]
fn a_folder_that_cannot_be_is_named_with_the_fix() {
    let scratch = Scratch::new("blocked");
    let file = scratch.0.join("a-file");
    fs::write(&file, "in the way").expect("a file");
    let folder = file.join("out");
    let error = write_report(&folder, &record()).expect_err("a file is no folder");
    assert!(matches!(error, ReportError::Folder { .. }));
    let text = error.to_string();
    assert!(
        text.contains(&folder.display().to_string()) && text.contains("choose another output folder"),
        "{text}"
    );
}

#[test]
fn a_file_that_cannot_be_replaced_is_named_and_leaves_nothing_behind() {
    let scratch = Scratch::new("occupied");
    // A folder stands where the page should go: writing the neighbour works, the rename does not.
    fs::create_dir_all(scratch.0.join("report.html/inside")).expect("a folder");
    let error = write_report(&scratch.0, &record()).expect_err("a folder is no file");
    assert!(matches!(error, ReportError::File { .. }));
    let text = error.to_string();
    assert!(text.contains("report.html") && text.contains(&scratch.0.display().to_string()), "{text}");
    let parts = fs::read_dir(&scratch.0)
        .expect("a folder")
        .filter(|e| e.as_ref().is_ok_and(|e| e.file_name().to_string_lossy().ends_with(".part")))
        .count();
    assert_eq!(parts, 0);
}

#[test]
fn bodies_have_a_row_each_at_each_moment() {
    let scratch = Scratch::new("bodies");
    let row = |k: f64| std::array::from_fn(|i| k + i as f64);
    let mut record = record();
    record.motion = Motion {
        bodies: vec!["a".into(), "b, c".into()],
        time: vec![0.0, 0.5],
        rows: vec![row(0.0), row(100.0), row(200.0), row(f64::NAN)],
    };
    let written = write_report(&scratch.0, &record).expect("the folder is writable");
    let file = scratch.0.join("csv/bodies.csv");
    assert!(written.csv.contains(&file));
    let text = fs::read_to_string(file).expect("the numbers");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("time [s],body,x [m],") && lines[0].ends_with("contact fz [N]"),
        "{}",
        lines[0]
    );
    assert_eq!(lines[3], "0.5,a,200.0,201.0,202.0,203.0,204.0,205.0,206.0,207.0,208.0,209.0,210.0,211.0");
    assert!(lines[4].starts_with("0.5,\"b, c\",,") && lines.len() == 5);
}
