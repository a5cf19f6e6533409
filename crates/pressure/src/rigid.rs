//! A rigid surface: triangles in blocks under a tree.

use crate::blocks::TriBlock;
use crate::error::BodyError;
use crate::shell::{Shell, ShellOptions};
use crate::simd::W;
use crate::support::Support;
use crate::tree::{Box3, Tree, sort};
use impinge_geometry::{
    DVec3, MeshError, Topology, TriMesh, area, closed_mass_properties, triangle_area_vector, triangle_normal,
};
use std::sync::OnceLock;

/// A surface that does not yield, in the body frame: closed, or open and met from its front.
#[derive(Clone, Debug)]
pub struct RigidSurface {
    mesh: TriMesh,
    /// What the energy calls its inside lies between the triangles and this point, seen from `origin` (m).
    pub(crate) apex: DVec3,
    open: bool,
    pub(crate) origin: DVec3,
    pub(crate) blocks: Vec<TriBlock>,
    pub(crate) block_bounds: Vec<Box3>,
    pub(crate) tree: Tree,
    pub(crate) support: Support,
    /// Made when it meets something as rigid.
    shell: OnceLock<Box<Result<Shell, BodyError>>>,
}

impl RigidSurface {
    /// A surface whose triangles run counter-clockwise seen from outside. Collapsed triangles are left out.
    ///
    /// # Errors
    /// [`BodyError::Mesh`] when the surface is not closed and consistently oriented, or encloses a negative volume (its
    /// triangles face inwards: contact would pull); [`BodyError::Parameter`] when it has no area.
    pub fn new(mesh: TriMesh) -> Result<Self, BodyError> {
        Topology::new(&mesh).require_closed()?;
        require_outward(&mesh)?;
        Self::of(mesh, false)
    }

    /// A surface with a border. Whatever stands through it is pushed to the front. The energy is that of the part behind it, towards a point
    /// far behind: exact to rounding of what does not reach past the border, for ground that can be seen whole from in front.
    ///
    /// # Errors
    /// [`BodyError::Mesh`] when an edge has more than two triangles, or two that do not face one way; [`BodyError::Parameter`] when it has
    /// no area.
    pub fn open(mesh: TriMesh) -> Result<Self, BodyError> {
        Topology::new(&mesh).require_front()?;
        Self::of(mesh, true)
    }

    fn of(mesh: TriMesh, open: bool) -> Result<Self, BodyError> {
        let corners: Vec<DVec3> =
            mesh.triangles().iter().flat_map(|t| t.map(|v| mesh.positions()[v as usize])).collect();
        let bounds = Box3::around(&corners);
        let origin = (bounds.lo + bounds.hi) * 0.5;
        let corner = |t: u32| mesh.corners(t as usize).map(|p| p - origin);
        let mut order: Vec<u32> =
            (0..mesh.triangles().len() as u32).filter(|&t| triangle_normal(corner(t)).is_some()).collect();
        if order.is_empty() {
            return Err(BodyError::Parameter {
                reason: "every triangle of the surface is collapsed; check the unit of the file".into(),
            });
        }
        let centres: Vec<DVec3> = (0..mesh.triangles().len() as u32)
            .map(|t| corner(t).iter().fold(DVec3::zero(), |s, &p| s + p) / 3.0)
            .collect();
        sort(&mut order, &centres);
        let (mut blocks, mut block_bounds) = (Vec::new(), Vec::new());
        for run in order.chunks(W) {
            let mut block = TriBlock::EMPTY;
            let mut bounds = Box3::NOTHING;
            for &t in run {
                let x = corner(t);
                block.push(t, x, triangle_normal(x).unwrap_or_else(DVec3::zero));
                bounds = bounds.join(&Box3::around(&x));
            }
            blocks.push(block);
            block_bounds.push(bounds);
        }
        let tree = Tree::new(&block_bounds);
        let support = Support::new(corners.iter().map(|&p| p - origin));
        let apex = if open { far_behind(&mesh, FAR * support.radius()) } else { DVec3::zero() };
        Ok(Self { mesh, apex, open, origin, blocks, block_bounds, tree, support, shell: OnceLock::new() })
    }

    /// The triangles (m, body frame).
    #[must_use]
    pub fn mesh(&self) -> &TriMesh {
        &self.mesh
    }

    /// The same surface with this shell, made now.
    ///
    /// # Errors
    /// [`BodyError`] for a modulus or thickness that is not positive, and when no shell fits under the surface.
    pub fn with_shell(self, options: &ShellOptions) -> Result<Self, BodyError> {
        let shell = self.yielding(options)?;
        Ok(Self { shell: OnceLock::from(Box::new(Ok(shell))), ..self })
    }

    /// How the surface yields to another rigid one; made with [`ShellOptions::default`] at the first call unless
    /// [`RigidSurface::with_shell`] has.
    ///
    /// # Errors
    /// [`BodyError`] when no shell fits under the surface, as under no open one.
    pub fn shell(&self) -> Result<&Shell, &BodyError> {
        let made = || Box::new(self.yielding(&ShellOptions::default()));
        self.shell.get_or_init(made).as_ref().as_ref()
    }

    fn yielding(&self, options: &ShellOptions) -> Result<Shell, BodyError> {
        if self.open {
            Topology::new(&self.mesh).require_closed()?;
        }
        Shell::new(&self.mesh, options)
    }
}

/// How far behind an open surface the point is that closes its back, in its radii.
const FAR: f64 = 16.0;

/// A point this far (m) against the mean normal of a surface; the middle of one that faces all ways.
fn far_behind(mesh: &TriMesh, distance: f64) -> DVec3 {
    let all = (0..mesh.triangles().len()).map(|t| triangle_area_vector(mesh.corners(t)));
    let (sum, whole) = all.fold((DVec3::zero(), 0.0), |(s, w), a| (s + a, w + a.mag()));
    if sum.mag() > 0.1 * whole { sum * (-distance / sum.mag()) } else { DVec3::zero() }
}

/// Refuses what is inside out. A surface without thickness is none of that: its volume is rounding of either sign.
fn require_outward(mesh: &TriMesh) -> Result<(), MeshError> {
    match closed_mass_properties(mesh) {
        Err(MeshError::NoVolume { volume }) => {
            let (lo, hi) = mesh.bounds();
            let rounding = 64.0 * f64::EPSILON * area(mesh) * (hi - lo).mag();
            if volume < -rounding { Err(MeshError::NoVolume { volume }) } else { Ok(()) }
        }
        // Other doubts about it as a solid are for whoever gives it a mass.
        _ => Ok(()),
    }
}
