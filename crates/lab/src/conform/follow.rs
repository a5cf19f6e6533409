//! A run and its twins side by side, step by step: where they part is where to look.

use super::bounds::Bounds;
use super::trial::places;
use impinge_geometry::DVec3;
use impinge_scene::{Response, SceneSpec};
use impinge_world::{ContactPoint, Features, Simulation, worst};
use std::collections::BTreeMap;

/// A twin, and what brings its places back.
pub struct Twin<'a> {
    /// How the checks call it.
    pub check: &'static str,
    /// The scene told differently, or why it cannot be.
    pub spec: Result<SceneSpec, String>,
    /// From a place of the twin to that of the run.
    pub back: &'a (dyn Fn(DVec3) -> DVec3 + Sync),
}

/// What meets, by the names of the bodies and numbers within each: the same in a twin whose bodies stand in another order.
type Meeting = (String, String, String);

/// Follows the run and each twin for `steps` steps and prints a line for every step: distance over the size, contacts of both, largest
/// difference of a body's contact force over the largest force. Where their contacts differ for the first time, those are listed.
pub fn follow(
    spec: &SceneSpec,
    response: Response,
    steps: u64,
    bounds: &Bounds,
    twins: &[Twin<'_>],
) -> Result<(), String> {
    let build = |spec: &SceneSpec| spec.simulation_with(response).map_err(|e| e.to_string());
    for twin in twins {
        let other = match &twin.spec {
            Ok(other) => other,
            Err(why) => {
                say!("{}: {why}", twin.check);
                continue;
            }
        };
        let (mut run, mut second) = (build(spec)?, build(other)?);
        say!(
            "{} under {}, {}: step, distance, contacts, difference of forces",
            spec.title,
            response.name(),
            twin.check
        );
        let (mut told, mut named) = (false, false);
        for n in 1..=steps {
            let ends = [run.step().err(), second.step().err()];
            if let Some(e) = ends.iter().flatten().next() {
                say!("{n:5}  {e}");
                break;
            }
            let far = places(&run, bounds.size)
                .iter()
                .zip(places(&second, bounds.size))
                .map(|(a, b)| ((twin.back)(b) - *a).mag())
                .fold(0.0, worst);
            let (a, b) = (meetings(&run), meetings(&second));
            let most_of_all = a.values().fold(0.0f64, |m, f| m.max(*f));
            let forces = a.iter().map(|(k, f)| (f - b.get(k).unwrap_or(&0.0)).abs()).fold(0.0, worst);
            let more = b.iter().filter(|(k, _)| !a.contains_key(*k)).map(|(_, f)| *f).fold(0.0, worst);
            let differ = forces.max(more) / most_of_all.max(f64::MIN_POSITIVE);
            say!("{n:5}  {:9.2e}  {:4} {:4}  {differ:9.2e}", far / bounds.size, a.len(), b.len());
            let both = a.iter().filter_map(|(k, f)| b.get(k).map(|g| (k, *f, *g)));
            let most = both.max_by(|x, y| (x.1 - x.2).abs().total_cmp(&(y.1 - y.2).abs()));
            if let Some(((x, y, what), f, g)) =
                most.filter(|m| (m.1 - m.2).abs() > 1e-6 * most_of_all && !named)
            {
                say!("       differs most of those in both: {x}, {y}: {what}, {f:.3e} and {g:.3e} N");
                named = true;
            }
            let only = |a: &BTreeMap<Meeting, f64>, b: &BTreeMap<Meeting, f64>, who: &str| {
                let mut any = false;
                for ((x, y, what), f) in a.iter().filter(|(k, _)| !b.contains_key(*k)) {
                    say!("       {who} only: {x}, {y}: {what}, {f:.3e} N");
                    any = true;
                }
                any
            };
            if !told {
                let first = only(&a, &b, "run");
                told = only(&b, &a, "twin") || first;
            }
        }
    }
    Ok(())
}

/// The size of the force of every contact.
fn meetings(sim: &Simulation) -> BTreeMap<Meeting, f64> {
    let mut points: Vec<ContactPoint> = Vec::new();
    sim.contact_points(&mut points);
    let name = |b: u32| sim.names()[b as usize].clone();
    let mut out = BTreeMap::new();
    for p in &points {
        let (on, other) = if p.on == p.a { (p.a, p.b) } else { (p.b, p.a) };
        let (on, other) = (name(on), name(other));
        let sorted = |mut e: [u32; 2]| {
            e.sort_unstable();
            e
        };
        let key = match p.features {
            Some(Features::VertexFace(v, mut f)) => {
                f.sort_unstable();
                (on, other, format!("vertex {v} and face {f:?}"))
            }
            Some(Features::EdgeEdge(a, b)) => {
                // Which edge comes first depends on the order of the bodies.
                let (mut first, mut second) = ((on, sorted(a)), (other, sorted(b)));
                if second < first {
                    std::mem::swap(&mut first, &mut second);
                }
                (first.0, second.0, format!("edges {:?} and {:?}", first.1, second.1))
            }
            Some(Features::VertexPlane(v)) => (on, other, format!("vertex {v} and plane")),
            other_features => {
                let (a, b) = if on <= other { (on, other) } else { (other, on) };
                (a, b, format!("{other_features:?}"))
            }
        };
        *out.entry(key).or_insert(0.0) += p.force.mag();
    }
    out
}
