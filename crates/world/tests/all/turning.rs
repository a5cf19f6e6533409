//! Rolling and spinning friction against closed forms, the same under every response.

use crate::common::{G, gravity};
use impinge_contact::{Axis, Damping, FrictionLaw, PairLaw};
use impinge_geometry::{DVec3, Pose, TriMesh, generators, rotor_from_rotation_vector};
use impinge_integrators::Driver;
use impinge_pressure::fields;
use impinge_world::{
    BodyDesc, Builder, Mass, Measurement, Motion, PressureField, QpSettings, Response, Simulation,
    SurfaceVelocity, Turning, VolumePenaltySettings, VolumeSettings,
};

const DT: f64 = 5e-4;
const SPINNING: f64 = 2e-3;
const MASS: f64 = 2.0;
const SIDE: f64 = 0.1;
/// Of a cube about any axis (kg m²).
const INERTIA: f64 = MASS * SIDE * SIDE / 6.0;

/// Volumes in cells of half a side; a surface of 10 µm in which nothing is pushed.
fn responses() -> [Response; 8] {
    let measure = Measurement { cell: Some(0.5 * SIDE), ..Measurement::default() };
    [
        Response::penalty(),
        Response::cpf(),
        Response::dpf_ccd(),
        Response::cpf_implicit(),
        Response::from(QpSettings { thickness: 1e-5, ..QpSettings::default() }),
        Response::from(VolumeSettings { measure, depth: 1e-5, ..VolumeSettings::default() }),
        Response::from(VolumePenaltySettings {
            measure,
            stiffness: 2e9,
            viscosity: 4e6,
            ..VolumePenaltySettings::default()
        }),
        Response::pressure(),
    ]
}

/// No friction but that about the normal: springs that carry the weight 0.1 mm deep.
fn law() -> PairLaw {
    let law = PairLaw::suggested(MASS / 4.0, 2e-3, 0.0);
    // The one damper that all responses take.
    PairLaw { damping: Damping::HuntCrossley(5.0), ..law }.with_turning(0.0, SPINNING)
}

fn cube(name: &str, place: DVec3, spin: DVec3) -> BodyDesc {
    sized(name, SIDE, place, spin)
}

fn sized(name: &str, side: f64, place: DVec3, spin: DVec3) -> BodyDesc {
    let field = PressureField::tets(fields::cuboid(DVec3::broadcast(side), 1e7).unwrap());
    let pose = Pose::from_position(place);
    let body = BodyDesc::cuboid(name, [side; 3], Mass::Total(MASS), pose).unwrap();
    BodyDesc { angular_velocity: spin, ..body.with_pressure(field) }
}

fn under(response: &Response) -> Builder {
    Simulation::builder(DT).response(response.clone()).scheme(response.scheme().unwrap_or_default())
}

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

fn on_the_floor(response: &Response) -> Builder {
    under(response).gravity(gravity()).law(law()).body(floor()).body(cube(
        "cube",
        DVec3::new(0.0, 0.0, 0.5 * SIDE),
        DVec3::unit_z(),
    ))
}

#[test]
fn a_cube_spins_down_by_what_the_floor_pressed_and_stops_as_it_should() {
    let slowing = SPINNING * MASS * G / INERTIA;
    // The walls of the cells of volume-penalty turn the cube by 1e-6 of its spin themselves; the scene `ball-rolls-out` holds it to 1 %.
    for response in responses().into_iter().filter(|r| r.name() != "volume-penalty") {
        let (name, mut sim) = (response.name(), on_the_floor(&response).build().unwrap());
        let (mut pressed, mut lost) = (0.0, 0.0);
        let mut time = 0.0;
        for _ in 0..300 {
            // Of the steps before: the force of the last one brakes this one.
            let wanted = 1.0 - SPINNING * pressed / INERTIA;
            sim.step().unwrap();
            let (spin, ledger) = (sim.twist(1).angular_velocity, sim.ledger());
            assert!(ledger.residual() < 1e-12, "{name}: {:e}", ledger.residual());
            if spin.z > 4.0 * slowing * DT {
                assert!((spin.z - wanted).abs() < 1e-12, "{name}: {} at {wanted} rad/s", spin.z);
                time = sim.time();
            }
            pressed += ledger.pairs.pressed.iter().sum::<f64>();
            lost += ledger.energy.work_friction;
        }
        // Of the last four steps the damper is critical.
        assert!((time + 4.0 * DT - 1.0 / slowing).abs() < 0.02 / slowing, "{name}: {time} s");
        assert!(sim.twist(1).angular_velocity.mag() < 1e-6, "{name}: {:?}", sim.twist(1).angular_velocity);
        assert!((lost / (0.5 * INERTIA) + 1.0).abs() < 1e-3, "{name}: {lost} J");
        // It keeps its place and its angle.
        let before = sim.pose(1);
        (0..200).for_each(|_| sim.step().unwrap());
        let turned = (sim.pose(1).rotation * before.rotation.reversed()).bv.mag();
        assert!(turned < 1e-9, "{name}: {turned:e} rad");
    }
}

/// Two cubes, one of twice the side, that are pressed against each other far from all else.
fn pressed_together(response: &Response, first: u32) -> Simulation {
    let at = |x: f64| DVec3::new(x, 0.3, -0.2);
    let left = cube("left", at(-0.5 * SIDE), DVec3::unit_x() * 2.0);
    let right = sized("right", 2.0 * SIDE, at(SIDE), DVec3::zero());
    let bodies = if first == 0 { [left, right] } else { [right, left] };
    let [a, b] = bodies;
    under(response).law(law()).body(a).body(b).build().unwrap()
}

#[test]
fn what_one_body_loses_of_its_spin_the_other_gets() {
    for response in responses() {
        let name = response.name();
        let mut sim = pressed_together(&response, 0);
        let (start, mut works) = (sim.energy().kinetic(), 0.0);
        for _ in 0..400 {
            sim.apply_force("left", [20.0, 0.0, 0.0]).unwrap();
            sim.apply_force("right", [-20.0, 0.0, 0.0]).unwrap();
            sim.step().unwrap();
            let ledger = sim.ledger();
            assert!(ledger.residual() < 1e-12, "{name}: {:e}", ledger.residual());
            let e = &ledger.energy;
            works += e.work_friction + e.work_normal + e.work_applied;
            let both = (sim.twist(0).angular_velocity + sim.twist(1).angular_velocity * 4.0) * INERTIA;
            assert!((both.x / INERTIA - 2.0).abs() < 1e-9, "{name}: {both:?}");
        }
        let [left, right] = [0, 1].map(|slot| sim.twist(slot).angular_velocity.x);
        assert!((left - 0.4).abs() < 1e-6 && (right - 0.4).abs() < 1e-6, "{name}: {left}, {right}");
        let gained = sim.energy().kinetic() - start;
        assert!((gained - works).abs() < 1e-9 * start, "{name}: gained {gained} J, worked {works} J");
    }
}

#[test]
fn the_order_of_bodies_changes_nothing() {
    for response in [Response::penalty(), Response::qp()] {
        let run = |first| {
            let mut sim = pressed_together(&response, first);
            for _ in 0..40 {
                sim.apply_force("left", [20.0, 0.0, 0.0]).unwrap();
                sim.apply_force("right", [-20.0, 0.0, 0.0]).unwrap();
                sim.step().unwrap();
            }
            ["left", "right"].map(|b| sim.twist(sim.slot(b).unwrap()).angular_velocity.x)
        };
        let (one, other) = (run(0), run(1));
        assert!(one[0] < 1.9, "nothing was tested: {one:?}");
        assert!((one[0] - other[0]).abs() < 1e-12 && (one[1] - other[1]).abs() < 1e-12, "{one:?} {other:?}");
    }
}

/// A wheel of 512 corners about x.
fn wheel() -> TriMesh {
    let lying = generators::cylinder(0.5, 0.2, 512, 1).unwrap();
    let quarter = rotor_from_rotation_vector(DVec3::unit_y() * std::f64::consts::FRAC_PI_2);
    lying.mapped(|p| quarter * p).unwrap()
}

const ROLLING: f64 = 0.05;

/// On a slope of this angle, with gravity for what is turned: y runs down.
fn on_a_slope(angle: f64, speed: f64, law: PairLaw, response: Response) -> Simulation {
    let body = BodyDesc::rigid("wheel", &wheel(), Mass::Total(1.0), [0.0, 0.0, 0.5]).unwrap();
    let spin = DVec3::unit_x() * (-speed / 0.5);
    let body = BodyDesc { angular_velocity: spin, ..body.with_velocity([0.0, speed, 0.0]) };
    Simulation::builder(DT)
        .gravity(DVec3::new(0.0, angle.sin(), -angle.cos()) * G)
        .law(law.with_turning(ROLLING, 0.0))
        .response(response)
        .body(floor())
        .body(body)
        .build()
        .unwrap()
}

/// tan α is half of c/R: corners alone hold an eighth of that.
#[test]
fn a_wheel_rests_on_a_slope_without_creeping() {
    let qp = Response::from(QpSettings { thickness: 1e-5, ..QpSettings::default() });
    for response in [Response::penalty(), Response::dpf_ccd(), qp] {
        let name = response.name();
        let mut sim = on_a_slope(0.05f64.atan(), 0.0, PairLaw::suggested(1.0, 2e-3, 0.5), response);
        (0..1000).for_each(|_| sim.step().unwrap());
        let before = sim.position(1);
        (0..1000).for_each(|_| sim.step().unwrap());
        let crept = (sim.position(1) - before).mag();
        assert!(crept < 1e-12 && sim.position(1).y < 1e-3, "{name}: {crept:e} m in half a second");
        let spring = sim.snapshot().kept[0].get::<Turning>().unwrap().0[0];
        let moment = G * 0.05f64.atan().sin() * 0.5;
        assert!(
            (spring.moment.mag() / moment - 1.0).abs() < 0.125,
            "{name}: {} of {moment} N·m",
            spring.moment.mag()
        );
    }
}

/// Contacts of 0.2 mm: what softer ones lose as corners come and go is rolling friction too, and not the law's.
fn stiff() -> PairLaw {
    let friction = FrictionLaw { k_fp: 5e4, k_fd: 20.0, ..FrictionLaw::coulomb(0.5) };
    PairLaw { damping: Damping::HuntCrossley(5.0), friction: Some(friction), ..PairLaw::elastic(5e4) }
}

/// a = (g sin α − g cos α c/R)/(1 + I/(m R²)); what corners cost is in `fixtures/scenes/ball-rolls-out.toml`: π R/(4 n c) of the rolling friction.
#[test]
fn a_wheel_rolls_as_the_closed_form_says() {
    let qp = Response::from(QpSettings { thickness: 1e-5, ..QpSettings::default() });
    for (slope, speed) in [(0.0f64, 0.6), (0.2, 0.1)] {
        for response in [Response::penalty(), qp.clone()] {
            let name = response.name();
            let angle = slope.atan();
            let mut sim = on_a_slope(angle, speed, stiff(), response);
            let braking = G * angle.cos() * ROLLING / 0.5;
            let wanted = (G * angle.sin() - braking) / 1.5;
            (0..100).for_each(|_| sim.step().unwrap());
            let from = sim.twist(1).velocity.y;
            (0..600).for_each(|_| sim.step().unwrap());
            let found = (sim.twist(1).velocity.y - from) / (600.0 * DT);
            let corners = std::f64::consts::PI * 0.5 / (4.0 * 512.0 * ROLLING) * braking / 1.5;
            assert!((found - wanted).abs() < corners, "{name}: {found} for {wanted} ± {corners} m/s²");
        }
    }
}

/// Cubes that spin and a ball that rolls, on each other and on the floor.
fn several(responses: [Response; 2]) -> Simulation {
    let law = PairLaw { friction: Some(FrictionLaw::coulomb(0.4)), ..law() }.with_turning(2e-3, 1e-3);
    let ball = BodyDesc::ball("ball", 0.06, Mass::Total(1.0), [0.4, 0.0, 0.06]).unwrap();
    let [response, of_ball] = responses;
    Simulation::builder(DT)
        .gravity(gravity())
        .law(law)
        .response(response)
        .body(floor())
        .body(cube("low", DVec3::new(0.0, 0.0, 0.5 * SIDE), DVec3::unit_z()))
        .body(cube("high", DVec3::new(0.01, 0.0, 1.5 * SIDE), DVec3::unit_z() * -2.0))
        .body(BodyDesc { angular_velocity: DVec3::new(1.0, 2.0, 3.0), ..ball })
        .pair_response(0, 3, of_ball)
        .build()
        .unwrap()
}

#[test]
fn a_snapshot_and_the_number_of_threads_change_no_bit() {
    for pair in [[Response::penalty(), Response::penalty()], [Response::qp(), Response::cpf()]] {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut sim = several(pair.clone());
                (0..60).for_each(|_| sim.step().unwrap());
                let middle = sim.snapshot();
                let springs = middle.kept[0].get::<Turning>().unwrap().0.clone();
                assert_eq!(springs.iter().map(|s| (s.a, s.b)).collect::<Vec<_>>(), [(0, 1), (0, 3), (1, 2)]);
                (0..60).for_each(|_| sim.step().unwrap());
                let end = sim.hash();
                let mut again = several(pair.clone());
                again.restore(&middle).unwrap();
                assert_eq!(again.hash(), middle.hash());
                (0..60).for_each(|_| again.step().unwrap());
                assert_eq!(again.hash(), end, "{} from a snapshot", pair[0].name());
                end
            })
        };
        assert_eq!(with(1), with(2));
    }
}

#[test]
fn books_hold_where_each_pair_has_its_own_response() {
    let mut sim = several([Response::penalty(), Response::qp()]);
    for _ in 0..200 {
        sim.step().unwrap();
        assert!(sim.ledger().residual() < 1e-12, "{:e}", sim.ledger().residual());
    }
    // The spring outlasts a change of response.
    let kept = |sim: &Simulation| sim.snapshot().kept[0].get::<Turning>().map(|t| t.0.len());
    assert_eq!(kept(&sim), Some(3));
    sim.set_response("ball", "floor", Response::penalty()).unwrap();
    assert_eq!(kept(&sim), Some(3));
    sim.step().unwrap();
    assert!(sim.ledger().residual() < 1e-12);
}

#[test]
fn a_pair_that_parts_forgets_its_spring_and_a_law_may_change() {
    let mut sim = on_the_floor(&Response::penalty()).build().unwrap();
    (0..20).for_each(|_| sim.step().unwrap());
    assert!(sim.snapshot().kept[0].get::<Turning>().is_some());
    sim.set_pose("cube", Pose::from_position(DVec3::unit_z())).unwrap();
    assert!(sim.snapshot().kept[0].get::<Turning>().is_none(), "what is put elsewhere touches nothing");
    sim.set_pose("cube", Pose::from_position(DVec3::unit_z() * (0.5 * SIDE))).unwrap();
    (0..20).for_each(|_| sim.step().unwrap());
    // Thrown up: the last normal force brakes one step more, and is booked.
    sim.set_velocity("cube", [0.0, 0.0, 1.0]).unwrap();
    for _ in 0..3 {
        sim.step().unwrap();
        assert!(sim.ledger().residual() < 1e-12);
    }
    assert!(sim.snapshot().kept[0].get::<Turning>().is_none());
    let spin = sim.twist(1).angular_velocity.z;
    (0..10).for_each(|_| sim.step().unwrap());
    assert!((sim.twist(1).angular_velocity.z - spin).abs() < 1e-13, "it flies");
    sim.set_pose("cube", Pose::from_position(DVec3::unit_z() * (0.5 * SIDE))).unwrap();
    sim.set_law("cube", "floor", PairLaw { turning: None, ..law() }).unwrap();
    (0..20).for_each(|_| sim.step().unwrap());
    assert!((sim.twist(1).angular_velocity.z - spin).abs() < 1e-12, "nothing but rounding turns it");
}

/// The cube on a turntable is brought to its spin, and what the table puts in is the work of a driver.
#[test]
fn a_surface_that_turns_takes_along() {
    let table = BodyDesc { surface_velocity: SurfaceVelocity::turning([0.0, 0.0, 0.5], [0.0; 3]), ..floor() };
    let mut sim = Simulation::builder(DT)
        .gravity(gravity())
        .law(law())
        .body(table)
        .body(cube("cube", DVec3::new(0.0, 0.0, 0.5 * SIDE), DVec3::zero()))
        .build()
        .unwrap();
    let (mut driven, mut lost) = (0.0, 0.0);
    for _ in 0..200 {
        sim.step().unwrap();
        let e = &sim.ledger().energy;
        (driven, lost) = (driven + e.work_driven, lost + e.work_friction);
    }
    assert!((sim.twist(1).angular_velocity.z - 0.5).abs() < 1e-6);
    let kinetic = 0.5 * INERTIA * 0.25;
    // A clutch: half of what is put in is lost.
    assert!(
        (driven / kinetic - 2.0).abs() < 0.02 && (lost / kinetic + 1.0).abs() < 0.02,
        "{driven} {lost} {kinetic}"
    );
}

#[test]
fn a_locked_spin_gets_nothing_and_bad_lengths_are_refused() {
    let at = DVec3::new(0.0, 0.0, 0.5 * SIDE);
    // On a floor that turns: a free cube is taken along.
    let run = |locked: bool| {
        let mut cube = cube("cube", at, DVec3::zero());
        if locked {
            cube.locked = Axis::Rz.into();
        }
        let place = Pose::from_position(DVec3::unit_z() * -SIDE);
        let mut table = sized("table", 2.0 * SIDE, place.position, DVec3::zero());
        table.motion = Motion::Kinematic(Driver::constant(place, DVec3::zero(), DVec3::unit_z()));
        let mut sim =
            Simulation::builder(DT).gravity(gravity()).law(law()).body(table).body(cube).build().unwrap();
        (0..20).for_each(|_| sim.step().unwrap());
        assert!(sim.ledger().residual() < 1e-12);
        sim.twist(1).angular_velocity.z
    };
    assert_eq!(run(true), 0.0);
    assert!(run(false) > 1e-3, "{}", run(false));
    for (rolling, spinning) in [(-1e-3, 0.0), (0.0, f64::NAN), (f64::INFINITY, 0.0)] {
        let refused =
            Simulation::builder(DT).law(law().with_turning(rolling, spinning)).body(floor()).build();
        let why = refused.err().unwrap().to_string();
        assert!(why.contains("_friction is"), "{why}");
    }
}
