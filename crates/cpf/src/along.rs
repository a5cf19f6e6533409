//! Friction and normal damping integrated over the path, as the normal force is (seed 000 §3.6, "Friction force": the paper
//! names the possibility and uses a friction independent of the path).
//!
//! Eight Gauss points in the order of time over a penetration interval. Friction: the anchored law of `impinge-contact` at each
//! of them, pressed with k δ(t), so that the cone follows the force within the step and the anchor moves as the contact sticks or
//! slides. Damping: k δ + c δ̇ or k δ(1 + χ δ̇), never pulling.

use crate::gauss::GAUSS_8;
use crate::pair::PairImpulse;
use crate::path::{Path, Straight};
use impinge_ccd::Kind;
use impinge_contact::{Damping, FrictionLaw, SlipState, anchored};
use impinge_geometry::{DVec3, try_normalized};

/// Friction of one contact over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionImpulse {
    /// On the first feature (N·s).
    pub impulse: DVec3,
    /// The anchor after the step, in the frame of `point`; `None` when the contact is open.
    pub anchor: Option<DVec3>,
    /// The contact slides at the end.
    pub slipping: bool,
}

/// Friction integrated over one penetration interval.
///
/// `point` is where the contact point is at both ends of the step, in the frame the anchors are kept in (m); `anchor` and
/// `slipping` what the last step left.
#[must_use]
pub fn friction_over(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    contact: &PairImpulse,
    k: f64,
    dt: f64,
    law: &FrictionLaw,
    point: [DVec3; 2],
    anchor: Option<DVec3>,
    slipping: bool,
) -> FrictionImpulse {
    let w = contact.weight;
    let moved = |i: usize| (x1[i] - x1[0]) - (x0[i] - x0[0]);
    let slip = (moved(1) * w[1] + moved(2) * w[2] + moved(3) * w[3]) * (1.0 / dt);
    let pressed = |t: f64| depth_at(kind, x0, x1, t).map(|(n, depth)| (n, k * depth));
    friction_along(pressed, [contact.t_in, contact.t_out], dt, law, point, slip, anchor, slipping)
}

/// Unit normal of a pair on its straight way and the distance of the points across it (m) at the fraction `t` of the step; `None` without a
/// normal. Inside a penetration interval the distance is the depth.
#[must_use]
pub fn depth_at(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4], t: f64) -> Option<(DVec3, f64)> {
    let at = Straight::new(kind, x0, x1).at(t);
    let n = try_normalized(at.normal())?;
    Some((n, n.dot(at.r).abs()))
}

/// [`friction_over`] for any contact: `pressed` gives its unit normal and the force it is pressed with (N) by the fraction of the step, or `None` where
/// there is no normal; `slip` is the mean relative velocity of the two points (m/s).
#[must_use]
pub fn friction_along(
    pressed: impl Fn(f64) -> Option<(DVec3, f64)>,
    [t_in, t_out]: [f64; 2],
    dt: f64,
    law: &FrictionLaw,
    point: [DVec3; 2],
    slip: DVec3,
    anchor: Option<DVec3>,
    slipping: bool,
) -> FrictionImpulse {
    let (mid, half) = (0.5 * (t_in + t_out), 0.5 * (t_out - t_in));
    let mut out = FrictionImpulse { impulse: DVec3::zero(), anchor, slipping };
    // The anchor of a contact made in this step is where it was made.
    if anchor.is_none() {
        out.anchor = Some(point[0] + (point[1] - point[0]) * t_in);
    }
    for (x, weight) in GAUSS_8 {
        let t = mid + half * x;
        let Some((n, force)) = pressed(t) else { continue };
        let p = point[0] + (point[1] - point[0]) * t;
        let step = anchored(law, n, p, slip, force, out.anchor, out.slipping);
        if step.state == SlipState::Open {
            continue;
        }
        out.impulse += step.force * (weight * half * dt);
        (out.anchor, out.slipping) = (step.anchor, step.state == SlipState::Dynamic);
    }
    if t_out < 1.0 {
        (out.anchor, out.slipping) = (None, false);
    }
    out
}

/// What damping adds to the normal impulse of one penetration interval (N·s, on the first feature).
#[must_use]
pub fn damping_over(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    contact: &PairImpulse,
    k: f64,
    dt: f64,
    damping: Damping,
) -> DVec3 {
    if damping == Damping::None {
        return DVec3::zero();
    }
    let path = Straight::new(kind, x0, x1);
    let (du, dv, dr) = (path.end.u - path.start.u, path.end.v - path.start.v, path.end.r - path.start.r);
    let (mid, half) = (0.5 * (contact.t_in + contact.t_out), 0.5 * (contact.t_out - contact.t_in));
    let mut sum = DVec3::zero();
    for (x, weight) in GAUSS_8 {
        let at = path.at(mid + half * x);
        let m = at.normal();
        let mm = m.dot(m);
        if !(mm > 0.0 && mm.is_finite()) {
            continue;
        }
        let f = m.dot(at.r);
        // Inside the interval f is not zero, and the free side is where it has the other sign.
        let side = if f > 0.0 { -1.0 } else { 1.0 };
        let dm = du.cross(at.v) + at.u.cross(dv);
        let length = mm.sqrt();
        let rate = -side * ((dm.dot(at.r) + m.dot(dr)) / length - f * m.dot(dm) / (mm * length)) / dt;
        let elastic = k * f.abs() / length;
        let total = match damping.plain() {
            Damping::None | Damping::Restitution(_) => elastic,
            Damping::KelvinVoigt(c) => elastic + c * rate,
            Damping::HuntCrossley(chi) => elastic * (1.0 + chi * rate),
        };
        sum += m * (side / length * (total.max(0.0) - elastic) * weight);
    }
    let impulse = sum * (half * dt);
    if impinge_geometry::is_finite(impulse) { impulse } else { DVec3::zero() }
}
