//! A skin embedded in the tets of a body, after the body was cut: every point back to a tet on its own side.
//!
//! Takes the tet and the weights of each point in the old mesh, gives them in the new one. A point keeps its
//! place in the rest pose: weights in a piece of its old tet are those of the same point, extrapolated where it
//! stands a little beyond it. The skin itself is cut by [`cut_triangles`](super::cut_triangles) with the same
//! level set; its new vertices are attached before the body is cut and then come through here like all others.

use super::{EditError, TetEdit, check_length};
use crate::{TetMesh, TetTopology, tet_volume};
use ultraviolet::DVec3;

/// Points on the tets of an edited mesh, a row per point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reattached {
    /// The tet of each point; [`Reattached::NONE`] for a lost one.
    pub tet: Vec<u32>,
    /// Its corners.
    pub stencil: Vec<[u32; 4]>,
    /// Their weights; the sum is 1 (0 for a lost point).
    pub weights: Vec<[f64; 4]>,
    /// Points whose tet is gone, ascending: remove them and their triangles from the skin.
    pub lost: Vec<u32>,
    /// Points that found no tet on their own side near by and stay on the other, ascending.
    pub strayed: Vec<u32>,
    /// The largest weight by magnitude; well above 1 where a point is far outside the piece it rides on.
    pub max_weight: f64,
}

impl Reattached {
    /// Stands where there is no tet.
    pub const NONE: u32 = u32::MAX;
}

/// Attaches points to the pieces of the tets they were on. With `sides` (of each point and of each new tet, as
/// in [`TetCut::side`](super::TetCut::side)) only pieces on the point's side count; where the old tet went
/// whole to the other side, the tets around it are asked. Of the pieces that count, the one the point is
/// deepest in (or least outside of) has it; then the lowest.
///
/// # Errors
/// [`EditError::Length`]; [`EditError::NotConsecutive`] for a tet that `old` does not have, or an edit of
/// another mesh.
pub fn reattach(
    old: &TetMesh,
    edit: &TetEdit,
    tet: &[u32],
    weights: &[[f64; 4]],
    sides: Option<(&[i8], &[i8])>,
) -> Result<Reattached, EditError> {
    check_length("rows of weights", weights.len(), tet.len())?;
    check_length("old nodes", old.positions().len(), edit.nodes.old_len())?;
    if let Some((points, tets)) = sides {
        check_length("sides of points", points.len(), tet.len())?;
        check_length("sides of tets", tets.len(), edit.mesh.tets().len())?;
    }
    if tet.iter().chain(edit.tet_parent.last()).any(|&t| t as usize >= old.tets().len()) {
        return Err(EditError::NotConsecutive);
    }
    let mut around: Option<TetTopology> = None;
    let mut out = Reattached::default();
    for (i, (&t, w)) in tet.iter().zip(weights).enumerate() {
        let pieces = edit.children(t);
        if pieces.is_empty() {
            out.lost.push(i as u32);
            out.push(Reattached::NONE, [Reattached::NONE; 4], [0.0; 4]);
            continue;
        }
        let same_side = |c: &usize| sides.is_none_or(|(points, tets)| tets[*c] == points[i]);
        let corners = old.tets()[t as usize];
        let first = pieces.start;
        // A tet that was left alone keeps its weights, bit for bit.
        let whole =
            (0..4).all(|k| edit.nodes.source(edit.mesh.tets()[first][k] as usize) == Some(corners[k]));
        if pieces.len() == 1 && whole && same_side(&first) {
            out.push(first as u32, edit.mesh.tets()[first], *w);
            continue;
        }
        let x = |k: usize| old.positions()[corners[k] as usize];
        let p = ((x(0) * w[0] + x(1) * w[1]) + x(2) * w[2]) + x(3) * w[3];
        let mut found = deepest(&edit.mesh, pieces.clone().filter(same_side), p);
        if found.is_none() {
            let topology = around.get_or_insert_with(|| TetTopology::new(old));
            let mut near: Vec<u32> = corners.iter().flat_map(|&v| topology.vertex_tets(v)).copied().collect();
            near.sort_unstable();
            near.dedup();
            let pieces = near.iter().flat_map(|&t| edit.children(t));
            found = deepest(&edit.mesh, pieces.filter(same_side), p);
        }
        let (at, w) = match found.or_else(|| {
            out.strayed.push(i as u32);
            deepest(&edit.mesh, pieces, p)
        }) {
            Some(found) => found,
            None => (first, *w),
        };
        out.push(at as u32, edit.mesh.tets()[at], w);
    }
    Ok(out)
}

impl Reattached {
    fn push(&mut self, tet: u32, stencil: [u32; 4], weights: [f64; 4]) {
        self.tet.push(tet);
        self.stencil.push(stencil);
        self.weights.push(weights);
        self.max_weight = weights.iter().fold(self.max_weight, |m, w| m.max(w.abs()));
    }
}

/// The tet with the largest least weight at `p`.
fn deepest(mesh: &TetMesh, tets: impl Iterator<Item = usize>, p: DVec3) -> Option<(usize, [f64; 4])> {
    let mut best: Option<(f64, usize, [f64; 4])> = None;
    for t in tets {
        let c = mesh.corners(t).map(|x| x - p);
        let volume = |i: usize| {
            let mut d = c;
            d[i] = DVec3::zero();
            tet_volume(d)
        };
        let v = [0, 1, 2, 3].map(volume);
        let sum: f64 = v.iter().sum();
        let w = v.map(|x| x / sum);
        let least = w.iter().fold(f64::INFINITY, |m: f64, &x| m.min(x));
        if w.iter().all(|x| x.is_finite()) && best.is_none_or(|b| least > b.0) {
            best = Some((least, t, w));
        }
    }
    best.map(|b| (b.1, b.2))
}
