//! Bodies that start deep in each other, and that contacts hold: the first steps push them apart.

use impinge_contact::BodyKind;
use impinge_world::{Dofs, Laws, Shape, Shapes, Simulation, Unseen};
use std::collections::BTreeSet;

/// Part of the thinner body from which on it is said: what rests on soft springs starts less deep.
const DEEP: f64 = 0.25;

/// What there is to say before the first step of pairs that `unseen` ([`Simulation::unseen`]) does not name.
pub(crate) fn warning(sim: &Simulation, unseen: &[Unseen]) -> Option<String> {
    let names = sim.names();
    let unheld: BTreeSet<[&str; 2]> = unseen.iter().map(|u| [u.a.as_str(), u.b.as_str()]).collect();
    // Lower slot first in both.
    let named = |pair: [u32; 2]| unheld.contains(&pair.map(|slot| names[slot as usize].as_str()));
    let mut deep = sim.in_each_other(DEEP, |a, b| !named([a, b]));
    deep.extend(behind_planes(sim).into_iter().filter(|(pair, _)| !named(*pair)));
    deep.sort_by(|a, b| b.1.total_cmp(&a.1));
    let ([a, b], depth) = *deep.first()?;
    let shapes = sim.column::<Shapes>();
    let least = [a, b].map(|body| shapes.0[body as usize].narrowest());
    let more = if deep.len() > 1 { format!(" (and {} pairs more)", deep.len() - 1) } else { String::new() };
    Some(format!(
        "'{}' and '{}'{more} start {depth:.2e} m deep in each other, and the thinner is {:.2e} m across: contacts push them apart; place them apart if \
         that is not meant",
        names[a as usize],
        names[b as usize],
        least[0].min(least[1])
    ))
}

/// Rigid bodies that are deep behind planes which they may touch (slots, lower first), and how deep (m).
fn behind_planes(sim: &Simulation) -> Vec<([u32; 2], f64)> {
    let (shapes, laws, dofs) = (sim.column::<Shapes>(), sim.column::<Laws>(), sim.column::<Dofs>());
    let mut out = Vec::new();
    for (p, plane) in (0u32..).zip(&shapes.0) {
        let Shape::Plane { normal, offset } = plane else { continue };
        let pose = sim.pose(p);
        for (b, shape) in (0u32..).zip(&shapes.0) {
            let (Shape::Mesh(m), BodyKind::Rigid) = (shape, dofs.bodies.kind[b as usize]) else { continue };
            let at = sim.pose(b);
            let height = |v| pose.point_to_body(at.point_to_world(v)).dot(*normal) - offset;
            let depth = m.mesh.positions().iter().map(|&v| -height(v)).fold(0.0, f64::max);
            let pair = [b.min(p), b.max(p)];
            if depth > DEEP * shape.narrowest() && laws.of(pair[0], pair[1]).is_some() {
                out.push((pair, depth));
            }
        }
    }
    out
}
