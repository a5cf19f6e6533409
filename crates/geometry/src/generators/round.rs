//! Cylinder, cone and capsule: axis z, centred on the origin.

use super::check::{self, circle_point};
use super::lathe::{End, revolve};
use crate::{MeshError, TriMesh};

/// A cylinder with `segments` sides and `stacks` bands between two caps, each cap a fan around its middle.
/// Its volume is exactly that of the regular prism, `n/2 sin(2π/n) r² h`.
///
/// # Errors
/// [`MeshError::BadParameter`] for a radius or height that is no length, fewer than 3 segments, no stack, or
/// too many triangles.
pub fn cylinder(radius: f64, height: f64, segments: u32, stacks: u32) -> Result<TriMesh, MeshError> {
    let shape = "cylinder";
    check::length(shape, "radius", radius)?;
    check::length(shape, "height", height)?;
    check::count(shape, "segments", segments, 3, 65_536)?;
    check::count(shape, "stacks", stacks, 1, 65_536)?;
    check::triangles(shape, "segments and stacks", 2.0 * f64::from(segments) * (f64::from(stacks) + 1.0))?;
    let at = |i: u32| height * (f64::from(2 * i) - f64::from(stacks)) / (2.0 * f64::from(stacks));
    let rings: Vec<[f64; 2]> = (0..=stacks).map(|i| [radius, at(i)]).collect();
    revolve(End::Vertex(-0.5 * height), &rings, End::Vertex(0.5 * height), segments)
}

/// A cone with its apex at `+height/2` on z and its base, a fan around its middle, at `−height/2`. The centre
/// of mass is a quarter of the height above the base.
///
/// # Errors
/// [`MeshError::BadParameter`] for a radius or height that is no length, or fewer than 3 segments.
pub fn cone(radius: f64, height: f64, segments: u32) -> Result<TriMesh, MeshError> {
    let shape = "cone";
    check::length(shape, "radius", radius)?;
    check::length(shape, "height", height)?;
    check::count(shape, "segments", segments, 3, 65_536)?;
    let h = 0.5 * height;
    revolve(End::Vertex(-h), &[[radius, -h]], End::Vertex(h), segments)
}

/// A capsule: a cylinder of the given `length` (m, without the ends) between two half spheres, each of `rings`
/// bands of latitude.
///
/// # Errors
/// [`MeshError::BadParameter`] for a radius or length that is no length, fewer than 3 segments, no ring, or
/// too many triangles.
pub fn capsule(radius: f64, length: f64, segments: u32, rings: u32) -> Result<TriMesh, MeshError> {
    let shape = "capsule";
    check::length(shape, "radius", radius)?;
    check::length(shape, "length", length)?;
    check::count(shape, "segments", segments, 3, 65_536)?;
    check::count(shape, "rings", rings, 1, 16_384)?;
    check::triangles(shape, "segments and rings", 4.0 * f64::from(segments) * f64::from(rings))?;
    let h = 0.5 * length;
    // Latitude i of a half sphere, from the pole (0) to the equator (rings): a quarter circle of 4·rings.
    let latitude = |i: u32| circle_point(i, 4 * rings);
    let mut profile = Vec::with_capacity(2 * rings as usize);
    for i in 1..=rings {
        let [c, s] = latitude(i);
        profile.push([radius * s, -h - radius * c]);
    }
    for i in (1..=rings).rev() {
        let [c, s] = latitude(i);
        profile.push([radius * s, h + radius * c]);
    }
    revolve(End::Vertex(-h - radius), &profile, End::Vertex(h + radius), segments)
}
