//! Family `ldi`: layered depth images on a given lattice (seed 002 §3.2) and the grid cells of (22)–(24).
//!
//! The schema allows another sampling with the file's relative errors as yardstick; this build samples where the case does and is
//! held to `tol`.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use super::volume_body::{Mesh, Prepared};
use impinge_geometry::DVec3;
use impinge_volume::{CellGrid, Evaluate, Exact, Lattice, LayeredDepth, Overlap, Walls};
use serde::Deserialize;

/// The family.
pub struct Ldi;

/// `input` of a case.
#[derive(Deserialize)]
#[allow(non_snake_case)]
pub struct Input {
    A: Mesh,
    B: Mesh,
    pixel: f64,
    cell: f64,
    cell_origin: [f64; 3],
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    directions: Vec<Direction>,
    volume_mean: f64,
    exact_volume: f64,
    exact_grad: Vec<[f64; 3]>,
    rel_volume_error: f64,
    rel_grad_error: f64,
    tol: f64,
}

#[derive(Deserialize)]
struct Direction {
    axis: usize,
    u: usize,
    v: usize,
    origin: [f64; 2],
    nu: f64,
    nv: f64,
    volume: f64,
    grad: Vec<f64>,
    cells: Vec<CellOf>,
}

#[derive(Deserialize)]
struct CellOf {
    index: [f64; 3],
    volume: f64,
    grad: Vec<f64>,
}

/// ∂V/∂p of A's vertices, then B's.
fn dense(overlap: &Overlap, cell: Option<usize>, a: &Prepared, b: &Prepared) -> Vec<DVec3> {
    let mut g = vec![DVec3::zero(); a.x.len() + b.x.len()];
    for (side, first) in [(0, 0), (1, a.x.len())] {
        for c in (0..overlap.cells().len()).filter(|c| cell.is_none_or(|wanted| wanted == *c)) {
            let (vertices, rows) = overlap.gradient(c, side);
            for (&v, &row) in vertices.iter().zip(rows) {
                g[first + v as usize] += row;
            }
        }
    }
    g
}

/// Pixels along an axis beyond which a lattice is no case but a slip of the pen.
const MOST_PIXELS: f64 = 1e5;

/// The lattice of three directions, each of which names it along two axes.
fn lattice(pixel: f64, directions: &[Direction]) -> Result<Lattice, Malformed> {
    let mut axes: Vec<usize> = directions.iter().map(|d| d.axis).collect();
    axes.sort_unstable();
    if axes != [0, 1, 2] {
        return Err(Malformed(format!(
            "`directions` are along axes {axes:?}; there is one along each of 0, 1, 2"
        )));
    }
    let mut found: [Option<(f64, f64)>; 3] = [None; 3];
    for d in directions {
        if (d.u, d.v) != ((d.axis + 1) % 3, (d.axis + 2) % 3) {
            return Err(Malformed(format!("axes {}, {}, {} are not in turn", d.axis, d.u, d.v)));
        }
        for (axis, origin, n) in [(d.u, d.origin[0], d.nu), (d.v, d.origin[1], d.nv)] {
            if n.fract() != 0.0 || !(1.0..=MOST_PIXELS).contains(&n) {
                let reason = format!("direction {}: {n} pixels along axis {axis}", d.axis);
                return Err(Malformed(format!("{reason}; a whole number up to {MOST_PIXELS:e}")));
            }
            if found[axis].is_some_and(|other| other != (origin, n)) {
                return Err(Malformed(format!(
                    "two directions disagree about the lattice along axis {axis}"
                )));
            }
            found[axis] = Some((origin, n));
        }
    }
    let [x, y, z] = found.map(|f| f.unwrap_or_default());
    let count = [x.1 as usize, y.1 as usize, z.1 as usize];
    Ok(Lattice { origin: DVec3::new(x.0, y.0, z.0), pixel, count })
}

impl Family for Ldi {
    const NAME: &'static str = "ldi";
    const KEYS: &'static str = "input{A{vertices triangles velocities~} B{vertices triangles velocities~} pixel cell cell_origin} \
        expected{directions{axis u v origin nu nv volume grad cells{index volume grad}} volume_mean exact_volume exact_grad \
        rel_volume_error rel_grad_error tol}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let (a, b) = (input.A.prepared()?, input.B.prepared()?);
        let failed = |e| Malformed(format!("{e}"));
        let lattice = lattice(input.pixel, &expected.directions)?;
        let mut image = LayeredDepth::new(input.pixel).map_err(failed)?.with_lattice(lattice);
        let (mut whole, mut parts, mut exact) = (Overlap::new(), Overlap::new(), Overlap::new());
        let grid =
            CellGrid::new(input.cell_origin.into(), input.cell).map_err(failed)?.with_walls(Walls::Shared);
        image.evaluate(a.body()?, b.body()?, None, &mut whole).map_err(failed)?;
        image.evaluate(a.body()?, b.body()?, Some(&grid), &mut parts).map_err(failed)?;
        Exact::new().evaluate(a.body()?, b.body()?, None, &mut exact).map_err(failed)?;
        let tol = expected.tol;
        out.number(|| "volume_mean".into(), whole.volume(), expected.volume_mean, tol);
        out.number(|| "exact_volume".into(), exact.volume(), expected.exact_volume, tol);
        let (g, ge) = (dense(&whole, None, &a, &b), dense(&exact, None, &a, &b));
        if ge.len() != expected.exact_grad.len() {
            return Err(Malformed(format!("exact_grad has {} rows", expected.exact_grad.len())));
        }
        for (k, (&got, &want)) in ge.iter().zip(&expected.exact_grad).enumerate() {
            out.vector(|| format!("exact_grad[{k}]"), got, want.into(), tol);
        }
        let error = (whole.volume() - exact.volume()).abs() / exact.volume();
        out.number(|| "rel_volume_error".into(), error, expected.rel_volume_error, tol / exact.volume());
        // Largest component of the difference against the largest of the gradient.
        let largest =
            |g: &mut dyn Iterator<Item = DVec3>| g.map(|g| g.abs().component_max()).fold(0.0, f64::max);
        let size = largest(&mut ge.iter().copied());
        let error = largest(&mut g.iter().zip(&ge).map(|(g, e)| *g - *e)) / size;
        out.number(|| "rel_grad_error".into(), error, expected.rel_grad_error, 10.0 * tol / size);
        let cells: Vec<Vec<DVec3>> =
            (0..parts.cells().len()).map(|c| dense(&parts, Some(c), &a, &b)).collect();
        for d in &expected.directions {
            let axis = d.axis;
            let along: f64 = whole.cells().iter().map(|c| c.along[axis]).sum();
            out.number(|| format!("volume along {axis}"), along, d.volume, tol);
            if d.grad.len() != g.len() {
                return Err(Malformed(format!("grad along {axis} has {} rows", d.grad.len())));
            }
            for (k, (g, want)) in g.iter().zip(&d.grad).enumerate() {
                out.number(|| format!("grad[{k}] along {axis}"), g[axis], *want, tol);
            }
            for (i, c) in d.cells.iter().enumerate() {
                let whole = c.index.iter().all(|x| x.fract() == 0.0 && x.abs() < 2e9);
                if !whole || d.cells[..i].iter().any(|other| other.index == c.index) {
                    let reason = format!("directions[{axis}].cells[{i}].index is {:?}", c.index);
                    return Err(Malformed(format!("{reason}, listed before or not whole")));
                }
            }
            let mut found = 0;
            for want in &d.cells {
                let index = want.index.map(|i| i as i32);
                let Some(c) = parts.cells().iter().position(|c| c.index == index) else {
                    out.holds(false, || format!("no cell {index:?}"));
                    continue;
                };
                if want.grad.len() != g.len() {
                    return Err(Malformed(format!("cell {index:?} grad has {} rows", want.grad.len())));
                }
                found += 1;
                let got = parts.cells()[c].along[axis];
                out.number(|| format!("cell {index:?} along {axis}"), got, want.volume, tol);
                for (k, (g, w)) in cells[c].iter().zip(&want.grad).enumerate() {
                    out.number(|| format!("cell {index:?} grad[{k}] along {axis}"), g[axis], *w, tol);
                }
            }
            let ours = parts.cells().iter().filter(|c| c.along[axis] > 0.0).count();
            out.holds(ours == found, || format!("{ours} cells along {axis}, expected {found}"));
        }
        Ok(())
    }
}
