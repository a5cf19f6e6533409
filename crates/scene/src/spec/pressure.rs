//! Pressure fields of bodies of a scene file.

use super::SolidSpec;
use impinge_pressure::LayerLaw;

/// How the extent of a field is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// The distance to the surface, on the medial axis.
    Exact,
    /// The distance to the surface at the vertices of tets.
    Distance,
    /// Harmonic between the surface and the deepest vertices.
    Laplace,
}

/// The pressure field of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct PressureSpec {
    /// E (Pa).
    pub modulus: f64,
    /// χ (s/m), if the body has its own.
    pub dissipation: Option<f64>,
    /// How it is made; planes have no choice.
    pub field: FieldKind,
    /// Length of facets and tets (m), if the file says.
    pub resolution: Option<f64>,
    /// The tets, if the file gives them.
    pub solid: Option<SolidSpec>,
    /// Of the layer on a plane (m).
    pub thickness: f64,
    /// A law that is not linear in the strain.
    pub law: Option<LawSpec>,
}

/// p = E f(ε).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawSpec {
    /// f.
    pub law: LayerLaw,
    /// Strain from which a straight line goes on.
    pub most: f64,
    /// Of the chords, as a part of the pressure.
    pub tolerance: f64,
}
