//! Changes of topology that are planned for a time of the run: cuts by planes, and finer meshes in regions.
//!
//! Takes what a world was built with and where its bodies are, gives the [`Change`] that is made of it when its time has come.

use crate::body::{BodyDesc, Motion};
use crate::build_error::BuildError;
use impinge_geometry::{DVec3, is_bounded, try_normalized};

/// A cut by a plane, planned for a time of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// [`impinge_geometry::edit::CutOptions::snap`].
    pub snap: f64,
}

/// A finer mesh from some time on: every edge of the elements in a region gets a node in its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Planned {
    Cut(Cut),
    Refine(Refine),
}

impl Planned {
    #[must_use]
    pub fn time(&self) -> f64 {
        match self {
            Self::Cut(c) => c.time,
            Self::Refine(r) => r.time,
        }
    }

    pub(crate) fn slot(&self) -> u32 {
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
        if !is_bounded(c.point) || try_normalized(c.normal).is_none() {
            return refuse(
                "the plane it is to be cut by needs a finite point, at most 1e60 m away, and a normal with a length".to_string(),
            );
        }
        if !(0.0..=0.5).contains(&c.snap) {
            return refuse(format!("the `snap` of its cut is {}; give 0 to 0.5", c.snap));
        }
    }
    Ok(())
}
