//! Cables and closed cloth against themselves under `qp`: distances at rest in closed form, weight, momentum, brute force over all pairs of
//! segments, same bits, and what a thick neighbour costs.

use crate::common::touched;
use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_elasticity::rod::Section;
use impinge_geometry::{DVec3, Pose, TriMesh, closest_between_segments, generators};
use impinge_integrators::{ElasticSettings, Scheme};
use impinge_meshing::self_intersections;
use impinge_world::{
    AttachTo, BodyDesc, Builder, ClothSpec, Deformable, List, NodeState, QpReport, QpSettings, Response,
    Simulation, SweptCandidates,
};

/// The distance kept (m).
const T: f64 = 5e-3;
const G: f64 = 9.81;

fn world(dt: f64, gravity: f64, mu: f64) -> Builder {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let friction = (mu > 0.0).then_some(friction);
    let law = PairLaw { friction, ..PairLaw::elastic(1.0) };
    Simulation::builder(dt)
        .gravity(DVec3::new(0.0, 0.0, -gravity))
        .scheme(Scheme::ImplicitEuler)
        .elastic_settings(ElasticSettings { tolerance: 1e-13, ..ElasticSettings::default() })
        .law(law)
        .response(Response::from(QpSettings { thickness: T, ..QpSettings::default() }))
}

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

fn cable(line: &[DVec3], ei: f64, rayleigh: [f64; 2]) -> Deformable {
    let section = Section { ea: 200.0, ei: [ei; 2], gj: 0.0, linear_density: 0.05 };
    Deformable::cable("rope", line, &section, rayleigh).unwrap()
}

fn own(line: &[DVec3], ei: f64, rayleigh: [f64; 2]) -> Deformable {
    cable(line, ei, rayleigh).self_contact("rope").unwrap()
}

fn at_rest(body: Deformable) -> BodyDesc {
    BodyDesc::deformable("rope", body, Pose::identity())
}

fn nodes(sim: &Simulation) -> Vec<DVec3> {
    sim.column::<NodeState>().x.clone()
}

fn report(sim: &Simulation) -> QpReport {
    *sim.column::<QpReport>()
}

/// The nearest that two segments with at least `between` segments between them come: the distance, and over what it may be at least, which is
/// the thickness or half of what is between them at rest.
fn nearest(x: &[DVec3], rest: &[DVec3], between: usize) -> (f64, f64) {
    let mut least = (f64::INFINITY, f64::INFINITY);
    for i in 0..x.len() - 1 {
        for j in i + 1 + between..x.len() - 1 {
            let of = |x: &[DVec3]| {
                closest_between_segments([x[i], x[i + 1]], [x[j], x[j + 1]]).distance_squared.sqrt()
            };
            let d = of(x);
            least = (least.0.min(d), least.1.min(d / T.min(0.5 * of(rest))));
        }
    }
    least
}

/// A loop that crosses over itself: it lies on the floor but where it crosses.
fn loop_line(segments: u32, height: f64, gap: f64) -> Vec<DVec3> {
    let at = |i: u32| {
        let s = f64::from(i) / f64::from(segments) * 2.0 - 1.0;
        // A cubic with a double point at s = ±1/√2.
        DVec3::new(0.12 * (s * s - 0.5), 0.16 * s * (s * s - 0.5), height + gap * (0.5 + 0.5 * s))
    };
    (0..=segments).map(at).collect()
}

/// One end held, the other laid across it with both of its ends held a little higher: the crossing spans are a thickness apart.
#[test]
fn a_cable_laid_across_itself_rests_a_thickness_apart() {
    let line: Vec<DVec3> = [
        [-0.1, 0.013, 0.0],
        [0.1, 0.013, 0.0],
        [0.17, 0.05, 0.004],
        [0.13, 0.12, 0.008],
        [0.011, 0.12, 0.012],
        [0.003, 0.04, 0.02],
        [-0.002, -0.05, 0.02],
        [0.011, -0.12, 0.012],
    ]
    .into_iter()
    .map(DVec3::from)
    .collect();
    for mu in [0.0, 0.4] {
        let held = own(&line, 0.0, [4.0, 1e-3]).pinned(AttachTo::World, |p| p.z < 0.015);
        let mut sim = world(1e-2, G, mu).body(at_rest(held)).build().unwrap();
        let mut acted = 0;
        for step in 0..600 {
            sim.step().unwrap_or_else(|e| panic!("{e}"));
            acted += usize::from(report(&sim).active > 0);
            let r = report(&sim);
            assert_eq!((r.left, r.cut), (0, 0), "step {step}");
        }
        let x = nodes(&sim);
        let (least, _) = nearest(&x, &line, 1);
        println!("mu {mu}: {acted} steps in contact, {least} m apart, {:?}", report(&sim));
        assert!(acted > 300 && (least - T).abs() < 1e-6, "{least}");
        // It is over the held span: the nearest points, not only their distance.
        let spans = closest_between_segments([x[0], x[1]], [x[5], x[6]]);
        assert!(spans.points[1].z - spans.points[0].z > 0.9 * T, "{spans:?}");
    }
}

#[test]
fn a_loop_on_the_floor_lies_on_itself_and_weighs_what_it_weighs() {
    let line = loop_line(24, 0.02, 0.02);
    let body = own(&line, 1e-6, [6.0, 1e-3]);
    let weight = body.mass() * G;
    let mut sim = world(1e-2, G, 0.5).body(floor()).body(at_rest(body)).build().unwrap();
    let (mut closest, mut own_rows) = (f64::INFINITY, 0);
    for step in 0..600 {
        let before = nodes(&sim);
        sim.step().unwrap_or_else(|e| panic!("{e}"));
        let x = nodes(&sim);
        closest = closest.min(nearest(&x, &line, 1).1);
        assert_eq!((touched(&before, &x), report(&sim).left), (0, 0), "step {step}");
        let pairs = &sim.ledger().pairs;
        own_rows = own_rows.max((0..pairs.a.len()).filter(|&i| pairs.a[i] == pairs.b[i]).count());
    }
    let x = nodes(&sim);
    let (least, _) = nearest(&x, &line, 2);
    let up = sim.contact_force(1).z;
    let lowest = x.iter().fold(f64::INFINITY, |m, p| m.min(p.z));
    let highest = x.iter().fold(0.0f64, |m, p| m.max(p.z));
    println!("{least} m, at least {closest} of it; {up} N of {weight} N; z {lowest} to {highest}");
    assert!(own_rows > 0 && closest > 0.9, "{closest}");
    assert!((least - T).abs() < 1e-6 && (lowest - T).abs() < 1e-6 && highest > 1.5 * T, "{least} {lowest}");
    assert!((up / weight - 1.0).abs() < 1e-6, "{up} N of {weight} N");
}

/// The same without: it goes through itself.
#[test]
fn a_loop_without_self_contact_lies_flat() {
    let line = loop_line(24, 0.02, 0.02);
    let body = cable(&line, 1e-6, [6.0, 1e-3]);
    let mut sim = world(1e-2, G, 0.5).body(floor()).body(at_rest(body)).build().unwrap();
    (0..300).for_each(|_| sim.step().unwrap());
    let (least, _) = nearest(&nodes(&sim), &line, 2);
    assert!(least < 0.1 * T, "{least}");
}

/// Legs of a hairpin that clap together at this speed (m/s) each; one of them leaves the plane by `lift` (m) a segment.
fn hairpin(ea: f64, speed: f64, lift: f64, dt: f64) -> (Simulation, Vec<DVec3>) {
    let mut line: Vec<DVec3> = (0..6).map(|i| DVec3::new(0.02, 0.2 - 0.04 * f64::from(i), 0.0)).collect();
    line.push(DVec3::new(0.0, -0.02, 0.0));
    line.extend((0..6).map(|i| DVec3::new(-0.02, 0.013 + 0.04 * f64::from(i), lift * f64::from(i))));
    let section = Section { ea, ei: [1e-8 * ea; 2], gj: 0.0, linear_density: 0.05 };
    let body = Deformable::cable("rope", &line, &section, [0.0; 2]).unwrap().self_contact("rope").unwrap();
    let mut sim = world(dt, 0.0, 0.3).body(at_rest(body)).build().unwrap();
    let mut state = sim.snapshot();
    for (v, x) in state.nodes.v.iter_mut().zip(&line) {
        v.x = -speed * x.x.signum() * f64::from(x.x != 0.0);
    }
    sim.restore(&state).unwrap();
    (sim, line)
}

/// Contact of a cable with itself is inner: momentum stays, and what angular momentum leaks is booked. It has next to no stiffness, whose
/// linearised step leaves some of the angular momentum unexplained.
#[test]
fn a_clap_keeps_momentum() {
    let (mut sim, line) = hairpin(1e-9, 0.8, 1e-3, 1e-3);
    let (mut active, mut worst) = (0, 0.0f64);
    assert!(nearest(&line, &line, 1).1 >= 1.0);
    for step in 0..60 {
        let before = nodes(&sim);
        sim.step().unwrap_or_else(|e| panic!("{e}"));
        active = active.max(report(&sim).active);
        let m = sim.ledger().momentum;
        worst = worst.max(m.linear_residual.mag() / m.linear_scale);
        let unexplained = (m.angular_residual - m.predicted_leak).mag() / m.angular_scale;
        assert!(unexplained < 1e-9, "step {step}: {unexplained}");
        assert_eq!(touched(&before, &nodes(&sim)), 0, "step {step}");
        // They end a thickness apart, and none gets past another. (At 4 ms each leg went farther in a step than half of the thickness, and they did.)
        let x = nodes(&sim);
        assert!((0..3).all(|k| x[5 - k].x > x[7 + k].x), "step {step}");
        let apart = nearest(&x, &line, 1).1;
        assert!(apart > 0.9, "step {step}: {apart}");
    }
    println!("{active} rows act, linear residual {worst:.1e}");
    assert!(active >= 4 && worst < 1e-12, "{active} rows, {worst}");
}

/// In one plane segments that touch have no normal but that of the plane, and in a step of 10 ms each leg goes five times the thickness, past
/// where the other was: they stop at each other, and do not get over each other.
#[test]
fn a_clap_in_a_plane_stays_in_it() {
    for ea in [1e-3, 200.0] {
        let (mut sim, line) = hairpin(ea, 2.6, 0.0, 1e-2);
        let mut active = 0;
        for step in 0..20 {
            let before = nodes(&sim);
            sim.step().unwrap_or_else(|e| panic!("{e}"));
            active = active.max(report(&sim).active);
            let x = nodes(&sim);
            let across = x.iter().fold(0.0f64, |m, p| m.max(p.z.abs()));
            let crossed = touched(&before, &x);
            assert!(
                crossed == 0 && across < 1e-9,
                "EA {ea} N, step {step}: {crossed} pairs touch, {across} m out of the plane"
            );
            assert!(nearest(&x, &line, 1).0 > 0.0 && report(&sim).left == 0, "step {step}");
        }
        assert!(active >= 4, "EA {ea} N: {active}");
    }
}

/// Neighbours in a line finer than the thickness are not pushed apart: it stays to the bit.
#[test]
fn a_fine_line_at_rest_stays() {
    let line: Vec<DVec3> = (0..=40).map(|i| DVec3::new(0.25 * T * f64::from(i), 0.0, 0.0)).collect();
    let mut sim = world(1e-2, 0.0, 0.3).body(at_rest(own(&line, 1e-5, [0.0; 2]))).build().unwrap();
    for _ in 0..5 {
        sim.step().unwrap();
        assert_eq!(report(&sim).rows, 0);
    }
    assert_eq!(nodes(&sim), line);
}

#[test]
fn any_number_of_threads_and_a_restored_run_give_the_same_bits() {
    let line = loop_line(24, 0.02, 0.02);
    let build = || {
        let body = own(&line, 1e-6, [2.0, 1e-3]);
        world(1e-2, G, 0.5).body(floor()).body(at_rest(body)).build().unwrap()
    };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sim = build();
            (0..40).for_each(|_| sim.step().map(|_| ()).unwrap());
            assert!(sim.ledger().pairs.a.contains(&1), "it meets itself");
            sim.hash()
        })
    };
    let hash = run(1);
    assert_eq!((run(2), run(8)), (hash, hash));
    let mut sim = build();
    (0..25).for_each(|_| sim.step().map(|_| ()).unwrap());
    let mut fresh = build();
    fresh.restore(&sim.snapshot()).unwrap();
    (0..15).for_each(|_| fresh.step().map(|_| ()).unwrap());
    assert_eq!(fresh.hash(), hash);
}

fn linen(name: &str, mesh: &TriMesh, bending: f64) -> Deformable {
    let spec = ClothSpec {
        young: 1e3,
        poisson: 0.3,
        thickness: 1e-3,
        density: 1000.0,
        bending,
        rayleigh: [2.0, 2e-3],
    };
    Deformable::cloth(name, mesh, &spec).unwrap()
}

/// A bag that falls together: its two sides meet from within.
#[test]
fn a_bag_collapses_on_itself_without_a_crossing() {
    let ball = generators::icosphere(0.1, 1).unwrap();
    let run = |meets: bool| {
        let bag = linen("bag", &ball, 0.0);
        let bag = if meets { bag.self_contact("bag").unwrap() } else { bag };
        let body = BodyDesc::deformable("bag", bag, Pose::from_position(DVec3::unit_z() * 0.11));
        let mut sim = world(1e-2, G, 0.3).body(floor()).body(body).build().unwrap();
        let (mut crossed, mut rows) = (0, 0);
        for step in 0..80 {
            sim.step().unwrap_or_else(|e| panic!("{e}"));
            let mesh = TriMesh::new(nodes(&sim), ball.triangles().to_vec()).unwrap();
            crossed += self_intersections(&mesh).len();
            assert_eq!(report(&sim).left, 0, "step {step}");
            let pairs = &sim.ledger().pairs;
            let own = (0..pairs.a.len()).filter(|&i| pairs.a[i] == pairs.b[i]).map(|i| pairs.contacts[i]);
            rows = rows.max(own.sum::<u32>());
        }
        (crossed, rows, nodes(&sim).iter().fold(0.0f64, |m, p| m.max(p.z)))
    };
    let (crossed, rows, high) = run(true);
    println!("{crossed} crossings, {rows} contacts with itself, {high} m high");
    assert!(crossed == 0 && rows > 3 && high < 0.1, "{crossed} {rows} {high}");
    let (crossed, ..) = run(false);
    assert!(crossed > 0, "without, it crosses");
}

/// What two others keep from each other, or a thick one from all, is no matter of what a cloth lists of itself.
#[test]
fn a_thick_pair_beside_a_fine_cloth_widens_no_search_of_the_cloth() {
    let sheet = generators::grid([0.4, 0.4], [8, 8]).unwrap();
    let cube = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let listed = |thick: bool, pair: bool| {
        let cloth = linen("cloth", &sheet, 0.1).self_contact("cloth").unwrap();
        let place = |x: f64| Pose::from_position(DVec3::new(x, 0.0, 0.0));
        let mut plate = BodyDesc::fixed("plate", cube.clone(), place(3.0)).unwrap();
        plate.thickness = thick.then_some(0.5);
        let builder = world(1e-2, G, 0.0)
            .body(BodyDesc::deformable("cloth", cloth, Pose::identity()))
            .body(plate)
            .body(BodyDesc::fixed("other", cube.clone(), place(5.0)).unwrap());
        let builder = if pair { builder.thickness(1, 2, 0.8) } else { builder };
        let mut sim = builder.build().unwrap();
        sim.step().unwrap();
        let lists = &sim.column::<SweptCandidates>().lists;
        List::ALL.map(|l| lists[l as usize].len())
    };
    let fine = listed(false, false);
    assert!(fine[List::Sheet as usize] > 0);
    assert_eq!((listed(true, false), listed(false, true), listed(true, true)), (fine, fine, fine));
}

/// A figure drawn in one plane says not which part is above; one whose end closes on its beginning is as good as any.
#[test]
fn a_line_that_lies_in_itself_is_refused() {
    let points = |line: &[[f64; 3]]| line.iter().map(|p| DVec3::from(*p)).collect::<Vec<_>>();
    let make = |line: &[DVec3]| {
        let section = Section { ea: 1.0, ei: [1e-6; 2], gj: 0.0, linear_density: 0.05 };
        Deformable::cable("rope", line, &section, [0.0; 2]).unwrap().self_contact("rope")
    };
    let (a, b) = ([0.0, 0.0, 0.0], [1.0, 1.0, 0.0]);
    let eight = points(&[a, b, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let reason = make(&eight).unwrap_err().to_string();
    assert!(reason.contains("segments 0 and 2"), "{reason}");
    let above = points(&[a, b, [1.0, 0.0, 0.1], [0.0, 1.0, 0.1]]);
    assert!(make(&above).is_ok());
    let ring = points(&[a, [1.0, 0.0, 0.0], b, [0.0, 1.0, 0.0], a]);
    assert!(make(&ring).is_ok());
}
