//! broad: body pairs whose boxes meet at the start of the step, and bodies that meet themselves.

use crate::adapters::pairs::PairFinder;
use crate::components::{Bounds, Dofs, Laws};
use crate::shapes::{Shape, Shapes};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::{Pair, Pairs};

/// Deformables that meet themselves, as pairs of one slot with itself.
pub(super) fn meet_themselves(shapes: &Shapes) -> impl Iterator<Item = (u32, u32)> + '_ {
    let own = |s: &Shape| matches!(s, Shape::Soft(s) if s.own.is_some());
    (0u32..).zip(&shapes.0).filter(move |(_, s)| own(s)).map(|(b, _)| (b, b))
}

/// Fills the pair table. A rule's sides mean nothing here: a volume belongs to both bodies.
#[derive(Debug, Default)]
pub struct VolumePairs {
    finder: PairFinder,
}

impl Stage for VolumePairs {
    type Io = (&'static Shapes, &'static Laws, &'static Dofs, &'static Bounds, &'static mut Pairs);
    type Rows = ();

    fn name(&self) -> &'static str {
        "broad: pairs"
    }

    fn run(
        &mut self,
        (shapes, laws, dofs, bounds, pairs): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        let found = self.finder.find(shapes, laws, dofs, &[&dofs.bodies.pose], &bounds.0)?;
        found.extend(meet_themselves(shapes));
        found.sort_unstable();
        pairs.clear();
        for &(a, b) in &*found {
            if let Some((law, sides)) = laws.of(a, b) {
                pairs.push(Pair { a, b, law, sides });
            }
        }
        Ok(Outcome::items(pairs.len()))
    }
}
