//! Deformable bodies of a scene file.

use crate::document::Place;
use crate::mesh::MeshSpec;
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::DVec3;
use impinge_world::{ClothSpec, StrainLimits};
use std::path::PathBuf;

/// A solid of tetrahedra. Lengths in m.
#[derive(Clone, Debug, PartialEq)]
pub enum SolidSpec {
    /// A box.
    Box {
        /// Full edge lengths.
        size: DVec3,
        /// Cells.
        segments: [u32; 3],
    },
    /// A ball.
    Sphere {
        /// Radius.
        radius: f64,
        /// Shells.
        rings: u32,
    },
    /// A cylinder about z.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Along z.
        height: f64,
        /// Circles.
        rings: u32,
        /// Layers.
        stacks: u32,
    },
    /// A cylinder about z with round ends.
    Capsule {
        /// Radius.
        radius: f64,
        /// Of the cylinder.
        length: f64,
        /// Shells.
        rings: u32,
        /// Layers.
        stacks: u32,
    },
    /// A ring about z.
    Torus {
        /// Radius of the centre line.
        major: f64,
        /// Radius of the tube.
        minor: f64,
        /// Around z.
        segments: u32,
        /// Around the tube.
        sides: u32,
    },
    /// A surface carried by a lattice of cubes.
    Lattice {
        /// Edge of a cube.
        cell: f64,
        /// The closed surface.
        surface: Box<MeshSpec>,
    },
    /// A file of tets.
    File {
        /// As written; relative to the scene's folder.
        path: PathBuf,
        /// Multiplies all coordinates.
        scale: f64,
        /// Where the middle of the bounding box goes (m); `None` leaves it.
        center: Option<DVec3>,
    },
}

/// What a deformable body is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fabric {
    /// A solid.
    Elastic {
        /// Energy.
        model: Model,
        /// Moduli, density, damping.
        material: Material,
    },
    /// A sheet.
    Cloth(ClothSpec),
    /// A line.
    Cable {
        /// Young's modulus (Pa).
        young: f64,
        /// m.
        radius: f64,
        /// kg/m³.
        density: f64,
        /// Bending stiffness over that of a solid bar.
        bending: f64,
        /// α (1/s), β (s).
        rayleigh: [f64; 2],
    },
}

/// State at the start, material and grips of a deformable body.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftMotion {
    /// What it is made of.
    pub fabric: Fabric,
    /// Of the centre of mass (m/s).
    pub velocity: DVec3,
    /// About the centre of mass, world axes (rad/s).
    pub angular_velocity: DVec3,
    /// Force against velocity on each node (N·s/m).
    pub linear_drag: f64,
    /// What holds it.
    pub attach: Vec<AttachSpec>,
    /// It meets itself; solids, cloth and cables under `qp` and `cpf`.
    pub self_contact: bool,
    /// Limits of the strain of cloth and cables; rows of the response `qp`.
    pub strain: Option<StrainLimits>,
}

/// Nodes held where they start.
#[derive(Clone, Debug, PartialEq)]
pub struct AttachSpec {
    /// Lowest corner of the box, body frame (m).
    pub min: DVec3,
    /// Highest corner.
    pub max: DVec3,
    /// `world` or a body.
    pub to: String,
    /// N/m a node; `None` pins.
    pub stiffness: Option<f64>,
    /// N·s/m a node.
    pub damping: f64,
    /// Of the box, and of `to`.
    pub(crate) places: [Place; 2],
}
