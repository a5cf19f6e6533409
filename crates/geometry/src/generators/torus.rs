//! Tubes around a closed centreline in the plane z = 0: the torus, of triangles and of tets, and the oval link of a chain.

use super::check::{self, circle_point};
use crate::{MeshError, TriMesh};
#[cfg(feature = "tets")]
use crate::{TetMesh, tet_volume};
use std::f64::consts::PI;
use ultraviolet::DVec3;

/// A torus about z: the tube's centre runs at `major` (m), the tube has radius `minor` (m); `segments` around
/// the axis, `sides` around the tube. Volume tends to `2π² major minor²`.
///
/// # Errors
/// [`MeshError::BadParameter`] for radii that are no lengths, `minor ≥ major`, fewer than 3 segments or sides,
/// or too many triangles.
pub fn torus(major: f64, minor: f64, segments: u32, sides: u32) -> Result<TriMesh, MeshError> {
    let shape = "torus";
    radii(shape, major, minor)?;
    check::count(shape, "segments", segments, 3, 65_536)?;
    check::count(shape, "sides", sides, 3, 65_536)?;
    check::triangles(shape, "segments and sides", 2.0 * f64::from(segments) * f64::from(sides))?;
    let line: Vec<[DVec3; 2]> = (0..segments)
        .map(|i| {
            let [c, s] = circle_point(i, segments);
            let outward = DVec3::new(c, s, 0.0);
            [outward * major, outward]
        })
        .collect();
    tube(&line, minor, sides)
}

/// A chain link: a tube of radius `minor` (m) along two straight pieces of length `2 half_straight` (m, along
/// x) and two half circles of radius `major` (m), in the plane z = 0. `segments` (even) counts the two half
/// circles together; the straight pieces are cut to about the same step. Volume tends to
/// `π minor² (2π major + 4 half_straight)`.
///
/// # Errors
/// [`MeshError::BadParameter`] for parameters that are no lengths, `minor ≥ major`, fewer than 6 or an odd
/// number of segments, fewer than 3 sides, or too many triangles.
pub fn chain_link(
    half_straight: f64,
    major: f64,
    minor: f64,
    segments: u32,
    sides: u32,
) -> Result<TriMesh, MeshError> {
    let shape = "chain_link";
    radii(shape, major, minor)?;
    check::length(shape, "half_straight", half_straight)?;
    check::count(shape, "segments", segments, 6, 65_536)?;
    check::even(shape, "segments", segments)?;
    check::count(shape, "sides", sides, 3, 65_536)?;
    let half = segments / 2;
    let steps = (2.0 * half_straight / (PI * major / f64::from(half))).ceil().max(1.0);
    let around = f64::from(segments) + 2.0 * steps;
    check::triangles(shape, "segments, sides and half_straight", 2.0 * around * f64::from(sides))?;
    let steps = steps as u32;

    let mut line = Vec::new();
    for (side, start) in [(1.0, 0), (-1.0, half)] {
        // Half circle around (±half_straight, 0), from −90° to +90° of its own outward direction.
        for i in 0..=half {
            // Quarter turn back: (cos(θ − 90°), sin(θ − 90°)) = (sin θ, −cos θ).
            let [c, s] = circle_point(start + i, segments);
            let outward = DVec3::new(s, -c, 0.0);
            line.push([DVec3::new(side * half_straight, 0.0, 0.0) + outward * major, outward]);
        }
        let outward = DVec3::new(0.0, side, 0.0);
        for i in 1..steps {
            let x = side * half_straight * (1.0 - 2.0 * f64::from(i) / f64::from(steps));
            line.push([DVec3::new(x, side * major, 0.0), outward]);
        }
    }
    tube(&line, minor, sides)
}

fn radii(shape: &str, major: f64, minor: f64) -> Result<(), MeshError> {
    check::length(shape, "major", major)?;
    check::length(shape, "minor", minor)?;
    check::smaller(shape, ("minor", minor), ("major", major))
}

/// Rings of `sides` vertices around each centreline point [position, outward], first vertex outwards; the
/// centreline runs counter-clockwise about z and closes on itself.
fn tube(line: &[[DVec3; 2]], minor: f64, sides: u32) -> Result<TriMesh, MeshError> {
    let circle: Vec<[f64; 2]> = (0..sides).map(|j| circle_point(j, sides)).collect();
    let mut positions = Vec::with_capacity(line.len() * sides as usize);
    for &[p, outward] in line {
        positions
            .extend(circle.iter().map(|&[c, s]| p + outward * (minor * c) + DVec3::unit_z() * (minor * s)));
    }
    let n = line.len() as u32;
    let mut triangles = Vec::with_capacity(2 * positions.len());
    for i in 0..n {
        let (here, there) = (i * sides, (i + 1) % n * sides);
        for j in 0..sides {
            let k = (j + 1) % sides;
            triangles.extend([[here + j, there + j, there + k], [here + j, there + k, here + k]]);
        }
    }
    TriMesh::new(positions, triangles)
}

/// A torus of tets about z: `segments` wedges, each a fan of `sides` prisms around the centre line, three tets a prism; radii in metres.
///
/// # Errors
/// As [`torus`].
#[cfg(feature = "tets")]
pub fn tet_torus(major: f64, minor: f64, segments: u32, sides: u32) -> Result<TetMesh, MeshError> {
    let shape = "tet_torus";
    radii(shape, major, minor)?;
    check::count(shape, "segments", segments, 3, 65_536)?;
    check::count(shape, "sides", sides, 3, 65_536)?;
    check::triangles(shape, "segments and sides", 3.0 * f64::from(segments) * f64::from(sides))?;
    let ring = sides + 1;
    let mut positions = Vec::new();
    for s in 0..segments {
        let turn = std::f64::consts::TAU * f64::from(s) / f64::from(segments);
        let (sin, cos) = libm::sincos(turn);
        positions.push(DVec3::new(major * cos, major * sin, 0.0));
        for k in 0..sides {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(sides);
            let (height, out) = libm::sincos(angle);
            let r = major + minor * out;
            positions.push(DVec3::new(r * cos, r * sin, minor * height));
        }
    }
    let mut tets = Vec::new();
    for s in 0..segments {
        let (here, next) = (s * ring, (s + 1) % segments * ring);
        for k in 0..sides {
            let (a, b) = (1 + k, 1 + (k + 1) % sides);
            // Diagonals start at the lower vertex number of the section: neighbours agree.
            let mut corner = [0, a, b];
            corner.sort_unstable();
            let [p, q, r] = corner;
            for t in [
                [here + p, here + q, here + r, next + r],
                [here + p, here + q, next + q, next + r],
                [here + p, next + p, next + q, next + r],
            ] {
                let x = t.map(|v| positions[v as usize]);
                tets.push(if tet_volume(x) > 0.0 { t } else { [t[0], t[2], t[1], t[3]] });
            }
        }
    }
    let mesh = TetMesh::new(positions, tets)?;
    mesh.require_positive()?;
    Ok(mesh)
}
