//! What is under test.

mod ccd;
mod fill;
mod mlcp;
mod open;
mod polygon;
mod pressure;
mod qp;
mod qp_islands;
mod readers;
mod scene;
mod snapshot;
mod solids;
mod volume;

use crate::case::{Outcome, Target};
pub use open::OPERATIONS as OPEN_OPERATIONS;
pub use scene::state_is_finite;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

const fn target(
    name: &'static str,
    what: &'static str,
    run: crate::case::Run,
    bytes: usize,
    seconds: u64,
    quick: u64,
) -> Target {
    Target { name, what, run, bytes, seconds, quick }
}

/// Every target, readers first.
pub const TARGETS: &[Target] = &[
    target(
        "obj",
        "OBJ reader: damaged files; a mesh of finite numbers or an error that names the file",
        readers::obj,
        16 * MIB,
        5,
        400000,
    ),
    target("stl", "STL reader, text and binary: as obj", readers::stl, 16 * MIB, 5, 400000),
    target("ply", "PLY reader, text and binary of both orders: as obj", readers::ply, 16 * MIB, 5, 400000),
    target("glb", "GLB reader: as obj", readers::glb, 16 * MIB, 5, 400000),
    target("vtk", "VTK reader, versions 3 and 5, text and binary: as obj", readers::vtk, 16 * MIB, 5, 400000),
    target("vtu", "VTU reader, all encodings: as obj", readers::vtu, 16 * MIB, 5, 200000),
    target("msh", "MSH reader, versions 2 and 4, text and binary: as obj", readers::msh, 16 * MIB, 5, 400000),
    target(
        "scene",
        "scene files: damaged ones are refused with a place, or describe a scene that makes sense",
        scene::text,
        64 * MIB,
        10,
        20000,
    ),
    target(
        "scene-run",
        "scenes with a hostile number, built and stepped: a finite state or an error",
        scene::run,
        512 * MIB,
        60,
        240,
    ),
    target(
        "snapshot",
        "restoring a damaged snapshot: refused, or a run that goes on with finite numbers or an error",
        snapshot::restore,
        256 * MIB,
        30,
        240,
    ),
    target(
        "open",
        "50 random operations on a world that is open between steps: balanced books, the same bits again, refusals change nothing",
        open::open,
        256 * MIB,
        60,
        20,
    ),
    target(
        "ccd",
        "touches, roots, first contact, intervals: every tier against the exact one",
        ccd::linear,
        MIB,
        5,
        120000,
    ),
    target(
        "ccd-within",
        "minimum separation against the exact answer at d = 0; batch against single",
        ccd::within,
        MIB,
        5,
        200000,
    ),
    target(
        "ccd-curved",
        "accelerated and screw motion: times and weights in range",
        ccd::curved,
        64 * MIB,
        30,
        1200,
    ),
    target(
        "polygon",
        "moments of plane polygons against twice the precision; translation and reversal",
        polygon::moments,
        MIB,
        5,
        800000,
    ),
    target(
        "clip",
        "the polygon of equal pressure of two tets against clipping in twice the precision",
        pressure::clip,
        MIB,
        5,
        400000,
    ),
    target(
        "pressure",
        "contact surfaces of bodies: finite, opposite wrenches under exchange",
        pressure::bodies,
        32 * MIB,
        10,
        8000,
    ),
    target(
        "tet-volume",
        "exact volume of two tets against clipping in twice the precision",
        volume::tets,
        MIB,
        5,
        80000,
    ),
    target(
        "volume",
        "exact volume of meshes: exchange, bounds, forces that balance",
        volume::meshes,
        512 * MIB,
        30,
        600,
    ),
    target(
        "ldi",
        "layered depth images against the exact volume, within a pixel times the area",
        volume::ldi,
        64 * MIB,
        20,
        8000,
    ),
    target(
        "health",
        "health report, suggested repairs: none panics, none makes a mesh that is none",
        fill::health,
        64 * MIB,
        10,
        3200,
    ),
    target("fill", "tets inside a surface: positive ones, or an error", fill::fill, 256 * MIB, 30, 1600),
    target(
        "qp",
        "all four methods: what they call solved satisfies the conditions as measured afresh",
        qp::solve,
        16 * MIB,
        10,
        16000,
    ),
    target(
        "qp-islands",
        "problems of several pieces: solved as measured afresh, each piece with the bits of its own problem",
        qp_islands::solve,
        16 * MIB,
        10,
        8000,
    ),
    target(
        "mlcp",
        "contact with friction, four methods: the residual they report, finite forces in their cones",
        mlcp::solve,
        16 * MIB,
        10,
        800,
    ),
];

/// The target of this name.
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|t| t.name == name)
}

/// Gives a file to a target that reads bytes.
///
/// # Errors
/// What was wrong, or that this target reads no files.
pub fn feed(name: &str, bytes: &[u8]) -> Result<Outcome, String> {
    match name {
        "scene" => scene::check(bytes),
        _ => readers::read(name, bytes).unwrap_or_else(|| Err(format!("target {name} reads no files"))),
    }
}

/// The room that a file may take up in memory: what the readers promise, 64 times its length and a little.
const fn room(bytes: usize) -> usize {
    64 * bytes + 16 * KIB
}
