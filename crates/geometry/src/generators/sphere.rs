//! Spheres: a subdivided icosahedron, its stretched form, and a sphere of latitude and longitude.

use super::check::{self, circle_point};
use super::lathe::{End, revolve};
use crate::{MeshError, Topology, TriMesh};
use ultraviolet::DVec3;

/// A sphere of `20·4^subdivisions` near-uniform triangles, vertices at `radius` (m).
///
/// # Errors
/// [`MeshError::BadParameter`] for a radius that is no length, or more than 10 subdivisions.
pub fn icosphere(radius: f64, subdivisions: u32) -> Result<TriMesh, MeshError> {
    check::length("icosphere", "radius", radius)?;
    check::count("icosphere", "subdivisions", subdivisions, 0, 10)?;
    unit_icosphere(subdivisions)?.mapped(|p| p * radius)
}

/// An ellipsoid with half axes `radii` (m) along x, y, z: a stretched icosphere of `20·4^subdivisions`
/// triangles.
///
/// # Errors
/// [`MeshError::BadParameter`] for a half axis that is no length, or more than 10 subdivisions.
pub fn ellipsoid(radii: DVec3, subdivisions: u32) -> Result<TriMesh, MeshError> {
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        check::length("ellipsoid", &format!("half axis along {axis}"), radii[i])?;
    }
    check::count("ellipsoid", "subdivisions", subdivisions, 0, 10)?;
    unit_icosphere(subdivisions)?.mapped(|p| p * radii)
}

pub(super) fn unit_icosphere(subdivisions: u32) -> Result<TriMesh, MeshError> {
    // Three golden rectangles; every cyclic permutation of (0, ±1, ±φ).
    let golden = 0.5 * (1.0 + 5.0f64.sqrt());
    let mut corners = Vec::with_capacity(12);
    for axis in 0..3 {
        for (one, phi) in [(-1.0, -golden), (1.0, -golden), (-1.0, golden), (1.0, golden)] {
            let mut p = DVec3::zero();
            p[(axis + 1) % 3] = one;
            p[(axis + 2) % 3] = phi;
            corners.push(p);
        }
    }
    // Faces are the triples of corners at mutual distance 2, turned outwards.
    let near = |a: DVec3, b: DVec3| ((a - b).mag_sq() - 4.0).abs() < 1e-9;
    let mut triangles = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [x, y, z] = [corners[a], corners[b], corners[c]];
                if near(x, y) && near(y, z) && near(z, x) {
                    let outward = x.dot(y.cross(z)) > 0.0;
                    let (b, c) = if outward { (b, c) } else { (c, b) };
                    triangles.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    let mut mesh = TriMesh::new(corners.iter().map(|p| p.normalized()).collect(), triangles)?;
    for _ in 0..subdivisions {
        mesh = split_in_four(mesh)?;
    }
    Ok(mesh)
}

/// Each edge gets its midpoint, pushed out to the unit sphere; each triangle becomes four.
fn split_in_four(mesh: TriMesh) -> Result<TriMesh, MeshError> {
    let topology = Topology::new(&mesh);
    let (mut positions, triangles) = mesh.into_parts();
    let old = positions.len() as u32;
    positions.reserve(topology.edges().len());
    for &[a, b] in topology.edges() {
        positions.push((positions[a as usize] + positions[b as usize]).normalized());
    }
    let mut split = Vec::with_capacity(4 * triangles.len());
    for (&[a, b, c], sides) in triangles.iter().zip(topology.face_edges()) {
        let [ab, bc, ca] = sides.map(|e| old + e);
        split.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    TriMesh::new(positions, split)
}

/// A sphere of latitude and longitude with its axis on x, `rings` bands of latitude and `segments` of
/// longitude. At +x stands a single vertex. At −x stands another (`flat_pole` false), or the last band is cut
/// off by a flat cap at `x = −radius cos(π/rings)`, fanned from a rim vertex so that no vertex stands on the
/// axis (`flat_pole` true): a row of such balls along x touches vertex against face, one contact per pair.
///
/// With an odd number of segments the axis meets the inside of a cap triangle; with an even number it meets a
/// diagonal of the cap.
///
/// # Errors
/// [`MeshError::BadParameter`] for a radius that is no length, fewer than 3 segments, fewer than 2 rings, or
/// too many triangles.
pub fn uv_sphere(radius: f64, segments: u32, rings: u32, flat_pole: bool) -> Result<TriMesh, MeshError> {
    let shape = "uv_sphere";
    check::length(shape, "radius", radius)?;
    check::count(shape, "segments", segments, 3, 65_536)?;
    check::count(shape, "rings", rings, 2, 65_536)?;
    check::triangles(shape, "segments and rings", 2.0 * f64::from(segments) * (f64::from(rings) - 1.0))?;
    let profile: Vec<[f64; 2]> = (1..rings)
        .map(|i| {
            let [c, s] = circle_point(i, 2 * rings);
            [radius * s, -radius * c]
        })
        .collect();
    let bottom = if flat_pole { End::RimFan } else { End::Vertex(-radius) };
    // The lathe turns about z; a cyclic swap of axes keeps the orientation.
    revolve(bottom, &profile, End::Vertex(radius), segments)?.mapped(|p| DVec3::new(p.z, p.x, p.y))
}
