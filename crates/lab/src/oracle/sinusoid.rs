//! Family `sinusoid`: a rigid sinusoid pressed into a single layer (seed 004 §VIII-A, Fig. 5).

use super::compare::{Comparison, Malformed};
use super::family::Family;
use impinge_pressure::{LayerLaw, press_sinusoid};
use serde::Deserialize;

/// The family.
pub struct Sinusoid;

/// `input` of a case.
#[derive(Deserialize)]
pub struct Input {
    d: f64,
    eta: f64,
    law: Law,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Law {
    Log,
    Linear,
}

/// `expected` of a case.
#[derive(Deserialize)]
pub struct Expected {
    normalised_force: f64,
    contact_fraction: f64,
    energy: f64,
    tol_rel: f64,
}

impl Family for Sinusoid {
    const NAME: &'static str = "sinusoid";
    const KEYS: &'static str = "input{d eta wavelength~ law} expected{normalised_force contact_fraction energy tol_rel tol_discrete_rel~}";
    type Input = Input;
    type Expected = Expected;

    fn check(input: &Input, expected: &Expected, out: &mut Comparison) -> Result<(), Malformed> {
        let law = match input.law {
            Law::Log => LayerLaw::Logarithmic,
            Law::Linear => LayerLaw::Linear,
        };
        let got = press_sinusoid(law, input.d, input.eta).map_err(|e| Malformed(e.to_string()))?;
        let mut close = |name: &str, got: f64, want: f64| {
            out.number(|| name.into(), got, want, expected.tol_rel * want.abs());
        };
        close("normalised_force", got.force, expected.normalised_force);
        close("contact_fraction", got.contact_fraction, expected.contact_fraction);
        close("energy", got.energy, expected.energy);
        Ok(())
    }
}
