//! The cost of a step's QP for a cloth of 10 k vertices that drapes over a sphere, against the number of active rows, and
//! against a general solver (Clarabel) on the same problems in the same run:
//! `RAYON_NUM_THREADS=1 cargo run --release -p impinge-qp --features factor,peer --example cloth_on_sphere [STEPS] [YOUNG] [FOLDER] [MU] [BESIDE]`.
//! With a folder it writes `cloth-on-sphere.csv` and `cloth-on-sphere.svg` there. With MU > 0 the contacts have friction, which the
//! general solver's program has not: it is not called then. It gets one step in BESIDE (10; 0: none, which is how to measure
//! a change here without waiting for it).

#[path = "../tests/all/cloth.rs"]
mod cloth;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use cloth::Falling;
use impinge_geometry::DVec3;
use impinge_qp::{Problem, Rows, Settings, Solver};
use impinge_solvers::{BlockMatrix, Factor, FactorKind, Filter, System};
use plotters::prelude::*;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

/// What one step took.
struct Cost {
    active: u32,
    /// ms, here and by the general solver.
    ours: f64,
    /// ms of the processor here.
    busy: f64,
    theirs: Option<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let argument = |k: usize| std::env::args().nth(k).filter(|a| !a.is_empty());
    let number = |k: usize, or: f64| argument(k).and_then(|a| a.parse().ok()).unwrap_or(or);
    let (steps, young) = (number(1, 40.0) as usize, number(2, 1e6));
    // Before the work: a folder that cannot be made is no reason to lose it.
    let folder = argument(3).map(PathBuf::from);
    folder.as_ref().map(std::fs::create_dir_all).transpose()?;
    let mut cloth = Falling::new(100, young);
    cloth.friction = number(4, 0.0);
    let beside = number(5, 10.0) as usize;
    let mut solver = Solver::new();
    let settings = Settings { tolerance: 1e-9, ..Settings::default() };
    let (mut old, mut mu) = (Rows::new(), Vec::new());
    let mut csv =
        String::from("step,rows,active,solves,factors,inner,toggles,ms,processor_ms,clarabel_ms,worst_kkt\n");
    println!(
        "step   rows active  solves factors inner toggles    time/ms processor/ms Clarabel/ms  worst KKT"
    );
    let mut costs: Vec<Cost> = Vec::new();
    for step in 0..steps {
        cloth.assemble();
        let matrix = BlockMatrix::new(&cloth.pattern, &cloth.values)?;
        let p = Problem::of_nodes(System::new(matrix), &cloth.b, &cloth.rows);
        let (start, before) = (Instant::now(), processor());
        mu = cloth.rows.carry(&old, &mu);
        let mut dv = vec![DVec3::zero(); cloth.x.len()];
        let report = solver.solve(&p, &settings, &mut dv, &mut mu)?;
        let ours = start.elapsed().as_secs_f64() * 1e3;
        let busy = processor() - before;
        let last = step + 1 == steps;
        let mut theirs = None;
        let called = beside > 0 && (last || step % beside == beside - 1);
        if cloth.friction == 0.0 && !cloth.rows.is_empty() && called {
            let start = Instant::now();
            let (x, status, iterations) = general(&cloth);
            theirs = Some(start.elapsed().as_secs_f64() * 1e3);
            let apart = x.iter().zip(&dv).fold(0.0, |m: f64, (a, b)| m.max((*a - *b).mag()));
            let (here, there) = (p.objective(&dv), p.objective(&x));
            println!(
                "Clarabel: {iterations} iterations, {status:?}; objective {here:.12e} here, {there:.12e} there; Δv apart {apart:.1e} m/s"
            );
        }
        let their_time = theirs.map_or(String::new(), |t| format!("{t:.1}"));
        let (rows, active, solves) = (cloth.rows.len(), report.active, report.iterations);
        let (factors, inner, toggles) = (report.factorisations, report.inner, report.toggles);
        let (kkt, status) = (report.kkt.worst(), report.status);
        println!(
            "{step:4} {rows:6} {active:6} {solves:7} {factors:7} {inner:5} {toggles:7} {ours:10.1} {busy:12.1} {their_time:>11}  {kkt:.1e} {status:?}"
        );
        writeln!(
            csv,
            "{step},{rows},{active},{solves},{factors},{inner},{toggles},{ours:.2},{busy:.1},{their_time},{kkt:.1e}"
        )?;
        costs.push(Cost { active: report.active, ours, busy, theirs });
        if last {
            break;
        }
        old = cloth.rows.clone();
        cloth.advance(&dv);
    }
    let many: Vec<&Cost> = costs.iter().filter(|c| c.active >= 2000).collect();
    if !many.is_empty() {
        let ours = median(many.iter().map(|c| c.ours));
        let busy = median(many.iter().map(|c| c.busy));
        println!(
            "{} steps with 2000 active rows or more: median {ours:.1} ms, {busy:.1} ms of the processor",
            many.len()
        );
        let theirs = median(many.iter().filter_map(|c| c.theirs));
        let ratio = median(many.iter().filter_map(|c| c.theirs.map(|t| t / c.ours)));
        if many.iter().any(|c| c.theirs.is_some()) {
            println!("Clarabel on some of them: median {theirs:.1} ms, {ratio:.1} times what it takes here");
        }
    }
    let matrix = BlockMatrix::new(&cloth.pattern, &cloth.values)?;
    let mut factor = Factor::new(&cloth.pattern, FactorKind::Llt)?;
    let mut times = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        factor.refactor(&matrix, &Filter::none())?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    println!("one sparse factor of K: median {:.1} ms", median(times.into_iter()));
    if let Some(folder) = folder {
        std::fs::write(folder.join("cloth-on-sphere.csv"), csv)?;
        std::fs::write(folder.join("cloth-on-sphere.svg"), plot(&costs)?)?;
    }
    Ok(())
}

/// Time this thread has had a processor (ms), where the system tells (Linux; to about its tick); NaN elsewhere. On a machine with other
/// work it says more than the clock.
fn processor() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let first = told.as_deref().and_then(|t| t.split_whitespace().next());
    first.and_then(|ns| ns.parse::<f64>().ok()).map_or(f64::NAN, |ns| ns * 1e-6)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut v: Vec<f64> = values.collect();
    v.sort_by(f64::total_cmp);
    v.get(v.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Time against active rows, steps with some.
fn plot(costs: &[Cost]) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    let most = costs.iter().map(|c| c.active).max().unwrap_or(1).max(1);
    let times = || costs.iter().flat_map(|c| [Some(c.ours), c.theirs]).flatten();
    let low = times().fold(f64::INFINITY, f64::min).clamp(1e-3, 1e3);
    let high = times().fold(10.0 * low, f64::max);
    {
        let root = SVGBackend::with_string(&mut svg, (720, 400)).into_drawing_area();
        root.fill(&WHITE)?;
        let axes = (0u32..most + most / 20 + 1, (0.5 * low..2.0 * high).log_scale());
        let mut chart = ChartBuilder::on(&root);
        let mut chart = chart
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(60)
            .build_cartesian_2d(axes.0, axes.1)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .x_desc("active rows")
            .y_desc("time of a step's program [ms]")
            .y_label_formatter(&|t| format!("{t}"))
            .draw()?;
        let (blue, orange) = (RGBColor(0, 114, 178), RGBColor(213, 94, 0));
        let ours =
            costs.iter().filter(|c| c.active > 0).map(|c| Circle::new((c.active, c.ours), 3, blue.filled()));
        chart
            .draw_series(ours)?
            .label("warm, primal-dual active set")
            .legend(move |at| Circle::new(at, 3, blue.filled()));
        let theirs = costs
            .iter()
            .filter_map(|c| c.theirs.map(|t| TriangleMarker::new((c.active, t), 5, orange.filled())));
        chart
            .draw_series(theirs)?
            .label("Clarabel, set-up included")
            .legend(move |at| TriangleMarker::new(at, 5, orange.filled()));
        chart
            .configure_series_labels()
            // Between the two, where a general solver takes ten times as long or more.
            .position(SeriesLabelPosition::MiddleLeft)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        root.present()?;
    }
    Ok(svg)
}

/// The same problem by Clarabel, set-up included.
fn general(cloth: &Falling) -> (Vec<DVec3>, SolverStatus, u32) {
    let n = 3 * cloth.x.len();
    let (mut start, mut row, mut value) = (vec![0usize], Vec::new(), Vec::new());
    // The upper triangle by columns is the lower half by rows.
    for i in 0..cloth.x.len() {
        for c in 0..3 {
            for (&j, slot) in cloth.pattern.row(i).iter().zip(cloth.pattern.row_slots(i)) {
                for r in 0..3 {
                    row.push(3 * j as usize + r);
                    value.push(cloth.values[slot][3 * c + r]);
                }
            }
            for r in 0..=c {
                row.push(3 * i + r);
                value.push(cloth.values[i][3 * c + r]);
            }
            start.push(row.len());
        }
    }
    let k = CscMatrix::new(n, n, start, row, value);
    let q: Vec<f64> = cloth.b.iter().flat_map(|b| [-b.x, -b.y, -b.z]).collect();
    let (mut r, mut c, mut v) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..cloth.rows.len() {
        let one = cloth.rows.row(i);
        for (&b, g) in one.blocks.iter().zip(one.gradients) {
            for (k, g) in [g.x, g.y, g.z].into_iter().enumerate() {
                r.push(i);
                c.push(3 * b as usize + k);
                v.push(g);
            }
        }
    }
    let m = cloth.rows.len();
    let a = CscMatrix::new_from_triplets(m, n, r, c, v);
    let cones = [SupportedConeT::NonnegativeConeT(m)];
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-9,
        tol_gap_rel: 1e-9,
        tol_feas: 1e-9,
        ..DefaultSettings::default()
    };
    let mut solver =
        DefaultSolver::new(&k, &q, &a, cloth.rows.bounds(), &cones, settings).expect("the sizes fit");
    solver.solve();
    let s = &solver.solution;
    let x = s.x.chunks_exact(3).map(|c| DVec3::new(c[0], c[1], c[2])).collect();
    (x, s.status, s.iterations)
}
