//! Surfaces of revolution about z: rings from bottom to top and what closes each end.

use super::check::circle_point;
use crate::{MeshError, TriMesh};
use ultraviolet::DVec3;

/// How the stack of rings ends.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// A vertex on the axis at this height (m), joined to the ring: a pole, an apex or the middle of a cap.
    Vertex(f64),
    /// A flat cap fanned from the first rim vertex, with no vertex on the axis.
    RimFan,
}

/// Turns the profile `rings` (radius, height; bottom to top) about z in `segments` steps, the first vertex of
/// each ring on +x.
pub(super) fn revolve(
    bottom: End,
    rings: &[[f64; 2]],
    top: End,
    segments: u32,
) -> Result<TriMesh, MeshError> {
    stack(bottom, ring_positions(rings, segments, 2), top, segments)
}

/// Closes the side of a stack of rings of `segments` points each, given one after the other, from the outside's bottom on.
pub(super) fn stack(
    bottom: End,
    mut positions: Vec<DVec3>,
    top: End,
    segments: u32,
) -> Result<TriMesh, MeshError> {
    let n = segments;
    let last = positions.len() as u32 - n;
    let mut triangles = Vec::with_capacity(2 * positions.len());
    for ring in 1..=last / n {
        band(&mut triangles, (ring - 1) * n, ring * n, n);
    }
    for (end, start, up) in [(bottom, 0, false), (top, last, true)] {
        let mut add = |a: u32, b: u32, c: u32| triangles.push(if up { [a, b, c] } else { [a, c, b] });
        match end {
            End::Vertex(h) => {
                let pole = positions.len() as u32;
                (0..n).for_each(|i| add(pole, start + i, start + (i + 1) % n));
                positions.push(DVec3::new(0.0, 0.0, h));
            }
            End::RimFan => (1..n - 1).for_each(|i| add(start, start + i, start + i + 1)),
        }
    }
    TriMesh::new(positions, triangles)
}

/// Turns a closed profile (radius, height), counter-clockwise in the plane of radius and height, about z: a ring
/// with a hole through which the axis runs.
pub(super) fn revolve_loop(profile: &[[f64; 2]], segments: u32) -> Result<TriMesh, MeshError> {
    let (n, rings) = (segments, profile.len() as u32);
    let positions = ring_positions(profile, n, 0);
    let mut triangles = Vec::with_capacity(2 * positions.len());
    for ring in 0..rings {
        band(&mut triangles, ring * n, (ring + 1) % rings * n, n);
    }
    TriMesh::new(positions, triangles)
}

fn ring_positions(rings: &[[f64; 2]], segments: u32, spare: usize) -> Vec<DVec3> {
    let circle: Vec<[f64; 2]> = (0..segments).map(|i| circle_point(i, segments)).collect();
    let mut positions = Vec::with_capacity(rings.len() * circle.len() + spare);
    for &[r, h] in rings {
        positions.extend(circle.iter().map(|&[c, s]| DVec3::new(r * c, r * s, h)));
    }
    positions
}

/// The quads between two rings of `n` vertices.
fn band(triangles: &mut Vec<[u32; 3]>, low: u32, high: u32, n: u32) {
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[low + i, low + j, high + j], [low + i, high + j, high + i]]);
    }
}
