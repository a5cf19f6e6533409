//! Cables against cables under `qp`: rest in closed form, distances by brute force over all pairs of segments, momentum, same bits.

use impinge_contact::PairLaw;
use impinge_elasticity::rod::Section;
use impinge_geometry::{DVec3, Pose, closest_between_segments, rotor_from_rotation_vector};
use impinge_integrators::{ElasticSettings, Scheme};
use impinge_world::{AttachTo, BodyDesc, Builder, Deformable, NodeState, QpSettings, Simulation};
use proptest::prelude::*;

/// The distance kept (m).
const T: f64 = 5e-3;
const G: f64 = 9.81;

fn world(dt: f64, gravity: f64) -> Builder {
    Simulation::builder(dt)
        .gravity(DVec3::new(0.0, 0.0, -gravity))
        .scheme(Scheme::ImplicitEuler)
        .elastic_settings(ElasticSettings { tolerance: 1e-13, ..ElasticSettings::default() })
        .law(PairLaw::elastic(1.0))
        .response(QpSettings { thickness: T, ..QpSettings::default() })
}

/// A straight one along x, of so many segments as long as this (m).
fn straight(count: u32, long: f64, bending: f64) -> Deformable {
    let middle = 0.5 * f64::from(count);
    let line: Vec<DVec3> =
        (0..=count).map(|i| DVec3::new((f64::from(i) - middle) * long, 0.0, 0.0)).collect();
    let section = Section { ea: 200.0, ei: [bending; 2], gj: 0.0, linear_density: 0.05 };
    Deformable::cable("cable", &line, &section, [8.0, 1e-3]).unwrap()
}

fn nodes(sim: &Simulation, body: &str) -> Vec<DVec3> {
    let x = &sim.column::<NodeState>().x;
    sim.nodes_of(sim.slot(body).unwrap()).map(|n| x[n]).collect()
}

fn nearest(a: &[DVec3], b: &[DVec3]) -> f64 {
    let of = |p: &[DVec3], q: &[DVec3]| closest_between_segments([p[0], p[1]], [q[0], q[1]]).distance_squared;
    let pairs = a.windows(2).flat_map(|p| b.windows(2).map(move |q| of(p, q)));
    pairs.fold(f64::INFINITY, f64::min).sqrt()
}

/// Of the groove (s).
const DT: f64 = 2e-3;

/// One lies along two others in the groove between them, 1.2 thicknesses wide: 0.8 thicknesses above.
fn in_a_groove(aside: f64, upper_first: bool) -> Simulation {
    let at = |y: f64, z: f64| Pose::from_position(DVec3::new(1e-3, y, z));
    let held = |name: &str, y: f64| {
        let pinned = straight(13, 0.025, 0.0).pinned(AttachTo::World, |_| true);
        BodyDesc::deformable(name, pinned, at(y, 0.0))
    };
    let upper = BodyDesc::deformable("upper", straight(9, 0.031, 1e-4), at(aside, T));
    let mut bodies = vec![held("left", -0.6 * T), held("right", 0.6 * T), upper];
    if upper_first {
        bodies.rotate_right(1);
    }
    bodies.into_iter().fold(world(DT, G), Builder::body).build().unwrap()
}

#[test]
fn one_that_lies_along_two_others_rests_in_the_groove() {
    for (aside, upper_first) in [(0.0, false), (0.1 * T, false), (0.1 * T, true)] {
        let mut sim = in_a_groove(aside, upper_first);
        (0..500).for_each(|_| sim.step().map(|_| ()).unwrap());
        let off =
            nodes(&sim, "upper").iter().map(|x| (x.z - 0.8 * T).abs().max(x.y.abs())).fold(0.0, f64::max);
        let up = sim.contact_force(sim.slot("upper").unwrap()).z;
        let weight = 0.05 * 9.0 * 0.031 * G;
        println!("{off} m off the groove; {up} N of {weight} N");
        // Normals are those of where gravity leads in a step, g dt² below: the planes of both sides meet this much above where the cables are.
        let bent = (G * DT * DT).powi(2) / T;
        assert!(off < bent, "{aside}: {off} m, more than {bent} m");
        assert!((up / weight - 1.0).abs() < 1e-6, "{up} N of {weight} N");
    }
}

#[test]
fn what_one_thing_holds_nearer_than_they_keep_is_warned_of() {
    for (apart, told) in [(0.5 * T, 1), (2.0 * T, 0)] {
        let cable = |name: &str, y: f64| {
            let pinned = straight(4, 0.02, 0.0).pinned(AttachTo::World, |p| p.x < -0.039);
            BodyDesc::deformable(name, pinned, Pose::from_position(DVec3::unit_y() * y))
        };
        let sim = world(DT, G).body(cable("one", 0.0)).body(cable("two", apart)).build().unwrap();
        let said = sim.response_warnings();
        assert_eq!(said.len(), told, "{said:?}");
        assert!(said.iter().all(|s| s.contains("held 2.50e-3 m apart by the world, and keep 5.00e-3 m")));
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sim = in_a_groove(0.1 * T, false);
            (0..40).for_each(|_| sim.step().map(|_| ()).unwrap());
            sim.hash()
        })
    };
    let hash = run(1);
    assert_eq!((run(2), run(8)), (hash, hash));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Thrown at each other at any angle, along each other too, limp and stiff.
    #[test]
    fn what_is_thrown_at_another_keeps_its_distance(
        degrees in prop_oneof![0.0..10.0f64, 0.0..90.0f64, Just(0.0), Just(90.0)],
        (long, count) in prop::sample::select(vec![(0.02, 12u32), (0.013, 18)]),
        off in prop::array::uniform2(-0.03..0.03f64),
        bending in prop::sample::select(vec![0.0, 1e-5, 1e-3]),
        speed in 0.05..0.4f64,
        upper_first in prop::bool::ANY,
    ) {
        let turn = rotor_from_rotation_vector(DVec3::unit_z() * degrees.to_radians());
        // Nearly along each other the upper one comes from straight above, or it would pass the end of the lower one.
        let aside = DVec3::new(off[0], if degrees < 20.0 { 0.0 } else { off[1] }, 2.0 * T);
        let mut upper = BodyDesc::deformable("upper", straight(count, long, bending), Pose::new(aside, turn));
        upper.velocity = DVec3::new(0.0, 0.0, -speed);
        let lower = BodyDesc::deformable("lower", straight(10, 0.025, bending), Pose::identity());
        let [a, b] = if upper_first { [upper, lower] } else { [lower, upper] };
        // A millimetre a step at most: normals turn by as much. (At two, limp ones came nearer by 1.1 %.)
        let mut sim = world(2.5e-3, 0.0).body(a).body(b).build().unwrap();
        let (mut touched, mut least, mut momentum) = (false, f64::INFINITY, 0.0f64);
        for step in 0..120 {
            sim.step().unwrap_or_else(|e| panic!("step {step}: {e}"));
            touched |= sim.contact_force(0) != DVec3::zero();
            least = least.min(nearest(&nodes(&sim, "upper"), &nodes(&sim, "lower")));
            let m = sim.ledger().momentum;
            momentum = momentum.max(m.linear_residual.mag() / m.linear_scale);
        }
        prop_assert!(touched, "never touched");
        prop_assert!(least > 0.99 * T, "{least} m");
        prop_assert!(momentum < 1e-12, "{momentum}");
    }
}
