//! Sliding: a contact that leaves its triangle is handed to the neighbour, and its force stays continuous.
//!
//! The paper keeps the pair of first contact for good; a vertex that slides over many triangles is then pushed by the plane
//! of the first. Here the traced point follows the vertex, and when it passes an edge the neighbour across that edge takes
//! over. Over a flat or hollow edge it is held by its distance to what is free (`hollow.rs`). Over a convex one depth and normal of the two
//! planes differ by the dihedral angle where it leaves, so a switch would be a jump, and both triangles act for a while: the new one's share grows from 0 with the way the vertex goes relative to it, the old one's falls to 0. The
//! shares are part of the state and change by (way)/(band), whatever the shape of the surface, so the force is continuous in time
//! on every path, also around corners where several triangles meet. The band is one length for both triangles, and on a target that
//! does not deform so is the way: what one loses the other gains.
//!
//! The way counts what is along the plane and what is across it. Over a sharp edge a vertex goes down beside the body, straight into
//! the old plane: along that plane it would never get away, and the old contact would hold it ever more strongly. And over a convex edge
//! the band is no longer than the way on which the vertex, along the new plane, gets as deep again behind the old one as it is: d/sin θ at
//! the depth d and the angle θ between the planes. So what the old contact bears only falls. (Over a tenth of a triangle a vertex 1.5 mm
//! behind the flank of a keel pushed it back with five times what the edges bore.)
//!
//! Over an open boundary there is no neighbour; the contact fades, over the depth as at a right angle. (Over a tenth of a triangle a box hung on the border of
//! a floor of one square by a vertex that was long beyond it.) At a sharp convex edge the neighbour may already see the
//! vertex outside; it then contributes nothing and the contact ends as the old share fades: no jump either.
//!
//! In a groove of a right angle or less both walls hold. A vertex beyond its bottom is behind both planes, and leaves one of
//! them through its continuation inside the body: with the contact handed over, that ended the only one left, and the vertex
//! went on through the body. So there the old contact stays whole and the other wall joins it, whole too: where the vertex
//! passes the bottom, it is still in front of that wall, which pushes only from depth zero on. The vertex is outside when it
//! is in front of both: a contact that has left its plane beside its triangle comes here once more, for the other wall.

use crate::hollow::{ON_EDGE, Shares, Walk, meet};
use crate::{ParamError, Tracked, TrackedRow, from_feature, to_feature};
use crate::{vertex_and_face, vertex_face_key};
use impinge_ccd::Kind;
use impinge_contact::SlipState;
use impinge_geometry::DVec3;

/// Which triangle lies across which edge.
#[derive(Clone, Copy, Debug)]
pub struct Faces<'a> {
    /// Corners of each face, surface vertices of the scene; consistently oriented.
    pub corners: &'a [[u32; 3]],
    /// Face across the edge from corner i to corner i + 1, `u32::MAX` where there is none.
    pub across: &'a [[u32; 3]],
}

/// The band of contacts that share a vertex with others over hollow edges: over one face again they are whole at once.
const WALKED: f64 = f64::MIN_POSITIVE;

/// Scratch of [`follow_faces`]. Dropping it changes nothing.
#[derive(Default)]
pub struct FollowWorkspace {
    rows: Vec<TrackedRow>,
    ruled: Ruled,
}

/// What contacts over hollow edges came to.
#[derive(Default)]
struct Ruled {
    /// The vertex that is looked at, and the faces that hold it.
    vertex: u32,
    faces: Vec<(u32, f64)>,
    /// Vertices and faces that hold them, of contacts that were still coming over a convex edge.
    whole: Vec<(u32, u32)>,
}

/// Moves the traced points of vertex–face contacts to where the vertices are at the start of a step, and hands contacts over.
///
/// `band` is the way over which a handover takes place, as a fraction of the square root of twice the smaller triangle's area; over a convex
/// edge it takes place within the way on which the depth behind the old plane doubles.
/// Call it before [`crate::accumulate`] on what the last step carried on; keys are those of [`vertex_face_key`].
///
/// # Errors
/// A band that is not positive.
pub fn follow_faces(
    tracked: &Tracked,
    x: &[DVec3],
    faces: &Faces<'_>,
    band: f64,
    ws: &mut FollowWorkspace,
    out: &mut Tracked,
) -> Result<(), ParamError> {
    out.clear();
    if !(band > 0.0 && band.is_finite()) {
        return Err(ParamError::Band(band));
    }
    let rows = &mut ws.rows;
    rows.clear();
    let ruled = &mut ws.ruled;
    ruled.vertex = u32::MAX;
    ruled.faces.clear();
    ruled.whole.clear();
    for i in 0..tracked.len() {
        let row = tracked.row(i);
        let Some((vertex, face)) = vertex_and_face(row.key) else {
            rows.push(row);
            continue;
        };
        let Some(place) = place(&row.stencil, &row.weight, x) else {
            rows.push(row);
            continue;
        };
        let way = (place.slid * place.slid + (place.height - row.height).powi(2)).sqrt();
        let gain = if row.band > 0.0 { way / row.band } else { 0.0 };
        let was = row.share;
        let mut row = TrackedRow { weight: place.weight, height: place.height, ..row };
        if row.fading {
            row.share -= gain;
            if row.share > 0.0 {
                rows.push(row);
            }
            continue;
        }
        row.share = (row.share + gain).min(1.0);
        if let Some(farthest) = place.beyond {
            let side = f64::from(row.side);
            let free = place.height * side > 0.0;
            let walls = |to: u32| {
                let &[a, b, c] = faces.corners.get(to as usize)?;
                let stencil = [row.stencil[0], a, b, c];
                in_groove(&row.stencil, &stencil, side, x).then_some(stencil)
            };
            // The ends of the edges that were passed are the corners that are not opposite of all of them.
            let passed = [0, 1, 2].map(|i| place.weight[1 + i] > 0.0);
            for corner in (0..3).filter(|&i| passed[(i + 1) % 3] || passed[(i + 2) % 3]) {
                around(faces, face, row.stencil[1 + corner], |to| {
                    let Some(stencil) = walls(to) else { return };
                    let next = place_on(&stencil, x);
                    if next.height * side >= 0.0 {
                        return;
                    }
                    // One that is there already keeps its share and its anchor, but fades no more.
                    let known = tracked.find(vertex_face_key(vertex, to)).is_some();
                    rows.push(TrackedRow {
                        anchor: DVec3::zero(),
                        grip: SlipState::Open,
                        key: vertex_face_key(vertex, to),
                        stencil,
                        share: if known { 0.0 } else { 1.0 },
                        fading: false,
                        weight: next.weight,
                        height: next.height,
                        ..row
                    });
                });
            }
            let next = across(faces, face, &row.stencil, farthest);
            let wall = next.is_some_and(|to| walls(to).is_some());
            let walk = Walk { faces, x, vertex: row.stencil[0], side };
            if !wall && let Some(held) = walk.from(face) {
                hold(&row, held, &walk, tracked, ruled, rows);
                continue;
            }
            if free {
                continue;
            }
            if wall {
                rows.push(row);
                continue;
            }
            if row.band == WALKED {
                // It goes with the share it had among others.
                row.share = was;
            }
            row.fading = true;
            // Past a border there is nothing, as past a right angle.
            row.band = (band * place.size).min(place.height.abs()).max(2.0 * WALKED);
            if let Some((to, &[a, b, c])) = next.and_then(|to| Some((to, faces.corners.get(to as usize)?))) {
                let stencil = [row.stencil[0], a, b, c];
                let next = place_on(&stencil, x);
                row.band = band * place.size.min(next.size);
                if let Some(most) = until_outside(&place, &next, &row.stencil, &stencil, side, x) {
                    // A vertex in the plane leaves at once.
                    row.band = row.band.min(most).max(2.0 * WALKED);
                }
                let held = in_frame_of(&row, &stencil, x);
                rows.push(TrackedRow {
                    anchor: held.unwrap_or(DVec3::zero()),
                    grip: if held.is_some() { row.grip } else { SlipState::Open },
                    key: vertex_face_key(vertex, to),
                    stencil,
                    share: 0.0,
                    fading: false,
                    weight: next.weight,
                    height: next.height,
                    ..row
                });
            }
        }
        rows.push(row);
    }
    // What such a contact still had on the other side of the convex edge.
    let whole = &ruled.whole;
    if !whole.is_empty() {
        rows.retain(|r| {
            let Some((vertex, face)) = vertex_and_face(r.key) else { return true };
            !(r.fading && whole.iter().any(|w| w.0 == vertex && meet(faces, w.1, face)))
        });
    }
    // A contact handed to a triangle that has one of this vertex: the larger share stays, and it is current if one of them is. What fades there and
    // what comes back are parts of one contact; a share among others is all of it.
    rows.sort_unstable_by(|a, b| a.key.cmp(&b.key).then(b.share.total_cmp(&a.share)));
    rows.dedup_by(|later, kept| {
        let same = later.key == kept.key;
        if same && kept.fading != later.fading {
            let (current, fades) = if kept.fading { (*later, kept.share) } else { (*kept, later.share) };
            let share = if current.band == WALKED { current.share } else { (current.share + fades).min(1.0) };
            *kept = TrackedRow { share, ..current };
        }
        same
    });
    rows.drain(..).for_each(|r| out.push(r));
    Ok(())
}

/// The faces that hold a vertex past a flat or hollow edge take its contact `row` over; `ruled` is the vertex with what its contacts before this
/// one came to.
fn hold(
    row: &TrackedRow,
    held: Shares,
    walk: &Walk<'_>,
    tracked: &Tracked,
    ruled: &mut Ruled,
    rows: &mut Vec<TrackedRow>,
) {
    let Some((vertex, face)) = vertex_and_face(row.key) else { return };
    if ruled.vertex != vertex {
        ruled.vertex = vertex;
        ruled.faces.clear();
    }
    // Where more than three faces meet, those that hold the vertex can be chosen in several ways: the first contact chooses.
    let chosen = ruled.faces.iter().find(|r| r.0 == face).copied();
    let first =
        chosen.is_none() && !held.iter().any(|h| ruled.faces.iter().any(|r| meet(walk.faces, h.0, r.0)));
    if first {
        ruled.faces.extend(held.iter().copied());
    }
    // What is still coming over a convex edge comes on where one face holds; where several do, it is here now.
    let coming = row.band != WALKED && row.share < 1.0;
    let (part, band) = if coming && held.len() == 1 { (row.share, row.band) } else { (1.0, WALKED) };
    if coming && held.len() > 1 {
        ruled.whole.extend(held.iter().map(|h| (vertex, h.0)));
    }
    for (to, share) in if first { held } else { chosen.into_iter().collect() } {
        let Some(&[a, b, c]) = walk.faces.corners.get(to as usize) else { continue };
        let stencil = [row.stencil[0], a, b, c];
        let key = vertex_face_key(vertex, to);
        let there = place_on(&stencil, walk.x);
        let (weight, height) = (there.weight, there.height);
        let taken =
            TrackedRow { key, stencil, share: share * part, fading: false, weight, height, band, ..*row };
        if to == face {
            rows.push(taken);
        } else if tracked.find(key).is_none_or(|i| tracked.row(i).fading) {
            // One that is there comes here by itself.
            let anchor = in_frame_of(row, &stencil, walk.x);
            let grip = if anchor.is_some() { row.grip } else { SlipState::Open };
            rows.push(TrackedRow { anchor: anchor.unwrap_or(DVec3::zero()), grip, ..taken });
        }
    }
}

/// The anchor of a contact in the frame of another triangle: the same place. `None` where nothing holds.
pub(crate) fn in_frame_of(row: &TrackedRow, stencil: &[u32; 4], x: &[DVec3]) -> Option<DVec3> {
    let anchor = (row.grip != SlipState::Open).then_some(row.anchor)?;
    let (from, to) = (corners(&row.stencil, x)?, corners(stencil, x)?);
    let p = from_feature(Kind::VertexFace, &from, &row.weight, DVec3::zero(), anchor)?;
    to_feature(Kind::VertexFace, &to, &row.weight, DVec3::zero(), p)
}

/// The face across the edge opposite of a corner.
pub(crate) fn across(faces: &Faces<'_>, face: u32, stencil: &[u32; 4], corner: usize) -> Option<u32> {
    // The edge opposite of a corner starts at the next one, in the order of the stencil.
    let start = stencil[1 + (corner + 1) % 3];
    let at = faces.corners.get(face as usize)?.iter().position(|&v| v == start)?;
    Some(faces.across[face as usize][at])
}

/// The way over a convex edge from the plane of `first` along that of `second` on which a vertex gets as deep again behind the first as it is
/// (m): a share that falls to 0 on it falls faster than that depth grows. `None` where the edge is not convex, seen from the `side` that is
/// free.
///
/// A groove keeps its band: there the plane that is left tells less than the depth, and a spike went on through the side of a hole that it
/// was handed to.
fn until_outside(
    place: &Place,
    next: &Place,
    first: &[u32; 4],
    second: &[u32; 4],
    side: f64,
    x: &[DVec3],
) -> Option<f64> {
    let ([_, a, ..], [_, d, e, f]) = (corners(first, x)?, corners(second, x)?);
    // Two of these corners are on the edge; in a flat place rounding is to decide nothing.
    let behind: f64 = [d, e, f].iter().map(|p| (*p - a).dot(place.normal) * side).sum();
    let sine = if place.normal.dot(next.normal) > 0.0 { place.normal.cross(next.normal).mag() } else { 1.0 };
    (behind < -1e-9 * place.size).then(|| place.height.abs() / sine.max(f64::MIN_POSITIVE))
}

/// Calls `look` with the faces around a corner of `face`, without itself: round to it again, or from boundary to boundary.
fn around(faces: &Faces<'_>, face: u32, corner: u32, mut look: impl FnMut(u32)) {
    // 2: across the edge that ends at the corner.
    for turn in [0, 2] {
        let mut at = face;
        // A mesh that is not a manifold could go round without coming back.
        for _ in 0..faces.corners.len() {
            let Some(i) = faces.corners.get(at as usize).and_then(|c| c.iter().position(|&v| v == corner))
            else {
                break;
            };
            at = faces.across[at as usize][(i + turn) % 3];
            if at == face {
                return;
            }
            if at != u32::MAX {
                look(at);
            }
        }
    }
}

/// Whether two faces with a corner in common are the walls of a groove of a right angle or less, seen from the `side` that is free:
/// each is in front of the other. Who is behind the first, within its bounds, is then in front of the second.
fn in_groove(first: &[u32; 4], second: &[u32; 4], side: f64, x: &[DVec3]) -> bool {
    let (Some([_, a, b, c]), Some([_, d, e, f])) = (corners(first, x), corners(second, x)) else {
        return false;
    };
    let (m, n) = ((b - a).cross(c - a), (e - d).cross(f - d));
    let (m, n) = (m / m.mag(), n / n.mag());
    // In the corner of a box rounding decides the signs. Without area nothing compares.
    let size = (b - a).mag() + (c - a).mag() + (e - d).mag() + (f - d).mag();
    let before = |p: [DVec3; 3], at: DVec3, n: DVec3| {
        let heights = p.map(|p| (p - at).dot(n) * side);
        heights.iter().all(|&h| h >= -1e-9 * size) && heights.iter().any(|&h| h > 1e-9 * size)
    };
    m.dot(n) <= 1e-9 && before([d, e, f], a, m) && before([a, b, c], d, n)
}

/// Whether a vertex is beside its triangle, as seen along the normal.
pub(crate) fn beside(stencil: &[u32; 4], x: &[DVec3]) -> bool {
    place(stencil, &[1.0, 0.0, 0.0, 0.0], x).is_some_and(|p| p.beyond.is_some())
}

/// Where a vertex is over a triangle.
struct Place {
    /// Signed weights of the vertex' projection. Beside the triangle they are not convex, which is where the force acts while a
    /// contact fades; clamped to the edge, the distance slid would be counted anew in every step.
    weight: [f64; 4],
    /// How far the projection is from the point traced before (m).
    slid: f64,
    /// Of the vertex over the plane (m), negative below.
    height: f64,
    /// Unit; zero where the triangle has no area.
    normal: DVec3,
    /// √(2 area) (m).
    size: f64,
    /// The corner whose opposite edge was passed, the one passed farthest.
    beyond: Option<usize>,
}

/// `None` for a triangle without area.
fn place(stencil: &[u32; 4], old: &[f64; 4], x: &[DVec3]) -> Option<Place> {
    let [p, a, b, c] = corners(stencil, x)?;
    let (u, v, r) = (b - a, c - a, p - a);
    let m = u.cross(v);
    let mm = m.dot(m);
    if !(mm > 0.0 && mm.is_finite()) {
        return None;
    }
    let beta = barycentric(u, v, r, m, mm);
    // Distance past an edge: −β times the altitude, which is 2·area over the edge's length.
    let opposite = [(c - b).mag(), v.mag(), u.mag()];
    let past = |i: usize| -beta[i] / opposite[i].max(f64::MIN_POSITIVE);
    let is_past = |i: usize| -beta[i] * mm.sqrt() > ON_EDGE * opposite[i] * opposite[i];
    let beyond = (0..3).filter(|&i| is_past(i)).max_by(|&i, &j| past(i).total_cmp(&past(j)));
    let moved = [beta[0] + old[1], beta[1] + old[2], beta[2] + old[3]];
    let slid = u * moved[1] + v * moved[2];
    Some(Place {
        weight: [1.0, -beta[0], -beta[1], -beta[2]],
        slid: slid.mag(),
        height: r.dot(m) / mm.sqrt(),
        normal: m / mm.sqrt(),
        size: mm.sqrt().sqrt(),
        beyond,
    })
}

/// On a triangle that takes over; in the middle of one without area, which pushes nothing.
fn place_on(stencil: &[u32; 4], x: &[DVec3]) -> Place {
    let third = -1.0 / 3.0;
    let flat = Place {
        weight: [1.0, third, third, third],
        slid: 0.0,
        height: 0.0,
        normal: DVec3::zero(),
        size: f64::INFINITY,
        beyond: None,
    };
    place(stencil, &[1.0, 0.0, 0.0, 0.0], x).unwrap_or(flat)
}

pub(crate) fn corners(stencil: &[u32; 4], x: &[DVec3]) -> Option<[DVec3; 4]> {
    let at = |i: u32| x.get(i as usize).copied();
    Some([at(stencil[0])?, at(stencil[1])?, at(stencil[2])?, at(stencil[3])?])
}

fn barycentric(u: DVec3, v: DVec3, r: DVec3, m: DVec3, mm: f64) -> [f64; 3] {
    let (b, c) = (r.cross(v).dot(m) / mm, u.cross(r).dot(m) / mm);
    [1.0 - b - c, b, c]
}
