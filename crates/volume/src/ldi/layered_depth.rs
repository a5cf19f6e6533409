//! The images: rays along x, y and z through all bodies, and the layers that they meet.

use super::intervals::{Walk, fewest, weights};
use super::lattice::{LAYER_BYTES, Lattice, Limits, PIXEL_BYTES, View, too_much};
use super::layers::Waiting;
use super::own::Own;
use super::places::Places;
use super::raster::{Band, tile_shift};
use super::sheets::{OwnInterval, Sheets};
use super::split::{Part, Starts};
use super::visible::Visible;
use super::within::Ends;
use crate::VolumeError;
use crate::bounds::Bounds;
use crate::closed::Body;
use crate::overlap::Gather;
use impinge_contact::par;
use impinge_contact::wide::Instructions;
use impinge_geometry::DVec3;
use std::sync::Mutex;

/// Rows of pixels rasterised in one go; fixed, so that no thread count shows.
pub(super) const BAND_ROWS: usize = 64;

/// One surface on a ray, for those who want the layers themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Coordinate along the axis (m).
    pub depth: f64,
    /// Which body.
    pub body: usize,
    /// Its triangle.
    pub triangle: u32,
    /// The ray enters the body here (the surface faces against the axis).
    pub enters: bool,
    /// Barycentric weights of the triangle's corners.
    pub weights: [f64; 3],
}

/// What [`LayeredDepth::detect`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detected {
    /// Where the rays are.
    pub lattice: Lattice,
    /// Layers of all rays along x, y and z that say something about overlaps.
    pub samples: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Strip {
    pub(super) band: Band,
    pub(super) parts: Vec<Part>,
    /// What each part is a part of, where places are told apart.
    pub(super) intervals: Vec<OwnInterval>,
    pub(super) walk: Walk,
}

/// Volumes by depth images; holds scratch that only saves allocations.
#[derive(Clone, Debug)]
#[doc(alias("LDI", "layered depth image"))]
pub struct LayeredDepth {
    pub(super) pixel: f64,
    pub(super) limits: Limits,
    pub(super) lattice: Option<Lattice>,
    /// A corner of some pixel (m).
    pub(super) corner: Option<DVec3>,
    pub(super) visible: Visible,
    pub(super) strips: Vec<Strip>,
    /// By tile, the triangles that reach it, by their place in the list of visible ones.
    pub(super) tiles: Vec<Vec<u32>>,
    pub(super) waiting: Vec<Waiting>,
    pub(super) parts: Vec<Part>,
    pub(super) by_place: bool,
    /// What each part is a part of, where places are told apart.
    pub(super) intervals: Vec<OwnInterval>,
    pub(super) places: Places,
    pub(super) gather: [Gather; 2],
    pub(super) sheets: Sheets,
    pub(super) own: Own,
    pub(super) seen: Vec<super::bound::Seen>,
    pub(super) deepest: usize,
}

impl LayeredDepth {
    /// Rays `pixel` metres apart, over the overlap of the pair's boxes.
    ///
    /// # Errors
    /// [`VolumeError::Size`] for a pixel that is not positive and finite.
    pub fn new(pixel: f64) -> Result<Self, VolumeError> {
        if !(pixel > 0.0 && pixel.is_finite()) {
            return Err(VolumeError::Size { what: "the pixel size", value: pixel });
        }
        Ok(Self {
            pixel,
            limits: Limits::default(),
            lattice: None,
            corner: None,
            visible: Visible::default(),
            strips: Vec::new(),
            tiles: Vec::new(),
            waiting: Vec::new(),
            parts: Vec::new(),
            by_place: false,
            intervals: Vec::new(),
            places: Places::default(),
            gather: Default::default(),
            sheets: Sheets::default(),
            own: Own::default(),
            seen: Vec::new(),
            deepest: 0,
        })
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same on a given lattice, to repeat a sampling. It must cover the overlap.
    #[must_use]
    pub fn with_lattice(self, lattice: Lattice) -> Self {
        Self { pixel: lattice.pixel, lattice: Some(lattice), ..self }
    }

    /// From now on some pixel has a corner here (m): with the same corner, rays of two samplings are the same where both have some. `None`
    /// begins at the overlap's box.
    #[cfg(feature = "step")]
    pub(crate) fn set_corner(&mut self, corner: Option<DVec3>) {
        self.corner = corner;
    }

    /// Other pixels from now on.
    pub(crate) fn set_pixel(&mut self, pixel: f64) {
        self.pixel = pixel;
    }

    /// Most surfaces that a ray of the last evaluation met; those above all overlaps, or cut off below them, do not count.
    #[must_use]
    pub fn deepest(&self) -> usize {
        self.deepest
    }

    /// The layers that [`LayeredDepth::overlaps`] works on, along all three axes, and nothing more: the paper's collision
    /// detection without its contact modelling. `None` where no two boxes meet.
    ///
    /// # Errors
    /// As [`LayeredDepth::overlaps`].
    pub fn detect(&mut self, bodies: &[Body<'_>], within: bool) -> Result<Option<Detected>, VolumeError> {
        self.deepest = 0;
        let Some((reach, bounds)) = reach(bodies, within)? else { return Ok(None) };
        let lattice = self.lattice_over(&reach)?;
        let ends = if within { Ends::above(reach.hi) } else { Ends::of_pairs(&bounds, &lattice, reach.hi) };
        self.visible.within.fill(bodies, &bounds, &lattice, &[0, 1, 2], Some(&ends));
        let mut samples = 0;
        for axis in 0..3 {
            self.rasterise(&View::new(&lattice, axis), reach.hi[axis], fewest(bodies, ends.cut[axis]))?;
            samples += self.samples();
        }
        Ok(Some(Detected { lattice, samples }))
    }

    /// The box grown downwards to the pixels that have a corner at [`Self::corner`].
    fn on_pixels(&self, reach: &Bounds) -> Bounds {
        let Some(corner) = self.corner else { return *reach };
        let down = |lo: f64, corner: f64| {
            let at = |pixels: f64| corner + pixels * self.pixel;
            let pixels = ((lo - corner) / self.pixel).floor();
            if at(pixels) <= lo { at(pixels) } else { at(pixels - 1.0) }
        };
        let (lo, c) = (reach.lo, corner);
        Bounds { lo: DVec3::new(down(lo.x, c.x), down(lo.y, c.y), down(lo.z, c.z)), hi: reach.hi }
    }

    pub(super) fn lattice_over(&self, reach: &Bounds) -> Result<Lattice, VolumeError> {
        let lattice = match self.lattice {
            Some(l) => l,
            None => Lattice::around(&self.on_pixels(reach), self.pixel, &self.limits)?,
        };
        lattice.check(reach)?;
        Ok(lattice)
    }

    pub(super) fn samples(&self) -> usize {
        self.strips.iter().map(|s| s.band.samples.len()).sum()
    }

    /// Makes the layers of the bodies along one axis, sorted, and says how many there are; [`LayeredDepth::layers`] hands them out.
    ///
    /// # Errors
    /// As [`LayeredDepth::overlaps`].
    pub fn count_layers(
        &mut self,
        bodies: &[Body<'_>],
        lattice: &Lattice,
        axis: usize,
    ) -> Result<usize, VolumeError> {
        let around = around(bodies)?;
        self.deepest = 0;
        self.visible.within.fill(bodies, &around, lattice, &[axis], None);
        self.rasterise(&View::new(lattice, axis), f64::INFINITY, 0)?;
        Ok(self.samples())
    }

    /// All layers of the bodies along one axis: `out` gets the pixel (i, j) and its layers, along the ray. Pixels without layers are
    /// left out.
    ///
    /// # Errors
    /// As [`LayeredDepth::overlaps`].
    pub fn layers(
        &mut self,
        bodies: &[Body<'_>],
        lattice: &Lattice,
        axis: usize,
        mut out: impl FnMut([usize; 2], &[Layer]),
    ) -> Result<(), VolumeError> {
        self.count_layers(bodies, lattice, axis)?;
        let view = View::new(lattice, axis);
        let starts = Starts::new(bodies);
        let mut ray = Vec::new();
        for strip in &self.strips {
            let band = &strip.band;
            for p in 0..band.start.len() - 1 {
                let samples = &band.samples[band.start[p] as usize..band.start[p + 1] as usize];
                if samples.is_empty() {
                    continue;
                }
                let (i, j) = (p % view.count[0], band.first_row + p / view.count[0]);
                ray.clear();
                ray.extend(samples.iter().map(|s| {
                    let (body, triangle) = starts.of_triangle(s.triangle());
                    let corner = bodies[body].corners(triangle as usize).map(|p| view.project(p));
                    let weights = weights(corner, view.centre(i, j));
                    Layer { depth: s.depth, body, triangle, enters: s.enters(), weights }
                }));
                out([i, j], &ray);
            }
        }
        Ok(())
    }

    /// Rasterises what [`super::within::Within::fill`] found along one axis, leaving out what lies above `top` and pixels with less than `fewest` layers.
    pub(super) fn rasterise(&mut self, view: &View, top: f64, fewest: usize) -> Result<(), VolumeError> {
        self.strips.resize_with(view.count[1].div_ceil(BAND_ROWS), Strip::default);
        let pixels = view.count[0] * view.count[1];
        let room = self.limits.bytes.saturating_sub(pixels as u64 * PIXEL_BYTES) / LAYER_BYTES;
        let room = room.min(u64::from(u32::MAX)) as usize;
        // Rows collected together: about as many pixels as stay near the processor.
        let shift = tile_shift(view.count[0]);
        let tile_rows = 1 << shift;
        self.tiles.resize_with(view.count[1].div_ceil(tile_rows), Vec::new);
        let tiles = &mut self.tiles;
        tiles.iter_mut().for_each(Vec::clear);
        self.visible.look(view, top, shift, |run, [first, last]| {
            for tile in &mut tiles[first as usize..=last as usize] {
                tile.extend_from_slice(run);
            }
        });
        let (visible, tiles, with) = (&self.visible, &self.tiles, Instructions::best());
        // What collects samples is handed on: it stays near the processor.
        let idle = Mutex::new(std::mem::take(&mut self.waiting));
        par::for_each_chunk(&mut self.strips, 1, |k, strip| {
            let mut waiting = idle.lock().map_or_else(|_| None, |mut w| w.pop()).unwrap_or_default();
            let band = &mut strip[0].band;
            band.first_row = k * BAND_ROWS;
            band.rows = BAND_ROWS.min(view.count[1] - band.first_row);
            let tiles = &tiles[band.first_row >> shift..(band.first_row + band.rows).div_ceil(tile_rows)];
            band.raster(with, view, visible, (tiles, tile_rows), [fewest, room], &mut waiting);
            if let Ok(mut idle) = idle.lock() {
                idle.push(waiting);
            }
        });
        self.waiting = idle.into_inner().unwrap_or_default();
        // All that is met takes room until it is known which pixels are left out; a band that is full has not seen all triangles.
        let met: usize = self.strips.iter().map(|s| s.band.met).sum();
        if met > room {
            let needed = pixels as f64 * PIXEL_BYTES as f64 + met as f64 * LAYER_BYTES as f64;
            return Err(too_much(view.pixel, needed, self.limits.bytes as f64));
        }
        let layers = self.strips.iter().map(|s| s.band.deepest).max().unwrap_or(0);
        if layers > self.limits.layers {
            return Err(VolumeError::Layers { axis: view.axis, layers, allowed: self.limits.layers });
        }
        self.deepest = self.deepest.max(layers);
        Ok(())
    }
}

/// The box of each body.
pub(super) fn around(bodies: &[Body<'_>]) -> Result<Vec<Bounds>, VolumeError> {
    let mut found: Vec<Result<Bounds, VolumeError>> = Vec::new();
    found.resize_with(bodies.len(), || Ok(Bounds { lo: DVec3::zero(), hi: DVec3::zero() }));
    par::fill(&mut found, 1, |i, found| *found = bodies[i].bounds(i));
    found.into_iter().collect()
}

/// The box around all that two bodies' boxes have in common, and around every body with `within`; those of the bodies.
pub(super) fn reach(bodies: &[Body<'_>], within: bool) -> Result<Option<(Bounds, Vec<Bounds>)>, VolumeError> {
    let bounds = around(bodies)?;
    let mut reach: Option<Bounds> = None;
    for i in 0..bodies.len() {
        for j in (if within { i } else { i + 1 })..bodies.len() {
            let common = bounds[i].intersection(&bounds[j]);
            if !common.is_empty() {
                reach = Some(reach.map_or(common, |r| r.merged(&common)));
            }
        }
    }
    Ok(reach.map(|r| (r, bounds)))
}

#[cfg(all(test, feature = "step"))]
mod tests {
    use super::*;
    use crate::{ClosedSurface, Evaluate, Overlap};
    use impinge_geometry::cuboid;

    #[test]
    fn with_a_corner_kept_a_far_vertex_changes_no_volume() {
        let mesh = cuboid(DVec3::new(0.3, 0.3, 2.0), [3, 3, 20]).unwrap();
        let surface = ClosedSurface::new(&mesh).unwrap();
        // The lower end grows aside; the upper end is where the other body is.
        let lower = |by: f64| {
            let down = |p: DVec3| if p.z < -0.9 { DVec3::new(by, by, 0.0) } else { DVec3::zero() };
            mesh.positions().iter().map(|&p| p - down(p)).collect::<Vec<_>>()
        };
        let upper: Vec<DVec3> = mesh.positions().iter().map(|&p| DVec3::new(p.z, p.x, p.y + 1.1)).collect();
        let mut image = LayeredDepth::new(0.04).unwrap();
        let mut volume = |by: f64, corner: Option<DVec3>| {
            let x = lower(by);
            let [a, b] = [&x, &upper].map(|x| Body::new(&surface, x).unwrap());
            image.set_corner(corner);
            let mut out = Overlap::new();
            image.evaluate(a, b, None, &mut out).unwrap();
            out.volume()
        };
        let corner = Some(DVec3::new(-0.14, -0.14, 0.945));
        let kept = [0.005, 0.03].map(|by| volume(by, corner));
        assert!(kept[0] > 0.0 && (kept[1] - kept[0]).abs() < 1e-12, "{kept:?}");
        // Eight columns of rays, then seven.
        let other = [0.005, 0.03].map(|by| volume(by, None));
        assert!((other[1] / other[0] - 1.0).abs() > 0.03, "{other:?}");
    }

    #[test]
    fn a_box_grows_to_the_pixels_of_the_corner() {
        let (mut image, corner) = (LayeredDepth::new(0.06).unwrap(), DVec3::new(0.1, -0.2, 0.3));
        image.set_corner(Some(corner));
        let reach = |lo: DVec3| Bounds { lo, hi: lo + DVec3::one() };
        assert_eq!(image.on_pixels(&reach(corner)), reach(corner));
        for k in -40..40 {
            let lo = corner + DVec3::new(0.013, 0.06, -0.0301) * f64::from(k);
            let grown = image.on_pixels(&reach(lo)).lo;
            let axes = [(grown.x, lo.x, corner.x), (grown.y, lo.y, corner.y), (grown.z, lo.z, corner.z)];
            for (grown, lo, corner) in axes {
                let pixels = (grown - corner) / 0.06;
                assert!(grown <= lo && grown > lo - 1.001 * 0.06 && (pixels - pixels.round()).abs() < 1e-9);
            }
        }
    }
}
