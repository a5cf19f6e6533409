//! Bodies that slide on and on though friction takes less than Coulomb's law lets it: what slips steadily meets all of it.
//!
//! Springs of friction that open and close with the step, or that are more than the step can follow, hold less than they should. Nothing else need show it:
//! the body slides slowly, at a steady speed, and its weight is carried.

use crate::bodies::{Bodies, radius};
use impinge_contact::BodyKind;
use impinge_geometry::{DVec3, try_normalized};
use impinge_world::{Dofs, Laws, Shapes, Simulation};
use std::collections::BTreeMap;

/// Steps looked at together.
const WINDOW: u32 = 200;
/// Windows in a row.
const PERSISTS: u32 = 3;
/// Part of the steps in which they touch, at least.
const TOUCHES: f64 = 0.25;
/// Part of its way that a body gets on by, at least: less goes to and fro.
const STEADY: f64 = 0.5;
/// Part of the size of the smaller one that it slides by in a window, at least: less is how springs give.
const SEEN: f64 = 1e-3;
/// Part of its way that the rim of a body turns by, at most: a contact that turns too brakes the sliding less.
const TURNS: f64 = 0.1;
/// Part of what Coulomb's law lets friction take, below which it is told.
const TAKES: f64 = 0.75;

/// Of a pair, in a window.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Slip {
    touched: u32,
    /// Where they touched last (m), and the direction they press in.
    place: DVec3,
    normal: DVec3,
    /// Of the first against the second there (m), across the normal, and its length. What hops gets on in the air.
    way: DVec3,
    length: f64,
    /// How far the ends of velocities that turn in a step are from its chords (m).
    arcs: f64,
    /// How far they turned on each other (rad); what rocks comes back.
    turned: DVec3,
    /// Sums of what pressed (N s), times the coefficient, and of friction on the first.
    most: f64,
    friction: DVec3,
    alike: u32,
}

/// What was seen of a pair.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Told {
    /// Who slides, and on whom.
    bodies: [u32; 2],
    /// m/s, and the part of the cone.
    speed: f64,
    part: f64,
}

/// Follows pairs of bodies without nodes.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Slips {
    steps: u32,
    pairs: BTreeMap<[u32; 2], Slip>,
    told: Vec<Told>,
}

impl Slips {
    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) {
        for &slot in who.changed() {
            self.pairs.retain(|pair, _| !pair.contains(&slot));
        }
        self.steps += 1;
        let (ledger, dofs, dt) = (sim.ledger(), sim.column::<Dofs>(), sim.dt());
        let laws = sim.column::<Laws>();
        let rows = &ledger.pairs;
        for row in 0..rows.len() {
            let [a, b] = [rows.a[row], rows.b[row]];
            let nodes = [a, b].iter().any(|s| dofs.bodies.kind[*s as usize].has_nodes());
            let free = |s: u32| dofs.bodies.kind[s as usize] == BodyKind::Rigid;
            if nodes
                || !(free(a) || free(b))
                || [a, b].iter().any(|s| laws.surface_velocities.get(*s).is_some())
            {
                continue;
            }
            let law = laws.of(a, b).map(|(law, _)| laws.laws[law as usize]);
            let (Some(friction), Some(normal)) =
                (law.and_then(|l| l.friction), try_normalized(rows.normal[row]))
            else {
                continue;
            };
            let slip = self.pairs.entry([a, b]).or_default();
            (slip.place, slip.normal) = (rows.point[row], normal);
            slip.touched += 1;
            slip.most += friction.mu_k * rows.pressed[row];
            slip.friction += rows.friction[row];
        }
        for (&[a, b], slip) in &mut self.pairs {
            let [u, w] = [a, b].map(|s| {
                let (twist, x) = (sim.twist(s), dofs.bodies.pose[s as usize].position);
                twist.velocity + twist.angular_velocity.cross(slip.place - x)
            });
            let along = (u - w) - slip.normal * (u - w).dot(slip.normal);
            slip.way += along * dt;
            slip.length += along.mag() * dt;
            let turns = |s: u32, v: DVec3| sim.twist(s).angular_velocity.mag() * v.mag();
            slip.arcs += (turns(a, u) + turns(b, w)) * dt * dt;
            slip.turned += (sim.twist(a).angular_velocity - sim.twist(b).angular_velocity) * dt;
        }
        if self.steps.is_multiple_of(WINDOW) {
            self.close(sim, who);
        }
    }

    /// At the end of a window.
    fn close(&mut self, sim: &Simulation, who: &Bodies) {
        let (dofs, shapes) = (sim.column::<Dofs>(), sim.column::<Shapes>());
        let size = |s: u32| Some(radius(&shapes.0[s as usize])).filter(|r| *r > 0.0);
        let Self { pairs, told, .. } = self;
        // Who touches stays: nothing is made anew in steps that are like the last.
        pairs.retain(|&[a, b], slip| {
            let way = slip.way.mag();
            let least = size(a).into_iter().chain(size(b)).fold(f64::INFINITY, f64::min);
            let taken = if way > 0.0 { -slip.friction.dot(slip.way) / way } else { 0.0 };
            let slides = f64::from(slip.touched) >= TOUCHES * f64::from(WINDOW)
                && way > STEADY * slip.length
                && way > SEEN * least
                && way > slip.arcs
                && slip.turned.mag() * least < TURNS * way
                && taken < TAKES * slip.most;
            let alike = if slides { slip.alike + 1 } else { 0 };
            if alike == PERSISTS {
                let speed = way / (f64::from(WINDOW) * sim.dt());
                let free = dofs.bodies.kind[a as usize] == BodyKind::Rigid;
                let bodies = who.of(if free { [a, b] } else { [b, a] });
                told.push(Told { bodies, speed, part: taken.max(0.0) / slip.most });
            }
            let touched = slip.touched > 0;
            *slip = Slip { alike, place: slip.place, normal: slip.normal, ..Slip::default() };
            touched
        });
    }

    /// What there is to say of the worst.
    pub fn warning(&self, who: &Bodies) -> Option<String> {
        let worst = self.told.iter().max_by(|a, b| a.speed.total_cmp(&b.speed))?;
        let [a, b] = who.names(worst.bodies);
        let more = match self.told.len() - 1 {
            0 => String::new(),
            n => format!(" (and {n} pairs more)"),
        };
        Some(format!(
            "'{a}' slides on '{b}'{more} at {:.2e} m/s though friction takes {:.2} of what Coulomb's law lets it, for {} steps: its springs are more than the step can follow, \
             or contacts open and close with the step; use a smaller dt, less stiffness (of friction, too), or a response of constraints",
            worst.speed,
            worst.part,
            WINDOW * PERSISTS
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_contact::{Damping, PairLaw};
    use impinge_geometry::{Pose, generators};
    use impinge_world::{BodyDesc, Mass};

    /// What is said of a cube on a slope, with so much friction and damping (N s/m).
    fn warning(angle: f64, mu: f64, damping: f64) -> Option<String> {
        let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
        let place = Pose::from_position(DVec3::unit_z() * 0.1);
        let law =
            PairLaw { damping: Damping::KelvinVoigt(damping), ..PairLaw::of_stiffness(8192.0, 1e-3, mu) };
        let mut sim = Simulation::builder(1e-3)
            .gravity(DVec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81)
            .law(law)
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(BodyDesc::rigid("cube", &cube, Mass::Total(1.0), place).unwrap())
            .build()
            .unwrap();
        let (mut watch, mut who) = (Slips::default(), Bodies::default());
        for _ in 0..6 * WINDOW {
            sim.step().unwrap();
            who.see(&sim);
            watch.see(&sim, &who);
        }
        watch.warning(&who)
    }

    #[test]
    fn who_slides_where_friction_holds_is_told() {
        let slope = 15f64.to_radians();
        let said = warning(slope, 0.5, 290.0).unwrap();
        assert!(said.starts_with("'cube' slides on 'floor' at "), "{said}");
        assert_eq!(warning(slope, 0.5, 30.0), None, "held");
        assert_eq!(warning(slope, 0.2, 30.0), None, "slides against all of it");
    }
}
