//! The response `qp`: its settings, and what it says about a step.

use crate::problem::Method;
use impinge_contact::StateHash;
use impinge_geometry::{DVec3, is_finite};

/// Settings of the response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QpSettings {
    /// Distance that two surfaces keep (m), > 0: each has half of it for its rᵢ of seed 001 §4.2, but for those that state their own
    /// ([`impinge_bodies::Thickness`]).
    pub thickness: f64,
    /// Surfaces that start nearer than that, and edges that start beyond a strain limit, are moved apart or back at this speed (m/s).
    /// Places only: it is no velocity, and what is moved does not go on with it. 0 keeps what they have.
    pub recovery: f64,
    /// Relative KKT residual of each solve.
    pub tolerance: f64,
    /// Most detection passes of a step.
    pub rounds: u32,
    /// How the program of velocities is solved; that of places is always solved by the default. Those of the paper have no friction, and need
    /// not end.
    pub method: Method,
}

impl Default for QpSettings {
    fn default() -> Self {
        Self { thickness: 1e-3, recovery: 0.01, tolerance: 1e-10, rounds: 20, method: Method::PrimalDual }
    }
}

impl QpSettings {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// The reason, with the fix.
    pub fn check(&self) -> Result<(), String> {
        let Self { thickness, recovery, tolerance, rounds, method: _ } = *self;
        if !(thickness > 0.0 && thickness.is_finite()) {
            return Err(format!(
                "the thickness of response 'qp' is {thickness} m; it must be a positive, finite length: surfaces that may touch \
                 cannot be kept apart by rounded numbers"
            ));
        }
        if !(recovery >= 0.0 && recovery.is_finite()) {
            return Err(format!(
                "the recovery speed of response 'qp' is {recovery} m/s; give a finite number of at least 0"
            ));
        }
        if !(tolerance > 0.0 && tolerance < 1.0) {
            return Err(format!(
                "the tolerance of response 'qp' is {tolerance}; give a number between 0 and 1"
            ));
        }
        if rounds == 0 {
            return Err("the response 'qp' needs at least one detection pass".to_string());
        }
        Ok(())
    }
}

/// What the constraints of one step took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QpReport {
    /// Quadratic programs solved: one, and one more for each detection pass that found something.
    pub solves: u32,
    /// Linear systems solved.
    pub iterations: u32,
    /// Factorisations.
    pub factorisations: u32,
    /// Changes of a row from active to inactive or back.
    pub toggles: u32,
    /// Rows of contacts, without those of friction.
    pub rows: u32,
    /// Rows of strain limits.
    pub limits: u32,
    /// Of both, with an impulse.
    pub active: u32,
    /// Largest relative KKT residual of the last program.
    pub residual: f64,
    /// Programs that ended short of the tolerance; their best iterate was used.
    pub unfinished: u32,
    /// Whether the last program was solved, whose answer the step takes.
    pub solved: bool,
    /// The last detection pass found nothing new.
    pub clean: bool,
    /// Bodies and nodes whose way was cut short where it would have penetrated.
    pub cut: u32,
    /// Pairs that touch in spite of all: because they did when the step began, or move on rails.
    pub left: u32,
    /// Quadratic programs solved to move places apart at [`QpSettings::recovery`]; 0 where nothing is too near. The counts above are of
    /// the velocities alone.
    pub place_solves: u32,
    /// Bodies and nodes moved by them.
    pub moved: u32,
    /// Contacts, and edges beyond a strain limit, that were too near and were not moved: they contradict each other, the program ended
    /// short of the tolerance, or its answer leads farther than what is asked can need.
    pub unplaced: u32,
}

/// By how much places are moved at the end of the step, without a velocity; empty where nothing is too near.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceShift {
    /// By node (m); empty where none moves.
    pub nodes: Vec<DVec3>,
    /// Slot of a rigid body, its way (m), and its turn about its centre of mass as a rotation vector (rad); ascending.
    pub bodies: Vec<(u32, DVec3, DVec3)>,
}

impl PlaceShift {
    /// `true` where nothing moves.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.bodies.is_empty()
    }

    /// Nothing moves; keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.bodies.clear();
    }
}

/// Impulse of a contact in the last step: where the next one starts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Multiplier {
    /// List of its features ([`impinge_swept::List`]); one more for planes.
    pub list: u8,
    /// Its stable name.
    pub key: u64,
    /// Along the normal (N·s).
    pub normal: f64,
    /// Friction on the first point, world axes (N·s).
    pub friction: DVec3,
}

/// Multipliers of the contacts that acted in the last step, ascending by list and key. Without them the next step takes more
/// iterations, and other last bits.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Multipliers(pub Vec<Multiplier>);

/// Those of the step in progress; they replace [`Multipliers`] when the step is accepted.
#[derive(Clone, Debug, Default)]
pub struct MultipliersNext(pub Vec<Multiplier>);

impl Multipliers {
    /// Of one contact.
    #[must_use]
    pub fn get(&self, list: u8, key: u64) -> Option<&Multiplier> {
        let i = self.0.binary_search_by_key(&(list, key), |m| (m.list, m.key)).ok()?;
        self.0.get(i)
    }

    /// The same, looked for at place `guess` first, which becomes the one after it: of what is asked for in their order.
    pub(crate) fn next(&self, list: u8, key: u64, guess: &mut usize) -> Option<&Multiplier> {
        let guessed = self.0.get(*guess).filter(|m| (m.list, m.key) == (list, key));
        let found = guessed.or_else(|| {
            let i = self.0.binary_search_by_key(&(list, key), |m| (m.list, m.key)).ok()?;
            *guess = i;
            self.0.get(i)
        });
        *guess += usize::from(found.is_some());
        found
    }

    /// Adds every row to a hash.
    pub fn hash_into(&self, h: &mut StateHash) {
        for m in &self.0 {
            h.word(u64::from(m.list));
            h.word(m.key);
            h.number(m.normal);
            h.vector(m.friction);
        }
    }

    /// Refuses rows that are not finite or not in order.
    ///
    /// # Errors
    /// What is wrong, as a sentence.
    pub fn check(&self) -> Result<(), String> {
        let ascending = self.0.windows(2).all(|w| (w[0].list, w[0].key) < (w[1].list, w[1].key));
        if ascending && self.0.iter().all(|m| m.normal.is_finite() && is_finite(m.friction)) {
            return Ok(());
        }
        Err("the snapshot's multipliers are not finite and in ascending order of key".to_string())
    }
}
