//! A ball that goes through a cloth is told, whichever response lets it through; one that is caught, and one that passes the rim, is not.

use impinge_contact::PairLaw;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_watch::{Kind, Watches};
use impinge_world::{AttachTo, BodyDesc, ClothSpec, Deformable, Mass, Response, Simulation};

/// A ball of 0.1 m above a cloth of 1 m that is held at two sides, `aside` of its middle; and how stiff contacts are.
fn falling(response: Response, stiffness: f64, aside: f64) -> Simulation {
    let sheet = generators::grid([1.0, 1.0], [8; 2]).unwrap();
    let spec = ClothSpec {
        young: 1e5,
        poisson: 0.3,
        thickness: 1e-3,
        density: 300.0,
        bending: 0.0,
        rayleigh: [2.0, 1e-3],
    };
    let cloth = Deformable::cloth("cloth", &sheet, &spec).unwrap();
    let cloth = cloth.pinned(AttachTo::World, |p| p.x.abs() > 0.499);
    let ball = generators::icosphere(0.1, 2).unwrap();
    let mut ball = BodyDesc::rigid("ball", &ball, Mass::Total(1.0), DVec3::new(0.03, aside, 0.13)).unwrap();
    ball.velocity = DVec3::unit_z() * -1.0;
    let scheme = response.scheme().unwrap_or_default();
    Simulation::builder(1e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .scheme(scheme)
        .law(PairLaw::elastic(stiffness))
        .response(response)
        .body(BodyDesc::deformable("cloth", cloth, Pose::identity()))
        .body(ball)
        .build()
        .unwrap()
}

/// What is said of it after half a second, and where the ball is.
fn told(mut sim: Simulation) -> (Vec<String>, f64) {
    let mut watches = Watches::new(&sim);
    for _ in 0..500 {
        sim.step().unwrap();
        watches.see(&sim);
    }
    let through =
        |w: &impinge_watch::Warning| w.kind == Kind::Sunk && w.lost && w.text.contains("went through");
    let said = watches.warnings(&sim).into_iter().filter(through).map(|w| w.text).collect();
    (said, sim.position(1).z)
}

#[test]
fn a_ball_that_goes_through_a_cloth_is_told() {
    let (said, z) = told(falling(Response::penalty(), 5.0, 0.04));
    assert!(z < -1.0, "{z}");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("'ball' went through the surface of 'cloth'"), "{said:?}");
}

#[test]
fn a_ball_that_is_caught_or_passes_the_rim_is_not_told() {
    let (said, z) = told(falling(Response::qp(), 5.0, 0.04));
    assert!(said.is_empty() && z > -0.6, "{said:?} {z}");
    let (said, z) = told(falling(Response::penalty(), 5.0, 0.7));
    assert!(said.is_empty() && z < -1.0, "{said:?} {z}");
}

/// A small ball between the nodes of a cloth that stands still, without gravity: it crosses the cloth at the end of its eighth step, to the bit.
fn between_nodes() -> Simulation {
    let sheet = generators::grid([1.0, 1.0], [8; 2]).unwrap();
    let spec = ClothSpec {
        young: 1e5,
        poisson: 0.3,
        thickness: 1e-3,
        density: 300.0,
        bending: 0.0,
        rayleigh: [0.0; 2],
    };
    let cloth = Deformable::cloth("cloth", &sheet, &spec).unwrap().pinned(AttachTo::World, |_| true);
    let ball = generators::icosphere(0.01, 1).unwrap();
    let mut ball = BodyDesc::rigid("ball", &ball, Mass::Total(1.0), DVec3::new(0.06, 0.05, 0.125)).unwrap();
    ball.velocity = DVec3::unit_z() * -1.0;
    let world = Simulation::builder(1.0 / 64.0).law(PairLaw::elastic(1.0));
    world.body(BodyDesc::deformable("cloth", cloth, Pose::identity())).body(ball).build().unwrap()
}

#[test]
fn a_crossing_at_the_end_of_a_step_counts_once() {
    let (said, z) = told(between_nodes());
    assert!(said.len() == 1 && z < -1.0, "{said:?} {z}");
}

#[test]
fn what_is_put_past_a_cloth_has_not_gone_through_it() {
    let mut sim = between_nodes();
    let mut watches = Watches::new(&sim);
    for step in 0..20 {
        if step == 4 {
            sim.set_pose("ball", Pose::from_position(DVec3::new(0.06, 0.05, -0.5))).unwrap();
        }
        sim.step().unwrap();
        watches.see(&sim);
    }
    let said = watches.warnings(&sim);
    assert!(said.iter().all(|w| !w.text.contains("went through")), "{said:?}");
}
