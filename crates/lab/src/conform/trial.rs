//! One run, watched: finite, momentum, depth, energy.

use super::bounds::{Bounds, ENERGY};
use impinge_contact::BodyKind;
use impinge_geometry::DVec3;
use impinge_world::{
    ContactError, Dofs, EnergyBooks, NodeState, Simulation, StageError, VolumeReport, worst,
};

/// What came out of a run.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Steps that were made.
    pub steps: u64,
    /// Steps with contact.
    pub touching: u64,
    /// Why it ended early.
    pub stopped: Option<String>,
    /// Whether a number was not finite.
    pub not_finite: bool,
    /// Largest residual of linear momentum over its scale.
    pub momentum: f64,
    /// Largest depth (m), and the bound there (m).
    pub depth: (f64, f64),
    /// Largest energy gained from nowhere over the energy in play.
    pub energy: f64,
    /// The step at which the run had gained so much that it was not followed further.
    pub blown: Option<u64>,
    /// Places after `mark` steps (m), and the hash then.
    pub mark: Option<(Vec<DVec3>, u64)>,
}

/// Energy gained over energy in play beyond which a run says nothing more; where nothing was in play, it goes on unless
/// something moves by its own size in a step.
const LOST: f64 = 1e3;

/// Part of the depth that a scene starts with that standing still may lose in a step: rounding of what is held from all sides.
const ROUNDING: f64 = 1e-12;

/// Makes `steps` steps and remembers where everything is after `mark` of them.
pub fn trial(sim: &mut Simulation, bounds: &Bounds, steps: u64, mark: u64) -> Trial {
    let mut out = Trial::default();
    let mut books = EnergyBooks::new(sim, bounds.size);
    let mut most = fastest(sim);
    let mut started = 0.0;
    for n in 1..=steps {
        if let Err(e) = sim.step() {
            out.not_finite = matches!(e.source, StageError::Contact(ContactError::NonFinite { .. }));
            out.stopped = Some(e.to_string());
            return out;
        }
        out.steps = n;
        if !finite(sim) {
            out.not_finite = true;
            out.stopped = Some(format!("step {n} was committed with a number that is not finite"));
            return out;
        }
        let ledger = sim.ledger();
        let (p, m) = (&ledger.pairs, &ledger.momentum);
        out.touching += u64::from(p.contacts.iter().any(|&c| c > 0));
        let scale = m.linear_scale.max(books.still);
        if scale > 0.0 {
            out.momentum = worst(out.momentum, m.linear_residual.mag() / scale);
        }
        let depth = p.depth_max.iter().copied().fold(0.0, worst);
        drop(ledger);
        if n == 1 {
            // Where all fall together nothing pushes in the first step, and the books have no depth.
            started = depth.max(sim.get_column::<VolumeReport>().map_or(0.0, |r| r.depth));
        }
        // What the scene started with, or half a body; and one step's way, before which no response could see it.
        let still = started * (1.0 + ROUNDING * n as f64);
        let allowed = bounds.depth.max(still) + most * sim.dt();
        let held = depth / allowed <= out.depth.0 / out.depth.1;
        if out.depth.1 == 0.0 || !(held || out.depth.0.is_nan()) {
            out.depth = (depth, allowed);
        }
        most = most.max(fastest(sim));
        books.take(&sim.ledger().energy);
        out.energy = books.gained();
        let wild = !books.rest || most * sim.dt() > bounds.size;
        if out.energy > LOST && wild {
            out.blown = Some(n);
            return out;
        }
        if n == mark {
            out.mark = Some((places(sim, bounds.size), sim.hash()));
        }
    }
    out
}

/// Whether a gain is within [`ENERGY`].
pub fn within(gained: f64) -> bool {
    gained <= ENERGY
}

/// The highest speed of a body or a node (m/s).
fn fastest(sim: &Simulation) -> f64 {
    let nodes = sim.column::<NodeState>().v.iter().fold(0.0f64, |m, v| m.max(v.mag()));
    (0..sim.names().len() as u32).fold(nodes, |m, b| m.max(sim.twist(b).velocity.mag()))
}

fn finite(sim: &Simulation) -> bool {
    let ok = |v: DVec3| v.x.is_finite() && v.y.is_finite() && v.z.is_finite();
    let nodes = sim.column::<NodeState>();
    (nodes.x.iter().chain(&nodes.v)).all(|v| ok(*v))
        && (0..sim.names().len() as u32).all(|b| {
            let t = sim.twist(b);
            sim.pose(b).is_finite() && ok(t.velocity) && ok(t.angular_velocity)
        })
}

/// Where everything is: of each body its own points, in the order of the bodies' names. Rigid bodies give their centre and three points
/// half of `size` away from it; those that never move give nothing.
pub fn places(sim: &Simulation, size: f64) -> Vec<DVec3> {
    let (dofs, nodes) = (sim.column::<Dofs>(), sim.column::<NodeState>());
    let mut slots: Vec<u32> = (0..sim.names().len() as u32).collect();
    slots.sort_by_key(|&s| &sim.names()[s as usize]);
    let mut out = Vec::new();
    for s in slots {
        match dofs.bodies.kind[s as usize] {
            BodyKind::Fixed | BodyKind::Kinematic => {}
            BodyKind::Rigid => {
                let pose = sim.pose(s);
                out.push(pose.position);
                let axes = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()];
                out.extend(axes.map(|a| pose.point_to_world(a * (0.5 * size))));
            }
            BodyKind::Particles | BodyKind::Deformable => out.extend(&nodes.x[sim.nodes_of(s)]),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_contact::{Advanced, PairLaw};
    use impinge_geometry::{Pose, generators};
    use impinge_world::hecs::{Query, QueryBorrow};
    use impinge_world::{BodyDesc, Mass, Outcome, Place, Response, Stage, Step};

    /// Gives every rigid body a velocity (m/s), in one step.
    struct Kick {
        step: u64,
        velocity: DVec3,
    }

    impl Stage for Kick {
        type Io = (&'static Dofs, &'static mut Advanced);
        type Rows = ();

        fn name(&self) -> &'static str {
            "stabilise: kick"
        }

        fn updates(&self) -> &'static [&'static str] {
            &["advanced"]
        }

        fn run(
            &mut self,
            (dofs, advanced): <Self::Io as Query>::Item<'_>,
            _rows: &mut QueryBorrow<'_, ()>,
            _step: &Step,
        ) -> Result<Outcome, StageError> {
            self.step = self.step.wrapping_sub(1);
            let rigid = (0..dofs.bodies.len()).filter(|&b| dofs.bodies.kind[b] == BodyKind::Rigid);
            for b in rigid.filter(|_| self.step == 0) {
                advanced.velocity[b] += self.velocity;
            }
            Ok(Outcome::default())
        }
    }

    /// A box nearer to the floor than its thickness, which is moved away and then stands; or is kicked in this step.
    fn watched(gravity: f64, kick: Option<(u64, f64)>) -> Trial {
        let cube = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
        let at = Pose::from_position(DVec3::unit_z() * 0.0505);
        let law = PairLaw::elastic(1.0);
        let mut sim = Simulation::builder(1e-3)
            .gravity(DVec3::unit_z() * -gravity)
            .law(law)
            .response(Response::qp())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(BodyDesc::rigid("box", &cube, Mass::Total(1.0), at).unwrap())
            .build()
            .unwrap();
        if let Some((step, speed)) = kick {
            let stage = Kick { step, velocity: DVec3::unit_z() * speed };
            sim.pipeline = std::mem::take(&mut sim.pipeline).with(Place::Stabilise, stage);
        }
        let bounds = Bounds { momentum: 1e-12, depth: 0.05, twin: 1e-6, size: 0.1 };
        trial(&mut sim, &bounds, 100, 50)
    }

    /// Being moved up is no energy from nowhere; a velocity is, while it is moved and after, also one as small as the speed at which it moves,
    /// and also where nothing else is in play.
    #[test]
    fn a_correction_is_accounted_for_and_a_kick_is_not() {
        for gravity in [9.81, 0.0] {
            let out = watched(gravity, None);
            assert!(out.steps == 100 && out.energy <= 1e-9, "{out:?}");
            for (step, speed) in [(1, 0.01), (20, 0.01), (80, 0.01), (20, 0.1), (80, 1.0)] {
                let out = watched(gravity, Some((step, speed)));
                assert!(!within(out.energy), "a kick of {speed} m/s in step {step}: {}", out.energy);
                assert!(out.momentum > 0.1, "nor is it in the momenta: {}", out.momentum);
            }
        }
    }
}
