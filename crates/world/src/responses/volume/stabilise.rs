//! stabilise: positions are moved until the volume is at most V̄ (Algorithm 1, lines 4–9 of seed 002).

use super::narrow::MeasureOverlaps;
use super::settings::{Overlaps, VolumeReport, VolumeSettings};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Dofs, Elastic, Forces, Laws, Operator, Shapes};
use impinge_contact::{Advanced, Ledger, SurfaceMap};
use impinge_volume::{Corrected, Stabiliser};

/// Calls [`Stabiliser::correct`].
pub struct StabiliseVolume {
    stabiliser: Stabiliser,
}

impl StabiliseVolume {
    /// Empty scratch, with the gauge of the stage that measures where the step begins.
    #[must_use]
    pub fn beside(settings: VolumeSettings, narrow: &MeasureOverlaps) -> Self {
        Self { stabiliser: Stabiliser::beside(settings, &narrow.gauge) }
    }
}

type Books = (&'static Forces, &'static mut Ledger);
type Bodies = (&'static SurfaceMap, &'static Shapes, &'static Laws, &'static Dofs, &'static Elastic);

impl Stage for StabiliseVolume {
    type Io = (
        Bodies,
        &'static Overlaps,
        &'static mut Operator,
        &'static mut Advanced,
        &'static mut VolumeReport,
        Books,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "stabilise: volume"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["operator", "advanced", "volume report", "ledger"]
    }

    fn run(
        &mut self,
        (bodies, overlaps, operator, advanced, report, (forces, ledger)): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (map, shapes, laws, dofs, elastic) = bodies;
        let (bodies, soft) = ((map, shapes, laws, dofs), (elastic, operator, forces));
        let out = Corrected { advanced, ledger, report };
        Ok(Outcome::items(self.stabiliser.correct(bodies, soft, overlaps, step.dt, out)?))
    }
}
