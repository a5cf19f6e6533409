//! A response to contact: what the step asks of one, and the value that a world holds.
//!
//! Whatever the step knows of a response it asks through [`ContactResponse`]. The responses of this project are one folder each under
//! `responses/`; one of somebody's own implements the same trait.

use crate::adapters::Names;
use crate::body_data::DataKind;
use crate::build_error::BuildError;
use crate::part::Part;
use crate::pipeline::Pipeline;
use crate::reader::{ContactReader, Pieces, Silent};
use crate::seen::{Seen, SeenBody};
use crate::tables::Table;
use hecs::{Entity, World};
use impinge_bodies::{Directions, Shape, ShapeKind};
use impinge_contact::PairLaw;
use impinge_geometry::DVec3;
use impinge_integrators::Scheme;
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A response to contact with its settings. Methods with a body are for responses that have something to say there.
#[doc(alias("contact solver", "collision response"))]
pub trait ContactResponse: Any + fmt::Debug + Send + Sync {
    /// Its name in scene files, on the command line and in messages.
    fn name(&self) -> &'static str;

    /// In which directions it can test a pair of shapes.
    fn directions(&self, first: ShapeKind, second: ShapeKind) -> Directions;

    /// Adds its part of the step: where it looks, what it finds, what it does about it.
    fn stages(&self, pipeline: Pipeline, names: &Names) -> Pipeline;

    /// Tables of its own, beside those that every response has.
    fn tables(&self) -> &'static [Table] {
        &[]
    }

    /// Kinds of data of bodies that it reads and that files can hold: a body that came after a world was built goes into a file with them.
    fn data(&self) -> &'static [DataKind] {
        &[]
    }

    /// Makes what it computes from the bodies when it joins a world, and again when one of them was cut or bodies come or go. Put it into a
    /// column of the arena, in the place of the one that is there: another response of the type has made it too.
    ///
    /// # Errors
    /// [`BuildError`] with the body and the fix.
    fn prepare(&self, _world: &mut World, _arena: Entity, _names: &Names) -> Result<(), BuildError> {
        Ok(())
    }

    /// Whether it is solved together with the motion: it must then know what else acts, and comes after the evaluated ones.
    fn is_implicit(&self) -> bool {
        false
    }

    /// Largest n k Δt²/m of undamped contacts (ACCEPTANCE B1, ERRATA C9) of what moves by this scheme; 0 where there is none.
    fn stability_limit(&self, _scheme: Scheme) -> f64 {
        f64::INFINITY
    }

    /// The same for friction that sticks: a spring taken where its force is.
    fn sticking_limit(&self, scheme: Scheme) -> f64 {
        self.stability_limit(scheme)
    }

    /// Whether an edge of a body meets edges of another.
    fn meets_edges(&self) -> bool {
        false
    }

    /// Part of the force at the end of a step in which springs are touched that acts in it.
    fn first_step(&self) -> f64 {
        1.0
    }

    /// Largest n k Δt²/m of an impact at which a restitution that a law asks for is met within 0.02; infinite where it is met at any step. A
    /// response that knows nothing of restitutions refuses laws that ask for one (`refuses`).
    fn restitution_limit(&self, _scheme: Scheme) -> f64 {
        f64::INFINITY
    }

    /// What of its own settings meets a restitution at longer steps, if anything does.
    fn restitution_remedy(&self) -> Option<&'static str> {
        None
    }

    /// How stiff the contacts of a body at rest are, where that is no matter of the law of the pair.
    fn own_stiffness(&self) -> Option<RestStiffness> {
        None
    }

    /// Dampers over the stiffness (s) of contacts that have one of their own.
    fn own_damping(&self) -> f64 {
        0.0
    }

    /// Keys of its table that say how stiff its contacts are, with their values; none where the law of the pair does.
    fn stiffness_keys(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// What it does to bodies that stand still.
    fn still_force(&self) -> StillForce {
        StillForce::Unknown
    }

    /// Whether the depth it answers to is that at the end of the step, though its force is booked as a mean.
    fn depth_at_end(&self) -> bool {
        false
    }

    /// The only rule that it can move bodies by. A scene takes it, a world with another scheme is refused.
    fn scheme(&self) -> Option<Scheme> {
        None
    }

    /// Refuses settings that make no sense, a scheme that it cannot do without, and bodies that it cannot work with.
    ///
    /// # Errors
    /// [`BuildError`] with the body and the fix.
    fn check(&self, _seen: &Seen<'_>) -> Result<(), BuildError> {
        Ok(())
    }

    /// Why it cannot act beside other responses, if so.
    fn stands_alone(&self, _bodies: &[SeenBody<'_>]) -> Option<String> {
        None
    }

    /// Why it cannot take two bodies whose shapes it could take, if so. Of bodies with the same laws, of one [`ShapeKind`], that move alike and whose
    /// data are of one class ([`crate::BodyData::class`]) two are asked about for all: what goes by size belongs into [`Self::check`].
    fn refuses(&self, _a: &SeenBody<'_>, _b: &SeenBody<'_>, _law: &PairLaw) -> Option<&'static str> {
        None
    }

    /// What to say of a pair whose shapes it cannot take: why, and the remedy.
    fn no_direction(&self) -> [&'static str; 2] {
        [
            "on the sides asked for, neither has vertices that the other's surface could be tested with",
            "add a rule that lets them pass through each other, or give one of them a mesh",
        ]
    }

    /// Why it takes no bodies that are made of nodes, if so.
    fn refuses_nodes(&self) -> Option<&'static str> {
        None
    }

    /// Why a body with an inside may not meet itself, if so, and the remedy.
    fn refuses_itself(&self) -> Option<[&'static str; 2]> {
        None
    }

    /// Whether it asks which points are inside a mesh.
    fn looks_inside(&self) -> bool {
        true
    }

    /// Whether one of two bodies needs a pressure field under it.
    fn needs_fields(&self) -> bool {
        false
    }

    /// What of it stands along the axes of the world, if anything: a scene that is turned is then another one.
    fn along_axes(&self) -> Option<&'static str> {
        None
    }

    /// Why cloth (`sheet`), or else a cable, that keeps this distance from itself (m; 0 where none is stated) may not meet itself, if so, and the
    /// remedy.
    fn refuses_itself_thin(&self, sheet: bool, _distance: f64) -> Option<[String; 2]> {
        let [what, parts] = if sheet { ["cloth", "layers"] } else { ["a cable", "parts"] };
        Some([
            format!("{what} has no inside that it could meet itself in"),
            format!(
                "take a response that keeps a thickness between its {parts} ('qp' or 'cpf'), or take self_contact out"
            ),
        ])
    }

    /// Whether it has rows for strain limits of edges.
    fn limits_strain(&self) -> bool {
        false
    }

    /// What it does about bodies that are in each other before the first step.
    fn initial_overlap(&self) -> InitialOverlap {
        InitialOverlap::Pushes
    }

    /// How far features of two solids may be past each other before the first step, with no vertex inside, and still be a contact (m).
    fn holds_crossed(&self, _first: &Shape, _second: &Shape) -> f64 {
        0.0
    }

    /// Reads the contacts of the last step out of its tables.
    fn reader<'a>(&self, _part: Part<'a>) -> Box<dyn ContactReader + 'a> {
        Box::new(Silent)
    }

    /// Polygons that it pushes with; `None` for a response that pushes at points.
    fn pieces(&self) -> Option<Pieces> {
        None
    }

    /// How many of [`Self::pieces`] a body that touches nothing yet is taken to have once it lies on something: what memory is foretold by.
    fn pieces_to_come(&self) -> usize {
        2
    }

    /// Whether [`crate::Simulation::idle_rows`] has something to give.
    fn has_idle_rows(&self) -> bool {
        false
    }

    /// Whether the multiplier of a contact point is one: of a constraint.
    fn has_multipliers(&self) -> bool {
        false
    }

    /// Whether the energy that its contacts store is known.
    fn books_energy(&self) -> bool {
        true
    }

    /// What a step took to find its forces; `None` where nothing is solved.
    fn effort(&self) -> Option<&'static Effort> {
        None
    }

    /// What a reader of a report should know: the law, where it is evaluated, what keeps and what leaks.
    fn notes(&self) -> Vec<String>;

    /// BibTeX entries of the papers that it is built on.
    fn cites(&self) -> &'static [&'static str] {
        &[]
    }

    /// Before the first step: what of the world may surprise under it, a sentence each.
    fn warnings(&self, _part: Part<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Why a body may rock without end on what it lies on now, and what helps; `None` where nothing of the response lets it.
    fn rocks(&self, _part: Part<'_>, _body: u32) -> Option<String> {
        None
    }
}

/// Contacts of a body (slot, shape) at rest under a weight (N), in the stiffest of some positions (up, in body axes): how many, and their
/// stiffness together (N/m).
pub type RestStiffness = fn(Part<'_>, usize, &Shape, f64, &[DVec3]) -> (usize, f64);

/// The law by which bodies that stand still push each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StillForce {
    /// None that the program knows.
    Unknown,
    /// None, and why: it follows from the motion.
    None(&'static str),
    /// A spring for each vertex inside.
    Vertices,
    /// By the intersection volume; where its force follows from the motion, why.
    Volume(Option<&'static str>),
    /// By pressure fields.
    Fields,
}

/// What a response does about bodies that are in each other before the first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialOverlap {
    /// It sees depth, not crossing, and pushes them apart.
    Pushes,
    /// It holds them where a vertex inside has a way out.
    ByWaysOut,
    /// It holds them where all ways out have a direction in common.
    OneWay,
    /// The same, and loose vertices each by their own way: springs, whose sum may be nothing.
    OneWayOfSprings,
    /// It leaves what is inside there.
    Stays,
}

/// Counts of what a step took, for curves of a report.
#[derive(Debug)]
pub struct Effort {
    /// Id of the plot.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// One for each curve.
    pub counts: &'static [&'static str],
    /// What they are.
    pub note: &'static str,
    /// What the residual is of.
    pub residual: &'static str,
    /// Of the step just made: the counts in the order above, and the residual.
    pub measure: fn(Part<'_>) -> (Vec<f64>, f64),
}

/// A response that a world holds: any [`ContactResponse`].
#[derive(Clone)]
pub struct Response(Arc<dyn ContactResponse>);

impl Response {
    /// Its settings, where it is of this type.
    #[must_use]
    pub fn settings<T: ContactResponse>(&self) -> Option<&T> {
        let any: &dyn Any = &*self.0;
        any.downcast_ref()
    }
}

impl<T: ContactResponse> From<T> for Response {
    fn from(response: T) -> Self {
        Self(Arc::new(response))
    }
}

impl Deref for Response {
    type Target = dyn ContactResponse;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Of the same type with the same settings, as their `Debug` text tells them: it must tell all of them.
impl PartialEq for Response {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || ((*self.0).type_id() == (*other.0).type_id() && format!("{self:?}") == format!("{other:?}"))
    }
}
