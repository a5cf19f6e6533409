//! How surface vertices go between the two ends of a step.
//!
//! A line between the ends of an arc cuts its corner by (angle)²·radius/8: at a step of tens of degrees what is carried round shrinks on its way,
//! misses what lies between chord and arc and meets what lies within. Here a body turns at a constant rate about its centre of mass instead, by as
//! many turns as its spin says.
//!
//! With accelerations a way is the parabola with that second derivative through both ends. Under steps whose places lie on a parabola (symplectic
//! Euler in free fall) the ways of all steps are pieces of that one.

use impinge_bodies::Dofs;
use impinge_ccd::RigidMotion;
use impinge_contact::{BodyKind, Prediction, Surface, SurfaceMap};
use impinge_geometry::{DVec3, Pose, try_normalized};
use std::f64::consts::TAU;

/// What is taken for the way between the ends of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paths {
    /// Straight lines, as in the papers.
    #[default]
    Straight,
    /// Vertices of rigid bodies turn with them about the centre of mass, which goes straight; other vertices go straight.
    Arcs,
    /// The same with the acceleration of the step, of centres of mass and of other vertices.
    Parabolas,
}

/// Part of its length that an arc may be off a parabola that stands for a piece of it.
const ARC: f64 = 1e-6;

/// Pieces of a way at the most.
const MOST: f64 = 1024.0;

/// Pieces of a way that are parabolas through their ends and their middle, each nearer to it than a tolerance: that is |x‴|h³/(72√3). `third` is |x‴|
/// at the most, over a whole way of one unit of time, by the tolerance. At most 1024; one for what is no number.
#[must_use]
pub fn parabolas(third: f64) -> usize {
    let pieces = libm::cbrt(third / (72.0 * 3f64.sqrt())).ceil();
    if pieces >= 1.0 { pieces.min(MOST) as usize } else { 1 }
}

/// How one body goes.
#[derive(Clone, Copy, Debug)]
struct BodyWay {
    motion: RigidMotion,
    /// ½ a Δt² (m).
    bend: DVec3,
    /// How far its vertices leave the lines between their ends, at the most (m).
    sagitta: f64,
    /// Parabolas for a step; 0 where all its vertices go straight.
    pieces: u32,
}

impl BodyWay {
    const STRAIGHT: Self = {
        let z = DVec3::new(0.0, 0.0, 0.0);
        let motion = RigidMotion { origin: z, translation: z, rotation: z };
        Self { motion, bend: z, sagitta: 0.0, pieces: 0 }
    };

    fn turns(&self) -> bool {
        self.motion.rotation != DVec3::zero()
    }
}

/// The ways of a step; with none all of them are straight.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// By slot.
    bodies: Vec<BodyWay>,
    /// ½ a Δt² by surface vertex (m), of those that follow nodes; empty without accelerations.
    bend: Vec<DVec3>,
}

impl Ways {
    /// All ways are straight.
    #[must_use]
    pub fn are_straight(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The ways of a step of `dt` (s) from where `dofs` are to poses `pose`, at which bodies spin with `spin` (rad/s). Accelerations are those that
    /// lead to the velocities `free`; `surface` has the vertices at both ends.
    pub fn set(
        &mut self,
        (paths, dt): (Paths, f64),
        (map, dofs): (&SurfaceMap, &Dofs),
        (pose, spin): (&[Pose], impl Fn(usize) -> DVec3),
        free: &Prediction,
        surface: &Surface,
    ) {
        self.bodies.clear();
        self.bend.clear();
        if paths == Paths::Straight {
            return;
        }
        let bodies = &dofs.bodies;
        let half = if paths == Paths::Parabolas { 0.5 * dt } else { 0.0 };
        if paths == Paths::Parabolas {
            let nodes = &dofs.nodes;
            let of_nodes: Vec<DVec3> =
                (0..nodes.len()).map(|n| (free.node_v[n] - nodes.v[n]) * half).collect();
            let bend = |v: usize| map.at_nodes(v as u32, &of_nodes).unwrap_or(DVec3::zero());
            self.bend.extend((0..map.vertices()).map(bend));
        }
        for b in 0..map.bodies() {
            let (range, kind) = (map.range(b), bodies.kind[b]);
            let mut way = BodyWay::STRAIGHT;
            if kind.has_nodes() {
                let bends = self.bend.get(range).unwrap_or_default();
                let most = bends.iter().fold(0.0f64, |m, b| m.max(b.mag()));
                (way.sagitta, way.pieces) = (0.25 * most, u32::from(most > 0.0));
            } else if kind != BodyKind::Fixed {
                way.motion = turning(&bodies.pose[b], &pose[b], spin(b) * dt);
                if kind == BodyKind::Rigid {
                    way.bend = (free.velocity[b] - bodies.velocity[b]) * half;
                }
                let (w, o) = (way.motion.rotation, way.motion.origin);
                let angle = w.mag();
                let across = |x: &DVec3| w.cross(*x - o).mag();
                let across = surface.x0[range].iter().map(across).fold(0.0, f64::max);
                way.sagitta = arc_off(angle, across, 1.0) + 0.25 * way.bend.mag();
                // |x‴| is angle² times the length of the arc.
                way.pieces = if way.sagitta > 0.0 { parabolas(angle * angle / ARC) as u32 } else { 0 };
            }
            self.bodies.push(way);
        }
    }

    /// How far a surface vertex leaves the line between two places of its way that are this part of the step apart, at the most (m).
    #[must_use]
    pub fn off(&self, surface: &Surface, v: u32, part: f64) -> f64 {
        let Some(way) = self.bodies.get(surface.body[v as usize] as usize) else { return 0.0 };
        let bend = way.bend + self.bend.get(v as usize).copied().unwrap_or(DVec3::zero());
        let across = way.motion.rotation.cross(surface.x0[v as usize] - way.motion.origin).mag();
        arc_off(way.motion.rotation.mag(), across, part) + 0.25 * bend.mag() * part * part
    }

    /// How far the vertices of a body leave the lines between their ends, at the most (m).
    #[must_use]
    pub fn sagitta(&self, slot: u32) -> f64 {
        self.bodies.get(slot as usize).map_or(0.0, |w| w.sagitta)
    }

    /// How far the height above a plane that turns with its body may be from one that changes evenly (m), for a point at `x` that goes no
    /// farther than `way` (m).
    #[must_use]
    pub fn plane_sagitta(&self, slot: u32, x: DVec3, way: f64) -> f64 {
        self.bodies.get(slot as usize).filter(|w| w.turns()).map_or(0.0, |w| {
            let angle = w.motion.rotation.mag();
            let far = (x - w.motion.origin).mag() + way + w.motion.translation.mag();
            far * f64::min(0.125 * angle * angle + 0.25 * angle, 2.0)
        })
    }

    /// Parabolas for the ways of two bodies; 0 where all of these are straight.
    #[must_use]
    pub fn pieces(&self, [a, b]: [u32; 2]) -> usize {
        [a, b].iter().filter_map(|s| self.bodies.get(*s as usize)).map(|w| w.pieces).max().unwrap_or(0)
            as usize
    }

    /// Where surface vertex `v` is at the fraction `t` of the step (m): exactly at its ends at 0 and 1.
    #[must_use]
    pub fn at(&self, surface: &Surface, v: u32, t: f64) -> DVec3 {
        let (x0, x1) = (surface.x0[v as usize], surface.x1[v as usize]);
        if t <= 0.0 {
            return x0;
        }
        if t >= 1.0 {
            return x1;
        }
        let straight = || x0 + (x1 - x0) * t;
        let Some(way) = self.bodies.get(surface.body[v as usize] as usize) else { return straight() };
        let chord = if way.turns() { way.motion.point_at(x0, t) } else { straight() };
        let bend = way.bend + self.bend.get(v as usize).copied().unwrap_or(DVec3::zero());
        chord + bend * (t * t - t)
    }

    /// The plane `normal · x = offset` of a body at the start, at the fraction `t` of the step.
    #[must_use]
    pub fn plane_at(&self, slot: u32, (normal, offset): (DVec3, f64), t: f64) -> (DVec3, f64) {
        let still = |w: &&BodyWay| !w.turns() && w.motion.translation == DVec3::zero();
        let Some(way) = self.bodies.get(slot as usize).filter(|w| !still(w)) else { return (normal, offset) };
        let motion = &way.motion;
        let (foot, origin) = (motion.point_at(normal * offset, t), motion.point_at(motion.origin, t));
        let turned = motion.point_at(motion.origin + normal, t) - origin;
        let n = try_normalized(turned).unwrap_or(normal);
        (n, n.dot(foot))
    }
}

/// How far an arc of `part` of an `angle` (rad) leaves its chord at the most (m), of a point that goes `across` (m) in all of it: |x″| is their
/// product, and neither arc nor chord is farther from the axis than the point.
fn arc_off(angle: f64, across: f64, part: f64) -> f64 {
    if angle > 0.0 { across * f64::min(0.125 * angle * part * part, 2.0 / angle) } else { 0.0 }
}

/// The motion between two poses of a body that turns by about `spin` (rad) in all: with as many turns as that has.
fn turning(from: &Pose, to: &Pose, spin: DVec3) -> RigidMotion {
    let shortest = RigidMotion::between(from, to);
    let angle = shortest.rotation.mag();
    let Some(axis) = try_normalized(if angle > 0.0 { shortest.rotation } else { spin }) else {
        return shortest;
    };
    let turns = ((spin.dot(axis) - angle) / TAU).round();
    if turns == 0.0 || !turns.is_finite() {
        return shortest;
    }
    RigidMotion { rotation: axis * (angle + turns * TAU), ..shortest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::rotor_from_rotation_vector;

    /// Also where the ends alone say that it turned the other way, or not at all.
    #[test]
    fn turns_are_counted_by_the_spin() {
        let from = Pose::identity();
        for angle in [0.1, 3.0, 4.0, 6.2, TAU, 7.0, 20.0, -5.0] {
            let spin = DVec3::new(0.6, 0.0, 0.8) * angle;
            let to = Pose { position: DVec3::new(1.0, 2.0, 3.0), rotation: rotor_from_rotation_vector(spin) };
            for said in [0.9, 1.0, 1.05] {
                let found = turning(&from, &to, spin * said);
                assert!((found.rotation - spin).mag() < 1e-12, "{angle}: {:?}", found.rotation);
            }
        }
    }
}
