//! What takes over at a seam, and what lets go there.

use super::standing_normal;
use super::{ALONG, Standing};
use crate::follow::in_frame_of;
use crate::response::hand_over::{FLAT, edge_between};
use crate::{Tracked, TrackedRow};
use impinge_bodies::{TOUCHING, coplanar};
use impinge_ccd::Kind;
use impinge_contact::SlipState;
use impinge_geometry::{
    DVec3, closest_on_segment, closest_on_triangle, triangle_area_vector, try_normalized,
};
use impinge_swept::{List, Matter, crossing, edge_edge_key, vertex_face_key, weights};
use smallvec::SmallVec;

/// Sine of the angle up to which an outline goes straight on: well above the rounding of meshes of single precision, well below the angles of round ones.
const IN_LINE: f64 = 1e-3;

/// Faces that are looked at around a wall.
const FACES: usize = 64;

/// The face of a solid by which a vertex leaves it along `out`: of those from `walls` on to which it is no farther than `deepest`, the
/// nearest. The vertex may have gone `way` (m) since it came in by one of the walls, which is another side: `normal` is that of the wall, or zero. None
/// where its surface does not look that way.
pub(super) fn continues(
    on: &Standing<'_>,
    vertex: u32,
    (walls, normal): (&[u32], DVec3),
    out: DVec3,
    [deepest, way]: [f64; 2],
    x: &dyn Fn(u32) -> DVec3,
) -> Option<u32> {
    let faces = on.matter.faces;
    let p = x(vertex);
    let mut seen: SmallVec<[u32; 16]> = walls.iter().copied().filter(|f| *f != u32::MAX).collect();
    let mut best: Option<(f64, u32)> = None;
    let mut at = 0;
    while let Some(&face) = seen.get(at).filter(|_| at < FACES) {
        at += 1;
        let Some(&corners) = faces.corners.get(face as usize) else { continue };
        let c = corners.map(x);
        if let Some(n) = try_normalized(triangle_area_vector(c))
            && n.dot(out) > ALONG
            && n.dot(normal) < ALONG
        {
            let depth = n.dot(c[0] - p) / n.dot(out);
            let away = closest_on_triangle(p, c).distance_squared;
            let opposes = || {
                let [a, b, c] = corners;
                let key = vertex_face_key(vertex, face);
                on.matter.meets_outside_at(List::Solid, x, key, [vertex, a, b, c], n)
            };
            let near = away <= deepest * deepest && best.is_none_or(|b| away < b.0);
            if (0.0..=deepest).contains(&depth) && near && opposes() {
                best = Some((away, face));
            }
        }
        for (i, next) in faces.across[face as usize].into_iter().enumerate() {
            let side = || [c[i], c[(i + 1) % 3]];
            let reach = deepest + way;
            let near = || closest_on_segment(p, side()).distance_squared <= reach * reach;
            if next != u32::MAX && !seen.contains(&next) && near() {
                seen.push(next);
            }
        }
    }
    best.map(|(_, face)| face)
}

/// Whole from the next step on: until then the first body has held.
fn from_now_on(row: TrackedRow) -> TrackedRow {
    TrackedRow { share: 0.0, band: 2.0 * f64::MIN_POSITIVE, ..row }
}

/// The contact of a vertex with the face that takes it over.
pub(super) fn taken_over(
    on: &Standing<'_>,
    vertex: u32,
    face: u32,
    x: &dyn Fn(u32) -> DVec3,
) -> Option<TrackedRow> {
    let &[a, b, c] = on.matter.faces.corners.get(face as usize)?;
    let (key, stencil) = (vertex_face_key(vertex, face), [vertex, a, b, c]);
    let stiffness = on.matter.stiffness(List::Solid, stencil, key)?;
    let [wa, wb, wc] = closest_on_triangle(x(vertex), [a, b, c].map(x)).weights;
    Some(from_now_on(TrackedRow::opened(key, stencil, 1, [1.0, -wa, -wb, -wc], stiffness)))
}

/// The faces beside an edge lie in one plane.
fn is_flat(on: &Standing<'_>, edge: u32, x: &dyn Fn(u32) -> DVec3) -> bool {
    let faces = on.matter.faces;
    let normal = |f: u32| try_normalized(triangle_area_vector(faces.corners.get(f as usize)?.map(x)));
    let beside = faces.edge_faces.get(edge as usize).map(|f| f.map(normal));
    matches!(beside, Some([Some(a), Some(b)]) if coplanar(a, b, FLAT))
}

/// The outline of its body goes straight on at a vertex: it is no corner of what two bodies have in common, as little as those amid a floor are. (A box that
/// rubbed over a border of more vertices than its own was lifted by each of them, and went 0.02 m/s too fast.)
pub(super) fn in_line(on: &Standing<'_>, vertex: u32, x: &dyn Fn(u32) -> DVec3) -> bool {
    let faces = on.matter.faces;
    let outline = faces.edges_at.of(vertex).iter().filter(|e| !is_flat(on, **e, x));
    let ways: SmallVec<[Option<DVec3>; 4]> = outline
        .map(|&e| {
            let [a, b] = faces.edges[e as usize];
            try_normalized(x(if a == vertex { b } else { a }) - x(vertex))
        })
        .collect();
    matches!(ways[..], [Some(a), Some(b)] if coplanar(a, -b, IN_LINE))
}

/// Adds the contacts of edges at a vertex that came in by one of two faces and leaves by the other with the edges there of the body that stands on
/// another. Those of its own body are no outline where it goes on from the other one.
pub(super) fn edges_take_over(
    on: &Standing<'_>,
    vertex: u32,
    by: [u32; 2],
    (n, deepest): (DVec3, f64),
    x: &dyn Fn(u32) -> DVec3,
    out: &mut Vec<TrackedRow>,
) {
    let faces = on.matter.faces;
    let flat = |e: u32| is_flat(on, e, x);
    for corners in by.iter().filter_map(|f| faces.corners.get(*f as usize)) {
        let sides = [0, 1, 2].map(|i: usize| edge_between(faces, corners[i], corners[(i + 1) % 3]));
        for rim in sides.into_iter().flatten().filter(|e| !flat(*e)) {
            for &edge in faces.edges_at.of(vertex).iter().filter(|e| !flat(**e)) {
                let ours = edge < rim;
                let (first, second) = if ours { (edge, rim) } else { (rim, edge) };
                let ([a, b], [c, d]) = (faces.edges[first as usize], faces.edges[second as usize]);
                let (key, stencil) = (edge_edge_key(first, second), [a, b, c, d]);
                let p = stencil.map(x);
                let Some(at) = crossing(&p) else { continue };
                if !at.iter().all(|s| (-TOUCHING..=1.0 + TOUCHING).contains(s)) {
                    continue;
                }
                let (weight, wanted) = (weights(at), if ours { n } else { -n });
                let normal = |side| standing_normal(Kind::EdgeEdge, &p, side, &weight);
                let side = if normal(1).dot(wanted) < 0.0 { -1 } else { 1 };
                let m = normal(side);
                let depth = m.dot(p[2] - p[0]);
                let holds = m.dot(wanted) > ALONG
                    && depth > 0.0
                    && depth <= deepest
                    && on.matter.meets_outside_at(List::Edges, x, key, stencil, m);
                if let Some(stiffness) = on.matter.stiffness(List::Edges, stencil, key).filter(|_| holds) {
                    out.push(from_now_on(TrackedRow::opened(key, stencil, side, weight, stiffness)));
                }
            }
        }
    }
}

/// Takes the rows with these keys (ascending) out of `rows`, and puts in those handed over that are not there.
pub(crate) fn change(rows: &mut Tracked, out: &[u64], handed: &mut Vec<TrackedRow>, kept: &mut Tracked) {
    handed.sort_by_key(|r| r.key);
    handed.dedup_by_key(|r| r.key);
    handed.retain(|r| rows.find(r.key).is_none());
    if out.is_empty() && handed.is_empty() {
        return;
    }
    kept.clear();
    let mut at = 0;
    for i in (0..rows.len()).filter(|&i| out.binary_search(&rows.key[i]).is_err()) {
        while let Some(row) = handed.get(at).filter(|r| r.key < rows.key[i]) {
            kept.push(*row);
            at += 1;
        }
        kept.push(rows.row(i));
    }
    handed[at..].iter().for_each(|row| kept.push(*row));
    handed.clear();
    std::mem::swap(rows, kept);
}

/// Lets go of a vertex that has passed the rim of a face, where another body holds it from the same side: what it leaves through is covered. The friction
/// spring goes with it.
pub(crate) fn let_go(matter: &Matter<'_>, x: &[DVec3], rows: &mut Tracked, kept: &mut Tracked) {
    let body = |r: &Tracked, i: usize| matter.map.body_of(r.stencil[i][3]);
    let seen = |r: &Tracked, i: usize| {
        let p = r.stencil[i].map(|v| x[v as usize]);
        let n = standing_normal(Kind::VertexFace, &p, r.side[i], &r.weight[i]);
        (n, n.dot(p[1] - p[0]))
    };
    let mut out: SmallVec<[usize; 8]> = SmallVec::new();
    for i in 0..rows.len() {
        if !rows.fading[i] {
            continue;
        }
        // Rows of a vertex come together.
        let ours = |j: &usize| rows.stencil[*j][0] == rows.stencil[i][0];
        let from = (0..i).rev().take_while(ours).last().unwrap_or(i);
        let to = i + (i..rows.len()).take_while(ours).count();
        let (n, from_body) = (seen(rows, i).0, body(rows, i));
        let holds = |&j: &usize| {
            if rows.fading[j] || body(rows, j) == from_body {
                return false;
            }
            let (m, depth) = seen(rows, j);
            rows.weight[j][1..].iter().all(|w| *w <= 0.0) && depth > 0.0 && m.dot(n) > ALONG
        };
        let Some(j) = (from..to).find(holds) else { continue };
        let goes = |k: &usize| body(rows, *k) == from_body && (rows.fading[*k] || rows.share[*k] == 0.0);
        out.extend((from..to).filter(goes));
        let fresh = rows.grip[j] == SlipState::Open;
        if let Some(anchor) = in_frame_of(&rows.row(i), &rows.stencil[j], x).filter(|_| fresh) {
            (rows.anchor[j], rows.grip[j]) = (anchor, rows.grip[i]);
        }
    }
    if out.is_empty() {
        return;
    }
    out.sort_unstable();
    kept.clear();
    (0..rows.len()).filter(|i| out.binary_search(i).is_err()).for_each(|i| kept.push(rows.row(i)));
    std::mem::swap(rows, kept);
}
