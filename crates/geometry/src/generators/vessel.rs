//! Thick-walled vessels about z: a pipe, a bowl and a bucket, each a closed surface with an inner and an outer wall.

use super::check::{self, circle_point};
use super::lathe::{End, revolve, revolve_loop};
use crate::{MeshError, TriMesh};

/// A pipe open at both ends: outer and inner radius and length (m), `segments` around and `stacks` along. Volume
/// exactly `n/2 sin(2π/n) (outer² − inner²) length`.
///
/// # Errors
/// [`MeshError::BadParameter`] for parameters that are no lengths, `inner ≥ outer`, fewer than 3 segments, no
/// stack, or too many triangles.
pub fn tube(outer: f64, inner: f64, length: f64, segments: u32, stacks: u32) -> Result<TriMesh, MeshError> {
    let shape = "tube";
    for (name, value) in [("outer", outer), ("inner", inner), ("length", length)] {
        check::length(shape, name, value)?;
    }
    check::smaller(shape, ("inner", inner), ("outer", outer))?;
    check::count(shape, "segments", segments, 3, 65_536)?;
    check::count(shape, "stacks", stacks, 1, 65_536)?;
    check::triangles(shape, "segments and stacks", 4.0 * f64::from(segments) * (f64::from(stacks) + 1.0))?;
    let at = |i: u32| length * (f64::from(2 * i) - f64::from(stacks)) / (2.0 * f64::from(stacks));
    let up = (0..=stacks).map(|i| [outer, at(i)]);
    let down = (0..=stacks).rev().map(|i| [inner, at(i)]);
    revolve_loop(&up.chain(down).collect::<Vec<_>>(), segments)
}

/// A bowl: the lower half of a hollow sphere, open upwards, outer `radius` and `thickness` (m), its middle at the
/// origin and its rim in the plane z = 0. `segments` around, `rings` bands from pole to rim on each wall. Volume
/// tends to `2/3 π (radius³ − (radius − thickness)³)`.
///
/// # Errors
/// [`MeshError::BadParameter`] for parameters that are no lengths, `thickness ≥ radius`, fewer than 3 segments, no
/// ring, or too many triangles.
pub fn bowl(radius: f64, thickness: f64, segments: u32, rings: u32) -> Result<TriMesh, MeshError> {
    let shape = "bowl";
    check::length(shape, "radius", radius)?;
    check::length(shape, "thickness", thickness)?;
    check::smaller(shape, ("thickness", thickness), ("radius", radius))?;
    check::count(shape, "segments", segments, 3, 65_536)?;
    check::count(shape, "rings", rings, 1, 16_384)?;
    check::triangles(shape, "segments and rings", 4.0 * f64::from(segments) * (f64::from(rings) + 1.0))?;
    let inner = radius - thickness;
    // Latitude i of the half sphere, from the pole (0) to the rim (rings).
    let latitude = |i: u32, r: f64| {
        let [c, s] = circle_point(i, 4 * rings);
        [r * s, -r * c]
    };
    let outside = (1..=rings).map(|i| latitude(i, radius));
    let inside = (1..=rings).rev().map(|i| latitude(i, inner));
    let profile: Vec<[f64; 2]> = outside.chain(inside).collect();
    revolve(End::Vertex(-radius), &profile, End::Vertex(-inner), segments)
}

/// A bucket open upwards: outer radius at the bottom and at the rim, height, and thickness of bottom and wall
/// (measured level) in metres; centred on the origin of its bounding box. `segments` around, `stacks` up each wall.
///
/// # Errors
/// [`MeshError::BadParameter`] for parameters that are no lengths, a thickness that fills the bucket, fewer than 3
/// segments, no stack, or too many triangles.
pub fn bucket(
    bottom_radius: f64,
    rim_radius: f64,
    height: f64,
    thickness: f64,
    segments: u32,
    stacks: u32,
) -> Result<TriMesh, MeshError> {
    let shape = "bucket";
    for (name, value) in [
        ("bottom_radius", bottom_radius),
        ("rim_radius", rim_radius),
        ("height", height),
        ("thickness", thickness),
    ] {
        check::length(shape, name, value)?;
    }
    check::smaller(shape, ("thickness", thickness), ("bottom_radius", bottom_radius))?;
    check::smaller(shape, ("thickness", thickness), ("rim_radius", rim_radius))?;
    check::smaller(shape, ("thickness", thickness), ("height", height))?;
    check::count(shape, "segments", segments, 3, 65_536)?;
    check::count(shape, "stacks", stacks, 1, 65_536)?;
    check::triangles(shape, "segments and stacks", 4.0 * f64::from(segments) * (f64::from(stacks) + 1.5))?;
    let (profile, [low, floor]) = vessel_profile([bottom_radius, rim_radius], height, thickness, stacks);
    revolve(End::Vertex(low), &profile, End::Vertex(floor), segments)
}

/// The rings of a vessel (radius and height, m), up the outside and down the inside, and the heights of its bottom and its floor.
pub(super) fn vessel_profile(
    [bottom_radius, rim_radius]: [f64; 2],
    height: f64,
    thickness: f64,
    stacks: u32,
) -> (Vec<[f64; 2]>, [f64; 2]) {
    let (low, h) = (-0.5 * height, 0.5 * height);
    let radius = |z: f64| bottom_radius + (rim_radius - bottom_radius) * ((z - low) / height);
    let share = |i: u32| f64::from(i) / f64::from(stacks);
    let outside = (0..=stacks).map(|i| {
        let z = if i == stacks { h } else { low + height * share(i) };
        [radius(z), z]
    });
    let floor = low + thickness;
    let inside = (0..=stacks).rev().map(|i| {
        let z = if i == stacks { h } else { floor + (height - thickness) * share(i) };
        [radius(z) - thickness, z]
    });
    (outside.chain(inside).collect(), [low, floor])
}
