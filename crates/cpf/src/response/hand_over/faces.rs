//! From a face to the edges at its rim, and back: a vertex that leaves the last face that can hold it, and one that comes over a face from beside it.

use super::{EQUAL, Ground, HandOver, Left, Side};
use crate::conserving::PARALLEL;
use crate::{Tracked, TrackedRow, vertex_and_face, vertex_face_key};
use impinge_ccd::{Kind, contact_normal};
use impinge_contact::SlipState;
use impinge_geometry::{DVec3, TriangleFeature, closest_on_triangle, triangle_area_vector, try_normalized};
use impinge_swept::{ENDS, Faces, edges_of, inward};

impl HandOver {
    /// Of the contacts of a vertex and a face of a solid those that fade, where the face that the vertex comes to sees it outside, over a sharp
    /// edge.
    ///
    /// Not of sheets: a ribbon that comes down on a cloth then leaves 7 crossed pairs of triangles in place of 3 (`repro tangled`).
    pub(crate) fn leave_faces(&mut self, before: &Tracked, followed: &Tracked, on: &Ground) {
        let mut at = 0;
        for i in (0..followed.len()).filter(|&i| followed.fading[i]) {
            let Some((vertex, face)) = vertex_and_face(followed.key[i]) else { continue };
            let begins = before.find_next(followed.key[i], &mut at).is_some_and(|j| !before.fading[j]);
            let row = followed.row(i);
            let x = row.stencil.map(|v| on.x[v as usize]);
            let normal = contact_normal(Kind::VertexFace, &x, &x, 0.0, row.side, &row.weight);
            let Some(&corners) = on.faces.corners.get(face as usize) else { continue };
            for (c, next) in on.faces.across[face as usize].into_iter().enumerate() {
                // Across the edge from corner c, opposite of the one before it; the stencil may begin at another corner.
                let (from, to) = (corners[c], corners[(c + 1) % 3]);
                let opposite = (1..4).find(|&k| row.stencil[k] != from && row.stencil[k] != to);
                let passed = opposite.is_some_and(|k| row.weight[k] > 0.0);
                if !passed || height(on, vertex, next).is_some_and(|h| h < 0.0) {
                    continue;
                }
                if let Some(edge) = edge_between(on.faces, from, to) {
                    self.left.push(Left {
                        row,
                        kind: Kind::VertexFace,
                        normal,
                        sides: [Side::At(vertex), Side::Edge(edge)],
                        ends: [None; 2],
                        begins,
                    });
                }
            }
        }
    }

    /// Ends the contacts with faces of solids that edges have taken over, and adds those that take over from edges.
    pub(crate) fn change_faces(&mut self, all: &mut Tracked) {
        if self.taken.is_empty() && self.onto_faces.is_empty() {
            return;
        }
        // One that holds stays as it is; one that fades there holds again.
        let rank = |r: TrackedRow| (if r.fading { -1.0 } else { 2.0 }, r);
        let stay = (0..all.len()).map(|i| rank(all.row(i))).filter(|(_, r)| !self.taken.contains(&r.key));
        self.onto_faces.extend(stay);
        self.onto_faces.sort_by(|a, b| a.1.key.cmp(&b.1.key).then(b.0.total_cmp(&a.0)));
        self.onto_faces.dedup_by_key(|(_, r)| r.key);
        debug_assert!(
            self.onto_faces.iter().all(|(_, r)| !r.fading || r.band > 0.0),
            "it would fade for ever"
        );
        all.clear();
        self.onto_faces.iter().for_each(|(_, r)| all.push(*r));
    }
}

/// Whether a contact of two edges whose lines cross at `at`, past an end, holds until a vertex there is over a face of the other body.
/// `held` has the contacts of vertices and faces: where one of them has that vertex, it holds no longer.
///
/// A vertex at a rim is seen along two normals, that of the edges and that of the face. From one to the other it shifts by their angle
/// times its depth ([`parallax`]), and in between neither would hold. A box flush with the one below stayed there for a tenth of a second, and toppled.
pub(crate) fn comes_to_a_rim(
    row: &TrackedRow,
    at: [f64; 2],
    normal: DVec3,
    held: &Tracked,
    on: &Ground,
) -> bool {
    let (first, second) = edges_of(row.key);
    let mut comes = false;
    for (side, across, free) in [(0, second, normal), (1, first, -normal)] {
        if (0.0..=1.0).contains(&at[side]) {
            continue;
        }
        let vertex = row.stencil[2 * side + usize::from(at[side] > 1.0)];
        for face in at_ends(across, on.faces) {
            let over = Over::new(vertex, face, on).filter(|over| over.pushed(free, on).is_some());
            let Some(over) = over else { continue };
            if over.feature == TriangleFeature::Face || held.find(over.key).is_some_and(|i| !held.fading[i]) {
                return false;
            }
            comes |= over.beside <= parallax(over.height, over.normal, free);
        }
    }
    comes
}

/// A vertex comes onto a face.
pub(crate) struct OntoFace {
    pub along: f64,
    pub row: TrackedRow,
    /// The contact with the face on the other side of the edge: the vertex came in through that one, as deep below the edge as its edges were held, and
    /// would be pushed out along the face that it is to stand on.
    pub shut: Option<u64>,
}

impl OntoFace {
    /// Another edge that begins at the vertex and goes out over the same edge: the corner there parts in two, and the share of this one grows as
    /// it goes away from the vertex.
    pub(crate) fn beside(&self, (along, row): (f64, TrackedRow), on: &Ground) -> Option<(f64, TrackedRow)> {
        let x = row.stencil.map(|v| on.x[v as usize]);
        let vertex = row.stencil.iter().position(|v| *v == self.row.stencil[0])?;
        if !askew(&x) {
            return None;
        }
        let away = (x[vertex] - x[vertex ^ 1]).mag() * (1.0 - row.weight[vertex].abs());
        let band = self.row.height.abs().max(f64::MIN_POSITIVE);
        let open = TrackedRow { anchor: DVec3::zero(), grip: SlipState::Open, ..row };
        Some((along, TrackedRow { share: (away / band).clamp(LEAST, 1.0), band, ..open }))
    }
}

/// The nearest normal, and of those the lowest key.
fn nearest(a: &(f64, TrackedRow), b: &(f64, TrackedRow)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(b.1.key.cmp(&a.1.key))
}

/// Share with which a contact begins that grows; none at all would not be kept.
const LEAST: f64 = 1e-9;

/// Edges that make more than a little angle: along each other they cross anywhere.
fn askew(x: &[DVec3; 4]) -> bool {
    let (u, v) = (x[1] - x[0], x[3] - x[2]);
    u.cross(v).mag_sq() > PARALLEL * u.mag_sq() * v.mag_sq()
}

impl Left {
    /// The edges at a vertex that cross the one that it has gone past. All of them: where each crosses is a corner of what the bodies have in
    /// common. They share what the vertex bore, and each grows to a whole contact as it goes away from the vertex.
    pub(crate) fn across(&self, before: &Tracked, on: &Ground, out: &mut Vec<(f64, TrackedRow)>) {
        let [ours, others] = &self.sides;
        let from = out.len();
        for &e in ours.edges(on.faces) {
            for &f in others.edges(on.faces) {
                let next = self.onto(e, f, before, on);
                out.extend(next.filter(|(_, r)| askew(&r.stencil.map(|v| on.x[v as usize]))));
            }
        }
        let next = &mut out[from..];
        let share = self.row.share / next.len().max(1) as f64;
        for (_, row) in next {
            *row = TrackedRow { share, band: self.band(), fading: false, height: 0.0, ..*row };
        }
    }

    /// Whether edges that may take over cross, `at` along each, with this normal and as deep (m). Past an end they may by as much as the crossing
    /// shifts from one normal to the other: those that take over from a vertex past what [`comes_to_a_rim`] holds there, and those that take over from
    /// edges past the vertices that the others are at. (Where corners changed places on a diagonal neither pair held, and the box tipped over that corner.)
    pub(crate) fn cross(
        &self,
        at: [f64; 2],
        stencil: &[u32; 4],
        (normal, deep): (DVec3, f64),
        on: &Ground,
    ) -> bool {
        let height = if self.kind == Kind::VertexFace { self.row.height } else { deep };
        let most = parallax(height, self.normal, normal);
        (0..2).all(|side| {
            let past = (-at[side]).max(at[side] - 1.0);
            if past <= 0.0 {
                return true;
            }
            let [a, b] = [stencil[2 * side], stencil[2 * side + 1]];
            let [near, far] = if at[side] < 0.0 { [a, b] } else { [b, a] };
            let way = on.x[far as usize] - on.x[near as usize];
            past * way.mag() <= most
                && match self.kind {
                    Kind::VertexFace => near != self.row.stencil[0] || self.goes_back(way, on),
                    Kind::EdgeEdge => self.ends.contains(&Some(near)),
                }
        })
    }

    /// Whether the way of an edge goes back over the face that its vertex has left.
    fn goes_back(&self, way: DVec3, on: &Ground) -> bool {
        let (Some((_, face)), Side::Edge(rim)) = (vertex_and_face(self.row.key), self.sides[1]) else {
            return false;
        };
        let into = inward(on.faces.edges[rim as usize], on.faces.corners[face as usize], on.x);
        into.is_some_and(|into| into.dot(way) > 0.0)
    }

    /// The nearer end of the edge that a vertex has gone past, where that has come over a face at the vertex: corners that lie on each other have
    /// changed places. The other end may have come over that face too, beside another corner. Of a side of two edges that was taken for the corner, which
    /// nothing held from there on: the box tipped over it, and in.
    pub(crate) fn corner_onto_face(&self, on: &Ground) -> Option<(f64, TrackedRow)> {
        let [Side::At(vertex), Side::Edge(rim)] = self.sides else { return None };
        if !self.begins {
            return None;
        }
        let away = |v: &u32| (on.x[*v as usize] - on.x[vertex as usize]).mag_sq();
        let ends = on.faces.edges.get(rim as usize)?;
        let end = ends.iter().copied().min_by(|v, w| away(v).total_cmp(&away(w)))?;
        let edges = on.faces.edges_at.of(vertex).iter();
        let faces = edges
            .flat_map(|&e| on.faces.edge_faces.get(e as usize).into_iter().flatten().map(move |&f| (f, e)));
        faces.filter_map(|at| self.onto_face(end, at, -1.0, on)).max_by(nearest)
    }

    /// The faces beside the one edge that the vertex of the other, past which they cross no more, is behind: the one with the nearest normal. Where
    /// corners lie on each other it may have come over another face at an end of that edge.
    pub(crate) fn onto_faces(&self, on: &Ground) -> Option<OntoFace> {
        let (first, second) = edges_of(self.row.key);
        let best = |vertex: u32, edge: u32, turned: f64| {
            let among = |faces: &mut dyn Iterator<Item = u32>| {
                let next = faces.filter_map(|f| self.onto_face(vertex, (f, edge), turned, on));
                next.max_by(nearest)
            };
            let faces = on.faces.edge_faces.get(edge as usize).copied().unwrap_or([u32::MAX; 2]);
            let beside = among(&mut faces.into_iter());
            let (along, row) = beside.or_else(|| among(&mut at_ends(edge, on.faces)))?;
            let shut = faces.into_iter().find(|&f| {
                let turns = || {
                    Over::new(vertex, f, on)
                        .is_none_or(|o| o.normal.dot(self.normal) * turned < along - EQUAL)
                };
                vertex_face_key(vertex, f) != row.key && (beside.is_some() || turns())
            });
            Some(OntoFace { along, row, shut: shut.map(|f| vertex_face_key(vertex, f)) })
        };
        match self.sides {
            [Side::At(v), Side::Edge(_)] => best(v, second, 1.0),
            [Side::Edge(_), Side::At(v)] => best(v, first, -1.0),
            // Past an end of both: in a concave edge that one end has come into.
            [Side::At(v), Side::At(w)] => [best(v, second, 1.0), best(w, first, -1.0)]
                .into_iter()
                .flatten()
                .max_by(|a, b| a.along.total_cmp(&b.along)),
            [Side::Edge(_), Side::Edge(_)] => None,
        }
    }

    fn onto_face(
        &self,
        vertex: u32,
        (face, edge): (u32, u32),
        turned: f64,
        on: &Ground,
    ) -> Option<(f64, TrackedRow)> {
        let over = Over::new(vertex, face, on)?;
        let along = over.pushed(self.normal * turned, on)?;
        // A corner that takes over from a corner may be beside its face by what it shifts from one normal to the other, and by rounding.
        let rounded = ENDS * (over.p[2] - over.p[1]).mag();
        let beside = || over.beside <= parallax(over.height, over.normal, self.normal).max(rounded);
        let on_face = over.feature == TriangleFeature::Face || self.kind == Kind::VertexFace && beside();
        if !on_face && !in_a_groove(vertex, face, edge, on) {
            return None;
        }
        let Over { key, stencil, p, weight, height, normal, .. } = over;
        let (anchor, grip) = self.anchor(Kind::VertexFace, &p, &weight, normal, turned, on);
        let row = TrackedRow { key, stencil, side: 1, weight, height, anchor, grip, ..self.row };
        // A vertex that begins to fade hands on all that it bore.
        let (share, band) = match self.kind {
            Kind::EdgeEdge => (1.0, 0.0),
            Kind::VertexFace => (self.row.share, self.band()),
        };
        Some((along, TrackedRow { share, band, fading: false, ..row }))
    }

    /// The way on which what takes over grows to a whole contact (m): the one on which this fades, and no less than its depth.
    fn band(&self) -> f64 {
        self.row.band.max(self.row.height.abs()).max(f64::MIN_POSITIVE)
    }
}

/// A vertex over a face.
struct Over {
    key: u64,
    stencil: [u32; 4],
    /// Places of the stencil (m).
    p: [DVec3; 4],
    /// Of the nearest point of the face.
    weight: [f64; 4],
    /// Over its plane (m).
    height: f64,
    feature: TriangleFeature,
    /// From its foot on that plane to the face (m).
    beside: f64,
    /// Of the face.
    normal: DVec3,
}

impl Over {
    /// `None` where there is no face, or none with an area.
    fn new(vertex: u32, face: u32, on: &Ground) -> Option<Self> {
        let &[a, b, c] = on.faces.corners.get(face as usize)?;
        let stencil = [vertex, a, b, c];
        let p = stencil.map(|v| on.x[v as usize]);
        let height = height(on, vertex, face)?;
        let hit = closest_on_triangle(p[0], [p[1], p[2], p[3]]);
        let [wa, wb, wc] = hit.weights;
        let weight = [1.0, -wa, -wb, -wc];
        let normal = contact_normal(Kind::VertexFace, &p, &p, 0.0, 1, &weight);
        let key = vertex_face_key(vertex, face);
        let beside = (p[0] - normal * height - hit.point).mag();
        Some(Self { key, stencil, p, weight, height, feature: hit.feature, beside, normal })
    }

    /// Cosine of the angle from the face's normal to this way, where it is behind the face and may be pushed out about along the way.
    fn pushed(&self, way: DVec3, on: &Ground) -> Option<f64> {
        let along = self.normal.dot(way);
        let may =
            self.height < 0.0 && along > super::ALONG && (on.opposes)(self.key, self.stencil, self.normal);
        may.then_some(along)
    }
}

/// How far a point as deep (m) behind a plane shifts beside it, seen along another normal than the plane's (m).
fn parallax(depth: f64, plane: DVec3, seen: DVec3) -> f64 {
    depth.abs() * plane.cross(seen).mag()
}

/// Whether a vertex behind the plane of a face is within its side at `edge`, and beyond others only where the face there rises in front of
/// it by more than [`ALONG`](super::ALONG) has it: at the bottom of a groove what is deeper than the edge there is behind both walls.
fn in_a_groove(vertex: u32, face: u32, edge: u32, on: &Ground) -> bool {
    let f = face as usize;
    let (Some(corners), Some(ends)) = (on.faces.corners.get(f), on.faces.edges.get(edge as usize)) else {
        return false;
    };
    let place = |c: [u32; 3]| c.map(|v| on.x[v as usize]);
    let [a, b, c] = place(*corners);
    let area = triangle_area_vector([a, b, c]);
    let p = on.x[vertex as usize];
    // Whose sign is that of the weight of the corner across from each side.
    let inside = [(b, c), (c, a), (a, b)].map(|(q, r)| area.dot((r - q).cross(p - q)));
    (0..3).all(|k| {
        let rises = || {
            let next = on.faces.across[f][(k + 1) % 3];
            let wall = on.faces.corners.get(next as usize)?;
            let third = wall.iter().find(|v| !corners.contains(v))?;
            let turned = try_normalized(triangle_area_vector(place(*wall)))?.dot(try_normalized(area)?);
            Some(height(on, *third, face)? > 0.0 && turned <= super::ALONG)
        };
        inside[k] >= 0.0 || ends.contains(&corners[k]) && rises().unwrap_or(false)
    })
}

/// Of a vertex over the plane of a face (m); `None` where there is no face, or none with an area.
fn height(on: &Ground, vertex: u32, face: u32) -> Option<f64> {
    let corners = on.faces.corners.get(face as usize)?.map(|v| on.x[v as usize]);
    let n: DVec3 = try_normalized(triangle_area_vector(corners))?;
    Some((on.x[vertex as usize] - corners[0]).dot(n))
}

/// The faces at the ends of an edge, those beside it among them; some more than once.
fn at_ends(edge: u32, faces: &Faces) -> impl Iterator<Item = u32> {
    let ends = faces.edges.get(edge as usize).into_iter().flatten();
    let edges = ends.flat_map(|&v| faces.edges_at.of(v));
    edges.filter_map(|&e| faces.edge_faces.get(e as usize)).flatten().copied()
}

pub(crate) fn edge_between(faces: &Faces, a: u32, b: u32) -> Option<u32> {
    let ends = |e: &&u32| faces.edges.get(**e as usize).is_some_and(|e| *e == [a, b] || *e == [b, a]);
    faces.edges_at.of(a).iter().find(ends).copied()
}
