//! A compliant body: a tet mesh with a pressure at every vertex, in blocks under a tree, ready for queries.

use crate::blocks::{TetBlock, TetRecord};
use crate::error::BodyError;
use crate::levels::{Level, levels, part_below};
use crate::simd::W;
use crate::support::Support;
use crate::tree::{Box3, sort};
use impinge_geometry::{DVec3, MeshError, TetMesh, TetTopology, Topology};

/// The square of anything below this is a number with room to add.
const STEEPEST: f64 = 1e150;

/// A pressure field p = E·ε on linear tets, in the body frame.
///
/// Built once; a query reads it only, so one body may stand in many contacts and threads.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "crate::stored::Field", into = "crate::stored::Field")
)]
#[doc(alias("hydroelastic"))]
pub struct CompliantBody {
    mesh: TetMesh,
    extent: Vec<f64>,
    modulus: f64,
    split: usize,
    /// Middle of the bounds: blocks and tree are relative to it, so that a body far from its origin loses no digits.
    pub(crate) origin: DVec3,
    pub(crate) blocks: Vec<TetBlock>,
    /// Tet `l` of block `b` at 8 b + l.
    pub(crate) records: Vec<TetRecord>,
    pub(crate) levels: Vec<Level>,
    pub(crate) bounds: Box3,
    pub(crate) radius: f64,
    /// Largest gradient (Pa/m) and largest pressure on the boundary (Pa): how fast the pressure can rise inwards.
    pub(crate) steepest: f64,
    pub(crate) edge_pressure: f64,
    /// Smallest pressure (Pa): below 0 where the field has a margin.
    pub(crate) lowest: f64,
    pub(crate) support: Support,
}

impl CompliantBody {
    /// A body from tets, the extent ε of every vertex (0 on the surface, growing inwards; 1 at the deepest points by
    /// the paper's convention) and the modulus E (Pa): the pressure at a vertex is E·ε.
    ///
    /// Tets whose four corners have the same ε (all on the surface, mostly) press nowhere inside; they are kept as
    /// given here. [`crate::fields::distance`] and [`crate::split_flat_tets`] cut them.
    ///
    /// A negative ε is taken as it is: a margin, in which the contact surface has a negative pressure
    /// ([`crate::ContactSurface::min_pressure`]) until [`crate::ContactSurface::keep_pressing`] takes that off.
    /// [`crate::fields::bend`] refuses such a body.
    ///
    /// # Errors
    /// [`BodyError`] for flat or inverted tets, a modulus that is not positive, values that are missing, not finite,
    /// or all the same.
    pub fn new(mesh: TetMesh, extent: Vec<f64>, modulus: f64) -> Result<Self, BodyError> {
        mesh.require_positive()?;
        if !(modulus.is_finite() && modulus > 0.0) {
            return Err(BodyError::Modulus { value: modulus });
        }
        let vertices = mesh.positions().len();
        if extent.len() != vertices {
            return Err(BodyError::Length { values: extent.len(), vertices });
        }
        if let Some(vertex) = extent.iter().position(|e| !(e * modulus).is_finite()) {
            return Err(BodyError::Value { vertex, value: extent[vertex] });
        }
        let used = |f: fn(f64, f64) -> f64, start: f64| {
            mesh.tets().iter().flatten().fold(start, |m, &v| f(m, extent[v as usize]))
        };
        let lowest = used(f64::min, f64::INFINITY) * modulus;
        if used(f64::min, f64::INFINITY) == used(f64::max, f64::NEG_INFINITY) {
            return Err(BodyError::Flat { value: extent[mesh.tets()[0][0] as usize] });
        }
        let corners: Vec<DVec3> =
            mesh.tets().iter().flat_map(|t| t.map(|v| mesh.positions()[v as usize])).collect();
        let bounds = Box3::around(&corners);
        let origin = (bounds.lo + bounds.hi) * 0.5;
        let centred: Vec<DVec3> = mesh.positions().iter().map(|&p| p - origin).collect();
        let topology = TetTopology::new(&mesh);
        // Tets are sorted by the middle of their outer part: the inner ends of a fan all lie in one place.
        let highest = extent.iter().fold(0.0f64, |m, &e| m.max(e * modulus));
        let record = |t: u32| {
            let c = mesh.tets()[t as usize].map(|v| v as usize);
            let outer = (0..4).fold(0, |m, i| {
                m | u8::from(topology.tets_of_face(topology.tet_faces()[t as usize][i]).len() == 1) << i
            });
            TetRecord { outer, ..TetRecord::new(t, c.map(|v| centred[v]), c.map(|v| modulus * extent[v])) }
        };
        let centres: Vec<DVec3> = (0..mesh.tets().len() as u32)
            .map(|t| {
                let outer = part_below(&record(t), 0.125 * highest);
                let b = if outer.lo.x <= outer.hi.x { outer } else { part_below(&record(t), f64::INFINITY) };
                (b.lo + b.hi) * 0.5
            })
            .collect();
        let mut order: Vec<u32> = (0..mesh.tets().len() as u32).collect();
        sort(&mut order, &centres);
        let records: Vec<TetRecord> = order.iter().map(|&t| record(t)).collect();
        // A sliver whose weights or gradient no number can hold is flat for every purpose.
        let held = |t: &TetRecord| {
            t.x.iter().chain(&t.y).chain(&t.z).chain(&t.d).chain(&t.g).all(|v| v.abs() < STEEPEST)
        };
        if let Some(flat) = records.iter().find(|t| !held(t)) {
            let tet = flat.id as usize;
            return Err(MeshError::TetNotPositive { tet, volume: mesh.volume(tet), flat: true }.into());
        }
        let mut blocks = Vec::with_capacity(order.len().div_ceil(W));
        for run in order.chunks(W) {
            let mut block = TetBlock::EMPTY;
            for &t in run {
                let c = mesh.tets()[t as usize].map(|v| v as usize);
                block.push(c.map(|v| centred[v]), c.map(|v| modulus * extent[v]));
            }
            blocks.push(block);
        }
        let steepest = records.iter().fold(0.0f64, |m, t| m.max(t.gradient().mag()));
        let outline = topology.surface(&mesh)?.vertices;
        let edge_pressure =
            outline.iter().fold(f64::NEG_INFINITY, |m, &v| m.max(modulus * extent[v as usize]));
        let support = Support::new(outline.iter().map(|&v| centred[v as usize]));
        let levels = levels(&records);
        let bounds = levels[0].tree.bounds;
        let radius = (bounds.hi - bounds.lo).mag() * 0.5;
        Ok(Self {
            mesh,
            extent,
            modulus,
            split: 0,
            origin,
            blocks,
            records,
            levels,
            bounds,
            radius,
            steepest,
            edge_pressure,
            lowest,
            support,
        })
    }

    pub(crate) fn with_split(mut self, split: usize) -> Self {
        self.split = split;
        self
    }

    /// The tets (m, body frame).
    #[must_use]
    pub fn mesh(&self) -> &TetMesh {
        &self.mesh
    }

    /// The extent ε of every vertex.
    #[must_use]
    pub fn extent(&self) -> &[f64] {
        &self.extent
    }

    /// The modulus E (Pa).
    #[must_use]
    pub fn modulus(&self) -> f64 {
        self.modulus
    }

    /// How many tets without a gradient were cut when the field was made.
    #[must_use]
    pub fn split_tets(&self) -> usize {
        self.split
    }

    /// The depth at which this body carries its own weight on its flattest side, roughly (m): (weight/area)/(E/size).
    /// Compare with its size: a deeper one means that units or modulus are wrong. NaN where `density` (kg/m³) or `gravity` (m/s²) is.
    #[must_use]
    pub fn own_weight_penetration(&self, density: f64, gravity: f64) -> f64 {
        let size = self.bounds.hi - self.bounds.lo;
        let volume: f64 = self.mesh.volumes().iter().sum();
        let area = (size.x * size.y).max(size.y * size.z).max(size.z * size.x);
        let half = 0.5 * size.x.min(size.y).min(size.z);
        density * volume * gravity * half / (area * self.modulus)
    }

    /// A sentence when the body would sink into the ground further than half its smallest size under its own weight, and when
    /// `density` (kg/m³) or `gravity` (m/s²) is NaN.
    #[must_use]
    pub fn unit_warning(&self, density: f64, gravity: f64) -> Option<String> {
        let depth = self.own_weight_penetration(density, gravity);
        let size = self.bounds.hi - self.bounds.lo;
        let smallest = size.x.min(size.y).min(size.z);
        // NaN warns too.
        (!(depth <= 0.5 * smallest)).then(|| {
            format!(
                "under its own weight the body sinks {depth:.3e} m, and it is {smallest:.3e} m thick; check that lengths \
                 are metres, density kg/m³ and the modulus {:.3e} Pa",
                self.modulus
            )
        })
    }

    /// A sentence when the surface of the tets touches itself, as that of a filling does where a gap is thinner than its cell.
    #[must_use]
    pub fn manifold_warning(&self) -> Option<String> {
        let skin = TetTopology::new(&self.mesh).surface(&self.mesh).ok()?;
        let topology = Topology::new(&skin.mesh);
        let (edges, vertices) = (topology.non_manifold_edges(), topology.pinched_vertices().len());
        (edges + vertices > 0).then(|| {
            format!(
                "its tets are not manifold ({edges} edges of their surface with more than two faces, {vertices} pinched \
                 vertices): parts touch where a gap or a wall is thinner than a tet; shorter tets part them"
            )
        })
    }
}
