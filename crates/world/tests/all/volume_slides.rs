//! What slides through a grid of cells keeps its weight.

use crate::volumes::{law, report, run};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_world::{
    BodyDesc, Mass, Measurement, Response, Simulation, VolumeFriction, VolumePenaltySettings, VolumeSettings,
    Walls,
};

const G: f64 = 9.8;

/// A box of 1 kg and 0.1 m on a slope of tan 0.5 that lies askew in the grid, and the slope's normal.
fn on_slope(mu: f64, walls: Walls, table: bool) -> (Simulation, DVec3) {
    let turn = rotor_from_rotation_vector(DVec3::unit_y() * 0.5f64.atan());
    let (normal, depth) = (turn * DVec3::unit_z(), 1e-4);
    let cube = |edge: f64| generators::cuboid(DVec3::broadcast(edge), [2, 2, 2]).unwrap();
    let slope = if table {
        BodyDesc::fixed("slope", cube(3.0), Pose::new(normal * -1.5, turn)).unwrap()
    } else {
        BodyDesc::plane("slope", normal, 0.0)
    };
    let pose = Pose::new(normal * (0.05 - depth), turn);
    let measure = Measurement { cell: Some(0.05), walls, ..Measurement::default() };
    let sim = Simulation::builder(1e-3)
        .gravity(DVec3::unit_z() * -G)
        .law(law(mu))
        .response(Response::from(VolumeSettings { measure, depth, ..VolumeSettings::default() }))
        .body(slope)
        .body(BodyDesc::rigid("box", &cube(0.1), Mass::Total(1.0), pose).unwrap())
        .build()
        .unwrap();
    (sim, normal)
}

/// Normal forces of so many steps over m g cos θ: the mean, and how far off the worst.
fn weight(sim: &mut Simulation, normal: DVec3, steps: u32) -> (f64, f64) {
    let rest = G / 1.25f64.sqrt();
    let forces = (0..steps).map(|_| {
        sim.step().unwrap();
        sim.contact_force(1).dot(normal) / rest
    });
    let (sum, worst) = forces.fold((0.0, 0.0f64), |(s, w), n| (s + n, w.max((n - 1.0).abs())));
    (sum / f64::from(steps), worst)
}

/// With the paper's walls the cells at the front and the back of the box lean, and it hops.
#[test]
fn a_box_slides_without_a_hop() {
    for table in [false, true] {
        let of = |walls| {
            let (mut sim, normal) = on_slope(0.4, walls, table);
            run(&mut sim, 0.02);
            let w = weight(&mut sim, normal, 800);
            println!(
                "table {table}, {walls:?}: mean {:.5}, worst off by {:.3}, {:?}",
                w.0,
                w.1,
                sim.twist(1)
            );
            (w, sim.twist(1).velocity.mag())
        };
        let ((mean, worst), speed) = of(Walls::Carried);
        assert!((mean - 1.0).abs() < 1e-3, "{mean}");
        assert!(worst < 0.25, "{worst}");
        // g (sin θ − μ cos θ) t
        let expected = G * 0.1 / 1.25f64.sqrt() * 0.82;
        assert!((speed / expected - 1.0).abs() < 2e-3, "{speed} m/s, not {expected}");
        let ((_, paper), _) = of(Walls::Shared);
        assert!(paper > 4.0, "the paper's walls do as well: {paper}");
    }
}

/// The sizes of the cells' forces add up to the weight and to the pull along the slope: none leans.
#[test]
fn what_sticks_is_carried_straight() {
    let sizes = |walls| {
        let (mut sim, _) = on_slope(0.6, walls, false);
        run(&mut sim, 0.3);
        let (ledger, rest) = (sim.ledger(), G / 1.25f64.sqrt());
        let of = |f: f64, expected: f64| (f / sim.dt() / expected - 1.0).abs();
        let off = (of(ledger.pairs.pressed[0], rest), of(ledger.pairs.friction[0].mag(), 0.5 * rest));
        println!("{walls:?}: off by {:.1e} and {:.1e}", off.0, off.1);
        off
    };
    let (normal, friction) = sizes(Walls::Carried);
    assert!(normal < 1e-6 && friction < 1e-6, "{normal} {friction}");
    let paper = sizes(Walls::Shared);
    assert!(paper.0 > 1e-4 && paper.1 > 1e-3, "{paper:?}");
}

/// A wall of the grid lies within the overlap, along it: the layer below that has no push of its own, and the box stands all the same.
#[test]
fn a_wall_within_the_overlap_carries() {
    // Walls are at odd multiples of 0.025 m: one is 50 µm below the top of the table, half the depth that is kept.
    let top = 0.02505;
    let measure = Measurement { cell: Some(0.05), ..Measurement::default() };
    let stiff =
        VolumePenaltySettings { measure, stiffness: 3e9, viscosity: 2e7, friction: VolumeFriction::BRISTLES };
    let kept = VolumeSettings { measure, depth: 1e-4, ..VolumeSettings::default() };
    // Widths of the nine columns are 28, 50 and 22 mm one way and 32, 50 and 18 mm the other: k d Σa² = m g in one layer; in two, each knows of its own
    // volume, and it is up to twice as deep.
    let weight = 9.8;
    let squares = |w: [f64; 3]| w.map(|w| w * w).iter().sum::<f64>();
    let once = weight / (3e9 * squares([0.028, 0.05, 0.022]) * squares([0.032, 0.05, 0.018]));
    for (response, depth) in [(Response::from(kept), 1.02e-4), (Response::from(stiff), 2.0 * once)] {
        let cube = |edge: f64| generators::cuboid(DVec3::broadcast(edge), [2, 2, 2]).unwrap();
        let at = |z: f64| Pose::from_position(DVec3::new(0.003, 0.007, z));
        let mut sim = Simulation::builder(1e-3)
            .gravity(DVec3::unit_z() * -weight)
            .law(law(0.5))
            .response(response)
            .body(BodyDesc::fixed("table", cube(1.0), at(top - 0.5)).unwrap())
            .body(BodyDesc::rigid("box", &cube(0.1), Mass::Total(1.0), at(top + 0.05)).unwrap())
            .build()
            .unwrap();
        run(&mut sim, 1.0);
        let (sunk, f) = (top + 0.05 - sim.pose(1).position.z, sim.contact_force(1).z);
        println!("{} m deep (up to {depth}), {f} N, {:?}", sunk, report(&sim));
        assert!(sunk > 5e-5 && sunk < depth, "it is {sunk} m deep");
        assert!((f / weight - 1.0).abs() < 1e-3, "{f} N");
        assert_eq!(report(&sim).contained, 0);
    }
}
