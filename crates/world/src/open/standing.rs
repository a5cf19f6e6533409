//! Trees over soft surfaces where they stand, made when something is asked of them and kept until they move.

use crate::components::NodeState;
use crate::simulation::Simulation;
use crate::standings::Standing;
use impinge_bodies::{Shape, Shapes};
use impinge_contact::SurfaceMap;
use impinge_geometry::DVec3;
use impinge_query::MeshIndex;
use std::sync::{Arc, PoisonError};

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
