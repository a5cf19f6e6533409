//! The measurements as tables.

use super::measure::Measured;
use super::{Row, Sitting};
use std::fmt::Write;

/// What peers took on columns of two boxes, one thread, ms a step (median), measured by themselves on another day.
const PEERS: [(&str, &str, &str); 3] = [
    ("rapier3d-f64 0.36", "0.60", "4.5"),
    ("MuJoCo 4.0", "1.45", "8.9"),
    ("Drake 1.51, SAP, hydroelastic", "127", "–"),
];

/// With two digits, or a dash.
pub fn number(x: Option<f64>) -> String {
    x.map_or("–".to_string(), |x| format!("{x:.2}"))
}

fn duration(micros: f64) -> String {
    match micros {
        m if m < 9.95 => format!("{m:.1} µs"),
        m if m < 999.5 => format!("{m:.0} µs"),
        m if m < 99_950.0 => format!("{:.2} ms", m * 1e-3),
        m => format!("{:.0} ms", m * 1e-3),
    }
}

fn threads_of(threads: &[usize]) -> Vec<String> {
    threads.iter().map(|n| format!("{n} {}", if *n == 1 { "thread" } else { "threads" })).collect()
}

/// Every stage of one scene under one response.
pub fn stages(row: &Row, threads: &[usize]) -> String {
    let mut out = format!("### {}, {}\n\n", row.scene, row.response);
    let Some(m) = &row.measured else {
        let why = row.refused.as_deref().unwrap_or("not run").replace('\n', " ");
        let _ = writeln!(out, "Not measured: {why}");
        return out;
    };
    let _ = writeln!(out, "| stage | {} | gain |", threads_of(threads).join(" | "));
    let _ = writeln!(out, "|---|{}", "---|".repeat(threads.len() + 1));
    for cost in m.stages.iter().chain([&m.step]) {
        let times: Vec<String> = cost.micros.iter().map(|t| duration(*t)).collect();
        let _ = writeln!(out, "| {} | {} | {:.2} |", cost.name, times.join(" | "), cost.gain());
    }
    let cpu: Vec<String> = m.cpu.iter().map(|c| c.map_or("–".into(), duration)).collect();
    let _ = writeln!(out, "| CPU | {} | |", cpu.join(" | "));
    let _ = writeln!(
        out,
        "\n{}",
        format!("{} contacts. Built in {}. {}", m.contacts, duration(m.built), serial(m)).trim_end()
    );
    if !m.same_bits {
        let _ = writeln!(out, "\n**Other bits on another number of threads.**");
    }
    out
}

fn serial(m: &Measured) -> String {
    if m.step.micros.len() < 2 {
        return String::new();
    }
    let all = m.serial();
    let share = m.serial_share();
    let worth = all.iter().filter(|s| s.1 >= 0.005);
    let named: Vec<String> = worth.map(|(name, part)| format!("{name} {:.0} %", part * 100.0)).collect();
    format!("Serial: {:.0} % of the step ({}).", share * 100.0, named.join(", "))
}

/// One line a scene and response.
pub fn overview(s: &Sitting) -> String {
    let mut out = String::new();
    let heads: Vec<String> = threads_of(&s.threads).iter().map(|t| format!("{t}, CPU")).collect();
    let _ = writeln!(out, "| scene | response | {} | gain | serial | exponent |", heads.join(" | "));
    let _ = writeln!(out, "|---|---|{}", "---|".repeat(s.threads.len() + 3));
    for row in &s.rows {
        let Some(m) = &row.measured else {
            let _ = writeln!(
                out,
                "| {} | {} |{} – |",
                row.scene,
                row.response,
                " – |".repeat(s.threads.len() + 2)
            );
            continue;
        };
        let times: Vec<String> = (m.step.micros.iter().zip(&m.cpu))
            .map(|(wall, cpu)| format!("{}, {}", duration(*wall), cpu.map_or("–".into(), duration)))
            .collect();
        let share = m.serial_share();
        let several = s.threads.len() > 1;
        let [gain, share] =
            [(m.step.gain(), ""), (share * 100.0, " %")].map(|(x, unit)| match (several, unit) {
                (false, _) => "–".to_string(),
                (_, "") => format!("{x:.2}"),
                _ => format!("{x:.0}{unit}"),
            });
        let _ = writeln!(
            out,
            "| {} | {} | {} | {gain} | {share} | {} |",
            row.scene,
            row.response,
            times.join(" | "),
            number(exponent(s, row, m))
        );
    }
    out
}

/// p of time ~ bodies^p, from the next smaller size under this response: of the time of all processors, or of the wall where nobody tells that.
fn exponent(s: &Sitting, row: &Row, m: &Measured) -> Option<f64> {
    // Scenes of files have nothing to do with each other.
    let made = |r: &Row| r.scene == format!("{} boxes", r.bodies);
    if !made(row) {
        return None;
    }
    let smaller = |r: &&Row| r.response == row.response && r.bodies < row.bodies && made(r);
    let before = s.rows.iter().filter(smaller);
    let (bodies, smaller) =
        before.filter_map(|r| Some((r.bodies, r.measured.as_ref()?))).max_by_key(|r| r.0)?;
    let time = |m: &Measured| m.cpu[0].unwrap_or(m.step.micros[0]);
    Some((time(m) / time(smaller)).ln() / (row.bodies as f64 / bodies as f64).ln())
}

/// The page of the guide.
pub fn page(s: &Sitting) -> String {
    let mut out = String::from(
        "# What a step costs\n\n\
         Written by `cargo xtask bench scaling --write crates/impinge/src/guide/cost.md`; `cargo xtask bench scaling --help` says what each number is. \
         Scenes are columns of two boxes on a plane, at rest. Times are of the program as `cargo xtask run` builds \
         it, with its checks.\n\n",
    );
    let [before, after] = s.load.map(number);
    let _ = writeln!(
        out,
        "Machine: {}. Load {before} before and {after} after: where that is more than the program's own, gains are less than they are. {} rounds of {} steps.\n",
        s.machine, s.effort.runs, s.effort.steps
    );
    out.push_str("## All of it\n\nWall time a step, and the time of all processors together.\n\n");
    out.push_str(&overview(s));
    out.push_str(
        "\n## Other engines\n\nFigures of another sitting: a quiet machine of two cores, 2026-11-28, one thread, milliseconds a step (median), the same \
         columns. They were not run beside the table above, so ratios between the two are rough.\n\n| engine | 200 boxes | 968 boxes |\n|---|---|---|\n",
    );
    for (name, small, large) in PEERS {
        let _ = writeln!(out, "| {name} | {small} | {large} |");
    }
    out.push_str("\n## Stage by stage\n\n");
    for row in &s.rows {
        out.push_str(&stages(row, &s.threads));
        out.push('\n');
    }
    format!("{}\n", out.trim_end())
}

#[cfg(test)]
mod tests {
    use super::super::measure::{Cost, Effort};
    use super::*;

    fn row(bodies: usize, micros: [f64; 2]) -> Row {
        let cost = |name: &str| Cost { name: name.into(), micros: micros.to_vec() };
        let measured = Measured {
            stages: vec![cost("narrow")],
            step: cost("whole step"),
            cpu: vec![Some(micros[0]), None],
            built: 0.0,
            contacts: 4,
            same_bits: true,
        };
        Row {
            scene: format!("{bodies} boxes"),
            bodies,
            response: "penalty",
            refused: None,
            measured: Some(measured),
        }
    }

    #[test]
    fn the_page_tells_sizes_gains_growth_and_refusals() {
        let refused = Row {
            scene: "stack".into(),
            bodies: 3,
            response: "qp",
            refused: Some("no\nway".into()),
            measured: None,
        };
        let s = Sitting {
            machine: "some processor, 2 cores".into(),
            load: [Some(0.25), None],
            threads: vec![1, 2],
            effort: Effort { settle: 1, steps: 2, runs: 3 },
            rows: vec![row(100, [400.0, 250.0]), row(1000, [4000.0, 2000.0]), refused],
        };
        let text = page(&s);
        assert!(
            text.contains("| 1000 boxes | penalty | 4.00 ms, 4.00 ms | 2.00 ms, – | 2.00 | 0 % | 1.00 |"),
            "{text}"
        );
        assert!(
            text.contains("| 100 boxes | penalty | 400 µs, 400 µs | 250 µs, – | 1.60 | 0 % | – |"),
            "{text}"
        );
        assert!(
            text.contains("Not measured: no way") && text.contains("Load 0.25 before and – after"),
            "{text}"
        );
    }
}
