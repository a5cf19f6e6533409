//! Worlds to step: from one particle to a pile.

use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule, Stiffness};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_world::{BodyDesc, Builder, Mass, Simulation};

const FLOOR: &str = "floor";

fn ground(law: PairLaw) -> Builder {
    Simulation::builder(1e-3).gravity(DVec3::new(0.0, 0.0, -9.81)).law(law).body(BodyDesc::plane(
        FLOOR,
        DVec3::unit_z(),
        0.0,
    ))
}

fn law(k: f64, damping: f64, friction: bool) -> PairLaw {
    let coulomb =
        FrictionLaw { mu_s: 0.6, mu_k: 0.5, k_fp: k, k_fd: damping, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw {
        stiffness: Stiffness::PerContact(k),
        damping: Damping::KelvinVoigt(damping),
        friction: friction.then_some(coulomb),
    }
}

/// One particle at rest on a plane: what a step costs before any work.
pub fn particle() -> Simulation {
    let body = BodyDesc::particles("particle", vec![DVec3::new(0.0, 0.0, -9.81e-4)], 0.1);
    ground(law(1e3, 1.0, false)).body(body).build().expect("a world")
}

/// Five boxes on each other, each smaller than the one below.
pub fn box_stack() -> Simulation {
    let mut world = ground(law(2e4, 80.0, true));
    for i in 0..5 {
        let side = 0.30 - 0.04 * f64::from(i);
        let mesh = generators::cuboid(DVec3::new(side, side, 0.12), [4, 4, 2]).expect("a box");
        let pose = Pose::from_position(DVec3::unit_z() * (0.06 + 0.12 * f64::from(i)));
        let body = BodyDesc::rigid(&format!("box-{i}"), &mesh, Mass::Density(500.0), pose).expect("a body");
        world = world.body(body);
    }
    world.build().expect("a world")
}

/// Twenty tori let go a hand above each other, in five layers of four; they fall into a pile.
pub fn torus_pile() -> Simulation {
    let torus = generators::torus(0.1, 0.04, 32, 16).expect("a torus");
    let mut world = ground(law(2e3, 3.0, true));
    for i in 0..20u32 {
        let (layer, k) = (f64::from(i / 4), i % 4);
        // Tilted, and every layer turned against the one below, so that they hook into each other.
        let turn = 0.4 * layer + std::f64::consts::FRAC_PI_2 * f64::from(k);
        let position = DVec3::new(0.1 * turn.cos(), 0.1 * turn.sin(), 0.12 + 0.1 * layer);
        let tilt = DVec3::new(0.5, 0.3 * f64::from(k), 0.2 * layer);
        let pose = Pose::new(position, rotor_from_rotation_vector(tilt));
        let body =
            BodyDesc::rigid(&format!("torus-{i}"), &torus, Mass::Density(500.0), pose).expect("a body");
        world = world.body(body);
    }
    world.build().expect("a world")
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_contact::{Contacts, PlaneContacts};

    fn contacts_after(mut sim: Simulation, steps: usize) -> (usize, usize) {
        for _ in 0..steps {
            sim.step().unwrap();
        }
        (sim.column::<Contacts>().len(), sim.column::<PlaneContacts>().len())
    }

    #[test]
    fn look() {
        for (name, mut sim) in [("stack", box_stack()), ("pile", torus_pile())] {
            let clock = std::time::Instant::now();
            for k in 0..1500 {
                sim.step().unwrap();
                if k % 100 == 99 { println!("{name} {k} {} {} z {:?} {:?}", sim.column::<Contacts>().len(), sim.column::<PlaneContacts>().len(), sim.pose(sim.names().len() as u32 - 1).position, clock.elapsed()); }
            }
        }
    }

    #[test]
    fn the_worlds_are_in_contact() {
        assert_eq!(contacts_after(particle(), 20), (0, 1));
        let (between, floor) = contacts_after(box_stack(), 300);
        assert!(between >= 4 * 25 && floor == 25, "{between} {floor}");
        let (between, floor) = contacts_after(torus_pile(), 300);
        assert!(between > 100 && floor > 20, "{between} {floor}");
    }
}
