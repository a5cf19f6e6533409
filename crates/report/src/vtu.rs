//! Series of VTU files with their PVD lists: surfaces of all bodies, contacts with their forces, and what pushes with a surface, with its
//! pressure.

use crate::error::ReportError;
use crate::nodal;
use crate::write::{folder, replace};
use impinge_contact::SurfaceMap;
use impinge_geometry::DVec3;
use impinge_io::{Field, Grid, Numbers, PvdSeries};
use impinge_world::{ContactPieces, ContactPoint, Dofs, NodeState, Shape, Shapes, Simulation};
use std::path::{Path, PathBuf};

/// A run as series of VTU files, for ParaView: a folder with `bodies.csv`, the names, `surfaces.pvd`, `contacts.pvd`, and `patches.pvd` where a response
/// pushes with surfaces.
///
/// `surfaces`: at the vertices `velocity` (m/s), `displacement` from the first frame (m) and `contact_force` (N, on the body itself: their sum is what its
/// contacts do to it); at the triangles `body`, the body's number. `contacts`: `contact_forces` (N, on the body `force_on`: the one that moves, the second
/// if both do), `depth` (m) and both bodies. `patches`: polygons in triangles with `pressure` (Pa), both bodies and the polygon's number.
pub struct VtuSeries {
    lists: Vec<PathBuf>,
    surfaces: PvdSeries,
    contacts: PvdSeries,
    patches: Option<PvdSeries>,
    pieces: ContactPieces,
    points: Vec<ContactPoint>,
    /// Vertices of each body in the first frame in which it had as many as now (m): displacements are from there.
    rest: Vec<Vec<DVec3>>,
}

impl VtuSeries {
    /// Begins them in `dir`, which is made if it does not exist.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(dir: &Path, sim: &Simulation) -> Result<Self, ReportError> {
        folder(dir, false)?;
        let rows: String = sim.names().iter().enumerate().map(|(b, name)| format!("{b},{name}\n")).collect();
        replace(dir, dir.join("bodies.csv"), &format!("body,name\n{rows}"))?;
        let mut lists = Vec::new();
        let mut list = |name: &str| {
            lists.push(dir.join(name));
            PvdSeries::create(dir.join(name))
        };
        let patches = sim.parts().any(|p| p.response().pieces().is_some());
        Ok(Self {
            surfaces: list("surfaces.pvd")?,
            contacts: list("contacts.pvd")?,
            patches: patches.then(|| list("patches.pvd")).transpose()?,
            lists,
            pieces: ContactPieces::default(),
            points: Vec::new(),
            rest: Vec::new(),
        })
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
        self.rest.resize(shapes.0.len(), Vec::new());
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
                    body.extend(std::iter::repeat_n(b as i32, m.triangles().len()));
                }
                _ => loose.push((b, first..positions.len() as u32)),
            }
        }
        let mut vertices = Vec::new();
        for (b, range) in loose {
            body.extend(std::iter::repeat_n(b as i32, range.len()));
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
        let bodies: Vec<i32> = self.points.iter().flat_map(|c| [c.a as i32, c.b as i32]).collect();
        let on: Vec<i32> = self.points.iter().map(|c| subject(c) as i32).collect();
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
                bodies.extend([p.a as i32, p.b as i32]);
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
