//! Pairs that may overlap: different bodies whose boxes meet, and bodies that meet themselves.

use impinge_bodies::{ContactError, Dofs, Laws, PairFinder, Shape, Shapes};
use impinge_broadphase::Aabb;
use impinge_contact::{Pair, Pairs};

/// Deformables that meet themselves, as pairs of one slot with itself.
pub(crate) fn meet_themselves(shapes: &Shapes) -> impl Iterator<Item = (u32, u32)> + '_ {
    let own = |s: &Shape| matches!(s, Shape::Soft(s) if s.own.is_some());
    (0u32..).zip(&shapes.0).filter(move |(_, s)| own(s)).map(|(b, _)| (b, b))
}

/// Finds them; kept from step to step for its memory alone.
#[derive(Debug, Default)]
pub struct OverlapPairs {
    finder: PairFinder,
}

impl OverlapPairs {
    /// Writes to `pairs`, ascending, the pairs whose `bounds` (world boxes by slot, empty for planes) meet with bodies as they are when the
    /// step begins, and that a law lets touch. A rule's sides mean nothing here: a volume belongs to both bodies.
    ///
    /// # Errors
    /// [`ContactError::Broad`] for a box that is not finite.
    pub fn find(
        &mut self,
        shapes: &Shapes,
        laws: &Laws,
        dofs: &Dofs,
        bounds: &[Aabb],
        pairs: &mut Pairs,
    ) -> Result<(), ContactError> {
        let found = self.finder.find(shapes, laws, dofs, &[&dofs.bodies.pose], bounds)?;
        found.extend(meet_themselves(shapes));
        found.sort_unstable();
        pairs.clear();
        for &(a, b) in &*found {
            if let Some((law, sides)) = laws.of(a, b) {
                pairs.push(Pair { a, b, law, sides });
            }
        }
        Ok(())
    }
}
