//! What the volume responses left of their contacts, read between steps: what friction does at a cell, which cell it is, and a polygon for it.

use super::settings::{
    CellImpulses, Overlaps, VolumeFriction, VolumePenaltySettings, VolumeSettings, pair_id,
};
use crate::components::Decisions;
use crate::features::Features;
use crate::grip::{Grip, ON_THE_CONE, on_cone};
use crate::part::Part;
use crate::reader::{ContactReader, Touch};
use hecs::Ref;
use impinge_bodies::ContactPieces;
use impinge_contact::{Pairs, SurfaceMap};
use impinge_geometry::{tangents, try_normalized};
use std::collections::BTreeMap;

/// Place on the grid, and part.
type CellName = ([i32; 3], u32);

/// Names of cells.
struct Cells {
    /// By the slots of their bodies and their key in the books; `None` where a pair is one contact.
    names: Option<BTreeMap<([u32; 2], u64), CellName>>,
    /// There is a grid.
    grid: bool,
}

impl Cells {
    fn of(part: Part<'_>, grid: bool, places: bool) -> Self {
        let map = part.shared::<SurfaceMap>();
        let names = (grid || places).then(|| {
            let (mut cells, mut twice) = (BTreeMap::new(), Vec::new());
            for measured in &part.column::<Overlaps>().pairs {
                let id = pair_id(measured.bodies, map.bodies());
                for cell in measured.overlap.cells() {
                    let key = (measured.bodies, cell.key(id));
                    if cells.insert(key, (cell.index, cell.part)).is_some() {
                        twice.push(key);
                    }
                }
            }
            // A name that two cells share names neither.
            cells.retain(|key, _| !twice.contains(key));
            cells
        });
        Self { names, grid }
    }

    fn features(&self, bodies: [u32; 2], key: u64) -> Option<Features> {
        let Some(names) = &self.names else { return Some(Features::Volume) };
        names.get(&(bodies, key)).map(|(index, part)| match (self.grid, part) {
            // The only place of two bodies.
            (false, 0) if bodies[0] != bodies[1] => Features::Volume,
            _ => Features::Cell(*index, *part),
        })
    }
}

/// Contacts of `volume`: constraints.
pub(crate) struct Constrained {
    cells: Cells,
    pyramid: bool,
}

impl Constrained {
    #[must_use]
    pub fn of(settings: &VolumeSettings, part: Part<'_>) -> Self {
        let (grid, places) = (settings.measure.cell.is_some(), settings.measure.tells_places());
        Self { cells: Cells::of(part, grid, places), pyramid: settings.pyramid }
    }
}

impl ContactReader for Constrained {
    fn patch(&self, touch: &Touch) -> Grip {
        match self.pyramid {
            _ if touch.is_open() => Grip::Open,
            true => Grip::OtherCone,
            false => on_cone(touch.mu, touch.normal, touch.friction),
        }
    }

    fn patch_features(&self, bodies: [u32; 2], key: u64) -> Option<Features> {
        self.cells.features(bodies, key)
    }
}

/// Contacts of `volume-penalty`: springs, with friction that remembers or is viscous.
pub(crate) struct Bristled<'a> {
    cells: Cells,
    impulses: Ref<'a, CellImpulses>,
    settings: VolumePenaltySettings,
}

impl<'a> Bristled<'a> {
    #[must_use]
    pub fn of(settings: &VolumePenaltySettings, part: Part<'a>) -> Self {
        let cells = Cells::of(part, settings.measure.cell.is_some(), false);
        Self { cells, impulses: part.column(), settings: *settings }
    }

    /// Of the cells of a pair whose bristles remember whether they slid, by what presses on them.
    fn bristles(&self, bodies: [u32; 2]) -> Grip {
        let (mut pressing, mut sliding) = (0.0, 0.0);
        for m in self.impulses.0.iter().filter(|m| m.bodies == bodies) {
            pressing += m.normal;
            sliding += if m.slides { m.normal } else { 0.0 };
        }
        match sliding / pressing {
            part if part.is_nan() => Grip::Parted,
            0.0 => Grip::Sticks,
            part if part >= 1.0 - ON_THE_CONE => Grip::Slides,
            _ => Grip::SlidesInPart,
        }
    }
}

impl ContactReader for Bristled<'_> {
    fn patch(&self, touch: &Touch) -> Grip {
        match self.settings.friction {
            _ if touch.is_open() => Grip::Open,
            VolumeFriction::Bristles { .. } => self.bristles(touch.bodies),
            // Without viscosity it has no friction, whatever the law says.
            VolumeFriction::Viscous if self.settings.viscosity == 0.0 => Grip::Open,
            VolumeFriction::Viscous if touch.friction >= touch.mu[1] * touch.normal * (1.0 - ON_THE_CONE) => {
                Grip::Slides
            }
            VolumeFriction::Viscous => Grip::Creeps,
        }
    }

    fn patch_features(&self, bodies: [u32; 2], key: u64) -> Option<Features> {
        self.cells.features(bodies, key)
    }
}

/// A square for each cell.
pub(crate) fn squares(part: Part<'_>, out: &mut ContactPieces) {
    let dt = part.last_dt();
    let (pairs, decisions) = (part.column::<Pairs>(), part.column::<Decisions>());
    let rows = decisions.patches.view().rows;
    for i in 0..rows.len() {
        let row = rows.row(i);
        let push = row.normal[0].impulse / dt;
        let (Some(n), true) = (try_normalized(push), row.area > 0.0) else { continue };
        let pair = row.pair as usize;
        // A step that failed may have left other pairs.
        let (Some(&a), Some(&b)) = (pairs.a.get(pair), pairs.b.get(pair)) else { continue };
        let [u, v] = tangents(n).map(|t| t * (0.5 * row.area.sqrt()));
        // Counter-clockwise about the push on `a`.
        let v = if u.cross(v).dot(n) < 0.0 { -v } else { v };
        let corners = [-u - v, u - v, u + v, v - u].into_iter().map(|c| row.point + c);
        out.push((a, b), push.mag() / row.area, corners);
    }
}
