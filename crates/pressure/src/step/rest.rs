//! A pressure field that carries its body's weight: how stiff it is, which the explicit step must be short for.

use crate::{ContactSurface, HalfSpace, Rule, Shape as Solid, Workspace, contact, stiffness};
use impinge_bodies::resting_height;
use impinge_geometry::{DVec3, Pose};

/// Polygons and stiffness (N/m) of a body on a rigid plane that carries `weight` (N), in the stiffest of these positions
/// (up, in body axes); `None` for what does not yield. Without weight, a thousandth of its size deep.
#[must_use]
pub fn stiffest_rest(solid: &Solid, weight: f64, ways: &[DVec3]) -> Option<(usize, f64)> {
    let Solid::Compliant(body) = solid else { return None };
    let mut most = (0, 0.0);
    let (mut workspace, mut surface) = (Workspace::new(), ContactSurface::new());
    for &up in ways {
        let mut press = |height: f64| {
            let Ok(ground) = HalfSpace::rigid(up, height) else { return f64::INFINITY };
            let here = Pose::identity();
            // A field against a half space at poses that are finite has a surface.
            let (ground, ws) = (Solid::HalfSpace(ground), &mut workspace);
            let _ = contact(solid, &here, &ground, &here, Rule::Paper, ws, &mut surface);
            if solid.has_margin() {
                surface.keep_pressing();
            }
            surface.wrench.force.dot(up)
        };
        let height = resting_height(body.mesh().positions(), up, weight, &mut press);
        press(height);
        let k = stiffness(&surface, DVec3::zero(), DVec3::zero());
        let along: f64 = (0..3).map(|i| (0..3).map(|j| up[i] * k[i][j] * up[j]).sum::<f64>()).sum();
        if along > most.1 {
            most = (surface.faces.len(), along);
        }
    }
    Some(most)
}
