//! What friction does at a contact of the last step: takes the state that the step left, tells sticking from sliding. Read between
//! steps.
//!
//! Laws with a memory say it themselves. Constraints of Coulomb's cone (qp, volume) are asked where their force stands: inside the
//! cone nothing slips, and what slips is on it.

use crate::components::State;
use crate::features::Features;
use crate::part::Part;
use crate::response::Response;
use crate::responses::pressure::settings::{PressureFriction, PressurePatches};
use crate::responses::swept::tables::Tracked;
use crate::responses::volume::settings::{CellImpulses, VolumeFriction};
use crate::support::Family;
use hecs::Ref;
use impinge_contact::SlipState;

/// Part of the cone's radius by which a force may stay below it and count as on it: well above the tolerances of the solvers.
const ON_THE_CONE: f64 = 1e-4;

/// What friction does at a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grip {
    /// The law has no friction, or the contact does not press.
    #[default]
    Open,
    /// Held: the static coefficient bounds it.
    Sticks,
    /// At the kinetic coefficient.
    Slides,
    /// At the bound of the static coefficient, above the kinetic one: it gives way in this step.
    Breaks,
    /// Some points of a surface slide and others hold.
    SlidesInPart,
    /// Under a law without memory: it gives way slowly below its bound, and nothing holds it.
    Creeps,
    /// It pressed and rubbed in the step and parted before its end: no state is left that says how.
    Parted,
    /// The response has a bound of another shape than a round cone.
    OtherCone,
}

impl Grip {
    /// Which of the coefficients (static, kinetic) bounds the friction; `None` where none does.
    pub fn coefficient(self, [mu_s, mu_k]: [f64; 2]) -> Option<f64> {
        match self {
            Self::Sticks | Self::Breaks | Self::SlidesInPart => Some(mu_s),
            Self::Slides | Self::Creeps => Some(mu_k),
            Self::Open | Self::Parted | Self::OtherCone => None,
        }
    }
}

/// What the last step left.
pub(crate) struct Known<'a> {
    response: Response,
    anchors: Ref<'a, State>,
    tracked: Ref<'a, Tracked>,
    patches: Ref<'a, PressurePatches>,
    cells: Ref<'a, CellImpulses>,
}

impl<'a> Known<'a> {
    pub fn of(part: Part<'a>) -> Self {
        Self {
            response: part.response(),
            anchors: part.column(),
            tracked: part.column(),
            patches: part.column(),
            cells: part.column(),
        }
    }

    /// Of a row of the contacts with meshes or planes; impulses in N·s.
    pub fn point(&self, key: u64, met: Features, mu: [f64; 2], normal: f64, friction: f64) -> Grip {
        if mu[0] == 0.0 || normal == 0.0 {
            return Grip::Open;
        }
        let tracks = match self.response.family() {
            Family::Qp => return on_cone(mu, normal, friction),
            family => family != Family::Penalty && !matches!(met, Features::VertexPlane(_)),
        };
        let slides = if tracks {
            let found = self.tracked.0.iter().find_map(|t| t.find(key).map(|i| t.grip[i]));
            found.filter(|g| *g != SlipState::Open).map(|g| g == SlipState::Dynamic)
        } else {
            self.anchors.0.get(key).map(|(_, slides)| slides)
        };
        slides.map_or(Grip::Parted, |slides| if slides { Grip::Slides } else { Grip::Sticks })
    }

    /// Of the cells of a pair whose bristles remember whether they slid, by what presses on them.
    fn bristles(&self, bodies: [u32; 2]) -> Grip {
        let (mut pressing, mut sliding) = (0.0, 0.0);
        for m in self.cells.0.iter().filter(|m| m.bodies == bodies) {
            pressing += m.normal;
            sliding += if m.slides { m.normal } else { 0.0 };
        }
        match sliding / pressing {
            part if part.is_nan() => Grip::Parted,
            0.0 => Grip::Sticks,
            part if part >= 1.0 - ON_THE_CONE => Grip::Slides,
            _ => Grip::SlidesInPart,
        }
    }

    /// Of a patch; impulses in N·s.
    pub fn patch(&self, [a, b]: [u32; 2], mu: [f64; 2], normal: f64, friction: f64) -> Grip {
        if mu[0] == 0.0 || normal == 0.0 {
            return Grip::Open;
        }
        match self.response {
            Response::Volume(s) if s.pyramid => Grip::OtherCone,
            Response::Volume(_) => on_cone(mu, normal, friction),
            Response::VolumePenalty(s) if s.friction != VolumeFriction::Viscous => self.bristles([a, b]),
            // Without viscosity it has no friction, whatever the law says.
            Response::VolumePenalty(s) if s.viscosity == 0.0 => Grip::Open,
            Response::VolumePenalty(_) if friction >= mu[1] * normal * (1.0 - ON_THE_CONE) => Grip::Slides,
            Response::VolumePenalty(_) => Grip::Creeps,
            Response::Pressure(s) => {
                let Some(patch) = self.patches.0.iter().find(|p| (p.a, p.b) == (a, b)) else {
                    return Grip::Parted;
                };
                match (s.friction, patch.sliding) {
                    (PressureFriction::Coulomb { .. }, _)
                        if friction >= mu[1] * normal * (1.0 - ON_THE_CONE) =>
                    {
                        Grip::Slides
                    }
                    (PressureFriction::Coulomb { .. }, _) => Grip::Creeps,
                    (_, 0.0) => Grip::Sticks,
                    (_, part) if part >= 1.0 - ON_THE_CONE => Grip::Slides,
                    _ => Grip::SlidesInPart,
                }
            }
            // Patches of a response of somebody's own.
            _ => Grip::Parted,
        }
    }
}

/// Where a force stands that Coulomb's cone bounds: of the static coefficient for what was at rest, of the kinetic one for what slid.
fn on_cone([mu_s, mu_k]: [f64; 2], normal: f64, friction: f64) -> Grip {
    let reaches = |mu: f64| friction >= mu * normal * (1.0 - ON_THE_CONE);
    if mu_s > mu_k && reaches(mu_s) {
        Grip::Breaks
    } else if reaches(mu_k)
        && friction > 0.0
        && (mu_s == mu_k || friction <= mu_k * normal * (1.0 + ON_THE_CONE))
    {
        Grip::Slides
    } else {
        Grip::Sticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_force_is_inside_the_cone_or_on_one_of_the_two() {
        let grip = |friction: f64| on_cone([0.5, 0.3], 2.0, friction);
        assert_eq!([0.0, 0.59, 0.6, 0.61, 0.99, 1.0].map(grip), {
            use Grip::*;
            [Sticks, Sticks, Slides, Sticks, Sticks, Breaks]
        });
        // Nothing holds what slides without friction, and nothing says that it does.
        assert_eq!(on_cone([0.5, 0.0], 2.0, 0.0), Grip::Sticks);
        let equal = |friction: f64| on_cone([0.4, 0.4], 2.0, friction);
        assert_eq!([0.5, 0.8, 0.80001].map(equal), [Grip::Sticks, Grip::Slides, Grip::Slides]);
        assert_eq!(Grip::Sticks.coefficient([0.5, 0.3]), Some(0.5));
        assert_eq!(Grip::Slides.coefficient([0.5, 0.3]), Some(0.3));
        assert_eq!(Grip::Parted.coefficient([0.5, 0.3]), None);
    }
}
