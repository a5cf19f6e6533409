//! The numbers of one row.

use crate::runner;
use impinge_scene::{Response, SceneSpec};
use impinge_world::{Simulation, worst};
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
struct Tally {
    depth: [f64; 2],
    /// The highest total, and the last.
    energy: [f64; 2],
    residual: [f64; 2],
    /// Normal force of the pairs in the step before (N).
    force: BTreeMap<(u32, u32), f64>,
    variation: f64,
}

impl Tally {
    fn take(&mut self, sim: &Simulation) {
        let ledger = sim.ledger();
        let (p, m, e) = (&ledger.pairs, &ledger.momentum, ledger.energy.total());
        self.depth[1] = p.depth_max.iter().copied().fold(0.0, worst);
        self.depth[0] = worst(self.depth[0], self.depth[1]);
        self.energy = [worst(self.energy[0], e), e];
        let parts = [(m.linear_residual, m.linear_scale), (m.angular_residual, m.angular_scale)];
        for (most, (v, scale)) in self.residual.iter_mut().zip(parts) {
            *most = worst(*most, if scale > 0.0 { v.mag() / scale } else { 0.0 });
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
///
/// # Errors
/// When a mesh cannot be read.
pub fn measure(
    spec: &SceneSpec,
    response: Response,
    expectations: &[String],
) -> Result<(Vec<String>, f64), String> {
    let mut tally = Tally {
        depth: [0.0; 2],
        energy: [f64::NEG_INFINITY; 2],
        residual: [0.0; 2],
        force: BTreeMap::new(),
        variation: 0.0,
    };
    let run = runner::run(spec, response, false, false, |sim| {
        tally.take(sim);
        true
    });
    let run = match run {
        Ok(run) => run,
        // That a response does not take the scene is a result, too.
        Err(e) => {
            // A mesh that cannot be read today may be there tomorrow: no row then.
            spec.meshes().map_err(|e| e.to_string())?;
            return Ok((refused(&e, expectations), 0.0));
        }
    };
    let end = run.end.to_string();
    let mut cells = vec![end, run.sim.steps().to_string(), format!("{:016x}", run.sim.hash())];
    let first = run.start_energy;
    // Without a step there is no other.
    let [most, last] =
        if run.sim.steps() > 0 { [worst(tally.energy[0], first), tally.energy[1]] } else { [first; 2] };
    let [linear, angular] = tally.residual;
    cells.extend(
        [tally.depth[0], tally.depth[1], last - first, most - first, linear, angular, tally.variation]
            .map(number),
    );
    for name in expectations {
        let found = run.checks.iter().find(|c| c.name == *name);
        // One that the run did not live to measure has no number.
        let measured = found.map(|c| c.measured).filter(|m| !m.is_nan());
        cells.push(measured.map_or(String::new(), number));
    }
    Ok((cells, run.times.total().as_secs_f64()))
}

/// The same of a run that there was not: its reason, and no numbers.
pub fn refused(reason: &str, expectations: &[String]) -> Vec<String> {
    let mut cells = vec![format!("refused: {}", runner::without_file(reason))];
    cells.resize(COLUMNS.len() + expectations.len(), String::new());
    cells
}

/// As short as reads back to the same bits.
fn number(value: f64) -> String {
    format!("{value:?}")
}
