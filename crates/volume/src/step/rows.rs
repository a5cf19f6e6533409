//! Rows of the contacts: (17) and (21) of seed 002 with J = −∂V/∂q (erratum V1), through rigid bodies and through nodes.
//!
//! A row is divided by the contact's area, so that its multiplier is an impulse (N·s) and its velocity one in m/s whatever the size of
//! the cell; the pressure of (16) is the multiplier over area and step.
//!
//! Bodies that take wrenches get exactly opposite ones about the contact's point. The volume's gradient has that by itself, but for
//! rounding, and for layered depth images (which translate with the bodies, but do not turn) but for the pixels.

use super::compliance::{Compliance, Row, merge};
use super::tables::MeasuredPair;
use crate::{ContactFrame, FrictionAt, RigidRow, friction_rows, normal_row};
use impinge_bodies::{Dofs, Laws};
use impinge_contact::{NONE, Prediction, SurfaceMap, SurfaceVelocities};
use impinge_geometry::{DVec3, Pose, bent, is_finite, shared_spin};

/// Below this share of Σ‖∂V/∂p‖ the pushes on a body say nothing about a way out: it is pierced or inside.
const NO_WAY_OUT: f64 = 1e-3;
/// Part of the push on one body that the other's may lack: cells so small that no ray saw how their walls are shared.
pub(crate) const UNEQUAL: f64 = 1e-6;

/// One cell as a constraint.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    /// Index of the measured pair.
    pub pair: usize,
    pub bodies: [u32; 2],
    pub cell: usize,
    pub index: [i32; 3],
    /// Of a body with itself: which place.
    pub part: u32,
    pub frame: ContactFrame,
    /// m³.
    pub volume: f64,
    /// V̄ (m³).
    pub target: f64,
    /// Of both sides about the frame's centre: normal, t₁, t₂.
    pub sides: [[RigidRow; 3]; 2],
    /// The same over the unknowns.
    pub rows: [Row; 3],
}

/// What rows are made from.
pub(crate) struct Maker<'a> {
    pub map: &'a SurfaceMap,
    pub compliance: &'a Compliance,
    /// Where the overlap was measured.
    pub poses: &'a [Pose],
    pub depth: f64,
    /// Where friction acts; `None` without friction rows.
    pub friction: Option<FrictionAt>,
    /// Rows over the unknowns are asked for.
    pub unknowns: bool,
}

impl Maker<'_> {
    /// The frame of a cell, or `None` where there is no way out.
    #[must_use]
    pub fn way_out(measured: &MeasuredPair, cell: usize) -> Option<ContactFrame> {
        let frame = measured.frames[cell]?;
        let push: f64 = (0..2)
            .map(|s| measured.overlap.gradient(cell, s).1.iter().map(|g| g.mag()).sum::<f64>())
            .fold(f64::INFINITY, f64::min);
        let total =
            |side: usize| measured.overlap.gradient(cell, side).1.iter().fold(DVec3::zero(), |s, g| s + *g);
        let lacks = (total(0) + total(1)).mag();
        let known = frame.projected_area > NO_WAY_OUT * push && lacks <= UNEQUAL * frame.projected_area;
        (known && is_finite(frame.center) && frame.area.is_finite()).then_some(frame)
    }

    /// The constraint of a cell, or `None` where there is no way out.
    #[must_use]
    pub fn contact(&self, pair: usize, measured: &MeasuredPair, cell: usize) -> Option<Contact> {
        let frame = Self::way_out(measured, cell)?;
        let bodies = measured.bodies;
        let soft = bodies.map(|b| self.map.attachment(b as usize).has_nodes());
        let mut sides = [[RigidRow::default(); 3]; 2];
        for (side, rows) in sides.iter_mut().enumerate() {
            rows[0] = scaled(
                normal_row(&measured.overlap, cell, side, &measured.x[side], frame.center),
                frame.projected_area,
            );
        }
        sides_opposite(&mut sides, 0, soft);
        if let Some(at) = self.friction {
            self.tangents(measured, cell, &frame, at, soft, &mut sides);
        }
        let mut rows = [Row::new(), Row::new(), Row::new()];
        let wanted = match self.friction {
            _ if !self.unknowns => 0,
            Some(_) => 3,
            None => 1,
        };
        for (k, row) in rows.iter_mut().enumerate().take(wanted) {
            for side in 0..2 {
                if soft[side] {
                    self.vertices(measured, cell, side, &frame, k, |v, g| {
                        self.compliance.add_vertex(self.map, v, g, row);
                    });
                } else if self.compliance.body[bodies[side] as usize] != NONE {
                    let at = self.poses[bodies[side] as usize].position;
                    self.compliance.add_body(bodies[side], &about(&sides[side][k], frame.center - at), row);
                }
            }
            merge(row);
        }
        let c = &measured.overlap.cells()[cell];
        let target = frame.volume_at_depth(self.depth);
        Some(Contact {
            pair,
            bodies,
            cell,
            index: c.index,
            part: c.part,
            frame,
            volume: c.volume,
            target,
            sides,
            rows,
        })
    }

    /// Friction rows of both sides about the frame's centre.
    fn tangents(
        &self,
        measured: &MeasuredPair,
        cell: usize,
        frame: &ContactFrame,
        at: FrictionAt,
        soft: [bool; 2],
        sides: &mut [[RigidRow; 3]; 2],
    ) {
        for (k, &t) in frame.tangents.iter().enumerate() {
            for side in 0..2 {
                let toward = if side == 0 { -t } else { t };
                let arm = match at {
                    FrictionAt::Center => DVec3::zero(),
                    FrictionAt::Surface => frame.center_of[side] - frame.center,
                };
                sides[side][k + 1] = RigidRow { linear: toward, angular: arm.cross(toward) };
            }
        }
        // Nodes take friction where they are. At the common centre a body that faces them takes its side there as well.
        for side in (0..2).filter(|&s| soft[s]) {
            let surface = FrictionAt::Surface;
            let (x, about) = (&measured.x[side], frame.center);
            let rows = friction_rows(frame, surface, &measured.overlap, cell, side, x, about);
            for k in 0..2 {
                sides[side][k + 1] = scaled(rows[k], frame.projected_area);
                if at == FrictionAt::Center && !soft[1 - side] {
                    let r = sides[side][k + 1];
                    sides[1 - side][k + 1] = RigidRow { linear: -r.linear, angular: -r.angular };
                }
            }
        }
    }

    /// Gradients of row `k` (0 normal, 1 and 2 tangents) on the surface vertices of a side.
    pub fn vertices(
        &self,
        measured: &MeasuredPair,
        cell: usize,
        side: usize,
        frame: &ContactFrame,
        k: usize,
        mut out: impl FnMut(u32, DVec3),
    ) {
        let first = self.map.first(measured.bodies[side] as usize);
        let (vertices, gradients) = measured.overlap.gradient(cell, side);
        for (&v, &g) in vertices.iter().zip(gradients) {
            let row = match k {
                0 => -g,
                k => frame.tangents[k - 1] * frame.weight(g),
            };
            out(first + measured.vertices[side][v as usize], row / frame.projected_area);
        }
    }
}

/// The row about another centre: `arm` from that to the point it is about (m).
pub(crate) fn about(row: &RigidRow, arm: DVec3) -> RigidRow {
    RigidRow { linear: row.linear, angular: row.angular + arm.cross(row.linear) }
}

fn scaled(row: RigidRow, area: f64) -> RigidRow {
    RigidRow { linear: row.linear / area, angular: row.angular / area }
}

/// Makes the sides that take wrenches exactly opposite.
fn sides_opposite(sides: &mut [[RigidRow; 3]; 2], k: usize, soft: [bool; 2]) {
    let [a, b] = [sides[0][k], sides[1][k]];
    let minus = |r: RigidRow| RigidRow { linear: -r.linear, angular: -r.angular };
    match soft {
        [false, false] => {
            let linear = (a.linear - b.linear) * 0.5;
            let angular = (a.angular - b.angular) * 0.5;
            sides[0][k] = RigidRow { linear, angular };
            sides[1][k] = minus(sides[0][k]);
        }
        [true, false] => sides[1][k] = minus(a),
        [false, true] => sides[0][k] = minus(b),
        [true, true] => {}
    }
}

/// Velocities of the contact's rows (m/s) for the motion of all bodies.
#[derive(Clone, Copy)]
pub(crate) struct Motion<'a> {
    pub map: &'a SurfaceMap,
    pub dofs: &'a Dofs,
    /// With the velocities before contact, else those at the start of the step.
    pub prediction: Option<&'a Prediction>,
    /// Surfaces that move against their bodies.
    pub belts: &'a SurfaceVelocities,
    /// Time (s) from the start of the step over which slip is the mean; negative where it ends there.
    pub mean_over: f64,
    /// With the velocities that bodies came here with: what is driven has those of the step to come.
    pub came: bool,
}

/// How a side without nodes moves.
#[derive(Clone, Copy)]
struct Turn {
    velocity: DVec3,
    spin: DVec3,
    /// What its mean velocity at the contact has beyond that of the moment (m/s).
    arc: DVec3,
}

impl Motion<'_> {
    fn of(&self, slot: usize) -> (DVec3, DVec3) {
        let bodies = &self.dofs.bodies;
        match self.prediction {
            Some(p) if bodies.kind[slot] == impinge_contact::BodyKind::Rigid => {
                let r = bodies.pose[slot].matrix();
                let spin = bodies.mobility[slot].spin(&r, p.angular_momentum[slot]);
                (p.velocity[slot], spin)
            }
            _ if self.came => self.dofs.came(slot).into(),
            _ => (bodies.velocity[slot], bodies.angular_velocity[slot]),
        }
    }

    /// Normal, t₁, t₂.
    #[must_use]
    pub fn velocity(&self, maker: &Maker<'_>, measured: &MeasuredPair, c: &Contact) -> [f64; 3] {
        let (frame, poses) = (&c.frame, &self.dofs.bodies.pose);
        let drift = self.belts.drift(poses, c.bodies, frame.center, frame.normal).unwrap_or_default();
        let sides = self.sides(c);
        std::array::from_fn(|k| {
            // Row k pushes the lower slot along −t_k and sees the way of the higher one over it.
            let belt = if k == 0 { 0.0 } else { frame.tangents[k - 1].dot(drift) };
            (0..2).fold(belt, |u, side| self.add(maker, measured, c, (k, side, sides[side]), u))
        })
    }

    /// What each side has of the normal velocity.
    #[must_use]
    pub fn normal(&self, maker: &Maker<'_>, measured: &MeasuredPair, c: &Contact) -> [f64; 2] {
        let sides = self.sides(c);
        std::array::from_fn(|side| self.add(maker, measured, c, (0, side, sides[side]), 0.0))
    }

    /// Slip speed (m/s) of the mean, before too, or of the moment, which is least: bodies that begin as they turn have their velocities now.
    #[must_use]
    pub fn least_slip(&self, maker: &Maker<'_>, measured: &MeasuredPair, c: &Contact) -> f64 {
        let speed = |mean_over: f64, came: bool| {
            let motion = Self { mean_over, came, ..*self };
            let [_, u, v] = motion.velocity(maker, measured, c);
            // What arcs leave to third order is none.
            let left: f64 = motion.sides(c).iter().flatten().map(|turn| turn.arc.mag()).sum();
            let turned = (motion.shared(c) * mean_over).mag();
            ((u * u + v * v).sqrt() - left * turned).max(0.0)
        };
        speed(self.mean_over, true).min(speed(self.mean_over, false)).min(speed(0.0, false))
    }

    /// The spin (rad/s) that the sides have in common when the step begins; nodes have any.
    fn shared(&self, c: &Contact) -> DVec3 {
        let Dofs { bodies, .. } = self.dofs;
        // What forces alone would make of it contact takes back.
        let spin = |b: u32| self.spin_before(b) + self.belts.spin(b, &bodies.pose[b as usize]);
        match c.bodies.map(|b| (!self.map.attachment(b as usize).has_nodes()).then(|| spin(b))) {
            [Some(a), Some(b)] => shared_spin(a, b),
            [a, b] => a.or(b).unwrap_or_default(),
        }
    }

    /// Spin (rad/s) of a body when the step begins.
    fn spin_before(&self, b: u32) -> DVec3 {
        let slot = b as usize;
        if self.came { self.dofs.came(slot)[1] } else { self.dofs.bodies.angular_velocity[slot] }
    }

    /// Of the sides that have no nodes.
    fn sides(&self, c: &Contact) -> [Option<Turn>; 2] {
        let (shared, Dofs { bodies, .. }) = (self.shared(c), self.dofs);
        c.bodies.map(|b| {
            let slot = b as usize;
            (!self.map.attachment(slot).has_nodes()).then(|| {
                let (velocity, spin) = self.of(slot);
                let (at, pose) = (c.frame.center, &bodies.pose[slot]);
                let belt = self.belts.at(b, pose, at).unwrap_or_default();
                let along = belt - c.frame.normal * c.frame.normal.dot(belt);
                let turning = self.spin_before(b).cross(at - pose.position) + along;
                Turn { velocity, spin, arc: bent(shared, turning, self.mean_over) }
            })
        })
    }

    /// Adds what one side has of the velocity of row `k` to `u`.
    fn add(
        &self,
        maker: &Maker<'_>,
        measured: &MeasuredPair,
        c: &Contact,
        (k, side, turn): (usize, usize, Option<Turn>),
        mut u: f64,
    ) -> f64 {
        let nodes = self.prediction.map_or(&self.dofs.nodes.v, |p| &p.node_v);
        let slot = c.bodies[side] as usize;
        let Some(Turn { velocity, spin, arc }) = turn else {
            maker.vertices(measured, c.cell, side, &c.frame, k, |v, g| {
                u += self.map.at_nodes(v, nodes).map_or(0.0, |w| w.dot(g));
            });
            return u;
        };
        let row = about(&c.sides[side][k], c.frame.center - self.dofs.bodies.pose[slot].position);
        let off = if k == 0 { 0.0 } else { row.linear.dot(arc) };
        u + row.dot(velocity, spin) + off
    }
}

/// μ of a pair's law for a contact that slips at this speed (m/s) when the step begins; `pace` is the speed that takes a step for its depth.
pub(crate) fn coefficient(laws: &Laws, law: u32, slip: impl FnOnce() -> f64, pace: f64) -> f64 {
    laws.laws[law as usize]
        .friction
        .map_or(0.0, |f| if f.mu_s == f.mu_k || slip() <= REST * pace { f.mu_s } else { f.mu_k })
}

/// Slip in a step, in depths, up to which a contact counts as at rest and has the static coefficient.
const REST: f64 = 1e-5;
