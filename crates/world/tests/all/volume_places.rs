//! Places of a pair told apart: what one volume for all cannot hold, and that they are state like everything else.

use crate::volumes::{law, report, run};
use impinge_geometry::{DVec3, Pose, TriMesh, cuboid, generators};
use impinge_world::{BodyDesc, Features, Mass, Measurement, Response, Simulation, VolumeSettings};

const G: f64 = 9.81;

fn by_place(by_place: Option<bool>, cell: Option<f64>) -> VolumeSettings {
    let measure = Measurement { by_place, cell, ..Measurement::default() };
    VolumeSettings { measure, depth: 1e-5, ..VolumeSettings::default() }
}

/// A bar of eight sides, 1 kg, in a groove whose walls stand at 45°, without friction, under gravity that leans by `lean` (rad).
fn in_a_groove(lean: f64, settings: VolumeSettings) -> Simulation {
    let angle = generators::l_shape(DVec3::new(0.4, 0.4, 0.3), 0.1).unwrap();
    // Its inner corner becomes the origin, and it opens upwards.
    let (corner, s) = (angle.positions()[3], std::f64::consts::FRAC_1_SQRT_2);
    let upright = |p: DVec3| DVec3::new(p.z, (p.x - p.y) * s, (p.x + p.y) * s);
    let groove = angle.mapped(|p| upright(DVec3::new(p.x - corner.x, p.y - corner.y, p.z))).unwrap();
    // A side towards each wall, and one between them that touches nothing.
    let (turn, apothem) = (std::f64::consts::FRAC_PI_8, 0.05 * std::f64::consts::FRAC_PI_8.cos());
    let bar = generators::cylinder(0.05, 0.2, 8, 1).unwrap();
    let lying =
        |p: DVec3| DVec3::new(p.z, p.x * turn.cos() - p.y * turn.sin(), p.x * turn.sin() + p.y * turn.cos());
    let bar = bar.mapped(lying).unwrap();
    let at = Pose::from_position(DVec3::unit_z() * (apothem / s - 1e-5));
    let bar = BodyDesc::rigid("bar", &bar, Mass::Total(1.0), at);
    Simulation::builder(2e-3)
        .gravity(DVec3::new(0.0, G * lean.sin(), -G * lean.cos()))
        .law(law(0.0))
        .response(Response::from(settings))
        .body(BodyDesc::fixed("groove", groove, Pose::default()).unwrap())
        .body(bar.unwrap())
        .build()
        .unwrap()
}

#[test]
fn a_bar_in_a_groove_presses_on_both_walls() {
    let lean: f64 = 0.2;
    let mut sim = in_a_groove(lean, by_place(None, None));
    run(&mut sim, 0.4);
    let start = sim.position(1);
    run(&mut sim, 0.1);
    assert!((sim.position(1) - start).mag() < 1e-8, "{:?}", sim.position(1) - start);
    let mut points = Vec::new();
    sim.contact_points(&mut points);
    // N± (0, ∓1, 1)/√2 carry m g between them.
    let s = std::f64::consts::FRAC_1_SQRT_2;
    let mut found: Vec<DVec3> = points.iter().map(|p| if p.on == 1 { p.force } else { -p.force }).collect();
    found.sort_by(|a, b| a.y.total_cmp(&b.y));
    assert_eq!(found.len(), 2, "{points:?}");
    for (f, (side, n)) in found.iter().zip([(-1.0, lean.cos() + lean.sin()), (1.0, lean.cos() - lean.sin())])
    {
        let want = DVec3::new(0.0, side * s, s) * (G * s * n);
        assert!((*f - want).mag() < 1e-5 * G, "{f:?}, not {want:?}");
    }
    let names: Vec<_> = points.iter().map(|p| p.features).collect();
    assert!(
        matches!(names[..], [Some(Features::Cell(_, a)), Some(Features::Cell(_, b))] if a != b),
        "{names:?}"
    );
}

/// Four legs under a plate of 1 × 0.8 m with a block on one corner; on a plane.
fn table(settings: VolumeSettings) -> (Simulation, DVec3) {
    let part = |size: DVec3, at: DVec3| cuboid(size, [1; 3]).unwrap().mapped(|p| p + at).unwrap();
    let leg = |x: f64, y: f64| part(DVec3::new(0.06, 0.06, 0.5), DVec3::new(x, y, 0.25));
    let parts = [
        leg(-0.4, -0.3),
        leg(0.4, -0.3),
        leg(-0.4, 0.3),
        leg(0.4, 0.3),
        part(DVec3::new(1.0, 0.8, 0.05), DVec3::new(0.0, 0.0, 0.525)),
        part(DVec3::new(0.3, 0.3, 0.3), DVec3::new(0.3, 0.2, 0.7)),
    ];
    let mesh = TriMesh::joined(&parts.each_ref()).unwrap();
    let sim = Simulation::builder(2e-3)
        .gravity(DVec3::unit_z() * -G)
        .law(law(0.4))
        .response(Response::from(settings))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::rigid("table", &mesh, Mass::Total(10.0), Pose::default()).unwrap())
        .build()
        .unwrap();
    let center = sim.position(1);
    (sim, center)
}

#[test]
fn a_table_stands_on_its_legs() {
    let (mut sim, center) = table(by_place(None, None));
    assert!(center.x > 0.05 && center.y > 0.03, "it is to lean: {center:?}");
    run(&mut sim, 1.0);
    assert_eq!(report(&sim).cells, 4);
    let mut points = Vec::new();
    sim.contact_points(&mut points);
    let on_it = |p: &impinge_world::ContactPoint| if p.on == 1 { p.force } else { -p.force };
    let force = points.iter().fold(DVec3::zero(), |s, p| s + on_it(p));
    let moment = points.iter().fold(DVec3::zero(), |s, p| s + (p.point - sim.position(1)).cross(on_it(p)));
    assert!((force - DVec3::unit_z() * (10.0 * G)).mag() < 1e-6 * G, "{force:?}");
    assert!(moment.mag() < 1e-6 * G, "{moment:?}");
    let stays = (sim.position(1) - center).mag();
    assert!(stays < 2e-5, "{stays}");
    // As one contact its legs' pushes are one, through the middle of them.
    let (mut sim, center) = table(by_place(Some(false), None));
    run(&mut sim, 1.0);
    let walks = (sim.position(1) - center).mag();
    assert!(walks > 10.0 * stays && report(&sim).cells == 1, "{walks} {stays}");
}

#[test]
fn with_cells_places_are_told_apart_when_asked() {
    // One cell has the whole groove.
    for (asked, contacts) in [(None, 1), (Some(false), 1), (Some(true), 2)] {
        let mut sim = in_a_groove(0.0, by_place(asked, Some(2.0)));
        run(&mut sim, 0.1);
        assert_eq!(report(&sim).cells, contacts, "{asked:?}");
    }
}

#[test]
fn places_are_state() {
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut worlds = [in_a_groove(0.3, by_place(None, None)), table(by_place(None, None)).0];
            worlds.each_mut().map(|sim| {
                run(sim, 0.05);
                let middle = sim.snapshot();
                run(sim, 0.05);
                let end = sim.hash();
                sim.restore(&middle).unwrap();
                run(sim, 0.05);
                assert_eq!(sim.hash(), end, "goes on from a snapshot");
                end
            })
        })
    };
    assert_eq!(of(1), of(8));
}
