//! The pair law: what two materials do to each other, the same for every response.

use crate::TurningFriction;
use std::fmt;

/// k Δt²/m of suggested laws, and their part of critical damping. Explicit contact forces bear 4/3 and more of the one and, together with it, all
/// of the other; boxes with flush faces that lie between two others have four times their own contacts, and rock on them.
const SUGGESTED: f64 = 0.05;
const DAMPED: f64 = 0.5;

/// Contact stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Stiffness {
    /// N/m for each contact point: the `k` of the papers. A finer mesh is a stiffer contact.
    PerContact(f64),
    /// N/m³: multiplied by the area a contact point stands for, so that refinement does not stiffen. Shared
    /// in halves where both surfaces are tested.
    PerArea(f64),
}

impl Stiffness {
    /// The number, in the variant's own unit.
    #[must_use]
    pub fn value(self) -> f64 {
        match self {
            Self::PerContact(k) | Self::PerArea(k) => k,
        }
    }
}

/// Normal damping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias("restitution", "dissipation"))]
pub enum Damping {
    /// Elastic.
    #[default]
    None,
    /// Kelvin–Voigt: `F = k δ + c δ̇`, `c` in N·s/m for each contact point (per-area stiffness: N·s/m³).
    KelvinVoigt(f64),
    /// Hunt–Crossley: `F = k δ (1 + χ δ̇)`, `χ` in s/m.
    HuntCrossley(f64),
    /// Asked for by a coefficient of restitution.
    Restitution(Restitution),
}

/// A coefficient of restitution and the damper that reaches it in exact time.
///
/// Springs take the damper and leave out what their time discretisation loses by itself. Constraints take `e` by Newton's law: a closed
/// contact that approached at `v` when the step began leaves at `e v` or more.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Restitution {
    /// Speed after over speed before, 0 to 1.
    pub e: f64,
    /// The damper.
    pub damper: Damper,
}

/// A damper that a restitution was turned into.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Damper {
    /// `c` in N·s/m for a pair with one contact point. A pair with `n` has the damping ratio of `c` where each takes `c / √n`.
    KelvinVoigt(f64),
    /// e depends on χ times the speed alone, however many points touch.
    HuntCrossley {
        /// s/m.
        chi: f64,
        /// The approach speed at which it has e (m/s).
        speed: f64,
    },
}

/// Approach speeds up to this many times what gravity gives in a step are of bodies at rest: they do not rebound.
const RESTING_STEPS: f64 = 2.0;

impl Damping {
    /// The plain damper: what a restitution was turned into.
    #[must_use]
    pub fn plain(self) -> Self {
        match self {
            Self::Restitution(Restitution { damper: Damper::KelvinVoigt(c), .. }) => Self::KelvinVoigt(c),
            Self::Restitution(Restitution { damper: Damper::HuntCrossley { chi, .. }, .. }) => {
                Self::HuntCrossley(chi)
            }
            given => given,
        }
    }

    /// The restitution that was asked for, if one was.
    #[must_use]
    pub fn restitution(self) -> Option<Restitution> {
        match self {
            Self::Restitution(asked) => Some(asked),
            Self::None | Self::KelvinVoigt(_) | Self::HuntCrossley(_) => None,
        }
    }

    /// The least speed (m/s) at which a contact leaves that approached at `approach` (m/s) when the step began, where `rest` (m/s) is what
    /// gravity gives in a step; `None` where nothing rebounds.
    ///
    /// ```
    /// use impinge_contact::{Damper, Damping, Restitution};
    /// let law = Damping::Restitution(Restitution { e: 0.5, damper: Damper::HuntCrossley { chi: 0.4, speed: 2.0 } });
    /// assert_eq!(law.rebound(2.0, 0.01), Some(1.0));
    /// assert_eq!(law.rebound(0.015, 0.01), None);
    /// ```
    #[must_use]
    pub fn rebound(self, approach: f64, rest: f64) -> Option<f64> {
        let e = self.restitution()?.e;
        (e > 0.0 && approach > RESTING_STEPS * rest).then_some(e * approach)
    }
}

/// How the friction anchor moves when a contact slides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SlipRule {
    /// The anchor follows so that the spring keeps the sliding force, and a sliding contact sticks again
    /// when its trial force drops below `μk f_n`: no chatter, no creep. Our default.
    #[default]
    ReturnMap,
    /// Seed 003 to the letter: `f_d = −μ_D |f_n| ω(|v|) v̂`, `p_ref := p` at every dynamic step. The force
    /// drops from `μ_S f_n` to nearly 0 at small slip speed (erratum T11), so it chatters.
    Yamane,
}

/// Anchored static/dynamic friction after Yamane and Nakamura (seed 003), errata T8–T11 applied.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias("friction cone", "Coulomb", "stick-slip"))]
pub struct FrictionLaw {
    /// Static coefficient.
    pub mu_s: f64,
    /// Kinetic coefficient.
    pub mu_k: f64,
    /// Anchor stiffness `k_FP` (N/m for each contact point; N/m³ beside a per-area stiffness).
    pub k_fp: f64,
    /// Anchor damping `k_FD` (N·s/m for each contact point; N·s/m³ beside a per-area stiffness).
    pub k_fd: f64,
    /// Rate of the velocity weight `ω(v) = 1 − exp(−k_ω v)` (s/m); [`SlipRule::Yamane`] only.
    pub k_omega: f64,
    /// What the anchor does while sliding.
    pub rule: SlipRule,
}

impl FrictionLaw {
    /// Friction of one coefficient. The anchors of springs and fields hold with 10 kN/m at each contact point and 10 N·s/m; constraints ask for
    /// neither.
    ///
    /// These two are plain numbers, because a coefficient says nothing of mass and step: they suit some 0.1 to 10 kg on a contact point and steps of a
    /// millisecond. [`PairLaw::suggested`] has the anchors that a mass and a step ask for.
    ///
    /// ```
    /// use impinge_contact::{FrictionLaw, PairLaw};
    /// let law = PairLaw { friction: Some(FrictionLaw::coulomb(0.5)), ..PairLaw::elastic(1e5) };
    /// assert!(law.validate().is_ok());
    /// ```
    #[must_use]
    pub fn coulomb(mu: f64) -> Self {
        let rule = SlipRule::ReturnMap;
        Self { mu_s: mu, mu_k: mu, k_fp: 1e4, k_fd: 10.0, k_omega: 1e3, rule }
    }
}

/// The law of one pair of materials.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias("contact material", "surface material"))]
pub struct PairLaw {
    /// Normal stiffness.
    pub stiffness: Stiffness,
    /// Normal damping.
    pub damping: Damping,
    /// Friction; `None` is frictionless.
    pub friction: Option<FrictionLaw>,
    /// Rolling and spinning friction between rigid bodies; `None` lets them turn freely. The step of a world reads it, the kernels do not.
    #[cfg_attr(feature = "serde", serde(default))]
    pub turning: Option<TurningFriction>,
}

/// As derived, but nothing of what is not there: digests of worlds are over this text, and stay those of worlds without it.
impl fmt::Debug for PairLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stiffness, damping, friction, turning } = self;
        let mut text = f.debug_struct("PairLaw");
        text.field("stiffness", stiffness).field("damping", damping).field("friction", friction);
        turning.iter().for_each(|t| {
            text.field("turning", t);
        });
        text.finish()
    }
}

impl PairLaw {
    /// A frictionless elastic law with `k` N/m for each contact point.
    #[must_use]
    pub fn elastic(k: f64) -> Self {
        Self { stiffness: Stiffness::PerContact(k), damping: Damping::None, friction: None, turning: None }
    }

    /// With rolling and spinning friction: lengths in metres, see [`TurningFriction`].
    ///
    /// ```
    /// use impinge_contact::PairLaw;
    /// let law = PairLaw::elastic(1e5).with_turning(2e-3, 5e-3);
    /// assert_eq!(law.turning.unwrap().rolling, 2e-3);
    /// assert!(PairLaw::elastic(1e5).with_turning(-1.0, 0.0).validate().is_err());
    /// ```
    #[must_use]
    pub fn with_turning(self, rolling: f64, spinning: f64) -> Self {
        Self { turning: Some(TurningFriction { rolling, spinning }), ..self }
    }

    /// A law for a contact point that carries `mass` kg in explicit steps of `dt` s: k = m/(20 Δt²), so that a weight of m g sinks by
    /// 20 g Δt². Dampers along and across the contact are half of critical: what lands rebounds with 0.16 of its speed at most. Friction has one
    /// coefficient. `mass` is that of the body over the number of points it rests on. Constraints take the friction alone.
    ///
    /// ```
    /// use impinge_contact::PairLaw;
    /// // A box of 2 kg on its four corners, steps of 1 ms: 0.2 mm deep at rest.
    /// let law = PairLaw::suggested(0.5, 1e-3, 0.5);
    /// assert!((law.stiffness.value() - 2.5e4).abs() < 1e-9);
    /// assert!((0.5 * 9.81 / law.stiffness.value() - 0.1962e-3).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn suggested(mass: f64, dt: f64, mu: f64) -> Self {
        Self::of_stiffness(SUGGESTED * mass / (dt * dt), dt, mu)
    }

    /// The same for a stiffness (N/m) that is as large as [`PairLaw::suggested`] has it for a step of `dt` s.
    #[must_use]
    pub fn of_stiffness(k: f64, dt: f64, mu: f64) -> Self {
        // m = k Δt²/s of one point, and c = 2 ζ √(k m).
        let c = 2.0 * DAMPED * k * dt / SUGGESTED.sqrt();
        let friction = FrictionLaw { k_fp: k, k_fd: c, ..FrictionLaw::coulomb(mu) };
        Self {
            stiffness: Stiffness::PerContact(k),
            damping: Damping::KelvinVoigt(c),
            friction: (mu > 0.0).then_some(friction),
            turning: None,
        }
    }

    /// Checks every number.
    ///
    /// # Errors
    /// The name of the first bad parameter, its value and what it must be.
    pub fn validate(&self) -> Result<(), String> {
        let positive = |name: &str, x: f64, unit: &str| {
            if x.is_finite() && x > 0.0 {
                Ok(())
            } else {
                Err(format!("{name} is {x} {unit}; it must be a positive number"))
            }
        };
        let not_negative = |name: &str, x: f64, unit: &str| {
            if x.is_finite() && x >= 0.0 {
                Ok(())
            } else {
                Err(format!("{name} is {x} {unit}; it must be zero or positive"))
            }
        };
        match self.stiffness {
            Stiffness::PerContact(k) => positive("stiffness", k, "N/m")?,
            Stiffness::PerArea(k) => positive("stiffness_per_area", k, "N/m³")?,
        }
        if let Some(asked) = self.damping.restitution()
            && !(0.0..=1.0).contains(&asked.e)
        {
            return Err(format!("restitution is {}; it must be between 0 and 1", asked.e));
        }
        match self.damping.plain() {
            Damping::None | Damping::Restitution(_) => {}
            Damping::KelvinVoigt(c) => not_negative("kelvin_voigt", c, "N·s/m")?,
            Damping::HuntCrossley(x) => not_negative("hunt_crossley", x, "s/m")?,
        }
        if let Some(f) = self.friction {
            not_negative("mu_s", f.mu_s, "")?;
            not_negative("mu_k", f.mu_k, "")?;
            if f.mu_k > f.mu_s {
                return Err(format!(
                    "mu_k {} is above mu_s {}; kinetic friction cannot exceed static",
                    f.mu_k, f.mu_s
                ));
            }
            positive("friction_stiffness", f.k_fp, "N/m")?;
            not_negative("friction_damping", f.k_fd, "N·s/m")?;
            not_negative("k_omega", f.k_omega, "s/m")?;
        }
        if let Some(t) = self.turning {
            not_negative("rolling_friction", t.rolling, "m")?;
            not_negative("spinning_friction", t.spinning, "m")?;
        }
        Ok(())
    }

    /// `k` of one contact point (N/m) that stands for `area` m², and the factor that turns a per-contact
    /// damping into this point's (1, or the area). `share` is ½ where both surfaces carry a per-area law.
    #[must_use]
    pub fn point_stiffness(&self, area: f64, share: f64) -> (f64, f64) {
        match self.stiffness {
            Stiffness::PerContact(k) => (k, 1.0),
            Stiffness::PerArea(k) => (k * area * share, area * share),
        }
    }
}
