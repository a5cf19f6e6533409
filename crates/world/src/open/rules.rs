//! Which pairs touch, and by which law, changed between steps.

use super::id::BodyKey;
use super::roster::Members;
use crate::components::{Laws, PairRule};
use crate::simulation::Simulation;
use impinge_bodies::OpenError;
use impinge_contact::{PairLaw, Sides, Stiffness};
use impinge_geometry::DVec3;
use std::sync::Arc;

impl Simulation {
    /// Gives a pair of bodies a rule from the next step on, in the place of the one it has; `None` for none. `First` and `Second` sides are those of `a`
    /// and `b` as given here. A rule goes before groups.
    ///
    /// A pair that does not touch any more ends: what its contacts had stored is in the ledger of the next step, and what responses keep of it is let go
    /// of. What a pair that may touch again holds at once is there, too ([`Self::set_law`]).
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, PairRule, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::from_position(DVec3::unit_z() * 0.1))?;
    /// # let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
    /// # let mut sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).gravity(DVec3::new(0.0, 0.0, -9.81)).body(floor).body(body).build()?;
    /// // A trapdoor opens.
    /// sim.set_rule("box", "floor", Some(PairRule::Ignore))?;
    /// for _ in 0..1000 {
    ///     sim.step()?;
    /// }
    /// assert!(sim.position(1).z < -4.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for bodies that are not there, a body with itself, and a rule that the response of the pair cannot follow.
    pub fn set_rule(
        &mut self,
        a: impl BodyKey,
        b: impl BodyKey,
        rule: Option<PairRule>,
    ) -> Result<(), OpenError> {
        let (a, b) = (a.slot_in(self)?, b.slot_in(self)?);
        if a == b {
            return Err(self.refusal(a, "a rule is about two bodies; name another one"));
        }
        let pair = (a.min(b), a.max(b));
        let rule = match rule {
            Some(PairRule::Contact(Sides::First)) if b < a => Some(PairRule::Contact(Sides::Second)),
            Some(PairRule::Contact(Sides::Second)) if b < a => Some(PairRule::Contact(Sides::First)),
            rule => rule,
        };
        let met = self.meet(pair);
        self.change_laws(Some(pair.0 as usize), |laws| {
            laws.exceptions.retain(|e| e.0 != pair);
            laws.exceptions.extend(rule.map(|rule| (pair, rule)));
            laws.exceptions.sort_by_key(|e| e.0);
        })?;
        match (met, self.meet(pair)) {
            (true, false) => self.end_pair(pair),
            (false, true) => self.relay(pair),
            _ => {}
        }
        Ok(())
    }

    /// Gives the materials of two bodies another law from the next step on: all pairs of these materials go by it. Contacts stay. What their
    /// stored energy gains or loses with the stiffness is in the ledger of that step ([`impinge_contact::Ledger::applied`], under the lower slot).
    /// Between a stiffness per contact and one per area there is no ratio: the row takes what was stored, and adds what the contacts hold as the
    /// next step begins, which is known when it has ended. Springs of friction are booked by their work alone.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_contact::PairLaw;
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::from_position(DVec3::unit_z() * 0.0999))?;
    /// # let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
    /// # let mut sim = Simulation::builder(1e-3).law(PairLaw::elastic(1e4)).body(floor).body(body).build()?;
    /// sim.step()?;
    /// let stored = sim.ledger().energy.contact;
    /// sim.set_law("box", "floor", PairLaw::elastic(3e4))?;
    /// sim.step()?;
    /// assert!((sim.ledger().energy.work_applied - 2.0 * stored).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for bodies that are not there, numbers that are none, a law that a response cannot follow, and a world with laws that follow from
    /// its bodies ([`crate::Builder::friction`], [`crate::Builder::suggest`]).
    pub fn set_law(&mut self, a: impl BodyKey, b: impl BodyKey, law: PairLaw) -> Result<(), OpenError> {
        let (a, b) = (a.slot_in(self)?, b.slot_in(self)?);
        law.validate().map_err(OpenError::World)?;
        if self.members.from.laws_follow() {
            let reason = "laws of this world follow from its bodies; build it with `law` or `laws`, and without `suggest`, to change them";
            return Err(OpenError::World(reason.to_string()));
        }
        self.change_laws(None, |laws| {
            let (i, j) = (laws.material[a as usize], laws.material[b as usize]);
            // Other materials may have the law that these had.
            let number = laws.laws.len() as u32;
            laws.laws.push(law);
            for (i, j) in [(i, j), (j, i)] {
                laws.of_materials[(i * laws.materials + j) as usize] = number;
            }
            drop_unused(laws);
        })
    }

    /// Changes the laws, of pairs of one body or of all, where responses can follow.
    fn change_laws(&mut self, only: Option<usize>, change: impl FnOnce(&mut Laws)) -> Result<(), OpenError> {
        let before = Laws::clone(&self.column::<Laws>());
        let mut laws = before.clone();
        change(&mut laws);
        let fits = self.check_laws(&self.responses(), laws.clone(), only);
        fits.map_err(|e| OpenError::World(e.to_string()))?;
        let mut members = self.members_as_built();
        let follow = members.from.laws_follow();
        let from = &mut members.from.laws;
        from.exceptions.clone_from(&laws.exceptions);
        // Laws that follow from the bodies are made anew when one comes.
        if !follow {
            from.laws.clone_from(&laws.laws);
            from.of_materials.clone_from(&laws.of_materials);
        }
        self.members = Arc::new(members);
        if let Ok(there) = self.world.query_one_mut::<&mut Laws>(self.arena) {
            *there = laws;
        }
        self.books_anew();
        self.book_stiffness(&before);
        Ok(())
    }

    /// Books what contacts store more, or less, than under the laws before: energy goes with the stiffness.
    fn book_stiffness(&mut self, before: &Laws) {
        let (stored, still) = (self.stored.clone(), DVec3::zero());
        for (pair, energy) in stored {
            let of = |laws: &Laws| laws.of(pair.0, pair.1).map(|(law, _)| laws.laws[law as usize].stiffness);
            let (Some(old), Some(new)) = (of(before), of(&self.column::<Laws>())) else { continue };
            // Others take the law for friction and damping only.
            if old == new || self.response_of(pair.0, pair.1).own_stiffness().is_some() {
                continue;
            }
            let Some(ratio) = ratio(old, new) else {
                self.relay(pair);
                continue;
            };
            let now = energy * ratio;
            self.book_change(pair.0, (still, still, energy), (still, still, now));
            self.stored.iter_mut().filter(|s| s.0 == pair).for_each(|s| s.1 = now);
        }
        self.stored.retain(|p| p.1 != 0.0 && p.1.is_finite());
    }

    /// Whether two bodies, lower slot first, may touch.
    fn meet(&self, pair: (u32, u32)) -> bool {
        self.column::<Laws>().of(pair.0, pair.1).is_some()
    }

    /// The members with all changes so far and the topology that the world was built with, where edits are counted from.
    pub(crate) fn members_as_built(&self) -> Members {
        let mut members = self.members_now();
        members.from.bodies.clone_from(&self.recipe.built.to_vec());
        members.from.planned.clone_from(&self.recipe.planned);
        members.from.forces.anchors.clone_from(&self.members.from.forces.anchors);
        members
    }
}

/// Energy under another stiffness over that under the one before; `None` where their units differ.
fn ratio(old: Stiffness, new: Stiffness) -> Option<f64> {
    match (old, new) {
        (Stiffness::PerContact(old), Stiffness::PerContact(new))
        | (Stiffness::PerArea(old), Stiffness::PerArea(new)) => Some(new / old),
        _ => None,
    }
}

/// Takes out the laws that no two materials have.
fn drop_unused(laws: &mut Laws) {
    let mut kept = Vec::new();
    for number in &mut laws.of_materials {
        let law = laws.laws[*number as usize];
        let at = kept.iter().position(|k| *k == law).unwrap_or(kept.len());
        if at == kept.len() {
            kept.push(law);
        }
        *number = at as u32;
    }
    laws.laws = kept;
}
