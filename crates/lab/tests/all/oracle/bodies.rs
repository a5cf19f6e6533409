//! Cases of `tet_pair`, `pressure_bodies`, `volume`, `ldi` by hand, and what must not pass.

use super::*;
use impinge_geometry::DVec3;

/// The unit corner, whose pressure is 1000 z; and one five times as wide, upside down, whose is 1000 (½ − z). They meet at z = ¼.
fn corners() -> (Value, Value) {
    let body = |v: Value| json!({"vertices": v, "tets": [[0, 1, 2, 3]], "eps": [0.0, 0.0, 0.0, 1.0], "modulus": 1000.0});
    (
        body(json!([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])),
        body(json!([[-0.5, -0.5, 0.5], [4.5, -0.5, 0.5], [-0.5, 4.5, 0.5], [-0.5, -0.5, -0.5]])),
    )
}

/// ¾ by ¾ over two, under 250 Pa.
const AREA: f64 = 0.28125;
const FORCE: f64 = 250.0 * AREA;

pub fn tet_pair() -> Value {
    let (a, b) = corners();
    json!({
        "input": {"A": a, "B": b},
        "expected": {
            "degenerate": false, "normal": [0.0, 0.0, 1.0], "offset": -0.25, "area": AREA, "centroid": [0.25, 0.25, 0.25],
            "polygon": [[0.0, 0.0, 0.25], [0.75, 0.0, 0.25], [0.0, 0.75, 0.25]], "int_p": FORCE,
            "force_on_A": [0.0, 0.0, FORCE], "moment_on_A_about_centroid": [0.0, 0.0, 0.0], "tol_rel": 1e-12,
        },
    })
}

/// The same two; and the first on a rigid floor at ¼, dragged along x. The energy is ∫ of the lower pressure over what both share: 1000 z and
/// 1000 (½ − z) times the section ½ (1 − z)², from 0 to ¼ and from there to ½; against a floor the first half. Its slope is the force only where
/// fields vanish on the sides, too; here the force stands for the finite differences.
pub fn pressure_bodies(kind: &str) -> Value {
    let (a, b) = corners();
    let (z, w) = (0.25f64, [0.5f64, 0.75]);
    let below = 500.0 * (z * z / 2.0 - 2.0 * z.powi(3) / 3.0 + z.powi(4) / 4.0);
    let [from, to] = w.map(|w| w.powi(4) / 4.0 - w.powi(3) / 6.0);
    let above = 500.0 * (to - from);
    let force = [0.0, 0.0, FORCE];
    let moment = [0.25 * FORCE, -0.25 * FORCE, 0.0];
    let drag = -0.3 * FORCE;
    let tolerances = json!({"tol_force": 1e-9, "tol_moment": 1e-9, "tol_energy": 1e-9, "tol_area": 1e-9, "fd_rel_error": 0.0});
    let mut case = if kind == "tet_tet" {
        json!({
            "input": {"kind": kind, "A": a, "B": b, "moment_point": [0.0, 0.0, 0.0]},
            "expected": {
                "degenerate": false, "energy": below + above, "overlap_volume": 0.875 / 6.0, "area": AREA, "int_p": FORCE,
                "force_on_A": force, "moment_on_A": moment, "fd_force": force, "fd_moment": moment, "n_polygons": 1,
                "polygons": [{"tetA": 0, "tetB": 0, "normal": [0.0, 0.0, 1.0], "area": AREA, "centroid": [0.25, 0.25, 0.25],
                              "int_p": FORCE}],
            },
        })
    } else {
        json!({
            "input": {"kind": kind, "A": a, "moment_point": [0.0, 0.0, 0.0], "plane_normal": [0.0, 0.0, 1.0], "plane_offset": 0.25,
                      "pressure_per_depth": null, "velocity_A_minus_B": [0.1, 0.0, 0.0], "mu": 0.3, "chi": 0.0},
            "expected": {
                "energy": below, "area": AREA, "static_force_on_A": force, "static_moment_on_A": moment,
                "normal_force_on_A": force, "normal_moment_on_A": moment, "friction_force_on_A": [drag, 0.0, 0.0],
                "friction_moment_on_A": [0.0, 0.25 * drag, -0.25 * drag], "fd_force": force,
            },
        })
    };
    case["expected"].as_object_mut().unwrap().extend(tolerances.as_object().unwrap().clone());
    case
}

#[test]
fn bodies_with_half_their_answers_are_refused() {
    let right = pressure_bodies("tet_tet");
    let polygon = right["expected"]["polygons"][0].clone();
    let twice = changed(&right, "/expected/polygons", json!([polygon, polygon]));
    assert_refused(
        "pressure_bodies",
        &changed(&twice, "/expected/n_polygons", json!(2)),
        &["polygons[1] is of tets (0, 0)"],
    );
    assert_refused("pressure_bodies", &twice, &["`n_polygons` is 1"]);
    // Its own doubt does not save a wrong energy.
    let energy = right["expected"]["energy"].as_f64().unwrap();
    let more = changed(&right, "/expected/energy", json!(1.9 * energy));
    assert_refused(
        "pressure_bodies",
        &changed(&more, "/expected/fd_rel_error", json!(1.0)),
        &["`fd_rel_error` is 1"],
    );
    assert_fails("pressure_bodies", &changed(&more, "/expected/fd_rel_error", json!(0.01)), &["energy"]);
    assert_refused("pressure_bodies", &changed(&right, "/expected/degenerate", json!(true)), &["degenerate"]);
    let layer = changed(&pressure_bodies("half_space_rigid"), "/input/kind", json!("half_space_compliant"));
    assert_refused("pressure_bodies", &layer, &["pressure_per_depth"]);
    let hollow = changed(&tet_pair(), "/expected/polygon", json!([]));
    assert_refused("tet_pair", &hollow, &["`polygon` has 0 corners"]);
    assert_refused("tet_pair", &changed(&tet_pair(), "/expected/degenerate", json!(true)), &["degenerate"]);
    let bare = json!({"input": tet_pair()["input"], "expected": {"degenerate": false, "tol_rel": 1e-9}});
    assert_refused("tet_pair", &bare, &["needs `normal` and `offset`"]);
}

/// A polygon that is a speck to its own tolerance may be missing; a real one may not. Neither is a panic.
#[test]
fn no_polygon_is_no_panic() {
    let apart = changed(
        &tet_pair(),
        "/input/B/vertices",
        json!([[7.5, 7.5, 0.5], [9.5, 7.5, 0.5], [7.5, 9.5, 0.5], [7.5, 7.5, -0.5]]),
    );
    assert_fails("tet_pair", &apart, &["no polygon, expected one of 3 corners"]);
    let (ok, ..) = oracle("tet_pair", &changed(&apart, "/expected/area", json!(1e-13)));
    assert!(ok);
}

/// A tet from edge to edge, and a slab that is a prism on a triangle: V by cutting, ∂V/∂p of A by central differences of that, of
/// B from the sections. With the bottom at −1 and the top at 1.01 the sections are all but equal, and what is divided by their difference is
/// hundreds of metres away.
pub fn volume(bottom: f64, top: f64) -> Value {
    let a = [[-1.0, 0.0, 2.0], [1.0, 0.1, 2.0], [0.0, -1.0, -2.0], [0.2, 1.0, -2.0]].map(DVec3::from);
    let flat = [[-8.0, -8.0], [16.0, -8.0], [-8.0, 16.0]];
    let b: Vec<DVec3> = [bottom, top].iter().flat_map(|&z| flat.map(|[x, y]| DVec3::new(x, y, z))).collect();
    let between = |tet: [DVec3; 4], low: f64, high: f64| -> Vec<[DVec3; 4]> {
        cut(&tet, |p| high - p.z).iter().flat_map(|part| cut(part, |p| p.z - low)).collect()
    };
    let size = |t: &[DVec3; 4]| (t[1] - t[0]).cross(t[2] - t[0]).dot(t[3] - t[0]).abs() / 6.0;
    let total = |tet: [DVec3; 4]| between(tet, bottom, top).iter().map(size).sum::<f64>();
    let h = 1e-5;
    let grad_a: Vec<DVec3> = (0..4)
        .map(|k| {
            let slope = |axis: usize| {
                let at = |s: f64| {
                    let mut moved = a;
                    moved[k][axis] += s;
                    total(moved)
                };
                (at(h) - at(-h)) / (2.0 * h)
            };
            DVec3::new(slope(0), slope(1), slope(2))
        })
        .collect();
    // A section and its centroid: those of a slice around it.
    let section = |z: f64| {
        let slice = between(a, z - 1e-4, z + 1e-4);
        let volume: f64 = slice.iter().map(size).sum();
        let first =
            slice.iter().fold(DVec3::zero(), |s, t| s + (t[0] + t[1] + t[2] + t[3]) * (0.25 * size(t)));
        (volume / 2e-4, first / volume)
    };
    let mut grad_b = vec![DVec3::zero(); 6];
    for (first, z, sign) in [(0, bottom, -1.0), (3, top, 1.0)] {
        if z.abs() < 2.0 {
            let (area, c) = section(z);
            let (s, t) = ((c.x + 8.0) / 24.0, (c.y + 8.0) / 24.0);
            for (k, w) in [1.0 - s - t, s, t].into_iter().enumerate() {
                grad_b[first + k] = DVec3::unit_z() * (sign * area * w);
            }
        }
    }
    volume_of(&a, &b, &grad_a, &grad_b, total(a))
}

/// The definitions of the schema, from ∂V/∂p.
fn volume_of(a: &[DVec3], b: &[DVec3], grad_a: &[DVec3], grad_b: &[DVec3], volume: f64) -> Value {
    let v3 = |v: DVec3| json!([v.x, v.y, v.z]);
    let list = |l: &[DVec3]| l.iter().map(|&v| v3(v)).collect::<Value>();
    let sum = |l: &[DVec3]| l.iter().fold(DVec3::zero(), |s, &v| s + v);
    let (sum_a, sum_b) = (sum(grad_a), sum(grad_b));
    // The push on B is along z, so that is the direction.
    let normal = sum_b / sum_b.mag();
    let weights = |g: &[DVec3]| -> Vec<f64> { g.iter().map(|g| normal.dot(*g)).collect() };
    let (wa, wb) = (weights(grad_a), weights(grad_b));
    let mean = |p: &[DVec3], w: &[f64]| -> (DVec3, f64) {
        (p.iter().zip(w).fold(DVec3::zero(), |s, (p, w)| s + *p * *w), w.iter().sum())
    };
    let of = |p: &[DVec3], w: &[f64]| mean(p, w).0 / mean(p, w).1;
    let all: Vec<DVec3> = a.iter().chain(b).copied().collect();
    let sizes: Vec<f64> = wa.iter().chain(&wb).map(|w| w.abs()).collect();
    let positive: f64 = wa.iter().chain(&wb).map(|w| w.max(0.0)).sum();
    let (ca, cb) = (of(a, &wa), of(b, &wb));
    let velocity = |n: usize, v: DVec3| -> Vec<DVec3> { (0..n).map(|k| v * (1.0 + k as f64)).collect() };
    let (va, vb) = (velocity(4, DVec3::new(0.1, 0.2, -0.3)), velocity(6, DVec3::new(0.0, 0.1, 0.05)));
    let v_rel = mean(&va, &wa).0 + mean(&vb, &wb).0;
    let rigid = |p: &[DVec3], g: &[DVec3]| {
        let center = DVec3::new(0.1, 0.2, 0.3);
        let turn = p.iter().zip(g).fold(DVec3::zero(), |s, (p, g)| s + (*p - center).cross(*g));
        json!({"center": v3(center), "translation": v3(sum(g)), "rotation": v3(turn)})
    };
    json!({
        "input": {
            "A": {"vertices": list(a), "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "velocities": list(&va)},
            "B": {"vertices": list(b), "velocities": list(&vb),
                  "triangles": [[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]]},
        },
        "expected": {
            "volume": volume, "tol_volume": 1e-9, "gradient_valid": true, "grad_A": list(grad_a), "grad_B": list(grad_b),
            "tol_grad": 1e-8, "rigid_A": rigid(a, grad_a), "rigid_B": rigid(b, grad_b),
            "frame": {
                "grad_sum_A": v3(sum_a), "grad_sum_B": v3(sum_b), "normal": v3(normal), "A_k_A": wa, "A_k_B": wb,
                "sum_A_k": wa.iter().chain(&wb).sum::<f64>(), "area_positive": positive, "projected_area": sum_b.mag(),
                "center_A": v3(ca), "center_B": v3(cb), "center": v3((ca + cb) * 0.5), "center_abs": v3(of(&all, &sizes)),
            },
            "v_rel": v3(v_rel), "average_depth": volume / positive,
        },
    })
}

/// The frame keeps its centre among what takes part; the schema's is the quotient, and that is what is compared.
#[test]
fn the_centre_of_a_frame_is_the_quotient() {
    let case = volume(-1.0, 1.01);
    let z = case["expected"]["frame"]["center"][2].as_f64().unwrap();
    assert!(z.abs() > 100.0, "the weights do not cancel: {z}");
    let (ok, out, err) = oracle("volume", &case);
    assert!(ok, "{out}{err}");
    assert_fails("volume", &changed(&case, "/expected/frame/center/2", json!(0.5 * z)), &["center is"]);
}

#[test]
fn volumes_with_half_their_answers_are_refused() {
    let right = volume(-10.0, 0.5);
    for name in ["A_k_A", "A_k_B"] {
        let mut short = right.clone();
        short["expected"]["frame"][name].as_array_mut().unwrap().pop();
        assert_refused("volume", &short, &["case_0", name]);
    }
    for path in [
        "/expected/grad_A",
        "/expected/rigid_A",
        "/expected/frame",
        "/expected/frame/center",
        "/expected/v_rel",
    ] {
        assert_refused("volume", &changed(&right, path, json!(null)), &["case_0", "needs"]);
    }
    assert_refused(
        "volume",
        &changed(&right, "/input/A/velocities", json!([])),
        &["`A` has no `velocities`"],
    );
    assert_refused("volume", &changed(&right, "/expected/gradient_valid", json!(false)), &["not valid"]);
}

/// Two boxes and a lattice; the numbers expected are none, for these cases are refused before.
fn ldi() -> Value {
    let cube = |x: f64| {
        let vertices: Vec<[f64; 3]> =
            (0..8).map(|i| [x + f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)]).collect();
        json!({"vertices": vertices, "triangles": [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3],
                                                    [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]]})
    };
    let grad = vec![0.0; 16];
    let directions: Vec<Value> = (0..3)
        .map(|axis| {
            json!({"axis": axis, "u": (axis + 1) % 3, "v": (axis + 2) % 3, "origin": [-0.1, -0.1], "nu": 20, "nv": 20, "volume": 0.5,
                   "grad": grad, "cells": [{"index": [0, 0, 0], "volume": 0.5, "grad": grad}]})
        })
        .collect();
    json!({
        "input": {"A": cube(0.0), "B": cube(0.5), "pixel": 0.1, "cell": 10.0, "cell_origin": [-5.0, -5.0, -5.0]},
        "expected": {"directions": directions, "volume_mean": 0.5, "exact_volume": 0.5, "exact_grad": vec![[0.0; 3]; 16],
                     "rel_volume_error": 0.0, "rel_grad_error": 0.0, "tol": 1e-9},
    })
}

#[test]
fn lattices_that_make_no_sense_are_refused() {
    let case = ldi();
    let (_, out, err) = oracle("ldi", &case);
    assert!(err.is_empty() && last_line(&out) == "0 passed, 1 failed", "{out}{err}");
    let directions = &case["expected"]["directions"];
    for (path, value, place) in [
        ("/expected/directions", json!([directions[0], directions[1]]), "along axes [0, 1]"),
        (
            "/expected/directions",
            json!([directions[0], directions[1], directions[2], directions[2]]),
            "along axes [0, 1, 2, 2]",
        ),
        ("/expected/directions/0/nu", json!(1e18), "1000000000000000000 pixels"),
        ("/expected/directions/0/nu", json!(2.5), "2.5 pixels"),
        ("/expected/directions/0/nu", json!(21), "disagree about the lattice along axis 1"),
        ("/expected/directions/2/origin/0", json!(-0.2), "disagree about the lattice along axis 0"),
        ("/expected/directions/1/grad", json!([0.0]), "grad along 1 has 1 rows"),
        ("/expected/directions/1/cells/0/grad", json!([0.0]), "grad has 1 rows"),
        ("/expected/directions/1/cells/0/index", json!([0, 0.5, 0]), "not whole"),
    ] {
        assert_refused("ldi", &changed(&case, path, value), &["case_0", place]);
    }
}

/// The part of a tet where `height` is positive, in tets.
fn cut(t: &[DVec3; 4], height: impl Fn(DVec3) -> f64) -> Vec<[DVec3; 4]> {
    let (inside, outside): (Vec<DVec3>, Vec<DVec3>) = t.iter().partition(|&&p| height(p) > 0.0);
    let on = |p: DVec3, q: DVec3| p + (q - p) * (height(p) / (height(p) - height(q)));
    let prism = |[a, b, c]: [DVec3; 3], [d, e, f]: [DVec3; 3]| vec![[a, b, c, d], [b, c, d, e], [c, d, e, f]];
    match (&inside[..], &outside[..]) {
        ([], _) => Vec::new(),
        (_, []) => vec![*t],
        (&[a], &[b, c, d]) => vec![[a, on(a, b), on(a, c), on(a, d)]],
        (&[a, b], &[c, d]) => prism([a, on(a, c), on(a, d)], [b, on(b, c), on(b, d)]),
        (&[a, b, c], &[d]) => prism([a, b, c], [a, b, c].map(|p| on(p, d))),
        _ => unreachable!("a tet has four corners"),
    }
}
