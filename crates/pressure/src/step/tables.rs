//! The response `pressure`: settings, what its bodies are, what its friction remembers, what it says about a step.

use crate::energy::Pieces;
use crate::{
    BodyError, BristleLaw, BristleState, Coherence, CompliantBody, ContactSurface, HalfSpace, Motion, Points,
    RigidSurface, Shape as Solid, TractionLaw, Workspace, Wrench,
};
use impinge_bodies::{MeshShape, Shape, Shapes};
use impinge_broadphase::Aabb;
use impinge_contact::{StateHash, SurfaceVelocity};
use impinge_geometry::{DVec3, Pose, is_finite};
use std::sync::Arc;
use thiserror::Error;

/// What yields in a body under the response `pressure`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Yielding {
    /// A field on tets in the body frame, for bodies with a mesh.
    Tets(#[cfg_attr(feature = "serde", serde(with = "crate::stored::shared"))] Arc<CompliantBody>),
    /// A layer on a plane: p = E/H · depth.
    Layer {
        /// E (Pa).
        modulus: f64,
        /// H (m).
        thickness: f64,
    },
}

/// The pressure field of a body.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PressureField {
    /// The field.
    pub yielding: Yielding,
    /// Hunt–Crossley dissipation χ (s/m); `None` leaves it to the law of the pair. Two fields share theirs by modulus:
    /// (E_b χ_a + E_a χ_b)/(E_a + E_b).
    pub dissipation: Option<f64>,
    /// Nobody asked for it: it was chosen so that the response has something to work on, and a warning says so.
    pub assumed: bool,
}

impl PressureField {
    /// A field on tets in the body frame.
    #[must_use]
    pub fn tets(body: CompliantBody) -> Self {
        Self { yielding: Yielding::Tets(Arc::new(body)), dissipation: None, assumed: false }
    }

    /// A layer on a plane.
    #[must_use]
    pub fn layer(modulus: f64, thickness: f64) -> Self {
        Self { yielding: Yielding::Layer { modulus, thickness }, dissipation: None, assumed: false }
    }

    /// With a dissipation χ (s/m).
    #[must_use]
    pub fn dissipation(mut self, chi: f64) -> Self {
        self.dissipation = Some(chi);
        self
    }
}

/// A pressure field, or a surface that meets one, that cannot be worked with.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("body '{body}': {source}")]
pub struct RefusedField {
    /// Name of the body.
    pub body: String,
    /// Why.
    pub source: BodyError,
}

/// When the pressure acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PressureStep {
    /// As it is at the end of the step: solved for with the motion of all bodies by Newton's method on the analytic stiffness.
    /// Stable for any modulus; takes energy out of what is faster than the step.
    #[default]
    Implicit,
    /// As it is at the start of the step. Keeps energy to its order; stable for short steps only.
    Explicit,
    /// Along the path, which Radau IIA follows to the tolerance in as many inner steps as that takes (seed 004 §VIII), at order 5 and more. For
    /// reference: nothing is lost but what damps. Friction is a function of velocity, without memory. Pairs are looked for once, within twice the predicted way; a
    /// touch between two stages of an inner step is not seen. Springs to anchors and drag are those of the start. The scheme of the world moves none of these bodies.
    Radau,
}

impl PressureStep {
    /// The name in a scene file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Implicit => "implicit",
            Self::Explicit => "explicit",
            Self::Radau => "radau",
        }
    }
}

/// Friction on a contact surface. The coefficients are those of the pair's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PressureFriction {
    /// Springs with a memory of the patch: a body that holds does not creep.
    Bristles {
        /// κ (1/m): traction over pressure per stretch.
        stiffness: f64,
        /// τ (s): damping over stiffness.
        damping: f64,
    },
    /// Coulomb's law of the slip velocity alone, made smooth at rest: a body that holds creeps.
    Coulomb {
        /// Speed of the regularisation (m/s).
        regularisation: f64,
        /// Speed over which the coefficient falls from static to kinetic (m/s); 0 for the kinetic one throughout.
        stribeck: f64,
    },
}

impl PressureFriction {
    /// Bristles that let go after a few micrometres and do not ring; for explicit steps soft enough for a millisecond. Along a path, Coulomb's law
    /// smooth below 0.1 mm/s.
    #[must_use]
    pub fn default_for(step: PressureStep) -> Self {
        match step {
            PressureStep::Implicit => Self::Bristles { stiffness: 1e5, damping: 1e-2 },
            PressureStep::Explicit => Self::Bristles { stiffness: 1e4, damping: 2e-3 },
            PressureStep::Radau => Self::Coulomb { regularisation: 1e-4, stribeck: 0.0 },
        }
    }
}

impl Default for PressureFriction {
    fn default() -> Self {
        Self::default_for(PressureStep::Implicit)
    }
}

/// Settings of the response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PressureSettings {
    /// When the pressure acts.
    pub step: PressureStep,
    /// Friction.
    pub friction: PressureFriction,
    /// Residual of the implicit step over the impulses that enter it. A step that is nearer to its solution than places are rounded ends there, with up
    /// to 1e-6: so stiff contacts cannot be met better. Along a path, the error of an inner step: in radii of gyration, in
    /// radii over the step for velocities, and relative; each is held to a tenth of it.
    pub tolerance: f64,
    /// Most Newton iterations of the implicit step.
    pub iterations: u32,
    /// The stored energy is integrated for the ledger: several times the cost of the contact itself.
    pub energy: bool,
}

impl Default for PressureSettings {
    fn default() -> Self {
        Self {
            step: PressureStep::Implicit,
            friction: PressureFriction::default(),
            tolerance: 1e-9,
            iterations: 60,
            energy: true,
        }
    }
}

impl PressureSettings {
    /// Evaluated at the start of the step.
    #[must_use]
    pub fn explicit() -> Self {
        let step = PressureStep::Explicit;
        Self { step, friction: PressureFriction::default_for(step), ..Self::default() }
    }

    /// Along the path, to 1e-6.
    #[must_use]
    pub fn radau() -> Self {
        let step = PressureStep::Radau;
        Self { step, friction: PressureFriction::default_for(step), tolerance: 1e-6, ..Self::default() }
    }

    /// Refuses what makes no sense.
    ///
    /// # Errors
    /// The reason, with the fix.
    pub fn check(&self) -> Result<(), String> {
        let numbers = match self.friction {
            PressureFriction::Bristles { stiffness, damping } => {
                if !(stiffness > 0.0 && stiffness.is_finite()) {
                    return Err(format!(
                        "the bristle stiffness of response 'pressure' is {stiffness} 1/m; it must be a positive, finite number"
                    ));
                }
                if self.step == PressureStep::Radau {
                    return Err(
                        "bristles remember, and Radau's method follows forces that are functions of where bodies are and how they \
                         move; take Coulomb friction, or the implicit step"
                            .to_string(),
                    );
                }
                [("bristle damping", damping, "s"), ("", 0.0, "")]
            }
            PressureFriction::Coulomb { regularisation, stribeck } => {
                if regularisation == 0.0 && self.step != PressureStep::Explicit {
                    return Err(
                        "friction without regularisation jumps at rest, which neither the implicit step of response 'pressure' nor \
                         Radau's can solve; give a speed (1e-4 m/s), or take bristles"
                            .to_string(),
                    );
                }
                [("friction regularisation", regularisation, "m/s"), ("Stribeck speed", stribeck, "m/s")]
            }
        };
        for (name, x, unit) in numbers {
            if !(x >= 0.0 && x.is_finite()) {
                return Err(format!(
                    "the {name} of response 'pressure' is {x} {unit}; give a finite number of at least 0"
                ));
            }
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(format!(
                "the tolerance of response 'pressure' is {}; give a number between 0 and 1",
                self.tolerance
            ));
        }
        if self.iterations == 0 {
            return Err("the response 'pressure' needs at least one Newton iteration".to_string());
        }
        Ok(())
    }
}

/// A body as the response sees it.
#[derive(Clone, Debug)]
pub struct PressureBody {
    /// Field, rigid surface or half space, in the body frame.
    pub solid: Arc<Solid>,
    /// χ (s/m), if the body has its own.
    pub dissipation: Option<f64>,
    /// Box of all of it, field and mesh, in the body frame; empty for planes.
    pub bounds: Aabb,
}

impl PressureBody {
    /// Its field on tets; `None` of what has none.
    #[must_use]
    pub fn field(&self) -> Option<&CompliantBody> {
        match &*self.solid {
            Solid::Compliant(field) => Some(field),
            Solid::Rigid(_) | Solid::HalfSpace(_) => None,
        }
    }
}

/// Bodies by slot; `None` for those that the response leaves out. The rigid ones are made when a response asks for them.
#[derive(Clone, Debug, Default)]
pub struct PressureBodies {
    /// By slot.
    pub bodies: Vec<Option<PressureBody>>,
    fields: Vec<Option<PressureField>>,
}

impl PressureBodies {
    /// With the fields of a world's bodies.
    #[must_use]
    pub fn new(fields: Vec<Option<PressureField>>) -> Self {
        Self { bodies: Vec::new(), fields }
    }

    /// Slots whose fields were assumed, with them.
    pub fn assumed(&self) -> impl Iterator<Item = (usize, &PressureField)> {
        let all = self.fields.iter().enumerate().filter_map(|(i, f)| Some((i, f.as_ref()?)));
        all.filter(|(_, f)| f.assumed)
    }

    /// Makes what the response works on; `names` and `shapes` by slot.
    ///
    /// # Errors
    /// The first body whose field or surface is refused.
    pub fn make(&mut self, names: &[String], shapes: &Shapes) -> Result<(), RefusedField> {
        if self.bodies.len() == shapes.0.len() {
            return Ok(());
        }
        let mut rigid: Vec<(*const MeshShape, Arc<Solid>)> = Vec::new();
        let mut soft: Vec<(*const CompliantBody, Arc<Solid>)> = Vec::new();
        let mut bodies = Vec::with_capacity(shapes.0.len());
        for (slot, shape) in shapes.0.iter().enumerate() {
            let field = self.fields.get(slot).and_then(Option::as_ref);
            let dissipation = field.and_then(|f| f.dissipation);
            let refused = |source| RefusedField { body: names[slot].clone(), source };
            let body = match (shape, field.map(|f| &f.yielding)) {
                (Shape::Mesh(m), Some(Yielding::Tets(t))) => {
                    let (lo, hi) = t.mesh().bounds();
                    let bounds = m.bounds.union(&Aabb::new(lo, hi));
                    let at = Arc::as_ptr(t);
                    let solid = soft.iter().find(|r| std::ptr::eq(r.0, at)).map(|r| r.1.clone());
                    let solid = solid.unwrap_or_else(|| {
                        let made = Arc::new(Solid::from(CompliantBody::clone(t)));
                        soft.push((at, made.clone()));
                        made
                    });
                    Some((solid, bounds))
                }
                (Shape::Mesh(m), _) => {
                    let known = rigid.iter().find(|r| std::ptr::eq(r.0, Arc::as_ptr(m))).map(|r| r.1.clone());
                    let solid = match known {
                        Some(s) => s,
                        None => {
                            let made = if m.open {
                                RigidSurface::open(m.mesh.clone())
                            } else {
                                RigidSurface::new(m.mesh.clone())
                            };
                            let made = made.map_err(refused)?;
                            let made = Arc::new(Solid::from(made));
                            rigid.push((Arc::as_ptr(m), made.clone()));
                            made
                        }
                    };
                    Some((solid, m.bounds))
                }
                (Shape::Plane { normal, offset }, yielding) => {
                    let half = match yielding {
                        Some(Yielding::Layer { modulus, thickness }) => {
                            HalfSpace::layer(*normal, *offset, *modulus, *thickness)
                        }
                        _ => HalfSpace::rigid(*normal, *offset),
                    };
                    Some((Arc::new(Solid::from(half.map_err(refused)?)), Aabb::empty()))
                }
                (Shape::Soft(_) | Shape::Points { .. }, _) => None,
            };
            bodies.push(body.map(|(solid, bounds)| PressureBody { solid, dissipation, bounds }));
        }
        self.bodies = bodies;
        Ok(())
    }
}

/// The contact surface of a pair, with what is kept for the next search. No result depends on what is kept.
#[derive(Clone, Debug)]
pub struct PressurePatch {
    /// Lower slot.
    pub a: u32,
    /// Higher slot.
    pub b: u32,
    /// Row in the pair table.
    pub pair: u32,
    /// The polygons.
    pub surface: ContactSurface,
    /// Damped pressure on `a` (N, N·m).
    pub normal: Wrench,
    /// Friction on `a`.
    pub friction: Wrench,
    /// Part of the pressing force under points that slide; 1 under a law without memory.
    pub sliding: f64,
    /// Of `a` against `b` when they were taken.
    pub motion: Motion,
    /// Damping and friction.
    pub law: PatchLaw,
    pub(crate) before: BristleState,
    pub(crate) next: BristleState,
    pub(crate) energy: f64,
    pub(crate) coherence: Coherence,
    pub(crate) workspace: Workspace,
    pub(crate) points: Points,
    pub(crate) pieces: Pieces,
}

/// The laws of a pair.
#[derive(Clone, Copy, Debug)]
pub struct PatchLaw {
    /// Damped pressure and friction without memory.
    pub law: TractionLaw,
    /// What [`Points`] sums: the bristles, or nothing but the pressure where there is no friction; `None` under friction without memory.
    pub summed: Option<BristleLaw>,
    /// How the surfaces of the two bodies move against them, where they do.
    pub surface_velocity: [Option<SurfaceVelocity>; 2],
}

impl PatchLaw {
    /// Friction with memory.
    #[must_use]
    pub fn bristles(&self) -> Option<&BristleLaw> {
        self.summed.as_ref().filter(|l| l.stiffness > 0.0)
    }
}

/// The contact surfaces of a step, ascending by pair; empty ones are kept with the pairs that are near.
#[derive(Clone, Debug, Default)]
pub struct PressurePatches(pub Vec<PressurePatch>);

/// What the friction of each patch remembers, ascending by its pair of slots; and how the last step changed velocity (m/s) and
/// angular momentum (N·m·s) of bodies by slot, where the next step is expected to change them alike: its solve starts from there.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bristles(pub Vec<([u32; 2], BristleState)>, pub Vec<(u32, [DVec3; 2])>);

/// Those of the step in progress; they replace [`Bristles`] when the step is accepted.
#[derive(Clone, Debug, Default)]
pub struct BristlesNext(pub Vec<([u32; 2], BristleState)>, pub Vec<(u32, [DVec3; 2])>);

impl Bristles {
    /// Of a pair of slots, lower first; the default where there is none.
    #[must_use]
    pub fn get(&self, pair: [u32; 2]) -> BristleState {
        self.0.binary_search_by_key(&pair, |r| r.0).map_or_else(|_| BristleState::default(), |i| self.0[i].1)
    }

    /// The changes of a slot's velocity and angular momentum; zero where there are none.
    pub(crate) fn change(&self, slot: usize) -> [DVec3; 2] {
        let found = self.1.binary_search_by_key(&slot, |c| c.0 as usize);
        found.map_or([DVec3::zero(); 2], |i| self.1[i].1)
    }

    /// Adds every row to a hash.
    pub fn hash_into(&self, h: &mut StateHash) {
        for ([a, b], s) in &self.0 {
            h.word(u64::from(*a) << 32 | u64::from(*b));
            [s.shift, s.turn, s.centre].into_iter().for_each(|v| h.vector(v));
        }
        for (slot, change) in &self.1 {
            h.word(u64::from(*slot));
            change.iter().for_each(|&v| h.vector(v));
        }
    }

    /// Refuses rows that are not finite, not in order, or about bodies that are not there.
    ///
    /// # Errors
    /// What is wrong, as a sentence.
    pub fn check(&self, bodies: usize) -> Result<(), String> {
        let ascending = self.0.windows(2).all(|w| w[0].0 < w[1].0);
        let fits = self.0.iter().all(|([a, b], s)| {
            a < b && (*b as usize) < bodies && [s.shift, s.turn, s.centre].into_iter().all(is_finite)
        });
        let changes = self.1.windows(2).all(|w| w[0].0 < w[1].0)
            && self.1.iter().all(|(s, c)| (*s as usize) < bodies && c.iter().all(|&v| is_finite(v)));
        if ascending && fits && changes {
            return Ok(());
        }
        Err("the snapshot's bristles or changes are not finite, not in ascending order, or about bodies this world does not have"
            .to_string())
    }
}

/// Where Radau's method put the bodies it moved in this step, by slot; empty for other steps.
#[derive(Clone, Debug, Default)]
pub struct PathEnds(pub Vec<Option<Pose>>);

/// What the pressure of one step took and holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PressureReport {
    /// Pairs that touch.
    pub patches: u32,
    /// Polygons of all contact surfaces.
    pub polygons: u32,
    /// Newton iterations.
    pub iterations: u32,
    /// Contact surfaces computed.
    pub queries: u32,
    /// Tangents assembled; an iteration that is expected to be the last may use the one before. Along a path, Jacobians.
    pub tangents: u32,
    /// Iterations of the linear solver, or solves with its factor. Along a path, inner steps.
    pub linear: u32,
    /// Residual of the implicit step over the impulses that enter it; what is rounding counts as the tolerance.
    pub residual: f64,
    /// The implicit step ended short of the tolerance; the last iterate was used.
    pub unfinished: bool,
    /// U (J); 0 where it is not asked for.
    pub energy: f64,
    /// Largest pressure (Pa).
    pub max_pressure: f64,
}
