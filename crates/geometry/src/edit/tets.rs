//! Edits of tet meshes: bisected edges, opened faces, removed tets, and cuts along a level set.

use super::fans::{pinched_edges, separate, side};
use super::simplex::{bisect, check_values, checked_cuts, crossing};
use super::{CutOptions, EdgeCut, EditError, NodeMap, check_length};
use crate::{TetMesh, tet_orientation};
use std::cmp::Ordering;

/// An edited tet mesh and where everything in it comes from. Every tet is positive; no edit leaves a node
/// behind that a tet named before and none names now.
#[derive(Clone, Debug, PartialEq)]
pub struct TetEdit {
    /// The mesh after the edit.
    pub mesh: TetMesh,
    /// Its nodes as sums of old ones.
    pub nodes: NodeMap,
    /// The old tet that each tet is, or is a piece of; ascending.
    pub tet_parent: Vec<u32>,
}

impl TetEdit {
    /// This edit, then one made from its mesh, as one edit of the first mesh.
    ///
    /// # Errors
    /// [`EditError::NotConsecutive`].
    pub fn then(self, next: Self) -> Result<Self, EditError> {
        let old = |t: &u32| self.tet_parent.get(*t as usize).copied().ok_or(EditError::NotConsecutive);
        let tet_parent = next.tet_parent.iter().map(old).collect::<Result<_, _>>()?;
        Ok(Self { nodes: self.nodes.then(&next.nodes)?, mesh: next.mesh, tet_parent })
    }

    /// The tets that an old tet has become; empty for one that is gone.
    #[must_use]
    pub fn children(&self, old_tet: u32) -> std::ops::Range<usize> {
        let p = &self.tet_parent;
        p.partition_point(|&t| t < old_tet)..p.partition_point(|&t| t <= old_tet)
    }

    /// New rest positions follow from the map: the same numbers as for any other quantity it carries.
    fn made(
        old: &TetMesh,
        nodes: NodeMap,
        tets: Vec<[u32; 4]>,
        tet_parent: Vec<u32>,
    ) -> Result<Self, EditError> {
        let mesh = TetMesh::new(nodes.carry(old.positions()), tets)?;
        for (t, &parent) in tet_parent.iter().enumerate() {
            if tet_orientation(mesh.corners(t)) != Ordering::Greater {
                return Err(EditError::Sliver { element: parent as usize });
            }
        }
        Ok(Self { mesh, nodes, tet_parent })
    }
}

/// Puts new nodes on edges and subdivides every tet that has one of them. Volumes are kept to rounding, the
/// boundary too. Cuts may come in any order; of two on one edge the first is taken.
///
/// # Errors
/// [`EditError`]: a flat or inverted tet in `mesh`, an edge that no tet has, a `t` outside (0, 1), a piece
/// turned over by rounding.
pub fn bisect_tets(mesh: &TetMesh, cuts: &[EdgeCut]) -> Result<TetEdit, EditError> {
    mesh.require_positive()?;
    let cuts = checked_cuts(mesh.positions(), mesh.tets(), cuts)?;
    bisected(mesh, &cuts)
}

fn bisected(mesh: &TetMesh, cuts: &[EdgeCut]) -> Result<TetEdit, EditError> {
    let b = bisect(mesh.positions(), mesh.tets(), cuts);
    TetEdit::made(mesh, b.nodes, b.elements, b.parent)
}

/// Opens faces between tets: fracture along the mesh. A node is copied where the tets around it no longer hang
/// together through closed faces, so the rim of an opened patch stays one node and a crack can grow face by
/// face. Faces are named by their vertices in any order; those on the boundary are open already.
///
/// # Errors
/// [`EditError::NotInMesh`] for a face that no tet has; a flat or inverted tet in `mesh`.
pub fn open_faces(mesh: &TetMesh, faces: &[[u32; 3]]) -> Result<TetEdit, EditError> {
    mesh.require_positive()?;
    let mut open = faces.to_vec();
    open.iter_mut().for_each(|f| f.sort_unstable());
    open.sort_unstable();
    open.dedup();
    let mut marked = vec![false; mesh.positions().len()];
    for f in &open {
        for &v in f {
            *marked.get_mut(v as usize).ok_or(EditError::NotInMesh { vertices: f.to_vec() })? = true;
        }
    }
    let mut seen = vec![false; open.len()];
    for t in mesh.tets().iter().filter(|t| t.iter().any(|&v| marked[v as usize])) {
        for f in 0..4 {
            if let Ok(i) = open.binary_search(&side(t, f)) {
                seen[i] = true;
            }
        }
    }
    if let Some(i) = seen.iter().position(|s| !s) {
        return Err(EditError::NotInMesh { vertices: open[i].to_vec() });
    }
    opened(mesh, &marked, &open)
}

/// Separates fans at marked nodes, then the edges along which the solid still touches itself.
fn opened(mesh: &TetMesh, marked: &[bool], open: &[[u32; 3]]) -> Result<TetEdit, EditError> {
    let mut tets = mesh.tets().to_vec();
    let nodes = separate(&mut tets, mesh.positions().len(), marked, open);
    let marked: Vec<bool> =
        (0..nodes.len()).map(|n| nodes.source(n).is_some_and(|o| marked[o as usize])).collect();
    let parent = (0..tets.len() as u32).collect();
    let edit = TetEdit::made(mesh, nodes, tets, parent)?;
    unpinched(edit, &marked)
}

/// Two wedges that touch along an edge and hang together elsewhere cannot be told apart by copying its ends. A
/// node in the middle can be: each wedge gets its own.
fn unpinched(edit: TetEdit, marked: &[bool]) -> Result<TetEdit, EditError> {
    let pinched = pinched_edges(edit.mesh.tets(), marked);
    if pinched.is_empty() {
        return Ok(edit);
    }
    let cuts: Vec<EdgeCut> = pinched.into_iter().map(|ends| EdgeCut { ends, t: 0.5 }).collect();
    let before = edit.mesh.positions().len();
    let halved = bisected(&edit.mesh, &cuts)?;
    let mut tets = halved.mesh.tets().to_vec();
    let n = halved.mesh.positions().len();
    let middles: Vec<bool> = (0..n).map(|v| v >= before).collect();
    let nodes = separate(&mut tets, n, &middles, &[]);
    let parent = (0..tets.len() as u32).collect();
    let apart = TetEdit::made(&halved.mesh, nodes, tets, parent)?;
    edit.then(halved)?.then(apart)
}

/// Takes tets away, and the nodes that no tet is left to name. What then touched in a point or along an edge
/// comes apart. Tets and nodes that stay keep their order.
///
/// # Errors
/// [`EditError::Length`], [`EditError::NothingLeft`]; a flat or inverted tet in `mesh`.
pub fn remove_tets(mesh: &TetMesh, remove: &[bool]) -> Result<TetEdit, EditError> {
    mesh.require_positive()?;
    check_length("marks of tets", remove.len(), mesh.tets().len())?;
    let (mut touched, mut named) = (vec![false; mesh.positions().len()], vec![false; mesh.positions().len()]);
    let (mut tets, mut parent) = (vec![], vec![]);
    for (t, tet) in mesh.tets().iter().enumerate() {
        let flags = if remove[t] { &mut touched } else { &mut named };
        tet.iter().for_each(|&v| flags[v as usize] = true);
        if !remove[t] {
            tets.push(*tet);
            parent.push(t as u32);
        }
    }
    if tets.is_empty() {
        return Err(EditError::NothingLeft);
    }
    let kept: Vec<u32> = (0..mesh.positions().len() as u32).filter(|&v| named[v as usize]).collect();
    let mut number = vec![u32::MAX; mesh.positions().len()];
    kept.iter().enumerate().for_each(|(i, &v)| number[v as usize] = i as u32);
    tets.iter_mut().flatten().for_each(|v| *v = number[*v as usize]);
    let marked: Vec<bool> = kept.iter().map(|&v| touched[v as usize]).collect();
    let nodes = NodeMap::copies(mesh.positions().len(), kept);
    let rest = TetEdit::made(mesh, nodes, tets, parent)?;
    let apart = opened(&rest.mesh, &marked, &[])?;
    rest.then(apart)
}

/// A tet mesh cut along a level set.
#[derive(Clone, Debug, PartialEq)]
pub struct TetCut {
    /// The mesh, cut and open.
    pub edit: TetEdit,
    /// Which side each new tet is on: 1 where the value is positive, −1 where it is negative. A tet that a cut
    /// within a region leaves standing across is on the side where most of its values are.
    pub side: Vec<i8>,
    /// Faces between the two sides. Of a cut within a region, those all of whose nodes its rim holds are still
    /// closed.
    pub opened: usize,
    /// Vertices taken to lie on the cut though their value is not zero.
    pub snapped: usize,
}

/// Cuts along the zero of a function given by its value at each node (linear in each tet): a plane by
/// [`plane_values`](super::plane_values), or any other surface. Tets that it crosses are subdivided, and the
/// two sides no longer share nodes.
///
/// `within` keeps the cut to some tets (a blade of finite size): only they are cut and opened; neighbours are
/// subdivided where they share a cut edge and stay closed, so the rim of the cut is held together.
///
/// The volume is kept to rounding; the surface of each piece is closed if the surface was. With snapping the
/// cut strays from the level set by up to `snap` of an edge; a tet all of whose corners were snapped goes whole
/// to the side its values are on. Nothing crossed: the mesh as it was.
///
/// # Errors
/// [`EditError`]: a slice of the wrong length, a value that is not finite, options out of range, a flat or
/// inverted tet, a piece turned over by rounding.
pub fn cut_tets(
    mesh: &TetMesh,
    value: &[f64],
    within: Option<&[bool]>,
    options: &CutOptions,
) -> Result<TetCut, EditError> {
    mesh.require_positive()?;
    options.check()?;
    check_length("values at nodes", value.len(), mesh.positions().len())?;
    if let Some(within) = within {
        check_length("marks of tets", within.len(), mesh.tets().len())?;
    }
    check_values(value)?;
    let chosen = |t: usize| within.is_none_or(|w| w[t]);
    let found = crossing(mesh.positions(), mesh.tets(), value, chosen, |t| mesh.volume(t), options);
    let fine = bisected(mesh, &found.cuts)?;
    let side = found.sides(fine.mesh.tets(), value);
    let mut marked: Vec<bool> = (0..fine.mesh.positions().len()).map(|v| found.on(v as u32)).collect();
    let open = faces_between(&fine, &side, &marked, chosen);
    // Only nodes of opened faces come apart: the rest of the mesh stays as it was.
    marked.fill(false);
    open.iter().flatten().for_each(|&v| marked[v as usize] = true);
    let apart = opened(&fine.mesh, &marked, &open)?;
    let side = apart.tet_parent.iter().map(|&t| side[t as usize]).collect();
    Ok(TetCut { edit: fine.then(apart)?, side, opened: open.len(), snapped: found.snapped })
}

/// Faces on the cut with a tet on either side, at least one of them chosen; ascending.
fn faces_between(
    fine: &TetEdit,
    tet_side: &[i8],
    on: &[bool],
    chosen: impl Fn(usize) -> bool,
) -> Vec<[u32; 3]> {
    let mut all: Vec<([u32; 3], u32)> = vec![];
    for (t, tet) in fine.mesh.tets().iter().enumerate() {
        for f in 0..4 {
            let s = side(tet, f);
            if s.iter().all(|&v| on[v as usize]) {
                all.push((s, t as u32));
            }
        }
    }
    all.sort_unstable();
    let parent = |t: u32| fine.tet_parent[t as usize] as usize;
    let between = |g: &&[([u32; 3], u32)]| {
        g.iter().any(|x| tet_side[x.1 as usize] != tet_side[g[0].1 as usize])
            && g.iter().any(|x| chosen(parent(x.1)))
    };
    all.chunk_by(|a, b| a.0 == b.0).filter(between).map(|g| g[0].0).collect()
}
