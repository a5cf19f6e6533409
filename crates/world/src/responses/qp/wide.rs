//! What to say of bodies that the distance which surfaces keep is wide for.

use super::settings::QpSettings;
use crate::components::{Dofs, Elastic, Laws, NodeState, Shapes};
use crate::part::Part;
use impinge_bodies::ShapeKind;
use impinge_integrators::Grip;

/// Part of a body's shortest side above which the gap shows: bodies lie so much farther off each other than they are.
const SHOWS: f64 = 0.02;

/// Solid bodies that nobody chose a thickness for, and that keep a distance which is more than a fiftieth of their shortest side.
pub(super) fn gaps(settings: &QpSettings, part: Part<'_>) -> Option<String> {
    let radius = 0.5 * QpSettings::default().thickness;
    if settings.thickness != 2.0 * radius {
        return None;
    }
    let (shapes, laws) = (part.shared::<Shapes>(), part.shared::<Laws>());
    let wide = |(slot, size): &(u32, f64)| laws.thickness.between_or(*slot, *slot, radius) > SHOWS * size;
    let chosen = |slot: u32| laws.thickness.between(slot, slot) > 0.0;
    let partners = laws.partners();
    let sizes = (0u32..).zip(&shapes.0).map(|(slot, shape)| (slot, shape.narrowest()));
    let found: Vec<(u32, f64)> = sizes
        .filter(wide)
        .filter(|(slot, _)| !chosen(*slot) && part.is_met(&laws, &partners, *slot))
        .collect();
    let (slot, size) = found.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    let more = if found.len() > 1 { format!(" (and {} more)", found.len() - 1) } else { String::new() };
    Some(format!(
        "under 'qp' surfaces keep {:.2e} m from each other, and '{}'{more} is {size:.2e} m across: set `thickness` to a hundredth of that",
        settings.thickness,
        part.names()[slot as usize]
    ))
}

/// Two cables that one thing holds nearer to each other than they keep: their ends cannot part, and what is beside them is pushed apart.
pub(super) fn tied(settings: &QpSettings, part: Part<'_>) -> Option<String> {
    let (shapes, laws) = (part.shared::<Shapes>(), part.shared::<Laws>());
    let (elastic, dofs, nodes) =
        (part.shared::<Elastic>(), part.shared::<Dofs>(), part.shared::<NodeState>());
    let to = |grip: &Grip| match *grip {
        Grip::World(_) => None,
        Grip::Prescribed { body, .. } | Grip::Rigid { body, .. } => Some(body),
    };
    let system = &elastic.system;
    let pins = system.pins().iter().map(|p| (p.node, to(&p.to)));
    let held = pins.chain(system.ties().iter().map(|t| (t.node, to(&t.to)))).map(|(node, to)| {
        let node = elastic.nodes[node as usize] as usize;
        (dofs.nodes.body[node], to, nodes.x[node])
    });
    let cable = |slot: u32| ShapeKind::of(&shapes.0[slot as usize]) == ShapeKind::Cable;
    let held: Vec<_> = held.filter(|h| cable(h.0)).collect();
    let radius = 0.5 * settings.thickness;
    let near = held.iter().enumerate().flat_map(|(i, a)| held[i + 1..].iter().map(move |b| (a, b)));
    let near = near.filter(|(a, b)| a.0 != b.0 && a.1 == b.1 && part.law(&laws, a.0, b.0).is_some());
    let near = near.map(|(a, b)| ((b.2 - a.2).mag(), laws.thickness.between_or(a.0, b.0, radius), a, b));
    let (apart, keep, a, b) =
        near.filter(|n| n.0 < n.1).reduce(|n, m| if m.0 / m.1 < n.0 / n.1 { m } else { n })?;
    let by = a.1.map_or("the world".to_string(), |slot| format!("'{}'", part.names()[slot as usize]));
    let [a, b] = [a, b].map(|h| &part.names()[h.0 as usize]);
    Some(format!(
        "'{a}' and '{b}' are held {apart:.2e} m apart by {by}, and keep {keep:.2e} m: they push each other apart beside that place. Hold them farther apart, \
         or give the two a [[rule]] with less `thickness`, or with response = \"none\""
    ))
}
