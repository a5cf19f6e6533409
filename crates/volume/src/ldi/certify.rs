//! Certified volumes: an interval for each direction that holds the volume, and pixels made finer until it is short enough.
//!
//! The volume lies in the intervals of all three directions, so in what they have in common. A direction that sees a flat contact edge on
//! knows little of it: the volume reported weighs the three by the inverse squares of their intervals, and the certificate holds for that.

use super::bound::{self, OVER_BYTES, Off, Strip};
use super::lattice::{Lattice, Limits, View, too_much};
use super::weigh::{mean, weigh};
use super::{BAND_ROWS, LayeredDepth, reach};
use crate::VolumeError;
use crate::bounds::Bounds;
use crate::closed::Body;
use crate::overlap::{CellGrid, Evaluate, Overlap};
use impinge_contact::par;

/// What an image is sure of. The volume is that of the points inside both bodies, by winding numbers above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// Edge of a pixel (m).
    pub pixel: f64,
    /// Volume by the rays along x, y and z (m³).
    pub along: [f64; 3],
    /// The volume is at least that much, and at most that much, as each direction knows (m³).
    pub interval: [[f64; 2]; 3],
}

impl Certificate {
    /// Nothing, and sure of it: the boxes are apart.
    const NOTHING: Self = Self { pixel: 0.0, along: [0.0; 3], interval: [[0.0; 2]; 3] };

    /// The volume is in here (m³).
    #[must_use]
    pub fn volume_between(&self) -> [f64; 2] {
        let [x, y, z] = self.interval;
        let (lo, hi) = (x[0].max(y[0]).max(z[0]).max(0.0), x[1].min(y[1]).min(z[1]));
        // Where only rounding lies between, the directions may contradict each other by it.
        [lo, hi.max(lo)]
    }

    /// Parts of the three directions in [`Certificate::volume`]: by the inverse squares of how far each can be off.
    #[must_use]
    pub fn weights(&self) -> [f64; 3] {
        let off = [0, 1, 2].map(|k| {
            let [lo, hi] = self.interval[k];
            (self.along[k] - lo).max(hi - self.along[k])
        });
        let least = off[0].min(off[1]).min(off[2]);
        if !(least > 0.0) {
            let sure = off.map(|o| f64::from(u8::from(o == least)));
            let count = sure[0] + sure[1] + sure[2];
            return sure.map(|s| s / count.max(1.0));
        }
        let weight = off.map(|o| (least / o) * (least / o));
        let sum = weight[0] + weight[1] + weight[2];
        weight.map(|w| w / sum)
    }

    /// The volume to report (m³): the mean by [`Certificate::weights`], held to [`Certificate::volume_between`].
    #[must_use]
    pub fn volume(&self) -> f64 {
        let [lo, hi] = self.volume_between();
        mean(self.weights(), self.along).clamp(lo, hi)
    }

    /// How far [`Certificate::volume`] can be off (m³): a theorem (`ldi/bound.rs`), not an estimate.
    #[must_use]
    pub fn error(&self) -> f64 {
        let ([lo, hi], volume) = (self.volume_between(), self.volume());
        (hi - volume).max(volume - lo).max(0.0)
    }
}

/// How far a volume may be off: the larger of the two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Part of the volume.
    pub relative: f64,
    /// (m³)
    pub absolute: f64,
}

impl Tolerance {
    /// What that is at a volume (m³).
    #[must_use]
    pub fn at(&self, volume: f64) -> f64 {
        (self.relative * volume).max(self.absolute)
    }
}

/// What [`Adaptive::certify`] came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certified {
    /// Of the last pixels.
    pub certificate: Certificate,
    /// The error asked for is certified, or as much of it as rounding allows: 256 ε times the farthest coordinate times the squared side of the
    /// overlap. `false` only where the finest pixel allowed was not enough.
    pub met: bool,
    /// Sizes of pixels tried.
    pub rounds: u32,
}

impl LayeredDepth {
    /// What the image of two bodies is sure of.
    ///
    /// # Errors
    /// As [`LayeredDepth::overlaps`].
    pub fn certificate(&mut self, a: Body<'_>, b: Body<'_>) -> Result<Certificate, VolumeError> {
        let bodies = [a, b];
        self.deepest = 0;
        match reach(&bodies, false)? {
            Some((reach, bounds)) => self.certificate_over(&bodies, (&reach, &bounds)),
            None => Ok(Certificate::NOTHING),
        }
    }

    fn certificate_over(
        &mut self,
        bodies: &[Body<'_>; 2],
        (reach, bounds): (&Bounds, &[Bounds]),
    ) -> Result<Certificate, VolumeError> {
        let lattice = self.lattice_over(reach)?;
        self.visible.within.fill(bodies, bounds, &lattice, &[0, 1, 2], None);
        let second = bodies[0].surface.triangles().len() as u32;
        let extent = reach.hi - reach.lo;
        // A lattice may end a little short of the overlap (`Lattice::check`): what lies beyond is seen by no ray.
        let short = [0, 1, 2].map(|k| {
            let end = lattice.origin[k] + lattice.count[k] as f64 * lattice.pixel;
            (lattice.origin[k] - reach.lo[k]).max(0.0) + (reach.hi[k] - end).max(0.0)
        });
        // Rays whose places are not told apart by the numbers have no pixels of their own: nothing is sure.
        let far = reach.lo.abs().max_by_component(reach.hi.abs()).component_max();
        let beyond_rounding = 16.0 * f64::EPSILON * far > bound::REACH * lattice.pixel;
        let mut out =
            Certificate { pixel: lattice.pixel, along: [0.0; 3], interval: [[0.0, f64::INFINITY]; 3] };
        for axis in 0..3 {
            let off = self.off(&lattice, axis, second)?;
            out.along[axis] = off.sum;
            if beyond_rounding {
                out.interval[axis] = [0.0, f64::MAX];
                continue;
            }
            // Sums of many terms of one sign.
            let rounding = 1e-13 * (off.sum + off.below + off.above);
            let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
            let missed = (short[u] * extent[v] + short[v] * extent[u]) * extent[axis];
            out.interval[axis] = [off.sum - off.below - rounding, off.sum + off.above + rounding + missed];
        }
        Ok(out)
    }

    fn off(&mut self, lattice: &Lattice, axis: usize, second: u32) -> Result<Off, VolumeError> {
        let view = View::new(lattice, axis);
        self.rasterise(&view, f64::INFINITY, 0)?;
        bound::fill(
            &view,
            &self.visible.within.triangles,
            &self.visible.within.points,
            second,
            &mut self.seen,
        );
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); self.strips.len()];
        for (t, seen) in self.seen.iter().enumerate().filter(|(_, s)| s.rows[0] < s.rows[1]) {
            let strips = seen.rows[0] as usize / BAND_ROWS..=(seen.rows[1] as usize - 1) / BAND_ROWS;
            lists[strips].iter_mut().for_each(|l| l.push(t as u32));
        }
        let size = self.visible.within.points().fold(0.0, |m: f64, &p| m.max(view.project(p)[2].abs()));
        // Of each strip; strips run side by side, so that n threads may hold n times that.
        let most = usize::try_from(self.limits.bytes).unwrap_or(usize::MAX) / OVER_BYTES;
        let (seen, strips) = (&self.seen, &self.strips);
        let mut found: Vec<Result<Off, usize>> = vec![Ok(Off::default()); lists.len()];
        par::for_each_chunk(&mut found, 1, |k, out| {
            let band = &strips[k].band;
            let strip = Strip {
                view: &view,
                seen,
                list: &lists[k],
                rows: [band.first_row, band.first_row + band.rows],
                start: &band.start,
                samples: &band.samples,
                second,
                slack: 8.0 * f64::EPSILON * size,
            };
            out[0] = strip.off(most);
        });
        let mut off = Off::default();
        for strip in found {
            match strip {
                Ok(o) => off.add(&o),
                Err(over) => {
                    let needed = over as f64 * OVER_BYTES as f64;
                    return Err(too_much(view.pixel, needed, self.limits.bytes as f64));
                }
            }
        }
        Ok(off)
    }
}

/// Depth images whose pixels are made finer, pair by pair, until the volume's error is certified (the outlook of seed 002).
#[derive(Clone, Debug)]
pub struct Adaptive {
    tolerance: Tolerance,
    finest: f64,
    image: LayeredDepth,
}

/// Pixels along the longest side that are tried first.
const FIRST: f64 = 32.0;
/// A next pixel is smaller by at least and at most these factors.
const SMALLER: [f64; 2] = [1.5, 8.0];
/// The error is taken to fall as this power of the pixel when the next is chosen: between walls (1) and smooth surfaces (2).
const ORDER: f64 = 1.5;
/// What touches without volume is sure to this part of the farthest coordinate times the area of the boxes' overlap, and no better.
const ROUNDING: f64 = 256.0 * f64::EPSILON;

impl Adaptive {
    /// Volumes good to `tolerance`; pixels are never smaller than `finest` (m). 0 lets memory decide.
    ///
    /// # Errors
    /// [`VolumeError::Size`] for a tolerance or a pixel that is negative or not finite, and for a tolerance of 0 without a finest pixel.
    pub fn new(tolerance: Tolerance, finest: f64) -> Result<Self, VolumeError> {
        let Tolerance { relative, absolute } = tolerance;
        for (what, value) in [
            ("the relative error of a volume", relative),
            ("the error of a volume", absolute),
            ("the finest pixel", finest),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(VolumeError::Size { what, value });
            }
        }
        if relative == 0.0 && absolute == 0.0 && finest == 0.0 {
            return Err(VolumeError::Size { what: "the error of a volume", value: 0.0 });
        }
        Ok(Self { tolerance, finest, image: LayeredDepth::new(1.0)? })
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { image: self.image.with_limits(limits), ..self }
    }

    /// As [`LayeredDepth::by_place`].
    #[must_use]
    pub fn by_place(self, by_place: bool) -> Self {
        Self { image: self.image.by_place(by_place), ..self }
    }

    /// Pixels for a pair, made finer until the error is certified; without the gradient.
    ///
    /// # Errors
    /// [`VolumeError::Uncertified`] where memory ends before that and no finest pixel was given, or one that does not fit; else as
    /// [`LayeredDepth::overlaps`].
    pub fn certify(&mut self, a: Body<'_>, b: Body<'_>) -> Result<Certified, VolumeError> {
        let Some((reach, bounds)) = reach(&[a, b], false)? else {
            return Ok(Certified { certificate: Certificate::NOTHING, met: true, rounds: 0 });
        };
        let side = (reach.hi - reach.lo).component_max();
        // Boxes that share a face, an edge or a corner.
        if !(side > 0.0) {
            return Ok(Certified { certificate: Certificate::NOTHING, met: true, rounds: 0 });
        }
        let far = reach.lo.abs().max_by_component(reach.hi.abs()).component_max();
        let rounding = ROUNDING * far * side * side;
        let mut pixel = (side / FIRST).max(self.finest);
        let mut best: Option<Certificate> = None;
        let mut rounds = 0;
        loop {
            self.image.set_pixel(pixel);
            rounds += 1;
            let certificate = match (self.image.certificate_over(&[a, b], (&reach, &bounds)), best) {
                (Ok(c), _) => c,
                (Err(VolumeError::Memory { needed, allowed, .. }), Some(best)) => {
                    let asked = self.tolerance.at(best.volume()).max(rounding);
                    let (certified, pixel) = (best.error(), best.pixel);
                    return Err(VolumeError::Uncertified { asked, certified, pixel, needed, allowed });
                }
                (Err(e), _) => return Err(e),
            };
            let (asked, error) = (self.tolerance.at(certificate.volume()).max(rounding), certificate.error());
            let met = error <= asked;
            if met || pixel <= self.finest {
                return Ok(Certified { certificate, met, rounds });
            }
            best = Some(certificate);
            let by = libm::pow(1.1 * error / asked, 1.0 / ORDER);
            pixel = (pixel / by.clamp(SMALLER[0], SMALLER[1])).max(self.finest);
        }
    }

    /// The overlap, by cell, with pixels that certify its volume. Cells are weighed as the volume is; the certificate is for their sum.
    ///
    /// # Errors
    /// As [`Adaptive::certify`] and [`LayeredDepth::overlaps`].
    pub fn measure(
        &mut self,
        a: Body<'_>,
        b: Body<'_>,
        grid: Option<&CellGrid>,
        out: &mut Overlap,
    ) -> Result<Certified, VolumeError> {
        out.clear();
        let certified = self.certify(a, b)?;
        if certified.rounds == 0 {
            return Ok(certified);
        }
        self.image.set_pixel(certified.certificate.pixel);
        self.image.evaluate(a, b, grid, out)?;
        let c = &certified.certificate;
        weigh(c, c.weights(), c.volume(), out);
        Ok(certified)
    }
}

impl Evaluate for Adaptive {
    fn evaluate(
        &mut self,
        a: Body<'_>,
        b: Body<'_>,
        grid: Option<&CellGrid>,
        out: &mut Overlap,
    ) -> Result<(), VolumeError> {
        self.measure(a, b, grid, out).map(|_| ())
    }
}
