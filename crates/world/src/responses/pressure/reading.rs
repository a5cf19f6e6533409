//! What the response `pressure` left of its contacts, read between steps: what friction does on a surface, and its polygons.

use super::settings::{PressureFriction, PressurePatches, PressureSettings};
use crate::components::Decisions;
use crate::features::Features;
use crate::grip::{Grip, ON_THE_CONE};
use crate::part::Part;
use crate::reader::{ContactReader, Touch};
use hecs::Ref;
use impinge_bodies::ContactPieces;
use impinge_geometry::DVec3;
use impinge_pressure::tractions;

/// Contact surfaces.
pub(crate) struct Patched<'a> {
    patches: Ref<'a, PressurePatches>,
    friction: PressureFriction,
}

impl<'a> Patched<'a> {
    #[must_use]
    pub fn of(settings: &PressureSettings, part: Part<'a>) -> Self {
        Self { patches: part.column(), friction: settings.friction }
    }
}

impl ContactReader for Patched<'_> {
    fn patch(&self, touch: &Touch) -> Grip {
        if touch.is_open() {
            return Grip::Open;
        }
        let Some(patch) = self.patches.0.iter().find(|p| [p.a, p.b] == touch.bodies) else {
            return Grip::Parted;
        };
        match (self.friction, patch.sliding) {
            (PressureFriction::Coulomb { .. }, _)
                if touch.friction >= touch.mu[1] * touch.normal * (1.0 - ON_THE_CONE) =>
            {
                Grip::Slides
            }
            (PressureFriction::Coulomb { .. }, _) => Grip::Creeps,
            (_, 0.0) => Grip::Sticks,
            (_, part) if part >= 1.0 - ON_THE_CONE => Grip::Slides,
            _ => Grip::SlidesInPart,
        }
    }

    fn patch_features(&self, _bodies: [u32; 2], _key: u64) -> Option<Features> {
        Some(Features::Surface)
    }
}

/// The polygons of the surfaces that were pushed with.
pub(crate) fn surfaces(part: Part<'_>, out: &mut ContactPieces) {
    let mut faces = Vec::new();
    let (decisions, patches) = (part.column::<Decisions>(), part.column::<PressurePatches>());
    let booked = &decisions.patches.rows.key;
    for patch in &patches.0 {
        let s = &patch.surface;
        // What was found and not pushed with is no picture of the step: a stage of somebody's own, or a step that failed.
        if booked.binary_search(&(u64::from(patch.a) << 32 | u64::from(patch.b))).is_err() {
            continue;
        }
        tractions(s, &patch.motion, &patch.law.law, Some(&mut faces));
        for (face, carried) in s.faces.iter().zip(&faces) {
            let corners = s.polygon(face).iter().map(|c| s.to_world(DVec3::new(c[0], c[1], c[2])));
            out.push((patch.a, patch.b), carried.pressure, corners);
        }
    }
}
