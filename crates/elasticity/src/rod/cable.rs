//! A cable or rod section, and the builder of a cable: springs along it, bends at its inner nodes, masses.

use super::Bends;
use crate::element::{BadElement, check_nodes, not_negative, positive};
use crate::spring::Springs;
use impinge_geometry::DVec3;
use std::f64::consts::PI;

/// What a cable or rod is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Axial stiffness EA (N).
    pub ea: f64,
    /// Bending stiffness EI about the second and the first material axis (N·m²): `ei[0]` resists bending towards
    /// the first. Cables use `ei[0]`.
    pub ei: [f64; 2],
    /// Torsional stiffness GJ (N·m²).
    pub gj: f64,
    /// Mass per rest length (kg/m).
    pub linear_density: f64,
}

impl Section {
    /// A solid round bar: Young's modulus (Pa), Poisson's ratio, radius (m), density (kg/m³).
    ///
    /// # Errors
    /// A modulus, radius or density that is not positive, a ratio outside (−1, ½].
    pub fn round(e: f64, nu: f64, radius: f64, density: f64) -> Result<Self, BadElement> {
        positive("Young's modulus", e, "Pa")?;
        positive("radius", radius, "m")?;
        positive("density", density, "kg/m³")?;
        if !(nu > -1.0 && nu <= 0.5) {
            return Err(BadElement::batch(format!("Poisson's ratio is {nu}; it must lie in (−1, 0.5]")));
        }
        let area = PI * radius * radius;
        let i = 0.25 * area * radius * radius;
        // G J = E/(2(1+ν)) · 2I.
        Ok(Self { ea: e * area, ei: [e * i; 2], gj: e * i / (1.0 + nu), linear_density: density * area })
    }

    /// Checks every number.
    ///
    /// # Errors
    /// The first one that is negative or not finite.
    pub fn check(&self) -> Result<(), BadElement> {
        not_negative("axial stiffness EA", self.ea, "N")?;
        not_negative("bending stiffness EI", self.ei[0], "N·m²")?;
        not_negative("bending stiffness EI", self.ei[1], "N·m²")?;
        not_negative("torsional stiffness GJ", self.gj, "N·m²")?;
        not_negative("linear density", self.linear_density, "kg/m")
    }
}

/// A cable without twist: stretch and bending.
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// Stretch, one per edge.
    pub springs: Springs,
    /// Bending, one per inner node.
    pub bends: Bends,
}

impl Cable {
    /// A cable along the nodes `line`, at rest as it lies in `rest_x`. `tension_only` lets it go slack.
    ///
    /// # Errors
    /// Fewer than two nodes, an index out of range, an edge without length, a bad section.
    pub fn new(
        line: &[u32],
        rest_x: &[DVec3],
        section: &Section,
        tension_only: bool,
    ) -> Result<Self, BadElement> {
        section.check()?;
        let edges = edges(line)?;
        Ok(Self {
            springs: Springs::from_axial_stiffness(&edges, rest_x, section.ea, tension_only)?,
            bends: Bends::from_line(line, rest_x, section.ei[0])?,
        })
    }
}

impl Section {
    /// Adds half of each edge's mass to its nodes (kg).
    ///
    /// # Errors
    /// Fewer than two nodes, an index out of range.
    pub fn add_masses(&self, line: &[u32], rest_x: &[DVec3], out: &mut [f64]) -> Result<(), BadElement> {
        for (e, ends) in edges(line)?.into_iter().enumerate() {
            check_nodes(e, ends, rest_x.len().min(out.len()))?;
            let [i, j] = ends.map(|i| i as usize);
            let half = 0.5 * self.linear_density * (rest_x[j] - rest_x[i]).mag();
            out[i] += half;
            out[j] += half;
        }
        Ok(())
    }
}

/// The edges of a line of nodes.
pub(super) fn edges(line: &[u32]) -> Result<Vec<[u32; 2]>, BadElement> {
    if line.len() < 2 {
        return Err(BadElement::batch(format!("a line of {} nodes; give at least two", line.len())));
    }
    Ok(line.windows(2).map(|w| [w[0], w[1]]).collect())
}
