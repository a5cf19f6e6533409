//! Contact with friction as a complementarity problem.

use crate::case::{Case, Outcome, must};
use crate::hostile::any;
use impinge_solvers::mlcp::{
    Cone, ContactProblem, ContactRows, accelerated, gauss_seidel, interior_point, semismooth_newton,
};
use impinge_solvers::{Outcome as Solved, Settings};

type Method = fn(&ContactProblem, &mut [[f64; 3]], &Settings) -> Solved;

pub fn solve(c: &mut Case) -> Result<Outcome, String> {
    let dofs = 1 + c.r.below(8) as usize;
    let contacts = 1 + c.r.below(6) as usize;
    let spread = c.r.pick(&[0.0, 0.0, 0.0, 4.0, 12.0, 200.0]);
    let whole = c.r.below(3) == 0;
    let mut rows = ContactRows::new();
    let mut last: Vec<Vec<f64>> = Vec::new();
    for i in 0..contacts {
        let again = i > 0 && c.r.below(4) == 0;
        let scale = 10f64.powf(c.r.unit() * spread);
        let three: Vec<Vec<f64>> = if again {
            last.clone()
        } else {
            let row = |r: &mut crate::families::Numbers| -> Vec<f64> {
                (0..dofs).map(|_| if whole { r.around(1) } else { r.unit() } * scale).collect()
            };
            (0..3).map(|_| row(&mut c.r)).collect()
        };
        for row in &three {
            rows.push((0..).zip(row.iter().copied()));
        }
        last = three;
    }
    let mut motion: Vec<f64> = (0..dofs).map(|_| c.r.unit()).collect();
    if c.r.below(24) == 0 {
        motion[0] = any(&mut c.r);
    }
    let cones: Vec<Cone> = (0..contacts)
        .map(|_| {
            let mu = if c.r.below(24) == 0 { any(&mut c.r) } else { c.r.pick(&[0.0, 0.1, 0.5, 1.0, 100.0]) };
            c.r.pick(&[Cone::Frictionless, Cone::Round { mu }, Cone::Pyramid { mu }])
        })
        .collect();
    let compliance = c.r.pick(&[1.0, 1.0, 1e-9, 1e9, 0.0]);
    let start: Vec<[f64; 3]> = (0..contacts)
        .map(|_| match c.r.below(12) {
            0 => [any(&mut c.r), 0.0, 0.0],
            1..4 => [c.r.unit(), c.r.unit(), c.r.unit()],
            _ => [0.0; 3],
        })
        .collect();
    let (name, method) = c.r.pick(&[
        ("Gauss–Seidel", gauss_seidel as Method),
        ("Newton", semismooth_newton),
        ("accelerated", accelerated),
        ("interior point", interior_point),
    ]);
    c.show(|| {
        format!("{name} {cones:?} compliance {compliance:e} motion {motion:?} start {start:?}\n{rows:?}")
    });
    let settings = Settings { tolerance: 1e-8, max_iterations: 500 };
    let problem = ContactProblem::assemble(&rows, &motion, None, cones, |v| {
        v.iter_mut().for_each(|v| *v *= compliance)
    });
    let Ok(problem) = problem else { return Ok(Outcome::Refused) };
    let mut r = start.clone();
    let solved = method(&problem, &mut r, &settings);
    if !start.iter().flatten().all(|v| v.is_finite()) {
        must(!solved.converged, || format!("{name} converges from a start that is not finite: {solved}"))?;
        return Ok(Outcome::Refused);
    }
    must(r.iter().flatten().all(|v| v.is_finite()), || format!("{name}: {solved}, forces {r:?}"))?;
    let fresh = problem.residual(&r);
    must(solved.residual == fresh || (solved.residual.is_nan() && !solved.converged), || {
        format!("{name} reports {:e}, measured afresh {fresh:e}", solved.residual)
    })?;
    must(!solved.converged || fresh <= settings.tolerance, || format!("{name}: {solved}"))?;
    // A projection is the difference of numbers as large as the force that would stop the motion.
    let stopping = |i: usize| problem.free(i).iter().fold(0.0f64, |m, v| m.max(v.abs())) / problem.own(i)[0];
    let rounding = 1e-13 * (0..contacts).map(stopping).filter(|s| s.is_finite()).fold(0.0, f64::max);
    for (i, &f) in r.iter().enumerate() {
        let p = problem.cone(i).project(f);
        let size = f.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let off = (0..3).fold(0.0f64, |m, k| m.max((p[k] - f[k]).abs()));
        must(off <= 1e-9 * size + rounding, || {
            format!("{name}: force {f:?} is outside of {:?}", problem.cone(i))
        })?;
    }
    Ok(Outcome::Answered)
}
