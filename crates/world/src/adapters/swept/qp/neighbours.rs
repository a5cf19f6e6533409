//! Which vertices of a solid are joined by an edge.

use crate::swept::Faces;

/// Neighbours of every surface vertex along the edges of closed surfaces; none of vertices of sheets, cables and points.
#[derive(Default)]
pub(super) struct Neighbours {
    /// Of each vertex where its neighbours begin; one more at the end.
    first: Vec<u32>,
    all: Vec<u32>,
}

impl Neighbours {
    /// For the faces of a step and this many surface vertices.
    pub fn set(&mut self, faces: &Faces, vertices: usize) {
        let solid =
            || faces.edges.iter().zip(&faces.edge_faces).filter(|(_, f)| f[0] != u32::MAX).map(|(e, _)| *e);
        self.first.clear();
        self.first.resize(vertices + 1, 0);
        for v in solid().flatten() {
            self.first[v as usize + 1] += 1;
        }
        for v in 0..vertices {
            self.first[v + 1] += self.first[v];
        }
        self.all.clear();
        self.all.resize(self.first[vertices] as usize, 0);
        // Filling moves every beginning to its end, which is the beginning of the next.
        for [i, j] in solid() {
            for (v, other) in [(i, j), (j, i)] {
                let at = &mut self.first[v as usize];
                self.all[*at as usize] = other;
                *at += 1;
            }
        }
        self.first.copy_within(0..vertices, 1);
        self.first[0] = 0;
    }

    /// Of one vertex.
    pub fn of(&self, vertex: u32) -> &[u32] {
        let range = self.first.get(vertex as usize..vertex as usize + 2);
        range.map_or(&[], |r| &self.all[r[0] as usize..r[1] as usize])
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
