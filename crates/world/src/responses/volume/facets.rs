//! Bodies with flat sides that are narrower than cells: one pressure for a contact carries no moment, so that they rock from side to side.

use super::settings::Measurement;
use crate::components::{Dofs, Forces, Laws};
use crate::part::Part;
use impinge_bodies::{Shape, Shapes};
use impinge_contact::BodyKind;
use impinge_volume::narrow_side;

/// A sentence for rigid bodies that fall or lie on such sides. `depth` (m) is that of resting contacts, 0 where cells are not joined: a side in one
/// cell but for slivers is one contact.
pub(super) fn facets(measure: Measurement, depth: f64, part: Part<'_>) -> Option<String> {
    let grid = measure.grid()?;
    if part.shared::<Forces>().0.gravity.mag() == 0.0 {
        return None;
    }
    let (dofs, shapes, laws) = (part.shared::<Dofs>(), part.shared::<Shapes>(), part.shared::<Laws>());
    let partners = laws.partners();
    let meets = |b: u32| partners.iter().any(|&o| o != b && part.law(&laws, b, o).is_some());
    let mut narrow = (0..shapes.0.len()).filter_map(|b| match &shapes.0[b] {
        Shape::Mesh(m) if dofs.bodies.kind[b] == BodyKind::Rigid && meets(b as u32) => {
            Some((b, narrow_side(&grid, depth, &m.mesh, &dofs.bodies.pose[b])?))
        }
        _ => None,
    });
    let (first, width) = narrow.next()?;
    let more = match narrow.count() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Some(format!(
        "the largest flat side of body '{}'{more} is about {width:.2e} m wide, and cells are {} m: a contact of one pressure carries no moment, so that it may rock \
         from side to side without end, or slide off without friction; set `cell` in the section of '{}' to {:.1e} m, or less where sides taper",
        part.names()[first],
        grid.size,
        part.response().name(),
        0.5 * width
    ))
}
