//! How good a filling is, and how near to its surface.

use impinge_geometry::{DVec3, TetMesh, TriMesh};
use impinge_query::MeshIndex;
use std::fmt;

/// Measures of a filling.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FillQuality {
    /// Tets.
    pub tets: usize,
    /// Vertices.
    pub vertices: usize,
    /// Smallest dihedral angle (rad).
    pub min_dihedral: f64,
    /// Largest dihedral angle (rad).
    pub max_dihedral: f64,
    /// Volume of the tets (m³).
    pub volume: f64,
    /// Volume of the tets less that of the surface, relative to the latter.
    pub volume_error: f64,
    /// Largest distance from the filling's surface to the given one (m), over its vertices, edge middles and face centres.
    pub to_surface: f64,
    /// Largest distance from the given surface to the filling's (m), over the same kinds of points: what was rounded off.
    pub from_surface: f64,
    /// Pieces that the tets form; more than the surface has parts when thin places were lost.
    pub parts: usize,
    /// Edges of the filling's surface with more than two triangles: it touches itself along them.
    pub non_manifold_edges: usize,
    /// Vertices of the filling's surface where several fans of triangles touch in one point.
    pub pinched_vertices: usize,
}

impl FillQuality {
    /// Hausdorff distance of the two surfaces (m), as far as the sampled points show it.
    #[must_use]
    pub fn hausdorff(&self) -> f64 {
        self.to_surface.max(self.from_surface)
    }
}

impl FillQuality {
    /// The measures as names and values.
    #[must_use]
    pub fn rows(&self) -> Vec<(String, String)> {
        let row = |name: &str, value: String| (name.to_string(), value);
        let mut rows = vec![
            row("tets", format!("{} on {} vertices, {} part(s)", self.tets, self.vertices, self.parts)),
            row("dihedral angles", angles(self.min_dihedral, self.max_dihedral)),
            row(
                "volume",
                format!("{:.6e} m³, {:+.3} % of the surface's", self.volume, 100.0 * self.volume_error),
            ),
            row(
                "distance",
                format!(
                    "{:.3e} m to the surface, {:.3e} m from it (sampled)",
                    self.to_surface, self.from_surface
                ),
            ),
        ];
        if self.non_manifold_edges + self.pinched_vertices > 0 {
            rows.push(row(
                "not manifold",
                format!(
                    "{} edges with more than two faces, {} pinched vertices: the filling touches itself where a gap or a wall is \
                     thinner than a cell; a smaller cell parts it",
                    self.non_manifold_edges, self.pinched_vertices
                ),
            ));
        }
        rows
    }
}

impl fmt::Display for FillQuality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.rows();
        let lines: Vec<String> = rows.iter().map(|(name, value)| format!("{name:<16} {value}")).collect();
        f.write_str(&lines.join("\n"))
    }
}

/// Two angles (rad) in degrees.
pub(crate) fn angles(min: f64, max: f64) -> String {
    format!("{:.1}° to {:.1}°", min.to_degrees(), max.to_degrees())
}

/// Smallest and largest dihedral angle of a tet (rad).
#[must_use]
pub fn dihedral_angles(corners: [DVec3; 4]) -> [f64; 2] {
    let normal = |f: [usize; 3]| {
        let [a, b, c] = f.map(|k| corners[k]);
        (b - a).cross(c - a)
    };
    let normals = TetMesh::FACES.map(normal);
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..4 {
        for j in i + 1..4 {
            let (m, n) = (normals[i], normals[j]);
            // π less the angle of the outward normals; two arguments keep small angles exact.
            let angle = std::f64::consts::PI - libm::atan2(m.cross(n).mag(), m.dot(n));
            lowest = lowest.min(angle);
            highest = highest.max(angle);
        }
    }
    [lowest, highest]
}

/// Vertices, edge middles and face centres of a surface.
fn samples(mesh: &TriMesh) -> impl Iterator<Item = DVec3> + '_ {
    (0..mesh.triangles().len()).flat_map(|t| {
        let [a, b, c] = mesh.corners(t);
        [a, b, c, (a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5, (a + b + c) / 3.0]
    })
}

/// The largest distance of the samples of `mesh` from a surface.
pub(super) fn farthest(mesh: &TriMesh, from: &MeshIndex) -> f64 {
    samples(mesh).map(|p| from.nearest(p).distance).fold(0.0, f64::max)
}
