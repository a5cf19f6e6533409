//! What the response `pressure` is refused for: fields on the wrong shapes, pairs without one, schemes it cannot work with.

use super::settings::{PressureSettings, PressureStep, Yielding};
use crate::body::BodyDesc;
use crate::seen::SeenBody;
use impinge_bodies::Shape;
use impinge_contact::Damping;
use impinge_integrators::Scheme;

/// Why two bodies that can meet have no contact surface, if they have none.
pub(crate) fn pair(a: &SeenBody<'_>, b: &SeenBody<'_>, damping: Damping) -> Option<&'static str> {
    let nodes = |s: &SeenBody<'_>| matches!(s.shape, Shape::Soft(_) | Shape::Points { .. });
    if nodes(a) || nodes(b) {
        return Some(
            "pressure fields are of bodies that keep their shape, and one of these is made of nodes; take another \
                         response for the scene, make the body rigid, or add a rule that lets the two pass through each other",
        );
    }
    if !a.yields && !b.yields {
        return Some(
            "both are rigid, so no pressure says how hard they push; give one of them a pressure field, stiff if \
                         need be",
        );
    }
    let own = a.dissipates || b.dissipates;
    (!own && matches!(damping, Damping::KelvinVoigt(_))).then_some(
        "the law of the pair damps by Kelvin and Voigt, per contact point, and a contact surface has no points; \
                         give it a Hunt-Crossley damping, or the bodies a dissipation",
    )
}

/// Refuses numbers that make no sense, and schemes that move bodies by another velocity than the implicit step solves for.
pub(crate) fn settings(settings: &PressureSettings, scheme: Scheme) -> Result<(), String> {
    settings.check()?;
    if settings.step == PressureStep::Implicit
        && matches!(scheme, Scheme::ExplicitEuler | Scheme::ImplicitMidpoint)
    {
        return Err(format!(
            "the implicit step of response 'pressure' solves for the velocity that bodies move with, and {} moves them with \
             another; use symplectic-euler or implicit-euler, or step = \"explicit\"",
            scheme.name()
        ));
    }
    Ok(())
}

/// A field that fits the shape it is given to.
pub(crate) fn field(b: &BodyDesc) -> Result<(), String> {
    let Some(field) = &b.pressure else { return Ok(()) };
    let refuse = |why: &str| Err(format!("body '{}': {why}", b.name));
    match (&b.shape, &field.yielding) {
        (Shape::Mesh(_), Yielding::Tets(_)) | (Shape::Plane { .. }, Yielding::Layer { .. }) => {}
        (Shape::Mesh(_), _) => return refuse("a layer is for planes; give a mesh a field on tets"),
        (Shape::Plane { .. }, _) => return refuse("a field on tets is for meshes; give a plane a layer"),
        _ => return refuse("bodies made of nodes take no pressure field"),
    }
    match field.dissipation {
        Some(chi) if !(chi >= 0.0 && chi.is_finite()) => {
            refuse("the dissipation of its pressure field must be zero or a positive number (s/m)")
        }
        _ => Ok(()),
    }
}
