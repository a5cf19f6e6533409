//! Trees over soft surfaces where they stand, made when something is asked of them and kept until they move.

use crate::components::NodeState;
use crate::simulation::Simulation;
use impinge_bodies::{Shape, Shapes, SoftShape};
use impinge_contact::SurfaceMap;
use impinge_geometry::DVec3;
use impinge_query::MeshIndex;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// From this looseness on a new tree pays: two asks and more are made of a surface that stands.
const LOOSE: f64 = 2.0;

/// The trees of a world, by slot. They follow from its state: dropping one changes no answer.
#[derive(Debug, Default)]
pub(crate) struct Standings(Mutex<BTreeMap<u32, Arc<Standing>>>);

/// A soft surface where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    shape: Arc<SoftShape>,
    /// Nodes that it follows from (m).
    nodes: Vec<DVec3>,
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) tree: MeshIndex,
}

impl Standing {
    fn is_of(&self, shape: &Arc<SoftShape>, nodes: &[DVec3]) -> bool {
        let bits = |v: &DVec3| [v.x, v.y, v.z].map(f64::to_bits);
        Arc::ptr_eq(&self.shape, shape)
            && self.nodes.len() == nodes.len()
            && self.nodes.iter().zip(nodes).all(|(a, b)| bits(a) == bits(b))
    }

    /// Follows its nodes; `false` where the tree cannot.
    fn follow(&mut self, shape: &Arc<SoftShape>, nodes: &[DVec3], vertices: &[DVec3]) -> bool {
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

impl Simulation {
    /// The surface of a soft body where it stands now; `None` for bodies of other kinds, cables, and where it is not finite.
    pub(crate) fn standing(&self, slot: u32) -> Option<Arc<Standing>> {
        let (shapes, state) = (self.column::<Shapes>(), self.column::<NodeState>());
        let Shape::Soft(shape) = &shapes.0[slot as usize] else { return None };
        let nodes = &state.x[self.nodes_of(slot)];
        let mut all = self.standings.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.get(&slot).filter(|s| s.is_of(shape, nodes));
        if known.is_some() {
            return known.cloned();
        }
        let map = self.column::<SurfaceMap>();
        let vertices: Vec<DVec3> =
            map.range(slot as usize).filter_map(|v| map.at_nodes(v as u32, &state.x)).collect();
        if let Some(s) = all.get_mut(&slot)
            && Arc::make_mut(s).follow(shape, nodes, &vertices)
        {
            return Some(s.clone());
        }
        all.remove(&slot);
        let tree = MeshIndex::new(&shape.standing(&vertices)?);
        let made = Arc::new(Standing { shape: shape.clone(), nodes: nodes.to_vec(), vertices, tree });
        all.insert(slot, made.clone());
        Some(made)
    }
}
