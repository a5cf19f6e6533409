//! The same bits for any number of threads, and after going back to a snapshot.

use crate::common::{collision, gravity, law};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_world::{BodyDesc, Mass, Response, Simulation, State};

fn pile() -> Simulation {
    let friction =
        FrictionLaw { mu_s: 0.6, mu_k: 0.5, k_fp: 2e3, k_fd: 3.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    let law =
        PairLaw { damping: Damping::KelvinVoigt(3.0), friction: Some(friction), ..PairLaw::elastic(2e3) };
    let torus = generators::torus(0.1, 0.04, 24, 12).unwrap();
    let ball = generators::icosphere(0.08, 3).unwrap();
    let mut b = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::particles(
            "dust",
            vec![DVec3::new(0.0, 0.0, 0.6), DVec3::new(0.05, 0.02, 0.7)],
            0.01,
        ));
    // Points cannot touch points, and there is only one such body here.
    for i in 0..6 {
        let (mesh, turn) = if i % 2 == 0 { (&torus, 0.4) } else { (&ball, 1.1) };
        let rotation = rotor_from_rotation_vector(DVec3::new(turn, 0.3 * f64::from(i), 0.1));
        let pose = Pose::new(DVec3::new(0.02 * f64::from(i), 0.01, 0.16 + 0.13 * f64::from(i)), rotation);
        b = b.body(BodyDesc::rigid(&format!("body-{i}"), mesh, Mass::Density(500.0), pose).unwrap());
    }
    b.build().unwrap()
}

fn hash_with(threads: usize, steps: usize) -> (u64, usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut sim = pile();
        let mut contacts = 0;
        for _ in 0..steps {
            sim.step().unwrap();
            contacts = contacts.max(sim.column::<impinge_contact::Contacts>().len());
        }
        (sim.hash(), contacts)
    })
}

#[test]
fn one_two_and_eight_threads_give_the_same_bits() {
    let one = hash_with(1, 600);
    assert!(one.1 > 20, "the pile must be in contact: {}", one.1);
    assert_eq!(hash_with(2, 600), one);
    assert_eq!(hash_with(8, 600), one);
}

#[test]
fn a_snapshot_at_mid_run_continues_with_the_same_bits() {
    let mut sim = pile();
    for _ in 0..300 {
        sim.step().unwrap();
    }
    let middle = sim.snapshot();
    assert!(
        !middle.kept[0].get::<State>().unwrap().0.rows().is_empty(),
        "friction anchors are part of the state"
    );
    for _ in 0..200 {
        sim.step().unwrap();
    }
    let end = sim.hash();
    sim.restore(&middle).unwrap();
    assert_eq!(sim.hash(), middle.hash());
    assert_eq!(sim.steps(), 300);
    for _ in 0..200 {
        sim.step().unwrap();
    }
    assert_eq!(sim.hash(), end);
    // Into a fresh world of the same scene too.
    let mut fresh = pile();
    fresh.restore(&middle).unwrap();
    for _ in 0..200 {
        fresh.step().unwrap();
    }
    assert_eq!(fresh.hash(), end);
}

#[test]
fn a_snapshot_of_another_scene_is_refused() {
    let other = collision(Response::penalty(), law(1e3, Damping::None), 1e-3).build().unwrap();
    let e = pile().restore(&other.snapshot()).unwrap_err();
    assert!(e.contains("2 bodies"), "{e}");
}

#[test]
fn the_hash_sees_every_part_of_the_state() {
    let mut sim = pile();
    for _ in 0..300 {
        sim.step().unwrap();
    }
    let s = sim.snapshot();
    let base = s.hash();
    let mut t = s.clone();
    t.bodies[3].1.angular_velocity.y = f64::from_bits(t.bodies[3].1.angular_velocity.y.to_bits() ^ 1);
    assert_ne!(t.hash(), base);
    let mut t = s.clone();
    t.nodes.x[1].z = f64::from_bits(t.nodes.x[1].z.to_bits() ^ 1);
    assert_ne!(t.hash(), base);
    let mut t = s.clone();
    let (key, anchor, slipping) = s.kept[0].get::<State>().unwrap().0.rows()[0];
    let anchors = &mut t.kept[0].get_mut::<State>().unwrap().0;
    anchors.clear();
    anchors.push(key, anchor, !slipping);
    let rest = &s.kept[0].get::<State>().unwrap().0.rows()[1..];
    rest.iter().for_each(|&(k, a, f)| anchors.push(k, a, f));
    assert_ne!(t.hash(), base);
    let mut t = s;
    t.step += 1;
    assert_ne!(t.hash(), base);
}
