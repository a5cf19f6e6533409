//! Every scene of the repository parses, and its meshes can be built.

use impinge_scene::{Mass, Motion, SceneSpec, Shape, Sides};
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes")
}

fn load(name: &str) -> SceneSpec {
    SceneSpec::load(&folder().join(name)).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_scene_parses_and_builds() {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let scene = SceneSpec::load(&path).unwrap_or_else(|e| panic!("{e}"));
        let meshes = scene.meshes().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(meshes.of_body.len(), scene.bodies.len());
        assert!(!scene.expectations.is_empty(), "{} expects nothing", path.display());
        assert!(!scene.description.is_empty(), "{} has no description", path.display());
        for (body, mesh) in scene.bodies.iter().zip(&meshes.of_body) {
            assert_eq!(mesh.is_some(), matches!(body.shape, Shape::Mesh(_)), "{}", body.name);
            assert!(body.pose.is_finite());
        }
        // One frame of every scene needs a recorder that makes sense.
        assert!(scene.record.frame_interval > 0.0);
        names.push(path.file_stem().unwrap().to_string_lossy().into_owned());
    }
    names.sort();
    let wanted =
        ["chain", "drop", "incline", "newton-cradle", "rings", "stack", "stick", "tumble"].map(String::from);
    for name in &wanted {
        assert!(names.contains(name), "no scene {name}");
    }
}

#[test]
fn every_test_with_a_known_answer_parses() {
    for (dir, least) in [("../verify", 15), ("../verify/long", 5)] {
        let mut found = 0;
        for entry in std::fs::read_dir(folder().join(dir)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "toml") {
                let scene = SceneSpec::load(&path).unwrap_or_else(|e| panic!("{e}"));
                assert!(!scene.expectations.is_empty(), "{} expects nothing", path.display());
                found += 1;
            }
        }
        assert!(found >= least, "{found} in {dir}");
    }
}

#[test]
fn cradle_touches_tip_to_cap_without_gap() {
    let scene = load("newton-cradle.toml");
    let meshes = scene.meshes().unwrap();
    assert_eq!(meshes.meshes.len(), 1, "equal balls share one mesh");
    let (lo, hi) = meshes.meshes[0].bounds();
    assert_eq!(scene.bodies.len(), 5);
    for pair in scene.bodies.windows(2) {
        let tip = pair[0].pose.position.x + hi.x;
        let cap = pair[1].pose.position.x + lo.x;
        assert!((tip - cap).abs() < 1e-15, "{} to {}: {:e}", pair[0].name, pair[1].name, cap - tip);
    }
    // First is the ball further to the left, whichever way the pair is asked for.
    assert_eq!(scene.rule_for(0, 1).1, Sides::First);
    assert_eq!(scene.rule_for(1, 0).1, Sides::Second);
}

#[test]
fn stack_weights_are_the_weights() {
    let scene = load("stack.toml");
    let meshes = scene.meshes().unwrap();
    let mut above = 0.0;
    let mut forces = Vec::new();
    for (body, mesh) in scene.bodies.iter().zip(&meshes.of_body).rev() {
        let (Motion::Rigid(rigid), Some(mesh)) = (&body.motion, mesh) else { continue };
        let Mass::Density(density) = rigid.mass else { panic!("the stack is given by density") };
        let (mass, _) = impinge_geometry::mass_properties(&meshes.meshes[*mesh]).unwrap().at_density(density);
        above += mass * 9.81;
        forces.push(above);
    }
    for (name, force) in
        [("weight-of-the-top", forces[0]), ("weight-on-box-a", forces[2]), ("weight-on-the-floor", forces[3])]
    {
        let expect = scene.expectations.iter().find(|e| e.name == name).unwrap();
        let (value, tolerance) = expect.value.unwrap();
        assert!((value - force).abs() < 1e-6 * force, "{name}: {force}");
        assert!(expect.holds(value + 0.9 * tolerance) && !expect.holds(value + 1.1 * tolerance));
        assert!(!expect.holds(f64::NAN));
    }
}

#[test]
fn incline_box_stands_on_the_slope() {
    let scene = load("incline.toml");
    let meshes = scene.meshes().unwrap();
    let (normal, offset) = scene
        .bodies
        .iter()
        .find_map(
            |b| if let Shape::Plane { normal, offset } = b.shape { Some((normal, offset)) } else { None },
        )
        .unwrap();
    assert!((normal.mag() - 1.0).abs() < 1e-15 && offset == 0.0);
    let body = &scene.bodies[1];
    let heights: Vec<f64> =
        meshes.meshes[0].positions().iter().map(|&p| body.pose.point_to_world(p).dot(normal)).collect();
    let lowest = heights.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(lowest.abs() < 1e-12, "{lowest:e}");
    assert_eq!(heights.iter().filter(|h| h.abs() < 1e-12).count(), 9, "nine points stand on the slope");
}

#[test]
fn chain_links_start_apart_and_interlocked() {
    let scene = load("chain.toml");
    let meshes = scene.meshes().unwrap();
    let links: Vec<_> = scene.bodies.iter().filter(|b| b.name != "box").collect();
    assert_eq!(links.len(), 8);
    let world = |b: &impinge_scene::BodySpec| -> Vec<_> {
        meshes.meshes[0].positions().iter().map(|&p| b.pose.point_to_world(p)).collect()
    };
    for pair in links.windows(2) {
        let (a, b) = (world(pair[0]), world(pair[1]));
        // Linked: they overlap along x. Apart: no two vertices closer than the slack's order.
        let reach = a.iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
        let start = b.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
        assert!(start < reach - 0.1);
        let nearest =
            a.iter().flat_map(|p| b.iter().map(move |q| (*p - *q).mag())).fold(f64::INFINITY, f64::min);
        assert!(nearest > 1e-3, "{} and {}: {nearest}", pair[0].name, pair[1].name);
        // Neighbours stand across each other.
        let across = pair[0].pose.vector_to_world(impinge_geometry::DVec3::unit_z());
        assert!(across.dot(pair[1].pose.vector_to_world(impinge_geometry::DVec3::unit_z())).abs() < 1e-12);
    }
}

#[test]
fn tumble_spins_about_the_middle_axis() {
    let scene = load("tumble.toml");
    let mesh = &scene.meshes().unwrap().meshes[0];
    let (_, inertia) = impinge_geometry::mass_properties(mesh).unwrap().at_density(7800.0);
    let m = [inertia.cols[0].x, inertia.cols[1].y, inertia.cols[2].z];
    assert!(m[0] < m[1] && m[1] < m[2], "y is the middle axis: {m:?}");
    let Motion::Rigid(rigid) = &scene.bodies[0].motion else { panic!("the nut is rigid") };
    assert_eq!(rigid.angular_velocity.y, std::f64::consts::PI);
}
