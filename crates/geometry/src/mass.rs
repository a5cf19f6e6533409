//! Exact volume, centre of mass and inertia of a closed triangle mesh; areas of any mesh.
//!
//! The divergence theorem turns each volume integral into a sum over tetrahedra (o, a, b, c) of signed volume
//! V = a·(b × c)/6, with o any fixed point. Per tetrahedron, with s = a + b + c (Tonon 2004):
//! ∫ x dV = V s/4 and ∫ x xᵀ dV = V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20.
//!
//! Two passes. The first takes o at the mean of the corners and finds volume and centre; the second takes o at
//! that centre, so the second moments never come out as a small difference of large numbers, however far the
//! body stands from the origin. A tet mesh is summed by the same formulas with its own fourth corners.

use crate::{MeshError, Topology, TriMesh, linear, symmetric_eigen, triangle_area};
#[cfg(feature = "tets")]
use crate::{TetMesh, TetTopology};
use ultraviolet::{DMat3, DVec3};

/// Faces are summed in blocks of this many, then the blocks: a million faces lose about three digits less
/// than in one long sum, and the order is fixed.
const BLOCK: usize = 256;

/// A closed mesh as a solid of unit density.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MassProperties {
    /// Enclosed volume (m³), positive.
    pub volume: f64,
    /// Centre of mass (m).
    pub center: DVec3,
    /// Inertia tensor about the centre for a density of 1 kg/m³ (m⁵), symmetric; times density gives kg·m².
    pub inertia: DMat3,
    /// Surface area (m²).
    pub area: f64,
}

/// Principal moments and axes of an inertia tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PrincipalAxes {
    /// Moments in ascending order (m⁵ for unit density).
    pub moments: [f64; 3],
    /// Right-handed orthonormal axes, one per column, in the order of the moments.
    pub axes: DMat3,
}

impl MassProperties {
    /// Principal moments and axes of the inertia tensor.
    #[must_use]
    pub fn principal(&self) -> PrincipalAxes {
        let (moments, axes) = symmetric_eigen(&self.inertia);
        PrincipalAxes { moments, axes }
    }

    /// Mass (kg) and inertia about the centre (kg·m²) at a density (kg/m³).
    #[must_use]
    pub fn at_density(&self, density: f64) -> (f64, DMat3) {
        (self.volume * density, linear::scale(&self.inertia, density))
    }

    /// Inertia about the centre (kg·m²) when the whole body weighs `mass` (kg).
    #[must_use]
    pub fn inertia_for_mass(&self, mass: f64) -> DMat3 {
        linear::scale(&self.inertia, mass / self.volume)
    }
}

/// Volume, centre, inertia and area of a closed mesh.
///
/// Cavities (closed parts facing inwards inside an outer part) count negative, as they should. Where parts
/// overlap, the overlap counts twice.
///
/// # Errors
/// [`MeshError::NotClosed`] for an open surface, [`MeshError::NoVolume`] where the volume is negative or no
/// larger than its own rounding error, [`MeshError::NotASolid`] where a part is inside out.
pub fn mass_properties(mesh: &TriMesh) -> Result<MassProperties, MeshError> {
    Topology::new(mesh).require_closed()?;
    closed_mass_properties(mesh)
}

/// [`mass_properties`] for a mesh already known to be closed, when its [`Topology`] is at hand: skips building
/// another. On an open mesh the numbers mean nothing.
///
/// # Errors
/// [`MeshError::NoVolume`] and [`MeshError::NotASolid`] as [`mass_properties`].
pub fn closed_mass_properties(mesh: &TriMesh) -> Result<MassProperties, MeshError> {
    let surface = area(mesh);
    let (lo, hi) = mesh.bounds();
    let o = mean_corner(mesh);
    let ([six_volume], [first]) = sum_blocks(mesh, o, |[a, b, c]| {
        let d = a.dot(b.cross(c));
        ([d], [(a + b + c) * d])
    });
    let center = solid_center(o, six_volume, first, surface * (hi - lo).mag())?;
    let ([], m) = sum_blocks(mesh, center, |[a, b, c]| {
        let d = a.dot(b.cross(c)) / 120.0;
        let s = a + b + c;
        let column = |i: usize| (a * a[i] + b * b[i] + c * c[i] + s * s[i]) * d;
        ([], [column(0), column(1), column(2)])
    });
    solid(six_volume / 6.0, center, m, surface)
}

/// Volume, centre, inertia and surface area of a tet mesh, summed over tets. Cells that overlap count twice.
///
/// # Errors
/// [`MeshError::TetNotPositive`] naming the first flat or inverted tet, [`MeshError::NoVolume`] where the total is
/// lost in rounding.
#[cfg(feature = "tets")]
pub fn tet_mass_properties(mesh: &TetMesh) -> Result<MassProperties, MeshError> {
    mesh.require_positive()?;
    let surface = area(&TetTopology::new(mesh).surface(mesh)?.mesh);
    let (lo, hi) = mesh.bounds();
    // Any fixed point will do; the middle of the box keeps the numbers small.
    let o = lo * 0.5 + hi * 0.5;
    let corners = |t: usize, o: DVec3| mesh.corners(t).map(|p| p - o);
    let ([six_volume], [first]) = sum_items(mesh.tets().len(), |t| {
        let [a, b, c, d] = corners(t, o);
        let v = (b - a).dot((c - a).cross(d - a));
        ([v], [(a + b + c + d) * v])
    });
    let center = solid_center(o, six_volume, first, surface * (hi - lo).mag())?;
    let ([], m) = sum_items(mesh.tets().len(), |t| {
        let [a, b, c, d] = corners(t, center);
        let v = (b - a).dot((c - a).cross(d - a)) / 120.0;
        let s = a + b + c + d;
        let column = |i: usize| (a * a[i] + b * b[i] + c * c[i] + d * d[i] + s * s[i]) * v;
        ([], [column(0), column(1), column(2)])
    });
    solid(six_volume / 6.0, center, m, surface)
}

/// The centre from six times the volume and the sum of (corner sums · six times volume) about `o`; refuses what
/// encloses nothing.
fn solid_center(o: DVec3, six_volume: f64, first: DVec3, size: f64) -> Result<DVec3, MeshError> {
    let volume = six_volume / 6.0;
    // A flat surface leaves rounding of either sign; below this the sign means nothing.
    let rounding = 64.0 * f64::EPSILON * size;
    if !(volume.is_finite() && volume > rounding) {
        let volume = if volume.is_nan() { f64::INFINITY } else { volume };
        return Err(MeshError::NoVolume { volume });
    }
    Ok(o + first / (4.0 * six_volume))
}

/// Turns the second moments `m` (columns of ∫x xᵀ dV about the centre) into an inertia tensor, or refuses them.
fn solid(volume: f64, center: DVec3, m: [DVec3; 3], area: f64) -> Result<MassProperties, MeshError> {
    // Rounding makes the two halves differ in the last bits; keep exactly one.
    let second = DMat3::new(m[0], DVec3::new(m[0].y, m[1].y, m[1].z), DVec3::new(m[0].z, m[1].z, m[2].z));
    let ([smallest, ..], _) = symmetric_eigen(&second);
    let trace = linear::trace(&second);
    if !trace.is_finite() || trace.abs() < f64::MIN_POSITIVE {
        return Err(MeshError::NoVolume { volume });
    }
    if smallest <= 0.0 {
        return Err(MeshError::NotASolid { moment: smallest });
    }
    let inertia = linear::sub(&linear::scale(&DMat3::identity(), trace), &second);
    Ok(MassProperties { volume, center, inertia, area })
}

/// The total area of any mesh (m²).
#[must_use]
pub fn area(mesh: &TriMesh) -> f64 {
    let ([total], []) = sum_blocks(mesh, DVec3::zero(), |corners| ([triangle_area(corners)], []));
    total
}

/// One third of the area of every triangle at each vertex (m²); zero for an unreferenced vertex. The sum is
/// the area of the mesh.
#[must_use]
pub fn vertex_areas(mesh: &TriMesh) -> Vec<f64> {
    let mut areas = vec![0.0; mesh.positions().len()];
    for (f, t) in mesh.triangles().iter().enumerate() {
        let third = triangle_area(mesh.corners(f)) / 3.0;
        for &v in t {
            areas[v as usize] += third;
        }
    }
    areas
}

/// The mean of all triangle corners: unreferenced vertices far away must not pull it off the surface.
fn mean_corner(mesh: &TriMesh) -> DVec3 {
    let first = mesh.corners(0)[0];
    let ([], [sum]) = sum_blocks(mesh, first, |[a, b, c]| ([], [a + b + c]));
    first + sum / (3.0 * mesh.triangles().len() as f64)
}

/// Sums `f(corners − origin)` over all faces, block by block in face order.
fn sum_blocks<const S: usize, const V: usize>(
    mesh: &TriMesh,
    origin: DVec3,
    f: impl Fn([DVec3; 3]) -> ([f64; S], [DVec3; V]),
) -> ([f64; S], [DVec3; V]) {
    sum_items(mesh.triangles().len(), |face| f(mesh.corners(face).map(|p| p - origin)))
}

/// Sums `f(0) + f(1) + …`, block by block in order.
fn sum_items<const S: usize, const V: usize>(
    items: usize,
    f: impl Fn(usize) -> ([f64; S], [DVec3; V]),
) -> ([f64; S], [DVec3; V]) {
    let mut total = ([0.0; S], [DVec3::zero(); V]);
    let add = |to: &mut ([f64; S], [DVec3; V]), from: &([f64; S], [DVec3; V])| {
        for i in 0..S {
            to.0[i] += from.0[i];
        }
        for i in 0..V {
            to.1[i] += from.1[i];
        }
    };
    for start in (0..items).step_by(BLOCK) {
        let mut block = ([0.0; S], [DVec3::zero(); V]);
        for item in start..items.min(start + BLOCK) {
            add(&mut block, &f(item));
        }
        add(&mut total, &block);
    }
    total
}
