//! Where the points of a row get their motion from: nodes, rigid bodies, embedded vertices, or nothing that can be moved.
//!
//! Takes a row over points ([`PointRow`]); adds the row over blocks to the table.

use crate::contact::PointRow;
use crate::rows::{RowError, RowKind, Rows};
use impinge_geometry::DVec3;
use impinge_solvers::Layout;

/// One point of a stencil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Point<'a> {
    /// A free node.
    Node(u32),
    /// A point of a rigid body at `arm` from its centre of mass (m, world axes).
    Body {
        /// Which body of the layout.
        body: u32,
        /// From the centre of mass to the point.
        arm: DVec3,
    },
    /// A vertex that rides on nodes with these weights.
    Embedded(&'a [(u32, f64)]),
    /// On rails or at rest: nothing here changes its velocity.
    Fixed,
}

/// The gradient over blocks of a row over points.
pub fn gradient_of<const N: usize>(
    layout: &Layout,
    points: &[Point<'_>; N],
    row: &PointRow<N>,
    out: &mut Vec<(u32, DVec3)>,
) {
    out.clear();
    for (p, &g) in points.iter().zip(&row.gradient) {
        match *p {
            Point::Node(i) => out.push((i, g)),
            Point::Body { body, arm } => out.extend(layout.body_gradient(body as usize, arm, g)),
            Point::Embedded(weights) => out.extend(weights.iter().map(|&(i, w)| (i, g * w))),
            Point::Fixed => {}
        }
    }
}

/// Adds a row over points to the table.
///
/// # Errors
/// [`RowError`] when it is not finite.
pub fn push_points<const N: usize>(
    rows: &mut Rows,
    layout: &Layout,
    kind: RowKind,
    key: u64,
    points: &[Point<'_>; N],
    row: &PointRow<N>,
) -> Result<u32, RowError> {
    let mut gradient = Vec::with_capacity(2 * N);
    gradient_of(layout, points, row, &mut gradient);
    rows.push(kind, key, row.bound, &gradient)
}

/// Adds friction to a contact row: `tangent` from [`crate::friction_rows`].
///
/// # Errors
/// [`RowError`]; nothing is added then.
pub fn push_friction_points(
    rows: &mut Rows,
    layout: &Layout,
    normal: u32,
    mu: f64,
    points: &[Point<'_>; 4],
    tangent: &[PointRow<4>; 2],
) -> Result<(), RowError> {
    let mut g = [Vec::with_capacity(8), Vec::with_capacity(8)];
    for k in 0..2 {
        gradient_of(layout, points, &tangent[k], &mut g[k]);
    }
    rows.push_friction(normal, mu, [&g[0], &g[1]], [tangent[0].bound, tangent[1].bound]).map(|_| ())
}
