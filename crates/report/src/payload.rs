//! The data block of the page: takes a record, gives JSON text that is safe inside a `<script>` element, and
//! the names of the CSV files beside the page.

use crate::encode::{f64s, unsigned};
use crate::record::{Plot, RunRecord};
use crate::{body_payload, contact_payload, drawn_payload, plot_payload};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// JSON of everything that moves: bodies, frames, contacts, plots.
pub fn json_text(record: &RunRecord) -> String {
    let mut shapes = body_payload::Shapes::default();
    let mut value = playback(record, &mut shapes);
    let names = csv_names(&record.plots);
    let plots: Vec<_> = record
        .plots
        .iter()
        .zip(&names)
        .map(|(plot, name)| plot_payload::plot(plot, &format!("csv/{name}")))
        .collect();
    value["shapes"] = shapes.stored.into();
    value["plots"] = plots.into();
    safe(&value)
}

/// Bodies, frames and contacts of one run; its shapes go to `shapes`.
pub fn playback(record: &RunRecord, shapes: &mut body_payload::Shapes) -> Value {
    json!({
        "bodies": body_payload::bodies(&record.bodies, &record.frames, shapes),
        "dt": record.dt,
        "time": f64s(&record.frames.time),
        "tracks": body_payload::tracks(record.bodies.len(), &record.frames),
        "contacts": contact_payload::contacts(&record.frames),
        "drawn": drawn_payload::drawn(&record.frames),
        "pairs": record.frames.pairs,
        "mu": contact_payload::friction(&record.frames),
        "met": contact_payload::met(&record.frames),
        "left": unsigned(&record.frames.left_out),
    })
}

/// Text of a value that may stand inside a `<script>` element: `<` occurs only inside JSON strings, where the escape means the same;
/// without it a name could close the element.
pub fn safe(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// A file name per plot: its id with everything but letters, digits, `-` and `_` replaced, and a number where
/// two would be equal (on a file system that ignores case, too). `stages.csv` belongs to the stage times.
pub fn csv_names(plots: &[Plot]) -> Vec<String> {
    let mut taken = BTreeSet::from(["stages".to_owned()]);
    plots
        .iter()
        .map(|plot| {
            let clean: String = plot
                .id
                .chars()
                .take(80)
                .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' })
                .collect();
            let stem = if clean.is_empty() { "plot".to_owned() } else { clean };
            let mut name = stem.clone();
            let mut number = 2;
            while !taken.insert(name.to_lowercase()) {
                name = format!("{stem}-{number}");
                number += 1;
            }
            format!("{name}.csv")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_clean_and_never_collide() {
        let plots: Vec<Plot> = ["force", "Force", "../etc/passwd", "", "stages", "force-2"]
            .iter()
            .map(|id| Plot { id: (*id).into(), ..Plot::default() })
            .collect();
        assert_eq!(
            csv_names(&plots),
            ["force.csv", "Force-2.csv", "---etc-passwd.csv", "plot.csv", "stages-2.csv", "force-2-2.csv"]
        );
    }
}
