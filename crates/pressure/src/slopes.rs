//! How the tractions change with the relative motion: what an implicit step adds to the stiffness.
//!
//! Rows: force on A, torque on A about `point`; columns: velocity at `point` and spin of A against B, world axes. The
//! surface stays where it is; its own change is [`crate::stiffness`].

use crate::bristles::{BristleLaw, BristleState, Stretch, stretch};
use crate::quadrature::for_each_point;
use crate::stiffness::Matrix6;
use crate::surface::ContactSurface;
use crate::traction::{Coulomb, Dissipation, Motion, TractionLaw, factor};
use impinge_contact::bounded_stiffness;
use impinge_geometry::{DMat3, DVec3, Pose, add, outer, scale, skew};

/// Sums over the points of a surface: force and torque about a centre, each by the velocity at the centre and by the spin.
pub(crate) struct Sums {
    pub force: [DMat3; 2],
    pub torque: [DMat3; 2],
}

impl Sums {
    fn new() -> Self {
        let zero = DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero());
        Self { force: [zero; 2], torque: [zero; 2] }
    }

    /// A point at `r` from the centre whose force changes by `by[0]` with the velocity and by `by[1]` with the spin.
    fn add(&mut self, r: DVec3, by: [DMat3; 2]) {
        for (k, m) in by.iter().enumerate() {
            for c in 0..3 {
                self.force[k].cols[c] += m.cols[c];
                self.torque[k].cols[c] += r.cross(m.cols[c]);
            }
        }
    }

    /// About another point, `arm` from it to the centre.
    #[must_use]
    pub fn about(&self, arm: DVec3) -> Matrix6 {
        let mut out = [[0.0; 6]; 6];
        // Velocity at the centre: that at the point, and spin × arm.
        let axes = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()];
        for c in 0..6 {
            let at = |m: &[DMat3; 2]| {
                if c < 3 { m[0].cols[c] } else { m[1].cols[c - 3] + m[0] * axes[c - 3].cross(arm) }
            };
            let force = at(&self.force);
            let torque = at(&self.torque) + arm.cross(force);
            for k in 0..3 {
                out[k][c] = force[k];
                out[3 + k][c] = torque[k];
            }
        }
        out
    }
}

/// What a spin does through the velocity it gives at `r`, by what that velocity does.
fn by_spin(m: &DMat3, r: DVec3) -> DMat3 {
    *m * skew(r * -1.0)
}

impl Coulomb {
    /// ∂(traction over pressure)/∂velocity on a plane with normal `n`; Stribeck's fall is left out, so that it always
    /// resists. `None` where it is zero.
    fn slope(&self, slip: DVec3, n: DVec3) -> Option<DMat3> {
        let size = (slip.mag_sq() + self.regularisation * self.regularisation).sqrt();
        let mu = self.coefficient(slip.mag_sq());
        if !(size > 0.0 && mu > 0.0) {
            return None;
        }
        let flat = add(&DMat3::identity(), &outer(n, n * -1.0));
        let across = add(&flat, &outer(slip, slip * (-1.0 / (size * size))));
        Some(scale(&across, -mu / size))
    }
}

/// The slope of [`crate::tractions`].
#[must_use]
pub fn traction_slope(surface: &ContactSurface, motion: &Motion, law: &TractionLaw, point: DVec3) -> Matrix6 {
    let mut sums = Sums::new();
    if law.dissipation == Dissipation::None && law.friction.mu_s == 0.0 && law.friction.mu_k == 0.0 {
        return sums.about(DVec3::zero());
    }
    let centre = surface.origin;
    for f in &surface.faces {
        let n = surface.rotation * f.normal;
        let gain = law.dissipation.gain(surface, f);
        for_each_point(surface, f, law.quadrature, |x, p0, area| {
            let r = surface.rotation * x;
            let v = motion.velocity + motion.spin.cross(centre + r - motion.point);
            let rate = v.dot(n);
            let slip = v - n * rate;
            let p = p0 * factor(gain, rate);
            let raised = if p == 0.0 { 0.0 } else { p0 * gain };
            let mut push = n * raised;
            let mut by = DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero());
            if p > 0.0 {
                push += law.friction.traction(slip) * raised;
                if let Some(drag) = law.friction.slope(slip, n) {
                    by = scale(&drag, p * area);
                }
            }
            by = add(&by, &outer(push, n * area));
            sums.add(r, [by, by_spin(&by, r)]);
        });
    }
    sums.about(centre - point)
}

/// The slope of [`crate::bristles`]: springs and dampers of those that hold; those that slide resist across their way only.
#[must_use]
pub fn bristle_slope(
    surface: &ContactSurface,
    pose_b: &Pose,
    motion: &Motion,
    law: &BristleLaw,
    dt: f64,
    before: &BristleState,
    point: DVec3,
) -> Matrix6 {
    let mut sums = Sums::new();
    let stiffness = bounded_stiffness(law.stiffness);
    let Some(Stretch { middle, centre, normal, shift, turn, velocity }) =
        stretch(surface, pose_b, motion, dt, before, law.plane)
    else {
        return sums.about(DVec3::zero());
    };
    // What the velocity at the centre does to the stretch and, through the damping, beside it.
    let kept = add(&DMat3::identity(), &outer(normal, normal * -1.0));
    let by_velocity = add(&scale(&kept, dt), &scale(&DMat3::identity(), law.damping));
    for f in &surface.faces {
        let n = surface.rotation * f.normal;
        let gain = law.dissipation.gain(surface, f);
        let flat = |v: DVec3| v - n * n.dot(v);
        let plane = scale(&add(&DMat3::identity(), &outer(n, n * -1.0)), -stiffness);
        let whole = plane * by_velocity;
        for_each_point(surface, f, law.quadrature, |x, p, area| {
            let r = surface.rotation * (x - middle);
            let moving = velocity + motion.spin.cross(r);
            let rate = n.dot(moving);
            let raised = p * gain;
            let p = p * factor(gain, rate);
            if !(p > 0.0) {
                return;
            }
            let trial = flat(shift + turn.cross(r) + moving * law.damping) * -stiffness;
            let size = trial.mag();
            // The turn about the mean normal stretches, the spin is damped.
            let turned = outer(plane * normal.cross(r), normal * dt);
            let spun = add(&turned, &by_spin(&scale(&plane, law.damping), r));
            let (mut linear, mut spin, mut now) = (whole, spun, trial);
            if size > law.mu_s {
                let across = add(&DMat3::identity(), &outer(trial, trial * (-1.0 / (size * size))));
                let across = scale(&across, law.mu_k / size);
                (linear, spin) = (across * whole, across * spun);
                now = trial * (law.mu_k / size);
            }
            let more = now * (raised * area);
            linear = add(&scale(&linear, p * area), &outer(more, n));
            spin = add(&scale(&spin, p * area), &outer(more, r.cross(n)));
            sums.add(r, [linear, spin]);
        });
    }
    sums.about(centre - point)
}
