//! ∇ε at vertices, as §VI-A.1 of seed 004 has it beside the gradients of tets.
//!
//! ε is linear in a tet, and its gradient jumps from tet to tet; the planes of equal pressure need that one. The paper stores another
//! at vertices for its damping (17), which is interpolated and so does not jump. It states it for a cube alone: at a corner it points to the
//! middle with the inverse of the distance, and in the middle it is zero. The mean of the gradients of the tets around a vertex, weighted by
//! their solid angles there, is that, and has a value on any tets. In a cube with half an edge h the interpolated field is −x/(3h²).

use crate::body::CompliantBody;
use impinge_geometry::DVec3;

/// ∇ε at the vertices of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct NodalGradients(Vec<DVec3>);

impl NodalGradients {
    /// Those of a body.
    #[must_use]
    pub fn new(body: &CompliantBody) -> Self {
        let x = body.mesh().positions();
        let mut sum = vec![(DVec3::zero(), 0.0); x.len()];
        for record in &body.records {
            let tet = body.mesh().tets()[record.id as usize].map(|v| v as usize);
            let slope = record.gradient() / body.modulus();
            for k in 0..4 {
                let others = [1, 2, 3].map(|j| x[tet[(k + j) % 4]] - x[tet[k]]);
                let angle = solid_angle(others);
                let (g, all) = &mut sum[tet[k]];
                *g += slope * angle;
                *all += angle;
            }
        }
        Self(sum.into_iter().map(|(g, all)| if all > 0.0 { g / all } else { DVec3::zero() }).collect())
    }

    /// For each vertex (1/m, body frame).
    #[must_use]
    pub fn at_vertices(&self) -> &[DVec3] {
        &self.0
    }

    /// At a place of a tet of the body (m, body frame), linear between its corners (1/m).
    ///
    /// # Panics
    /// When the body has no such tet, or is another one with fewer vertices.
    #[must_use]
    pub fn at(&self, body: &CompliantBody, tet: usize, place: DVec3) -> DVec3 {
        let tet = body.mesh().tets()[tet].map(|v| v as usize);
        let x = tet.map(|v| body.mesh().positions()[v]);
        let six = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
        let all = six(x[0], x[1], x[2], x[3]);
        let part = |k: usize| {
            let mut with = x;
            with[k] = place;
            six(with[0], with[1], with[2], with[3]) / all
        };
        (0..4).fold(DVec3::zero(), |g, k| g + self.0[tet[k]] * part(k))
    }
}

/// The solid angle of three directions (van Oosterom and Strackee).
fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.mag(), b.mag(), c.mag());
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * libm::atan2(a.cross(b).dot(c).abs(), below)
}
