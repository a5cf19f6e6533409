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
pub(crate) const FRICTION: f64 = 0.5;

/// Rounds until the contacts that a stiffness leads to are those it was taken for.
const ROUNDS: usize = 8;

/// What was found for bodies before, so that a world that takes in one more looks at that one. Clones of a builder share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found(Arc<Mutex<BTreeMap<Key, Class>>>);

/// The shape, the mass and the inertia of a body, gravity and the step: numbers as their bits.
type Key = (usize, [u64; 3], [u64; 9]);

/// The shape, so that no other one has its address meanwhile, and the exponent of the stiffness.
type Class = (Shape, i32);

impl Builder {
    /// Fills in the laws of a world without any, and gives each body its row of them. A body's own stiffness is the power of two below
    /// [`PairLaw::suggested`] for the mass on one of the contacts it rests on; a pair has the softer one. So it depends on no third body, and a body
    /// that comes later changes nothing between the others.
    pub(crate) fn suggest_laws(&mut self) {
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
        drop(found);
        let mut classes: Vec<i32> = of_bodies.iter().flatten().copied().collect();
        classes.sort_unstable();
        classes.dedup();
        // What nothing moves is as stiff as the stiffest that meets it.
        let rest = classes.len().max(1) - 1;
        let friction = self.friction.unwrap_or(FRICTION);
        let laws = &mut self.laws;
        laws.laws =
            classes.iter().map(|c| PairLaw::of_stiffness(2f64.powi(*c), self.law_dt, friction)).collect();
        if laws.laws.is_empty() {
            laws.laws.push(PairLaw::elastic(1.0));
        }
        laws.materials = laws.laws.len() as u32;
        laws.of_materials =
            (0..laws.materials).flat_map(|i| (0..laws.materials).map(move |j| i.min(j))).collect();
        laws.material = (of_bodies.iter())
            .map(|c| c.map_or(rest, |c| classes.partition_point(|x| *x < c)) as u32)
            .collect();
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
