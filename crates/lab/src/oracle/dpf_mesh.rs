//! Family `dpf_mesh`: points against a closed mesh; inside or outside, the closest point, and the penalty impulse
//! with its reaction (seed 003 (3), (4); erratum T12).
//!
//! What the schema leaves open is decided here: the way out has no tolerance of its own, so it gets the one its
//! quotient `(closest − p)/depth` inherits, `tol_length/depth`; a weight gets `tol_length` over the triangle's
//! smallest height. A point closer to the surface than `tol_length` may count as inside or outside.

use super::compare::{Comparison, Malformed};
use super::family::Family;
use impinge_geometry::{DVec3, Pose, TriMesh, closest_on_triangle, triangle_area, try_normalized};
use impinge_penalty::{PointImpulse, point_mesh_impulses};
use impinge_query::MeshIndex;
use impinge_volume::ClosedSurface;
use serde::Deserialize;

/// The family.
pub struct DpfMesh;

/// `input` of a case.
#[derive(Deserialize)]
pub struct Input {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    points: Vec<[f64; 3]>,
    k: f64,
    dt: f64,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    points: Vec<Point>,
    tol_length: f64,
    tol_impulse: f64,
}

#[derive(Deserialize)]
struct Point {
    inside: bool,
    winding: f64,
    depth: f64,
    distance: f64,
    closest: [f64; 3],
    triangle: u32,
    feature: Feature,
    triangles_tied: Vec<u32>,
    weights: [f64; 3],
    unique: bool,
    alternatives: Vec<[f64; 3]>,
    normal: [f64; 3],
    impulse: [f64; 3],
    reaction: [[f64; 3]; 3],
}

/// What rounding may make of a sum of solid angles over 4π.
const WINDING: f64 = 1e-9;

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Feature {
    Face,
    Edge,
    Vertex,
}

/// What all points of a case share.
struct Setting<'a> {
    mesh: &'a TriMesh,
    k_dt: f64,
    tol_length: f64,
    tol_impulse: f64,
}

impl Family for DpfMesh {
    const NAME: &'static str = "dpf_mesh";
    const KEYS: &'static str = "input{vertices triangles points point_kinds~ k dt} expected{points{inside winding depth distance closest \
        triangle feature triangles_tied weights unique alternatives normal impulse reaction} tol_length tol_impulse}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        if input.points.len() != expected.points.len() {
            return Err(Malformed(format!(
                "{} points in `input` and {} in `expected`",
                input.points.len(),
                expected.points.len()
            )));
        }
        let mesh =
            TriMesh::from_arrays(&input.vertices, &input.triangles).map_err(|e| Malformed(e.to_string()))?;
        // Inside and outside are what is asked, and an open or doubled surface has none.
        ClosedSurface::new(&mesh).map_err(|e| Malformed(e.to_string()))?;
        let index = MeshIndex::new(&mesh);
        let points: Vec<DVec3> = input.points.iter().map(|&p| p.into()).collect();
        let mut impulses = Vec::new();
        point_mesh_impulses(&points, &index, &Pose::identity(), input.k, input.dt, &mut impulses);
        let setting = Setting {
            mesh: &mesh,
            k_dt: input.k * input.dt,
            tol_length: expected.tol_length,
            tol_impulse: expected.tol_impulse,
        };
        for (i, (&p, want)) in points.iter().zip(&expected.points).enumerate() {
            setting.query(i, p, &index, want, out)?;
            setting.response(i, p, impulses[i].as_ref(), want, out);
        }
        Ok(())
    }
}

impl Setting<'_> {
    /// Winding, distance and closest point, from the index itself: these are asked of free points too.
    fn query(
        &self,
        i: usize,
        p: DVec3,
        index: &MeshIndex,
        want: &Point,
        out: &mut Comparison,
    ) -> Result<(), Malformed> {
        if want.triangle as usize >= self.mesh.triangles().len() {
            return Err(Malformed(format!("points[{i}].triangle is {}: no such triangle", want.triangle)));
        }
        if !want.triangles_tied.contains(&want.triangle) {
            let reason = format!("points[{i}].triangle is {}: not one of triangles_tied", want.triangle);
            return Err(Malformed(reason));
        }
        if want.distance > self.tol_length {
            let (inside, winding) = (index.inside(p), index.winding(p));
            out.holds(inside == want.inside, || format!("points[{i}].inside is {inside}"));
            // A winding number is whole; the sum of solid angles in the file was rounded.
            out.number(|| format!("points[{i}].winding"), f64::from(winding), want.winding, WINDING);
        }
        let near = index.nearest(p);
        out.number(|| format!("points[{i}].distance"), near.distance, want.distance, self.tol_length);
        let target = want.closest_to(near.point);
        out.vector(|| format!("points[{i}].closest"), near.point, target, self.tol_length);
        self.triangle(i, near.triangle, near.weights, target, want, out);
        self.feature(i, want, near.weights, target == DVec3::from(want.closest), out);
        self.ties(i, p, index, want, out)
    }

    /// The feature follows from the weights: the corners that count. Those of the file and those of the kernel must both say so, where
    /// none of them is about as small as its tolerance.
    fn feature(&self, i: usize, want: &Point, found: [f64; 3], same_point: bool, out: &mut Comparison) {
        let tol = self.weight_tolerance(want.triangle);
        let of = |weights: [f64; 3]| {
            let clear = weights.iter().all(|&w| w <= tol || w > 100.0 * tol);
            let corners = weights.iter().filter(|&&w| w > tol).count();
            let feature = [Feature::Vertex, Feature::Edge, Feature::Face].get(corners.checked_sub(1)?);
            feature.copied().filter(|_| clear)
        };
        for (whose, weights) in [("the file's", want.weights), ("the", found)] {
            let feature = of(weights).filter(|_| same_point || whose != "the");
            out.holds(feature.is_none_or(|f| f == want.feature), || {
                format!("points[{i}].feature is {feature:?} by {whose} weights, expected {:?}", want.feature)
            });
        }
    }

    /// What the file lists beside the closest point: the other closest points, which are as near and on the surface, and the triangles
    /// that hold it.
    fn ties(
        &self,
        i: usize,
        p: DVec3,
        index: &MeshIndex,
        want: &Point,
        out: &mut Comparison,
    ) -> Result<(), Malformed> {
        let (n, closest) = (want.alternatives.len(), DVec3::from(want.closest));
        if n == 0 || (n == 1) != want.unique {
            return Err(Malformed(format!(
                "points[{i}].alternatives has {n} and `unique` is {}",
                want.unique
            )));
        }
        let nearest =
            want.alternatives.iter().map(|&a| (DVec3::from(a) - closest).mag()).fold(f64::MAX, f64::min);
        out.number(|| format!("points[{i}].closest among the alternatives"), nearest, 0.0, self.tol_length);
        for (j, &a) in want.alternatives.iter().enumerate() {
            let a = DVec3::from(a);
            let place = || format!("points[{i}].alternatives[{j}], distance");
            out.number(place, (a - p).mag(), want.distance, self.tol_length);
            let place = || format!("points[{i}].alternatives[{j}], above the surface");
            out.number(place, index.nearest(a).distance, 0.0, self.tol_length);
            let apart = want.alternatives[..j].iter().all(|&b| (DVec3::from(b) - a).mag() > self.tol_length);
            out.holds(apart, || format!("points[{i}].alternatives[{j}] is listed before"));
        }
        for (j, &t) in want.triangles_tied.iter().enumerate() {
            if want.triangles_tied[..j].contains(&t) {
                return Err(Malformed(format!("points[{i}].triangles_tied names {t} twice")));
            }
            if t as usize >= self.mesh.triangles().len() {
                return Err(Malformed(format!("points[{i}].triangles_tied names {t}: no such triangle")));
            }
            let off = (closest_on_triangle(closest, self.mesh.corners(t as usize)).point - closest).mag();
            out.number(|| format!("points[{i}].closest above tied triangle {t}"), off, 0.0, self.tol_length);
        }
        Ok(())
    }

    /// Depth, way out, impulse and reaction, from the penalty kernel.
    fn response(&self, i: usize, p: DVec3, got: Option<&PointImpulse>, want: &Point, out: &mut Comparison) {
        let Some(got) = got else {
            let on_surface = want.distance <= self.tol_length;
            out.holds(!want.inside || on_surface, || format!("points[{i}] got no impulse"));
            let expected = want.impulse.into();
            out.vector(|| format!("points[{i}].impulse"), DVec3::zero(), expected, self.tol_impulse);
            out.number(|| format!("points[{i}].depth"), 0.0, want.depth, self.tol_length);
            for (j, &r) in want.reaction.iter().enumerate() {
                let place = || format!("points[{i}].reaction[{j}]");
                out.vector(place, DVec3::zero(), r.into(), self.tol_impulse);
            }
            return;
        };
        let hit = got.hit;
        out.number(|| format!("points[{i}].depth"), hit.depth, want.depth, self.tol_length);
        // One of several closest points is a choice; what follows from it must follow from the same one.
        let target = want.closest_to(hit.closest);
        out.vector(|| format!("points[{i}].closest (penetration)"), hit.closest, target, self.tol_length);
        let (normal, impulse) = if target == DVec3::from(want.closest) {
            (want.normal.into(), want.impulse.into())
        } else {
            (try_normalized(target - p).unwrap_or_else(DVec3::zero), (target - p) * self.k_dt)
        };
        if want.inside && want.depth > self.tol_length {
            let tolerance = self.tol_length / want.depth;
            out.vector(|| format!("points[{i}].normal"), hit.normal, normal, tolerance);
        }
        out.vector(|| format!("points[{i}].impulse"), got.impulse, impulse, self.tol_impulse);
        self.triangle(i, hit.triangle, hit.weights, target, want, out);
        for (j, r) in got.reaction.iter().enumerate() {
            let place = || format!("points[{i}].reaction[{j}]");
            if hit.triangle == want.triangle && target == DVec3::from(want.closest) {
                out.vector(place, *r, want.reaction[j].into(), self.tol_impulse);
            } else {
                out.vector(place, *r, impulse * -hit.weights[j], self.tol_impulse);
            }
        }
        let sum = got.reaction.iter().fold(got.impulse, |s, &r| s + r);
        out.vector(|| format!("points[{i}]: impulse plus reaction"), sum, DVec3::zero(), self.tol_impulse);
    }

    /// The triangle is one of those that tie, and the weights are the expected ones where it is the expected
    /// triangle; on any other they must at least give the closest point.
    fn triangle(
        &self,
        i: usize,
        triangle: u32,
        weights: [f64; 3],
        target: DVec3,
        want: &Point,
        out: &mut Comparison,
    ) {
        // The ties listed are those of the closest point listed.
        let same_point = target == DVec3::from(want.closest);
        let known = want.triangles_tied.contains(&triangle);
        out.holds(!same_point || known, || {
            format!("points[{i}].triangle is {triangle}, expected one of {:?}", want.triangles_tied)
        });
        if same_point && triangle == want.triangle {
            let tolerance = self.weight_tolerance(triangle);
            for j in 0..3 {
                out.number(|| format!("points[{i}].weights[{j}]"), weights[j], want.weights[j], tolerance);
            }
        }
        let [a, b, c] = self.mesh.corners(triangle as usize);
        let blended = a * weights[0] + b * weights[1] + c * weights[2];
        out.vector(|| format!("points[{i}]: point of weights"), blended, target, self.tol_length);
    }

    /// How far a weight moves when the closest point moves by the tolerance: over the smallest height.
    fn weight_tolerance(&self, triangle: u32) -> f64 {
        let [a, b, c] = self.mesh.corners(triangle as usize);
        let longest = (b - a).mag().max((c - b).mag()).max((a - c).mag());
        let height = 2.0 * triangle_area([a, b, c]) / longest;
        if height > 0.0 { self.tol_length / height } else { f64::INFINITY }
    }
}

impl Point {
    /// The expected closest point that is meant by `got`: the one listed, or where it is not unique the nearest
    /// alternative.
    fn closest_to(&self, got: DVec3) -> DVec3 {
        let listed = DVec3::from(self.closest);
        let others = self.alternatives.iter().map(|&a| DVec3::from(a));
        let candidates = others.take(if self.unique { 0 } else { usize::MAX });
        candidates.fold(listed, |best, a| if (a - got).mag_sq() < (best - got).mag_sq() { a } else { best })
    }
}
