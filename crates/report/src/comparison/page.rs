//! The page of a comparison: takes the runs and their overlaid plots, gives one HTML document.

use super::overlay::{Overlay, overlays};
use super::summary;
use crate::audit::audit;
use crate::body_payload::Shapes;
use crate::citation;
use crate::compared::{ComparedRun, Comparison};
use crate::number::short;
use crate::page::{KEYS, PICKED, fill, page_style, script};
use crate::payload::{playback, room, safe, span};
use crate::record::{Check, Parameter, Verdict};
use crate::tables::{self, escape};
use serde_json::{Value, json};

const TEMPLATE: &str = include_str!("../assets/compare.html");
const STYLE: &str = include_str!("../assets/style/compare.css");
const MAIN: &str = include_str!("../assets/js/compare.js");

/// One self-contained HTML document.
#[must_use]
pub fn render_comparison(comparison: &Comparison) -> String {
    render(comparison, &overlays(&comparison.runs))
}

pub(super) fn render(comparison: &Comparison, plots: &[Overlay]) -> String {
    let runs = &comparison.runs;
    let description = match comparison.description.as_str() {
        "" => String::new(),
        text => format!("<p class=\"description\">{}</p>", escape(text)),
    };
    let notes: String = runs.iter().map(notes).collect::<String>()
        + &citation::html(runs.iter().map(|r| r.record.response.as_str()));
    let stages: String =
        runs.iter().map(|r| headed(&r.label, &tables::stage_rows(&r.record.stages))).collect();
    let [data, rest] = blocks(runs, plots);
    fill(
        TEMPLATE,
        &[
            ("title", &escape(&comparison.title)),
            ("style", &page_style(STYLE)),
            ("description", &description),
            ("summary", &summary::html(runs, &comparison.refused)),
            ("views", &runs.iter().enumerate().map(|(k, r)| view(k, r)).collect::<String>()),
            ("keys", KEYS),
            ("picked", PICKED),
            ("checks", &checks(runs)),
            ("stages", &stages),
            ("notes", &notes),
            ("parameters", &parameters(runs)),
            ("data", &data),
            ("script", &script(MAIN)),
            ("rest", &rest),
        ],
    )
}

/// What the first pictures show, and the rest.
fn blocks(runs: &[ComparedRun], plots: &[Overlay]) -> [String; 2] {
    let mut shapes = Shapes::default();
    let room = room(runs.iter().map(|r| &r.record.frames));
    let (played, rest): (Vec<Value>, Vec<Value>) = runs
        .iter()
        .map(|r| {
            let mut blocks = playback(&r.record, &mut shapes, room);
            blocks.data["label"] = r.label.clone().into();
            (blocks.data, blocks.rest)
        })
        .unzip();
    let times = runs.iter().map(|r| &r.record.frames.time);
    let span = span(times.chain(plots.iter().flat_map(|p| p.curves.iter().map(|c| &c.x))));
    let plots: Vec<Value> = plots.iter().map(|p| p.payload(runs)).collect();
    [
        safe(&json!({ "shapes": shapes.stored, "runs": played, "span": span })),
        safe(&json!({ "runs": rest, "plots": plots })),
    ]
}

/// One picture; its parts are found by the number of the run.
fn view(k: usize, run: &ComparedRun) -> String {
    let (class, word, _) = summary::outcome(&run.record);
    let label = escape(&run.label);
    format!(
        "<figure class=\"twin\"><figcaption><span class=\"swatch\" data-run-colour=\"{k}\"></span>{label}\
         <span class=\"pill {class}\">{}</span></figcaption><div class=\"view\">\
         <canvas id=\"view-gl-{k}\" tabindex=\"0\" aria-label=\"3-D view of {label}; drag to orbit, wheel to zoom, right drag to pan\"></canvas>\
         <div class=\"labels\" id=\"view-labels-{k}\" aria-hidden=\"true\"></div>\
         <p class=\"pressures\" id=\"view-pressures-{k}\" hidden></p><p class=\"tip\" id=\"view-tip-{k}\" hidden></p>\
         <p class=\"no-gl\" id=\"view-no-gl-{k}\" hidden></p></div><p class=\"readout\" id=\"view-readout-{k}\"></p>\
         <p class=\"scale\" id=\"view-scale-{k}\"></p><div class=\"spans\" id=\"view-spans-{k}\" hidden></div></figure>",
        escape(&word)
    )
}

fn headed(label: &str, inner: &str) -> String {
    if inner.is_empty() {
        return String::new();
    }
    format!(
        "<details class=\"card\"><summary><h2>Time per stage: {}</h2></summary>{inner}</details>",
        escape(label)
    )
}

fn notes(run: &ComparedRun) -> String {
    let misfits = audit(&run.record);
    let lines: String =
        run.record.notes.iter().chain(&misfits).map(|n| format!("<li>{}</li>", escape(n))).collect();
    if lines.is_empty() {
        return lines;
    }
    format!(
        "<details class=\"card prose\"><summary><h2>Notes: {}</h2></summary><ul>{lines}</ul></details>",
        escape(&run.label)
    )
}

/// Expectations by name, a column for each run.
fn checks(runs: &[ComparedRun]) -> String {
    let mut names: Vec<&Check> = Vec::new();
    for c in runs.iter().flat_map(|r| &r.record.checks) {
        if !names.iter().any(|n| n.name == c.name) {
            names.push(c);
        }
    }
    if names.is_empty() {
        return String::new();
    }
    let head: String = runs.iter().map(|r| format!("<th class=\"n\">{}</th>", escape(&r.label))).collect();
    let mut body = String::new();
    for name in names {
        body +=
            &format!("<tr><th scope=\"row\" title=\"{}\">{}</th>", escape(&name.what), escape(&name.name));
        for r in runs {
            let cell = r.record.checks.iter().find(|c| c.name == name.name).map_or("–".to_string(), |c| {
                let class = match c.verdict {
                    Verdict::Pass => "pass",
                    Verdict::Fail => "fail",
                    Verdict::ExpectedFail => "known",
                    Verdict::NotJudged => "open",
                };
                let tip = format!("expected {}. {}", c.expected, c.note);
                format!(
                    "<span class=\"pill {class}\" title=\"{}\">{} {}</span>",
                    escape(&tip),
                    short(c.measured, 5),
                    escape(&c.unit)
                )
            });
            body += &format!("<td class=\"n\">{cell}</td>");
        }
        body += "</tr>";
    }
    format!(
        "<section class=\"card\"><h2>Expectations of the scene, measured</h2><div class=\"scroll\"><table class=\"compare-table\">\
         <thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table></div></section>"
    )
}

/// Parameters by name: those in which runs differ with a column for each run, then those that all share.
fn parameters(runs: &[ComparedRun]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for p in runs.iter().flat_map(|r| &r.record.parameters) {
        if !names.contains(&p.name.as_str()) {
            names.push(&p.name);
        }
    }
    if names.is_empty() {
        return String::new();
    }
    let of = |r: &'_ ComparedRun, name: &str| r.record.parameters.iter().position(|p| p.name == name);
    let (mut differ, mut shared) = (String::new(), Vec::new());
    for name in names {
        let found: Vec<Option<&Parameter>> =
            runs.iter().map(|r| of(r, name).map(|k| &r.record.parameters[k])).collect();
        if let [Some(first), ..] = found[..]
            && found.iter().all(|p| *p == Some(first))
        {
            shared.push(first);
            continue;
        }
        let text = |p: &&Parameter| format!("{} <i>{}</i>", escape(&p.value), escape(&p.unit));
        let cells: String =
            found.iter().map(|p| format!("<td>{}</td>", p.as_ref().map_or("–".to_string(), text))).collect();
        differ += &format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", tables::key_name(name));
    }
    let mut out = String::from("<section class=\"card parameters\"><h2>Parameters</h2>");
    if !differ.is_empty() {
        let head: String = runs.iter().map(|r| format!("<th>{}</th>", escape(&r.label))).collect();
        out += &format!(
            "<div class=\"scroll\"><table class=\"compare-table\"><thead><tr><th></th>{head}</tr></thead><tbody>{differ}</tbody></table></div>"
        );
    }
    if !shared.is_empty() {
        out += &format!(
            "<details><summary>{} keys that all runs share</summary>{}</details>",
            shared.len(),
            tables::parameter_rows(&shared)
        );
    }
    out + "</section>"
}
