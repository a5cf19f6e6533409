//! Bodies that tremble where they should rest: the force of contact comes and goes every few steps, or the velocity turns round, and the speed does
//! not fall. What hops on may slide as well, where friction that is always there would hold it. So may what friction jerks to and fro from step to step:
//! its springs and dampers are more than the step can follow, and what they do cancels.

use crate::bodies::{Bodies, radius};
use impinge_contact::{BodyKind, Damping, PairLaw};
use impinge_geometry::DVec3;
use impinge_world::{Dofs, Forces, Laws, Shapes, Simulation};

/// Steps looked at together.
const WINDOW: u32 = 200;
/// Windows in a row with as much motion as the one before.
const PERSISTS: u32 = 2;
/// Part of the steps in which contact begins or ends, at least: a body that bounces does so for many steps each time.
const ALTERNATES: f64 = 0.25;
/// Changes of contact in a window of a body that slides on by hops, at least.
const HOPS: u32 = 4;
/// Restitution above which a body may hop on.
const BOUNCES: f64 = 0.95;
/// Part of its way that a body that stays where it is gets on by, at most.
const STAYS: f64 = 0.1;
/// Speed of the window before that is not kept.
const FALLS: f64 = 0.9;
/// What the greater of gravity and what contacts carry gives in one step: slower is rounding, and contacts that open and close with the step.
const FALL: f64 = 1.0;
/// The same of a body that goes to and fro with its contacts closed: slower is what a solver leaves.
const SHUDDER: f64 = 0.05;
/// Part of the steps in which a body that slides on is jerked against the step before, at least.
const JERKS: f64 = 0.5;
/// Part of its own speed that it is jerked by, at least: less is what a solver leaves where nothing weighs on it.
const JERKED: f64 = 1e-3;
/// Part of a body that a step takes it on by, at least: less is rounding where nothing weighs on it.
const SEEN: f64 = 1e-10;

/// What a body did in a window.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Shaken {
    from: DVec3,
    way: f64,
    squares: f64,
    /// Radius (m), velocity (m/s) and angular velocity (rad/s) of the step before.
    radius: f64,
    went: [DVec3; 2],
    /// Steps in which the motion turned round, and its way and squares with the turning.
    reversals: u32,
    swept: f64,
    turning: f64,
    /// Squares of the changes of velocity, and the sum of spins.
    jolted: f64,
    spun: DVec3,
    /// The change of velocity and of angular velocity of the step before, how often it was the other way round, and squares with the turning.
    jolt: [DVec3; 2],
    jerks: u32,
    jerked: f64,
    /// Steps in which contact began or ended.
    turns: u32,
    touches: bool,
    /// Sum of what contacts pushed with (N): what goes to and fro cancels.
    pressed: DVec3,
    /// Root of the mean square speed of the window before (m/s), and how many were alike.
    speed: f64,
    alike: u32,
}

/// What a body does while it trembles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum How {
    Lies,
    Slides,
    IsJerked,
}

/// Follows the rigid bodies of a run.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Trembling {
    steps: u32,
    bodies: Vec<Shaken>,
    /// Number and speed (m/s) of the worst.
    worst: Option<(u32, f64, How)>,
    told: Vec<u32>,
}

impl Trembling {
    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) {
        let count = sim.names().len();
        self.bodies.resize_with(count, Shaken::default);
        who.changed().iter().for_each(|&slot| self.bodies[slot as usize] = Shaken::default());
        self.steps += 1;
        let (end, begins, dt) = (self.steps.is_multiple_of(WINDOW), self.steps % WINDOW == 1, sim.dt());
        let (dofs, shapes) = (sim.column::<Dofs>(), sim.column::<Shapes>());
        let gravity = sim.column::<Forces>().0.gravity.mag();
        let loses = |l: &PairLaw| match l.damping {
            Damping::None => false,
            Damping::Restitution(asked) => asked.e <= BOUNCES,
            Damping::KelvinVoigt(_) | Damping::HuntCrossley(_) => true,
        };
        let lossy = sim.column::<Laws>().laws.iter().all(loses);
        for b in (0..count).filter(|&b| dofs.bodies.kind[b] == BodyKind::Rigid) {
            let shaken = &mut self.bodies[b];
            let (x, v) = (dofs.bodies.pose[b].position, dofs.bodies.velocity[b]);
            if begins {
                let Shaken { speed, alike, touches, went, jolt, .. } = *shaken;
                let radius = radius(&shapes.0[b]);
                *shaken = Shaken { from: x, speed, alike, touches, went, jolt, radius, ..Shaken::default() };
            }
            let w = sim.twist(b as u32).angular_velocity;
            let back = shaken.went[0].dot(v) + shaken.radius * shaken.radius * shaken.went[1].dot(w);
            shaken.reversals += u32::from(back < 0.0);
            let jolt = [v - shaken.went[0], w - shaken.went[1]];
            let square = shaken.radius * shaken.radius;
            shaken.jolted += jolt[0].mag_sq();
            if jolt[0].dot(shaken.jolt[0]) + square * jolt[1].dot(shaken.jolt[1]) < 0.0 {
                // A blow among what is rounding is none.
                let size = |j: [DVec3; 2]| j[0].mag_sq() + square * j[1].mag_sq();
                shaken.jerked += size(jolt).min(size(shaken.jolt));
                shaken.jerks += 1;
            }
            shaken.jolt = jolt;
            shaken.spun += w;
            shaken.went = [v, w];
            let both = v.mag_sq() + (shaken.radius * w.mag()).powi(2);
            shaken.swept += both.sqrt() * dt;
            shaken.turning += both;
            let force = sim.contact_force(b as u32);
            let touches = force != DVec3::zero();
            shaken.pressed += force;
            shaken.way += v.mag() * dt;
            shaken.squares += v.mag_sq();
            shaken.turns += u32::from(touches != shaken.touches);
            shaken.touches = touches;
            if !end {
                continue;
            }
            let mean = |squares: f64| (squares / f64::from(WINDOW)).sqrt();
            let moved = (x - shaken.from).mag();
            let often = |steps: u32| f64::from(steps) > ALTERNATES * f64::from(WINDOW);
            let pressed = shaken.pressed.mag() / (f64::from(WINDOW) * dofs.bodies.mass[b]);
            let fall = gravity.max(pressed) * dt;
            let seen = SEEN * shaken.radius / dt;
            let hops =
                mean(shaken.squares) > FALL * fall && moved < STAYS * shaken.way && often(shaken.turns);
            let shudders = shaken.touches
                && shaken.turns == 0
                && mean(shaken.turning) > SHUDDER * fall
                && moved < STAYS * shaken.swept
                && often(shaken.reversals);
            // What slides on has no place to come back to. It neither rolls nor tumbles, and its contacts would take the speed of a bounce.
            let along = moved / dt;
            let rattles = !hops
                && !shudders
                && lossy
                && !is_carried(sim, b as u32)
                && moved >= STAYS * shaken.way
                && mean(shaken.jolted) > FALL * fall
                && shaken.turns >= HOPS
                && shaken.radius * shaken.spun.mag() < STAYS * along;
            let is_jerked = shaken.touches
                && shaken.turns == 0
                && lossy
                && f64::from(shaken.jerks) > JERKS * f64::from(WINDOW)
                && mean(shaken.jerked) > FALL * fall
                && mean(shaken.jerked) > JERKED * mean(shaken.turning);
            let (how, squares) = match (hops, shudders, rattles) {
                (true, ..) => (How::Lies, shaken.squares),
                (_, true, _) => (How::Lies, shaken.turning),
                (.., true) => (How::Slides, (shaken.squares - along * along / f64::from(WINDOW)).max(0.0)),
                _ if is_jerked => (How::IsJerked, shaken.jerked),
                _ => (How::Lies, shaken.turning),
            };
            let speed = mean(squares);
            let shakes = (hops || shudders || rattles || is_jerked) && speed > seen;
            let kept = shakes && speed > FALLS * shaken.speed;
            shaken.alike = if kept { shaken.alike + 1 } else { 0 };
            shaken.speed = speed;
            if shaken.alike > PERSISTS {
                let [body] = who.of([b as u32]);
                if !self.told.contains(&body) {
                    self.told.push(body);
                }
                if self.worst.is_none_or(|w| w.1 < speed) {
                    self.worst = Some((body, speed, how));
                }
            }
        }
    }

    /// What there is to say of the worst.
    pub fn warning(&self, who: &Bodies) -> Option<String> {
        let (body, speed, how) = self.worst?;
        let [name] = who.names([body]);
        let more = match self.told.len() - 1 {
            0 => String::new(),
            n => format!(" (and {n} more)"),
        };
        let how = match how {
            How::Lies => "trembles where it lies",
            How::Slides => "trembles as it slides",
            How::IsJerked => {
                return Some(format!(
                    "body '{name}'{more} is jerked to and fro from step to step by its contacts, by {speed:.2e} m/s (root mean square) for {} steps, and no less \
                     than before: together they are stiffer or more damped than a step can follow, and friction holds less than it should; use a smaller dt, less \
                     `friction_damping` and `friction_stiffness`, or a response of constraints",
                    WINDOW * (PERSISTS + 1)
                ));
            }
        };
        Some(format!(
            "body '{name}'{more} {how}: {speed:.2e} m/s (root mean square) for {} steps, with a contact force that comes and goes, or a velocity that turns round, every \
             few steps, and a speed that does not fall; use a smaller dt, less stiffness (of friction, too) or more damping, or a response of constraints",
            WINDOW * (PERSISTS + 1)
        ))
    }
}

/// What is driven carries a body, which hops as it is asked to.
fn is_carried(sim: &Simulation, body: u32) -> bool {
    let (ledger, dofs) = (sim.ledger(), sim.column::<Dofs>());
    let driven = |b: u32| dofs.bodies.kind[b as usize] == BodyKind::Kinematic;
    let mut pairs = ledger.pairs.a.iter().zip(&ledger.pairs.b);
    pairs.any(|(&a, &b)| a == body && driven(b) || b == body && driven(a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_contact::PairLaw;
    use impinge_geometry::{Pose, generators};
    use impinge_world::{BodyDesc, Mass};

    const DT: f64 = 1e-3;
    const G: f64 = 10.0;

    /// What is said of a box that is put at a height (m) over the floor, negative in it, with a speed (m/s), before each step.
    fn warning(steps: u32, of: impl Fn(u32) -> (f64, f64)) -> Option<String> {
        let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
        let body =
            BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::from_position(DVec3::unit_z())).unwrap();
        let mut sim = Simulation::builder(DT)
            .gravity(DVec3::unit_z() * -G)
            .law(PairLaw::elastic(1e3))
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(body)
            .build()
            .unwrap();
        let (mut watch, mut who) = (Trembling::default(), Bodies::default());
        for n in 0..steps {
            let (height, speed) = of(n);
            sim.set_pose("box", Pose::from_position(DVec3::unit_z() * (0.1 + height))).unwrap();
            sim.set_velocity("box", DVec3::unit_z() * speed).unwrap();
            sim.step().unwrap();
            who.see(&sim);
            watch.see(&sim, &who);
        }
        watch.warning(&who)
    }

    /// Three steps on the floor, three above it.
    fn hops(n: u32) -> f64 {
        if n % 6 < 3 { -1e-4 } else { 5e-4 }
    }

    fn to_and_fro(n: u32, speed: f64) -> f64 {
        if n.is_multiple_of(2) { speed } else { -speed }
    }

    #[test]
    fn who_hops_on_with_the_same_speed_trembles() {
        let hopping = |n: u32| (hops(n), to_and_fro(n, 5.0 * G * DT));
        let said = warning(5 * WINDOW, hopping).unwrap();
        assert!(said.starts_with("body 'box' trembles where it lies"), "{said}");
        // For that it takes some windows.
        assert_eq!(warning(PERSISTS * WINDOW, hopping), None);
    }

    /// A box that goes on over the floor at a speed (m/s), in hops or not, with a spin (rad/s).
    #[test]
    fn who_slides_on_by_hops_trembles_and_who_slides_rolls_or_bounces_does_not() {
        let slides = |damping: Damping, period: u32, spin: f64| {
            let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
            let body = BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::from_position(DVec3::unit_z()));
            let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
            let law = PairLaw { damping, ..PairLaw::elastic(1e3) };
            let world = Simulation::builder(DT).gravity(DVec3::unit_z() * -G).law(law).body(floor);
            let mut sim = world.body(body.unwrap()).build().unwrap();
            let (mut watch, mut who) = (Trembling::default(), Bodies::default());
            let on = 8.0 * G * DT;
            for n in 0..5 * WINDOW {
                // A fifth of the time on the floor.
                let phase = n % period;
                let (low, flight) = (5 * phase < period, 0.4 * f64::from(period) * G * DT);
                let (height, up) =
                    if low { (-1e-4, 0.0) } else { (5e-4, flight - G * DT * f64::from(phase)) };
                let place = DVec3::new(on * f64::from(n) * DT, 0.0, 0.1 + height);
                sim.set_pose("box", Pose::from_position(place)).unwrap();
                sim.set_velocity("box", DVec3::new(on, 0.0, if period > 1 { up } else { 0.0 })).unwrap();
                sim.set_angular_velocity("box", DVec3::unit_y() * spin).unwrap();
                sim.step().unwrap();
                who.see(&sim);
                watch.see(&sim, &who);
            }
            watch.warning(&who)
        };
        let chi = Damping::HuntCrossley(5.0);
        let said = slides(chi, 20, 0.0).unwrap();
        assert!(said.starts_with("body 'box' trembles as it slides"), "{said}");
        for (what, damping, period, spin) in [
            ("it slides", chi, 1, 0.0),
            ("it rolls", chi, 20, 0.5),
            ("it bounces, as it was asked to", Damping::None, 20, 0.0),
            ("long in the air", chi, 200, 0.0),
        ] {
            assert_eq!(slides(damping, period, spin), None, "{what}");
        }
    }

    /// A box that slides on at a steady speed, and to and fro across that by so many falls of a step, in so many steps each.
    #[test]
    fn who_is_jerked_as_it_slides_is_told_of() {
        let slides = |across: f64, each: u32| {
            let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
            let body = BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::from_position(DVec3::unit_z()));
            let law = PairLaw { damping: Damping::KelvinVoigt(5.0), ..PairLaw::elastic(1e3) };
            let world = Simulation::builder(DT).gravity(DVec3::unit_z() * -G).law(law);
            let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
            let mut sim = world.body(floor).body(body.unwrap()).build().unwrap();
            let (mut watch, mut who) = (Trembling::default(), Bodies::default());
            let on = 80.0 * G * DT;
            for n in 0..5 * WINDOW {
                let place = DVec3::new(on * f64::from(n) * DT, 0.0, 0.0999);
                sim.set_pose("box", Pose::from_position(place)).unwrap();
                let y = to_and_fro(n / each, across * G * DT);
                sim.set_velocity("box", DVec3::new(on, y, 0.0)).unwrap();
                sim.step().unwrap();
                who.see(&sim);
                watch.see(&sim, &who);
            }
            watch.warning(&who)
        };
        let said = slides(5.0, 1).unwrap();
        assert!(said.starts_with("body 'box' is jerked to and fro"), "{said}");
        for (what, across, each) in [("slides", 0.0, 1), ("a little", 0.1, 1), ("sways", 5.0, 10)] {
            assert_eq!(slides(across, each), None, "{what}");
        }
    }

    #[test]
    fn who_rests_slows_down_or_bounces_does_not() {
        let fast = |n: u32| to_and_fro(n, 5.0 * G * DT);
        let back_and_forth = warning(5 * WINDOW, |n| (-1e-4, fast(n))).unwrap();
        assert!(
            back_and_forth.starts_with("body 'box' trembles"),
            "on the floor, to and fro: {back_and_forth}"
        );
        let settled = |n: u32| to_and_fro(n, 0.01 * G * DT);
        assert_eq!(warning(5 * WINDOW, |n| (-1e-4, settled(n))), None, "what a solver leaves");
        assert_eq!(warning(5 * WINDOW, |n| (hops(n / 10), fast(n))), None, "thirty steps in the air");
        assert_eq!(
            warning(5 * WINDOW, |n| (hops(n), to_and_fro(n, 0.5 * G * DT))),
            None,
            "within a step's fall"
        );
        let slower = |n: u32| 20.0 * G * DT * 0.8f64.powi((n / WINDOW) as i32);
        assert_eq!(warning(5 * WINDOW, |n| (hops(n), to_and_fro(n, slower(n)))), None, "slows down");
    }
}
