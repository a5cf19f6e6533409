//! The numbers behind the page: takes a plot or the stage times, gives CSV (RFC 4180 quoting, `\n` line
//! ends). Every number is written with the fewest digits that read back to the same bits, infinite ones as `inf`
//! and `-inf`. What does not exist (NaN, the end of a shorter list) is an empty cell.

use crate::compared::ComparedRun;
use crate::comparison::Overlay;
use crate::motion::Motion;
use crate::record::{Plot, StageTime};
use std::fmt::Write;

/// All samples of a plot: a column of times (s) and one column per curve.
#[must_use]
pub fn plot_csv(plot: &Plot) -> String {
    let mut out = String::new();
    cell(&mut out, "time [s]");
    for curve in &plot.curves {
        out.push(',');
        if plot.unit.is_empty() {
            cell(&mut out, &curve.name);
        } else {
            cell(&mut out, &format!("{} [{}]", curve.name, plot.unit));
        }
    }
    out.push('\n');
    let rows = plot.curves.iter().map(|c| c.values.len()).chain([plot.x.len()]).max().unwrap_or(0);
    for row in 0..rows {
        number(&mut out, plot.x.get(row));
        for curve in &plot.curves {
            out.push(',');
            number(&mut out, curve.values.get(row));
        }
        out.push('\n');
    }
    out
}

/// All samples of an overlaid plot, one row for each: run, quantity, time, value.
pub(crate) fn overlay_csv(overlay: &Overlay, runs: &[ComparedRun]) -> String {
    let value =
        if overlay.unit.is_empty() { "value".to_string() } else { format!("value [{}]", overlay.unit) };
    let mut out = String::from("run,quantity,time [s],");
    cell(&mut out, &value);
    out.push('\n');
    for c in &overlay.curves {
        for (x, v) in c.x.iter().zip(&c.values) {
            cell(&mut out, &runs[c.run].label);
            out.push(',');
            cell(&mut out, &c.group);
            out.push(',');
            number(&mut out, Some(x));
            out.push(',');
            number(&mut out, Some(v));
            out.push('\n');
        }
    }
    out
}

/// How bodies moved, the text of `csv/bodies.csv`: one line for each moment and body.
#[must_use]
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

/// One row per stage.
#[must_use]
pub fn stages_csv(stages: &[StageTime]) -> String {
    let mut out = String::from("stage,total [s],median [us],p99 [us],items (mean)\n");
    for stage in stages {
        cell(&mut out, &stage.name);
        for value in
            [stage.total_seconds, stage.median_microseconds, stage.p99_microseconds, stage.items_mean]
        {
            out.push(',');
            number(&mut out, Some(&value));
        }
        out.push('\n');
    }
    out
}

pub(crate) fn number(out: &mut String, value: Option<&f64>) {
    if let Some(value) = value.filter(|v| !v.is_nan()) {
        // Debug formatting is the shortest text that reads back exactly, with an exponent where that is
        // shorter.
        let _ = write!(out, "{value:?}");
    }
}

pub(crate) fn cell(out: &mut String, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}
