//! Tets inside any closed triangle mesh, by isosurface stuffing (Labelle and Shewchuk 2007).
//!
//! A body-centred cubic lattice is laid over the body. Where its edges pass through the surface they are cut; a node too near to a
//! cut moves onto it; what is inside of each lattice tet is cut into tets by stencils. Two things are not the paper's: cuts are where
//! the edge meets the triangles and not where a level set interpolates, so every boundary vertex lies on the given surface; and the
//! diagonal of a cut face starts at its deeper inside corner, where theirs follows the parity of the lattice.
//!
//! Sharp edges are rounded off by at most about a cell, thin places are lost when they are thinner than that: the
//! quality report measures both. Every tet has a corner inside the body, which a pressure field needs.

mod fitted;
mod frame;
mod lattice;
mod options;
pub(crate) mod quality;
mod stencil;

pub use fitted::fill_fitted;
pub use options::{FillOptions, tets_about};
pub use quality::{FillQuality, dihedral_angles};

use crate::health::referenced_bounds;
use impinge_geometry::{
    DVec3, MassProperties, MeshError, TetMesh, TetTopology, Topology, TriMesh, closed_mass_properties,
    tet_volume,
};
use impinge_query::MeshIndex;
use lattice::{LONG, Lattice, SHORT};
use std::collections::BTreeMap;
use std::fmt;
use stencil::{Corner, Place};

/// A node whose cut is nearer than this part of a long edge moves onto it (Labelle and Shewchuk, uniform tets).
const NEAR_LONG: f64 = 0.24999;
/// The same of a short edge.
const NEAR_SHORT: f64 = 0.41189;

/// Cubes whose nodes can be numbered.
const MOST_NODES: usize = 500_000_000;

/// Why a body could not be filled.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FillError {
    /// The surface does not bound a volume.
    Surface(MeshError),
    /// The cell is no length.
    Cell {
        /// As given (m).
        cell: f64,
    },
    /// More cubes than allowed.
    TooFine {
        /// As given (m).
        cell: f64,
        /// Cubes it would take.
        cubes: f64,
        /// Cubes allowed.
        allowed: usize,
        /// A cell that would do (m).
        suggested: f64,
    },
    /// Cells of half a wall make more tets than are made unasked.
    TooMany {
        /// Half a wall, or less (m).
        cell: f64,
        /// About so many.
        tets: f64,
        /// Tets allowed.
        allowed: usize,
        /// Thickness of a wall, in the median over the area (m).
        wall: f64,
    },
    /// No lattice node is inside the body.
    TooCoarse {
        /// As given (m).
        cell: f64,
        /// Volume over area of the surface (m): a measure of how thin it is.
        thickness: f64,
    },
}

impl fmt::Display for FillError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Surface(e) => write!(f, "cannot be filled with tets: {e}"),
            Self::Cell { cell } => write!(f, "the cell is {cell} m; a length above zero is needed"),
            Self::TooFine { cell, cubes, allowed, suggested } => write!(
                f,
                "cells of {cell} m would make a lattice of {cubes:.1e} cubes; {allowed} are allowed. A cell of {suggested:.3e} m fits, \
                 or raise the limit"
            ),
            Self::TooMany { cell, tets, allowed, wall } => write!(
                f,
                "its walls are about {wall:.2e} m thick: two cells of {cell:.2e} m across them make about {tets:.1e} tets, and at most {allowed} are \
                 made unasked"
            ),
            Self::TooCoarse { cell, thickness } => write!(
                f,
                "no node of a lattice of {cell} m lies inside the body, whose volume over area is {thickness:.3e} m; take a cell of \
                 about that"
            ),
        }
    }
}

impl std::error::Error for FillError {}

/// A filled body.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// The tets, all of positive volume.
    pub mesh: TetMesh,
    /// How good they are.
    pub quality: FillQuality,
}

/// Fills a closed surface with tets.
///
/// # Errors
/// [`FillError`]: the surface is open, inside out or encloses nothing; the cell is too small or too large for it.
#[doc(alias("tetrahedralise", "mesh generation"))]
pub fn fill(surface: &TriMesh, options: FillOptions) -> Result<Filled, FillError> {
    // A vertex that no face names, far away, must not make the lattice large.
    let mass = checked(surface, referenced_bounds(surface), options)?;
    let index = MeshIndex::new(surface);
    let mesh = stuffed(surface, &index, options.cell).ok_or_else(|| too_coarse(options.cell, &mass))?;
    let quality = measure(&mesh, surface, &index, mass.volume).map_err(FillError::Surface)?;
    Ok(Filled { mesh, quality })
}

/// What a surface encloses, if it does.
fn bounded(surface: &TriMesh) -> Result<MassProperties, FillError> {
    Topology::new(surface).require_closed().map_err(FillError::Surface)?;
    closed_mass_properties(surface).map_err(FillError::Surface)
}

/// Refuses what cannot be filled like this. The lattice covers `bounds`.
fn checked(
    surface: &TriMesh,
    bounds: (DVec3, DVec3),
    options: FillOptions,
) -> Result<MassProperties, FillError> {
    let cell = options.cell;
    if !(cell > 0.0 && cell.is_finite()) {
        return Err(FillError::Cell { cell });
    }
    let mass = bounded(surface)?;
    let count = |cell: f64| Lattice::count(bounds, cell);
    let (cubes, allowed) = (count(cell), options.most_cubes.min(MOST_NODES));
    if cubes > allowed as f64 {
        // By steps: in a thin body the layers around it count, so no power law holds.
        let coarser = (1..2000).map(|k| cell * 1.05f64.powi(k));
        let suggested = coarser.into_iter().find(|&c| count(c) <= allowed as f64).unwrap_or(f64::INFINITY);
        return Err(FillError::TooFine { cell, cubes, allowed, suggested });
    }
    Ok(mass)
}

fn too_coarse(cell: f64, mass: &MassProperties) -> FillError {
    FillError::TooCoarse { cell, thickness: mass.volume / mass.area }
}

/// The tets of a lattice over the surface; `None` when no node is inside.
fn stuffed(surface: &TriMesh, index: &MeshIndex, cell: f64) -> Option<TetMesh> {
    let lattice = Lattice::over(referenced_bounds(surface), cell);
    let mut nodes = Nodes::classify(&lattice, surface, index);
    let mut cuts = find_cuts(&lattice, &nodes, index);
    nodes.warp(&lattice, &mut cuts);
    nodes.stuff(&lattice, &cuts)
}

/// Where the nodes are, and what side of the surface.
struct Nodes {
    place: Vec<Place>,
    position: Vec<DVec3>,
}

impl Nodes {
    /// Asks the winding number only next to triangles: rows elsewhere keep the side of the node before.
    fn classify(lattice: &Lattice, surface: &TriMesh, index: &MeshIndex) -> Self {
        let [nx, ny, nz] = lattice.cubes();
        let mut touched = vec![false; (nx * ny * nz) as usize];
        for t in 0..surface.triangles().len() {
            let [a, b, c] = surface.corners(t);
            let (lo, hi) =
                (a.min_by_component(b).min_by_component(c), a.max_by_component(b).max_by_component(c));
            let [first, last] = lattice.touched(lo, hi);
            for k in first[2]..=last[2] {
                for j in first[1]..=last[1] {
                    let row = lattice.cube([0, j, k]);
                    touched[row + first[0] as usize..=row + last[0] as usize].fill(true);
                }
            }
        }
        let mut place = vec![Place::Outside; lattice.nodes()];
        let mut position = vec![DVec3::zero(); lattice.nodes()];
        let mut before = Place::Outside;
        for (v, (place, position)) in place.iter_mut().zip(&mut position).enumerate() {
            let [x, y, z] = lattice.steps(v as u32);
            *position = lattice.position([x, y, z]);
            let free = |i: i32| {
                !touched[lattice.cube([i.clamp(0, nx - 1), (y / 2).min(ny - 1), (z / 2).min(nz - 1)])]
            };
            // From the node before, two half steps back: one cube of a corner's row, two of a centre's.
            let same = x >= 2 && free(x / 2 - 1) && (x % 2 == 0 || free(x / 2));
            if !same {
                before = if index.inside(*position) { Place::Inside } else { Place::Outside };
            }
            *place = before;
        }
        Self { place, position }
    }

    /// Moves nodes onto cuts that are too near; their other cuts go.
    fn warp(&mut self, lattice: &Lattice, cuts: &mut Cuts) {
        for v in 0..self.place.len() as u32 {
            let mut nearest: Option<(f64, DVec3)> = None;
            let around: Vec<[u32; 2]> = neighbours(lattice, v)
                .filter_map(|(w, near)| {
                    let key = self.key(v, w)?;
                    let &(t, p) = cuts.get(&key)?;
                    let part = if key[0] == v { t } else { 1.0 - t };
                    let way = (p - self.position[v as usize]).mag();
                    if part < near && nearest.is_none_or(|(n, _)| way < n) {
                        nearest = Some((way, p));
                    }
                    Some(key)
                })
                .collect();
            if let Some((_, p)) = nearest {
                self.place[v as usize] = Place::On;
                self.position[v as usize] = p;
                for key in around {
                    cuts.remove(&key);
                }
            }
        }
    }

    /// The name of a cut edge: the inside node, then the outside one.
    fn key(&self, v: u32, w: u32) -> Option<[u32; 2]> {
        match (self.place[v as usize], self.place[w as usize]) {
            (Place::Inside, Place::Outside) => Some([v, w]),
            (Place::Outside, Place::Inside) => Some([w, v]),
            _ => None,
        }
    }

    /// Stencils of all lattice tets; `None` when nothing is inside.
    fn stuff(&self, lattice: &Lattice, cuts: &Cuts) -> Option<TetMesh> {
        let mut numbers: BTreeMap<Corner, u32> = BTreeMap::new();
        let mut positions = Vec::new();
        let mut tets = Vec::new();
        let at = |c: Corner| match c {
            Corner::Node(v) => self.position[v as usize],
            Corner::Cut(v, w) => cuts[&[v, w]].1,
        };
        lattice.for_each_tet(|t| {
            let place = |v: u32| self.place[v as usize];
            if !t.iter().any(|&v| place(v) == Place::Inside) {
                return;
            }
            let across = |[a, b, c, d]: [Corner; 4]| (at(a) - at(c)).mag_sq() <= (at(b) - at(d)).mag_sq();
            stencil::inside(
                t,
                place,
                |a, b| a < b,
                across,
                |corners| {
                    let mut tet = corners.map(|c| {
                        *numbers.entry(c).or_insert_with(|| {
                            positions.push(at(c));
                            positions.len() as u32 - 1
                        })
                    });
                    if tet_volume(corners.map(at)) < 0.0 {
                        tet.swap(1, 2);
                    }
                    tets.push(tet);
                },
            );
        });
        TetMesh::new(positions, tets).ok()
    }
}

/// By inside and outside node: how far along, and where.
type Cuts = BTreeMap<[u32; 2], (f64, DVec3)>;

/// Neighbours of a node, and how near a cut may be on the edge to each.
fn neighbours(lattice: &Lattice, v: u32) -> impl Iterator<Item = (u32, f64)> {
    let h = lattice.steps(v);
    let to = move |d: &[i32; 3]| lattice.node([h[0] + d[0], h[1] + d[1], h[2] + d[2]]);
    LONG.iter()
        .filter_map(move |d| Some((to(d)?, NEAR_LONG)))
        .chain(SHORT.iter().filter_map(move |d| Some((to(d)?, NEAR_SHORT))))
}

/// Where edges from inside to outside leave the body.
fn find_cuts(lattice: &Lattice, nodes: &Nodes, index: &MeshIndex) -> Cuts {
    let mut cuts = Cuts::new();
    for v in (0..nodes.place.len() as u32).filter(|&v| nodes.place[v as usize] == Place::Inside) {
        let from = nodes.position[v as usize];
        for (w, _) in neighbours(lattice, v).filter(|&(w, _)| nodes.place[w as usize] == Place::Outside) {
            let way = nodes.position[w as usize] - from;
            // A node on the surface counts as inside or outside by a rule; a ray that misses for its rounding met it there, at either end.
            let near = |p: DVec3| index.nearest(p).distance;
            let missed = || if near(from) < near(from + way) { 0.0 } else { 1.0 };
            let t = index.ray(from, way, 1.0).map_or_else(missed, |hit| hit.t.clamp(0.0, 1.0));
            cuts.insert([v, w], (t, from + way * t));
        }
    }
    cuts
}

fn measure(
    mesh: &TetMesh,
    surface: &TriMesh,
    index: &MeshIndex,
    volume: f64,
) -> Result<FillQuality, MeshError> {
    mesh.require_positive()?;
    let topology = TetTopology::new(mesh);
    let skin = topology.surface(mesh)?.mesh;
    let boundary = Topology::new(&skin);
    let (mut min_dihedral, mut max_dihedral) = (f64::INFINITY, 0.0_f64);
    for t in 0..mesh.tets().len() {
        let [lowest, highest] = dihedral_angles(mesh.corners(t));
        min_dihedral = min_dihedral.min(lowest);
        max_dihedral = max_dihedral.max(highest);
    }
    let filled: f64 = mesh.volumes().iter().sum();
    Ok(FillQuality {
        tets: mesh.tets().len(),
        vertices: mesh.positions().len(),
        min_dihedral,
        max_dihedral,
        volume: filled,
        volume_error: filled / volume - 1.0,
        to_surface: quality::farthest(&skin, index),
        from_surface: quality::farthest(surface, &MeshIndex::new(&skin)),
        parts: topology.part_count(),
        non_manifold_edges: boundary.non_manifold_edges(),
        pinched_vertices: boundary.pinched_vertices().len(),
    })
}
