//! A change of a deformable's topology, as data: which elements go, come apart, are cut through or made finer.
//!
//! Takes a body, its nodes as they are now and a [`Change`]; gives the body after it, with the way back to the old nodes
//! and surface vertices ([`impinge_geometry::edit`]). Whatever held a node holds each of its copies, and a node made
//! between held ones.

use crate::deformable::{Attach, Deformable, Matter};
use crate::shapes::SoftShape;
use impinge_contact::Embedding;
use impinge_geometry::edit::{
    Carried, CarryOptions, CutOptions, EdgeCut, EditError, NodeMap, TopologyEdit, bisect_tets,
    bisect_triangles, carry_cloth_state, carry_state, cut_tets, cut_triangles, open_edges, open_faces,
    remove_tets, remove_triangles,
};
use impinge_geometry::{DVec3, TetTopology};
use std::sync::Arc;

/// What happens to the elements of a deformable: tets of a solid, triangles of cloth, in the order of its rest mesh.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Change {
    /// A cut along the zero of a function of the nodes, linear in each element.
    Cut {
        /// Its value at each node.
        value: Vec<f64>,
        /// The elements it may cut; `None` for all.
        within: Option<Vec<bool>>,
        /// How finely it may divide them.
        options: CutOptions,
    },
    /// Sides between elements open: three nodes each in a solid, the first two of three in cloth.
    Open(Vec<[u32; 3]>),
    /// Elements go.
    Remove(Vec<bool>),
    /// Edges, by their two nodes, get a node in their middle, and the elements around them are divided: a finer mesh of the same body.
    Bisect(Vec<[u32; 2]>),
}

/// A change that was made, in the order they were made.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Edit {
    /// The body.
    pub slot: u32,
    /// What happened to it.
    pub change: Change,
    /// It was one of the cuts and refinements the world was built with.
    pub planned: bool,
}

/// A body after a change.
#[derive(Debug)]
pub struct Edited {
    /// The body.
    pub body: Deformable,
    /// Positions and velocities of its nodes.
    pub carried: Carried,
    /// From the old nodes to the new ones.
    pub nodes: NodeMap,
    /// The old surface vertex at each new one, [`TopologyEdit::NONE`] for a new one.
    pub vertex_origin: Vec<u32>,
    /// The old surface triangle that each new one is or is a piece of, [`TopologyEdit::NONE`] on the faces of the cut.
    pub triangle_origin: Vec<u32>,
}

impl Deformable {
    /// This body after `change`, its nodes at `x` (m) moving with `v` (m/s).
    ///
    /// # Errors
    /// Why it cannot be changed, as a sentence.
    pub fn edited(&self, name: &str, change: &Change, x: &[DVec3], v: &[DVec3]) -> Result<Edited, String> {
        let say = |e: EditError| e.to_string();
        let keep = CarryOptions::default();
        let matter = self.matter.as_ref().filter(|_| self.can_be_cut());
        let (made, nodes, carried, vertex_origin, triangle_origin) = match matter {
            None => {
                return Err("it cannot be cut or refined: a cable, or a body that carries a skin of its own or was made from energies \
                            alone; use a solid with its own boundary, or a sheet"
                    .to_string());
            }
            Some(Matter::Solid { mesh, model, material }) => {
                let edit = match change {
                    Change::Cut { value, within, options } => {
                        cut_tets(mesh, value, within.as_deref(), options).map_err(say)?.edit
                    }
                    Change::Open(faces) => open_faces(mesh, faces).map_err(say)?,
                    Change::Remove(gone) => remove_tets(mesh, gone).map_err(say)?,
                    Change::Bisect(edges) => bisect_tets(mesh, &halved(edges)).map_err(say)?,
                };
                let density = vec![material.density; mesh.tets().len()];
                let carried = carry_state(mesh, &density, x, v, &edit, keep).map_err(say)?;
                let before = TetTopology::new(mesh).surface(mesh).map_err(|e| e.to_string())?;
                let done = TopologyEdit::new(mesh, &before, edit).map_err(say)?;
                let mut made =
                    Self::solid(name, &done.edit.mesh, *model, material).map_err(|e| e.to_string())?;
                made.surface = Arc::new(SoftShape::surface(done.surface.mesh));
                let embedding = Embedding::of_nodes(done.edit.nodes.len(), &done.surface.vertices);
                made.embedding = Some(embedding.map_err(|e| e.to_string())?);
                (made, done.edit.nodes, carried, done.vertex_origin, done.triangle_origin)
            }
            Some(Matter::Sheet { mesh, spec }) => {
                let edit = match change {
                    Change::Cut { value, within, options } => {
                        cut_triangles(mesh, value, within.as_deref(), options).map_err(say)?.edit
                    }
                    Change::Open(edges) => {
                        let edges: Vec<[u32; 2]> = edges.iter().map(|e| [e[0], e[1]]).collect();
                        open_edges(mesh, &edges).map_err(say)?
                    }
                    Change::Remove(gone) => remove_triangles(mesh, gone).map_err(say)?,
                    Change::Bisect(edges) => bisect_triangles(mesh, &halved(edges)).map_err(say)?,
                };
                let density = vec![spec.density * spec.thickness; mesh.triangles().len()];
                let carried = carry_cloth_state(mesh, &density, x, v, &edit, keep).map_err(say)?;
                let origin =
                    (0..edit.nodes.len()).map(|n| edit.nodes.source(n).unwrap_or(TopologyEdit::NONE));
                let origin = origin.collect();
                let made = Self::cloth(name, &edit.mesh, spec).map_err(|e| e.to_string())?;
                (made, edit.nodes, carried, origin, edit.triangle_parent)
            }
        };
        let attach = self.attach.iter().map(|a| held(a, &nodes, self.positions.len())).collect();
        let positions = nodes.carry(&self.positions);
        let mut body = Self { positions, attach, strain: self.strain, ..made };
        if self.surface.own.is_some() {
            body = body.self_contact(name).map_err(|e| e.to_string())?;
        }
        Ok(Edited { body, carried, nodes, vertex_origin, triangle_origin })
    }
}

fn halved(edges: &[[u32; 2]]) -> Vec<EdgeCut> {
    edges.iter().map(|&[a, b]| EdgeCut { ends: [a.min(b), a.max(b)], t: 0.5 }).collect()
}

/// The same grip on what the nodes have become.
fn held(attach: &Attach, nodes: &NodeMap, old: usize) -> Attach {
    let mut marked = vec![false; old];
    attach.nodes.iter().for_each(|&n| marked[n as usize] = true);
    let all_held = |n: &usize| {
        let (parents, weights) = (nodes.parents()[*n], nodes.weights()[*n]);
        (0..4).all(|k| weights[k] == 0.0 || marked[parents[k] as usize])
    };
    let nodes = (0..nodes.len()).filter(all_held).map(|n| n as u32).collect();
    Attach { nodes, ..attach.clone() }
}
