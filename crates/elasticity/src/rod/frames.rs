//! Building rods with material frames, and moving their base along after a step.

use super::cable::edges;
use super::twist::{Twist, Twists, reference_twist};
use super::{Bends, Section};
use crate::element::{BadElement, check_nodes};
use crate::spring::Springs;
use impinge_geometry::{DVec3, try_normalized};
use std::f64::consts::TAU;

/// The base of one edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Unit tangent.
    pub tangent: DVec3,
    /// Unit direction at right angles to it, from which θ counts.
    pub reference: DVec3,
}

/// `P(a→b) v` for unit a, b and v at right angles to a, made a unit vector at right angles to b again.
fn carry(a: DVec3, b: DVec3, v: DVec3) -> DVec3 {
    let chi = (1.0 + a.dot(b)).max(1e-9);
    let moved = v - (a + b) * (v.dot(b) / chi);
    let flat = moved - b * moved.dot(b);
    try_normalized(flat).unwrap_or_else(|| any_normal(b))
}

/// Some unit vector at right angles to `t`.
fn any_normal(t: DVec3) -> DVec3 {
    let [x, y, z] = [t.x.abs(), t.y.abs(), t.z.abs()];
    let axis = if x <= y && x <= z {
        DVec3::unit_x()
    } else if y <= z {
        DVec3::unit_y()
    } else {
        DVec3::unit_z()
    };
    try_normalized(axis - t * axis.dot(t)).unwrap_or(axis)
}

/// A rod: stretch, bending in two planes and twist.
#[derive(Clone, Debug, PartialEq)]
pub struct Rod {
    /// Stretch, one per edge.
    pub springs: Springs,
    /// Bending and twist, one per inner node.
    pub twists: Twists,
    /// The base of every edge.
    pub frames: Vec<Frame>,
    line: Vec<u32>,
}

impl Rod {
    /// A rod along the nodes `line`, at rest as it lies in `rest_x`, with the angle of edge i in the x component of node
    /// `angles[i]` (extra entries of the position array, zero at rest). `first` points along the first
    /// material axis at the first edge (any direction but the tangent's; a round section does not care); the
    /// frames of the other edges follow by smallest rotations, so the rest shape has no twist.
    ///
    /// # Errors
    /// Fewer than two nodes, as many angles as edges not given, indices out of range, an edge without length, a fold, a
    /// `first` along the tangent, a bad section.
    pub fn new(
        line: &[u32],
        angles: &[u32],
        rest_x: &[DVec3],
        first: DVec3,
        section: &Section,
    ) -> Result<Self, BadElement> {
        section.check()?;
        let edges = edges(line)?;
        if angles.len() != edges.len() {
            return Err(BadElement::batch(format!(
                "{} angle nodes for {} edges; give one for each",
                angles.len(),
                edges.len()
            )));
        }
        let springs = Springs::from_axial_stiffness(&edges, rest_x, section.ea, false)?;
        // Refuses folds, too.
        let bends = Bends::from_line(line, rest_x, 1.0)?;
        let tangents: Vec<DVec3> = edges
            .iter()
            .map(|&[i, j]| {
                let d = rest_x[j as usize] - rest_x[i as usize];
                d / d.mag()
            })
            .collect();
        let flat = first - tangents[0] * first.dot(tangents[0]);
        let reference =
            try_normalized(flat).filter(|_| flat.mag() > 1e-9 * first.mag()).ok_or_else(|| {
                BadElement::batch(
                    "the first material axis lies along the first edge; give one across it".into(),
                )
            })?;
        let mut frames = vec![Frame { tangent: tangents[0], reference }];
        for k in 1..tangents.len() {
            let last = frames[k - 1];
            let reference = carry(last.tangent, tangents[k], last.reference);
            frames.push(Frame { tangent: tangents[k], reference });
        }
        let mut twists = Twists::default();
        for i in 0..bends.len() {
            let nodes = [line[i], line[i + 1], line[i + 2], angles[i], angles[i + 1]];
            check_nodes(i, nodes, rest_x.len())?;
            let per_length = bends.stiffness[i];
            twists.push(Twist {
                nodes,
                base: [frames[i], frames[i + 1]].map(|f| [f.tangent, f.reference]),
                base_twist: 0.0,
                rest: [0.0; 3],
                stiffness: [section.ei[0], section.ei[1], section.gj].map(|s| s * per_length),
            });
            let x = nodes.map(|n| rest_x[n as usize]);
            twists.rest[i] = twists.view().strains(i, &[x[0], x[1], x[2], DVec3::zero(), DVec3::zero()]);
        }
        Ok(Self { springs, twists, frames, line: line.to_vec() })
    }

    /// Moves the base to the positions `x` of an accepted step. Angles keep their values, energy and strains at `x` do
    /// not change. An edge without length keeps its base.
    pub fn commit(&mut self, x: &[DVec3]) {
        let tangents: Vec<DVec3> = (0..self.frames.len())
            .map(|k| {
                let d = x[self.line[k + 1] as usize] - x[self.line[k] as usize];
                try_normalized(d).unwrap_or(self.frames[k].tangent)
            })
            .collect();
        for i in 0..self.twists.len() {
            let m = reference_twist(&self.twists.base[i], [tangents[i], tangents[i + 1]]);
            self.twists.base_twist[i] = m + TAU * libm::round((self.twists.base_twist[i] - m) / TAU);
        }
        for (frame, &t) in self.frames.iter_mut().zip(&tangents) {
            *frame = Frame { tangent: t, reference: carry(frame.tangent, t, frame.reference) };
        }
        for i in 0..self.twists.len() {
            self.twists.base[i] = [self.frames[i], self.frames[i + 1]].map(|f| [f.tangent, f.reference]);
        }
    }

    /// The material axis m₁ of edge `k` at positions and angles `x`.
    #[must_use]
    pub fn material_axis(&self, k: usize, x: &[DVec3], angle: f64) -> DVec3 {
        let frame = self.frames[k];
        let d = x[self.line[k + 1] as usize] - x[self.line[k] as usize];
        let t = try_normalized(d).unwrap_or(frame.tangent);
        let d1 = carry(frame.tangent, t, frame.reference);
        let (s, c) = libm::sincos(angle);
        d1 * c + t.cross(d1) * s
    }
}
