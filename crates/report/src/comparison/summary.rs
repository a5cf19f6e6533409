//! The table a reader compares first, from the records alone.

use super::overlay::whole_step;
use crate::compared::ComparedRun;
use crate::number::{seconds, short};
use crate::record::{Curve, Plot, RunRecord, Status};
use crate::tables::escape;

/// A row: what, in which unit, a value for each run; the lowest is marked where lower is better.
pub(super) struct Row {
    pub what: String,
    pub unit: &'static str,
    pub values: Vec<f64>,
    pub lower_is_better: bool,
    pub note: &'static str,
}

/// Pairs with rows of their own: those pressed the most.
const MOST_PAIRS: usize = 4;

/// Everything that is a number.
pub(super) fn rows(runs: &[ComparedRun]) -> Vec<Row> {
    let mut out = Vec::new();
    let mut row = |what: &str, unit, lower_is_better, note, value: &dyn Fn(&RunRecord) -> f64| {
        let values: Vec<f64> = runs.iter().map(|r| value(&r.record)).collect();
        if values.iter().any(|v| v.is_finite()) {
            out.push(Row { what: what.to_string(), unit, values, lower_is_better, note });
        }
    };
    row("Time of a step, median", "s", true, "wall clock, runs one after another on this machine", &|r| {
        plot(r, "stages").map_or(f64::NAN, |p| median(whole_step(p)))
    });
    row("Deepest penetration", "m", true, "", &|r| largest(r, "depth", "deepest point"));
    row("Deepest at the end", "m", true, "mean over the last fifth of the run", &|r| {
        late(r, "depth", "deepest point")
    });
    row("Energy lost or won", "J", false, "total at the end less the first", &|r| {
        curve(r, "energy", "total").map_or(f64::NAN, |c| ends(c).map_or(f64::NAN, |[a, b]| b - a))
    });
    row("Energy above the first", "J", true, "the most by which the total exceeds its first value", &|r| {
        curve(r, "energy", "total").map_or(f64::NAN, |c| {
            let first = c.values.iter().copied().find(|v| v.is_finite()).unwrap_or(f64::NAN);
            c.values.iter().map(|v| v - first).fold(0.0, f64::max)
        })
    });
    row("Linear momentum unexplained", "", true, "largest, relative", &|r| largest(r, "momentum", "linear"));
    row("Angular momentum unexplained", "", true, "largest, relative; a known leak is drawn apart", &|r| {
        largest(r, "momentum", "angular")
    });
    row("Iterations of the solver", "", false, "mean of a step", &|r| mean(r, "iterations"));
    for pair in pairs(runs) {
        row(&format!("{pair}: normal force"), "N", false, "mean over the last fifth", &|r| {
            late(r, "force", &format!("{pair}, normal"))
        });
        row(&format!("{pair}: friction"), "N", false, "mean over the last fifth", &|r| {
            late(r, "force", &format!("{pair}, friction"))
        });
        row(
            &format!("{pair}: jitter"),
            "N",
            true,
            "total variation of the normal force over the run",
            &|r| {
                curve(r, "force", &format!("{pair}, normal"))
                    .map_or(f64::NAN, |c| c.values.windows(2).map(|w| (w[1] - w[0]).abs()).sum())
            },
        );
    }
    out
}

fn plot<'a>(r: &'a RunRecord, id: &str) -> Option<&'a Plot> {
    r.plots.iter().find(|p| p.id == id)
}

fn curve<'a>(r: &'a RunRecord, id: &str, name: &str) -> Option<&'a Curve> {
    plot(r, id)?.curves.iter().find(|c| c.name == name)
}

fn ends(c: &Curve) -> Option<[f64; 2]> {
    Some([*c.values.first()?, *c.values.last()?])
}

fn largest(r: &RunRecord, id: &str, name: &str) -> f64 {
    curve(r, id, name).map_or(f64::NAN, |c| c.values.iter().copied().fold(f64::NAN, f64::max))
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean over the last fifth of the samples.
fn late(r: &RunRecord, id: &str, name: &str) -> f64 {
    curve(r, id, name).map_or(f64::NAN, |c| average(&c.values[c.values.len() * 4 / 5..]))
}

/// Mean over the run of the sum of a plot's curves.
fn mean(r: &RunRecord, id: &str) -> f64 {
    plot(r, id).map_or(f64::NAN, |p| average(&whole_step(p)))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The pairs of bodies that are pressed the most, by the impulse they exchange in all runs.
fn pairs(runs: &[ComparedRun]) -> Vec<String> {
    let mut pressed: Vec<(String, f64)> = Vec::new();
    for r in runs {
        for c in plot(&r.record, "force").map_or(&[][..], |p| &p.curves[..]) {
            let Some(pair) = c.name.strip_suffix(", normal") else { continue };
            let sum: f64 = c.values.iter().filter(|v| v.is_finite()).sum::<f64>() * r.record.dt;
            match pressed.iter_mut().find(|p| p.0 == pair) {
                Some(p) => p.1 += sum,
                None => pressed.push((pair.to_string(), sum)),
            }
        }
    }
    pressed.sort_by(|a, b| b.1.total_cmp(&a.1));
    pressed.into_iter().take(MOST_PAIRS).map(|p| p.0).collect()
}

/// How a run ended: class of the pill, its word, and the reason.
pub(super) fn outcome(r: &RunRecord) -> (&'static str, String, String) {
    match &r.status {
        Status::Completed => ("pass", "completed".to_string(), String::new()),
        Status::Stopped { reason, time, .. } => {
            ("fail", format!("stopped at {}", seconds(*time)), reason.clone())
        }
        Status::Interrupted { time, .. } => {
            ("known", format!("interrupted at {}", seconds(*time)), String::new())
        }
    }
}

/// The card with the table.
pub(super) fn html(runs: &[ComparedRun], refused: &[(String, String)]) -> String {
    let head: String = runs.iter().map(|r| format!("<th class=\"n\">{}</th>", escape(&r.label))).collect();
    let mut body = String::from("<tr><th scope=\"row\">Run</th>");
    for r in runs {
        let (class, word, reason) = outcome(&r.record);
        body += &format!(
            "<td class=\"n\"><span class=\"pill {class}\" title=\"{}\">{}</span></td>",
            escape(&reason),
            escape(&word)
        );
    }
    body += "</tr>";
    for row in rows(runs) {
        let note = if row.note.is_empty() { String::new() } else { format!("<small>{}</small>", row.note) };
        body += &format!("<tr><th scope=\"row\">{}{note}</th>", escape(&row.what));
        let least = row.values.iter().copied().filter(|v| v.is_finite()).fold(f64::INFINITY, f64::min);
        for &v in &row.values {
            let text = match row.unit {
                _ if v.is_nan() => "–".to_string(),
                "s" => seconds(v),
                "" => short(v, 4),
                unit => format!("{} <i>{unit}</i>", short(v, 4)),
            };
            let best = if row.lower_is_better && v == least && runs.len() > 1 { " best" } else { "" };
            body += &format!("<td class=\"n{best}\">{text}</td>");
        }
        body += "</tr>";
    }
    let hashes: String = runs
        .iter()
        .map(|r| format!("<td class=\"n\"><code>{}</code></td>", escape(&r.record.state_hash)))
        .collect();
    body += &format!("<tr><th scope=\"row\">State hash</th>{hashes}</tr>");
    let refused: String = refused
        .iter()
        .map(|(label, reason)| format!("<li><b>{}</b> did not run: {}</li>", escape(label), escape(reason)))
        .collect();
    let refused = if refused.is_empty() { refused } else { format!("<ul class=\"prose\">{refused}</ul>") };
    let stopped: String = runs
        .iter()
        .map(|r| (r, outcome(&r.record).2))
        .filter(|(_, reason)| !reason.is_empty())
        .map(|(r, reason)| format!("<li><b>{}</b> stopped: {}</li>", escape(&r.label), escape(&reason)))
        .collect();
    let stopped = if stopped.is_empty() { stopped } else { format!("<ul class=\"prose\">{stopped}</ul>") };
    format!(
        "<section class=\"card\"><h2>Side by side</h2><div class=\"scroll\"><table class=\"compare-table\"><thead><tr><th></th>{head}<th></th></tr></thead>\
         <tbody>{body}</tbody></table></div>{stopped}{refused}</section>"
    )
}
