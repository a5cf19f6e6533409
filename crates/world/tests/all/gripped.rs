//! Friction of a body that many neighbours press: it holds what friction enough must hold, however many pull at once.

use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators};
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
