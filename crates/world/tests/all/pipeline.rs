//! The pipeline's own promises: no dangling column, swapping, repeats, and errors that lose nothing.

use crate::common::{collision, gravity, law, node, particle};
use hecs::{Query, QueryBorrow};
use impinge_contact::{Damping, Loads, PairLaw, Sides, Stiffness};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::AnchorSpring;
use impinge_penalty::Evaluate;
use impinge_world::{
    BodyDesc, BuildError, Mass, Outcome, PairRule, Pipeline, Place, Repeat, Response, Simulation, Stage,
    StageError, Step, adapters, hecs,
};

#[test]
fn the_standard_pipeline_reads_nothing_before_it_is_written() {
    let sim = particle(0.1, 0.0, 1e4, 1e-3, 9.81, Evaluate::End);
    assert_eq!(sim.pipeline.dangling(), vec![]);
    let flow = sim.pipeline.flow();
    let names: Vec<&str> = flow.iter().map(|l| l.stage.as_str()).collect();
    let expected = [
        "gather",
        "turn",
        "predict",
        "surface",
        "broad",
        "narrow",
        "response: penalty",
        "advance",
        "record",
        "turned",
        "commit",
    ];
    assert_eq!(names, expected);
    let broken = Pipeline::default()
        .with(Place::Gather, adapters::Gather)
        .with(Place::Record, adapters::Record::new(Vec::new().into()));
    let missing = broken.dangling();
    assert!(missing.iter().any(|d| d.stage == "record" && d.column == "advanced"), "{missing:?}");
}

/// A response that does nothing, to swap in.
struct NoResponse;

impl Stage for NoResponse {
    type Io =
        (&'static mut Loads, &'static mut impinge_contact::Ledger, &'static mut impinge_world::Decisions);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: none"
    }

    fn run(
        &mut self,
        (loads, ledger, decisions): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, ()>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        loads.clear();
        ledger.reset(loads.wrench.len());
        decisions.mesh.clear();
        decisions.plane.clear();
        Ok(Outcome::items(0))
    }
}

#[test]
fn a_swapped_stage_takes_the_place_of_the_old_one() {
    let mut sim = particle(-0.01, 0.0, 1e4, 1e-3, 0.0, Evaluate::Start);
    sim.pipeline.swap(Place::Response, NoResponse);
    sim.pipeline.swap(Place::Narrow, NoContacts);
    sim.step().unwrap();
    assert_eq!(node(&sim).1, 0.0, "nothing pushes any more");
    sim.swap_response(Response::penalty()).unwrap();
    assert_eq!(sim.pipeline.dangling(), vec![]);
    sim.step().unwrap();
    assert!((node(&sim).1 - 1e4 * 0.01 * 1e-3).abs() < 1e-12);
}

/// A narrow phase that finds nothing.
struct NoContacts;

impl Stage for NoContacts {
    type Io = (&'static mut impinge_contact::Contacts, &'static mut impinge_contact::PlaneContacts);
    type Rows = ();

    fn name(&self) -> &'static str {
        "narrow: nothing"
    }

    fn run(
        &mut self,
        (contacts, planes): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, ()>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        contacts.clear();
        planes.clear();
        Ok(Outcome::items(0))
    }
}

struct Ask {
    left: usize,
}

impl Stage for Ask {
    type Io = (&'static mut Loads,);
    type Rows = ();

    fn name(&self) -> &'static str {
        "ask"
    }

    fn run(
        &mut self,
        _io: <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, ()>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        self.left = self.left.saturating_sub(1);
        Ok(Outcome { items: 1, again: self.left > 0 })
    }
}

#[test]
fn a_repeat_ends_when_nobody_asks_and_says_so_when_it_cannot() {
    let mut sim = particle(0.1, 0.0, 1e4, 1e-3, 9.81, Evaluate::End);
    sim.pipeline.swap(Place::Solve, Repeat::new(5).with(Ask { left: 3 }));
    sim.step().unwrap();
    let rounds = sim.pipeline.costs().find(|(n, _)| n == "repeat(ask)").map(|(_, c)| c.items);
    assert_eq!(rounds, Some(3));
    sim.pipeline.swap(Place::Solve, Repeat::new(2).with(Ask { left: 9 }));
    let e = sim.step().unwrap_err();
    assert!(matches!(e.source, StageError::Diverged { rounds: 2, .. }), "{e}");
}

#[test]
fn a_step_that_blows_up_names_body_step_and_stage_and_keeps_the_last_state() {
    let mut sim = collision(Response::penalty(), law(1e300, Damping::None), 1e-3).build().unwrap();
    let (mut steps, mut error, mut last) = (0, None, sim.hash());
    for _ in 0..2000 {
        match sim.step() {
            Ok(()) => {
                steps += 1;
                last = sim.hash();
            }
            Err(e) => {
                error = Some(e);
                break;
            }
        }
    }
    let e = error.expect("a stiffness of 1e300 N/m cannot hold");
    assert_eq!(e.step, steps);
    let text = e.to_string();
    assert!(text.contains("stage '") && (text.contains("'ball'") || text.contains("'block'")), "{text}");
    assert_eq!(sim.hash(), last, "the last accepted state is kept");
    assert!(sim.pose(0).is_finite() && sim.pose(1).is_finite());
}

#[test]
fn bad_worlds_are_refused_with_the_reason() {
    let cube = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let sheet = generators::grid([1.0, 1.0], [2, 2]).unwrap();
    let floor = || BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
    let rigid = |m| BodyDesc::rigid("cube", &cube, m, Pose::identity());

    let e = BodyDesc::rigid("sheet", &sheet, Mass::Total(1.0), Pose::identity()).unwrap_err();
    assert!(matches!(e, BuildError::Mesh { .. }) && e.to_string().contains("not closed"), "{e}");
    for bad in [Mass::Total(-1.0), Mass::Total(f64::NAN), Mass::Density(0.0)] {
        let e = rigid(bad).unwrap_err().to_string();
        assert!(e.contains("'cube'") && e.contains("positive"), "{e}");
    }
    let build = |dt: f64, k: f64| {
        let b = Simulation::builder(dt).gravity(gravity()).law(PairLaw::elastic(k)).body(floor());
        b.body(rigid(Mass::Total(1.0)).unwrap()).build().map(|_| ()).unwrap_err().to_string()
    };
    assert!(build(0.0, 1e3).contains("dt is 0"));
    assert!(build(f64::INFINITY, 1e3).contains("dt"));
    assert!(build(1e-3, -5.0).contains("stiffness is -5"));
    let tilted = BodyDesc::plane("tilted", DVec3::new(0.0, 0.0, 2.0), 0.0);
    let e =
        Simulation::builder(1e-3).law(PairLaw::elastic(1.0)).body(tilted).build().map(|_| ()).unwrap_err();
    assert!(e.to_string().contains("'tilted'") && e.to_string().contains("length 1"), "{e}");
    let with_dust = |nan: f64, k: Stiffness| {
        let law = PairLaw { stiffness: k, ..PairLaw::elastic(1.0) };
        let dust = BodyDesc::particles("dust", vec![DVec3::new(0.0, nan, 1.0)], 1.0);
        Simulation::builder(1e-3).law(law).body(floor()).body(dust)
    };
    let e = with_dust(f64::NAN, Stiffness::PerContact(1.0)).build().map(|_| ()).unwrap_err().to_string();
    assert!(e.contains("'dust'") && e.contains("not finite"), "{e}");
    let e = with_dust(0.0, Stiffness::PerArea(1.0)).build().map(|_| ()).unwrap_err().to_string();
    assert!(e.contains("per area") && e.contains("'dust'"), "{e}");
    let spring = |body: u32, node: Option<u32>| AnchorSpring {
        body,
        node,
        arm: DVec3::zero(),
        to: DVec3::zero(),
        stiffness: 1.0,
        damping: 0.0,
        rest_length: 0.0,
    };
    for (body, node) in [(9, None), (0, None), (1, None), (1, Some(1))] {
        let b = with_dust(0.0, Stiffness::PerContact(1.0)).anchor(spring(body, node));
        let e = b.build().map(|_| ()).unwrap_err().to_string();
        assert!(e.contains("anchor spring"), "{body} {node:?}: {e}");
    }
    assert!(with_dust(0.0, Stiffness::PerContact(1.0)).anchor(spring(1, Some(0))).build().is_ok());
    let e = with_dust(0.0, Stiffness::PerContact(1.0))
        .rule(0, 7, PairRule::Ignore)
        .build()
        .map(|_| ())
        .unwrap_err();
    assert!(e.to_string().contains("slots 0 and 7"), "{e}");

    let two = |rule: (u32, u32, PairRule)| {
        let b = Simulation::builder(1e-3).law(PairLaw::elastic(1e3)).body(floor());
        b.body(rigid(Mass::Total(1.0)).unwrap())
            .rule(rule.0, rule.1, rule.2)
            .build()
            .map(|_| ())
            .map_err(|e| e.to_string())
    };
    let e = two((0, 1, PairRule::Contact(Sides::First))).unwrap_err();
    assert!(e.contains("sides asked for"), "a plane has no vertices to test: {e}");
    assert!(two((1, 0, PairRule::Contact(Sides::First))).is_ok(), "the box's vertices, slots in any order");
    assert!(two((1, 1, PairRule::Ignore)).unwrap_err().contains("twice"));
    let mut bent = rigid(Mass::Total(1.0)).unwrap();
    bent.pose.rotation.s = 2.0;
    let e = Simulation::builder(1e-3).law(PairLaw::elastic(1.0)).body(bent).build().map(|_| ()).unwrap_err();
    assert!(e.to_string().contains("unit rotor"), "{e}");
    let mut hollow = rigid(Mass::Total(1.0)).unwrap();
    if let impinge_world::Motion::Rigid { inertia, .. } = &mut hollow.motion {
        inertia.cols[0].x *= -1.0;
    }
    let e =
        Simulation::builder(1e-3).law(PairLaw::elastic(1.0)).body(hollow).build().map(|_| ()).unwrap_err();
    assert!(e.to_string().contains("no solid"), "{e}");
    let e =
        Simulation::builder(1e-3).laws(vec![PairLaw::elastic(1.0)], 70_000, vec![0]).body(floor()).build();
    assert!(e.map(|_| ()).unwrap_err().to_string().contains("table of laws"));
    let laws = vec![PairLaw::elastic(1.0), PairLaw::elastic(2.0)];
    let e = Simulation::builder(1e-3)
        .laws(laws, 2, vec![0, 0, 1, 0])
        .body(floor())
        .build()
        .map(|_| ())
        .unwrap_err();
    assert!(e.to_string().contains("two laws"), "{e}");

    let dust = |n: &str| BodyDesc::particles(n, vec![DVec3::zero()], 1.0);
    let e = Simulation::builder(1e-3).law(PairLaw::elastic(1.0)).body(dust("a")).body(dust("b")).build();
    let e = e.map(|_| ()).unwrap_err().to_string();
    assert!(e.contains("'penalty' cannot handle 'a' against 'b'") && e.contains("rule"), "{e}");
}

#[test]
fn a_driver_that_gives_no_pose_is_named_and_an_empty_pipeline_does_not_count_steps() {
    use impinge_integrators::Driver;
    use impinge_world::Motion;
    let cube = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let mut plate = BodyDesc::fixed("plate", cube, Pose::identity()).unwrap();
    let lost = |t: f64| Pose::from_position(DVec3::unit_z() * if t < 0.005 { t } else { f64::NAN });
    plate.motion = Motion::Kinematic(Driver::Function(std::sync::Arc::new(lost)));
    let mut sim = Simulation::builder(1e-3).law(PairLaw::elastic(1.0)).body(plate).build().unwrap();
    let e = (0..20).find_map(|_| sim.step().err()).expect("the driver is lost at 5 ms");
    assert!(e.to_string().contains("driver of body 'plate'"), "{e}");
    sim.pipeline = Pipeline::default();
    let steps = sim.steps();
    assert!(matches!(sim.step().unwrap_err().source, StageError::Incomplete(_)));
    assert_eq!(sim.steps(), steps);
}

/// What a spring stores from the start is in play: near the limit of its step the end of a step has more than that, and nothing is wrong.
#[test]
fn a_spring_near_the_limit_of_the_step_is_no_absurdity() {
    let dt = (1.9f64 / 1e4).sqrt();
    let spring = AnchorSpring {
        body: 0,
        node: Some(0),
        arm: DVec3::zero(),
        to: DVec3::zero(),
        stiffness: 1e4,
        damping: 0.0,
        rest_length: 0.0,
    };
    let body = BodyDesc::particles("particle", vec![DVec3::new(0.0, 0.0, -0.01)], 1.0);
    let law = PairLaw::elastic(1.0);
    let mut sim = Simulation::builder(dt).law(law).body(body).anchor(spring).build().unwrap();
    for _ in 0..100 {
        sim.step().unwrap();
    }
    assert!(sim.energy_books().is_some_and(|b| b.gained() < 10.0));
}

#[test]
fn a_run_whose_energy_overflows_stops() {
    // Stiff enough for a speed whose square is no number, not for the speed itself.
    let mut sim = particle(-1e-3, 0.0, 1e200, 1e-3, 0.0, Evaluate::Start);
    let e = (0..10).find_map(|_| sim.step().err()).expect("1e194 m/s is no state to go on from");
    assert!(e.to_string().contains("energy"), "{e}");
    assert!(sim.energy().total().is_finite(), "the last accepted state is a good one");
}

#[test]
fn a_damaged_snapshot_is_refused() {
    let mut sim = particle(0.1, 0.0, 1e4, 1e-3, 9.81, Evaluate::End);
    let good = sim.snapshot();
    let mut short = good.clone();
    short.nodes.v.clear();
    assert!(sim.restore(&short).unwrap_err().contains("0 vertex velocities"));
    let mut nan = good.clone();
    nan.nodes.x[0].z = f64::NAN;
    assert!(sim.restore(&nan).unwrap_err().contains("vertex 0"));
    let mut pose = good.clone();
    pose.bodies[1].0.position.x = f64::INFINITY;
    assert!(sim.restore(&pose).unwrap_err().contains("body 1"));
    sim.restore(&good).unwrap();
    sim.step().unwrap();
}

/// Applies nothing and decides nothing, although there are contacts.
struct Undecided;

impl Stage for Undecided {
    type Io = (&'static mut Loads, &'static mut impinge_contact::Ledger);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: undecided"
    }

    fn run(
        &mut self,
        (loads, ledger): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, ()>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        loads.clear();
        ledger.reset(loads.wrench.len());
        Ok(Outcome::items(0))
    }
}

#[test]
fn a_response_that_forgets_contacts_is_told_so() {
    let mut sim = particle(-0.01, 0.0, 1e4, 1e-3, 0.0, Evaluate::Start);
    sim.pipeline.swap(Place::Response, Undecided);
    let e = sim.step().unwrap_err();
    assert_eq!(e.source, StageError::Undecided { contacts: 1, decided: 0 });
    assert_eq!(sim.steps(), 0);
}

#[test]
fn a_response_that_cannot_handle_a_pair_is_not_swapped_in() {
    let ball = generators::icosphere(0.1, 1).unwrap();
    let mut sim = Simulation::builder(1e-3)
        .law(PairLaw::elastic(1e3))
        .body(BodyDesc::rigid("ball", &ball, Mass::Total(1.0), Pose::identity()).unwrap())
        .body(BodyDesc::particles("dust", vec![DVec3::unit_z()], 0.1))
        .build()
        .unwrap();
    let e = sim.swap_response(Response::volume()).unwrap_err().to_string();
    assert!(e.contains("'volume'") && e.contains("'ball'") && e.contains("'dust'"), "{e}");
    assert_eq!(*sim.response(), Response::penalty());
    sim.step().unwrap();
}
