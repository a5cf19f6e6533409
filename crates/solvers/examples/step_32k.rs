//! One implicit step of 31 944 unknowns, every method: `RAYON_NUM_THREADS=1 cargo run --release -p impinge-solvers --example
//! step_32k [--features factor] [-- Young's modulus in Pa]`.
//!
//! 22³ nodes, 55 566 jittered Kuhn tets, unit cube, ν = 0.4, 1000 kg/m³, Δt = 1/60, 10⁻⁸; at the default modulus
//! block-Jacobi conjugate gradients take the 140 iterations of the published comparison. Medians of interleaved rounds, so
//! that a busy machine is equally unkind to all.

#[path = "../tests/all/support/elastic.rs"]
mod elastic;

use impinge_geometry::DVec3;
use impinge_solvers::{
    ApplyWorkspace, BlockJacobi, BlockMatrix, CgWorkspace, Filter, IncompleteCholesky, Outcome,
    Preconditioner, Settings, Ssor, System, TwoLevel, pcg,
};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 15;

fn ms(f: impl FnOnce()) -> f64 {
    let clock = Instant::now();
    f();
    clock.elapsed().as_secs_f64() * 1e3
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// GB/s of reading an array over and over.
fn stream(bytes: usize) -> f64 {
    let data = vec![1.0f64; bytes / 8];
    let mut times: Vec<f64> = (0..21)
        .map(|_| {
            ms(|| {
                let mut s = [0.0; 16];
                for c in data.chunks_exact(16) {
                    for l in 0..16 {
                        s[l] += c[l];
                    }
                }
                black_box(s);
            })
        })
        .collect();
    bytes as f64 / median(&mut times) * 1e-6
}

struct Row {
    name: &'static str,
    set_up: Vec<f64>,
    solve: Vec<f64>,
    outcome: Option<Outcome>,
    /// Of an iteration.
    bytes: usize,
    flops: usize,
}

fn main() {
    let young = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1.1e5);
    let e = elastic::elastic(22, young, 1.0, 1.0 / 3600.0);
    let matrix = BlockMatrix::new(&e.pattern, &e.values).expect("as many values as blocks");
    let system = System::new(matrix);
    let (filter, settings, b) = (Filter::none(), Settings::default(), elastic::load(&e));
    let n = b.len();
    println!(
        "{} unknowns, {} tets, {} blocks stored of {}; E = {young:.3e} Pa",
        3 * n,
        e.tets.len(),
        e.pattern.blocks(),
        e.pattern.full_blocks()
    );

    let (mut jacobi, mut ssor, mut eisenstat) =
        (BlockJacobi::new(), Ssor::new(&e.pattern, 1), Ssor::new(&e.pattern, 1));
    let mut incomplete = IncompleteCholesky::new(&e.pattern);
    let (mut fresh, mut lagged) = (TwoLevel::new(&e.pattern, &e.x), TwoLevel::new(&e.pattern, &e.x));
    fresh.set_max_age(1);
    lagged.set_max_age(u32::MAX);

    // Vectors of conjugate gradients: 12 passes over 24 bytes per node.
    let cg = e.pattern.apply_bytes() + 12 * 24 * n;
    let product = e.pattern.apply_flops();
    let names = [
        ("block Jacobi", cg + 72 * n, product + 18 * n),
        ("IC(0), f64", cg + 2 * 76 * e.pattern.blocks(), 2 * product),
        ("SSOR, preconditioner", 0, 0),
        ("SSOR, Eisenstat", 0, 0),
        ("two levels, fresh", 0, 0),
        ("two levels, lagged", 0, 0),
    ];
    let mut rows: Vec<Row> = names
        .iter()
        .map(|&(name, bytes, flops)| Row {
            name,
            set_up: Vec::new(),
            solve: Vec::new(),
            outcome: None,
            bytes,
            flops,
        })
        .collect();
    let mut ws = CgWorkspace::default();
    let mut x = vec![DVec3::zero(); n];
    let mut apply = ApplyWorkspace::default();
    let mut products = Vec::new();
    for _ in 0..ROUNDS {
        products.push(ms(|| matrix.apply(&b, &mut x, &mut apply)));
        for (k, row) in rows.iter_mut().enumerate() {
            x.fill(DVec3::zero());
            row.set_up.push(ms(|| {
                match k {
                    0 => jacobi.update(&system, &filter),
                    1 => incomplete.update(&system, &filter),
                    2 => ssor.update(&system, &filter),
                    3 => eisenstat.update(&system, &filter),
                    4 => fresh.update(&system, &filter),
                    _ => lagged.update(&system, &filter),
                }
                .expect("a positive definite matrix");
            }));
            let clock = Instant::now();
            let outcome = if k == 3 {
                eisenstat.solve(&system, &filter, &b, &mut x, &settings, &mut ws)
            } else {
                let m: &mut dyn Preconditioner = match k {
                    0 => &mut jacobi,
                    1 => &mut incomplete,
                    2 => &mut ssor,
                    4 => &mut fresh,
                    _ => &mut lagged,
                };
                pcg(&system, m, &filter, &b, &mut x, &settings, &mut ws)
            };
            row.solve.push(clock.elapsed().as_secs_f64() * 1e3);
            row.outcome = Some(outcome);
        }
    }
    let sweeps = (eisenstat.sweep_bytes(), eisenstat.sweep_flops());
    (rows[2].bytes, rows[2].flops) = (cg + sweeps.0, product + sweeps.1);
    // Four more passes over 16 bytes of f32 per node.
    (rows[3].bytes, rows[3].flops) = (sweeps.0 + 8 * 16 * n, sweeps.1 + 30 * n);
    for k in [4, 5] {
        let coarse = 8 * 36 * fresh.aggregates() * fresh.aggregates();
        (rows[k].bytes, rows[k].flops) =
            (rows[2].bytes + coarse + 96 * n, rows[2].flops + coarse / 4 + 60 * n);
    }

    let (cache, memory) = (stream(72 * e.pattern.blocks()), stream(256 << 20));
    println!(
        "reading an array of the matrix's size {cache:.1} GB/s, one of 256 MiB {memory:.1} GB/s, one thread"
    );
    let p = median(&mut products);
    let rate = e.pattern.apply_bytes() as f64 / p * 1e-6;
    println!(
        "product: {p:.3} ms, {:.2} MB, {rate:.1} GB/s = {:.0} % of reading\n",
        e.pattern.apply_bytes() as f64 * 1e-6,
        100.0 * rate / cache
    );
    println!(
        "{:22} {:>6} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>9}",
        "method",
        "iter.",
        "set-up ms",
        "solve ms",
        "sum ms",
        "ms/iter.",
        "MB/it.",
        "Mflop",
        "% reading",
        "residual"
    );
    for row in &mut rows {
        let Some(o) = row.outcome else { continue };
        let (a, s) = (median(&mut row.set_up), median(&mut row.solve));
        let each = s / f64::from(o.iterations.max(1));
        println!(
            "{:22} {:6} {a:9.2} {s:9.2} {:9.2} {each:9.3} {:8.2} {:8.2} {:9.0} {:9.1e}{}",
            row.name,
            o.iterations,
            a + s,
            row.bytes as f64 * 1e-6,
            row.flops as f64 * 1e-6,
            100.0 * row.bytes as f64 / each * 1e-6 / cache,
            o.residual,
            if o.converged { "" } else { "  NOT CONVERGED" }
        );
    }
    println!("\nIC(0): shift {}; two levels: {} aggregates", incomplete.shift(), fresh.aggregates());
    sparse(&e, &system, &b);
}

#[cfg(feature = "factor")]
fn sparse(e: &elastic::Elastic, system: &System<'_>, b: &[DVec3]) {
    use impinge_solvers::{Factor, FactorKind};
    for kind in [FactorKind::Llt, FactorKind::Ldlt] {
        let clock = Instant::now();
        let mut f = Factor::new(&e.pattern, kind).expect("it fits");
        let symbolic = clock.elapsed().as_secs_f64() * 1e3;
        let filter = Filter::none();
        let mut x = vec![DVec3::zero(); b.len()];
        let mut numeric: Vec<f64> =
            (0..3).map(|_| ms(|| f.refactor(&system.matrix(), &filter).expect("definite"))).collect();
        let mut once: Vec<f64> = (0..7).map(|_| ms(|| f.solve_once(b, &mut x))).collect();
        println!(
            "sparse {kind:?}: symbolic {symbolic:.0} ms, numeric {:.0} ms, solve {:.1} ms, {:.1} M numbers",
            median(&mut numeric),
            median(&mut once),
            f.len() as f64 * 1e-6
        );
    }
}

#[cfg(not(feature = "factor"))]
fn sparse(_: &elastic::Elastic, _: &System<'_>, _: &[DVec3]) {
    println!("sparse factors: build with --features factor");
}
