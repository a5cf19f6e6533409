//! Rows of the contacts found, and the detector that finds them again at each answer (Algorithm 1, step 2).
//!
//! A contact is a half space in the positions at the end: `n · Σ wᵢ xᵢ − offset ≥ goal`. What the goal is depends on the program
//! (`program.rs`): velocities keep what is there, places move apart what is too near.
//!
//! Nodes move straight and their rows are exact. A rigid body turns on, and its row is corrected at each answer by what the
//! turn makes of it.

use super::dynamics::Dynamics;
use super::inside::{Inside, add_inside};
use super::near::Near;
use super::program::Program;
use super::rigid_pair::RigidPair;
use super::row::Row;
use super::scene::{BESIDE, Found, Scene, distance_squared};
use super::search::Search;
use super::strain::Strains;
use crate::{Detector, Friction, OuterReport, Penetration, RowError, RowKind, Rows};
use impinge_bodies::{ContactError, Dofs, Elastic, Limited, Shape, world_plane};
use impinge_broadphase::{Aabb, plane_overlaps};
use impinge_contact::{BodyKind, FrictionLaw, NONE, Prediction, Sides, Surface, contact_key, first_point};
use impinge_geometry::{DVec3, tangents};
use impinge_integrators::{Grip, Pin};
use impinge_swept::{List, widest};
use std::collections::BTreeMap;

/// How often a pair may come back from another direction in one step.
const RETURNS: u32 = 8;
/// Times the farthest way predicted and the thickness that an answer may lead to be looked at.
const LOST: f64 = 1e4;
/// Part of the thickness that the surfaces of a pair which has a row may lack before it gets another.
const SLACK: f64 = 0.01;
/// Of the distance that they keep, and of the coordinates: what may be lost by those that are farther in than the search looks.
const STANDING: f64 = 1e-9;
const ROUNDED: f64 = 1e-14;
/// Slip (m/s) below which a contact counts as at rest and has the static coefficient.
const REST: f64 = 1e-6;

/// Contacts of a step and what finds more of them.
pub(crate) struct Contacts<'a> {
    pub scene: Scene<'a>,
    pub program: Program<'a>,
    pub dt: f64,
    pub prediction: &'a Prediction,
    pub dynamics: &'a Dynamics,
    /// Edges with strain limits.
    pub limited: &'a [Limited],
    pub search: &'a mut Search,
    /// Vertices that started deeper inside a body than the search looks; see `inside.rs`.
    pub inside: &'a [Inside],
    pub store: &'a mut Store,
    /// Why detection failed, if it did.
    pub failed: Option<ContactError>,
}

/// Rows and scratch that stay from step to step for their memory alone.
#[derive(Default)]
pub(crate) struct Store {
    pub rows: Vec<Row>,
    /// Last row and number of rows of each pair.
    of: BTreeMap<(u8, u64), (u32, u32)>,
    found: Vec<Found>,
    pub end: Prediction,
    pub surface: Surface,
    pub strains: Strains,
    pub gradient: Vec<(u32, DVec3)>,
    tangent: [Vec<(u32, DVec3)>; 2],
}

impl Store {
    /// For a step with this many edges with limits.
    pub fn begin(&mut self, limited: usize) {
        self.rows.clear();
        self.of.clear();
        self.strains.begin(limited);
    }

    /// The last row of each contact, in the order of the rows.
    pub fn latest(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|r| r.next == NONE)
    }

    /// The last row of this one's contact: its normal is that of where the surfaces are, earlier ones are of where they might have been.
    pub fn last_of<'a>(&'a self, r: &'a Row) -> &'a Row {
        let next = |r: &&Row| self.rows.get(r.next as usize);
        std::iter::successors(self.rows.get(r.next as usize), next).last().unwrap_or(r)
    }
}

impl Contacts<'_> {
    /// Surfaces of these bodies that lack no more than this of their goal (m) have it.
    fn tolerance(&self, [a, b]: [u32; 2]) -> f64 {
        self.program.tolerance(self.scene.between(a, b))
    }

    /// Places the surface where the unknowns lead.
    pub fn place(&mut self, unknown: &[DVec3]) {
        let (scene, store) = (&self.scene, &mut *self.store);
        match self.program {
            Program::Velocities => {
                self.dynamics.end(unknown, self.dt, scene.dofs, self.prediction, &mut store.end);
            }
            Program::Places(from) => self.dynamics.shifted(unknown, self.dt, from.end, &mut store.end),
        }
        scene.map.shape(&mut store.surface);
        let (bodies, nodes) = (scene.dofs.bodies.view(), scene.dofs.nodes.view());
        scene.map.place_all(bodies, nodes, &store.end, &mut store.surface);
    }

    /// Something prescribed takes part in the rows that contradict each other, so that they may do so in truth.
    pub fn on_rails(&self, elastic: &Elastic, answer: Option<&OuterReport>) -> bool {
        let Some(last) = answer.and_then(|a| a.solves.last()) else { return true };
        let driven = |b: u32| self.scene.dofs.bodies.kind[b as usize] == BodyKind::Kinematic;
        let held = |b: u32| {
            let pins = elastic.system.pins().iter();
            let at = |p: &Pin| self.scene.dofs.nodes.body[elastic.nodes[p.node as usize] as usize] == b;
            pins.filter(|p| at(p)).any(|p| matches!(p.to, Grip::Prescribed { body, .. } if driven(body)))
        };
        // A lock is a rail, too.
        let locked = |b: u32| !self.scene.dofs.bodies.mobility[b as usize].locked().is_empty();
        let moved = |b: u32| driven(b) || held(b) || locked(b);
        let contacts = self.store.rows.iter().filter(|r| last.conflict.contains(&r.row));
        let strains = self.store.strains.rows.iter().filter(|r| last.conflict.contains(&r.row));
        contacts.flat_map(|r| r.bodies).any(moved)
            || strains.map(|r| self.limited[r.edge as usize].body).any(moved)
    }

    /// Corrects the rows by what the answer makes of them; how many were not satisfied.
    fn remeasure(&mut self, dv: &[DVec3], rows: &mut Rows) -> usize {
        let dt = self.dt;
        let mut changed = 0;
        for r in &self.store.rows {
            let tolerance = self.tolerance(r.bodies);
            let gap = r.gap(&self.store.surface.x1);
            let i = r.row as usize;
            let bound = (gap - r.goal) / dt + rows.dot(i, dv);
            if (bound - rows.bounds()[i]).abs() * dt > tolerance {
                changed += usize::from(gap < r.goal - tolerance);
                rows.set_bound(i, bound);
            }
        }
        changed
    }

    /// Adds a contact with its friction; `false` where nothing of it can be moved.
    pub fn push(&mut self, mut r: Row, dv: &[DVec3], rows: &mut Rows) -> Result<bool, RowError> {
        r.goal = self.program.goal(&r);
        let gap = r.gap(&self.store.surface.x1);
        let Scene { map, dofs, laws, .. } = self.scene;
        let (x, poses) = self.program.arms(&self.store.surface, dofs);
        let store = &mut self.store.gradient;
        store.clear();
        let pair = RigidPair::of(&r, map, self.dynamics);
        let g = |k: usize| r.normal * -r.weight[k];
        let moved: f64 = match pair {
            Some(pair) => {
                let at = |k: usize| x[r.stencil[k] as usize];
                pair.gradient((self.dynamics, poses), at, g, dv, store)
            }
            None => {
                for k in 0..r.points() {
                    let v = r.stencil[k];
                    self.dynamics.gradient(map, poses, v, x[v as usize], g(k), store);
                }
                store.iter().map(|(b, g)| g.dot(dv[*b as usize])).sum()
            }
        };
        if store.is_empty() {
            return Ok(false);
        }
        r.row = rows.push(RowKind::Contact, r.key, (gap - r.goal) / self.dt + moved, store)?;
        if let (Program::Velocities, Some(law)) = (self.program, &laws.laws[r.law as usize].friction) {
            r.friction = self.push_friction((&r, pair), law, dv, rows)?;
        }
        r.next = NONE;
        let place = self.store.rows.len() as u32;
        let (last, times) = self.store.of.entry((r.order, r.key)).or_insert((NONE, 0));
        if let Some(before) = self.store.rows.get_mut(*last as usize) {
            before.next = place;
        }
        (*last, *times) = (place, *times + 1);
        self.store.rows.push(r);
        Ok(true)
    }

    /// Friction acts where the ledger applies it: on a pair that takes wrenches half way between its two points.
    fn push_friction(
        &mut self,
        (r, pair): (&Row, Option<RigidPair>),
        law: &FrictionLaw,
        dv: &[DVec3],
        rows: &mut Rows,
    ) -> Result<Option<Friction>, RowError> {
        let Scene { map, dofs, .. } = self.scene;
        let surface = &self.store.surface;
        let wrench = |v: u32| !map.attachment(map.body_of(v) as usize).has_nodes();
        let last = r.points() - 1;
        let middle = (last > 0 && wrench(r.stencil[0]) && wrench(r.stencil[last])).then(|| {
            let apart =
                (0..4).fold(DVec3::zero(), |d, k| d + surface.x0[r.stencil[k] as usize] * r.weight[k]);
            first_point(&r.stencil, &r.weight, &surface.x0) - apart * 0.5
        });
        let at = |k: usize| middle.unwrap_or(surface.x0[r.stencil[k] as usize]);
        let mut slip = DVec3::zero();
        if let Some(pair) = pair {
            slip = pair.slip(r, (self.dynamics, dofs, self.prediction), at, surface, self.dt);
        }
        for k in (0..r.points()).filter(|_| pair.is_none()) {
            let (v, at) = (r.stencil[k], at(k));
            let velocity = self.dynamics.velocity(map, dofs, self.prediction, v, at).unwrap_or_else(|| {
                // On rails, as far as they lead in this step.
                (surface.x1[v as usize] - surface.x0[v as usize]) / self.dt
            });
            slip += velocity * r.weight[k];
        }
        slip -= self.beneath(r, surface.x0[r.stencil[0] as usize]);
        let across = slip - r.normal * slip.dot(r.normal);
        let before = self.slip_before(r);
        let mu = if before <= REST { law.mu_s } else { law.mu_k };
        let mut bound = [0.0; 2];
        for (i, t) in tangents(r.normal).into_iter().enumerate() {
            let Store { tangent, surface, .. } = &mut *self.store;
            let out = &mut tangent[i];
            out.clear();
            let at = |k: usize| middle.unwrap_or(surface.x0[r.stencil[k] as usize]);
            let (poses, g) = (&dofs.bodies.pose[..], |k: usize| t * r.weight[k]);
            if let Some(pair) = pair {
                pair.gradient((self.dynamics, poses), at, g, dv, out);
            }
            for k in (0..r.points()).filter(|_| pair.is_none()) {
                self.dynamics.gradient(map, poses, r.stencil[k], at(k), g(k), out);
            }
            bound[i] = -t.dot(across);
        }
        let [a, b] = &self.store.tangent;
        rows.push_friction(r.row, mu, [a, b], bound).map(Some)
    }

    /// Slip speed of a contact when the step begins (m/s).
    fn slip_before(&self, r: &Row) -> f64 {
        let surface = &self.store.surface;
        let mut slip = DVec3::zero();
        for k in 0..r.points() {
            slip += surface.v0[r.stencil[k] as usize] * r.weight[k];
        }
        slip -= self.beneath(r, surface.x0[r.stencil[0] as usize]);
        (slip - r.normal * slip.dot(r.normal)).mag()
    }

    /// What moves below a contact point beside vertices (m/s): its plane, and surfaces that move against their bodies.
    fn beneath(&self, r: &Row, at: DVec3) -> DVec3 {
        let Scene { map, dofs: Dofs { bodies, .. }, laws, .. } = self.scene;
        let first = map.body_of(r.stencil[0]);
        let pair = [first, r.bodies[0] ^ r.bodies[1] ^ first];
        let drift = laws.surface_velocities.drift(&bodies.pose, pair, at, r.normal).unwrap_or_default();
        r.plane.map_or(drift, |p| self.plane_velocity(p, at) + drift)
    }

    /// Velocity (m/s) of a plane's body at a point.
    pub fn plane_velocity(&self, plane: u32, at: DVec3) -> DVec3 {
        let (b, bodies) = (plane as usize, &self.scene.dofs.bodies);
        bodies.velocity[b] + bodies.angular_velocity[b].cross(at - bodies.pose[b].position)
    }

    /// Vertices nearer to a plane than the thickness.
    fn planes(&self, out: &mut Vec<Row>) {
        let Scene { map, shapes, laws, dofs, .. } = self.scene;
        let surface = &self.store.surface;
        let box_of = |b: usize| {
            let range = map.range(b);
            Aabb::from_points(&surface.x0[range.clone()]).union(&Aabb::from_points(&surface.x1[range]))
        };
        let mut boxes: Option<Vec<Aabb>> = None;
        for (p, shape) in shapes.0.iter().enumerate() {
            let Shape::Plane { normal, offset } = *shape else { continue };
            let boxes = boxes.get_or_insert_with(|| (0..map.bodies()).map(box_of).collect());
            let [(n0, d0), (n, d)] =
                [&dofs.bodies.pose[p], &self.store.end.pose[p]].map(|pose| world_plane(pose, normal, offset));
            for (b, around) in boxes.iter().enumerate() {
                let bodies = [b.min(p) as u32, b.max(p) as u32];
                let r = self.scene.between(bodies[0], bodies[1]);
                if b == p || !dofs.bodies.kind[b].is_dynamic() || !plane_overlaps(around, n, d + r * BESIDE) {
                    continue;
                }
                let Some((law, sides)) = laws.of(bodies[0], bodies[1]) else { continue };
                let ours = if b < p { Sides::First } else { Sides::Second };
                if sides != Sides::Both && sides != ours {
                    continue;
                }
                for v in map.range(b) {
                    if n.dot(surface.x1[v]) - d < r * BESIDE {
                        let start = n0.dot(surface.x0[v]) - d0;
                        let v = v as u32;
                        out.push(Row {
                            bodies,
                            law,
                            plane: Some(p as u32),
                            order: List::ALL.len() as u8,
                            key: contact_key(p as u32, v),
                            stencil: [v, NONE, NONE, NONE],
                            weight: [1.0, 0.0, 0.0, 0.0],
                            normal: n,
                            offset: d,
                            keeps: r,
                            near: true,
                            start,
                            goal: r,
                            row: 0,
                            next: NONE,
                            friction: None,
                        });
                    }
                }
            }
        }
    }

    /// The contact of a feature pair; `None` where no law lets them meet.
    fn of_features(&self, f: &Found) -> Option<Row> {
        let map = self.scene.map;
        let (a, b) = (map.body_of(f.stencil[0]), map.body_of(f.stencil[3]));
        let bodies = [a.min(b), a.max(b)];
        let (law, _) = self.scene.laws.of(bodies[0], bodies[1])?;
        let Near { weight, normal } = f.near;
        let mut r = Row {
            bodies,
            law,
            plane: None,
            order: f.list as u8,
            key: f.key,
            stencil: f.stencil,
            weight,
            normal,
            offset: 0.0,
            keeps: f.keeps,
            near: false,
            start: 0.0,
            goal: 0.0,
            row: 0,
            next: NONE,
            friction: None,
        };
        let x0 = &self.store.surface.x0;
        r.start = r.gap(x0);
        // A half space at the end may cut what is well apart at the start: that is moved by no recovery. (Layers of cloth that lay on each
        // other were torn apart by rows of one pair with other normals, each of which asked for a little more.)
        let own = bodies[0] == bodies[1];
        // Layers of one body that go around each other's rims without touching are near on the other side; to hold them on the side
        // they came from would be to hold them where they are.
        if own && f.touch.is_none() && r.start < 0.0 {
            return None;
        }
        let inside = !own && r.start < 0.0;
        if inside && r.start < -f.keeps {
            // Held from all sides, as a body in the middle of another is, even standing still would be too much asked for by rounding.
            let size = f.stencil.iter().fold(0.0f64, |s, v| s.max(x0[*v as usize].mag()));
            r.start -= STANDING * f.keeps + ROUNDED * size;
        }
        let apart = distance_squared(f.list, f.stencil.map(|v| x0[v as usize]));
        r.near = inside || apart < f.keeps * f.keeps;
        Some(r)
    }

    /// The answer leads so far away that nothing is to be learned from what lies there: a program that was not solved. (Exact decisions
    /// about coordinates of 1e20 took minutes a step.)
    fn is_lost(&self) -> bool {
        let surface = &self.store.surface;
        let (_, expected) = farthest(&surface.x0, self.scene.predicted);
        let near = farthest(&surface.x0, &surface.x1).1 <= LOST * (expected + widest(self.scene.reach));
        !near
    }

    /// Detects at `dv`; how many rows are new or changed.
    pub fn detect(&mut self, dv: &[DVec3], rows: &mut Rows) -> Result<usize, RowError> {
        self.place(dv);
        if self.is_lost() {
            return Ok(0);
        }
        let mut changed = self.remeasure(dv, rows);
        let mut found = std::mem::take(&mut self.store.found);
        let searched =
            self.search.find(&self.scene, &self.store.surface, &self.store.end.pose, true, &mut found);
        add_inside(self.inside, &self.scene, &self.store.surface.x1, &mut found);
        let mut new: Vec<Row> = Vec::new();
        for f in &found {
            let Some(r) = self.of_features(f) else { continue };
            let lacks = match self.store.of.get(&(r.order, r.key)) {
                None => true,
                Some(&(_, times)) if times >= RETURNS => false,
                Some(&(last, _)) => {
                    let goal = self.store.rows[last as usize].goal;
                    let gap = r.gap(&self.store.surface.x1);
                    f.touch.is_some() || gap < goal.min(self.program.goal(&r)) - SLACK * r.keeps
                }
            };
            if lacks {
                new.push(r);
            }
        }
        self.store.found = found;
        if let Err(e) = searched {
            self.failed = Some(e);
            return Ok(0);
        }
        let from = new.len();
        self.planes(&mut new);
        let mut at = from;
        while at < new.len() {
            if self.store.of.contains_key(&(new[at].order, new[at].key)) {
                new.swap_remove(at);
            } else {
                at += 1;
            }
        }
        new[from..].sort_by_key(|r| r.key);
        for r in new {
            changed += usize::from(self.push(r, dv, rows)?);
        }
        Ok(changed + self.strains(dv, rows)?)
    }
}

impl Detector for Contacts<'_> {
    fn append(&mut self, dv: &[DVec3], rows: &mut Rows) -> Result<usize, RowError> {
        self.detect(dv, rows)
    }

    /// The way is cut where it really leads: after `advance`.
    fn penetrations(&mut self, _dv: &[DVec3], _out: &mut Vec<Penetration>) {}
}

/// The farthest way (m) from a place of `x0` to that of `x1`, and which.
pub(crate) fn farthest(x0: &[DVec3], x1: &[DVec3]) -> (usize, f64) {
    let ways = x0.iter().zip(x1).map(|(a, b)| (*b - *a).mag()).enumerate();
    ways.fold((0, 0.0), |m, (i, w)| if w > m.1 || w.is_nan() { (i, w) } else { m })
}
