//! What friction does at a contact of the last step: takes the state that the step left, tells sticking from sliding. Read between
//! steps.
//!
//! Laws with a memory say it themselves. Constraints of Coulomb's cone (qp, volume) are asked where their force stands: inside the
//! cone nothing slips, and what slips is on it.

/// Part of the cone's radius by which a force may stay below it and count as on it: well above the tolerances of the solvers.
pub const ON_THE_CONE: f64 = 1e-4;

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
    #[must_use]
    pub fn coefficient(self, [mu_s, mu_k]: [f64; 2]) -> Option<f64> {
        match self {
            Self::Sticks | Self::Breaks | Self::SlidesInPart => Some(mu_s),
            Self::Slides | Self::Creeps => Some(mu_k),
            Self::Open | Self::Parted | Self::OtherCone => None,
        }
    }
}

/// What is known of a contact that remembers whether it slides.
#[must_use]
pub fn remembered(slides: Option<bool>) -> Grip {
    slides.map_or(Grip::Parted, |slides| if slides { Grip::Slides } else { Grip::Sticks })
}

/// Where a force stands that Coulomb's cone bounds: of the static coefficient for what was at rest, of the kinetic one for what slid.
#[must_use]
pub fn on_cone([mu_s, mu_k]: [f64; 2], normal: f64, friction: f64) -> Grip {
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
