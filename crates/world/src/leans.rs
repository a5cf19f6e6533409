//! Whether contacts will be too soft for bodies that stand on them: for their weight, which sinks through ([`sinking`]), or though not for that. A column
//! tips where its joints give way to the lever of what they carry, and what friction brakes rolls where it leans ([`impinge_bodies::tipping`]).

mod joint;
mod sinking;

use crate::alike::{Told, identity};
use crate::components::Forces;
use crate::part::Part;
use crate::response::StillForce;
use crate::shadow::Point;
use crate::simulation::Simulation;
use impinge_bodies::places;
use impinge_bodies::tipping::{Storey, Tipping, tipping};
use joint::{Joint, Standing};

/// Directions across the vertical that are tried.
const DIRECTIONS: u32 = 16;
/// Speed (m/s) and cosine with its direction from which on what slides is braked in it.
const SLIDES: [f64; 2] = [1e-2, 0.9];

/// Shapes and masses, the lowest first, and the number in hundredths.
type Alike = (Vec<(usize, u64)>, u64);

impl Simulation {
    /// Rigid meshes that sink through what they stand on, and columns of them, one on the other, that may fall over, because their contacts give way
    /// under the response in place: a sentence each, with the number and the remedy; to be asked before the first step. What stands on two
    /// others, or two on it, is not looked at.
    #[must_use]
    pub fn leans(&self) -> Vec<String> {
        self.parts().flat_map(leans_under).collect()
    }
}

fn leans_under(part: Part<'_>) -> Vec<String> {
    let response = part.response();
    if response.has_multipliers() || response.still_force() == StillForce::Unknown {
        return Vec::new();
    }
    let Some(standing) = Standing::of(part) else { return Vec::new() };
    let falls = part.shared::<Forces>().0.gravity.mag() > 0.0;
    let by = if falls { "gravity" } else { "the force on it" };
    let joints = standing.joints();
    let mut on: Vec<Vec<usize>> = vec![Vec::new(); joints.len()];
    for (b, joint) in joints.iter().enumerate() {
        if let Some(joint) = joint {
            on[joint.on].push(b);
        }
    }
    let mut told: Vec<Told<Alike>> = Vec::new();
    // From where a column begins: on what nothing tips.
    let begins = |b: &usize| joints[*b].as_ref().is_some_and(|joint| joints[joint.on].is_none());
    for b in (0..joints.len()).filter(begins) {
        let mut column = vec![b];
        let mut next = &on[b];
        while let [upper] = next[..] {
            column.push(upper);
            next = &on[upper];
        }
        if !next.is_empty() {
            continue;
        }
        let Some(worst) = worst(&standing, &column, &joints) else { continue };
        let number = worst.number();
        // Without any stiffness it has one pressure for all of a joint, and the response says that itself.
        if !(number > 1.0 && number.is_finite()) {
            continue;
        }
        let bodies = &standing.dofs.bodies;
        let like = |&b: &usize| (identity(&standing.shapes.0[b], b), bodies.mass[b].to_bits());
        let of = (column.iter().map(like).collect(), (100.0 * number).round() as u64);
        let above = match column.len() - 1 {
            0 => String::new(),
            n => format!(" with {n} on it"),
        };
        let asked = match worst.part {
            0.0 => String::new(),
            part => format!(", and offsets or friction that brakes it take {part:.2} of what they can"),
        };
        let rest = format!(
            "tipping number {}, must be below 1 under '{}': as it leans{above}, {by} takes {} of what its contacts push back with{asked}. It may \
             fall over where stiff contacts would hold it: use more than {:.2e} times the stiffness, and \
             the damping with it, or a response of constraints, which have none",
            places(number, 2),
            response.name(),
            places(worst.lever, 2),
            1.005 * number,
        );
        Told::add(&mut told, of, &part.names()[b], rest);
    }
    let mut out = standing.sinking();
    out.extend(told.iter().map(Told::sentence));
    out
}

/// The direction in which a column is nearest to falling; `None` where it falls however stiff.
fn worst(standing: &Standing<'_>, column: &[usize], joints: &[Option<Joint>]) -> Option<Tipping> {
    let bodies = &standing.dofs.bodies;
    let of: Vec<&Joint> = column.iter().filter_map(|&b| joints[b].as_ref()).collect();
    let speed = |joint: &Joint| libm::hypot(joint.slides[0], joint.slides[1]);
    let mut ways: Vec<Point> = (0..DIRECTIONS)
        .map(|i| f64::from(i) / f64::from(DIRECTIONS) * std::f64::consts::TAU)
        .map(|angle| [libm::cos(angle), libm::sin(angle)])
        .collect();
    let sliding = of.iter().filter(|joint| speed(joint) > SLIDES[0]);
    ways.extend(sliding.map(|joint| joint.slides.map(|v| v / speed(joint))));
    let mut worst: Option<Tipping> = None;
    for way in ways {
        let along = |p: Point| p[0] * way[0] + p[1] * way[1];
        let storey = |(i, (&joint, &b)): (usize, (&&Joint, &usize))| {
            let (at, speed) = (bodies.pose[b].position, speed(joint));
            let slides = speed > SLIDES[0] && along(joint.slides) > SLIDES[1] * speed;
            Storey {
                weight: standing.load[b],
                height: at.dot(standing.up) - joint.ends[0],
                tall: of.get(i + 1).map_or(0.0, |next| next.ends[1] - joint.ends[0]),
                stiffness: joint.against_tilting(way),
                centre: along(standing.across.at(at)),
                middle: along(joint.middle),
                reach: joint.reach(way),
                at_rim: joint.at_rim(way),
                braked: if slides { joint.friction } else { 0.0 },
            }
        };
        let storeys: Vec<Storey> = of.iter().zip(column).enumerate().map(storey).collect();
        let here = tipping(&storeys);
        if here.part >= 1.0 {
            return None;
        }
        if worst.is_none_or(|w| here.number() > w.number()) {
            worst = Some(here);
        }
    }
    worst
}
