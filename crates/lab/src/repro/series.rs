//! A scene under a response, and the force between two groups of its bodies over time.

use impinge_cli::scene_files;
use impinge_geometry::DVec3;
use impinge_scene::{Response, SceneSpec};
use impinge_world::Simulation;
use std::path::Path;
use std::time::Instant;

/// A run of a scene.
pub struct Run {
    /// Time at the end of each step (s) and the size of the force between the groups (N).
    pub force: Vec<(f64, f64)>,
    /// Largest depth in the step (m).
    pub depth: Vec<(f64, f64)>,
    /// Kinetic energy (J).
    pub kinetic: Vec<(f64, f64)>,
    /// Wall time of a step: the median (s).
    pub step_time: f64,
    /// Why it ended early.
    pub stopped: Option<String>,
}

/// The scene of this name with keys set. The discrete force is the papers': out by the shortest way.
pub fn scene(name: &str, fixtures: Option<&Path>, keys: &[(&str, &str)]) -> Result<SceneSpec, String> {
    let keys = [&[("penalty.way_out", "closest")], keys].concat();
    SceneSpec::load_with(&scene_files::find(name, fixtures)?, &keys).map_err(|e| e.to_string())
}

/// Runs a scene; the force is that of all bodies whose name begins with one of `first` on all that begin with one of `second`.
///
/// # Errors
/// When the scene does not support the response.
pub fn run(
    spec: &SceneSpec,
    response: Response,
    first: &[&str],
    second: &[&str],
    mut look: impl FnMut(&mut Simulation) -> Result<(), String>,
) -> Result<Run, String> {
    let mut sim = spec.simulation_with(response).map_err(|e| e.to_string())?;
    let belongs = |sim: &Simulation, to: &[&str]| -> Vec<bool> {
        sim.names().iter().map(|n| to.iter().any(|p| n.starts_with(p))).collect()
    };
    let (mut a, mut b) = (belongs(&sim, first), belongs(&sim, second));
    let (mut force, mut depth, mut kinetic, mut times) = (vec![], vec![], vec![], vec![]);
    let mut stopped = None;
    for _ in 0..spec.steps() {
        look(&mut sim)?;
        let start = Instant::now();
        let step = sim.step();
        times.push(start.elapsed().as_secs_f64());
        if let Err(e) = step {
            stopped = Some(e.to_string());
            break;
        }
        if a.len() != sim.names().len() {
            (a, b) = (belongs(&sim, first), belongs(&sim, second));
        }
        let t = sim.time();
        force.push((t, between(&sim, &a, &b).mag()));
        depth.push((t, sim.ledger().pairs.depth_max.iter().copied().fold(0.0, f64::max)));
        kinetic.push((t, sim.energy().kinetic()));
    }
    times.sort_by(f64::total_cmp);
    let step_time = times.get(times.len() / 2).copied().unwrap_or(0.0);
    Ok(Run { force, depth, kinetic, step_time, stopped })
}

/// Force on the first group (N): the ledger's impulses over the step.
fn between(sim: &Simulation, a: &[bool], b: &[bool]) -> DVec3 {
    let ledger = sim.ledger();
    let p = &ledger.pairs;
    let mut sum = DVec3::zero();
    for i in 0..p.len() {
        let (s, t) = (p.a[i] as usize, p.b[i] as usize);
        let impulse = p.normal[i] + p.friction[i];
        if a[s] && b[t] {
            sum += impulse;
        } else if b[s] && a[t] {
            sum -= impulse;
        }
    }
    sum / sim.dt()
}

/// Total variation of a curve: the sum of its ups and downs.
pub fn variation(curve: &[(f64, f64)]) -> f64 {
    curve.windows(2).map(|w| (w[1].1 - w[0].1).abs()).sum()
}

/// Roughness of a curve: the sum of its second differences, which a smooth rise and fall hardly adds to.
pub fn roughness(curve: &[(f64, f64)]) -> f64 {
    curve.windows(3).map(|w| (w[2].1 - 2.0 * w[1].1 + w[0].1).abs()).sum()
}

/// Alternation of a curve: at each turn the smaller of the steps before and after it, added up. What goes up and down again from step to step
/// counts in full; a rise and fall of many steps has one turn, and small steps beside it, however high it is. A curve that stands still for a step
/// has no turn there.
pub fn alternation(curve: &[(f64, f64)]) -> f64 {
    let at_turn = |w: &[(f64, f64)]| {
        let (before, after) = (w[1].1 - w[0].1, w[2].1 - w[1].1);
        if (before < 0.0) == (after < 0.0) { 0.0 } else { before.abs().min(after.abs()) }
    };
    curve.windows(3).map(at_turn).sum()
}

/// A number for a curve.
pub type Measure = fn(&[(f64, f64)]) -> f64;

/// How much a curve jitters, with names.
pub const JITTER: [(&str, Measure); 3] =
    [("variation", variation), ("roughness", roughness), ("alternation", alternation)];

/// The largest value.
pub fn largest(curve: &[(f64, f64)]) -> f64 {
    curve.iter().map(|p| p.1).fold(0.0, f64::max)
}

/// Time average.
pub fn mean(curve: &[(f64, f64)]) -> f64 {
    if curve.is_empty() { 0.0 } else { curve.iter().map(|p| p.1).sum::<f64>() / curve.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variation_adds_ups_and_downs_and_roughness_their_turns() {
        let curve: Vec<_> = [0.0, 1.0, 2.0, 1.0, 3.0].into_iter().map(|v| (0.0, v)).collect();
        assert_eq!((variation(&curve), roughness(&curve)), (5.0, 5.0));
        assert_eq!((variation(&curve[..1]), roughness(&curve[..2])), (0.0, 0.0));
        assert_eq!((largest(&curve), mean(&curve)), (3.0, 1.4));
    }

    #[test]
    fn alternation_is_what_goes_back_and_forth_and_not_how_high_a_curve_rises() {
        let of = |f: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            (0..=1000).map(|i| f64::from(i) * 1e-3).map(|t| (t, f(t))).collect()
        };
        let impact = of(&|t| 100.0 * (std::f64::consts::PI * t).sin());
        assert!((variation(&impact) - 200.0).abs() < 1e-9);
        // One turn; beside the top the curve falls by 50 (π/1000)².
        let beside = 50.0 * (std::f64::consts::PI * 1e-3).powi(2);
        assert!((alternation(&impact) / beside - 1.0).abs() < 1e-4);
        // The same with 0.1 N more at every other sample: up and down again where the curve itself rises or falls by less in a step.
        let noisy: Vec<_> = (impact.iter().enumerate())
            .map(|(i, &(t, f))| (t, f + if i % 2 == 1 { 0.1 } else { 0.0 }))
            .collect();
        assert!(
            alternation(&noisy) > 1e4 * alternation(&impact) && variation(&noisy) < 1.3 * variation(&impact)
        );
        let flat = of(&|t| if (t * 1e3) as u32 % 2 == 1 { 0.1 } else { 0.0 });
        assert_eq!(alternation(&flat[..1]), 0.0);
        assert!((alternation(&flat) - 0.1 * 999.0).abs() < 1e-9);
    }
}
