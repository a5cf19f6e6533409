//! What a law asks for as a restitution is what comes out, at every step that is not told of before the run.

use crate::common::{G, gravity};
use impinge_contact::{Damper, Damping, FrictionLaw, PairLaw, Restitution};
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_penalty::{Release, hunt_crossley_from_restitution, kelvin_voigt_from_restitution};
use impinge_pressure::fields;
use impinge_world::{
    BodyDesc, Builder, Mass, PressureField, PressureFriction, PressureSettings, PressureStep, RESPONSES,
    Response, Simulation,
};

/// Approach speed of the impacts (m/s).
const SPEED: f64 = 2.0;
const STIFFNESS: f64 = 1e5;

fn response(name: &str) -> Response {
    RESPONSES.iter().find(|r| r.name == name).unwrap().response()
}

fn hunt_crossley(e: f64) -> PairLaw {
    let chi = hunt_crossley_from_restitution(e, SPEED).unwrap();
    let damping = Damping::Restitution(Restitution { e, damper: Damper::HuntCrossley { chi, speed: SPEED } });
    PairLaw { damping, ..PairLaw::elastic(STIFFNESS) }
}

fn kelvin_voigt(e: f64, mass: f64) -> PairLaw {
    let c = kelvin_voigt_from_restitution(e, STIFFNESS, mass, Release::Force).unwrap();
    let damping = Damping::Restitution(Restitution { e, damper: Damper::KelvinVoigt(c) });
    PairLaw { damping, ..hunt_crossley(e) }
}

/// A body of 1 kg that flies at the plane z = 0, or at another of 1 kg.
fn impact(name: &str, mesh: &TriMesh, other: Option<&TriMesh>, law: PairLaw, dt: f64) -> Simulation {
    let height = -mesh.bounds().0.z;
    // Not a whole number of steps away.
    let z = height + 0.00137;
    let mut upper =
        BodyDesc::rigid("upper", mesh, Mass::Total(1.0), Pose::from_position(DVec3::new(0.0, 0.0, z)))
            .unwrap();
    upper.velocity.z = -SPEED;
    let response = response(name);
    let scheme = response.scheme().unwrap_or_default();
    let builder = Simulation::builder(dt).scheme(scheme).law(law).response(response);
    let Some(other) = other else {
        return builder.body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0)).body(upper).build().unwrap();
    };
    upper.velocity.z = -0.5 * SPEED;
    // A box aside by too little to turn anything, so that no vertex meets an edge.
    let aside = if other.positions().len() > 8 { DVec3::zero() } else { DVec3::new(1.3e-3, 0.7e-3, 0.0) };
    let at = Pose::from_position(aside - DVec3::unit_z() * other.bounds().1.z);
    let mut lower = BodyDesc::rigid("lower", other, Mass::Total(1.0), at).unwrap();
    lower.velocity.z = 0.5 * SPEED;
    builder.body(lower).body(upper).build().unwrap()
}

/// Speed of parting over speed of approach, at the longest step that nothing is said of divided by `finer`.
fn rebound(name: &str, mesh: &TriMesh, other: Option<&TriMesh>, law: PairLaw, finer: f64) -> f64 {
    let mut dt = 1e-3;
    for _ in 0..4 {
        let told = impact(name, mesh, other, law, dt).unmet();
        dt = told.iter().map(|u| 0.999 * u.dt_limit()).fold(dt, f64::min);
    }
    let mut sim = impact(name, mesh, other, law, dt / finer);
    assert!(sim.unmet().is_empty() && sim.warnings().is_empty(), "{name}");
    let apart = |sim: &Simulation| {
        if other.is_none() {
            sim.twist(1).velocity.z
        } else {
            sim.twist(1).velocity.z - sim.twist(0).velocity.z
        }
    };
    let energy = sim.energy().total();
    for _ in 0..(0.05 / sim.dt()) as u32 {
        sim.step().unwrap();
    }
    assert!(sim.energy().total() <= energy * (1.0 + 1e-3), "{name} gains energy");
    apart(&sim) / SPEED
}

fn holds(of: &str, names: &[&str], mesh: &TriMesh, other: Option<&TriMesh>, law: fn(f64) -> PairLaw) {
    let mut wrong = Vec::new();
    for name in names {
        for e in [0.3, 0.5, 0.8, 0.95] {
            for finer in [1.0, 1.3, 4.0] {
                let found = rebound(name, mesh, other, law(e), finer);
                if found.is_nan() || (found - e).abs() > 0.02 {
                    wrong.push(format!("{name}, {finer}: {found:.4} for {e}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{of}: {}", wrong.join("; "));
}

const ALL: [&str; 7] = ["penalty", "cpf", "dpf-ccd", "cpf-implicit", "qp", "volume", "volume-penalty"];
/// Those with contact points, and constraints.
const POINTS: [&str; 6] = ["penalty", "cpf", "dpf-ccd", "cpf-implicit", "qp", "volume"];

fn ball() -> TriMesh {
    generators::icosphere(0.1, 2).unwrap()
}

fn cube(parts: u32) -> TriMesh {
    generators::cuboid(DVec3::broadcast(0.2), [parts, parts, 1]).unwrap()
}

#[test]
fn a_ball_rebounds_from_a_plane_as_asked() {
    holds("ball", &ALL, &ball(), None, hunt_crossley);
}

#[test]
fn a_box_rebounds_from_its_four_corners_as_asked() {
    holds("Hunt and Crossley", &ALL, &cube(1), None, hunt_crossley);
    holds("Kelvin and Voigt", &POINTS, &cube(1), None, |e| kelvin_voigt(e, 1.0));
}

#[test]
fn a_box_of_81_vertices_rebounds_as_one_of_four() {
    holds("Hunt and Crossley", &ALL, &cube(8), None, hunt_crossley);
    holds("Kelvin and Voigt", &POINTS, &cube(8), None, |e| kelvin_voigt(e, 1.0));
}

#[test]
fn two_bodies_part_as_asked() {
    holds("a ball and a box", &ALL, &ball(), Some(&cube(1)), hunt_crossley);
    // Springs at the facets of two balls turn them: what is left of the speed is no restitution.
    holds("two balls", &["qp", "volume", "volume-penalty"], &ball(), Some(&ball()), hunt_crossley);
}

fn stack(name: &str, law: PairLaw) -> Builder {
    let mesh = cube(1);
    let gap = if name == "qp" { 1e-3 } else { 0.0 };
    // The default thickness of the builder is the gap.
    let response = if name == "qp" { Response::qp() } else { response(name) };
    let builder = Simulation::builder(1e-3).gravity(gravity()).law(law).response(response);
    let builder = builder.body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    (0..4).fold(builder, |b, i| {
        let z = 0.1 + gap + f64::from(i) * (0.2 + gap);
        // Under constraints of features no two side faces in one plane; one volume pushes at its centre, and has it below the body's.
        let aside = if name == "qp" { 1.0 } else { 0.0 };
        let at = DVec3::new(1e-3 * f64::from(i % 3), -7e-4 * f64::from(i % 2), 0.0) * aside;
        let pose = Pose::from_position(at + DVec3::unit_z() * z);
        b.body(BodyDesc::rigid(&format!("box-{i}"), &mesh, Mass::Total(1.0), pose).unwrap())
    })
}

/// Bodies at rest do not chatter, with friction and without.
#[test]
fn a_stack_at_rest_stays_at_rest() {
    for name in ["qp", "volume"] {
        for mu in [0.0, 0.5] {
            let friction = (mu > 0.0).then(|| FrictionLaw::coulomb(mu));
            let mut sim = stack(name, PairLaw { friction, ..hunt_crossley(0.8) }).build().unwrap();
            let mut fastest = 0.0f64;
            for step in 0..500 {
                sim.step().unwrap();
                if step > 20 {
                    fastest = (1..5).fold(fastest, |f, b| f.max(sim.twist(b).velocity.mag()));
                }
            }
            assert!(fastest < 1e-3 * G * 2.0, "{name}, {mu}: {fastest} m/s");
        }
    }
}

/// Each bounce has e² of the height of the last, until the body rests; one that rubs and turns never gains.
#[test]
fn a_ball_bounces_lower_and_lower_and_rests() {
    for (name, mu) in [("qp", 0.0), ("volume", 0.0), ("qp", 0.3), ("volume", 0.3)] {
        let pose = Pose::from_position(DVec3::new(0.0, 0.0, 0.6));
        let mut ball = BodyDesc::rigid("ball", &ball(), Mass::Total(1.0), pose).unwrap();
        ball.velocity.x = if mu > 0.0 { 0.5 } else { 0.0 };
        let friction = (mu > 0.0).then(|| FrictionLaw::coulomb(mu));
        let mut sim = Simulation::builder(5e-4)
            .gravity(gravity())
            .law(PairLaw { friction, ..hunt_crossley(0.6) })
            .response(response(name))
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(ball)
            .build()
            .unwrap();
        let (mut energy, mut top, mut tops) = (f64::INFINITY, 0.0f64, Vec::new());
        for _ in 0..6000 {
            let before = sim.twist(1).velocity.z;
            sim.step().unwrap();
            let (z, v) = (sim.position(1).z - 0.1, sim.twist(1).velocity.z);
            top = top.max(z);
            if before < -0.1 && v > 0.0 {
                tops.push(top);
                top = 0.0;
            }
            let now = sim.energy().total();
            // Symplectic Euler books a fall by m g v Δt/2 too low, and a rise as much too high.
            assert!(now <= energy + G * sim.dt() * 3.2, "{name} gains energy: {now} J after {energy} J");
            energy = energy.min(now);
        }
        assert!(tops.len() > 3, "{name}: {tops:?}");
        if mu > 0.0 {
            continue;
        }
        for (i, pair) in tops.windows(2).take(3).enumerate() {
            let e = (pair[1] / pair[0]).sqrt();
            assert!((e - 0.6).abs() < 0.02, "{name}, bounce {i}: {e}");
        }
        let left = sim.twist(1).velocity.z;
        assert!(left.abs() < 2e-2, "{name} does not rest: {left} m/s");
    }
}

/// What presses on its own walls is not thrown: between plates that come together nothing has room to rebound.
#[test]
fn a_rebound_without_room_is_left_out() {
    for name in ["qp", "volume"] {
        let mesh = cube(1);
        let plate = |what: &str, z: f64, speed: f64| {
            let slab = generators::cuboid(DVec3::new(1.0, 1.0, 0.2), [1, 1, 1]).unwrap();
            let mut body =
                BodyDesc::rigid(what, &slab, Mass::Total(50.0), Pose::from_position(DVec3::new(0.0, 0.0, z)))
                    .unwrap();
            body.velocity.z = speed;
            body
        };
        let cube = BodyDesc::rigid("cube", &mesh, Mass::Total(1.0), Pose::identity()).unwrap();
        let mut sim = Simulation::builder(1e-3)
            .law(hunt_crossley(0.9))
            .response(response(name))
            .body(plate("upper", 0.2021, -1.0))
            .body(plate("lower", -0.2021, 1.0))
            .body(cube)
            .build()
            .unwrap();
        let energy = sim.energy().total();
        (0..100).for_each(|_| sim.step().unwrap());
        assert!(sim.energy().total() <= energy * (1.0 + 1e-9), "{name}");
        assert!(
            sim.twist(0).velocity.z > 0.0 && sim.twist(1).velocity.z < 0.0,
            "{name}: {} m/s",
            sim.twist(0).velocity.z
        );
    }
}

/// A rod that falls askew and rubs would gain by all of its rebound. What it is refused is asked of it alone: cubes that fall on the floor beside it
/// bounce as without it.
#[test]
fn each_group_rebounds_as_it_can() {
    let rod = generators::cuboid(DVec3::new(0.6, 0.05, 0.05), [1, 1, 1]).unwrap();
    // One for each step in which the rod may touch.
    let cubes = 12;
    let bounced = |name: &str, tilt: Option<f64>| -> Vec<DVec3> {
        let mut builder = Simulation::builder(1e-3)
            .law(PairLaw { friction: Some(FrictionLaw::coulomb(0.8)), ..hunt_crossley(1.0) })
            .response(response(name))
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
        for i in 0..cubes {
            let at = DVec3::new(1.0 + f64::from(i), 0.0, 0.101 + (f64::from(i) + 0.3) * SPEED * 1e-3);
            let pose = Pose::from_position(at);
            let mut cube = BodyDesc::rigid(&format!("cube-{i}"), &cube(1), Mass::Total(1.0), pose).unwrap();
            cube.velocity.z = -SPEED;
            builder = builder.body(cube);
        }
        if let Some(tilt) = tilt {
            let half = 0.3 * tilt.sin() + 0.025 * tilt.cos();
            let at = DVec3::new(-3.0, 0.0, half + 0.004);
            let pose = Pose::from_axis_angle(at, DVec3::unit_y(), tilt);
            let mut rod = BodyDesc::rigid("rod", &rod, Mass::Total(1.0), pose).unwrap();
            (rod.velocity.x, rod.velocity.z) = (2.0, -1.0);
            builder = builder.body(rod);
        }
        let mut sim = builder.build().unwrap();
        (0..30).for_each(|_| sim.step().unwrap());
        (1..=cubes).map(|b| sim.twist(b).velocity).collect()
    };
    for (name, tilt) in [("qp", 0.35), ("qp", 1.0), ("volume", 0.35)] {
        let (alone, beside) = (bounced(name, None), bounced(name, Some(tilt)));
        for (i, (a, b)) in alone.iter().zip(&beside).enumerate() {
            assert!(a.z > 0.95 * SPEED, "{name}, cube {i}: {} m/s", a.z);
            assert!((*a - *b).mag() <= 1e-12 * SPEED, "{name}, cube {i}: {a:?} alone, {b:?} beside");
        }
    }
}

/// A box of 1 kg whose field lands flat on a plane: p = E·d/h, so the spring is E·A/h where d is the depth and h the half height.
fn pressed(e: f64, dt: f64, step: PressureStep) -> Simulation {
    let size = DVec3::broadcast(0.2);
    let mesh = generators::cuboid(size, [1; 3]).unwrap();
    let field = PressureField::tets(fields::cuboid(size, 1e6).unwrap());
    let at = Pose::from_position(DVec3::unit_z() * 0.10137);
    let mut body = BodyDesc::rigid("upper", &mesh, Mass::Total(1.0), at).unwrap().with_pressure(field);
    body.velocity.z = -SPEED;
    // Which Radau's method asks for; nothing slips here.
    let friction = PressureFriction::Coulomb { regularisation: 1e-3, stribeck: 0.0 };
    Simulation::builder(dt)
        .law(hunt_crossley(e))
        .response(PressureSettings { step, friction, ..PressureSettings::default() })
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(body)
        .build()
        .unwrap()
}

#[test]
fn pressure_says_from_which_step_on_it_keeps_a_restitution() {
    let found = |e: f64, dt: f64, step: PressureStep| {
        let mut sim = pressed(e, dt, step);
        for _ in 0..(0.05 / dt) as u32 {
            sim.step().unwrap();
        }
        sim.twist(1).velocity.z / SPEED
    };
    for step in [PressureStep::Implicit, PressureStep::Explicit] {
        for e in [0.5, 0.8] {
            let told = pressed(e, 1e-2, step).unmet();
            let dt = 0.999 * told[0].dt_limit();
            assert_eq!((told.len(), &*told[0].body, told[0].e), (1, "upper", e));
            assert!(
                pressed(e, dt, step).unmet().is_empty() && !pressed(e, 1.01 * dt, step).unmet().is_empty()
            );
            let met = found(e, dt, step);
            assert!((met - e).abs() <= 0.02, "{step:?}: {met} for {e} at {dt} s");
        }
    }
    // Said with reason: at thirty times that step the damping of the implicit step shows.
    let dt = 30.0 * pressed(0.8, 1e-2, PressureStep::Implicit).unmet()[0].dt_limit();
    let missed = found(0.8, dt, PressureStep::Implicit);
    assert!((missed - 0.8).abs() > 0.02, "{missed}");
    assert!(pressed(0.8, 1e-2, PressureStep::Radau).unmet().is_empty());
}
