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
mod error;
mod fans;
mod node_map;
mod reattach;
mod simplex;
mod surface;
mod tets;
mod triangles;

pub use carry::{Carried, CarryOptions, carry_cloth_state, carry_state, lumped_areas, lumped_masses};
pub use error::EditError;
pub use node_map::NodeMap;
pub use reattach::{Reattached, reattach};
pub use simplex::{CutOptions, EdgeCut, plane_values};
pub use surface::TopologyEdit;
pub use tets::{TetCut, TetEdit, bisect_tets, cut_tets, open_faces, remove_tets};
pub use triangles::{TriCut, TriEdit, bisect_triangles, cut_triangles, open_edges, remove_triangles};

use error::check_length;
