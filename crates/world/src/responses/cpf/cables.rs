//! What may come of cables that lie on cables.

use crate::components::Laws;
use crate::part::Part;
use impinge_bodies::{ShapeKind, Shapes};

/// A sentence for the pairs of cables. Two segments that cross have no contact but each other: no vertex of one meets an edge of the other. Where they
/// lie along each other they have no normal, and nothing holds them.
pub(super) fn cables_on_cables(part: Part<'_>) -> Option<String> {
    let (shapes, laws) = (part.shared::<Shapes>(), part.shared::<Laws>());
    let cables = (0..shapes.0.len()).filter(|&b| ShapeKind::of(&shapes.0[b]) == ShapeKind::Cable);
    let cables: Vec<u32> = cables.map(|b| b as u32).collect();
    let after = |i: usize| cables[i + 1..].iter().copied();
    let pairs = cables.iter().enumerate().flat_map(|(i, &a)| after(i).map(move |b| (a, b)));
    let mut pairs = pairs.filter(|&(a, b)| part.law(&laws, a, b).is_some());
    let (a, b) = pairs.next()?;
    let more = match pairs.count() {
        0 => String::new(),
        n => format!(" (and {n} pairs like it)"),
    };
    let [a, b] = [a, b].map(|slot| &part.names()[slot as usize]);
    Some(format!(
        "'{a}' and '{b}'{more} are cables: where they come to lie along each other, as they may from crossing at less than 28 degrees or where one is so limp that its \
         ends swing along the other, '{}' has no normal for them and may let them through each other. Shorter segments and stiffer cables keep them apart",
        part.response().name()
    ))
}
