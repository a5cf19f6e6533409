//! The numbers of one row.

use crate::runner::{self, End};
use impinge_scene::{Response, SceneSpec};
use impinge_world::Simulation;
use std::collections::BTreeMap;

/// Columns after the parameters and before the scene's expectations, with their units.
pub const COLUMNS: [&str; 10] = [
    "end",
    "steps",
    "hash",
    "depth_max [m]",
    "depth_end [m]",
    "energy_change [J]",
    "energy_above_start [J]",
    "momentum_residual [1]",
    "angular_residual [1]",
    "force_variation [N]",
];

/// Follows a run.
#[derive(Default)]
struct Tally {
    depth: [f64; 2],
    /// Total at the start, the most above it, at the end.
    energy: [f64; 3],
    residual: [f64; 2],
    /// Normal force of the pairs in the step before (N).
    force: BTreeMap<(u32, u32), f64>,
    variation: f64,
}

impl Tally {
    fn take(&mut self, sim: &Simulation) {
        let ledger = sim.ledger();
        let (p, m, e) = (&ledger.pairs, &ledger.momentum, ledger.energy.total());
        self.depth[1] = p.depth_max.iter().copied().fold(0.0, f64::max);
        self.depth[0] = self.depth[0].max(self.depth[1]);
        self.energy[1] = self.energy[1].max(e);
        self.energy[2] = e;
        let parts = [(m.linear_residual, m.linear_scale), (m.angular_residual, m.angular_scale)];
        for (worst, (v, scale)) in self.residual.iter_mut().zip(parts) {
            *worst = worst.max(if scale > 0.0 { v.mag() / scale } else { 0.0 });
        }
        let now: BTreeMap<(u32, u32), f64> =
            (0..p.len()).map(|i| ((p.a[i], p.b[i]), p.normal[i].mag() / sim.dt())).collect();
        let mut variation = 0.0;
        for (pair, f) in &now {
            variation += (f - self.force.get(pair).copied().unwrap_or(0.0)).abs();
        }
        for (pair, f) in &self.force {
            variation += if now.contains_key(pair) { 0.0 } else { *f };
        }
        self.variation += variation;
        self.force = now;
    }
}

/// The cells of a row after its parameters, and the seconds its steps took.
pub fn measure(spec: &SceneSpec, response: Response, expectations: &[String]) -> (Vec<String>, f64) {
    let mut tally = Tally::default();
    if let Ok(start) = spec.simulation_with(response) {
        tally.energy = [start.energy().total(); 3];
    }
    let run = runner::run(spec, response, false, false, |sim| {
        tally.take(sim);
        true
    });
    let run = match run {
        Ok(run) => run,
        // That a response does not take the scene is a result, too.
        Err(e) => {
            let mut cells = vec![format!("refused: {}", runner::without_file(&e))];
            cells.resize(COLUMNS.len() + expectations.len(), String::new());
            return (cells, 0.0);
        }
    };
    let end = match &run.end {
        End::Completed => "completed".to_string(),
        End::Stopped(e) => format!("stopped: {e}"),
        End::Interrupted => "interrupted".to_string(),
    };
    let mut cells = vec![end, run.sim.steps().to_string(), format!("{:016x}", run.sim.hash())];
    let [first, most, last] = tally.energy;
    let [linear, angular] = tally.residual;
    cells.extend(
        [tally.depth[0], tally.depth[1], last - first, most - first, linear, angular, tally.variation]
            .map(number),
    );
    for name in expectations {
        let found = run.checks.iter().find(|c| c.name == *name);
        cells.push(found.map_or(String::new(), |c| number(c.measured)));
    }
    (cells, run.times.total().as_secs_f64())
}

/// As short as reads back to the same bits; nothing where there is no number.
fn number(value: f64) -> String {
    if value.is_nan() { String::new() } else { format!("{value:?}") }
}
