//! The energy ½kV² of each cell (seed 002 (15), sign by erratum V4), with a bristle for each cell, or with viscous forces up to
//! Coulomb's bound.

use super::compliance::Compliance;
use super::constraints::{Answered, push};
use super::memory;
use super::rows::{Contact, Maker, Motion, about, coefficient};
use super::tables::{
    CellImpulse, CellImpulses, MeasuredPair, Overlaps, VolumeFriction, VolumePenaltySettings,
};
use crate::{FrictionAt, RigidRow};
use impinge_bodies::{Dofs, Elastic, Laws};
use impinge_contact::{BodyKind, Damper, Damping, Evaluated, Pair, SurfaceMap, bristle, stable_bristles};

/// Pushes every cell with the pressure kV; kept from step to step for its memory alone.
#[derive(Debug, Default)]
pub struct VolumeEnergy {
    compliance: Compliance,
    pressed: Vec<Pressed>,
    pulled: Pulled,
}

/// A cell with its motion and its normal impulse.
#[derive(Debug)]
struct Pressed {
    contact: Contact,
    /// Velocities of its rows (m/s).
    u: [f64; 3],
    /// Impulse of the viscosity over a velocity (N·s²/m).
    viscous: f64,
    /// N·s.
    normal: f64,
    /// J.
    energy: f64,
    /// Velocity that a unit of impulse across the normal gives the contact (1/kg), where its bristle rubs.
    gives: f64,
}

/// What the bristles of a step pull at together: bodies, then nodes.
#[derive(Debug, Default)]
struct Pulled {
    /// Σ N w over the contacts of each (m/s).
    load: Vec<f64>,
    /// Those that one contact moves.
    moved: Vec<u32>,
}

impl Pulled {
    /// Those that a contact moves, each once.
    fn by(&mut self, maker: &Maker<'_>, measured: &MeasuredPair, c: &Contact, dofs: &Dofs) {
        let moved = &mut self.moved;
        moved.clear();
        for side in 0..2 {
            let slot = c.bodies[side];
            if maker.map.attachment(slot as usize).has_nodes() {
                let bodies = dofs.bodies.len() as u32;
                maker.vertices(measured, c.cell, side, &c.frame, 1, |vertex, _| {
                    let Some((nodes, _)) = maker.map.nodes_of(vertex) else { return };
                    moved.extend(nodes.iter().map(|n| bodies + n));
                });
            } else if dofs.bodies.kind[slot as usize] == BodyKind::Rigid {
                moved.push(slot);
            }
        }
        moved.sort_unstable();
        moved.dedup();
    }

    fn begin(&mut self, dofs: &Dofs) {
        self.load.clear();
        self.load.resize(dofs.bodies.len() + dofs.nodes.len(), 0.0);
    }

    fn add(&mut self, maker: &Maker<'_>, measured: &MeasuredPair, pressed: &Pressed, dofs: &Dofs) {
        self.by(maker, measured, &pressed.contact, dofs);
        for &i in &self.moved {
            self.load[i as usize] += pressed.normal * pressed.gives;
        }
    }

    /// The largest load (m/s) of what a contact moves.
    fn most(&mut self, maker: &Maker<'_>, measured: &MeasuredPair, c: &Contact, dofs: &Dofs) -> f64 {
        self.by(maker, measured, c, dofs);
        self.moved.iter().map(|&i| self.load[i as usize]).fold(0.0, f64::max)
    }
}

/// χ (s/m) of a law that asks for a restitution by it: it holds for any elastic force that the depth decides.
fn hunt_crossley(damping: Damping) -> Option<f64> {
    match damping.restitution()?.damper {
        Damper::HuntCrossley { chi, .. } => Some(chi),
        Damper::KelvinVoigt(_) => None,
    }
}

impl VolumeEnergy {
    /// Writes what the cells of `overlaps` do in a step of `dt` (s) to `out`, from velocities at its start; `last` is what its bristles carried.
    /// Those velocities are the mean over the time `mean_over` (s), negative where it ends there.
    pub fn push(
        &mut self,
        settings: &VolumePenaltySettings,
        overlaps: &Overlaps,
        (map, dofs, laws, elastic): (&SurfaceMap, &Dofs, &Laws, &Elastic),
        last: &CellImpulses,
        (dt, mean_over): (f64, f64),
        out: Answered<'_>,
    ) {
        let Answered { pairs, decisions, report, next } = out;
        let VolumePenaltySettings { stiffness, viscosity, .. } = *settings;
        decisions.clear();
        next.clear();
        decisions.evaluated = Evaluated::Start;
        *report = overlaps.report();
        self.compliance.lay_out(dofs, elastic);
        let friction = Some(FrictionAt::Center);
        let (poses, belts) = (&dofs.bodies.pose, &laws.surface_velocities);
        let maker = Maker { map, compliance: &self.compliance, poses, depth: 0.0, friction, unknowns: false };
        let motion = Motion { map, dofs, prediction: None, belts, mean_over, came: false };
        pairs.clear();
        self.pressed.clear();
        self.pulled.begin(dofs);
        for (p, measured) in overlaps.pairs.iter().enumerate() {
            report.volume += measured.overlap.volume();
            let rubs = matches!(settings.friction, VolumeFriction::Bristles { .. })
                && coefficients(laws, measured.law) != [0.0; 2];
            for cell in measured.cells() {
                report.cells += 1;
                let Some(c) = maker.contact(p, measured, cell) else {
                    report.contained += 1;
                    continue;
                };
                report.depth = report.depth.max(c.frame.mean_depth);
                let u = motion.velocity(&maker, measured, &c);
                let area = c.frame.projected_area;
                // ν v_rel is a pressure, v_rel = area times the rows' velocity (m³/s): area² ν u is a force.
                let viscous = viscosity * area * area * dt;
                let damping = laws.laws[measured.law as usize].damping;
                let by_depth = hunt_crossley(damping).map_or(1.0, |chi| 1.0 - chi * u[0]);
                // A damper does not pull.
                let normal = (stiffness * c.volume * area * dt * by_depth - viscous * u[0]).max(0.0);
                // Velocities are those of the middle between this step and the next: a law that is asked to lose no more than it says is
                // booked with the energy there.
                let ahead =
                    damping.restitution().map_or(c.volume, |_| (c.volume - area * u[0] * dt).max(0.0));
                let energy = 0.5 * stiffness * c.volume * ahead;
                let rubs = rubs && normal > 0.0;
                let gives = if rubs { mobility(&maker, measured, &c, dofs) } else { 0.0 };
                let pressed = Pressed { contact: c, u, viscous, normal, energy, gives };
                if rubs {
                    self.pulled.add(&maker, measured, &pressed, dofs);
                }
                self.pressed.push(pressed);
            }
        }
        for &Pressed { contact: ref c, u, viscous, normal, energy, .. } in &self.pressed {
            let measured = &overlaps.pairs[c.pair];
            let mu = coefficients(laws, measured.law);
            let across = match settings.friction {
                VolumeFriction::Viscous => {
                    let slip = (u[1] * u[1] + u[2] * u[2]).sqrt();
                    let least = || motion.least_slip(&maker, measured, c);
                    let bound = coefficient(laws, measured.law, least, c.frame.mean_depth / dt) * normal;
                    let scale = if viscous * slip > bound { bound / (viscous * slip) } else { 1.0 };
                    [-viscous * scale * u[1], -viscous * scale * u[2]]
                }
                VolumeFriction::Bristles { stiffness, damping } if normal > 0.0 && mu != [0.0; 2] => {
                    let pulls = self.pulled.most(&maker, measured, c, dofs);
                    let stable = stable_bristles([stiffness, damping], pulls, dt);
                    let (bodies, law) = ((map, dofs), ([stable, damping], mu));
                    let (across, kept) = held(c, u, normal, law, last, bodies, dt);
                    next.push(kept);
                    across
                }
                VolumeFriction::Bristles { .. } => [0.0; 2],
            };
            let f = [normal, across[0], across[1]];
            if f == [0.0; 3] {
                continue;
            }
            report.active += 1;
            let [a, b] = c.bodies;
            if pairs.is_empty() || (pairs.a[pairs.len() - 1], pairs.b[pairs.len() - 1]) != (a, b) {
                let sides = laws.of(a, b).map(|l| l.1).unwrap_or_default();
                pairs.push(Pair { a, b, law: measured.law, sides });
            }
            let (pair, size) = (pairs.len() as u32 - 1, (map.bodies(), dt));
            push(&maker, measured, c, &f, pair, size, &mut decisions.patches);
            let row = decisions.patches.rows.len() - 1;
            decisions.patches.rows.energy[row] = energy;
        }
    }
}

/// Static and kinetic.
fn coefficients(laws: &Laws, law: u32) -> [f64; 2] {
    laws.laws[law as usize].friction.map_or([0.0; 2], |f| [f.mu_s, f.mu_k])
}

/// Friction of a cell's bristle: impulses of its two rows across (N·s), and what is remembered. `law` is stiffness
/// and damping of the bristle, static and kinetic coefficient.
fn held(
    c: &Contact,
    u: [f64; 3],
    normal: f64,
    (law, mu): ([f64; 2], [f64; 2]),
    last: &CellImpulses,
    bodies: (&SurfaceMap, &Dofs),
    dt: f64,
) -> ([f64; 2], CellImpulse) {
    let t = c.frame.tangents;
    // Rows measure the motion of B over A.
    let slip = -(t[0] * u[1] + t[1] * u[2]);
    let before = memory::of(last, c.bodies, c.index, c.part);
    let d = memory::stretch(before, law[0], c.frame.normal, slip, bodies, dt);
    let hold = if before.is_some_and(|m| m.slides) { mu[1] } else { mu[0] };
    let b = bristle(law, [hold, mu[1]], d, slip);
    let Contact { bodies, index: cell, part, .. } = *c;
    let kept = CellImpulse { bodies, cell, part, normal, friction: b.carried * normal, slides: b.slides };
    (t.map(|t| -t.dot(b.traction) * normal), kept)
}

/// Velocity (m/s) that a unit of impulse across the normal gives the contact, the way it gives most (1/kg). Nodes count as free: what holds
/// them together makes them give less.
fn mobility(maker: &Maker<'_>, measured: &MeasuredPair, c: &Contact, dofs: &Dofs) -> f64 {
    // Of both tangents, and between them: the largest eigenvalue does not depend on which two they are.
    let (mut first, mut second, mut between) = (0.0, 0.0, 0.0);
    for side in 0..2 {
        let slot = c.bodies[side] as usize;
        if maker.map.attachment(slot).has_nodes() {
            maker.vertices(measured, c.cell, side, &c.frame, 1, |vertex, g| {
                let Some((nodes, weights)) = maker.map.nodes_of(vertex) else { return };
                for (&n, w) in nodes.iter().zip(weights) {
                    let gives = g.mag_sq() * w * w / dofs.nodes.mass[n as usize];
                    first += gives;
                    second += gives;
                }
            });
        } else if dofs.bodies.kind[slot] == BodyKind::Rigid {
            let (bodies, pose) = (&dofs.bodies, &dofs.bodies.pose[slot]);
            let mobility = &bodies.mobility[slot];
            let inverse_inertia = mobility.inverse_at(pose);
            let [t, s] = [1, 2].map(|k| about(&c.sides[side][k], c.frame.center - pose.position));
            let gives = |a: &RigidRow, b: &RigidRow| {
                mobility.linear(a.linear).dot(b.linear) / bodies.mass[slot]
                    + a.angular.dot(inverse_inertia * b.angular)
            };
            first += gives(&t, &t);
            second += gives(&s, &s);
            between += gives(&t, &s);
        }
    }
    let half = 0.5 * (first - second);
    0.5 * (first + second) + (half * half + between * between).sqrt()
}
