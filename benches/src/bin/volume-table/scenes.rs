//! The scenes: a stack of tori, two bumpy bodies as fine as the paper's armadillos, a wall with about 500 contacts, and those of
//! `fixtures/scenes/large`: two rigid and two soft dragons, octopuses, soft toys.

use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_scene::SceneSpec;
use impinge_world::{BodyDesc, Builder, Mass, Measurement, Response, Simulation, VolumeSettings};
use std::error::Error;
use std::path::Path;

/// A scene of the table.
pub struct Scene {
    pub name: &'static str,
    /// Rays across the longest side of the scene's boxes: as fine as in the paper, or so that as many cross what the boxes have in common.
    pub pixels: u32,
    /// Steps before anything is measured: contacts have settled to their depth.
    pub warm_up: usize,
    /// Cells of a distance field along the longest side of a body, for the paper's comparison; 0 for none.
    pub field: usize,
    /// The world; `true` for the short one.
    pub build: fn(bool) -> Result<Simulation, Box<dyn Error>>,
}

/// In the order of the table.
pub const ALL: &[Scene] = &[
    Scene { name: "stack of tori", pixels: 456, warm_up: 20, field: 0, build: tori },
    Scene { name: "bumpy bodies", pixels: 280, warm_up: 3, field: 128, build: bumpy },
    Scene { name: "wall", pixels: 512, warm_up: 10, field: 0, build: wall },
    Scene {
        name: "dragons, rigid",
        pixels: 396,
        warm_up: 70,
        field: 128,
        build: |s| file("dragons-rigid-volume", s),
    },
    Scene {
        name: "dragons, FEM",
        pixels: 294,
        warm_up: 40,
        field: 0,
        build: |s| file("dragons-fem-volume", s),
    },
    Scene { name: "octopuses", pixels: 392, warm_up: 60, field: 0, build: |s| file("octopuses-volume", s) },
    Scene { name: "soft toys 10", pixels: 456, warm_up: 80, field: 0, build: |s| file("toys-10-volume", s) },
    Scene { name: "soft toys 20", pixels: 1232, warm_up: 80, field: 0, build: |s| file("toys-20-volume", s) },
    Scene { name: "soft toys 40", pixels: 1232, warm_up: 80, field: 0, build: |s| file("toys-40-volume", s) },
];

/// Mean depth at which contacts rest (m).
const DEPTH: f64 = 1e-4;

fn world(cell: f64) -> Builder {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    // Stiffness is nothing to constraints.
    let law = PairLaw { friction: Some(friction), ..PairLaw::elastic(1.0) };
    let measure = Measurement { cell: Some(cell), ..Measurement::default() };
    let settings = VolumeSettings { measure, depth: DEPTH, ..VolumeSettings::default() };
    Simulation::builder(5e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(law)
        .response(Response::from(settings))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
}

fn rigid(name: String, mesh: &TriMesh, at: DVec3) -> Result<BodyDesc, impinge_world::BuildError> {
    BodyDesc::rigid(&name, mesh, Mass::Density(500.0), Pose::from_position(at))
}

/// Ten tori on each other, one contact for every eighth of a turn or so.
fn tori(short: bool) -> Result<Simulation, Box<dyn Error>> {
    let (count, segments) = if short { (3, 32) } else { (10, 144) };
    let mesh = generators::torus(0.2, 0.07, segments, segments / 2)?;
    let mut builder = world(0.2);
    for i in 0..count {
        let z = 0.07 - DEPTH + (0.14 - 2.0 * DEPTH) * f64::from(i);
        builder = builder.body(rigid(format!("torus-{i}"), &mesh, DVec3::new(0.0, 0.0, z))?);
    }
    Ok(builder.build()?)
}

/// A closed body with bumps of three sizes; about 346 000 triangles, as many as an armadillo of the paper has (345 944).
fn bumps(short: bool) -> Result<TriMesh, impinge_geometry::MeshError> {
    let n = if short { 32 } else { 416 };
    generators::uv_sphere(0.5, n, n + 1, false)?.mapped(|p| {
        let wave = |k: f64| (k * p.x + 0.3).sin() * (k * p.y + 1.1).sin() * (k * p.z + 0.7).sin();
        p * (1.0 + 0.15 * wave(7.0) + 0.05 * wave(17.0) + 0.02 * wave(41.0))
    })
}

/// One of them comes to lie on the other, which stands fast.
fn bumpy(short: bool) -> Result<Simulation, Box<dyn Error>> {
    let mesh = bumps(short)?;
    let fixed = BodyDesc::fixed("lower", mesh.clone(), Pose::from_position(DVec3::new(0.0, 0.0, 1.0)))?;
    let upper = rigid("upper".to_string(), &mesh, DVec3::new(0.12, 0.05, 1.93))?;
    Ok(world(0.1).body(fixed).body(upper).build()?)
}

/// Forty bricks in five courses, each on two of the course below: about 500 contacts, as the forty soft toys of the paper have, and all of
/// them know of each other.
fn wall(short: bool) -> Result<Simulation, Box<dyn Error>> {
    let (courses, bricks, fine) = if short { (3, 3, 1) } else { (5, 8, 4) };
    let (length, height) = (0.4, 0.12);
    let mesh = generators::cuboid(DVec3::new(length, 0.2, height), [4 * fine, 2 * fine, fine])?;
    let mut builder = world(0.15);
    for i in 0..courses {
        for j in 0..bricks {
            let x = (f64::from(j) + 0.5 * f64::from(i % 2)) * (length + 0.01);
            let z = 0.5 * height - DEPTH + (height - DEPTH) * f64::from(i);
            builder = builder.body(rigid(format!("brick-{i}-{j}"), &mesh, DVec3::new(x, 0.0, z))?);
        }
    }
    Ok(builder.build()?)
}

/// What makes a file's scene short, where it has it.
const SHORT: [(&str, &str); 5] = [
    ("resolution = 150", "resolution = 16"),
    ("resolution = 30", "resolution = 16"),
    ("segments = 110, sides = 55", "segments = 20, sides = 8"),
    ("count = 5,", "count = 1,"),
    ("count = 4,", "count = 1,"),
];

/// A scene of `fixtures/scenes/large`.
fn file(name: &str, short: bool) -> Result<Simulation, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../fixtures/scenes/large")
        .join(name)
        .with_extension("toml");
    let mut text = std::fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
    if short {
        text = SHORT.iter().fold(text, |t, (long, short)| t.replace(long, short));
    }
    Ok(SceneSpec::from_str_with(&text, &path, &[])?.simulation()?)
}
