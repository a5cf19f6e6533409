//! What friction holds on a body that turns rides along with it: both go the same arcs, and slip is none.

use crate::common::{G, gravity};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::{Driver, Scheme};
use impinge_pressure::fields;
use impinge_world::{
    BodyDesc, Builder, Mass, Measurement, Motion, PressureField, QpSettings, Response, Simulation,
    SurfaceVelocity, VolumePenaltySettings, VolumeSettings,
};

const DT: f64 = 1.0 / 1024.0;
const MASS: f64 = 2.0;
/// Of the table (rad/s), and how far the rider is from its axis (m).
const SPIN: f64 = 5.0;
const RADIUS: f64 = 0.15;
const FRICTION: f64 = 0.8;
/// Responses that have the static coefficient from the first step on. Others slide while they come to carry the load.
const HOLDS: [&str; 6] = ["penalty", "cpf", "dpf-ccd", "qp", "volume", "volume-penalty"];
/// How deep volumes rest in each other (m).
const DEPTH: f64 = 1e-5;

/// One cell, which has no walls to go over.
fn energy() -> Response {
    VolumePenaltySettings { stiffness: 2e8, viscosity: 4e6, ..VolumePenaltySettings::default() }.into()
}

/// Volumes in four cells; a surface of 10 µm in which nothing is pushed. The explicit step of `pressure` is not here: it trembles under a load to the side.
fn responses() -> Vec<(&'static str, Response)> {
    let measure = Measurement { cell: Some(0.05), ..Measurement::default() };
    vec![
        ("penalty", Response::penalty()),
        ("cpf", Response::cpf()),
        ("dpf-ccd", Response::dpf_ccd()),
        ("cpf-implicit", Response::cpf_implicit()),
        ("qp", Response::from(QpSettings { thickness: 1e-5, ..QpSettings::default() })),
        ("volume", Response::from(VolumeSettings { measure, depth: DEPTH, ..VolumeSettings::default() })),
        ("volume-penalty", energy()),
        ("pressure", Response::pressure()),
    ]
}

fn cuboid(name: &str, size: DVec3, at: DVec3) -> BodyDesc {
    let mesh = generators::cuboid(size, [1; 3]).unwrap();
    BodyDesc::rigid(name, &mesh, Mass::Total(MASS), Pose::from_position(at))
        .unwrap()
        .with_pressure(PressureField::tets(fields::cuboid(size, 1e7).unwrap()))
}

/// How the table takes along what is on it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Table {
    Turns,
    /// Rests with a surface that turns.
    Belt,
    /// The table and its surface share the spin.
    Both,
}

fn table(kind: Table) -> BodyDesc {
    let (place, about) = (DVec3::unit_z() * -0.05, |spin: f64| DVec3::unit_z() * spin);
    let mut table = cuboid("table", DVec3::new(0.6, 0.6, 0.1), place);
    let (own, belt) = match kind {
        Table::Turns => (SPIN, 0.0),
        Table::Belt => (0.0, SPIN),
        Table::Both => (0.4 * SPIN, 0.6 * SPIN),
    };
    table.motion = match own {
        0.0 => Motion::Fixed,
        own => Motion::Kinematic(Driver::constant(Pose::from_position(place), DVec3::zero(), about(own))),
    };
    if belt > 0.0 {
        table.surface_velocity = SurfaceVelocity::turning(about(belt), DVec3::zero());
    }
    table
}

fn law(mu_s: f64, mu_k: f64, dt: f64) -> PairLaw {
    let k = MASS / (80.0 * dt * dt);
    let (k_fp, k_fd, rule) = (k, k * dt, SlipRule::ReturnMap);
    let friction = Some(FrictionLaw { mu_s, mu_k, k_fp, k_fd, k_omega: 1e3, rule });
    PairLaw { damping: Damping::HuntCrossley(5.0), friction, ..PairLaw::elastic(k) }
}

fn world(response: &Response, scheme: Scheme, law: PairLaw, dt: f64) -> Builder {
    Simulation::builder(dt).response(response.clone()).scheme(scheme).gravity(gravity()).law(law)
}

/// How far (m) the rider goes from the axis in a quarter of a second, half a second after it was put on the table with the table's motion.
fn creep(response: &Response, scheme: Scheme, mu_k: f64, on: Table) -> f64 {
    let deep = response.settings::<VolumeSettings>().map_or(0.0, |s| s.depth);
    let mut rider = cuboid("rider", DVec3::new(0.1, 0.1, 0.04), DVec3::new(RADIUS, 0.0, 0.02 - deep));
    rider.velocity = DVec3::unit_y() * (SPIN * RADIUS);
    rider.angular_velocity = DVec3::unit_z() * SPIN;
    let world = world(response, scheme, law(FRICTION, mu_k, DT), DT);
    let mut sim = world.body(table(on)).body(rider).build().unwrap();
    let mut after = |steps: usize| {
        (0..steps).for_each(|_| sim.step().unwrap());
        let at = sim.position(1);
        DVec3::new(at.x, at.y, 0.0).mag()
    };
    let before = after(512);
    (after(256) - before).abs()
}

/// What the tangent of one arc is off from the chord of the other in that time (m): 0.4 mm.
const SLIP: f64 = 0.5 * DT * SPIN * SPIN * RADIUS * 0.25;

fn all_ride(rides: impl IntoIterator<Item = (String, f64)>) {
    let mut wrong = Vec::new();
    for (name, gone) in rides {
        println!("{name}: {gone:.1e} m");
        // One cell lets a body swing about its middle by a twentieth of that.
        if gone.is_nan() || gone >= 0.1 * SLIP {
            wrong.push(format!("{name}: {gone:.1e} m for {SLIP:.1e}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_rides_on_a_turning_table_keeps_its_place() {
    all_ride(responses().into_iter().map(|(name, response)| {
        let scheme = response.scheme().unwrap_or_default();
        // What sliding has left would be too little to hold it: what holds from the first step on has no need of more.
        let mu_k = if HOLDS.contains(&name) { 0.1 } else { FRICTION };
        (name.to_string(), creep(&response, scheme, mu_k, Table::Turns))
    }));
}

/// The slip of springs is that of a moment there.
#[test]
fn what_rides_on_a_turning_surface_keeps_its_place() {
    let slips = |name: &str| ["qp", "volume", "volume-penalty", "pressure"].contains(&name);
    all_ride(responses().into_iter().filter(|(name, _)| slips(name)).flat_map(|(name, response)| {
        [Table::Belt, Table::Both]
            .map(|on| (format!("{name}, {on:?}"), creep(&response, Scheme::default(), FRICTION, on)))
    }));
}

/// Velocities at the start of a step are of the step before, of the moment or of the step to come.
#[test]
fn what_rides_keeps_its_place_by_any_scheme() {
    all_ride([Scheme::ImplicitMidpoint, Scheme::ExplicitEuler].into_iter().map(|scheme| {
        (format!("volume-penalty, {scheme:?}"), creep(&energy(), scheme, FRICTION, Table::Turns))
    }));
}

/// Friction at four corners has the moment μ m g r. That in the middles of four cells has it too, of quarters of a square or of one that stands on a corner.
/// It brakes at a radian a step as at a tenth of it.
#[test]
fn what_spins_on_resting_ground_is_braked_by_friction_at_its_places() {
    let (mu, side, dt) = (0.3, 0.1, 0.005);
    let inertia = MASS * side * side / 6.0;
    for (name, response) in responses().into_iter().filter(|(name, _)| ["qp", "volume"].contains(name)) {
        let arms = if name == "qp" { [0.495, 0.5] } else { [1.0 / 18.0f64.sqrt(), 0.25] };
        let [least, most] = arms.map(|a| mu * MASS * G * a * side * 2.0f64.sqrt() / inertia);
        for spin in [20.0, 100.0, 200.0] {
            let mut spinner = cuboid("spinner", DVec3::new(side, side, 0.04), DVec3::unit_z() * 0.02);
            spinner.angular_velocity = DVec3::unit_z() * spin;
            let mut ground = table(Table::Belt);
            ground.surface_velocity = SurfaceVelocity::default();
            let world = world(&response, Scheme::default(), law(mu, mu, dt), dt);
            let mut sim = world.body(ground).body(spinner).build().unwrap();
            (0..5).for_each(|_| sim.step().unwrap());
            let before = sim.twist(1).angular_velocity.z;
            (0..10).for_each(|_| sim.step().unwrap());
            let found = (before - sim.twist(1).angular_velocity.z) / (10.0 * dt);
            println!("{name}, {spin} rad/s: {found:.2} for {least:.2} to {most:.2} rad/s²");
            assert!((least..=most).contains(&found), "{name}, {spin}: {found} for {least} to {most}");
        }
    }
}

/// How far (m) a rider lags behind a tray that sets off with `pull` times g after some steps, in a third of a second, and how far (m) the tray goes.
fn lag(response: &Response, pull: f64) -> [f64; 2] {
    const SETTLES: f64 = 64.0;
    let deep = response.settings::<VolumeSettings>().map_or(0.0, |s| s.depth);
    let rider = cuboid("rider", DVec3::new(0.1, 0.1, 0.04), DVec3::unit_z() * (0.02 - deep));
    let mut tray = cuboid("tray", DVec3::new(0.6, 0.6, 0.1), DVec3::unit_z() * -0.05);
    tray.motion = Motion::Kinematic(Driver::Function(std::sync::Arc::new(move |time| {
        let t = (time - SETTLES * DT).max(0.0);
        Pose::from_position(DVec3::new(0.5 * pull * G * t * t, 0.0, -0.05))
    })));
    let scheme = response.scheme().unwrap_or_default();
    let mut sim = world(response, scheme, law(FRICTION, 0.1, DT), DT).body(tray).body(rider).build().unwrap();
    (0..64 + 320).for_each(|_| sim.step().unwrap());
    [sim.position(0).x - sim.position(1).x, sim.position(0).x]
}

/// Static friction holds up to its coefficient, though sliding would hold with an eighth of it.
#[test]
fn what_is_on_a_tray_that_sets_off_goes_along_up_to_static_friction() {
    let mut wrong = Vec::new();
    for (name, response) in responses() {
        // Springs that are pulled all at once swing to twice what they hold.
        let springs = !["qp", "volume", "pressure"].contains(&name);
        for pull in [0.15, if springs { 0.25 } else { 0.7 }, 0.9] {
            let [behind, way] = lag(&response, pull);
            println!("{name}, {pull} g: {behind:.2e} m behind of {way:.2} m");
            // What slides is pulled along with 0.1 g.
            let slides = way * (1.0 - 0.1 / pull);
            let right = if pull > FRICTION {
                behind > 0.9 * slides && behind < 1.01 * slides
            } else {
                behind.abs() < 1e-2 * way
            };
            if !right {
                wrong.push(format!("{name}, {pull} g: {behind:.2e} m behind of {way:.2} m"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
