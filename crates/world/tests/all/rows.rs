//! Bodies that a program spawns, changes and despawns with hecs, and stages of its own on their rows.

use crate::pushed::{cube, responses, under};
use impinge_contact::Ledger;
use impinge_geometry::DVec3;
use impinge_world::{
    BodyDesc, Column, Mass, Name, OpenError, Origin, Outcome, Place, Placement, Simulation, Slot, Stage,
    StageError, Step, Twist, hecs,
};

/// A component of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Health(f64);

impl Column for Health {
    const NAME: &'static str = "health";
    const ORIGIN: Origin = Origin::Scene;
}

/// Takes from the health of a body what contact gave it of impulse (N·s).
struct WearDown;

impl Stage for WearDown {
    type Io = &'static Ledger;
    type Rows = (&'static Slot, &'static mut Health);

    fn name(&self) -> &'static str {
        "wear down"
    }

    fn run(
        &mut self,
        ledger: &Ledger,
        rows: &mut hecs::QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        let mut items = 0;
        for (slot, health) in rows.iter() {
            health.0 -= ledger.contact[slot.0 as usize].impulse.mag();
            items += 1;
        }
        Ok(Outcome::items(items))
    }
}

/// Brakes bodies after each step, past the books.
struct Brake;

impl Stage for Brake {
    type Io = ();
    type Rows = (&'static Slot, &'static mut Twist);

    fn name(&self) -> &'static str {
        "brake"
    }

    fn run(
        &mut self,
        (): (),
        rows: &mut hecs::QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        for (_, twist) in rows.iter() {
            twist.velocity *= 0.5;
        }
        Ok(Outcome::default())
    }
}

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

fn up(z: f64) -> DVec3 {
    DVec3::new(0.0, 0.0, z)
}

#[test]
fn a_spawned_body_is_an_inserted_one_under_every_response() {
    for r in responses() {
        let mut spawned = under(&r).gravity(up(-9.81)).body(floor()).build().unwrap();
        let mut inserted = under(&r).gravity(up(-9.81)).body(floor()).build().unwrap();
        spawned.pipeline.add(Place::Commit, WearDown);
        let entity = spawned.with_world(|w| w.spawn((Health(5.0), cube("box", up(0.12))))).unwrap();
        let id = inserted.insert(cube("box", up(0.12))).unwrap();
        assert_eq!(spawned.body_of(entity), Some(id));
        assert_eq!(spawned.entity(id).unwrap(), entity);
        let mut given = 0.0;
        for _ in 0..200 {
            spawned.step().unwrap();
            inserted.step().unwrap();
            given += inserted.ledger().contact[1].impulse.mag();
            assert_eq!(spawned.hash(), inserted.hash(), "{}", r.0.name());
            assert!(spawned.ledger().residual() <= 1e-12);
        }
        let health = spawned.world().get::<&Health>(entity).unwrap().0;
        assert!(given > 2.0 && (health - (5.0 - given)).abs() < 1e-12, "{}: {health}", r.0.name());

        // It goes with its entity, as one that is removed.
        spawned.with_world(|w| w.despawn(entity)).unwrap().unwrap();
        inserted.remove(id).unwrap();
        assert_eq!(spawned.hash(), inserted.hash(), "{}", r.0.name());
        for _ in 0..2 {
            spawned.step().unwrap();
            inserted.step().unwrap();
            assert_eq!(spawned.ledger().applied, inserted.ledger().applied);
        }
        assert_eq!((spawned.body_of(entity), spawned.body("box")), (None, None));
        assert!(spawned.apply_force(id, up(1.0)).is_err());
    }
}

#[test]
fn changed_rows_are_booked_as_the_methods_book_them() {
    let r = &responses()[0];
    let both = || under(r).gravity(up(-9.81)).body(floor()).body(cube("box", up(0.5))).build().unwrap();
    let (mut by_row, mut by_call) = (both(), both());
    let e = by_row.entity("box").unwrap();
    let pose = impinge_geometry::Pose::from_position(up(0.8));
    by_row
        .with_world(|w| {
            let (placement, twist) = w.query_one_mut::<(&mut Placement, &mut Twist)>(e).unwrap();
            placement.0 = pose;
            twist.velocity = DVec3::new(1.0, 0.0, 0.0);
            twist.angular_velocity = up(2.0);
        })
        .unwrap();
    by_call.set_pose("box", pose).unwrap();
    by_call.set_velocity("box", [1.0, 0.0, 0.0]).unwrap();
    by_call.set_angular_velocity("box", [0.0, 0.0, 2.0]).unwrap();
    assert_eq!(by_row.hash(), by_call.hash());
    by_row.step().unwrap();
    by_call.step().unwrap();
    assert_eq!(*by_row.ledger(), *by_call.ledger());

    // A shared borrow of the world is enough to change a row: the next step finds it.
    by_row.world().get::<&mut Twist>(e).unwrap().velocity.y = 3.0;
    by_row.step().unwrap();
    let applied = by_row.ledger().applied[0];
    assert!((applied.impulse - DVec3::new(0.0, 6.0, 0.0)).mag() < 1e-12, "{applied:?}");
}

#[test]
fn what_a_stage_changes_past_the_books_is_in_them_one_step_later() {
    let r = &responses()[0];
    let mut sim = under(r).body(cube("box", up(0.5))).build().unwrap();
    sim.pipeline.add(Place::Commit, Brake);
    sim.set_velocity("box", [8.0, 0.0, 0.0]).unwrap();
    let mut momentum = 0.0;
    for k in 0..4 {
        sim.step().unwrap();
        momentum += sim.ledger().applied.iter().map(|a| a.impulse.x).sum::<f64>();
        // Before the brake of this step: 8, 4, 2, 1 m/s, 2 kg.
        assert_eq!(momentum, 16.0 / f64::from(1 << k));
    }
}

#[test]
fn the_components_of_a_program_outlive_other_bodies_and_a_snapshot() {
    let r = &responses()[0];
    let mut sim = under(r).body(floor()).body(cube("box", up(0.5))).build().unwrap();
    let e = sim.entity("box").unwrap();
    sim.with_world(|w| w.insert_one(e, Health(1.0))).unwrap().unwrap();
    sim.pipeline.add(Place::Commit, WearDown);
    let before = sim.snapshot();
    let other = sim.insert(cube("other", up(1.5))).unwrap();
    let after = sim.snapshot();
    sim.step().unwrap();
    for snapshot in [&before, &after, &before] {
        sim.restore(snapshot).unwrap();
        assert_eq!(sim.world().get::<&Health>(e).map(|h| *h), Ok(Health(1.0)));
        assert_eq!(sim.hash(), snapshot.hash());
        sim.step().unwrap();
        // The stage is still there.
        assert_eq!(sim.pipeline.costs().filter(|c| c.0 == "wear down").count(), 1);
    }
    assert!(sim.apply_force(other, up(1.0)).is_err());
}

#[test]
fn bodies_that_go_together_and_changes_beside_them_are_all_booked() {
    let r = &responses()[0];
    let build = || {
        let mut sim = under(r)
            .gravity(up(-9.81))
            .body(cube("a", up(0.5)))
            .body(cube("b", up(1.5)))
            .body(cube("c", up(2.5)))
            .build()
            .unwrap();
        ["a", "b", "c"].iter().for_each(|n| sim.set_velocity(*n, [2.0, 0.0, 0.0]).unwrap());
        sim.step().unwrap();
        sim
    };
    let (mut by_rows, mut by_calls) = (build(), build());
    let [a, b, c] = ["a", "b", "c"].map(|n| by_rows.entity(n).unwrap());
    // A row that is changed unseen, before a body goes by name.
    by_rows.world().get::<&mut Twist>(c).unwrap().velocity.y = 1.0;
    by_calls.set_velocity("c", by_calls.twist(2).velocity + DVec3::unit_y()).unwrap();
    assert!(by_rows.with_world(|w| [a, b].map(|e| w.despawn(e))).unwrap().iter().all(Result::is_ok));
    by_calls.remove("a").unwrap();
    by_calls.remove("b").unwrap();
    by_rows.step().unwrap();
    by_calls.step().unwrap();
    assert_eq!(by_rows.ledger().applied.len(), 3);
    for (row, call) in by_rows.ledger().applied.iter().zip(&by_calls.ledger().applied) {
        assert_eq!(row.body, call.body);
        let off = (row.impulse - call.impulse).mag() + (row.moment - call.moment).mag();
        assert!(off + (row.work - call.work).abs() < 1e-12, "{row:?} and {call:?}");
    }
    assert!((by_rows.ledger().applied[0].impulse + DVec3::new(4.0, 0.0, -2.0 * 9.81 / 1024.0)).mag() < 1e-12);
    let mut lone = build();
    let c = lone.entity("c").unwrap();
    lone.world().get::<&mut Twist>(c).unwrap().velocity.y = 1.0;
    lone.remove("a").unwrap();
    lone.step().unwrap();
    assert!(lone.ledger().applied.iter().any(|row| row.body == 2 && (row.impulse.y - 2.0).abs() < 1e-12));
}

#[test]
fn a_swapped_stage_stays_when_bodies_come_and_goes_with_another_response() {
    let all = responses();
    let mut sim = under(&all[0]).body(floor()).body(cube("box", up(0.5))).build().unwrap();
    let stages = |sim: &Simulation, name: &str| sim.pipeline.costs().filter(|c| c.0 == name).count();
    let count = sim.pipeline.costs().count();
    sim.pipeline.swap(Place::Narrow, Brake);
    sim.pipeline.add(Place::Response, WearDown);
    sim.insert(cube("other", up(1.5))).unwrap();
    assert_eq!((stages(&sim, "brake"), stages(&sim, "wear down")), (1, 1));
    assert_eq!(sim.pipeline.costs().count(), count + 1);
    sim.swap_response(all[0].0.clone()).unwrap();
    assert_eq!((stages(&sim, "brake"), stages(&sim, "wear down")), (0, 1));
    assert_eq!(sim.pipeline.costs().count(), count + 1);
}

#[test]
fn what_is_refused_is_taken_back() {
    let r = &responses()[0];
    let mut sim = under(r).body(floor()).body(cube("box", up(0.5))).build().unwrap();
    let hash = sim.hash();
    let (e, f) = (sim.entity("box").unwrap(), sim.entity("floor").unwrap());
    let refused = |sim: &mut Simulation, change: &dyn Fn(&mut hecs::World), word: &str| {
        let error = sim.with_world(|w| change(w)).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
        assert_eq!(sim.hash(), hash);
        let _ = sim.snapshot();
    };
    refused(&mut sim, &|w| w.get::<&mut Twist>(e).unwrap().velocity.x = f64::NAN, "finite");
    refused(&mut sim, &|w| w.get::<&mut Placement>(e).unwrap().0.position.x = f64::INFINITY, "finite");
    refused(&mut sim, &|w| w.get::<&mut Twist>(f).unwrap().velocity.x = 1.0, "'floor'");
    refused(&mut sim, &|w| w.get::<&mut Name>(e).unwrap().0 = "else".to_string(), "name");
    refused(&mut sim, &|w| drop(w.remove_one::<Twist>(e)), "component of the step");
    refused(&mut sim, &|w| w.get::<&mut Slot>(e).unwrap().0 = 7, "component of the step");
    let mut light = cube("light", up(1.5));
    light.motion = impinge_world::Motion::Rigid { mass: -1.0, inertia: impinge_geometry::DMat3::identity() };
    let entities = sim.world().len();
    refused(&mut sim, &|w| assert!(w.spawn((light.clone(),)) != e), "light");
    assert_eq!(sim.world().len(), entities);
    refused(&mut sim, &|w| w.insert_one(e, cube("twice", up(1.0))).unwrap(), "another entity");

    // A stray row would be taken for a body's.
    let (pose, still) = (*sim.world().get::<&Placement>(e).unwrap(), *sim.world().get::<&Twist>(e).unwrap());
    for slot in [1, 9] {
        refused(&mut sim, &|w| assert!(w.spawn((Slot(slot), pose, still)) != e), "has a Slot");
    }
    sim.step().unwrap();

    // Without `with_world` it is the step that refuses.
    sim.world().get::<&mut Twist>(e).unwrap().velocity.x = f64::NAN;
    let error = sim.step().unwrap_err();
    assert!(matches!(error.source, StageError::Rows(OpenError::Refused { .. })), "{error}");
    sim.step().unwrap();
}

#[test]
fn bodies_that_come_together_have_the_order_of_their_entities() {
    let r = &responses()[0];
    let mut sim = under(r).body(floor()).build().unwrap();
    let ball = |name: &str, x: f64| {
        BodyDesc::ball(
            name,
            0.1,
            Mass::Total(1.0),
            impinge_geometry::Pose::from_position(DVec3::new(x, 0.0, 1.0)),
        )
        .unwrap()
    };
    sim.with_world(|w| {
        // Two archetypes.
        w.spawn((ball("first", 0.0), Health(1.0)));
        w.spawn((ball("second", 1.0),));
        w.spawn((ball("third", 2.0), Health(1.0)));
    })
    .unwrap();
    assert_eq!(sim.names()[1..], ["first", "second", "third"]);
}
