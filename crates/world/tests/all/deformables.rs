//! Deformable bodies through the whole step.

use crate::common::slit_block;
use impinge_contact::{Advanced, Damping, Embedding, FrictionLaw, PairLaw, SlipRule};
use impinge_elasticity::Material;
use impinge_elasticity::rod::Section;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, TetMesh, generators, rotor_from_rotation_vector};
use impinge_integrators::{ElasticSettings, Scheme};
use impinge_world::{
    Attach, AttachTo, BodyDesc, Builder, ClothSpec, ContactError, Deformable, DeformableError, Dofs, Mass,
    NodeState, Response, Simulation, StageError,
};

const IMPLICIT: [Scheme; 3] = [Scheme::ImplicitEuler, Scheme::ImplicitEulerNewton, Scheme::ImplicitMidpoint];
const G: DVec3 = DVec3 { x: 0.0, y: 0.0, z: -9.81 };

fn at(z: f64) -> Pose {
    Pose { position: DVec3::new(0.0, 0.0, z), ..Pose::identity() }
}

fn law(k: f64) -> PairLaw {
    let friction = Some(FrictionLaw {
        mu_s: 0.5,
        mu_k: 0.5,
        k_fp: k,
        k_fd: 0.0,
        k_omega: 0.0,
        rule: SlipRule::default(),
    });
    PairLaw { damping: Damping::KelvinVoigt(0.004 * k), friction, ..PairLaw::elastic(k) }
}

fn block() -> TetMesh {
    generators::tet_box(DVec3::new(0.2, 0.2, 0.2), [2, 2, 2]).unwrap()
}

fn rubber() -> Material {
    Material::new(1e5, 0.3, 1000.0).with_rayleigh(2.0, 0.002)
}

fn soft(name: &str, pose: Pose) -> BodyDesc {
    BodyDesc::deformable(
        name,
        Deformable::solid(name, &block(), Model::Corotational, &rubber()).unwrap(),
        pose,
    )
}

/// Two soft blocks, one on the other, on a plane.
fn pile(scheme: Scheme, dt: f64) -> Builder {
    let turned =
        Pose::new(DVec3::new(0.01, 0.005, 0.32), rotor_from_rotation_vector(DVec3::new(0.0, 0.0, 0.1)));
    Simulation::builder(dt)
        .gravity(G)
        .scheme(scheme)
        .law(law(2e3))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(soft("low", at(0.11)))
        .body(soft("high", turned))
}

fn run(sim: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        sim.step().unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn a_pile_of_soft_blocks_settles_under_every_scheme_and_weighs_what_it_weighs() {
    for scheme in [
        Scheme::ImplicitEuler,
        Scheme::ImplicitEulerNewton,
        Scheme::ImplicitMidpoint,
        Scheme::SymplecticEuler,
    ] {
        let dt = if scheme == Scheme::SymplecticEuler { 5e-4 } else { 2e-3 };
        let mut sim = pile(scheme, dt).build().unwrap();
        run(&mut sim, (3.0 / dt) as usize);
        let weight = 2.0 * 8.0 * 9.81;
        let force: DVec3 = (0..50).fold(DVec3::zero(), |s, _| {
            sim.step().unwrap();
            s + sim.contact_force(0)
        });
        let off = (force / 50.0).z / -weight - 1.0;
        println!(
            "{}: off {off:.2e}, heights {} {}, {:?}",
            scheme.name(),
            sim.position(1).z,
            sim.position(2).z,
            sim.energy()
        );
        assert!(off.abs() < 2e-2, "{}: weight off by {off}", scheme.name());
        assert!(
            sim.position(2).z > sim.position(1).z + 0.1,
            "{}: the blocks fell through each other",
            scheme.name()
        );
        let m = sim.ledger().momentum;
        assert!(
            m.linear_residual.mag() < 1e-9 * m.linear_scale,
            "{}: {:?}",
            scheme.name(),
            m.linear_residual
        );
    }
}

#[test]
fn books_close_with_pins_ties_and_a_driven_grip() {
    // A cloth pinned to a moving bar at one side, carrying a rigid weight at the other.
    let spec = ClothSpec {
        young: 1e6,
        poisson: 0.3,
        thickness: 1e-3,
        density: 500.0,
        bending: 0.1,
        rayleigh: [0.5, 1e-3],
    };
    let mesh = generators::grid([0.4, 0.4], [4, 4]).unwrap();
    for scheme in IMPLICIT {
        let cloth = Deformable::cloth("cloth", &mesh, &spec)
            .unwrap()
            .pinned(AttachTo::Body(0), |p| p.x < -0.199)
            .pinned(AttachTo::Body(1), |p| p.x > 0.199);
        let bar = generators::cuboid(DVec3::new(0.02, 0.5, 0.02), [1, 1, 1]).unwrap();
        let shaken = impinge_integrators::Driver::sine(
            Pose { position: DVec3::new(-0.21, 0.0, 0.0), ..Pose::identity() },
            DVec3::new(0.0, 0.0, 0.05),
            2.0,
            0.0,
        );
        let mut driven = BodyDesc::fixed("bar", bar.clone(), Pose::identity()).unwrap();
        driven.motion = impinge_world::Motion::Kinematic(shaken);
        let weight = BodyDesc::rigid(
            "weight",
            &bar,
            Mass::Total(0.3),
            Pose { position: DVec3::new(0.21, 0.0, 0.0), ..Pose::identity() },
        )
        .unwrap();
        let mut sim = Simulation::builder(2e-3)
            .gravity(G)
            .scheme(scheme)
            .law(law(1e3))
            .body(driven)
            .body(weight)
            .body(BodyDesc::deformable("cloth", cloth, Pose::identity()))
            .rule(0, 2, impinge_world::PairRule::Ignore)
            .rule(1, 2, impinge_world::PairRule::Ignore)
            .rule(0, 1, impinge_world::PairRule::Ignore)
            .build()
            .unwrap();
        let mut before = sim.energy();
        let mut spent: f64 = 0.0;
        for _ in 0..200 {
            sim.step().unwrap_or_else(|e| panic!("{}: {e}", scheme.name()));
            let (l, now) = (sim.ledger().clone(), sim.energy());
            // No translation is free here: what is left is the solver's tolerance.
            let off = l.momentum.linear_residual.mag() / l.momentum.linear_scale;
            assert!(off < 1e-7, "{}: {off:e}", scheme.name());
            // Every impulse works at the mean of the velocities at the start and the end.
            let (dofs, advanced) = (sim.column::<Dofs>(), sim.column::<Advanced>());
            let mut gravity = 0.3 * 2e-3 * G.dot(dofs.bodies.velocity[1] + advanced.velocity[1]) * 0.5;
            for n in 0..dofs.nodes.len() {
                gravity += dofs.nodes.mass[n] * 2e-3 * G.dot(dofs.nodes.v[n] + advanced.node_v[n]) * 0.5;
            }
            drop((dofs, advanced));
            let kinetic = now.kinetic() - before.kinetic();
            let gap = kinetic - gravity - l.energy.work_elastic - l.energy.work_driven - l.energy.work_drag;
            assert!(gap.abs() < 1e-9 * (now.kinetic() + 1e-3), "{}: {gap:e} of {kinetic:e}", scheme.name());
            assert!(
                (l.energy.elastic - now.elastic).abs() <= 1e-2 * now.elastic + 1e-9,
                "{} {}",
                l.energy.elastic,
                now.elastic
            );
            spent += l.energy.work_elastic + now.elastic - before.elastic;
            before = now;
        }
        assert!(spent < 0.0, "{}: damping gave {spent} J", scheme.name());
        // The weight hangs on the cloth, the cloth on the bar.
        assert!(
            sim.position(1).z < -0.1 && sim.position(1).z > -0.6,
            "{}: {}",
            scheme.name(),
            sim.position(1).z
        );
    }
}

#[test]
fn a_snapshot_continues_with_the_same_bits_and_threads_do_not_matter() {
    for scheme in IMPLICIT {
        let mut sim = pile(scheme, 4e-3).build().unwrap();
        run(&mut sim, 40);
        let middle = sim.snapshot();
        assert!(middle.nodes.guess.iter().any(|g| *g != DVec3::zero()), "the guess is part of the state");
        run(&mut sim, 40);
        let end = sim.hash();
        let mut other = pile(scheme, 4e-3).build().unwrap();
        other.restore(&middle).unwrap();
        run(&mut other, 40);
        assert_eq!(other.hash(), end, "{}: from a snapshot", scheme.name());
        for threads in [2, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let hash = pool.install(|| {
                let mut sim = pile(scheme, 4e-3).build().unwrap();
                run(&mut sim, 80);
                sim.hash()
            });
            assert_eq!(hash, end, "{}: {threads} threads", scheme.name());
        }
    }
}

#[test]
fn a_step_that_cannot_be_solved_keeps_the_last_state() {
    let settings = ElasticSettings { newton_max: 1, newton_tolerance: 1e-14, ..ElasticSettings::default() };
    let mut sim = pile(Scheme::ImplicitEulerNewton, 4e-3).elastic_settings(settings).build().unwrap();
    for n in 0..400 {
        let before = sim.hash();
        let Err(e) = sim.step() else { continue };
        assert!(matches!(e.source, StageError::Contact(ContactError::Elastic(_))), "{e}");
        assert!(e.to_string().contains("residual"), "{e}");
        assert_eq!(sim.hash(), before);
        assert_eq!(sim.steps(), n);
        return;
    }
    panic!("one Newton iteration solved everything");
}

#[test]
fn bad_bodies_are_refused_with_the_reason() {
    let refused = |b: Builder, word: &str| {
        let e = b.build().err().unwrap_or_else(|| panic!("built despite: {word}"));
        assert!(e.to_string().contains(word), "{e}");
    };
    let solid = |m: &Material| Deformable::solid("soft", &block(), Model::Corotational, m);
    for (bad, word) in [
        (Material { density: 0.0, ..rubber() }, "density"),
        (Material { poisson: 0.5, ..rubber() }, "poisson"),
        (Material { young: -1.0, ..rubber() }, "young"),
    ] {
        let e = solid(&bad).unwrap_err().to_string();
        assert!(e.contains("'soft'") && e.contains(word), "{e}");
    }
    let mut tets = block().into_parts();
    tets.1[3].swap(0, 1);
    let inverted = TetMesh::new(tets.0, tets.1).unwrap();
    let e = Deformable::solid("soft", &inverted, Model::Corotational, &rubber()).unwrap_err();
    assert!(e.to_string().contains("inverted"), "{e}");

    let world = |d: Deformable, scheme: Scheme| {
        Simulation::builder(1e-2)
            .scheme(scheme)
            .law(law(1e3))
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(BodyDesc::deformable("soft", d, at(1.0)))
    };
    let body = || solid(&rubber()).unwrap();
    let nowhere = body().pinned(AttachTo::World, |p| p.x > 7.0);
    refused(world(nowhere, Scheme::ImplicitEuler), "holds no node");
    let missing =
        Attach { nodes: vec![999], to: AttachTo::World, stiffness: None, damping: 0.0, frame: None };
    refused(world(body().attached(missing), Scheme::ImplicitEuler), "node 999");
    refused(world(body().pinned(AttachTo::Body(9), |p| p.x > 0.0), Scheme::ImplicitEuler), "slot 9");
    refused(world(body().pinned(AttachTo::Body(1), |p| p.x > 0.0), Scheme::ImplicitEuler), "no frame");
    let mut loose = body();
    loose.positions.push(DVec3::zero());
    loose.elastic.masses.push(1.0);
    loose.embedding = None;
    loose.surface = std::sync::Arc::new(impinge_world::SoftShape::line(loose.positions.len()));
    refused(world(loose, Scheme::ImplicitEuler), "in no element");
    refused(world(body(), Scheme::SymplecticEuler), "unstable");
    assert!(world(body(), Scheme::ImplicitEuler).build().is_ok());
    let e: DeformableError = Deformable::cloth(
        "rag",
        &generators::grid([1.0, 1.0], [2, 2]).unwrap(),
        &ClothSpec {
            young: 1e6,
            poisson: 0.3,
            thickness: 0.0,
            density: 500.0,
            bending: 1.0,
            rayleigh: [0.0; 2],
        },
    )
    .unwrap_err();
    assert!(e.to_string().contains("thickness"), "{e}");
}

#[test]
fn a_cable_hangs_in_a_catenary() {
    // Length 2.4 m between supports 2 m apart: a from 2a sinh(1/a) = 2.4, sag a (cosh(1/a) − 1).
    let n = 60;
    let section = Section { ea: 1e5, ei: [0.0; 2], gj: 0.0, linear_density: 0.5 };
    // A tent of the right length; it finds its own shape.
    let height = (1.2f64 * 1.2 - 1.0).sqrt();
    let line: Vec<DVec3> = (0..=n)
        .map(|i| {
            let u = 2.0 * f64::from(i) / f64::from(n) - 1.0;
            DVec3::new(u, 0.0, -height * (1.0 - u.abs()))
        })
        .collect();
    let mut cable = Deformable::cable("cable", &line, &section, [2.0, 0.0]).unwrap();
    cable = cable.pinned(AttachTo::World, |p| p.x.abs() > 0.999);
    let mut sim = Simulation::builder(1e-2)
        .gravity(G)
        .scheme(Scheme::ImplicitEuler)
        .law(law(1.0))
        .body(BodyDesc::deformable("cable", cable, Pose::identity()))
        .build()
        .unwrap();
    run(&mut sim, 1500);
    let mut a = 1.0f64;
    for _ in 0..50 {
        let f = 2.0 * a * (1.0 / a).sinh() - 2.4;
        let d = 2.0 * (1.0 / a).sinh() - 2.0 / a * (1.0 / a).cosh();
        a -= f / d;
    }
    let sag = a * ((1.0 / a).cosh() - 1.0);
    let state = sim.column::<NodeState>();
    let middle = -state.x[n as usize / 2].z;
    assert!((middle / sag - 1.0).abs() < 2e-3, "sag {middle}, catenary {sag}");
    for x in &state.x {
        let want = a * (x.x / a).cosh() - a * (1.0 / a).cosh();
        assert!((x.z - want).abs() < 2e-3, "{x:?} off the catenary {want}");
    }
}

/// A clamp: a block with a slit from one side; the lower jaw is held, the upper one sags onto it.
fn clamp(meets_itself: bool) -> Simulation {
    let mesh = slit_block();
    let soft = Material::new(2e4, 0.3, 1000.0).with_rayleigh(3.0, 0.01);
    let mut body = Deformable::solid("clamp", &mesh, Model::StableNeoHookean, &soft)
        .unwrap()
        .pinned(AttachTo::World, |p| p.z < -0.021);
    if meets_itself {
        body = body.self_contact("clamp").unwrap();
    }
    Simulation::builder(4e-3)
        .gravity(G)
        .scheme(Scheme::ImplicitEuler)
        .law(PairLaw { friction: None, ..law(400.0) })
        .body(BodyDesc::deformable("clamp", body, at(1.0)))
        .build()
        .unwrap()
}

/// How far the upper jaw hangs below the top of the lower one at the open end (m).
fn overlap(sim: &Simulation) -> f64 {
    let upper = sim.nodes_of(0).map(|n| sim.column::<NodeState>().x[n]);
    let rest = sim.deformable(0).unwrap().positions.clone();
    let lowest = upper.zip(&rest).filter(|(_, r)| r.z > 0.0).map(|(x, _)| x.z).fold(f64::INFINITY, f64::min);
    (1.0 - 0.02) - lowest
}

#[test]
fn a_soft_clamp_closes_on_itself() {
    let mut through = clamp(false);
    run(&mut through, 250);
    assert!(overlap(&through) > 0.01, "without self-contact the jaws cross: {}", overlap(&through));
    let mut held = clamp(true);
    let mut touched = 0;
    for _ in 0..250 {
        held.step().unwrap();
        let l = held.ledger();
        touched = touched.max(l.pairs.contacts.iter().sum());
        // What a body does to itself is nothing to its momentum, and nothing to its neighbours.
        assert!(held.contact_force(0).mag() < 1e-9, "{:?}", held.contact_force(0));
        assert!(l.pairs.a.iter().zip(&l.pairs.b).all(|(a, b)| a == b));
        assert!(l.momentum.linear_residual.mag() < 1e-7 * l.momentum.linear_scale, "{:?}", l.momentum);
    }
    assert!(touched > 0);
    // The jaw's weight, 11 N, on the few points of its edge at 400 N/m each: a centimetre.
    let (depth, without) = (overlap(&held), overlap(&through));
    assert!(depth < 0.016 && depth < 0.1 * without, "{depth} m deep, {without} without");
}

/// Cloth has no inside, open or closed, and a cable has none: only `qp` lets them meet themselves, and `cpf` those that state a thickness.
#[test]
fn cloth_and_cables_meet_themselves_where_a_thickness_is_kept() {
    let spec = ClothSpec {
        young: 1e6,
        poisson: 0.3,
        thickness: 1e-3,
        density: 500.0,
        bending: 0.1,
        rayleigh: [0.0; 2],
    };
    let sheet = generators::grid([1.0, 1.0], [2, 2]).unwrap();
    let bag = generators::icosphere(0.1, 1).unwrap();
    let line = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_x() * 2.0];
    let section = Section { ea: 1.0, ei: [0.0; 2], gj: 0.0, linear_density: 1.0 };
    let bodies = [
        ("rag", "cloth", Deformable::cloth("rag", &sheet, &spec).unwrap()),
        ("bag", "cloth", Deformable::cloth("bag", &bag, &spec).unwrap()),
        ("rope", "a cable", Deformable::cable("rope", &line, &section, [0.0; 2]).unwrap()),
    ];
    for (name, what, body) in bodies {
        let body = body.self_contact(name).unwrap();
        let with = |response: Response| {
            let b =
                Simulation::builder(4e-3).scheme(Scheme::ImplicitEuler).law(law(400.0)).response(response);
            b.body(BodyDesc::deformable(name, body.clone(), at(1.0))).build()
        };
        let mut sim = with(Response::qp()).unwrap();
        for other in [Response::penalty(), Response::cpf(), Response::volume(), Response::pressure()] {
            let e = with(other.clone()).err().expect("refused").to_string();
            let why = match other == Response::cpf() {
                true => {
                    [format!("{what} meets itself at a distance, and none is stated"), "`thickness`".into()]
                }
                false => [format!("{what} has no inside"), "'qp' or 'cpf'".into()],
            };
            assert!(e.contains(&format!("'{name}'")) && why.iter().all(|w| e.contains(w)), "{e}");
            let swapped = sim.swap_response(other).unwrap_err().to_string();
            assert_eq!(e, swapped);
        }
    }
    // What is neither: a line whose vertices follow its nodes in ways of their own.
    let mut skinned = Deformable::cable("rope", &line, &section, [0.0; 2]).unwrap();
    skinned.embedding = Some(Embedding::of_nodes(3, &[0, 1, 2]).unwrap());
    let e = skinned.self_contact("rope").unwrap_err().to_string();
    assert!(e.contains("'rope'") && e.contains("its nodes"), "{e}");
}
