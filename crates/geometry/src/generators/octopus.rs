//! An octopus-like creature: a body and eight thin, curling limbs as one smooth closed surface.
//!
//! Each limb is a chain of tapering rods along a curve; limbs and body are joined by a smooth minimum, which rounds
//! the creases between them, and the surface is marched ([`super::implicit`]).

use super::check::{self, circle_point};
use super::implicit::march;
use super::rod::{Rod, nearest, smooth_min};
use crate::{MeshError, TriMesh};
use ultraviolet::DVec3;

const LIMBS: u32 = 8;
/// Rods per limb.
const RODS: u32 = 10;
/// Radius of a limb at its root and at its tip, for a creature about 1 m across (m).
const ROOT: f64 = 0.042;
const TIP: f64 = 0.017;
/// Width of the zone in which body and limbs flow together (m).
const BLEND: f64 = 0.05;

/// An octopus whose longest side is `span` (m), upright along z, centred on its bounding box: a body with eight limbs
/// that taper to 1/30 of the span. `resolution` is the number of cells along the span: 33 gives 14 thousand triangles, 80
/// gives 87 thousand, twice as many four times more. One closed part of genus 0, the same bits on every machine.
///
/// # Errors
/// [`MeshError::BadParameter`] for a span that is no length, and for a resolution outside 32 to 512: coarser cells
/// would lose the tips.
pub fn octopus(span: f64, resolution: u32) -> Result<TriMesh, MeshError> {
    check::length("octopus", "span", span)?;
    check::count("octopus", "resolution", resolution, 32, 512)?;
    let rods = rods();
    let cell = 1.0 / f64::from(resolution);
    let (lo, hi) = (DVec3::new(-0.64, -0.64, -0.1), DVec3::new(0.64, 0.64, 0.52));
    let mesh = march(|p| field(p, &rods), lo, hi, cell)?;
    let (lo, hi) = mesh.bounds();
    let (middle, grow) = (lo * 0.5 + hi * 0.5, span / (hi - lo).component_max());
    mesh.mapped(|p| (p - middle) * grow)
}

fn rods() -> Vec<Vec<Rod>> {
    (0..LIMBS)
        .map(|limb| {
            let [c, s] = circle_point(2 * limb + 1, 2 * LIMBS);
            let (out, side) = (DVec3::new(c, s, 0.0), DVec3::new(-s, c, 0.0));
            // Out from under the body, down to the ground, and up and sideways at the tip.
            let at = |i: u32| {
                let t = f64::from(i) / f64::from(RODS);
                let reach = 0.05 + 0.5 * t;
                let swirl = 0.22 * t * t - 0.06 * t;
                let height = 0.09 - 0.30 * t + 0.34 * t * t;
                out * reach + side * swirl + DVec3::unit_z() * height
            };
            let radius = |i: u32| ROOT + (TIP - ROOT) * (f64::from(i) / f64::from(RODS));
            (0..RODS).map(|i| Rod::new(at(i), at(i + 1), [radius(i), radius(i + 1)])).collect()
        })
        .collect()
}

/// Negative inside; the distance to the surface, to within the blending (m).
fn field(p: DVec3, limbs: &[Vec<Rod>]) -> f64 {
    // The body: two balls, one above the other.
    let ball = |z: f64, r: f64| (p - DVec3::new(0.0, 0.0, z)).mag() - r;
    let mut f = smooth_min(ball(0.14, 0.12), ball(0.30, 0.15), 0.08);
    for rods in limbs {
        f = smooth_min(f, nearest(rods, p), BLEND);
    }
    f
}
