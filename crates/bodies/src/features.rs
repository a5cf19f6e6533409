//! What meets at a contact of the last step: takes the tables of the step, gives vertices and cells by name. Read between steps.

use impinge_contact::{SurfaceMap, vertex_and_face};

/// What meets. Vertices are numbered by body, as its surface has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Features {
    /// A vertex of the body that the contact point is on, and the corners of a triangle of the other body.
    VertexFace(u32, [u32; 3]),
    /// The ends of an edge of the body that the contact point is on, and those of an edge of the other body.
    EdgeEdge([u32; 2], [u32; 2]),
    /// A vertex of the body that the contact point is on, and a plane.
    VertexPlane(u32),
    /// The contact surface of two bodies, as a whole.
    Surface,
    /// The intersection volume of two bodies, as a whole.
    Volume,
    /// The part of it in one cell of the grid (zeros without one), and which place where those are told apart (else 0).
    Cell([i32; 3], u32),
}

/// Numbers of surface vertices as their bodies have them.
pub struct Local<'a>(pub &'a SurfaceMap);

impl Local<'_> {
    fn of(&self, vertex: u32) -> u32 {
        vertex - self.0.first(self.0.body_of(vertex) as usize)
    }

    /// Of a contact of two meshes with this name in the table.
    #[must_use]
    pub fn mesh(&self, stencil: &[u32; 4], key: u64) -> Features {
        let [a, b, c, d] = stencil.map(|v| self.of(v));
        // Names of pairs of edges have a mark that none of the others has, the slot and vertex of the discrete penalty neither.
        match vertex_and_face(key) {
            None => Features::EdgeEdge([a, b], [c, d]),
            Some(_) => Features::VertexFace(a, [b, c, d]),
        }
    }

    /// Of a vertex at a plane.
    #[must_use]
    pub fn plane(&self, vertex: u32) -> Features {
        Features::VertexPlane(self.of(vertex))
    }
}
