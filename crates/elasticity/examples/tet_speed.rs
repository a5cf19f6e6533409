//! How fast the tet kernels run here, against what the machine could do:
//! `cargo run --release -p impinge-elasticity --example tet_speed`.
//!
//! About 100 k tets of a strained box, one thread (and two, last column). Flops were counted by running the kernels'
//! source with a counting number type; ÷ and √ count as one. Bytes are what must come from memory once: rest data,
//! positions, slots, and outputs read and written. "Roofline" is the share of the speed that flops or bytes allow,
//! whichever is less. The roofline is measured in the same run: additions and multiplications on
//! registers, and a stream over arrays larger than the caches.

use impinge_elasticity::{Material, tet::*};
use impinge_geometry::{DVec3, tet_box};
use std::hint::black_box;
use std::time::Instant;

fn main() {
    let mesh = tet_box(DVec3::new(1.0, 1.0, 1.0), [27; 3]).expect("a box");
    let strained = |p: &DVec3| {
        let bend = 0.1 * p.x * p.y + 0.02 * (40.0 * p.z).sin();
        DVec3::new(1.1 * p.x + 0.3 * p.y + bend, p.y - 0.2 * p.z * p.z, 0.8 * p.z + 0.2 * p.x * p.z)
    };
    let x: Vec<DVec3> = mesh.positions().iter().map(strained).collect();
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().expect("a pool");
    let (one, two) = (pool(1), pool(2));
    let stream = one.install(stream_rate);
    println!("stream {:.1} GB/s", stream / 1e9);
    for width in Width::all() {
        let peak = one.install(|| peak_rate(width));
        println!("\n{}: peak {:.1} Gflop/s without fused multiply-add", width.name(), peak / 1e9);
        println!(
            "{:<44} {:>7} {:>7} {:>8} {:>8} {:>9} {:>7}",
            "kernel, M tets/s:", "median", "best", "flop/tet", "byte/tet", "roofline", "2 thr"
        );
        for model in [Model::Corotational, Model::StableNeoHookean] {
            let body = TetElements::new(&mesh, model, &Material::new(1e6, 0.3, 1000.0)).expect("a body");
            for k in kernels(model) {
                let mut run = Run::new(&body, &x, k.storage, width);
                let (median, best) = one.install(|| run.time(&k, &x));
                let (median2, _) = two.install(|| run.time(&k, &x));
                let tets = body.tets().len() as f64;
                let bytes = run.bytes(&k) / tets;
                let limit = (k.flops / peak).max(bytes / stream);
                println!(
                    "{:<44} {:>7.2} {:>7.2} {:>8.0} {:>8.0} {:>8.0}% {:>7.2}",
                    k.name,
                    tets / median * 1e-6,
                    tets / best * 1e-6,
                    k.flops,
                    bytes,
                    100.0 * limit * tets / median,
                    tets / median2 * 1e-6
                );
            }
        }
    }
}

/// What is timed.
struct Kernel {
    name: String,
    forces: bool,
    tangent: Option<Tangent>,
    storage: Triangle,
    flops: f64,
}

/// Flops: F 54, R 571, P and corner forces 117 (neo-Hookean 145), stretch and eigenvectors 333, spectrum 34 (93, and
/// 330 where A is projected, left out), frames 90, ten blocks 1010, adding 90 or 144.
fn kernels(model: Model) -> Vec<Kernel> {
    let corotational = model == Model::Corotational;
    let name = if corotational { "corotational" } else { "stable neo-Hookean" };
    let (rotation, force, spectrum) = if corotational { (571.0, 117.0, 34.0) } else { (0.0, 145.0, 93.0) };
    let mut all = vec![
        Kernel {
            name: format!("{name} energy"),
            forces: false,
            tangent: None,
            storage: Triangle::Lower,
            flops: 54.0 + rotation + if corotational { 51.0 } else { 64.0 },
        },
        Kernel {
            name: format!("{name} force"),
            forces: true,
            tangent: None,
            storage: Triangle::Lower,
            flops: 54.0 + rotation + force,
        },
    ];
    let tangents: &[Tangent] = if corotational { &[Tangent::Spd, Tangent::Warped] } else { &[Tangent::Spd] };
    for &tangent in tangents {
        for (storage, adding) in [(Triangle::Lower, 90.0), (Triangle::Full, 144.0)] {
            let eigen = if tangent == Tangent::Warped { 45.0 } else { 333.0 + spectrum + 90.0 };
            all.push(Kernel {
                name: format!("{name} force + {tangent:?} Hessian, {storage:?}"),
                forces: true,
                tangent: Some(tangent),
                storage,
                flops: 54.0 + 571.0 + force + eigen + 1010.0 + adding,
            });
        }
    }
    all
}

/// Arrays of one run.
struct Run<'a> {
    body: &'a TetElements,
    pattern: TetPattern,
    values: Vec<[f64; 9]>,
    out: Vec<DVec3>,
    ws: Workspace,
}

impl<'a> Run<'a> {
    fn new(body: &'a TetElements, x: &[DVec3], storage: Triangle, width: Width) -> Self {
        let pattern = TetPattern::new(body.nodes(), body.tets(), storage);
        let values = vec![[0.0; 9]; pattern.column.len()];
        let out = vec![DVec3::zero(); x.len()];
        Self { body, pattern, values, out, ws: Workspace::with_width(width) }
    }

    fn once(&mut self, k: &Kernel, x: &[DVec3]) {
        let (ws, slots, w) = (&mut self.ws, &self.pattern.slots, Weights::default());
        match k.tangent {
            Some(t) => {
                add_forces_and_hessian(self.body, x, t, w, slots, &mut self.out, &mut self.values, ws);
            }
            None if k.forces => add_forces(self.body, x, &mut self.out, ws),
            None => {
                black_box(energy(self.body, x, ws));
            }
        }
    }

    /// Median and least of 15 runs (s).
    fn time(&mut self, k: &Kernel, x: &[DVec3]) -> (f64, f64) {
        self.once(k, x);
        let mut times: Vec<f64> = (0..15)
            .map(|_| {
                let start = Instant::now();
                self.once(k, x);
                start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        (times[7], times[0])
    }

    /// Rest data 112 a tet; positions once; forces read and written; β, slots, values read and written.
    fn bytes(&self, k: &Kernel) -> f64 {
        let (tets, nodes) = (self.body.tets().len() as f64, self.body.nodes() as f64);
        let forces = if k.forces { 48.0 * nodes } else { 0.0 };
        let hessian =
            if k.tangent.is_some() { 72.0 * tets + 144.0 * self.pattern.column.len() as f64 } else { 0.0 };
        112.0 * tets + 24.0 * nodes + forces + hessian
    }
}

/// Bytes per second of a += b over two arrays of 64 MiB: 24 bytes for each number.
fn stream_rate() -> f64 {
    let n = 8 << 20;
    let (mut a, b) = (vec![1.0f64; n], vec![2.0f64; n]);
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        for (a, b) in a.iter_mut().zip(&b) {
            *a += *b;
        }
        black_box(&mut a);
        best = best.min(start.elapsed().as_secs_f64());
    }
    24.0 * n as f64 / best
}

/// Additions and multiplications per second on registers, compiled for `width`.
fn peak_rate(width: Width) -> f64 {
    let run: fn() -> f64 = match width.name() {
        #[cfg(target_arch = "x86_64")]
        "avx512" => peak::avx512,
        #[cfg(target_arch = "x86_64")]
        "avx2" => peak::avx2,
        // The twin's loop over one tet cannot use vectors; it is held against the baseline's peak all the same.
        _ => peak::chains::<16>,
    };
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        black_box(run());
        best = best.min(start.elapsed().as_secs_f64());
    }
    let lanes = match width.name() {
        "avx512" => 64,
        "avx2" => 32,
        _ => 16,
    };
    (2 * lanes * peak::ROUNDS) as f64 / best
}

mod peak {
    use std::hint::black_box;

    pub const ROUNDS: usize = 2_000_000;

    /// Independent chains x ← x·a + b, enough to hide the latency.
    #[inline(always)]
    pub fn chains<const N: usize>() -> f64 {
        let (a, b) = (black_box(0.999), black_box(0.001));
        let mut x = [0.5; N];
        for _ in 0..ROUNDS {
            for v in &mut x {
                *v = *v * a + b;
            }
        }
        x.iter().sum()
    }

    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    pub fn avx2() -> f64 {
        #[target_feature(enable = "avx2")]
        fn run() -> f64 {
            chains::<32>()
        }
        // SAFETY: called for the width of that name only, which `Width::all` gives where AVX2 is present.
        unsafe { run() }
    }

    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    pub fn avx512() -> f64 {
        #[target_feature(enable = "avx512f")]
        fn run() -> f64 {
            chains::<64>()
        }
        // SAFETY: called for the width of that name only, which `Width::all` gives where AVX-512 F is present.
        unsafe { run() }
    }
}
