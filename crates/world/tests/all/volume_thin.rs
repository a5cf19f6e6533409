//! What volumes cannot hold is refused or stopped: bodies thinner than the depth, walls thinner than a step's way.

use crate::volumes::{DEPTH, law, settings};
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_world::{BodyDesc, Mass, Response, Simulation, VolumeSettings};

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

fn pair(first: BodyDesc, second: BodyDesc, s: VolumeSettings, dt: f64) -> Result<Simulation, String> {
    Simulation::builder(dt)
        .law(law(0.3))
        .response(Response::from(s))
        .body(first)
        .body(second)
        .build()
        .map_err(|e| e.to_string())
}

fn body(name: &str, mesh: &TriMesh, at: DVec3) -> BodyDesc {
    BodyDesc::rigid(name, mesh, Mass::Total(1.0), Pose::from_position(at)).unwrap()
}

#[test]
fn a_plate_thinner_than_the_depth_is_refused_with_its_thickness() {
    let plate = |t: f64| generators::cuboid(DVec3::new(0.3, 0.3, t), [2, 2, 1]).unwrap();
    let at = DVec3::unit_z() * 0.1;
    let e = pair(floor(), body("foil", &plate(0.9 * DEPTH), at), settings(None), 1e-3).err().unwrap();
    assert!(e.contains("'foil'") && e.contains("m thick") && e.contains("give a depth"), "{e}");
    assert!(pair(floor(), body("plate", &plate(2.0 * DEPTH), at), settings(None), 1e-3).is_ok());
    // What the message asks for is enough.
    let s = VolumeSettings { depth: 0.2 * DEPTH, ..settings(None) };
    assert!(pair(floor(), body("foil", &plate(0.9 * DEPTH), at), s, 1e-3).is_ok());
    // No thickness at all has no inside.
    let mut flat = generators::cuboid(DVec3::new(0.3, 0.3, 0.1), [1; 3]).unwrap();
    flat = flat.mapped(|p| DVec3::new(p.x, p.y, 0.0)).unwrap();
    assert!(BodyDesc::rigid("flat", &flat, Mass::Total(1.0), Pose::from_position(at)).is_err());
    let fixed = BodyDesc::fixed("flat", flat, Pose::from_position(at)).unwrap();
    let ball = generators::icosphere(0.1, 2).unwrap();
    let e = pair(fixed, body("ball", &ball, DVec3::unit_z()), settings(None), 1e-3).err().unwrap();
    assert!(e.contains("flat"), "{e}");
}

/// A bowl: a hollow box without its lid, walls 3 mm thick, in a box of 0.2 m.
fn bowl() -> TriMesh {
    let (out, wall) = (0.1, 0.003);
    let inner = out - wall;
    let ring = |h: f64, z: f64| [(-h, -h), (h, -h), (h, h), (-h, h)].map(|(x, y)| DVec3::new(x, y, z));
    let x = [ring(out, -out), ring(out, out), ring(inner, out), ring(inner, wall - out)].concat();
    let mut t: Vec<[u32; 3]> = vec![[0, 2, 1], [0, 3, 2], [12, 13, 14], [12, 14, 15]];
    for level in 0..3u32 {
        for k in 0..4 {
            let (a, b) = (4 * level + k, 4 * level + (k + 1) % 4);
            t.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
        }
    }
    TriMesh::new(x, t).unwrap()
}

#[test]
fn the_wall_of_a_bowl_is_not_crossed_by_that_of_a_cup() {
    let thickness = impinge_volume::ClosedSurface::new(&bowl()).unwrap().thickness();
    assert!((thickness / 0.003 - 1.0).abs() < 0.05, "{thickness}");
    // 0.06 m wide and less than half of that a step: by their boxes neither could pass. Its wall has 0.9 mm.
    let cup = bowl().mapped(|p| p * 0.3).unwrap();
    for (speed, start) in [(4.0, 0.0), (5.0, 0.003), (7.0, 0.01)] {
        let first = BodyDesc::fixed("bowl", bowl(), Pose::default()).unwrap();
        let mut shot = body("cup", &cup, DVec3::new(0.003, 0.005, start));
        shot.velocity = DVec3::new(0.0, 0.0, -speed);
        let mut sim = pair(first, shot, settings(None), 4e-3).unwrap();
        let from = sim.position(1).z;
        for _ in 0..60 {
            sim.step().unwrap();
        }
        let bottom = start - 0.03 + sim.position(1).z - from;
        println!("{speed} m/s: its bottom at {bottom}");
        assert!(bottom > 0.003 - 0.1 - 5.0 * DEPTH, "{speed} m/s: {bottom}");
    }
}
