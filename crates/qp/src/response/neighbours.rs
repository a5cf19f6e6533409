//! Which vertices of a solid are joined by an edge.

use impinge_swept::{Around, Faces};

/// Neighbours of every surface vertex along the edges of closed surfaces; none of vertices of sheets, cables and points.
#[derive(Default)]
pub(crate) struct Neighbours(Around);

impl Neighbours {
    /// For the faces of a step and this many surface vertices.
    pub fn set(&mut self, faces: &Faces, vertices: usize) {
        self.0.set(vertices, || {
            let solid = faces.edges.iter().zip(&faces.edge_faces).filter(|(_, f)| f[0] != u32::MAX);
            solid.flat_map(|(&[i, j], _)| [(i, j), (j, i)])
        });
    }

    /// Of one vertex.
    #[must_use]
    pub fn of(&self, vertex: u32) -> &[u32] {
        self.0.of(vertex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_solids_join_and_those_of_sheets_do_not() {
        let edges = vec![[0, 1], [1, 2], [3, 4], [2, 0]];
        let edge_faces = vec![[0, 1], [0, 1], [u32::MAX; 2], [0, 1]];
        let mut n = Neighbours::default();
        for _ in 0..2 {
            n.set(&Faces { edges: edges.clone(), edge_faces: edge_faces.clone(), ..Faces::default() }, 5);
            assert_eq!((n.of(0), n.of(1), n.of(2)), (&[1, 2][..], &[0, 2][..], &[1, 0][..]));
            assert!(n.of(3).is_empty() && n.of(4).is_empty() && n.of(9).is_empty());
        }
    }
}
