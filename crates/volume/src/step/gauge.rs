//! Bodies as the volume kernels take them: closed surfaces, and where their vertices are.

use super::flush::{hair, mean};
use super::placed::{AllPlaced, At, same_bits};
use super::rows::UNEQUAL;
use super::surfaces::Surfaces;
use super::tables::{MeasuredPair, Measurement};
use crate::{
    Adaptive, Body, CellGrid, Certificate, ContactFrame, Evaluate, Exact, LayeredDepth, Overlap, Tolerance,
    VolumeError, Walls,
};
use impinge_bodies::{ContactError, Names, Shape, Shapes};
use impinge_broadphase::Aabb;
use impinge_contact::par;
use impinge_geometry::{DVec3, halt};
use std::sync::{Mutex, PoisonError};

/// Makes constraints of cells whose walls are carried; an energy of cells would jump where two become one, and has other walls.
fn join(grid: Option<&CellGrid>, overlap: &mut Overlap) {
    if let Some(grid) = grid.filter(|g| g.walls == Walls::Carried) {
        overlap.join_slivers(grid.size);
        overlap.straighten();
        overlap.even_out(UNEQUAL);
    }
}

/// Frames of what was measured, `plane` being the side of a half space; `false` where there is nothing.
fn framed(plane: Option<usize>, x: [&[DVec3]; 2], out: &mut MeasuredPair) -> bool {
    out.frames.extend((0..out.overlap.cells().len()).map(|c| match plane {
        Some(side) => ContactFrame::with_half_space(&out.overlap, c, x, side),
        None => ContactFrame::new(&out.overlap, c, x),
    }));
    out.pack(x);
    !out.overlap.cells().is_empty()
}

/// How far images are off over the pairs of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ImageError {
    /// Largest, as a part of the exact volume.
    pub found: f64,
    /// Largest that is certified, as a part of the volume; `None` where no image was asked how sure it is.
    pub bound: Option<f64>,
    pub uncertified: u32,
    /// Of the pair at hand (m³).
    exact: f64,
}

impl ImageError {
    /// That of another pair.
    pub fn add(&mut self, other: &Self) {
        self.found = self.found.max(other.found);
        self.bound = self.bound.into_iter().chain(other.bound).reduce(f64::max);
        self.uncertified += other.uncertified;
    }

    fn compared(&mut self, volume: f64) {
        if self.exact > 0.0 {
            self.found = self.found.max((volume / self.exact - 1.0).abs());
        }
    }

    /// What an image was sure of, and how far a volume that lies in its interval may be off.
    fn certified(&mut self, found: &Certificate, volume: f64) {
        if volume > 0.0 {
            let [lo, hi] = found.volume_between();
            let off = (hi - volume).max(volume - lo).max(0.0) / volume;
            self.bound = Some(self.bound.map_or(off, |b| b.max(off)));
        }
    }
}

/// What measures one pair at a time; scratch alone.
struct Kernel {
    exact: Exact,
    image: Option<LayeredDepth>,
    adaptive: Option<Adaptive>,
    certified: bool,
    /// One body moved by a hair, and what the other way measures.
    moved: Vec<DVec3>,
    second: Overlap,
}

impl Kernel {
    fn new(measure: &Measurement) -> Self {
        // Settings are checked before a world is built; a bad pixel is told by the first evaluation otherwise.
        let of = measure.tells_places();
        let image = measure.pixel.and_then(|p| LayeredDepth::new(p).ok()).map(|image| image.by_place(of));
        let adaptive = measure
            .pixel
            .zip(measure.error)
            .and_then(|(pixel, relative)| Adaptive::new(Tolerance { relative, absolute: 0.0 }, pixel).ok())
            .map(|adaptive| adaptive.by_place(of));
        let exact = Exact::new().by_place(of && image.is_none());
        let (moved, second) = (Vec::new(), Overlap::new());
        Self { exact, image, adaptive, certified: !measure.plain_mean, moved, second }
    }

    /// Exactly: where sides are flush, the mean of both sides of the kink, which are this way apart (m).
    fn exactly(
        &mut self,
        [a, b]: [Body<'_>; 2],
        grid: Option<&CellGrid>,
        way: Option<DVec3>,
        out: &mut Overlap,
    ) -> Result<(), VolumeError> {
        let Self { exact, moved, second, .. } = self;
        let Some(way) = way else { return exact.evaluate(a, b, grid, out) };
        for (by, out) in [(way, &mut *out), (-way, &mut *second)] {
            moved.clear();
            moved.extend(a.x.iter().map(|p| *p + by));
            exact.evaluate(Body::new(a.surface, moved)?, b, grid, out)?;
        }
        mean(out, second);
        Ok(())
    }

    /// The overlap of one pair of bodies, `way` being what [`hair`] found; with `compare` also how far images are off.
    fn measure(
        &mut self,
        grid: Option<&CellGrid>,
        (compare, way): (bool, Option<DVec3>),
        bodies: [Body<'_>; 2],
        one: &mut Looked,
    ) -> Result<(), VolumeError> {
        let Looked { pair: out, plane, error, overlaps, corner, held, .. } = one;
        let ([a, b], x) = (bodies, bodies.map(|body| body.x));
        if out.bodies[0] == out.bodies[1] {
            // Refused before a world is built: exact volumes know two bodies.
            let Some(image) = &mut self.image else { return Ok(()) };
            // Not held: of one body with itself rays that stay keep what they are off by.
            *corner = Some(a.bounds(0)?.lo);
            image.set_corner(*corner);
            image.own(a, grid, &mut out.overlap)?;
            if out.overlap.cells().is_empty() {
                return Ok(());
            }
            join(grid, &mut out.overlap);
            out.overlap.take_out_moments(a.x);
            *overlaps = framed(None, x, out);
            return Ok(());
        }
        let compare = compare && self.image.is_some();
        if compare {
            self.exact.evaluate(a, b, None, &mut out.overlap)?;
            error.exact = out.overlap.volume();
        }
        if let Some(image) = &mut self.image {
            *corner = held.or(Some(a.bounds(0)?.intersection(&b.bounds(1)?).lo));
            image.set_corner(*corner);
        }
        match (&mut self.image, &mut self.adaptive) {
            (_, Some(adaptive)) => {
                let found = adaptive.measure(a, b, grid, &mut out.overlap)?;
                error.uncertified = u32::from(!found.met);
                error.certified(&found.certificate, out.overlap.volume());
            }
            (Some(image), None) if self.certified => {
                let found = image.weighed(a, b, grid, &mut out.overlap)?;
                error.certified(&found, out.overlap.volume());
            }
            (Some(image), None) => image.evaluate(a, b, grid, &mut out.overlap)?,
            (None, None) => self.exactly([a, b], grid, way, &mut out.overlap)?,
        }
        if compare {
            error.compared(out.overlap.volume());
        }
        join(grid, &mut out.overlap);
        *overlaps = framed(*plane, x, out);
        Ok(())
    }
}

/// A pair that was looked at.
#[derive(Default)]
pub(crate) struct Looked {
    pub pair: MeasuredPair,
    /// There is something in `pair`.
    pub overlaps: bool,
    pub error: ImageError,
    /// There is something to measure.
    near: bool,
    /// The side that is a half space, and the corners of its box (m).
    plane: Option<usize>,
    corners: Vec<DVec3>,
    /// Of both bodies.
    versions: [u64; 2],
    /// Where a pixel of the image had a corner (m), and where it is to have one.
    corner: Option<DVec3>,
    held: Option<DVec3>,
    compared: bool,
    failed: Option<VolumeError>,
    /// Known from the last look.
    known: bool,
}

impl Looked {
    /// Places the bodies.
    fn place(&mut self, at: &At<'_>, bodies: [u32; 2], (placed, surfaces): (&mut AllPlaced, &mut Surfaces)) {
        let out = &mut self.pair;
        (out.bodies, self.error, self.overlaps) = (bodies, ImageError::default(), false);
        (self.near, self.plane, self.failed, self.known) = (false, None, None, false);
        out.frames.clear();
        out.overlap.clear();
        self.versions = [0; 2];
        let slots = bodies.map(|b| b as usize);
        let plane = slots.map(|b| matches!(at.shapes.0[b], Shape::Plane { .. }));
        if plane == [true, true] {
            return;
        }
        for side in (0..2).filter(|&s| !plane[s]) {
            let one = placed.place(at, slots[side], surfaces);
            self.versions[side] = one.version;
            self.failed = self.failed.take().or_else(|| one.failed.clone());
        }
        self.plane = plane.iter().position(|p| *p);
        self.near = match self.plane {
            Some(side) => {
                // Makes that of the box.
                self.failed = self.failed.take().or(surfaces.get(at.shapes, slots[side]).err());
                at.half_space(slots[side], &placed.of(slots[1 - side]).x, &mut self.corners)
            }
            None => true,
        };
    }

    /// Takes what was found before for the same surfaces with the same vertices, to the bit.
    fn take(&mut self, before: &mut Self, compare: bool) {
        let still = self.versions == before.versions
            && (self.near, self.plane) == (before.near, before.plane)
            && (self.plane.is_none() || same_bits(&self.corners, &before.corners));
        if (compare && !before.compared) || self.failed.is_some() || before.failed.is_some() || !still {
            return;
        }
        std::mem::swap(&mut self.pair, &mut before.pair);
        (self.overlaps, self.error, self.known) = (before.overlaps, before.error, true);
        (self.compared, self.corner) = (before.compared, before.corner);
    }
}

/// Pairs measured in one go, where no surface is fine.
const CHUNK: usize = 4;

/// Measures pairs. What the last look found is kept: of bodies that are still where they were it is taken again.
pub(crate) struct Gauge {
    measure: Measurement,
    names: Names,
    surfaces: Surfaces,
    /// Those not at work.
    idle: Mutex<Vec<Kernel>>,
    looked: Vec<Looked>,
    before: Vec<Looked>,
    placed: AllPlaced,
    alone: (Looked, AllPlaced),
}

impl Gauge {
    /// Each cell by itself and all places in it together, and the paper's walls: for an energy of each cell.
    #[must_use]
    pub fn new(measure: Measurement, names: Names) -> Self {
        let measure = Measurement { walls: Walls::Shared, by_place: Some(false), ..measure };
        Self::of_constraints(measure, names)
    }

    /// The walls that are asked for, and with those of [`Walls::Carried`] cells that are no good as constraints are joined to others.
    #[must_use]
    pub fn of_constraints(measure: Measurement, names: Names) -> Self {
        Self {
            measure,
            names,
            surfaces: Surfaces::default(),
            idle: Mutex::default(),
            looked: Vec::new(),
            before: Vec::new(),
            placed: AllPlaced::default(),
            alone: Default::default(),
        }
    }

    /// Name of a body, for errors.
    pub fn name(&self, slot: u32) -> &str {
        self.names.get(slot as usize).map_or("?", String::as_str)
    }

    /// Mean thickness of a body without nodes or with (m), [`ClosedSurface::thickness`]; `None` for a plane.
    pub fn thickness(&mut self, shapes: &Shapes, slot: usize) -> Option<f64> {
        if matches!(shapes.0[slot], Shape::Plane { .. }) {
            return None;
        }
        self.surfaces.get(shapes, slot).ok().flatten().map(|s| s.thickness())
    }

    /// Bodies are elsewhere from now on: before [`Self::bounds`] and [`Self::look`].
    pub fn begin(&mut self) {
        self.placed.begin();
    }

    /// The box around a body's vertices.
    pub fn bounds(&mut self, at: &At<'_>, slot: usize) -> Aabb {
        self.placed.bounds(at, slot, &mut self.surfaces)
    }

    fn run(&self, compare: bool, placed: &AllPlaced, one: &mut Looked) {
        one.compared = compare;
        if one.failed.is_some() || !one.near {
            return;
        }
        if halt::asked() {
            // Of no version, so that nobody takes it for what was found.
            one.versions = [u64::MAX; 2];
            return;
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let mut kernel = waiting.unwrap_or_else(|| Kernel::new(&self.measure));
        // Not of `one`, which is written.
        let corners = std::mem::take(&mut one.corners);
        one.failed = self.with(&mut kernel, compare, (placed, &corners), one).err();
        one.corners = corners;
        idle().push(kernel);
    }

    fn with(
        &self,
        kernel: &mut Kernel,
        compare: bool,
        (placed, corners): (&AllPlaced, &[DVec3]),
        one: &mut Looked,
    ) -> Result<(), VolumeError> {
        let plane = self.surfaces.half_space();
        let of = |side: usize| match one.plane == Some(side) {
            true => plane.map(|surface| Body::new(surface, corners)).transpose(),
            false => placed.of(one.pair.bodies[side] as usize).body(),
        };
        let (Some(a), Some(b)) = (of(0)?, of(1)?) else { return Ok(()) };
        let way = match one.plane {
            None if self.measure.pixel.is_none() => {
                let bounds = [a.bounds(0)?, b.bounds(1)?];
                let sizes = bounds.map(|b| (b.hi - b.lo).component_max());
                let sides = one.pair.bodies.map(|b| self.surfaces.sides(b as usize));
                let meet = bounds[0].overlaps(&bounds[1]);
                meet.then(|| hair(sides, [a.x, b.x], sizes[0].min(sizes[1]))).flatten()
            }
            _ => None,
        };
        kernel.measure(self.measure.grid().as_ref(), (compare, way), [a, b], one)
    }

    /// The overlaps of `pairs` (lower slot and higher slot, ascending, with their rows in the pair-law table), those without any too. With `compare` also
    /// how far images are off. With `hold` rays are those of the last look: how volumes change from one to the other is then no matter of rays that lie
    /// elsewhere.
    ///
    /// # Errors
    /// As those of [`crate::OverlapGauge::measure`].
    pub fn look(
        &mut self,
        at: &At<'_>,
        pairs: impl Iterator<Item = ([u32; 2], u32)>,
        (compare, hold): (bool, bool),
    ) -> Result<&[Looked], ContactError> {
        std::mem::swap(&mut self.looked, &mut self.before);
        let mut looked = std::mem::take(&mut self.looked);
        let mut used = 0;
        for (bodies, law) in pairs {
            if looked.len() == used {
                looked.push(Looked::default());
            }
            let one = &mut looked[used];
            one.place(at, bodies, (&mut self.placed, &mut self.surfaces));
            (one.corner, one.held) = (None, None);
            if let Ok(i) = self.before.binary_search_by_key(&bodies, |b| b.pair.bodies) {
                one.held = self.before[i].corner.filter(|_| hold);
                one.take(&mut self.before[i], compare);
            }
            one.pair.law = law;
            used += 1;
        }
        looked.truncate(used);
        // Each is written by itself: how many go together shows in nothing.
        let fine = |one: &Looked| one.pair.bodies.iter().any(|&b| self.placed.is_fine(b as usize));
        let chunk = if looked.iter().any(fine) { 1 } else { CHUNK };
        par::fill(&mut looked, chunk, |_, one| {
            if !one.known {
                self.run(compare, &self.placed, one);
            }
        });
        if let Some(one) = looked.iter().find(|l| l.failed.is_some())
            && let Some(e) = &one.failed
        {
            return Err(refused(&self.names, one.pair.bodies, e));
        }
        self.looked = looked;
        Ok(&self.looked)
    }

    /// What the last look found.
    #[must_use]
    pub fn looked(&self) -> &[Looked] {
        &self.looked
    }

    /// Whether one pair overlaps.
    ///
    /// # Errors
    /// As [`Self::look`].
    pub fn meets(&mut self, at: &At<'_>, bodies: [u32; 2]) -> Result<bool, ContactError> {
        let (mut one, mut placed) = std::mem::take(&mut self.alone);
        placed.begin();
        one.place(at, bodies, (&mut placed, &mut self.surfaces));
        self.run(false, &placed, &mut one);
        let meets = match &one.failed {
            Some(e) => Err(refused(&self.names, bodies, e)),
            None => Ok(one.overlaps && one.pair.overlap.volume() > 0.0),
        };
        self.alone = (one, placed);
        meets
    }
}

/// The error with the bodies' names.
fn refused(names: &Names, [a, b]: [u32; 2], e: &VolumeError) -> ContactError {
    let name = |s: u32| names.get(s as usize).map_or("?", String::as_str);
    ContactError::refused("contact volumes", format!("'{}' against '{}': {e}", name(a), name(b)))
}
