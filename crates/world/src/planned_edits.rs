//! Makes the planned changes of topology whose time has come.

use crate::components::NodeState;
use crate::planned::{Cut, Planned, Refine};
use crate::simulation::Simulation;
use impinge_bodies::{Change, Matter};
use impinge_geometry::DVec3;
use impinge_geometry::edit::{CutOptions, plane_values};

impl Simulation {
    /// Makes the planned changes whose time has come.
    pub(crate) fn make_planned(&mut self) -> Result<(), (u32, String)> {
        let done = self.recipe.edits.iter().filter(|e| e.planned).count();
        let until = self.time() + 0.5 * self.dt();
        for i in done..self.recipe.planned.len() {
            let planned = self.recipe.planned[i];
            if planned.time() > until {
                break;
            }
            let slot = planned.slot();
            let change = match planned {
                Planned::Cut(cut) => self.plane_cut(&cut),
                Planned::Refine(r) => self.refinement(&r),
            };
            self.apply_edit(slot, change.map_err(|e| (slot, e))?, true).map_err(|e| (slot, e))?;
        }
        Ok(())
    }

    fn matter(&self, slot: u32) -> Result<&Matter, String> {
        let matter = self.recipe.deformable(slot).and_then(|d| d.matter.as_ref());
        matter.ok_or("it has no elements to change".to_string())
    }

    /// Which elements of a body have their middle in a region.
    fn elements_within(&self, slot: u32, region: Option<[DVec3; 2]>) -> Result<Option<Vec<bool>>, String> {
        let Some([lo, hi]) = region else { return Ok(None) };
        let state = self.column::<NodeState>();
        let x = &state.x[self.nodes_of(slot)];
        let inside = |element: &[u32]| {
            let sum = element.iter().fold(DVec3::zero(), |s, &n| s + x[n as usize]);
            let p = sum / element.len() as f64;
            (0..3).all(|k| lo[k] <= p[k] && p[k] <= hi[k])
        };
        Ok(Some(match self.matter(slot)? {
            Matter::Solid { mesh, .. } => mesh.tets().iter().map(|t| inside(t)).collect(),
            Matter::Sheet { mesh, .. } => mesh.triangles().iter().map(|t| inside(t)).collect(),
        }))
    }

    fn plane_cut(&self, cut: &Cut) -> Result<Change, String> {
        let within = self.elements_within(cut.slot, cut.within)?;
        let state = self.column::<NodeState>();
        let x = &state.x[self.nodes_of(cut.slot)];
        let value = plane_values(x, cut.point, cut.normal).map_err(|e| e.to_string())?;
        Ok(Change::Cut { value, within, options: CutOptions { snap: cut.snap, ..CutOptions::default() } })
    }

    fn refinement(&self, refine: &Refine) -> Result<Change, String> {
        let within = self.elements_within(refine.slot, refine.within)?;
        let within = within.as_deref();
        Ok(Change::Bisect(match self.matter(refine.slot)? {
            Matter::Solid { mesh, .. } => edges_of(mesh.tets(), within),
            Matter::Sheet { mesh, .. } => edges_of(mesh.triangles(), within),
        }))
    }
}

/// The edges of the elements that are marked (all where nothing says which), each once.
fn edges_of<const K: usize>(elements: &[[u32; K]], within: Option<&[bool]>) -> Vec<[u32; 2]> {
    let mut edges = Vec::new();
    for (i, e) in elements.iter().enumerate() {
        if within.is_none_or(|w| w[i]) {
            edges.extend((0..K).flat_map(|j| (0..j).map(move |k| [e[j].min(e[k]), e[j].max(e[k])])));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}
