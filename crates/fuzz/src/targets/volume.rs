//! Intersection volumes: exact, and by layered depth images.

use super::solids;
use crate::case::{Case, Outcome, must};
use crate::double::Double;
use crate::hostile::{Made, any, finite, vector};
use crate::solid::{Number, point, shared_volume};
use impinge_geometry::{DVec3, TriMesh, is_finite};
use impinge_volume::{
    Body, CellGrid, ClosedSurface, Evaluate, Exact, LayeredDepth, Limits, Overlap, VolumeError, Walls,
};
use num_rational::BigRational;

const FACES: [[u32; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

fn evaluate(
    e: &mut impl Evaluate,
    a: &TriMesh,
    b: &TriMesh,
    grid: Option<&CellGrid>,
) -> Result<Overlap, VolumeError> {
    let (sa, sb) = (ClosedSurface::new(a)?, ClosedSurface::new(b)?);
    let mut out = Overlap::new();
    e.evaluate(Body::new(&sa, a.positions())?, Body::new(&sb, b.positions())?, grid, &mut out)?;
    Ok(out)
}

fn finite_overlap(o: &Overlap) -> Result<(), String> {
    must(o.volume().is_finite(), || format!("the volume is {}", o.volume()))?;
    for cell in 0..o.cells().len() {
        for side in 0..2 {
            must(o.gradient(cell, side).1.iter().all(|&g| is_finite(g)), || {
                "a gradient is not finite".into()
            })?;
        }
    }
    Ok(())
}

fn reach(meshes: &[&TriMesh]) -> f64 {
    meshes.iter().flat_map(|m| m.positions()).fold(0.0, |m, p| m.max(p.abs().component_max()))
}

/// Σ ∂V/∂p over both bodies, which is zero.
fn imbalance(o: &Overlap, a: &TriMesh, b: &TriMesh) -> f64 {
    let mut sum = DVec3::zero();
    for (side, m) in [a, b].iter().enumerate() {
        let mut g = vec![DVec3::zero(); m.positions().len()];
        o.add_gradient(side, &mut g);
        sum = g.iter().fold(sum, |s, &g| s + g);
    }
    sum.mag()
}

pub fn tets(c: &mut Case) -> Result<Outcome, String> {
    let (tets, made) = solids::two_tets(&mut c.r);
    c.show(|| format!("{made:?} {tets:?}"));
    let mesh = |t: [DVec3; 4]| TriMesh::new(t.to_vec(), FACES.to_vec());
    let (Ok(a), Ok(b)) = (mesh(tets[0]), mesh(tets[1])) else { return Ok(Outcome::Refused) };
    let Ok(o) = evaluate(&mut Exact::new(), &a, &b, None) else { return Ok(Outcome::Refused) };
    finite_overlap(&o)?;
    if matches!(made, Made::Extreme | Made::NotFinite) {
        return Ok(Outcome::Answered);
    }
    let r = reach(&[&a, &b]);
    // Signs are exact and points are not: where planes are parallel but for a hair, the point at which an edge passes may
    // lie BORDER = 1e-9 beside a triangle (crates/volume/src/exact/cross.rs), and the volume is off by as much.
    let digits = if made == Made::Nearly { 1e-9 } else { 1e-13 };
    let right = |want: f64| (o.volume() - want).abs() <= digits * r * r * r;
    // Where twice the precision is not enough the truth is asked for again, without rounding.
    if !right(truth::<Double>(&tets)) {
        let want = truth::<BigRational>(&tets);
        must(right(want), || format!("volume {:e} instead of {want:e}", o.volume()))?;
    }
    let sum = imbalance(&o, &a, &b);
    let digits = if made == Made::Nearly { 1e-8 } else { 1e-12 };
    must(sum <= digits * r * r, || format!("forces do not balance: {sum:e}"))?;
    Ok(Outcome::Answered)
}

fn truth<N: Number>(tets: &[[DVec3; 4]; 2]) -> f64 {
    let [a, b] = tets.map(|t| t.map(point::<N>));
    shared_volume(&a, &b)
}

fn volume_of(m: &TriMesh) -> f64 {
    impinge_geometry::closed_mass_properties(m).map_or(0.0, |m| m.volume)
}

pub fn meshes(c: &mut Case) -> Result<Outcome, String> {
    let ((a, made_a), (b, made_b)) = (solids::spoiled(&mut c.r), solids::spoiled(&mut c.r));
    let (Some(a), Some(b)) = (a, b) else { return Ok(Outcome::Refused) };
    let cells = c.r.below(3) == 0;
    let size = if c.r.below(8) == 0 { any(&mut c.r) } else { c.r.pick(&[0.1, 0.25, 1.0]) };
    let walls = if c.r.below(2) == 0 { Walls::Carried } else { Walls::Shared };
    let grid = CellGrid::new(vector(&mut c.r), size).map(|g| g.with_walls(walls));
    c.show(|| format!("{made_a:?} {made_b:?} cells {cells} {grid:?}\n{a:?}\n{b:?}"));
    let grid = match (&grid, cells) {
        (Ok(g), true) => Some(g),
        _ => None,
    };
    let mut e = Exact::new();
    let (ab, ba) = (evaluate(&mut e, &a, &b, grid), evaluate(&mut e, &b, &a, grid));
    must(ab.is_ok() == ba.is_ok(), || format!("{ab:?} but exchanged {ba:?}"))?;
    let (Ok(ab), Ok(ba)) = (ab, ba) else { return Ok(Outcome::Refused) };
    finite_overlap(&ab)?;
    if !made_a.usual() || !made_b.usual() {
        return Ok(Outcome::Answered);
    }
    c.show(|| {
        let whole = evaluate(&mut Exact::new(), &a, &b, None);
        format!("without cells: {:?}", whole.map(|o| (o.volume(), imbalance(&o, &a, &b))))
    });
    let r = reach(&[&a, &b]);
    let nearly = made_a == Made::Nearly || made_b == Made::Nearly;
    let slack = if nearly { 1e-9 } else { 1e-12 } * r * r * r;
    let (v, w) = (ab.volume(), ba.volume());
    must((v - w).abs() <= slack, || format!("volume {v:e}, exchanged {w:e}"))?;
    let sum = imbalance(&ab, &a, &b);
    must(sum <= if nearly { 1e-7 } else { 1e-11 } * r * r, || format!("forces do not balance: {sum:e}"))?;
    if let Some(g) = grid {
        let mut joined = ab.clone();
        joined.join_slivers(g.size);
        finite_overlap(&joined)?;
        must((joined.volume() - v).abs() <= slack, || format!("volume {v:e}, joined {:e}", joined.volume()))?;
        let sum = imbalance(&joined, &a, &b);
        must(sum <= if nearly { 1e-7 } else { 1e-11 } * r * r, || {
            format!("joined, they do not balance: {sum:e}")
        })?;
    }
    // A spoiled surface may pass through itself, and then counts some places twice.
    let sound = |m: &TriMesh| impinge_meshing::self_intersections(m).is_empty();
    let most = volume_of(&a).min(volume_of(&b));
    if !(-slack..=most + slack).contains(&v) && sound(&a) && sound(&b) {
        return Err(format!("volume {v:e} is not between 0 and {most:e}"));
    }
    Ok(Outcome::Answered)
}

pub fn ldi(c: &mut Case) -> Result<Outcome, String> {
    let ((a, made_a), (b, made_b)) = (solids::spoiled(&mut c.r), solids::spoiled(&mut c.r));
    let (Some(a), Some(b)) = (a, b) else { return Ok(Outcome::Refused) };
    let pixel = match c.r.below(8) {
        0 => finite(&mut c.r),
        k => [0.02, 0.05, 0.1, 0.3][k as usize % 4],
    };
    c.show(|| format!("{made_a:?} {made_b:?} pixel {pixel:e}\n{a:?}\n{b:?}"));
    let Ok(mut l) = LayeredDepth::new(pixel) else { return Ok(Outcome::Refused) };
    // The limit on memory is part of what is under test.
    l = l.with_limits(Limits { bytes: 8 << 20, layers: 64 });
    let Ok(o) = evaluate(&mut l, &a, &b, None) else { return Ok(Outcome::Refused) };
    finite_overlap(&o)?;
    if !made_a.usual() || !made_b.usual() {
        return Ok(Outcome::Answered);
    }
    let exact =
        evaluate(&mut Exact::new(), &a, &b, None).map_err(|e| format!("exact refuses: {e}"))?.volume();
    // In a pixel that a face passes with slope s the length along the ray changes by at most √2 s pixels, and the
    // face's area in it is more than s pixels². An upright face is an edge of the image: at most its height.
    let bound = 2.0 * pixel * (impinge_geometry::area(&a) + impinge_geometry::area(&b));
    must((o.volume() - exact).abs() <= bound + 1e-12, || {
        format!("volume {:e}, exactly {exact:e}: farther apart than {bound:e}", o.volume())
    })?;
    Ok(Outcome::Answered)
}
