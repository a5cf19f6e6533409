//! The responses `cpf` and `dpf-ccd`: their settings, and what the step asks of them.

use super::beside::beside;
use super::cables::cables_on_cables;
use super::follow::FollowTracked;
use super::response::CpfResponse;
use super::retrack::Retrack;
use super::schema::{SECTION, explicit};
use crate::adapters::Names;
use crate::build_error::BuildError;
use crate::components::State;
use crate::features::Features;
use crate::grip::{Grip, remembered};
use crate::papers::{CONTINUOUS, PENALTY};
use crate::part::Part;
use crate::pipeline::{Pipeline, Place};
use crate::reader::{ContactReader, Touch};
use crate::rebound::of_springs;
use crate::registered::Registered;
use crate::response::{ContactResponse, InitialOverlap, StillForce};
use crate::responses::swept::broad::SweptBroad;
use crate::responses::swept::kept::SWEPT;
use crate::responses::swept::place::PlaceSwept;
use crate::responses::swept::tables::Tracked;
use crate::seen::{Seen, SeenBody};
use crate::stability::limits;
use crate::tables::Table;
use hecs::Ref;
use impinge_bodies::{Directions, Shape, ShapeKind};
use impinge_contact::SlipState;
use impinge_cpf::{Force, Normalisation};
use impinge_integrators::Scheme;
use impinge_swept::Paths;

/// Its line in the list of responses.
pub(crate) static REGISTERED: Registered = Registered {
    name: "cpf",
    meaning: "continuous penalty: a spring on feature pairs found by CCD, integrated over the step",
    section: &SECTION,
    shown: &["normalisation", "band", "friction"],
    read: |t| explicit(t, Force::Integrated).into(),
};

/// That of the discrete force on the same pairs.
pub(crate) static AT_END: Registered = Registered {
    name: "dpf-ccd",
    meaning: "for comparison: the discrete force on the feature pairs of `cpf`",
    section: &SECTION,
    shown: &["normalisation", "band", "friction"],
    read: |t| explicit(t, Force::AtEnd).into(),
};

pub(crate) const ON_THE_WAY: StillForce = StillForce::None(
    "its contacts are feature pairs that met on their way: a pose without a motion has none",
);

/// Continuous penalty over the penetration intervals of tracked feature pairs (seeds 000, 003).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cpf {
    /// Integrated, or for comparison the discrete force on the same pairs: the response `dpf-ccd`.
    pub force: Force,
    /// How normals are normalised.
    pub normalisation: Normalisation,
    /// Distance over which a contact that slides off its triangle is handed to the next one, in triangle sizes; at a convex edge no longer
    /// than it takes the depth behind the old plane to double.
    pub band: f64,
    /// Friction is integrated over the way as the normal force is, not taken at its end.
    pub friction_along: bool,
    /// How vertices go between the ends of a step.
    pub paths: Paths,
}

impl Default for Cpf {
    /// L_k where its error is certainly below 10⁻³, |m(t)| elsewhere.
    fn default() -> Self {
        let normalisation = Normalisation::default();
        Self {
            force: Force::Integrated,
            normalisation,
            band: 0.1,
            friction_along: false,
            paths: Paths::Straight,
        }
    }
}

impl Cpf {
    /// The discrete force on the pairs that continuous penalty tracks (seed 000 Fig. 8 b): `dpf-ccd`.
    #[must_use]
    pub fn at_end() -> Self {
        Self { force: Force::AtEnd, ..Self::default() }
    }
}

impl ContactResponse for Cpf {
    fn name(&self) -> &'static str {
        match self.force {
            Force::Integrated => REGISTERED.name,
            Force::AtEnd => AT_END.name,
        }
    }

    fn directions(&self, first: ShapeKind, second: ShapeKind) -> Directions {
        Directions::of_features_with_points(first, second)
    }

    fn stages(&self, pipeline: Pipeline, names: &Names) -> Pipeline {
        let respond = CpfResponse::new(self.force, self.normalisation, names.clone());
        let broad = SweptBroad::new(names.clone()).with_segments();
        pipeline
            .with(Place::Surface, PlaceSwept)
            .with(Place::Broad, broad.with_paths(self.paths))
            .with(Place::Narrow, FollowTracked::new(self.band))
            .with(Place::Response, respond.with_friction_along(self.friction_along))
            .with(Place::Stabilise, Retrack::new(names.clone()).with_paths(self.paths))
    }

    fn tables(&self) -> &'static [Table] {
        &SWEPT
    }

    fn restitution_limit(&self, scheme: Scheme) -> f64 {
        of_springs(scheme)
    }

    fn stability_limit(&self, scheme: Scheme) -> f64 {
        let [_, way, end] = limits(scheme);
        match self.force {
            Force::Integrated => way,
            Force::AtEnd => end,
        }
    }

    fn check(&self, seen: &Seen<'_>) -> Result<(), BuildError> {
        if self.paths == Paths::Straight {
            return Ok(());
        }
        if self.friction_along {
            return Err(BuildError::BadSetting(
                "`cpf.friction = \"path\"` integrates friction over straight paths; take \"end\", or `cpf.paths = \"straight\"`".into(),
            ));
        }
        // Those that are driven may turn, too.
        let rigid = |s: &SeenBody<'_>| s.shape.mesh().is_some() && !s.fixed;
        if self.paths == Paths::Arcs && !seen.bodies.iter().any(rigid) {
            return Err(BuildError::BadSetting(
                "`cpf.paths = \"arcs\"` is about vertices of rigid and driven meshes, and there are none; take \"straight\", or \"parabolas\"".into(),
            ));
        }
        let layered = |s: &&SeenBody<'_>| matches!(s.shape, Shape::Soft(s) if s.meets_itself_thin());
        match seen.bodies.iter().find(layered).filter(|_| self.paths == Paths::Parabolas) {
            Some(s) => Err(BuildError::BadSetting(format!(
                "body '{}': what keeps a distance from itself does so on straight paths; take `cpf.paths = \"arcs\"` or \"straight\", or take its self_contact out",
                s.name
            ))),
            None => Ok(()),
        }
    }

    fn refuses_itself_thin(&self, sheet: bool, distance: f64) -> Option<[String; 2]> {
        let [what, parts] = if sheet { ["cloth", "layers"] } else { ["a cable", "parts"] };
        (distance <= 0.0).then(|| {
            [
                format!("{what} meets itself at a distance, and none is stated"),
                format!(
                    "give the body a `thickness`, half of what its {parts} keep, or take self_contact out"
                ),
            ]
        })
    }

    fn sticking_limit(&self, scheme: Scheme) -> f64 {
        let [_, way, end] = limits(scheme);
        if self.friction_along { way } else { end }
    }

    fn meets_edges(&self) -> bool {
        true
    }

    /// Integrated over a way that begins within the step.
    fn first_step(&self) -> f64 {
        match self.force {
            Force::Integrated => 0.5,
            Force::AtEnd => 1.0,
        }
    }

    fn depth_at_end(&self) -> bool {
        self.force == Force::AtEnd
    }

    fn still_force(&self) -> StillForce {
        ON_THE_WAY
    }

    fn initial_overlap(&self) -> InitialOverlap {
        InitialOverlap::ByWaysOut
    }

    fn holds_crossed(&self, first: &Shape, second: &Shape) -> f64 {
        impinge_swept::shallow(first, second)
    }

    fn reader<'a>(&self, part: Part<'a>) -> Box<dyn ContactReader + 'a> {
        Box::new(Followed::of(part))
    }

    fn cites(&self) -> &'static [&'static str] {
        &[CONTINUOUS, PENALTY]
    }

    fn warnings(&self, part: Part<'_>) -> Vec<String> {
        cables_on_cables(part).into_iter().chain(beside(part)).collect()
    }

    fn notes(&self) -> Vec<String> {
        let notes = match self.force {
            Force::AtEnd => [
                "The discrete force on the feature pairs that continuous penalty tracks: F = k δ n at the predicted end of the step, \
                 for all of it (seed 000 Fig. 8 b). A contact stays open until its depth is zero.",
                "The force is applied at the start of the step: stable below kΔt²/m = 4/3; the angular momentum it leaks is drawn \
                 beside the residual.",
            ],
            Force::Integrated => [
                "Continuous penalty: feature pairs found by exact CCD, F = k δ along the turning normal integrated over the \
                 time of penetration (seeds 000 §3 and 003 §2). A contact stays open until its depth is zero.",
                "Impulses are integrated on the way and applied at the start of the step: stable below kΔt²/m = 2; the angular \
                 momentum they leak is drawn beside the residual.",
            ],
        };
        let asked = match self.force {
            Force::AtEnd => {
                "Where a law asks for a restitution the depth is that of the start, as the loss at the end would be part of the rebound."
            }
            Force::Integrated => {
                "Where a law asks for a restitution the loss of the step, that of a damper k Δt/2, is taken off its damper."
            }
        };
        notes.into_iter().chain([asked]).map(String::from).collect()
    }
}

/// Contacts followed along their way: they know when they were open, and whether they slide.
pub(crate) struct Followed<'a> {
    anchors: Ref<'a, State>,
    tracked: Ref<'a, Tracked>,
}

impl<'a> Followed<'a> {
    #[must_use]
    pub fn of(part: Part<'a>) -> Self {
        Self { anchors: part.column(), tracked: part.column() }
    }
}

impl ContactReader for Followed<'_> {
    fn has_spans(&self) -> bool {
        true
    }

    fn point(&self, touch: &Touch, met: Features) -> Grip {
        if touch.is_open() {
            return Grip::Open;
        }
        if matches!(met, Features::VertexPlane(_)) {
            return remembered(self.anchors.0.get(touch.key).map(|(_, slides)| slides));
        }
        let found = self.tracked.0.iter().find_map(|t| t.find(touch.key).map(|i| t.grip[i]));
        remembered(found.filter(|g| *g != SlipState::Open).map(|g| g == SlipState::Dynamic))
    }
}
