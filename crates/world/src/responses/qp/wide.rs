//! What to say of bodies that the distance which surfaces keep is wide for.

use super::settings::QpSettings;
use crate::components::{Laws, Shapes};
use crate::part::Part;

/// Part of a body's shortest side from which on the gap shows.
const SHOWS: f64 = 0.1;

/// Solid bodies that nobody chose a thickness for, and that keep a distance which is a tenth of their shortest side or more.
pub(super) fn gaps(settings: &QpSettings, part: Part<'_>) -> Option<String> {
    let radius = 0.5 * QpSettings::default().thickness;
    if settings.thickness != 2.0 * radius {
        return None;
    }
    let (shapes, laws) = (part.shared::<Shapes>(), part.shared::<Laws>());
    let wide = |(slot, size): &(u32, f64)| laws.thickness.between_or(*slot, *slot, radius) >= SHOWS * size;
    let chosen = |slot: u32| laws.thickness.between(slot, slot) > 0.0;
    let partners = laws.partners();
    let met = |slot: u32| partners.iter().any(|&o| o != slot && part.law(&laws, slot, o).is_some());
    let sizes = (0u32..).zip(&shapes.0).map(|(slot, shape)| (slot, shape.narrowest()));
    let found: Vec<(u32, f64)> =
        sizes.filter(wide).filter(|(slot, _)| !chosen(*slot) && met(*slot)).collect();
    let (slot, size) = found.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    let more = if found.len() > 1 { format!(" (and {} more)", found.len() - 1) } else { String::new() };
    Some(format!(
        "under 'qp' surfaces keep {:.2e} m from each other, and '{}'{more} is {size:.2e} m across: set `thickness` to a hundredth of that",
        settings.thickness,
        part.names()[slot as usize]
    ))
}
