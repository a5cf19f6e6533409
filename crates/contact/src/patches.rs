//! What a response decided for contacts that are areas or volumes: wrenches on the two bodies of a pair, without feature stencils.
//!
//! The volume and the pressure-field models push many vertices with one number, so a row for each vertex would be as long as the
//! meshes. A body that takes wrenches gets its side of a patch as one; a body made of nodes gets it as shares on surface vertices,
//! and the row holds their sum.

use crate::Wrench;
use impinge_geometry::DVec3;

crate::table! {
    /// One row for each patch, sorted by pair: a cell of intersection volume, or the contact surface of a pair.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct PatchRows / PatchRowsView / PatchRow {
        /// Row in the pair table; `a` is its lower slot.
        pair: u32,
        /// Centre of the contact at the start of the step (m, world).
        point: DVec3,
        /// Normal impulse on `a` and on `b` (N·s) with its moment about `point` (N·m·s).
        normal: [Wrench; 2],
        /// The same of friction.
        friction: [Wrench; 2],
        /// Area of the contact (m²).
        area: f64,
        /// Volume that both bodies claim (m³).
        volume: f64,
        /// Largest depth (m).
        depth_max: f64,
        /// Mean depth (m).
        depth_mean: f64,
        /// Largest pressure (Pa).
        pressure_max: f64,
        /// Potential stored in the patch (J).
        energy: f64,
        /// Work of the pressure and of friction (J) where the response has integrated it; otherwise it is taken from the impulses and the mean
        /// velocities of the step.
        work: Option<[f64; 2]>,
        /// Stable name across steps.
        key: u64,
    }
}

crate::table! {
    /// Impulses on the surface vertices of bodies made of nodes, sorted by patch.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct PatchShares / PatchSharesView / PatchShare {
        /// Row in the patch table.
        patch: u32,
        /// Surface vertex.
        vertex: u32,
        /// Normal impulse (N·s).
        normal: DVec3,
        /// Friction impulse (N·s).
        friction: DVec3,
    }
}

/// Patches of a step.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Patches {
    /// The patches.
    pub rows: PatchRows,
    /// What they do to vertices.
    pub shares: PatchShares,
}

impl Patches {
    /// Removes every row and keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.shares.clear();
    }

    /// The columns as slices.
    #[must_use]
    pub fn view(&self) -> PatchesView<'_> {
        PatchesView { rows: self.rows.view(), shares: self.shares.view() }
    }
}

/// The tables of [`Patches`] as slices.
#[derive(Clone, Copy, Debug, Default)]
pub struct PatchesView<'a> {
    /// The patches.
    pub rows: PatchRowsView<'a>,
    /// What they do to vertices.
    pub shares: PatchSharesView<'a>,
}

impl PatchRow {
    /// Normal impulse and friction together on side 0 (`a`) or 1 (`b`), about `point`.
    #[must_use]
    pub fn total(&self, side: usize) -> Wrench {
        let mut w = self.normal[side];
        w += self.friction[side];
        w
    }
}
