//! Energy by term, work of each pair, and the momentum balance of a finished step.
//!
//! All impulses `I` of a step together change the kinetic energy by exactly `Σ I · (u₀ + u₁)/2`, with `u` the velocity of the material
//! points that each acts on, at the start and the end of the step, seen through the same Jacobian that carried the impulse up; the drift
//! that follows keeps it. Each is booked with that mean, so the works of contacts, of prescribed bodies, of inner and of external forces add
//! up to the change of kinetic energy to rounding, and what rests or is carried along is worked on by nothing, however large the impulses
//! are that cancel. (Booked one after the other, contact with the mean of the velocities before and after it, a floor took ½ m g² Δt² a step
//! from a box that rests on it, and a squeezed soft block was worked on for ever.)

use crate::finished::{Evaluated, FinishedStep, acting_separation, other, takes_wrench};
use crate::momentum::{leak, momentum};
use crate::pushed::pushes;
use crate::sums::ordered_sum;
use crate::{BodyKind, ContactsView, Couple, Ledger, NONE, PairEntry, PairLedger, Wrench, first_point, par};
use impinge_geometry::{DVec3, Pose, try_normalized};
use std::ops::Range;

/// Scratch of [`balance`]; dropping it changes nothing.
#[derive(Clone, Debug, Default)]
pub struct BalanceWorkspace {
    /// Where the contacts of each row of the ledger begin: of meshes, of planes, of patches; one more than there are rows.
    starts: Vec<[usize; 3]>,
}

/// Pairs of bodies, and contacts, per block of a parallel loop.
const PAIRS: usize = 32;

/// Fills the works, the kinetic terms and the momentum balance of the ledger. Potential terms of external
/// forces are the caller's to add: they belong to positions, not to this step.
pub fn balance(step: &FinishedStep<'_>, ledger: &mut Ledger, ws: &mut BalanceWorkspace) {
    book_couples(step.couples, ledger);
    works(step, ledger, ws);
    works_of_motion(step, ledger);
    work_driven(step, &ledger.contact, &mut ledger.energy.work_driven);
    energies(step, ledger);
    momentum(step, leak(step), ledger);
}

/// As [`balance`], of a step in which several responses acted, each on pairs of its own: `steps` and `parts` are what each found, decided and
/// booked ([`crate::apply`]). Fills the works of the parts and all of `total`, which gets their rows in pair order.
///
/// The steps differ in surface, pairs, decisions and the time these were made for; motion and external forces are the same in all.
pub fn balance_parts(
    steps: &[FinishedStep<'_>],
    parts: &mut [&mut Ledger],
    total: &mut Ledger,
    ws: &mut BalanceWorkspace,
) {
    // Chords are the motion of a step by the midpoint rule, whoever asks.
    let Some(whole) = steps.iter().find(|s| s.evaluated == Evaluated::Mean).or(steps.first()) else { return };
    total.reset(whole.bodies.len());
    let mut rows = Vec::new();
    let mut leaks = DVec3::zero();
    for (k, (step, part)) in steps.iter().zip(parts.iter_mut()).enumerate() {
        book_couples(step.couples, part);
        works(step, part, ws);
        leaks += leak(step);
        rows.extend((0..part.pairs.len()).map(|i| (part.pairs.a[i], part.pairs.b[i], k, i)));
        for (sum, w) in total.contact.iter_mut().zip(&part.contact) {
            *sum += *w;
        }
        let (sum, own) = (&mut total.energy, &part.energy);
        sum.work_normal += own.work_normal;
        sum.work_friction += own.work_friction;
        sum.work_corrections += own.work_corrections;
        // Of belts; that of drivers follows.
        sum.work_driven += own.work_driven;
        sum.contact += own.contact;
        sum.handed += own.handed;
    }
    rows.sort_unstable();
    for (_, _, k, i) in rows {
        total.pairs.push(parts[k].pairs.row(i));
    }
    works_of_motion(whole, total);
    for (step, part) in steps.iter().zip(parts) {
        work_driven(step, &part.contact, &mut total.energy.work_driven);
    }
    energies(whole, total);
    momentum(whole, leaks, total);
}

/// Couples are contact moments of their pairs. A pair that parted in this step still has the one of its last normal force.
fn book_couples(couples: &[Couple], ledger: &mut Ledger) {
    if couples.is_empty() {
        return;
    }
    let mut rows: Vec<PairEntry> = (0..ledger.pairs.len()).map(|i| ledger.pairs.row(i)).collect();
    for c in couples.iter().filter(|c| c.moment != DVec3::zero()) {
        let at = rows.binary_search_by_key(&(c.a, c.b), |r| (r.a, r.b)).unwrap_or_else(|at| {
            rows.insert(at, PairEntry { a: c.a, b: c.b, ..PairEntry::default() });
            at
        });
        rows[at].moment += c.moment;
        for (slot, moment) in [(c.a, c.moment), (c.b, -c.moment)] {
            ledger.contact[slot as usize] += Wrench { impulse: DVec3::zero(), moment };
        }
    }
    ledger.pairs.clear();
    rows.into_iter().for_each(|row| ledger.pairs.push(row));
}

/// Velocity of surface vertex `v` at the start or the end of the step, through `S` at the start.
struct Motion<'a> {
    step: &'a FinishedStep<'a>,
    end: bool,
    /// The bodies of the pair that is booked, with their motion: its contacts ask for it again and again.
    known: [(usize, (DVec3, DVec3)); 2],
}

impl<'a> Motion<'a> {
    fn new(step: &'a FinishedStep<'a>, end: bool) -> Self {
        Self { step, end, known: [(usize::MAX, (DVec3::zero(), DVec3::zero())); 2] }
    }

    /// Of the bodies of one pair.
    fn of_pair(step: &'a FinishedStep<'a>, end: bool, pair: [u32; 2]) -> Self {
        let motion = Self::new(step, end);
        let known = pair.map(|b| (b as usize, motion.compute(b as usize)));
        Self { known, ..motion }
    }

    fn body(&self, b: usize) -> (DVec3, DVec3) {
        let [first, second] = &self.known;
        if first.0 == b {
            first.1
        } else if second.0 == b {
            second.1
        } else {
            self.compute(b)
        }
    }

    fn compute(&self, b: usize) -> (DVec3, DVec3) {
        let s = self.step;
        if s.evaluated == Evaluated::Mean {
            let (before, after) = (&s.bodies.pose[b], &s.advanced.pose[b]);
            return ((after.position - before.position) / s.dt, chord_spin(before, after) / s.dt);
        }
        if s.bodies.kind[b] != BodyKind::Rigid {
            return (s.bodies.velocity[b], s.bodies.angular_velocity[b]);
        }
        let (v, l) = if self.end {
            (s.advanced.velocity[b], s.advanced.angular_momentum[b])
        } else {
            (s.bodies.velocity[b], s.bodies.angular_momentum[b])
        };
        let r = s.bodies.pose[b].matrix();
        (v, s.bodies.mobility[b].spin(&r, l))
    }

    /// Velocity of the point of body `b` that is at `p` at the start of the step.
    fn at(&self, b: usize, p: DVec3) -> DVec3 {
        let (velocity, spin) = self.body(b);
        velocity + spin.cross(p - self.step.bodies.pose[b].position)
    }

    fn vertex(&self, v: u32) -> DVec3 {
        let s = self.step;
        if s.evaluated == Evaluated::Mean {
            return (s.surface.x1[v as usize] - s.surface.x0[v as usize]) / s.dt;
        }
        let b = s.map.body_of(v) as usize;
        let node_v = if self.end { &s.advanced.node_v[..] } else { s.nodes.v };
        s.map.at_nodes(v, node_v).unwrap_or_else(|| self.at(b, s.surface.x0[v as usize]))
    }
}

/// Velocity of a surface vertex at the start and at the end of the step.
#[inline]
fn both([first, last]: [&Motion<'_>; 2], vertex: u32) -> [DVec3; 2] {
    let s = first.step;
    let b = s.map.body_of(vertex) as usize;
    if s.evaluated == Evaluated::Mean || s.map.attachment(b).has_nodes() {
        return [first.vertex(vertex), last.vertex(vertex)];
    }
    let arm = s.surface.x0[vertex as usize] - s.bodies.pose[b].position;
    [first, last].map(|motion| {
        let (velocity, spin) = motion.body(b);
        velocity + spin.cross(arm)
    })
}

/// Mean relative velocity of the material points of mesh contact `i`.
fn mean_relative(ends: [&Motion<'_>; 2], c: &ContactsView<'_>, i: usize) -> DVec3 {
    let (mut before, mut after) = (DVec3::zero(), DVec3::zero());
    for (&v, &w) in c.stencil[i].iter().zip(&c.weight[i]) {
        if v != NONE {
            let [start, end] = both(ends, v);
            before += start * w;
            after += end * w;
        }
    }
    (before + after) * 0.5
}

/// Rotation θ (rad) from one pose to another by the midpoint rule: `(R₁−R₀)ρ = θ × ½(R₀+R₁)ρ` for every ρ.
#[must_use]
pub fn chord_spin(before: &Pose, after: &Pose) -> DVec3 {
    let d = after.rotation * before.rotation.reversed();
    // Half a turn has no such θ; the books then miss what turns.
    if d.s == 0.0 { DVec3::zero() } else { DVec3::new(-d.bv.yz, d.bv.xz, -d.bv.xy) * (2.0 / d.s) }
}

/// Works of the contacts, by pair.
fn works(step: &FinishedStep<'_>, ledger: &mut Ledger, ws: &mut BalanceWorkspace) {
    let patches = patch_works(step, &Motion::new(step, false), &Motion::new(step, true));
    find_rows(step, ledger, &mut ws.starts);
    let starts = &ws.starts;
    let Ledger { energy, pairs: PairLedger { a, b, energy: stored, work_normal, work_friction, .. }, .. } =
        ledger;
    let works = |row: usize| {
        let bodies = [a[row], b[row]];
        let ends = [false, true].map(|end| Motion::of_pair(step, end, bodies));
        let rows = [0, 1, 2].map(|k| starts[row][k]..starts[row + 1][k]);
        row_works(step, ends.each_ref(), bodies, rows, &patches)
    };
    let mut row = 0;
    par::in_order(a.len(), PAIRS, works, |[normal, friction, belt]| {
        energy.work_driven += belt;
        (work_normal[row], work_friction[row]) = (normal, friction);
        energy.work_normal += normal;
        energy.work_friction += friction;
        energy.contact += stored[row];
        row += 1;
    });
}

/// Where the contacts of each row of the ledger begin.
fn find_rows(step: &FinishedStep<'_>, ledger: &Ledger, starts: &mut Vec<[usize; 3]>) {
    let tables = [step.decided.mesh.0.pair, step.decided.plane.0.pair, step.decided.patches.rows.pair];
    let mut at = [0; 3];
    starts.clear();
    for row in 0..ledger.pairs.len() {
        starts.push(at);
        let (a, b) = (ledger.pairs.a[row], ledger.pairs.b[row]);
        for (at, table) in at.iter_mut().zip(tables) {
            let of_row = |p: &&u32| step.pairs.a[**p as usize] == a && step.pairs.b[**p as usize] == b;
            *at += table[*at..].iter().take_while(of_row).count();
        }
    }
    starts.push(at);
}

/// Works of the normal impulses and of friction of one pair, and what surfaces that move put in there (J).
fn row_works(
    step: &FinishedStep<'_>,
    ends: [&Motion<'_>; 2],
    bodies: [u32; 2],
    [meshes, on_planes, in_patches]: [Range<usize>; 3],
    patches: &[[f64; 2]],
) -> [f64; 3] {
    let (contacts, im) = step.decided.mesh;
    let (planes, pim) = step.decided.plane;
    let belts = step.surface_velocities;
    let (mut normal, mut friction) = (0.0, 0.0);
    // Work of the surfaces that move, a part of what friction does to the bodies.
    let mut belt = 0.0;
    for i in meshes {
        let mean = mean_relative(ends, &contacts, i);
        normal += im.normal[i].dot(mean);
        friction += im.friction[i].dot(mean);
        if let Some(bend) = step.decided.bend_of(i) {
            for (k, v) in contacts.stencil[i].into_iter().enumerate().filter(|(_, v)| *v != NONE) {
                let [start, end] = both(ends, v);
                normal += bend[k].dot((start + end) * 0.5);
            }
        }
        let first = step.map.body_of(contacts.stencil[i][0]);
        let second = other(&step.pairs, contacts.pair[i], first);
        if !belts.is_empty() {
            let at = first_point(&contacts.stencil[i], &contacts.weight[i], step.surface.x0);
            belt += belt_work(step, [first, second], at, contacts.normal[i], im.friction[i]);
        }
        if takes_wrench(step.map, first) && takes_wrench(step.map, second) {
            // The couple that moves friction to the midpoint (see `apply`) works on both spins.
            let couple = acting_separation(step, &contacts, i).cross(im.friction[i]) * -0.5;
            for body in [first, second] {
                let [before, after] = ends.map(|motion| motion.body(body as usize).1);
                let spin = before + after;
                friction += couple.dot(spin) * 0.5;
            }
        }
    }
    for j in on_planes {
        let [start, end] = both(ends, planes.vertex[j]);
        let mean = (start + end) * 0.5 - planes.velocity[j];
        normal += pim.normal[j].dot(mean);
        friction += pim.friction[j].dot(mean);
        if !belts.is_empty() {
            let (v, plane) = (planes.vertex[j], planes.plane[j]);
            let at = step.surface.x0[v as usize];
            belt += belt_work(step, [step.map.body_of(v), plane], at, planes.normal[j], pim.friction[j]);
        }
    }
    for patch in in_patches {
        normal += patches[patch][0];
        friction += patches[patch][1];
        if !belts.is_empty() {
            belt += belt_work_on_patch(step, bodies, patch);
        }
    }
    if let Ok(i) = step.couples.binary_search_by_key(&bodies, |c| [c.a, c.b]) {
        let moment = step.couples[i].moment;
        let [a, b] = bodies.map(|body| ends[0].body(body as usize).1 + ends[1].body(body as usize).1);
        friction += moment.dot(a - b) * 0.5;
        let [a, b] = bodies.map(|body| belts.spin(body, &step.bodies.pose[body as usize]));
        belt += moment.dot(b - a);
    }
    [normal, friction - belt, belt]
}

/// What surfaces that move put in (J) where `friction` (N·s) acts on the first body at a point.
fn belt_work(step: &FinishedStep<'_>, bodies: [u32; 2], point: DVec3, normal: DVec3, friction: DVec3) -> f64 {
    let drift = step.surface_velocities.drift(step.bodies.pose, bodies, point, normal);
    drift.map_or(0.0, |d| friction.dot(d))
}

/// The same of a patch, whose friction is a force and a couple.
fn belt_work_on_patch(step: &FinishedStep<'_>, bodies: [u32; 2], patch: usize) -> f64 {
    let row = step.decided.patches.rows.row(patch);
    let normal = try_normalized(row.normal[0].impulse).unwrap_or_default();
    let mut work = belt_work(step, bodies, row.point, normal, row.friction[0].impulse);
    for (side, body) in bodies.into_iter().enumerate() {
        if let Some(own) = step.surface_velocities.get(body) {
            let spin = step.bodies.pose[body as usize].vector_to_world(own.spin);
            work -= row.friction[side].moment.dot(normal) * normal.dot(spin);
        }
    }
    work
}

/// Works of what is not contact.
fn works_of_motion(step: &FinishedStep<'_>, ledger: &mut Ledger) {
    let (before, after) = (Motion::new(step, false), Motion::new(step, true));
    (ledger.energy.work_drag, ledger.energy.work_anchor_damping) = works_outside(step, &before, &after);
    pushes(step, |b| [before.body(b), after.body(b)], &mut ledger.applied);
    for row in &step.external.actuators {
        let (b, along) = (row.body as usize, row.axis.direction());
        let of = |(v, w): (DVec3, DVec3)| if row.axis.turns() { w.dot(along) } else { v.dot(along) };
        let work = row.impulse * 0.5 * (of(before.body(b)) + of(after.body(b)));
        ledger.actuators.push(crate::ActuatorWork { work, ..*row });
    }
    ledger.energy.work_applied = ledger.applied.iter().fold(0.0, |sum, row| sum + row.work);
    let elastic = &step.advanced.elastic;
    ledger.energy.work_elastic = elastic.work;
    // Resting grips do no work: this is the drivers'.
    ledger.energy.work_driven += elastic.work_held;
    ledger.energy.work_drag += elastic.work_drag;
}

/// What prescribed bodies put in: minus the power of the contact wrenches on them.
fn work_driven(step: &FinishedStep<'_>, contact: &[Wrench], work: &mut f64) {
    let after = Motion::new(step, true);
    for b in (0..step.bodies.len()).filter(|&b| step.bodies.kind[b] == BodyKind::Kinematic) {
        let w = contact[b];
        let (by, spin) = after.body(b);
        // Halfway points are half the way ahead of the arms that turn.
        let ahead = if step.evaluated == Evaluated::Mean { by * (0.5 * step.dt) } else { DVec3::zero() };
        *work -= w.impulse.dot(by) + (w.moment - ahead.cross(w.impulse)).dot(spin);
    }
}

/// Work of drag and of the dampers of anchors (J).
fn works_outside(step: &FinishedStep<'_>, before: &Motion<'_>, after: &Motion<'_>) -> (f64, f64) {
    let external = step.external;
    let mut drag = 0.0;
    let dragged =
        |b: &usize| step.bodies.kind[*b] == BodyKind::Rigid && external.drag[*b] != Wrench::default();
    for b in (0..step.bodies.len()).filter(dragged) {
        let ((v0, spin0), (v1, spin1)) = (before.body(b), after.body(b));
        drag += 0.5 * (external.drag[b].impulse.dot(v0 + v1) + external.drag[b].moment.dot(spin0 + spin1));
    }
    let node = |n: usize| (step.nodes.v[n] + step.advanced.node_v[n]) * 0.5;
    drag += ordered_sum(external.node_drag.len(), |n| external.node_drag[n].dot(node(n)));
    let mut dampers = 0.0;
    for d in &external.dampers {
        let b = d.body as usize;
        let mean = match d.node {
            Some(n) => node(n as usize),
            None => (before.at(b, d.point) + after.at(b, d.point)) * 0.5,
        };
        dampers += d.impulse.dot(mean);
    }
    (drag, dampers)
}

/// Work of the normal impulses and of friction of each patch (J): sums over both sides of impulse times mean motion, so that what a
/// driven side does counts with its sign and the sum is relative to the surface touched, as for contacts with stencils.
fn patch_works(step: &FinishedStep<'_>, before: &Motion<'_>, after: &Motion<'_>) -> Vec<[f64; 2]> {
    let (rows, shares) = (step.decided.patches.rows, step.decided.patches.shares);
    let mut works = vec![[0.0; 2]; rows.len()];
    for (i, work) in works.iter_mut().enumerate() {
        let row = rows.row(i);
        if let Some(done) = row.work {
            *work = done;
            continue;
        }
        for (side, slots) in [step.pairs.a, step.pairs.b].into_iter().enumerate() {
            let b = slots[row.pair as usize] as usize;
            if step.bodies.kind[b].has_nodes() {
                continue;
            }
            let mean = (before.at(b, row.point) + after.at(b, row.point)) * 0.5;
            let spin = (before.body(b).1 + after.body(b).1) * 0.5;
            for (w, part) in work.iter_mut().zip([row.normal[side], row.friction[side]]) {
                *w += part.impulse.dot(mean) + part.moment.dot(spin);
            }
        }
    }
    for i in 0..shares.len() {
        let mean = (before.vertex(shares.vertex[i]) + after.vertex(shares.vertex[i])) * 0.5;
        let work = &mut works[shares.patch[i] as usize];
        work[0] += shares.normal[i].dot(mean);
        work[1] += shares.friction[i].dot(mean);
    }
    works
}

fn energies(step: &FinishedStep<'_>, ledger: &mut Ledger) {
    for b in 0..step.bodies.len() {
        if step.bodies.kind[b] == BodyKind::Rigid {
            let v = step.advanced.velocity[b];
            ledger.energy.translational += 0.5 * step.bodies.mass[b] * v.mag_sq();
            ledger.energy.rotational +=
                0.5 * step.advanced.angular_velocity[b].dot(step.advanced.angular_momentum[b]);
        }
    }
    ledger.energy.elastic = step.advanced.elastic.energy;
    ledger.energy.translational +=
        ordered_sum(step.nodes.len(), |n| 0.5 * step.nodes.mass[n] * step.advanced.node_v[n].mag_sq());
}
