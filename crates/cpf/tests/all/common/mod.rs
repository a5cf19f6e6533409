//! What tests of contacts that slide from face to face share.

use impinge_cpf::{Faces, FollowWorkspace, Tracked, follow_faces};
use impinge_geometry::DVec3;

pub const NONE: u32 = u32::MAX;

pub fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

pub fn follow(tracked: &Tracked, x: &[DVec3], faces: &Faces<'_>) -> Tracked {
    let mut out = Tracked::default();
    follow_faces(tracked, x, faces, 0.1, &mut FollowWorkspace::default(), &mut out).unwrap();
    out
}

/// Σ share · depth · normal: the force on vertex 0 for a stiffness of 1 N/m.
pub fn force(tracked: &Tracked, x: &[DVec3]) -> DVec3 {
    (0..tracked.len()).fold(DVec3::zero(), |f, i| {
        let [p, a, b, c] = tracked.stencil[i].map(|k| x[k as usize]);
        let m = (b - a).cross(c - a);
        let height = (p - a).dot(m) / m.mag();
        f + m / m.mag() * (tracked.share[i] * (-height).max(0.0))
    })
}
