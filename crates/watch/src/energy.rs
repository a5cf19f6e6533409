//! Energy that came from nowhere, over the energy in play.

use impinge_bodies::places;
use impinge_world::{EnergyBooks, Family, Simulation};

/// From here on a run says nothing of what it is about.
const RUN_AWAY: f64 = 1.0;
/// From here on forces and motion are off by about as much.
const GAINED: f64 = 0.05;

/// What was gained; nothing where nobody books what contacts store.
fn gain(sim: &Simulation) -> f64 {
    if sim.unbooked() { 0.0 } else { sim.energy_books().map_or(0.0, EnergyBooks::gained) }
}

/// What there is to say of a run that gained energy from nowhere, though less than it had.
pub(crate) fn gained(sim: &Simulation) -> Option<String> {
    let gained = gain(sim);
    (gained > GAINED && gained <= RUN_AWAY).then(|| {
        format!(
            "{} of the energy in play came from nowhere: contacts are too stiff for the step, or they change while they store something; \
             use a smaller dt, less stiffness, or meshes with more `segments`",
            places(gained, 2)
        )
    })
}

/// What there is to say of a run that gained more energy from nowhere than it had.
pub(crate) fn run_away(sim: &Simulation) -> Option<String> {
    let gained = gain(sim);
    (gained > RUN_AWAY).then(|| {
        let own = sim.response().name();
        let stable = |f: &Family| f.response().is_implicit() && f.name() != own;
        let names: Vec<&str> = Family::ALL.iter().filter(|f| stable(f)).map(|f| f.name()).collect();
        format!(
            "unphysical energy gain, {gained:.1e} times the energy in play: what follows is no physics. Contacts are too stiff for the step, or \
             there was initial overlap; use a smaller dt, less stiffness, more damping, or a response without a stability limit ({})",
            names.join(", ")
        )
    })
}
