//! Bodies that slide over the walls of their own cells where each cell has an energy of its own.

use super::settings::VolumePenaltySettings;
use crate::components::{Dofs, Drivers, Laws};
use crate::lying::Lying;
use crate::part::Part;
use impinge_contact::BodyKind;
use impinge_geometry::DVec3;

/// Slower than this many cells in a second nothing slides: it settles.
const SLOW: f64 = 0.1;

/// A sentence for bodies that lie on each other and move along each other before the first step, in cells.
pub(super) fn slides(settings: &VolumePenaltySettings, part: Part<'_>) -> Option<String> {
    let cell = settings.measure.cell?;
    let Lying { up, pairs, .. } = Lying::of(part)?;
    let (dofs, laws, drivers) = (part.shared::<Dofs>(), part.shared::<Laws>(), part.shared::<Drivers>());
    let dt = part.dt();
    let velocity = |b: u32| match drivers.0.get(b as usize).and_then(Option::as_ref) {
        Some(driver) => match [0.0, dt].map(|t| driver.pose(t)) {
            [Some(from), Some(to)] => (to.position - from.position) / dt,
            _ => DVec3::zero(),
        },
        None => dofs.bodies.velocity[b as usize],
    };
    // A belt's surface moves though its body does not.
    let surface = |b: u32| match laws.surface_velocities.get(b) {
        Some(s) => dofs.bodies.pose[b as usize].vector_to_world(s.linear),
        None => DVec3::zero(),
    };
    let speed = |a: u32, b: u32| {
        let apart = velocity(a) + surface(a) - velocity(b) - surface(b);
        (apart - up * up.dot(apart)).mag()
    };
    let rigid = |b: u32| dofs.bodies.kind[b as usize] == BodyKind::Rigid;
    let mut sliding = (pairs.iter())
        .filter(|&&(a, b)| (rigid(a) || rigid(b)) && laws.of(a, b).is_some())
        .map(|&(a, b)| (a, b, speed(a, b)))
        .filter(|s| s.2 > SLOW * cell);
    let (a, b, speed) = sliding.next()?;
    let [a, b] = [a, b].map(|i| &part.names()[i as usize]);
    let more = match sliding.count() {
        0 => String::new(),
        n => format!(" (and {n} more such pairs)"),
    };
    Some(format!(
        "'{a}' and '{b}'{more} slide along each other at {} m/s in cells of {cell} m: under '{}' each cell has an energy of its own, and one that is as \
         narrow as it is deep pushes along the way, so that what slides over the walls of cells hops and rubs less. Leave `cell` out where nothing \
         stands broad or in a stack, or use --response volume, whose walls go with the body",
        impinge_bodies::places(speed, 3),
        part.response().name()
    ))
}
