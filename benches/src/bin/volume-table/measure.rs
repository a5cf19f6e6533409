//! One scene: its steps, stage by stage, and the kernels again on the state that they lead to.

use crate::problem::Rows;
use crate::scenes::Scene;
use crate::{Effort, field};
use impinge_contact::SurfaceMap;
use impinge_geometry::DVec3;
use impinge_solvers::Settings;
use impinge_solvers::mlcp::{gauss_seidel, solve_contacts};
use impinge_volume::{Body, CellGrid, ClosedSurface, LayeredDepth, Work};
use impinge_world::{NodeState, Overlaps, Shape, Shapes, Simulation, VolumeReport};
use std::error::Error;
use std::time::Instant;

/// Relative residual at which a solver stops.
pub const TOLERANCE: f64 = 1e-4;
/// Iterations of a solver at most.
const ITERATIONS: u32 = 5000;

/// One of the solvers on the state's problem.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    pub name: &'static str,
    pub iterations: u32,
    pub residual: f64,
    pub ms: f64,
}

/// A row of the table; times are medians in ms.
pub struct Measured {
    pub scene: &'static str,
    pub objects: usize,
    pub triangles: usize,
    /// Of each direction's two longer counts: the largest image.
    pub pixels: [usize; 2],
    pub layers: usize,
    pub contacts: usize,
    /// Depth layers along x, y and z; what is made of them, a difference of two times that may come out below zero where it is small.
    pub detection: f64,
    pub modelling: f64,
    /// Of a step: predict and advance; response and stabilisation; the exact measurement; all.
    pub motion: f64,
    pub solver: f64,
    pub exact: f64,
    pub step: f64,
    /// Compliance of all contacts, apart from the iterations; of rigid bodies alone.
    pub assembly: Option<f64>,
    pub solvers: Vec<Solved>,
    /// The same bodies by distance fields, where those are made.
    pub field: Option<ByField>,
}

/// Contact by signed distances on a grid.
pub struct ByField {
    pub nodes: [usize; 3],
    /// Of all bodies: making them (s), and their size (bytes).
    pub made: f64,
    pub bytes: usize,
    pub contacts: usize,
    /// Contacts of the same bodies with each other by volumes.
    pub by_volume: usize,
    /// Largest error of a contact's depth (m).
    pub off: f64,
    /// Looking up, rows, compliance (ms).
    pub detection: f64,
    pub modelling: f64,
    pub assembly: f64,
    pub solvers: Vec<Solved>,
}

/// The middle one of several times.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let n = times.len();
    if n == 0 { 0.0 } else { 0.5 * (times[(n - 1) / 2] + times[n / 2]) }
}

/// Median time of `runs` calls (ms) and what the last one gave.
fn timed<T>(
    runs: usize,
    mut f: impl FnMut() -> Result<T, Box<dyn Error>>,
) -> Result<(f64, T), Box<dyn Error>> {
    let mut once = || {
        let start = Instant::now();
        let got = f()?;
        Ok::<_, Box<dyn Error>>((start.elapsed().as_secs_f64() * 1e3, got))
    };
    // The first call makes room.
    let (_, mut last) = once()?;
    let mut times = Vec::new();
    for _ in 0..runs {
        let (ms, got) = once()?;
        times.push(ms);
        last = got;
    }
    Ok((median(times), last))
}

/// A body's surface and where its vertices are (m).
type Placed = (ClosedSurface, Vec<DVec3>);

/// All bodies with triangles.
fn bodies(sim: &Simulation) -> Result<Vec<Placed>, Box<dyn Error>> {
    let (map, nodes) = (sim.column::<SurfaceMap>(), sim.column::<NodeState>());
    let mut out = Vec::new();
    for (slot, shape) in sim.column::<Shapes>().0.iter().enumerate() {
        let Some(mesh) = shape.triangles() else { continue };
        let x = if let Shape::Soft(_) = shape {
            map.range(slot).filter_map(|v| map.at_nodes(v as u32, &nodes.x)).collect()
        } else {
            let pose = sim.pose(slot as u32);
            mesh.positions().iter().map(|&p| pose.point_to_world(p)).collect()
        };
        out.push((ClosedSurface::new(mesh)?, x));
    }
    Ok(out)
}

/// Runs and measures a scene.
pub fn measure(scene: &Scene, effort: &Effort) -> Result<Measured, Box<dyn Error>> {
    let mut sim = (scene.build)(effort.short)?;
    for _ in 0..if effort.short { 2 } else { scene.warm_up } {
        sim.step()?;
    }
    let mut stages: [Vec<f64>; 4] = Default::default();
    for _ in 0..effort.runs {
        let start = Instant::now();
        sim.step()?;
        stages[3].push(start.elapsed().as_secs_f64() * 1e3);
        let mut of = [0.0; 3];
        for (name, cost) in sim.pipeline.costs() {
            let kind = match name.as_str() {
                "predict" | "advance" => 0,
                n if n.starts_with("response") || n.starts_with("stabilise") => 1,
                n if n.starts_with("narrow") => 2,
                _ => continue,
            };
            of[kind] += cost.seconds * 1e3;
        }
        (0..3).for_each(|k| stages[k].push(of[k]));
    }
    let [motion, solver, exact, step] = stages.map(median);
    let contacts = sim.column::<VolumeReport>().cells as usize;

    let owned = bodies(&sim)?;
    let bodies = owned.iter().map(|(s, x)| Body::new(s, x)).collect::<Result<Vec<_>, _>>()?;
    let (mut lo, mut hi) = (owned[0].1[0], owned[0].1[0]);
    for &p in owned.iter().flat_map(|b| &b.1) {
        lo = lo.min_by_component(p);
        hi = hi.max_by_component(p);
    }
    let pixel = (hi - lo).component_max() / f64::from(scene.pixels) * if effort.short { 8.0 } else { 1.0 };
    let mut image = LayeredDepth::new(pixel)?;
    let grid = CellGrid::new(DVec3::zero(), 0.1)?;
    let found = image.detect(&bodies, false)?;
    image.overlaps(&bodies, false, Some(&grid))?;
    let mut pixels = found.map_or([0; 3], |f| f.lattice.count);
    pixels.sort_unstable();
    let layers = image.deepest();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for _ in 0..effort.runs {
        // Finding the boxes belongs to the detection.
        let (mut spent, mut doing, mut since) = ([0.0; 2], Work::Layers, Instant::now());
        let mut turn = |to: Work| {
            spent[usize::from(doing == Work::Volumes)] += since.elapsed().as_secs_f64() * 1e3;
            (doing, since) = (to, Instant::now());
        };
        image.overlaps_watched(&bodies, false, Some(&grid), &mut turn)?;
        turn(Work::Layers);
        first.push(spent[0]);
        rest.push(spent[1]);
    }
    let (detection, modelling) = (median(first), median(rest));

    let mut solvers = Vec::new();
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    let assembly = match sim.deformables() {
        0 => Some(solve(&Rows::of(&sim, gravity), effort.runs, &mut solvers)?),
        _ => None,
    };
    let field = match scene.field {
        0 => None,
        across => Some(by_field(&sim, if effort.short { 16 } else { across }, effort.runs, gravity)?),
    };
    Ok(Measured {
        scene: scene.name,
        objects: bodies.len(),
        triangles: owned.iter().map(|b| b.0.triangles().len()).sum(),
        pixels: [pixels[2], pixels[1]],
        layers,
        contacts,
        detection,
        modelling,
        motion,
        solver,
        exact,
        step,
        assembly,
        solvers,
        field,
    })
}

/// Contacts of the last step by volumes, without those with planes.
fn between_meshes(sim: &Simulation) -> usize {
    let (shapes, overlaps) = (sim.column::<Shapes>(), sim.column::<Overlaps>());
    let is_mesh = |slot: u32| matches!(shapes.0[slot as usize], Shape::Mesh(_));
    let pairs = overlaps.pairs.iter().filter(|p| p.bodies.into_iter().all(is_mesh));
    pairs.map(|p| p.cells().count()).sum()
}

/// The state's contacts by distance fields.
fn by_field(sim: &Simulation, across: usize, runs: usize, gravity: DVec3) -> Result<ByField, Box<dyn Error>> {
    let start = Instant::now();
    let fields = field::fields(sim, across);
    let made = start.elapsed().as_secs_f64();
    let (detection, contacts) = timed(runs, || Ok(field::contacts(sim, &fields)))?;
    let (modelling, rows) = timed(runs, || Ok(Rows::of_points(sim, gravity, &contacts)))?;
    let mut solvers = Vec::new();
    let assembly = solve(&rows, runs, &mut solvers)?;
    Ok(ByField {
        nodes: fields.first().map_or([0; 3], |f| f.field.count()),
        made,
        bytes: fields.iter().map(|f| f.field.bytes()).sum(),
        contacts: contacts.len(),
        by_volume: between_meshes(sim),
        off: field::off(sim, &fields, &contacts),
        detection,
        modelling,
        assembly,
        solvers,
    })
}

/// The problem of the state as rigid bodies have it, by two solvers; the time of its assembly (ms).
fn solve(rows: &Rows, runs: usize, solvers: &mut Vec<Solved>) -> Result<f64, Box<dyn Error>> {
    let (assembly, problem) = timed(runs, || Ok(rows.assemble()?))?;
    let settings = Settings { tolerance: TOLERANCE, max_iterations: ITERATIONS };
    for (name, method) in [("by size", solve_contacts as fn(&_, &mut _, &_) -> _), ("sweeps", gauss_seidel)] {
        let (ms, outcome) = timed(runs, || {
            let mut r = vec![[0.0; 3]; rows.len()];
            Ok(method(&problem, &mut r[..], &settings))
        })?;
        solvers.push(Solved { name, iterations: outcome.iterations, residual: outcome.residual, ms });
    }
    Ok(assembly)
}
