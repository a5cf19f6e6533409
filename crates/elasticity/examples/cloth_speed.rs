//! Time of the spring, cloth and rod kernels: `cargo run --release -p impinge-elasticity --example cloth_speed`.
//!
//! Medians over a sheet of about 200 000 triangles in vertex order; the gradients alone are the best of all runs, wide and
//! scalar in turns. Flops are counted by hand (√ and ÷ as one), bytes are the
//! columns and the result of one element; nodes are shared and mostly in cache, so they are not counted.

use impinge_elasticity::assemble::{self, Workspace, block_slots};
use impinge_elasticity::cloth::{Cloth, Hinges, MembraneLaw, Membranes, QuadraticBends};
use impinge_elasticity::rod::{Rod, Section};
use impinge_elasticity::spring::Springs;
use impinge_elasticity::{Blocks, Elements, Projection};
use impinge_geometry::{DVec3, Topology, TriMesh};
use std::hint::black_box;
use std::time::Instant;

const RUNS: usize = 15;

/// Median seconds of some runs.
fn median(mut f: impl FnMut()) -> f64 {
    f();
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let t = Instant::now();
            f();
            t.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

/// One element at a time: the twin of the wide kernels.
struct Scalar<E>(E);

impl<const N: usize, E: Elements<N>> Elements<N> for Scalar<E> {
    fn nodes(&self) -> &[[u32; N]] {
        self.0.nodes()
    }
    fn energy_of(&self, e: usize, x: &[DVec3; N]) -> f64 {
        self.0.energy_of(e, x)
    }
    fn gradient_of(&self, e: usize, x: &[DVec3; N]) -> [DVec3; N] {
        self.0.gradient_of(e, x)
    }
    fn hessian_of(&self, e: usize, x: &[DVec3; N], p: Projection) -> Blocks<N> {
        self.0.hessian_of(e, x, p)
    }
}

/// Prints one row: forces (whole driver), gradients alone wide and scalar, energy, both Hessians.
fn row<const N: usize, E: Elements<N> + Copy>(
    name: &str,
    elements: E,
    x: &[DVec3],
    flops: f64,
    columns: usize,
    wide: bool,
) {
    let n = elements.nodes().len();
    let per = |seconds: f64| seconds * 1e9 / n as f64;
    let mut ws = Workspace::default();
    let mut out = vec![DVec3::zero(); x.len()];
    let forces = per(median(|| assemble::add_forces(&elements, black_box(x), &mut out, &mut ws)));
    let mut g = [[DVec3::zero(); N]; 1024];
    let mut gradients = |scalar: bool| {
        let t = Instant::now();
        for first in (0..n).step_by(1024) {
            let piece = &mut g[..(n - first).min(1024)];
            if scalar {
                Scalar(elements).gradients(first, black_box(x), piece);
            } else {
                elements.gradients(first, black_box(x), piece);
            }
            black_box(&piece);
        }
        per(t.elapsed().as_secs_f64())
    };
    // In turns, and the best of each: a ratio that a busy machine does not spoil.
    let (mut fast, mut plain) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..2 * RUNS {
        fast = fast.min(gradients(false));
        plain = plain.min(gradients(true));
    }
    let energy = per(median(|| {
        black_box(assemble::energy(&elements, black_box(x), &mut ws));
    }));
    // Slots of a matrix with blocks in the order of first use, upper half only.
    let slots = block_slots(elements.nodes(), |i, j| {
        (i <= j).then_some((i * 8 + (j - i) % 8) % (8 * x.len() as u32))
    });
    let mut values = vec![[0.0; 9]; 8 * x.len()];
    let mut hessian = |p: Projection| {
        per(median(|| assemble::add_hessian(&elements, black_box(x), p, &slots, &mut values, &mut ws)))
    };
    let (exact, spd) = (hessian(Projection::Exact), hessian(Projection::Spd));
    let bytes = (columns + 4 * N + 24 * N) as f64;
    let twin = if wide { format!("{:>6.2}", plain / fast) } else { "     –".into() };
    println!(
        "{name:<22} {n:>8} | {forces:>7.1} {:>7.1} | {fast:>8.1} {plain:>8.1} {twin} {:>7.2} {:>6.1} | {energy:>7.1} | {exact:>8.1} {spd:>8.1}",
        1e3 / forces,
        flops / fast,
        bytes / fast,
    );
}

fn main() {
    let (nx, ny) = (320u32, 320u32);
    let mut x = Vec::new();
    for j in 0..=ny {
        for i in 0..=nx {
            x.push(DVec3::new(f64::from(i), f64::from(j), 0.0) * 0.01);
        }
    }
    let mut triangles = Vec::new();
    for j in 0..ny {
        for i in 0..nx {
            let a = j * (nx + 1) + i;
            triangles.extend([[a, a + 1, a + nx + 2], [a, a + nx + 2, a + nx + 1]]);
        }
    }
    let mesh = TriMesh::new(x.clone(), triangles).expect("a sheet");
    let topology = Topology::new(&mesh);
    let springs = Springs::from_edges(topology.edges(), &x, 100.0, 0.1).expect("springs");
    let membranes = Membranes::from_rest(mesh.triangles(), &x, DVec3::unit_x()).expect("membranes");
    let hinges = Hinges::from_mesh(&mesh, 1e-5).expect("hinges");
    let quadratic = QuadraticBends::from_mesh(&mesh, 1e-5).expect("a flat sheet");
    let iso = MembraneLaw::isotropic(1e5, 0.3, 1e-3).expect("a law");
    let rubber = MembraneLaw::rubber(4e4, 1e-3).expect("a law");
    // Waves and a little stretch, so that no branch is always the same.
    let bent: Vec<DVec3> = x
        .iter()
        .map(|p| DVec3::new(1.01 * p.x, 0.995 * p.y, 0.01 * (20.0 * p.x).sin() * (13.0 * p.y).cos()))
        .collect();
    let n = 50_000usize;
    let line: Vec<u32> = (0..=n as u32).collect();
    let angles: Vec<u32> = (n as u32 + 1..2 * n as u32 + 1).collect();
    let mut rod_x: Vec<DVec3> = (0..=n)
        .map(|i| DVec3::new(0.01 * i as f64, (0.1 * i as f64).sin() * 0.02, 0.0))
        .chain((0..n).map(|_| DVec3::zero()))
        .collect();
    let section = Section::round(1e9, 0.3, 2e-3, 1000.0).expect("a section");
    let rod = Rod::new(&line, &angles, &rod_x, DVec3::unit_z(), &section).expect("a rod");
    let bends = impinge_elasticity::rod::Bends::from_line(&line, &rod_x, 0.01).expect("bends");
    rod_x[..=n].iter_mut().enumerate().for_each(|(i, p)| p.z += 0.002 * (0.37 * i as f64).sin());

    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for threads in if cores > 1 { vec![1, cores] } else { vec![1] } {
        println!(
            "{threads} thread(s); ns per element, medians of {RUNS}; gradient and scalar: best, gain: their ratio"
        );
        println!(
            "{:<22} {:>8} | {:>7} {:>7} | {:>8} {:>8} {:>6} {:>7} {:>6} | {:>7} | {:>8} {:>8}",
            "kernel",
            "elements",
            "forces",
            "M/s",
            "gradient",
            "scalar",
            "gain",
            "GF/s",
            "GB/s",
            "energy",
            "H exact",
            "H spd"
        );
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let cloth = |law| Cloth { membranes: membranes.view(), law };
            row("springs", springs.view(), &bent, 17.0, 25, false);
            row("membrane, isotropic", cloth(iso), &bent, 92.0, 40, true);
            row("membrane, rubber", cloth(rubber), &bent, 103.0, 40, true);
            row("hinge", hinges.view(), &bent, 190.0, 16, true);
            row("quadratic bending", quadratic.view(), &bent, 36.0, 40, false);
            row("cable bend", bends.view(), &rod_x, 85.0, 16, false);
            row("rod bend and twist", rod.twists.view(), &rod_x, 620.0, 152, false);
        });
    }
}
