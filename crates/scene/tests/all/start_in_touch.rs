//! Bodies that start on each other, by numbers that are rounded either way.

use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_scene::{Response, SceneSpec};
use impinge_world::{Followed, List};
use std::path::Path;

/// Two equal boxes, the upper one a little askew and a nanometre deep: they touch at two vertices, and where two pairs of edges cross.
const ASKEW: &str = r#"
[scene]
title = "t"
description = "d"
dt = 0.01
duration = 0.2

[[material]]
name = "wood"
density = 500.0

[[pair]]
materials = ["wood", "wood"]
stiffness = 1e4
mu_s = 0.5

[[body]]
name = "floor"
kind = "fixed"
material = "wood"
plane = { normal = [0.0, 0.0, 1.0] }

[[body]]
name = "lower"
material = "wood"
mesh = { box = { size = [0.1, 0.1, 0.1] } }
position = [0.051, 0.0504, 0.05]

[[body]]
name = "upper"
material = "wood"
mesh = { box = { size = [0.1, 0.1, 0.1] } }
position = [0.0492, 0.0497, 0.149999999]
"#;

/// Sine of the angle between the upper box and upright after 20 steps; `up` is where that is.
fn tilt(spec: &SceneSpec, up: DVec3) -> f64 {
    let mut sim = spec.simulation_with(Response::CPF_IMPLICIT).unwrap();
    for _ in 0..20 {
        sim.step().unwrap();
    }
    let upper = sim.names().iter().position(|n| n == "upper").unwrap() as u32;
    let start = spec.bodies[upper as usize].pose;
    let now = sim.pose(upper).vector_to_world(start.vector_to_body(up));
    now.cross(up).mag()
}

#[test]
fn a_box_askew_on_another_does_not_tip_when_the_scene_is_turned() {
    let spec = SceneSpec::from_str(ASKEW, Path::new("askew")).unwrap();
    for degrees in [0.0f64, 10.0, 40.0, 75.0] {
        let by = Pose::new(
            DVec3::new(0.03, -0.02, 0.05),
            rotor_from_rotation_vector(DVec3::new(1.0, 2.0, 3.0).normalized() * degrees.to_radians()),
        );
        let turned = spec.moved(&by, Response::CPF_IMPLICIT).unwrap();
        let tilt = tilt(&turned, by.vector_to_world(DVec3::unit_z()));
        assert!(tilt < 0.01, "turned by {degrees}° it tips by {tilt:.2e}");
    }
}

/// Edges inside plane faces hold nothing that the corners of the common area do not: however finely two flat boxes are divided, what opens
/// at the start is their vertices in each other's faces and the crossings of their outlines.
#[test]
fn edges_inside_plane_faces_do_not_open_at_the_start() {
    let opened = |cells: &str| {
        let text = ASKEW
            .replace("size = [0.1, 0.1, 0.1] }", &format!("size = [0.1, 0.1, 0.1], segments = {cells} }}"));
        let spec = SceneSpec::from_str(&text, Path::new("askew")).unwrap();
        let mut sim = spec.simulation_with(Response::CPF).unwrap();
        sim.step().unwrap();
        sim.column::<Followed>().0[List::Edges as usize].len()
    };
    assert_eq!(opened("[1, 1, 1]"), 2);
    assert_eq!(opened("[3, 4, 2]"), 2);
}

#[test]
fn a_nudge_is_as_small_as_it_says_and_leaves_alone_what_does_not_move() {
    let spec = SceneSpec::from_str(ASKEW, Path::new("askew")).unwrap();
    let nudged = spec.nudged(1e-6, 0.1);
    for (a, b) in spec.bodies.iter().zip(&nudged.bodies) {
        let way = (a.pose.position - b.pose.position).mag();
        let turned =
            (a.pose.vector_to_world(DVec3::unit_x()) - b.pose.vector_to_world(DVec3::unit_x())).mag();
        if a.name == "floor" {
            assert_eq!((way, turned), (0.0, 0.0));
        } else {
            assert!((way - 1e-6).abs() < 1e-12 && turned < 1.1e-5, "{}: {way:e} m, {turned:e}", a.name);
        }
    }
    let bodies = |i: usize| nudged.bodies[i].pose.position - spec.bodies[i].pose.position;
    assert!((bodies(1) - bodies(2)).mag() > 1e-7, "each another way");
    assert!((nudged.gravity - spec.gravity).mag() > 0.0);
}

/// A box on a slab, both turned, its lower side in the slab's upper one. Where the numbers put its corners a hair inside although their height
/// was rounded to zero or above, none of them opened and none crossed: three boxes of eight fell through.
#[test]
fn a_box_on_a_tilted_slab_is_held_however_its_corners_are_rounded() {
    for response in [Response::CPF, Response::DPF_CCD, Response::CPF_IMPLICIT] {
        for k in 0..12 {
            let (degrees, along) = (3.7 + 1.37 * f64::from(k), 0.31 + 0.173 * f64::from(k));
            let angle = -degrees.to_radians();
            // Of (along, 0, height) in the axes of the slab.
            let at = |height: f64| {
                let (s, c) = angle.sin_cos();
                format!("[{}, 0.31, {}]", along * c + height * s, height * c - along * s)
            };
            let text = format!(
                r#"
[scene]
title = "t"
description = "d"
dt = 2e-3
duration = 0.1
[[material]]
name = "wood"
[[pair]]
materials = ["wood", "wood"]
stiffness = 1e4
damping = {{ kelvin_voigt = 20.0 }}
mu_s = 0.8
[[body]]
name = "slab"
kind = "fixed"
material = "wood"
mesh = {{ box = {{ size = [20.0, 4.0, 0.4] }} }}
position = [{}, 0.0, {}]
rotation = {{ axis = [0, 1, 0], degrees = {} }}
[[body]]
name = "box"
material = "wood"
mass = 1.0
mesh = {{ box = {{ size = [0.2, 0.2, 0.1] }} }}
position = {}
rotation = {{ axis = [0, 1, 0], degrees = {} }}
"#,
                -0.2 * angle.sin(),
                -0.2 * angle.cos(),
                -degrees,
                at(0.05),
                -degrees
            );
            let spec = SceneSpec::from_str(&text, Path::new("tilted")).unwrap();
            let mut sim = spec.simulation_with(response).unwrap();
            let start = sim.pose(1).position;
            for _ in 0..50 {
                sim.step().unwrap();
            }
            let moved = (sim.pose(1).position - start).mag();
            assert!(moved < 1.5e-3, "{response:?} at {degrees}°: {moved} m");
        }
    }
}
