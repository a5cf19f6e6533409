//! stabilise: the way of what would penetrate is cut where it would first touch.

use super::settings::{QpReport, QpSettings};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Dofs, Elastic, Forces, Laws, Names, Shapes};
use impinge_contact::{Advanced, Ledger, Surface, SurfaceMap};
use impinge_qp::MotionCut;
use impinge_swept::{Faces, SweptCandidates};

/// Calls [`MotionCut::cut`].
pub struct CutMotion {
    motion: MotionCut,
}

impl CutMotion {
    /// Empty scratch; names for errors.
    #[must_use]
    pub fn new(settings: QpSettings, names: Names) -> Self {
        Self { motion: MotionCut::new(settings, names) }
    }
}

type Bodies = (&'static SurfaceMap, &'static Shapes, &'static Laws, &'static Dofs, &'static Elastic);
type Books = (&'static Forces, &'static mut Ledger);
type Listed = (&'static SweptCandidates, &'static Faces, &'static Surface);

impl Stage for CutMotion {
    type Io = (Bodies, Listed, &'static mut Advanced, &'static mut QpReport, Books);
    type Rows = ();

    fn name(&self) -> &'static str {
        "stabilise: cut"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["advanced", "qp report", "ledger"]
    }

    fn run(
        &mut self,
        (bodies, (listed, faces, predicted), advanced, report, (forces, ledger)): <Self::Io as Query>::Item<
            '_,
        >,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        self.motion.cut(bodies, (listed, faces, &predicted.x1), forces, advanced, (report, ledger))?;
        Ok(Outcome::items(report.cut as usize))
    }
}
