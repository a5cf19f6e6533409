//! The response `penalty`: its settings, and what the step asks of it.

use super::broad::Broad;
use super::check::check_near;
use super::narrow::NarrowVertices;
use super::near::{NearFeatures, NearPairs};
use super::response::PenaltyResponse;
use super::schema::{SECTION, read};
use super::unheld::unheld;
use crate::adapters::{Names, PlaceSurface};
use crate::build_error::BuildError;
use crate::components::{Laws, State};
use crate::features::Features;
use crate::grip::{Grip, remembered};
use crate::papers::{CONTINUOUS, PENALTY};
use crate::part::Part;
use crate::pipeline::{Pipeline, Place};
use crate::reader::{ContactReader, Touch};
use crate::rebound::of_springs;
use crate::registered::Registered;
use crate::response::{ContactResponse, InitialOverlap, StillForce};
use crate::seen::Seen;
use crate::stability::limits;
use hecs::Ref;
use impinge_bodies::{Directions, Shape, ShapeKind, Shapes};
use impinge_integrators::Scheme;
use impinge_penalty::{Evaluate, Release};

/// Its line in the list of responses.
pub(crate) static REGISTERED: Registered = Registered {
    name: "penalty",
    meaning: "discrete penalty: a spring along the way to the closest point of the other surface",
    section: &SECTION,
    shown: &["evaluate", "release", "way_out"],
    read,
};

/// What the discrete force takes for contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Detection {
    /// Vertices inside the other body, pushed against their own surface where there is such a way out near by.
    #[default]
    Facing,
    /// Vertices inside the other body, pushed to the closest point of its surface as in the seeds: along a flat floor where that is the way.
    Closest,
    /// Features of two bodies nearer to each other than `reach` (m), pushed apart whichever side they are on, as the framework of seed 000 does
    /// it ([`impinge_penalty::near_surface`]). Contacts are two-sided: a vertex deeper than that behind a face is no longer in contact; planes push from above, however deep. No body
    /// pushes itself.
    Proximity {
        /// The distance (m).
        reach: f64,
    },
}

/// Discrete penalty (seeds 000 §2, 003 §1).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Penalty {
    /// When penetration is measured.
    pub evaluate: Evaluate,
    /// What ends a damped contact.
    pub release: Release,
    /// What is in contact, and which way is out.
    pub detection: Detection,
}

impl ContactResponse for Penalty {
    fn name(&self) -> &'static str {
        REGISTERED.name
    }

    fn directions(&self, first: ShapeKind, second: ShapeKind) -> Directions {
        Directions::of_vertices_inside(first, second)
    }

    fn stages(&self, pipeline: Pipeline, names: &Names) -> Pipeline {
        let Self { evaluate, release, detection } = *self;
        let respond = |reach| PenaltyResponse::new(evaluate, release, reach, names.clone());
        if let Detection::Proximity { reach } = detection {
            return pipeline
                .with(Place::Surface, PlaceSurface { at: evaluate, reach })
                .with(Place::Broad, NearPairs::new(evaluate))
                .with(Place::Narrow, NearFeatures::new(evaluate, reach, names.clone()))
                .with(Place::Response, respond(reach));
        }
        let facing = detection == Detection::Facing;
        pipeline
            .with(Place::Surface, PlaceSurface { at: evaluate, reach: 0.0 })
            .with(Place::Broad, Broad::new(evaluate, names.clone()))
            .with(Place::Narrow, NarrowVertices::new(evaluate, facing, names.clone()))
            .with(Place::Response, respond(0.0))
    }

    fn restitution_limit(&self, scheme: Scheme) -> f64 {
        of_springs(scheme)
    }

    fn stability_limit(&self, scheme: Scheme) -> f64 {
        let [start, _, end] = limits(scheme);
        match self.evaluate {
            Evaluate::Start => start,
            Evaluate::End => end,
        }
    }

    fn meets_edges(&self) -> bool {
        matches!(self.detection, Detection::Proximity { .. })
    }

    fn check(&self, seen: &Seen<'_>) -> Result<(), BuildError> {
        if let Detection::Proximity { reach } = self.detection { check_near(reach, seen) } else { Ok(()) }
    }

    /// By proximity nothing is inside.
    fn looks_inside(&self) -> bool {
        !matches!(self.detection, Detection::Proximity { .. })
    }

    fn still_force(&self) -> StillForce {
        StillForce::Vertices
    }

    fn initial_overlap(&self) -> InitialOverlap {
        match self.detection {
            Detection::Proximity { .. } => InitialOverlap::Stays,
            Detection::Facing | Detection::Closest => InitialOverlap::OneWayOfSprings,
        }
    }

    fn reader<'a>(&self, part: Part<'a>) -> Box<dyn ContactReader + 'a> {
        Box::new(Anchored(part.column()))
    }

    fn cites(&self) -> &'static [&'static str] {
        &[PENALTY, CONTINUOUS]
    }

    fn notes(&self) -> Vec<String> {
        let when = match self.evaluate {
            Evaluate::End => {
                "Depth is measured at the predicted end of the step and the force applied at its start: this damps by √(1 − kΔt²/m) a \
                 step, is stable below kΔt²/m = 4/3, and leaks the angular momentum drawn beside the residual. Where a law of the scene asks for a \
                 restitution all is measured at the start of the step: this loss would be part of every rebound."
            }
            Evaluate::Start => {
                "Depth is measured at the start of the step: no numerical damping, stable below kΔt²/m = 4, no leak of momentum."
            }
        };
        if let Detection::Proximity { reach } = self.detection {
            return vec![
                format!(
                    "Discrete penalty by proximity: features of two bodies (a vertex and a face, two edges) nearer than h = {reach} m are pushed apart with \
                     F = k (h − d) plus damping, whichever side they are on; what is further in a surface than h is let go of (planes push from above, however deep), and no body pushes itself. \
                     What is called depth is h − d. This is what seed 000 compares with."
                ),
                when.replace("Depth", "Distance"),
            ];
        }
        vec![
            "Discrete penalty: every vertex inside another body is pushed along the shortest way out with F = k δ plus damping \
             (seeds 000 §2 and 003 §1). Only vertices are tested: two edges can cross unseen."
                .to_string(),
            when.to_string(),
        ]
    }

    /// Bodies that meet themselves, which proximity lets through; bodies that no vertex holds.
    fn warnings(&self, part: Part<'_>) -> Vec<String> {
        if !matches!(self.detection, Detection::Proximity { .. }) {
            return unheld(part);
        }
        let (shapes, laws) = (part.shared::<Shapes>(), part.shared::<Laws>());
        let meets_itself = |slot: usize, s: &Shape| {
            matches!(s, Shape::Soft(s) if s.own.is_some()) && part.owns(&laws, slot as u32, slot as u32)
        };
        (part.names().iter().zip(&shapes.0).enumerate())
            .filter(|(slot, (_, s))| meets_itself(*slot, s))
            .map(|(_, (name, _))| {
                format!(
                    "body '{name}' may meet itself, and by proximity no body pushes itself; detect contact by depth, or take another response"
                )
            })
            .collect()
    }
}

/// Contacts whose friction remembers where it holds.
struct Anchored<'a>(Ref<'a, State>);

impl ContactReader for Anchored<'_> {
    fn point(&self, touch: &Touch, _met: Features) -> Grip {
        if touch.is_open() {
            return Grip::Open;
        }
        remembered(self.0.0.get(touch.key).map(|(_, slides)| slides))
    }
}
