//! "A pressure field model" (seed 004), §VII: the time of a query against the number of tets, of balls and of combs.
//!
//! Wall times, so only how they grow is said, of what ran turn by turn in one process.

use super::figure::{Curve, Figure, short};
use super::seed_000::{Entry, Fixtures};
use impinge_geometry::{DVec3, Pose, TetMesh, generators};
use impinge_pressure::{ContactSurface, Rule, Shape, Workspace, contact, fields};
use std::hint::black_box;
use std::time::Instant;

/// The figure.
pub const FIGURES: &[Entry] = &[("scaling", |_: Fixtures<'_>| time())];

/// Rounds through all sizes, and queries in a row in each.
const ROUNDS: usize = 9;
const ROW: u32 = 4;

struct Case {
    bodies: [Shape; 2],
    /// Of the second against the first.
    way: DVec3,
    tets: usize,
    polygons: usize,
    /// Seconds of a query, by round.
    times: Vec<f64>,
}

fn tets(shape: &Shape) -> usize {
    if let Shape::Compliant(b) = shape { b.mesh().tets().len() } else { 0 }
}

/// Two balls whose middles are 1.8 radii apart.
fn balls(resolution: f64) -> Result<Case, String> {
    let ball = || fields::sphere(0.05, resolution, 1e6).map(Shape::from).map_err(|e| e.to_string());
    case([ball()?, ball()?], DVec3::new(0.01, 0.02, 0.087))
}

/// `k` slats side by side along x, and as many along y that pass through each of them.
fn combs(k: u32) -> Result<Case, String> {
    let gap = 1.0 / f64::from(k);
    let comb = |across: bool| -> Result<Shape, String> {
        let size = if across { DVec3::new(0.5 * gap, 1.0, 0.2) } else { DVec3::new(1.0, 0.5 * gap, 0.2) };
        let slat = generators::tet_box(size, [1; 3]).map_err(|e| e.to_string())?;
        let (mut x, mut tets) = (Vec::new(), Vec::new());
        for i in 0..k {
            let at = (f64::from(i) + 0.5) * gap - 0.5;
            let at = if across { DVec3::new(at, 0.0, 0.0) } else { DVec3::new(0.0, at, 0.0) };
            let first = x.len() as u32;
            x.extend(slat.positions().iter().map(|&p| p + at));
            tets.extend(slat.tets().iter().map(|t| t.map(|v| v + first)));
        }
        let mesh = TetMesh::new(x, tets).map_err(|e| e.to_string())?;
        Ok(fields::distance(mesh, 1e6, true).map_err(|e| e.to_string())?.into())
    };
    case([comb(false)?, comb(true)?], DVec3::new(0.003 * gap, 0.002 * gap, 0.1))
}

fn case(bodies: [Shape; 2], way: DVec3) -> Result<Case, String> {
    let count = bodies.iter().map(tets).sum();
    Ok(Case { bodies, way, tets: count, polygons: 0, times: Vec::new() })
}

fn time() -> Result<Figure, String> {
    let mut all = Vec::new();
    for resolution in [0.025, 0.0125, 0.00625, 0.003_125, 0.001_562_5] {
        all.push((0, balls(resolution)?));
    }
    for k in [2, 4, 8, 16, 32] {
        all.push((1, combs(k)?));
    }
    let (mut workspace, mut surface) = (Workspace::new(), ContactSurface::new());
    for round in 0..ROUNDS {
        for (_, case) in &mut all {
            let clock = Instant::now();
            for i in 0..ROW {
                // Another pose each time, by a millionth.
                let nudge = 1.0 + 1e-6 * f64::from(i + ROW * round as u32);
                let pose = Pose::from_position(case.way * nudge);
                let [a, b] = &case.bodies;
                contact(a, &Pose::identity(), b, &pose, Rule::Paper, &mut workspace, &mut surface)
                    .map_err(|e| e.to_string())?;
                black_box(surface.wrench.force);
            }
            case.times.push(clock.elapsed().as_secs_f64() / f64::from(ROW));
            case.polygons = surface.faces.len();
        }
    }
    let (mut curves, mut said) = (Vec::new(), String::new());
    for (kind, name) in [(0, "balls"), (1, "combs")] {
        let mut cases: Vec<(f64, f64, f64)> = Vec::new();
        for (_, c) in all.iter_mut().filter(|c| c.0 == kind) {
            c.times.sort_by(f64::total_cmp);
            cases.push((c.tets as f64, 1e6 * c.times[ROUNDS / 2], c.polygons as f64));
        }
        let grows = |of: fn(&(f64, f64, f64)) -> f64| match cases[..] {
            [.., a, b] => (of(&b) / of(&a)).ln() / (b.0 / a.0).ln(),
            _ => f64::NAN,
        };
        said += &format!(
            "{name}: {} to {} tets, {} to {} polygons. From the last size but one to the last, polygons grow with the power {} of the tets, time \
             with {}.\n",
            cases[0].0,
            cases[cases.len() - 1].0,
            cases[0].2,
            cases[cases.len() - 1].2,
            short(grows(|c| c.2)),
            short(grows(|c| c.1)),
        );
        let points = |of: fn(&(f64, f64, f64)) -> f64| cases.iter().map(|c| (c.0.log10(), of(c))).collect();
        curves.push(Curve { name: format!("{name}: time [µs]"), points: points(|c| c.1) });
        curves.push(Curve { name: format!("{name}: polygons"), points: points(|c| c.2) });
    }
    Ok(Figure {
        id: "scaling",
        title: "Seed 004, §VII: time of a query against size",
        paper: "O(m log(n_A + n_B)) for m pairs of tets that meet; m is of the order n_A n_B in the worst case, combs that pass through each other; most \
                meshes are not like that.",
        ours: format!("Medians of {ROUNDS} rounds through all sizes.\n{said}"),
        x: "log₁₀ of the tets of both bodies [1]",
        y: "µs, and polygons",
        log: true,
        room: None,
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slat_meets_each_other_one() {
        let mut found = Vec::new();
        for k in [2, 4] {
            let c = combs(k).unwrap();
            let (mut workspace, mut surface) = (Workspace::new(), ContactSurface::new());
            let (here, pose) = (Pose::identity(), Pose::from_position(c.way));
            contact(&c.bodies[0], &here, &c.bodies[1], &pose, Rule::Paper, &mut workspace, &mut surface)
                .unwrap();
            found.push((c.tets, surface.faces.len()));
        }
        assert_eq!(found[1].0, 2 * found[0].0);
        assert!(found[1].1 >= 3 * found[0].1, "{found:?}");
    }
}
