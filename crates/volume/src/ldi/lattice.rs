//! Where the rays are: one lattice of pixels for the three directions.

use crate::VolumeError;
use crate::bounds::Bounds;
use impinge_geometry::DVec3;

/// Pixels of edge `pixel`: pixel (i, j) seen along an axis is centred at `origin + (i + ½, j + ½) pixel` in the two axes that
/// follow it (y, z for x; z, x for y; x, y for z).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// Lower corner (m).
    pub origin: DVec3,
    /// Edge of a pixel (m).
    pub pixel: f64,
    /// Pixels along x, y and z.
    pub count: [usize; 3],
}

/// What a depth image may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes for pixels and layers of one direction, and for the overlaps on the rays of all three (up to three times as much while they are sorted). Each thread has
    /// 2 MiB of its own besides.
    pub bytes: u64,
    /// Most surfaces along one ray.
    pub layers: usize,
}

impl Default for Limits {
    /// 1 GiB, 1024 layers.
    fn default() -> Self {
        Self { bytes: 1 << 30, layers: 1024 }
    }
}

/// Bytes of a pixel without layers: where its layers start, and room for as much again.
pub(super) const PIXEL_BYTES: u64 = 8;
/// Bytes of a layer while it is sorted in.
pub(super) const LAYER_BYTES: u64 = 40;

impl Lattice {
    /// The smallest lattice with its lower corner at the box's that covers it.
    ///
    /// # Errors
    /// [`VolumeError::Size`] for a pixel that is not positive and finite, [`VolumeError::Memory`] when the pixels alone need more
    /// than allowed; the message says how much and which size would fit.
    pub fn around(bounds: &Bounds, pixel: f64, limits: &Limits) -> Result<Self, VolumeError> {
        if !(pixel > 0.0 && pixel.is_finite()) {
            return Err(VolumeError::Size { what: "the pixel size", value: pixel });
        }
        let extent = bounds.hi - bounds.lo;
        let count = [extent.x, extent.y, extent.z].map(|e| (e / pixel).ceil().max(1.0));
        let most = (count[0] * count[1]).max(count[1] * count[2]).max(count[2] * count[0]);
        let needed = most * PIXEL_BYTES as f64;
        // Indices are 32 bits too.
        let allowed = (limits.bytes as f64).min(f64::from(u32::MAX));
        if !(needed <= allowed) {
            return Err(too_much(pixel, needed, allowed));
        }
        Ok(Self { origin: bounds.lo, pixel, count: count.map(|c| c as usize) })
    }

    /// Refuses a lattice that does not see all of a box.
    pub(super) fn check(&self, reach: &Bounds) -> Result<(), VolumeError> {
        let slack = 1e-9 * self.pixel;
        for axis in 0..3 {
            let end = self.origin[axis] + self.count[axis] as f64 * self.pixel;
            // A NaN in the lattice fails too.
            if !(self.origin[axis] <= reach.lo[axis] + slack && end >= reach.hi[axis] - slack) {
                return Err(VolumeError::Lattice { axis, lo: reach.lo[axis], hi: reach.hi[axis] });
            }
        }
        Ok(())
    }
}

/// The error for `needed` bytes; they shrink as the square of the pixel.
pub(super) fn too_much(pixel: f64, needed: f64, allowed: f64) -> VolumeError {
    VolumeError::Memory {
        pixel,
        needed: needed as u64,
        allowed: allowed as u64,
        suggested: pixel * 1.05 * (needed / allowed).sqrt(),
    }
}

/// The lattice seen along one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub axis: usize,
    pub u: usize,
    pub v: usize,
    pub origin: [f64; 2],
    pub pixel: f64,
    /// 1 / pixel.
    pub inverse: f64,
    pub count: [usize; 2],
}

impl View {
    #[must_use]
    pub fn new(lattice: &Lattice, axis: usize) -> Self {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        Self {
            axis,
            u,
            v,
            origin: [lattice.origin[u], lattice.origin[v]],
            pixel: lattice.pixel,
            inverse: 1.0 / lattice.pixel,
            count: [lattice.count[u], lattice.count[v]],
        }
    }

    /// Centre of pixel (i, j).
    #[inline]
    #[must_use]
    pub fn centre(&self, i: usize, j: usize) -> [f64; 2] {
        [self.origin[0] + (i as f64 + 0.5) * self.pixel, self.origin[1] + (j as f64 + 0.5) * self.pixel]
    }

    /// Coordinate of a row's centres along v (m).
    #[inline(always)]
    #[must_use]
    pub fn row(&self, j: usize) -> f64 {
        self.origin[1] + (j as f64 + 0.5) * self.pixel
    }

    /// A point as (u, v, depth).
    #[inline(always)]
    #[must_use]
    pub fn project(&self, p: DVec3) -> [f64; 3] {
        match self.axis {
            0 => [p.y, p.z, p.x],
            1 => [p.z, p.x, p.y],
            _ => [p.x, p.y, p.z],
        }
    }
}
