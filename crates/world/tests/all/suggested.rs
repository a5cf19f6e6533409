//! Laws that a world takes from its bodies where the program gives none.

use crate::pushed::{cube, responses};
use impinge_contact::PairLaw;
use impinge_geometry::{DVec3, Pose};
use impinge_world::{BodyDesc, Builder, Laws, Mass, Motion, PairRule, Response, Simulation};

const G: f64 = 9.81;

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

fn cuboid(name: &str, mass: f64, z: f64) -> BodyDesc {
    BodyDesc::cuboid(name, [0.2; 3], Mass::Total(mass), [0.0, 0.0, z]).unwrap()
}

fn world(dt: f64) -> Builder {
    Simulation::builder(dt).gravity(DVec3::new(0.0, 0.0, -G)).body(floor())
}

#[test]
fn bodies_of_any_mass_rest_as_deep_at_any_step() {
    for dt in [1e-4, 1e-3, 1.0 / 240.0] {
        for mass in [1e-3, 0.7, 2e4] {
            let mut sim = world(dt).body(cuboid("box", mass, 0.1)).build().unwrap();
            for _ in 0..(3.0 / dt) as usize {
                sim.step().unwrap();
            }
            assert!(sim.warnings().is_empty());
            assert!((sim.contact_force(1).z / (mass * G) - 1.0).abs() < 1e-6, "{dt} {mass}");
            assert!(sim.contacts().all(|c| c.depth > 10.0 * G * dt * dt && c.depth <= 60.0 * G * dt * dt));
        }
    }
}

#[test]
fn a_stack_stands_under_every_explicit_response_that_takes_a_law() {
    for (response, scheme) in responses().into_iter().filter(|r| !r.0.is_implicit()) {
        if response.own_stiffness().is_some() {
            continue;
        }
        let build = |z: [f64; 3]| {
            world(1e-3)
                .response(response.clone())
                .scheme(scheme)
                .body(cuboid("low", 3.0, z[0]))
                .body(cuboid("mid", 1.0, z[1]))
                .body(cuboid("top", 2.0, z[2]))
                .build()
                .unwrap()
        };
        let mut sim = build([0.1, 0.3, 0.5]);
        let (mut carried, mut height) = (0.0, [0.0; 2]);
        for step in 0..2000 {
            sim.step().unwrap();
            if step >= 1900 {
                carried -= sim.ledger().contact[0].impulse.z / (100.0 * sim.dt());
                height[usize::from(step == 1999)] = sim.position(3).z;
            }
        }
        // What trembles by the speed of half a step still rests.
        assert!((height[1] - height[0]).abs() < G * 1e-6, "{}: {height:?}", response.name());
        assert!((carried / (6.0 * G) - 1.0).abs() < 1e-3, "{}: {carried}", response.name());
    }
}

#[test]
fn a_body_that_lands_stays_down_and_does_not_slide() {
    let mut sim = world(1e-3).body(cuboid("box", 2.0, 0.3)).build().unwrap();
    sim.set_velocity("box", [0.3, 0.0, 0.0]).unwrap();
    let mut touched = false;
    for _ in 0..1500 {
        sim.step().unwrap();
        touched |= sim.contacts().next().is_some();
        let z = sim.position(1).z;
        // A stiffness up to two times softer has 0.35 to 0.5 of the critical damping: at most 0.3 of the speed comes back, 0.09 of the height.
        assert!(!touched || z < 0.1 + 0.2 * 0.09, "{z}");
    }
    // Coulomb with 0.5: friction that is asked for is there.
    assert!(sim.twist(1).velocity.mag() < 1e-4);
    let law = sim.column::<Laws>().laws[0];
    assert_eq!(law.friction.map(|f| (f.mu_s, f.mu_k)), Some((0.5, 0.5)));
}

#[test]
fn a_body_that_comes_changes_no_law_of_the_others() {
    let law_of = |sim: &Simulation, a: u32, b: u32| {
        let laws = sim.column::<Laws>();
        laws.laws[laws.of(a, b).unwrap().0 as usize]
    };
    let mut sim = Simulation::new(1e-3).unwrap();
    sim.step().unwrap();
    sim.insert(floor()).unwrap();
    sim.insert(cuboid("box", 2.0, 0.1)).unwrap();
    let before = law_of(&sim, 0, 1);
    sim.set_dt(5e-4).unwrap();
    let light = sim.insert(cuboid("light", 1e-3, 0.8)).unwrap().slot();
    let heavy = sim.insert(cuboid("heavy", 1e3, 1.8)).unwrap().slot();
    assert_eq!(law_of(&sim, 0, 1), before);
    assert_eq!(law_of(&sim, light, heavy), law_of(&sim, 0, light));
    assert!(law_of(&sim, 0, heavy).stiffness.value() > 100.0 * before.stiffness.value());
    let (law, k) = (law_of(&sim, 0, 1), PairLaw::suggested(0.5, 1e-3, 0.5).stiffness.value());
    let ratio = law.stiffness.value() / k;
    assert!(ratio > 0.1 && ratio <= 1.0, "{ratio}");
    sim.step().unwrap();
}

/// What was found for a body is found again where the same one comes, and never taken for another one: not for a body of the same mass and inertia with
/// another shape that takes its slot, nor for points, which have no shape to be told by.
#[test]
fn a_body_that_takes_the_slot_of_a_removed_one_gets_its_own_law() {
    let of = |sim: &Simulation| {
        let laws = sim.column::<Laws>();
        let k = |b: u32| laws.laws[laws.of(0, b).unwrap().0 as usize].stiffness.value();
        [k(1), k(2)]
    };
    let anew = |bodies: [&BodyDesc; 2]| {
        let built = world(1e-3).body(bodies[0].clone()).body(bodies[1].clone()).build().unwrap();
        of(&built)
    };
    let stays = cuboid("stays", 3.0, 1.0);
    let first = cuboid("first", 2.0, 0.1);
    // It stands on more corners than a cube.
    let Motion::Rigid { mass, inertia } = first.motion else { panic!("rigid") };
    let cone = impinge_geometry::generators::cone(0.2, 0.3, 12).unwrap();
    let mut cone = BodyDesc::rigid("cone", &cone, Mass::Total(mass), Pose::identity()).unwrap();
    cone.motion = Motion::Rigid { mass, inertia };
    let points = |mass: f64| BodyDesc::particles("points", vec![DVec3::unit_z()], mass);
    let others = [cone, cuboid("heavy", 50.0, 0.1), points(0.1), points(7.0), first.clone()];
    let mut sim = world(1e-3).body(first.clone()).body(stays.clone()).build().unwrap();
    assert_eq!(of(&sim), anew([&first, &stays]));
    let mut seen = std::collections::BTreeSet::new();
    for other in others {
        sim.remove(1).unwrap();
        assert_eq!(sim.insert(other.clone()).unwrap().slot(), 1, "it takes the slot");
        assert_eq!(of(&sim), anew([&other, &stays]), "{}", other.name);
        seen.insert(of(&sim)[0].to_bits());
    }
    assert!(seen.len() >= 4, "they have different laws, or the test says nothing: {seen:?}");
}

#[test]
fn a_rule_stays_when_a_body_comes_and_no_law_takes_the_place_of_a_suggested_one() {
    let mut sim = Simulation::new(1e-3).unwrap();
    sim.insert(floor()).unwrap();
    sim.insert(cuboid("box", 2.0, 0.1)).unwrap();
    sim.set_rule("floor", "box", Some(PairRule::Ignore)).unwrap();
    sim.insert(cuboid("other", 2.0, 0.8)).unwrap();
    assert!(sim.column::<Laws>().of(0, 1).is_none() && sim.column::<Laws>().of(0, 2).is_some());
    let error = sim.set_law("floor", "other", PairLaw::elastic(1e4)).unwrap_err().to_string();
    assert!(error.contains("`law`"), "{error}");
    sim.step().unwrap();
}

#[test]
fn laws_given_and_laws_suggested_do_not_mix() {
    let error = world(1e-3).law(PairLaw::elastic(1e4)).friction(0.3).build().err().unwrap().to_string();
    assert!(error.contains("state it in the laws given"), "{error}");
    let error = world(1e-3).friction(-0.3).build().err().unwrap().to_string();
    assert!(error.contains("zero or positive"), "{error}");
    let mut other = cube("box", DVec3::zero());
    other.material = 1;
    let error = world(1e-3).body(other).build().err().unwrap().to_string();
    assert!(error.contains("'box'") && error.contains("laws()"), "{error}");
    let frictionless = world(1e-3).friction(0.0).body(cuboid("box", 1.0, 0.1)).build().unwrap();
    assert_eq!(frictionless.column::<Laws>().laws[0].friction, None);
}

#[test]
fn constraints_take_the_friction_alone() {
    let mut sim =
        world(1e-3).response(Response::qp()).friction(0.4).body(cuboid("box", 2.0, 0.1)).build().unwrap();
    for _ in 0..50 {
        sim.apply_force("box", [0.39 * 2.0 * G, 0.0, 0.0]).unwrap();
        sim.step().unwrap();
    }
    assert!(sim.twist(1).velocity.x.abs() < 1e-9);
    for _ in 0..100 {
        sim.apply_force("box", [0.5 * 2.0 * G, 0.0, 0.0]).unwrap();
        sim.step().unwrap();
    }
    assert!((sim.twist(1).velocity.x - 0.1 * G * 0.1).abs() < 1e-3, "{}", sim.twist(1).velocity.x);
}

#[test]
fn a_pose_may_be_a_place() {
    let a = BodyDesc::ball("ball", 0.1, Mass::Total(1.0), [1.0, 2.0, 3.0]).unwrap();
    let b = BodyDesc::ball("ball", 0.1, Mass::Total(1.0), Pose::from_position(DVec3::new(1.0, 2.0, 3.0)))
        .unwrap();
    assert_eq!(a.pose, b.pose);
}

#[test]
fn laws_that_are_given_stay_beside_laws_that_follow() {
    use impinge_contact::{FrictionLaw, Stiffness};
    use impinge_world::{Laws, Suggested};
    let ice = PairLaw { friction: Some(FrictionLaw::coulomb(0.03)), ..PairLaw::elastic(1.0) };
    let given = PairLaw::elastic(1234.0);
    let ball = |name: &str, x: f64, mass: f64, material: u32| {
        let mut body = BodyDesc::ball(name, 0.1, Mass::Total(mass), [x, 0.0, 0.3]).unwrap();
        body.material = material;
        body
    };
    let build = |more: Option<f64>| {
        let mut builder = Simulation::builder(1e-3)
            .gravity(DVec3::new(0.0, 0.0, -9.81))
            // Material 0 against 1 is ice, balls of material 1 have the law given.
            .laws(vec![ice, given], 2, vec![0, 0, 0, 1])
            .suggest(0, Suggested::ALL)
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(ball("light", 0.0, 1.0, 1))
            .body(ball("heavy", 1.0, 64.0, 1));
        if let Some(mass) = more {
            builder = builder.body(ball("more", 2.0, mass, 0));
        }
        builder.build().unwrap()
    };
    let law = |sim: &Simulation, a: u32, b: u32| {
        let laws = sim.column::<Laws>();
        laws.laws[laws.of(a, b).unwrap().0 as usize]
    };
    let sim = build(None);
    assert_eq!(law(&sim, 1, 2), given);
    let [light, heavy] = [1, 2].map(|slot| law(&sim, 0, slot));
    assert_eq!(heavy.stiffness.value() / light.stiffness.value(), 64.0);
    assert!(matches!(light.stiffness, Stiffness::PerContact(k) if k != 1.0));
    assert_eq!(light.friction.map(|f| [f.mu_s, f.k_fp]), Some([0.03, light.stiffness.value()]));
    assert_eq!(sim.suggested_laws().len(), 2, "{:?}", sim.suggested_laws());

    // A body that comes changes nothing between the others, built in or inserted.
    let mut later = build(None);
    later.insert(ball("more", 2.0, 3e-3, 0)).unwrap();
    for other in [build(Some(3e-3)), build(Some(1e4)), later] {
        assert_eq!([law(&other, 0, 1), law(&other, 0, 2), law(&other, 1, 2)], [light, heavy, given]);
    }
    let mut sim = sim;
    assert!(sim.set_law("floor", "light", given).is_err());
    let bad = |b: impinge_world::Builder| b.build().is_err();
    assert!(bad(Simulation::builder(1e-3).law(given).suggest(1, Suggested::ALL)));
    assert!(bad(Simulation::builder(1e-3).suggest(0, Suggested::ALL)));
}

/// Vertices of the floor push as well: on a fine one a box has many contacts, and is held by friction all the same.
#[test]
fn a_box_on_a_fine_floor_sticks_on_a_slope() {
    let down = |angle: f64| DVec3::new(G * angle.sin(), 0.0, -G * angle.cos());
    for (response, scheme) in responses().into_iter().filter(|r| !r.0.is_implicit()) {
        if response.own_stiffness().is_some() {
            continue;
        }
        for cells in [44u32, 55, 58] {
            let mesh = impinge_geometry::generators::cuboid(DVec3::new(2.0, 1.0, 0.2), [cells, cells / 2, 1])
                .unwrap();
            let deck =
                BodyDesc::fixed("deck", mesh, Pose::from_position(DVec3::new(0.0031, 0.0017, -0.1))).unwrap();
            let mut sim = Simulation::builder(1e-3)
                .gravity(down(15f64.to_radians()))
                .response(response.clone())
                .scheme(scheme)
                .body(deck)
                .body(cuboid("box", 1.0, 0.1))
                .build()
                .unwrap();
            (0..500).for_each(|_| sim.step().unwrap());
            let from = sim.position(1);
            (0..1000).for_each(|_| sim.step().unwrap());
            let way = (sim.position(1) - from).mag();
            assert!(way < 1e-4, "{}, {cells} cells: {way} m in 1 s", response.name());
        }
    }
}

/// Where the other is not flat few of its vertices push at once: the same stiffness as beside a coarse one, for what is made of nodes as well.
#[test]
fn fine_meshes_that_are_not_flat_leave_the_stiffness_alone() {
    use impinge_geometry::generators::{height_field, icosphere};
    let stiffness = |ground: BodyDesc, other: BodyDesc| {
        let gravity = DVec3::unit_z() * -G;
        let sim = Simulation::builder(1e-3).gravity(gravity).body(ground).body(other).build().unwrap();
        let laws = sim.column::<Laws>();
        laws.laws[laws.of(0, 1).unwrap().0 as usize].stiffness.value()
    };
    let ball = |n: u32| BodyDesc::fixed("ball", icosphere(1.0, n).unwrap(), Pose::identity()).unwrap();
    let hills = |n: u32| {
        let along = |i: u32| 4.0 * f64::from(i) / f64::from(n - 1);
        let heights: Vec<f64> =
            (0..n * n).map(|k| 0.05 * (3.0 * along(k % n)).sin() * (2.0 * along(k / n)).cos()).collect();
        let mesh = height_field([4.0; 2], [n; 2], &heights).unwrap();
        BodyDesc::fixed("hills", mesh, Pose::identity()).unwrap()
    };
    let (cube, dust) =
        (|| cuboid("box", 50.0, 1.2), || BodyDesc::particles("dust", vec![DVec3::unit_z() * 2.0], 0.1));
    assert_eq!(stiffness(ball(1), cube()), stiffness(ball(5), cube()));
    assert_eq!(stiffness(ball(1), dust()), stiffness(ball(5), dust()));
    assert_eq!(stiffness(hills(4), cube()), stiffness(hills(201), cube()));
}
