//! Bodies that an energy of volumes carries and nothing damps.

use super::settings::VolumePenaltySettings;
use crate::components::{Dofs, Forces, Laws};
use crate::part::Part;
use impinge_bodies::{Shape, Shapes, ways_up};
use impinge_contact::BodyKind;

/// Part of critical damping that is suggested.
const DAMPED: f64 = 0.25;

/// A sentence for rigid bodies with weight where neither the viscosity nor a restitution takes energy from what lands.
pub(super) fn undamped(settings: &VolumePenaltySettings, part: Part<'_>) -> Option<String> {
    let gravity = part.shared::<Forces>().0.gravity.mag();
    if settings.viscosity > 0.0 || gravity == 0.0 {
        return None;
    }
    let (dofs, shapes, laws) = (part.shared::<Dofs>(), part.shared::<Shapes>(), part.shared::<Laws>());
    let partners = laws.partners();
    let undamped = |b: u32| {
        let mut lawful = partners.iter().filter(|&&o| o != b).filter_map(|&o| part.law(&laws, b, o));
        lawful.any(|law| laws.laws[law as usize].damping.restitution().is_none())
    };
    // μ A² of a contact over 2 √(k A² m) is the part of critical damping, with k A² as it rests.
    let viscosity = |b: usize| {
        let Shape::Mesh(m) = &shapes.0[b] else { return None };
        if dofs.bodies.kind[b] != BodyKind::Rigid || !undamped(b as u32) {
            return None;
        }
        let mass = dofs.bodies.mass[b];
        let (_, stiffness) = impinge_volume::stiffest_rest(&m.mesh, settings, mass * gravity, &ways_up());
        let enough = 2.0 * DAMPED * settings.stiffness * (mass / stiffness).sqrt();
        (stiffness > 0.0).then_some(enough)
    };
    let mut all = (0..shapes.0.len()).filter_map(|b| Some((b, viscosity(b)?)));
    let (first, enough) = all.next()?;
    let (count, most) = all.fold((0, enough), |(n, most), (_, v)| (n + 1, most.max(v)));
    let more = if count == 0 { String::new() } else { format!(" (and {count} more)") };
    Some(format!(
        "nothing damps body '{}'{more} under '{}' but friction: its `viscosity` is 0, and dampers of the materials do not enter. What lands swings for \
         ever, and what is stacked may topple: set `viscosity` in its section, about {most:.1e} Pa·s/m³ here, or ask for a restitution",
        part.names()[first],
        part.response().name()
    ))
}
