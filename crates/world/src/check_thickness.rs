//! Distances that surfaces keep: radii of bodies, and of single pairs, into the laws.

use crate::body::BodyDesc;
use crate::build_error::{BuildError, known_slots};
use impinge_bodies::Thickness;

/// Fills `out`, which refuses what is no finite length; zero is refused here. Pairs are slots, lower first, and m; the last one for a pair
/// holds.
pub(crate) fn fill(
    bodies: &[BodyDesc],
    pairs: &[([u32; 2], f64)],
    out: &mut Thickness,
) -> Result<(), BuildError> {
    let taken = |body: u32, quantity, value: f64, set: Result<(), String>| match set {
        Ok(()) if value > 0.0 => Ok(()),
        _ => {
            let body = bodies[body as usize].name.clone();
            Err(BuildError::BadValue { body, quantity, value, must: "a positive number" })
        }
    };
    for (i, body) in (0..).zip(bodies) {
        if let Some(radius) = body.thickness {
            taken(i, "thickness (m)", radius, out.set_body(i, radius))?;
        }
    }
    for &([a, b], distance) in pairs {
        known_slots("a thickness", [a, b], bodies.len())?;
        taken(a, "thickness of a pair (m)", distance, out.set_pair(a, b, distance))?;
    }
    Ok(())
}
