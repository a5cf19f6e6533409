//! From a face to the edges at its rim, and back: a vertex that leaves the last face that can hold it, and one that comes over a face from beside it.

use super::{Ground, HandOver, Left, Side};
use crate::adapters::swept::Matter;
use crate::swept::{Faces, List};
use impinge_ccd::{Kind, contact_normal};
use impinge_cpf::{Tracked, TrackedRow, vertex_and_face, vertex_face_key};
use impinge_geometry::{DVec3, TriangleFeature, closest_on_triangle, triangle_area_vector, try_normalized};

impl HandOver {
    /// Of the contacts of a vertex and a face of a solid those that begin to fade in this step, where the face that the vertex comes to sees
    /// it outside, over a sharp edge.
    ///
    /// Not of sheets: a ribbon that comes down on a cloth then leaves 7 crossed pairs of triangles in place of 3 (`repro tangled`).
    pub(in super::super) fn leave_faces(&mut self, before: &Tracked, followed: &Tracked, on: &Ground) {
        let mut at = 0;
        for i in (0..followed.len()).filter(|&i| followed.fading[i]) {
            let key = followed.key[i];
            let begins = before.find_next(key, &mut at).is_some_and(|j| !before.fading[j]);
            let Some((vertex, face)) = vertex_and_face(key).filter(|_| begins) else { continue };
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
                    });
                }
            }
        }
    }

    /// Ends the contacts with faces of solids that edges have taken over, and adds those that take over from edges.
    pub(in super::super) fn change_faces(&mut self, matter: &Matter<'_>, on: &Ground, all: &mut Tracked) {
        self.onto_faces.retain(|(_, r)| {
            let x = r.stencil.map(|v| on.x[v as usize]);
            let n = contact_normal(Kind::VertexFace, &x, &x, 0.0, r.side, &r.weight);
            matter.meets_outside(List::Solid, on.x, r.key, r.stencil, n)
        });
        if self.taken.is_empty() && self.onto_faces.is_empty() {
            return;
        }
        // One that holds stays as it is; one that fades there holds again.
        let rank = |r: TrackedRow| (if r.fading { -1.0 } else { 2.0 }, r);
        let stay = (0..all.len()).map(|i| rank(all.row(i))).filter(|(_, r)| !self.taken.contains(&r.key));
        self.onto_faces.extend(stay);
        self.onto_faces.sort_by(|a, b| a.1.key.cmp(&b.1.key).then(b.0.total_cmp(&a.0)));
        self.onto_faces.dedup_by_key(|(_, r)| r.key);
        all.clear();
        self.onto_faces.iter().for_each(|(_, r)| all.push(*r));
    }
}

impl Left {
    /// The faces beside the one edge that the vertex of the other, past which they cross no more, is behind: the one with the nearest normal.
    pub(super) fn onto_faces(&self, on: &Ground, out: &mut Vec<(f64, TrackedRow)>) {
        let (vertex, edge, turned) = match self.sides {
            [Side::At(v), Side::Edge(e)] if self.kind == Kind::EdgeEdge => (v, e, 1.0),
            [Side::Edge(e), Side::At(v)] => (v, e, -1.0),
            _ => return,
        };
        let faces = on.faces.edge_faces.get(edge as usize).copied().unwrap_or([u32::MAX; 2]);
        let next = faces.into_iter().filter_map(|f| self.onto_face(vertex, f, turned, on));
        out.extend(next.max_by(|a, b| a.0.total_cmp(&b.0)));
    }

    fn onto_face(&self, vertex: u32, face: u32, turned: f64, on: &Ground) -> Option<(f64, TrackedRow)> {
        let &[a, b, c] = on.faces.corners.get(face as usize)?;
        let stencil = [vertex, a, b, c];
        let p = stencil.map(|v| on.x[v as usize]);
        let height = height(on, vertex, face)?;
        let hit = closest_on_triangle(p[0], [p[1], p[2], p[3]]);
        let [wa, wb, wc] = hit.weights;
        let weight = [1.0, -wa, -wb, -wc];
        let n = contact_normal(Kind::VertexFace, &p, &p, 0.0, 1, &weight);
        let along = n.dot(self.normal) * turned;
        if !(along > super::ALONG && height < 0.0 && hit.feature == TriangleFeature::Face) {
            return None;
        }
        let (anchor, grip) = self.anchor(Kind::VertexFace, &p, &weight, n, turned, on);
        let key = vertex_face_key(vertex, face);
        Some((along, TrackedRow { key, stencil, side: 1, weight, height, anchor, grip, ..self.row }))
    }
}

/// Of a vertex over the plane of a face (m); `None` where there is no face, or none with an area.
fn height(on: &Ground, vertex: u32, face: u32) -> Option<f64> {
    let corners = on.faces.corners.get(face as usize)?.map(|v| on.x[v as usize]);
    let n: DVec3 = try_normalized(triangle_area_vector(corners))?;
    Some((on.x[vertex as usize] - corners[0]).dot(n))
}

fn edge_between(faces: &Faces, a: u32, b: u32) -> Option<u32> {
    let ends = |e: &&u32| faces.edges.get(**e as usize).is_some_and(|e| *e == [a, b] || *e == [b, a]);
    faces.edges_at.of(a).iter().find(ends).copied()
}
