//! What meets at a contact of the last step: takes the tables of the step, gives vertices and cells by name. Read between steps.

use crate::part::Part;
use crate::response::Response;
use crate::responses::volume::settings::{Overlaps, pair_id};
use crate::support::Family;
use hecs::Ref;
use impinge_contact::SurfaceMap;
use impinge_cpf::vertex_and_face;
use std::collections::BTreeMap;

/// What meets. Vertices are numbered by body, as its surface has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Features {
    /// A vertex of [`crate::ContactPoint::on`], and the corners of a triangle of the other body.
    VertexFace(u32, [u32; 3]),
    /// The ends of an edge of [`crate::ContactPoint::on`], and those of an edge of the other body.
    EdgeEdge([u32; 2], [u32; 2]),
    /// A vertex of [`crate::ContactPoint::on`], and a plane.
    VertexPlane(u32),
    /// The contact surface of two bodies, as a whole.
    Surface,
    /// The intersection volume of two bodies, as a whole.
    Volume,
    /// The part of it in one cell of the grid (zeros without one), and which place where those are told apart (else 0).
    Cell([i32; 3], u32),
}

/// Place on the grid, and part.
type CellName = ([i32; 3], u32);

/// Finds names in the tables of the last step.
pub(crate) struct Named<'a> {
    map: Ref<'a, SurfaceMap>,
    family: Family,
    /// Cells by the slots of their bodies and their key in the books; `None` where a pair is one contact.
    cells: Option<BTreeMap<([u32; 2], u64), CellName>>,
    /// There is a grid.
    grid: bool,
}

impl<'a> Named<'a> {
    pub fn of(part: Part<'a>) -> Self {
        let response = part.response();
        let (grid, places) = match response {
            Response::Volume(s) => (s.measure.cell.is_some(), s.measure.tells_places()),
            Response::VolumePenalty(s) => (s.measure.cell.is_some(), false),
            _ => (false, false),
        };
        let map = part.sim.column::<SurfaceMap>();
        let cells = (grid || places).then(|| {
            let (mut cells, mut twice) = (BTreeMap::new(), Vec::new());
            for measured in &part.column::<Overlaps>().pairs {
                let id = pair_id(measured.bodies, map.bodies());
                for cell in measured.overlap.cells() {
                    let key = (measured.bodies, cell.key(id));
                    if cells.insert(key, (cell.index, cell.part)).is_some() {
                        twice.push(key);
                    }
                }
            }
            // A name that two cells share names neither.
            cells.retain(|key, _| !twice.contains(key));
            cells
        });
        Self { map, family: response.family(), cells, grid }
    }

    /// By the number that its body has for it.
    fn local(&self, vertex: u32) -> u32 {
        vertex - self.map.first(self.map.body_of(vertex) as usize)
    }

    /// Of a contact of two meshes with this name in the table.
    pub fn mesh(&self, stencil: &[u32; 4], key: u64) -> Features {
        let [a, b, c, d] = stencil.map(|v| self.local(v));
        // Names of pairs of edges have a mark that none of the others has, the slot and vertex of the discrete penalty neither.
        match vertex_and_face(key) {
            None => Features::EdgeEdge([a, b], [c, d]),
            Some(_) => Features::VertexFace(a, [b, c, d]),
        }
    }

    /// Of a vertex at a plane.
    pub fn plane(&self, vertex: u32) -> Features {
        Features::VertexPlane(self.local(vertex))
    }

    /// Of a patch of two slots with this name in the books.
    pub fn patch(&self, bodies: [u32; 2], key: u64) -> Option<Features> {
        match self.family {
            Family::Pressure => Some(Features::Surface),
            Family::Volume | Family::VolumePenalty => match &self.cells {
                None => Some(Features::Volume),
                Some(cells) => cells.get(&(bodies, key)).map(|(index, part)| match (self.grid, part) {
                    // The only place of two bodies.
                    (false, 0) if bodies[0] != bodies[1] => Features::Volume,
                    _ => Features::Cell(*index, *part),
                }),
            },
            // Patches of a response of somebody's own.
            _ => None,
        }
    }
}
