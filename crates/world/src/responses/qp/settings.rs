//! What the response `qp` takes from its kernel.

pub use impinge_qp::{Multiplier, Multipliers, MultipliersNext, PlaceShift, QpReport, QpSettings};
