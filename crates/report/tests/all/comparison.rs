//! The page of several runs: curves over each other, what differs, what did not run.

use impinge_report::*;
use serde_json::Value;

/// A run with a pair that presses with `force` newtons, rubs with half of it, and has one more joule at the end.
fn run(label: &str, force: f64, steps: usize) -> ComparedRun {
    let flat = |v: f64| vec![v; steps];
    let x: Vec<f64> = (1..=steps).map(|i| i as f64 * 1e-3).collect();
    let plot = |id: &str, curves: Vec<(&str, Vec<f64>)>| Plot {
        id: id.to_string(),
        title: id.to_string(),
        unit: "N".to_string(),
        x: x.clone(),
        curves: curves.into_iter().map(|(n, values)| Curve { name: n.to_string(), values }).collect(),
        ..Plot::default()
    };
    let mut total = flat(2.0);
    total[steps - 1] = 3.0;
    let record = RunRecord {
        dt: 1e-3,
        steps: steps as u64,
        bodies: vec![
            BodyShape {
                name: "slab".to_string(),
                vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                triangles: vec![[0, 1, 2]],
                ..BodyShape::default()
            };
            2
        ],
        frames: Frames { time: vec![0.0, 1e-3], ..Frames::default() },
        plots: vec![
            plot("force", vec![("a – b, normal", flat(force)), ("a – b, friction", flat(0.5 * force))]),
            plot("energy", vec![("translational", flat(1.0)), ("total", total)]),
            plot("stages", vec![("broad", flat(1e-6)), (label, flat(2e-6))]),
        ],
        parameters: vec![
            Parameter { name: "dt".to_string(), value: "0.001".to_string(), ..Parameter::default() },
            Parameter { name: "mu".to_string(), value: format!("{force}"), ..Parameter::default() },
        ],
        checks: vec![Check { name: "weight".to_string(), measured: force, ..Check::default() }],
        ..RunRecord::default()
    };
    ComparedRun { label: label.to_string(), record }
}

fn comparison() -> Comparison {
    Comparison {
        title: "A <scene>".to_string(),
        description: "What it shows.".to_string(),
        runs: vec![run("penalty", 9.0, 20), run("</script>", 10.0, 10)],
        refused: vec![("qp".to_string(), "sheets & points".to_string())],
    }
}

fn block(html: &str, id: &str) -> Value {
    let id = format!("id=\"{id}\">");
    let start = html.find(&id).expect("a data block") + id.len();
    let end = start + html[start..].find("</script>").expect("its end");
    serde_json::from_str(&html[start..end]).expect("JSON")
}

#[test]
fn curves_of_all_runs_share_a_plot_and_each_keeps_its_own_times() {
    let html = render_comparison(&comparison());
    let (data, rest) = (block(&html, "data"), block(&html, "rest"));
    let plots = rest["plots"].as_array().unwrap();
    let ids: Vec<&str> = plots.iter().map(|p| p["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["force", "friction-ratio", "energy", "stages"]);
    assert_eq!(plots[0]["groups"][0], "a – b, normal");
    assert_eq!(plots[2]["groups"][0], "total", "what one looks at first stands first");
    assert_eq!(plots[3]["groups"][0], "whole step");
    let runs: Vec<u64> =
        plots[1]["curves"].as_array().unwrap().iter().map(|c| c["run"].as_u64().unwrap()).collect();
    assert_eq!(runs, [0, 1]);
    // Both slabs of both runs are one shape.
    assert_eq!(data["shapes"].as_array().unwrap().len(), 1);
    assert_eq!(data["runs"].as_array().unwrap().len(), 2);
}

#[test]
fn a_pair_of_one_run_only_shifts_no_other_curve() {
    let mut several = comparison();
    // The second run has a pair before the one that both have.
    let own = Curve { name: "a – a2, normal".to_string(), values: vec![3.0; 10] };
    several.runs[1].record.plots[0].curves.insert(0, own);
    let rest = block(&render_comparison(&several), "rest");
    let of = |group: &str| -> Vec<u64> {
        let curves = rest["plots"][0]["curves"].as_array().unwrap();
        curves.iter().filter(|c| c["group"] == group).map(|c| c["run"].as_u64().unwrap()).collect()
    };
    assert_eq!((of("a – b, normal"), of("a – a2, normal")), (vec![0, 1], vec![1]));
    let html = render_comparison(&several);
    let row = |name: &str| html.split("<tr>").find(|r| r.contains(&format!(">{name}<"))).unwrap().to_string();
    let force = row("a – b: normal force");
    assert!(force.contains(">9 <i>N</i>") && force.contains(">10 <i>N</i>"), "{force}");
    let one = row("a – a2: normal force");
    assert!(one.contains(">–<") && one.contains(">3 <i>N</i>"), "{one}");
}

#[test]
fn the_page_stands_whatever_names_say_and_tells_what_did_not_run() {
    let html = render_comparison(&comparison());
    // Its own three closing tags: names close nothing.
    assert_eq!(html.matches("</script>").count(), 3);
    assert!(html.contains("A &lt;scene&gt;") && html.contains("sheets &amp; points"));
    for k in 0..2 {
        assert!(html.contains(&format!("id=\"view-gl-{k}\"")));
    }
    // dt is the same in both runs and has one value, mu has one for each.
    let row = |name: &str| {
        html.lines().flat_map(|l| l.split("<tr>")).find(|r| r.contains(&format!(">{name}<"))).unwrap()
    };
    assert_eq!(["dt", "mu"].map(|name| row(name).matches("<i>").count()), [1, 2]);
    assert!(html.contains("1 keys that all runs share"));
    assert!(row("weight").contains("9") && row("weight").contains("10"));
    for word in ["http://", "https://", "{{"] {
        assert!(!html.contains(word), "{word} in the page");
    }
}

#[test]
fn the_table_is_of_the_curves() {
    let html = render_comparison(&comparison());
    let row = |name: &str| html.split("<tr>").find(|r| r.contains(&format!(">{name}<"))).unwrap().to_string();
    assert!(row("Energy lost or won").contains("1 <i>J</i>"));
    let force = row("a – b: normal force");
    assert!(force.contains(">9 <i>N</i>") && force.contains(">10 <i>N</i>"), "{force}");
    assert!(row("a – b: jitter").contains("0 <i>N</i>"));
    assert!(row("Time of a step, median").contains("3 µs"));
    // Nothing at all is a page, too.
    assert!(render_comparison(&Comparison::default()).contains("</html>"));
}

#[test]
fn every_sample_is_in_the_files() {
    let dir = std::env::temp_dir().join(format!("impinge-comparison-{}", std::process::id()));
    let written = write_comparison(&dir, &comparison()).unwrap();
    assert!(written.html.ends_with("compare.html") && written.csv.len() == 4);
    let text = std::fs::read_to_string(dir.join("csv/friction-ratio.csv")).unwrap();
    assert_eq!(text.lines().next(), Some("run,quantity,time [s],value [1]"));
    assert_eq!(text.lines().count(), 1 + 20 + 10);
    assert!(text.lines().skip(1).all(|l| l.ends_with(",0.5")));
    std::fs::remove_dir_all(&dir).unwrap();
}
