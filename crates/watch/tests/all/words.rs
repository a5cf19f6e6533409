//! What is said of a world in a loop of one's own: nothing of one that rests, and of others the body, the number and whether it is physics.

use impinge_contact::{Damping, FrictionLaw, PairLaw};
use impinge_geometry::{DVec3, Pose, TriMesh, rotor_from_rotation_vector};
use impinge_watch::{Kind, Missed, Off, Watches};
use impinge_world::{BodyDesc, Mass, Measurement, Simulation, VolumeSettings};

/// A crate of 80 kg and 0.2 m on springs of a stiffness (N/m) and a damping (N·s/m).
fn crate_on(stiffness: f64, damping: f64) -> Simulation {
    Simulation::builder(1e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(PairLaw { damping: Damping::KelvinVoigt(damping), ..PairLaw::elastic(stiffness) })
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::cuboid("crate", [0.2; 3], Mass::Total(80.0), [0.0, 0.0, 0.1]).unwrap())
        .build()
        .unwrap()
}

fn go(sim: &mut Simulation, watches: &mut Watches, steps: u32) {
    for _ in 0..steps {
        sim.step().unwrap();
        watches.see(sim);
    }
}

#[test]
fn nothing_is_said_of_a_crate_that_rests() {
    let mut sim = crate_on(1e5, 1e3);
    assert_eq!(Watches::before(&sim), []);
    let mut watches = Watches::new(&sim);
    go(&mut sim, &mut watches, 2000);
    assert_eq!(watches.warnings(&sim), []);
    assert_eq!(watches.images(), None);
}

#[test]
fn a_crate_that_sinks_through_the_floor_is_no_physics() {
    let mut sim = crate_on(100.0, 0.0);
    let mut watches = Watches::new(&sim);
    go(&mut sim, &mut watches, 1000);
    let said = watches.warnings(&sim);
    let sunk = said.iter().find(|w| w.kind == Kind::Sunk).expect("deeper than it is thick");
    assert!(sunk.lost && sunk.to_string().contains("'floor' and 'crate'"), "{said:?}");
}

#[test]
fn a_body_that_came_later_is_watched_too() {
    let mut sim = crate_on(100.0, 0.0);
    let mut watches = Watches::new(&sim);
    sim.insert(BodyDesc::cuboid("late", [0.1; 3], Mass::Total(80.0), [1.0, 0.0, 0.05]).unwrap()).unwrap();
    sim.remove("crate").unwrap();
    go(&mut sim, &mut watches, 1000);
    let said = watches.warnings(&sim);
    assert!(said.iter().any(|w| w.lost && w.text.contains("'floor' and 'late'")), "{said:?}");
}

#[test]
fn what_was_seen_of_a_body_that_went_is_said_under_its_name() {
    let mut sim = crate_on(100.0, 0.0);
    let mut watches = Watches::new(&sim);
    go(&mut sim, &mut watches, 1000);
    sim.remove("crate").unwrap();
    let light = BodyDesc::cuboid("light", [0.2; 3], Mass::Total(0.1), [0.0, 0.0, 0.1]).unwrap();
    let light = sim.insert(light).unwrap();
    assert_eq!(light.slot(), 1, "in its place");
    go(&mut sim, &mut watches, 1000);
    let said = watches.warnings(&sim);
    assert!(said.iter().any(|w| w.lost && w.text.contains("'floor' and 'crate'")), "{said:?}");
    assert!(said.iter().all(|w| !w.text.contains("'light'")), "{said:?}");
}

/// A box of 0.2 m whose corner is in the middle of that on the floor.
fn put_into_the_crate(sim: &mut Simulation) {
    let late = BodyDesc::cuboid("late", [0.2; 3], Mass::Total(80.0), [0.1, 0.1, 0.2]).unwrap();
    sim.insert(late).unwrap();
}

#[test]
fn nothing_is_said_of_who_came_since_the_last_step() {
    let mut sim = crate_on(1e5, 1e3);
    let mut watches = Watches::new(&sim);
    go(&mut sim, &mut watches, 10);
    put_into_the_crate(&mut sim);
    let sunk = |watches: &Watches, sim: &Simulation| {
        watches.warnings(sim).into_iter().filter(|w| w.kind == Kind::Sunk).collect::<Vec<_>>()
    };
    assert_eq!(sunk(&watches, &sim), [], "a slot more");
    // In the place of another, whose name it has not.
    let mut sim = crate_on(1e5, 1e3);
    let mut watches = Watches::new(&sim);
    go(&mut sim, &mut watches, 10);
    sim.remove("crate").unwrap();
    sim.insert(BodyDesc::cuboid("deep", [0.2; 3], Mass::Total(80.0), [0.0, 0.0, 0.02]).unwrap()).unwrap();
    assert_eq!(sunk(&watches, &sim), [], "the slot of another");
    let missed = Missed::new("it rests", vec![1, 7], [1.0; 2], Off::Speed(1e-6));
    assert!(watches.warnings_of(&sim, &[missed]).iter().all(|w| w.kind != Kind::Swings));
}

#[test]
fn a_body_put_into_another_is_no_load_that_pressed_it_in() {
    // Springs so soft that nothing moves.
    let mut sim = Simulation::builder(1e-3)
        .gravity(DVec3::zero())
        .law(PairLaw::elastic(1e-6))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::cuboid("crate", [0.2; 3], Mass::Total(80.0), [0.0, 0.0, 0.1]).unwrap())
        .build()
        .unwrap();
    let mut watches = Watches::new(&sim);
    go(&mut sim, &mut watches, 1);
    put_into_the_crate(&mut sim);
    assert_eq!(sim.in_each_other(0.25, |_, _| true).len(), 1);
    go(&mut sim, &mut watches, 200);
    let said = watches.warnings(&sim);
    assert!(said.iter().all(|w| !matches!(w.kind, Kind::Sunk | Kind::LetGo)), "{said:?}");
}

#[test]
fn a_missed_number_is_explained_by_a_swing() {
    // ω = √(4 k / m) = 35 rad/s, and it falls by 2.5 a second: half as much every 0.28 s.
    let mut sim = crate_on(2.5e4, 100.0);
    let mut watches = Watches::new(&sim);
    go(&mut sim, &mut watches, 1000);
    let missed = |off| Missed::new("it rests", vec![1], [1.0; 2], off);
    let said = |off| watches.warnings_of(&sim, &[missed(off)]);
    let all = said(Off::Speed(1e-6));
    assert!(all.iter().any(|w| w.kind == Kind::Swings && w.text.contains("'it rests'")), "{all:?}");
    assert!(said(Off::Speed(10.0)).iter().all(|w| w.kind != Kind::Swings), "another reason");
}

/// A double pyramid, 0.6 m long and 6 cm thick, falls on its side: its middle is 2.2 mm within the rim of the side it lies on. In cells of 0.1 m it rocks from
/// one half to the other and loses nothing; whatever the window, that is said.
#[test]
fn a_spike_that_rocks_in_its_cells_is_told_of() {
    let ring = (0..6).map(|i| (f64::from(i) * std::f64::consts::FRAC_PI_3).sin_cos());
    let mut x: Vec<DVec3> = ring.map(|(s, c)| DVec3::new(0.03 * c, 0.03 * s, 0.0)).collect();
    x.extend([DVec3::unit_z() * 0.3, DVec3::unit_z() * -0.3]);
    let sides = (0..6u32).flat_map(|i| [[i, (i + 1) % 6, 6], [(i + 1) % 6, i, 7]]).collect();
    let spike = TriMesh::new(x, sides).unwrap();
    let turn = rotor_from_rotation_vector(DVec3::new(0.3, 1.0, 0.0).normalized() * 35f64.to_radians());
    let pose = Pose::new(DVec3::unit_z() * 0.35, turn);
    let measure = Measurement { cell: Some(0.1), ..Measurement::default() };
    let friction = Some(FrictionLaw::coulomb(0.5));
    let mut sim = Simulation::builder(2e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(PairLaw { friction, ..PairLaw::elastic(1.0) })
        .response(VolumeSettings { measure, ..VolumeSettings::default() })
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::rigid("spike", &spike, Mass::Density(1000.0), pose).unwrap())
        .build()
        .unwrap();
    let mut watches = Watches::new(&sim);
    go(&mut sim, &mut watches, 2000);
    for window in [[2.0, 2.2], [2.5, 3.0], [3.1, 3.3], [3.5, 4.0], [4.0, 4.0]] {
        let missed = Missed::new("rests", vec![1], window, Off::Speed(0.02));
        let said = watches.warnings_of(&sim, &[missed]);
        let swings = said.iter().find(|w| w.kind == Kind::Swings).expect("it rocks");
        assert!(
            swings.text.contains("2.24e-3 m within the rim") && swings.text.contains("A `cell` of 3.7e-3 m"),
            "{swings}"
        );
    }
}

#[test]
fn a_body_that_turns_too_far_is_told_before_or_during() {
    let spins = |spin: f64| {
        let mut sim = crate_on(1e5, 1e3);
        sim.set_angular_velocity("crate", DVec3::unit_z() * spin).unwrap();
        sim
    };
    let told = Watches::before(&spins(1500.0));
    assert!(told.iter().any(|w| w.text.contains("body 'crate' turns by 1.50 rad in a step")), "{told:?}");
    // Who asks only afterwards hears it too, in the same words.
    let mut sim = spins(1500.0);
    let mut watches = Watches::new(&sim);
    go(&mut sim, &mut watches, 1);
    let said = watches.warnings(&sim);
    assert!(said.iter().any(|w| w.kind == Kind::Spun && told.contains(w)), "{said:?}");
    let mut sim = spins(0.0);
    let mut watches = Watches::new(&sim);
    sim.set_angular_velocity("crate", DVec3::unit_z() * 1500.0).unwrap();
    go(&mut sim, &mut watches, 1);
    assert!(watches.warnings(&sim).iter().any(|w| w.kind == Kind::Spun));
}

#[test]
fn what_was_seen_goes_to_a_file_and_back() {
    let mut sim = crate_on(2.5e4, 100.0);
    let mut watches = Watches::new(&sim);
    go(&mut sim, &mut watches, 700);
    let bytes = postcard::to_stdvec(&watches).unwrap();
    let mut again: Watches = postcard::from_bytes(&bytes).unwrap();
    for _ in 0..300 {
        sim.step().unwrap();
        watches.see(&sim);
        again.see(&sim);
    }
    assert_eq!(postcard::to_stdvec(&watches).unwrap(), postcard::to_stdvec(&again).unwrap());
    assert_eq!(watches.warnings(&sim), again.warnings(&sim));
}
