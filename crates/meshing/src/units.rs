//! A guess of the unit a file was written in, from its size alone.
//!
//! Mesh files carry no unit. Things that collide in a simulation are mostly between a coin and a lorry; a mesh whose
//! longest side is 200 is rarely 200 m long. This is a guess with its reason; nothing is ever scaled by it.

use std::fmt;

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Unit {
    /// Metres: nothing to do.
    Metre,
    /// Millimetres.
    Millimetre,
    /// Scaled to a box of 1 or 2 by a program: the file has no unit.
    Normalised,
    /// The size fits nothing in particular.
    Unclear,
}

/// A guess and its reason.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnitGuess {
    /// The unit.
    pub unit: Unit,
    /// Metres per unit of the file, where a number can be given.
    pub scale: Option<f64>,
    /// Why.
    pub why: String,
}

/// Guesses the unit from the three extents of the box around a mesh, as written in the file.
#[must_use]
pub fn guess_unit(extents: [f64; 3]) -> UnitGuess {
    let longest = extents.iter().copied().fold(0.0, f64::max);
    let guess = |unit, scale, why: String| UnitGuess { unit, scale, why };
    let close_to = |x: f64| (longest / x - 1.0).abs() < 1e-3;
    if longest.is_nan() || longest <= 0.0 {
        return guess(Unit::Unclear, None, "the mesh has no size".into());
    }
    if close_to(1.0) || close_to(2.0) {
        let why = format!(
            "the longest side is {longest:.4}: many programs scale a mesh to a box of 1 or 2, so its real size may be lost"
        );
        return guess(Unit::Normalised, None, why);
    }
    if (0.01..=20.0).contains(&longest) {
        let why = format!("a longest side of {longest:.4} is the size of ordinary things in metres");
        return guess(Unit::Metre, Some(1.0), why);
    }
    if (50.0..=10_000.0).contains(&longest) {
        let why = format!(
            "a longest side of {longest:.1} would be a building in metres; in millimetres it is {:.3} m, the size of \
             ordinary things",
            longest * 1e-3
        );
        return guess(Unit::Millimetre, Some(1e-3), why);
    }
    let why = if longest < 0.01 {
        format!(
            "a longest side of {longest:.3e} is less than a centimetre in metres: a small thing, or a scale lost"
        )
    } else if longest < 50.0 {
        format!("a longest side of {longest:.2} fits centimetres, millimetres and metres")
    } else {
        format!("a longest side of {longest:.3e} fits neither metres nor millimetres")
    };
    guess(Unit::Unclear, None, why)
}

impl fmt::Display for UnitGuess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.unit {
            Unit::Metre => "metres",
            Unit::Millimetre => "millimetres (scale 0.001)",
            Unit::Normalised => "none (normalised)",
            Unit::Unclear => "unclear",
        };
        write!(f, "{name}: {}", self.why)
    }
}
