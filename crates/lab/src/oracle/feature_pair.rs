//! What the families of feature pairs share: kinds, starting points, how intervals begin, signed weights.

use super::compare::{Comparison, Malformed};
use impinge_ccd::{Carried, Class, Entry, Kind, roots};
use impinge_geometry::DVec3;
use serde::Deserialize;

/// `input` of a pair with a stiffness.
#[derive(Deserialize)]
pub struct Input {
    pair: Pair,
    x0: [[f64; 3]; 4],
    x1: [[f64; 3]; 4],
    #[serde(default)]
    initial: Option<Initial>,
    k: f64,
    dt: f64,
}

/// Which features meet.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pair {
    Vf,
    Ee,
}

impl Pair {
    /// As the kernels call it.
    pub fn kind(self) -> Kind {
        match self {
            Self::Vf => Kind::VertexFace,
            Self::Ee => Kind::EdgeEdge,
        }
    }
}

/// Where a pair is that begins the step in contact.
#[derive(Deserialize)]
pub struct Initial {
    side: f64,
    #[serde(default)]
    pub weights: Option<Vec<f64>>,
}

impl Initial {
    /// As the kernels take it.
    ///
    /// # Errors
    /// A side that is no sign, or weights that do not fit the pair.
    pub fn carried(&self, kind: Kind) -> Result<Carried, Malformed> {
        let weight = self.weights.as_deref().map(|w| signed(kind, w));
        Ok(Carried { side: sign(self.side)?, weight: weight.transpose()? })
    }
}

/// How an interval begins.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Begins {
    Contact,
    Initial,
}

impl From<Entry> for Begins {
    fn from(entry: Entry) -> Self {
        match entry {
            Entry::Contact => Self::Contact,
            Entry::Initial => Self::Initial,
        }
    }
}

/// The pair as the kernels take it.
pub struct FeaturePair {
    pub kind: Kind,
    pub x0: [DVec3; 4],
    pub x1: [DVec3; 4],
    pub carried: Option<Carried>,
    pub k: f64,
    pub dt: f64,
}

impl FeaturePair {
    /// Compares what kind of motion it is.
    ///
    /// # Errors
    /// A coordinate is not finite.
    pub fn classification(&self, expected: &str, out: &mut Comparison) -> Result<(), Malformed> {
        let found = roots(self.kind, &self.x0, &self.x1).map_err(|e| Malformed(e.to_string()))?;
        let name = match found.class {
            Class::Regular => "regular",
            Class::DegenerateInstant => "degenerate_instant",
            Class::DegenerateAlways => "degenerate_always",
            Class::CoplanarAlways => "coplanar_always",
        };
        out.holds(name == expected, || format!("classification is {name}, expected {expected}"));
        Ok(())
    }
}

impl Input {
    /// The pair as the kernels take it.
    ///
    /// # Errors
    /// A side that is no sign, or weights that do not fit the pair.
    pub fn pair(&self) -> Result<FeaturePair, Malformed> {
        let kind = self.pair.kind();
        let carried = self.initial.as_ref().map(|i| i.carried(kind)).transpose()?;
        let (x0, x1) = (self.x0.map(DVec3::from), self.x1.map(DVec3::from));
        Ok(FeaturePair { kind, x0, x1, carried, k: self.k, dt: self.dt })
    }
}

/// Weights of the schema (three of the face; two and two of the edges) as signed weights of the four points.
///
/// # Errors
/// How many there are and should be.
pub fn signed(kind: Kind, w: &[f64]) -> Result<[f64; 4], Malformed> {
    match (kind, w) {
        (Kind::VertexFace, &[a, b, c]) => Ok([1.0, -a, -b, -c]),
        (Kind::EdgeEdge, &[a, b, c, d]) => Ok([a, b, -c, -d]),
        _ => Err(Malformed(format!("{} weights; a face has 3 and two edges have 4", w.len()))),
    }
}

/// A side.
///
/// # Errors
/// It is neither 1 nor −1.
fn sign(side: f64) -> Result<i8, Malformed> {
    match side {
        1.0 => Ok(1),
        -1.0 => Ok(-1),
        s => Err(Malformed(format!("side is {s}; it is 1 or -1"))),
    }
}
