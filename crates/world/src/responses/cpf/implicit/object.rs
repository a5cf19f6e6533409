//! The response `cpf-implicit`: its settings, and what the step asks of it.

use super::super::beside::beside;
use super::super::cables::cables_on_cables;
use super::response::ConservingResponse;
use super::settings::{NewtonReport, NewtonSettings};
use crate::adapters::Names;
use crate::papers::CONTINUOUS;
use crate::part::Part;
use crate::pipeline::{Pipeline, Place};
use crate::reader::ContactReader;
use crate::registered::Registered;
use crate::response::{ContactResponse, Effort, InitialOverlap, StillForce};
use crate::responses::cpf::follow::FollowTracked;
use crate::responses::cpf::object::{Followed, ON_THE_WAY};
use crate::responses::cpf::schema::{SECTION, implicit};
use crate::responses::swept::broad::SweptBroad;
use crate::responses::swept::kept::SWEPT;
use crate::responses::swept::place::PlaceSwept;
use crate::seen::SeenBody;
use crate::tables::Table;
use impinge_bodies::{Directions, Shape, ShapeKind};
use impinge_contact::{Damper, PairLaw};
use impinge_cpf::conserving;
use impinge_integrators::Scheme;

/// Its line in the list of responses.
pub(crate) static REGISTERED: Registered = Registered {
    name: "cpf-implicit",
    meaning: "continuous penalty solved together with the motion, by the midpoint rule: keeps energy and momentum, at any stiffness",
    section: &SECTION,
    shown: &["band", "gradient"],
    read: |t| implicit(t).into(),
};

/// Continuous penalty by discrete gradients, solved implicitly with the motion: conserves energy and momentum whatever the stiffness.
/// Needs the scheme [`Scheme::ImplicitMidpoint`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CpfImplicit {
    /// Which discrete gradient.
    pub gradient: conserving::Scheme,
    /// When Newton's method stops.
    pub newton: NewtonSettings,
    /// As for [`crate::Cpf`].
    pub band: f64,
}

impl Default for CpfImplicit {
    /// The gradient that keeps angular momentum as well.
    fn default() -> Self {
        Self { gradient: conserving::Scheme::Equivariant, newton: NewtonSettings::default(), band: 0.1 }
    }
}

const TABLES: [Table; 5] = {
    let [a, b, c, d] = SWEPT;
    [a, b, c, d, Table::of::<NewtonReport>()]
};

const EFFORT: Effort = Effort {
    id: "newton",
    title: "Implicit continuous penalty",
    counts: &["Newton", "linear solver", "settled"],
    note: "Iterations of a step, and whether it had to be settled which contacts slide.",
    residual: "Residual over the momenta and impulses that enter the step.",
    measure: |part| {
        let r = *part.column::<NewtonReport>();
        (vec![f64::from(r.iterations), f64::from(r.linear), f64::from(u32::from(r.settled))], r.residual)
    },
};

impl ContactResponse for CpfImplicit {
    fn name(&self) -> &'static str {
        REGISTERED.name
    }

    fn directions(&self, first: ShapeKind, second: ShapeKind) -> Directions {
        Directions::of_features(first, second)
    }

    fn stages(&self, pipeline: Pipeline, names: &Names) -> Pipeline {
        pipeline
            .with(Place::Surface, PlaceSwept)
            .with(Place::Broad, SweptBroad::new(names.clone()).with_segments().with_fixed_margins())
            .with(Place::Narrow, FollowTracked::new(self.band))
            .with(Place::Response, ConservingResponse::new(self.gradient, self.newton, names.clone()))
    }

    fn tables(&self) -> &'static [Table] {
        &TABLES
    }

    /// Conserving, and damped by the mean of a step: within 0.015 up to here.
    fn restitution_limit(&self, _scheme: Scheme) -> f64 {
        0.16
    }

    fn refuses(&self, a: &SeenBody<'_>, b: &SeenBody<'_>, law: &PairLaw) -> Option<&'static str> {
        let plane = [a, b].iter().any(|s| matches!(s.shape, Shape::Plane { .. }));
        let asked = law.damping.restitution().filter(|_| !plane)?;
        matches!(asked.damper, Damper::KelvinVoigt(_)).then_some(
            "the law of the pair asks for a restitution by Kelvin and Voigt's damper, which depends on how many features touch, and that is solved for; \
             ask for it by `law = \"hunt-crossley\"`",
        )
    }

    fn is_implicit(&self) -> bool {
        true
    }

    fn scheme(&self) -> Option<Scheme> {
        Some(Scheme::ImplicitMidpoint)
    }

    /// Its deformables are solved from the forces that the step predicted with, which know no other response.
    fn stands_alone(&self, bodies: &[SeenBody<'_>]) -> Option<String> {
        let soft = bodies.iter().find(|b| matches!(b.shape, Shape::Soft(_)))?;
        Some(format!(
            "body '{}' is deformable, and response 'cpf-implicit' solves deformables without the loads of other responses; give all \
             pairs of this world 'cpf-implicit', or take 'cpf'",
            soft.name
        ))
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

    fn effort(&self) -> Option<&'static Effort> {
        Some(&EFFORT)
    }

    fn cites(&self) -> &'static [&'static str] {
        &[CONTINUOUS]
    }

    fn warnings(&self, part: Part<'_>) -> Vec<String> {
        cables_on_cables(part).into_iter().chain(beside(part)).collect()
    }

    fn notes(&self) -> Vec<String> {
        vec![
            "Continuous penalty by discrete gradients of ½kδ², solved together with the motion by Newton's method: energy and momenta are \
             kept whatever the stiffness, but for damping, friction, and the potential that changes hands when a contact slides on to the \
             next triangle."
                .to_string(),
            "Every body moves by the midpoint rule, whatever `integrator` says; moments act about the points halfway.".to_string(),
        ]
    }
}
