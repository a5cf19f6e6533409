//! The analytic stiffness against central differences: the reference file's, and our own on every kind of pair.
// A NaN fails like a number that is too large.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod support;

use impinge_geometry::DVec3;
use impinge_pressure::{ContactSurface, Rule, Workspace, contact, stiffness};
use support::{drake_shape, numbers, pose, read, shared};

#[test]
fn stiffness_meets_the_reference_differences() {
    let Some(dir) = shared("the reference contacts") else { return };
    let file = read(dir.join("drake/reference_contact.json"));
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    let (mut checked, mut problems) = (0, Vec::new());
    for case in file["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let gradient = &case["gradient_wrt_pose_of_B"];
        let removed = case["without_filter_numpy"]["polygons_removed_by_filter"].as_u64();
        if gradient.is_null() || removed != Some(0) {
            continue;
        }
        let (a, b) = (drake_shape(&file, &case["A"]), drake_shape(&file, &case["B"]));
        let (pa, pb) = (pose(&case["X_WA"]), pose(&case["X_WB"]));
        contact(&a, &pa, &b, &pb, Rule::Paper, &mut ws, &mut out).unwrap();
        let k = stiffness(&out, DVec3::zero(), pb.position);
        for (first, key) in [(0, "fd_dforce_on_A"), (3, "fd_dmoment_on_A")] {
            let (mut off, mut size) = (0.0f64, 0.0f64);
            for r in 0..3 {
                for (c, want) in numbers(&gradient[key][r]).into_iter().enumerate() {
                    off = off.max((k[first + r][c] - want).abs());
                    size = size.max(want.abs());
                }
            }
            if !(off <= 1e-6 * size) {
                problems.push(format!("{name} {key}: off by {:e} of {size:e}", off / size));
            }
        }
        checked += 1;
    }
    println!("{checked} cases");
    assert!(checked >= 10);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
