//! Trees over soft surfaces where they stood when something was asked of them.

use impinge_bodies::SoftShape;
use impinge_geometry::DVec3;
use impinge_query::MeshIndex;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// From this looseness on a new tree pays: two asks and more are made of a surface that stands.
const LOOSE: f64 = 2.0;

/// The trees of a world, by slot. They follow from its state: dropping one changes no answer.
#[derive(Debug, Default)]
pub(crate) struct Standings(pub(crate) Mutex<BTreeMap<u32, Arc<Standing>>>);

/// A soft surface where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub(crate) shape: Arc<SoftShape>,
    /// Nodes that it follows from (m).
    pub(crate) nodes: Vec<DVec3>,
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) tree: MeshIndex,
}

impl Standing {
    pub(crate) fn is_of(&self, shape: &Arc<SoftShape>, nodes: &[DVec3]) -> bool {
        let bits = |v: &DVec3| [v.x, v.y, v.z].map(f64::to_bits);
        Arc::ptr_eq(&self.shape, shape)
            && self.nodes.len() == nodes.len()
            && self.nodes.iter().zip(nodes).all(|(a, b)| bits(a) == bits(b))
    }

    /// Follows its nodes; `false` where the tree cannot.
    pub(crate) fn follow(&mut self, shape: &Arc<SoftShape>, nodes: &[DVec3], vertices: &[DVec3]) -> bool {
        if !Arc::ptr_eq(&self.shape, shape)
            || self.tree.update(vertices).is_err()
            || self.tree.looseness() > LOOSE
        {
            return false;
        }
        (self.nodes, self.vertices) = (nodes.to_vec(), vertices.to_vec());
        true
    }
}
