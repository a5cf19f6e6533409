//! Cells, rows and the Markdown of the conformance table.

use super::bounds::ENERGY;
use impinge_scene::Response;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// One check of one run.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// Its name, as in `fixtures/conform.toml`.
    pub check: &'static str,
    /// What was measured, in the unit of the bound.
    pub value: f64,
    /// Whether it is met.
    pub met: bool,
    /// Why it was not measured, or what stopped it.
    pub note: String,
    /// It does not apply.
    pub idle: bool,
    /// Why it misses, where that was foreseen.
    pub reason: Option<String>,
}

impl Cell {
    /// A measured value and its bound.
    pub fn new(check: &'static str, value: f64, bound: f64) -> Self {
        Self { check, value, met: value <= bound, note: String::new(), idle: false, reason: None }
    }

    /// A check that says nothing here.
    pub fn idle(check: &'static str, why: &str) -> Self {
        Self { met: true, idle: true, note: why.to_string(), ..Self::new(check, 0.0, 0.0) }
    }

    /// A run that ended.
    pub fn stopped(check: &'static str, why: String) -> Self {
        Self { met: false, note: why, ..Self::new(check, f64::NAN, 0.0) }
    }

    fn text(&self) -> String {
        if self.idle {
            return "–".to_string();
        }
        let mark = match (self.met, &self.reason) {
            (true, None) => "✓",
            (false, Some(_)) => "(✗)",
            (false, None) | (true, Some(_)) => "✗",
        };
        match self.check {
            "finite" | "threads" => mark.to_string(),
            _ if self.value.is_nan() && !self.note.is_empty() => format!("stopped {mark}"),
            // A residual is noise: its size is told, not its digits.
            _ if self.value < 1e-12 => format!("< 1e-12 {mark}"),
            _ => format!("{:.1e} {mark}", self.value),
        }
    }
}

/// All checks of a scene under a response.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// The checks.
    pub cells: Vec<Cell>,
    /// What the program says of the step before it runs.
    pub warned: Option<String>,
    /// What a tenth of the step makes of a run that missed a bound without a warning, if that meets it.
    pub finer: Option<String>,
    /// How far the run is from itself after a nudge, in sizes of what moves, where a twin was too far. It is told and excuses nothing: a
    /// response that multiplies rounding may have a defect that does it.
    pub nudged: Option<f64>,
    /// Steps made.
    pub steps: u64,
    /// Steps with contact.
    pub touching: u64,
    /// Steps that it was to make.
    pub asked: u64,
    /// Why those are fewer than usual.
    pub short: Option<String>,
}

impl Row {
    /// Finds reasons for what misses: those written down; and where the run is unstable, that the program warned of it or that a tenth of the
    /// step is not.
    pub fn judge(&mut self, mut known: impl FnMut(&str) -> Option<String>) {
        let missed = self.cells.iter().any(|c| !c.met && matches!(c.check, "finite" | "depth" | "energy"));
        for c in &mut self.cells {
            c.reason = known(c.check);
            if c.reason.is_none() && !c.met && missed {
                // Of an unstable run little else can be asked: each step multiplies whatever differs. Books and threads must agree in any.
                let any = !matches!(c.check, "threads" | "momentum");
                c.reason = match (&self.warned, &self.finer) {
                    (Some(w), _) if any => {
                        Some(format!("the program warns before the run that the step is too long: {w}"))
                    }
                    (None, Some(finer)) if any => Some(finer.clone()),
                    _ => None,
                };
            }
        }
    }

    /// Checks that came out otherwise than anybody said.
    pub fn bad(&self) -> usize {
        self.cells.iter().filter(|c| c.met == c.reason.is_some() && !c.idle).count()
    }

    /// Whether this check missed; `None` where it does not apply.
    pub fn missed(&self, check: &str) -> Option<bool> {
        self.cells.iter().find(|c| c.check == check && !c.idle).map(|c| !c.met)
    }

    /// Misses with a reason.
    pub fn foreseen(&self) -> usize {
        self.cells.iter().filter(|c| !c.met && c.reason.is_some()).count()
    }

    /// What became of the nudged run, in words.
    fn nudge(&self) -> Option<String> {
        self.nudged.map(|far| {
            if far.is_nan() { "nudged: stopped".to_string() } else { format!("nudged: {far:.0e}") }
        })
    }

    /// For the terminal.
    pub fn line(&self) -> String {
        let mut out = format!("{:3} of {:3} in contact", self.touching, self.steps);
        for c in self.cells.iter().filter(|c| !c.idle) {
            let _ = write!(out, ", {} {}", c.check, c.text());
        }
        if let Some(far) = self.nudge() {
            let _ = write!(out, ", {far}");
        }
        for c in self.cells.iter().filter(|c| !c.met && !c.note.is_empty()) {
            let _ = write!(out, "\n    {}: {}", c.check, c.note.replace('\n', " "));
        }
        out
    }
}

/// Everything that was run and refused.
#[derive(Default)]
pub struct Sheet {
    /// Scene, response, checks.
    pub rows: Vec<(String, Response, Row)>,
    /// Scene, response, reason.
    pub refused: Vec<(String, Response, String)>,
}

/// The sheet, for `--json`.
#[derive(Serialize)]
pub struct Document<'a> {
    runs: Vec<Entry<'a>>,
    refused: Vec<Refused<'a>>,
}

/// A run with its checks.
#[derive(Serialize)]
struct Entry<'a> {
    scene: &'a str,
    response: &'static str,
    #[serde(flatten)]
    row: &'a Row,
}

/// A run that was not made.
#[derive(Serialize)]
struct Refused<'a> {
    scene: &'a str,
    response: &'static str,
    reason: &'a str,
}

impl Sheet {
    /// For `--json`.
    pub fn document(&self) -> Document<'_> {
        let runs = self.rows.iter().map(|(scene, r, row)| Entry { scene, response: r.name(), row });
        let refused =
            self.refused.iter().map(|(scene, r, reason)| Refused { scene, response: r.name(), reason });
        Document { runs: runs.collect(), refused: refused.collect() }
    }
}

/// The line of a run in the table.
pub fn table_row((name, response, row): &(String, Response, Row)) -> String {
    let cells: Vec<String> = row.cells.iter().map(Cell::text).collect();
    let cells = cells.join(" | ");
    format!("| {name} | {} | {} of {} | {cells} |\n", response.name(), row.touching, row.steps)
}

/// The table with what it means, for this file; `named` is what the command was given.
pub fn markdown(sheet: &Sheet, named: &str, duration: Option<f64>, file: Option<&Path>) -> String {
    let length = duration.map_or_else(|| "50 steps (20 with deformables)".to_string(), |d| format!("{d} s"));
    // A folder of one machine says nothing to a reader of the table.
    let shown = |f: &Path| {
        if f.is_absolute() { f.file_name().map(Path::new).unwrap_or(f).to_owned() } else { f.to_owned() }
    };
    let file = file.map_or_else(String::new, |f| format!("--write {}", shown(f).display()));
    let mut out = format!(
        "# Conformance: every scene under every response\n\n\
         Written by `cargo xtask conform {named}{file}`. {length} of each scene; one of rigid bodies that fall first is taken up ten \
         steps before they touch, one that is driven or made of nodes runs so much longer if it touches in its first 100 steps. ✓ within the bound, ✗ not, (✗) not, for the reason below the table, – does not apply, for the reason below.\n\n\
         | check | value | bound, and where it comes from |\n|---|---|---|\n\
         | finite | state after every step | finite, and no step refuses |\n\
         | momentum | largest residual of linear momentum in a step (the ledger's), over the momenta and impulses of that step | 1e-12: \
         rounding; with deformables the tolerance of their linear solver, if that is larger |\n\
         | depth | deepest contact over what is allowed | 1: half the smallest extent of the thinnest body that moves (deeper, and the far side is \
         nearer) or what the scene starts with (and 1e-12 of it a step, for rounding), and the way of the fastest body in one step |\n\
         | energy | kinetic and outer potential energy above that of the start, what contacts hold at the start and the work of drivers and of position \
         corrections (the ledger's: growth of potential energy where places are moved without a velocity); over the energy in play | {ENERGY}: symplectic steps swing by ½ωΔt, and a contact resolved by 60 steps a period has ωΔt = 0.1 |\n\
         | order | distance of the run with bodies declared in reverse order 20 steps on (fewer of a short run), over the size of what moves | 1e-9: sums in another \
         order; 1e-6 where a step ends at a tolerance (`qp`, `volume`, `pressure`, `cpf-implicit`, deformables) |\n\
         | moved | the same for the scene turned by 40° about (1, 2, 3) and shifted, gravity too | the same |\n\
         | threads | hash after as many steps with 1, 2 and 8 threads | equal |\n\n\
         Beside a miss of `order` or `moved`, nudged: how far the run ends from itself after a shift and a turn of every body by 1e-14 of the size, in \
         sizes. About as far: the run multiplies whatever differs. That excuses nothing by itself; what multiplies may be a defect.\n\n\
         | scene | response | in contact | finite | momentum | depth | energy | order | moved | threads |\n\
         |---|---|---|---|---|---|---|---|---|---|\n"
    );
    let mut notes: Vec<(String, Vec<String>)> = Vec::new();
    sheet.rows.iter().for_each(|row| out.push_str(&table_row(row)));
    let mut note = |text: String, of: String| match notes.iter_mut().find(|(t, _)| *t == text) {
        Some((_, all)) => all.push(of),
        None => notes.push((text, vec![of])),
    };
    for (name, response, row) in &sheet.rows {
        if let Some(why) = &row.short {
            note(format!("at most {} steps: {why}", row.asked), format!("{name}/{}", response.name()));
        }
        for c in &row.cells {
            let mut of = format!("{name}/{} {}", response.name(), c.check);
            if let (true, false, Some(far)) = (matches!(c.check, "order" | "moved"), c.met, row.nudge()) {
                let _ = write!(of, " ({far})");
            }
            if let (false, Some(reason)) = (c.met, &c.reason) {
                let more = if c.note.is_empty() { String::new() } else { format!(" ({})", c.note) };
                note(format!("(✗) {reason}{more}").replace('\n', " "), of);
            } else if c.idle {
                note(format!("– {}", c.note), of);
            }
        }
    }
    for (name, response, reason) in &sheet.refused {
        note(format!("not run: {}", reason.replace('\n', " ")), format!("{name}/{}", response.name()));
    }
    out.push('\n');
    for (text, of) in notes {
        let _ = writeln!(out, "* {}: {text}", listed(&of));
    }
    out
}

/// Cells by run: each run is named once, before its checks.
fn listed(of: &[String]) -> String {
    let mut out = String::new();
    let mut last = "";
    for cell in of {
        let (run, check) = cell.split_once(' ').unwrap_or((cell, ""));
        let _ = match (run == last, out.is_empty()) {
            (true, _) => write!(out, ", {check}"),
            (false, true) => write!(out, "{cell}"),
            (false, false) => write!(out, "; {cell}"),
        };
        last = run;
    }
    out
}
