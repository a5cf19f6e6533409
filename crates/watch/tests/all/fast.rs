//! What is so fast that no step sees it pressed in is told where it goes through, and not where it is caught or flies past.

use impinge_contact::PairLaw;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_watch::{Kind, Watches};
use impinge_world::{BodyDesc, Mass, Response, Simulation};

/// A marble of 15 mm flies at 20 m/s onto a plate of 10 mm, `aside` of its middle, 83 mm a step.
fn marble(response: Response, aside: f64) -> Simulation {
    let plate = generators::cuboid(DVec3::new(1.0, 1.0, 0.01), [4, 4, 1]).unwrap();
    let ball = generators::icosphere(0.015, 2).unwrap();
    let plate = BodyDesc::fixed("plate", plate, Pose::from_position(DVec3::new(0.0, 0.0, -0.005))).unwrap();
    let mut marble =
        BodyDesc::rigid("marble", &ball, Mass::Total(0.035), DVec3::new(aside, 0.0, 0.3)).unwrap();
    marble.velocity = DVec3::unit_z() * -20.0;
    let scheme = response.scheme().unwrap_or_default();
    let world =
        Simulation::builder(1.0 / 240.0).scheme(scheme).law(PairLaw::elastic(300.0)).response(response);
    world.body(plate).body(marble).build().unwrap()
}

/// What is said of bodies that went through each other after some steps.
fn told(mut sim: Simulation, steps: usize) -> Vec<String> {
    let mut watches = Watches::new(&sim);
    for _ in 0..steps {
        sim.step().unwrap();
        watches.see(&sim);
    }
    let said = watches.warnings(&sim).into_iter().filter(|w| w.kind == Kind::Sunk && w.lost);
    said.map(|w| w.text).collect()
}

#[test]
fn a_marble_that_tunnels_is_told() {
    let said = told(marble(Response::penalty(), 0.1), 60);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("centre of 'marble' went through the surface of 'plate'"), "{said:?}");
}

#[test]
fn a_marble_that_is_caught_or_flies_past_is_not_told() {
    for (response, aside) in [(Response::qp(), 0.1), (Response::penalty(), 0.6)] {
        let said = told(marble(response, aside), 60);
        assert!(said.is_empty(), "{said:?}");
    }
}

/// Volumes know nothing of a box that is past a plane when the step ends.
fn onto_a_plane(speed: f64) -> Simulation {
    let at = DVec3::unit_z() * 0.06;
    let mut block = BodyDesc::cuboid("block", [0.1; 3], Mass::Total(1.0), at).unwrap();
    block.velocity = DVec3::unit_z() * -speed;
    Simulation::builder(1e-3)
        .law(PairLaw::elastic(1e4))
        .response(Response::volume())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(block)
        .build()
        .unwrap()
}

#[test]
fn a_block_behind_a_plane_is_told() {
    let said = told(onto_a_plane(300.0), 10);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("centre of 'block' went through the surface of 'floor'"), "{said:?}");
    assert!(told(onto_a_plane(1.0), 200).is_empty());
}

#[test]
fn what_starts_deep_in_a_plane_is_told_before_the_run() {
    let block = generators::cuboid(DVec3::broadcast(1.0), [2; 3]).unwrap();
    let world = |height: f64| {
        let at = DVec3::unit_z() * height;
        let builder = Simulation::builder(1e-3).law(PairLaw::elastic(1e4));
        let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
        builder
            .body(floor)
            .body(BodyDesc::rigid("a", &block, Mass::Total(1000.0), at).unwrap())
            .build()
            .unwrap()
    };
    let told = |height: f64| {
        let said = Watches::before(&world(height)).into_iter().map(|w| w.text);
        said.filter(|text| text.contains("deep in each other")).collect::<Vec<_>>()
    };
    let said = told(0.06);
    assert!(said.len() == 1 && said[0].contains("'floor' and 'a' start 4.40e-1 m deep"), "{said:?}");
    assert!(told(0.45).is_empty());
}

/// A plate of 2 mm rests 1.2 mm deep, its centre behind the plane: springs as soft as somebody chose them carry it.
#[test]
fn what_soft_springs_carry_is_not_lost() {
    let plate =
        BodyDesc::cuboid("plate", [0.1, 0.1, 2e-3], Mass::Total(0.1), DVec3::unit_z() * -2e-4).unwrap();
    let sim = Simulation::builder(1e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(PairLaw::elastic(0.1 * 9.81 / (4.0 * 1.2e-3)))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(plate)
        .build()
        .unwrap();
    assert_eq!(told(sim, 50), [""; 0]);
}
