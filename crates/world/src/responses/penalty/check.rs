//! What the discrete force by proximity refuses before the first step.

use crate::build_error::BuildError;
use crate::seen::Seen;
use impinge_bodies::ShapeKind;

/// Checks the distance (m), and every pair that can meet: its features come from surfaces.
pub(crate) fn check_near(reach: f64, seen: &Seen<'_>) -> Result<(), BuildError> {
    if !(reach.is_finite() && reach > 0.0) {
        return Err(BuildError::BadSetting(format!(
            "the penalty response is to push features nearer than {reach} m; that distance must be positive and finite"
        )));
    }
    for (j, b) in seen.bodies.iter().enumerate() {
        for (i, a) in seen.bodies[..j].iter().enumerate() {
            let kinds = [a, b].map(|s| ShapeKind::of(s.shape));
            let thin = |k| matches!(k, ShapeKind::Cable | ShapeKind::Points);
            let loose = kinds.into_iter().any(thin) && !kinds.contains(&ShapeKind::Plane);
            if loose && (a.moved || b.moved) && seen.laws.of(i as u32, j as u32).is_some() {
                return Err(BuildError::Unsupported {
                    response: super::object::REGISTERED.name,
                    a: a.name.to_string(),
                    b: b.name.to_string(),
                    reason: "by proximity, faces and edges are tested, and loose points and cables have none; detect contact by depth, \
                             give the thin one a mesh, or add a rule that lets them pass through each other"
                    .to_string(),
                });
            }
        }
    }
    Ok(())
}
