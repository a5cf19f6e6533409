//! How bodies moved, as numbers: a row for each body at each recorded moment.

use crate::exact;
use serde::{Deserialize, Serialize};

/// Motion of bodies at the recorded moments; becomes `csv/bodies.csv`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Motion {
    /// Names of the bodies that are followed.
    pub bodies: Vec<String>,
    /// The moments (s).
    #[serde(with = "exact")]
    pub time: Vec<f64>,
    /// For each moment the bodies' rows, one after another: place of the centre of mass (m), its velocity (m/s), angular velocity (rad/s,
    /// NaN for bodies of nodes, which have none), net contact force in the mean since the moment before (N); world axes.
    #[serde(with = "exact")]
    pub rows: Vec<[f64; 12]>,
}
