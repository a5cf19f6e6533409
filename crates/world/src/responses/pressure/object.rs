//! The response `pressure`: what the step asks of it.

use super::broad::{PlacePressure, PressureBroad};
use super::narrow::ContactSurfaces;
use super::reading::{Patched, surfaces};
use super::response::PressureResponse;
use super::schema::{SECTION, read};
use super::settings::{
    Bristles, BristlesNext, PathEnds, PressureBodies, PressureField, PressurePatches, PressureReport,
    PressureSettings, PressureStep,
};
use super::take::TakePath;
use super::{check, rest};
use crate::adapters::Names;
use crate::body_data::{DataKind, DataOfBodies};
use crate::build_error::BuildError;
use crate::column::columns;
use crate::kept::{Kept, Within};
use crate::papers::PRESSURE;
use crate::part::Part;
use crate::pipeline::{Pipeline, Place};
use crate::reader::{ContactReader, Pieces};
use crate::rebound::of_springs;
use crate::registered::Registered;
use crate::response::{ContactResponse, Effort, RestStiffness, StillForce};
use crate::seen::{Seen, SeenBody};
use crate::stability::limits;
use crate::tables::Table;
use hecs::{Entity, World};
use impinge_bodies::{Directions, ShapeKind, Shapes};
use impinge_bodies::{Renaming, Renumber};
use impinge_contact::{PairLaw, StateHash, SurfaceMap};
use impinge_integrators::Scheme;
use std::mem::swap;

/// Its line in the list of responses.
pub(crate) static REGISTERED: Registered = Registered {
    name: "pressure",
    meaning: "pressure fields: the surface where two of them are equal carries their pressure",
    section: &SECTION,
    shown: &["step", "friction"],
    read,
};

const TABLES: [Table; 4] = [
    Table::of::<PressurePatches>(),
    Table::of::<PressureReport>(),
    Table::kept::<Bristles>(),
    Table::of::<PathEnds>(),
];

const EFFORT: Effort = Effort {
    id: "surfaces",
    title: "Contact surfaces",
    counts: &[
        "patches",
        "polygons",
        "surfaces computed",
        "Newton",
        "tangents",
        "linear solver",
        "unfinished",
    ],
    note: "Pairs that touch and the polygons between them; contact surfaces computed for it; iterations of the implicit step, the \
           tangents assembled for them (one may serve two iterations), and whether it ended short of the tolerance. Along a path (`step = \"radau\"`) they are \
           Newton iterations of all stages, Jacobians and, as the linear solver, inner steps, and there is no residual.",
    residual: "Residual of the implicit step over the impulses that enter it.",
    measure: |part| {
        let r = *part.column::<PressureReport>();
        let found = [r.patches, r.polygons, r.queries];
        let solved = [r.iterations, r.tangents, r.linear, u32::from(r.unfinished)];
        (found.iter().chain(&solved).map(|&c| f64::from(c)).collect(), r.residual)
    },
};

impl ContactResponse for PressureSettings {
    fn name(&self) -> &'static str {
        REGISTERED.name
    }

    /// Two solids, one of them a mesh, or a mesh on an open one; there is no direction. [`ContactResponse::refuses`] asks for a field in one of them.
    fn directions(&self, first: ShapeKind, second: ShapeKind) -> Directions {
        Directions::of_fields(first, second)
    }

    fn stages(&self, pipeline: Pipeline, names: &Names) -> Pipeline {
        let recipe = pipeline
            .with(Place::Surface, PlacePressure { around: self.step == PressureStep::Radau })
            .with(Place::Broad, PressureBroad::default())
            .with(Place::Narrow, ContactSurfaces::new(*self, names.clone()))
            .with(Place::Response, PressureResponse::new(*self, names.clone()));
        match self.step {
            PressureStep::Radau => recipe.with(Place::Stabilise, TakePath),
            PressureStep::Implicit | PressureStep::Explicit => recipe,
        }
    }

    fn tables(&self) -> &'static [Table] {
        &TABLES
    }

    fn data(&self) -> &'static [DataKind] {
        static DATA: [DataKind; 1] = [DataKind::of::<PressureField>("pressure field")];
        &DATA
    }

    fn prepare(&self, world: &mut World, arena: Entity, names: &Names) -> Result<(), BuildError> {
        let Ok((data, shapes)) = world.query_one_mut::<(&DataOfBodies, &Shapes)>(arena) else {
            return Ok(());
        };
        let mut bodies = PressureBodies::new(data.0.iter().map(|d| d.get().cloned()).collect());
        bodies.make(names, shapes)?;
        // The arena lives as long as the world.
        let _ = world.insert_one(arena, bodies);
        Ok(())
    }

    fn is_implicit(&self) -> bool {
        self.step != PressureStep::Explicit
    }

    fn restitution_limit(&self, scheme: Scheme) -> f64 {
        match self.step {
            PressureStep::Explicit => of_springs(scheme),
            // A damper of k Δt beside the law's: √s π/2 of the speed is lost in an impact.
            PressureStep::Implicit => 1.6e-4,
            PressureStep::Radau => f64::INFINITY,
        }
    }

    fn restitution_remedy(&self) -> Option<&'static str> {
        (self.step == PressureStep::Implicit)
            .then_some("or [pressure] step = \"explicit\" or \"radau\", which add no damping of their own")
    }

    fn stability_limit(&self, scheme: Scheme) -> f64 {
        if self.step == PressureStep::Explicit { limits(scheme)[0] } else { f64::INFINITY }
    }

    fn own_stiffness(&self) -> Option<RestStiffness> {
        Some(|part, slot, _, weight, ways| {
            let fields = part.shared::<PressureBodies>();
            let solid = fields.bodies.get(slot).and_then(Option::as_ref).map(|b| &b.solid);
            solid.and_then(|s| impinge_pressure::stiffest_rest(s, weight, ways)).unwrap_or_default()
        })
    }

    fn check(&self, seen: &Seen<'_>) -> Result<(), BuildError> {
        check::settings(self, seen.scheme).map_err(BuildError::BadSetting)
    }

    fn stands_alone(&self, _bodies: &[SeenBody<'_>]) -> Option<String> {
        (self.step == PressureStep::Radau).then(|| {
            "`pressure` with the step 'radau' follows bodies along their path and cannot act beside another response; take the step \
             'implicit'"
                .to_string()
        })
    }

    fn refuses(&self, a: &SeenBody<'_>, b: &SeenBody<'_>, law: &PairLaw) -> Option<&'static str> {
        check::pair(a, b, law.damping)
    }

    fn refuses_nodes(&self) -> Option<&'static str> {
        Some("pressure fields are of bodies that keep their shape, and one of these is made of nodes")
    }

    fn needs_fields(&self) -> bool {
        true
    }

    fn still_force(&self) -> StillForce {
        StillForce::Fields
    }

    fn reader<'a>(&self, part: Part<'a>) -> Box<dyn ContactReader + 'a> {
        Box::new(Patched::of(self, part))
    }

    fn pieces(&self) -> Option<Pieces> {
        Some(surfaces)
    }

    /// Where the tets of two fields meet.
    fn pieces_to_come(&self) -> usize {
        68
    }

    fn books_energy(&self) -> bool {
        self.energy
    }

    fn effort(&self) -> Option<&'static Effort> {
        Some(&EFFORT)
    }

    fn cites(&self) -> &'static [&'static str] {
        &[PRESSURE]
    }

    fn notes(&self) -> Vec<String> {
        let step = match self.step {
            PressureStep::Implicit => {
                "The pressure is that of the end of the step, solved for with the motion of all bodies: stable for any \
                 modulus, and what is faster than the step loses energy. Both bodies of a pair are pushed at one point: no \
                 momentum leaks."
            }
            PressureStep::Explicit => {
                "The pressure is that of the start of the step: stable below kΔt²/m = 4 with k the stiffness of the patch, no \
                 leak of momentum."
            }
            PressureStep::Radau => {
                "Bodies are followed along their path by Radau's method of order 5 and more, to the tolerance of the scene, in as many \
                 inner steps as that takes; forces are integrals along it. Friction is a smooth function of velocity: what \
                 holds creeps."
            }
        };
        vec![
            "Contact surfaces are where the pressure fields of two bodies are equal (seed 004); the pressure on them, integrated \
             exactly, is the force. Friction is on the surface too, with a memory of each patch unless the scene says otherwise."
                .to_string(),
            step.to_string(),
        ]
    }

    fn warnings(&self, part: Part<'_>) -> Vec<String> {
        rest::field_warnings(part)
    }
}

impl Kept for Bristles {
    type Next = BristlesNext;

    fn accept(&mut self, next: &mut BristlesNext) {
        swap(&mut self.0, &mut next.0);
        swap(&mut self.1, &mut next.1);
    }

    fn begin(next: &mut BristlesNext) {
        next.0.clear();
        next.1.clear();
    }

    fn hash(&self, h: &mut StateHash) {
        self.hash_into(h);
    }

    fn check(&self, within: &Within<'_>) -> Result<(), String> {
        Bristles::check(self, within.bodies)
    }

    fn forget_pair(&mut self, _map: &SurfaceMap, pair: (u32, u32)) {
        self.0.retain(|r| (r.0[0], r.0[1]) != pair);
    }

    fn rename(&mut self, to: &Renaming) {
        self.0.retain(|r| !r.0.iter().any(|&b| to.ends(b)));
        self.1.retain(|r| !to.ends(r.0));
    }

    /// Their names are pairs of bodies.
    fn after_cut(&self, _cut: &Renumber<'_>) -> Self {
        self.clone()
    }
}

columns! {
    PressureBodies => "pressure bodies", Scene;
    PressurePatches => "pressure patches", Step;
    Bristles => "bristles", State;
    BristlesNext => "bristles next", Step;
    PathEnds => "path ends", Step;
    PressureReport => "pressure report", Step;
}
