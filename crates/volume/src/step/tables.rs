//! The responses `volume` and `volume-penalty`: their settings, what they say about a step, and the impulses that the next one
//! starts from.

use crate::{CellGrid, ContactFrame, FrictionAt, Overlap, Walls};
use impinge_contact::StateHash;
use impinge_geometry::{DVec3, is_finite};

/// How intersections are measured (seed 002 §3.2, 5).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measurement {
    /// Edge of the grid's cells (m), each a contact of its own; `None` has none.
    pub cell: Option<f64>,
    /// Whether each place where a pair meets, a volume that hangs together, is a contact of its own under the response `volume`, with cells each place
    /// in each of them ([`crate::Exact::by_place`]); otherwise a pair, or a cell, is one contact, as in the paper. `None`: where there are no
    /// cells. `volume-penalty` has one energy for all in any case: it would jump where two places become one.
    pub by_place: Option<bool>,
    /// Distance of the rays of layered depth images (m); `None` integrates the polyhedra exactly.
    pub pixel: Option<f64>,
    /// Part of a pair's volume that it may be off, certified: pixels start coarse and get finer, pair by pair, as far as `pixel`
    /// ([`crate::Adaptive`]). `None` has all of them at `pixel`. A body that meets itself has them there in any case.
    pub error: Option<f64>,
    /// A mean of the three directions of an image, which is several times as fast and does not hold a stack of flat boxes; otherwise they are held to what
    /// they prove together ([`crate::LayeredDepth::weighed`]). A body that meets itself has the mean in any case. Under `volume` directions weigh by the
    /// squares of what a cell pushes along: of a thin layer the rays along it say nothing. Under `volume-penalty` they weigh alike, as in the paper.
    pub plain_mean: bool,
    /// Every so many steps pairs are measured exactly as well, and the report has the difference. `None` measures by images alone.
    pub compare: Option<u32>,
    /// What the walls of cells move with under the response `volume`. With [`Walls::Carried`] it also joins cells that are narrow beside their depth to
    /// those beside them ([`crate::Overlap::join_slivers`]); [`Walls::Shared`] is the paper's, each cell by itself. `volume-penalty` has
    /// the paper's in any case: an energy would jump where two cells become one, and know nothing of a cell without a push.
    pub walls: Walls,
}

impl Measurement {
    fn check(&self, response: &str) -> Result<(), String> {
        for (what, value) in [("cell", self.cell), ("pixel", self.pixel)] {
            if let Some(v) = value.filter(|v| !(*v > 0.0 && v.is_finite())) {
                return Err(format!(
                    "the {what} of response '{response}' is {v} m; give a positive, finite length"
                ));
            }
        }
        match self.error {
            Some(e) if !(e > 0.0 && e < 1.0) => Err(format!(
                "the error of response '{response}' is {e}; give a part of the volume, between 0 and 1"
            )),
            Some(_) if self.pixel.is_none() => Err(format!(
                "response '{response}' has an error and no pixel, and exact volumes have none: give a pixel, the finest that the error may ask for"
            )),
            _ if self.pixel.is_none() && (self.plain_mean || self.compare.is_some()) => Err(format!(
                "response '{response}' says what is made of images and has no pixel: volumes are exact; give a pixel"
            )),
            Some(_) if self.plain_mean => Err(format!(
                "response '{response}' has an error, which certifies images, and takes their plain mean; take one of them out"
            )),
            _ if self.compare == Some(0) => Err(format!(
                "response '{response}' compares images with exact volumes every 0 steps; give 1 or more, or `None`"
            )),
            _ => Ok(()),
        }
    }

    /// Whether places are told apart under the response `volume`.
    #[must_use]
    pub fn tells_places(&self) -> bool {
        self.by_place.unwrap_or(self.cell.is_none())
    }

    /// The grid. Walls are half a cell off the origin: what stands on z = 0 or is centred there is not cut where it touches.
    #[must_use]
    pub fn grid(&self) -> Option<CellGrid> {
        self.cell.map(|size| CellGrid { origin: DVec3::broadcast(0.5 * size), size, walls: self.walls })
    }
}

/// Settings of the response `volume`: constraints on intersection volume (seed 002).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeSettings {
    /// How volumes are measured.
    pub measure: Measurement,
    /// Mean depth that resting contacts keep (m): V̄ of (19) is this times the contact's area (§4.3). A soft surface in cells
    /// coarser than its mesh may not come to rest where this is too small (it flickers).
    pub depth: f64,
    /// Fastest way out of what overlaps deeper (m/s); `None` moves it out within one step. Positions only: it is no velocity.
    pub recovery: Option<f64>,
    /// Where friction acts.
    pub friction_at: FrictionAt,
    /// The paper's four-sided pyramid (21) instead of the round cone.
    pub pyramid: bool,
    /// Relative residual of the contact law ([`impinge_solvers::mlcp::ContactProblem::residual`]).
    pub tolerance: f64,
    /// Most iterations of one solve.
    pub iterations: u32,
    /// Most passes of the position stabilisation.
    pub passes: u32,
}

impl Default for VolumeSettings {
    fn default() -> Self {
        Self {
            measure: Measurement::default(),
            depth: 1e-4,
            recovery: None,
            friction_at: FrictionAt::Center,
            pyramid: false,
            tolerance: 1e-10,
            iterations: 500,
            passes: 40,
        }
    }
}

impl VolumeSettings {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// The reason, with the fix.
    pub fn check(&self) -> Result<(), String> {
        self.measure.check("volume")?;
        if !(self.depth > 0.0 && self.depth.is_finite()) {
            return Err(format!(
                "the depth of response 'volume' is {} m; it must be a positive, finite length: bodies that do not overlap \
                 have no volume to push with",
                self.depth
            ));
        }
        if let Some(p) = self.measure.pixel.filter(|p| self.depth < 0.5 * p) {
            return Err(format!(
                "the depth of response 'volume' is {} m and a pixel {p} m; rays see nothing thinner than half a pixel: raise the depth \
                 or lower the pixel",
                self.depth
            ));
        }
        if let Some(v) = self.recovery.filter(|v| !(*v > 0.0 && v.is_finite())) {
            return Err(format!(
                "the recovery speed of response 'volume' is {v} m/s; give a positive number"
            ));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(format!(
                "the tolerance of response 'volume' is {}; give a number between 0 and 1",
                self.tolerance
            ));
        }
        if self.iterations == 0 || self.passes == 0 {
            return Err("the response 'volume' needs at least one iteration and one pass".to_string());
        }
        Ok(())
    }
}

/// Friction of the response `volume-penalty`. The coefficients are those of the pair's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VolumeFriction {
    /// A spring with a memory for each cell: a body that holds does not creep.
    Bristles {
        /// κ (1/m): friction over normal force per stretch.
        stiffness: f64,
        /// τ (s): damping over stiffness.
        damping: f64,
    },
    /// The paper's: the viscosity across the normal, up to Coulomb's bound. What holds creeps; without viscosity nothing rubs.
    Viscous,
}

impl VolumeFriction {
    /// Bristles that are stable in explicit steps of a millisecond: those of explicit pressure fields.
    pub const BRISTLES: Self = Self::Bristles { stiffness: 1e4, damping: 2e-3 };
}

/// Settings of the response `volume-penalty`: the energy ½kV² of each cell (seed 002 (15)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumePenaltySettings {
    /// How volumes are measured.
    pub measure: Measurement,
    /// k (Pa/m³): pressure for each volume.
    pub stiffness: f64,
    /// ν (Pa·s/m³): pressure against the rate of (20), along the normal; across it with [`VolumeFriction::Viscous`].
    pub viscosity: f64,
    /// The law of friction.
    pub friction: VolumeFriction,
}

impl Default for VolumePenaltySettings {
    fn default() -> Self {
        Self {
            measure: Measurement::default(),
            stiffness: 1e9,
            viscosity: 0.0,
            friction: VolumeFriction::BRISTLES,
        }
    }
}

impl VolumePenaltySettings {
    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// The reason, with the fix.
    pub fn check(&self) -> Result<(), String> {
        self.measure.check("volume-penalty")?;
        if !(self.stiffness > 0.0 && self.stiffness.is_finite()) {
            return Err(format!(
                "the stiffness of response 'volume-penalty' is {} Pa/m³; give a positive, finite number",
                self.stiffness
            ));
        }
        if !(self.viscosity >= 0.0 && self.viscosity.is_finite()) {
            return Err(format!(
                "the viscosity of response 'volume-penalty' is {} Pa·s/m³; give a finite number of at least 0",
                self.viscosity
            ));
        }
        if let VolumeFriction::Bristles { stiffness, damping } = self.friction
            && !(stiffness > 0.0 && stiffness.is_finite() && damping >= 0.0 && damping.is_finite())
        {
            return Err(format!(
                "the bristles of response 'volume-penalty' have a stiffness of {stiffness} 1/m and a damping of {damping} s; the one must be \
                 positive, the other at least 0, both finite"
            ));
        }
        Ok(())
    }
}

/// What the volume responses did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VolumeReport {
    /// Cells with volume at the start of the step: contacts.
    pub cells: u32,
    /// Of these, with an impulse.
    pub active: u32,
    /// Cells whose pushes cancel (one body inside the other, or pierced): there is no way out, and nothing pushes.
    pub contained: u32,
    /// Groups of contacts that share no body.
    pub islands: u32,
    /// Iterations of all solves for velocities.
    pub iterations: u32,
    /// Largest relative residual of the contact law over the groups.
    pub residual: f64,
    /// Groups that ended short of the tolerance; their best iterate was used.
    pub unfinished: u32,
    /// The pair (slots) of the one of these that ended with the largest residual.
    pub unfinished_by: Option<[u32; 2]>,
    /// The pair that is pressed hardest (slots) where driven bodies press something that has no way to go: no impulses meet all contacts, and those of that
    /// group say nothing.
    pub pressed: Option<[u32; 2]>,
    /// Passes of the position stabilisation that moved something.
    pub passes: u32,
    /// Intersection volume above V̄ when the step ends (m³); 0 when stabilisation met its aim. Cells without a way out are not in it.
    pub left: f64,
    /// The pair (slots) that has most of it.
    pub left_by: Option<[u32; 2]>,
    /// Intersection volume when the step ends (m³).
    pub volume: f64,
    /// Largest mean depth of a cell when the step ends (m).
    pub depth: f64,
    /// Pairs that would have passed each other within the step and ended it where they meet, their way shortened.
    pub stopped: u32,
    /// Largest relative error of the volume of a pair by layered depth images against the exact one, at the start of the step; `None`
    /// in steps that compare nothing ([`Measurement::compare`]). A body that meets itself is not in it.
    pub image_error: Option<f64>,
    /// Largest certified bound of the volume's error, b, over the measured volume: over the exact one the error is at most b/(1 − b). Pairs in
    /// which no ray saw a volume are left out. `None` where there are no images or none that is certified ([`Measurement::plain_mean`]).
    pub image_bound: Option<f64>,
    /// Pairs for which the finest pixel could not certify the error asked for, those that may overlap unseen among them.
    pub uncertified: u32,
}

/// The intersection of one pair, with what is needed to push it apart.
#[derive(Clone, Debug, Default)]
pub struct MeasuredPair {
    /// Lower slot and higher slot: sides 0 and 1. Twice the same for a body that meets itself; its sides are the sheets that face each other.
    pub bodies: [u32; 2],
    /// Row in the pair-law table.
    pub law: u32,
    /// Volumes and gradients by cell.
    pub overlap: Overlap,
    /// Contact frame of each cell; `None` where the pushes cancel.
    pub frames: Vec<Option<ContactFrame>>,
    /// Of both sides: the vertices that `overlap` names (m), in the order of their numbers there. A plane is a box that covers the other body.
    pub x: [Vec<DVec3>; 2],
    /// Their numbers in the bodies, ascending.
    pub vertices: [Vec<u32>; 2],
}

/// Part of a pair's volume that a cell must have to be a contact: below it is what rounding leaves at a wall.
const NOTHING: f64 = 1e-9;

impl MeasuredPair {
    /// Cells with volume.
    pub fn cells(&self) -> impl Iterator<Item = usize> + '_ {
        let least = NOTHING * self.overlap.volume();
        let cells = self.overlap.cells().iter().enumerate();
        cells.filter(move |(_, c)| c.volume > least).map(|(i, _)| i)
    }

    /// Numbers the vertices that the overlap names anew, from those of the bodies, whose positions are `x` (m): few of a fine mesh.
    pub(crate) fn pack(&mut self, x: [&[DVec3]; 2]) {
        for side in 0..2 {
            let names = &mut self.vertices[side];
            names.clear();
            (0..self.overlap.cells().len()).for_each(|c| names.extend(self.overlap.gradient(c, side).0));
            names.sort_unstable();
            names.dedup();
            self.x[side].clear();
            self.x[side].extend(names.iter().map(|&v| x[side][v as usize]));
            self.overlap.renumber(side, |v| names.partition_point(|&w| w < v) as u32);
        }
    }

    /// The same as another, in the memory that is there.
    pub(crate) fn copy(&mut self, of: &Self) {
        (self.bodies, self.law) = (of.bodies, of.law);
        self.overlap.copy(&of.overlap);
        self.frames.clone_from(&of.frames);
        self.x.iter_mut().zip(&of.x).for_each(|(x, of)| x.clone_from(of));
        self.vertices.iter_mut().zip(&of.vertices).for_each(|(v, of)| v.clone_from(of));
    }
}

/// The intersections of the step, by pair.
#[derive(Clone, Debug, Default)]
pub struct Overlaps {
    /// Pairs with volume, ascending.
    pub pairs: Vec<MeasuredPair>,
    /// See [`VolumeReport::image_error`].
    pub image_error: Option<f64>,
    /// See [`VolumeReport::image_bound`].
    pub image_bound: Option<f64>,
    /// See [`VolumeReport::uncertified`].
    pub uncertified: u32,
}

impl Overlaps {
    /// A report that knows how good the images are, and nothing else.
    #[must_use]
    pub fn report(&self) -> VolumeReport {
        VolumeReport {
            image_error: self.image_error,
            image_bound: self.image_bound,
            uncertified: self.uncertified,
            ..VolumeReport::default()
        }
    }
}

/// What stands for a pair of slots in the name of a cell; `count` is the number of slots.
#[must_use]
pub fn pair_id([a, b]: [u32; 2], count: usize) -> u32 {
    (u64::from(a) * count as u64 + u64::from(b)) as u32 & 0x3f_ffff
}

/// Impulse of a cell in the last step: where the next solve of `volume` starts, and what the bristles of `volume-penalty` remember.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CellImpulse {
    /// Lower slot, higher slot.
    pub bodies: [u32; 2],
    /// Which cell of the grid; zeros without one.
    pub cell: [i32; 3],
    /// Which place, where places are told apart ([`crate::Cell::part`]); 0 for others.
    #[cfg_attr(feature = "serde", serde(default))]
    pub part: u32,
    /// Along the normal (N·s).
    pub normal: f64,
    /// Friction on the lower slot, world axes (N·s). Under `volume-penalty` the part that the cell's bristle carries.
    pub friction: DVec3,
    /// The cell's bristle slid: the kinetic coefficient bounds it until it holds. Of `volume-penalty`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub slides: bool,
}

/// Impulses of the cells that acted in the last step, ascending by bodies and cell.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CellImpulses(pub Vec<CellImpulse>);

/// Those of the step in progress; they replace [`CellImpulses`] when the step is accepted.
#[derive(Clone, Debug, Default)]
pub struct CellImpulsesNext(pub Vec<CellImpulse>);

impl CellImpulses {
    /// Of one cell.
    #[must_use]
    pub fn get(&self, bodies: [u32; 2], cell: [i32; 3], part: u32) -> Option<&CellImpulse> {
        let i = self.0.binary_search_by_key(&(bodies, cell, part), |m| (m.bodies, m.cell, m.part)).ok()?;
        self.0.get(i)
    }

    /// Adds every row to a hash.
    pub fn hash_into(&self, h: &mut StateHash) {
        for m in &self.0 {
            m.bodies.iter().for_each(|b| h.word(u64::from(*b)));
            m.cell.iter().for_each(|c| h.word(*c as u32 as u64));
            // Places that are not told apart are 0, and only bristles slide: all else keeps the hash it had.
            let flags = u64::from(m.part) | u64::from(m.slides) << 32;
            if flags != 0 {
                h.word(flags);
            }
            h.number(m.normal);
            h.vector(m.friction);
        }
    }

    /// Refuses rows that are not finite or not in order.
    ///
    /// # Errors
    /// What is wrong, as a sentence.
    pub fn check(&self) -> Result<(), String> {
        let ascending = self.0.windows(2).all(|w| {
            let name = |m: &CellImpulse| (m.bodies, m.cell, m.part);
            name(&w[0]) < name(&w[1])
        });
        if ascending && self.0.iter().all(|m| m.normal.is_finite() && is_finite(m.friction)) {
            return Ok(());
        }
        Err("the snapshot's cell impulses are not finite and in ascending order of bodies and cell"
            .to_string())
    }
}
