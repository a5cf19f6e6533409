//! Follows a simulation and turns it into a [`RunRecord`]: curves per step, frames per interval.
//!
//! Everything is read from the ledger and the state between steps. What a failed or interrupted run computed
//! before it ended is all there.

mod effort;
mod fields;
mod follow;
mod met;
mod plots;
mod sensed;
mod size;

use self::effort::{efforts, measure, solver_parameters};
use self::follow::Follow;
use self::met::{hold, met_name};
use self::sensed::Sensed;
use crate::drawn::DrawnTrack;
use crate::fewer::{MOST_MARKS, keep_strongest};
use crate::shapes::{f32x3, pose7, shapes};
use crate::{ContactMark, DrawnFrame, Frames, Met, Patch, PointTrack, RunRecord};
use impinge_contact::SurfaceMap;
use impinge_geometry::DVec3;
use impinge_world::{ContactPieces, ContactPoint, Dofs, Effort, NodeState, Operator, Simulation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Curves of one body pair; steps without contact are zero.
#[derive(Default, Serialize, Deserialize)]
struct PairCurves {
    /// (row, normal, friction, pressed) in N for the rows with contact.
    samples: Vec<(u32, f64, f64, f64)>,
}

/// Collects a run step by step. With serde (a binary format, or one that knows NaN) it goes into a file and back, so that a run that was
/// cut off can go on with its curves; see [`Recorder::check`].
#[derive(Serialize, Deserialize)]
pub struct Recorder {
    frame_interval: f64,
    next_frame: f64,
    time: Vec<f64>,
    energy: [Vec<f64>; 7],
    lost: [Vec<f64>; 8],
    residual: [Vec<f64>; 3],
    depth: [Vec<f64>; 2],
    contacts: Vec<f64>,
    /// Area of the contacts (m²; of rows what they stand for, which is not shown), volume both bodies claim (m³).
    extent: [Vec<f64>; 2],
    pairs: BTreeMap<(u32, u32), PairCurves>,
    stage_names: Vec<String>,
    stage_seconds: Vec<Vec<f64>>,
    stage_items: Vec<f64>,
    frames: Frames,
    #[serde(skip)]
    points: Vec<ContactPoint>,
    #[serde(skip)]
    pieces: ContactPieces,
    drawn: DrawnTrack,
    pair_row: BTreeMap<(u32, u32), u32>,
    met_row: BTreeMap<Met, u32>,
    /// Newton and linear iterations, largest residual of the implicit steps; empty without deformables.
    solver: [Vec<f64>; 3],
    /// What each response took that solves something, by [`effort::Effort::counts`] one after the other, and its residual.
    effort: Vec<Vec<f64>>,
    effort_residual: Vec<Vec<f64>>,
    /// Node positions of each frame, of bodies with nodes (m); the surface is placed at the end, when it is known
    /// what was cut.
    nodes: Vec<(u32, Vec<Vec<DVec3>>)>,
    /// Changes of topology that `nodes` has followed.
    edits: usize,
    follow: Follow,
    sensed: Sensed,
}

fn counts_of(efforts: &[&Effort]) -> usize {
    efforts.iter().map(|e| e.counts.len()).sum()
}

impl Recorder {
    /// Starts before the first step; the initial state is frame 0. `frame_interval` in seconds. Swap responses before,
    /// not during: the stage times are named by the pipeline found here.
    pub fn new(sim: &Simulation, frame_interval: f64) -> Self {
        let stage_names: Vec<String> = sim.pipeline.costs().map(|(n, _)| n).collect();
        let mut r = Self {
            frame_interval,
            next_frame: 0.0,
            time: Vec::new(),
            energy: Default::default(),
            lost: Default::default(),
            residual: Default::default(),
            depth: Default::default(),
            contacts: Vec::new(),
            extent: Default::default(),
            pairs: BTreeMap::new(),
            stage_seconds: vec![Vec::new(); stage_names.len()],
            stage_items: vec![0.0; stage_names.len()],
            stage_names,
            frames: Frames::default(),
            points: Vec::new(),
            pieces: ContactPieces::default(),
            drawn: DrawnTrack::default(),
            pair_row: BTreeMap::new(),
            met_row: BTreeMap::new(),
            solver: Default::default(),
            effort: vec![Vec::new(); counts_of(&efforts(sim))],
            effort_residual: vec![Vec::new(); efforts(sim).len()],
            nodes: Vec::new(),
            edits: 0,
            follow: Follow::new(sim),
            sensed: Sensed::new(sim),
        };
        r.frame(sim);
        // Every step is asked, and not those alone that will be frames: a run may end at any of them, and its last state is drawn.
        sim.ask_drawing(true);
        r
    }

    /// Steps recorded.
    pub fn steps(&self) -> usize {
        self.time.len()
    }

    /// Is this the record of `sim` up to where it stands? To be asked of one that was read from a file.
    ///
    /// # Errors
    /// What differs: the number of steps, the stages, or what is counted of a solve.
    pub fn check(&self, sim: &Simulation) -> Result<(), String> {
        let stages: Vec<String> = sim.pipeline.costs().map(|(n, _)| n).collect();
        if self.stage_names != stages {
            return Err("the curves are of a pipeline with other stages".to_string());
        }
        // Another version may count other things.
        if self.effort.len() != counts_of(&efforts(sim)) {
            return Err("what a solve took is counted otherwise there".to_string());
        }
        if !self.sensed.fits(sim) {
            return Err("the curves are of other sensors".to_string());
        }
        if self.time.len() as u64 != sim.steps() {
            return Err(format!("the curves hold {} steps, the state {}", self.time.len(), sim.steps()));
        }
        sim.ask_drawing(true);
        Ok(())
    }

    /// Takes in the step just made.
    pub fn capture(&mut self, sim: &Simulation) {
        let row = self.time.len() as u32;
        let ledger = sim.ledger();
        let (e, m, dt) = (ledger.energy, ledger.momentum, sim.dt());
        self.time.push(sim.time());
        for (curve, value) in self.energy.iter_mut().zip([
            e.translational,
            e.rotational,
            e.gravity,
            e.anchors,
            e.elastic,
            e.contact,
            e.total(),
        ]) {
            curve.push(value);
        }
        // The normal work stores and returns elastic energy; the curve is its running sum.
        for (curve, value) in self.lost.iter_mut().zip([
            e.work_normal,
            e.work_friction,
            e.work_drag,
            e.work_anchor_damping,
            e.work_driven,
            e.work_elastic,
            e.work_corrections,
            e.work_applied,
        ]) {
            let before = curve.last().copied().unwrap_or(0.0);
            curve.push(before + value);
        }
        let relative = |v: DVec3, scale: f64| if scale > 0.0 { v.mag() / scale } else { 0.0 };
        for (curve, value) in self.residual.iter_mut().zip([
            relative(m.linear_residual, m.linear_scale),
            relative(m.angular_residual, m.angular_scale),
            relative(m.predicted_leak, m.angular_scale),
        ]) {
            curve.push(value);
        }
        let p = ledger.pairs.view();
        // The sum of nothing is −0.
        self.extent[0].push(0.0 + p.area.iter().sum::<f64>());
        self.extent[1].push(0.0 + p.volume.iter().sum::<f64>());
        let (mut deepest, mut depth_sum, mut count) = (0.0f64, 0.0, 0u32);
        for i in 0..p.len() {
            let curves = self.pairs.entry((p.a[i], p.b[i])).or_default();
            curves.samples.push((row, p.normal[i].mag() / dt, p.friction[i].mag() / dt, p.pressed[i] / dt));
            deepest = deepest.max(p.depth_max[i]);
            depth_sum += p.depth_mean[i] * f64::from(p.contacts[i]);
            count += p.contacts[i];
        }
        self.depth[0].push(deepest);
        self.depth[1].push(if count > 0 { depth_sum / f64::from(count) } else { 0.0 });
        self.contacts.push(f64::from(count));
        drop(ledger);
        if sim.deformables() > 0 {
            let op = sim.column::<Operator>();
            let (p, r) = (op.predicted, op.responded);
            let values =
                [f64::from(p.newton + r.newton), f64::from(p.linear + r.linear), p.residual.max(r.residual)];
            self.solver.iter_mut().zip(values).for_each(|(curve, value)| curve.push(value));
        }
        let mut curves = self.effort.iter_mut();
        for ((counts, residual), left) in sim.parts().filter_map(measure).zip(&mut self.effort_residual) {
            curves.by_ref().zip(counts).for_each(|(curve, value)| curve.push(value));
            left.push(residual);
        }
        for (k, cost) in sim.pipeline.raw_costs().enumerate() {
            if let Some(seconds) = self.stage_seconds.get_mut(k) {
                seconds.push(cost.seconds);
                self.stage_items[k] += cost.items as f64;
            }
        }
        self.follow.step(sim);
        self.sensed.step(sim);
        if sim.time() >= self.next_frame - 0.5 * dt {
            self.frame(sim);
        }
    }

    fn frame(&mut self, sim: &Simulation) {
        self.next_frame += self.frame_interval;
        let (dofs, nodes, dt) = (sim.column::<Dofs>(), sim.column::<NodeState>(), sim.dt());
        let bodies = dofs.bodies.len() as u32;
        self.frames.time.push(sim.time());
        self.follow.frame(sim);
        self.frames.poses.push((0..bodies).map(|s| pose7(&sim.pose(s))).collect());
        self.follow_edits(sim);
        let loose = (0..bodies).filter(|&b| dofs.bodies.kind[b as usize].has_nodes());
        for (track, b) in loose.enumerate() {
            if self.nodes.len() == track {
                self.nodes.push((b, Vec::new()));
            }
            self.nodes[track].1.push(nodes.x[sim.nodes_of(b)].to_vec());
        }
        sim.contact_points(&mut self.points);
        let mut marks = Vec::with_capacity(self.points.len());
        // The first frame is before any step: no contact has been computed.
        let finite = |c: &ContactPoint| c.force.mag_sq().is_finite() && c.point.mag_sq().is_finite();
        // The arrow belongs to the body it moves: a floor's push on a ball, not the ball's on the floor.
        let moves = |b: u32| dofs.bodies.kind[b as usize].is_dynamic();
        let (pair_row, pairs) = (&mut self.pair_row, &mut self.frames.pairs);
        let mut row_of = |a: u32, b: u32| {
            let (first, second) = if moves(b) && !moves(a) { (b, a) } else { (a, b) };
            let next = pair_row.len() as u32;
            let pair = *pair_row.entry((first, second)).or_insert(next);
            if pair == next {
                pairs.push([first, second]);
            }
            (pair, first)
        };
        let (met_row, met, coefficients) =
            (&mut self.met_row, &mut self.frames.met, &mut self.frames.friction);
        let constrains = |c: &ContactPoint| sim.response_of(c.a, c.b).has_multipliers();
        let mut mark = |c: &ContactPoint| {
            let (pair, first) = row_of(c.a, c.b);
            let on_first = if c.on == first { c.force } else { -c.force };
            coefficients.resize(coefficients.len().max(pair as usize + 1), [0.0; 2]);
            if c.mu != [0.0; 2] {
                coefficients[pair as usize] = c.mu.map(|x| x as f32);
            }
            let met = c.features.map(|f| {
                let name = met_name(f, pair, c.on != first);
                let next = met.len() as u32;
                *met_row.entry(name).or_insert_with(|| {
                    met.push(name);
                    next
                })
            });
            ContactMark {
                point: f32x3(c.point),
                force: f32x3(on_first),
                pair,
                depth: c.depth as f32,
                multiplier: if constrains(c) { c.multiplier as f32 } else { 0.0 },
                span: c.span.map_or([0.0; 2], |s| s.map(|t| t as f32)),
                normal: (c.multiplier / dt) as f32,
                friction: c.friction as f32,
                hold: hold(c.grip),
                met,
            }
        };
        marks.extend(self.points.iter().filter(|c| sim.steps() > 0 && finite(c)).map(&mut mark));
        self.frames.contacts.push(marks);

        let frame = self.frames.time.len() as u32 - 1;
        if self.drawn.wants(frame) {
            let mut drawn = DrawnFrame { frame, ..DrawnFrame::default() };
            if sim.steps() > 0 {
                sim.idle_rows(&mut self.points);
                drawn.idle.extend(self.points.iter().filter(|c| finite(c)).map(&mut mark));
                sim.contact_pieces(&mut self.pieces);
                drawn.corners.extend(self.pieces.corners.iter().map(|c| f32x3(*c)));
                drawn.patches.extend(self.pieces.pieces.iter().map(|p| Patch {
                    pair: row_of(p.a, p.b).0,
                    corners: p.count,
                    pressure: p.pressure as f32,
                }));
            }
            self.drawn.push(drawn);
        }
    }

    /// The record: shapes, frames, plots and stage times. Title, scene, parameters, checks and status are the
    /// caller's to add.
    pub fn finish(mut self, sim: &Simulation) -> RunRecord {
        let names = sim.names();
        // A run that ended between two frames: its last state is where one looks first.
        if self.frames.time.last().is_none_or(|&t| t < sim.time()) {
            self.frame(sim);
        }
        self.place_surfaces(sim);
        let (drawn, thinned) = std::mem::take(&mut self.drawn).finish();
        self.frames.drawn = drawn;
        let fewer = keep_strongest(&mut self.frames, MOST_MARKS);
        let plots = self.plots(names, sim);
        let stages = self.stages();
        let (motion, unfollowed) = self.follow.finish(names);
        RunRecord {
            response: sim.parts().map(|p| p.response().name()).collect::<Vec<_>>().join(" + "),
            dt: sim.dt(),
            steps: sim.steps(),
            state_hash: format!("{:016x}", sim.hash()),
            bodies: shapes(sim),
            frames: self.frames,
            plots,
            motion,
            stages,
            parameters: solver_parameters(sim),
            notes: (sim.suggested_laws().into_iter())
                .chain(fields::note(sim))
                .chain(self.sensed.note())
                .chain(thinned)
                .chain(fewer)
                .chain(unfollowed)
                .collect(),
            ..RunRecord::default()
        }
    }

    /// Frames from before a cut are drawn with the triangles of after: the faces of the cut lie on each other there.
    fn follow_edits(&mut self, sim: &Simulation) {
        for (edit, map) in sim.edits().iter().zip(sim.node_maps()).skip(self.edits) {
            if let Some((_, frames)) = self.nodes.iter_mut().find(|t| t.0 == edit.slot) {
                frames.iter_mut().for_each(|x| *x = map.carry(x));
            }
        }
        self.edits = sim.edits().len();
    }

    /// Surfaces of all frames from the nodes kept, through the surface map as it is now.
    fn place_surfaces(&mut self, sim: &Simulation) {
        self.follow_edits(sim);
        let (map, all) = (sim.column::<SurfaceMap>(), sim.column::<NodeState>());
        let mut pooled = vec![DVec3::zero(); all.x.len()];
        for (body, frames) in std::mem::take(&mut self.nodes) {
            let range = sim.nodes_of(body);
            let mut place = |x: Vec<DVec3>| {
                pooled[range.clone()].iter_mut().zip(&x).for_each(|(to, x)| *to = *x);
                let vertices = map.range(body as usize).filter_map(|v| map.at_nodes(v as u32, &pooled));
                vertices.map(f32x3).collect()
            };
            let positions = frames.into_iter().map(&mut place).collect();
            self.frames.points.push(PointTrack { body, positions });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_contact::PairLaw;
    use impinge_world::{BodyDesc, Response};

    #[test]
    fn a_record_with_another_number_of_counts_is_refused() {
        let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
        let law = PairLaw::elastic(1.0);
        let sim = Simulation::builder(0.01).law(law).response(Response::qp()).body(floor).build().unwrap();
        let mut recorder = Recorder::new(&sim, 0.01);
        recorder.check(&sim).unwrap();
        recorder.effort.pop().unwrap();
        let e = recorder.check(&sim).unwrap_err();
        assert!(e.contains("counted otherwise"), "{e}");
    }
}
