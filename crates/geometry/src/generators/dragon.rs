//! A small dragon: body, neck, head, tail, four legs and two stubs of wings as one smooth closed surface.
//!
//! All parts are tapering rods joined by a smooth minimum; the surface is marched ([`super::implicit`]). The thinnest part,
//! the tip of the tail, measures a tenth of the span, so that a coarse mesh has it, too.

use super::check;
use super::implicit::march;
use super::rod::{Rod, nearest, smooth_min};
use crate::{MeshError, TriMesh};
use ultraviolet::DVec3;

/// Width of the zone in which the parts flow together (m), for a creature about 1 m long.
const BLEND: f64 = 0.05;

/// Middle lines of the parts: points and radii (m). The creature looks along x and stands on z = −0.06; of what lies
/// beside the middle plane (y > 0) there is one on the other side, too.
type Part = &'static [([f64; 3], f64)];

const MIDDLE: [Part; 2] = [
    // Tail, body, neck, head.
    &[
        ([-0.48, 0.0, 0.11], 0.054),
        ([-0.34, 0.0, 0.12], 0.065),
        ([-0.13, 0.0, 0.19], 0.100),
        ([0.10, 0.0, 0.20], 0.105),
        ([0.22, 0.0, 0.34], 0.074),
        ([0.30, 0.0, 0.46], 0.080),
        ([0.45, 0.0, 0.43], 0.056),
    ],
    // A comb on the head.
    &[([0.28, 0.0, 0.48], 0.060), ([0.18, 0.0, 0.58], 0.054)],
];

const SIDE: [Part; 3] = [
    &[([0.10, 0.08, 0.15], 0.068), ([0.14, 0.16, 0.0], 0.058)],
    &[([-0.13, 0.08, 0.15], 0.068), ([-0.16, 0.16, 0.0], 0.058)],
    &[([0.02, 0.06, 0.26], 0.060), ([-0.04, 0.20, 0.38], 0.056), ([-0.14, 0.33, 0.42], 0.054)],
];

/// A dragon whose longest side is `span` (m), looking along x and upright along z, centred on its bounding box.
/// `resolution` is the number of cells along the span: 13 gives about 2500 triangles, twice as many four times more. One
/// closed part of genus 0, the same bits on every machine.
///
/// # Errors
/// [`MeshError::BadParameter`] for a span that is no length, and for a resolution outside 13 to 512: coarser cells would
/// lose the tips.
pub fn dragon(span: f64, resolution: u32) -> Result<TriMesh, MeshError> {
    check::length("dragon", "span", span)?;
    check::count("dragon", "resolution", resolution, 13, 512)?;
    let parts: Vec<Vec<Rod>> = MIDDLE
        .iter()
        .map(|part| rods(part, 1.0))
        .chain(SIDE.iter().flat_map(|part| [rods(part, 1.0), rods(part, -1.0)]))
        .collect();
    let field = |p: DVec3| parts.iter().fold(f64::INFINITY, |f, part| join(f, nearest(part, p)));
    let cell = 1.0 / f64::from(resolution);
    let (lo, hi) = (DVec3::new(-0.72, -0.56, -0.24), DVec3::new(0.70, 0.56, 0.82));
    let mesh = march(field, lo, hi, cell)?;
    let (lo, hi) = mesh.bounds();
    let (middle, grow) = (lo * 0.5 + hi * 0.5, span / (hi - lo).component_max());
    mesh.mapped(|p| (p - middle) * grow)
}

/// The rods of a part, mirrored by a `side` of −1.
fn rods(part: Part, side: f64) -> Vec<Rod> {
    let at = |p: [f64; 3]| DVec3::new(p[0], side * p[1], p[2]);
    part.windows(2).map(|w| Rod::new(at(w[0].0), at(w[1].0), [w[0].1, w[1].1])).collect()
}

/// The first part stands alone.
fn join(a: f64, b: f64) -> f64 {
    if a.is_finite() { smooth_min(a, b, BLEND) } else { b }
}
