//! The responses `volume` and `volume-penalty`: what the step asks of them.

use super::check::check_volume;
use super::facets::facets;
use super::narrow::MeasureOverlaps;
use super::pairs::VolumePairs;
use super::penalty::VolumePenaltyResponse;
use super::reading::{Bristled, Constrained, squares};
use super::response::VolumeResponse;
use super::rims::Rims;
use super::schema::{SECTION, constraints, energy};
use super::settings::{
    CellImpulses, CellImpulsesNext, Measurement, Overlaps, VolumeFriction, VolumePenaltySettings,
    VolumeReport, VolumeSettings,
};
use super::shallow::shallow;
use super::slides::slides;
use super::stabilise::StabiliseVolume;
use super::undamped::undamped;
use crate::adapters::{Names, PlaceSurface};
use crate::build_error::BuildError;
use crate::column::columns;
use crate::kept::{Kept, Within};
use crate::papers;
use crate::part::Part;
use crate::pipeline::{Pipeline, Place};
use crate::reader::{ContactReader, Pieces};
use crate::rebound::of_springs;
use crate::registered::Registered;
use crate::response::{ContactResponse, Effort, RestStiffness, StillForce};
use crate::seen::{Seen, SeenBody, linear_scheme};
use crate::stability::limits;
use crate::tables::Table;
use impinge_bodies::{Directions, Shape, ShapeKind};
use impinge_bodies::{Renaming, Renumber};
use impinge_contact::{Damper, PairLaw, StateHash, SurfaceMap};
use impinge_integrators::Scheme;
use impinge_penalty::Evaluate;
use std::mem::swap;

/// Its line in the list of responses.
pub(crate) static REGISTERED: Registered = Registered {
    name: "volume",
    meaning: "constraints on the intersection volume of closed surfaces, with friction",
    section: &SECTION,
    shown: &["cell", "by_place", "pixel", "depth", "recovery", "friction_at", "cone", "tolerance"],
    read: constraints,
};

/// That of the energy ½kV².
pub(crate) static PENALTY: Registered = Registered {
    name: "volume-penalty",
    meaning: "the energy ½kV² of the intersection volume",
    section: &SECTION,
    shown: &["stiffness", "viscosity", "friction"],
    read: energy,
};

const TABLES: [Table; 3] =
    [Table::of::<Overlaps>(), Table::of::<VolumeReport>(), Table::kept::<CellImpulses>()];

const NO_INSIDE: [&str; 2] = [
    "an intersection volume takes two bodies with an inside, and a sheet, a cable or loose points have none",
    "add a rule that lets them pass through each other, give the thin one a thickness (a closed mesh), or take a response that finds \
     contacts by their motion",
];

/// Exact volumes are those of two bodies.
fn not_itself(measure: Measurement) -> Option<[&'static str; 2]> {
    measure.pixel.is_none().then_some([
        "measures exactly: the exact volume is that of two bodies",
        "give [volume] a `pixel`: rays find where a body is entered twice; or take `self_contact` out",
    ])
}

fn along_axes(measure: Measurement) -> Option<&'static str> {
    (measure.cell.is_some() || measure.pixel.is_some()).then_some("cells and rays of intersection volumes")
}

const EFFORT: Effort = Effort {
    id: "volumes",
    title: "Volume constraints",
    counts: &["cells", "active", "contained", "groups", "iterations", "unfinished", "passes", "stopped"],
    note: "Cells with volume, those with an impulse, those without a way out; groups that share no body, iterations of their solves, \
           groups short of the tolerance; passes of the position stabilisation; pairs stopped where they would have passed each other.",
    residual: "Largest relative residual of the contact law over the groups.",
    measure: |part| {
        let r = *part.column::<VolumeReport>();
        let found = [r.cells, r.active, r.contained, r.islands];
        let solved = [r.iterations, r.unfinished, r.passes, r.stopped];
        (found.iter().chain(&solved).map(|&c| f64::from(c)).collect(), r.residual)
    },
};

impl ContactResponse for VolumeSettings {
    fn name(&self) -> &'static str {
        REGISTERED.name
    }

    fn directions(&self, first: ShapeKind, second: ShapeKind) -> Directions {
        Directions::of_insides(first, second)
    }

    fn stages(&self, pipeline: Pipeline, names: &Names) -> Pipeline {
        let narrow = MeasureOverlaps::of_constraints(self.measure, names.clone());
        let stabilise = StabiliseVolume::beside(*self, &narrow);
        pipeline
            .with(Place::Surface, PlaceSurface { at: Evaluate::Start, reach: 0.0 })
            .with(Place::Broad, VolumePairs::default())
            .with(Place::Narrow, narrow)
            .with(Place::Response, VolumeResponse::new(*self, names.clone()))
            .with(Place::Stabilise, stabilise)
    }

    fn tables(&self) -> &'static [Table] {
        &TABLES
    }

    fn is_implicit(&self) -> bool {
        true
    }

    fn check(&self, seen: &Seen<'_>) -> Result<(), BuildError> {
        VolumeSettings::check(self).map_err(BuildError::BadSetting)?;
        linear_scheme(REGISTERED.name, seen.scheme)?;
        check_volume(REGISTERED.name, Some(self.depth), seen)
    }

    fn no_direction(&self) -> [&'static str; 2] {
        NO_INSIDE
    }

    fn refuses_itself(&self) -> Option<[&'static str; 2]> {
        not_itself(self.measure)
    }

    fn along_axes(&self) -> Option<&'static str> {
        along_axes(self.measure)
    }

    fn still_force(&self) -> StillForce {
        StillForce::Volume(Some(
            "a hard constraint on the volume: its pressure follows from masses and motion",
        ))
    }

    fn reader<'a>(&self, part: Part<'a>) -> Box<dyn ContactReader + 'a> {
        Box::new(Constrained::of(self, part))
    }

    fn pieces(&self) -> Option<Pieces> {
        Some(squares)
    }

    fn has_multipliers(&self) -> bool {
        true
    }

    fn effort(&self) -> Option<&'static Effort> {
        Some(&EFFORT)
    }

    fn cites(&self) -> &'static [&'static str] {
        &[papers::VOLUME]
    }

    fn warnings(&self, part: Part<'_>) -> Vec<String> {
        let rims = Rims::of_constraints(self);
        let all = [rims.tips(part), facets(self.measure, self.depth, part), rims.pushed(part)];
        all.into_iter().flatten().chain(shallow(self, part)).collect()
    }

    fn rocks(&self, part: Part<'_>, body: u32) -> Option<String> {
        Rims::of_constraints(self).rocks(part, body)
    }

    fn notes(&self) -> Vec<String> {
        vec![
            "Each cell of intersection volume is one constraint: 0 ≤ −dV/dt ⊥ pressure ≥ 0 with Coulomb's cone (seed 002 (16), (17), (21), errata \
             V1–V3, V8), at the positions the step starts from. Positions are then moved until the volume is at most depth times area (18), (19): no \
             velocity changes."
                .to_string(),
            "Contacts are inelastic, but where a law asks for a restitution: what closes on average at v leaves at e v (Newton's law). Stiffness and other \
             damping of the materials are not used.".to_string(),
        ]
    }
}

impl ContactResponse for VolumePenaltySettings {
    fn name(&self) -> &'static str {
        PENALTY.name
    }

    fn directions(&self, first: ShapeKind, second: ShapeKind) -> Directions {
        Directions::of_insides(first, second)
    }

    fn stages(&self, pipeline: Pipeline, names: &Names) -> Pipeline {
        pipeline
            .with(Place::Surface, PlaceSurface { at: Evaluate::Start, reach: 0.0 })
            .with(Place::Broad, VolumePairs::default())
            .with(Place::Narrow, MeasureOverlaps::new(self.measure, names.clone()))
            .with(Place::Response, VolumePenaltyResponse::new(*self, names.clone()))
    }

    fn tables(&self) -> &'static [Table] {
        &TABLES
    }

    fn restitution_limit(&self, scheme: Scheme) -> f64 {
        of_springs(scheme)
    }

    fn refuses(&self, _a: &SeenBody<'_>, _b: &SeenBody<'_>, law: &PairLaw) -> Option<&'static str> {
        let asked = law.damping.restitution()?;
        matches!(asked.damper, Damper::KelvinVoigt(_)).then_some(
            "the law of the pair asks for a restitution by Kelvin and Voigt's damper, which is for contact points of the law's stiffness, and an \
             energy of volumes has its own; ask for it by `law = \"hunt-crossley\"`",
        )
    }

    fn stability_limit(&self, scheme: Scheme) -> f64 {
        limits(scheme)[0]
    }

    /// The viscosity acts on what the stiffness does.
    fn own_damping(&self) -> f64 {
        self.viscosity / self.stiffness
    }

    fn own_stiffness(&self) -> Option<RestStiffness> {
        Some(|part, _, shape, weight, ways| match (shape, part.response().settings::<Self>()) {
            (Shape::Mesh(m), Some(settings)) => {
                impinge_volume::stiffest_rest(&m.mesh, settings, weight, ways)
            }
            // Of a body made of nodes the surface that touches is known only then.
            _ => (0, 0.0),
        })
    }

    fn check(&self, seen: &Seen<'_>) -> Result<(), BuildError> {
        VolumePenaltySettings::check(self).map_err(BuildError::BadSetting)?;
        check_volume(PENALTY.name, None, seen)
    }

    fn no_direction(&self) -> [&'static str; 2] {
        NO_INSIDE
    }

    fn refuses_itself(&self) -> Option<[&'static str; 2]> {
        not_itself(self.measure)
    }

    fn along_axes(&self) -> Option<&'static str> {
        along_axes(self.measure)
    }

    fn still_force(&self) -> StillForce {
        StillForce::Volume(None)
    }

    fn stiffness_keys(&self) -> Vec<(&'static str, f64)> {
        vec![("stiffness", self.stiffness), ("viscosity", self.viscosity)]
    }

    fn reader<'a>(&self, part: Part<'a>) -> Box<dyn ContactReader + 'a> {
        Box::new(Bristled::of(self, part))
    }

    fn pieces(&self) -> Option<Pieces> {
        Some(squares)
    }

    fn cites(&self) -> &'static [&'static str] {
        &[papers::VOLUME]
    }

    fn warnings(&self, part: Part<'_>) -> Vec<String> {
        let rims = Rims::of_energy(self);
        let flat = [facets(self.measure, 0.0, part), rims.pushed(part)];
        let all = [rims.tips(part), undamped(self, part), slides(self, part)];
        all.into_iter().chain(flat).flatten().collect()
    }

    fn rocks(&self, part: Part<'_>, body: u32) -> Option<String> {
        Rims::of_energy(self).rocks(part, body)
    }

    fn notes(&self) -> Vec<String> {
        let friction = match self.friction {
            VolumeFriction::Bristles { .. } => {
                "Friction is a bristle for each cell: a spring that remembers its stretch, up to Coulomb's cone. In steps too long for it the spring \
                 is softer than asked for."
            }
            VolumeFriction::Viscous => {
                "Friction is viscous up to Coulomb's cone: what holds creeps, and without viscosity nothing rubs."
            }
        };
        vec![
            "The energy ½kV² of each cell of intersection volume (seed 002 (15), erratum V4), at the positions the step starts from; stiffness and \
             damping of the materials are not used, but for a restitution by Hunt and Crossley: kV (1 + χ v), v the mean speed of approach."
                .to_string(),
            friction.to_string(),
        ]
    }
}

impl Kept for CellImpulses {
    type Next = CellImpulsesNext;

    fn accept(&mut self, next: &mut CellImpulsesNext) {
        swap(&mut self.0, &mut next.0);
    }

    fn begin(next: &mut CellImpulsesNext) {
        next.0.clear();
    }

    fn hash(&self, h: &mut StateHash) {
        self.hash_into(h);
    }

    fn check(&self, _within: &Within<'_>) -> Result<(), String> {
        CellImpulses::check(self)
    }

    fn forget_pair(&mut self, _map: &SurfaceMap, pair: (u32, u32)) {
        self.0.retain(|m| (m.bodies[0], m.bodies[1]) != pair);
    }

    fn rename(&mut self, to: &Renaming) {
        self.0.retain(|m| !m.bodies.iter().any(|&b| to.ends(b)));
    }

    /// Their names are places, not features.
    fn after_cut(&self, _cut: &Renumber<'_>) -> Self {
        self.clone()
    }
}

columns! {
    Overlaps => "overlaps", Step;
    VolumeReport => "volume report", Step;
    CellImpulses => "cell impulses", State;
    CellImpulsesNext => "cell impulses next", Step;
}
