//! How much memory a run takes: its curves and frames, and what writing them takes.

use super::Recorder;
use crate::drawn::{MOST_BYTES, bytes};
use crate::fewer::MOST_MARKS;
use crate::motion_payload::MOST_ROWS;
use crate::plot_payload::most_samples;
use crate::{ContactMark, DrawnFrame, Met};
use impinge_contact::{BodyKind, SurfaceMap};
use impinge_world::{ContactPieces, Dofs, Shapes, Simulation};

/// Of a pair in contact, for each step.
const PAIR: u64 = 32;
/// Of what met: its name, and the table that finds it again.
const MET: u64 = 2 * size_of::<Met>() as u64;
/// Of a number with all its digits and a comma, in a table.
const DIGITS: u64 = 20;
/// Contacts of a body that touches nothing yet: the corners of a box, and the ends of what is in a surface.
const CORNERS: u64 = 4;
const ENDS: u64 = 2;
/// Corners of a polygon that is drawn.
const AROUND: usize = 4;
/// The page without anything on it, in memory more than once while it is written.
const PAGE: f64 = 0.8 * (1 << 20) as f64;
/// How often what the page says is in memory at once: its values, their text, that text made safe, and what these two have grown out of.
const TIMES: f64 = 3.5;

/// What the allocator takes for so many bytes.
fn block(bytes: u64) -> u64 {
    (bytes + 8).next_multiple_of(16)
}

/// What a run keeps for its report (bytes).
struct Kept {
    curves: u64,
    pairs: u64,
    frames: u64,
    marks: u64,
    drawn: u64,
}

impl Kept {
    fn sum(&self) -> u64 {
        self.curves + self.pairs + self.frames + self.marks + self.drawn
    }
}

/// What contacts as they are now add: to a step its pairs, to a frame its marks and what is drawn.
struct Touch {
    pairs: u64,
    /// Pairs that do not touch yet.
    alone: u64,
    marks: u64,
    drawn_bytes: u64,
}

impl Touch {
    /// A body that moves and touches nothing is taken to have a pair and a few contacts.
    fn of(sim: &Simulation) -> Self {
        let (dofs, ledger) = (sim.column::<Dofs>(), sim.ledger());
        let mut alone: Vec<bool> = dofs.bodies.kind.iter().map(|k| k.is_dynamic()).collect();
        for slot in ledger.pairs.a.iter().chain(&ledger.pairs.b) {
            alone[*slot as usize] = false;
        }
        let alone = alone.into_iter().filter(|a| *a).count() as u64;
        let drawn = sim.parts().filter(|p| p.response().pieces().is_some());
        let to_come = drawn.map(|p| p.response().pieces_to_come()).max();
        let surfaces = to_come.is_some();
        let (mut points, mut pieces) = (Vec::new(), ContactPieces::default());
        sim.contact_points(&mut points);
        let marks = points.len() as u64;
        sim.idle_rows(&mut points);
        sim.contact_pieces(&mut pieces);
        Self {
            pairs: ledger.pairs.len() as u64 + alone,
            alone,
            marks: marks + alone * if surfaces { ENDS } else { CORNERS },
            drawn_bytes: bytes(pieces.corners.len(), pieces.pieces.len(), points.len())
                + to_come.map_or(0, |n| bytes(AROUND * n, n, 0)) * alone,
        }
    }
}

impl Recorder {
    /// Bytes that the curves and frames of `steps` steps of `sim` take at the end, from what is known before the first of them: the marks of
    /// contacts and the curves of pairs come to it. Of contact surfaces and the like it counts the most that is kept.
    pub fn expected_bytes(&self, sim: &Simulation, steps: u64) -> u64 {
        let known = self.known(sim, steps, self.frames_of(sim, steps));
        let draws = sim.parts().any(|p| p.response().pieces().is_some() || p.response().has_idle_rows());
        known.sum() + self.skin(sim, steps) + if draws { MOST_BYTES } else { 0 }
    }

    /// Bytes that the rest of a run of `steps` steps takes at its peak beside what the process took so far, if contacts go on as they are now:
    /// curves, frames, contacts and what is drawn of them, and while the report is written its plots, its tables, its page and the text of it.
    pub fn expected_peak(&self, sim: &Simulation, steps: u64) -> u64 {
        let (made, framed) = (self.time.len() as u64, self.frames.time.len() as u64);
        let (all, frames) = (steps.max(made), self.frames_of(sim, steps));
        let (mut now, mut end) = (self.known(sim, made, framed), self.known(sim, all, frames));
        let mark = size_of::<ContactMark>() as u64;
        let marked = self.frames.contacts.iter().map(|c| c.len() as u64).sum::<u64>();
        let met = self.frames.met.len() as u64;
        now.pairs = PAIR * self.pairs.values().map(|p| p.samples.len() as u64).sum::<u64>();
        now.marks = mark * marked + MET * met;
        now.drawn = self.drawn.bytes();
        let (left, to_come) = (steps.saturating_sub(made), frames.saturating_sub(framed));
        let touch = Touch::of(sim);
        let marks = marked + to_come * touch.marks;
        // As many marks as until now name something new; of none, a quarter.
        let names = if marked > 0 { met as f64 / marked as f64 } else { 0.25 };
        end.pairs = now.pairs + left * PAIR * touch.pairs;
        end.marks = mark * marks + (MET as f64 * names * marks as f64) as u64;
        end.drawn = (now.drawn + to_come * touch.drawn_bytes).min(MOST_BYTES);

        // The plots are copies of the curves, each with its times, and of a pair its normal force and its friction in all steps.
        let between = self.pairs.len() as u64 + touch.alone;
        let plots = 7 + 2 * self.effort_residual.len() as u64 + if sim.deformables() > 0 { 2 } else { 0 };
        let copies = end.curves + 8 * all * (plots + 2 * between);
        // Then the curves go, and the longest table is text once.
        let widest = 1 + self.stage_names.len().max(self.lost.len()) as u64;
        let tables = DIGITS * (all * widest.max(1 + 2 * between)).max(frames * 14 * self.follow.bodies());
        // What nodes and surfaces take, by what runs of 27 scenes here took between their last step and their end.
        let triangles: usize =
            sim.column::<Shapes>().0.iter().filter_map(|s| s.triangles()).map(|m| m.triangles().len()).sum();
        let page = PAGE
            + TIMES * self.text(sim, all, frames, marks, between)
            + 3.2 * end.drawn as f64
            + self.skin(sim, steps) as f64
            + 76.0 * triangles as f64;
        let written = (copies + tables.max(page as u64)).saturating_sub(end.curves + end.pairs);
        (end.sum() + copies.max(written)).saturating_sub(now.sum())
    }

    /// What the page says of plots, poses and marks (bytes): numbers as base64.
    fn text(&self, sim: &Simulation, steps: u64, frames: u64, marks: u64, between: u64) -> f64 {
        let kinds = &sim.column::<Dofs>().bodies.kind;
        let moving = kinds.iter().filter(|k| **k != BodyKind::Fixed).count() as u64;
        let followed = self.follow.bodies().min(MOST_ROWS as u64 / frames.max(1));
        let poses = frames * (8 + 20 * moving + 48 * followed);
        // Place, force and depth, what met, and what is not said where no mark of the run has it; before there are any, friction is.
        let marked = || self.frames.contacts.iter().flatten();
        let rubs = u64::from(marked().next().is_none() || marked().any(|c| c.friction != 0.0));
        let lasts = u64::from(marked().any(|c| c.span != [0.0; 2]));
        let numbers = 8 + 2 * rubs + 2 * lasts;
        let marks = marks.min(MOST_MARKS as u64) * (2 * numbers + 2 + rubs);
        // Of each frame and number the least and the step, and how many there are.
        let ranges = frames * (8 * numbers + 10);
        let effort = self.effort.len() as u64;
        let curves = [2 * between, 7, 8, 2, 1, 3, self.stage_names.len() as u64, effort, effort.min(1)];
        // Time and value.
        let plots =
            12 * curves.map(|n| most_samples(n as usize, steps as usize)).iter().sum::<usize>() as u64;
        (poses + marks + ranges + plots) as f64 * 4.0 / 3.0
    }

    /// What is kept of so many steps and frames, but for contacts.
    fn known(&self, sim: &Simulation, steps: u64, frames: u64) -> Kept {
        let lists = 1 + self.energy.len() + self.lost.len() + self.residual.len() + self.depth.len() + 1;
        let lists = lists
            + self.extent.len()
            + self.stage_names.len()
            + if sim.deformables() > 0 { self.solver.len() } else { 0 }
            + self.effort.len()
            + self.effort_residual.len()
            + self.sensed.lists();
        let nodes: u64 = self.nodes.iter().map(|(b, _)| block(24 * sim.nodes_of(*b).len() as u64) + 24).sum();
        // The time, the poses, and the lists of marks and of what is drawn.
        let lists_of_frame = 8 + 24 + 24 + size_of::<DrawnFrame>() as u64;
        let frame = lists_of_frame + block(28 * sim.names().len() as u64) + self.follow.frame_bytes() + nodes;
        Kept { curves: 8 * steps * lists as u64, pairs: 0, frames: frames * frame, marks: 0, drawn: 0 }
    }

    /// Surfaces of what has nodes: placed in all frames when the run is over.
    fn skin(&self, sim: &Simulation, steps: u64) -> u64 {
        let map = sim.column::<SurfaceMap>();
        let vertices: usize = self.nodes.iter().map(|(b, _)| map.range(*b as usize).len()).sum();
        12 * self.frames_of(sim, steps) * vertices as u64
    }

    /// How many frames a run of so many steps has.
    fn frames_of(&self, sim: &Simulation, steps: u64) -> u64 {
        let every = if self.frame_interval > 0.0 { (self.frame_interval / sim.dt()).max(1.0) } else { 1.0 };
        (steps as f64 / every).ceil() as u64 + 1
    }
}
