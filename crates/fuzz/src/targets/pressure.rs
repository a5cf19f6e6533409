//! Pressure fields on tets: one pair, and bodies.

use super::solids;
use crate::case::{Case, Outcome, must};
use crate::double::Double;
use crate::hostile::{Made, any, finite};
use crate::solid::{
    HalfSpace, Number, Point, clip as cut, cross, difference, dot, doubled_area, faces, point,
};
use impinge_geometry::{DVec3, is_finite, tet_volume};
use impinge_pressure::{CompliantBody, ContactSurface, Rule, Shape, Workspace, contact, tet_pair};

/// ∇p times six volumes, and p at the origin times the same.
fn field(tet: [Point; 4], p: [f64; 4]) -> (Point, Double, Double) {
    let e = [1, 2, 3].map(|i| difference(&tet[i], &tet[0]));
    let six = dot(&e[0], &cross(&e[1], &e[2]));
    let rise = [1, 2, 3].map(|i| Double::from(p[i]) - p[0].into());
    let parts = [[1, 2], [2, 0], [0, 1]].map(|[i, j]| cross(&e[i], &e[j]));
    let g: Point =
        std::array::from_fn(|k| parts[0][k] * rise[0] + parts[1][k] * rise[1] + parts[2][k] * rise[2]);
    let at_origin = Double::from(p[0]) * six - dot(&g, &tet[0]);
    (g, at_origin, six)
}

/// Twice the vector area of the polygon of equal pressure, by clipping a large square of its plane in twice the
/// precision; with the length of the normal.
fn truth(a: [DVec3; 4], pa: [f64; 4], b: [DVec3; 4], pb: [f64; 4]) -> f64 {
    let (a, b) = (a.map(point::<Double>), b.map(point::<Double>));
    let ((ga, oa, sa), (gb, ob, sb)) = (field(a, pa), field(b, pb));
    // h = p_A − p_B, times both sixfold volumes.
    let normal: Point = std::array::from_fn(|k| ga[k] * sb - gb[k] * sa);
    let plane = HalfSpace { normal, offset: Double::default() - (oa * sb - ob * sa) };
    // The cut of the plane through A: its corners on the six edges, put in order by angle about the normal.
    let h = a.map(|p| plane.of(&p));
    let mut polygon: Vec<Point> = Vec::new();
    for [i, j] in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] {
        if h[i].is_at_least_zero() != h[j].is_at_least_zero() {
            let t = h[i] / (h[i] - h[j]);
            let way = difference(&a[j], &a[i]);
            polygon.push(std::array::from_fn(|k| a[i][k] + way[k] * t));
        }
    }
    if polygon.len() == 4 {
        // Corners on [0,1],[0,2],… are found so that opposite ones may be neighbours: of the three orders one is convex.
        let size = |p: &[Point]| {
            let d = doubled_area(p);
            dot(&d, &d).value()
        };
        let orders =
            [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3]].map(|o| o.map(|i: usize| polygon[i]).to_vec());
        let best = orders.into_iter().max_by(|p, q| size(p).total_cmp(&size(q)));
        polygon = best.unwrap_or_default();
    }
    for (half, _) in faces(&b) {
        if polygon.len() >= 3 {
            polygon = cut(&polygon, &half);
        }
    }
    let d = doubled_area(&polygon);
    dot(&d, &d).value().sqrt() * 0.5
}

pub fn clip(c: &mut Case) -> Result<Outcome, String> {
    let (tets, made) = solids::two_tets(&mut c.r);
    let wild = c.r.below(16) == 0;
    let mut pressure = || -> [f64; 4] {
        let whole = c.r.below(2) == 0;
        let bad = c.r.below(4) == 0;
        std::array::from_fn(|_| match (wild, whole) {
            (true, _) if bad => any(&mut c.r),
            (true, _) => finite(&mut c.r),
            (false, true) => c.r.below(3) as f64,
            (false, false) => c.r.unit() + 1.0,
        })
    };
    let (pa, pb) = (pressure(), pressure());
    let [a, b] = tets;
    c.show(|| format!("{made:?} {a:?} {pa:?} {b:?} {pb:?}"));
    let found = tet_pair(a, pa, b, pb);
    let normal = found.as_ref().map(|f| f.normal);
    if let Some(f) = &found {
        must((f.normal.mag() - 1.0).abs() < 1e-9 && f.offset.is_finite(), || format!("{f:?}"))?;
        must(f.polygon.iter().all(|(x, p)| is_finite(*x) && p.is_finite()), || format!("{f:?}"))?;
    }
    if !made.usual() || wild {
        return Ok(if found.is_some() { Outcome::Answered } else { Outcome::Refused });
    }
    // A flat tet has no field; a thin one has a field whose gradient is rounding.
    let reach = tets.iter().flatten().fold(0.0f64, |m, p| m.max(p.abs().component_max()));
    let thick = |t: [DVec3; 4]| tet_volume(t) > 1e-3 * reach.powi(3);
    let (Some(f), true) = (found, reach > 0.0 && thick(a) && thick(b)) else { return Ok(Outcome::Refused) };
    let gradient = |t: [DVec3; 4], p: [f64; 4]| {
        let (g, _, six) = field(t.map(point), p);
        DVec3::from(g.map(|g| (g / six).value()))
    };
    let (ga, gb) = (gradient(a, pa), gradient(b, pb));
    let apart = (ga - gb).mag();
    if apart < 1e-3 * ga.mag().max(gb.mag()) {
        return Ok(Outcome::Refused);
    }
    let corners: Vec<DVec3> = f.polygon.iter().map(|c| c.0).collect();
    let area = impinge_geometry::polygon_moments(&corners).area;
    let want = truth(a, pa, b, pb);
    // A face of B in the plane of equal pressure: the polygon is there or not there by a rounding.
    let in_plane = [a, b].iter().any(|t| {
        (0..4).any(|k| {
            (0..4)
                .filter(|&i| i != k)
                .all(|i| (normal.map_or(0.0, |n| n.dot(t[i])) + f.offset).abs() <= 1e-6 * reach)
        })
    });
    if in_plane {
        return Ok(Outcome::Answered);
    }
    must((area - want).abs() <= 1e-9 * reach * reach, || format!("area {area:e} instead of {want:e}"))?;
    Ok(Outcome::Answered)
}

fn finite_surface(s: &ContactSurface) -> Result<(), String> {
    let sums = [s.area, s.pressure_integral, s.max_pressure, s.min_pressure];
    let vectors = [s.wrench.force, s.wrench.torque, s.wrench.point, s.origin];
    must(sums.iter().all(|v| v.is_finite()) && vectors.iter().all(|&v| is_finite(v)), || {
        format!("sums {sums:?}, wrench {:?}", s.wrench)
    })?;
    must(s.corners.iter().flatten().all(|v| v.is_finite()), || "a corner is not finite".into())?;
    must(s.faces.iter().all(|f| f.area.is_finite() && f.area >= 0.0 && is_finite(f.normal)), || {
        "a face".into()
    })
}

pub fn bodies(c: &mut Case) -> Result<Outcome, String> {
    let Some((a, thick_a)) = shape(c) else { return Ok(Outcome::Refused) };
    let Some((b, thick_b)) = shape(c) else { return Ok(Outcome::Refused) };
    let (pose_a, pose_b) = (solids::pose(&mut c.r), solids::pose(&mut c.r));
    let rule = c.r.pick(&[Rule::Paper, Rule::Paper, Rule::Drake]);
    c.show(|| format!("{pose_a:?}\n{pose_b:?}\n{a:?}\n{b:?}"));
    let (mut ws, mut ab, mut ba) = (Workspace::new(), ContactSurface::new(), ContactSurface::new());
    let first = contact(&a, &pose_a, &b, &pose_b, rule, &mut ws, &mut ab);
    let second = contact(&b, &pose_b, &a, &pose_a, rule, &mut ws, &mut ba);
    must(first.is_ok() == second.is_ok(), || format!("{first:?} but exchanged {second:?}"))?;
    finite_surface(&ab)?;
    finite_surface(&ba)?;
    if first.is_err() {
        return Ok(Outcome::Refused);
    }
    let size = ab.wrench.force.mag().max(ba.wrench.force.mag());
    let far = pose_a.position.mag().max(pose_b.position.mag()).max(1.0);
    let scale = 1e-9 * far * (ab.pressure_integral.abs() + ba.pressure_integral.abs() + size);
    let sum = ab.wrench.force + ba.wrench.force;
    // Poses beyond all numbers leave no scale to hold against.
    // Moduli of what presses: two rigid bodies have them in their shells.
    let unbalanced = sum.mag() > scale + 1e-9 * ab.modulus_a.max(ab.modulus_b);
    must(rule == Rule::Drake || !thick_a || !thick_b || !unbalanced, || {
        format!("forces {:?} and {:?} do not balance", ab.wrench.force, ba.wrench.force)
    })?;
    Ok(Outcome::Answered)
}

/// A body, and whether its field is well conditioned.
fn shape(c: &mut Case) -> Option<(Shape, bool)> {
    use impinge_pressure::{HalfSpace, RigidSurface, fields};
    let modulus = if c.r.below(12) == 0 { any(&mut c.r) } else { c.r.pick(&[1.0, 1e3, 1e6, 1e9]) };
    let size = if c.r.below(12) == 0 { any(&mut c.r) } else { c.r.pick(&[0.1, 0.5, 1.0]) };
    // A body of a hundred thousand tets is no matter of a fuzzer.
    let edge = if size > 1.0 && size < 1e6 { 0.4 * size } else { 0.4 };
    let which = c.r.below(7);
    c.show(|| format!("shape {which}, size {size:e}, modulus {modulus:e}"));
    let mut thick = (1e-3..1e3).contains(&size);
    let shape = match which {
        0 => fields::cuboid(DVec3::new(size, size, 0.5), modulus).ok().map(Shape::from),
        1 => fields::sphere(size, edge, modulus).ok().map(Shape::from),
        2 => fields::ellipsoid(DVec3::new(size, 0.4, 0.3), edge, modulus).ok().map(Shape::from),
        3 => RigidSurface::new(solids::surface(&mut c.r)).ok().map(Shape::from),
        4 => {
            let normal = if c.r.below(8) == 0 { DVec3::broadcast(any(&mut c.r)) } else { DVec3::unit_z() };
            HalfSpace::layer(normal, c.r.unit(), modulus, size)
                .or_else(|_| HalfSpace::rigid(normal, 0.0))
                .ok()
                .map(Shape::from)
        }
        _ => {
            let (mesh, made) = solids::tets(&mut c.r);
            thick = made.usual();
            let n = mesh.positions().len();
            let hostile = made == Made::Extreme && c.r.below(2) == 0;
            let extent =
                (0..n).map(|_| if hostile { any(&mut c.r) } else { c.r.below(3) as f64 * 0.5 }).collect();
            CompliantBody::new(mesh, extent, modulus).ok().map(Shape::from)
        }
    };
    shape.map(|s| (s, thick))
}
