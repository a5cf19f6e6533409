//! The page as a whole: what it must contain, and what no record may do to it.

use impinge_report::*;

fn name(text: &str) -> String {
    text.to_owned()
}

/// A record that fills every part of the page.
fn full() -> RunRecord {
    let curve =
        |n: &str, k: f64| Curve { name: name(n), values: (0..50).map(|i| k * f64::from(i)).collect() };
    RunRecord {
        title: name("A title"),
        scene: name("drop"),
        description: name("What it shows."),
        response: name("penalty"),
        dt: 1e-3,
        steps: 50,
        state_hash: name("00ff00ff"),
        parameters: vec![Parameter {
            name: name("stiffness"),
            value: name("1e5"),
            unit: name("N/m"),
            ..Default::default()
        }],
        versions: vec![(name("impinge"), name("0.1.0"))],
        bodies: vec![
            BodyShape {
                name: name("wedge"),
                vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
                ..Default::default()
            },
            BodyShape {
                name: name("ground"),
                kind: BodyKind::Plane,
                plane: Some(Plane { normal: [0.0, 0.0, 1.0], offset: 0.0 }),
                ..Default::default()
            },
            BodyShape { name: name("sand"), kind: BodyKind::Particles, ..Default::default() },
        ],
        frames: Frames {
            time: vec![0.0, 0.05],
            poses: vec![vec![[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]; 3]; 2],
            points: vec![PointTrack {
                body: 2,
                positions: vec![vec![[0.1; 3]], vec![[0.2; 3], [f32::NAN; 3]]],
            }],
            contacts: vec![vec![], vec![ContactMark { force: [0.0, 0.0, 9.8], ..Default::default() }]],
            pairs: vec![[0, 1]],
            friction: vec![[0.5, 0.4]],
            met: Vec::new(),
            left_out: Vec::new(),
            drawn: vec![DrawnFrame {
                frame: 1,
                corners: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                // The second has no corners left, and is left out.
                patches: vec![Patch { pair: 0, corners: 3, pressure: 2.5 }; 2],
                idle: vec![ContactMark { point: [0.5; 3], depth: -0.25, ..Default::default() }],
            }],
        },
        plots: vec![
            Plot {
                id: name("force"),
                title: name("Force"),
                unit: name("N"),
                x: (0..50).map(|i| f64::from(i) * 1e-3).collect(),
                curves: vec![curve("wedge on ground", 2.0), curve("sand on ground", 3.0)],
                ..Default::default()
            },
            Plot {
                id: name("momentum"),
                title: name("Residual"),
                unit: name("N·s"),
                x: (0..50).map(|i| f64::from(i) * 1e-3).collect(),
                curves: vec![curve("residual", 1e-16)],
                log: true,
                note: name("A note."),
            },
        ],
        stages: vec![StageTime { name: name("narrow"), total_seconds: 0.25, ..Default::default() }],
        checks: vec![Check { name: name("weight"), verdict: Verdict::ExpectedFail, ..Default::default() }],
        notes: vec![name("Kelvin–Voigt.")],
        ..Default::default()
    }
}

/// A data block, read as the page reads it.
fn block(html: &str, id: &str) -> serde_json::Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let (_, tail) = html.split_once(&start).expect("a data block");
    let (text, _) = tail.split_once("</script>").expect("its end");
    serde_json::from_str(text).expect("valid JSON")
}

fn data(html: &str) -> serde_json::Value {
    block(html, "data")
}

fn rest(html: &str) -> serde_json::Value {
    block(html, "rest")
}

/// The numbers of a packed array of 32- or 64-bit floats.
fn numbers(packed: &serde_json::Value) -> Vec<f64> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = packed["d"].as_str().expect("text").trim_end_matches('=');
    let mut bits = 0u32;
    let mut held = 0;
    let mut bytes = Vec::new();
    for c in text.chars() {
        bits = bits << 6 | DIGITS.find(c).expect("a base64 digit") as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 255) as u8);
        }
    }
    match packed["k"].as_str() {
        Some("f32") => {
            bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().expect("4")).into()).collect()
        }
        Some("f64") => bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("8"))).collect(),
        other => panic!("unexpected kind {other:?}"),
    }
}

#[test]
fn a_record_reads_back_as_it_was_written() {
    let mut record = full();
    record.status = Status::Stopped {
        reason: name("r"),
        step: u64::MAX,
        time: 0.1 + 0.2,
        stage: Some(name("advance")),
        body: None,
    };
    record.plots[0].curves[0].values[3] = f64::INFINITY;
    record.plots[0].curves[0].values[4] = -1.0 / 3.0;
    record.frames.points.clear();
    let text = serde_json::to_string(&record).expect("it can be written");
    assert_eq!(serde_json::from_str::<RunRecord>(&text).expect("and read"), record);

    record.plots[0].curves[0].values[5] = f64::NAN;
    let text = serde_json::to_string(&record).expect("NaN is no obstacle");
    let back: RunRecord = serde_json::from_str(&text).expect("nor on the way back");
    assert!(back.plots[0].curves[0].values[5].is_nan());
    assert_eq!(
        serde_json::from_str::<RunRecord>("{}").expect("all fields have defaults"),
        RunRecord::default()
    );
}

#[test]
fn the_page_holds_every_curve_and_every_table() {
    let record = full();
    let html = render_html(&record);
    let (data, rest) = (data(&html), rest(&html));
    for (plot, stored) in record.plots.iter().zip(rest["plots"].as_array().expect("plots")) {
        assert_eq!(stored["title"], plot.title.as_str());
        assert_eq!(numbers(&stored["x"]), plot.x);
        for (curve, kept) in plot.curves.iter().zip(stored["curves"].as_array().expect("curves")) {
            assert_eq!(kept["name"], curve.name.as_str());
            let values = numbers(&kept["v"]);
            assert_eq!(values.len(), curve.values.len());
            for (a, b) in values.iter().zip(&curve.values) {
                assert!((a - b).abs() <= 1e-6 * b.abs());
            }
        }
    }
    assert_eq!(data["bodies"].as_array().map(Vec::len), Some(3));
    assert_eq!(numbers(&rest["drawn"]["pressure"]), [2.5]);
    assert_eq!(rest["drawn"]["idle"]["gap"]["dim"], 1);
    assert_eq!(data["bodies"][1]["plane"], serde_json::json!([0.0, 0.0, 1.0, 0.0]));
    for part in [
        "A title",
        "What it shows.",
        "stiffness",
        "N/m",
        "00ff00ff",
        "narrow",
        "250 ms",
        "expected fail",
        "Kelvin–Voigt.",
    ] {
        assert!(html.contains(part), "{part} is missing");
    }
}

#[test]
fn the_page_asks_nothing_of_the_network() {
    let html = render_html(&full());
    for word in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!html.contains(word), "{word} in the page");
    }
    assert!(html.contains("default-src 'none'"), "and the browser is told to refuse");
}

#[test]
fn text_cannot_break_out_of_its_place() {
    let evil = "</script><script>alert(1)</script><!-- \" ' & <b> {{data}} \u{2028}";
    let mut record = full();
    record.title = name(evil);
    record.scene = name(evil);
    record.description = name(evil);
    record.bodies[0].name = name(evil);
    record.plots[0].title = name(evil);
    record.plots[0].curves[0].name = name(evil);
    record.notes.push(name(evil));
    record.checks[0].note = name(evil);
    record.parameters[0].value = name(evil);
    record.versions.push((name(evil), name(evil)));
    record.stages[0].name = name(evil);
    record.status = Status::Stopped {
        reason: name(evil),
        step: 1,
        time: 0.0,
        stage: Some(name(evil)),
        body: Some(name(evil)),
    };
    let html = render_html(&record);
    assert!(!html.contains("<script>alert"));
    assert_eq!(html.matches("</script>").count(), 3, "the data blocks and the program");
    assert_eq!(html.matches("<!--").count(), 0);
    let rest = rest(&html);
    assert_eq!(data(&html)["bodies"][0]["name"], evil);
    assert_eq!(rest["plots"][0]["title"], evil);
    assert_eq!(rest["plots"][0]["curves"][0]["name"], evil);
}

#[test]
fn numbers_that_are_none_leave_gaps_not_broken_pages() {
    let mut record = full();
    record.dt = f64::NAN;
    record.plots[0].curves[0].values = vec![f64::NAN; 50];
    record.plots[0].curves[1].values = vec![f64::INFINITY, 1.0, f64::NEG_INFINITY];
    record.plots[0].x[7] = f64::NAN;
    record.frames.time = vec![f64::NAN, f64::INFINITY, 0.0];
    record.frames.poses[0][0] = [f32::NAN; 7];
    record.frames.contacts[1][0].point = [f32::INFINITY; 3];
    record.frames.drawn[0].corners[1] = [f32::NAN; 3];
    record.frames.drawn[0].patches[0].pressure = f32::INFINITY;
    record.frames.drawn[0].frame = u32::MAX;
    record.bodies[0].vertices[1] = [f32::NAN; 3];
    record.bodies[0].triangles.push([0, 1, 99]);
    record.bodies[1].plane = Some(Plane { normal: [0.0; 3], offset: f32::NAN });
    record.checks[0].measured = f64::NAN;
    record.stages[0].total_seconds = f64::NAN;
    let html = render_html(&record);
    assert!(numbers(&rest(&html)["plots"][0]["curves"][0]["v"]).iter().all(|v| v.is_nan()));
    assert!(data(&html)["bodies"][1]["plane"].is_null());
    assert!(html.contains("Not shown as recorded"));
    assert!(html.contains("4 of 5 triangles of `wedge`"));
}

#[test]
fn an_empty_record_is_a_page_too() {
    let html = render_html(&RunRecord::default());
    assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
    assert_eq!(rest(&html)["plots"], serde_json::json!([]));
    assert_eq!(data(&html)["span"], serde_json::json!([0.0, 0.0]));
}

#[test]
fn a_run_that_ended_early_says_why() {
    let mut record = full();
    assert!(!render_html(&record).contains("The run stopped"));
    record.status = Status::Stopped {
        reason: name("velocity is not finite; try a shorter step"),
        step: 1234,
        time: 0.617,
        stage: Some(name("advance")),
        body: Some(name("wedge")),
    };
    let html = render_html(&record);
    for part in [
        "The run stopped",
        "velocity is not finite; try a shorter step",
        "1234",
        "617 ms",
        "<b>advance</b>",
        "<b>wedge</b>",
    ] {
        assert!(html.contains(part), "{part} is missing");
    }
    assert!(!html.contains(">Completed<"));
    record.status = Status::Interrupted { step: 9, time: 0.009 };
    assert!(render_html(&record).contains("The run was interrupted"));
}

#[test]
fn three_hundred_frames_of_a_large_scene_stay_small() {
    let side = 100u32;
    let vertices: Vec<[f32; 3]> = (0..=side)
        .flat_map(|i| (0..=side).map(move |j| [i as f32 * 0.01, j as f32 * 0.01, (i * j) as f32 * 1e-5]))
        .collect();
    let at = |i: u32, j: u32| i * (side + 1) + j;
    let triangles: Vec<[u32; 3]> = (0..side)
        .flat_map(|i| {
            (0..side).flat_map(move |j| {
                [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]]
            })
        })
        .collect();
    assert_eq!(triangles.len(), 20_000);
    let x: Vec<f64> = (0..100_000).map(|i| f64::from(i) * 1e-5).collect();
    let curve = |k: f64| Curve { name: name("c"), values: x.iter().map(|t| (k * t).sin() / 3.0).collect() };
    let mark = |f: usize, c: usize| ContactMark {
        point: [c as f32, f as f32, 0.5],
        force: [1.0, f as f32, c as f32],
        ..Default::default()
    };
    let record = RunRecord {
        bodies: vec![BodyShape { vertices, triangles, ..Default::default() }; 4],
        frames: Frames {
            time: (0..300).map(|f| f64::from(f) * 0.01).collect(),
            poses: (0..300).map(|f| vec![[f as f32, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]; 4]).collect(),
            contacts: (0..300).map(|f| (0..800).map(|c| mark(f, c)).collect()).collect(),
            ..Default::default()
        },
        plots: (0..6)
            .map(|p| Plot {
                x: x.clone(),
                curves: (0..8).map(|k| curve(f64::from(k + p))).collect(),
                ..Default::default()
            })
            .collect(),
        ..Default::default()
    };
    let size = render_html(&record).len();
    assert!(size < 9_000_000, "{size} bytes");
}

#[test]
fn the_script_asks_for_no_part_that_the_page_lacks() {
    let run = ComparedRun { label: name("penalty"), record: full() };
    let several = Comparison { runs: vec![run.clone(), run], ..Comparison::default() };
    for html in [render_html(&full()), render_comparison(&several)] {
        let asked: Vec<&str> =
            html.split("byId(\"").skip(1).filter_map(|t| t.split_once("\")")).map(|(id, _)| id).collect();
        assert!(asked.contains(&"why-contacts"), "the panel of a contact");
        for id in asked {
            assert!(html.contains(&format!("id=\"{id}\"")), "no part {id}");
        }
        for part in ["why-before", "why-next", "why-close", "why-history", "Cone slack", "In touch"] {
            assert!(html.contains(part), "{part} is missing");
        }
    }
}

#[test]
fn many_moving_points_are_packed_and_few_are_not() {
    let mut record = full();
    let at = |f: usize, i: usize| [i as f32 * 1e-3, (f * i) as f32 * 1e-6, f as f32 * 0.1];
    record.frames.points[0].positions = (0..40).map(|f| (0..1000).map(|i| at(f, i)).collect()).collect();
    let packed = data(&render_html(&record));
    assert!(packed["tracks"][0]["cloud"].is_null());
    assert_eq!(packed["tracks"][0]["packed"]["count"], 1000);
    let plain = data(&render_html(&full()));
    assert!(plain["tracks"][0]["packed"].is_null() && plain["tracks"][0]["cloud"].is_object());
}

#[test]
fn the_first_picture_waits_for_no_later_frame() {
    let mut record = full();
    let at = |f: usize, i: usize| [i as f32 * 1e-3, (f * i) as f32 * 1e-6, f as f32 * 0.1];
    // 1000 points are packed, 100 are not.
    for count in [1000, 100] {
        record.frames.points[0].positions = (0..40).map(|f| (0..count).map(|i| at(f, i)).collect()).collect();
        let html = render_html(&record);
        let place = |part: &str| html.find(part).expect(part);
        assert!(
            place("id=\"data\"") < place("\"use strict\"") && place("\"use strict\"") < place("id=\"rest\"")
        );
        let track = &data(&html)["tracks"][0];
        let head = if count == 1000 { &track["packed"]["data"] } else { &track["cloud"]["q"] };
        let head = head["d"].as_str().expect("text").len();
        let tail = rest(&html)["tracks"][0].as_str().expect("text").len();
        // Of the first frame at most 16 bits a coordinate and 3 blocks' widths, in digits of 6 bits.
        assert!(head > 0 && 3 * head <= 4 * (6 * count + 3 * count / 8 + 48), "{count}: {head}");
        assert!(tail > head, "{count}: {tail} after {head}");
    }
}
