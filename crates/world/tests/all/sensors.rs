//! Who overlaps whom now, and what sensors see.

use crate::common::gravity;
use crate::pushed::{cube, responses, under};
use impinge_contact::EventKind;
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::{Driver, Scheme};
use impinge_world::{BodyDesc, Deformable, Groups, Motion, Response, Sensor, Simulation};

fn zone(name: &str, size: f64, at: DVec3) -> Sensor {
    let mesh = generators::cuboid(DVec3::broadcast(size), [1; 3]).unwrap();
    Sensor::new(name, mesh, Pose::from_position(at)).unwrap()
}

fn names(sim: &Simulation, sensor: &str) -> Vec<String> {
    sim.sensed(sensor).unwrap().into_iter().map(|id| sim.names()[id.slot() as usize].clone()).collect()
}

/// A box falls through a gate onto the floor: the sensor sees it when it is there, and it falls as without.
#[test]
fn a_sensor_sees_who_passes_and_pushes_nobody() {
    for r in responses() {
        let name = r.0.name();
        let built = |sensors: bool| {
            let mut b = under(&r)
                .gravity(gravity())
                .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
                .body(cube("box", DVec3::unit_z() * 0.6));
            if sensors {
                b = b.sensor(zone("gate", 0.1, DVec3::unit_z() * 0.4)).sensor(zone(
                    "floor zone",
                    0.1,
                    DVec3::zero(),
                ));
            }
            b.build().unwrap()
        };
        let (mut sim, mut plain) = (built(true), built(false));
        let mut said = Vec::new();
        for step in 0..420 {
            sim.step().unwrap();
            plain.step().unwrap();
            assert_eq!(sim.hash(), plain.hash(), "{name}");
            let bottom = sim.position(1).z - 0.1;
            said.extend(sim.sensor_events().map(|e| (e.kind, e.sensor.to_string(), e.body.slot())));
            // A box against a box, both along the axes.
            let overlaps = bottom < 0.45 && bottom + 0.2 > 0.35;
            assert_eq!(!names(&sim, "gate").is_empty(), overlaps, "{name}, step {step}");
        }
        let expected = [
            (EventKind::Began, "gate".to_string(), 1),
            (EventKind::Began, "floor zone".to_string(), 1),
            (EventKind::Ended, "gate".to_string(), 1),
        ];
        let mut seen: Vec<_> = said.clone();
        seen.truncate(3);
        seen.sort_by_key(|e| (e.1.len(), e.0 == EventKind::Ended));
        let mut wanted = expected.to_vec();
        wanted.sort_by_key(|e| (e.1.len(), e.0 == EventKind::Ended));
        assert_eq!(seen, wanted, "{name}: {said:?}");
    }
}

fn soft(r: &(Response, Scheme), at: DVec3) -> Option<BodyDesc> {
    if r.0.refuses_nodes().is_some() {
        return None;
    }
    let mesh = generators::tet_box(DVec3::broadcast(0.2), [1; 3]).unwrap();
    let body =
        Deformable::solid("soft", &mesh, Model::Corotational, &Material::new(1e5, 0.3, 500.0)).unwrap();
    Some(BodyDesc::deformable("soft", body, Pose::from_position(at)))
}

#[test]
fn bodies_of_every_kind_are_seen() {
    let r = &responses()[0];
    let dust = BodyDesc::particles("dust", vec![DVec3::new(0.1, 0.1, 0.0), DVec3::unit_x() * 9.0], 1.0);
    let moving =
        Driver::constant(Pose::from_position(DVec3::unit_x()), -DVec3::unit_x() * 10.0, DVec3::zero());
    let mut driven = cube("driven", DVec3::unit_x());
    driven.motion = Motion::Kinematic(moving);
    let mut sim = under(r)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), -0.5))
        .body(dust.with_groups(Groups::new(2, 1)))
        .body(driven.with_groups(Groups::new(2, 1)))
        .sensor(zone("all", 0.5, DVec3::zero()))
        .sensor(zone("rides", 0.3, DVec3::zero()).on(2))
        .sensor(zone("blind", 0.5, DVec3::zero()).with_groups(Groups::new(1, 4)))
        .build()
        .unwrap();
    assert_eq!(names(&sim, "all"), ["dust"]);
    assert_eq!(names(&sim, "rides"), [""; 0]);
    assert!(names(&sim, "blind").is_empty());
    // In 102 steps the driven one goes one metre.
    (0..102).for_each(|_| sim.step().unwrap());
    assert_eq!(names(&sim, "all"), ["dust", "driven"]);
    assert_eq!(names(&sim, "rides"), ["dust"]);
    // A sensor that moves sees what does not.
    sim.set_pose("floor", Pose::from_position(DVec3::unit_z() * 0.5)).unwrap();
    assert_eq!(names(&sim, "rides"), ["floor", "dust"]);
    assert_eq!(names(&sim, "all"), ["dust", "driven"]);
    let e = sim.sensed("al").unwrap_err().to_string();
    assert!(e.contains("'all'"), "{e}");
}

#[test]
fn a_soft_body_is_seen_where_its_nodes_are() {
    let mut tried = 0;
    for r in responses() {
        let Some(soft) = soft(&r, DVec3::zero()) else { continue };
        let r = (r.0.clone(), r.0.scheme().unwrap_or(Scheme::ImplicitEuler));
        tried += 1;
        let mut sim = under(&r).body(soft).body(cube("box", DVec3::unit_x() * 0.5)).build().unwrap();
        assert!(sim.overlapping("box").unwrap().is_empty());
        sim.set_pose("soft", Pose::from_position(DVec3::unit_x() * 0.35)).unwrap();
        assert_eq!(sim.overlapping("box").unwrap(), [sim.body("soft").unwrap()], "{}", r.0.name());
        assert_eq!(sim.overlapping("soft").unwrap(), [sim.body("box").unwrap()], "{}", r.0.name());
        sim.remove("box").unwrap();
        assert!(sim.overlapping("soft").unwrap().is_empty() && sim.overlapping("box").is_err());
    }
    assert!(tried >= 5, "{tried}");
}

#[test]
fn events_go_on_after_a_snapshot_and_forget_who_is_gone() {
    let r = &responses()[0];
    let mut sim = under(r)
        .gravity(gravity())
        .body(cube("box", DVec3::zero()))
        .body(cube("carrier", DVec3::unit_x()))
        .sensor(zone("here", 0.5, DVec3::zero()))
        .sensor(zone("carried", 0.5, DVec3::zero()).on(1))
        .build()
        .unwrap();
    let events = |sim: &Simulation| sim.sensor_events().map(|e| e.to_string()).collect::<Vec<_>>();
    let start = sim.snapshot();
    sim.step().unwrap();
    assert_eq!(events(&sim), ["'box' enters 'here'"]);
    let inside = sim.snapshot();
    let run = |sim: &mut Simulation| {
        let mut all = Vec::new();
        for _ in 0..300 {
            sim.step().unwrap();
            all.extend(events(sim));
        }
        all
    };
    let on = run(&mut sim);
    assert_eq!(on, ["'box' leaves 'here'"]);
    sim.restore(&inside).unwrap();
    assert_eq!(run(&mut sim), on);
    sim.restore(&start).unwrap();
    sim.step().unwrap();
    assert_eq!(events(&sim), ["'box' enters 'here'"]);
    sim.remove("carrier").unwrap();
    assert_eq!(sim.sensors().len(), 1);
    sim.step().unwrap();
    assert!(events(&sim).is_empty(), "it is still there");
    sim.remove("box").unwrap();
    let id = sim.insert(cube("new", DVec3::zero())).unwrap();
    sim.step().unwrap();
    assert_eq!((events(&sim), id.slot()), (vec!["'new' enters 'here'".to_string()], 0));
    sim.restore(&inside).unwrap();
    assert_eq!((sim.sensors().len(), run(&mut sim)), (2, on));
}

/// Sensors that come and go see what those of the built world see, and change nothing of the motion.
#[test]
fn sensors_come_and_go() {
    for r in responses() {
        let built = |sensor: Option<Sensor>| {
            let b = under(&r).gravity(gravity()).body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
            let b = b.body(cube("box", DVec3::unit_z() * 0.6));
            sensor.into_iter().fold(b, impinge_world::Builder::sensor).build().unwrap()
        };
        let gate = || zone("gate", 0.1, DVec3::unit_z() * 0.4);
        let (mut early, mut late) = (built(Some(gate())), built(None));
        let empty = late.snapshot();
        let run = |sim: &mut Simulation| {
            let mut said = Vec::new();
            for _ in 0..300 {
                sim.step().unwrap();
                said.extend(sim.sensor_events().map(|e| (sim.steps(), e.to_string())));
            }
            (said, sim.position(1))
        };
        late.insert_sensor(gate()).unwrap();
        let started = late.snapshot();
        let (a, b) = (run(&mut early), run(&mut late));
        assert_eq!((a.0.len(), &a), (2, &b), "{r:?}");
        // A snapshot says which there are.
        late.insert_sensor(zone("second", 0.5, DVec3::unit_x())).unwrap();
        late.restore(&started).unwrap();
        assert_eq!((late.sensors().len(), run(&mut late)), (1, a), "{r:?}");
        late.remove_sensor("gate").unwrap();
        assert!(late.remove_sensor("gate").is_err() && late.sensors().is_empty());
        late.restore(&empty).unwrap();
        assert!(late.sensors().is_empty());
    }
}

#[test]
fn sensors_that_make_no_sense_are_refused() {
    let r = &responses()[0];
    let built = |s: Sensor| {
        let dust = BodyDesc::particles("dust", vec![DVec3::zero()], 1.0);
        under(r)
            .body(dust)
            .sensor(zone("a", 1.0, DVec3::zero()))
            .sensor(s)
            .build()
            .err()
            .map(|e| e.to_string())
    };
    assert!(built(zone("a", 1.0, DVec3::zero())).unwrap().contains("names must differ"));
    assert!(built(zone("b", 1.0, DVec3::zero()).on(0)).unwrap().contains("'dust', which is made of nodes"));
    assert!(built(zone("b", 1.0, DVec3::zero()).on(7)).unwrap().contains("there are 1 bodies"));
    assert!(built(zone("b", 1.0, DVec3::unit_x() * f64::NAN)).unwrap().contains("finite"));
    assert_eq!(built(zone("b", 1.0, DVec3::zero())), None);
    // Nor later.
    let mut sim =
        under(r).body(cube("box", DVec3::zero())).body(cube("other", DVec3::unit_x())).build().unwrap();
    sim.insert_sensor(zone("a", 1.0, DVec3::zero())).unwrap();
    assert!(
        sim.insert_sensor(zone("a", 1.0, DVec3::zero()))
            .unwrap_err()
            .to_string()
            .contains("names must differ")
    );
    sim.remove("other").unwrap();
    assert!(
        sim.insert_sensor(zone("b", 1.0, DVec3::zero()).on(1)).unwrap_err().to_string().contains("removed")
    );
    assert!(
        sim.insert_sensor(zone("b", 1.0, DVec3::zero()).on(2)).unwrap_err().to_string().contains("bodies")
    );
    assert_eq!(sim.sensors().len(), 1);
}
