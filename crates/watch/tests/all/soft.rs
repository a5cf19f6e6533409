//! What is soft goes through things, or sinks in, in no silence; and what is caught, or lies as it should, is not told.

use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_elasticity::{Material, rod::Section, tet::Model};
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_integrators::Scheme;
use impinge_watch::{Missed, Off, Watches};
use impinge_world::{
    AttachTo, BodyDesc, Builder, ClothSpec, Deformable, Mass, Measurement, Motion, Response, Simulation,
    VolumePenaltySettings, VolumeSettings,
};

const G: f64 = 9.81;

fn law(mu: f64) -> PairLaw {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    PairLaw { friction: Some(friction), ..PairLaw::elastic(1.0) }
}

fn builder(response: Response, dt: f64, k: f64) -> Builder {
    let scheme = response.scheme().unwrap_or(Scheme::ImplicitEuler);
    Simulation::builder(dt).scheme(scheme).law(PairLaw::elastic(k)).response(response)
}

fn falling(response: Response, dt: f64, k: f64) -> Builder {
    builder(response, dt, k).gravity(DVec3::new(0.0, 0.0, -G))
}

fn cloth(side: f64, segments: u32, height: f64) -> BodyDesc {
    let spec = ClothSpec {
        young: 1e6,
        poisson: 0.3,
        thickness: 1e-3,
        density: 1000.0,
        bending: 0.02,
        rayleigh: [2.0, 1e-3],
    };
    let mesh = generators::grid([side; 2], [segments; 2]).unwrap();
    let made = Deformable::cloth("cloth", &mesh, &spec).unwrap();
    BodyDesc::deformable("cloth", made, Pose::from_position(DVec3::unit_z() * height))
}

fn solid(name: &str, young: f64, size: DVec3, segments: [u32; 3], at: DVec3) -> BodyDesc {
    let mesh = generators::tet_box(size, segments).unwrap();
    let rubber = Material::new(young, 0.3, 1000.0).with_rayleigh(1.0, 2e-3);
    let made = Deformable::solid(name, &mesh, Model::Corotational, &rubber).unwrap();
    BodyDesc::deformable(name, made, Pose::from_position(at))
}

fn plate(mesh: TriMesh, height: f64) -> BodyDesc {
    BodyDesc::fixed("plate", mesh, Pose::from_position(DVec3::unit_z() * height)).unwrap()
}

/// What is said of it after so many seconds, and whether it is no physics.
fn told(mut sim: Simulation, seconds: f64) -> Vec<(String, bool)> {
    let mut watches = Watches::new(&sim);
    while sim.time() < seconds {
        sim.step().unwrap();
        watches.see(&sim);
    }
    watches.warnings(&sim).into_iter().map(|w| (w.text, w.lost)).collect()
}

fn is_through(said: &[(String, bool)]) -> bool {
    said.iter().any(|(text, lost)| *lost && text.contains("went through the surface of"))
}

#[test]
fn cloth_that_falls_through_a_table_is_told() {
    let table = |k| {
        let top = generators::cuboid(DVec3::new(0.3, 0.3, 0.02), [4; 3]).unwrap();
        falling(Response::penalty(), 2e-3, k)
            .body(plate(top, -0.01))
            .body(cloth(0.5, 10, 2e-3))
            .build()
            .unwrap()
    };
    let said = told(table(0.2), 0.8);
    assert!(is_through(&said) && said[0].0.contains("cloth"), "{said:?}");
    let said = told(table(60.0), 0.8);
    assert!(!is_through(&said), "{said:?}");
}

#[test]
fn a_block_that_cuts_a_cable_is_told() {
    let sim = |speed: f64| {
        let line: Vec<DVec3> = (0..22).map(|i| DVec3::unit_x() * (f64::from(i) / 35.0 - 0.3)).collect();
        let section = Section::round(1e8, 0.3, 5e-3, 1000.0).unwrap();
        let cable = Deformable::cable("cable", &line, &section, [0.0, 1e-3]).unwrap();
        let cable = cable.pinned(AttachTo::World, |p| p.x.abs() > 0.299);
        let at = DVec3::new(0.01, 0.005, 0.08);
        let mut block = BodyDesc::cuboid("block", [0.1; 3], Mass::Total(0.2), at).unwrap();
        block.velocity = DVec3::unit_z() * -speed;
        let world = builder(Response::penalty(), 1e-3, 100.0);
        world.body(BodyDesc::deformable("cable", cable, Pose::identity())).body(block).build().unwrap()
    };
    let said = told(sim(10.0), 0.06);
    assert!(is_through(&said) && said.iter().any(|s| s.0.contains("nodes of 'cable'")), "{said:?}");
    let said = told(sim(0.3), 0.3);
    assert!(!is_through(&said), "{said:?}");
}

#[test]
fn a_soft_block_that_tunnels_through_a_plate_is_told() {
    let sim = |response| {
        let thin = generators::cuboid(DVec3::new(0.6, 0.6, 0.01), [5, 5, 1]).unwrap();
        let mut block = solid("block", 1e5, DVec3::broadcast(0.1), [2; 3], DVec3::new(0.01, 0.0, 0.07));
        block.velocity = DVec3::unit_z() * -5.0;
        builder(response, 1e-3, 2e3).body(plate(thin, -0.005)).body(block).build().unwrap()
    };
    let said = told(sim(Response::penalty()), 0.1);
    assert!(is_through(&said) && said.iter().any(|s| s.0.contains("the centre of 'block'")), "{said:?}");
    let said = told(sim(Response::qp()), 0.1);
    assert!(!is_through(&said), "{said:?}");
}

#[test]
fn points_that_fly_through_a_plate_are_told() {
    let sim = |aside: f64| {
        let thin = generators::cuboid(DVec3::new(0.6, 0.6, 0.02), [5, 5, 1]).unwrap();
        let at = |i: u32| DVec3::new(aside + 0.02 * f64::from(i % 5), 0.013 * f64::from(i / 5), 0.1);
        let mut dust = BodyDesc::particles("dust", (0..25).map(at).collect(), 1e-3);
        if let Motion::Particles { velocities, .. } = &mut dust.motion {
            velocities.fill(DVec3::unit_z() * -30.0);
        }
        builder(Response::penalty(), 1e-3, 10.0).body(plate(thin, -0.01)).body(dust).build().unwrap()
    };
    let said = told(sim(0.0), 0.02);
    assert!(is_through(&said) && said.iter().any(|s| s.0.contains("25 of 25 nodes of 'dust'")), "{said:?}");
    let said = told(sim(0.7), 0.02);
    assert!(!is_through(&said), "{said:?}");
}

/// A soft wall held at two sides, and something that flies at it.
fn at_a_soft_wall(mut body: BodyDesc, speed: f64) -> Simulation {
    let mesh = generators::tet_box(DVec3::new(0.6, 0.6, 0.02), [8, 8, 1]).unwrap();
    let rubber = Material::new(1e7, 0.3, 1000.0).with_rayleigh(1.0, 2e-3);
    let wall = Deformable::solid("wall", &mesh, Model::Corotational, &rubber).unwrap();
    let wall = wall.pinned(AttachTo::World, |p| p.x.abs() > 0.299);
    body.velocity = DVec3::unit_z() * -speed;
    let world = builder(Response::penalty(), 1e-3, 100.0);
    world.body(BodyDesc::deformable("wall", wall, Pose::identity())).body(body).build().unwrap()
}

#[test]
fn what_flies_through_a_soft_wall_is_told() {
    let rigid = || BodyDesc::cuboid("block", [0.1; 3], Mass::Total(1.0), DVec3::unit_z() * 0.075).unwrap();
    let soft = || solid("block", 1e5, DVec3::broadcast(0.1), [2; 3], DVec3::unit_z() * 0.075);
    for body in [rigid(), soft(), cloth(0.2, 8, 0.03)] {
        let name = body.name.clone();
        let said = told(at_a_soft_wall(body, 60.0), 0.01);
        // A rigid block is deeper in it than it is thick before its centre is through.
        assert!(is_through(&said) || name == "block" && said.iter().any(|s| s.1), "{name}: {said:?}");
    }
    for body in [rigid(), soft(), cloth(0.2, 8, 0.03)] {
        let name = body.name.clone();
        let said = told(at_a_soft_wall(body, 0.5), 0.1);
        assert!(!is_through(&said), "{name}: {said:?}");
    }
}

/// Cloth of 1 mm and 0.05 m from node to node: 1.57 N on 81 nodes.
#[test]
fn cloth_deeper_than_it_is_thick_is_told() {
    let on_a_plane = |depth: f64| {
        let k = 0.4 * 0.4 * G / 81.0 / depth;
        let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
        told(falling(Response::penalty(), 2e-3, k).body(floor).body(cloth(0.4, 8, 0.0)).build().unwrap(), 2.0)
    };
    assert_eq!(on_a_plane(2e-4), []);
    let said = on_a_plane(4e-3);
    assert!(said.len() == 1 && !said[0].1 && said[0].0.contains("'cloth' is 1.00e-3 m thick"), "{said:?}");
    // However fine it is.
    let said = on_a_plane(0.055);
    assert!(said.len() == 1 && !said[0].1, "{said:?}");
    let said = on_a_plane(0.2);
    assert!(said.len() == 1 && said[0].1, "deeper than a quarter of its length: {said:?}");
}

#[test]
fn points_deep_in_a_plane_are_told() {
    let on_a_plane = |depth: f64| {
        let at = |i: u32| DVec3::new(0.02 * f64::from(i % 6), 0.02 * f64::from(i / 6), 0.0);
        let dust = BodyDesc::particles("dust", (0..36).map(at).collect(), 1e-3);
        let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
        told(
            falling(Response::penalty(), 2e-3, 1e-3 * G / depth).body(floor).body(dust).build().unwrap(),
            1.0,
        )
    };
    let said = on_a_plane(1e-2);
    assert!(said.iter().any(|s| s.0.contains("the nodes of 'dust' are 2.00e-2 m apart")), "{said:?}");
    let said = on_a_plane(5e-4);
    assert!(said.iter().all(|s| !s.0.contains("deep in each other")), "{said:?}");
}

fn on_the_floor(response: Response, young: f64) -> Builder {
    let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
    let block = solid("block", young, DVec3::broadcast(0.2), [2; 3], DVec3::unit_z() * 0.1);
    falling(response, 2e-3, 1.0).body(floor).body(block)
}

#[test]
fn a_hard_block_that_nothing_damps_is_told_and_so_is_why_it_swings() {
    let measure = Measurement { cell: Some(0.05), ..Measurement::default() };
    let settings = VolumePenaltySettings { measure, ..VolumePenaltySettings::default() };
    let damped = VolumePenaltySettings { viscosity: 1e7, ..settings };
    for (settings, young, undamped) in [(settings, 1e8, true), (damped, 1e8, false), (settings, 1e5, false)] {
        let mut sim = on_the_floor(Response::from(settings), young).build().unwrap();
        let nothing = Watches::before(&sim).iter().any(|w| w.text.contains("nothing damps body 'block'"));
        assert_eq!(nothing, undamped, "{young}");
        let mut watches = Watches::new(&sim);
        while sim.time() < 1.5 {
            sim.step().unwrap();
            watches.see(&sim);
        }
        let missed = Missed::new("speed", vec![1], [1.4, 1.5], Off::Speed(1e-3));
        let said = watches.warnings_of(&sim, &[missed]);
        let swings = said.iter().any(|w| w.text.contains("body 'block' still swings"));
        assert_eq!(swings, undamped, "{young}: {said:?}");
    }
}

#[test]
fn volumes_that_a_soft_body_leaves_unsolved_are_told() {
    let short = |young, tolerance| {
        let measure = Measurement { cell: Some(0.05), ..Measurement::default() };
        let settings = VolumeSettings { tolerance, measure, ..VolumeSettings::default() };
        let sim = on_the_floor(Response::from(settings), young).law(law(0.5)).accept_unfinished(true);
        let said = told(sim.build().unwrap(), 0.1);
        said.into_iter().find(|s| s.0.contains("was not solved to the tolerance"))
    };
    let said = short(1e5, 1e-10).expect("it takes more iterations than there are");
    assert!(!said.1 && said.0.contains("'floor' and 'block'"), "{said:?}");
    assert_eq!(short(1e5, 1e-4), None);
}

/// What hangs below the ground from the start, pinned there or put there, never went through it.
#[test]
fn what_came_behind_a_plane_did_not_go_through_it() {
    let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
    let sim = falling(Response::qp(), 2e-3, 1e3).body(floor).body(cloth(0.4, 8, -0.1)).build().unwrap();
    let said = told(sim, 0.2);
    assert!(!is_through(&said), "{said:?}");
}
