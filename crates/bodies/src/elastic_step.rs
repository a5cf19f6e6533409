//! Deformables in the step: pooled nodes to the elastic system and back.

use crate::displaced::put;
use crate::elastic::{Elastic, Operator};
use crate::error::ContactError;
use crate::tables::Dofs;
use impinge_contact::{Advanced, Loads, Prediction, SurfaceMap, Wrench};
use impinge_elasticity::closest_rotation;
use impinge_geometry::{DMat3, DRotor3, DVec3, Pose, outer};
use impinge_integrators::{Scheme, StepInput, cayley, drift};

/// The frame of each deformable with nodes at `x`: centre of mass and the rotation closest to its motion from rest. Friction
/// anchors on its surface ride on it.
pub fn frames(elastic: &Elastic, x: &[DVec3], mass: &[f64], pose: &mut [Pose]) {
    for (b, &slot) in elastic.slots.iter().enumerate() {
        pose[slot as usize] = frame(elastic, b, x, mass);
    }
}

/// The same of one of them, by its place among the deformables.
#[must_use]
pub fn frame(elastic: &Elastic, b: usize, x: &[DVec3], mass: &[f64]) -> Pose {
    let (mut sum, mut total) = (DVec3::zero(), 0.0);
    let range = elastic.system.range(b);
    for i in range.clone() {
        let n = elastic.nodes[i] as usize;
        sum += x[n] * mass[n];
        total += mass[n];
    }
    let center = sum / total;
    let mut moments = DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero());
    for i in range {
        let n = elastic.nodes[i] as usize;
        moments += outer((x[n] - center) * mass[n], elastic.rest[i]);
    }
    Pose { position: center, rotation: rotor(&closest_rotation(&moments)) }
}

/// A rotation matrix as a rotor, by its largest component (Shepperd).
fn rotor(r: &DMat3) -> DRotor3 {
    let [a, b, c] = r.cols;
    let t = [a.x + b.y + c.z, a.x - b.y - c.z, b.y - a.x - c.z, c.z - a.x - b.y];
    let k = (1..4).fold(0, |k, i| if t[i] > t[k] { i } else { k });
    // Quaternion (w, x, y, z).
    let s = 0.5 / (1.0 + t[k]).max(1e-12).sqrt();
    let big = 0.25 / s;
    let q = match k {
        0 => [big, (b.z - c.y) * s, (c.x - a.z) * s, (a.y - b.x) * s],
        1 => [(b.z - c.y) * s, big, (a.y + b.x) * s, (c.x + a.z) * s],
        2 => [(c.x - a.z) * s, (a.y + b.x) * s, big, (b.z + c.y) * s],
        _ => [(a.y - b.x) * s, (c.x + a.z) * s, (b.z + c.y) * s, big],
    };
    let mut rotor = DRotor3::identity();
    rotor.s = q[0];
    (rotor.bv.yz, rotor.bv.xz, rotor.bv.xy) = (-q[1], q[2], -q[3]);
    rotor.normalized()
}

/// Solves the step without contact; overwrites the nodes of deformables and the bodies they are tied to.
pub fn predict(
    scheme: Scheme,
    dt: f64,
    elastic: &Elastic,
    dofs: &Dofs,
    guess: &[DVec3],
    op: &mut Operator,
    prediction: &mut Prediction,
) -> Result<(), ContactError> {
    let system = &elastic.system;
    if system.is_empty() {
        return Ok(());
    }
    let pick = |from: &[DVec3], to: &mut Vec<DVec3>| {
        to.clear();
        to.extend(elastic.nodes.iter().filter_map(|&n| from.get(n as usize).copied()));
    };
    pick(&dofs.nodes.x, &mut op.x);
    pick(&dofs.nodes.v, &mut op.v);
    pick(&prediction.node_v, &mut op.free);
    pick(guess, &mut op.guess);
    let input = StepInput {
        dt,
        scheme,
        x: &op.x,
        v: &op.v,
        free: &op.free,
        guess: &op.guess,
        bodies: dofs.bodies.view(),
        prediction,
    };
    op.predicted = op.operator.predict(system, &input, &elastic.settings)?;
    let (v, x) = (&mut prediction.node_v, &mut prediction.node_x);
    for (i, &n) in elastic.nodes.iter().enumerate() {
        v[n as usize] = op.operator.velocity(system, i);
        x[n as usize] = op.operator.position(system, i);
    }
    for r in 0..system.rigid().len() {
        let moved = tied(scheme, elastic, dofs, op, r, dt);
        let b = system.rigid()[r] as usize;
        (prediction.velocity[b], prediction.angular_momentum[b], prediction.pose[b]) = moved;
    }
    frames(elastic, &prediction.node_x, &dofs.nodes.mass, &mut prediction.pose);
    Ok(())
}

/// Velocity, angular momentum and pose of a tied rigid body as the system has them.
fn tied(
    scheme: Scheme,
    elastic: &Elastic,
    dofs: &Dofs,
    op: &Operator,
    r: usize,
    dt: f64,
) -> (DVec3, DVec3, Pose) {
    let (system, bodies) = (&elastic.system, &dofs.bodies);
    let b = system.rigid()[r] as usize;
    let (linear, angular) = (system.layout().linear(r) as usize, system.layout().angular(r) as usize);
    let mobility = &bodies.mobility[b];
    let inertia = impinge_integrators::world_inertia(&bodies.pose[b], mobility.inertia());
    let spin = |spin: DVec3| mobility.angular(spin);
    let v = mobility.linear(op.operator.velocity(system, linear));
    let l = inertia * spin(op.operator.velocity(system, angular));
    let (by, turning) = (op.operator.moving_velocity(linear), spin(op.operator.moving_velocity(angular)));
    let by = mobility.linear(by);
    if scheme == Scheme::ImplicitMidpoint {
        // As other bodies, by the mean spin; the system's inertia is that of the start, so energy is kept to second order.
        let turn = cayley(turning * dt);
        let pose = &bodies.pose[b];
        let rotation = (turn * pose.rotation).normalized();
        return (v, l, Pose { position: pose.position + by * dt, rotation });
    }
    (v, l, drift(&bodies.pose[b], by, inertia * turning, mobility, dt))
}

/// Answers contact through the operator and closes the books of the deformables.
pub fn advance(
    scheme: Scheme,
    dt: f64,
    map: &SurfaceMap,
    elastic: &Elastic,
    dofs: &Dofs,
    prediction: &Prediction,
    loads: &Loads,
    op: &mut Operator,
    advanced: &mut Advanced,
) -> Result<(), ContactError> {
    let system = &elastic.system;
    if system.is_empty() {
        return Ok(());
    }
    op.node_loads.clear();
    map.carry_to_nodes(loads, &mut op.node_loads);
    op.impulse.clear();
    op.impulse.extend(elastic.nodes.iter().map(|&n| op.node_loads.impulse[n as usize]));
    for &b in system.rigid() {
        let w = loads.wrench[b as usize];
        op.impulse.extend([w.impulse, w.moment]);
    }
    op.responded = op.operator.respond(system, &op.impulse, &elastic.settings)?;
    for (i, &n) in elastic.nodes.iter().enumerate() {
        advanced.node_v[n as usize] = op.operator.velocity(system, i);
        advanced.node_x[n as usize] = op.operator.position(system, i);
    }
    for r in 0..system.rigid().len() {
        let b = system.rigid()[r] as usize;
        let (v, l, pose) = tied(scheme, elastic, dofs, op, r, dt);
        advanced.velocity[b] = v;
        advanced.angular_momentum[b] = l;
        put(dofs, b, pose, advanced);
    }
    for &slot in &elastic.slots {
        advanced.pose[slot as usize] = prediction.pose[slot as usize];
    }
    op.operator.books(system, &op.impulse, &mut op.books);
    let (books, out) = (&op.books, &mut advanced.elastic);
    out.held.clear();
    out.held.resize(dofs.bodies.len(), Wrench::default());
    for (i, &n) in elastic.nodes.iter().enumerate() {
        let (n, impulse) = (n as usize, books.held[i]);
        out.held[dofs.nodes.body[n] as usize] += Wrench { impulse, moment: dofs.nodes.x[n].cross(impulse) };
    }
    out.tied.clear();
    out.tied.resize(dofs.bodies.len(), Wrench::default());
    for (&b, &[impulse, moment]) in system.rigid().iter().zip(&books.tied) {
        out.tied[b as usize] = Wrench { impulse, moment };
    }
    (out.work, out.work_held, out.work_drag) = (books.work_elastic, books.work_held, books.work_drag);
    (out.energy, out.leak) = (books.energy, books.leak);
    Ok(())
}
