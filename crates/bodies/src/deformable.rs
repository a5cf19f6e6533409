//! Deformable bodies before they are built: nodes, energies, a surface for contact, and what holds them.
//!
//! Three makers — a solid of tets, a sheet of cloth, a cable — and the fields, for whoever has energies of his own.

use crate::shapes::{Own, OwnTets, SoftShape};
use crate::strain::StrainLimits;
use impinge_broadphase::{Aabb, BodyPairs};
use impinge_contact::Embedding;
use impinge_elasticity::cloth::{Hinges, MembraneLaw, Membranes, plate_stiffness};
use impinge_elasticity::rod::{Cable, Section};
use impinge_elasticity::tet::{Model, TetElements};
use impinge_elasticity::{BadElement, Material};
use impinge_geometry::{DVec3, Pose, TetMesh, TetTopology, TriMesh, closest_between_segments};
use impinge_integrators::{ElasticBody, Energy};
use impinge_query::MeshIndex;
use std::sync::Arc;
use thiserror::Error;

/// Why a deformable is refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
#[error("body '{body}': {reason}")]
pub struct DeformableError {
    /// Name of the body.
    pub body: String,
    /// Why, and what would be right.
    pub reason: String,
}

/// What nodes are attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AttachTo {
    /// Where they start.
    World,
    /// The material points of this body slot that are there when it is attached. A rigid, kinematic or fixed body.
    Body(u32),
}

/// Nodes held by something.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attach {
    /// Nodes of the body, from 0.
    pub nodes: Vec<u32>,
    /// What holds them.
    pub to: AttachTo,
    /// A spring of this stiffness (N/m per node). `None` pins the nodes; to a rigid body it takes springs ten times as stiff as the
    /// node's own material.
    pub stiffness: Option<f64>,
    /// Damping of the spring (N·s/m per node).
    pub damping: f64,
    /// Where the body that holds them is when they are attached. `None`: where it starts.
    pub frame: Option<Pose>,
}

/// A deformable body.
#[derive(Clone, Debug)]
pub struct Deformable {
    /// Where the nodes start, in the frame of the body's pose (m).
    pub positions: Vec<DVec3>,
    /// Masses, energies, damping.
    pub elastic: ElasticBody,
    /// The surface contact sees.
    pub surface: Arc<SoftShape>,
    /// How surface vertices follow nodes; `None` where vertex i is node i.
    pub embedding: Option<Embedding>,
    /// What holds it.
    pub attach: Vec<Attach>,
    /// What it was made from; `None` for a cable.
    pub matter: Option<Matter>,
    /// Its surface is a skin carried by the nodes: not cut with them.
    pub skinned: bool,
    /// Limits of the strain of its edges; see [`Deformable::with_strain_limits`].
    pub strain: Option<StrainLimits>,
}

/// What a deformable was made from: its rest mesh and what fills it.
#[derive(Clone, Debug)]
pub enum Matter {
    /// Tets, with their boundary as surface.
    Solid {
        /// At rest.
        mesh: TetMesh,
        /// The energy.
        model: Model,
        /// Moduli, density, damping.
        material: Material,
    },
    /// Cloth.
    Sheet {
        /// At rest.
        mesh: TriMesh,
        /// What it is made of.
        spec: ClothSpec,
    },
}

/// What cloth is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClothSpec {
    /// Young's modulus in the plane (Pa).
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Thickness (m).
    pub thickness: f64,
    /// Mass per volume (kg/m³).
    pub density: f64,
    /// Bending stiffness over that of a solid plate of this thickness: 1 for a sheet of rubber, 0.01 and less for a weave.
    pub bending: f64,
    /// Rayleigh damping: α (1/s), β (s).
    pub rayleigh: [f64; 2],
}

impl Deformable {
    /// A solid at rest as `mesh` stands; contact sees its boundary.
    ///
    /// # Errors
    /// [`DeformableError`]: inverted or flat tets, a material out of range, a boundary that is no closed surface.
    pub fn solid(
        name: &str,
        mesh: &TetMesh,
        model: Model,
        material: &Material,
    ) -> Result<Self, DeformableError> {
        let refuse = |reason: String| DeformableError { body: name.to_string(), reason };
        let tets = TetElements::new(mesh, model, material).map_err(|e| refuse(e.to_string()))?;
        let boundary = TetTopology::new(mesh).surface(mesh).map_err(|e| refuse(e.to_string()))?;
        let nodes = mesh.positions().len();
        let embedding = Embedding::of_nodes(nodes, &boundary.vertices).map_err(|e| refuse(e.to_string()))?;
        Ok(Self {
            positions: mesh.positions().to_vec(),
            elastic: ElasticBody {
                masses: tets.masses().to_vec(),
                energies: vec![Energy::Tets(tets)],
                mass_damping: material.rayleigh_mass,
                stiffness_damping: material.rayleigh_stiffness,
            },
            surface: Arc::new(SoftShape::surface(boundary.mesh)),
            embedding: Some(embedding),
            attach: Vec::new(),
            matter: Some(Matter::Solid { mesh: mesh.clone(), model, material: *material }),
            skinned: false,
            strain: None,
        })
    }

    /// The same with a finer surface carried by the nodes, see [`Embedding`]; vertices of `surface` in the frame of the tets.
    ///
    /// # Errors
    /// When surface and embedding differ in length, or the embedding is not of these nodes.
    pub fn with_skin(
        mut self,
        name: &str,
        surface: TriMesh,
        embedding: Embedding,
    ) -> Result<Self, DeformableError> {
        let found = (embedding.vertices(), embedding.nodes());
        if found != (surface.positions().len(), self.positions.len()) {
            return Err(DeformableError {
                body: name.to_string(),
                reason: format!(
                    "the skin has {} vertices and the body {} nodes, but the embedding is of {} vertices and {} nodes",
                    surface.positions().len(),
                    self.positions.len(),
                    found.0,
                    found.1
                ),
            });
        }
        self.surface = Arc::new(SoftShape::surface(surface));
        self.embedding = Some(embedding);
        self.skinned = true;
        Ok(self)
    }

    /// Lets it meet itself, under the law of its material with itself: a solid, cloth, or a cable. Cloth, open or closed, and cables have
    /// no inside: the response `qp` needs none, `cpf` none of cloth with a thickness; others refuse the world. A cable is at rest as its nodes are now.
    ///
    /// # Errors
    /// [`DeformableError`] for a solid whose surface is not closed, for what has no segments or surface of its own, and for a cable
    /// that lies across itself without a distance.
    pub fn self_contact(mut self, name: &str) -> Result<Self, DeformableError> {
        let refuse = |reason: &str| DeformableError { body: name.to_string(), reason: reason.to_string() };
        let own = match (&self.matter, &self.surface.mesh) {
            (Some(Matter::Solid { mesh, .. }), Some(surface)) if self.surface.closed => {
                Own::Solid(Arc::new(OwnTets { rest: mesh.clone(), surface: MeshIndex::new(surface) }))
            }
            (Some(Matter::Sheet { .. }), Some(_)) => Own::Sheet,
            (None, None) if self.embedding.is_none() && self.surface.vertices == self.positions.len() => {
                if let Some((i, j)) = crossing(&self.positions) {
                    return Err(refuse(&format!(
                        "segments {i} and {j} of the cable touch where it starts, so nothing says which of them is above: \
                         draw one of them beside the other, or take its contact with itself out"
                    )));
                }
                Own::Line(self.positions.as_slice().into())
            }
            _ => {
                return Err(refuse(
                    "it cannot meet itself: it takes a solid with a closed surface, cloth, or a cable whose vertices are its nodes",
                ));
            }
        };
        self.surface = Arc::new(SoftShape { own: Some(own), ..SoftShape::clone(&self.surface) });
        Ok(self)
    }

    /// It can be cut: a solid with its own boundary, or a sheet.
    #[must_use]
    pub fn can_be_cut(&self) -> bool {
        self.matter.is_some() && !self.skinned
    }

    /// Cloth at rest as `mesh` lies.
    ///
    /// # Errors
    /// [`DeformableError`]: a triangle without area, a number out of range.
    pub fn cloth(name: &str, mesh: &TriMesh, spec: &ClothSpec) -> Result<Self, DeformableError> {
        let refuse = |reason: String| DeformableError { body: name.to_string(), reason };
        let bad = |e: BadElement| refuse(e.to_string());
        if !(spec.density.is_finite() && spec.density > 0.0) {
            return Err(refuse(format!("density is {} kg/m³; it must be a positive number", spec.density)));
        }
        if !(spec.bending.is_finite() && spec.bending >= 0.0) {
            return Err(refuse(format!("bending is {}; it must be zero or positive", spec.bending)));
        }
        let law = MembraneLaw::isotropic(spec.young, spec.poisson, spec.thickness).map_err(bad)?;
        let membranes =
            Membranes::from_rest(mesh.triangles(), mesh.positions(), DVec3::unit_x()).map_err(bad)?;
        let mut masses = vec![0.0; mesh.positions().len()];
        membranes.view().add_masses(spec.density * spec.thickness, &mut masses);
        let mut energies = vec![Energy::Membranes(membranes, law)];
        if spec.bending > 0.0 {
            let plate =
                plate_stiffness(spec.young, spec.poisson, spec.thickness).map_err(bad)? * spec.bending;
            energies.push(Energy::Hinges(Hinges::from_mesh(mesh, plate).map_err(bad)?));
        }
        Ok(Self {
            positions: mesh.positions().to_vec(),
            elastic: ElasticBody {
                masses,
                energies,
                mass_damping: spec.rayleigh[0],
                stiffness_damping: spec.rayleigh[1],
            },
            surface: Arc::new(SoftShape::surface(mesh.clone()).with_thickness(spec.thickness)),
            embedding: None,
            attach: Vec::new(),
            matter: Some(Matter::Sheet { mesh: mesh.clone(), spec: *spec }),
            skinned: false,
            strain: None,
        })
    }

    /// A cable along `line`, at rest as it lies: it stretches and bends, and does not twist. [`Self::with_thickness`] says how thick it is.
    ///
    /// # Errors
    /// [`DeformableError`]: fewer than two points, an edge without length, a number out of range.
    pub fn cable(
        name: &str,
        line: &[DVec3],
        section: &Section,
        rayleigh: [f64; 2],
    ) -> Result<Self, DeformableError> {
        let bad = |e: BadElement| DeformableError { body: name.to_string(), reason: e.to_string() };
        let order: Vec<u32> = (0..line.len() as u32).collect();
        let cable = Cable::new(&order, line, section, false).map_err(bad)?;
        let mut masses = vec![0.0; line.len()];
        section.add_masses(&order, line, &mut masses).map_err(bad)?;
        let mut energies = vec![Energy::Springs(cable.springs)];
        if section.ei[0] > 0.0 && line.len() > 2 {
            energies.push(Energy::Bends(cable.bends));
        }
        Ok(Self {
            positions: line.to_vec(),
            elastic: ElasticBody {
                masses,
                energies,
                mass_damping: rayleigh[0],
                stiffness_damping: rayleigh[1],
            },
            surface: Arc::new(SoftShape::line(line.len())),
            embedding: None,
            attach: Vec::new(),
            matter: None,
            skinned: false,
            strain: None,
        })
    }

    /// Known to be so thick (m), of which watches tell when it sinks in deeper. No contact is found by it.
    #[must_use]
    pub fn with_thickness(mut self, thick: f64) -> Self {
        self.surface = Arc::new(SoftShape::clone(&self.surface).with_thickness(thick));
        self
    }

    /// Holds nodes.
    #[must_use]
    pub fn attached(mut self, attach: Attach) -> Self {
        self.attach.push(attach);
        self
    }

    /// Pins the nodes a rule names (positions in the body frame, m) to the world or to a fixed or kinematic body, or ties them to a
    /// rigid one.
    #[must_use]
    pub fn pinned(self, to: AttachTo, which: impl Fn(DVec3) -> bool) -> Self {
        let nodes =
            (0..self.positions.len()).filter(|&i| which(self.positions[i])).map(|i| i as u32).collect();
        self.attached(Attach { nodes, to, stiffness: None, damping: 0.0, frame: None })
    }

    /// Mass (kg).
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.elastic.masses.iter().sum()
    }

    /// Centre of mass in the body frame at the start (m).
    #[must_use]
    pub fn center(&self) -> DVec3 {
        let masses = &self.elastic.masses;
        let sum = self.positions.iter().zip(masses).fold(DVec3::zero(), |s, (x, m)| s + *x * *m);
        sum / self.mass()
    }
}

/// Two segments of a line that touch to rounding, other than at a node that they share, or where its end closes on its beginning. `None` also
/// where a position is not finite, which is refused elsewhere.
fn crossing(line: &[DVec3]) -> Option<(u32, u32)> {
    let closed = line.first() == line.last();
    let size = line.iter().fold(0.0f64, |m, p| m.max(p.mag()));
    let touching = 1e-12 * size;
    let boxes: Vec<Aabb> = line.windows(2).map(|w| Aabb::from_points(w).inflated(touching)).collect();
    let mut near = Vec::new();
    BodyPairs::default().find(&boxes, |_, _| true, &mut near).ok()?;
    let touch = |&(i, j): &(u32, u32)| {
        let of = |k: u32| [line[k as usize], line[k as usize + 1]];
        let joined = j == i + 1 || closed && i == 0 && j as usize + 2 == line.len();
        !joined && closest_between_segments(of(i), of(j)).distance_squared <= touching * touching
    };
    near.into_iter().find(touch)
}
