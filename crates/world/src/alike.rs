//! Whether bodies are alike in shape.

use impinge_bodies::Shape;
use std::sync::Arc;

/// Copies share their shape; a plane or a set of points is its own.
pub(crate) fn identity(shape: &Shape, slot: usize) -> usize {
    match shape {
        Shape::Mesh(m) => Arc::as_ptr(m) as usize,
        Shape::Soft(s) => Arc::as_ptr(s) as usize,
        Shape::Plane { .. } | Shape::Points { .. } => slot,
    }
}
