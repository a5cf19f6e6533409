//! Series of VTU files with their PVD lists: surfaces of all bodies, contacts with their forces, and what pushes with a surface, with its
//! pressure.

use crate::csv::cell;
use crate::error::ReportError;
use crate::nodal;
use crate::write::{folder, replace};
use impinge_contact::SurfaceMap;
use impinge_geometry::DVec3;
use impinge_io::{Field, Grid, Numbers, PvdSeries};
use impinge_world::{BodyId, ContactPieces, ContactPoint, Dofs, NodeState, Shape, Shapes, Simulation};
use std::path::{Path, PathBuf};

/// A run as series of VTU files, for ParaView: a folder with `bodies.csv`, the names, `surfaces.pvd`, `contacts.pvd`, and `patches.pvd` from where on a
/// response pushes with surfaces.
///
/// Bodies are numbered from 0 on by slot, and one that comes later has the next number, also in a slot that was another's: `bodies.csv` has a row for each.
///
/// `surfaces`: at the vertices `velocity` (m/s), `displacement` from the body's first frame (m) and `contact_force` (N, on the body itself: their sum is what its
/// contacts do to it); at the triangles `body`, the body's number. `contacts`: `contact_forces` (N, on the body `force_on`: the one that moves, the second
/// if both do), `depth` (m) and both bodies. `patches`: polygons in triangles with `pressure` (Pa), both bodies and the polygon's number.
pub struct VtuSeries {
    dir: PathBuf,
    lists: Vec<PathBuf>,
    surfaces: PvdSeries,
    contacts: PvdSeries,
    patches: Option<PvdSeries>,
    pieces: ContactPieces,
    points: Vec<ContactPoint>,
    /// By slot: who is there, and the number of who is or was.
    ids: Vec<Option<BodyId>>,
    numbers: Vec<i32>,
    /// Text of `bodies.csv`, and how many bodies it names.
    names: String,
    named: i32,
    /// Vertices of each body in its first frame in which it had as many as now (m): displacements are from there.
    rest: Vec<Vec<DVec3>>,
}

impl VtuSeries {
    /// Begins them in `dir`, which is made if it does not exist.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(dir: &Path, sim: &Simulation) -> Result<Self, ReportError> {
        folder(dir, false)?;
        let lists = vec![dir.join("surfaces.pvd"), dir.join("contacts.pvd")];
        let mut series = Self {
            dir: dir.to_path_buf(),
            surfaces: PvdSeries::create(&lists[0])?,
            contacts: PvdSeries::create(&lists[1])?,
            patches: None,
            lists,
            pieces: ContactPieces::default(),
            points: Vec::new(),
            ids: Vec::new(),
            numbers: Vec::new(),
            names: "body,name\n".to_string(),
            named: 0,
            rest: Vec::new(),
        };
        series.know(sim)?;
        Ok(series)
    }

    /// Bodies that came since the frame before, and patches where a response has them now.
    fn know(&mut self, sim: &Simulation) -> Result<(), ReportError> {
        let before = self.named;
        for (slot, name) in sim.names().iter().enumerate() {
            let id = sim.id(slot as u32);
            if slot == self.ids.len() {
                self.ids.push(None);
                self.numbers.push(-1);
                self.rest.push(Vec::new());
            }
            if self.ids[slot] == id {
                continue;
            }
            self.ids[slot] = id;
            self.rest[slot].clear();
            if id.is_some() {
                self.numbers[slot] = self.named;
                self.names.push_str(&self.named.to_string());
                self.names.push(',');
                cell(&mut self.names, name);
                self.names.push('\n');
                self.named += 1;
            }
        }
        if self.named != before {
            replace(&self.dir, self.dir.join("bodies.csv"), &self.names)?;
        }
        if self.patches.is_none() && sim.parts().any(|p| p.response().pieces().is_some()) {
            let list = self.dir.join("patches.pvd");
            self.patches = Some(PvdSeries::create(&list)?);
            self.lists.push(list);
        }
        Ok(())
    }

    /// The lists, which ParaView opens.
    #[must_use]
    pub fn lists(&self) -> &[PathBuf] {
        &self.lists
    }

    /// Writes the state between two steps and the contacts of the last one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&mut self, sim: &Simulation) -> Result<(), ReportError> {
        self.know(sim)?;
        sim.contact_points(&mut self.points);
        sim.contact_pieces(&mut self.pieces);
        if sim.steps() == 0 {
            self.points.clear();
            self.pieces = ContactPieces::default();
        }
        self.put_surfaces(sim)?;
        self.put_contacts(sim)?;
        self.put_patches(sim)
    }

    fn put_surfaces(&mut self, sim: &Simulation) -> Result<(), ReportError> {
        let (map, nodes) = (sim.column::<SurfaceMap>(), sim.column::<NodeState>());
        let shapes = sim.column::<Shapes>();
        let (mut positions, mut triangles, mut body, mut loose) = (vec![], vec![], vec![], vec![]);
        let (mut velocity, mut displacement) = (vec![], vec![]);
        for (b, shape) in shapes.0.iter().enumerate() {
            let first = positions.len() as u32;
            let (pose, twist) = (sim.pose(b as u32), sim.twist(b as u32));
            for v in map.range(b) {
                let arm = map.arms(b)[v - map.first(b) as usize];
                let at = map.at_nodes(v as u32, &nodes.x).unwrap_or_else(|| pose.point_to_world(arm));
                let turning = twist.angular_velocity.cross(at - pose.position);
                let moves = map.at_nodes(v as u32, &nodes.v).unwrap_or(twist.velocity + turning);
                positions.push(at);
                velocity.extend([moves.x, moves.y, moves.z]);
            }
            let here = &positions[first as usize..];
            if self.rest[b].len() != here.len() {
                self.rest[b] = here.to_vec();
            }
            displacement.extend(here.iter().zip(&self.rest[b]).map(|(x, rest)| *x - *rest));
            let mesh = match shape {
                Shape::Mesh(m) => Some(&m.mesh),
                Shape::Soft(s) => s.mesh.as_ref(),
                Shape::Plane { .. } | Shape::Points { .. } => None,
            };
            match mesh {
                Some(m) if m.positions().len() == positions.len() - first as usize => {
                    triangles.extend(m.triangles().iter().map(|t| t.map(|i| first + i)));
                    body.extend(std::iter::repeat_n(self.numbers[b], m.triangles().len()));
                }
                _ => loose.push((b, first..positions.len() as u32)),
            }
        }
        let mut vertices = Vec::new();
        for (b, range) in loose {
            body.extend(std::iter::repeat_n(self.numbers[b], range.len()));
            vertices.extend(range);
        }
        let surfaces = nodal::Surfaces { map: &map, positions: &positions };
        let force = flat(nodal::forces(&surfaces, &self.points, &self.pieces));
        let displacement = flat(displacement);
        let field = |name, values| Field { name, components: 3, values };
        let grid = Grid {
            positions: &positions,
            triangles: &triangles,
            vertices: &vertices,
            point_data: &[
                field("velocity", &velocity),
                field("displacement", &displacement),
                field("contact_force", &force),
            ],
            cell_numbers: &[Numbers { name: "body", components: 1, values: &body }],
            ..Grid::default()
        };
        self.surfaces.step(sim.time(), &grid)?;
        Ok(())
    }

    fn put_contacts(&mut self, sim: &Simulation) -> Result<(), ReportError> {
        let dofs = sim.column::<Dofs>();
        // An arrow is read as what pushes the body one looks at: the one that moves, the second where both do.
        let moves = |slot: u32| dofs.bodies.kind[slot as usize].is_dynamic();
        let subject = |c: &ContactPoint| if moves(c.b) || !moves(c.a) { c.b } else { c.a };
        let positions: Vec<DVec3> = self.points.iter().map(|c| c.point).collect();
        let force = flat(self.points.iter().map(|c| if subject(c) == c.on { c.force } else { -c.force }));
        let number = |slot: u32| self.numbers[slot as usize];
        let bodies: Vec<i32> = self.points.iter().flat_map(|c| [c.a, c.b].map(number)).collect();
        let on: Vec<i32> = self.points.iter().map(|c| number(subject(c))).collect();
        let depth: Vec<f64> = self.points.iter().map(|c| c.depth).collect();
        let vertices: Vec<u32> = (0..positions.len() as u32).collect();
        let field = |name, components, values| Field { name, components, values };
        let numbers = |name, components, values| Numbers { name, components, values };
        let grid = Grid {
            positions: &positions,
            vertices: &vertices,
            cell_data: &[field("contact_forces", 3, &force), field("depth", 1, &depth)],
            cell_numbers: &[numbers("bodies", 2, &bodies), numbers("force_on", 1, &on)],
            ..Grid::default()
        };
        self.contacts.step(sim.time(), &grid)?;
        Ok(())
    }

    /// Every polygon as a fan of triangles that share its pressure and its number.
    fn put_patches(&mut self, sim: &Simulation) -> Result<(), ReportError> {
        let Some(series) = &mut self.patches else { return Ok(()) };
        let pieces = &self.pieces;
        let (mut triangles, mut pressure, mut bodies, mut polygon) = (vec![], vec![], vec![], vec![]);
        for (i, p) in pieces.pieces.iter().enumerate() {
            for k in 2..p.count {
                triangles.push([p.start, p.start + k - 1, p.start + k]);
                pressure.push(p.pressure);
                bodies.extend([p.a, p.b].map(|slot| self.numbers[slot as usize]));
                polygon.push(i as i32);
            }
        }
        let numbers = |name, components, values| Numbers { name, components, values };
        let grid = Grid {
            positions: &pieces.corners,
            triangles: &triangles,
            cell_data: &[Field { name: "pressure", components: 1, values: &pressure }],
            cell_numbers: &[numbers("bodies", 2, &bodies), numbers("polygon", 1, &polygon)],
            ..Grid::default()
        };
        series.step(sim.time(), &grid)?;
        Ok(())
    }
}

fn flat(vectors: impl IntoIterator<Item = DVec3>) -> Vec<f64> {
    vectors.into_iter().flat_map(|v| [v.x, v.y, v.z]).collect()
}
