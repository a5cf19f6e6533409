//! Which law a pair of bodies has, and how much contact a step may have.

use crate::error::ContactError;
use crate::thickness::Thickness;
use impinge_contact::{Evaluate, Groups, PairLaw, Sides, SurfaceVelocities, TurningFriction};
use std::collections::{BTreeMap, BTreeSet};

/// Pair laws, and which pair has which.
#[derive(Clone, Debug, Default)]
pub struct Laws {
    /// The laws.
    pub laws: Vec<PairLaw>,
    /// By law: stiffness and damping of its friction follow from the bodies, and act softer where all contacts of a body are more than a step can follow.
    /// A law beyond the end acts as it says.
    pub yields: Vec<bool>,
    /// Material of each body.
    pub material: Vec<u32>,
    /// Law of materials `(i, j)` at `i · materials + j`.
    pub of_materials: Vec<u32>,
    /// Number of materials.
    pub materials: u32,
    /// Exceptions by body pair, sorted.
    pub exceptions: Vec<((u32, u32), PairRule)>,
    /// How much contact a step may have.
    pub limits: ContactLimits,
    /// Distances that surfaces keep under the response `qp`, of the bodies and pairs that have one of their own.
    pub thickness: Thickness,
    /// Body pairs, lower slot first, that have another response than the first of the world, with its number; sorted.
    pub responses: Vec<((u32, u32), u8)>,
    /// The response whose stages are running; the pairs of the others do not touch for it.
    pub acting: Option<u8>,
    /// Surfaces that move against their bodies.
    pub surface_velocities: SurfaceVelocities,
    /// Which bodies may meet, by slot; empty: all. A body and itself are no matter of groups.
    pub groups: Vec<Groups>,
}

/// How much contact a step may have before the run stops with the bodies named; nothing is left out in silence. A step that carries bodies
/// through each other would take all memory: a candidate takes 8 to 12 bytes, a contact with its impulse some hundreds. Counted after each pair of
/// bodies, or after each list of features; `volume` has limits of its own (`Limits` of impinge-volume).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactLimits {
    /// Vertices in boxes of other bodies (`penalty`), or features near each other (`cpf`, `dpf-ccd`, `cpf-implicit`, `qp`), summed over all pairs
    /// of bodies.
    pub candidates: usize,
    /// Contacts (`penalty`, `cpf`, `dpf-ccd`), or polygons of contact surfaces (`pressure`). Those of `cpf-implicit` and `qp` are fewer than
    /// their candidates.
    pub contacts: usize,
}

impl Default for ContactLimits {
    /// 2²⁶ candidates and 2²³ contacts.
    fn default() -> Self {
        Self { candidates: 1 << 26, contacts: 1 << 23 }
    }
}

/// What a rule says about one pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PairRule {
    /// The pair does not touch.
    Ignore,
    /// Contact with these sides.
    Contact(Sides),
}

impl ContactLimits {
    /// # Errors
    /// [`ContactError::TooManyContacts`] where there are more candidates by now than this; `names` are those of the bodies just done.
    pub fn candidates(&self, count: usize, names: impl FnOnce() -> [String; 2]) -> Result<(), ContactError> {
        over("candidates", count, self.candidates, names)
    }

    /// # Errors
    /// As [`ContactLimits::candidates`], of contacts.
    pub fn contacts(&self, count: usize, names: impl FnOnce() -> [String; 2]) -> Result<(), ContactError> {
        over("contacts", count, self.contacts, names)
    }
}

fn over(
    what: &'static str,
    count: usize,
    most: usize,
    names: impl FnOnce() -> [String; 2],
) -> Result<(), ContactError> {
    if count <= most {
        return Ok(());
    }
    let [a, b] = names().map(String::into_boxed_str);
    Err(ContactError::TooManyContacts { what, a, b, count, most })
}

/// The places of the first two of each kind: a pair of two kinds, or of one, is among them.
pub fn first_two<K: Ord>(kinds: impl IntoIterator<Item = K>) -> impl Iterator<Item = usize> {
    let mut seen: BTreeMap<K, u8> = BTreeMap::new();
    let of = move |(at, kind): (usize, K)| {
        let count = seen.entry(kind).or_default();
        *count = count.saturating_add(1);
        (*count <= 2).then_some(at)
    };
    kinds.into_iter().enumerate().filter_map(of)
}

impl Laws {
    /// A law asks for a coefficient of restitution.
    #[must_use]
    pub fn ask_restitution(&self) -> bool {
        self.laws.iter().any(|l| l.damping.restitution().is_some())
    }

    /// A law has rolling or spinning friction.
    #[must_use]
    pub fn resist_turning(&self) -> bool {
        self.laws.iter().any(|l| l.turning.is_some())
    }

    /// Rolling and spinning friction of a body pair, lower slot first, that may touch.
    #[must_use]
    pub fn turning_of(&self, a: u32, b: u32) -> Option<TurningFriction> {
        let (law, _) = self.of(a, b)?;
        self.laws[law as usize].turning
    }

    /// When a force that depends on depth is evaluated, where `said` is when it is without a law that asks for a restitution: the loss at the
    /// end of the step would be part of every rebound.
    #[must_use]
    pub fn evaluated(&self, said: Evaluate) -> Evaluate {
        if self.ask_restitution() { Evaluate::Start } else { said }
    }

    /// Number of the response of a body pair, lower slot first, among those of the world.
    #[must_use]
    pub fn response_of(&self, a: u32, b: u32) -> u8 {
        self.responses.binary_search_by_key(&(a, b), |r| r.0).map_or(0, |i| self.responses[i].1)
    }

    /// What decides, by slot, which laws a body has with others: its material, its groups, and itself where a rule names it.
    #[must_use]
    pub fn kinds(&self) -> Vec<(u32, [u32; 2], Option<u32>)> {
        let pairs = self.exceptions.iter().map(|e| e.0).chain(self.responses.iter().map(|r| r.0));
        let named: BTreeSet<u32> = pairs.flat_map(|(a, b)| [a, b]).collect();
        let groups = |b: usize| self.groups.get(b).copied().unwrap_or_default();
        let of = |(b, &material): (usize, &u32)| {
            let Groups { membership, filter } = groups(b);
            (material, [membership, filter], Some(b as u32).filter(|b| named.contains(b)))
        };
        self.material.iter().enumerate().map(of).collect()
    }

    /// The bodies that show every law which a body can have with others: the first two of each kind ([`Laws::kinds`]).
    #[must_use]
    pub fn partners(&self) -> Vec<u32> {
        first_two(self.kinds()).map(|b| b as u32).collect()
    }

    fn groups_meet(&self, a: u32, b: u32) -> bool {
        let of = |s: u32| self.groups.get(s as usize).copied().unwrap_or_default();
        a == b || self.groups.is_empty() || of(a).meets(of(b))
    }

    /// The law of a body pair and the sides tested, or `None` where they do not touch: for a rule, which goes before groups, or for
    /// their groups.
    #[must_use]
    pub fn of(&self, a: u32, b: u32) -> Option<(u32, Sides)> {
        if self.acting.is_some_and(|k| k != self.response_of(a, b)) {
            return None;
        }
        let sides = match self.exceptions.binary_search_by_key(&(a, b), |e| e.0) {
            Ok(i) => match self.exceptions[i].1 {
                PairRule::Ignore => return None,
                PairRule::Contact(sides) => sides,
            },
            Err(_) if !self.groups_meet(a, b) => return None,
            Err(_) => Sides::Both,
        };
        let (i, j) = (self.material[a as usize], self.material[b as usize]);
        Some((self.of_materials[(i * self.materials + j) as usize], sides))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Against all others, one by one.
    #[test]
    fn partners_show_every_law_of_a_body() {
        let of = |materials: &[u32], exceptions: &[((u32, u32), PairRule)]| {
            let laws = Laws {
                material: materials.to_vec(),
                of_materials: (0..9).map(|k| (k / 3) * (k % 3) + k / 3 + k % 3).collect(),
                materials: 3,
                exceptions: exceptions.to_vec(),
                ..Laws::default()
            };
            let partners = laws.partners();
            for b in 0..materials.len() as u32 {
                let found = |others: &mut dyn Iterator<Item = u32>| -> BTreeSet<u32> {
                    let others = others.filter(|&o| o != b);
                    others.filter_map(|o| laws.of(b.min(o), b.max(o))).map(|(law, _)| law).collect()
                };
                assert_eq!(found(&mut partners.iter().copied()), found(&mut (0..materials.len() as u32)));
            }
            partners.len()
        };
        assert_eq!(of(&[0, 1, 0, 0, 2, 1, 0], &[]), 5);
        assert_eq!(of(&[1], &[]), 1);
        let ignored: Vec<_> = [(0, 1), (0, 2), (1, 2)].map(|pair| (pair, PairRule::Ignore)).to_vec();
        assert_eq!(of(&[0, 0, 0, 0], &ignored), 4);
    }
}
