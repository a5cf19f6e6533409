//! Laws of contact for a program that gives none: as stiff as the step allows, with little rebound.

use crate::alike::identity;
use crate::body::{BodyDesc, Motion};
use crate::builder::Builder;
use impinge_bodies::Shape;
use impinge_bodies::stability::stiffest_rest;
use impinge_contact::PairLaw;
use impinge_geometry::{DMat3, DVec3};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Friction where nothing is said.
pub const FRICTION: f64 = 0.5;

/// Rounds until the contacts that a stiffness leads to are those it was taken for.
const ROUNDS: usize = 8;

/// What was found for bodies before, so that a world that takes in one more looks at that one. Clones of a builder share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found(Arc<Mutex<BTreeMap<Key, Class>>>);

/// The shape, the mass and the inertia of a body, gravity and the step: numbers as their bits.
type Key = (usize, [u64; 3], [u64; 9]);

/// The shape, so that no other one has its address meanwhile, and the exponent of the stiffness.
type Class = (Shape, i32);

/// Which numbers of a law beside its stiffness follow from the bodies ([`Builder::suggest`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Suggested {
    /// The damper along the normal.
    pub damping: bool,
    /// The stiffness of friction's anchors.
    pub friction_stiffness: bool,
    /// Their damper.
    pub friction_damping: bool,
}

impl Suggested {
    /// All of them.
    pub const ALL: Self = Self { damping: true, friction_stiffness: true, friction_damping: true };

    /// A law with these numbers of a suggested one.
    fn put(self, mut law: PairLaw, of: PairLaw) -> PairLaw {
        law.stiffness = of.stiffness;
        if self.damping {
            law.damping = of.damping;
        }
        if let (Some(friction), Some(of)) = (&mut law.friction, of.friction) {
            if self.friction_stiffness {
                friction.k_fp = of.k_fp;
            }
            if self.friction_damping {
                friction.k_fd = of.k_fd;
            }
        }
        law
    }
}

/// How stiff the bodies of a world ask to be met.
struct Classes {
    /// Exponents of stiffnesses, ascending.
    exponents: Vec<i32>,
    /// By body, an index into them.
    of_bodies: Vec<u32>,
}

impl Builder {
    /// Fills in the laws of a world without any, and gives each body its row of them. A body's own stiffness is the power of two below
    /// [`PairLaw::suggested`] for the mass on one of the contacts it rests on; a pair has the softer one. So it depends on no third body, and a body
    /// that comes later changes nothing between the others.
    pub(crate) fn suggest_laws(&mut self) {
        let classes = self.classes();
        let friction = self.friction.unwrap_or(FRICTION);
        let laws = &mut self.laws;
        laws.laws = (classes.exponents.iter())
            .map(|c| PairLaw::of_stiffness(2f64.powi(*c), self.law_dt, friction))
            .collect();
        if laws.laws.is_empty() {
            laws.laws.push(PairLaw::elastic(1.0));
        }
        laws.yields = vec![true; laws.laws.len()];
        laws.materials = laws.laws.len() as u32;
        laws.of_materials =
            (0..laws.materials).flat_map(|i| (0..laws.materials).map(move |j| i.min(j))).collect();
        laws.material = classes.of_bodies;
    }

    /// The same where laws say the rest: a material becomes one for each stiffness.
    pub(crate) fn spread_laws(&mut self) {
        let classes = self.classes();
        let count = classes.exponents.len() as u32;
        if count == 0 {
            // Nothing meets.
            return;
        }
        let (mut spread, mut yields) = (Vec::new(), Vec::new());
        // Where the laws of a given one begin, and whether there is one for each stiffness.
        let mut begins = Vec::new();
        for (number, law) in (0..).zip(&self.laws.laws) {
            let what = self.suggested.iter().find(|s| s.0 == number).map(|s| s.1);
            begins.push((spread.len() as u32, what.is_some()));
            match what {
                None => spread.push(*law),
                Some(what) => spread.extend(classes.exponents.iter().map(|c| {
                    let of = PairLaw::of_stiffness(2f64.powi(*c), self.law_dt, 1.0);
                    what.put(*law, of)
                })),
            }
            let may = what.is_some_and(|w| w.friction_stiffness && w.friction_damping);
            yields.resize(spread.len(), may);
        }
        let laws = &mut self.laws;
        let given = laws.materials;
        let mut table = Vec::with_capacity(laws.of_materials.len() * (count * count) as usize);
        for (i, k) in (0..given).flat_map(|i| (0..count).map(move |k| (i, k))) {
            for (j, l) in (0..given).flat_map(|j| (0..count).map(move |l| (j, l))) {
                let (begin, each) = begins[laws.of_materials[(i * given + j) as usize] as usize];
                table.push(if each { begin + k.min(l) } else { begin });
            }
        }
        for (material, class) in laws.material.iter_mut().zip(&classes.of_bodies) {
            *material = *material * count + class;
        }
        (laws.laws, laws.materials, laws.of_materials) = (spread, given * count, table);
        laws.yields = yields;
    }

    fn classes(&self) -> Classes {
        let weight = self.forces.gravity.mag();
        let mut found = self.found.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known: BTreeMap<Key, Class> = BTreeMap::new();
        let of_bodies: Vec<Option<i32>> = (self.bodies.iter().enumerate())
            .map(|(slot, body)| {
                let mass = lightest(body)?;
                let inertia = match &body.motion {
                    Motion::Rigid { inertia, .. } => *inertia.as_array(),
                    _ => [0.0; 9],
                };
                let numbers = [mass, weight, self.law_dt].map(f64::to_bits);
                let key = (identity(&body.shape, slot), numbers, inertia.map(f64::to_bits));
                let class = known.entry(key).or_insert_with(|| {
                    found.remove(&key).unwrap_or_else(|| {
                        let on_point = mass_on_point(body, mass, weight, self.law_dt);
                        let stiffness = PairLaw::suggested(on_point, self.law_dt, 0.0).stiffness;
                        (body.shape.clone(), power_of_two(stiffness.value()))
                    })
                });
                Some(class.1)
            })
            .collect();
        // Of the bodies that are there, and of no other.
        *found = known;
        let mut exponents: Vec<i32> = of_bodies.iter().flatten().copied().collect();
        exponents.sort_unstable();
        exponents.dedup();
        // What nothing moves is as stiff as the stiffest that meets it.
        let rest = exponents.len().max(1) - 1;
        let of_bodies = (of_bodies.iter())
            .map(|c| c.map_or(rest, |c| exponents.partition_point(|x| *x < c)) as u32)
            .collect();
        Classes { exponents, of_bodies }
    }
}

/// The exponent of the power of two at or below a positive number.
fn power_of_two(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// The mass that a contact acts on (kg): of bodies made of nodes the lightest. `None` for what forces do not move.
fn lightest(body: &BodyDesc) -> Option<f64> {
    let least = |masses: &[f64]| masses.iter().copied().reduce(f64::min);
    match &body.motion {
        Motion::Rigid { mass, .. } => Some(*mass),
        Motion::Particles { masses, .. } => least(masses),
        Motion::Deformable(d) => least(&d.elastic.masses),
        Motion::Fixed | Motion::Kinematic(_) => None,
    }
    .filter(|m| m.is_finite() && *m > 0.0)
}

/// The mass on one of the contacts that a body rests on (kg), less where it rocks on them.
fn mass_on_point(body: &BodyDesc, mass: f64, gravity: f64, dt: f64) -> f64 {
    let (Motion::Rigid { inertia, .. }, Shape::Mesh(shape)) = (&body.motion, &body.shape) else {
        return mass;
    };
    let x: &[DVec3] = shape.mesh.positions();
    let inverse: DMat3 = inertia.inversed();
    let mut on_point = mass;
    for _ in 0..ROUNDS {
        let k = PairLaw::suggested(on_point, dt, 0.0).stiffness.value();
        let rest = stiffest_rest(x, |_| (k, 0.0), mass * gravity, Some((mass, inverse)));
        let now = mass / (rest.contacts.max(1) as f64 * rest.rocking.max(1.0));
        if now >= on_point {
            break;
        }
        on_point = now;
    }
    on_point
}
