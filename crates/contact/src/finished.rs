//! A finished step, as the books see it.

use crate::{
    Advanced, BodyDofsView, ContactsView, Couple, Decided, External, NONE, NodeDofsView, PairsView,
    SurfaceMap, SurfaceVelocities, SurfaceView,
};
use impinge_geometry::DVec3;

/// A finished step, as the balance sees it.
#[derive(Clone, Copy, Debug)]
pub struct FinishedStep<'a> {
    /// Its length (s).
    pub dt: f64,
    /// Degrees of freedom at the start.
    pub bodies: BodyDofsView<'a>,
    /// Free vertices at the start.
    pub nodes: NodeDofsView<'a>,
    /// At the end.
    pub advanced: &'a Advanced,
    /// What acted from outside.
    pub external: &'a External,
    /// Map and surface the loads went through.
    pub map: &'a SurfaceMap,
    /// Surface vertices.
    pub surface: SurfaceView<'a>,
    /// Body pairs.
    pub pairs: PairsView<'a>,
    /// Contacts and their impulses.
    pub decided: Decided<'a>,
    /// When normal forces were computed.
    pub evaluated: Evaluated,
    /// Surfaces that move against their bodies.
    pub surface_velocities: &'a SurfaceVelocities,
    /// Rolling and spinning friction of these pairs, part of [`External::turned`]; in pair order.
    pub couples: &'a [Couple],
}

/// When in the step penetration is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Evaluate {
    /// At the start: symplectic Euler proper, no numerical damping, stable for `kΔt²/m < 4`.
    Start,
    /// At the predicted end, as the papers do: damps, stable for `kΔt²/m < 4/3`.
    #[default]
    End,
}

/// When in the step normal forces are computed; their moments act about the start but for [`Evaluated::Mean`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Evaluated {
    /// At the start.
    #[default]
    Start,
    /// At the predicted end.
    End,
    /// Integrated on the way between both.
    Path,
    /// Not for patches. Discrete gradients between both ends of the real motion (the surface's `x1` is the real end), by the midpoint rule: moments act about
    /// the points halfway, and works are those along the chords.
    Mean,
}

pub(crate) fn takes_wrench(map: &SurfaceMap, b: u32) -> bool {
    !map.attachment(b as usize).has_nodes()
}

pub(crate) fn other(pairs: &PairsView<'_>, pair: u32, body: u32) -> u32 {
    pairs.a[pair as usize] ^ pairs.b[pair as usize] ^ body
}

/// `p − q` of mesh contact `i` at the start or the predicted end.
pub(crate) fn separation(step: &FinishedStep<'_>, c: &ContactsView<'_>, i: usize, end: bool) -> DVec3 {
    let x = if end { step.surface.x1 } else { step.surface.x0 };
    let mut d = DVec3::zero();
    for k in 0..4 {
        if c.stencil[i][k] != NONE {
            d += x[c.stencil[i][k] as usize] * c.weight[i][k];
        }
    }
    d
}

/// `p − q` where the impulses act.
pub(crate) fn acting_separation(step: &FinishedStep<'_>, c: &ContactsView<'_>, i: usize) -> DVec3 {
    let start = separation(step, c, i, false);
    if step.evaluated == Evaluated::Mean { (start + separation(step, c, i, true)) * 0.5 } else { start }
}
