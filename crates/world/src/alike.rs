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

/// What is said of the first of several bodies that are alike.
pub(crate) struct Told<K> {
    pub of: K,
    name: String,
    more: usize,
    rest: String,
}

impl<K: PartialEq> Told<K> {
    /// Says it, or counts one more.
    pub fn add(told: &mut Vec<Self>, of: K, name: &str, rest: String) {
        match told.iter_mut().find(|t| t.of == of) {
            Some(same) => same.more += 1,
            None => told.push(Self { of, name: name.to_string(), more: 0, rest }),
        }
    }

    pub fn sentence(&self) -> String {
        let more = if self.more == 0 { String::new() } else { format!(" (and {} like it)", self.more) };
        format!("body '{}'{more}: {}", self.name, self.rest)
    }
}
