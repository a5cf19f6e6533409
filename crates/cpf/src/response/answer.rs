//! Continuous penalty forces of a step.
//!
//! Finds the penetration intervals of the listed pairs and of the open contacts, integrates the normal force over them, adds
//! damping and anchored friction, and writes one contact row per interval. All of it depends on the predicted motion only.

mod pulls;

use super::begun::Begun;
use super::dissipation::{Decision, Dissipation, Lossless, Pair, Point, grip, keep, kept_anchor};
use super::layers::Layers;
use super::meet::{Meeting, Meets, is_shared};
use super::on_ways::{PlaneHit, moved_against, on_curves};
use crate::conserving::crossing;
use crate::{
    FeatureFrame, Force, Impulses, Normalisation, Params, StepPairs, Workspace, accumulate,
    accumulate_on_ways, depth_at,
};
use impinge_bodies::{
    ContactError, Decisions, Dofs, Laws, Names, Shape, Shapes, State, StateNext, foot, two, world_plane,
};
use impinge_ccd::Kind;
use impinge_contact::{
    Contact, ContactImpulse, Contacts, Damper, Evaluated, Pairs, PlaneContact, PlaneContacts, Prediction,
    Pulls, Restitution, Surface, SurfaceMap, contact_key, par,
};
use impinge_swept::{Faces, Followed, List, Matter, SweptCandidates, TrackedNext, Ways, pair_of, part};

/// In place of a list: contacts of layers.
const LAYERS: u32 = List::ALL.len() as u32;

/// Contacts per block of a parallel loop.
const CHUNK: usize = 32;

/// Rows that what was open is looked for before its place among what is found: mostly the same are open.
const NEAR: usize = 4;

/// Where a continuous penalty response writes.
pub struct CpfOut<'a> {
    /// Contacts of meshes, pair by pair.
    pub contacts: &'a mut Contacts,
    /// Contacts with planes.
    pub planes: &'a mut PlaneContacts,
    /// Their impulses, row by row.
    pub decisions: &'a mut Decisions,
    /// Anchors of plane contacts.
    pub next: &'a mut StateNext,
    /// Contacts that stay open.
    pub tracked_next: &'a mut TrackedNext,
}

/// Decides them; kept from step to step for its memory alone.
pub struct CpfAnswer {
    /// When the force is taken.
    pub force: Force,
    /// How normals are normalised.
    pub normalisation: Normalisation,
    /// Friction is integrated over the way as the normal force is (seed 000 §3.6), not taken at its end. Only with [`Force::Integrated`].
    pub friction_along: bool,
    names: Names,
    workspace: [Workspace; 3],
    found: [Impulses; 3],
    /// Pair, list (or [`LAYERS`]) and row of each contact: as found, and by pair.
    order: Vec<(u32, u32, u32)>,
    by_pair: Vec<(u32, u32, u32)>,
    /// Where the contacts of each pair begin.
    starts: Vec<u32>,
    begun: Begun,
    layers: Layers,
    meeting: Meeting,
    meets: Vec<Meets>,
    /// Part of each contact of `by_pair` that acts where several meet.
    parts: Vec<f64>,
    pulls: Pulls,
    /// Part that the friction of each pair may have.
    rubs: Vec<f64>,
}

impl CpfAnswer {
    /// A response with these parameters; names for errors.
    pub fn new(force: Force, normalisation: Normalisation, names: Names) -> Self {
        Self {
            force,
            normalisation,
            friction_along: false,
            names,
            workspace: Default::default(),
            found: Default::default(),
            order: Vec::new(),
            by_pair: Vec::new(),
            starts: Vec::new(),
            begun: Begun::default(),
            layers: Layers::default(),
            meeting: Meeting::default(),
            meets: Vec::new(),
            parts: Vec::new(),
            pulls: Pulls::default(),
            rubs: Vec::new(),
        }
    }

    /// Takes friction along the way, or at its end.
    #[must_use]
    pub fn with_friction_along(self, friction_along: bool) -> Self {
        Self { friction_along, ..self }
    }
}

impl CpfAnswer {
    /// Finds the penetration intervals of a step of `dt` (s) and decides an impulse for each. `state` has the anchors of plane contacts,
    /// `followed` the contacts that are open. `plane_spans` gets the interval of each plane contact, as fractions of the step.
    ///
    /// # Errors
    /// [`ContactError::Refused`] for parameters and contacts that are not usable, [`ContactError::Foreign`] for an open contact of bodies that
    /// no law lets touch, [`ContactError::TooManyContacts`] where there are more than the laws allow.
    pub fn answer(
        &mut self,
        (pairs, candidates, faces, surface, map): (&Pairs, &SweptCandidates, &Faces, &Surface, &SurfaceMap),
        (shapes, dofs, prediction, laws, state, followed): (
            &Shapes,
            &Dofs,
            &Prediction,
            &Laws,
            &State,
            &Followed,
        ),
        dt: f64,
        mut plane_spans: Option<&mut Vec<[f64; 2]>>,
        out: CpfOut<'_>,
    ) -> Result<(), ContactError> {
        let CpfOut { contacts, planes, decisions, next, tracked_next } = out;
        contacts.clear();
        planes.clear();
        decisions.clear();
        decisions.evaluated = Evaluated::Path;
        self.order.clear();
        // A spring that is on time also pushes what leaves in the step, which has no depth at its end.
        let asked = laws.ask_restitution();
        let params = Params::new(dt, self.normalisation)?;
        let params = params.with_force(if asked { Force::Integrated } else { self.force });
        let whole = self.force == Force::AtEnd;
        let matter = Matter { map, shapes, laws, faces };
        let frames = &prediction.pose[..];
        let ways = &candidates.ways;
        self.layers.find(&params, &matter, candidates, surface, followed);
        for list in List::ALL {
            let l = list as usize;
            let c = &candidates.lists[l];
            let opens = list.features().1;
            let features = list.candidates(&c.features, faces);
            let named = |i: usize| matter.named(list, c.features[i], &features, i);
            let step_pairs = StepPairs { candidates: features, named: &named, opens };
            let (x0, x1, ws) = (&surface.x0, &surface.x1, &mut self.workspace[l]);
            let (open, found, kept) = (&followed.0[l], &mut self.found[l], &mut tracked_next.0[l]);
            if ways.are_straight() {
                accumulate(&params, x0, x1, &step_pairs, open, ws, found, kept)?;
            } else {
                on_curves(surface, ways, map, |curved| {
                    accumulate_on_ways(&params, curved, &step_pairs, open, ws, found, kept)
                })?;
            }
        }
        self.begun.begin();
        for list in List::ALL {
            let l = list as usize;
            let found = (list, &self.found[l]);
            self.begun.drop_inner(found, &matter, surface, (dofs, frames, candidates), tracked_next);
            // Rows come by key; the books are kept pair by pair. Neighbours are mostly of the same.
            let mut last = ([u32::MAX; 2], 0);
            for i in 0..self.found[l].len() {
                if self.begun.is_none(self.found[l].key[i]) {
                    continue;
                }
                let s = self.found[l].stencil[i];
                let (a, b) = (map.body_of(s[0]), map.body_of(s[3]));
                if self.layers.keeps(a, b) {
                    continue;
                }
                if last.0 != [a, b] {
                    let pair = pair_of(pairs, a.min(b), a.max(b)).ok_or(ContactError::Foreign { a, b })?;
                    last = ([a, b], pair);
                }
                self.order.push((last.1, l as u32, i as u32));
                laws.limits.contacts(self.order.len(), || two(&self.names, a, b))?;
            }
        }
        for (i, row) in self.layers.rows.iter().enumerate() {
            let (a, b) = (row.slot, row.slot);
            let pair = pair_of(pairs, a, b).ok_or(ContactError::Foreign { a, b })?;
            self.order.push((pair, LAYERS, i as u32));
            laws.limits.contacts(self.order.len(), || two(&self.names, a, b))?;
        }
        sort_by_pair(&self.order, pairs.len(), &mut self.starts, &mut self.by_pair);
        self.share_out(pairs, laws, map, (surface, ways));
        let points = if asked {
            self.points(pairs, candidates, surface, (shapes, dofs, prediction))
        } else {
            Vec::new()
        };
        let all = (pairs, candidates, surface);
        self.friction_parts(all, (&matter, dofs, prediction), dt, &points);
        let dissipation = Dissipation { dt, surface, pairs, laws, frames, parts: &self.rubs };
        // Depths at the start and at the end of the step.
        let lossless = |pair: u32, [start, end]: [f64; 2]| {
            let Some(&points) = points.get(pair as usize) else { return Lossless::Not };
            let law = dissipation.law(pair);
            match (law.damping.restitution(), whole) {
                // A viscous force has a jump at first touch, which an explicit step takes half of it late: as the depth at the start does.
                (Some(Restitution { damper: Damper::KelvinVoigt(_), .. }), false) => {
                    Lossless::Depth { depth: start, points }
                }
                (Some(_), false) => Lossless::Late { depth: start, points },
                (Some(_), true) => Lossless::Depth { depth: start, points },
                (None, false) => Lossless::Not,
                (None, true) => Lossless::Depth { depth: end, points: 1.0 },
            }
        };
        let featured = |k: usize| {
            let (pair, l, i) = self.by_pair[k];
            if l == LAYERS {
                let row = &self.layers.rows[i as usize];
                let area = matter.area(row.list, row.stencil[0], row.key);
                let seen = row.seen();
                let kind = row.list.features().0;
                let none = &followed.0[row.list as usize];
                let point =
                    dissipation.feature(&seen, kind, &dissipation.ends(&seen), (pair, area), none, &mut 0);
                let span = if whole { 1.0 } else { point.span };
                let lossless = if asked { lossless(pair, row.does.depth) } else { Lossless::Not };
                // Without an anchor friction is a damper, up to Coulomb's bound.
                let Decision { normal, friction, .. } =
                    dissipation.respond(&Point { span, lossless, held: None, ..point });
                let Pair { key, stencil, weight, .. } = seen;
                let [t_in, t_out] = [row.does.t_in, row.does.t_out];
                let contact = Contact { stencil, weight, normal: seen.normal, t_in, t_out, area, pair, key };
                let depth = row.does.depth[1];
                let energy = booked(lossless, depth, row.does.energy);
                return (contact, ContactImpulse { normal, friction, depth, energy }, None);
            }
            let (l, i) = (l as usize, i as usize);
            let (list, rows) = (List::ALL[l], &self.found[l]);
            let kind = list.features().0;
            let mut seen = Pair::of(rows, i);
            if !ways.are_straight() {
                seen.velocity = Some(moved_against(surface, ways, &seen, [rows.t_in[i], rows.t_out[i]]) / dt);
            }
            let Pair { key, stencil, weight, .. } = seen;
            let area = matter.area(list, stencil[0], key);
            let ends = dissipation.ends(&seen);
            let point = dissipation.feature(
                &seen,
                kind,
                &ends,
                (pair, area),
                &followed.0[l],
                &mut i.saturating_sub(NEAR),
            );
            let span = if whole { 1.0 } else { point.span };
            let depth = || {
                let x0 = |k: usize| surface.x0[stencil[k] as usize] * weight[k];
                let apart = x0(0) + x0(1) + x0(2) + x0(3);
                match seen.continued {
                    false => 0.0,
                    true if ways.are_straight() => (-apart.dot(seen.normal)).max(0.0),
                    // A normal that turns is not the mean one when the step begins.
                    true => {
                        let x0 = stencil.map(|v| surface.x0[v as usize]);
                        depth_at(kind, &x0, &x0, 0.0).map_or(0.0, |(_, depth)| depth)
                    }
                }
            };
            let lossless = if asked { lossless(pair, [depth(), rows.depth[i]]) } else { Lossless::Not };
            let point = Point { span, lossless, ..point };
            let Decision { normal, mut friction, mut held } = dissipation.respond(&point);
            let (t_in, t_out) = (rows.t_in[i], rows.t_out[i]);
            if self.friction_along && !whole {
                let k = matter.stiffness(list, stencil, key).unwrap_or_default();
                let x0 = stencil.map(|v| surface.x0[v as usize]);
                let depth = |t: f64| depth_at(kind, &x0, &ends, t);
                (friction, held) = dissipation.friction_along(&point, normal, [t_in, t_out], k, depth);
            }
            // Of a pair that meets twice the later contact is the one that stays.
            let anchor = held.and_then(|(a, _)| {
                let frame = point.frame.or_else(|| FeatureFrame::new(kind, &ends, seen.normal));
                kept_anchor(kind, &ends, &weight, frame, (point.position, a))
            });
            let contact = Contact { stencil, weight, normal: seen.normal, t_in, t_out, area, pair, key };
            let (depth, energy) = (rows.depth[i], booked(lossless, rows.depth[i], rows.energy[i]));
            let held = (l, grip(held.is_some_and(|h| h.1)), anchor);
            (contact, ContactImpulse { normal, friction, depth, energy }, Some(held))
        };
        let mut after = [0; 3];
        par::in_order(self.by_pair.len(), CHUNK, featured, |(contact, impulse, held)| {
            if let Some((l, grip, anchor)) = held {
                keep(&mut tracked_next.0[l], contact.key, &mut after[l], grip, anchor);
            }
            contacts.push(contact);
            decisions.mesh.push(impulse);
        });
        let c = candidates.planes.view();
        let on_plane = |i: usize| {
            let (v, target, pair) = (c.vertex[i] as usize, c.target[i] as usize, c.pair[i]);
            let Shape::Plane { normal, offset } = shapes.0[target] else { return None };
            let (n0, d0) = world_plane(&dofs.bodies.pose[target], normal, offset);
            let (n, d) = world_plane(&prediction.pose[target], normal, offset);
            let (h0, h1) = (n0.dot(surface.x0[v]) - d0, n.dot(surface.x1[v]) - d);
            let area = shapes.vertex_area(map, c.vertex[i]);
            let k = dissipation.law(pair).point_stiffness(area, part(pairs.sides[pair as usize])).0;
            let (point, velocity) = foot(dofs, prediction, target, surface.x1[v], n * h1);
            let touched = [c.vertex[i], c.target[i]];
            let hit = PlaneHit::find(surface, ways, touched, [(n0, d0), (n, d)], k, &params)?;
            let ([t_in, t_out], n) = (hit.interval, hit.normal);
            let key = contact_key(c.target[i], c.vertex[i]);
            let frame = &prediction.pose[target];
            let contact = Point {
                normal: n,
                impulse: hit.impulse,
                velocity: hit.moved - velocity,
                position: surface.x1[v],
                span: if whole { 1.0 } else { hit.span },
                share: 1.0,
                lossless: lossless(pair, [(-h0).max(0.0), (-h1).max(0.0)]),
                // Whether it starts inside says nothing: what rests lightly is out at the start of every step, and in on the way.
                held: state.0.get(key).map(|(a, s)| (frame.point_to_world(a), s)),
                frame: None,
                area,
                pair,
            };
            let contact = dissipation.carried(contact, [map.body_of(c.vertex[i]), c.target[i]]);
            let Decision { normal, mut friction, mut held } = dissipation.respond(&contact);
            if self.friction_along && !whole {
                let depth = |t: f64| Some((n, -(h0 + (h1 - h0) * t)));
                (friction, held) = dissipation.friction_along(&contact, normal, [t_in, t_out], k, depth);
            }
            // What leaves on the way lets go.
            let anchor = held.filter(|_| h1 < 0.0).map(|(a, slipping)| (frame.point_to_body(a), slipping));
            let row = PlaneContact {
                vertex: c.vertex[i],
                plane: c.target[i],
                point,
                normal: n,
                velocity,
                area,
                pair,
                key,
            };
            let energy = booked(contact.lossless, hit.depth, hit.energy);
            let impulse = ContactImpulse { normal, friction, depth: hit.depth, energy };
            Some((row, impulse, anchor, [t_in, t_out]))
        };
        par::in_order(c.len(), CHUNK, on_plane, |found| {
            let Some((row, impulse, anchor, span)) = found else { return };
            if let Some((at, slipping)) = anchor {
                next.0.push(row.key, at, slipping);
            }
            planes.push(row);
            decisions.plane.push(impulse);
            if let Some(spans) = plane_spans.as_deref_mut() {
                spans.push(span);
            }
        });
        next.0.sort();
        Ok(())
    }
}

/// The energy of a contact with this depth (m) and energy (J) at the predicted end. Velocities are those of the middle between this step and the next: a law that is
/// asked to lose no more than it says is booked with the energy there.
fn booked(lossless: Lossless, depth: f64, energy: f64) -> f64 {
    match lossless {
        Lossless::Late { depth: start, .. } | Lossless::Depth { depth: start, .. } if depth > 0.0 => {
            energy * start / depth
        }
        _ => energy,
    }
}

impl CpfAnswer {
    /// Contacts of a pair that meet in one place share out one spring.
    fn share_out(
        &mut self,
        pairs: &Pairs,
        laws: &Laws,
        map: &SurfaceMap,
        (surface, ways): (&Surface, &Ways),
    ) {
        let x0 = &surface.x0[..];
        let Self { by_pair, found, meeting, meets, parts, .. } = self;
        parts.clear();
        for of_pair in by_pair.chunk_by(|a, b| a.0 == b.0) {
            let pair = of_pair[0].0 as usize;
            let law = &laws.laws[pairs.law[pair] as usize];
            if pairs.a[pair] == pairs.b[pair] || !is_shared(law) {
                parts.resize(parts.len() + of_pair.len(), 1.0);
                continue;
            }
            meets.clear();
            meets.extend(of_pair.iter().map(|&(_, l, i)| {
                let (rows, i) = (&found[l as usize], i as usize);
                let kind = List::ALL[l as usize].features().0;
                let stencil = rows.stencil[i];
                let across = match kind {
                    Kind::VertexFace => 1.0,
                    Kind::EdgeEdge if ways.are_straight() => crossing(&stencil.map(|v| x0[v as usize])),
                    Kind::EdgeEdge => crossing(&stencil.map(|v| ways.at(surface, v, rows.t_in[i]))),
                };
                Meets::new(kind, map, x0, (stencil, rows.weight[i], rows.normal[i]), rows.share[i] * across)
            }));
            let found_parts = meeting.parts(meets).iter().zip(meets.iter());
            for (&(_, l, i), (&part, met)) in of_pair.iter().zip(found_parts) {
                let share = found[l as usize].share[i as usize];
                // Edges along each other have no normal: their part is none.
                let part = if met.share < share { part * (met.share / share) } else { part };
                parts.push(part);
                if part < 1.0 {
                    found[l as usize].weaken(i as usize, part);
                }
            }
        }
    }
}

/// The entries of `order`, ascending by their first number and in their order where that is the same; it is below `pairs`. Contacts are
/// many and pairs are few: counted, not compared.
fn sort_by_pair(
    order: &[(u32, u32, u32)],
    pairs: usize,
    starts: &mut Vec<u32>,
    out: &mut Vec<(u32, u32, u32)>,
) {
    starts.clear();
    starts.resize(pairs + 1, 0);
    order.iter().for_each(|o| starts[o.0 as usize + 1] += 1);
    (0..pairs).for_each(|p| starts[p + 1] += starts[p]);
    out.clear();
    out.resize(order.len(), (0, 0, 0));
    for o in order {
        let at = &mut starts[o.0 as usize];
        out[*at as usize] = *o;
        *at += 1;
    }
}
