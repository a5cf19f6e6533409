//! Laws of contact for a program that gives none: as stiff as the step allows, with little rebound.

use crate::alike::identity;
use crate::asked::Asked;
use crate::body::Motion;
use crate::builder::Builder;
use impinge_bodies::Shape;
use impinge_contact::PairLaw;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Friction where nothing is said.
pub const FRICTION: f64 = 0.5;

/// What was found for bodies before, so that a world that takes in one more looks at that one. Clones of a builder share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found(Arc<Mutex<BTreeMap<Key, Class>>>);

/// The shape, the mass and the inertia of a body, gravity and the step: numbers as their bits.
type Key = (usize, [u64; 3], [u64; 9]);

/// The shape, so that no other one has its address meanwhile, and what it asks for.
type Class = (Shape, Asked);

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
    /// How many kinds of bodies there are.
    count: u32,
    /// By body, its kind.
    of_bodies: Vec<u32>,
    /// By two kinds, an index into the exponents.
    of_pairs: Vec<u32>,
}

impl Builder {
    /// Fills in the laws of a world without any, and gives each body its row of them. A body asks for a power of two below [`PairLaw::suggested`] for the
    /// mass on one of the contacts it rests on, vertices of the other one among them; a pair has the softer one. So it depends on no third body, and
    /// a body that comes later changes nothing between the others.
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
        laws.materials = classes.count;
        laws.of_materials = classes.of_pairs;
        laws.material = classes.of_bodies;
    }

    /// The same where laws say the rest: a material becomes one for each stiffness.
    pub(crate) fn spread_laws(&mut self) {
        let classes = self.classes();
        let count = classes.count;
        if classes.exponents.is_empty() {
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
                table.push(if each { begin + classes.of_pairs[(k * count + l) as usize] } else { begin });
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
        let of_bodies: Vec<Asked> = (self.bodies.iter().enumerate())
            .map(|(slot, body)| {
                let (mass, inertia) = match &body.motion {
                    Motion::Rigid { mass, inertia, .. } => (*mass, *inertia.as_array()),
                    Motion::Fixed | Motion::Kinematic(_) => (0.0, [0.0; 9]),
                    Motion::Particles { masses, .. } => (least(masses), [0.0; 9]),
                    Motion::Deformable(d) => (least(&d.elastic.masses), [0.0; 9]),
                };
                let numbers = [mass, weight, self.law_dt].map(f64::to_bits);
                let key = (identity(&body.shape, slot), numbers, inertia.map(f64::to_bits));
                let class = known.entry(key).or_insert_with(|| {
                    let new = || (body.shape.clone(), Asked::of(body, mass, weight, self.law_dt));
                    found.remove(&key).unwrap_or_else(new)
                });
                class.1
            })
            .collect();
        // Of the bodies that are there, and of no other.
        *found = known;
        let mut kinds = of_bodies.clone();
        kinds.sort_unstable();
        kinds.dedup();
        let row = |a: &Asked| kinds.iter().map(|b| a.between(b)).collect::<Vec<Option<i32>>>();
        let rows: Vec<_> = kinds.iter().map(row).collect();
        // Bodies that are met alike by all are of one kind.
        let mut alike: BTreeMap<&[Option<i32>], usize> = BTreeMap::new();
        for (k, row) in rows.iter().enumerate() {
            alike.entry(row).or_insert(k);
        }
        let (same, first): (Vec<&[Option<i32>]>, Vec<usize>) = alike.into_iter().unzip();
        let mut exponents: Vec<i32> = rows.iter().flatten().flatten().copied().collect();
        exponents.sort_unstable();
        exponents.dedup();
        // What forces do not move never meets its like.
        let at = |e: Option<i32>| e.map_or(0, |e| exponents.partition_point(|x| *x < e)) as u32;
        let of_pairs = first.iter().flat_map(|a| first.iter().map(|b| at(rows[*a][*b]))).collect();
        let kind = |asked: &Asked| {
            let row = &rows[kinds.partition_point(|k| k < asked)];
            same.partition_point(|r| *r < &row[..]) as u32
        };
        let of_bodies = of_bodies.iter().map(kind).collect();
        let count = first.len() as u32;
        Classes { exponents, count, of_bodies, of_pairs }
    }
}

/// The mass that a contact acts on, of bodies made of nodes (kg).
fn least(masses: &[f64]) -> f64 {
    masses.iter().copied().reduce(f64::min).unwrap_or(0.0)
}
