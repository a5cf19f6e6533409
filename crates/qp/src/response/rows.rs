//! Rows of the contacts found, and the detector that finds them again at each answer (Algorithm 1, step 2).
//!
//! A contact is a half space in the positions at the end: `n · Σ wᵢ xᵢ − offset ≥ goal`. What the goal is depends on the program
//! (`program.rs`): velocities keep what is there, places move apart what is too near.
//!
//! Nodes move straight and their rows are exact. A rigid body turns on, and its row is corrected at each answer by what the
//! turn makes of it.

use super::built::Built;
use super::dynamics::Dynamics;
use super::inside::{Inside, add_inside};
use super::low::Low;
use super::near::Near;
use super::program::Program;
use super::row::Row;
use super::scene::{BESIDE, Found, HELD, Scene, distance_squared, farthest};
use super::search::Search;
use super::strain::Strains;
use crate::{Detector, OuterReport, Penetration, RowError, RowKind, Rows};
use impinge_bodies::{ContactError, Elastic, Limited, Shape, world_plane};
use impinge_broadphase::{Aabb, plane_overlaps};
use impinge_contact::{BodyKind, NONE, Prediction, Sides, Surface, contact_key, par};
use impinge_geometry::DVec3;
use impinge_integrators::{Grip, Pin};
use impinge_swept::{List, widest};

/// How often a pair may come back from another direction in one step.
const RETURNS: u32 = 8;
/// Times the farthest way predicted and the thickness that an answer may lead to be looked at.
const LOST: f64 = 1e4;
/// Part of the thickness that the surfaces of a pair which has a row may lack before it gets another.
const SLACK: f64 = 0.01;
/// Of the distance that they keep, and of the coordinates: what may be lost by those that are farther in than the search looks.
const STANDING: f64 = 1e-11;
const ROUNDED: f64 = 1e-14;
/// Rows per parallel chunk.
const CHUNK: usize = 64;

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
    of: Known,
    found: Vec<Found>,
    /// Contacts of what was found, those of them that are new, and what their rows say.
    contacts: Vec<Option<Row>>,
    new: Vec<Row>,
    built: Vec<Built>,
    pub low: Low,
    pub end: Prediction,
    pub surface: Surface,
    pub strains: Strains,
    pub gradient: Vec<(u32, DVec3)>,
}

/// Last row and number of rows of each pair by list and key, ascending.
#[derive(Default)]
struct Known(Vec<((u8, u64), (u32, u32))>);

impl Known {
    /// Looks at place `guess` first: what is found again is mostly found in the same order.
    fn get(&self, key: (u8, u64), guess: usize) -> Option<(u32, u32)> {
        let guessed = self.0.get(guess).filter(|k| k.0 == key);
        guessed.or_else(|| self.0.binary_search_by_key(&key, |k| k.0).ok().map(|i| &self.0[i])).map(|k| k.1)
    }

    /// Of a pair without a row [`NONE`], 0. Most come in their order.
    fn entry(&mut self, key: (u8, u64)) -> &mut (u32, u32) {
        let last = self.0.last().is_none_or(|k| k.0 < key);
        let at = if last { Err(self.0.len()) } else { self.0.binary_search_by_key(&key, |k| k.0) };
        let at = at.unwrap_or_else(|at| {
            self.0.insert(at, (key, (NONE, 0)));
            at
        });
        &mut self.0[at].1
    }
}

impl Store {
    /// For a step with this many edges with limits.
    pub fn begin(&mut self, limited: usize) {
        self.rows.clear();
        self.low.clear();
        self.of.0.clear();
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

    fn goal(&self, r: &Row) -> f64 {
        self.store.low.goal(&self.program, r, &self.scene, &self.store.surface.x0)
    }

    /// Adds a contact with its friction; `false` where nothing of it can be moved.
    pub fn push(&mut self, mut r: Row, dv: &[DVec3], rows: &mut Rows) -> Result<bool, RowError> {
        r.goal = self.goal(&r);
        let mut built = std::mem::take(&mut self.store.built);
        if built.is_empty() {
            built.push(Built::default());
        }
        self.build(&r, dv, &mut built[0]);
        let added = self.enter(r, &built[0], rows);
        self.store.built = built;
        added
    }

    /// Adds contacts in their order; how many of them something can be moved of. What a row says depends on none of the others.
    fn push_all(&mut self, new: &mut [Row], dv: &[DVec3], rows: &mut Rows) -> Result<usize, RowError> {
        self.store.low.note(&self.program, &self.scene, new);
        new.iter_mut().for_each(|r| r.goal = self.goal(r));
        let mut built = std::mem::take(&mut self.store.built);
        if built.len() < new.len() {
            built.resize_with(new.len(), Built::default);
        }
        let this = &*self;
        par::fill(&mut built[..new.len()], CHUNK, |i, b| this.build(&new[i], dv, b));
        let mut added = 0;
        for (r, b) in new.iter().zip(&built) {
            added += usize::from(self.enter(*r, b, rows)?);
        }
        self.store.built = built;
        Ok(added)
    }

    fn enter(&mut self, mut r: Row, built: &Built, rows: &mut Rows) -> Result<bool, RowError> {
        if built.gradient.is_empty() {
            return Ok(false);
        }
        r.row = rows.push(RowKind::Contact, r.key, built.bound, &built.gradient)?;
        rows.set_rounding(r.row as usize, built.rounding);
        if let Some((mu, bound)) = built.friction {
            let [a, b] = &built.tangent;
            r.friction = rows.push_friction(r.row, mu, [a, b], bound).map(Some)?;
            r.slip_normal = built.slip_normal;
        }
        r.next = NONE;
        let place = self.store.rows.len() as u32;
        let (last, times) = self.store.of.entry((r.order, r.key));
        if let Some(before) = self.store.rows.get_mut(*last as usize) {
            before.next = place;
        }
        (*last, *times) = (place, *times + 1);
        self.store.rows.push(r);
        Ok(true)
    }

    /// Vertices nearer to a plane than the thickness, but for those that have a row.
    fn planes(&self, out: &mut Vec<Row>) {
        let Scene { map, shapes, laws, dofs, .. } = self.scene;
        let surface = &self.store.surface;
        let box_of = |b: usize| {
            let range = map.range(b);
            Aabb::from_points(&surface.x0[range.clone()]).union(&Aabb::from_points(&surface.x1[range]))
        };
        let mut boxes: Option<Vec<Aabb>> = None;
        let order = List::ALL.len() as u8;
        let mut place = self.store.of.0.partition_point(|k| k.0.0 < order);
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
                    let (start, end) = (n0.dot(surface.x0[v]) - d0, n.dot(surface.x1[v]) - d);
                    let held = if start < r * BESIDE { HELD } else { 1.0 };
                    if end < r * BESIDE * held {
                        let v = v as u32;
                        let key = contact_key(p as u32, v);
                        if self.store.of.get((order, key), place).is_some() {
                            place += 1;
                            continue;
                        }
                        out.push(Row {
                            bodies,
                            law,
                            plane: Some(p as u32),
                            order,
                            key,
                            stencil: [v, NONE, NONE, NONE],
                            weight: [1.0, 0.0, 0.0, 0.0],
                            normal: n,
                            slip_normal: n,
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

    /// The contact of a feature pair; `None` where no law lets them meet, or a row that they have holds them. It is mostly at place `guess` of those
    /// with rows.
    fn of_features(&self, f: &Found, guess: usize) -> Option<Row> {
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
            slip_normal: normal,
            offset: 0.0,
            keeps: f.keeps,
            near: false,
            start: 0.0,
            goal: 0.0,
            row: 0,
            next: NONE,
            friction: None,
        };
        let known = self.store.of.get((r.order, r.key), guess);
        let gap = r.gap(&self.store.surface.x1);
        let holds = |last: u32| gap >= self.store.rows[last as usize].goal - SLACK * r.keeps;
        if known.is_some_and(|(last, times)| times >= RETURNS || f.touch.is_none() && holds(last)) {
            return None;
        }
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
        r.near = inside || distance_squared(f.list, f.stencil.map(|v| x0[v as usize])) < f.keeps * f.keeps;
        let lacks = known.is_none() || f.touch.is_some() || gap < self.goal(&r) - SLACK * r.keeps;
        lacks.then_some(r)
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
        let mut contacts = std::mem::take(&mut self.store.contacts);
        contacts.clear();
        contacts.resize(found.len(), None);
        let this = &*self;
        par::fill(&mut contacts, CHUNK, |i, r| *r = this.of_features(&found[i], i));
        let mut new = std::mem::take(&mut self.store.new);
        new.clear();
        new.extend(contacts.iter().flatten());
        (self.store.found, self.store.contacts) = (found, contacts);
        if let Err(e) = searched {
            self.failed = Some(e);
            return Ok(0);
        }
        let from = new.len();
        self.planes(&mut new);
        new[from..].sort_by_key(|r| r.key);
        changed += self.push_all(&mut new, dv, rows)?;
        self.store.new = new;
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
