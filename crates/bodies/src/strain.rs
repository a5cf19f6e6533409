//! Strain limits of cloth and cables (seed 001 §4.5): the edges that have one, and between which lengths they stay.

use crate::deformable::{Deformable, DeformableError, Matter};
use crate::elastic::Limited;
use impinge_geometry::{DVec3, Topology};

/// How far edges of cloth and segments of a cable may stretch and shrink, relative to their length at rest. Rows of the response
/// `qp`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StrainLimits {
    /// Largest (length − rest) / rest, ≥ 0; `None` for no limit. 0 does not stretch.
    pub upper: Option<f64>,
    /// Largest (rest − length) / rest, in \[0, 1); `None` for no limit. 0 does not shrink: cloth then hardly folds.
    pub lower: Option<f64>,
}

impl Deformable {
    /// The edges of a sheet, or the segments of a cable: nodes and length at rest (m). None of a solid.
    #[must_use]
    pub fn edges(&self) -> Vec<([u32; 2], f64)> {
        let of = |x: &[DVec3], ends: [u32; 2]| (ends, (x[ends[1] as usize] - x[ends[0] as usize]).mag());
        match (&self.matter, &self.surface.mesh) {
            (Some(Matter::Sheet { mesh, .. }), _) => {
                Topology::new(mesh).edges().iter().map(|e| of(mesh.positions(), *e)).collect()
            }
            (None, None) => {
                (1..self.positions.len() as u32).map(|i| of(&self.positions, [i - 1, i])).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Limits the strain of its edges. Only the response `qp` has rows for that; others refuse the world.
    ///
    /// # Errors
    /// [`DeformableError`] for a solid, and for limits out of range or none at all.
    pub fn with_strain_limits(mut self, name: &str, limits: StrainLimits) -> Result<Self, DeformableError> {
        let refuse = |reason: String| Err(DeformableError { body: name.to_string(), reason });
        if self.edges().is_empty() {
            return refuse(
                "strain limits are for the edges of cloth and cables, and it is neither".to_string(),
            );
        }
        if limits == StrainLimits::default() {
            return refuse("its strain limits limit nothing; give an upper or a lower one".to_string());
        }
        if let Some(u) = limits.upper.filter(|u| !(*u >= 0.0 && u.is_finite())) {
            return refuse(format!("its upper strain limit is {u}; it must be at least 0 and finite"));
        }
        if let Some(l) = limits.lower.filter(|l| !(0.0..1.0).contains(l)) {
            return refuse(format!(
                "its lower strain limit is {l}; it is how much shorter an edge may get, at least 0 and below 1"
            ));
        }
        self.strain = Some(limits);
        Ok(self)
    }

    /// Its edges with limits, for a body whose surface vertices begin at `first`.
    #[must_use]
    pub fn limited(&self, body: u32, first: u32) -> Vec<Limited> {
        let Some(StrainLimits { upper, lower }) = self.strain else { return Vec::new() };
        let of = |(ends, rest): ([u32; 2], f64)| Limited {
            body,
            ends: ends.map(|n| n + first),
            longest: upper.map_or(f64::INFINITY, |u| rest * (1.0 + u)),
            shortest: lower.map_or(0.0, |l| rest * (1.0 - l)),
        };
        self.edges().into_iter().map(of).collect()
    }
}
