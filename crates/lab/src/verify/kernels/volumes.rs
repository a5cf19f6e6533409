//! Intersection volumes (ACCEPTANCE B9 to B12).

use super::known::Known;
use crate::randoms::Randoms;
use impinge_geometry::{DVec3, TriMesh, cuboid, icosphere, torus};
use impinge_volume::{Body, CellGrid, ClosedSurface, Evaluate, Exact, Lattice, LayeredDepth, Overlap};
use std::f64::consts::PI;

/// The pair's overlap, both given where they stand.
fn overlap(
    by: &mut impl Evaluate,
    a: &TriMesh,
    b: &TriMesh,
    grid: Option<&CellGrid>,
) -> Result<Overlap, String> {
    let refused = |e: impinge_volume::VolumeError| e.to_string();
    let surfaces = [ClosedSurface::new(a).map_err(refused)?, ClosedSurface::new(b).map_err(refused)?];
    let first = Body::new(&surfaces[0], a.positions()).map_err(refused)?;
    let second = Body::new(&surfaces[1], b.positions()).map_err(refused)?;
    let mut out = Overlap::new();
    by.evaluate(first, second, grid, &mut out).map_err(refused)?;
    Ok(out)
}

fn moved(mesh: &TriMesh, by: DVec3) -> Result<TriMesh, String> {
    mesh.mapped(|p| p + by).map_err(|e| e.to_string())
}

/// Sum of ∂V/∂p over a body, and the gradient itself.
fn gradient(o: &Overlap, side: usize, vertices: usize) -> (DVec3, Vec<DVec3>) {
    let mut g = vec![DVec3::zero(); vertices];
    o.add_gradient(side, &mut g);
    (g.iter().fold(DVec3::zero(), |s, &p| s + p), g)
}

/// The rows of this part.
pub fn rows() -> Result<Vec<Known>, String> {
    let mut out = Vec::new();
    lens(&mut out)?;
    boxes(&mut out)?;
    tori(&mut out)?;
    balance(&mut out)?;
    Ok(out)
}

fn lens(out: &mut Vec<Known>) -> Result<(), String> {
    let (r, d) = (1.0f64, 1.5f64);
    let (volume, slope) = (PI * (4.0 * r + d) * (2.0 * r - d).powi(2) / 12.0, -PI * (r * r - 0.25 * d * d));
    let (mut off, mut coarse) = ([0.0; 2], None);
    for (i, subdivisions) in [3, 5].into_iter().enumerate() {
        let a = icosphere(r, subdivisions).map_err(|e| e.to_string())?;
        let b = moved(&a, DVec3::new(d, 0.0, 0.0))?;
        let o = overlap(&mut Exact::new(), &a, &b, None)?;
        let (total, _) = gradient(&o, 1, b.positions().len());
        off[i] = 1.0 - o.volume() / volume;
        if i == 1 {
            let what = format!("lens of two balls of {} triangles, exact: V", a.triangles().len());
            out.push(
                Known::near("B9", what, o.volume(), volume, 0.005 * volume)
                    .unit("m³")
                    .note("of round balls; the meshes are inscribed"),
            );
            out.push(Known::near("B9", "the same: ∂V/∂D", total.x, slope, 0.005 * slope.abs()).unit("m²"));
            coarse = Some((a, b, o.volume()));
        }
    }
    out.push(Known::at_least("B9", "order of V in the edge", (off[0] / off[1]).log2() / 2.0, 1.9));
    let Some((a, b, exact)) = coarse else { return Ok(()) };
    // Ray lattices that lie anywhere against the lens: root mean square over shifts.
    let mut numbers = Randoms(5);
    let shifts: Vec<DVec3> = (0..8).map(|_| numbers.vector()).collect();
    let error = |pixel: f64| -> Result<f64, String> {
        let mut squares = 0.0;
        for &s in &shifts {
            let (lo, size) = (DVec3::new(0.5, -1.0, -1.0), DVec3::new(0.5, 2.0, 2.0));
            let origin = lo - (s * 0.5 + DVec3::broadcast(0.5)) * pixel;
            let count = [size.x, size.y, size.z].map(|e| (e / pixel).ceil() as usize + 1);
            let lattice = Lattice { origin, pixel, count };
            let mut image = LayeredDepth::new(pixel).map_err(|e| e.to_string())?.with_lattice(lattice);
            squares += (overlap(&mut image, &a, &b, None)?.volume() / exact - 1.0).powi(2);
        }
        Ok((squares / shifts.len() as f64).sqrt())
    };
    let (large, small) = (error(0.1)?, error(0.02)?);
    out.push(Known::reported("B9", "the same by rays 0.02 m apart: error of V, over V", small));
    out.push(Known::at_least(
        "B9",
        "order in the distance of rays (0.1 to 0.02 m)",
        (large / small).ln() / 5f64.ln(),
        1.8,
    ));
    Ok(())
}

fn boxes(out: &mut Vec<Known>) -> Result<(), String> {
    let a = cuboid(DVec3::broadcast(1.0), [1; 3]).map_err(|e| e.to_string())?;
    let b = moved(&a, DVec3::new(0.9, 0.2, 0.3))?;
    let v = overlap(&mut Exact::new(), &a, &b, None)?.volume();
    out.push(Known::near("B10", "unit boxes, (0.9, 0.2, 0.3) apart, exact: V", v, 0.056, 1e-12).unit("m³"));
    // No whole number of rays fits the overlap's edges.
    let h = 0.03;
    let mut numbers = Randoms(5);
    let mut squares = 0.0;
    for _ in 0..64 {
        let s = numbers.vector() * 0.5;
        // The lattice stays where it is and the pair moves: on the overlap's own box the rays would always pass its sides half a pixel off.
        let lattice = Lattice { origin: DVec3::broadcast(-1.3), pixel: h, count: [120; 3] };
        let mut image = LayeredDepth::new(h).map_err(|e| e.to_string())?.with_lattice(lattice);
        squares += (overlap(&mut image, &moved(&a, s)?, &moved(&b, s)?, None)?.volume() - 0.056).powi(2);
    }
    // Edges 0.1 × 0.8 × 0.7: a pixel's width about the outline of each of the three faces, as deep as the overlap is there.
    let most = h * 2.0 * (0.1 * 0.8 + 0.8 * 0.7 + 0.1 * 0.7);
    let what = "the same by rays 0.03 m apart, 64 places: root mean square error of V";
    out.push(Known::at_most("B10", what, (squares / 64.0).sqrt(), most).unit("m³"));
    Ok(())
}

fn tori(out: &mut Vec<Known>) -> Result<(), String> {
    for (segments, sides, want) in
        [(32, 16, 0.132_874), (64, 32, 0.147_601), (128, 64, 0.151_931), (256, 128, 0.152_978)]
    {
        let a = torus(1.0, 0.35, segments, sides).map_err(|e| e.to_string())?;
        let v = overlap(&mut Exact::new(), &a, &moved(&a, DVec3::new(0.0, 0.0, 0.6))?, None)?.volume();
        let what = format!("two tori on each other, {segments} × {sides}, exact: V");
        out.push(Known::near("B11", what, v, want, 6e-7).unit("m³").note("manifold3d's number, six digits"));
    }
    Ok(())
}

fn balance(out: &mut Vec<Known>) -> Result<(), String> {
    let ball = icosphere(0.7, 2).map_err(|e| e.to_string())?;
    let ring = torus(0.7, 0.3, 24, 12).map_err(|e| e.to_string())?;
    let a = moved(&ring, DVec3::new(0.1, -0.05, 0.2))?;
    let mut exact = Exact::new();
    let o = overlap(&mut exact, &a, &ball, None)?;
    let ((sa, ga), (sb, gb)) =
        (gradient(&o, 0, a.positions().len()), gradient(&o, 1, ball.positions().len()));
    out.push(
        Known::at_most("B12", "ring in a ball: |Σ ∂V/∂p| over both bodies", (sa + sb).mag(), 1e-12)
            .unit("m²"),
    );
    // Along a random motion of every vertex, by differences of fourth order.
    let mut numbers = Randoms(7);
    let way = [&a, &ball].map(|m| m.positions().iter().map(|_| numbers.vector() * 0.5).collect::<Vec<_>>());
    let h = 1e-4;
    let mut at = |s: f64| -> Result<f64, String> {
        let go = |m: &TriMesh, w: &[DVec3]| {
            let mut i = 0;
            m.mapped(|p| {
                i += 1;
                p + w[i - 1] * (s * h)
            })
            .map_err(|e| e.to_string())
        };
        Ok(overlap(&mut exact, &go(&a, &way[0])?, &go(&ball, &way[1])?, None)?.volume())
    };
    let slope = (8.0 * (at(1.0)? - at(-1.0)?) - (at(2.0)? - at(-2.0)?)) / (12.0 * h);
    let along: f64 =
        [&ga, &gb].iter().zip(&way).flat_map(|(g, w)| g.iter().zip(w)).map(|(g, w)| g.dot(*w)).sum();
    let what = "the same: gradient against differences along a random motion, over its size";
    out.push(Known::at_most("B12", what, (slope / along - 1.0).abs(), 1e-6));
    let grid = CellGrid::new(DVec3::zero(), 0.2).map_err(|e| e.to_string())?;
    let cells = overlap(&mut exact, &a, &ball, Some(&grid))?;
    let off = |side: usize, whole: &[DVec3]| {
        let (_, parts) = gradient(&cells, side, whole.len());
        parts.iter().zip(whole).fold(0.0f64, |m, (p, q)| m.max((*p - *q).mag()))
    };
    let what = "the same in cells of 0.2 m: gradients of the cells against that of the whole, largest";
    out.push(Known::at_most("B12", what, off(0, &ga).max(off(1, &gb)), 1e-12).unit("m²"));
    Ok(())
}
