//! What the response `pressure` is refused for: fields on the wrong shapes, pairs without one, schemes it cannot work with.

use super::settings::{PressureField, PressureSettings, PressureStep};
use crate::seen::SeenBody;
use impinge_contact::Damping;
use impinge_integrators::Scheme;

/// Why two bodies that can meet have no contact surface, if they have none.
pub(crate) fn pair(a: &SeenBody<'_>, b: &SeenBody<'_>, damping: Damping) -> Option<&'static str> {
    let fields = [a, b].map(|s| s.data.get::<PressureField>());
    if fields.iter().all(Option::is_none) {
        return Some(
            "both are rigid, so no pressure says how hard they push; give one of them a pressure field, stiff if \
                         need be",
        );
    }
    let own = fields.iter().flatten().any(|f| f.dissipation.is_some());
    (!own && matches!(damping.plain(), Damping::KelvinVoigt(_))).then_some(
        "the law of the pair, stated or not, damps by Kelvin and Voigt, per contact point, and a contact surface has no points; \
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
