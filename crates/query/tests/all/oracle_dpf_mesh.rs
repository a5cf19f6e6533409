//! The `dpf_mesh` oracle cases: penetrating points, closest surface points and discrete penalty impulses.
//!
//! Reads `dpf_mesh.json` from the folder named by the environment variable IMPINGE_ORACLES; without it the test
//! says that it skipped.

use impinge_geometry::{DVec3, TriMesh, TriangleFeature};
use impinge_query::{MeshIndex, brute_force};
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Deserialize)]
struct Family {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    input: Input,
    expected: Expected,
}

#[derive(Deserialize)]
struct Input {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    points: Vec<[f64; 3]>,
    k: f64,
    dt: f64,
}

#[derive(Deserialize)]
struct Expected {
    points: Vec<Point>,
    tol_length: f64,
    tol_impulse: f64,
}

#[derive(Deserialize)]
struct Point {
    inside: bool,
    winding: f64,
    depth: f64,
    distance: f64,
    closest: [f64; 3],
    triangle: u32,
    feature: String,
    triangles_tied: Vec<u32>,
    weights: [f64; 3],
    unique: bool,
    alternatives: Vec<[f64; 3]>,
    normal: [f64; 3],
    impulse: [f64; 3],
    reaction: [[f64; 3]; 3],
}

fn feature_name(f: TriangleFeature) -> &'static str {
    match f {
        TriangleFeature::Face => "face",
        TriangleFeature::Edge(_) => "edge",
        TriangleFeature::Vertex(_) => "vertex",
    }
}

fn check(case: &Case, i: usize, mesh: &TriMesh, index: &MeshIndex) {
    let (p, want) = (DVec3::from(case.input.points[i]), &case.expected.points[i]);
    let at = format!("{} point {i}", case.id);
    let (tol, tol_impulse) = (case.expected.tol_length, case.expected.tol_impulse);
    let near = |a: DVec3, b: [f64; 3], tol: f64| (a - DVec3::from(b)).mag() <= tol;

    assert_eq!(f64::from(index.winding(p)), want.winding.round(), "{at}");
    assert_eq!(index.inside(p), want.inside, "{at}");
    assert!((brute_force::winding_by_solid_angle(mesh, p) - want.winding).abs() < 1e-9, "{at}");
    let nearest = index.nearest(p);
    assert!((nearest.distance - want.distance).abs() <= tol, "{at}");
    let signed = if want.inside { -want.distance } else { want.distance };
    assert!((index.signed_distance(p) - signed).abs() <= tol, "{at}");

    let Some(got) = index.penetration(p) else {
        assert!(!want.inside && want.depth == 0.0, "{at}");
        assert!(near(nearest.point, want.closest, tol), "{at}");
        assert!(DVec3::from(want.impulse).mag() == 0.0, "{at}");
        return;
    };
    assert!((got.depth - want.depth).abs() <= tol, "{at}");
    assert_eq!(got.unique, want.unique, "{at}");
    assert!(want.alternatives.iter().any(|&q| near(got.closest, q, tol)), "{at}: {got:?}");
    let impulse = got.normal * (case.input.dt * case.input.k * got.depth);
    if !want.unique {
        // Any of the alternatives: the impulse must lead to the one chosen.
        let way = (got.closest - p) * (case.input.dt * case.input.k);
        assert!((impulse - way).mag() <= tol_impulse, "{at}");
        return;
    }
    assert!(near(got.closest, want.closest, tol), "{at}");
    assert_eq!(feature_name(got.feature), want.feature, "{at}");
    assert!((got.normal - DVec3::from(want.normal)).mag() <= tol / want.depth.max(tol), "{at}");
    assert!(near(impulse, want.impulse, tol_impulse), "{at}: {impulse:?}");
    assert!(want.triangles_tied.contains(&got.triangle), "{at}");
    if got.triangle == want.triangle {
        for c in 0..3 {
            let reaction = impulse * -got.weights[c];
            assert!((got.weights[c] - want.weights[c]).abs() <= 1e-9, "{at}");
            assert!(near(reaction, want.reaction[c], tol_impulse), "{at}: {reaction:?}");
        }
    }
}

#[test]
fn every_case_agrees() {
    let Some(folder) = std::env::var_os("IMPINGE_ORACLES") else {
        println!("skipped: set IMPINGE_ORACLES to the folder with dpf_mesh.json");
        return;
    };
    let path = PathBuf::from(folder).join("dpf_mesh.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let family: Family = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut points = 0;
    for case in &family.cases {
        let mesh = TriMesh::from_arrays(&case.input.vertices, &case.input.triangles).unwrap();
        let index = MeshIndex::new(&mesh);
        for i in 0..case.input.points.len() {
            check(case, i, &mesh, &index);
            points += 1;
        }
    }
    assert!(points > 0, "{} holds no case", path.display());
    println!("{} cases, {points} points", family.cases.len());
}
