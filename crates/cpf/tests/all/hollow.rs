//! Hollow edges: what has sunk in is held by its distance to what is free, whatever way it came.

use crate::common::{NONE, follow, force, v};
use impinge_cpf::{Faces, Tracked, TrackedRow, vertex_and_face, vertex_face_key};
use impinge_geometry::DVec3;

fn row(face: u32, corners: [u32; 3], x: &[DVec3]) -> TrackedRow {
    let [a, b, c] = corners;
    let m = (x[b as usize] - x[a as usize]).cross(x[c as usize] - x[a as usize]);
    let third = -1.0 / 3.0;
    let opened =
        TrackedRow::opened(vertex_face_key(0, face), [0, a, b, c], 1, [1.0, third, third, third], 1.0);
    TrackedRow { height: (x[0] - x[a as usize]).dot(m) / m.mag(), ..opened }
}

/// Into a valley of 92 to 178 degrees and out of it again, in steps shorter and longer than the place under its bottom is wide.
#[test]
fn under_a_valley_the_depth_is_the_distance_to_it() {
    for degrees in [46.0f64, 50.0, 60.0, 75.0, 86.0, 89.0] {
        let slope = 1.0 / degrees.to_radians().tan();
        let at =
            |p: DVec3| vec![p, v(0.0, -1.0, 0.0), v(0.0, 1.0, 0.0), v(-1.0, 0.0, slope), v(1.0, 0.0, slope)];
        let faces = Faces { corners: &[[1, 2, 3], [2, 1, 4]], across: &[[1, NONE, NONE], [0, NONE, NONE]] };
        // Nearest place on a wall z = slope |x|, or the bottom.
        let wanted = |p: DVec3| {
            let (s, c) = (slope / slope.hypot(1.0), 1.0 / slope.hypot(1.0));
            let along = p.x.abs() * c + p.z * s;
            let d = if along > 0.0 { (p.x.abs() * s - p.z * c).max(0.0) } else { 0.0 };
            let sign = if p.x < 0.0 { 1.0 } else { -1.0 };
            if along > 0.0 { v(sign * s, 0.0, c) * d } else { v(-p.x, 0.0, -p.z) }
        };
        for steps in [7, 40, 1000] {
            let path = |i: i32| {
                let t = f64::from(i) / f64::from(steps);
                // Down the left wall, across at the bottom, up the right one, and back.
                let x = -0.3 * (std::f64::consts::TAU * t).cos();
                v(x, 0.1, slope * x.abs() - 0.05)
            };
            let start = at(path(0));
            let mut tracked = Tracked::default();
            tracked.push(row(0, faces.corners[0], &start));
            for i in 0..=steps {
                let x = at(path(i));
                tracked = follow(&tracked, &x, &faces);
                let (is, should) = (force(&tracked, &x), wanted(x[0]));
                assert!(
                    (is - should).mag() < 1e-12,
                    "{degrees}°, step {i} of {steps}: {is:?} for {should:?}"
                );
            }
        }
    }
}

/// A pit of eight sides. The nearest place in front of all of them by Dykstra's alternating projections.
#[test]
fn in_a_pit_of_many_faces_the_depth_is_the_distance_too() {
    let n = 8u32;
    let ring = |i: u32| {
        let a = f64::from(i) / f64::from(n) * std::f64::consts::TAU;
        v(a.cos(), a.sin(), 0.4)
    };
    let at = |p: DVec3| {
        let mut x = vec![p, v(0.0, 0.0, 0.0)];
        x.extend((0..n).map(ring));
        x
    };
    let corners: Vec<[u32; 3]> = (0..n).map(|i| [1, 2 + i, 2 + (i + 1) % n]).collect();
    let across: Vec<[u32; 3]> = (0..n).map(|i| [(i + n - 1) % n, NONE, (i + 1) % n]).collect();
    let faces = Faces { corners: &corners, across: &across };
    let normals: Vec<DVec3> = (0..n)
        .map(|i| {
            let m = ring(i).cross(ring((i + 1) % n));
            m / m.mag()
        })
        .collect();
    let wanted = |p: DVec3| {
        let (mut y, mut kept) = (p, vec![DVec3::zero(); n as usize]);
        for _ in 0..20_000 {
            for (normal, kept) in normals.iter().zip(&mut kept) {
                let from = y + *kept;
                y = from - *normal * from.dot(*normal).min(0.0);
                *kept = from - y;
            }
        }
        y - p
    };
    let start = at(v(0.5, 0.2, 0.1));
    let mut tracked = Tracked::default();
    tracked.push(row(0, corners[0], &start));
    let mut counts = [0; 4];
    for i in 0..60usize {
        let t = i as f64;
        let r = 0.25 * (0.7 * t).sin().abs() * [0.05, 0.3, 1.0][i % 3];
        let p = v(r * (2.4 * t).cos(), r * (2.4 * t).sin(), 0.4 * r - 0.03 - 0.02 * (1.3 * t).sin().abs());
        let x = at(p);
        tracked = follow(&tracked, &x, &faces);
        counts[tracked.len().min(3)] += 1;
        let (is, should) = (force(&tracked, &x), wanted(p));
        assert!(
            (is - should).mag() < 1e-9,
            "step {i}: {is:?} for {should:?}, {:?}",
            tracked.key.iter().map(|k| vertex_and_face(*k)).collect::<Vec<_>>()
        );
    }
    assert!(counts[1] > 5 && counts[2] > 5 && counts[3] > 5, "{counts:?}");
}

/// In one step past the bottom and out of the first plane through its continuation in the body: the other wall has it.
#[test]
fn a_contact_that_is_over_beyond_a_hollow_edge_goes_to_the_other_wall() {
    let at = |p: DVec3| vec![p, v(0.0, -1.0, 0.0), v(0.0, 1.0, 0.0), v(-1.0, 0.0, 0.1), v(1.0, 0.0, 0.1)];
    let faces = Faces { corners: &[[1, 2, 3], [2, 1, 4]], across: &[[1, NONE, NONE], [0, NONE, NONE]] };
    let mut tracked = Tracked::default();
    tracked.push(row(0, faces.corners[0], &at(v(-0.01, 0.0, 0.0009))));
    // In front of the left plane (z = −0.1 x), behind the right one (z = 0.1 x).
    let x = at(v(0.05, 0.0, 0.004));
    let out = follow(&tracked, &x, &faces);
    assert_eq!(
        (out.key.as_slice(), out.share.as_slice()),
        ([vertex_face_key(0, 1)].as_slice(), [1.0].as_slice())
    );
    // In front of both it is free.
    let out = follow(&tracked, &at(v(0.05, 0.0, 0.006)), &faces);
    assert_eq!(force(&out, &at(v(0.05, 0.0, 0.006))), DVec3::zero());
}

/// Along a valley that rises to a crest and falls again, hollow edges and a convex one between them: no force comes from nowhere.
#[test]
fn over_a_crest_in_a_valley_the_force_goes_on() {
    // Rows of the mesh at y = −1, 0, 1; the valley z = |x|/2 + crest.
    let crest = |y: f64| 0.2 * (1.0 - y.abs());
    let at = |p: DVec3| {
        let mut x = vec![p];
        for y in [-1.0, 0.0, 1.0] {
            x.extend([-1.0, 0.0, 1.0].map(|s: f64| v(s, y, 0.5 * s.abs() + crest(y))));
        }
        x
    };
    let corner = |row: u32, column: u32| 1 + 3 * row + column;
    let mut corners = Vec::new();
    for row in 0..2 {
        for column in 0..2 {
            let [a, b, c, d] = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(i, j)| corner(row + i, column + j));
            corners.extend([[a, b, c], [a, c, d]]);
        }
    }
    let over = |f: usize, i: usize| {
        let (s, e) = (corners[f][i], corners[f][(i + 1) % 3]);
        let other = corners.iter().position(|c| (0..3).any(|k| c[k] == e && c[(k + 1) % 3] == s));
        other.map_or(NONE, |g| g as u32)
    };
    let across: Vec<[u32; 3]> = (0..corners.len()).map(|f| [0, 1, 2].map(|i| over(f, i))).collect();
    let faces = Faces { corners: &corners, across: &across };
    for x in [0.0, 0.0003, 0.003, 0.02] {
        for steps in [300, 1500] {
            let path = |i: i32| {
                let y = -0.8 + 1.6 * f64::from(i) / f64::from(steps);
                v(x, y, 0.5 * x.abs() + crest(y) - 0.01)
            };
            let start = at(path(0));
            let mut tracked = Tracked::default();
            tracked.push(row(2, corners[2], &start));
            let mut before = None;
            for i in 0..=steps {
                let x = at(path(i));
                tracked = follow(&tracked, &x, &faces);
                let now = force(&tracked, &x);
                // 1 cm below the valley; walls left behind at the crest go on below it, counted twice they would be above 0.018.
                assert!(now.mag() > 0.008 && now.mag() < 0.016, "step {i} of {steps}: {now:?}");
                let jump = before.map_or(0.0, |b: DVec3| (b - now).mag());
                assert!(jump < 0.007, "step {i} of {steps}: {before:?}, then {now:?}");
                before = Some(now);
            }
        }
    }
}
