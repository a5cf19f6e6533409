//! The response `qp`: what the step asks of it.

use super::cut::CutMotion;
use super::inside::FindInside;
use super::response::QpResponse;
use super::schema::{METHODS, SECTION, read};
use super::settings::{Multipliers, MultipliersNext, PlaceShift, QpReport, QpSettings};
use super::shift::MovePlaces;
use super::wide::{gaps, tied};
use crate::adapters::Names;
use crate::build_error::BuildError;
use crate::column::columns;
use crate::features::Features;
use crate::grip::{Grip, on_cone};
use crate::kept::{Kept, Within};
use crate::papers::CONSTRAINTS;
use crate::part::Part;
use crate::pipeline::{Pipeline, Place};
use crate::reader::{ContactReader, Touch};
use crate::registered::Registered;
use crate::response::{ContactResponse, Effort, InitialOverlap, StillForce};
use crate::responses::swept::broad::SweptBroad;
use crate::responses::swept::kept::SWEPT;
use crate::responses::swept::place::PlaceSwept;
use crate::responses::swept::tables::List;
use crate::seen::{Seen, linear_scheme};
use crate::tables::Table;
use impinge_bodies::{Directions, Renaming, Shape, ShapeKind};
use impinge_contact::StateHash;
use impinge_qp::Method;
use std::mem::swap;

/// Its line in the list of responses.
pub(crate) static REGISTERED: Registered = Registered {
    name: "qp",
    meaning: "contacts as linear constraints, solved together with the implicit step by an active set",
    section: &SECTION,
    shown: &["thickness", "recovery", "tolerance"],
    read,
};

const TABLES: [Table; 7] = {
    let [a, b, c, d] = SWEPT;
    [a, b, c, d, Table::kept::<Multipliers>(), Table::of::<QpReport>(), Table::of::<PlaceShift>()]
};

const EFFORT: Effort = Effort {
    id: "constraints",
    title: "Constraints",
    counts: &[
        "solves",
        "iterations",
        "factorisations",
        "toggles",
        "rows",
        "limits",
        "active",
        "unfinished",
        "last unfinished",
        "not clean",
        "cut",
        "left",
        "solves for places",
        "moved",
        "not moved",
    ],
    note: "Of the quadratic programs of a step: programs solved, linear systems, factorisations, changes of side; rows of \
           contacts (without friction) and of strain limits, those with an impulse; programs short of the tolerance, \
           whether the last was one and whether the last detection pass found something new; bodies and nodes cut short, \
           and pairs that touch in spite of all; programs solved to move places apart, bodies and nodes moved so, and whether \
           something was too near and no place was found.",
    residual: "Largest relative residual of Karush, Kuhn and Tucker in the last program, friction included.",
    measure: |part| {
        let r = *part.column::<QpReport>();
        let (open, unclean) = (u32::from(!r.solved), u32::from(!r.clean));
        let solved = [r.solves, r.iterations, r.factorisations, r.toggles, r.rows, r.limits, r.active];
        let ended = [r.unfinished, open, unclean, r.cut, r.left, r.place_solves, r.moved, r.unplaced];
        (solved.iter().chain(&ended).map(|&c| f64::from(c)).collect(), r.residual)
    },
};

impl ContactResponse for QpSettings {
    fn name(&self) -> &'static str {
        REGISTERED.name
    }

    fn directions(&self, first: ShapeKind, second: ShapeKind) -> Directions {
        Directions::of_vertices_on_surfaces(first, second)
    }

    fn stages(&self, pipeline: Pipeline, names: &Names) -> Pipeline {
        pipeline
            .with(Place::Surface, PlaceSwept)
            .with(Place::Broad, SweptBroad::new(names.clone()).with_thickness(self.thickness))
            .with(Place::Narrow, FindInside)
            .with(Place::Response, QpResponse::new(*self, names.clone()))
            .with(Place::Stabilise, MovePlaces::default())
            .with(Place::Stabilise, CutMotion::new(*self, names.clone()))
    }

    fn tables(&self) -> &'static [Table] {
        &TABLES
    }

    fn is_implicit(&self) -> bool {
        true
    }

    fn check(&self, seen: &Seen<'_>) -> Result<(), BuildError> {
        QpSettings::check(self).map_err(BuildError::BadSetting)?;
        let word = METHODS.iter().find(|m| m.1 == self.method).map_or("", |m| m.0);
        if self.method != Method::PrimalDual
            && let Some([a, b]) = rubbing(seen)
        {
            return Err(BuildError::BadSetting(format!(
                "'{a}' and '{b}' have friction, and the method '{word}' of response 'qp' has none; take the friction out, or the method 'newton'"
            )));
        }
        linear_scheme(REGISTERED.name, seen.scheme)
    }

    fn still_force(&self) -> StillForce {
        StillForce::None("a hard constraint: its force follows from masses and motion")
    }

    fn refuses_itself_thin(&self, _sheet: bool, _distance: f64) -> Option<[String; 2]> {
        None
    }

    fn limits_strain(&self) -> bool {
        true
    }

    fn initial_overlap(&self) -> InitialOverlap {
        InitialOverlap::OneWay
    }

    fn holds_crossed(&self, first: &Shape, second: &Shape) -> f64 {
        impinge_qp::holds_crossed(first, second, self.thickness)
    }

    fn reader<'a>(&self, _part: Part<'a>) -> Box<dyn ContactReader + 'a> {
        Box::new(OnCone)
    }

    fn has_idle_rows(&self) -> bool {
        true
    }

    fn has_multipliers(&self) -> bool {
        true
    }

    fn effort(&self) -> Option<&'static Effort> {
        Some(&EFFORT)
    }

    fn cites(&self) -> &'static [&'static str] {
        &[CONSTRAINTS]
    }

    fn warnings(&self, part: Part<'_>) -> Vec<String> {
        gaps(self, part).into_iter().chain(tied(self, part)).collect()
    }

    fn notes(&self) -> Vec<String> {
        vec![
            "Contacts are rows J Δv ≤ c of the step's quadratic program min ½ΔvᵀKΔv − bᵀΔv (seed 001, errata Q1–Q5), with \
             Coulomb's cone; forces are its multipliers over Δt. Detection is repeated at each answer."
                .to_string(),
            "Surfaces keep the thickness; contacts are inelastic, but where a law asks for a restitution: what closes at v leaves at e v or more \
             (Newton's law, in a second program). Stiffness and other damping of the materials are not used."
                .to_string(),
        ]
    }
}

/// Names of two bodies with friction between them, of which forces move one.
fn rubbing<'a>(seen: &Seen<'a>) -> Option<[&'a str; 2]> {
    let some = seen.laws.partners();
    let pairs = some.iter().flat_map(|&a| some.iter().map(move |&b| (a.min(b), a.max(b))));
    let rubs = |&(a, b): &(u32, u32)| {
        let law = seen.laws.of(a, b).map(|(law, _)| &seen.laws.laws[law as usize]);
        let friction = law.and_then(|l| l.friction.as_ref());
        friction.is_some_and(|f| f.mu_s > 0.0 || f.mu_k > 0.0)
            && [a, b].iter().any(|&s| seen.bodies[s as usize].moved)
    };
    let (a, b) = pairs.into_iter().find(rubs)?;
    Some([a, b].map(|s| seen.bodies[s as usize].name))
}

/// Constraints of Coulomb's cone say by their force whether they slide.
struct OnCone;

impl ContactReader for OnCone {
    fn point(&self, touch: &Touch, _met: Features) -> Grip {
        if touch.is_open() { Grip::Open } else { on_cone(touch.mu, touch.normal, touch.friction) }
    }
}

impl Kept for Multipliers {
    type Next = MultipliersNext;

    fn accept(&mut self, next: &mut MultipliersNext) {
        swap(&mut self.0, &mut next.0);
    }

    fn begin(next: &mut MultipliersNext) {
        next.0.clear();
    }

    fn hash(&self, h: &mut StateHash) {
        self.hash_into(h);
    }

    fn check(&self, _within: &Within<'_>) -> Result<(), String> {
        Multipliers::check(self)
    }

    fn rename(&mut self, to: &Renaming) {
        // Planes come after the lists of features.
        let planes = List::ALL.len() as u8;
        self.0.retain_mut(|m| {
            let named =
                if m.list == planes { to.vertex_against_body(m.key) } else { to.pair_of_features(m.key) };
            m.key = named.unwrap_or(m.key);
            named.is_some()
        });
    }
}

columns! {
    Multipliers => "multipliers", State;
    MultipliersNext => "multipliers next", Step;
    QpReport => "qp report", Step;
    PlaceShift => "place shift", Step;
}
