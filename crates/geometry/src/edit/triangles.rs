//! The same edits for triangle meshes: cloth that is cut or torn, a skin that follows the cut of its body.
//!
//! Degenerate triangles are let through as everywhere; the outer side of a triangle stays its outer side.

use super::fans::{separate, side};
use super::simplex::{bisect, check_values, checked_cuts, crossing};
use super::{CutOptions, EdgeCut, EditError, NodeMap, check_length};
use crate::{TriMesh, triangle_area};

/// An edited triangle mesh and where everything in it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct TriEdit {
    /// The mesh after the edit.
    pub mesh: TriMesh,
    /// Its vertices as sums of old ones.
    pub nodes: NodeMap,
    /// The old triangle that each triangle is, or is a piece of; ascending.
    pub triangle_parent: Vec<u32>,
}

impl TriEdit {
    /// This edit, then one made from its mesh, as one edit of the first mesh.
    ///
    /// # Errors
    /// [`EditError::NotConsecutive`].
    pub fn then(self, next: Self) -> Result<Self, EditError> {
        let old = |t: &u32| self.triangle_parent.get(*t as usize).copied().ok_or(EditError::NotConsecutive);
        let triangle_parent = next.triangle_parent.iter().map(old).collect::<Result<_, _>>()?;
        Ok(Self { nodes: self.nodes.then(&next.nodes)?, mesh: next.mesh, triangle_parent })
    }

    fn made(
        old: &TriMesh,
        nodes: NodeMap,
        triangles: Vec<[u32; 3]>,
        parent: Vec<u32>,
    ) -> Result<Self, EditError> {
        let mesh = TriMesh::new(nodes.carry(old.positions()), triangles)?;
        Ok(Self { mesh, nodes, triangle_parent: parent })
    }
}

/// Puts new vertices on edges and subdivides every triangle that has one of them.
///
/// # Errors
/// [`EditError`]: an edge that no triangle has, a `t` outside (0, 1).
pub fn bisect_triangles(mesh: &TriMesh, cuts: &[EdgeCut]) -> Result<TriEdit, EditError> {
    let cuts = checked_cuts(mesh.positions(), mesh.triangles(), cuts)?;
    bisected(mesh, &cuts)
}

fn bisected(mesh: &TriMesh, cuts: &[EdgeCut]) -> Result<TriEdit, EditError> {
    let b = bisect(mesh.positions(), mesh.triangles(), cuts);
    TriEdit::made(mesh, b.nodes, b.elements, b.parent)
}

/// Opens edges: a seam comes undone. A vertex is copied where the triangles around it no longer hang together
/// through closed edges, so one inner edge alone opens nothing: both its ends are held by the triangles around
/// them.
///
/// # Errors
/// [`EditError::NotInMesh`] for an edge that no triangle has.
pub fn open_edges(mesh: &TriMesh, edges: &[[u32; 2]]) -> Result<TriEdit, EditError> {
    let mut open: Vec<[u32; 3]> = edges.iter().map(|&[a, b]| [a.min(b), a.max(b), u32::MAX]).collect();
    open.sort_unstable();
    open.dedup();
    let name = |s: &[u32; 3]| EditError::NotInMesh { vertices: s[..2].to_vec() };
    let mut marked = vec![false; mesh.positions().len()];
    for s in &open {
        for &v in &s[..2] {
            *marked.get_mut(v as usize).ok_or_else(|| name(s))? = true;
        }
    }
    let mut seen = vec![false; open.len()];
    for t in mesh.triangles() {
        for i in 0..3 {
            if let Ok(k) = open.binary_search(&side(t, i)) {
                seen[k] = true;
            }
        }
    }
    if let Some(k) = seen.iter().position(|s| !s) {
        return Err(name(&open[k]));
    }
    opened(mesh, &marked, &open)
}

fn opened(mesh: &TriMesh, marked: &[bool], open: &[[u32; 3]]) -> Result<TriEdit, EditError> {
    let mut triangles = mesh.triangles().to_vec();
    let nodes = separate(&mut triangles, mesh.positions().len(), marked, open);
    let parent = (0..triangles.len() as u32).collect();
    TriEdit::made(mesh, nodes, triangles, parent)
}

/// Takes triangles away, and the vertices that no triangle is left to name. Fans that then touch in a point
/// come apart.
///
/// # Errors
/// [`EditError::Length`], [`EditError::NothingLeft`].
pub fn remove_triangles(mesh: &TriMesh, remove: &[bool]) -> Result<TriEdit, EditError> {
    check_length("marks of triangles", remove.len(), mesh.triangles().len())?;
    let (mut touched, mut named) = (vec![false; mesh.positions().len()], vec![false; mesh.positions().len()]);
    let (mut triangles, mut parent) = (vec![], vec![]);
    for (t, triangle) in mesh.triangles().iter().enumerate() {
        let flags = if remove[t] { &mut touched } else { &mut named };
        triangle.iter().for_each(|&v| flags[v as usize] = true);
        if !remove[t] {
            triangles.push(*triangle);
            parent.push(t as u32);
        }
    }
    if triangles.is_empty() {
        return Err(EditError::NothingLeft);
    }
    let kept: Vec<u32> = (0..mesh.positions().len() as u32).filter(|&v| named[v as usize]).collect();
    let mut number = vec![u32::MAX; mesh.positions().len()];
    kept.iter().enumerate().for_each(|(i, &v)| number[v as usize] = i as u32);
    triangles.iter_mut().flatten().for_each(|v| *v = number[*v as usize]);
    let marked: Vec<bool> = kept.iter().map(|&v| touched[v as usize]).collect();
    let nodes = NodeMap::copies(mesh.positions().len(), kept);
    let rest = TriEdit::made(mesh, nodes, triangles, parent)?;
    let apart = opened(&rest.mesh, &marked, &[])?;
    rest.then(apart)
}

/// A triangle mesh cut along a level set.
#[derive(Clone, Debug, PartialEq)]
pub struct TriCut {
    /// The mesh, cut and open.
    pub edit: TriEdit,
    /// Which side each new triangle is on: 1 or −1.
    pub side: Vec<i8>,
    /// Edges between the two sides. Of a cut within a region, those both of whose ends its rim holds are still
    /// closed.
    pub opened: usize,
    /// Vertices taken to lie on the cut though their value is not zero.
    pub snapped: usize,
}

impl TriCut {
    /// Which side each new vertex is on. Every triangle at a vertex that was opened is on one side; at the rim
    /// of a cut within a region the lowest triangle decides. 1 for a vertex that no triangle names.
    #[must_use]
    pub fn vertex_side(&self) -> Vec<i8> {
        let mut out = vec![0i8; self.edit.mesh.positions().len()];
        for (t, &s) in self.edit.mesh.triangles().iter().zip(&self.side) {
            for &v in t {
                if out[v as usize] == 0 {
                    out[v as usize] = s;
                }
            }
        }
        out.into_iter().map(|s| if s == 0 { 1 } else { s }).collect()
    }
}

/// Cuts along the zero of a function given by its value at each vertex, like [`cut_tets`](super::cut_tets):
/// triangles that it crosses are subdivided, and the two sides no longer share vertices. A cut skin is open
/// along the cut.
///
/// # Errors
/// [`EditError`]: a slice of the wrong length, a value that is not finite, options out of range.
pub fn cut_triangles(
    mesh: &TriMesh,
    value: &[f64],
    within: Option<&[bool]>,
    options: &CutOptions,
) -> Result<TriCut, EditError> {
    options.check()?;
    check_length("values at vertices", value.len(), mesh.positions().len())?;
    if let Some(within) = within {
        check_length("marks of triangles", within.len(), mesh.triangles().len())?;
    }
    check_values(value)?;
    let chosen = |t: usize| within.is_none_or(|w| w[t]);
    let area = |t: usize| triangle_area(mesh.corners(t));
    let found = crossing(mesh.positions(), mesh.triangles(), value, chosen, area, options);
    let fine = bisected(mesh, &found.cuts)?;
    let sides = found.sides(fine.mesh.triangles(), value);
    let mut all: Vec<([u32; 3], u32)> = vec![];
    for (t, triangle) in fine.mesh.triangles().iter().enumerate() {
        for i in 0..3 {
            let s = side(triangle, i);
            if found.on(s[0]) && found.on(s[1]) {
                all.push((s, t as u32));
            }
        }
    }
    all.sort_unstable();
    let between = |g: &&[([u32; 3], u32)]| {
        g.iter().any(|x| sides[x.1 as usize] != sides[g[0].1 as usize])
            && g.iter().any(|x| chosen(fine.triangle_parent[x.1 as usize] as usize))
    };
    let open: Vec<[u32; 3]> = all.chunk_by(|a, b| a.0 == b.0).filter(between).map(|g| g[0].0).collect();
    let mut marked = vec![false; fine.mesh.positions().len()];
    open.iter().flat_map(|s| &s[..2]).for_each(|&v| marked[v as usize] = true);
    let apart = opened(&fine.mesh, &marked, &open)?;
    Ok(TriCut { edit: fine.then(apart)?, side: sides, opened: open.len(), snapped: found.snapped })
}
