//! How many tets a pressure field takes, asked before any is made.

use crate::error::{Issue, SceneError};
use crate::spec::SolidSpec;
use impinge_pressure::fields::MOST_TETS;

/// Tets of a generated solid; 0 for what has to be looked at.
pub(crate) fn tets(solid: &SolidSpec) -> f64 {
    match *solid {
        SolidSpec::Box { segments, .. } => 5.0 * segments.map(f64::from).iter().product::<f64>(),
        SolidSpec::Sphere { rings, .. } => 20.0 * f64::from(rings).powi(3),
        SolidSpec::Cylinder { rings, stacks, .. } => 18.0 * f64::from(rings).powi(2) * f64::from(stacks),
        SolidSpec::Capsule { rings, stacks, .. } => {
            18.0 * f64::from(rings).powi(2) * f64::from(stacks) + 12.0 * f64::from(rings).powi(3)
        }
        SolidSpec::Torus { segments, sides, .. } => 3.0 * f64::from(segments) * f64::from(sides),
        SolidSpec::Lattice { .. } | SolidSpec::File { .. } => 0.0,
    }
}

/// Tets along one side of a generated shape, at most.
const MOST_ALONG: f64 = 4096.0;

/// The shortest tets (m) in a shape whose longest side is `longest` (m): of rods and strips generators make no more.
pub(crate) fn shortest(longest: f64) -> f64 {
    longest / MOST_ALONG
}

/// Refuses a `solid` of more tets than a field may have.
pub(crate) fn of_solid(tets: f64) -> Result<(), SceneError> {
    if tets <= MOST_TETS as f64 {
        return Ok(());
    }
    let what = format!("`solid` has {tets:.3e} tets, and a pressure field at most {MOST_TETS}");
    Err(Issue::placeless("pressure", what, "make its tets larger").into())
}

/// Refuses tets about `length` (m) long where `count` says that there are more of them than a field may have, or no number, with a length that will do.
/// `stated` is whether the file gave it.
pub(crate) fn of_length(length: f64, stated: bool, count: impl Fn(f64) -> f64) -> Result<(), SceneError> {
    let most = MOST_TETS as f64;
    let tets = count(length);
    if tets <= most {
        return Ok(());
    }
    // By steps: counts are whole, and not every one shrinks with the length. What is tried is what is printed.
    let mut coarser =
        (1..2000).filter_map(|k| format!("{:.2e}", length * 1.05f64.powi(k)).parse::<f64>().ok());
    let fix = match coarser.find(|&h| count(h) <= most) {
        Some(h) => format!("give a `resolution` of {h:e} m or more"),
        None => "take a mesh of fewer parts, or give tets by `solid`".to_string(),
    };
    let of = if stated { "`resolution` is" } else { "`resolution` is not given, and would be" };
    let many = match tets.is_finite() {
        true => format!("about {tets:.1e} tets, and a pressure field has at most {MOST_TETS}"),
        false => format!("more than {MOST_ALONG} tets along the longest side"),
    };
    let what = format!("{of} {length:e} m: {many}");
    Err(Issue::placeless("pressure", what, fix).into())
}
