//! response: pressure and friction on the contact surfaces, at the start of the step or solved for at its end.

use super::forces::{Lever, press, remember, stored};
use super::newton::{Given, Newton};
use super::path;
use super::path::Path;
use super::pushed::{Pushed, Surroundings};
use super::settings::{
    Bristles, BristlesNext, PathEnds, PressureBodies, PressurePatch, PressurePatches, PressureReport,
    PressureSettings, PressureStep,
};
use super::trial::Twists;
use crate::adapters::book::book;
use crate::adapters::names::{Names, two};
use crate::components::{Bounds, Decisions, Dofs, Laws};
use crate::shapes::Shapes;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::{
    ApplyWorkspace, Contacts, Evaluated, Ledger, Loads, Pairs, PatchRow, PlaneContacts, Prediction, Surface,
    SurfaceMap, Wrench, par,
};
use impinge_geometry::{DVec3, Pose};
use impinge_pressure::BristleState;

/// Decides one patch for each pair that touches, then calls [`impinge_contact::apply`].
pub struct PressureResponse {
    /// Settings.
    pub settings: PressureSettings,
    names: Names,
    newton: Newton,
    pushed: Pushed,
    path: Path,
    apply: ApplyWorkspace,
}

impl PressureResponse {
    /// A response with these settings; names for errors.
    pub fn new(settings: PressureSettings, names: Names) -> Self {
        Self {
            settings,
            names,
            newton: Newton::default(),
            pushed: Pushed::default(),
            path: Path::default(),
            apply: ApplyWorkspace::default(),
        }
    }
}

type Detected = (
    &'static mut Pairs,
    &'static Contacts,
    &'static PlaneContacts,
    &'static Surface,
    &'static SurfaceMap,
    &'static PressureBodies,
);
type Motion = (&'static Dofs, &'static Prediction, &'static Bristles);
type Around = (&'static Shapes, &'static Laws, &'static Bounds);
type Out = (
    &'static mut PressurePatches,
    &'static mut Decisions,
    &'static mut BristlesNext,
    &'static mut PathEnds,
    &'static mut PressureReport,
    &'static mut Loads,
    &'static mut Ledger,
);

impl Stage for PressureResponse {
    type Io = (Detected, Motion, Around, Out);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: pressure"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["pairs", "pressure patches"]
    }

    fn run(
        &mut self,
        (detected, motion, (shapes, laws, bounds), out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (pairs, contacts, planes, surface, map, bodies) = detected;
        let (dofs, prediction, before) = motion;
        let (patches, decisions, next, path_ends, report, loads, ledger) = out;
        let (patches, dt) = (&mut patches.0, step.dt);
        path_ends.0.clear();
        *report = PressureReport { queries: patches.len() as u32, ..PressureReport::default() };
        let ends: &[Pose] = match self.settings.step {
            PressureStep::Explicit => {
                // Those of the start, like the pressure: a body held on a slope is then at rest where the predicted slip would be none only
                // while it moves against its weight.
                let b = &dofs.bodies;
                let twists = Twists { velocity: b.velocity.clone(), spin: b.angular_velocity.clone() };
                par::fill(patches, 1, |_, p| press(p, &dofs.bodies.pose, &twists, dt));
                &dofs.bodies.pose
            }
            PressureStep::Implicit => {
                let given = Given { dofs, prediction, bodies, settings: &self.settings, before, dt };
                let at = Surroundings {
                    shapes,
                    laws,
                    bodies,
                    dofs,
                    bounds,
                    bristles: before,
                    settings: &self.settings,
                };
                self.newton.solve(&given, patches, report, false);
                loop {
                    let (poses, slots) = (&self.newton.poses, &self.newton.slots);
                    if !self.pushed.join(at, poses, slots, pairs, patches)? {
                        break;
                    }
                    let faces: usize = patches.iter().map(|p| p.surface.faces.len()).sum();
                    laws.limits.contacts(faces, || {
                        patches.last().map_or_else(Default::default, |p| two(&self.names, p.a, p.b))
                    })?;
                    self.newton.solve(&given, patches, report, true);
                }
                if report.unfinished && !step.accept_unfinished {
                    let body = self.newton.worst(&given).map_or("", |s| &*self.names[s as usize]);
                    return Err(StageError::Unfinished {
                        solve: "the implicit step of pressure fields",
                        body: body.to_string(),
                        residual: report.residual,
                        tolerance: self.settings.tolerance,
                        remedy: "allow more `iterations`",
                    });
                }
                self.newton.changes(&given, report, &mut next.1);
                &self.newton.poses
            }
            PressureStep::Radau => {
                let (settings, names, time) = (&self.settings, &self.names, step.time);
                let given = path::Given { dofs, prediction, bodies, settings, time, dt, names };
                self.path.walk(&given, patches, path_ends, report)?;
                &self.path.poses
            }
        };
        let along = self.settings.step == PressureStep::Radau;
        par::fill(patches, 1, |_, p| remember(p, ends, dt));
        if self.settings.energy {
            par::fill(patches, 1, |_, p| stored(p, bodies, ends));
        }
        decisions.clear();
        decisions.evaluated = Evaluated::Start;
        for (k, p) in patches.iter().enumerate() {
            if p.surface.is_empty() && !(along && self.path.touched(k)) {
                continue;
            }
            let at = p.normal.point - Lever::new(p, dofs, ends).back;
            let mut row = row(p, at, dt);
            if along {
                self.path.book(k, p, dofs, &mut row);
            }
            decisions.patches.rows.push(row);
            report.patches += 1;
            report.polygons += p.surface.faces.len() as u32;
            report.energy += p.energy;
            report.max_pressure = report.max_pressure.max(p.surface.max_pressure);
            if p.next != BristleState::default() {
                next.0.push(([p.a, p.b], p.next));
            }
        }
        let (frames, tables) = (dofs.bodies.view(), (contacts.view(), planes.view()));
        let (names, ws) = (&self.names, &mut self.apply);
        book(names, map, frames, surface.view(), pairs.view(), tables, decisions, loads, ledger, ws)?;
        Ok(Outcome::items(report.polygons as usize))
    }
}

/// What a patch does to its bodies in `dt` when it pushes both at `point`: equal and opposite by construction.
fn row(p: &PressurePatch, point: DVec3, dt: f64) -> PatchRow {
    let both = |w: &impinge_pressure::Wrench| {
        let a = Wrench { impulse: w.force * dt, moment: w.torque * dt };
        [a, Wrench { impulse: -a.impulse, moment: -a.moment }]
    };
    let (mut deepest, mut sum) = (0.0f64, 0.0);
    for f in &p.surface.faces {
        // How far the two have been pushed in: pressure over slope, on both sides.
        let inward = |g: DVec3| if g.mag_sq() > 0.0 { f.pressure.max(0.0) / g.mag() } else { 0.0 };
        let depth = inward(f.gradient_a) + inward(f.gradient_b);
        deepest = deepest.max(depth);
        sum += depth * f.area;
    }
    let area = p.surface.area;
    PatchRow {
        pair: p.pair,
        point,
        normal: both(&p.normal),
        friction: both(&p.friction),
        area,
        volume: 0.0,
        depth_max: deepest,
        depth_mean: if area > 0.0 { sum / area } else { 0.0 },
        pressure_max: p.surface.max_pressure,
        energy: p.energy,
        work: None,
        key: u64::from(p.a) << 32 | u64::from(p.b),
    }
}
