//! The pair law: what two materials do to each other, the same for every response.

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
    /// ```
    /// use impinge_contact::{FrictionLaw, PairLaw};
    /// let law = PairLaw { friction: Some(FrictionLaw::coulomb(0.5)), ..PairLaw::elastic(1e5) };
    /// assert!(law.validate().is_ok());
    /// ```
    pub fn coulomb(mu: f64) -> Self {
        let rule = SlipRule::ReturnMap;
        Self { mu_s: mu, mu_k: mu, k_fp: 1e4, k_fd: 10.0, k_omega: 1e3, rule }
    }
}

/// The law of one pair of materials.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias("contact material", "surface material"))]
pub struct PairLaw {
    /// Normal stiffness.
    pub stiffness: Stiffness,
    /// Normal damping.
    pub damping: Damping,
    /// Friction; `None` is frictionless.
    pub friction: Option<FrictionLaw>,
}

impl PairLaw {
    /// A frictionless elastic law with `k` N/m for each contact point.
    pub fn elastic(k: f64) -> Self {
        Self { stiffness: Stiffness::PerContact(k), damping: Damping::None, friction: None }
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
        match self.damping {
            Damping::None => {}
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
        Ok(())
    }

    /// `k` of one contact point (N/m) that stands for `area` m², and the factor that turns a per-contact
    /// damping into this point's (1, or the area). `share` is ½ where both surfaces carry a per-area law.
    pub fn point_stiffness(&self, area: f64, share: f64) -> (f64, f64) {
        match self.stiffness {
            Stiffness::PerContact(k) => (k, 1.0),
            Stiffness::PerArea(k) => (k * area * share, area * share),
        }
    }
}
