//! A half space, rigid or with a layer whose pressure grows linearly with depth.

use crate::error::BodyError;
use impinge_geometry::{DVec3, try_normalized};

/// The solid n·x ≤ offset in the body frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    pub(crate) stiffness: Option<f64>,
    pub(crate) modulus: f64,
    pub(crate) margin: f64,
}

impl HalfSpace {
    /// A rigid one. `normal` points out of the solid; it is normalised, `offset` (m) is not scaled with it.
    ///
    /// # Errors
    /// [`BodyError::Parameter`] for a normal without direction or an offset that is not finite.
    pub fn rigid(normal: DVec3, offset: f64) -> Result<Self, BodyError> {
        let bad = |reason: String| BodyError::Parameter { reason };
        let normal = try_normalized(normal)
            .ok_or_else(|| bad(format!("half space: the normal {normal:?} has no direction")))?;
        if !offset.is_finite() {
            return Err(bad(format!("half space: the offset is {offset} m; give a finite number")));
        }
        Ok(Self { normal, offset, stiffness: None, modulus: 0.0, margin: 0.0 })
    }

    /// A compliant layer of the given modulus (Pa) and thickness (m): p = E/H · depth, without a floor.
    ///
    /// # Errors
    /// As [`HalfSpace::rigid`], and for a modulus or thickness that is not positive.
    pub fn layer(normal: DVec3, offset: f64, modulus: f64, thickness: f64) -> Result<Self, BodyError> {
        if !(modulus.is_finite() && modulus > 0.0) {
            return Err(BodyError::Modulus { value: modulus });
        }
        let stiffness = modulus / thickness;
        if !(stiffness.is_finite() && stiffness > 0.0 && thickness.is_finite()) {
            let reason = format!("half space: the layer is {thickness} m thick; give a positive number");
            return Err(BodyError::Parameter { reason });
        }
        Ok(Self { stiffness: Some(stiffness), modulus, ..Self::rigid(normal, offset)? })
    }

    /// With its field continued to this height above it (m), where the pressure is negative: what is that near has a contact surface that does not press
    /// ([`crate::ContactSurface::is_speculative`]). Fields on tets have a margin where ε is below 0 on their outermost vertices.
    ///
    /// # Errors
    /// [`BodyError::Parameter`] for a margin that is negative or not finite, and for a rigid half space, which has no field.
    pub fn with_margin(self, margin: f64) -> Result<Self, BodyError> {
        let bad = |reason: String| Err(BodyError::Parameter { reason });
        if !(margin >= 0.0 && margin.is_finite()) {
            return bad(format!("half space: the margin is {margin} m; give a finite number of at least 0"));
        }
        if self.stiffness.is_none() && margin > 0.0 {
            return bad("half space: a rigid one has no field to continue; give it a layer".to_string());
        }
        Ok(Self { margin, ..self })
    }

    /// Height to which the field goes on above the surface (m).
    #[must_use]
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Unit normal out of the solid (body frame).
    #[must_use]
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// n·x on the surface (m).
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Pressure per depth (Pa/m); `None` when rigid.
    #[must_use]
    pub fn pressure_per_depth(&self) -> Option<f64> {
        self.stiffness
    }
}
