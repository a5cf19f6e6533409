//! Changes of topology that are planned for a time of the run: cuts by planes, and finer meshes in regions.
//!
//! Takes what a world was built with and where its bodies are, gives the [`Change`] that is made of it when its time has come.

use crate::body::{BodyDesc, Motion};
use crate::build_error::BuildError;
use crate::components::NodeState;
use crate::deformable::Matter;
use crate::edit::Change;
use crate::simulation::Simulation;
use impinge_geometry::edit::{CutOptions, plane_values};
use impinge_geometry::{DVec3, is_finite, try_normalized};

/// A cut by a plane, planned for a time of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// When (s): before the step that starts then.
    pub time: f64,
    /// Slot of a deformable.
    pub slot: u32,
    /// A point of the plane (m, world), where the body is by then.
    pub point: DVec3,
    /// Across the plane; any length but 0.
    pub normal: DVec3,
    /// Lowest and highest corner (m, world) of the region that is cut: elements whose middle lies in it. `None` for all.
    pub within: Option<[DVec3; 2]>,
    /// How near to a node the cut may pass before it goes through it instead, as a fraction of the edge; see
    /// [`CutOptions::snap`].
    pub snap: f64,
}

/// A finer mesh from some time on: every edge of the elements in a region gets a node in its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refine {
    /// When (s): before the step that starts then.
    pub time: f64,
    /// Slot of a deformable.
    pub slot: u32,
    /// Lowest and highest corner (m, world) of the region that is refined: elements whose middle lies in it. `None` for all.
    pub within: Option<[DVec3; 2]>,
}

/// What is planned for some time of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Planned {
    Cut(Cut),
    Refine(Refine),
}

impl Planned {
    pub fn time(&self) -> f64 {
        match self {
            Self::Cut(c) => c.time,
            Self::Refine(r) => r.time,
        }
    }

    fn slot(&self) -> u32 {
        match self {
            Self::Cut(c) => c.slot,
            Self::Refine(r) => r.slot,
        }
    }
}

/// Refuses planned changes that could not be made.
pub(crate) fn check_planned(planned: &[Planned], bodies: &[BodyDesc]) -> Result<(), BuildError> {
    for p in planned {
        let (what, done) = match p {
            Planned::Cut(_) => ("cut", "cut"),
            Planned::Refine(_) => ("refinement", "refined"),
        };
        let Some(body) = bodies.get(p.slot() as usize) else {
            let what = format!("a {what} names slot {}, but there are {} bodies", p.slot(), bodies.len());
            return Err(BuildError::BadSetting(what));
        };
        let refuse = |reason: String| Err(BuildError::Deformable { body: body.name.clone(), reason });
        match &body.motion {
            Motion::Deformable(d) if d.can_be_cut() => {}
            _ => {
                return refuse(format!(
                    "it cannot be {done}: only a deformable solid with its own boundary and a sheet can"
                ));
            }
        }
        if !(p.time().is_finite() && p.time() >= 0.0) {
            return refuse(format!("it is to be {done} at {} s; give a time from 0", p.time()));
        }
        let Planned::Cut(c) = p else { continue };
        if !is_finite(c.point) || try_normalized(c.normal).is_none() {
            return refuse(
                "the plane it is to be cut by needs a finite point and a normal with a length".to_string(),
            );
        }
        if !(0.0..=0.5).contains(&c.snap) {
            return refuse(format!("the `snap` of its cut is {}; give 0 to 0.5", c.snap));
        }
    }
    Ok(())
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
