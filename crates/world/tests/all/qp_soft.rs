//! Constraints on what deforms: weight, the same velocities in the program and after it, cloth and cable over round things
//! without a crossing, same bits.

use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_elasticity::Material;
use impinge_elasticity::rod::Section;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, TriMesh, generators, rotor_from_rotation_vector};
use impinge_integrators::{Driver, ElasticSettings, Keyframe, Scheme};
use impinge_meshing::self_intersections;
use impinge_world::{
    AttachTo, BodyDesc, Builder, ClothSpec, ContactError, Deformable, Mass, Motion, NodeState, QpReport,
    QpSettings, Response, Simulation, StageError, StrainLimits,
};

const R: f64 = 1e-3;
const G: DVec3 = DVec3 { x: 0.0, y: 0.0, z: -9.81 };

fn law(mu: f64) -> PairLaw {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let friction = (mu > 0.0).then_some(friction);
    PairLaw { friction, ..PairLaw::elastic(1.0) }
}

fn at(z: f64) -> Pose {
    Pose::from_position(DVec3::unit_z() * z)
}

fn world(dt: f64, mu: f64) -> Builder {
    Simulation::builder(dt).gravity(G).scheme(Scheme::ImplicitEuler).law(law(mu)).response(Response::qp())
}

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

fn driven(name: &str, mesh: TriMesh, frames: Vec<Keyframe>) -> BodyDesc {
    let mut body = BodyDesc::fixed(name, mesh, frames[0].pose).unwrap();
    body.motion = Motion::Kinematic(Driver::Keyframes(frames));
    body
}

fn jelly(name: &str, pose: Pose) -> BodyDesc {
    let block = generators::tet_box(DVec3::new(0.2, 0.2, 0.2), [2, 2, 2]).unwrap();
    let rubber = Material::new(1e5, 0.3, 1000.0).with_rayleigh(2.0, 0.002);
    BodyDesc::deformable(name, Deformable::solid(name, &block, Model::Corotational, &rubber).unwrap(), pose)
}

fn report(sim: &Simulation) -> QpReport {
    *sim.column::<QpReport>()
}

fn run(sim: &mut Simulation, steps: usize) -> QpReport {
    let mut most = QpReport { clean: true, solved: true, ..QpReport::default() };
    for _ in 0..steps {
        sim.step().unwrap_or_else(|e| panic!("{e}"));
        let r = report(sim);
        most = QpReport {
            solves: most.solves.max(r.solves),
            iterations: most.iterations.max(r.iterations),
            factorisations: most.factorisations.max(r.factorisations),
            toggles: most.toggles.max(r.toggles),
            rows: most.rows.max(r.rows),
            limits: most.limits.max(r.limits),
            active: most.active.max(r.active),
            residual: most.residual.max(r.residual),
            unfinished: most.unfinished + r.unfinished,
            solved: most.solved && r.solved,
            clean: most.clean && r.clean,
            cut: most.cut + r.cut,
            left: most.left + r.left,
            place_solves: most.place_solves.max(r.place_solves),
            moved: most.moved.max(r.moved),
            unplaced: most.unplaced + r.unplaced,
        };
    }
    most
}

#[test]
fn b22_a_soft_block_weighs_what_it_weighs() {
    let mut sim = world(1e-2, 0.5).body(floor()).body(jelly("block", at(0.102))).build().unwrap();
    let most = run(&mut sim, 400);
    let mut worst = 0.0f64;
    for _ in 0..20 {
        sim.step().unwrap();
        let off = (sim.contact_force(1) - DVec3::unit_z() * (8.0 * 9.81)).mag() / (8.0 * 9.81);
        worst = worst.max(off);
    }
    println!("weight {worst:.1e}, {most:?}");
    assert!(worst < 1e-6, "{worst}");
    assert_eq!((most.cut, most.left), (0, 0));
}

/// What is reported is what was applied, and what was applied is what the program asked for: surfaces end at the thickness.
#[test]
fn advance_ends_where_the_program_does() {
    let tight = ElasticSettings { tolerance: 1e-13, ..ElasticSettings::default() };
    let mut sim = world(1e-2, 0.0)
        .elastic_settings(tight)
        .body(floor())
        .body(jelly("block", at(0.15)))
        .build()
        .unwrap();
    let mut landed = 0;
    for _ in 0..40 {
        sim.step().unwrap();
        let low = sim.column::<NodeState>().x.iter().fold(f64::INFINITY, |m, x| m.min(x.z));
        if report(&sim).active > 0 {
            landed += 1;
            assert!((low - R).abs() < 1e-10, "the lowest node is at {low}");
        }
    }
    assert!(landed > 10, "{landed}");
}

/// Two soft blocks and a rigid one, in a pile that leans.
fn pile() -> Simulation {
    let turned =
        Pose::new(DVec3::new(0.01, 0.005, 0.31), rotor_from_rotation_vector(DVec3::new(0.0, 0.0, 0.1)));
    let lid = generators::cuboid(DVec3::new(0.15, 0.15, 0.05), [2, 2, 1]).unwrap();
    let lid = BodyDesc::rigid("lid", &lid, Mass::Total(2.0), at(0.45)).unwrap();
    world(5e-3, 0.5)
        .body(floor())
        .body(jelly("low", at(0.102)))
        .body(jelly("high", turned))
        .body(lid)
        .build()
        .unwrap()
}

#[test]
fn a_restored_run_goes_on_with_the_same_bits() {
    let mut sim = pile();
    run(&mut sim, 20);
    let taken = sim.snapshot();
    run(&mut sim, 12);
    let (hash, active) = (sim.hash(), report(&sim).active);
    assert!(active > 4, "{:?}", report(&sim));
    for fresh in [false, true] {
        if fresh {
            sim = pile();
        }
        sim.restore(&taken).unwrap();
        run(&mut sim, 12);
        assert_eq!(sim.hash(), hash, "in a fresh world: {fresh}");
    }
}

#[test]
fn one_and_eight_threads_give_the_same_bits() {
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sim = pile();
            run(&mut sim, 25);
            sim.hash()
        })
    };
    assert_eq!(hash(1), hash(8));
}

/// Both surfaces in one mesh: crossings of the two.
fn crossings(cloth: (&TriMesh, &[DVec3]), other: &TriMesh) -> usize {
    let sheet = TriMesh::new(cloth.1.to_vec(), cloth.0.triangles().to_vec()).unwrap();
    self_intersections(&TriMesh::joined(&[&sheet, other]).unwrap())
        .iter()
        .filter(|c| {
            (c.faces[0] < cloth.0.triangles().len() as u32) != (c.faces[1] < cloth.0.triangles().len() as u32)
        })
        .count()
}

#[test]
fn cloth_drapes_over_a_ball_without_a_crossing() {
    // 72 nodes go through the dense solver, more want the sparse one.
    let segments = if cfg!(feature = "factor") { [16, 16] } else { [8, 7] };
    let sheet = generators::grid([0.4, 0.4], segments).unwrap();
    let ball = generators::icosphere(0.1, 2).unwrap();
    let spec = ClothSpec {
        young: 1e5,
        poisson: 0.3,
        thickness: 1e-3,
        density: 300.0,
        bending: 0.02,
        rayleigh: [1.0, 2e-3],
    };
    let cloth = Deformable::cloth("cloth", &sheet, &spec).unwrap();
    let mut sim = world(1e-2, 0.3)
        .body(BodyDesc::fixed("ball", ball.clone(), Pose::identity()).unwrap())
        .body(BodyDesc::deformable("cloth", cloth, Pose::from_position(DVec3::new(0.013, 0.007, 0.12))))
        .build()
        .unwrap();
    let mut most = 0;
    for step in 0..60 {
        let r = run(&mut sim, 1);
        most = most.max(r.active);
        if step % 10 == 9 {
            println!("step {step}: {r:?}");
            let x = sim.column::<NodeState>().x.clone();
            assert_eq!(crossings((&sheet, &x), &ball), 0, "step {step}");
        }
        assert_eq!(r.left, 0, "step {step}");
    }
    let x = sim.column::<NodeState>().x.clone();
    let lowest = x.iter().fold(f64::INFINITY, |m, x| m.min(x.z));
    assert!(most > 10 && lowest < 0.0, "it drapes: {most} rows act, the lowest node at {lowest}");
}

/// Seed 001, Fig. 2: stiffer than 10⁵ N/m, between two fixed ends, hung over a cylinder.
#[test]
fn a_stiff_cable_hangs_over_a_cylinder() {
    let steel = Section { ea: 2e5, ei: [1e-3; 2], gj: 0.0, linear_density: 0.2 };
    let line: Vec<DVec3> = (0..=40).map(|i| DVec3::new(-0.5 + 0.025 * f64::from(i), 0.003, 0.0)).collect();
    let drum = generators::cylinder(0.1, 0.3, 32, 3).unwrap();
    for dt in [0.01, 0.033] {
        let cable = Deformable::cable("cable", &line, &steel, [0.5, 1e-4]).unwrap();
        let cable = cable.pinned(AttachTo::World, |p| p.x.abs() > 0.499);
        let lying = rotor_from_rotation_vector(DVec3::unit_x() * std::f64::consts::FRAC_PI_2);
        // The drum pushes the cable up from below: it comes 5 cm through the line between the ends.
        let from = Pose::new(DVec3::new(0.02, 0.0, -0.12), lying);
        let to = Pose::new(DVec3::new(0.02, 0.0, -0.099), lying);
        let frames = vec![Keyframe { time: 0.0, pose: from }, Keyframe { time: 1.0, pose: to }];
        let mut sim = world(dt, 0.2)
            .body(driven("drum", drum.clone(), frames))
            .body(BodyDesc::deformable("cable", cable, Pose::identity()))
            .build()
            .unwrap();
        let most = run(&mut sim, (1.5 / dt) as usize);
        let up = sim.contact_force(1).z;
        println!("dt {dt}: up {up:.4} N, {most:?}");
        let x = sim.column::<NodeState>().x.clone();
        let inside =
            x.iter().filter(|x| ((x.x - 0.02).powi(2) + (x.z + 0.099).powi(2)).sqrt() < 0.099).count();
        assert_eq!((inside, most.cut, most.left), (0, 0, 0), "dt {dt}");
        assert!(up > 0.5, "dt {dt}: the drum carries the cable: {up} N");
    }
}

/// A press that comes down on a block on the floor has no room to go.
#[test]
fn what_is_pressed_on_rails_is_named() {
    let cube = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let plate = generators::cuboid(DVec3::new(0.3, 0.3, 0.02), [1, 1, 1]).unwrap();
    let frames = vec![Keyframe { time: 0.0, pose: at(0.14) }, Keyframe { time: 1.0, pose: at(0.06) }];
    let mut sim = world(1e-2, 0.3)
        .body(floor())
        .body(BodyDesc::rigid("cube", &cube, Mass::Total(1.0), at(0.051)).unwrap())
        .body(driven("press", plate, frames))
        .build()
        .unwrap();
    let mut error = None;
    for _ in 0..100 {
        let before = sim.snapshot();
        if let Err(e) = sim.step() {
            assert_eq!(sim.snapshot(), before, "the last state is kept");
            error = Some(e);
            break;
        }
    }
    let error = error.expect("the press stops at the cube");
    println!("{error}");
    let StageError::Contact(ContactError::Infeasible { contacts }) = &error.source else { panic!("{error}") };
    assert!(contacts.contains("'cube' against 'press'") && contacts.contains("'floor' against 'cube'"));
}

#[test]
fn settings_and_schemes_that_make_no_sense_are_refused() {
    let with = |s: QpSettings, scheme: Scheme| {
        let b = world(1e-2, 0.0)
            .scheme(scheme)
            .response(Response::from(s))
            .body(floor())
            .body(jelly("b", at(0.2)));
        b.build().err().map(|e| e.to_string()).unwrap_or_default()
    };
    let good = QpSettings::default();
    let implicit = Scheme::ImplicitEuler;
    assert_eq!(with(good, implicit), "");
    assert!(with(QpSettings { thickness: 0.0, ..good }, implicit).contains("thickness"));
    assert!(with(QpSettings { recovery: -1.0, ..good }, implicit).contains("recovery"));
    assert!(with(QpSettings { tolerance: f64::NAN, ..good }, implicit).contains("tolerance"));
    assert!(with(QpSettings { rounds: 0, ..good }, implicit).contains("pass"));
    assert!(with(good, Scheme::ImplicitMidpoint).contains("implicit-midpoint"));
}

fn rope(ea: f64, limits: StrainLimits) -> Deformable {
    let section = Section { ea, ei: [0.0; 2], gj: 0.0, linear_density: 0.1 };
    let line: Vec<DVec3> = (0..=4).map(|i| DVec3::new(0.25 * f64::from(i), 0.0, 0.0)).collect();
    Deformable::cable("rope", &line, &section, [0.0; 2]).unwrap().with_strain_limits("rope", limits).unwrap()
}

/// Longest and shortest segment over its length at rest, less 1.
fn strains(sim: &Simulation) -> (f64, f64) {
    let x = sim.column::<NodeState>().x.clone();
    x.windows(2)
        .map(|w| (w[1] - w[0]).mag() / 0.25 - 1.0)
        .fold((f64::INFINITY, -1.0), |(a, b), s| (a.min(s), b.max(s)))
}

/// A rope that spins in free space pulls on its segments: impulses inside a body are in the books. It has next to no stiffness of its own,
/// whose linearised step leaves a hundred thousandth of the angular momentum unexplained.
#[test]
fn a_spinning_rope_keeps_its_limits_and_its_momenta() {
    let tight = ElasticSettings { tolerance: 1e-13, ..ElasticSettings::default() };
    for (limits, spin) in [
        (StrainLimits { upper: Some(0.02), lower: None }, 8.0),
        (StrainLimits { upper: Some(0.0), lower: Some(0.0) }, 3.0),
    ] {
        let mut body = BodyDesc::deformable("rope", rope(1e-3, limits), at(0.0));
        body.angular_velocity = DVec3::unit_z() * spin;
        body.velocity = DVec3::new(0.3, -0.2, 0.1);
        let mut sim = Simulation::builder(2e-3)
            .scheme(Scheme::ImplicitEuler)
            .elastic_settings(tight)
            .law(law(0.0))
            .response(Response::qp())
            .body(body)
            .build()
            .unwrap();
        let (mut acting, mut worst) = (0, 0.0f64);
        for step in 0..200 {
            sim.step().unwrap_or_else(|e| panic!("{e}"));
            let (lo, hi) = strains(&sim);
            acting = acting.max(report(&sim).active);
            assert!(hi <= limits.upper.unwrap() + 1e-6, "step {step}: {hi}");
            assert!(limits.lower.is_none_or(|l| -lo <= l + 1e-6), "step {step}: {lo}");
            let m = sim.ledger().momentum;
            worst = worst.max(m.linear_residual.mag() / m.linear_scale);
            let unexplained = (m.angular_residual - m.predicted_leak).mag() / m.angular_scale;
            assert!(unexplained < 1e-9, "step {step}: {unexplained}, leak {:?}", m.predicted_leak);
        }
        println!("{limits:?}: {acting} rows act, linear residual {worst:.1e}, {:?}", strains(&sim));
        assert!(acting >= 2 && worst < 1e-11, "{acting} rows, {worst}");
    }
}

#[test]
fn strain_limits_that_make_no_sense_are_refused() {
    let section = Section { ea: 50.0, ei: [0.0; 2], gj: 0.0, linear_density: 0.1 };
    let bare = Deformable::cable("rope", &[DVec3::zero(), DVec3::unit_x()], &section, [0.0; 2]).unwrap();
    let with = |d: &Deformable, upper, lower| {
        d.clone().with_strain_limits("rope", StrainLimits { upper, lower }).err().map(|e| e.to_string())
    };
    assert_eq!(with(&bare, Some(0.0), None), None);
    assert!(with(&bare, None, None).unwrap().contains("limit nothing"));
    assert!(with(&bare, Some(-0.1), None).unwrap().contains("at least 0"));
    assert!(with(&bare, Some(f64::NAN), None).unwrap().contains("at least 0"));
    assert!(with(&bare, None, Some(1.0)).unwrap().contains("below 1"));
    let block = generators::tet_box(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let jelly =
        Deformable::solid("jelly", &block, Model::Corotational, &Material::new(1e4, 0.3, 1e3)).unwrap();
    assert!(with(&jelly, Some(0.1), None).unwrap().contains("cloth and cables"));
    // Only qp has rows for them.
    let limited = rope(50.0, StrainLimits { upper: Some(0.1), lower: None });
    let e =
        world(1e-2, 0.0).response(Response::penalty()).body(BodyDesc::deformable("rope", limited, at(0.0)));
    let e = e.build().err().expect("refused").to_string();
    assert!(e.contains("'rope'") && e.contains("penalty") && e.contains("'qp'"), "{e}");
}

/// Two grips on rails that go apart farther than the limit lets them.
#[test]
fn a_rope_torn_apart_names_its_limit() {
    let held = rope(50.0, StrainLimits { upper: Some(0.05), lower: None })
        .pinned(AttachTo::World, |p| p.x < 1e-3)
        .pinned(AttachTo::Body(0), |p| p.x > 0.999);
    let hand = generators::cuboid(DVec3::broadcast(0.02), [1, 1, 1]).unwrap();
    let to = |x: f64| Pose::from_position(DVec3::new(x, 0.0, 0.0));
    let frames = vec![Keyframe { time: 0.0, pose: to(1.0) }, Keyframe { time: 1.0, pose: to(1.2) }];
    let mut sim = world(1e-2, 0.0)
        .body(driven("hand", hand, frames))
        .body(BodyDesc::deformable("rope", held, at(0.0)))
        .rule(0, 1, impinge_world::PairRule::Ignore)
        .build()
        .unwrap();
    let error = (0..100).find_map(|_| sim.step().err()).expect("it tears");
    println!("{error}");
    assert!(error.to_string().contains("the strain limit of 'rope'"), "{error}");
    let (_, longest) = strains(&sim);
    assert!(longest < 0.0501 && longest > 0.045, "the last state is kept: {longest}");
}
