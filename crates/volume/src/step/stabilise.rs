//! Positions are moved until the volume is at most V̄ (Algorithm 1, lines 4–9 of seed 002; (18), (19) with erratum V1).
//!
//! Newton's method on the re-measured volumes: each pass solves V + J Δq ≤ V̄ for the smallest Δq in the metric of A, without friction.
//! No velocity and no momentum changes: what overlapped at the start of a run comes apart without a kick. The books have the energy of the
//! places it leads to, as work of corrections. A pass that makes matters worse is halved.

use super::compliance::Compliance;
use super::guard::{Guard, arm};
use super::measure::{OverlapGauge, SharedGauge};
use super::pairs::meet_themselves;
use super::placed::At;
use super::rows::{Contact, Maker};
use super::solve::solve;
use super::tables::{Overlaps, VolumeReport, VolumeSettings};
use impinge_bodies::{
    Before, ContactError, Dofs, Elastic, Forces, Laws, Names, Operator, PairFinder, Shape, Shapes, displace,
};
use impinge_broadphase::Aabb;
use impinge_contact::{Advanced, BodyKind, Ledger, NONE, SurfaceMap};
use impinge_geometry::{DVec3, halt};
use impinge_solvers::Settings;
use impinge_solvers::mlcp::Cone;
use std::sync::PoisonError;

/// Part of V̄ that a volume may be above it: moving positions has no friction, so it is done when it matters.
const SLACK: f64 = 2e-2;
/// Way of a vertex in one pass at most, in half-widths of the smallest body that moves.
const REACH: f64 = 0.5;
/// Half-width of what has nodes, in its [thicknesses](crate::ClosedSurface::thickness), as of a ball or a cube: it has no axes of its own
/// to be measured along, and a box along the world's would differ in a scene turned as a whole.
const HALF: f64 = 1.5;
/// Most that a pass asks for beyond its linear row. Where the contact shrinks as it opens (V ∝ δ² of a round body, δ³ of a corner) Newton's
/// way is a half or two thirds short each time; the last pass has shown by how much.
const BEYOND: f64 = 3.0;
/// Relative residual of a pass: volumes are measured again after it.
const CLOSE: f64 = 1e-6;
/// Part of a contact's own compliance that is added to it. What is deep in each other pushes from all sides at once, and no motion satisfies
/// every cell: this finds a compromise that the next pass goes on from.
const EVEN: f64 = 1e-3;
/// Halvings of a pass that made matters worse.
const HALVINGS: u32 = 4;

/// Moves bodies and nodes apart.
pub struct Stabiliser {
    settings: VolumeSettings,
    gauge: SharedGauge,
    finder: PairFinder,
    guard: Guard,
    compliance: Compliance,
    bounds: Vec<Aabb>,
    found: Vec<([u32; 2], u32)>,
    deep: Vec<Deep>,
    /// The same as constraints, in a pass.
    contacts: Vec<Contact>,
    /// Aims of this step (m³), by contact.
    targets: Vec<f64>,
    /// Mean depth too much before the last pass (m), by bodies and cell.
    last: Vec<Excess>,
    places: Before,
}

/// Where a stabilised step ends, and its books.
pub struct Corrected<'a> {
    /// Poses and nodes as the step was advanced to; they are moved.
    pub advanced: &'a mut Advanced,
    /// Energy of the places it leads to goes here, as work of corrections.
    pub ledger: &'a mut Ledger,
    /// Passes, and what is left.
    pub report: &'a mut VolumeReport,
}

/// Bodies, cell, part.
type Name = ([u32; 2], [i32; 3], u32);

/// A contact's name, and its mean depth above the one aimed at (m).
type Excess = (Name, f64);

/// A contact, and how deep it is.
#[derive(Clone, Copy, Debug)]
struct Deep {
    /// Index of what the gauge looked at.
    looked: usize,
    cell: usize,
    name: Name,
    /// m³.
    volume: f64,
    /// V̄ (m³).
    target: f64,
    /// m².
    area: f64,
    /// m².
    projected_area: f64,
}

/// Volume above what is aimed at, over all contacts.
#[derive(Clone, Copy, Debug, Default)]
struct Left {
    /// Above V̄ (m³).
    volume: f64,
    /// Whose most of it is.
    by: Option<[u32; 2]>,
    total: f64,
    depth: f64,
}

impl Stabiliser {
    /// Empty scratch; names for errors.
    #[must_use]
    pub fn new(settings: VolumeSettings, names: Names) -> Self {
        Self::beside(settings, &OverlapGauge::of_constraints(settings.measure, names))
    }

    /// With the gauge of the step, made by [`OverlapGauge::of_constraints`] with the same settings: it measures no pair again that it measured last, so
    /// the places that one step ends with, where the next one begins, are measured once.
    #[must_use]
    pub fn beside(settings: VolumeSettings, gauge: &OverlapGauge) -> Self {
        Self {
            settings,
            gauge: gauge.gauge.clone(),
            finder: PairFinder::default(),
            guard: Guard::default(),
            compliance: Compliance::default(),
            bounds: Vec::new(),
            found: Vec::new(),
            deep: Vec::new(),
            contacts: Vec::new(),
            targets: Vec::new(),
            last: Vec::new(),
            places: Before::default(),
        }
    }

    /// Overlaps of all pairs at the positions of `advanced`, `again` by the rays of the last look; `None` from a contact is one without a way out.
    fn look(
        &mut self,
        (map, shapes, laws, dofs): (&SurfaceMap, &Shapes, &Laws, &Dofs),
        advanced: &Advanced,
        again: bool,
    ) -> Result<Left, ContactError> {
        let at = At { map, shapes, poses: &advanced.pose, nodes: &advanced.node_x };
        self.bounds.clear();
        let mut gauge = self.gauge.lock().unwrap_or_else(PoisonError::into_inner);
        gauge.begin();
        for (b, shape) in shapes.0.iter().enumerate() {
            self.bounds.push(match shape {
                Shape::Mesh(m) => m.bounds.transformed(&advanced.pose[b]),
                Shape::Soft(_) => gauge.bounds(&at, b),
                Shape::Plane { .. } | Shape::Points { .. } => Aabb::empty(),
            });
        }
        let near = self.finder.find(shapes, laws, dofs, &[&advanced.pose], &self.bounds)?;
        near.extend(meet_themselves(shapes));
        near.sort_unstable();
        self.found.clear();
        self.found.extend(near.iter().filter_map(|&(a, b)| Some(([a, b], laws.of(a, b)?.0))));
        self.deep.clear();
        let mut left = Left::default();
        let looked = gauge.look(&at, self.found.iter().copied(), (false, again))?;
        let mut most = 0.0;
        for (i, pair) in looked.iter().enumerate().filter(|(_, l)| l.overlaps).map(|(i, l)| (i, &l.pair)) {
            left.total += pair.overlap.volume();
            let before = left.volume;
            for cell in pair.cells() {
                let Some(frame) = Maker::way_out(pair, cell) else { continue };
                let c = &pair.overlap.cells()[cell];
                let target = frame.volume_at_depth(self.settings.depth);
                left.depth = left.depth.max(frame.mean_depth);
                left.volume += (c.volume - target * (1.0 + SLACK)).max(0.0);
                self.deep.push(Deep {
                    looked: i,
                    cell,
                    name: (pair.bodies, c.index, c.part),
                    volume: c.volume,
                    target,
                    area: frame.area,
                    projected_area: frame.projected_area,
                });
            }
            if left.volume - before > most {
                (most, left.by) = (left.volume - before, Some(pair.bodies));
            }
        }
        Ok(left)
    }

    /// Makes constraints of what was looked at last, where `advanced` is still.
    fn constrain(&mut self, map: &SurfaceMap, advanced: &Advanced) {
        let (compliance, poses) = (&self.compliance, &advanced.pose);
        let maker =
            Maker { map, compliance, poses, depth: self.settings.depth, friction: None, unknowns: true };
        let gauge = self.gauge.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |d: &Deep| maker.contact(d.looked, &gauge.looked()[d.looked].pair, d.cell);
        self.contacts.clear();
        self.contacts.extend(self.deep.iter().filter_map(of));
    }

    /// Sets the aims for what is left of the way that the step allows (m); `true` when there is more than that to be done.
    fn aim(&mut self, allowed: f64) -> bool {
        // Without a limit on the speed the aim is V̄; with one, what the way allowed does not reach.
        let of = |c: &Deep| c.target.max(c.volume - allowed * c.projected_area);
        self.targets.clear();
        self.targets.extend(self.deep.iter().map(of));
        self.deep.iter().zip(&self.targets).any(|(c, aim)| c.volume > aim * (1.0 + SLACK))
    }

    /// How far beyond its linear row a contact is asked to go: what the last pass fell short of, were it to repeat itself.
    fn beyond(&self, c: &Deep, aim: f64) -> f64 {
        let now = (c.volume - aim) / c.area;
        let Ok(i) = self.last.binary_search_by_key(&c.name, |e| e.0) else { return 1.0 };
        let was = self.last[i].1;
        if was > 0.0 && now > 0.0 && now < was { (was / (was - now)).min(BEYOND) } else { 1.0 }
    }

    fn remember(&mut self, whole: bool) {
        self.last.clear();
        if whole {
            let of = |(c, aim): (&Deep, &f64)| (c.name, (c.volume - aim) / c.area);
            self.last.extend(self.deep.iter().zip(&self.targets).map(of));
        }
    }

    /// Largest step of the blocks that keeps every vertex within reach of what the linear rows say. Sizes are bodies' own, so that a scene
    /// turned as a whole moves alike.
    fn shortened(&self, map: &SurfaceMap, shapes: &Shapes, dofs: &Dofs, motion: &[DVec3]) -> f64 {
        let (mut half, mut way) = (f64::INFINITY, 0.0f64);
        for (b, shape) in shapes.0.iter().enumerate() {
            let at = self.compliance.body[b];
            let (moved, size) = match shape {
                Shape::Mesh(m) if at != NONE && dofs.bodies.kind[b] == BodyKind::Rigid => {
                    let turned = motion[at as usize + 1].mag() * arm(&m.bounds);
                    (motion[at as usize].mag() + turned, m.bounds.half_extent().component_min())
                }
                _ if map.attachment(b).has_nodes() => {
                    let nodes = (0..dofs.nodes.len()).filter(|&n| dofs.nodes.body[n] as usize == b);
                    let far = |m: f64, n: usize| m.max(self.compliance.of_node(n, motion).mag());
                    (nodes.fold(0.0, far), HALF * self.thickness(shapes, b))
                }
                _ => (0.0, 0.0),
            };
            if moved > 0.0 {
                way = way.max(moved);
                half = half.min(size);
            }
        }
        if way > REACH * half { REACH * half / way } else { 1.0 }
    }

    fn thickness(&self, shapes: &Shapes, slot: usize) -> f64 {
        let mut gauge = self.gauge.lock().unwrap_or_else(PoisonError::into_inner);
        gauge.thickness(shapes, slot).unwrap_or(f64::INFINITY)
    }

    /// Two bodies that were asked to go beyond their linear rows have come apart altogether: that was too far.
    fn overshot(&self, beyond: &[[u32; 2]]) -> bool {
        beyond.iter().any(|b| self.deep.binary_search_by_key(b, |c| c.name.0).is_err())
    }

    /// Moves everything by `factor` times the blocks' motion, keeping momenta.
    fn apply(&self, dofs: &Dofs, motion: &[DVec3], factor: f64, advanced: &mut Advanced) {
        for n in 0..dofs.nodes.len() {
            advanced.node_x[n] += self.compliance.of_node(n, motion) * factor;
        }
        for b in 0..dofs.bodies.len() {
            let at = self.compliance.body[b];
            if at == NONE || dofs.bodies.kind[b] != BodyKind::Rigid {
                continue;
            }
            let (by, turn) = (motion[at as usize] * factor, motion[at as usize + 1] * factor);
            if by == DVec3::zero() && turn == DVec3::zero() {
                continue;
            }
            displace(dofs, b, by, turn, advanced);
        }
    }

    /// Moves what overlaps too deep apart, at the end of a step of `dt` (s) in which `overlaps` were answered; returns how many contacts were
    /// looked at last. It keeps every velocity and momentum.
    ///
    /// # Errors
    /// As those of [`crate::OverlapGauge::measure`] and [`crate::VolumeConstraints::solve`].
    pub fn correct(
        &mut self,
        (map, shapes, laws, dofs): (&SurfaceMap, &Shapes, &Laws, &Dofs),
        (elastic, operator, forces): (&Elastic, &mut Operator, &Forces),
        overlaps: &Overlaps,
        dt: f64,
        out: Corrected<'_>,
    ) -> Result<usize, ContactError> {
        let Corrected { advanced, ledger, report } = out;
        self.compliance.lay_out(dofs, elastic);
        let world = (map, shapes, laws, dofs);
        let depth = self.settings.depth;
        self.places.remember(advanced);
        let mut gauge = self.gauge.lock().unwrap_or_else(PoisonError::into_inner);
        report.stopped = self.guard.stop(world, overlaps, &mut gauge, depth, advanced)?;
        drop(gauge);
        // Way out that this step has left (m).
        let mut allowed = self.settings.recovery.map_or(f64::INFINITY, |v| v * dt);
        self.last.clear();
        let mut left = self.look(world, advanced, false)?;
        let solver = Settings { tolerance: CLOSE, max_iterations: self.settings.iterations };
        let mut motion = Vec::new();
        while report.passes < self.settings.passes && allowed > 0.0 && self.aim(allowed) && !halt::asked() {
            // Rows are per area: what is asked of each in metres.
            let mut beyond = Vec::new();
            let free: Vec<[f64; 3]> = (self.deep.iter().zip(&self.targets))
                .map(|(c, aim)| {
                    let by = self.beyond(c, *aim);
                    if by > 1.0 {
                        beyond.push(c.name.0);
                    }
                    [(aim - c.volume) * by / c.projected_area, 0.0, 0.0]
                })
                .collect();
            let cones = vec![Cone::Frictionless; free.len()];
            let mut forces = vec![[0.0; 3]; free.len()];
            motion.clear();
            motion.resize(self.compliance.len(), DVec3::zero());
            self.constrain(map, advanced);
            let (deep, targets) = (&self.deep, &self.targets);
            let over = |i: usize| deep[i].volume > targets[i] * (1.0 + SLACK);
            solve(
                &self.contacts,
                &free,
                &cones,
                (over, |_| false, 0.0),
                &self.compliance,
                (elastic, operator),
                (&solver, EVEN, false),
                &mut forces,
                Some(&mut motion),
            )?;
            let mut factor = self.shortened(map, shapes, dofs, &motion);
            // A shortened pass says nothing about the next.
            self.remember(factor == 1.0 && allowed.is_infinite());
            if motion.iter().all(|m| *m == DVec3::zero()) {
                break;
            }
            let before = (advanced.pose.clone(), advanced.node_x.clone(), advanced.angular_velocity.clone());
            let was = left;
            report.passes += 1;
            let asked = free.iter().fold(0.0, |m: f64, f| m.max(-f[0]));
            for halving in 0..=HALVINGS {
                self.apply(dofs, &motion, factor, advanced);
                left = self.look(world, advanced, true)?;
                if left.volume <= was.volume && !self.overshot(&beyond) || halving == HALVINGS {
                    break;
                }
                advanced.pose.clone_from(&before.0);
                advanced.node_x.clone_from(&before.1);
                advanced.angular_velocity.clone_from(&before.2);
                factor *= 0.5;
                // Nor does a halved one: asked for the same again and more, it overshot again.
                self.last.clear();
            }
            // At a speed: what the passes fell short of is left to the next step.
            allowed -= asked * factor;
        }
        self.places.book((forces, dofs, elastic), advanced, ledger);
        (report.left, report.left_by) = (left.volume, left.by);
        report.volume = left.total;
        report.depth = left.depth;
        Ok(self.deep.len())
    }
}
