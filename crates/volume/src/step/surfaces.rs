//! Connectivity of closed surfaces, made once for each shape.

use super::sides::corners_of_sides;
use crate::{ClosedSurface, VolumeError};
use impinge_bodies::{MeshShape, Shape, Shapes, SoftShape};
use impinge_geometry::{DVec3, generators};
use std::sync::Arc;

/// Connectivity of the bodies' surfaces; kept from step to step for its memory alone.
#[derive(Debug, Default)]
pub(crate) struct Surfaces {
    /// By slot, with the shape it was made for: a cut gives a body another.
    of: Vec<Option<(Made, Prepared)>>,
    half_space: Option<Arc<ClosedSurface>>,
}

/// What is made of a shape.
#[derive(Clone, Debug)]
struct Prepared {
    surface: Arc<ClosedSurface>,
    /// Three vertices of each flat side; of what bends none is kept.
    sides: Arc<[[u32; 3]]>,
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
    /// That of the box for a half space, once [`Self::get`] was asked for one.
    pub fn half_space(&self) -> Option<&ClosedSurface> {
        self.half_space.as_deref()
    }

    /// Three vertices of each flat side of one body, once [`Self::get`] was asked for it.
    pub fn sides(&self, slot: usize) -> &[[u32; 3]] {
        self.of.get(slot).and_then(Option::as_ref).map_or(&[], |(_, s)| &s.sides[..])
    }

    /// That of one body; `None` for what has none.
    pub fn get(&mut self, shapes: &Shapes, slot: usize) -> Result<Option<Arc<ClosedSurface>>, VolumeError> {
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
            return Ok(Some(s.surface.clone()));
        }
        let copy = self.of.iter().flatten().find(|(of, _)| of.is(&made)).map(|(_, s)| s.clone());
        let prepared = match copy {
            Some(prepared) => prepared,
            None => {
                let sides = match &made {
                    Made::Mesh(_) => corners_of_sides(mesh),
                    Made::Soft(_) => Vec::new(),
                };
                Prepared { surface: Arc::new(ClosedSurface::new(mesh)?), sides: sides.into() }
            }
        };
        let surface = prepared.surface.clone();
        self.of[slot] = Some((made, prepared));
        Ok(Some(surface))
    }
}
