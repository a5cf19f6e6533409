//! "A pressure field model" (seed 004), Figs. 1 and 3: a field with the stress on what presses into it, and a polygon that loses a side.

use super::figure::{Curve, Figure};
use super::seed_000::{Entry, Fixtures};
use impinge_geometry::{
    DMat3, DVec3, Pose, TetTopology, generators, inverse, polygon_moments, rotor_from_rotation_vector,
    triangle_area_vector,
};
use impinge_meshing::{FillOptions, fill};
use impinge_pressure::{
    CompliantBody, ContactSurface, RigidSurface, Rule, Workspace, contact, fields, tet_pair,
};

/// The figures.
pub const FIGURES: &[Entry] =
    &[("field", |_: Fixtures<'_>| field()), ("polygon-side", |_: Fixtures<'_>| side())];

/// Pa.
const MODULUS: f64 = 1e5;
/// Part of the largest depth from which on the body is its core.
const CORE: f64 = 0.6;
/// Ends one line of a curve and begins the next.
const GAP: (f64, f64) = (f64::NAN, f64::NAN);

/// An L, thick enough that its middle plane knows nothing of its ends, and a box that presses into the inner corner.
fn field() -> Result<Figure, String> {
    let say = |e: &dyn std::fmt::Display| e.to_string();
    let bent = generators::l_shape(DVec3::new(0.3, 0.3, 0.3), 0.12).map_err(|e| say(&e))?;
    let tets = fill(&bent, FillOptions::cell(0.015)).map_err(|e| say(&e))?.mesh;
    let near = fields::distance(tets.clone(), 1.0, true).map_err(|e| say(&e))?;
    let core: Vec<u32> =
        (0..tets.positions().len() as u32).filter(|&v| near.extent()[v as usize] >= CORE).collect();
    let (body, report) = fields::laplace(tets, Some(&core), MODULUS).map_err(|e| say(&e))?;
    let edge = generators::cuboid(DVec3::new(0.1, 0.1, 0.2), [1; 3]).map_err(|e| say(&e))?;
    let rotation = rotor_from_rotation_vector(DVec3::unit_z() * 0.6);
    // Into the foot of the L, from above.
    let (lo, hi) = bent.bounds();
    let pose = Pose::new(DVec3::new(hi.x - 0.1, lo.y + 0.12 + 0.045, 0.0), rotation);
    let mut surface = ContactSurface::new();
    let (rigid, soft) = (RigidSurface::new(edge).map_err(|e| say(&e))?.into(), body.clone().into());
    contact(&rigid, &pose, &soft, &Pose::identity(), Rule::Paper, &mut Workspace::new(), &mut surface)
        .map_err(|e| say(&e))?;
    let mut curves = vec![Curve { name: "body".into(), points: outline(&body)? }];
    for level in [0.2, 0.4, 0.6, 0.8] {
        curves.push(Curve { name: format!("p = {level} E"), points: slice(&body, level) });
    }
    let corners = [[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05], [-0.05, -0.05]];
    let outline = corners.map(|[x, y]| pose.point_to_world(DVec3::new(x, y, 0.0)));
    curves.push(Curve { name: "rigid box".into(), points: outline.map(|p| (p.x, p.y)).to_vec() });
    // Stress on the box where its surface passes the middle plane: a tenth of the modulus is a centimetre.
    let mut arrows = Vec::new();
    for f in &surface.faces {
        let corners = &surface.corners[f.start as usize..(f.start + f.count) as usize];
        let at = |c: &[f64; 4]| surface.origin + surface.rotation * DVec3::new(c[0], c[1], c[2]);
        let (low, high) =
            corners.iter().map(at).fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p.z), b.max(p.z)));
        if low <= 0.0 && high > 0.0 {
            let from = surface.origin + surface.rotation * f.centroid;
            let to = from + surface.rotation * f.normal * (0.1 * f.pressure / MODULUS);
            arrows.extend([(from.x, from.y), (to.x, to.y), GAP]);
        }
    }
    curves.push(Curve { name: "stress on the box".into(), points: arrows });
    let force = surface.wrench.force;
    let to = surface.wrench.point + force * (0.08 / force.mag());
    let line = vec![(surface.wrench.point.x, surface.wrench.point.y), (to.x, to.y)];
    curves.push(Curve { name: "net force".into(), points: line });
    Ok(Figure {
        id: "field",
        title: "Seed 004, Fig. 1: a field by Laplace's equation, and a rigid box pressed into it",
        paper: "Isocontours of the field of a non-trivial geometry in the plane, the normal stress on a rigid box, the direction of the net force; no numbers.",
        ours: format!(
            "An L of 0.3 m and its middle plane; {} tets, 0 on the surface and 1 on a core of {} vertices (deeper than {CORE} of the deepest), residual {:.0e}. {} polygons; net force ({:.1}, {:.1}, {:.1}) N.",
            body.mesh().tets().len(),
            report.core,
            report.residual,
            surface.faces.len(),
            force.x,
            force.y,
            force.z
        ),
        x: "x [m]",
        y: "y [m]",
        log: false,
        // A metre as long across as up.
        room: Some(hi.x + 0.44),
        curves,
    })
}

/// Adds where a segment passes the plane z = 0.
fn meet(line: &mut Vec<DVec3>, a: DVec3, b: DVec3) {
    if (a.z < 0.0) != (b.z < 0.0) {
        line.push(a + (b - a) * (a.z / (a.z - b.z)));
    }
}

/// Both ends of a line, and the gap after it; nothing for a place or none.
fn drawn(line: &[DVec3], out: &mut Vec<(f64, f64)>) {
    if let [a, b] = line[..] {
        out.extend([(a.x, a.y), (b.x, b.y), GAP]);
    }
}

/// Where the plane z = 0 meets the surface of a body.
fn outline(body: &CompliantBody) -> Result<Vec<(f64, f64)>, String> {
    let surface = TetTopology::new(body.mesh()).surface(body.mesh()).map_err(|e| e.to_string())?.mesh;
    let mut out = Vec::new();
    for i in 0..surface.triangles().len() {
        let (mut line, [a, b, c]) = (Vec::new(), surface.corners(i));
        [(a, b), (b, c), (c, a)].into_iter().for_each(|(a, b)| meet(&mut line, a, b));
        drawn(&line, &mut out);
    }
    Ok(out)
}

/// Where the plane z = 0 meets the surface on which the extent is `level`.
fn slice(body: &CompliantBody, level: f64) -> Vec<(f64, f64)> {
    let (mesh, e) = (body.mesh(), body.extent());
    let mut out = Vec::new();
    for (i, t) in mesh.tets().iter().enumerate() {
        let corners = mesh.corners(i);
        let value = |k: usize| e[t[k] as usize];
        let (above, below): (Vec<usize>, Vec<usize>) = (0..4).partition(|&k| value(k) > level);
        let cut = |a: usize, b: usize| {
            corners[a] + (corners[b] - corners[a]) * ((level - value(a)) / (value(b) - value(a)))
        };
        // Around the triangle or quadrilateral: both ends of the first side, then of the second backwards.
        let ring: Vec<DVec3> = match (&above[..], &below[..]) {
            ([a], rest) | (rest, [a]) if rest.len() == 3 => rest.iter().map(|&b| cut(*a, b)).collect(),
            ([a, b], [c, d]) => vec![cut(*a, *c), cut(*a, *d), cut(*b, *d), cut(*b, *c)],
            _ => Vec::new(),
        };
        let mut line = Vec::new();
        (0..ring.len()).for_each(|k| meet(&mut line, ring[k], ring[(k + 1) % ring.len()]));
        drawn(&line, &mut out);
    }
    out
}

/// Torque of a linear pressure about the origin by a fan of triangles around the centroid with one point each, as in the paper, and exactly.
fn torques(polygon: &[(DVec3, f64)], pressure: impl Fn(DVec3) -> f64) -> [DVec3; 2] {
    let corners: Vec<DVec3> = polygon.iter().map(|c| c.0).collect();
    let centre = polygon_moments(&corners).centroid;
    let (mut fan, mut exact) = (DVec3::zero(), DVec3::zero());
    for (k, &from) in polygon.iter().enumerate() {
        let t = [(centre, pressure(centre)), from, polygon[(k + 1) % polygon.len()]];
        let area = triangle_area_vector(t.map(|c| c.0));
        fan += ((t[0].0 + t[1].0 + t[2].0) / 3.0).cross(area * ((t[0].1 + t[1].1 + t[2].1) / 3.0));
        // Middles of the sides: exact for x p, which is quadratic.
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            exact += ((a.0 + b.0) * 0.5).cross(area * ((a.1 + b.1) / 6.0));
        }
    }
    [fan, exact]
}

/// One tet moves through another; the polygon gains and loses sides.
fn side() -> Result<Figure, String> {
    let corners = |v: [[f64; 3]; 4]| v.map(DVec3::from);
    let a = corners([[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [0.2, 1.0, 0.0], [0.3, 0.3, 0.9]]);
    let b = corners([[0.9, 0.2, 0.5], [0.1, 0.8, 0.6], [0.2, 0.1, 0.5], [0.35, 0.4, -0.4]]);
    let p = [0.0, 0.0, 0.0, 1.0];
    let edges = DMat3::new(a[1] - a[0], a[2] - a[0], a[3] - a[0]).transposed();
    let slope = inverse(&edges).ok_or("a flat tet")? * DVec3::new(p[1], p[2], p[3]);
    // Sides and both torques with the second tet moved by x.
    let at = |x: f64| {
        let pair = tet_pair(a, p, b.map(|v| v + DVec3::unit_x() * x), p)?;
        let sides = pair.polygon.len();
        (sides >= 3).then(|| (sides, torques(&pair.polygon, |x| slope.dot(x - a[0]))))
    };
    let names = ["fan around the centroid (paper)", "exact"];
    let mut curves = names.map(|n| Curve { name: n.into(), points: Vec::new() });
    let (mut said, mut jumps, mut before) = (Vec::new(), [0.0f64; 2], None);
    for x in (0..=600).map(|i| -0.3 + 1e-3 * f64::from(i)) {
        let Some((sides, all)) = at(x) else { continue };
        if let Some((was, from)) = before.filter(|b: &(usize, f64)| b.0 != sides) {
            let (mut low, mut high) = (from, x);
            for _ in 0..45 {
                let middle = 0.5 * (low + high);
                *if at(middle).is_some_and(|m| m.0 == was) { &mut low } else { &mut high } = middle;
            }
            if let (Some(l), Some(h)) = (at(low), at(high)) {
                (0..2).for_each(|k| jumps[k] = jumps[k].max((h.1[k] - l.1[k]).mag() / l.1[k].mag()));
            }
            said.push(format!("from {was} to {sides} at {high:.4}"));
        }
        before = Some((sides, x));
        curves.iter_mut().zip(all).for_each(|(c, t)| c.points.push((x, t.y)));
    }
    Ok(Figure {
        id: "polygon-side",
        title: "Seed 004, Fig. 3: a polygon gains and loses sides",
        paper: "A polygon loses one of its five sides; triangles around its centroid vanish with the side, so quadrature stays continuous.",
        ours: format!(
            "One tet moves through another along x; the polygon goes {}. Torque about y by one point in each triangle: where the number of sides changes, \
             found by bisection, the paper's fan jumps by at most {:.0e} of the torque and the exact integral by {:.0e}.",
            said.join(", "),
            jumps[0],
            jumps[1]
        ),
        x: "way [1]",
        y: "torque about y [1]",
        log: false,
        room: None,
        curves: curves.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_of_a_level_is_its_outline() {
        // A cube of 2 m: ε = 0.5 is a square of 1 m.
        let body = fields::cuboid(DVec3::broadcast(2.0), 1.0).unwrap();
        // Off the planes of the tets.
        let moved = body.mesh().mapped(|p| p + DVec3::new(0.0, 0.0, 0.1)).unwrap();
        let body = CompliantBody::new(moved, body.extent().to_vec(), 1.0).unwrap();
        for (level, half) in [(0.0, 1.0), (0.5, 0.5)] {
            let points = if level > 0.0 { slice(&body, level) } else { outline(&body).unwrap() };
            let length: f64 = points.chunks_exact(3).map(|c| (c[1].0 - c[0].0).hypot(c[1].1 - c[0].1)).sum();
            assert!((length - 8.0 * half).abs() < 1e-12, "{level}: {length}");
            let seen = points.iter().filter(|p| p.0.is_finite());
            assert!(seen.clone().count() >= 8);
            assert!(seen.clone().all(|p| (p.0.abs().max(p.1.abs()) - half).abs() < 1e-12));
        }
    }

    #[test]
    fn torques_are_continuous_where_sides_come_and_go() {
        let figure = side().unwrap();
        assert!(figure.ours.contains("from 5 to 4"), "{}", figure.ours);
        for c in &figure.curves {
            assert!(c.points.len() > 300);
            let steps = c.points.windows(2).map(|w| (w[1].1 - w[0].1).abs());
            assert!(steps.fold(0.0, f64::max) < 2e-4);
        }
    }
}
