//! The contact surface of every pair, where the bodies are at the start or would be with the velocities they have.

use super::forces::{law_of, query};
use super::tables::{
    Bristles, PatchLaw, PressureBodies, PressureBody, PressurePatch, PressureSettings, PressureStep,
};
use super::trial::coasting;
use crate::energy::Pieces;
use crate::{BristleState, Coherence, ContactSurface, Motion, Points, Workspace, Wrench};
use impinge_bodies::{ContactError, Dofs, Laws, Names, two};
use impinge_contact::{Pairs, Prediction, par};
use impinge_geometry::Pose;

/// Part of a body's size that it may move against another before the search is made anew.
const COHERENCE: f64 = 0.02;

/// One patch for each pair. What the last step searched is kept for the pairs that are still near.
#[derive(Debug)]
pub struct SurfaceSearch {
    settings: PressureSettings,
    names: Names,
    poses: Vec<Pose>,
}

impl SurfaceSearch {
    /// For a response with these settings; names for errors.
    #[must_use]
    pub fn new(settings: PressureSettings, names: Names) -> Self {
        Self { settings, names, poses: Vec::new() }
    }

    /// Writes the patch of each pair, ascending, in place of those of the last step of `dt` (s); how many polygons they have.
    ///
    /// # Errors
    /// [`ContactError::TooManyContacts`] where there are more than the laws allow.
    pub fn find(
        &mut self,
        pairs: &Pairs,
        bodies: &PressureBodies,
        (laws, dofs, prediction): (&Laws, &Dofs, &Prediction),
        bristles: &Bristles,
        dt: f64,
        patches: &mut Vec<PressurePatch>,
    ) -> Result<usize, ContactError> {
        match self.settings.step {
            PressureStep::Explicit | PressureStep::Radau => self.poses.clone_from(&dofs.bodies.pose),
            PressureStep::Implicit => coasting(dofs, prediction, bristles, dt, &mut self.poses),
        }
        let mut old = std::mem::take(patches).into_iter().peekable();
        let view = pairs.view();
        for i in 0..view.len() {
            let (a, b) = (view.a[i], view.b[i]);
            while old.next_if(|o| (o.a, o.b) < (a, b)).is_some() {}
            let [Some(x), Some(y)] = [a, b].map(|s| bodies.bodies[s as usize].as_ref()) else { continue };
            let kept = old.next_if(|o| (o.a, o.b) == (a, b));
            let belts = [a, b].map(|s| laws.surface_velocities.get(s).copied());
            let law = law_of(&self.settings, &laws.laws[view.law[i] as usize], x, y, belts);
            let patch = fresh([a, b], i as u32, [x, y], law, bristles.get([a, b]));
            patches.push(match kept {
                Some(o) => PressurePatch {
                    coherence: o.coherence,
                    workspace: o.workspace,
                    surface: o.surface,
                    points: o.points,
                    pieces: o.pieces,
                    ..patch
                },
                None => patch,
            });
        }
        let poses = &self.poses;
        par::fill(patches, 1, |_, patch| query(patch, bodies, poses));
        let mut faces = 0;
        for patch in &*patches {
            faces += patch.surface.faces.len();
            laws.limits.contacts(faces, || two(&self.names, patch.a, patch.b))?;
        }
        Ok(faces)
    }
}

/// The patch of a pair that nothing has been found out about.
pub(crate) fn fresh(
    [a, b]: [u32; 2],
    pair: u32,
    of: [&PressureBody; 2],
    law: PatchLaw,
    before: BristleState,
) -> PressurePatch {
    let size = of.map(|p| {
        let e = p.bounds.half_extent();
        if p.bounds.is_empty() { f64::INFINITY } else { 2.0 * e.x.min(e.y).min(e.z) }
    });
    PressurePatch {
        a,
        b,
        pair,
        surface: ContactSurface::new(),
        normal: Wrench::default(),
        friction: Wrench::default(),
        sliding: 0.0,
        motion: Motion::default(),
        law,
        before,
        next: BristleState::default(),
        energy: 0.0,
        coherence: Coherence::new(COHERENCE * size[0].min(size[1])),
        workspace: Workspace::new(),
        points: Points::new(),
        pieces: Pieces::default(),
    }
}
