//! Cables under continuous penalty: their nodes meet faces, their segments meet edges and each other.

use crate::common::touched;
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_elasticity::rod::Section;
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_integrators::{ElasticSettings, Scheme};
use impinge_world::{
    AttachTo, BodyDesc, Builder, ClothSpec, ContactPoint, Cpf, Deformable, Features, NodeState, Penalty,
    Response, Simulation,
};

const G: f64 = 9.81;
/// Of a cable (kg/m).
const HEAVY: f64 = 0.08;
/// Of its segments (m).
const LONG: f64 = 0.025;

fn law(mu: f64) -> PairLaw {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 300.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let damping = Damping::KelvinVoigt(0.1);
    PairLaw { damping, friction: (mu > 0.0).then_some(friction), ..PairLaw::elastic(300.0) }
}

fn world(response: impl Into<Response>, mu: f64) -> Builder {
    Simulation::builder(1e-3)
        .gravity(DVec3::new(0.0, 0.0, -G))
        .scheme(Scheme::ImplicitEuler)
        .elastic_settings(ElasticSettings { tolerance: 1e-12, ..ElasticSettings::default() })
        .law(law(mu))
        .response(response)
}

/// Along x, with this many segments to the left and to the right of the middle of one.
fn line(left: usize, right: usize) -> Vec<DVec3> {
    let at = |i: usize| DVec3::new((i as f64 - left as f64 - 0.5) * LONG, 0.0, 0.0);
    (0..left + right + 2).map(at).collect()
}

/// So limp that it folds within a segment, and so stiff that it bends over two.
const LIMP: f64 = 4e-5;
const STIFF: f64 = 2e-4;

fn cable(name: &str, line: &[DVec3], ei: f64) -> Deformable {
    let section = Section { ea: 500.0, ei: [ei; 2], gj: 0.0, linear_density: HEAVY };
    Deformable::cable(name, line, &section, [4.0, 1e-3]).unwrap()
}

fn at(position: [f64; 3]) -> Pose {
    Pose::from_position(DVec3::new(position[0], position[1], position[2]))
}

fn run(sim: &mut Simulation, seconds: f64) -> f64 {
    let mut made = 0.0f64;
    for _ in 0..(seconds / sim.dt()).round() as usize {
        sim.step().unwrap_or_else(|e| panic!("{e}"));
        made = made.max(sim.ledger().momentum.linear_residual.mag());
    }
    made
}

fn nodes(sim: &Simulation, name: &str) -> Vec<DVec3> {
    let x = &sim.column::<NodeState>().x;
    sim.nodes_of(sim.slot(name).unwrap()).map(|n| x[n]).collect()
}

fn points(sim: &Simulation) -> Vec<ContactPoint> {
    let mut points = Vec::new();
    sim.contact_points(&mut points);
    points
}

/// What a cable is laid on.
type Make = fn() -> BodyDesc;

/// Narrower than a segment is long, with its top at z = 0.
fn narrow_bar() -> BodyDesc {
    let bar = generators::cuboid(DVec3::new(0.01, 0.3, 0.02), [1, 1, 1]).unwrap();
    BodyDesc::fixed("under", bar, at([0.0, 0.0, -0.01])).unwrap()
}

/// An open mesh: two sides of a roof with its ridge at z = 0.
fn roof() -> BodyDesc {
    let x = [
        [-0.01, -0.1, -0.02],
        [-0.01, 0.1, -0.02],
        [0.0, -0.1, 0.0],
        [0.0, 0.1, 0.0],
        [0.01, -0.1, -0.02],
        [0.01, 0.1, -0.02],
    ];
    let roof = TriMesh::from_arrays(&x, &[[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]]).unwrap();
    BodyDesc::fixed("under", roof, Pose::identity()).unwrap()
}

/// A strip of cloth that is held at all its nodes, standing on its edge with the upper one at z = 0.
fn strip() -> BodyDesc {
    let x = [[0.0, -0.1, -0.02], [0.0, 0.1, -0.02], [0.0, 0.1, 0.0], [0.0, -0.1, 0.0]];
    let mesh = TriMesh::from_arrays(&x, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    let spec = ClothSpec {
        young: 1e5,
        poisson: 0.3,
        thickness: 1e-3,
        density: 500.0,
        bending: 1.0,
        rayleigh: [0.0; 2],
    };
    let strip = Deformable::cloth("under", &mesh, &spec).unwrap().pinned(AttachTo::World, |_| true);
    BodyDesc::deformable("under", strip, Pose::identity())
}

fn responses() -> [(Response, &'static str); 2] {
    [(Cpf::default().into(), "cpf"), (Cpf::at_end().into(), "dpf-ccd")]
}

/// Nodes alone would pass beside what is narrower than a segment; every contact is a pair of edges, and they carry the weight.
#[test]
fn a_cable_rests_on_edges_between_its_nodes() {
    let line = line(8, 8);
    let weight = HEAVY * LONG * (line.len() - 1) as f64 * G;
    let unders: [(&str, Make); 3] = [("bar", narrow_bar), ("roof", roof), ("strip", strip)];
    for (under, make) in unders {
        for (response, name) in responses() {
            for under_first in [true, false] {
                let rope = BodyDesc::deformable("rope", cable("rope", &line, LIMP), at([0.0, 0.0, 1e-3]));
                let [a, b] = if under_first { [make(), rope] } else { [rope, make()] };
                let mut sim = world(response.clone(), 0.5).body(a).body(b).build().unwrap();
                let made = run(&mut sim, 4.0);
                let what = format!("{under} under {name}, first: {under_first}");
                assert!(made < 1e-12, "{what}: {made:e} N s made");
                let carried = sim.contact_force(sim.slot("rope").unwrap()).z;
                assert!((carried / weight - 1.0).abs() < 1e-3, "{what}: {carried} N of {weight} N");
                let points = points(&sim);
                let edges = points.iter().filter(|p| matches!(p.features, Some(Features::EdgeEdge(..))));
                let pressed: f64 = edges.map(|p| p.force.z.abs()).sum();
                assert!((pressed / weight - 1.0).abs() < 1e-3, "{what}: {points:?}");
                let z = |p: &ContactPoint| p.point.z;
                assert!(points.iter().all(|p| z(p).abs() < 3e-3), "{what}: {points:?}");
                let x = nodes(&sim, "rope");
                assert!(x.iter().all(|x| x.x.abs() > 5.5e-3), "{what}: a node over it: {x:?}");
            }
        }
    }
    // Its nodes alone.
    let rope = BodyDesc::deformable("rope", cable("rope", &line, LIMP), at([0.0, 0.0, 1e-3]));
    let mut through = world(Penalty::default(), 0.5).body(narrow_bar()).body(rope).build().unwrap();
    run(&mut through, 1.0);
    assert!(nodes(&through, "rope").iter().all(|x| x.z < -1.0), "nothing carries it");
}

/// One that is held at its ends carries another across it, on the side that it came from, also where that folds over it at a node.
#[test]
fn a_cable_carries_a_cable() {
    let weight = HEAVY * LONG * 17.0 * G;
    for (response, name) in responses() {
        for (ei, falls_first) in [(LIMP, true), (LIMP, false), (STIFF, true), (STIFF, false)] {
            let held = cable("held", &line(4, 4), ei).pinned(AttachTo::World, |p| p.x.abs() > 4.4 * LONG);
            let quarter = impinge_geometry::rotor_from_rotation_vector(DVec3::unit_z() * 1.4);
            let rope = Pose::new(DVec3::new(2e-3, -3e-3, 2e-3), quarter);
            let falls = BodyDesc::deformable("rope", cable("rope", &line(8, 8), ei), rope);
            let held = BodyDesc::deformable("held", held, Pose::identity());
            let [a, b] = if falls_first { [falls, held] } else { [held, falls] };
            let mut sim = world(response.clone(), 0.5).body(a).body(b).build().unwrap();
            let made = run(&mut sim, 6.0);
            let carried = sim.contact_force(sim.slot("rope").unwrap()).z;
            let what = format!("{name}, bends with {ei}, falls first: {falls_first}");
            assert!(made < 1e-12, "{what}: {made:e} N s made");
            assert!((carried / weight - 1.0).abs() < 1e-3, "{what}: {carried} N of {weight} N");
        }
    }
}

/// Of the segments over a place along x the largest height there (m): further down they may hang beside what they lie on.
fn height_over(x: &[DVec3], place: f64) -> Option<f64> {
    let over = |s: &[DVec3]| {
        let t = (place - s[0].x) / (s[1].x - s[0].x);
        (0.0..=1.0).contains(&t).then(|| s[0].z + (s[1].z - s[0].z) * t)
    };
    x.windows(2).filter_map(over).reduce(f64::max)
}

/// Without friction the longer side pulls it over an edge: its nodes come onto the faces and leave them, its segments hand the edge on from one to
/// the next, and nothing sinks in or is thrown up, for 1.5 s or until the end has passed.
#[test]
fn a_cable_runs_over_an_edge() {
    let table = || {
        let table = generators::cuboid(DVec3::new(0.4, 0.3, 0.2), [1, 1, 1]).unwrap();
        BodyDesc::fixed("under", table, at([-0.2, 0.0, -0.1])).unwrap()
    };
    let unders: [(Make, f64, &[f64]); 3] =
        [(narrow_bar, 0.0, &[-0.005, 0.0, 0.005]), (roof, 0.0, &[0.0]), (table, -0.013, &[-0.1, 0.0])];
    for (under, from, places) in unders {
        for ei in [LIMP, STIFF] {
            let rope = BodyDesc::deformable("rope", cable("rope", &line(8, 10), ei), at([from, 0.0, 1e-4]));
            let mut sim = world(Cpf::default(), 0.0).body(under()).body(rope).build().unwrap();
            let rope = sim.slot("rope").unwrap();
            let (mut lowest, mut highest, mut passed, mut segments) = (0.0f64, 0.0f64, false, Vec::new());
            for _ in 0..1500 {
                sim.step().unwrap();
                let x = nodes(&sim, "rope");
                passed = x.iter().all(|x| x.x > -0.005) || x.iter().all(|x| x.x < 0.005);
                if passed {
                    break;
                }
                highest = x.iter().fold(highest, |h, x| h.max(x.z));
                lowest = places.iter().filter_map(|&p| height_over(&x, p)).fold(lowest, f64::min);
                segments.extend(points(&sim).iter().filter_map(|p| match p.features {
                    Some(Features::EdgeEdge(e, f)) => Some(if p.on == rope { e } else { f }),
                    _ => None,
                }));
            }
            segments.sort_unstable();
            segments.dedup();
            // What folds within a segment would have to climb over the edge with its node, and may stay.
            assert!(ei == LIMP || segments.len() >= 2, "{ei}: {segments:?}, passed: {passed}");
            assert!(
                lowest > -3e-3 && highest < 4.0 * LONG,
                "{ei}: sinks in by {lowest} m, rises to {highest} m"
            );
        }
    }
}

/// The tip of a hairpin is pulled off a wire that lies in it: once past, nothing pushes, however far it is.
#[test]
fn a_bend_that_has_gone_by_lets_go() {
    let soft = PairLaw::elastic(0.2);
    let held = [[-0.3, -0.5, -0.004], [-0.3, 0.5, -0.004]].map(DVec3::from);
    let held = cable("wire", &held, STIFF).pinned(AttachTo::World, |_| true);
    let bent = [[-1.0, 0.0, 0.0], [0.0, 0.01, 0.0], [-1.0, 0.0, 0.3]].map(DVec3::from);
    let mut bent = BodyDesc::deformable("hairpin", cable("hairpin", &bent, STIFF), Pose::identity());
    // Drag ends that after 0.75 m.
    bent.velocity = DVec3::new(-3.0, 0.0, -0.09);
    let mut sim = world(Cpf::default(), 0.0)
        .gravity(DVec3::zero())
        .law(soft)
        .body(BodyDesc::deformable("wire", held, Pose::identity()))
        .body(bent)
        .build()
        .unwrap();
    let touched = (0..110).filter(|_| {
        sim.step().unwrap();
        sim.contact_force(1) != DVec3::zero()
    });
    assert!(touched.count() > 50, "the wire is in the bend");
    run(&mut sim, 0.6);
    assert_eq!(sim.contact_force(1), DVec3::zero(), "{:?}", nodes(&sim, "hairpin"));
}

/// A body that goes takes none of the contacts of others along, though edges and segments have other numbers then.
#[test]
fn a_cable_stays_where_another_body_goes() {
    let build = || {
        let far = generators::cuboid(DVec3::broadcast(0.1), [2, 2, 2]).unwrap();
        let rope = |name: &'static str, y: f64| {
            BodyDesc::deformable(name, cable(name, &line(8, 8), LIMP), at([0.0, y, 1e-3]))
        };
        let mut sim = world(Cpf::default(), 0.5)
            .body(BodyDesc::fixed("far", far, at([5.0, 0.0, 0.0])).unwrap())
            .body(rope("gone", 0.05))
            .body(narrow_bar())
            .body(rope("rope", -0.05))
            .build()
            .unwrap();
        run(&mut sim, 1.0);
        sim
    };
    let (mut stays, mut sim) = (build(), build());
    sim.remove("far").unwrap();
    sim.remove("gone").unwrap();
    run(&mut stays, 0.1);
    run(&mut sim, 0.1);
    let [a, b] = [&stays, &sim].map(|s| nodes(s, "rope"));
    let apart = a.iter().zip(&b).map(|(a, b)| (*a - *b).mag()).fold(0.0, f64::max);
    assert!(apart < 1e-9, "{apart} m");
}

/// From a snapshot at mid-run, on two threads.
#[test]
fn the_bits_are_those_of_one_thread_and_of_a_snapshot() {
    let with = |threads: usize, work: &mut (dyn FnMut() + Send)| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work);
    };
    let build = || {
        let rope = |name: &'static str, y: f64, z: f64| {
            BodyDesc::deformable(name, cable(name, &line(8, 8), LIMP), at([0.0, y, z]))
        };
        let ropes = [rope("a", 0.0, 1e-3), rope("b", 1e-3, 6e-3)];
        ropes.into_iter().fold(world(Cpf::default(), 0.5).body(narrow_bar()), Builder::body).build().unwrap()
    };
    let (mut one, mut two) = (None, None);
    with(1, &mut || {
        let mut sim = build();
        run(&mut sim, 0.3);
        let middle = sim.snapshot();
        run(&mut sim, 0.3);
        one = Some((middle, sim.hash()));
    });
    let (middle, end) = one.unwrap();
    with(2, &mut || {
        let mut sim = build();
        sim.restore(&middle).unwrap();
        run(&mut sim, 0.3);
        two = Some(sim.hash());
    });
    assert_eq!(two, Some(end));
}

/// Two turns come down on the floor: where they cross, and where they lie along each other, spans keep a distance.
#[test]
fn a_coil_lies_on_itself_without_a_crossing() {
    let turn = |i: usize| {
        let a = i as f64 * 0.28;
        DVec3::new(0.08 * a.cos(), 0.08 * a.sin() + 2e-3 * i as f64, 5e-4 * i as f64)
    };
    let line: Vec<DVec3> = (0..46).map(turn).collect();
    let weight = line.windows(2).map(|x| (x[1] - x[0]).mag()).sum::<f64>() * HEAVY * G;
    for (response, name) in responses() {
        let coil = |own: bool| {
            let rope = cable("rope", &line, LIMP);
            let rope = if own { rope.self_contact("rope").unwrap() } else { rope };
            let rope = BodyDesc::deformable("rope", rope, at([0.0, 0.0, 1e-3])).with_thickness(2e-3);
            let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
            world(response.clone(), 0.3).body(floor).body(rope).build().unwrap()
        };
        let crossings = |sim: &mut Simulation| {
            let (mut before, mut crossed, mut made) = (nodes(sim, "rope"), 0, 0.0f64);
            for _ in 0..1500 {
                sim.step().unwrap();
                let now = nodes(sim, "rope");
                crossed += touched(&before, &now);
                made = made.max(sim.ledger().momentum.linear_residual.mag());
                before = now;
            }
            (crossed, made)
        };
        let mut sim = coil(true);
        let (crossed, made) = crossings(&mut sim);
        let rope = sim.slot("rope").unwrap();
        let own = points(&sim).iter().filter(|p| (p.a, p.b) == (rope, rope)).count();
        let carried = sim.contact_force(rope).z;
        assert_eq!(crossed, 0, "{name}");
        assert!(made < 1e-12 && own >= 3, "{name}: {made:e} N s made, {own} contacts with itself");
        assert!((carried / weight - 1.0).abs() < 1e-3, "{name}: {carried} N of {weight} N");
        assert!(crossings(&mut coil(false)).0 > 0, "{name}: without, it crosses");
    }
}
