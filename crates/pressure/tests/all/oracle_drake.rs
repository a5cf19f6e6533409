//! Every reference contact of Drake: polygon counts, area, force, moment, largest pressure.
// A NaN fails like a number that is too large.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use crate::support::{drake_shape, pose, read, shared, vector};
use impinge_geometry::DVec3;
use impinge_pressure::{ContactSurface, Rule, Workspace, contact};

#[test]
fn polygons_and_wrench_agree_with_drake_and_with_the_papers_rule() {
    let Some(dir) = shared("the reference contacts") else { return };
    let file = read(dir.join("drake/reference_contact.json"));
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    let mut worst = 0.0f64;
    let mut problems = Vec::new();
    for case in file["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let (a, b) = (drake_shape(&file, &case["A"]), drake_shape(&file, &case["B"]));
        let (pa, pb) = (pose(&case["X_WA"]), pose(&case["X_WB"]));
        let degenerate = case["degenerate"].as_bool().unwrap();
        for (rule, want) in [(Rule::Drake, &case["drake"]), (Rule::Paper, &case["without_filter_numpy"])] {
            contact(&a, &pa, &b, &pb, rule, &mut ws, &mut out).unwrap();
            if want.is_null() || want["contact"].as_bool() == Some(false) {
                if !out.is_empty() {
                    problems.push(format!("{name}: contact where there is none"));
                }
                continue;
            }
            let f = vector(&want["force_on_A"]);
            let m = vector(&want["moment_on_A_about_world_origin"]);
            let w = out.wrench.about(DVec3::zero());
            let size = f.mag();
            let mut rel =
                vec![("force", (w.force - f).mag() / size), ("moment", (w.torque - m).mag() / m.mag())];
            if !degenerate {
                let area = want["total_area"].as_f64().or(want["area"].as_f64()).unwrap();
                rel.push(("area", (out.area - area).abs() / area));
                if let Some(p) = want["max_pressure"].as_f64() {
                    rel.push(("max pressure", (out.max_pressure - p).abs() / p));
                }
                let faces = want["num_faces"].as_u64().unwrap() as usize;
                if out.faces.len() != faces {
                    problems.push(format!("{name} {rule:?}: {} faces, expected {faces}", out.faces.len()));
                }
            } else {
                rel.truncate(1);
            }
            for (what, e) in rel {
                worst = worst.max(e);
                if !(e <= 1e-9) {
                    problems.push(format!("{name} {rule:?}: {what} off by {e:e}"));
                }
            }
        }
    }
    println!("worst relative error {worst:e}");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
