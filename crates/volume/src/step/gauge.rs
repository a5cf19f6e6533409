//! Bodies as the volume kernels take them: closed surfaces, and where their vertices are.
//!
//! A plane becomes a box with its top on the plane, large enough to hold all of the other body that is below: the volume, its
//! gradient by the other body and the wrench on the plane are those of the half space.

use super::rows::UNEQUAL;
use super::tables::{MeasuredPair, Measurement};
use crate::{
    Adaptive, Body, CellGrid, Certified, ClosedSurface, ContactFrame, Evaluate, Exact, LayeredDepth, Overlap,
    Tolerance, VolumeError, Walls,
};
use impinge_bodies::{ContactError, MeshShape, Names, Shape, Shapes, SoftShape, world_plane};
use impinge_contact::SurfaceMap;
use impinge_geometry::{DVec3, Pose, generators, tangents};
use std::sync::Arc;

/// Connectivity of the bodies' surfaces; kept from step to step for its memory alone.
#[derive(Debug, Default)]
struct Surfaces {
    /// By slot, with the shape it was made for: a cut gives a body another.
    of: Vec<Option<(Made, Arc<ClosedSurface>)>>,
    half_space: Option<Arc<ClosedSurface>>,
}

/// A shape, held so that no other can come to stand at its address.
#[derive(Clone, Debug)]
enum Made {
    Mesh(Arc<MeshShape>),
    Soft(Arc<SoftShape>),
}

impl Made {
    fn of(shape: &Shape) -> Option<Self> {
        match shape {
            Shape::Mesh(m) => Some(Self::Mesh(m.clone())),
            Shape::Soft(s) => Some(Self::Soft(s.clone())),
            Shape::Plane { .. } | Shape::Points { .. } => None,
        }
    }

    /// Shapes that are the same object have the same surface.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mesh(a), Self::Mesh(b)) => Arc::ptr_eq(a, b),
            (Self::Soft(a), Self::Soft(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Surfaces {
    fn get(&mut self, shapes: &Shapes, slot: usize) -> Result<Option<Arc<ClosedSurface>>, VolumeError> {
        let shape = &shapes.0[slot];
        if matches!(shape, Shape::Plane { .. }) {
            if self.half_space.is_none() {
                let cube = generators::cuboid(DVec3::one(), [1; 3])?;
                self.half_space = Some(Arc::new(ClosedSurface::new(&cube)?));
            }
            return Ok(self.half_space.clone());
        }
        let (Some(mesh), Some(made)) = (shape.triangles(), Made::of(shape)) else { return Ok(None) };
        self.of.resize_with(shapes.0.len().max(self.of.len()), || None);
        if let Some((_, s)) = self.of[slot].as_ref().filter(|(of, _)| of.is(&made)) {
            return Ok(Some(s.clone()));
        }
        let copy = self.of.iter().flatten().find(|(of, _)| of.is(&made)).map(|(_, s)| s.clone());
        let surface = match copy {
            Some(s) => s,
            None => Arc::new(ClosedSurface::new(mesh)?),
        };
        self.of[slot] = Some((made, surface.clone()));
        Ok(Some(surface))
    }
}

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
        let Ok(cube) = generators::cuboid(DVec3::one(), [1; 3]) else { return false };
        out.extend(cube.positions().iter().map(|c| {
            let pick = |c: f64, lo: f64, hi: f64| if c > 0.0 { hi } else { lo };
            t * pick(c.x, lo.x, hi.x) + s * pick(c.y, lo.y, hi.y) + n * pick(c.z, lo.z, hi.z)
        }));
        true
    }
}

/// Makes constraints of cells whose walls are carried; an energy of cells would jump where two become one, and has other walls.
fn join(grid: Option<&CellGrid>, overlap: &mut Overlap) {
    if let Some(grid) = grid.filter(|g| g.walls == Walls::Carried) {
        overlap.join_slivers(grid.size);
        overlap.even_out(UNEQUAL);
    }
}

/// Frames of what was measured, `plane` being the side of a half space; `false` where there is nothing.
fn framed(bodies: [u32; 2], plane: Option<usize>, out: &mut MeasuredPair) -> bool {
    out.bodies = bodies;
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
    /// Largest that is certified, as a part of the volume.
    pub bound: f64,
    pub uncertified: u32,
    /// Of the pair at hand (m³).
    exact: f64,
}

impl ImageError {
    fn compared(&mut self, volume: f64) {
        if self.exact > 0.0 {
            self.found = self.found.max((volume / self.exact - 1.0).abs());
        }
    }

    fn certified(&mut self, found: &Certified, volume: f64) {
        self.uncertified += u32::from(!found.met);
        if volume > 0.0 {
            self.bound = self.bound.max(found.certificate.error() / volume);
        }
    }
}

/// Measures pairs one after the other.
pub(crate) struct Gauge {
    measure: Measurement,
    names: Names,
    surfaces: Surfaces,
    exact: Exact,
    image: Option<LayeredDepth>,
    adaptive: Option<Adaptive>,
}

impl Gauge {
    /// Each cell by itself and all places in it together, and the paper's walls: for an energy of each cell.
    pub fn new(measure: Measurement, names: Names) -> Self {
        Self::of_constraints(Measurement { walls: Walls::Shared, by_place: Some(false), ..measure }, names)
    }

    /// The walls that are asked for, and with those of [`Walls::Carried`] cells that are no good as constraints are joined to others.
    pub fn of_constraints(measure: Measurement, names: Names) -> Self {
        // Settings are checked before a world is built; a bad pixel is told by the first evaluation otherwise.
        let of = measure.tells_places();
        let image = measure.pixel.and_then(|p| LayeredDepth::new(p).ok()).map(|image| image.by_place(of));
        let adaptive = measure
            .pixel
            .zip(measure.error)
            .and_then(|(pixel, relative)| Adaptive::new(Tolerance { relative, absolute: 0.0 }, pixel).ok())
            .map(|adaptive| adaptive.by_place(of));
        let exact = Exact::new().by_place(of && image.is_none());
        Self { measure, names, surfaces: Surfaces::default(), exact, image, adaptive }
    }

    /// Mean thickness of a body without nodes or with (m), [`ClosedSurface::thickness`]; `None` for a plane.
    pub fn thickness(&mut self, shapes: &Shapes, slot: usize) -> Option<f64> {
        if matches!(shapes.0[slot], Shape::Plane { .. }) {
            return None;
        }
        self.surfaces.get(shapes, slot).ok().flatten().map(|s| s.thickness())
    }

    /// The overlap of one pair into `out`; `false` where there is none. `compare` gets how far images are off.
    pub fn measure(
        &mut self,
        at: &At<'_>,
        bodies: [u32; 2],
        out: &mut MeasuredPair,
        mut compare: Option<&mut ImageError>,
    ) -> Result<bool, ContactError> {
        let told = |e: VolumeError| refused(&self.names, bodies, &e);
        let slots = bodies.map(|b| b as usize);
        if slots[0] == slots[1] {
            return self.own(at, slots[0], out);
        }
        let plane = slots.map(|b| matches!(at.shapes.0[b], Shape::Plane { .. }));
        if plane == [true, true] {
            return Ok(false);
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
        out.frames.clear();
        if !below {
            return Ok(false);
        }
        let of = |surfaces: &mut Surfaces, side: usize| surfaces.get(at.shapes, slots[side]).map_err(told);
        let (Some(a), Some(b)) = (of(&mut self.surfaces, 0)?, of(&mut self.surfaces, 1)?) else {
            return Ok(false);
        };
        let a = Body::new(&a, &out.x[0]).map_err(told)?;
        let b = Body::new(&b, &out.x[1]).map_err(told)?;
        let grid = self.measure.grid();
        let grid = grid.as_ref();
        if let (Some(_), Some(c)) = (&self.image, &mut compare) {
            self.exact.evaluate(a, b, None, &mut out.overlap).map_err(told)?;
            c.exact = out.overlap.volume();
        }
        match (&mut self.image, &mut self.adaptive) {
            (_, Some(adaptive)) => {
                let found = adaptive.measure(a, b, grid, &mut out.overlap).map_err(told)?;
                if let Some(c) = &mut compare {
                    c.certified(&found, out.overlap.volume());
                }
            }
            (Some(image), None) => image.evaluate(a, b, grid, &mut out.overlap).map_err(told)?,
            (None, None) => self.exact.evaluate(a, b, grid, &mut out.overlap).map_err(told)?,
        }
        if let (Some(_), Some(c)) = (&self.image, compare) {
            c.compared(out.overlap.volume());
        }
        join(grid, &mut out.overlap);
        Ok(framed(bodies, plane.iter().position(|p| *p), out))
    }

    /// The overlap of a body with itself.
    fn own(&mut self, at: &At<'_>, slot: usize, out: &mut MeasuredPair) -> Result<bool, ContactError> {
        let bodies = [slot as u32; 2];
        let told = |e: VolumeError| refused(&self.names, bodies, &e);
        out.frames.clear();
        out.overlap.clear();
        // Refused before a world is built: exact volumes know two bodies.
        let Some(image) = &mut self.image else { return Ok(false) };
        let Some(surface) = self.surfaces.get(at.shapes, slot).map_err(told)? else { return Ok(false) };
        let [x, other] = &mut out.x;
        at.vertices(slot, x);
        let body = Body::new(&surface, x).map_err(told)?;
        let grid = self.measure.grid();
        image.own(body, grid.as_ref(), &mut out.overlap).map_err(told)?;
        if out.overlap.cells().is_empty() {
            return Ok(false);
        }
        join(grid.as_ref(), &mut out.overlap);
        out.overlap.take_out_moments(x);
        other.clone_from(x);
        Ok(framed(bodies, None, out))
    }
}

/// The error with the bodies' names.
fn refused(names: &Names, [a, b]: [u32; 2], e: &VolumeError) -> ContactError {
    let name = |s: u32| names.get(s as usize).map_or("?", String::as_str);
    ContactError::refused("contact volumes", format!("'{}' against '{}': {e}", name(a), name(b)))
}
