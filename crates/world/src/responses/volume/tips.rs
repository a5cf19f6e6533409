//! Bodies in a stack whose contact has one pressure.

use super::settings::Measurement;
use crate::lying::Lying;
use crate::part::Part;
use impinge_bodies::Shapes;

/// A sentence for bodies that lie on each other with one pressure for the whole of their contact, which carries no tipping moment.
pub(super) fn tips(measure: Measurement, part: Part<'_>) -> Option<String> {
    if measure.cell.is_some() {
        return None;
    }
    let shapes = part.shared::<Shapes>();
    let has_surface = |b: u32| shapes.0[b as usize].surface().is_some();
    let on_each_other = Lying::of(part)?.pairs;
    let mut on_each_other = on_each_other.iter().filter(|(a, b)| has_surface(*a) && has_surface(*b));
    let [a, b] = <[u32; 2]>::from(*on_each_other.next()?).map(|i| &part.names()[i as usize]);
    let more = match on_each_other.count() {
        0 => String::new(),
        n => format!(" (and {n} more such pairs)"),
    };
    Some(format!(
        "'{a}' and '{b}'{more} lie on each other, and without cells a contact has one pressure, which carries no tipping moment: what stands on it \
         leans. Set `cell` in the section of '{}', half the width of the smallest contact or less",
        part.response().name()
    ))
}
