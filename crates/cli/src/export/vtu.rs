//! Series of VTU files with their PVD lists: surfaces of all bodies, contacts with their forces, and what pushes with a surface, with its
//! pressure.

use super::nodal;
use impinge_contact::SurfaceMap;
use impinge_geometry::DVec3;
use impinge_io::{Field, Grid, Numbers, PvdSeries};
use impinge_world::{ContactPieces, ContactPoint, Dofs, NodeState, Shape, Shapes, Simulation};
use std::path::Path;

/// `bodies.csv` with the names, `surfaces.pvd`, `contacts.pvd`, and `patches.pvd` where the response pushes with surfaces.
pub struct Series {
    surfaces: PvdSeries,
    contacts: PvdSeries,
    patches: Option<PvdSeries>,
    pieces: ContactPieces,
    points: Vec<ContactPoint>,
    /// Vertices of each body in the first frame in which it had as many as now (m): displacements are from there.
    rest: Vec<Vec<DVec3>>,
}

impl Series {
    /// Begins them in `dir`; `patches` for a response that has them.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(dir: &Path, names: &[String], patches: bool) -> Result<Self, String> {
        std::fs::create_dir_all(dir).map_err(|e| format!("{} cannot be made: {e}", dir.display()))?;
        let file = dir.join("bodies.csv");
        let rows: String = names.iter().enumerate().map(|(b, name)| format!("{b},{name}\n")).collect();
        crate::whole::write(&file, format!("body,name\n{rows}"))?;
        let list = |name: &str| PvdSeries::create(dir.join(name)).map_err(|e| e.to_string());
        Ok(Self {
            surfaces: list("surfaces.pvd")?,
            contacts: list("contacts.pvd")?,
            patches: patches.then(|| list("patches.pvd")).transpose()?,
            pieces: ContactPieces::default(),
            points: Vec::new(),
            rest: Vec::new(),
        })
    }

    /// Writes the state between two steps and the contacts of the last one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&mut self, sim: &Simulation) -> Result<(), String> {
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

    fn put_surfaces(&mut self, sim: &Simulation) -> Result<(), String> {
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
        self.surfaces.step(sim.time(), &grid).map(|_| ()).map_err(|e| e.to_string())
    }

    fn put_contacts(&mut self, sim: &Simulation) -> Result<(), String> {
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
        self.contacts.step(sim.time(), &grid).map(|_| ()).map_err(|e| e.to_string())
    }

    /// Every polygon as a fan of triangles that share its pressure and its number.
    fn put_patches(&mut self, sim: &Simulation) -> Result<(), String> {
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
        series.step(sim.time(), &grid).map(|_| ()).map_err(|e| e.to_string())
    }
}

fn flat(vectors: impl IntoIterator<Item = DVec3>) -> Vec<f64> {
    vectors.into_iter().flat_map(|v| [v.x, v.y, v.z]).collect()
}
