//! Topology change at run time: cutting, fracture, tearing; for tet meshes and for triangle meshes (cloth).
//!
//! Takes a mesh and what is to happen to it, gives a new mesh and the maps from old to new. Nothing is changed
//! in place: the old tables stay valid until whoever owns them swaps, between two steps.
//!
//! ```text
//!   bisect_tets      new nodes on edges; every tet at such an edge is subdivided, neighbours alike
//!   open_faces       nodes are copied, one copy per fan of tets that still hang together through closed faces
//!   remove_tets      tets go, nodes that nothing names go, fans that touched in a point or an edge come apart
//!   cut_tets         a level set: snap, bisect, label both sides, open what lies between them
//!        │                                        the same four for triangles: bisect_triangles, open_edges, …
//!        ▼
//!   TetEdit { mesh, nodes, tet_parent }      nodes: new x = Σ weight · old x, at most four old nodes each
//!        ├── carry_state     x, v and masses; linear momentum kept exactly, angular where asked
//!        ├── reattach        a skin embedded in the old tets, on the new ones of its own side
//!        └── TopologyEdit    what the tables of a world are rebuilt from: boundary surface, its old vertices, …
//! ```
//!
//! # Between two steps
//!
//! 1. `cut_tets` (values from the *current* positions, see [`plane_values`]) or another edit of the rest mesh.
//! 2. [`carry_state`] for node positions, velocities and masses.
//! 3. [`TopologyEdit::new`] for the surface: triangles, node of each vertex, and which old vertex or triangle each
//!    one was (contact keys, friction anchors and warm starts of vertices that are new have none to inherit).
//! 4. New surface map (`Embedding::of_nodes(nodes, &surface.vertices)`), new `FeatureTree` and `MeshIndex` from the surface:
//!    trees hold connectivity, so they are made anew and not refitted.
//! 5. Elastic elements: a new tet has the material of `tet_parent`; rest shape from the new rest mesh.
//!
//! Everything is a function of its input alone: new nodes are numbered after the old ones, in the order of
//! edges, then copies in the order of nodes and tets.

mod carry;
mod fans;
mod node_map;
mod reattach;
mod simplex;
mod surface;
mod tets;
mod triangles;

pub use carry::{Carried, CarryOptions, carry_cloth_state, carry_state, lumped_areas, lumped_masses};
pub use node_map::NodeMap;
pub use reattach::{Reattached, reattach};
pub use simplex::{CutOptions, EdgeCut, plane_values};
pub use surface::TopologyEdit;
pub use tets::{TetCut, TetEdit, bisect_tets, cut_tets, open_faces, remove_tets};
pub use triangles::{TriCut, TriEdit, bisect_triangles, cut_triangles, open_edges, remove_triangles};

use crate::MeshError;
use std::fmt;

/// Why an edit was refused. The mesh it was asked of is as it was.
#[derive(Clone, Debug, PartialEq)]
pub enum EditError {
    /// The mesh cannot be edited, or the result is no mesh.
    Mesh(MeshError),
    /// A slice of the wrong length.
    Length {
        /// What the slice holds.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The length it must have.
        expected: usize,
    },
    /// A number that is NaN or infinite.
    NonFinite {
        /// What it is.
        what: &'static str,
        /// Its place, counted from 0.
        index: usize,
    },
    /// A number outside its range.
    OutOfRange {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        allowed: &'static str,
    },
    /// Every element would be gone.
    NothingLeft,
    /// An edge or a face that no element has.
    NotInMesh {
        /// Its vertices.
        vertices: Vec<u32>,
    },
    /// A piece so thin that rounding turned it over.
    Sliver {
        /// The element it is a piece of, counted from 0.
        element: usize,
    },
    /// Two edits of which the second was not made from the result of the first.
    NotConsecutive,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mesh(e) => e.fmt(f),
            Self::Length { what, given, expected } => {
                write!(f, "{given} {what} were given, the mesh needs {expected}")
            }
            Self::NonFinite { what, index } => {
                write!(f, "{what} {index} is NaN or infinite; give a finite number")
            }
            Self::OutOfRange { what, value, allowed } => write!(f, "{what} is {value}; it must be {allowed}"),
            Self::NothingLeft => write!(f, "nothing of the mesh would be left; remove the body instead"),
            Self::NotInMesh { vertices } => {
                write!(f, "no element of the mesh has the side between vertices {vertices:?}")
            }
            Self::Sliver { element } => write!(
                f,
                "a piece of element {element} is thinner than the rounding of its coordinates; raise `snap` or \
                 `min_piece`, or move the mesh nearer to the origin"
            ),
            Self::NotConsecutive => {
                write!(f, "the second edit was not made from the mesh of the first; compose them in order")
            }
        }
    }
}

impl std::error::Error for EditError {}

impl From<MeshError> for EditError {
    fn from(e: MeshError) -> Self {
        Self::Mesh(e)
    }
}

fn check_length(what: &'static str, given: usize, expected: usize) -> Result<(), EditError> {
    if given == expected { Ok(()) } else { Err(EditError::Length { what, given, expected }) }
}
