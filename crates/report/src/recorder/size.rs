//! How much memory a run takes: its curves and frames, and what writing them takes.

use super::Recorder;
use crate::drawn::{MOST_BYTES, bytes};
use crate::{ContactMark, Met};
use impinge_contact::SurfaceMap;
use impinge_world::{ContactPieces, Dofs, Shapes, Simulation};

/// Of a pair in contact, for each step.
const PAIR: u64 = 32;
/// Of a contact, for each frame: its mark, and now and then what it met.
const MARK: u64 = (size_of::<ContactMark>() + size_of::<Met>() / 4) as u64;
/// Of what is drawn of a body that touches nothing yet, for each frame, where contact has surfaces.
const PIECES: u64 = 4 << 10;
/// The page without anything on it, in memory more than once while it is written.
const PAGE: f64 = 0.8 * (1 << 20) as f64;

/// What a run keeps for its report (bytes).
struct Kept {
    curves: u64,
    poses: u64,
    nodes: u64,
    marks: u64,
    drawn: u64,
}

impl Kept {
    fn sum(&self) -> u64 {
        self.curves + self.poses + self.nodes + self.marks + self.drawn
    }
}

/// What contacts as they are now add (bytes): to a step its pairs, to a frame its marks and what is drawn.
struct Touch {
    pair_bytes: u64,
    mark_bytes: u64,
    drawn_bytes: u64,
}

impl Touch {
    /// A body that moves and touches nothing is taken to have a pair and two contacts.
    fn of(sim: &Simulation) -> Self {
        let (dofs, ledger) = (sim.column::<Dofs>(), sim.ledger());
        let mut alone: Vec<bool> = dofs.bodies.kind.iter().map(|k| k.is_dynamic()).collect();
        for slot in ledger.pairs.a.iter().chain(&ledger.pairs.b) {
            alone[*slot as usize] = false;
        }
        let alone = alone.into_iter().filter(|a| *a).count() as u64;
        let (mut points, mut pieces) = (Vec::new(), ContactPieces::default());
        sim.contact_points(&mut points);
        let marks = points.len() as u64;
        sim.idle_rows(&mut points);
        sim.contact_pieces(&mut pieces);
        let surfaces = sim.parts().any(|p| p.response().pieces().is_some());
        Self {
            pair_bytes: PAIR * (ledger.pairs.len() as u64 + alone),
            mark_bytes: MARK * (marks + 2 * alone),
            drawn_bytes: bytes(pieces.corners.len(), pieces.pieces.len(), points.len())
                + if surfaces { PIECES * alone } else { 0 },
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
    /// curves, frames, contacts and what is drawn of them, and while the report is written its plots, its page and the text of it.
    pub fn expected_peak(&self, sim: &Simulation, steps: u64) -> u64 {
        let (made, framed) = (self.time.len() as u64, self.frames.time.len() as u64);
        let frames = self.frames_of(sim, steps);
        let (mut now, mut end) = (self.known(sim, made, framed), self.known(sim, steps.max(made), frames));
        let pairs = PAIR * self.pairs.values().map(|p| p.samples.len() as u64).sum::<u64>();
        now.curves += pairs;
        now.marks = MARK * self.frames.contacts.iter().map(|c| c.len() as u64).sum::<u64>();
        now.drawn = self.drawn.bytes();
        let (left, to_come) = (steps.saturating_sub(made), frames.saturating_sub(framed));
        let touch = Touch::of(sim);
        end.curves += pairs + left * touch.pair_bytes;
        end.marks = now.marks + to_come * touch.mark_bytes;
        end.drawn = (now.drawn + to_come * touch.drawn_bytes).min(MOST_BYTES);
        // By what runs of 27 scenes here took between their last step and their end: within a tenth of their peaks.
        let triangles: usize =
            sim.column::<Shapes>().0.iter().filter_map(|s| s.triangles()).map(|m| m.triangles().len()).sum();
        let written = PAGE
            + 1.4 * end.curves as f64
            + 3.6 * end.poses as f64
            + 1.9 * end.marks as f64
            + 3.2 * end.drawn as f64
            + self.skin(sim, steps) as f64
            + 76.0 * triangles as f64;
        end.sum().saturating_sub(now.sum()) + written as u64
    }

    /// What is kept of so many steps and frames, but for contacts.
    fn known(&self, sim: &Simulation, steps: u64, frames: u64) -> Kept {
        let lists = 1 + self.energy.len() + self.lost.len() + self.residual.len() + self.depth.len() + 1;
        let lists = lists
            + self.extent.len()
            + self.stage_names.len()
            + self.solver.len()
            + self.effort.len()
            + self.effort_residual.len()
            + self.sensed.lists();
        let nodes: u64 = self.nodes.iter().map(|(b, _)| sim.nodes_of(*b).len() as u64).sum();
        let poses = 28 * sim.names().len() as u64 + self.follow.frame_bytes();
        Kept {
            curves: 8 * steps * lists as u64,
            poses: frames * poses,
            nodes: 24 * frames * nodes,
            marks: 0,
            drawn: 0,
        }
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
