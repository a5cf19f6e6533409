//! Contact forces at the vertices of surfaces: what pushes at a point, shared by the vertices around it.
//!
//! Each force counts twice, once on each body of its pair and there with its own sign, so that the sum over a body is what its
//! contacts do to it. What meets says which vertices share; of a contact surface or volume every polygon has its part of the
//! resultant, and the nearest vertex takes it.

use impinge_contact::SurfaceMap;
use impinge_geometry::{DVec3, closest_on_triangle};
use impinge_world::{ContactPieces, ContactPoint, Features};

/// Surfaces of all bodies at one moment.
pub(crate) struct Surfaces<'a> {
    pub map: &'a SurfaceMap,
    /// By vertex of the map (m).
    pub positions: &'a [DVec3],
}

/// Contact force by vertex (N).
pub(crate) fn forces(surfaces: &Surfaces, points: &[ContactPoint], pieces: &ContactPieces) -> Vec<DVec3> {
    let mut out = vec![DVec3::zero(); surfaces.positions.len()];
    for c in points {
        let other = if c.on == c.a { c.b } else { c.a };
        for (body, force, own) in [(c.on, c.force, true), (other, -c.force, false)] {
            match corners(c.features, own) {
                Some(corners) => surfaces.share(body, &corners, c.point, force, &mut out),
                None => surfaces.spread(body, c, pieces, force, &mut out),
            }
        }
    }
    out
}

/// The vertices that meet: of the body whose vertex or edge it is, or of the other one. `None` for what has none.
fn corners(features: Option<Features>, own: bool) -> Option<Vec<u32>> {
    match (features?, own) {
        (Features::VertexFace(v, _) | Features::VertexPlane(v), true) => Some(vec![v]),
        (Features::VertexFace(_, face), false) => Some(face.to_vec()),
        (Features::EdgeEdge(edge, _), true) | (Features::EdgeEdge(_, edge), false) => Some(edge.to_vec()),
        _ => None,
    }
}

impl Surfaces<'_> {
    /// Shares a force at `point` among corners, by the weights of the point of them that is nearest to it.
    fn share(&self, body: u32, corners: &[u32], point: DVec3, force: DVec3, out: &mut [DVec3]) {
        let first = self.map.first(body as usize);
        let at = |k: usize| (first + corners[k.min(corners.len() - 1)]) as usize;
        let triangle = [0, 1, 2].map(|k| self.positions[at(k)]);
        let weights = closest_on_triangle(point, triangle).weights;
        for k in 0..3 {
            out[at(k)] += force * weights[k];
        }
    }

    /// Spreads a resultant over the polygons of its pair, by their part of the pressure; each goes to the nearest vertex.
    fn spread(&self, body: u32, c: &ContactPoint, pieces: &ContactPieces, force: DVec3, out: &mut [DVec3]) {
        let range = self.map.range(body as usize);
        let nearest = |p: DVec3| {
            let distance = |v: &usize| (self.positions[*v] - p).mag_sq();
            range.clone().min_by(|v, w| distance(v).total_cmp(&distance(w)))
        };
        // A contact of a cell has its own place; only what is a whole pair is spread.
        let whole = matches!(c.features, Some(Features::Surface));
        let of_pair = pieces.pieces.iter().filter(|p| whole && (p.a, p.b) == (c.a, c.b));
        let parts: Vec<(DVec3, f64)> = of_pair
            .map(|p| {
                let polygon = pieces.polygon(p);
                let middle = polygon.iter().fold(DVec3::zero(), |s, &x| s + x) / polygon.len().max(1) as f64;
                (middle, p.pressure.max(0.0) * pieces.vector_area(p).mag())
            })
            .collect();
        let sum: f64 = parts.iter().map(|p| p.1).sum();
        if sum > 0.0 {
            for (middle, part) in parts {
                if let Some(v) = nearest(middle) {
                    out[v] += force * (part / sum);
                }
            }
        } else if let Some(v) = nearest(c.point) {
            out[v] += force;
        }
    }
}
