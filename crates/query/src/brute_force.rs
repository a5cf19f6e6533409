//! The same questions answered by looking at every triangle: the oracles of this crate's tests, and quicker
//! than building a tree for a single question. [`nearest`] and [`ray`] give the bits of the tree's answer.

use crate::nearest::{self, Nearest, local_closest};
use crate::ray::{self, Ray, RayHit};
use crate::winding::{Way, crossing};
use impinge_geometry::{DVec3, TriMesh};

/// As [`crate::MeshIndex::nearest`].
#[must_use]
pub fn nearest(mesh: &TriMesh, p: DVec3) -> Nearest {
    let key = |t: usize| local_closest(p, &mesh.corners(t)).distance_squared;
    let n = mesh.triangles().len();
    let least = (0..n).map(key).fold(f64::INFINITY, f64::min);
    let (accept, _) = nearest::widen(least, size(mesh));
    let t = (0..n).find(|&t| key(t) <= accept).unwrap_or(0);
    Nearest::assemble(t as u32, &mesh.corners(t), &local_closest(p, &mesh.corners(t)))
}

/// As [`crate::MeshIndex::winding`], always along +x; the same number for a closed mesh. A `p` that is not finite
/// gives 0.
#[must_use]
pub fn winding(mesh: &TriMesh, p: DVec3) -> i32 {
    if !nearest::is_finite(p) {
        return 0;
    }
    (0..mesh.triangles().len()).map(|t| crossing(p, &mesh.corners(t), Way::Up)).sum()
}

/// The winding number as the solid angle of the surface over 4π, by the formula of van Oosterom and Strackee
/// (1983): tan(Ω/2) = a·(b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|).
///
/// Any direction counts alike, so a mesh with holes gives a fraction. On the surface it says nothing certain.
#[must_use]
pub fn winding_by_solid_angle(mesh: &TriMesh, p: DVec3) -> f64 {
    let half: f64 = (0..mesh.triangles().len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t).map(|v| v - p);
            let (la, lb, lc) = (a.mag(), b.mag(), c.mag());
            let numerator = a.dot(b.cross(c));
            let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            libm::atan2(numerator, denominator)
        })
        .sum();
    half / (2.0 * std::f64::consts::PI)
}

/// As [`crate::MeshIndex::ray`].
#[must_use]
pub fn ray(mesh: &TriMesh, origin: DVec3, direction: DVec3, max: f64) -> Option<RayHit> {
    let ray = Ray::new(origin, direction, max, mesh.bounds())?;
    let n = mesh.triangles().len();
    let key = |t: usize| ray.meets(&mesh.corners(t)).map(|(along, _)| along);
    let least = (0..n).filter_map(key).fold(f64::INFINITY, f64::min);
    let (accept, _) = ray::widen(least, ray.slack());
    let t = (0..n).find(|&t| key(t).is_some_and(|k| k <= accept))?;
    ray.hit(t as u32, &mesh.corners(t))
}

fn size(mesh: &TriMesh) -> f64 {
    let (lo, hi) = mesh.bounds();
    let extent = hi - lo;
    extent.x + extent.y + extent.z
}
