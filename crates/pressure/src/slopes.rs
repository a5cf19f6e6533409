//! How the tractions change with the relative motion: what an implicit step adds to the stiffness.
//!
//! Rows: force on A, torque on A about `point`; columns: velocity at `point` and spin of A against B, world axes. The
//! surface stays where it is; its own change is [`crate::stiffness`].

use crate::bristles::{BristleLaw, BristleState, Stretch, stretch};
use crate::quadrature::for_each_point;
use crate::stiffness::Matrix6;
use crate::surface::ContactSurface;
use crate::traction::{Coulomb, Dissipation, Motion, TractionLaw};
use impinge_geometry::{DVec3, Pose};

/// The six unit motions.
fn unit(c: usize) -> (DVec3, DVec3) {
    let e = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()][c % 3];
    if c < 3 { (e, DVec3::zero()) } else { (DVec3::zero(), e) }
}

fn add(out: &mut Matrix6, column: usize, arm: DVec3, force: DVec3) {
    let torque = arm.cross(force);
    for k in 0..3 {
        out[k][column] += force[k];
        out[3 + k][column] += torque[k];
    }
}

impl Dissipation {
    /// ∂(factor on the pressure)/∂(ṙ·n) at this rate; 0 where the factor is held at 0.
    fn slope(&self, s: &ContactSurface, f: &crate::Face, rate: f64) -> f64 {
        // The factor is linear in the rate until it is cut off, and 1 at rest.
        if self.factor(s, f, rate) > 0.0 { self.raise(s, f, 1.0) } else { 0.0 }
    }
}

impl Coulomb {
    /// ∂(traction over pressure)/∂slip applied to a change of the slip; Stribeck's fall is left out, so that it always
    /// resists.
    fn slope(&self, slip: DVec3, change: DVec3) -> DVec3 {
        let size = (slip.mag_sq() + self.regularisation * self.regularisation).sqrt();
        if !(size > 0.0) {
            return DVec3::zero();
        }
        let mu = self.coefficient(slip.mag_sq());
        (change - slip * (slip.dot(change) / (size * size))) * (-mu / size)
    }
}

/// The slope of [`crate::tractions`].
pub fn traction_slope(surface: &ContactSurface, motion: &Motion, law: &TractionLaw, point: DVec3) -> Matrix6 {
    let mut out = [[0.0; 6]; 6];
    for f in &surface.faces {
        let n = surface.rotation * f.normal;
        for_each_point(surface, f, law.quadrature, |x, p0, area| {
            let world = surface.to_world(x);
            let arm = world - point;
            let v = motion.velocity + motion.spin.cross(world - motion.point);
            let rate = v.dot(n);
            let slip = v - n * rate;
            let raised = p0 * law.dissipation.slope(surface, f, rate);
            let p = (p0 * law.dissipation.factor(surface, f, rate)).max(0.0);
            for c in 0..6 {
                let (dv, dw) = unit(c);
                let d = dv + dw.cross(arm);
                let rise = n.dot(d);
                let mut force = n * (raised * rise) + law.friction.slope(slip, d - n * rise) * p;
                if p > 0.0 {
                    force += law.friction.traction(slip) * (raised * rise);
                }
                add(&mut out, c, arm, force * area);
            }
        });
    }
    out
}

/// The slope of [`crate::bristles`]: springs and dampers of those that hold; those that slide resist across their way only.
pub fn bristle_slope(
    surface: &ContactSurface,
    pose_b: &Pose,
    motion: &Motion,
    law: &BristleLaw,
    dt: f64,
    before: &BristleState,
    point: DVec3,
) -> Matrix6 {
    let mut out = [[0.0; 6]; 6];
    let Some(Stretch { middle, centre, normal, shift, turn, velocity }) =
        stretch(surface, pose_b, motion, dt, before)
    else {
        return out;
    };
    let tangent = |v: DVec3| v - normal * normal.dot(v);
    for f in &surface.faces {
        let n = surface.rotation * f.normal;
        let flat = |v: DVec3| v - n * n.dot(v);
        for_each_point(surface, f, law.quadrature, |x, p, area| {
            let r = surface.rotation * (x - middle);
            let moving = velocity + motion.spin.cross(r);
            let rate = n.dot(moving);
            let raised = p * law.dissipation.slope(surface, f, rate);
            let p = p * law.dissipation.factor(surface, f, rate);
            if !(p > 0.0) {
                return;
            }
            let trial = flat(shift + turn.cross(r) + moving * law.damping) * -law.stiffness;
            let size = trial.mag();
            let now = if size > law.mu_s { trial * (law.mu_k / size) } else { trial };
            let arm = r + (centre - point);
            for c in 0..6 {
                let (dv, dw) = unit(c);
                let at_centre = dv + dw.cross(centre - point);
                let stretched = tangent(at_centre) * dt + (normal * (normal.dot(dw) * dt)).cross(r);
                let mut t = flat(stretched + (at_centre + dw.cross(r)) * law.damping) * -law.stiffness;
                if size > law.mu_s {
                    t = (t - trial * (trial.dot(t) / (size * size))) * (law.mu_k / size);
                }
                add(&mut out, c, arm, (t * p + now * (raised * n.dot(at_centre + dw.cross(r)))) * area);
            }
        });
    }
    out
}
