//! Anchored friction of a patch: springs between the surfaces that remember, so that a body at rest stays at rest.
//!
//! The patch carries one rigid stretch for all its bristles: a shift u in the mean tangent plane and a turn φ about the
//! mean normal, integrated from the relative motion. A point holds with −p κ d (d its stretch, κ in 1/m), damped by
//! −p κ τ v, up to μ_s p; beyond, it slides with μ_k p. When some slide, the stretch is set back to the one whose
//! springs carry the elastic part of what is left, at most all of it (least squares weighted by the pressure), so nothing is stored that
//! is not carried. When none slides the law is a spring and a damper: no creep at all, which a regularised law cannot do.
//!
//! The memory rides in B's frame. It is read from one state and written to another: a trial step of an implicit solver
//! may be repeated.

use crate::quadrature::{Quadrature, for_each_point};
use crate::surface::{ContactSurface, Wrench};
use crate::traction::{Dissipation, Motion, factor};
use impinge_contact::{Bristle, bounded_stiffness, bristle};
use impinge_geometry::{DMat3, DVec3, Pose, add, inverse, outer, scale, trace, try_normalized};

/// Numbers of the law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BristleLaw {
    /// Coefficient that holds.
    pub mu_s: f64,
    /// Coefficient when sliding.
    pub mu_k: f64,
    /// κ (1/m): traction over pressure per stretch; holding fails at a stretch of μ_s/κ. Above 1e100 it is as good as 1e100.
    pub stiffness: f64,
    /// τ (s): damping over stiffness.
    pub damping: f64,
    /// Damping of the pressure: bristles are pressed by what acts.
    pub dissipation: Dissipation,
    /// Points on the polygons.
    pub quadrature: Quadrature,
    /// Normal of the plane in which bristles stretch (world, of length 1); that of the surface where there is none. A solver that finds the
    /// surface by iterations may hold the plane of an earlier one: where side faces lie in one plane the mean normal jumps, and a body that
    /// comes on fast seems to slip the other way at once.
    pub plane: Option<DVec3>,
}

/// What a patch remembers, in B's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BristleState {
    /// Shift of A over B at `centre` (m).
    pub shift: DVec3,
    /// Turn about the mean normal, as a vector along it (rad).
    pub turn: DVec3,
    /// Centre of pressure it was taken at (m).
    pub centre: DVec3,
}

/// One step of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BristleStep {
    /// Friction on A (world).
    pub wrench: Wrench,
    /// The memory after the step; the default when the bodies part.
    pub next: BristleState,
    /// Part of the pressing force under points that slide, 0 to 1.
    pub sliding: f64,
}

/// The stretch all bristles of a patch share at the end of a step, and what it was made from.
pub(crate) struct Stretch {
    /// Centre of pressure in the surface's frame (m).
    pub middle: DVec3,
    /// The same in the world.
    pub centre: DVec3,
    /// Mean normal (world).
    pub normal: DVec3,
    /// Shift and turn at the end of the step (world).
    pub shift: DVec3,
    pub turn: DVec3,
    /// Relative velocity at the centre.
    pub velocity: DVec3,
}

impl Stretch {
    /// The memory of this patch with this stretch.
    #[must_use]
    pub fn remembered(&self, pose_b: &Pose, shift: DVec3, turn: DVec3) -> BristleState {
        BristleState {
            shift: pose_b.vector_to_body(shift),
            turn: pose_b.vector_to_body(turn),
            centre: pose_b.point_to_body(self.centre),
        }
    }
}

/// What the springs of a patch carry, and Σ p A of the stretch's normal equations: (P, P r×n; ., (r×n)ᵀP(r×n)). World axes.
pub(crate) struct Carried {
    pub force: DVec3,
    pub torque: f64,
    pub uu: DMat3,
    pub ut: DVec3,
    pub tt: f64,
}

impl Carried {
    /// Shift and turn whose springs carry this.
    #[must_use]
    pub fn stretch(&self, normal: DVec3, stiffness: f64) -> Option<(DVec3, DVec3)> {
        // −κ (uu u + ut φ) = F, −κ (utᵀ u + tt φ) = T; uu has no stiffness along a common normal: a little is added.
        let stiff = add(&self.uu, &scale(&outer(normal, normal), trace(&self.uu)));
        let inverse = inverse(&stiff)?;
        let (a, b) = (inverse * self.force, inverse * self.ut);
        let rest = self.tt - self.ut.dot(b);
        let phi = if rest > 1e-12 * self.tt { (self.torque - self.ut.dot(a)) / rest } else { 0.0 };
        let stiffness = bounded_stiffness(stiffness);
        let u = (a - b * phi) * (-1.0 / stiffness);
        Some((u - normal * normal.dot(u), normal * (-phi / stiffness)))
    }
}

/// `None` where nothing presses.
pub(crate) fn stretch(
    surface: &ContactSurface,
    pose_b: &Pose,
    motion: &Motion,
    dt: f64,
    before: &BristleState,
    plane: Option<DVec3>,
) -> Option<Stretch> {
    // Everything in world axes about the centre of pressure: patches are small, bodies may be far away.
    let (mut load, mut first, mut mean) = (0.0, DVec3::zero(), DVec3::zero());
    for f in &surface.faces {
        let share = f.pressure.max(0.0) * f.area;
        load += share;
        first += f.centroid * share;
        mean += f.normal * share;
    }
    let normal = surface.rotation * try_normalized(mean).filter(|_| load > 0.0)?;
    let normal = plane.unwrap_or(normal);
    let middle = first / load;
    let centre = surface.to_world(middle);
    let tangent = |v: DVec3| v - normal * normal.dot(v);

    // The memory moved to this centre and into this tangent plane, then the step's motion.
    let turned = pose_b.vector_to_world(before.turn);
    let fresh = *before == BristleState::default();
    let arm = if fresh { DVec3::zero() } else { centre - pose_b.point_to_world(before.centre) };
    let velocity = motion.velocity + motion.spin.cross(centre - motion.point);
    let spin = normal * normal.dot(motion.spin);
    let turn = normal * normal.dot(turned) + spin * dt;
    let shift = tangent(pose_b.vector_to_world(before.shift) + turned.cross(arm)) + tangent(velocity) * dt;
    Some(Stretch { middle, centre, normal, shift, turn, velocity })
}

/// Friction over a step of `dt` (s) with the relative motion of its end, from the memory of its start.
#[must_use]
pub fn bristles(
    surface: &ContactSurface,
    pose_b: &Pose,
    motion: &Motion,
    law: &BristleLaw,
    dt: f64,
    before: &BristleState,
) -> BristleStep {
    let Some(all) = stretch(surface, pose_b, motion, dt, before, law.plane) else {
        return BristleStep {
            wrench: Wrench { point: surface.origin, ..Wrench::default() },
            ..BristleStep::default()
        };
    };
    let Stretch { middle, centre, normal, shift, turn, velocity } = all;

    let (mut force, mut torque) = (DVec3::zero(), DVec3::zero());
    let (mut spring_force, mut spring_torque) = (DVec3::zero(), 0.0);
    let zero = DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero());
    let (mut uu, mut ut, mut tt) = (zero, DVec3::zero(), 0.0);
    let (mut sliding, mut weight) = (0.0, 0.0);
    for f in &surface.faces {
        let n = surface.rotation * f.normal;
        let gain = law.dissipation.gain(surface, f);
        for_each_point(surface, f, law.quadrature, |x, p, area| {
            let r = surface.rotation * (x - middle);
            let moving = velocity + motion.spin.cross(r);
            let p = p * factor(gain, n.dot(moving));
            if !(p > 0.0) {
                return;
            }
            let flat = |v: DVec3| v - n * n.dot(v);
            let stretch = flat(shift + turn.cross(r));
            let law = ([law.stiffness, law.damping], [law.mu_s, law.mu_k]);
            let Bristle { traction: t, carried, slides } = bristle(law.0, law.1, stretch, flat(moving));
            let pa = p * area;
            weight += pa;
            if slides {
                sliding += pa;
            }
            force += t * pa;
            torque += r.cross(t) * pa;
            let spring = carried * pa;
            spring_force += spring;
            let lever = flat(normal.cross(r));
            spring_torque += lever.dot(spring);
            let plane = add(&DMat3::identity(), &outer(n, n * -1.0));
            uu = add(&uu, &scale(&plane, pa));
            ut += lever * pa;
            tt += lever.mag_sq() * pa;
        });
    }
    let (mut kept_shift, mut kept_turn) = (shift, turn);
    if sliding > 0.0 {
        let carried = Carried { force: spring_force, torque: spring_torque, uu, ut, tt };
        if let Some((u, t)) = carried.stretch(normal, law.stiffness) {
            (kept_shift, kept_turn) = (u, t);
        }
    }
    let next = all.remembered(pose_b, kept_shift, kept_turn);
    BristleStep {
        wrench: Wrench { force, torque, point: centre },
        next,
        sliding: sliding / weight.max(f64::MIN_POSITIVE),
    }
}
