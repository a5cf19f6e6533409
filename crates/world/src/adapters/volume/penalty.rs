//! response: the energy ½kV² of each cell (seed 002 (15), sign by erratum V4), with viscous forces up to Coulomb's bound.

use super::super::Names;
use super::super::book::book;
use super::compliance::Compliance;
use super::response::push;
use super::rows::{Maker, Motion, coefficient};
use crate::components::{Decisions, Dofs, Elastic, Laws};
use crate::stage::{Outcome, Stage, StageError, Step};
use crate::volume::{Overlaps, VolumePenaltySettings, VolumeReport};
use hecs::{Query, QueryBorrow};
use impinge_contact::{
    ApplyWorkspace, Contacts, Evaluated, Ledger, Loads, Pair, Pairs, PlaneContacts, Surface, SurfaceMap,
};
use impinge_volume::FrictionAt;

/// Pushes every cell with the pressure kV, then calls [`impinge_contact::apply`].
pub struct VolumePenaltyResponse {
    /// Stiffness, viscosity.
    pub settings: VolumePenaltySettings,
    names: Names,
    compliance: Compliance,
    apply: ApplyWorkspace,
}

impl VolumePenaltyResponse {
    /// A response with these settings; names for errors.
    pub fn new(settings: VolumePenaltySettings, names: Names) -> Self {
        Self { settings, names, compliance: Compliance::default(), apply: ApplyWorkspace::default() }
    }
}

type Found = (&'static Overlaps, &'static Surface, &'static SurfaceMap);
type World = (&'static Dofs, &'static Laws, &'static Elastic);
type Out = (
    &'static mut Pairs,
    &'static Contacts,
    &'static PlaneContacts,
    &'static mut Decisions,
    &'static mut VolumeReport,
    &'static mut Loads,
    &'static mut Ledger,
);

impl Stage for VolumePenaltyResponse {
    type Io = (Found, World, Out);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: volume-penalty"
    }

    fn run(
        &mut self,
        ((overlaps, surface, map), (dofs, laws, elastic), out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (pairs, mesh, planes, decisions, report, loads, ledger) = out;
        let VolumePenaltySettings { stiffness, viscosity, .. } = self.settings;
        decisions.clear();
        decisions.evaluated = Evaluated::Start;
        *report = overlaps.report();
        self.compliance.lay_out(dofs, elastic);
        let friction = Some(FrictionAt::Center);
        let poses = &dofs.bodies.pose;
        let maker = Maker { map, compliance: &self.compliance, poses, depth: 0.0, friction };
        pairs.clear();
        for (p, measured) in overlaps.pairs.iter().enumerate() {
            report.volume += measured.overlap.volume();
            for cell in measured.cells() {
                report.cells += 1;
                let Some(c) = maker.contact(p, measured, cell) else {
                    report.contained += 1;
                    continue;
                };
                report.depth = report.depth.max(c.frame.mean_depth);
                let u = Motion { map, dofs, prediction: None }.velocity(&maker, measured, &c);
                let slip = (u[1] * u[1] + u[2] * u[2]).sqrt();
                let area = c.frame.projected_area;
                // ν v_rel is a pressure, v_rel = area times the rows' velocity (m³/s): area² ν u is a force.
                let viscous = viscosity * area * area * step.dt;
                // A damper does not pull.
                let normal = (stiffness * c.volume * area * step.dt - viscous * u[0]).max(0.0);
                let bound = coefficient(laws, measured.law, slip) * normal;
                let scale = if viscous * slip > bound { bound / (viscous * slip) } else { 1.0 };
                let f = [normal, -viscous * scale * u[1], -viscous * scale * u[2]];
                if f == [0.0; 3] {
                    continue;
                }
                report.active += 1;
                let [a, b] = c.bodies;
                if pairs.is_empty() || (pairs.a[pairs.len() - 1], pairs.b[pairs.len() - 1]) != (a, b) {
                    let sides = laws.of(a, b).map(|l| l.1).unwrap_or_default();
                    pairs.push(Pair { a, b, law: measured.law, sides });
                }
                let (pair, size) = (pairs.len() as u32 - 1, (map.bodies(), step.dt));
                push(&maker, measured, &c, &f, pair, size, &mut decisions.patches);
                let last = decisions.patches.rows.len() - 1;
                decisions.patches.rows.energy[last] = 0.5 * stiffness * c.volume * c.volume;
            }
        }
        let (names, ws) = (&self.names, &mut self.apply);
        let tables = (mesh.view(), planes.view());
        let bodies = dofs.bodies.view();
        book(names, map, bodies, surface.view(), pairs.view(), tables, decisions, loads, ledger, ws)?;
        Ok(Outcome::items(report.cells as usize))
    }
}
