//! What the volume responses refuse before the first step: surfaces without an inside, and steps whose velocities their
//! compliance does not know.

use crate::build_error::BuildError;
use crate::seen::Seen;
use impinge_bodies::Shape;
use impinge_integrators::Scheme;
use impinge_volume::{ClosedSurface, VolumeError};
use std::sync::Arc;

/// Checks every body that can meet another, under the response `name`; `depth` (m) is where constraints let contacts rest.
pub(crate) fn check_volume(name: &str, depth: Option<f64>, seen: &Seen<'_>) -> Result<(), BuildError> {
    let mut known: Vec<usize> = Vec::new();
    for (i, b) in seen.bodies.iter().enumerate() {
        let soft = matches!(b.shape, Shape::Soft(_)) && (!seen.beside || seen.meets(i));
        if soft && depth.is_some() && seen.scheme != Scheme::ImplicitEuler {
            return Err(BuildError::BadSetting(format!(
                "body '{}': response 'volume' answers contact on deformables through the operator of the implicit step, and the \
                 scheme is {}; use implicit-euler",
                b.name,
                seen.scheme.name()
            )));
        }
        let own = matches!(b.shape, Shape::Soft(s) if s.own.is_some())
            && seen.laws.of(i as u32, i as u32).is_some();
        let Some(mesh) = b.shape.triangles().filter(|_| own || seen.meets(i)) else { continue };
        let id = match b.shape {
            Shape::Mesh(m) => Arc::as_ptr(m) as usize,
            Shape::Soft(s) => Arc::as_ptr(s) as usize,
            Shape::Plane { .. } | Shape::Points { .. } => continue,
        };
        if known.contains(&id) {
            continue;
        }
        let thickness = match ClosedSurface::new(mesh) {
            Ok(surface) => surface.thickness(),
            Err(VolumeError::Mesh(source)) => {
                return Err(BuildError::Mesh { body: b.name.to_string(), source });
            }
            Err(other) => return Err(BuildError::BadSetting(format!("body '{}': {other}", b.name))),
        };
        if let Some(depth) = depth.filter(|d| thickness <= *d) {
            return Err(BuildError::BadSetting(format!(
                "body '{}' is {thickness:.3e} m thick (twice its volume over its area) and contacts of response '{name}' rest {depth} m deep: much or all of it \
                 would be inside the other before anything holds it; give a depth of {:.1e} m or less, or a thicker mesh",
                b.name,
                0.25 * thickness
            )));
        }
        known.push(id);
    }
    Ok(())
}
