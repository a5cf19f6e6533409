//! What the swept responses keep of their open contacts: how it is hashed, checked, and carried over a cut.

use super::tables::{Faces, Followed, SweptCandidates, Tracked, TrackedNext, edges_of};
use crate::column::columns;
use crate::kept::{Kept, Within};
use crate::tables::Table;
use impinge_bodies::{Renaming, Renumber};
use impinge_contact::{StateHash, SurfaceMap};
use impinge_cpf::{TrackedRow, edge_edge_key, vertex_and_face, vertex_face_key};
use impinge_geometry::DVec3;
use std::mem::swap;

/// Tables of the responses that follow features on their swept path.
pub(crate) const SWEPT: [Table; 4] =
    [Table::of::<SweptCandidates>(), Table::of::<Faces>(), Table::of::<Followed>(), Table::kept::<Tracked>()];

impl Kept for Tracked {
    type Next = TrackedNext;

    fn accept(&mut self, next: &mut TrackedNext) {
        swap(&mut self.0, &mut next.0);
    }

    fn begin(next: &mut TrackedNext) {
        next.0.iter_mut().for_each(impinge_cpf::Tracked::clear);
    }

    fn hash(&self, h: &mut StateHash) {
        self.hash_into(h);
    }

    fn check(&self, within: &Within<'_>) -> Result<(), String> {
        Tracked::check(self, within.map, within.shapes, within.laws)
    }

    fn after_cut(&self, cut: &Renumber<'_>) -> Self {
        after_cut(self, cut)
    }

    fn rename(&mut self, to: &Renaming) {
        for open in &mut self.0 {
            let mut left = impinge_cpf::Tracked::default();
            for row in (0..open.len()).map(|i| open.row(i)) {
                let stencil = row.stencil.map(|v| to.vertex(v));
                let ([Some(a), Some(b), Some(c), Some(d)], Some(key)) =
                    (stencil, to.pair_of_features(row.key))
                else {
                    continue;
                };
                left.push(TrackedRow { key, stencil: [a, b, c, d], ..row });
            }
            *open = left;
        }
    }

    fn forget_pair(&mut self, map: &SurfaceMap, pair: (u32, u32)) {
        for open in &mut self.0 {
            let mut left = impinge_cpf::Tracked::default();
            for row in (0..open.len()).map(|i| open.row(i)) {
                let [a, b] = [row.stencil[0], row.stencil[3]].map(|v| map.body_of(v));
                if (a.min(b), a.max(b)) != pair {
                    left.push(row);
                }
            }
            *open = left;
        }
    }
}

columns! {
    SweptCandidates => "swept candidates", Step;
    Faces => "faces", Step;
    Tracked => "tracked", State;
    Followed => "followed", Step;
    TrackedNext => "tracked next", Step;
}

/// The contacts under their new numbers.
fn after_cut(old: &Tracked, cut: &Renumber<'_>) -> Tracked {
    let mut out = Tracked::default();
    for (old, new) in old.0.iter().zip(&mut out.0) {
        let mut rows: Vec<TrackedRow> = Vec::new();
        (0..old.len()).for_each(|i| contact(&old.row(i), cut, &mut rows));
        rows.sort_by_key(|r| r.key);
        rows.dedup_by_key(|r| r.key);
        rows.into_iter().for_each(|r| new.push(r));
    }
    out
}

fn contact(row: &TrackedRow, cut: &Renumber<'_>, out: &mut Vec<TrackedRow>) {
    let ([a, b, c, d], w) = (row.stencil, row.weight);
    if let Some((vertex, face)) = vertex_and_face(row.key) {
        let Some(on) = cut.face(face, [b, c, d], [-w[1], -w[2], -w[3]], row.anchor) else { return };
        for v in cut.vertex(vertex) {
            let key = vertex_face_key(v.number, on.number);
            let [b, c, d] = on.vertices;
            let weight = [1.0, -on.weight[0], -on.weight[1], -on.weight[2]];
            let stencil = [v.vertices[0], b, c, d];
            out.push(TrackedRow { key, stencil, weight, anchor: on.anchor, ..*row });
        }
        return;
    }
    let (e, f) = edges_of(row.key);
    let second = cut.edge(f, [c, d], [-w[2], -w[3]], row.anchor);
    for p in cut.edge(e, [a, b], [w[0], w[1]], DVec3::zero()) {
        for q in &second {
            let key = edge_edge_key(p.number, q.number);
            let ([a, b], [c, d]) = (p.vertices, q.vertices);
            let weight = [p.weight[0], p.weight[1], -q.weight[0], -q.weight[1]];
            out.push(TrackedRow { key, stencil: [a, b, c, d], weight, anchor: q.anchor, ..*row });
        }
    }
}
