//! Symplectic and explicit Euler for rigid bodies and free vertices: predict, then advance.
//!
//! `predict` applies external forces: `v* = v + Δt f/m` (erratum C3: contact corrects `v*`, it does not
//! replace it). `advance` adds the contact impulses and moves. Symplectic Euler moves with the new velocity,
//! explicit Euler with the old one. Drag is taken at the new velocity, so it is stable for any coefficient: bodies come with the mass that it
//! adds ([`crate::Dragged`]). Anchor springs are taken where the step begins, by the midpoint rule between its ends.

use crate::anchored::{Held, hold_body, hold_node};
use crate::forces::{AnchorSpring, ExternalForces};
use crate::locked::locked_rotation;
use crate::midpoint::mean_motion;
use crate::rotation::free_rotation;
use impinge_contact::{
    Actuated, ActuatorWork, Advanced, BodyDofsView, BodyKind, Couple, DamperKick, External, Loads, Mobility,
    NodeDofsView, Prediction, Push, SurfaceMap, Wrench, par, sums::ordered_sum,
};
use impinge_geometry::{DMat3, DVec3, Pose};

/// Rigid bodies per block of a parallel loop.
const CHUNK: usize = 32;

/// Time integration scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// `x₁ = x₀ + Δt v₁`. First order, keeps a bounded energy error; stable for `Δt < 2 √(m/k)`.
    #[default]
    SymplecticEuler,
    /// `x₁ = x₀ + Δt v₀`. First order, gains energy in every oscillation; for comparison.
    ExplicitEuler,
    /// Deformables by implicit Euler, linearised: one linear solve a step (seed 001 (1), seed 002 (1)–(3)). Rigid bodies and
    /// free vertices, which have no inner stiffness, move as by [`Scheme::SymplecticEuler`]; so below.
    ImplicitEuler,
    /// The same with Newton's method and line search to the end.
    ImplicitEulerNewton,
    /// Deformables by the implicit midpoint rule with Newton's method: second order, no numerical damping. Rigid bodies and free vertices
    /// move by the mean velocity and the mean spin ([`mean_motion`](crate::mean_motion)); a body that turns by more than two radians a step
    /// drifts as by [`Scheme::SymplecticEuler`].
    ImplicitMidpoint,
}

impl Scheme {
    /// Deformables need a solve.
    #[must_use]
    pub fn is_implicit(self) -> bool {
        matches!(self, Self::ImplicitEuler | Self::ImplicitEulerNewton | Self::ImplicitMidpoint)
    }

    /// Time (s) over which velocities of rigid bodies at the start of a step of `dt` (s) are the mean. It begins there, or ends there where it is negative.
    #[must_use]
    pub fn mean_over(self, dt: f64) -> f64 {
        match self {
            Self::SymplecticEuler | Self::ImplicitEuler | Self::ImplicitEulerNewton => -dt,
            Self::ImplicitMidpoint => 0.0,
            Self::ExplicitEuler => dt,
        }
    }

    /// The name in scene files and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SymplecticEuler => "symplectic-euler",
            Self::ExplicitEuler => "explicit-euler",
            Self::ImplicitEuler => "implicit-euler",
            Self::ImplicitEulerNewton => "implicit-euler-newton",
            Self::ImplicitMidpoint => "implicit-midpoint",
        }
    }
}

/// World inertia `R J Rᵀ` of a body (kg m²).
#[must_use]
pub fn world_inertia(pose: &Pose, body_inertia: &DMat3) -> DMat3 {
    let r = pose.matrix();
    r * *body_inertia * r.transposed()
}

/// Where a body is after `dt` with this velocity and angular momentum (m/s; kg m²/s about its centre of mass, world axes) and no
/// torque. It stays where it is on locked axes.
#[must_use]
pub fn drift(pose: &Pose, velocity: DVec3, angular_momentum: DVec3, mobility: &Mobility, dt: f64) -> Pose {
    let rotation = if mobility.locked().rotates() {
        locked_rotation(pose.rotation, angular_momentum, mobility, dt)
    } else {
        free_rotation(pose.rotation, angular_momentum, mobility.inverse_inertia(), dt)
    };
    Pose { position: pose.position + mobility.linear(velocity) * dt, rotation }
}

/// The velocity that positions move by.
fn moving(scheme: Scheme, before: DVec3, after: DVec3) -> DVec3 {
    match scheme {
        Scheme::ExplicitEuler => before,
        Scheme::ImplicitMidpoint => (before + after) * 0.5,
        _ => after,
    }
}

/// Where a rigid body goes with this velocity and angular momentum at the end of the step.
pub(crate) fn moved(
    scheme: Scheme,
    bodies: BodyDofsView<'_>,
    b: usize,
    (v1, l1): (DVec3, DVec3),
    dt: f64,
) -> Pose {
    let (pose, v0, l0) = (&bodies.pose[b], bodies.velocity[b], bodies.angular_momentum[b]);
    let mobility = &bodies.mobility[b];
    let mean = (scheme == Scheme::ImplicitMidpoint)
        .then(|| mean_motion(pose, [v0, v1], [l0, l1], mobility, dt))
        .flatten();
    let turning = if scheme == Scheme::ExplicitEuler { l0 } else { l1 };
    mean.unwrap_or_else(|| drift(pose, moving(scheme, v0, v1), turning, mobility, dt))
}

/// External forces to `v*` and the uncontacted end of the step. `target` gives the end pose of each
/// kinematic body. `external` receives what was applied, by term. Bodies and loose vertices with drag have the mass of [`crate::Dragged`], which books it when
/// the step is made; that of deformables is part of their system ([`crate::ElasticSystem::with_drag`]).
pub fn predict(
    scheme: Scheme,
    dt: f64,
    bodies: BodyDofsView<'_>,
    nodes: NodeDofsView<'_>,
    forces: &ExternalForces,
    target: impl Fn(usize) -> Pose,
    out: &mut Prediction,
    external: &mut External,
) {
    let n = bodies.len();
    external.reset(n);
    // By the midpoint rule springs are solved with what they hold, but on deformables, which are solved later.
    let solved = |spring: &AnchorSpring| {
        let free = matches!(bodies.kind[spring.body as usize], BodyKind::Rigid | BodyKind::Particles);
        scheme == Scheme::ImplicitMidpoint && free
    };
    for spring in forces.anchors.iter().filter(|s| !solved(s)) {
        let (x, v) = spring.attachment(bodies, nodes);
        let impulse = spring.force(x, v) * dt;
        let b = spring.body as usize;
        // About the centre of mass for rigid bodies, about the world origin for nodes.
        let arm = if spring.node.is_some() { x } else { x - bodies.pose[b].position };
        external.anchors[b] += Wrench { impulse, moment: arm.cross(impulse) };
    }
    push(dt, bodies, nodes, &forces.pushes, external);
    actuate(scheme, dt, bodies, &forces.actuators, external);
    turn(bodies, &forces.couples, external);
    out.velocity.clear();
    out.angular_momentum.clear();
    out.pose.clear();
    for b in 0..n {
        let (v0, l0, pose) = (bodies.velocity[b], bodies.angular_momentum[b], bodies.pose[b]);
        match bodies.kind[b] {
            BodyKind::Rigid => {
                let (m, mobility) = (bodies.mass[b], &bodies.mobility[b]);
                let [slowing, own] = dragged(&forces.linear_drag, b, m, dt);
                let weight = forces.gravity * (m * own * dt);
                let ca = forces.angular_drag.get(b).copied().unwrap_or(0.0);
                let braked = l0 - bodies.angular_velocity[b] * (ca * dt);
                let pulled = |impulse: DVec3, moment: DVec3| {
                    // In velocities, not momenta: multiplying by the mass and dividing again costs a rounding.
                    let unheld = v0 - v0 * slowing + forces.gravity * (own * dt);
                    let (mut free, mut kicked) = (unheld + impulse / m, braked + moment);
                    if let Some(pushed) = external.applied.get(b) {
                        free += pushed.impulse / m;
                        kicked += pushed.moment;
                    }
                    if let Some(turned) = external.turned.get(b) {
                        kicked += *turned;
                    }
                    // What locks hold is no velocity.
                    (mobility.linear(free), kicked)
                };
                if scheme == Scheme::ImplicitMidpoint {
                    let end = |h: &Held| pulled(h.impulse, h.moment);
                    let go = |state| moved(scheme, bodies, b, state, dt);
                    let held = hold_body(forces, b, bodies, dt, end, go, &mut external.dampers);
                    external.anchors[b] = Wrench { impulse: held.impulse, moment: held.moment };
                }
                let pull = external.anchors[b];
                let (v1, l1) = pulled(pull.impulse, pull.moment);
                external.gravity[b].impulse = weight;
                out.velocity.push(v1);
                out.angular_momentum.push(l1);
                // It goes there below.
                out.pose.push(pose);
            }
            BodyKind::Kinematic => {
                out.velocity.push(v0);
                out.angular_momentum.push(l0);
                out.pose.push(target(b));
            }
            BodyKind::Fixed | BodyKind::Particles | BodyKind::Deformable => {
                out.velocity.push(DVec3::zero());
                out.angular_momentum.push(DVec3::zero());
                out.pose.push(pose);
            }
        }
    }
    let (velocity, momentum) = (&out.velocity, &out.angular_momentum);
    par::fill(&mut out.pose, CHUNK, |b, pose| {
        if bodies.kind[b] == BodyKind::Rigid {
            *pose = moved(scheme, bodies, b, (velocity[b], momentum[b]), dt);
        }
    });
    predict_nodes(scheme, dt, nodes, bodies, forces, out, external, &solved);
    for spring in forces.anchors.iter().filter(|s| !solved(s)) {
        let (point, v) = spring.attachment(bodies, nodes);
        let impulse = spring.damping_force(point, v) * dt;
        external.dampers.push(DamperKick { body: spring.body, node: spring.node, point, impulse });
    }
}

/// The parts of a mass `m` (kg) that drag adds in a step, which it slows by, and that is the body's own.
fn dragged(drag: &[f64], body: usize, m: f64, dt: f64) -> [f64; 2] {
    let slowing = drag.get(body).map_or(0.0, |c| c * dt / m);
    [slowing, 1.0 - slowing]
}

/// The impulses of pushes in a step of `dt` (s). A push without a node gives all nodes of a body one acceleration.
fn push(
    dt: f64,
    bodies: BodyDofsView<'_>,
    nodes: NodeDofsView<'_>,
    pushes: &[Push],
    external: &mut External,
) {
    if pushes.is_empty() {
        return;
    }
    external.applied.resize(bodies.len(), Wrench::default());
    for p in pushes {
        let b = p.body as usize;
        let Wrench { impulse, moment } = p.wrench;
        if !bodies.kind[b].has_nodes() {
            external.applied[b] += Wrench { impulse: impulse * dt, moment: moment * dt };
            continue;
        }
        external.node_applied.resize(nodes.len(), DVec3::zero());
        // Nodes come in the order of their bodies.
        let first = nodes.body.partition_point(|s| *s < p.body);
        let own = first..first + nodes.body[first..].partition_point(|s| *s == p.body);
        let pushed = p.node.map_or(own, |n| first + n as usize..first + n as usize + 1);
        let mass = ordered_sum(pushed.len(), |i| nodes.mass[pushed.start + i]);
        for n in pushed {
            let share = impulse * (dt * nodes.mass[n] / mass);
            external.node_applied[n] += share;
            external.applied[b] += Wrench { impulse: share, moment: nodes.x[n].cross(share) };
        }
    }
}

/// Rolling and spinning friction.
fn turn(bodies: BodyDofsView<'_>, couples: &[Couple], external: &mut External) {
    if couples.is_empty() {
        return;
    }
    external.turned.resize(bodies.len(), DVec3::zero());
    for c in couples {
        external.turned[c.a as usize] += c.moment;
        external.turned[c.b as usize] -= c.moment;
    }
}

/// The impulses of actuators in a step of `dt` (s).
fn actuate(
    scheme: Scheme,
    dt: f64,
    bodies: BodyDofsView<'_>,
    actuators: &[Actuated],
    external: &mut External,
) {
    if actuators.is_empty() {
        return;
    }
    external.applied.resize(bodies.len(), Wrench::default());
    for a in actuators {
        let (b, axis) = (a.body as usize, a.actuator.axis);
        let along = axis.direction();
        let v = along.dot(if axis.turns() { bodies.angular_velocity[b] } else { bodies.velocity[b] });
        // Halfway by what it has: with positions that move by the mean velocity this is leapfrog.
        let ahead = if scheme == Scheme::ImplicitMidpoint { 0.5 * dt * v } else { 0.0 };
        let impulse = a.actuator.force_at(a.position(&bodies.pose[b]) + ahead, v) * dt;
        let (still, given) = (DVec3::zero(), along * impulse);
        let [impulse_of, moment] = if axis.turns() { [still, given] } else { [given, still] };
        external.applied[b] += Wrench { impulse: impulse_of, moment };
        external.actuators.push(ActuatorWork { body: a.body, axis, impulse, work: 0.0 });
    }
}

fn predict_nodes(
    scheme: Scheme,
    dt: f64,
    nodes: NodeDofsView<'_>,
    bodies: BodyDofsView<'_>,
    forces: &ExternalForces,
    out: &mut Prediction,
    external: &mut External,
    solved: &impl Fn(&AnchorSpring) -> bool,
) {
    out.node_v.clear();
    out.node_x.clear();
    let mut held: Vec<u32> = Vec::new();
    let drag = |n: usize| {
        let b = nodes.body[n] as usize;
        let loose = bodies.kind[b] == BodyKind::Particles;
        if loose { dragged(&forces.linear_drag, b, nodes.mass[n], dt) } else { [0.0, 1.0] }
    };
    let unheld = |n: usize| {
        let [slowing, own] = drag(n);
        nodes.v[n] - nodes.v[n] * slowing + forces.gravity * (own * dt)
    };
    out.node_v.extend((0..nodes.len()).map(unheld));
    for (n, impulse) in external.node_applied.iter().enumerate() {
        out.node_v[n] += *impulse / nodes.mass[n];
    }
    for spring in &forces.anchors {
        if let Some(n) = spring.node {
            if solved(spring) {
                held.push(n);
                continue;
            }
            let (x, v) = spring.attachment(bodies, nodes);
            out.node_v[n as usize] += spring.force(x, v) * (dt / nodes.mass[n as usize]);
        }
    }
    held.sort_unstable();
    held.dedup();
    for node in held {
        let n = node as usize;
        let (m, b) = (nodes.mass[n], nodes.body[n] as usize);
        let pull = hold_node(forces, node, nodes, dt, unheld(n), &mut external.dampers);
        out.node_v[n] += pull.impulse / m;
        external.anchors[b] += Wrench { impulse: pull.impulse, moment: nodes.x[n].cross(pull.impulse) };
    }
    for n in 0..nodes.len() {
        let (m, b, x0) = (nodes.mass[n], nodes.body[n] as usize, nodes.x[n]);
        let weight = forces.gravity * (m * drag(n)[1] * dt);
        external.gravity[b] += Wrench { impulse: weight, moment: x0.cross(weight) };
        let v1 = out.node_v[n];
        out.node_x.push(x0 + moving(scheme, nodes.v[n], v1) * dt);
    }
}

/// Adds the contact loads and moves. `loads.wrench` must hold the bodies' wrenches (see
/// [`impinge_contact::apply`]); node impulses are read from the surface vertices.
pub fn advance(
    scheme: Scheme,
    dt: f64,
    map: &SurfaceMap,
    bodies: BodyDofsView<'_>,
    nodes: NodeDofsView<'_>,
    prediction: &Prediction,
    loads: &Loads,
    out: &mut Advanced,
) {
    out.velocity.clear();
    out.angular_velocity.clear();
    out.angular_momentum.clear();
    out.pose.clear();
    let one = |b: usize| {
        if bodies.kind[b] != BodyKind::Rigid {
            return (
                bodies.velocity[b],
                bodies.angular_velocity[b],
                bodies.angular_momentum[b],
                prediction.pose[b],
            );
        }
        let w = loads.wrench[b];
        let mobility = &bodies.mobility[b];
        let v1 = mobility.linear(prediction.velocity[b] + w.impulse / bodies.mass[b]);
        let l1 = prediction.angular_momentum[b] + w.moment;
        let untouched = w == Wrench::default();
        let p1 = match scheme {
            // The prediction already is the drift of an untouched body, or of explicit Euler.
            _ if scheme != Scheme::ExplicitEuler && !untouched => moved(scheme, bodies, b, (v1, l1), dt),
            _ => prediction.pose[b],
        };
        let r = p1.matrix();
        let spin = mobility.spin(&r, l1);
        (v1, spin, mobility.momentum(&r, spin, l1), p1)
    };
    par::in_order(bodies.len(), CHUNK, one, |(v1, spin, l1, p1)| {
        out.velocity.push(v1);
        out.angular_velocity.push(spin);
        out.angular_momentum.push(l1);
        out.pose.push(p1);
    });
    out.node_v.clear();
    out.node_x.clear();
    out.node_v.extend_from_slice(&prediction.node_v);
    out.node_x.extend_from_slice(&prediction.node_x);
    for &v in loads.touched() {
        let b = map.body_of(v) as usize;
        if let impinge_contact::Attachment::Nodes { first_node } = map.attachment(b) {
            let n = first_node as usize + (v - map.first(b)) as usize;
            let v1 = prediction.node_v[n] + loads.impulse[v as usize] / nodes.mass[n];
            out.node_v[n] = v1;
            if scheme != Scheme::ExplicitEuler {
                out.node_x[n] = nodes.x[n] + moving(scheme, nodes.v[n], v1) * dt;
            }
        }
    }
}
