//! Attaches points to a tet mesh: for each point four nodes and their weights, so that the point rides on the
//! mesh.
//!
//! Takes a tet mesh and points of a finer surface in the same rest frame (m), gives plain columns that
//! `impinge_contact::Embedding::new` takes as they are. A point inside a tet gets its barycentric weights,
//! decided exactly by [`TetIndex`]. The skin of a coarse body stands partly outside of it; such a point goes to
//! the closest tet and either keeps its place (extrapolated, some weights negative) or moves to the closest
//! point (clamped).

use crate::{MeshIndex, Nearest, TetIndex};
use impinge_geometry::{DVec3, MeshError, TetMesh, TetTopology, is_finite, tet_volume};
use std::fmt;

/// What becomes of a point that no tet holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outside {
    /// It keeps its place: barycentric weights of the closest tet, of which some are negative. It follows the
    /// linear motion of that tet, so a point far outside a turning tet swings far: keep it within a fraction of
    /// the tet's size.
    #[default]
    Extrapolate,
    /// It moves to the closest point of the mesh: no weight is negative, and the rest shape changes by the
    /// distance.
    Clamp,
}

/// How far from the mesh a point may be, and what becomes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AttachOptions {
    /// For points that no tet holds.
    pub outside: Outside,
    /// The largest distance from the mesh (m); `None`: half the mean edge of the tets.
    pub max_distance: Option<f64>,
    /// The largest weight by magnitude of an extrapolated point; `None`: 4. A flat tet extrapolates with huge
    /// weights, which would turn rounding of its nodes into motion of the skin.
    pub max_weight: Option<f64>,
}

/// Points attached to a tet mesh, a row per point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attached {
    /// The tet a point rides on.
    pub tet: Vec<u32>,
    /// Its corners.
    pub stencil: Vec<[u32; 4]>,
    /// Their weights; the sum is 1.
    pub weights: Vec<[f64; 4]>,
    /// Points that no tet holds, ascending.
    pub outside: Vec<u32>,
    /// The largest distance of a point from the mesh (m).
    pub max_distance: f64,
    /// The largest weight by magnitude; above 1 where a point is extrapolated.
    pub max_weight: f64,
}

/// Why points could not be attached.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AttachError {
    /// A point has a coordinate that is NaN or infinite.
    NonFinite {
        /// The point, counted from 0.
        point: usize,
    },
    /// A point is further from the tets than allowed.
    TooFar {
        /// The farthest point.
        point: usize,
        /// Its distance (m).
        distance: f64,
        /// What was allowed (m).
        allowed: f64,
        /// How many points are too far.
        count: usize,
    },
    /// Extrapolating a point takes larger weights than allowed.
    Stretched {
        /// The point, counted from 0.
        point: usize,
        /// Its largest weight by magnitude.
        weight: f64,
        /// What was allowed.
        allowed: f64,
    },
    /// The tet mesh has no boundary to be outside of.
    Mesh(MeshError),
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NonFinite { point } => write!(
                f,
                "point {point} has a coordinate that is NaN or infinite; every coordinate must be finite"
            ),
            Self::TooFar { point, distance, allowed, count } => write!(
                f,
                "{count} points are further than {allowed} m from the tet mesh, point {point} farthest with \
                 {distance} m; check that both use one unit and one rest pose, let the tets enclose the surface, or \
                 raise `max_distance`"
            ),
            Self::Stretched { point, weight, allowed } => write!(
                f,
                "point {point} is outside the tet mesh and its closest tet extrapolates with weight {weight:.3e} \
                 (at most {allowed} allowed): the tet is flat there; enclose the surface in the tets, take \
                 `Outside::Clamp`, or raise `max_weight`"
            ),
            Self::Mesh(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for AttachError {}

/// Attaches every point to a tet. Costs a tree over the tets, and one over their boundary when a point is
/// outside.
///
/// Flat tets hold nothing; where tets share a point the lowest index has it. Of the tets that touch the closest
/// point of an outside one, that with the smallest largest weight extrapolates it; then the lowest index.
///
/// # Errors
/// [`AttachError`].
pub fn attach<P: Copy + Into<DVec3>>(
    mesh: &TetMesh,
    points: &[P],
    options: &AttachOptions,
) -> Result<Attached, AttachError> {
    let index = TetIndex::new(mesh);
    let mut out = Attached::default();
    for (point, &p) in points.iter().enumerate() {
        let p: DVec3 = p.into();
        if !is_finite(p) {
            return Err(AttachError::NonFinite { point });
        }
        match index.locate(p) {
            Some(found) => {
                out.tet.push(found.tet);
                out.weights.push(found.weights);
            }
            None => {
                out.outside.push(point as u32);
                out.tet.push(0);
                out.weights.push([0.0; 4]);
            }
        }
    }
    if !out.outside.is_empty() {
        attach_outside(mesh, points, options, &mut out)?;
    }
    out.max_weight = out.weights.iter().flatten().fold(0.0, |m: f64, w| m.max(w.abs()));
    out.stencil = out.tet.iter().map(|&t| mesh.tets()[t as usize]).collect();
    Ok(out)
}

fn attach_outside<P: Copy + Into<DVec3>>(
    mesh: &TetMesh,
    points: &[P],
    options: &AttachOptions,
    out: &mut Attached,
) -> Result<(), AttachError> {
    let topology = TetTopology::new(mesh);
    let surface = topology.surface(mesh).map_err(AttachError::Mesh)?;
    let index = MeshIndex::new(&surface.mesh);
    let nearest: Vec<Nearest> =
        out.outside.iter().map(|&p| index.nearest(points[p as usize].into())).collect();
    let allowed = options.max_distance.unwrap_or_else(|| 0.5 * mean_edge(mesh, &topology));
    let mut farthest: Option<(usize, f64)> = None;
    let mut count = 0;
    for (&p, n) in out.outside.iter().zip(&nearest) {
        // A distance that is no number is refused too.
        count += usize::from(!matches!(n.distance.partial_cmp(&allowed), Some(o) if o.is_le()));
        if farthest.is_none_or(|(_, d)| n.distance > d) {
            farthest = Some((p as usize, n.distance));
        }
    }
    let (point, distance) = farthest.unwrap_or((0, 0.0));
    if count > 0 {
        return Err(AttachError::TooFar { point, distance, allowed, count });
    }
    out.max_distance = distance;
    let most = options.max_weight.unwrap_or(4.0);
    for (&point, n) in out.outside.iter().zip(&nearest) {
        let [tet, face] = surface.tet_faces[n.triangle as usize];
        let corners = TetMesh::FACES[face as usize];
        let (mut best, mut clamped) = (tet, [0.0; 4]);
        corners.iter().zip(n.weights).for_each(|(&k, w)| clamped[k] = w);
        let mut weights = clamped;
        if options.outside == Outside::Extrapolate {
            let p: DVec3 = points[point as usize].into();
            let touched: Vec<u32> =
                (0..4).filter(|&k| clamped[k] > 0.0).map(|k| mesh.tets()[tet as usize][k]).collect();
            let around = topology.vertex_tets(touched[0]).iter().copied();
            let mut least = f64::INFINITY;
            for t in around.filter(|&t| touched.iter().all(|v| mesh.tets()[t as usize].contains(v))) {
                let w = barycentric(&mesh.corners(t as usize), p);
                let largest = w.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                // NaN and ∞ of a flat tet lose every comparison.
                if largest < least {
                    (least, best, weights) = (largest, t, w);
                }
            }
            if least > most {
                return Err(AttachError::Stretched { point: point as usize, weight: least, allowed: most });
            }
        }
        out.tet[point as usize] = best;
        out.weights[point as usize] = weights;
    }
    Ok(())
}

/// Weights of any point, inside or outside; their sum is set to 1. Not finite for a flat tet.
fn barycentric(tet: &[DVec3; 4], p: DVec3) -> [f64; 4] {
    let w = [0, 1, 2, 3].map(|i| {
        let mut t = *tet;
        t[i] = p;
        tet_volume(t)
    });
    let sum: f64 = w.iter().sum();
    w.map(|x| x / sum)
}

fn mean_edge(mesh: &TetMesh, topology: &TetTopology) -> f64 {
    let edges = topology.edges();
    let length = |&[a, b]: &[u32; 2]| (mesh.positions()[a as usize] - mesh.positions()[b as usize]).mag();
    edges.iter().map(length).sum::<f64>() / edges.len().max(1) as f64
}
