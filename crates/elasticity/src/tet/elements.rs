//! The constant part of a tet solid: rest shape and material of every tet, packed in blocks of lanes.
//!
//! ```text
//! TetBlock, 112 bytes a tet, each field [f64; 16] or [u32; 16]:
//!   node ×4 | gradient ×9 (rows of Dm⁻¹: g₁, g₂, g₃) | volume | mu | lambda
//! ```
//! Damping per tet and mass per node lie apart: forces do not read them.
//!
//! Tets keep the order of the mesh. Number them and the nodes along the body (generators do): a kernel reads positions
//! and adds forces through the node numbers, and a random numbering of 100 k tets costs more than the maths.

use super::Model;
use crate::material::{BadTets, Material};
use impinge_geometry::{DMat3, DVec3, TetMesh, inverse, tet_volume};

/// Tets in a block. Sixteen: two vectors of AVX-512 side by side hide the latency of the long chains in a rotation; eight
/// ran a tenth slower.
pub const LANES: usize = 16;

/// Rest data of [`LANES`] tets.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct TetBlock {
    pub node: [[u32; LANES]; 4],
    pub gradient: [[f64; LANES]; 9],
    pub volume: [f64; LANES],
    pub mu: [f64; LANES],
    pub lambda: [f64; LANES],
}
const _: () = assert!(size_of::<TetBlock>() == 112 * LANES);

/// Tets below this share of their longest edge cubed are lost in the rounding of their corners.
const FLAT: f64 = 1e-12;

/// A body of tets at rest: what the kernels need, checked.
#[derive(Clone, Debug)]
pub struct TetElements {
    model: Model,
    blocks: Vec<TetBlock>,
    /// Rayleigh β of each tet (s).
    beta: Vec<[f64; LANES]>,
    tets: Vec<[u32; 4]>,
    masses: Vec<f64>,
    mass_damping: Vec<f64>,
    damped: bool,
}

impl TetElements {
    /// A body of one material, at rest as `mesh` stands.
    ///
    /// # Errors
    /// [`BadTets`]: an inverted or flat tet, or a material number out of range, with the reason and the fix.
    pub fn new(mesh: &TetMesh, model: Model, material: &Material) -> Result<Self, BadTets> {
        Self::with_materials(mesh, model, std::slice::from_ref(material), |_| 0)
    }

    /// A body whose tet `t` is made of `materials[which(t)]`.
    ///
    /// # Errors
    /// As [`TetElements::new`]; and an index without a material.
    pub fn with_materials(
        mesh: &TetMesh,
        model: Model,
        materials: &[Material],
        which: impl Fn(usize) -> usize,
    ) -> Result<Self, BadTets> {
        for m in materials {
            m.validate()?;
        }
        let tets = mesh.tets();
        let mut body = Self {
            model,
            blocks: Vec::with_capacity(tets.len().div_ceil(LANES)),
            beta: Vec::with_capacity(tets.len().div_ceil(LANES)),
            tets: tets.to_vec(),
            masses: vec![0.0; mesh.positions().len()],
            mass_damping: vec![0.0; mesh.positions().len()],
            damped: false,
        };
        for (t, &nodes) in tets.iter().enumerate() {
            let Some(material) = materials.get(which(t)) else {
                return Err(BadTets::at(
                    t,
                    format!("names material {} of {}; give an index below that", which(t), materials.len()),
                ));
            };
            let (gradient, volume) = rest_shape(t, mesh.corners(t))?;
            let (mu, lambda) = constants(model, material);
            if t % LANES == 0 {
                body.blocks.push(TetBlock::empty());
                body.beta.push([0.0; LANES]);
            }
            // The last block is filled up with copies of its last tet, whose results nobody reads.
            let lanes = t % LANES..if t + 1 == tets.len() { LANES } else { t % LANES + 1 };
            let block = &mut body.blocks[t / LANES];
            for l in lanes {
                for c in 0..4 {
                    block.node[c][l] = nodes[c];
                }
                for (i, g) in gradient.iter().enumerate() {
                    for k in 0..3 {
                        block.gradient[3 * i + k][l] = g[k];
                    }
                }
                block.volume[l] = volume;
                block.mu[l] = mu;
                block.lambda[l] = lambda;
            }
            body.beta[t / LANES][t % LANES] = material.rayleigh_stiffness;
            body.damped |= material.rayleigh_stiffness > 0.0;
            for i in nodes {
                let share = material.density * volume / 4.0;
                body.masses[i as usize] += share;
                body.mass_damping[i as usize] += material.rayleigh_mass * share;
            }
        }
        Ok(body)
    }

    /// The energy.
    #[must_use]
    pub fn model(&self) -> Model {
        self.model
    }

    /// The nodes of every tet, in the order of the mesh.
    #[must_use]
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// How many nodes the positions must have.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.masses.len()
    }

    /// Lumped masses (kg): a quarter of each tet at each corner. Zero for a node that is in no tet: give it a mass
    /// or leave it out of the degrees of freedom.
    #[must_use]
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// α times the lumped mass of each node (kg/s), the mass part of Rayleigh damping.
    #[must_use]
    pub fn mass_damping(&self) -> &[f64] {
        &self.mass_damping
    }

    pub(super) fn blocks(&self) -> &[TetBlock] {
        &self.blocks
    }

    pub(super) fn beta(&self) -> &[[f64; LANES]] {
        &self.beta
    }

    pub(super) fn damped(&self) -> bool {
        self.damped
    }

    /// Tets of block `b` that are real.
    pub(super) fn lanes(&self, b: usize) -> usize {
        (self.tets.len() - b * LANES).min(LANES)
    }

    pub(super) fn check(&self, x: &[DVec3], name: &str) {
        assert!(x.len() >= self.nodes(), "{name} has {} entries for {} nodes", x.len(), self.nodes());
    }
}

impl TetBlock {
    fn empty() -> Self {
        let z = [0.0; LANES];
        Self { node: [[0; LANES]; 4], gradient: [z; 9], volume: z, mu: z, lambda: z }
    }
}

/// Rest gradients g₁, g₂, g₃ (1/m) and volume (m³).
fn rest_shape(t: usize, corners: [DVec3; 4]) -> Result<([DVec3; 3], f64), BadTets> {
    let [a, b, c, d] = corners;
    let volume = tet_volume(corners);
    let longest = TetMesh::EDGES.iter().map(|&[i, j]| (corners[i] - corners[j]).mag()).fold(0.0, f64::max);
    let threshold = FLAT * longest * longest * longest;
    if volume < -threshold {
        return Err(BadTets::at(
            t,
            format!(
                "this rest tet is inverted (volume {volume:e} m³); swap two of its corners, e.g. by TetMesh::oriented"
            ),
        ));
    }
    let dm = DMat3::new(b - a, c - a, d - a);
    match inverse(&dm) {
        // `threshold` is 0 for sizes below 1e-104 m: then the inverse is not finite either.
        Some(inv) if volume > threshold && volume.is_finite() => {
            let rows = inv.transposed().cols;
            if rows.iter().all(|&g| impinge_geometry::is_finite(g)) {
                return Ok((rows, volume));
            }
        }
        _ => {}
    }
    Err(BadTets::at(
        t,
        format!(
            "this rest tet is flat (volume {volume:e} m³, longest edge {longest:e} m); remove it or mesh the body again"
        ),
    ))
}

/// μ and λ of the energy (Pa), so that its small strains are those of the material.
fn constants(model: Model, material: &Material) -> (f64, f64) {
    let (mu, lambda) = material.lame();
    match model {
        Model::Corotational => (mu, lambda),
        Model::StableNeoHookean => (4.0 / 3.0 * mu, lambda + 5.0 / 6.0 * mu),
    }
}
