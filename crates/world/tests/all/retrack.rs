//! Contacts made by the impulses of a step and not by its predicted motion: what is pushed through a surface is a contact of it.

use crate::common::{gravity, law};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule, Surface, SurfaceMap};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Builder, Mass, Response, Simulation, Tracked};

/// A block 0.1 µm above a slab, and a hammer that comes down on it.
fn anvil(law: PairLaw) -> Builder {
    let slab = generators::cuboid(DVec3::new(1.0, 1.0, 0.1), [3, 3, 1]).unwrap();
    let block = generators::cuboid(DVec3::broadcast(0.1), [2, 2, 2]).unwrap();
    let hammer = generators::cuboid(DVec3::new(0.16, 0.14, 0.1), [1, 1, 1]).unwrap();
    let at = |x: f64, z: f64| Pose::from_position(DVec3::new(x, 0.02, z));
    let mut striker = BodyDesc::rigid("hammer", &hammer, Mass::Total(0.5), at(0.013, 0.15 + 1e-4)).unwrap();
    striker.velocity = DVec3::unit_z() * -1.0;
    Simulation::builder(1e-3)
        .law(law)
        .response(Response::cpf())
        .body(BodyDesc::fixed("slab", slab, Pose::from_position(DVec3::unit_z() * -0.05)).unwrap())
        .body(BodyDesc::rigid("block", &block, Mass::Total(0.2), at(0.01, 0.05 + 1e-7)).unwrap())
        .body(striker)
}

/// Where the vertices of a body are between steps.
fn vertices(sim: &Simulation, slot: u32) -> Vec<(u32, DVec3)> {
    let (map, pose) = (sim.column::<SurfaceMap>(), sim.pose(slot));
    let first = map.first(slot as usize);
    let arms = map.arms(slot as usize);
    (0..).zip(arms).map(|(i, a)| (first + i, pose.point_to_world(*a))).collect()
}

#[test]
fn what_an_impulse_pushes_into_a_surface_is_in_contact_with_it() {
    let mut sim = anvil(law(2e3, Damping::None)).build().unwrap();
    let (mut sunk, mut deepest) = (0, 0.0f64);
    for _ in 0..400 {
        sim.step().unwrap();
        let tracked = sim.column::<Tracked>();
        for (v, x) in vertices(&sim, 1).into_iter().filter(|(_, x)| x.z < -1e-9) {
            (sunk, deepest) = (sunk + 1, deepest.min(x.z));
            let held = tracked.0.iter().flat_map(|t| &t.key).filter_map(|k| impinge_cpf::vertex_and_face(*k));
            assert!(
                held.into_iter().any(|(w, _)| w == v),
                "step {}: vertex {v} is {} m deep and in contact with nothing",
                sim.steps(),
                -x.z
            );
        }
    }
    assert!(sunk > 50 && deepest > -0.03, "{sunk} times a vertex was inside, the deepest {deepest} m");
    assert!(sim.pose(1).position.z > 0.03, "the block is above the slab: {:?}", sim.pose(1).position);
}

#[test]
fn retracking_is_the_same_for_any_number_of_threads() {
    let law = PairLaw {
        damping: Damping::KelvinVoigt(1.0),
        friction: Some(FrictionLaw {
            mu_s: 0.5,
            mu_k: 0.4,
            k_fp: 1e3,
            k_fd: 0.5,
            k_omega: 1e3,
            rule: SlipRule::ReturnMap,
        }),
        ..PairLaw::elastic(2e3)
    };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sim = anvil(law).gravity(gravity()).build().unwrap();
            (0..200).for_each(|_| sim.step().unwrap());
            sim.hash()
        })
    };
    assert_eq!(run(1), run(4));
}

#[test]
fn the_surface_of_the_step_stays_the_predicted_one() {
    // The ledger and the recorder read it; the real end of the step is the stage's own business.
    let mut sim = anvil(law(2e3, Damping::None)).build().unwrap();
    sim.step().unwrap();
    let (surface, map) = (sim.column::<Surface>(), sim.column::<SurfaceMap>());
    let moved = surface.x1[map.first(1) as usize] - surface.x0[map.first(1) as usize];
    assert_eq!(moved, DVec3::zero(), "the block was at rest and no force acts on it but contact");
}
