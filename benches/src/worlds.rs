//! Worlds to step: from one particle to a pile.

use crate::Numbers;
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_pressure::fields;
use impinge_world::{BodyDesc, BuildError, Builder, Mass, PressureSettings, Response, Simulation};

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
        damping: Damping::KelvinVoigt(damping),
        friction: friction.then_some(coulomb),
        ..PairLaw::elastic(k)
    }
}

/// One particle at rest on a plane: what a step costs before any work.
pub fn particle() -> Simulation {
    let body = BodyDesc::particles("particle", vec![DVec3::new(0.0, 0.0, -9.81e-4)], 0.1);
    ground(law(1e3, 1.0, false)).body(body).build().expect("a world")
}

/// Five boxes on each other, each smaller than the one below.
pub fn box_stack() -> Simulation {
    let mut world = ground(law(5e3, 5.0, true));
    for i in 0..5 {
        let side = 0.30 - 0.04 * f64::from(i);
        let mesh = generators::cuboid(DVec3::new(side, side, 0.12), [4, 4, 2]).expect("a box");
        let pose = Pose::from_position(DVec3::unit_z() * (0.06 + 0.12 * f64::from(i)));
        let body = BodyDesc::rigid(&format!("box-{i}"), &mesh, Mass::Density(500.0), pose).expect("a body");
        world = world.body(body);
    }
    world.build().expect("a world")
}

/// Twenty tori apart from each other in five layers of four; they fall into a pile.
pub fn torus_pile() -> Simulation {
    let torus = generators::torus(0.1, 0.04, 32, 16).expect("a torus");
    let mut world = ground(law(2e3, 3.0, true));
    for i in 0..20u32 {
        let (layer, k) = (f64::from(i / 4), i % 4);
        // Tilted, and every second layer beside the gaps of the one below, so that they hook into each other.
        let beside = if i / 4 % 2 == 0 { 0.0 } else { 0.08 };
        let (x, y) = (f64::from(k % 2) - 0.5, f64::from(k / 2) - 0.5);
        let position = DVec3::new(0.3 * x + beside, 0.3 * y + 0.5 * beside, 0.15 + 0.21 * layer);
        let tilt = DVec3::new(0.4, 0.15 * f64::from(k), 0.1 * layer);
        let pose = Pose::new(position, rotor_from_rotation_vector(tilt));
        let body =
            BodyDesc::rigid(&format!("torus-{i}"), &torus, Mass::Density(500.0), pose).expect("a body");
        world = world.body(body);
    }
    world.build().expect("a world")
}

/// Ten balls of 128 tets in a pit under the response `pressure`, implicit, with friction; at rest after 1500 steps.
pub fn pressure_pile() -> Simulation {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let law =
        PairLaw { damping: Damping::HuntCrossley(10.0), friction: Some(friction), ..PairLaw::elastic(1.0) };
    let settings = PressureSettings { energy: false, ..PressureSettings::default() };
    let mut builder = Simulation::builder(1e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(law)
        .response(Response::from(settings))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for (i, n) in
        [DVec3::unit_x(), -DVec3::unit_x(), DVec3::unit_y(), -DVec3::unit_y()].into_iter().enumerate()
    {
        builder = builder.body(BodyDesc::plane(&format!("wall{i}"), n, -0.11));
    }
    let field = fields::sphere(0.05, 0.025, 1e6).expect("a ball");
    for i in 0..10u32 {
        let (level, side) = (f64::from(i / 2), f64::from(i % 2));
        let turn = rotor_from_rotation_vector(DVec3::new(0.3, 0.5, 0.1) * f64::from(i));
        let x = DVec3::new(
            0.108 * side - 0.05 + 0.01 * level,
            0.02 - 0.03 * side + 0.007 * level,
            0.06 + 0.105 * level,
        );
        let body = BodyDesc::compliant(&format!("ball{i}"), &field, Mass::Total(0.5), Pose::new(x, turn));
        builder = builder.body(body.expect("a ball"));
    }
    builder.build().expect("a world")
}

/// So many cubes of 0.1 m, turned at random by up to 0.6 rad about each axis, in layers with small gaps over a bin of five fixed boxes; friction 0.4.
/// Forces that need a stiffness have 20 kN/m.
///
/// # Errors
/// Why this response takes no such world.
pub fn falling_pile(boxes: usize, response: Response) -> Result<Simulation, BuildError> {
    /// From centre to centre within a layer, and from layer to layer (m).
    const BESIDE: f64 = 0.16;
    const ABOVE: f64 = 0.18;
    const WALL: f64 = 0.1;
    let side = (1..).find(|k| k * k * k >= boxes).unwrap_or(1);
    let half = 0.5 * BESIDE * side as f64;
    let height = 0.1 * side as f64;
    let friction =
        FrictionLaw { mu_s: 0.4, mu_k: 0.4, k_fp: 2e4, k_fd: 10.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    let law =
        PairLaw { damping: Damping::KelvinVoigt(20.0), friction: Some(friction), ..PairLaw::elastic(2e4) };
    let mut world =
        Simulation::builder(1e-3).gravity(DVec3::new(0.0, 0.0, -9.81)).law(law).response(response);
    let out = half + 0.5 * WALL;
    let (along, up) = (2.0 * half + 2.0 * WALL, DVec3::new(0.0, 0.0, height));
    let bin = [
        (FLOOR, DVec3::new(0.0, 0.0, -0.5 * WALL), DVec3::new(along, along, WALL)),
        ("left", up - DVec3::unit_x() * out, DVec3::new(WALL, along, 2.0 * height)),
        ("right", up + DVec3::unit_x() * out, DVec3::new(WALL, along, 2.0 * height)),
        ("front", up - DVec3::unit_y() * out, DVec3::new(along - 2.0 * WALL, WALL, 2.0 * height)),
        ("back", up + DVec3::unit_y() * out, DVec3::new(along - 2.0 * WALL, WALL, 2.0 * height)),
    ];
    for (name, position, size) in bin {
        let mesh = generators::cuboid(size, [1, 1, 1]).expect("a box");
        world = world.body(BodyDesc::fixed(name, mesh, Pose::from_position(position))?);
    }
    let mesh = generators::cuboid(DVec3::one() * 0.1, [1, 1, 1]).expect("a box");
    let mut numbers = Numbers::new(1);
    for i in 0..boxes {
        let [x, y, z] = [i % side, i / side % side, i / side / side].map(|k| k as f64);
        let at = DVec3::new((x + 0.5) * BESIDE - half, (y + 0.5) * BESIDE - half, 0.1 + ABOVE * z);
        let pose = Pose::new(at, rotor_from_rotation_vector(numbers.vector() * 0.6));
        world = world.body(BodyDesc::rigid(&format!("box-{i}"), &mesh, Mass::Density(1000.0), pose)?);
    }
    world.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_contact::{Contacts, PlaneContacts};

    fn contacts_after(sim: &mut Simulation, steps: usize) -> (usize, usize) {
        for _ in 0..steps {
            sim.step().unwrap();
        }
        (sim.column::<Contacts>().len(), sim.column::<PlaneContacts>().len())
    }

    #[test]
    fn the_worlds_are_in_contact_and_stay_together() {
        assert_eq!(contacts_after(&mut particle(), 20), (0, 1));

        let mut stack = box_stack();
        let (between, floor) = contacts_after(&mut stack, 300);
        assert!(between >= 4 * 25 && floor == 25, "{between} {floor}");
        let top = stack.pose(5).position;
        assert!((top.z - 0.54).abs() < 0.01 && top.x.abs() < 1e-6, "{top:?}");

        let mut pile = torus_pile();
        let (between, floor) = contacts_after(&mut pile, 800);
        assert!(between > 50 && floor > 50, "{between} {floor}");
        for slot in 1..=20 {
            let p = pile.pose(slot).position;
            assert!(p.z > 0.0 && p.z < 0.8 && p.x.hypot(p.y) < 1.0, "torus {slot} left the pile: {p:?}");
        }
    }
}
