//! The measures an expectation may name: their subjects, units and definitions.

use crate::suggest;

/// What a measure is taken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One body.
    Body,
    /// One pair of bodies.
    Pair,
    /// One body (all its contacts) or one pair of bodies.
    BodyOrPair,
    /// The whole scene, one body or one pair of bodies.
    Anything,
    /// The whole scene or one body.
    SceneOrBody,
    /// The whole scene.
    Scene,
    /// A sensor, and one body alone where one is named.
    Sensor,
}

impl Subject {
    /// The subjects in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Body => "`body`",
            Self::Pair => "`pair`",
            Self::BodyOrPair => "`body` or `pair`",
            Self::Anything => "the scene, `body` or `pair`",
            Self::SceneOrBody => "the scene or `body`",
            Self::Scene => "the scene",
            Self::Sensor => "`sensor`, alone or with `body`",
        }
    }

    pub(crate) fn allows(self, body: bool, pair: bool, sensor: bool) -> bool {
        match (self, body, pair) {
            (Self::Sensor, _, pair) => sensor && !pair,
            _ if sensor => false,
            (_, true, true) => false,
            (Self::Body, body, pair) => body && !pair,
            (Self::Pair, body, pair) => pair && !body,
            (Self::BodyOrPair, body, pair) => body || pair,
            (Self::Anything, ..) => true,
            (Self::SceneOrBody, _, pair) => !pair,
            (Self::Scene, body, pair) => !body && !pair,
        }
    }
}

macro_rules! measures {
    ($($variant:ident, $name:literal, $subject:ident, $unit:literal, $meaning:literal;)*) => {
        /// Something an expectation can measure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Measure {
            $(#[doc = concat!("`", $name, "` (", $unit, "): ", $meaning)] $variant,)*
        }

        impl Measure {
            /// Every measure, in the order of the reference.
            pub const ALL: &[Measure] = &[$(Self::$variant,)*];

            /// The name in a scene file.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it is taken of.
            #[must_use]
            pub fn subject(self) -> Subject {
                match self { $(Self::$variant => Subject::$subject,)* }
            }

            /// The SI unit.
            #[must_use]
            pub fn unit(self) -> &'static str {
                match self { $(Self::$variant => $unit,)* }
            }

            /// The definition, including what is done over a window.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

measures! {
    PositionX, "position.x", Body, "m", "Centre of mass; mean over a window.";
    PositionY, "position.y", Body, "m", "Centre of mass; mean over a window.";
    PositionZ, "position.z", Body, "m", "Centre of mass; mean over a window.";
    Distance, "distance", Pair, "m", "From the first centre of mass to the second; mean over a window.";
    VelocityX, "velocity.x", Body, "m/s", "Of the centre of mass; mean over a window.";
    VelocityY, "velocity.y", Body, "m/s", "Of the centre of mass; mean over a window.";
    VelocityZ, "velocity.z", Body, "m/s", "Of the centre of mass; mean over a window.";
    AccelerationX, "acceleration.x", Body, "m/s²", "Of the centre of mass: its change of velocity over the window, divided by the time between the window's first step and its last.";
    AccelerationY, "acceleration.y", Body, "m/s²", "As acceleration.x.";
    AccelerationZ, "acceleration.z", Body, "m/s²", "As acceleration.x.";
    Speed, "speed", Body, "m/s", "Length of the velocity; the largest over a window.";
    SpeedX, "speed.x", Body, "m/s", "Size of that component of the velocity; the largest over a window.";
    SpeedY, "speed.y", Body, "m/s", "As speed.x.";
    SpeedZ, "speed.z", Body, "m/s", "As speed.x.";
    AngularVelocityX, "angular_velocity.x", Body, "rad/s", "World axes; mean over a window.";
    AngularVelocityY, "angular_velocity.y", Body, "rad/s", "World axes; mean over a window.";
    AngularVelocityZ, "angular_velocity.z", Body, "rad/s", "World axes; mean over a window.";
    SpinX, "spin.x", Body, "rad/s", "Angular velocity about the body's own axis, that of its mesh; mean over a window.";
    SpinY, "spin.y", Body, "rad/s", "As spin.x.";
    SpinZ, "spin.z", Body, "rad/s", "As spin.x.";
    ContactForceX, "contact_force.x", BodyOrPair, "N", "Impulse per time on the body, or on the pair's first body, normal and friction together; mean over a window, else of the last step.";
    ContactForceY, "contact_force.y", BodyOrPair, "N", "As contact_force.x.";
    ContactForceZ, "contact_force.z", BodyOrPair, "N", "As contact_force.x.";
    FrictionForce, "friction_force", BodyOrPair, "N", "Length of the friction part of the contact force; mean over a window, else of the last step.";
    Lowest, "lowest", Body, "m", "Smallest z of its surface; mean over a window.";
    Highest, "highest", Body, "m", "Largest z of its surface; mean over a window.";
    Stretch, "stretch", Body, "1", "Largest (length − rest) / rest of an edge of cloth or a segment of a cable; the largest over a window.";
    Shrink, "shrink", Body, "1", "Largest (rest − length) / rest of an edge of cloth or a segment of a cable; the largest over a window.";
    MaxDepth, "max_depth", Anything, "m", "Deepest contact point, where the response found it: under cpf and dpf-ccd at the end the step had without contact, which at n k dt²/m of 0.5 is half as deep again as it gets; the largest over a window, else of the last step.";
    MeanDepth, "mean_depth", Anything, "m", "Mean depth of the contact points, 0 without contact; mean over a window, else of the last step.";
    Contacts, "contacts", Anything, "1", "Contact points; mean over a window, else of the last step.";
    ContactTime, "contact_time", Anything, "s", "How long a contact pushed: steps with a normal force, within the window or up to the time.";
    KineticEnergy, "kinetic_energy", SceneOrBody, "J", "Translation and rotation; mean over a window.";
    TotalEnergyDrift, "total_energy_drift", Scene, "1", "Largest |E(t) − E(0)| up to the end or over the window, E being kinetic, gravity, anchor, elastic and contact energy, divided by the largest kinetic energy up to then.";
    EnergyGrowth, "energy_growth", Scene, "1", "The same of what the energy gained, max(E(t) − E(0), 0): 0 while it only falls. Contact energy is that of the depths of max_depth: under cpf and dpf-ccd more than there is while a body sinks in, at n k dt²/m of 0.5 by a fifth of the energy.";
    MomentumResidual, "momentum_residual", Scene, "N·s", "Largest length of what linear momentum changed beyond the impulses from outside (gravity, drag, anchors, attachments, kinematic and fixed bodies), up to the end or over the window.";
    AngularMomentumResidual, "angular_momentum_residual", Scene, "N·m·s", "The same for angular momentum about the world's origin.";
    AngularMomentumUnexplained, "angular_momentum_unexplained", Scene, "N·m·s", "The same less the leak that the law of contact is known to have: forces evaluated at one place and applied at another.";
    Sensed, "sensed", Sensor, "1", "Bodies in the sensor; mean over a window, else after the last step.";
    SensedTime, "sensed_time", Sensor, "s", "How long somebody was in the sensor: steps after which one was, within the window or up to the time.";
    FirstSensed, "first_sensed", Sensor, "s", "When somebody was in the sensor first, within the window or up to the time: the end of that step. Infinite where nobody was.";
    Finite, "finite", Scene, "1", "1 when every number of the state was finite in every step, else 0.";
}

impl Measure {
    /// It compares the two ends of a window.
    #[must_use]
    pub fn needs_window(self) -> bool {
        matches!(self, Self::AccelerationX | Self::AccelerationY | Self::AccelerationZ)
    }

    /// It gathers over all steps up to a time, where no window is given.
    pub(crate) fn is_summed(self) -> bool {
        matches!(self, Self::ContactTime | Self::SensedTime | Self::FirstSensed)
    }

    /// It is read off the contact points of a step.
    #[must_use]
    pub fn is_of_points(self) -> bool {
        matches!(self, Self::MaxDepth | Self::MeanDepth | Self::Contacts)
    }

    /// Finds a measure by its name.
    ///
    /// # Errors
    /// The closest name and the list of names, as one sentence.
    pub fn from_name(name: &str) -> Result<Self, String> {
        Self::ALL.iter().copied().find(|m| m.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|m| m.name()).collect();
            suggest::did_you_mean(name, &names, "the measures are")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_and_typos_are_named() {
        for &m in Measure::ALL {
            assert_eq!(Measure::from_name(m.name()), Ok(m));
            assert!(!m.meaning().is_empty());
        }
        assert!(Measure::from_name("velocty.x").unwrap_err().starts_with("did you mean `velocity.x`?"));
    }

    #[test]
    fn subjects() {
        assert!(Subject::Body.allows(true, false, false) && !Subject::Body.allows(false, false, false));
        assert!(Subject::Pair.allows(false, true, false) && !Subject::Pair.allows(true, false, false));
        assert!(
            Subject::BodyOrPair.allows(false, true, false)
                && !Subject::BodyOrPair.allows(false, false, false)
        );
        assert!(
            !Subject::Anything.allows(true, true, false) && Subject::Anything.allows(false, false, false)
        );
        assert!(!Subject::Scene.allows(true, false, false) && Subject::Scene.allows(false, false, false));
        assert!(!Subject::SceneOrBody.allows(false, true, false));
        assert!(Subject::Sensor.allows(true, false, true) && Subject::Sensor.allows(false, false, true));
        assert!(!Subject::Sensor.allows(true, false, false) && !Subject::Sensor.allows(false, true, true));
        assert!(!Subject::Anything.allows(false, false, true));
    }
}
