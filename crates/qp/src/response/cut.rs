//! The way of what would penetrate is cut where it would first touch.
//!
//! The program keeps surfaces apart where the step ends, as far as rows say; here the ways themselves are looked at, by
//! continuous collision detection of the motion that `advance` has made. Positions are cut and velocities are not: nothing
//! acts that is not in the books, and the next step finds the contact. The energy that a way cut short leaves is booked as work of
//! corrections. A pair that touches when the step begins cannot be
//! kept apart by standing still; it is counted.

use super::scene::{Found, Scene};
use super::search::Search;
use super::tables::{QpReport, QpSettings};
use impinge_bodies::{Before, ContactError, Dofs, Elastic, Forces, Laws, Names, Shape, Shapes, world_plane};
use impinge_contact::{Advanced, BodyKind, Ledger, Prediction, Surface, SurfaceMap};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_integrators::rotation_between;
use impinge_swept::{Faces, Reach, SweptCandidates};

/// Passes; in the second half everything that moves is cut alike, in the last it stands still.
const PASSES: u32 = 20;
/// Of the time to the contact, what is gone.
const BEFORE: f64 = 0.9;

/// Vertices of a pair, and the fraction of their way up to which it does not touch.
type Touching = (Vec<u32>, f64);

/// Cuts the motion of a step where it penetrates.
pub struct MotionCut {
    settings: QpSettings,
    search: Search,
    reach: Reach,
    surface: Surface,
    end: Prediction,
    found: Vec<Found>,
    /// Part of its way that each body and each node goes.
    bodies: Vec<f64>,
    nodes: Vec<f64>,
    before: Before,
}

impl MotionCut {
    /// Empty scratch; names for errors.
    #[must_use]
    pub fn new(settings: QpSettings, names: Names) -> Self {
        Self {
            settings,
            search: Search::new(names),
            reach: Reach::default(),
            surface: Surface::default(),
            end: Prediction::default(),
            found: Vec::new(),
            bodies: Vec::new(),
            nodes: Vec::new(),
            before: Before::default(),
        }
    }

    /// Lets the vertices go no farther than `t` of their way.
    fn shorten(&mut self, map: &SurfaceMap, dofs: &Dofs, vertices: &[u32], t: f64) {
        for &v in vertices {
            let b = map.body_of(v) as usize;
            if let Some((nodes, weights)) = map.nodes_of(v) {
                for (&n, w) in nodes.iter().zip(weights) {
                    if w != 0.0 {
                        let f = &mut self.nodes[n as usize];
                        *f = f.min(t);
                    }
                }
            } else if dofs.bodies.kind[b] == BodyKind::Rigid {
                self.bodies[b] = self.bodies[b].min(t);
            }
        }
    }

    /// Pairs that touch on the way, each with the time up to which it does not; and how many touch from the start.
    fn look(&mut self, scene: &Scene<'_>) -> Result<(Vec<Touching>, u32), ContactError> {
        let Scene { map, shapes, laws, dofs, .. } = *scene;
        map.shape(&mut self.surface);
        map.place_all(dofs.bodies.view(), dofs.nodes.view(), &self.end, &mut self.surface);
        self.search.find(scene, &self.surface, &self.end.pose, false, &mut self.found)?;
        let mut out = Vec::new();
        let mut left = 0;
        for f in &self.found {
            match f.touch {
                Some(t) if t > 0.0 => out.push((f.stencil.to_vec(), t)),
                _ => left += 1,
            }
        }
        let x = &self.surface;
        for (p, shape) in shapes.0.iter().enumerate() {
            let Shape::Plane { normal, offset } = *shape else { continue };
            let [(n0, d0), (n, d)] =
                [&dofs.bodies.pose[p], &self.end.pose[p]].map(|pose| world_plane(pose, normal, offset));
            for b in (0..map.bodies()).filter(|&b| b != p && dofs.bodies.kind[b].is_dynamic()) {
                if laws.of(b.min(p) as u32, b.max(p) as u32).is_none() {
                    continue;
                }
                for v in map.range(b) {
                    let (g0, g1) = (n0.dot(x.x0[v]) - d0, n.dot(x.x1[v]) - d);
                    if g1 < 0.0 && g0 > 0.0 {
                        out.push((vec![v as u32], g0 / (g0 - g1)));
                    }
                    left += u32::from(g1 < 0.0 && g0 <= 0.0);
                }
            }
        }
        Ok((out, left))
    }

    /// Cuts `advanced` where it penetrates on its way from `dofs`, and books the energy that this leaves. `listed` and `faces` are those of the
    /// motion that was predicted, to `predicted` (m, surface vertices).
    ///
    /// # Errors
    /// As [`impinge_swept::Finder::find`].
    pub fn cut(
        &mut self,
        (map, shapes, laws, dofs, elastic): (&SurfaceMap, &Shapes, &Laws, &Dofs, &Elastic),
        (listed, faces, predicted): (&SweptCandidates, &Faces, &[DVec3]),
        forces: &Forces,
        advanced: &mut Advanced,
        (report, ledger): (&mut QpReport, &mut Ledger),
    ) -> Result<(), ContactError> {
        let radius = 0.5 * self.settings.thickness;
        let mut by_body = std::mem::take(&mut self.reach);
        let reach = by_body.set(laws, map.bodies(), radius);
        let scene = Scene { map, shapes, laws, dofs, faces, listed, predicted, reach, radius };
        self.search.begin(&scene);
        self.bodies.clear();
        self.bodies.resize(map.bodies(), 1.0);
        self.nodes.clear();
        self.nodes.resize(dofs.nodes.len(), 1.0);
        self.end.pose.clone_from(&advanced.pose);
        self.end.node_x.clone_from(&advanced.node_x);
        for pass in 0..=PASSES {
            let (touching, left) = self.look(&scene)?;
            report.left = left + if pass == PASSES { touching.len() as u32 } else { 0 };
            if touching.is_empty() || pass == PASSES {
                break;
            }
            let part = |t: f64| if pass + 1 == PASSES { 0.0 } else { BEFORE * t };
            let (bodies, nodes) = (self.bodies.clone(), self.nodes.clone());
            for (vertices, t) in &touching {
                // The way looked at is what was left of it.
                let whole = vertices.iter().fold(1.0, |m: f64, &v| {
                    let nodes = map.nodes_of(v).map_or(1.0, |(n, w)| {
                        n.iter()
                            .zip(w)
                            .filter(|(_, w)| *w != 0.0)
                            .fold(1.0, |m: f64, (n, _)| m.min(nodes[*n as usize]))
                    });
                    m.min(nodes).min(bodies[map.body_of(v) as usize])
                });
                self.shorten(map, dofs, vertices, whole * part(*t));
            }
            if 2 * pass >= PASSES {
                let least = self.bodies.iter().chain(&self.nodes).fold(1.0, |m: f64, f| m.min(*f));
                self.bodies.fill(least);
                self.nodes.fill(least);
            }
            // What is pinned goes where its grip goes.
            for p in elastic.system.pins() {
                self.nodes[elastic.nodes[p.node as usize] as usize] = 1.0;
            }
            for (n, &f) in self.nodes.iter().enumerate() {
                if f < 1.0 {
                    let (from, to) = (dofs.nodes.x[n], advanced.node_x[n]);
                    self.end.node_x[n] = if f > 0.0 { from + (to - from) * f } else { from };
                }
            }
            for (b, &f) in self.bodies.iter().enumerate() {
                if f < 1.0 && dofs.bodies.kind[b] == BodyKind::Rigid {
                    self.end.pose[b] = part_of(&dofs.bodies.pose[b], &advanced.pose[b], f);
                }
            }
        }
        self.reach = by_body;
        let shortened = |f: &&f64| **f < 1.0;
        let moved =
            (0..map.bodies()).filter(|&b| self.bodies[b] < 1.0 && dofs.bodies.kind[b] == BodyKind::Rigid);
        report.cut = (moved.count() + self.nodes.iter().filter(shortened).count()) as u32;
        if report.cut > 0 {
            self.before.remember(advanced);
            advanced.pose.clone_from(&self.end.pose);
            advanced.node_x.clone_from(&self.end.node_x);
            self.before.book((forces, dofs, elastic), advanced, ledger);
        }
        Ok(())
    }
}

/// A part of the way from one pose to another.
fn part_of(from: &Pose, to: &Pose, part: f64) -> Pose {
    if part <= 0.0 {
        return *from;
    }
    let turn: DVec3 = rotation_between(from.rotation, to.rotation) * part;
    Pose {
        position: from.position + (to.position - from.position) * part,
        rotation: (rotor_from_rotation_vector(turn) * from.rotation).normalized(),
    }
}
