//! The laws that follow from the bodies of a world, in words.

use crate::components::{Dofs, Laws};
use crate::simulation::Simulation;
use impinge_contact::{BodyKind, Damping, PairLaw};
use std::collections::BTreeMap;

/// Laws that are told one by one.
const TOLD: usize = 12;

impl Simulation {
    /// The laws of this world whose numbers follow from its bodies, a sentence each; none where all were given.
    ///
    /// ```
    /// use impinge_world::{BodyDesc, Mass, Simulation};
    /// let mut sim = Simulation::new(1e-3)?;
    /// sim.insert(BodyDesc::plane("floor", [0.0, 0.0, 1.0].into(), 0.0))?;
    /// sim.insert(BodyDesc::ball("ball", 0.1, Mass::Total(1.0), [0.0, 0.0, 0.5])?)?;
    /// let said = sim.suggested_laws();
    /// assert_eq!(said.len(), 1);
    /// assert!(said[0].starts_with("Suggested between 'floor' and 'ball': stiffness "), "{said:?}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn suggested_laws(&self) -> Vec<String> {
        let from = &self.members.from;
        if !from.laws_follow() {
            return Vec::new();
        }
        let (laws, dofs) = (self.column::<Laws>(), self.column::<Dofs>());
        let moves = |slot: usize| !matches!(dofs.bodies.kind[slot], BodyKind::Fixed | BodyKind::Kinematic);
        // Bodies of one material go by the same laws: the first that moves, the first that does not, and one more of either.
        let mut some: BTreeMap<(u32, bool), Vec<usize>> = BTreeMap::new();
        for slot in (0..laws.material.len()).filter(|s| self.members.is_there(*s)) {
            let of = some.entry((laws.material[slot], moves(slot))).or_default();
            if of.len() < 2 {
                of.push(slot);
            }
        }
        let mut slots: Vec<usize> = some.into_values().flatten().collect();
        slots.sort_unstable();
        let mut told: Vec<PairLaw> = Vec::new();
        let (mut out, mut more) = (Vec::new(), 0);
        for (i, &a) in slots.iter().enumerate() {
            for &b in slots[i + 1..].iter().filter(|b| moves(a) || moves(**b)) {
                let Some((number, _)) = laws.of(a as u32, b as u32) else { continue };
                let law = laws.laws[number as usize];
                let suggested = from.laws.laws.is_empty() || !from.laws.laws.contains(&law);
                if !suggested || told.contains(&law) {
                    continue;
                }
                told.push(law);
                if out.len() == TOLD {
                    more += 1;
                    continue;
                }
                out.push(format!(
                    "Suggested between '{}' and '{}': {}, and so between others alike.",
                    self.names[a],
                    self.names[b],
                    numbers(&law)
                ));
            }
        }
        if more > 0 {
            out.push(format!("Suggested besides: {more} more laws."));
        }
        out
    }
}

/// The numbers of a law in words.
fn numbers(law: &PairLaw) -> String {
    let damping = match law.damping.plain() {
        Damping::KelvinVoigt(c) => format!("damping {c:.4e} N·s/m"),
        Damping::HuntCrossley(chi) => format!("dissipation {chi:.4} s/m"),
        Damping::None | Damping::Restitution(_) => "no damping".to_string(),
    };
    let friction = law.friction.map_or("no friction".to_string(), |f| {
        format!("friction {} (held with {:.4e} N/m and {:.4e} N·s/m)", f.mu_s, f.k_fp, f.k_fd)
    });
    let turning = law.turning.map_or(String::new(), |t| {
        format!(", rolling friction {} m, spinning friction {} m", t.rolling, t.spinning)
    });
    format!("stiffness {:.4e} N/m, {damping}, {friction}{turning}", law.stiffness.value())
}
