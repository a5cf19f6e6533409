//! Whether contacts will be too stiff for the step where bodies lie on each other.

use crate::crossed::crossed;
use crate::lying::Lying;
use crate::part::Part;
use crate::simulation::Simulation;
use impinge_bodies::stability::StiffContact;
use impinge_bodies::stacked::{Leaning, stacks};
use impinge_contact::SurfaceMap;

/// One warning for each stack in which a body is too stiff; alone it may be, too, or not. `rests` says how each body rests on a floor; `None` for
/// what does not move.
pub(crate) fn stiff_stacks(
    sim: &Simulation,
    part: Part<'_>,
    rests: &[Option<StiffContact>],
) -> Vec<StiffContact> {
    let Some(Lying { pairs, up, x, heights, .. }) = Lying::of(part) else { return Vec::new() };
    let map = part.shared::<SurfaceMap>();
    // Where edges meet edges two bodies may have more contacts than each has corners.
    let least = |a: u32, b: u32| {
        let rest = |b: u32| rests[b as usize].as_ref().filter(|r| r.contacts > 0);
        let each = |r: &StiffContact| r.stiffness / r.contacts as f64;
        let (Some(one), Some(two)) = (rest(a), rest(b)) else { return 0.0 };
        let a_is_above = heights[a as usize][0] > heights[b as usize][0];
        let order = if a_is_above { [a, b] } else { [b, a] };
        let [above, below] = order.map(|b| &x[map.range(b as usize)]);
        each(one).min(each(two)) * crossed(above, below, up) as f64
    };
    let edges = part.response().meets_edges();
    let touching: Vec<(u32, u32, f64)> =
        pairs.iter().map(|&(a, b)| (a, b, if edges { least(a, b) } else { 0.0 })).collect();
    let fixed = Leaning { mass: f64::INFINITY, stiffness: 0.0 };
    let leaning: Vec<Leaning> = (rests.iter())
        .map(|r| r.as_ref().map_or(fixed, |r| Leaning { mass: r.whole, stiffness: r.stiffness }))
        .collect();
    let mut out = Vec::new();
    for stack in stacks(&leaning, &touching) {
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
