//! Groups by their names, and surfaces that move, as files state them.

use impinge_scene::SceneSpec;
use std::path::Path;

const SCENE: &str = r#"
[scene]
title = "t"
dt = 1e-3
duration = 0.1
gravity = [0.0, 0.0, -9.81]
[[material]]
name = "m"
density = 1000
[[pair]]
materials = ["*", "*"]
stiffness = 1e4
mu_s = 0.5
[[body]]
name = "floor"
kind = "fixed"
material = "m"
plane = {}
surface_velocity = [0.5, 0.0, 0.0]
groups = ["ground"]
[[body]]
name = "held"
material = "m"
mesh = { box = { size = [0.2, 0.2, 0.2] } }
position = [0.0, 0.0, 0.1]
meets = ["ground"]
[[body]]
name = "falls"
material = "m"
mesh = { box = { size = [0.2, 0.2, 0.2] } }
position = [1.0, 0.0, 0.1]
meets = []
[[body]]
name = "ruled"
material = "m"
mesh = { box = { size = [0.2, 0.2, 0.2] } }
position = [2.0, 0.0, 0.1]
meets = []
[[rule]]
bodies = ["ruled", "floor"]
response = "penalty"
"#;

#[test]
fn names_say_who_meets_and_rules_go_first() {
    let scene = SceneSpec::from_str(SCENE, Path::new("test.toml")).unwrap();
    let meet = |a: usize, b: usize| scene.can_meet(a, b);
    assert!(meet(0, 1) && !meet(0, 2) && meet(0, 3) && !meet(1, 2));
    let mut sim = scene.simulation().unwrap();
    for _ in 0..100 {
        sim.step().unwrap();
    }
    let v = |slot: u32| sim.twist(slot).velocity;
    assert!(v(1).z.abs() < 0.2 && v(3).z.abs() < 0.2, "{:?} {:?}", v(1), v(3));
    assert!((v(2).z + 0.981).abs() < 1e-9, "{:?}", v(2));
    // The belt takes those along that it meets.
    assert!(v(1).x > 0.1 && v(3).x > 0.1 && v(2).x == 0.0, "{:?} {:?}", v(1), v(3));
}

/// A turntable turns about the origin of the frame that the file gives it in, wherever its centre of mass is.
#[test]
fn a_surface_spins_about_the_origin_of_its_frame() {
    let wedge = SCENE.replace(
        "plane = {}\nsurface_velocity = [0.5, 0.0, 0.0]",
        "mesh = { tetrahedron = { edge = 4.0 } }\nposition = [0.0, 0.0, -9.0]\nsurface_spin = [0.0, 0.0, 2.0]",
    );
    let wedge = wedge.replace("kind = \"fixed\"\n", "mass = 5.0\n");
    let scene = SceneSpec::from_str(&wedge, Path::new("test.toml")).unwrap();
    let sim = scene.simulation().unwrap();
    let (own, pose) = (sim.surface_velocity("floor").unwrap(), sim.pose(0));
    let at = |x: f64| pose.vector_to_world(own.at(pose.point_to_body([x, 0.0, -9.0].into())));
    assert!(at(0.0).mag() < 1e-12 && (at(0.5).y - 1.0).abs() < 1e-12, "{:?}", at(0.5));
}
