//! Friction of a body that many neighbours press: it holds what friction enough must hold, however many pull at once.

use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_integrators::{Driver, Keyframe};
use impinge_pressure::fields;
use impinge_world::{
    BodyDesc, Mass, Motion, PressureField, PressureSettings, Response, Simulation, VolumePenaltySettings,
};

const G: f64 = 9.81;
const DT: f64 = 1.0 / 1024.0;
const MASS: f64 = 1.0;
const EDGE: f64 = 0.2;
/// How far each wall comes into the cube (m), and how stiff they meet (N/m): 100 N.
const DEEP: f64 = 2e-3;
const STIFF: f64 = MASS / (20.0 * DT * DT);

fn with_field(body: BodyDesc, size: DVec3) -> BodyDesc {
    body.with_pressure(PressureField::tets(fields::cuboid(size, 1.25 * STIFF / EDGE).unwrap()))
}

/// A wall that comes from `side` of the cube.
fn wall(name: &str, side: DVec3) -> BodyDesc {
    let across = DVec3::new(side.y.abs(), side.x.abs(), 0.0);
    let of = |v: DVec3| DVec3::new(v.x.abs(), v.y.abs(), v.z.abs());
    let size = of(side) * EDGE + across * 0.3 + DVec3::unit_z() * 0.3;
    let mesh = generators::cuboid(size, [1; 3]).unwrap();
    let frame = |time: f64, deep: f64| Keyframe { time, pose: Pose::from_position(side * (EDGE - deep)) };
    let mut body = BodyDesc::fixed(name, mesh, frame(0.0, -1e-4).pose).unwrap();
    body.motion = Motion::Kinematic(Driver::Keyframes(vec![frame(0.0, -1e-4), frame(0.1, DEEP)]));
    with_field(body, size)
}

/// Two walls on opposite sides, or four around.
fn walls(count: usize) -> Vec<BodyDesc> {
    let (x, y) = (DVec3::unit_x(), DVec3::unit_y());
    let sides = [("a", x), ("b", -x), ("c", y), ("d", -y)];
    sides[..count].iter().map(|&(name, side)| wall(name, side)).collect()
}

/// Fall (m) and speed (m/s) of a cube half a second after its weight hangs on walls that press it.
fn fall(response: Response, count: usize) -> [f64; 2] {
    let k = STIFF / 4.0;
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: k, k_fd: k * DT, k_omega: 1e3, rule: SlipRule::ReturnMap };
    let law =
        PairLaw { damping: Damping::HuntCrossley(1.0), friction: Some(friction), ..PairLaw::elastic(k) };
    let size = DVec3::broadcast(EDGE);
    let mesh = generators::cuboid(size, [1; 3]).unwrap();
    let mut cube =
        with_field(BodyDesc::rigid("cube", &mesh, Mass::Total(MASS), Pose::identity()).unwrap(), size);
    // What is unstable grows from what is not quite symmetric.
    cube.angular_velocity = DVec3::new(1e-4, -2e-4, 3e-4);
    let scheme = response.scheme().unwrap_or_default();
    let world = Simulation::builder(DT).response(response).scheme(scheme).law(law);
    let mut sim = walls(count).into_iter().fold(world, |w, b| w.body(b)).body(cube).build().unwrap();
    let slot = sim.slot("cube").unwrap();
    (0..200).for_each(|_| sim.step().unwrap());
    for k in 1..=128 {
        sim.set_gravity([0.0, 0.0, -G * f64::from(k) / 128.0]).unwrap();
        sim.step().unwrap();
    }
    (0..128).for_each(|_| sim.step().unwrap());
    let start = sim.position(slot).z;
    (0..512).for_each(|_| sim.step().unwrap());
    [start - sim.position(slot).z, -sim.twist(slot).velocity.z]
}

fn responses() -> Vec<(&'static str, Response)> {
    let energy = VolumePenaltySettings {
        stiffness: STIFF / EDGE.powi(4),
        viscosity: 0.002 * STIFF / EDGE.powi(4),
        ..VolumePenaltySettings::default()
    };
    vec![
        ("volume-penalty", Response::from(energy)),
        ("pressure, explicit", Response::from(PressureSettings::explicit())),
        ("penalty", Response::penalty()),
        ("cpf", Response::cpf()),
        ("dpf-ccd", Response::dpf_ccd()),
        ("cpf-implicit", Response::cpf_implicit()),
    ]
}

/// The walls press with at least ten times what holds it.
#[test]
fn what_many_walls_grip_does_not_creep() {
    let mut wrong = Vec::new();
    for (name, response) in responses() {
        for count in [2, 4] {
            let [fallen, speed] = fall(response.clone(), count);
            println!("{name}, {count} walls: fallen {fallen:.1e} m, {speed:.1e} m/s");
            if !(fallen.abs() < 1e-7 && speed.abs() < 1e-6) {
                wrong.push(format!("{name}, {count} walls: {fallen} m, {speed} m/s"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How walls hold bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    /// Step (s).
    pub dt: f64,
    /// How far the walls come in, times g Δt².
    pub press: f64,
    pub mu: f64,
    /// Of each body (kg).
    pub mass: f64,
}

/// What of a row of bodies is between walls that come from these sides, by laws that follow from the bodies: how far one falls in 512 steps (m), and
/// the largest speed (m/s), some time after the weight hangs on the walls.
pub(crate) fn held(response: &Response, how: Held, bodies: &[TriMesh], sides: &[DVec3]) -> [f64; 2] {
    let Held { dt, press, mu, mass } = how;
    let deep = press * G * dt * dt;
    let mut world = Simulation::builder(dt).response(response.clone()).friction(mu);
    let mut at = 0.0;
    let mut ends = DVec3::zero();
    for (i, mesh) in bodies.iter().enumerate() {
        let (low, high) = mesh.bounds();
        if i == 0 {
            at = low.x;
        }
        let x = at - low.x;
        (at, ends) = (x + high.x, DVec3::new(x + high.x, high.y, high.z));
        let pose = Pose::from_position(DVec3::unit_x() * x);
        let mut body = BodyDesc::rigid(&format!("body-{i}"), mesh, Mass::Total(mass), pose).unwrap();
        // What is unstable grows from what is not quite symmetric.
        body.angular_velocity = DVec3::new(1.0, -2.0, 3.0) * (1e-2 * G * dt / (high - low).mag());
        world = world.body(body);
    }
    let low = bodies[0].bounds().0;
    // Wider than the row, whichever way it lies.
    let span = 1.3 * (ends - low).mag();
    for (i, &side) in sides.iter().enumerate() {
        let thick = (ends - low).dot(side).abs();
        let of = |v: DVec3| DVec3::new(v.x.abs(), v.y.abs(), v.z.abs());
        let across = DVec3::broadcast(1.0) - of(side);
        let size = of(side) * thick + across * span;
        let face = if side.dot(DVec3::broadcast(1.0)) > 0.0 { side * ends } else { of(side) * low };
        let pose = |deep: f64| Pose::from_position(face + side * (0.5 * thick - deep));
        let frame = |time: f64, deep: f64| Keyframe { time, pose: pose(deep) };
        let mesh = generators::cuboid(size, [1; 3]).unwrap();
        let mut wall = BodyDesc::fixed(&format!("wall-{i}"), mesh, pose(0.0)).unwrap();
        let keys = vec![frame(0.0, -1e-3 * deep), frame(256.0 * dt, deep)];
        wall.motion = Motion::Kinematic(Driver::Keyframes(keys));
        world = world.body(wall);
    }
    let mut sim = world.build().unwrap();
    (0..512).for_each(|_| sim.step().unwrap());
    for k in 1..=128 {
        sim.set_gravity([0.0, 0.0, -G * f64::from(k) / 128.0]).unwrap();
        sim.step().unwrap();
        assert!(sim.ledger().residual() <= 1e-12, "{:e}", sim.ledger().residual());
    }
    (0..384).for_each(|_| sim.step().unwrap());
    let slots = 0..bodies.len() as u32;
    let before: Vec<f64> = slots.clone().map(|b| sim.position(b).z).collect();
    let (mut fallen, mut fastest) = (0.0f64, 0.0f64);
    (0..512).for_each(|_| sim.step().unwrap());
    for b in slots {
        fallen = fallen.max((before[b as usize] - sim.position(b).z).abs());
        fastest = fastest.max(sim.twist(b).velocity.mag());
    }
    [fallen, fastest]
}

/// Sides of a cube by two, four and six; a row of cubes that hold each other; a ball on many vertices. Of any size, at any step.
#[test]
fn what_walls_grip_by_laws_that_follow_holds() {
    let (x, y, z) = (DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
    let sides = [x, -x, y, -y, z, -z];
    let cube = |edge: f64| generators::cuboid(DVec3::broadcast(edge), [1; 3]).unwrap();
    let fine = generators::cuboid(DVec3::broadcast(EDGE), [4; 3]).unwrap();
    let ball = generators::icosphere(0.5 * EDGE, 3).unwrap();
    let row = [cube(EDGE), cube(0.8 * EDGE), cube(EDGE)];
    let mut wrong = Vec::new();
    for response in [Response::penalty(), Response::cpf(), Response::dpf_ccd()] {
        let name = response.name();
        let mut look = |what: &str, dt: f64, bodies: &[TriMesh], count: usize| {
            // 25 times as deep as flat sides would rest; a ball by what a few of its vertices bear.
            let press = if what == "ball" { 100.0 } else { 500.0 };
            let [fallen, speed] =
                held(&response, Held { dt, press, mu: 0.6, mass: MASS }, bodies, &sides[..count]);
            // Against what a body falls in a step, and its speed then.
            let (way, pace) = (G * dt * dt, G * dt);
            println!("{name}, {what}, {count} walls: fallen {fallen:.1e} m, {speed:.1e} m/s");
            if !(fallen < 0.01 * way && speed < 1e-3 * pace) {
                wrong.push(format!("{name}, {what}, {count} walls: {fallen:.1e} m, {speed:.1e} m/s"));
            }
        };
        for count in [2, 4, 6] {
            look("cube", DT, &[cube(EDGE)], count);
            look("small cube, short steps", 0.25 * DT, &[cube(0.1 * EDGE)], count);
            look("fine cube", DT, std::slice::from_ref(&fine), count);
            look("ball", DT, std::slice::from_ref(&ball), count);
        }
        look("row", DT, &row, 2);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
