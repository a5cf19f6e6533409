//! Anchor springs under the midpoint rule: solved with the motion of what they hold.
//!
//! Taken where the step begins, as by the Euler schemes, while positions move by the mean velocity, a spring k on a mass m multiplies the area of
//! the phase plane by 1 + k Δt²/2m in every step: it pumps energy at any step. Here the force is the discrete gradient of the spring's energy between the
//! two ends of the step, with ℓ the length and r that at rest
//!
//! ```text
//! F = −½ k (1 − 2r/(ℓ₀+ℓ₁)) (d₀ + d₁) − damper,      F·(x₁ − x₀) = −(U₁ − U₀) without it
//! ```
//! (d from the anchor to the attachment), and its moment is taken about the mean arm, as for contact ([`crate::mean_motion`]). So energy is kept to
//! rounding whatever the stiffness. Impulses that come after the prediction, those of contact, do not change it: in steps with contact energy is kept to second
//! order.

use crate::forces::{AnchorSpring, ExternalForces};
use impinge_contact::{BodyDofsView, DamperKick, NodeDofsView};
use impinge_geometry::{DMat3, DVec3, Pose, add, diagonal, inverse, outer, scale, skew, sub, try_normalized};

/// Most iterations. What the tangent leaves out, how far the body turns and springs under pressure, takes a few; ever more where a body turns by a radian in a step.
const ITERATIONS: u32 = 100;

/// Impulses of a step on one body or node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    /// Of all springs (N·s).
    pub impulse: DVec3,
    /// About the mean centre of mass (N·m·s); zero of a node.
    pub moment: DVec3,
}

/// Elastic force and damping force (N) of a spring whose attachment goes from `x0` to `x1` (m) in `dt`.
fn forces(spring: &AnchorSpring, [x0, x1]: [DVec3; 2], dt: f64) -> [DVec3; 2] {
    let (d0, d1) = (x0 - spring.to, x1 - spring.to);
    let (both, rate) = (d0 + d1, (x1 - x0) / dt);
    if spring.rest_length == 0.0 {
        return [both * (-0.5 * spring.stiffness), rate * -spring.damping];
    }
    let lengths = d0.mag() + d1.mag();
    let size = both.mag_sq();
    // Without a direction, as where a step begins.
    if lengths == 0.0 || size == 0.0 {
        return [DVec3::zero(); 2];
    }
    let elastic = both * (-0.5 * spring.stiffness * (1.0 - 2.0 * spring.rest_length / lengths));
    [elastic, both * (-spring.damping * rate.dot(both) / size)]
}

/// What δx₁ takes from the force of a spring (N/m), with its own turning as far as it stiffens: under pressure it would not.
fn tangent(spring: &AnchorSpring, [x0, x1]: [DVec3; 2], dt: f64) -> DMat3 {
    let (d0, d1) = (x0 - spring.to, x1 - spring.to);
    let (lengths, along) = (d0.mag() + d1.mag(), try_normalized(d0 + d1));
    let (half, damping) = (0.5 * spring.stiffness, spring.damping / dt);
    let (Some(u), true) = (along, spring.rest_length > 0.0) else {
        return scale(&DMat3::identity(), half + damping);
    };
    let across = half * (1.0 - 2.0 * spring.rest_length / lengths).max(0.0);
    add(&scale(&DMat3::identity(), across), &outer(u * (half - across + damping), u))
}

/// Where an iteration stands: goes on while it comes nearer.
struct Progress {
    best: f64,
    left: u32,
}

impl Progress {
    fn new() -> Self {
        Self { best: f64::INFINITY, left: ITERATIONS }
    }

    /// `size` of the last change, against that of what is sought.
    fn goes_on(&mut self, size: f64, of: f64) -> bool {
        self.left -= 1;
        let rounded = size <= 4.0 * f64::EPSILON * of && size >= self.best;
        self.best = self.best.min(size);
        self.left > 0 && size > 0.0 && size.is_finite() && !rounded
    }
}

/// The impulses on a loose vertex whose velocity without them is `free` (m/s), and which moves by the mean velocity.
pub(crate) fn hold_node(
    forces_on: &ExternalForces,
    node: u32,
    nodes: NodeDofsView<'_>,
    dt: f64,
    free: DVec3,
    dampers: &mut Vec<DamperKick>,
) -> Held {
    let n = node as usize;
    let (x0, v0, m) = (nodes.x[n], nodes.v[n], nodes.mass[n]);
    let springs = || forces_on.anchors.iter().filter(|s| s.node == Some(node));
    let mut held = Held::default();
    let mut progress = Progress::new();
    loop {
        let v1 = free + held.impulse / m;
        let x = [x0, x0 + (v0 + v1) * (0.5 * dt)];
        let pull = springs().fold(DVec3::zero(), |sum, s| {
            let [elastic, damping] = forces(s, x, dt);
            sum + (elastic + damping) * dt
        });
        // What a change of the impulse takes from that of the springs, at most.
        let answer =
            springs().fold(DMat3::identity(), |a, s| add(&a, &scale(&tangent(s, x, dt), 0.5 * dt * dt / m)));
        let change = inverse(&answer).unwrap_or(DMat3::identity()) * (pull - held.impulse);
        // Not the springs' own sum: where they are stiff that is a difference of large numbers.
        held.impulse += change;
        if progress.goes_on(change.mag(), held.impulse.mag() + m * v0.mag()) {
            continue;
        }
        for s in springs() {
            let impulse = forces(s, x, dt)[1] * dt;
            let point = (x[0] + x[1]) * 0.5;
            dampers.push(DamperKick { body: s.body, node: s.node, point, impulse });
        }
        return held;
    }
}

/// The impulses on rigid body `b`. `end` gives its velocity and angular momentum from the impulses, `moved` its pose from these.
pub(crate) fn hold_body(
    forces_on: &ExternalForces,
    b: usize,
    bodies: BodyDofsView<'_>,
    dt: f64,
    end: impl Fn(&Held) -> (DVec3, DVec3),
    moved: impl Fn((DVec3, DVec3)) -> Pose,
    dampers: &mut Vec<DamperKick>,
) -> Held {
    let springs = || forces_on.anchors.iter().filter(|s| s.node.is_none() && s.body as usize == b);
    let mut held = Held::default();
    if springs().next().is_none() {
        return held;
    }
    let (pose, m) = (bodies.pose[b], bodies.mass[b]);
    let (masses, inertia) = bodies.mobility[b].mass_matrix(m, &pose);
    let size = [m * bodies.velocity[b].mag(), bodies.angular_momentum[b].mag()];
    let mut progress = Progress::new();
    loop {
        let state = end(&held);
        let after = moved(state);
        let (mut wanted, mut kicks) = (Held::default(), Vec::new());
        // Of the springs with what an impulse moves in half a step: K, K [r]×, [r]× K [r]×.
        let zero = || scale(&DMat3::identity(), 0.0);
        let (mut k, mut kr, mut rkr) = (zero(), zero(), zero());
        for s in springs() {
            let x = [pose.point_to_world(s.arm), after.point_to_world(s.arm)];
            let arm = ((x[0] - pose.position) + (x[1] - after.position)) * 0.5;
            let [elastic, damping] = forces(s, x, dt);
            let impulse = (elastic + damping) * dt;
            wanted.impulse += impulse;
            wanted.moment += arm.cross(impulse);
            // Halfway, where the velocities of both ends are booked to second order.
            let point = (x[0] + x[1]) * 0.5;
            kicks.push(DamperKick { body: s.body, node: None, point, impulse: damping * dt });
            let stiff = scale(&tangent(s, x, dt), 0.5 * dt * dt);
            let r = skew(arm);
            k = add(&k, &stiff);
            kr = add(&kr, &(stiff * r));
            rkr = add(&rkr, &(r * stiff * r));
        }
        // Of both together, by the velocities that impulses give: (m + K) v − K[r]× w = dj and [r]×K v + (I − [r]×K[r]×) w = dl.
        let (dj, dl) = (wanted.impulse - held.impulse, wanted.moment - held.moment);
        let change = inverse(&sub(&inertia, &rkr)).and_then(|below| {
            // ([r]×K)ᵀ = −K[r]×.
            let rk = scale(&kr.transposed(), -1.0);
            let schur = add(&add(&diagonal(masses), &k), &(kr * below * rk));
            let v = inverse(&schur)? * (dj + kr * (below * dl));
            let w = below * (dl - rk * v);
            Some((v * masses, inertia * w))
        });
        let (dj, dl) = change.unwrap_or((dj, dl));
        held.impulse += dj;
        held.moment += dl;
        let of = [size[0] + held.impulse.mag(), size[1] + held.moment.mag()];
        let part = |change: f64, of: f64| if of > 0.0 { change / of } else { 0.0 };
        if progress.goes_on(part(dj.mag(), of[0]).max(part(dl.mag(), of[1])), 1.0) {
            continue;
        }
        dampers.extend(kicks);
        return held;
    }
}
