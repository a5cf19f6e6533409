//! Quadratic programs of an active set (ACCEPTANCE B8).

use super::known::Known;
use crate::oracle::dense_program::{Dense, Program};
use crate::randoms::Randoms;
use impinge_qp::{Kkt, Method, Settings, Solver};

/// The rows of this part.
pub fn rows() -> Result<Vec<Known>, String> {
    let mut numbers = Randoms(11);
    let (mut worst, mut unfinished, mut apart) = (0.0f64, 0, 0.0f64);
    let rounds = 60;
    for round in 0..rounds {
        let dense = random(&mut numbers, 3 * (1 + round % 20), 1 + (7 * round) % 40);
        let mut objectives = Vec::new();
        for method in [Method::PrimalDual, Method::Dual] {
            let (kkt, objective, solved) = solve(&dense, method)?;
            worst = worst.max(kkt);
            unfinished += i32::from(!solved);
            objectives.push(objective);
        }
        let size = objectives.iter().fold(1.0f64, |m, o| m.max(o.abs()));
        apart = apart.max((objectives[0] - objectives[1]).abs() / size);
    }
    let said = format!(
        "{rounds} random convex programs of up to 60 unknowns and 40 rows, with copies and combinations of rows"
    );
    let mut out = vec![
        Known::at_most(
            "B8",
            format!("{said}, by two methods: largest residual of the conditions"),
            worst,
            1e-9,
        )
        .note("optima of other solvers: cargo xtask oracle DIR --family qp"),
        Known::at_most("B8", "the same: not ended", f64::from(unfinished), 0.0),
        Known::at_most(
            "B8",
            "the same: objectives of the two methods, largest difference, relative",
            apart,
            1e-8,
        ),
    ];
    // Example (22) of seed 001: an edge on a plane, the third row a combination of the other two.
    let mut k = vec![vec![0.0; 6]; 6];
    (0..6).for_each(|i| k[i][i] = 1.0 + i as f64);
    let n = [0.6, 0.0, 0.8];
    let row =
        |s: f64, t: f64| (0..6).map(|i| if i < 3 { s * n[i] } else { t * n[i - 3] }).collect::<Vec<f64>>();
    let dense = Dense {
        k,
        b: vec![0.3, -1.0, 2.0, 0.1, 0.4, -0.7],
        j: vec![row(1.0, 0.0), row(0.0, 1.0), row(0.25, 0.75)],
        c: vec![-1.0, -2.0, -1.75],
        equalities: Vec::new(),
    };
    let (kkt, _, solved) = solve(&dense, Method::default())?;
    let kkt = if solved { kkt } else { f64::INFINITY };
    out.push(Known::at_most(
        "B8",
        "the paper's example (22), dependent rows: residual of the conditions",
        kkt,
        1e-9,
    ));
    Ok(out)
}

/// Residual of the conditions, objective, and whether it ended.
fn solve(dense: &Dense, method: Method) -> Result<(f64, f64, bool), String> {
    let program = Program::new(dense)?;
    let mut dv = program.start();
    let mut mu = Vec::new();
    let settings = Settings { method, ..Settings::default() };
    let report =
        Solver::new().solve(&program.problem(), &settings, &mut dv, &mut mu).map_err(|e| e.to_string())?;
    let kkt = Kkt::measure(&program.problem(), &dv, &mu, 0.0);
    Ok((kkt.worst(), program.problem().objective(&dv), report.solved()))
}

/// A K of full rank and rows that 0 keeps: feasible whatever they are.
fn random(numbers: &mut Randoms, n: usize, m: usize) -> Dense {
    let a: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| numbers.signed()).collect()).collect();
    let mut k = vec![vec![0.0; n]; n];
    for i in 0..n {
        for l in 0..n {
            let product: f64 = a.iter().map(|r| r[i] * r[l]).sum();
            k[i][l] = product + if i == l { 0.5 } else { 0.0 };
        }
    }
    let b = (0..n).map(|_| 3.0 * numbers.signed()).collect();
    let mut j: Vec<Vec<f64>> = (0..m).map(|_| (0..n).map(|_| numbers.signed()).collect()).collect();
    let mut c: Vec<f64> = (0..m).map(|_| 0.1 * numbers.unit()).collect();
    // Every third row is twice the one before, or half the sum of the two before.
    for i in (2..m).step_by(3) {
        if i % 2 == 0 {
            j[i] = j[i - 1].iter().map(|v| 2.0 * v).collect();
            c[i] = 2.0 * c[i - 1];
        } else {
            j[i] = j[i - 1].iter().zip(&j[i - 2]).map(|(x, y)| 0.5 * (x + y)).collect();
            c[i] = 0.5 * (c[i - 1] + c[i - 2]);
        }
    }
    Dense { k, b, j, c, equalities: Vec::new() }
}
