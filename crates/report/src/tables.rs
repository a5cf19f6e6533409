//! The parts of the page that are plain text: takes a record, gives HTML for the header, the status banner
//! and the tables. They read without any script. All text from the record passes [`escape`].

use crate::csv::stages_csv;
use crate::number::{grouped, seconds, short};
use crate::record::{Check, Parameter, RunRecord, StageTime, Status, Verdict};
use std::fmt::Write;

/// Text made safe for element content and quoted attributes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// Scene, response, step, duration and hash in one line.
#[must_use]
pub fn facts(record: &RunRecord) -> String {
    let simulated = record.dt * record.steps as f64;
    let mut out = String::from("<dl class=\"facts\">");
    let mut fact = |name: &str, value: String| {
        if value.is_empty() {
            return;
        }
        let _ = write!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    };
    fact("Scene", escape(&record.scene));
    fact("Response", escape(&record.response));
    fact("Time step", seconds(record.dt));
    fact("Steps", grouped(record.steps));
    fact("Simulated", seconds(simulated));
    if !record.state_hash.is_empty() {
        // The whole hash stands under Versions.
        let short: String = record.state_hash.chars().take(16).collect();
        let more = if short.len() < record.state_hash.len() { "…" } else { "" };
        fact("State hash", format!("<code>{}{more}</code>", escape(&short)));
    }
    out.push_str("</dl>");
    out
}

/// What happened, in words; red when the run stopped or lost its physics.
#[must_use]
pub fn banner(record: &RunRecord) -> String {
    let lost: String =
        record.lost.iter().map(|why| format!("<p class=\"reason\">{}</p>", escape(why))).collect();
    if lost.is_empty() {
        return ended(record);
    }
    let lost = format!(
        "<section class=\"banner stopped\" role=\"alert\"><h2>What was computed is no physics</h2>{lost}</section>"
    );
    ended(record) + &lost
}

fn ended(record: &RunRecord) -> String {
    match &record.status {
        Status::Completed => String::new(),
        Status::Stopped { reason, step, time, stage, body } => {
            let mut place = format!("step {}, t = {}", grouped(*step), seconds(*time));
            for (word, name) in [("stage", stage), ("body", body)] {
                if let Some(name) = name {
                    let _ = write!(place, ", {word} <b>{}</b>", escape(name));
                }
            }
            format!(
                "<section class=\"banner stopped\" role=\"alert\"><h2>The run stopped</h2><p class=\"reason\">{}</p>\
                 <p>At {place}. Everything below is from before that step.</p></section>",
                escape(reason)
            )
        }
        Status::Interrupted { step, time } => format!(
            "<section class=\"banner interrupted\" role=\"alert\"><h2>The run was interrupted</h2>\
             <p>Before step {}, at t = {}. Everything below is from before that step.</p></section>",
            grouped(*step),
            seconds(*time)
        ),
    }
}

/// The checks, with a summary line that also says how the run ended.
#[must_use]
pub fn checks(record: &RunRecord) -> String {
    let count = |v: Verdict| record.checks.iter().filter(|c| c.verdict == v).count();
    let (pass, fail, known) = (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::ExpectedFail));
    let mut pills = String::new();
    if record.status == Status::Completed {
        pills.push_str("<span class=\"pill pass\">Completed</span>");
    }
    for (n, class, word) in
        [(pass, "pass", "passed"), (fail, "fail", "failed"), (known, "known", "expected to fail")]
    {
        if n > 0 {
            let _ = write!(pills, "<span class=\"pill {class}\">{n} {word}</span>");
        }
    }
    if record.checks.is_empty() {
        return if pills.is_empty() { pills } else { format!("<p class=\"pills\">{pills}</p>") };
    }
    let rows: String = record.checks.iter().map(check_row).collect();
    let open = if fail > 0 || record.checks.len() <= 8 { " open" } else { "" };
    format!(
        "<details class=\"card checks\"{open}><summary><h2>Checks</h2><span class=\"pills\">{pills}</span></summary>\
         <div class=\"scroll\"><table><thead><tr><th>Check</th><th>Measure</th><th class=\"n\">Expected</th><th class=\"n\">Measured</th>\
         <th>Verdict</th><th>Note</th></tr></thead><tbody>{rows}</tbody></table></div></details>"
    )
}

fn check_row(check: &Check) -> String {
    let (class, word) = match check.verdict {
        Verdict::Pass => ("pass", "pass"),
        Verdict::Fail => ("fail", "fail"),
        Verdict::ExpectedFail => ("known", "expected fail"),
        Verdict::NotJudged => ("open", "not judged"),
    };
    let with_unit = |v: f64| match (v.is_nan(), check.unit.is_empty()) {
        (true, _) | (_, true) => short(v, 5),
        _ => format!("{} <i>{}</i>", short(v, 5), escape(&check.unit)),
    };
    // On a phone a row is a block, and each cell has its name before it.
    format!(
        "<tr><th scope=\"row\">{}</th><td class=\"what\">{}</td><td class=\"n\" data-name=\"expected\">{}</td>\
         <td class=\"n\" data-name=\"measured\">{}</td>\
         <td class=\"verdict\"><span class=\"pill {class}\">{word}</span></td><td class=\"note\">{}</td></tr>",
        escape(&check.name),
        escape(&check.what),
        escape(&check.expected),
        with_unit(check.measured),
        escape(&check.note)
    )
}

/// Cost of each stage, with a bar for its share of the whole.
#[must_use]
pub fn stages(stages: &[StageTime]) -> String {
    let rows = stage_rows(stages);
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<section class=\"card stages\"><h2>Time per stage <a class=\"csv\" download=\"stages.csv\" \
         href=\"data:text/csv;charset=utf-8,{}\">CSV</a></h2>{rows}</section>",
        percent(&stages_csv(stages))
    )
}

/// Text in an address: all but letters, digits and a few signs that stand for themselves.
fn percent(text: &str) -> String {
    text.bytes().fold(String::with_capacity(2 * text.len()), |mut out, b| {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b',' => out.push(char::from(b)),
            _ => {
                let _ = write!(out, "%{b:02X}");
            }
        }
        out
    })
}

/// The table of [`stages`].
#[must_use]
pub fn stage_rows(stages: &[StageTime]) -> String {
    if stages.is_empty() {
        return String::new();
    }
    let cost = |s: &StageTime| if s.total_seconds.is_finite() { s.total_seconds.max(0.0) } else { 0.0 };
    let total: f64 = stages.iter().map(cost).sum();
    let longest = stages.iter().map(cost).fold(0.0, f64::max);
    let rows: String = stages
        .iter()
        .map(|s| {
            let share = |of: f64| if of > 0.0 { 100.0 * cost(s) / of } else { 0.0 };
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"bar\"><span style=\"width:{:.2}%\"></span></td>\
                 <td class=\"n\">{:.1} %</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
                 <td class=\"n\">{}</td></tr>",
                escape(&s.name),
                share(longest),
                share(total),
                seconds(s.total_seconds),
                seconds(s.median_microseconds * 1e-6),
                seconds(s.p99_microseconds * 1e-6),
                short(s.items_mean, 4)
            )
        })
        .collect();
    format!(
        "<div class=\"scroll\"><table><thead><tr><th>Stage</th><th class=\"bar\"></th><th class=\"n\">Share</th><th class=\"n\">Total</th>\
         <th class=\"n\">Median step</th><th class=\"n\">99 % of steps</th><th class=\"n\">Items</th></tr></thead>\
         <tbody>{rows}</tbody><tfoot><tr><th scope=\"row\">All</th><td></td><td></td><td class=\"n\">{}</td><td></td><td></td><td></td></tr></tfoot>\
         </table></div>",
        seconds(total)
    )
}

/// Rows that stand open; where there are more, those of materials and bodies wait behind a press.
const OPEN_ROWS: usize = 24;

/// What was set, a row for each key.
#[must_use]
pub fn parameters(record: &RunRecord) -> String {
    if record.parameters.is_empty() {
        return String::new();
    }
    let many = record.parameters.len() > OPEN_ROWS;
    let part = |p: &&Parameter| many && (p.name.starts_with("body.") || p.name.starts_with("material."));
    let (parts, rest): (Vec<_>, Vec<_>) = record.parameters.iter().partition(part);
    let more = match parts.len() {
        0 => String::new(),
        n => format!(
            "<details><summary>{n} keys of materials and bodies</summary>{}</details>",
            parameter_rows(&parts)
        ),
    };
    format!("<section class=\"card parameters\"><h2>Parameters</h2>{}{more}</section>", parameter_rows(&rest))
}

/// A table of keys with their values.
#[must_use]
pub fn parameter_rows(parameters: &[&Parameter]) -> String {
    let row = |p: &&Parameter| {
        format!(
            "<tr><th scope=\"row\">{}</th><td>{} <i>{}</i></td><td class=\"note\">{}</td></tr>",
            key_name(&p.name),
            escape(&p.value),
            escape(&p.unit),
            escape(&p.note)
        )
    };
    format!("<table><tbody>{}</tbody></table>", parameters.iter().map(row).collect::<String>())
}

/// A key that may break at its dots.
#[must_use]
pub fn key_name(key: &str) -> String {
    escape(key).replace('.', ".<wbr>")
}

/// What ran.
#[must_use]
pub fn versions(record: &RunRecord) -> String {
    let mut rows = String::new();
    for (name, value) in &record.versions {
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{}</th><td><code>{}</code></td></tr>",
            escape(name),
            escape(value)
        );
    }
    if !record.state_hash.is_empty() {
        let hash = escape(&record.state_hash);
        let _ = write!(rows, "<tr><th scope=\"row\">state hash</th><td><code>{hash}</code></td></tr>");
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<section class=\"card\"><h2>Versions</h2><div class=\"scroll\"><table><tbody>{rows}</tbody></table></div></section>"
    )
}

/// Laws, approximations and residuals, and what of the record could not be shown.
#[must_use]
pub fn notes(record: &RunRecord, misfits: &[String]) -> String {
    let list = |title: &str, lines: &[String]| {
        if lines.is_empty() {
            return String::new();
        }
        let items: String = lines.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
        format!("<section class=\"card prose\"><h2>{title}</h2><ul>{items}</ul></section>")
    };
    list("Not shown as recorded", misfits) + &list("Notes", &record.notes)
}
