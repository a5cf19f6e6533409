//! Whether bodies are alike in shape.

use crate::body::BodyDesc;
use impinge_bodies::{MeshShape, Shape};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Bodies whose meshes have the same bits share the first one, with its trees: a program makes its boxes one by one.
pub(crate) fn share_meshes(bodies: &mut [BodyDesc]) {
    let mut first: BTreeMap<usize, Arc<MeshShape>> = BTreeMap::new();
    let mut known: BTreeMap<u64, Vec<Arc<MeshShape>>> = BTreeMap::new();
    for body in bodies {
        let Shape::Mesh(own) = &mut body.shape else { continue };
        let shared = first.entry(Arc::as_ptr(own) as usize).or_insert_with(|| {
            let same = known.entry(digest(own)).or_default();
            let there = same.iter().position(|m| equal(m, own));
            if there.is_none() {
                same.push(own.clone());
            }
            same[there.unwrap_or(same.len() - 1)].clone()
        });
        *own = shared.clone();
    }
}

fn bits(m: &MeshShape) -> impl Iterator<Item = u64> {
    m.mesh.positions().iter().flat_map(|p| [p.x, p.y, p.z]).map(f64::to_bits)
}

fn digest(m: &MeshShape) -> u64 {
    let mut hasher = DefaultHasher::new();
    m.mesh.triangles().hash(&mut hasher);
    bits(m).for_each(|b| hasher.write_u64(b));
    hasher.finish()
}

fn equal(m: &MeshShape, other: &MeshShape) -> bool {
    m.mesh.triangles() == other.mesh.triangles() && bits(m).eq(bits(other))
}

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
