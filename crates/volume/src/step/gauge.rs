//! Bodies as the volume kernels take them: closed surfaces, and where their vertices are.
//!
//! A plane becomes a box with its top on the plane, large enough to hold all of the other body that is below: the volume, its
//! gradient by the other body and the wrench on the plane are those of the half space.

use super::rows::UNEQUAL;
use super::surfaces::Surfaces;
use super::tables::{MeasuredPair, Measurement};
use crate::{
    Adaptive, Body, CellGrid, Certificate, ClosedSurface, ContactFrame, Evaluate, Exact, LayeredDepth,
    Overlap, Tolerance, VolumeError, Walls,
};
use impinge_bodies::{ContactError, Names, Shape, Shapes, world_plane};
use impinge_contact::{SurfaceMap, par};
use impinge_geometry::{DVec3, Pose, generators, tangents};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Where the bodies are at one time of the step.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub map: &'a SurfaceMap,
    pub shapes: &'a Shapes,
    pub poses: &'a [Pose],
    pub nodes: &'a [DVec3],
}

impl At<'_> {
    /// Vertices of a body (m).
    pub fn vertices(&self, slot: usize, out: &mut Vec<DVec3>) {
        out.clear();
        if self.map.attachment(slot).has_nodes() {
            out.extend(
                self.map
                    .range(slot)
                    .map(|v| self.map.at_nodes(v as u32, self.nodes).unwrap_or_else(DVec3::zero)),
            );
        } else {
            let (pose, r) = (&self.poses[slot], self.poses[slot].matrix());
            out.extend(self.map.arms(slot).iter().map(|&a| pose.position + r * a));
        }
    }

    /// Corners of the box for the plane of body `slot` under the vertices `x`, in the order of [`generators::cuboid`]; `false` where
    /// nothing is below.
    fn half_space(&self, slot: usize, x: &[DVec3], out: &mut Vec<DVec3>) -> bool {
        let Shape::Plane { normal, offset } = &self.shapes.0[slot] else { return false };
        let (n, top) = world_plane(&self.poses[slot], *normal, *offset);
        let t = tangents(n)[0];
        let s = n.cross(t);
        let (mut lo, mut hi) = (DVec3::broadcast(f64::INFINITY), DVec3::broadcast(f64::NEG_INFINITY));
        for &p in x {
            let local = DVec3::new(p.dot(t), p.dot(s), p.dot(n));
            lo = lo.min_by_component(local);
            hi = hi.max_by_component(local);
        }
        out.clear();
        if lo.z >= top {
            return false;
        }
        // Off by numbers without a meaning, so that its edges and diagonals fall on nothing that symmetry puts there.
        let size = (hi - lo).component_max().max(top - lo.z);
        let (lo, hi) = (
            DVec3::new(lo.x - 0.531 * size, lo.y - 0.617 * size, lo.z - 0.713 * size),
            DVec3::new(hi.x + 0.577 * size, hi.y + 0.673 * size, top),
        );
        out.extend(CUBE.iter().map(|c| {
            let pick = |c: f64, lo: f64, hi: f64| if c > 0.0 { hi } else { lo };
            t * pick(c.x, lo.x, hi.x) + s * pick(c.y, lo.y, hi.y) + n * pick(c.z, lo.z, hi.z)
        }));
        !out.is_empty()
    }
}

/// Corners of a half space's box, in the order of [`generators::cuboid`].
static CUBE: LazyLock<Vec<DVec3>> = LazyLock::new(|| {
    generators::cuboid(DVec3::one(), [1; 3]).map_or_else(|_| Vec::new(), |cube| cube.positions().to_vec())
});

/// Makes constraints of cells whose walls are carried; an energy of cells would jump where two become one, and has other walls.
fn join(grid: Option<&CellGrid>, overlap: &mut Overlap) {
    if let Some(grid) = grid.filter(|g| g.walls == Walls::Carried) {
        overlap.join_slivers(grid.size);
        overlap.straighten();
        overlap.even_out(UNEQUAL);
    }
}

/// Frames of what was measured, `plane` being the side of a half space; `false` where there is nothing.
fn framed(plane: Option<usize>, out: &mut MeasuredPair) -> bool {
    let x = [&out.x[0][..], &out.x[1][..]];
    out.frames.extend((0..out.overlap.cells().len()).map(|c| match plane {
        Some(side) => ContactFrame::with_half_space(&out.overlap, c, x, side),
        None => ContactFrame::new(&out.overlap, c, x),
    }));
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
        Self { exact, image, adaptive, certified: !measure.plain_mean }
    }

    /// The overlap of one pair; with `compare` also how far images are off.
    fn measure(
        &mut self,
        grid: Option<&CellGrid>,
        compare: bool,
        one: &mut Looked,
    ) -> Result<(), VolumeError> {
        let Looked { surfaces, pair: out, plane, error, overlaps, .. } = one;
        let [Some(a), Some(b)] = surfaces.each_ref().map(Option::as_ref) else { return Ok(()) };
        if out.bodies[0] == out.bodies[1] {
            // Refused before a world is built: exact volumes know two bodies.
            let Some(image) = &mut self.image else { return Ok(()) };
            image.own(Body::new(a, &out.x[0])?, grid, &mut out.overlap)?;
            if out.overlap.cells().is_empty() {
                return Ok(());
            }
            join(grid, &mut out.overlap);
            out.overlap.take_out_moments(&out.x[0]);
            *overlaps = framed(None, out);
            return Ok(());
        }
        let (a, b) = (Body::new(a, &out.x[0])?, Body::new(b, &out.x[1])?);
        let compare = compare && self.image.is_some();
        if compare {
            self.exact.evaluate(a, b, None, &mut out.overlap)?;
            error.exact = out.overlap.volume();
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
            (None, None) => self.exact.evaluate(a, b, grid, &mut out.overlap)?,
        }
        if compare {
            error.compared(out.overlap.volume());
        }
        join(grid, &mut out.overlap);
        *overlaps = framed(*plane, out);
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
    /// Of both bodies; `None` where there is nothing to measure.
    surfaces: [Option<Arc<ClosedSurface>>; 2],
    /// The side that is a half space.
    plane: Option<usize>,
    compared: bool,
    failed: Option<VolumeError>,
    /// Known from the last look.
    known: bool,
}

impl Looked {
    /// Places the bodies' vertices.
    fn place(&mut self, at: &At<'_>, bodies: [u32; 2], surfaces: &mut Surfaces) {
        let out = &mut self.pair;
        (out.bodies, self.error, self.overlaps) = (bodies, ImageError::default(), false);
        (self.surfaces, self.plane, self.failed, self.known) = (Default::default(), None, None, false);
        out.frames.clear();
        out.overlap.clear();
        let slots = bodies.map(|b| b as usize);
        let plane = slots.map(|b| matches!(at.shapes.0[b], Shape::Plane { .. }));
        if plane == [true, true] {
            return;
        }
        for side in (0..2).filter(|&s| !plane[s]) {
            at.vertices(slots[side], &mut out.x[side]);
        }
        let [first, second] = &mut out.x;
        let below = match plane {
            [true, _] => at.half_space(slots[0], second, first),
            [_, true] => at.half_space(slots[1], first, second),
            _ => true,
        };
        if !below {
            return;
        }
        self.plane = plane.iter().position(|p| *p);
        for side in 0..2 {
            match surfaces.get(at.shapes, slots[side]) {
                Ok(surface) => self.surfaces[side] = surface,
                Err(e) => self.failed = self.failed.take().or(Some(e)),
            }
        }
    }

    /// Takes what was found before for the same surfaces with the same vertices, to the bit.
    fn take(&mut self, before: &mut Self, compare: bool) {
        let same = |a: &Option<Arc<ClosedSurface>>, b: &Option<Arc<ClosedSurface>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        let bits = |p: &DVec3| [p.x, p.y, p.z].map(f64::to_bits);
        let still = |side: usize| {
            let (now, was) = (&self.pair.x[side], &before.pair.x[side]);
            same(&self.surfaces[side], &before.surfaces[side])
                && now.len() == was.len()
                && now.iter().zip(was).all(|(a, b)| bits(a) == bits(b))
        };
        if (compare && !before.compared) || before.failed.is_some() || !still(0) || !still(1) {
            return;
        }
        std::mem::swap(&mut self.pair.overlap, &mut before.pair.overlap);
        std::mem::swap(&mut self.pair.frames, &mut before.pair.frames);
        (self.overlaps, self.error, self.known) = (before.overlaps, before.error, true);
        self.compared = before.compared;
    }
}

/// Pairs measured in one go.
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
    alone: Looked,
}

impl Gauge {
    /// Each cell by itself and all places in it together, and the paper's walls: for an energy of each cell.
    #[must_use]
    pub fn new(measure: Measurement, names: Names) -> Self {
        Self::of_constraints(Measurement { walls: Walls::Shared, by_place: Some(false), ..measure }, names)
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
            alone: Looked::default(),
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

    fn run(&self, compare: bool, one: &mut Looked) {
        one.compared = compare;
        if one.failed.is_some() {
            return;
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = idle().pop();
        let mut kernel = waiting.unwrap_or_else(|| Kernel::new(&self.measure));
        one.failed = kernel.measure(self.measure.grid().as_ref(), compare, one).err();
        idle().push(kernel);
    }

    /// The overlaps of `pairs` (lower slot and higher slot, ascending, with their rows in the pair-law table), those without any too. With `compare` also
    /// how far images are off.
    ///
    /// # Errors
    /// As those of [`crate::OverlapGauge::measure`].
    pub fn look(
        &mut self,
        at: &At<'_>,
        pairs: impl Iterator<Item = ([u32; 2], u32)>,
        compare: bool,
    ) -> Result<&[Looked], ContactError> {
        std::mem::swap(&mut self.looked, &mut self.before);
        let mut looked = std::mem::take(&mut self.looked);
        let mut used = 0;
        for (bodies, law) in pairs {
            if looked.len() == used {
                looked.push(Looked::default());
            }
            let one = &mut looked[used];
            one.place(at, bodies, &mut self.surfaces);
            one.pair.law = law;
            if let Ok(i) = self.before.binary_search_by_key(&bodies, |b| b.pair.bodies) {
                one.take(&mut self.before[i], compare);
            }
            used += 1;
        }
        looked.truncate(used);
        par::fill(&mut looked, CHUNK, |_, one| {
            if !one.known {
                self.run(compare, one);
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
        let mut one = std::mem::take(&mut self.alone);
        one.place(at, bodies, &mut self.surfaces);
        self.run(false, &mut one);
        let meets = match &one.failed {
            Some(e) => Err(refused(&self.names, bodies, e)),
            None => Ok(one.overlaps && one.pair.overlap.volume() > 0.0),
        };
        self.alone = one;
        meets
    }
}

/// The error with the bodies' names.
fn refused(names: &Names, [a, b]: [u32; 2], e: &VolumeError) -> ContactError {
    let name = |s: u32| names.get(s as usize).map_or("?", String::as_str);
    ContactError::refused("contact volumes", format!("'{}' against '{}': {e}", name(a), name(b)))
}
