//! Pressure and friction on the contact surfaces, at the start of the step, solved for at its end, or along the path.

use super::forces::{Lever, press, remember, stored};
use super::newton::{Given, Newton};
use super::path;
use super::path::Path;
use super::pulled::soften;
use super::pushed::{Pushed, Surroundings};
use super::tables::{
    Bristles, BristlesNext, PathEnds, PressureBodies, PressurePatch, PressureReport, PressureSettings,
    PressureStep,
};
use super::trial::Twists;
use crate::BristleState;
use impinge_bodies::{Bounds, ContactError, Decisions, Dofs, Laws, Names, Shapes, put, two};
use impinge_contact::{Evaluated, Pairs, PatchRow, Prediction, Wrench, par};
use impinge_geometry::{DVec3, Pose};

/// Decides one patch for each pair that touches; kept from step to step for its memory alone.
pub struct PressureAnswer {
    names: Names,
    newton: Newton,
    pushed: Pushed,
    path: Path,
    load: Vec<f64>,
}

/// When a step is, and what of it will do.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Start (s).
    pub time: f64,
    /// Length (s).
    pub dt: f64,
    /// Time (s) over which the velocities at the start are the mean; negative where it ends there.
    pub mean_over: f64,
    /// The best state of a solve that did not end will do.
    pub accept_unfinished: bool,
}

/// Where the response writes.
pub struct PressureOut<'a> {
    /// Pairs; those that the solution pushes into each other are added.
    pub pairs: &'a mut Pairs,
    /// Their patches, with the surfaces of [`crate::SurfaceSearch::find`].
    pub patches: &'a mut Vec<PressurePatch>,
    /// A patch for each pair that touches.
    pub decisions: &'a mut Decisions,
    /// What friction remembers.
    pub next: &'a mut BristlesNext,
    /// Where Radau's method put the bodies.
    pub path_ends: &'a mut PathEnds,
    /// What the step took.
    pub report: &'a mut PressureReport,
}

impl PressureAnswer {
    /// Empty scratch; names for errors.
    #[must_use]
    pub fn new(names: Names) -> Self {
        let (newton, pushed, path) = (Newton::default(), Pushed::default(), Path::default());
        Self { names, newton, pushed, path, load: Vec::new() }
    }

    /// Decides every patch. `bounds` are the boxes of [`crate::place_boxes`], `before` what friction remembers.
    ///
    /// # Errors
    /// [`ContactError::Unfinished`] where the implicit step was not solved, [`ContactError::Path`] where the path was not followed,
    /// [`ContactError::TooManyContacts`] where the solution touches in more polygons than the laws allow.
    pub fn answer(
        &mut self,
        settings: &PressureSettings,
        (bodies, dofs, prediction, before): (&PressureBodies, &Dofs, &Prediction, &Bristles),
        (shapes, laws, bounds): (&Shapes, &Laws, &Bounds),
        Span { time, dt, mean_over, accept_unfinished }: Span,
        out: PressureOut<'_>,
    ) -> Result<(), ContactError> {
        let PressureOut { pairs, patches, decisions, next, path_ends, report } = out;
        path_ends.0.clear();
        *report = PressureReport { queries: patches.len() as u32, ..PressureReport::default() };
        let ends: &[Pose] = match settings.step {
            PressureStep::Explicit => {
                // Those of the start, like the pressure: a body held on a slope is then at rest where the predicted slip would be none only
                // while it moves against its weight.
                let b = &dofs.bodies;
                let (velocity, spin) = (b.velocity.clone(), b.angular_velocity.clone());
                let twists = Twists { velocity, spin, mean_over };
                soften(patches, dofs, &twists, dt, &mut self.load);
                par::fill(patches, 1, |_, p| press(p, &dofs.bodies.pose, &twists, dt));
                &dofs.bodies.pose
            }
            PressureStep::Implicit => {
                let given = Given { dofs, prediction, bodies, settings, before, dt };
                let at = Surroundings { shapes, laws, bodies, dofs, bounds, bristles: before, settings };
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
                if report.unfinished && !accept_unfinished {
                    let body = self.newton.worst(&given).map_or("", |s| &*self.names[s as usize]);
                    return Err(ContactError::Unfinished {
                        solve: "the implicit step of pressure fields",
                        body: body.to_string(),
                        residual: report.residual,
                        tolerance: settings.tolerance,
                        remedy: "allow more `iterations`",
                    });
                }
                self.newton.changes(&given, report, &mut next.1);
                &self.newton.poses
            }
            PressureStep::Radau => {
                let names = &self.names;
                let given = path::Given { dofs, prediction, bodies, settings, time, dt, names };
                self.path.walk(&given, patches, path_ends, report)?;
                &self.path.poses
            }
        };
        let along = settings.step == PressureStep::Radau;
        par::fill(patches, 1, |_, p| remember(p, ends, dt));
        if settings.energy {
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
        Ok(())
    }
}

/// Puts bodies where Radau's method brought them: the drift of the integrator is only of its order. Poses of the path, and the spins that go
/// with them; velocities and momenta are those that the booked impulses make. How many were moved.
pub fn take_path(dofs: &Dofs, ends: &PathEnds, advanced: &mut impinge_contact::Advanced) -> usize {
    let moved = ends.0.iter().enumerate().filter_map(|(b, pose)| Some((b, (*pose)?)));
    let mut count = 0;
    for (b, pose) in moved {
        put(dofs, b, pose, advanced);
        count += 1;
    }
    count
}

/// What a patch does to its bodies in `dt` when it pushes both at `point`: equal and opposite by construction.
fn row(p: &PressurePatch, point: DVec3, dt: f64) -> PatchRow {
    let both = |w: &crate::Wrench| {
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
