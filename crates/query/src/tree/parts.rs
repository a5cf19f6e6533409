//! What the mesh of an index is as a whole: closed or not, and its parts. Found when first asked for.

use super::MeshIndex;
use impinge_geometry::{DVec3, Topology, TriMesh};

/// Closedness and parts.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    closed: bool,
    /// A triangle of each part, by its place in tree order.
    parts: Vec<u32>,
}

impl MeshIndex {
    /// Is the mesh closed, with triangles that all face the same way: has it an inside? The first call reads the connectivity, about
    /// as long as a tenth of building the index; an update changes nothing of it.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.whole().closed
    }

    /// A vertex of each connected part (m, body frame).
    pub(crate) fn point_of_each_part(&self) -> impl Iterator<Item = DVec3> {
        self.whole().parts.iter().map(|&slot| self.corners[slot as usize][0])
    }

    /// The place in tree order of a triangle of the mesh.
    pub(crate) fn slot_of(&self, triangle: u32) -> usize {
        self.ids.iter().position(|&t| t == triangle).unwrap_or(0)
    }

    fn whole(&self) -> &Whole {
        self.whole.get_or_init(|| {
            let mut positions = vec![DVec3::zero(); self.vertex_count];
            let mut triangles = vec![[0; 3]; self.ids.len()];
            let mut slots = vec![0u32; self.ids.len()];
            for (slot, (&id, v)) in self.ids.iter().zip(&self.vertices).enumerate() {
                triangles[id as usize] = *v;
                slots[id as usize] = slot as u32;
                for (v, p) in v.iter().zip(self.corners[slot]) {
                    positions[*v as usize] = p;
                }
            }
            // What was a mesh is one again.
            let Ok(mesh) = TriMesh::new(positions, triangles) else {
                return Whole { closed: false, parts: Vec::new() };
            };
            let topology = Topology::new(&mesh);
            let mut parts = vec![u32::MAX; topology.part_count()];
            for (&part, &slot) in topology.face_parts().iter().zip(&slots).rev() {
                parts[part as usize] = slot;
            }
            Whole { closed: topology.is_closed(), parts }
        })
    }
}
