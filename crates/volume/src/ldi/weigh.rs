//! One overlap of three directions, held to what they prove together.
//!
//! The paper's (11) takes the mean m of the three. What lies in a plane thinner than a pixel is then a third of what it is, or far more: rays
//! along the plane miss it, or meet it over a whole pixel. The volume V lies in the interval of every direction, so in [lo, hi], what they
//! have in common. With p the point of [lo, hi] that is nearest to m, all values from p to 2p − m are at most as far from V as m is,
//! wherever in [lo, hi] V is: they are m itself where m may be true, and there is room where it cannot. The value in that room is the
//! nearest to [`Certificate::volume`], which weighs the directions and has the least that can be said of its error.
//!
//! Gradients are not weighed: of (12) to (14) each direction gives the component along itself, and no other direction knows it
//! (erratum V5). But a direction that sees more than there can be has wrong areas, too: its rays stand for less than a pixel's area.
//! That area is chosen so that the volume along it is the largest possible one, and held constant in the derivative: the component is
//! multiplied by the same factor. Both bodies have the same factor in every cell, so pushes still cancel, and their moments. Rays that see too
//! little are left as they are: what passed between them cannot be made of the few that met something.

use super::LayeredDepth;
use super::certify::Certificate;
use crate::VolumeError;
use crate::closed::Body;
use crate::overlap::{CellGrid, Evaluate, Overlap};

const THIRD: f64 = 1.0 / 3.0;

pub(super) fn mean(weights: [f64; 3], of: [f64; 3]) -> f64 {
    weights[0] * of[0] + weights[1] * of[1] + weights[2] * of[2]
}

impl Certificate {
    /// A volume (m³) in [`Certificate::volume_between`] that is never farther from the true one than the plain mean of the three directions.
    #[must_use]
    pub fn near_the_mean(&self) -> f64 {
        let [lo, hi] = self.volume_between();
        let plain = mean([THIRD; 3], self.along);
        let nearest = plain.clamp(lo, hi);
        let mirrored = (2.0 * nearest - plain).clamp(lo, hi);
        self.volume().clamp(nearest.min(mirrored), nearest.max(mirrored))
    }

    /// What a ray's area is multiplied by along x, y and z, at most 1, so that no direction has more than another allows.
    #[must_use]
    pub fn areas(&self) -> [f64; 3] {
        let hi = self.volume_between()[1];
        self.along.map(|v| if v > hi { hi / v } else { 1.0 })
    }
}

/// The cells of a pair, of which `found` is sure, have `volume` (m³) in all, shared out by the weighed directions; gradients as above.
pub(super) fn weigh(found: &Certificate, weights: [f64; 3], volume: f64, out: &mut Overlap) {
    let mut sum = 0.0;
    for cell in &mut out.cells {
        cell.volume = mean(weights, cell.along);
        sum += cell.volume;
    }
    if sum > 0.0 && volume != sum {
        let factor = volume / sum;
        out.cells.iter_mut().for_each(|c| c.volume *= factor);
    }
    let areas = found.areas();
    if areas != [1.0; 3] {
        for g in &mut out.gradient {
            (g.x, g.y, g.z) = (g.x * areas[0], g.y * areas[1], g.z * areas[2]);
        }
    }
}

impl LayeredDepth {
    /// The overlap of two bodies, by cell, with [`Certificate::near_the_mean`] as its volume and gradients of [`Certificate::areas`]. It costs
    /// several times the plain mean, which [`LayeredDepth::overlaps`] takes.
    ///
    /// # Errors
    /// As [`LayeredDepth::overlaps`].
    pub fn weighed(
        &mut self,
        a: Body<'_>,
        b: Body<'_>,
        grid: Option<&CellGrid>,
        out: &mut Overlap,
    ) -> Result<Certificate, VolumeError> {
        self.evaluate(a, b, grid, out)?;
        let found = self.certificate(a, b)?;
        let volume = found.near_the_mean();
        let plain = mean([THIRD; 3], found.along);
        let weights = if volume == plain { [THIRD; 3] } else { found.weights() };
        weigh(&found, weights, volume, out);
        Ok(found)
    }
}
