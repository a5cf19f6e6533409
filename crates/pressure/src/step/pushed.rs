//! What the solution of an implicit step pushes bodies into.
//!
//! Pairs are looked for around the ends that bodies would reach untouched. One that another pushes ends elsewhere, and may be in a third
//! by its way of a whole step before the next one sees it. So the solution is looked at once more: pairs that touch there and are in no
//! list join it, and the step is solved again. Each round adds a pair, so it ends.

use super::forces::{law_of, query};
use super::surfaces::fresh;
use super::tables::{Bristles, PressureBodies, PressurePatch, PressureSettings};
use impinge_bodies::{Bounds, ContactError, Dofs, Laws, PairFinder, Shapes};
use impinge_broadphase::Aabb;
use impinge_contact::{Pair, Pairs, Sides, par};
use impinge_geometry::Pose;

/// Scratch of the search.
#[derive(Debug, Default)]
pub(crate) struct Pushed {
    finder: PairFinder,
    boxes: Vec<Aabb>,
    patches: Vec<PressurePatch>,
    pairs: Vec<Pair>,
}

/// What the search reads of the world.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub shapes: &'a Shapes,
    pub laws: &'a Laws,
    pub bodies: &'a PressureBodies,
    pub dofs: &'a Dofs,
    /// From where bodies are to where they are predicted.
    pub bounds: &'a Bounds,
    pub bristles: &'a Bristles,
    pub settings: &'a PressureSettings,
}

impl Pushed {
    /// Adds to `pairs` and `patches`, both ascending by slots, what touches at the solved `poses` of the bodies `slots` and is not there.
    /// `true` where there was such a pair.
    pub fn join(
        &mut self,
        at: Surroundings<'_>,
        poses: &[Pose],
        slots: &[u32],
        pairs: &mut Pairs,
        patches: &mut Vec<PressurePatch>,
    ) -> Result<bool, ContactError> {
        let Surroundings { shapes, laws, bodies, dofs, bounds, bristles, settings } = at;
        self.boxes.clone_from(&bounds.0);
        for &s in slots {
            if let Some(body) = bodies.bodies[s as usize].as_ref().filter(|body| !body.bounds.is_empty()) {
                self.boxes[s as usize] = body.bounds.transformed(&poses[s as usize]);
            }
        }
        let found = self.finder.find(shapes, laws, dofs, &[poses], &self.boxes)?;
        found.sort_unstable();
        self.patches.clear();
        let listed = pairs.view();
        let mut next = 0;
        for &(a, b) in &*found {
            while next < listed.len() && (listed.a[next], listed.b[next]) < (a, b) {
                next += 1;
            }
            if next < listed.len() && (listed.a[next], listed.b[next]) == (a, b) {
                continue;
            }
            let [Some(x), Some(y)] = [a, b].map(|s| bodies.bodies[s as usize].as_ref()) else { continue };
            let Some((law, _)) = laws.of(a, b) else { continue };
            let belts = [a, b].map(|s| laws.surface_velocities.get(s).copied());
            let traction = law_of(settings, &laws.laws[law as usize], x, y, belts);
            // Until it stands in the list, a patch keeps the number of its law.
            self.patches.push(fresh([a, b], law, [x, y], traction, bristles.get([a, b])));
        }
        par::fill(&mut self.patches, 1, |_, p| query(p, bodies, poses));
        self.patches.retain(|p| !p.surface.is_empty());
        if self.patches.is_empty() {
            return Ok(false);
        }
        self.pairs.clear();
        self.pairs.extend((0..pairs.len()).map(|i| pairs.row(i)));
        self.pairs.extend(self.patches.iter().map(|p| Pair {
            a: p.a,
            b: p.b,
            law: p.pair,
            sides: Sides::Both,
        }));
        self.pairs.sort_unstable_by_key(|p| (p.a, p.b));
        pairs.clear();
        self.pairs.iter().for_each(|p| pairs.push(*p));
        patches.append(&mut self.patches);
        patches.sort_unstable_by_key(|p| (p.a, p.b));
        let mut row = 0;
        for p in patches {
            while (pairs.a[row], pairs.b[row]) != (p.a, p.b) {
                row += 1;
            }
            p.pair = row as u32;
        }
        Ok(true)
    }
}
