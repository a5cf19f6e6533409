//! How near to the rim of what it stands on a body may be pressed: each cell has one pressure, at its middle, and nothing pushes beyond the outermost.

use super::settings::{VolumePenaltySettings, VolumeSettings};
use crate::components::{Dofs, Forces, Laws};
use crate::load::Load;
use crate::lying::Lying;
use crate::part::Part;
use impinge_bodies::{Shape, Shapes};
use impinge_contact::BodyKind;
use impinge_geometry::{DVec3, Pose, TriMesh};
use impinge_volume::{cells_to_hold, flat_side, outermost_pressure, within_rim};

/// Part of a side's width that cells may take from it where a size is suggested: a fifth, so that what tips a body is four fifths of what would.
const TAKEN: f64 = 0.2;
/// Part of the way to the rim that is rounding.
const ROUNDING: f64 = 1e-6;

/// Cells of a response, as rims know them.
#[derive(Clone, Copy)]
pub(super) struct Rims {
    cell: Option<f64>,
    /// Depth of resting contacts (m), 0 where cells are not joined.
    depth: f64,
}

impl Rims {
    pub fn of_constraints(settings: &VolumeSettings) -> Self {
        Self { cell: settings.measure.cell, depth: settings.depth }
    }

    pub fn of_energy(settings: &VolumePenaltySettings) -> Self {
        Self { cell: settings.measure.cell, depth: 0.0 }
    }

    /// A sentence for bodies whose contacts have one pressure for all of a flat side, which carries no tipping moment. What is round has none to lose.
    pub fn tips(self, part: Part<'_>) -> Option<String> {
        if self.cell.is_some() {
            return None;
        }
        let Lying { pairs, .. } = Lying::of(part)?;
        let (dofs, shapes, laws) = (part.shared::<Dofs>(), part.shared::<Shapes>(), part.shared::<Laws>());
        let width = |b: u32| match &shapes.0[b as usize] {
            Shape::Mesh(m) => flat_side(&m.mesh),
            _ => None,
        };
        let has_surface = |b: u32| shapes.0[b as usize].surface().is_some();
        let on_each_other: Vec<&(u32, u32)> =
            pairs.iter().filter(|(a, b)| has_surface(*a) && has_surface(*b)).collect();
        let partners = laws.partners();
        // What is locked may not be able to turn.
        let free =
            |b: usize| dofs.bodies.kind[b] == BodyKind::Rigid && dofs.bodies.mobility[b].locked().is_empty();
        let lands = |b: u32| free(b as usize) && part.is_met(&laws, &partners, b);
        let all = 0..shapes.0.len() as u32;
        let flat: Vec<(u32, f64)> = all.filter_map(|b| Some((b, width(b)?))).collect();
        let landing: Vec<u32> = flat.iter().map(|f| f.0).filter(|&b| lands(b)).collect();
        let name = |b: u32| &part.names()[b as usize];
        let who = match (&on_each_other[..], &landing[..]) {
            ([(a, b), rest @ ..], _) => {
                let more = match rest.len() {
                    0 => String::new(),
                    n => format!(" (and {n} more such pairs)"),
                };
                format!("'{}' and '{}'{more} lie on each other", name(*a), name(*b))
            }
            ([], []) => return None,
            ([], [b, rest @ ..]) => {
                let more =
                    if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
                format!("body '{}'{more} lies or falls on a flat side", name(*b))
            }
        };
        // Of the narrowest side.
        let narrowest = flat.iter().map(|f| f.1).fold(f64::INFINITY, f64::min);
        let size = match narrowest.is_finite() {
            true => format!(
                ": {:.1e} m leaves four fifths of what they stand on",
                cells_to_hold(0.5 * TAKEN * narrowest, self.depth > 0.0)
            ),
            false => String::new(),
        };
        Some(format!(
            "{who}, and without cells a contact has one pressure, which carries no tipping moment: what stands on it leans, rocks or tips. Set `cell` in \
             the section of '{}'{size}",
            part.response().name()
        ))
    }

    /// A sentence for bodies that a push or a slope presses on nearer to the rim of their side than cells of this size may carry.
    pub fn pushed(self, part: Part<'_>) -> Option<String> {
        let cell = self.cell?;
        let outermost = outermost_pressure(cell, self.depth);
        let Lying { up, pairs, .. } = Lying::of(part)?;
        let (dofs, shapes, laws) = (part.shared::<Dofs>(), part.shared::<Shapes>(), part.shared::<Laws>());
        let gravity = part.shared::<Forces>().0.gravity;
        let near = |b: u32, law: u32| {
            let (slot, mesh) = (b as usize, rigid(&dofs, &shapes, b)?);
            // What is round lies on no side, and what is locked may not be able to turn.
            flat_side(mesh).filter(|_| dofs.bodies.mobility[slot].locked().is_empty())?;
            let mu = laws.laws[law as usize].friction.map_or(0.0, |f| f.mu_s);
            let pose = &dofs.bodies.pose[slot];
            let own = part.timed.iter().filter(|f| f.body == b);
            let at = |time: f64| {
                let acting = own.clone().filter(move |f| f.from <= time && time < f.until);
                acting.fold(gravity * dofs.bodies.mass[slot], |s, f| s + f.force)
            };
            // When each begins: more act then than before it.
            let loads = std::iter::once(at(f64::NEG_INFINITY)).chain(own.clone().map(|f| at(f.from)));
            let within = |load: DVec3, mu: f64| of(mesh, pose, -up, load, mu);
            let least = loads.filter_map(|load| {
                let (straight, within) = (within(load, 0.0)?, within(load, mu)?);
                (within > 0.0 && within < straight * (1.0 - ROUNDING) && within < outermost).then_some(within)
            });
            least.reduce(f64::min).map(|within| (b, within))
        };
        let mut found: Vec<(u32, f64)> = (pairs.iter())
            .filter_map(|&(a, b)| Some((a, b, part.law(&laws, a, b)?)))
            .flat_map(|(a, b, law)| [near(a, law), near(b, law)])
            .flatten()
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        found.dedup_by_key(|f| f.0);
        let (b, within) = found.iter().copied().reduce(|m, f| if f.1 < m.1 { f } else { m })?;
        let more = if found.len() > 1 { format!(" (and {} more)", found.len() - 1) } else { String::new() };
        Some(format!(
            "body '{}'{more} is pressed on {within:.2e} m within the rim of the side it lies on, and a cell has one pressure, at its middle: in cells of {cell} \
             m the outermost may be {outermost:.2e} m within, so that it may tip where it should stand. Set `cell` in the section of '{}' to {:.1e} m",
            part.names()[b as usize],
            part.response().name(),
            cells_to_hold(within, self.depth > 0.0)
        ))
    }

    /// Why a body may rock without end on the side that it lies on now, and what helps.
    pub fn rocks(self, part: Part<'_>, body: u32) -> Option<String> {
        let up = Load::of(part)?.up;
        let (dofs, shapes, laws) = (part.shared::<Dofs>(), part.shared::<Shapes>(), part.shared::<Laws>());
        let mesh = rigid(&dofs, &shapes, body)?;
        if !part.is_met(&laws, &laws.partners(), body) {
            return None;
        }
        // Straight down on the side: as it rocks it leans.
        let within = of(mesh, &dofs.bodies.pose[body as usize], -up, -up, 0.0).filter(|w| *w > 0.0)?;
        let one = match self.cell {
            Some(cell) if within < outermost_pressure(cell, self.depth) => format!(
                "a cell of {cell} m has one pressure, at its middle, which may be {:.2e} m within",
                outermost_pressure(cell, self.depth)
            ),
            None => "without cells a contact has one pressure, at its middle".to_string(),
            _ => return None,
        };
        Some(format!(
            "Its middle is {within:.2e} m within the rim of the side it lies on, and {one}: what rocks on it loses nothing. A `cell` of {:.1e} m in the section of '{}' \
             reaches as near",
            cells_to_hold(within, self.depth > 0.0),
            part.response().name()
        ))
    }
}

fn rigid<'a>(dofs: &Dofs, shapes: &'a Shapes, b: u32) -> Option<&'a TriMesh> {
    match &shapes.0[b as usize] {
        Shape::Mesh(m) if dofs.bodies.kind[b as usize] == BodyKind::Rigid => Some(&m.mesh),
        _ => None,
    }
}

/// [`within_rim`] in world axes.
fn of(mesh: &TriMesh, pose: &Pose, down: DVec3, load: DVec3, mu: f64) -> Option<f64> {
    within_rim(mesh, pose.vector_to_body(down), pose.vector_to_body(load), mu)
}
