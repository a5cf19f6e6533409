//! A thin shell with a pressure field under a rigid surface, made when two rigid bodies meet.
//!
//! Two rigid surfaces have no pressure field, so nothing says how hard they push. Each then gets layers of tets under its triangles, of
//! thickness t, with the pressure growing without bound towards the bottom,
//!
//! ```text
//! p(s) = E s/(1 − s) at s = depth/t = 0, ¼, ½, ¾, ⅞, 15/16, linear between
//! ```
//!
//! and the two shells meet as any two fields do: the wrench is −∂U/∂pose, and does not depend on which body comes first. Below 15/16 of
//! the shell the body is hollow. The energy U counts the pressure of the other body's shell there too, as far as it is below that at the
//! bottom of this one: a thin shell on a thick one is soon in it as a whole, and is pressed through only where the pressure is that of its
//! bottom. There the surface of contact has a hole, and what is deeper is not held; U is the potential of what is left. What gets through
//! both shells in one step is not held at all. The modulus is a guess, so the contact surface carries a warning.

use crate::body::CompliantBody;
use crate::error::BodyError;
use impinge_geometry::{DMat3, DVec3, TetMesh, TriMesh, symmetric_eigen, triangle_normal, try_normalized};
#[cfg(feature = "mesh")]
use impinge_query::MeshIndex;

/// Depths over the thickness at which the layers meet.
const KNOTS: [f64; 6] = [0.0, 0.25, 0.5, 0.75, 0.875, 0.9375];
/// Pressure over the modulus at the bottom.
pub(crate) const BOTTOM: f64 = 15.0;
/// Automatic thickness over the smallest side of the bounds, and largest part of the body's own thickness.
const THIN: f64 = 0.01;
const PART: f64 = 1.0 / 3.0;
/// A corner's way inwards over the depth it gains: longer at spikes, up to here.
const LONGEST: f64 = 4.0;
/// Eigenvalue over the largest below which the triangles around a vertex leave a direction free.
const FREE: f64 = 1e-6;
/// Halvings of a thickness at which tets turn inside out.
const HALVINGS: usize = 12;

/// How a rigid surface yields to another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShellOptions {
    /// Pressure at half the thickness (Pa).
    pub modulus: f64,
    /// Thickness (m); `None`: a hundredth of the smallest side of the bounds. Either is halved until the shell fits into the body.
    pub thickness: Option<f64>,
}

impl Default for ShellOptions {
    /// 1e7 Pa, hard rubber.
    fn default() -> Self {
        Self { modulus: 1e7, thickness: None }
    }
}

/// The shell that was made.
#[derive(Clone, Debug)]
pub struct Shell {
    pub(crate) body: CompliantBody,
    thickness: f64,
}

impl Shell {
    /// The field on the layers.
    #[must_use]
    pub fn body(&self) -> &CompliantBody {
        &self.body
    }

    /// Thickness (m) after halving.
    #[must_use]
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// Where the lowest layer ends and the body is hollow: a place for each vertex of the surface (m, body frame).
    pub(crate) fn bottom(&self) -> &[DVec3] {
        let places = self.body.mesh().positions();
        &places[places.len() - places.len() / KNOTS.len()..]
    }

    /// Layers under a closed surface.
    pub(crate) fn new(mesh: &TriMesh, options: &ShellOptions) -> Result<Self, BodyError> {
        let bad = |reason: String| BodyError::Parameter { reason };
        if !(options.modulus > 0.0 && options.modulus.is_finite()) {
            return Err(BodyError::Modulus { value: options.modulus });
        }
        let (lo, hi) = mesh.bounds();
        let wanted = options.thickness.unwrap_or(THIN * (hi - lo).component_min());
        if !(wanted > 0.0 && wanted.is_finite()) {
            return Err(bad(format!("shell: the thickness is {wanted} m; give a positive number")));
        }
        let mut thickness = wanted.min(PART * thinnest(mesh)?);
        let ways = ways(mesh);
        for _ in 0..HALVINGS {
            if let Some(tets) = layers(mesh, &ways, thickness) {
                let vertices = mesh.positions().len();
                let extent =
                    KNOTS.iter().flat_map(|s| std::iter::repeat_n(s / (1.0 - s), vertices)).collect();
                let body = CompliantBody::new(tets, extent, options.modulus)?;
                return Ok(Self { body, thickness });
            }
            thickness *= 0.5;
        }
        Err(bad(format!(
            "shell: no layer down to {thickness} m fits under the surface; give the body a field, or mend its mesh"
        )))
    }
}

/// The least way through the body from the middle of a triangle (m).
#[cfg(not(feature = "mesh"))]
fn thinnest(_: &TriMesh) -> Result<f64, BodyError> {
    Err(BodyError::Parameter {
        reason: "shell: the feature `mesh` of impinge-pressure finds how thick the body is; ask for it, or give the body a field".into(),
    })
}

/// The least way through the body from the middle of a triangle (m).
#[cfg(feature = "mesh")]
fn thinnest(mesh: &TriMesh) -> Result<f64, BodyError> {
    let index = MeshIndex::new(mesh);
    let mut least = f64::INFINITY;
    for t in 0..mesh.triangles().len() {
        let c = mesh.corners(t);
        let Some(normal) = triangle_normal(c) else { continue };
        // From a little below, so that the triangle itself is not met.
        let skip = 1e-9 * (c[1] - c[0]).mag().max((c[2] - c[0]).mag());
        let middle = (c[0] + c[1] + c[2]) / 3.0 - normal * skip;
        if let Some(hit) = index.ray(middle, -normal, f64::INFINITY) {
            least = least.min(hit.t);
        }
    }
    Ok(least)
}

/// For every vertex the way that gains depth 1 under all triangles around it, as far as that can be: Σ w n nᵀ o = Σ w n with w the
/// angles, held to the mean normal where the triangles leave a direction free.
fn ways(mesh: &TriMesh) -> Vec<DVec3> {
    let vertices = mesh.positions().len();
    let mut mean = vec![DVec3::zero(); vertices];
    let mut rows = vec![[0.0; 6]; vertices];
    for (t, corners) in mesh.triangles().iter().enumerate() {
        let x = mesh.corners(t);
        let Some(n) = triangle_normal(x) else { continue };
        for k in 0..3 {
            let (u, v) = (x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
            let w = libm::atan2(u.cross(v).mag(), u.dot(v));
            let i = corners[k] as usize;
            mean[i] += n * w;
            let parts = [n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.x * n.z, n.y * n.z];
            rows[i].iter_mut().zip(parts).for_each(|(r, p)| *r += w * p);
        }
    }
    let way = |(mean, r): (&DVec3, &[f64; 6])| {
        let Some(n) = try_normalized(*mean) else { return DVec3::zero() };
        let a = DMat3::new(
            DVec3::new(r[0], r[3], r[4]),
            DVec3::new(r[3], r[1], r[5]),
            DVec3::new(r[4], r[5], r[2]),
        );
        let (values, axes) = symmetric_eigen(&a);
        let mut o = DVec3::zero();
        for (value, axis) in values.iter().zip(axes.cols) {
            let free = *value < FREE * values[2];
            o += axis * if free { n.dot(axis) } else { mean.dot(axis) / value };
        }
        if o.mag() > LONGEST { o * (LONGEST / o.mag()) } else { o }
    };
    mean.iter().zip(&rows).map(way).collect()
}

/// Three tets for every triangle and layer; `None` when one is not positive.
fn layers(mesh: &TriMesh, ways: &[DVec3], thickness: f64) -> Option<TetMesh> {
    let vertices = mesh.positions().len();
    let at = |s: &f64| {
        let depth = s * thickness;
        mesh.positions().iter().zip(ways).map(move |(x, o)| *x - *o * depth)
    };
    let positions: Vec<DVec3> = KNOTS.iter().flat_map(at).collect();
    let mut tets = Vec::with_capacity(3 * (KNOTS.len() - 1) * mesh.triangles().len());
    for (t, corners) in mesh.triangles().iter().enumerate() {
        if triangle_normal(mesh.corners(t)).is_none() {
            continue;
        }
        // Sides of neighbouring prisms are cut along the same diagonal: from the lower number above to the higher one below.
        let mut sorted = *corners;
        sorted.sort_unstable();
        let [a, b, c] = sorted;
        let turned = [[a, b, c], [b, c, a], [c, a, b]].contains(corners);
        for layer in 0..KNOTS.len() - 1 {
            let up = |v: u32| v + (layer * vertices) as u32;
            let down = |v: u32| v + ((layer + 1) * vertices) as u32;
            for mut tet in [
                [up(a), up(b), up(c), down(c)],
                [up(a), up(b), down(c), down(b)],
                [up(a), down(a), down(b), down(c)],
            ] {
                // The triangle is counter-clockwise from outside, and the layer is below it.
                if turned {
                    tet.swap(2, 3);
                }
                tets.push(tet);
            }
        }
    }
    let tets = TetMesh::new(positions, tets).ok()?;
    tets.first_not_positive().is_none().then_some(tets)
}
