//! The momentum balance of a finished step, and the leak that the law of contact is known to have.

use crate::finished::{Evaluated, FinishedStep, acting_separation, other, separation, takes_wrench};
use crate::{Applied, BodyKind, Ledger, NONE, Wrench, par};
use impinge_geometry::{DVec3, Pose};

/// Bodies, and contacts, per block of a parallel loop.
const BODIES: usize = 64;
const CONTACTS: usize = 128;

/// Compares momenta computed from poses and velocities alone, before and after, with what is booked as given
/// from outside: external wrenches, and the reaction of every contact wrench on a body that does not move. The
/// bodies' own contact wrenches are not used, so a pair whose two sides differ shows.
pub(crate) fn momentum(step: &FinishedStep<'_>, leak: DVec3, ledger: &mut Ledger) {
    let m = &mut ledger.momentum;
    let (mut linear0, mut angular0) = (DVec3::zero(), DVec3::zero());
    let (mut given, mut torque) = (DVec3::zero(), DVec3::zero());
    let mut drift = DVec3::zero();
    let mut moved = |mass: f64, x: [DVec3; 2], v: [DVec3; 2], spin: [DVec3; 2]| {
        let p = [v[0] * mass, v[1] * mass];
        linear0 += p[0];
        m.linear += p[1];
        angular0 += x[0].cross(p[0]) + spin[0];
        m.angular += x[1].cross(p[1]) + spin[1];
        // What moving with another velocity than the final one leaks: zero for symplectic Euler.
        drift += (x[1] - x[0]).cross(p[1]);
        for k in 0..2 {
            m.linear_scale += p[k].mag();
            m.angular_scale += x[k].mag() * p[k].mag() + spin[k].mag();
        }
    };
    let bodies = &step.bodies;
    let spun = |b: usize| (bodies.kind[b] == BodyKind::Rigid).then(|| (b, spins(step, b)));
    par::in_order(bodies.len(), BODIES, spun, |rigid| {
        let Some((b, spins)) = rigid else { return };
        let (before, after) = (&bodies.pose[b], &step.advanced.pose[b]);
        moved(
            bodies.mass[b],
            [before.position, after.position],
            [bodies.velocity[b], step.advanced.velocity[b]],
            spins,
        );
    });
    for n in 0..step.nodes.len() {
        let (x, v) = ([step.nodes.x[n], step.advanced.node_x[n]], [step.nodes.v[n], step.advanced.node_v[n]]);
        moved(step.nodes.mass[n], x, v, [DVec3::zero(); 2]);
    }
    let mut book = |w: &Wrench, about: DVec3, sign: f64| {
        given += w.impulse * sign;
        torque += (w.moment + about.cross(w.impulse)) * sign;
        m.linear_scale += w.impulse.mag();
        m.angular_scale += w.moment.mag() + about.mag() * w.impulse.mag();
    };
    for b in 0..bodies.len() {
        let about = if bodies.kind[b].has_nodes() { DVec3::zero() } else { bodies.pose[b].position };
        if let Some(held) = step.advanced.elastic.held.get(b) {
            book(held, DVec3::zero(), 1.0);
        }
        if let Some(lock) = lock(step, b, &ledger.contact) {
            book(&lock, about, 1.0);
            let Wrench { impulse, moment } = lock;
            let moment = moment + about.cross(impulse);
            ledger.locks.push(Applied { body: b as u32, impulse, moment, work: 0.0 });
        }
        if bodies.kind[b].is_dynamic() {
            for term in [&step.external.gravity, &step.external.drag, &step.external.anchors] {
                book(&term[b], about, 1.0);
            }
            if let Some(pushed) = step.external.applied.get(b) {
                book(pushed, about, 1.0);
            }
        } else {
            book(&ledger.contact[b], about, -1.0);
        }
    }
    m.linear_residual = m.linear - linear0 - given;
    m.angular_residual = m.angular - angular0 - torque;
    m.predicted_leak = leak + drift + step.advanced.elastic.leak;
}

/// Angular momentum of a rigid body about its centre of mass at both ends of the step (kg m²/s).
fn spins(step: &FinishedStep<'_>, b: usize) -> [DVec3; 2] {
    let bodies = &step.bodies;
    let spin = |pose: &Pose, omega: DVec3| {
        let r = pose.matrix();
        r * (bodies.inertia[b] * (r.transposed() * omega))
    };
    let (before, after) = (&bodies.pose[b], &step.advanced.pose[b]);
    [spin(before, bodies.angular_velocity[b]), spin(after, step.advanced.angular_velocity[b])]
}

/// What the locks of a body did about its centre of mass: along locked axes against all that was given, about them what else its angular
/// momentum changed by. `None` of a body that none holds.
fn lock(step: &FinishedStep<'_>, b: usize, contact: &[Wrench]) -> Option<Wrench> {
    let mobility = &step.bodies.mobility[b];
    if step.bodies.kind[b] != BodyKind::Rigid || mobility.locked().is_empty() {
        return None;
    }
    let external = step.external;
    let mut given = contact[b];
    let terms = [external.gravity.get(b), external.drag.get(b), external.anchors.get(b)];
    let more = [external.applied.get(b), step.advanced.elastic.tied.get(b)];
    terms.into_iter().chain(more).flatten().for_each(|w| given += *w);
    let [before, after] = spins(step, b);
    let impulse = mobility.lock_impulse(given.impulse);
    Some(Wrench { impulse, moment: mobility.lock_moment(after - before, given.moment) })
}

/// The moment the contacts of this step are known to leak: `−Δt Σ v*ᵢ × Iᵢ` of normal forces computed at the
/// predicted end and applied at the start (ACCEPTANCE B55, with `Δt v* = x1 − x0`), of forces integrated on the way the moment of
/// the sum about the start (ERRATA C14), and the couple of friction
/// on loose vertices, which take no couple back.
pub(crate) fn leak(step: &FinishedStep<'_>) -> DVec3 {
    let mut leak = DVec3::zero();
    let (contacts, im) = step.decided.mesh;
    // Of friction, and of the normal force.
    let terms = |i: usize| {
        let first = step.map.body_of(contacts.stencil[i][0]);
        let second = other(&step.pairs, contacts.pair[i], first);
        let d0 = acting_separation(step, &contacts, i);
        let loose = !(takes_wrench(step.map, first) && takes_wrench(step.map, second));
        let rubbed = if loose { d0.cross(im.friction[i]) } else { DVec3::zero() };
        let pressed = match step.evaluated {
            Evaluated::Start => DVec3::zero(),
            Evaluated::End => (d0 - separation(step, &contacts, i, true)).cross(im.normal[i]),
            Evaluated::Path | Evaluated::Mean => d0.cross(im.normal[i]),
        };
        [rubbed, pressed]
    };
    let mut i = 0;
    par::in_order(contacts.len(), CONTACTS, terms, |[rubbed, pressed]| {
        leak += rubbed;
        leak += pressed;
        if let Some(bend) = step.decided.bend_of(i) {
            let at = |k: usize| {
                let v = contacts.stencil[i][k] as usize;
                (step.surface.x0[v] + step.surface.x1[v]) * 0.5
            };
            for k in (1..4).filter(|&k| contacts.stencil[i][k] != NONE) {
                leak += (at(k) - at(0)).cross(bend[k]);
            }
        }
        i += 1;
    });
    let patches = step.decided.patches.rows;
    for i in 0..patches.len() {
        // What both sides of a patch get about one point: nothing, unless the response lets a torque stand (friction on two surfaces).
        leak += patches.row(i).total(0).moment + patches.row(i).total(1).moment;
    }
    if step.evaluated == Evaluated::Mean { leak - booked_late(step) } else { leak }
}

/// Moment of the contact impulses on moving bodies about where these are halfway, less that about where they were: the drift counts it,
/// but impulses of [`Evaluated::Mean`] act halfway.
fn booked_late(step: &FinishedStep<'_>) -> DVec3 {
    let mut late = DVec3::zero();
    let way = |v: u32| {
        let b = step.map.body_of(v) as usize;
        match step.bodies.kind[b] {
            BodyKind::Rigid => step.advanced.pose[b].position - step.bodies.pose[b].position,
            BodyKind::Particles | BodyKind::Deformable => {
                step.surface.x1[v as usize] - step.surface.x0[v as usize]
            }
            BodyKind::Fixed | BodyKind::Kinematic => DVec3::zero(),
        }
    };
    let (contacts, im) = step.decided.mesh;
    for i in 0..contacts.len() {
        let total = im.normal[i] + im.friction[i];
        for k in (0..4).filter(|&k| contacts.stencil[i][k] != NONE) {
            let bend = step.decided.bend_of(i).map_or(DVec3::zero(), |b| b[k]);
            late += way(contacts.stencil[i][k]).cross(total * contacts.weight[i][k] + bend) * 0.5;
        }
    }
    let (planes, im) = step.decided.plane;
    for i in 0..planes.len() {
        late += way(planes.vertex[i]).cross(im.normal[i] + im.friction[i]) * 0.5;
    }
    late
}
