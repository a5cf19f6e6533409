//! Whether contacts will be too stiff for the step where bodies lie on each other, each of which is stable alone.

use crate::lying::Lying;
use crate::part::Part;
use crate::simulation::Simulation;
use impinge_bodies::stability::StiffContact;
use impinge_bodies::stacked::{Leaning, stacks};

/// One warning for each stack in which a body is too stiff, though none is alone. `rests` says how each body rests on a floor; `None` for
/// what does not move.
pub(crate) fn stiff_stacks(
    sim: &Simulation,
    part: Part<'_>,
    rests: &[Option<StiffContact>],
) -> Vec<StiffContact> {
    let Some(Lying { pairs: touching, .. }) = Lying::of(part) else { return Vec::new() };
    let fixed = Leaning { mass: f64::INFINITY, stiffness: 0.0 };
    let leaning: Vec<Leaning> = (rests.iter())
        .map(|r| r.as_ref().map_or(fixed, |r| Leaning { mass: r.whole, stiffness: r.stiffness }))
        .collect();
    let mut out = Vec::new();
    for stack in stacks(&leaning, &touching) {
        if stack.bodies.iter().any(|&b| rests[b as usize].as_ref().is_some_and(|r| r.load() > 1.0)) {
            continue;
        }
        let Some(rest) = &rests[stack.body as usize] else { continue };
        let (mass, alike) = (rest.mass / stack.factor.max(1.0), stack.bodies.len() - 1);
        let body = sim.names()[stack.body as usize].clone();
        let warning = StiffContact { body, alike: 0, mass, stack: alike + 1, ..rest.clone() };
        if warning.limit.is_finite() && warning.load() > 1.0 {
            out.push(warning);
        }
    }
    out
}
