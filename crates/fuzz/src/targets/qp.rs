//! Quadratic programs: small, often degenerate, sometimes hostile.

use crate::case::{Case, Outcome, must};
use crate::families::Numbers;
use crate::hostile::{any, grid, vector};
use impinge_geometry::{DVec3, is_finite};
use impinge_qp::{Kkt, Method, Problem, Regularisation, RowKind, Rows, Settings, Solver, Status};
use impinge_solvers::{BlockMatrix, BlockPattern, System};

/// Symmetric: GᵀG of a random or whole-number G, plus a shift that may be 0, times a scale.
pub fn matrix(r: &mut Numbers, n: usize) -> (BlockPattern, Vec<[f64; 9]>) {
    let size = 3 * n;
    let whole = r.below(3) == 0;
    let shift = r.pick(&[1.0, 1.0, 1e-3, 1e-9, 0.0]);
    let scale = r.pick(&[1.0, 1.0, 1.0, 1e-8, 1e8]);
    let spread = r.pick(&[0.0, 0.0, 3.0, 6.0]);
    let g: Vec<Vec<f64>> = (0..size)
        .map(|i| {
            let weight = 10f64.powf(-spread * i as f64 / size as f64);
            (0..size).map(|_| if whole { r.around(2) } else { r.unit() } * weight).collect()
        })
        .collect();
    let all: Vec<u32> = (0..n as u32).collect();
    let pattern =
        BlockPattern::new(n, [&all[..]]).unwrap_or_else(|e| panic!("a full pattern was refused: {e}"));
    let mut values = vec![[0.0; 9]; pattern.blocks()];
    for i in 0..size {
        for j in 0..size {
            let k: f64 = (0..size).map(|m| g[m][i] * g[m][j]).sum::<f64>() + if i == j { shift } else { 0.0 };
            let slot = pattern.slot((i / 3) as u32, (j / 3) as u32);
            if slot != u32::MAX {
                values[slot as usize][3 * (i % 3) + j % 3] = k * scale;
            }
        }
    }
    if r.below(24) == 0 {
        let slot = r.below(values.len() as u64) as usize;
        values[slot][r.below(9) as usize] = any(r);
    }
    (pattern, values)
}

/// Rows that repeat, contradict each other, vanish, or lie close together.
pub fn rows(r: &mut Numbers, n: usize, friction: bool) -> Rows {
    let mut rows = Rows::new();
    let mut last: Option<(Vec<(u32, DVec3)>, f64)> = None;
    for key in 0..r.below(9) {
        let mut c = r.pick(&[0.0, 0.0, -1.0, 1.0, 0.5, -1e-9]);
        let fresh = |r: &mut Numbers| -> Vec<(u32, DVec3)> {
            let count = 1 + r.below(n as u64);
            (0..count)
                .map(|_| (r.below(n as u64) as u32, if r.below(2) == 0 { grid(r, 1) } else { vector(r) }))
                .collect()
        };
        let mut g = fresh(r);
        if let Some((lg, lc)) = &last {
            match r.below(8) {
                0 => (g, c) = (lg.clone(), *lc),
                1 => {
                    (g, c) =
                        (lg.iter().map(|&(b, g)| (b, -g)).collect(), -lc - r.pick(&[0.0, 0.0, 1e-12, 1.0]))
                }
                2 => (g, c) = (lg.iter().map(|&(b, g)| (b, g + vector(r) * 1e-9)).collect(), *lc),
                _ => {}
            }
        }
        if r.below(40) == 0 {
            g[0].1 = DVec3::new(any(r), 0.0, 0.0);
        }
        if r.below(40) == 0 {
            c = any(r);
        }
        let kind = r.pick(&[
            RowKind::Contact,
            RowKind::Contact,
            RowKind::Other,
            RowKind::StrainUpper,
            RowKind::Fixed,
        ]);
        let Ok(row) = rows.push(kind, key, c, &g) else { continue };
        if friction && kind == RowKind::Contact && r.below(2) == 0 {
            let (t1, t2) = (fresh(r), fresh(r));
            let _ = rows.push_friction(row, r.pick(&[0.0, 0.3, 1.0, -1.0]), [&t1, &t2], [0.0, r.unit()]);
        }
        last = Some((g, c));
    }
    rows
}

pub fn solve(c: &mut Case) -> Result<Outcome, String> {
    let n = 1 + c.r.below(3) as usize;
    let method = c.r.pick(&[
        Method::PrimalDual,
        Method::PrimalDual,
        Method::Dual,
        Method::PaperComposite,
        Method::PaperSchur,
    ]);
    let (pattern, values) = matrix(&mut c.r, n);
    let friction = method == Method::PrimalDual && c.r.below(2) == 0;
    let rows = rows(&mut c.r, n, friction);
    let mut b: Vec<DVec3> = (0..n).map(|_| vector(&mut c.r) * 2.0).collect();
    if c.r.below(24) == 0 {
        b[0].x = any(&mut c.r);
    }
    let kept = c.r.below(8) == 0;
    let regularisation =
        if kept { Regularisation::Kept(c.r.pick(&[1e-6, 1e-2])) } else { Regularisation::Removed };
    let settings = Settings { method, regularisation, ..Settings::default() };
    c.show(|| format!("{method:?} {regularisation:?}\nK {values:?}\nb {b:?}\n{rows:?}"));
    let Ok(k) = BlockMatrix::new(&pattern, &values) else { return Ok(Outcome::Refused) };
    let problem = Problem::of_nodes(System::new(k), &b, &rows);
    let (mut dv, mut mu) = (vec![DVec3::zero(); n], Vec::new());
    let Ok(report) = Solver::new().solve(&problem, &settings, &mut dv, &mut mu) else {
        return Ok(Outcome::Refused);
    };
    must(dv.iter().all(|&v| is_finite(v)) && mu.iter().all(|m| m.is_finite()), || {
        format!("{report}: {dv:?} {mu:?}")
    })?;
    if report.status == Some(Status::Solved) && report.dropped.is_empty() {
        let l = if let Regularisation::Kept(l) = regularisation { l } else { 0.0 };
        let fresh = Kkt::measure(&problem, &dv, &mu, l);
        let fine = fresh.worst_beyond(settings.velocity_tolerance) <= 10.0 * settings.tolerance;
        must(fine, || format!("called solved with residuals {fresh}; reported {report}"))?;
    }
    Ok(Outcome::Answered)
}
