//! What is drawn of a step is what the ledger booked, and drawing changes no bit.

use crate::pressing::{ball, compliant, cube, explicit, floor, law, settings, world};
use crate::volumes;
use impinge_contact::Damping;
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_world::{
    BodyDesc, ContactPieces, Family, Mass, Measurement, PressureField, PressureSettings, Response,
    Simulation, VolumePenaltySettings, VolumeSettings,
};

/// Largest difference over pairs between what the polygons sum to and the ledger's normal force (relative to what the pair is pressed
/// with), and how many polygons there were.
fn against_the_ledger(sim: &Simulation, pieces: &mut ContactPieces) -> (f64, usize) {
    sim.contact_pieces(pieces);
    let ledger = sim.ledger();
    let p = ledger.pairs.view();
    let mut worst = 0.0f64;
    for i in 0..p.len() {
        let of_pair = pieces.pieces.iter().filter(|q| (q.a, q.b) == (p.a[i], p.b[i]));
        let sum = of_pair.fold(DVec3::zero(), |s, q| s + pieces.vector_area(q) * q.pressure);
        let pressed = p.pressed[i] / sim.dt();
        if pressed > 0.0 {
            worst = worst.max((sum - p.normal[i] / sim.dt()).mag() / pressed);
        }
    }
    (worst, pieces.pieces.len())
}

/// A turned ball and a box, damped, sliding over the floor and into each other.
fn pressed(settings: PressureSettings, dt: f64) -> Simulation {
    let pose = |x: f64, z: f64, w: DVec3| Pose::new(DVec3::new(x, 0.0, z), rotor_from_rotation_vector(w));
    let law = impinge_contact::PairLaw { damping: Damping::HuntCrossley(0.5), ..law(0.4) };
    let mut rolling =
        compliant("ball", &ball(0.025, 1e6), 1.0, pose(-0.12, 0.049, DVec3::new(0.3, 0.2, 0.1)));
    rolling.velocity = DVec3::new(1.0, 0.1, -0.1);
    let mut sliding = compliant("box", &cube(1e6), 2.0, pose(0.0, 0.0499, DVec3::new(0.0, 0.0, 0.2)));
    sliding.velocity = DVec3::new(0.2, 0.0, 0.0);
    let ground = floor().with_pressure(PressureField::layer(1e6, 0.05));
    world(dt, 0.0, settings).law(law).body(ground).body(rolling).body(sliding).build().unwrap()
}

fn stacked(response: Response) -> Simulation {
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let mut builder = Simulation::builder(0.005)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(volumes::law(0.5))
        .scheme(response.scheme().unwrap_or(Scheme::SymplecticEuler))
        .response(response)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for i in 0..3 {
        let turn = rotor_from_rotation_vector(DVec3::new(0.02, 0.01, 0.3) * f64::from(i));
        let pose = Pose::new(DVec3::new(0.01 * f64::from(i), 0.0, 0.051 + 0.102 * f64::from(i)), turn);
        builder = builder.body(BodyDesc::rigid(&format!("box-{i}"), &mesh, Mass::Total(1.0), pose).unwrap());
    }
    builder.build().unwrap()
}

#[test]
fn polygons_sum_to_the_normal_force_of_their_pair() {
    let measure = |cell| Measurement { cell, ..Measurement::default() };
    let volume =
        |cell| Response::from(VolumeSettings { measure: measure(cell), ..VolumeSettings::default() });
    let penalty = Response::from(VolumePenaltySettings {
        measure: measure(Some(0.03)),
        stiffness: 1e8,
        viscosity: 1e4,
        ..VolumePenaltySettings::default()
    });
    let worlds = [
        ("pressure, explicit", pressed(explicit(), 2e-4), 500),
        ("pressure, implicit", pressed(settings(), 1.0 / 240.0), 60),
        ("volume", stacked(volume(None)), 100),
        ("volume, cells", stacked(volume(Some(0.04))), 100),
        ("volume-penalty", stacked(penalty), 100),
    ];
    for (name, mut sim, steps) in worlds {
        let mut pieces = ContactPieces::default();
        let (mut worst, mut most) = (0.0f64, 0);
        for _ in 0..steps {
            sim.step().unwrap();
            let (off, count) = against_the_ledger(&sim, &mut pieces);
            worst = worst.max(off);
            most = most.max(count);
        }
        println!("{name}: {worst:.1e}, {most} polygons at most");
        assert!(worst < 1e-9 && most >= 3, "{name}: {worst}, {most}");
        assert!(sim.response().pieces().is_some());
    }
}

#[test]
fn looking_changes_no_bit() {
    for &family in Family::ALL {
        let make = || {
            if family == Family::PRESSURE {
                return pressed(settings(), 1.0 / 240.0);
            }
            stacked(family.response())
        };
        let (mut watched, mut alone) = (make(), make());
        let (mut pieces, mut points) = (ContactPieces::default(), Vec::new());
        let (mut seen, mut digests) = (0, [Vec::new(), Vec::new()]);
        for step in 0..60 {
            // On and off, as the frames of a report are.
            watched.ask_drawing(step % 3 != 0);
            watched.step_digested(&mut digests[0]).unwrap();
            watched.contact_pieces(&mut pieces);
            seen += pieces.pieces.len();
            watched.idle_rows(&mut points);
            assert!(step % 3 != 0 || points.is_empty(), "nobody asked");
            seen += points.len();
            watched.contact_points(&mut points);
            seen += points.iter().filter(|p| p.span.is_some()).count();
            alone.step_digested(&mut digests[1]).unwrap();
            assert_eq!(watched.hash(), alone.hash(), "{family:?}, step {step}");
            assert_eq!(digests[0], digests[1], "{family:?}, step {step}");
        }
        println!("{family:?}: {seen} things drawn");
        assert_eq!(seen > 0, family != Family::PENALTY, "{family:?}: {seen}");
    }
}

#[test]
fn intervals_lie_in_the_step_and_act() {
    let mut sim = stacked(Response::cpf());
    let mut points = Vec::new();
    let mut begun = 0;
    for _ in 0..60 {
        sim.ask_drawing(true);
        sim.step().unwrap();
        sim.contact_points(&mut points);
        for p in &points {
            let [a, b] = p.span.expect("every contact of this response has one");
            assert!((0.0..1.0).contains(&a) && a < b && b <= 1.0, "[{a}, {b}]");
            begun += usize::from(a > 0.0);
        }
    }
    assert!(begun > 3, "contacts begin within steps: {begun}");
}

#[test]
fn rows_of_a_program_act_or_are_idle() {
    let mut sim = stacked(Response::qp());
    let (mut acting, mut idle) = (Vec::new(), Vec::new());
    let (mut most_idle, mut most_acting, mut nearest) = (0, 0, f64::INFINITY);
    for _ in 0..60 {
        sim.ask_drawing(true);
        sim.step().unwrap();
        sim.contact_points(&mut acting);
        sim.idle_rows(&mut idle);
        let report = *sim.column::<impinge_world::QpReport>();
        assert_eq!((acting.len() + idle.len()) as u32, report.rows, "every row is one or the other");
        assert!(acting.iter().all(|p| p.multiplier > 0.0) && idle.iter().all(|p| p.multiplier == 0.0));
        nearest = idle.iter().map(|p| -p.depth).fold(nearest, f64::min);
        most_idle = most_idle.max(idle.len());
        most_acting = most_acting.max(acting.len());
    }
    println!("{most_acting} acting, {most_idle} idle at most, the nearest {nearest:.1e} m apart");
    assert!(most_idle > 0 && most_acting > 0 && nearest > 0.0);
}
