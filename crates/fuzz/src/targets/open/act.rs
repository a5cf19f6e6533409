//! What a program may do to a world between steps.

use super::world::{EDGE, cube, response};
use crate::families::Numbers;
use crate::hostile::{any, vector};
use impinge_contact::{Axes, Groups, SurfaceVelocity};
use impinge_geometry::edit::CutOptions;
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_integrators::Driver;
use impinge_world::{Change, NodeState, PairRule, Simulation, Snapshot};

/// One operation. Bodies are numbers that are taken for slots, so that some are not there.
#[derive(Clone, Debug)]
pub enum Act {
    Step,
    Insert(DVec3, DVec3),
    Remove(u32),
    Force(u32, DVec3),
    Torque(u32, DVec3),
    Impulse(u32, DVec3),
    NodeImpulse(u32, u32, DVec3),
    Velocity(u32, DVec3),
    Teleport(u32, DVec3, DVec3),
    NextPose(u32, DVec3),
    Drive(u32, DVec3),
    Lock(u32, u8),
    Rule([u32; 2], u8),
    Groups(u32, u32),
    Belt(u32, DVec3),
    Gravity(DVec3),
    Length(f64),
    Swap(u64),
    OfPair([u32; 2], u64),
    Cut(DVec3, f64),
    Keep,
    Back,
}

impl Act {
    /// Whether it changes which response a pair has.
    pub fn changes_responses(&self) -> bool {
        matches!(self, Self::Swap(_) | Self::OfPair(..))
    }

    /// Every second one is a step; now and then a number is none.
    pub fn any(r: &mut Numbers) -> Self {
        if r.below(2) == 0 {
            return Self::Step;
        }
        // The floor, the hand, cubes, what was inserted, and one that is not there.
        let body = r.below(8) as u32;
        let pair = [r.below(8) as u32, r.below(8) as u32];
        let mut v = vector(r);
        if r.below(32) == 0 {
            v.y = any(r);
        }
        match r.below(21) {
            0 => Self::Insert(DVec3::new(0.6 * v.x, 0.3 * v.y, 0.4 + 0.3 * v.z), vector(r)),
            1 => Self::Remove(body),
            2 => Self::Force(body, v * 40.0),
            3 => Self::Torque(body, v),
            4 => Self::Impulse(body, v * 2.0),
            5 => Self::NodeImpulse(body, r.below(16) as u32, v * 0.01),
            6 => Self::Velocity(body, v),
            7 => Self::Teleport(body, DVec3::new(0.6 * v.x, 0.3 * v.y, 0.4 + 0.3 * v.z), vector(r)),
            8 => Self::NextPose(1, v),
            9 => Self::Drive(1, v),
            10 => Self::Lock(body, r.below(256) as u8),
            11 => Self::Rule(pair, r.below(3) as u8),
            12 => Self::Groups(body, r.below(4) as u32),
            13 => Self::Belt(body, v),
            14 => Self::Gravity(DVec3::new(v.x, v.y, -9.0 + v.z)),
            15 => Self::Length(if r.below(8) == 0 { any(r) } else { (1.5 + v.x) / 2048.0 }),
            16 => Self::Swap(r.next()),
            17 => Self::OfPair(pair, r.next()),
            18 => Self::Cut(vector(r), v.x * 0.1),
            19 => Self::Keep,
            _ => Self::Back,
        }
    }
}

/// Does it.
///
/// # Errors
/// Why it was refused.
pub fn act(sim: &mut Simulation, kept: &mut Snapshot, what: &Act) -> Result<(), String> {
    let said = |e: &dyn std::fmt::Display| e.to_string();
    let axes = [Axes::X, Axes::Y, Axes::Z, Axes::RX, Axes::RY, Axes::RZ];
    match *what {
        Act::Step => sim.step().map_err(|e| said(&e)),
        Act::Insert(place, turn) => {
            let name = format!("new {}", sim.names().len() + sim.steps() as usize);
            sim.insert(cube(&name, place, turn)?).map(|_| ()).map_err(|e| said(&e))
        }
        Act::Remove(b) => sim.remove(b).map_err(|e| said(&e)),
        Act::Force(b, f) => sim.apply_force(b, f).map_err(|e| said(&e)),
        Act::Torque(b, t) => sim.apply_torque(b, t).map_err(|e| said(&e)),
        Act::Impulse(b, j) => sim.apply_impulse(b, j).map_err(|e| said(&e)),
        Act::NodeImpulse(b, n, j) => sim.apply_node_impulse(b, n, j).map_err(|e| said(&e)),
        Act::Velocity(b, v) => sim.set_velocity(b, v).map_err(|e| said(&e)),
        Act::Teleport(b, place, turn) => {
            let pose = Pose::new(place, rotor_from_rotation_vector(turn));
            sim.set_pose(b, pose).map_err(|e| said(&e))
        }
        Act::NextPose(b, by) => {
            let now = sim.names().get(b as usize).map(|_| sim.pose(b)).ok_or("no hand")?;
            let pose = Pose { position: now.position + by * 0.01, ..now };
            sim.set_next_pose(b, pose).map_err(|e| said(&e))
        }
        Act::Drive(b, v) => {
            let at = Pose::from_position(DVec3::new(0.0, 0.0, 1.0 + 0.1 * EDGE));
            sim.drive(b, Driver::constant(at, v * 0.1, DVec3::zero())).map_err(|e| said(&e))
        }
        Act::Lock(b, of) => {
            let chosen = (0..6).filter(|i| of >> i & 1 == 1).fold(Axes::NONE, |all, i| all | axes[i]);
            sim.set_locked(b, chosen).map_err(|e| said(&e))
        }
        Act::Rule([a, b], which) => {
            use impinge_contact::Sides;
            let rule = [None, Some(PairRule::Ignore), Some(PairRule::Contact(Sides::Both))];
            sim.set_rule(a, b, rule[which as usize]).map_err(|e| said(&e))
        }
        Act::Groups(b, of) => sim.set_groups(b, Groups::new(1 << of, 7)).map_err(|e| said(&e)),
        Act::Belt(b, v) => sim.set_surface_velocity(b, SurfaceVelocity::along(v)).map_err(|e| said(&e)),
        Act::Gravity(g) => sim.set_gravity(g).map_err(|e| said(&e)),
        Act::Length(dt) => sim.set_dt(dt).map_err(|e| said(&e)),
        Act::Swap(n) => sim.swap_response(response(n)).map_err(|e| said(&e)),
        Act::OfPair([a, b], n) => sim.set_response(a, b, response(n)).map_err(|e| said(&e)),
        Act::Cut(normal, offset) => {
            let slot = sim.slot("block").ok_or("no jelly")?;
            let range = sim.nodes_of(slot);
            let value: Vec<f64> = {
                let x = &sim.column::<NodeState>().x[range];
                let mean = x.iter().fold(DVec3::zero(), |s, p| s + *p) / x.len().max(1) as f64;
                x.iter().map(|p| (*p - mean).dot(normal) - 0.2 * offset).collect()
            };
            // A block of crumbs costs time and shows no more.
            if value.len() > 60 {
                return Err("enough pieces".into());
            }
            let options = CutOptions::default();
            sim.edit(slot, Change::Cut { value, within: None, options }).map(|_| ())
        }
        Act::Keep => {
            *kept = sim.snapshot();
            Ok(())
        }
        Act::Back => sim.restore(kept),
    }
}
