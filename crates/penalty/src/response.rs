//! The discrete penalty force: contact tables in, impulses per contact out.
//!
//! `F_n = k δ` (seed 003 (3)) with Kelvin–Voigt or Hunt–Crossley damping on the approach speed
//! `δ̇ = −n · u`, `u` the relative velocity of the two material points; friction anchored (seed 003). The
//! impulse is `I = Δt F`. Evaluated at the end of the step (the papers' choice, seed 000 Figs. 8, 11: "at
//! t = 1") or at its start: at the start the scheme is symplectic Euler and stable for `kΔt²/m < 4`, at the
//! predicted end it damps by `√(1 − kΔt²/m)` a step and is stable below 4/3 (ACCEPTANCE B1).

use crate::{Evaluate, Params, Release};
use impinge_contact::{
    Anchors, BY_WAY, BodyDofs, ContactImpulse, ContactImpulses, ContactsView, Damping, NONE, PairLaw,
    PairsView, PlaneContactsView, Pulls, Sides, SlipState, Stiffness, SurfaceMap, SurfaceVelocities,
    SurfaceView, Takes, Touched, anchored, par,
};
use impinge_geometry::{DVec3, Pose};

/// What the kernel reads besides contacts.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Surface vertices named by the contacts; `body` is an index of `frames`.
    pub surface: SurfaceView<'a>,
    /// Body pairs; a contact's `pair` is a row of this.
    pub pairs: PairsView<'a>,
    /// Laws; a pair's `law` is an index of this.
    pub laws: &'a [PairLaw],
    /// Pose of each body at the time of evaluation: the frame its friction anchors are kept in. Planes are bodies, too.
    pub frames: &'a [Pose],
    /// Anchors of the last step, ascending by key: `next` of the last calls, or [`Anchors::sort`]. Of anchors in another
    /// order some are not found, and their contacts start to stick anew.
    pub anchors: &'a Anchors,
    /// Bodies whose surfaces move against them; friction sees it.
    pub surface_velocities: &'a SurfaceVelocities,
    /// The part of its stiffness and of its damping that the friction of each pair has ([`add_pulls`]); pairs beyond the end have all of it.
    pub parts: &'a [f64],
}

/// One contact point, whatever it touches.
struct Point {
    separation: DVec3,
    /// Gap at which the force begins (m).
    reach: f64,
    normal: DVec3,
    relative_velocity: DVec3,
    position: DVec3,
    /// Of a contact that remembers it: the way slid by the start of the step (m).
    slid: Option<DVec3>,
    /// By surfaces that move (m/s); taken off the velocities above already.
    drift: Option<DVec3>,
    target: u32,
    area: f64,
    pair: u32,
    /// How many points share a damper that was asked for by a restitution; 1 for a damper that each has for itself.
    points: f64,
    key: u64,
}

/// How many contacts each pair has whose law asks for a restitution; empty where none does.
fn sharing(input: &Inputs<'_>, pair: &[u32]) -> Vec<f64> {
    if !input.laws.iter().any(|l| l.damping.restitution().is_some()) {
        return Vec::new();
    }
    let mut out = vec![0.0; input.pairs.law.len()];
    for &p in pair {
        if input.laws[input.pairs.law[p as usize] as usize].damping.restitution().is_some() {
            out[p as usize] += 1.0;
        }
    }
    out
}

fn share(sharing: &[f64], pair: u32) -> f64 {
    sharing.get(pair as usize).map_or(1.0, |n| n.max(1.0))
}

/// Mesh contacts. Appends one row to `out` per contact and the anchors of live contacts to `next`, and sorts `next`.
///
/// A contact with a vertex whose place at the time of evaluation is NaN has depth 0 and no force, as a free one, and its anchor is
/// gone. Other numbers that are not finite (a place at the start under damping, an infinite one) may give impulses that are not.
/// Nothing is refused here: check positions where they are made.
///
/// # Panics
/// Where a contact names a surface vertex or a row of `pairs` that is not there, a pair a law that is not there, or, under
/// friction, where the body that is touched has no frame; and where the first vertex of a stencil is
/// [`NONE`](impinge_contact::NONE).
pub fn accumulate_mesh(
    p: &Params,
    input: &Inputs<'_>,
    contacts: ContactsView<'_>,
    out: &mut ContactImpulses,
    next: &mut Anchors,
) {
    accumulate_near(p, (0.0, &[]), input, contacts, out, next);
}

/// [`accumulate_mesh`] for features that push each other from the distance `reach` (m) on: the depth of a contact is what its gap falls
/// short of that ([`near_surface`](crate::near_surface) and [`near_edges`](crate::near_edges) find them).
///
/// A place to stick to is of a vertex, one for each body it touches, named by [`impinge_contact::contact_key`]. Where two edges cross is no
/// point of either: friction there takes the way that the bodies have slid along each other since they touched, as further contacts of a vertex with the same
/// body do. Name those with a bit of [`BY_WAY`]; their rows in `next` are that way (m) in the frame of what is touched. `spin` is each body's angular velocity
/// (rad/s): points a gap apart move along each other where both bodies turn as one, and that is no sliding. A body beyond its end is taken not to turn.
///
/// # Panics
/// As [`accumulate_mesh`].
pub fn accumulate_near(
    p: &Params,
    (reach, spin): (f64, &[DVec3]),
    input: &Inputs<'_>,
    contacts: ContactsView<'_>,
    out: &mut ContactImpulses,
    next: &mut Anchors,
) {
    let s = &input.surface;
    let sharing = sharing(input, contacts.pair);
    let one = |i: usize| {
        let (mut separation, mut u) = (DVec3::zero(), DVec3::zero());
        for k in 0..4 {
            let v = contacts.stencil[i][k];
            if v == NONE {
                continue;
            }
            let (x, vel) = motion(p, s, v as usize);
            separation += x * contacts.weight[i][k];
            u += vel * contacts.weight[i][k];
        }
        let first = contacts.stencil[i][0];
        let (a, b) = (input.pairs.a[contacts.pair[i] as usize], input.pairs.b[contacts.pair[i] as usize]);
        let own = s.body[first as usize];
        let target = if own == a { b } else { a };
        let key = contacts.key[i];
        let position = motion(p, s, first as usize).0;
        let drift = input.surface_velocities.drift(input.frames, [own, target], position, contacts.normal[i]);
        u -= drift.unwrap_or_default();
        let mut slid = None;
        if reach > 0.0 && key & BY_WAY != 0 {
            let turn = |b: u32| spin.get(b as usize).copied().unwrap_or_default();
            // Of points a gap apart on bodies that turn alike.
            let gap = contacts.normal[i] * contacts.normal[i].dot(separation);
            let carried = (turn(own) + turn(target)).cross(gap) * 0.5;
            u -= carried;
            let named = (0..4).filter(|&k| contacts.stencil[i][k] != NONE);
            let v0 = named.fold(-carried - drift.unwrap_or_default(), |u, k| {
                u + s.v0[contacts.stencil[i][k] as usize] * contacts.weight[i][k]
            });
            let ahead = if p.evaluate == Evaluate::End { u * p.dt } else { DVec3::zero() };
            let frame = &input.frames[target as usize];
            // What the last step ended with and the way since then; a new contact holds where it is found.
            let kept = input.anchors.get(key).map(|(way, _)| frame.vector_to_world(way) + v0 * p.dt);
            slid = Some(kept.unwrap_or(-ahead));
        }
        let point = Point {
            separation,
            normal: contacts.normal[i],
            relative_velocity: u,
            position,
            slid,
            drift,
            reach,
            target,
            area: contacts.area[i],
            pair: contacts.pair[i],
            points: share(&sharing, contacts.pair[i]),
            key,
        };
        respond(p, input, &point)
    };
    par::in_order(contacts.len(), CHUNK, one, |decided| decided.put(out, next));
    // Anchors are found by bisection in the next step.
    next.sort();
}

/// Plane contacts, the same way as [`accumulate_mesh`], which says what a vertex that is NaN gives; `plane` of a contact is an index
/// of [`Inputs::frames`].
///
/// # Panics
/// As [`accumulate_mesh`]: a vertex, a row of `pairs`, a law or, under friction, a frame that is not there.
pub fn accumulate_plane(
    p: &Params,
    input: &Inputs<'_>,
    contacts: PlaneContactsView<'_>,
    out: &mut ContactImpulses,
    next: &mut Anchors,
) {
    accumulate_near_plane(p, 0.0, input, contacts, out, next);
}

/// [`accumulate_plane`] for planes that push from the distance `reach` (m) on.
///
/// # Panics
/// As [`accumulate_plane`].
pub fn accumulate_near_plane(
    p: &Params,
    reach: f64,
    input: &Inputs<'_>,
    contacts: PlaneContactsView<'_>,
    out: &mut ContactImpulses,
    next: &mut Anchors,
) {
    let sharing = sharing(input, contacts.pair);
    let one = |i: usize| {
        let (x, v) = motion(p, &input.surface, contacts.vertex[i] as usize);
        let bodies = [input.surface.body[contacts.vertex[i] as usize], contacts.plane[i]];
        let drift = input.surface_velocities.drift(input.frames, bodies, x, contacts.normal[i]);
        let point = Point {
            separation: x - contacts.point[i],
            reach,
            slid: None,
            drift,
            normal: contacts.normal[i],
            relative_velocity: v - contacts.velocity[i] - drift.unwrap_or_default(),
            position: x,
            target: contacts.plane[i],
            area: contacts.area[i],
            pair: contacts.pair[i],
            points: share(&sharing, contacts.pair[i]),
            key: contacts.key[i],
        };
        respond(p, input, &point)
    };
    par::in_order(contacts.len(), CHUNK, one, |decided| decided.put(out, next));
    // Anchors are found by bisection in the next step.
    next.sort();
}

/// Contacts per block of a parallel loop.
const CHUNK: usize = 64;

/// What a contact gets, and where it sticks from now on.
struct Decided {
    impulse: ContactImpulse,
    anchor: Option<(u64, DVec3, bool)>,
}

impl Decided {
    fn put(self, out: &mut ContactImpulses, next: &mut Anchors) {
        out.push(self.impulse);
        if let Some((key, anchor, slipping)) = self.anchor {
            next.push(key, anchor, slipping);
        }
    }
}

/// Position and velocity of a surface vertex at the time of evaluation. At the end the velocity is the
/// secant `(x1 − x0)/Δt`: `v*` for a free vertex, the chord of the arc for a rigid one.
fn motion(p: &Params, s: &SurfaceView<'_>, v: usize) -> (DVec3, DVec3) {
    match p.evaluate {
        Evaluate::Start => (s.x0[v], s.v0[v]),
        Evaluate::End => (s.x1[v], (s.x1[v] - s.x0[v]) / p.dt),
    }
}

/// Stiffness of a point (N/m), and the factor that turns a law per contact into its own.
fn stiffness(input: &Inputs<'_>, pair: u32, area: f64) -> (f64, f64) {
    let law = &input.laws[input.pairs.law[pair as usize] as usize];
    let both = input.pairs.sides[pair as usize] == Sides::Both;
    // A plane has no vertices of its own, so nothing is shared with it; `sides` of such a pair is First or
    // Second when the world builds it.
    let share = if both && matches!(law.stiffness, Stiffness::PerArea(_)) { 0.5 } else { 1.0 };
    law.point_stiffness(area, share)
}

fn respond(p: &Params, input: &Inputs<'_>, c: &Point) -> Decided {
    let law = &input.laws[input.pairs.law[c.pair as usize] as usize];
    let (k, per_point) = stiffness(input, c.pair, c.area);
    let depth = (c.reach - c.normal.dot(c.separation)).max(0.0);
    let rate = -c.normal.dot(c.relative_velocity);
    let elastic = k * depth;
    let force = match law.damping.plain() {
        Damping::None | Damping::Restitution(_) => elastic,
        Damping::KelvinVoigt(d) => elastic + d * per_point / c.points.sqrt() * rate,
        Damping::HuntCrossley(chi) => elastic * (1.0 + chi * rate),
    };
    let force = match p.release {
        Release::Force => force.max(0.0),
        Release::Depth if depth > 0.0 => force,
        Release::Depth => 0.0,
    };
    let (mut friction, mut kept) = (DVec3::zero(), None);
    if let Some(f) = &law.friction {
        let mut scaled = *f;
        let part = input.parts.get(c.pair as usize).copied().unwrap_or(1.0);
        scaled.k_fp *= per_point * part;
        scaled.k_fd *= per_point * part;
        let frame = &input.frames[c.target as usize];
        let held = input.anchors.get(c.key);
        let slips = held.is_some_and(|(_, slipping)| slipping);
        // A way slid is the place of a point whose anchor is the origin.
        let (place, anchor) = match c.slid {
            Some(slid) => {
                let ahead =
                    if p.evaluate == Evaluate::End { c.relative_velocity * p.dt } else { DVec3::zero() };
                (slid + ahead, Some(DVec3::zero()))
            }
            None => {
                (c.position, held.map(|(a, _)| frame.point_to_world(a) + c.drift.unwrap_or_default() * p.dt))
            }
        };
        let step = anchored(&scaled, c.normal, place, c.relative_velocity, force, anchor, slips);
        if let Some(anchor) = step.anchor {
            let anchor = match c.slid {
                Some(slid) => frame.vector_to_body(slid - anchor),
                None => frame.point_to_body(anchor),
            };
            kept = Some((c.key, anchor, step.state == SlipState::Dynamic));
        }
        friction = step.force * p.dt;
    }
    // Velocities are those of the middle between this step and the next: a law that is asked to lose no more than it says is booked with the
    // energy there.
    let ahead = law.damping.restitution().map_or(depth, |_| (depth + rate * p.dt).max(0.0));
    let impulse = ContactImpulse {
        normal: c.normal * (force * p.dt),
        friction,
        depth,
        energy: 0.5 * k * depth * ahead,
    };
    Decided { impulse, anchor: kept }
}

/// Adds the contacts that push. The friction of laws of which `yields` is true may act softer.
///
/// # Panics
/// As [`accumulate_mesh`].
pub fn add_pulls(
    p: &Params,
    reach: f64,
    input: &Inputs<'_>,
    yields: &[bool],
    (contacts, planes): (ContactsView<'_>, PlaneContactsView<'_>),
    dofs: (&SurfaceMap, &BodyDofs),
    pulls: &mut Pulls,
) {
    let x = input.surface.x0;
    let (of_meshes, of_planes) = (sharing(input, contacts.pair), sharing(input, planes.pair));
    for i in 0..contacts.len() {
        let (stencil, weight, normal) = (&contacts.stencil[i], &contacts.weight[i], contacts.normal[i]);
        let named = (0..4).filter(|&k| stencil[k] != NONE);
        let apart = named
            .fold(DVec3::zero(), |s, k| s + motion(p, &input.surface, stencil[k] as usize).0 * weight[k]);
        let depth = reach - normal.dot(apart);
        let pair = contacts.pair[i];
        if let Some(takes) = takes(p, input, yields, (pair, contacts.area[i]), depth, share(&of_meshes, pair))
        {
            pulls.add(dofs, &Touched { stencil, weight, x, plane: None }, normal, takes);
        }
    }
    for i in 0..planes.len() {
        let vertex = planes.vertex[i];
        let (at, _) = motion(p, &input.surface, vertex as usize);
        let depth = reach - planes.normal[i].dot(at - planes.point[i]);
        let pair = planes.pair[i];
        if let Some(takes) = takes(p, input, yields, (pair, planes.area[i]), depth, share(&of_planes, pair)) {
            let touched = Touched { stencil: &[vertex], weight: &[1.0], x, plane: Some(planes.plane[i]) };
            pulls.add(dofs, &touched, planes.normal[i], takes);
        }
    }
}

/// Of a contact this deep (m).
fn takes(
    p: &Params,
    input: &Inputs<'_>,
    yields: &[bool],
    (pair, area): (u32, f64),
    depth: f64,
    points: f64,
) -> Option<Takes> {
    if depth.is_nan() || depth <= 0.0 {
        return None;
    }
    let number = input.pairs.law[pair as usize] as usize;
    let law = &input.laws[number];
    let (k, per_point) = stiffness(input, pair, area);
    let spring = p.dt * p.dt * if p.evaluate == Evaluate::End { 0.75 } else { 0.25 };
    let damper = match law.damping.plain() {
        Damping::KelvinVoigt(c) => c * per_point / points.sqrt(),
        Damping::HuntCrossley(chi) => chi * k * depth,
        Damping::None | Damping::Restitution(_) => 0.0,
    };
    let of = |k: f64, c: f64| k * spring + 0.5 * c * p.dt;
    let across = law.friction.map_or(0.0, |f| of(f.k_fp * per_point, f.k_fd * per_point));
    Some(Takes { along: of(k, damper), across, yields: yields.get(number) == Some(&true) })
}
