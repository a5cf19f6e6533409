//! How bodies moved, as numbers: takes a row for each body at each recorded moment, gives the text of `csv/bodies.csv`.

use crate::csv::{cell, number};
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

/// One line for each moment and body.
pub fn motion_csv(motion: &Motion) -> String {
    const COLUMNS: &str = "time [s],body,x [m],y [m],z [m],vx [m/s],vy [m/s],vz [m/s],wx [rad/s],wy [rad/s],wz [rad/s],\
                           contact fx [N],contact fy [N],contact fz [N]\n";
    let mut out = String::from(COLUMNS);
    let each = motion.bodies.len().max(1);
    for (time, rows) in motion.time.iter().zip(motion.rows.chunks(each)) {
        for (name, row) in motion.bodies.iter().zip(rows) {
            number(&mut out, Some(time));
            out.push(',');
            cell(&mut out, name);
            for value in row {
                out.push(',');
                number(&mut out, Some(value));
            }
            out.push('\n');
        }
    }
    out
}
