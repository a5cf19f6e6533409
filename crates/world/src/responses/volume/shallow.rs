//! Bodies so small that the depth which resting contacts keep shows.

use super::settings::VolumeSettings;
use crate::components::{Laws, Shapes};
use crate::part::Part;

/// Part of a body's shortest side above which the depth shows: what is round rests twice as deep as the mean, 2 % of its height.
const SHOWS: f64 = 0.01;
/// The depth that is suggested, as a part of that side.
const SUGGESTED: f64 = 2e-3;

/// Bodies that rest so deep, and nobody chose the depth.
pub(super) fn shallow(settings: &VolumeSettings, part: Part<'_>) -> Option<String> {
    if settings.depth != VolumeSettings::default().depth {
        return None;
    }
    let (shapes, laws) = (part.shared::<Shapes>(), part.shared::<Laws>());
    let partners = laws.partners();
    let sizes = (0u32..).zip(&shapes.0).map(|(slot, shape)| (slot, shape.narrowest()));
    let found: Vec<(u32, f64)> = sizes
        .filter(|(b, size)| settings.depth > SHOWS * size && part.is_met(&laws, &partners, *b))
        .collect();
    let (slot, size) = found.iter().copied().reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    let more = if found.len() > 1 { format!(" (and {} more)", found.len() - 1) } else { String::new() };
    Some(format!(
        "under 'volume' contacts rest {:.2e} m deep in the mean, twice that where they are round, and '{}'{more} is {size:.2e} m across: set `depth` to {:.1e} m",
        settings.depth,
        part.names()[slot as usize],
        SUGGESTED * size
    ))
}
