//! What the tables of a world are rebuilt from after a body was cut.
//!
//! Takes the old mesh with its boundary surface and an edit, gives the new boundary surface with the way back:
//! which old surface vertex or triangle each one was. What is new has nothing to inherit.

use super::fans::sides;
use super::{EditError, TetEdit, check_length};
use crate::{MeshError, TetMesh, TetSurface, TriMesh};

/// A change of topology, complete: the new rest mesh and its surface, and where every part of them comes from.
///
/// | table | from |
/// |---|---|
/// | node rows (x, v, mass) | [`carry_state`](super::carry_state) of `edit` |
/// | elastic elements | `edit.mesh`; material of `edit.tet_parent` |
/// | surface map | `surface.vertices`: the node of each surface vertex |
/// | topology, broad phase, query trees | `surface.mesh`, made anew |
/// | contact state by vertex or triangle | `vertex_origin`, `triangle_origin`; dropped where [`TopologyEdit::NONE`] |
/// | embedded skins | [`reattach`](super::reattach) |
/// | springs and pins on nodes | `edit.nodes`: every new node whose `source` is the old one, or the first of them |
#[derive(Clone, Debug, PartialEq)]
pub struct TopologyEdit {
    /// The new rest mesh, its nodes from old nodes, its tets from old tets.
    pub edit: TetEdit,
    /// Its boundary surface, in the rest pose; use `surface.vertices` to place it anywhere else.
    pub surface: TetSurface,
    /// The old surface vertex at each new one; [`TopologyEdit::NONE`] for one that was made or was inside.
    pub vertex_origin: Vec<u32>,
    /// The old surface triangle that each triangle is, or is a piece of; [`TopologyEdit::NONE`] on the faces of
    /// the cut.
    pub triangle_origin: Vec<u32>,
}

impl TopologyEdit {
    /// Stands where there is nothing old.
    pub const NONE: u32 = u32::MAX;

    /// Reads the surface of the edited mesh. `old_surface` is that of the mesh the edit was made from.
    ///
    /// # Errors
    /// [`EditError::Length`], [`EditError::NotConsecutive`] when `old` is not the mesh the edit was made from.
    pub fn new(old: &TetMesh, old_surface: &TetSurface, edit: TetEdit) -> Result<Self, EditError> {
        check_length("old nodes", old.positions().len(), edit.nodes.old_len())?;
        if edit.tet_parent.last().is_some_and(|&t| t as usize >= old.tets().len()) {
            return Err(EditError::NotConsecutive);
        }
        let surface = boundary(&edit.mesh)?;
        let place = |sorted: &[u32], x: u32| sorted.binary_search(&x).map_or(Self::NONE, |i| i as u32);
        let vertex_origin = surface
            .vertices
            .iter()
            .map(|&n| edit.nodes.source(n as usize).map_or(Self::NONE, |o| place(&old_surface.vertices, o)))
            .collect();
        let triangle_origin = surface
            .tet_faces
            .iter()
            .map(|&[t, f]| {
                let parent = edit.tet_parent[t as usize];
                let corners = old.tets()[parent as usize];
                let nodes = TetMesh::FACES[f as usize].map(|k| edit.mesh.tets()[t as usize][k]);
                // A face that no weight of old corner `k` reaches lies in the old face opposite `k`.
                let within =
                    |k: usize| nodes.iter().all(|&n| edit.nodes.weight_of(n as usize, corners[k]) == 0.0);
                (0..4usize)
                    .filter(|&k| within(k))
                    .find_map(|k| old_surface.tet_faces.binary_search(&[parent, k as u32]).ok())
                    .map_or(Self::NONE, |i| i as u32)
            })
            .collect();
        Ok(Self { edit, surface, vertex_origin, triangle_origin })
    }

    /// How many triangles the cut has laid bare.
    #[must_use]
    pub fn new_triangles(&self) -> usize {
        self.triangle_origin.iter().filter(|&&t| t == Self::NONE).count()
    }
}

/// As [`TetTopology::surface`](crate::TetTopology::surface), without the incidences that nothing here asks for:
/// those cost four times as much as the cut itself.
fn boundary(mesh: &TetMesh) -> Result<TetSurface, MeshError> {
    let all = sides(mesh.tets(), &vec![true; mesh.positions().len()]);
    let mut alone: Vec<u32> =
        all.chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() == 1).map(|g| g[0].1).collect();
    alone.sort_unstable();
    let tet_faces: Vec<[u32; 2]> = alone.iter().map(|&s| [s / 4, s % 4]).collect();
    let corners = |&[t, f]: &[u32; 2]| TetMesh::FACES[f as usize].map(|k| mesh.tets()[t as usize][k]);
    let mut vertices: Vec<u32> = tet_faces.iter().flat_map(corners).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let mut number = vec![TopologyEdit::NONE; mesh.positions().len()];
    vertices.iter().enumerate().for_each(|(i, &v)| number[v as usize] = i as u32);
    let triangles = tet_faces.iter().map(|f| corners(f).map(|v| number[v as usize])).collect();
    let positions = vertices.iter().map(|&v| mesh.positions()[v as usize]).collect();
    Ok(TetSurface { mesh: TriMesh::new(positions, triangles)?, tet_faces, vertices })
}
