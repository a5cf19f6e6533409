//! Edges against edges: where they cross, and which way they can touch.

use super::tables::{Faces, edges_of};
use impinge_bodies::CONE_SLACK;
use impinge_geometry::{DVec3, try_normalized};

/// `out` leaves the body at the edge, with surface vertices at `x` (m): it points to the outer side of the faces there, and no face rises along
/// it by more than the slack (a sine). Any direction leaves the edge of a sheet.
#[inline]
#[must_use]
pub fn leaves(
    faces: &Faces,
    x: &impl Fn(u32) -> DVec3,
    edge: u32,
    [a, b]: [u32; 2],
    out: DVec3,
    slack: f64,
) -> bool {
    let at = faces.edge_faces.get(edge as usize).copied().unwrap_or([u32::MAX; 2]);
    let beside = || at.iter().filter_map(|f| faces.corners.get(*f as usize));
    let area = |[p, q, r]: [u32; 3]| {
        let [p, q, r] = [p, q, r].map(x);
        (q - p).cross(r - p)
    };
    let (mut out_of, mut into, mut rises) = (true, true, false);
    for &corners in beside() {
        let side = area(corners).dot(out);
        out_of &= side >= 0.0;
        into &= side < 0.0;
        // Unit vectors are not needed to compare, and to make them took most of the time here.
        rises |= across([a, b], corners, x).is_some_and(|u| {
            let up = u.dot(out);
            up > 0.0 && up > slack * u.mag()
        });
    }
    let outer = || {
        let unit = |c: &[u32; 3]| try_normalized(area(*c)).unwrap_or(DVec3::zero());
        beside().map(unit).fold(DVec3::zero(), |s, n| s + n).dot(out) >= 0.0
    };
    // A sheet's edge has no face, and both hold.
    !rises && (out_of || !into && outer())
}

/// From an edge into a face beside it, across the edge; `None` for a face that is not beside it.
#[inline]
fn across([a, b]: [u32; 2], corners: [u32; 3], x: &impl Fn(u32) -> DVec3) -> Option<DVec3> {
    let c = corners.into_iter().find(|c| *c != a && *c != b)?;
    let (along, to) = (x(b) - x(a), x(c) - x(a));
    Some(to - along * (to.dot(along) / along.mag_sq().max(f64::MIN_POSITIVE)))
}

/// The unit vector along that way; `None` for a face without one.
#[must_use]
pub fn inward(edge: [u32; 2], corners: [u32; 3], x: &[DVec3]) -> Option<DVec3> {
    try_normalized(across(edge, corners, &|v| x[v as usize])?)
}

/// The edges of `key` meet where `n`, to the free side of the first, leaves both bodies.
#[must_use]
pub fn meets_outside(faces: &Faces, x: &[DVec3], key: u64, stencil: [u32; 4], n: DVec3) -> bool {
    meets_outside_at(faces, &|v: u32| x[v as usize], key, stencil, n)
}

/// The same with surface vertices at `at` (m).
pub(crate) fn meets_outside_at(
    faces: &Faces,
    at: &impl Fn(u32) -> DVec3,
    key: u64,
    [a, b, c, d]: [u32; 4],
    n: DVec3,
) -> bool {
    let (first, second) = edges_of(key);
    leaves(faces, at, first, [a, b], -n, CONE_SLACK) && leaves(faces, at, second, [c, d], n, CONE_SLACK)
}

/// Part of an edge beyond its ends that is rounding: edges of boxes of one size on each other end at each other.
pub const ENDS: f64 = 1e-9;

/// How far along each of two edges the lines through them are nearest, 0 and 1 at the ends; `None` for parallel ones.
#[must_use]
pub fn crossing(p: &[DVec3; 4]) -> Option<[f64; 2]> {
    let (d, e, r) = (p[1] - p[0], p[3] - p[2], p[2] - p[0]);
    let m = d.cross(e);
    let mm = m.mag_sq();
    (mm > 1e-24 * d.mag_sq() * e.mag_sq()).then(|| [r.cross(e).dot(m) / mm, r.cross(d).dot(m) / mm])
}

/// The weights of the four ends there.
#[must_use]
pub fn weights([s, t]: [f64; 2]) -> [f64; 4] {
    [1.0 - s, s, t - 1.0, -t]
}
