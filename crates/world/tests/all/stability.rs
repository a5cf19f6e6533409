//! Warnings about contacts too stiff for the step: the count, the limit of each response, and that the limit is the one at which
//! runs blow up.

use crate::common::{G, gravity, law};
use impinge_contact::{Damping, PairLaw, Stiffness};
use impinge_elasticity::{Material, tet::Model};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_penalty::{Evaluate, Release};
use impinge_world::{
    BodyDesc, Builder, Deformable, Detection, Mass, NodeState, Penalty, Response, Simulation, StiffContact,
};

const MASS: f64 = 2.0;
const DT: f64 = 1e-3;

/// Σ k x²/I over Σ k/m of [`boxed`]: 6 (a/2)² 12/(9 (a² + c²)) with a = 0.2 and c = 0.1.
const SWAY: f64 = 1.6;

/// A box whose underside has 9 vertices, 1 µm deep in a plane, not quite level, so that it rocks.
fn boxed(response: Response, law: PairLaw) -> Builder {
    let mesh = generators::cuboid(DVec3::new(0.2, 0.2, 0.1), [2, 2, 2]).unwrap();
    let turn = rotor_from_rotation_vector(DVec3::new(1e-7, 0.5e-7, 0.0));
    let pose = Pose::new(DVec3::unit_z() * (0.05 - 1e-6), turn);
    Simulation::builder(DT)
        .gravity(gravity())
        .law(law)
        .response(response)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::rigid("box", &mesh, Mass::Total(MASS), pose).unwrap())
}

/// Of the centre of mass, or of a corner that turns about it (m/s).
fn speed(sim: &Simulation) -> f64 {
    let t = sim.twist(1);
    t.velocity.z.abs().max(0.1 * t.angular_velocity.mag())
}

fn penalty(evaluate: Evaluate) -> Response {
    Response::from(Penalty { evaluate, release: Release::Force, detection: Detection::Facing })
}

#[test]
fn a_warning_comes_where_the_run_blows_up_and_not_before() {
    for response in [Response::cpf(), penalty(Evaluate::End), penalty(Evaluate::Start)] {
        let limit = response.stability_limit(Scheme::SymplecticEuler);
        for (s, stiff) in [(0.9 * limit, false), (1.5 * limit, true)] {
            let k = s * MASS / (SWAY * 9.0 * DT * DT);
            let mut sim = boxed(response.clone(), law(k, Damping::None)).build().unwrap();
            let warnings = sim.warnings();
            assert_eq!(warnings.len(), usize::from(stiff), "{response:?} at {s}: {warnings:?}");
            // It starts 1 µm deep with nothing to bounce from but what the scheme makes of gΔt.
            let mut fastest = 0.0f64;
            for _ in 0..400 {
                sim.step().unwrap();
                fastest = fastest.max(speed(&sim));
            }
            // The force at the start of the step damps nothing: a contact that opens and closes gains energy below its limit too.
            if response != penalty(Evaluate::Start) {
                assert_eq!(fastest > 1.2 * G * DT, stiff, "{response:?} at s = {s}: {fastest} m/s");
            }
            for w in &warnings {
                assert_eq!((w.contacts, w.body.as_str()), (9, "box"));
                assert!((w.number() - s).abs() < 0.01 * s && (w.mass * SWAY / MASS - 1.0).abs() < 0.01);
                // What the message suggests is stable.
                let k = k * w.stiffness_factor().unwrap() * 0.999;
                assert!(
                    boxed(response.clone(), law(k, Damping::None)).build().unwrap().warnings().is_empty()
                );
                let text = w.to_string();
                assert!(
                    text.contains("rocks") && text.contains("dt <") && text.contains("stiffness"),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn a_damper_takes_its_part_of_the_limit() {
    for response in [Response::cpf(), penalty(Evaluate::End), penalty(Evaluate::Start)] {
        let s = 0.2 * response.stability_limit(Scheme::SymplecticEuler);
        let k = s * MASS / (SWAY * 9.0 * DT * DT);
        for (load, stiff) in [(0.9, false), (1.3, true)] {
            let d = 2.0 * (load - 0.2);
            let damper = |d: f64| Damping::KelvinVoigt(d * MASS / (SWAY * 9.0 * DT));
            let build = |d| boxed(response.clone(), law(k, damper(d))).build().unwrap();
            let mut sim = build(d);
            let warnings = sim.warnings();
            assert_eq!(warnings.len(), usize::from(stiff), "{response:?} at {load}: {warnings:?}");
            let mut fastest = 0.0f64;
            for _ in 0..400 {
                sim.step().unwrap();
                fastest = fastest.max(speed(&sim));
            }
            assert_eq!(fastest > 1.2 * G * DT, stiff, "{response:?} at {load}: {fastest} m/s");
            for w in &warnings {
                assert!((w.damping_number() - d).abs() < 0.01 * d && (w.load() - load).abs() < 0.01);
                // Too much by itself, so less stiffness is no help; the step and the damper that the message gives are.
                assert_eq!(w.stiffness_factor(), None);
                let text = w.to_string();
                assert!(
                    text.contains("times the damping") && !text.contains("times the stiffness"),
                    "{text}"
                );
                let less = w.damping_factor().unwrap();
                assert!(
                    build(0.999 * less * d).warnings().is_empty()
                        && build(1.001 * less * d).warnings().len() == 1
                );
                let shorter = StiffContact { dt: 0.999 * w.dt_limit(), ..w.clone() };
                assert!(shorter.load() < 1.0 && shorter.load() > 0.99);
            }
        }
    }
}

#[test]
fn hunt_and_crossleys_damper_is_what_it_is_under_the_weight() {
    // Σ c = χ m g, whatever the stiffness: d = χ g Δt.
    let warnings =
        |chi| boxed(Response::cpf(), law(1e3, Damping::HuntCrossley(chi / SWAY))).build().unwrap().warnings();
    assert!(warnings(1.9 / (G * DT)).is_empty());
    let w = warnings(2.1 / (G * DT));
    assert!(w.len() == 1 && (w[0].damping_number() - 2.1).abs() < 0.02, "{w:?}");
}

#[test]
fn copies_share_a_warning_and_a_law_per_area_counts_the_area() {
    // 0.04 m² of the underside: nine vertices stand for it and for a part of the sides.
    let k = 3.0 * MASS / (0.04 * DT * DT);
    let per_area = PairLaw { stiffness: Stiffness::PerArea(k), ..law(1.0, Damping::None) };
    let mesh = generators::cuboid(DVec3::new(0.2, 0.2, 0.1), [2, 2, 2]).unwrap();
    let body =
        BodyDesc::rigid("box", &mesh, Mass::Total(MASS), Pose::from_position(DVec3::unit_z())).unwrap();
    let mut b = boxed(Response::cpf(), per_area);
    for i in 0..3 {
        let mut copy = body.clone();
        copy.name = format!("copy-{i}");
        b = b.body(copy);
    }
    let w = b.build().unwrap().warnings();
    // The mesh of the box of `boxed` has the same bits, and is shared with the copies.
    assert_eq!(w.iter().map(|w| w.alike).collect::<Vec<_>>(), [3], "{w:?}");
    assert!(w[0].number() > 3.0 && w[0].number() < 6.0 * SWAY, "{}", w[0]);
}

#[test]
fn a_soft_contact_sinks_and_more_vertices_count() {
    // So soft that the weight pushes the ball past its lowest vertex.
    let ball = generators::icosphere(0.1, 3).unwrap();
    let k = MASS * G / 0.02;
    let build = |dt: f64| {
        Simulation::builder(dt)
            .gravity(gravity())
            .law(law(k, Damping::None))
            .response(Response::cpf())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(BodyDesc::rigid("ball", &ball, Mass::Total(MASS), Pose::identity()).unwrap())
            .build()
            .unwrap()
    };
    let w = build(0.1).warnings();
    assert_eq!(w.len(), 1);
    assert!(w[0].contacts > 5 && w[0].contacts < 60, "{}", w[0]);
    assert!(build(0.9 * w[0].dt_limit()).warnings().is_empty());
}

#[test]
fn loose_vertices_are_looked_at_one_by_one() {
    let build = |k: f64| {
        let p = BodyDesc::particles("dust", vec![DVec3::unit_z(), DVec3::unit_x()], 0.5);
        Simulation::builder(DT)
            .law(law(k, Damping::None))
            .response(Response::cpf())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(p)
            .build()
            .unwrap()
            .warnings()
    };
    let limit = 2.0 * 0.5 / (DT * DT);
    let each = build(1.01 * limit);
    let halved = build(0.99 * limit);
    assert!(each.len() == 1 && each[0].contacts == 1, "{each:?}");
    assert!(halved.is_empty(), "{halved:?}");
}

/// By the midpoint rule a force of the start of the step gains energy at any step, and is warned of; those of the way and of the end hold up to limits of their own.
#[test]
fn the_midpoint_rule_has_limits_of_its_own() {
    let scheme = Scheme::ImplicitMidpoint;
    let build = |response, s: f64, d: f64| {
        let point = BodyDesc::particles("point", vec![DVec3::zero()], MASS);
        Simulation::builder(DT)
            .gravity(gravity())
            .law(law(s * MASS / (DT * DT), Damping::KelvinVoigt(d * MASS / DT)))
            .scheme(scheme)
            .response(response)
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(point)
            .build()
            .unwrap()
    };
    // It swings about the depth of rest by as much as g (Δt/√s) is; more, or ever more, is gained.
    let grows = |response, s: f64, d: f64| {
        let mut sim = build(response, s, d);
        let mut fastest = [0.0f64; 2];
        for step in 0..2000 {
            sim.step().unwrap();
            let v = sim.column::<NodeState>().v[0].z.abs();
            let late = usize::from(step >= 1000);
            fastest[late] = fastest[late].max(v);
        }
        fastest[1] > 1.01 * fastest[0] || fastest[1] > 4.0 * G * DT / s.sqrt().min(1.0)
    };
    for (response, s, d, warned) in [
        (penalty(Evaluate::Start), 1e-3, 0.0, true),
        (penalty(Evaluate::Start), 0.1, 0.04, true),
        (penalty(Evaluate::Start), 0.1, 0.06, false),
        (Response::cpf(), 3.8, 0.0, false),
        (Response::cpf(), 4.2, 0.0, true),
        (penalty(Evaluate::End), 1.9, 0.0, false),
        (penalty(Evaluate::End), 3.0, 0.0, true),
    ] {
        let w = build(response.clone(), s, d).warnings();
        assert_eq!(w.len(), usize::from(warned), "{response:?} {s} {d}: {w:?}");
        assert_eq!(grows(response.clone(), s, d), warned, "{response:?} {s} {d}");
        if response == penalty(Evaluate::Start) && warned {
            assert!(w[0].to_string().contains("symplectic-euler"), "{}", w[0]);
        }
    }
}

/// Cubes one on the other, a little turned, on a floor.
fn stacked(response: Response, count: usize, law: PairLaw) -> Simulation {
    let mesh = generators::cuboid(DVec3::broadcast(0.2), [2; 3]).unwrap();
    let mut b = Simulation::builder(DT).gravity(gravity()).law(law).response(response);
    b = b.body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    for i in 0..count {
        let turn = rotor_from_rotation_vector(DVec3::new(0.0, 0.0, 0.1 * i as f64));
        let pose = Pose::new(DVec3::unit_z() * (0.1 + 0.2 * i as f64), turn);
        b = b.body(BodyDesc::rigid(&format!("cube {i}"), &mesh, Mass::Total(MASS), pose).unwrap());
    }
    b.build().unwrap()
}

/// A cube on one that stays, turned by 0.1 rad: how many contacts of stiffness `k` hold it, by how far it sinks.
fn contacts_of_a_joint(k: f64) -> f64 {
    const DAMPER: f64 = 0.02;
    let mesh = generators::cuboid(DVec3::broadcast(0.2), [2; 3]).unwrap();
    let turned = Pose::new(DVec3::zero(), rotor_from_rotation_vector(DVec3::new(0.0, 0.0, 0.1)));
    let law = law(k, Damping::KelvinVoigt(DAMPER * k));
    let pose = Pose::from_position(DVec3::unit_z() * 0.2);
    let mut sim = Simulation::builder(DT)
        .gravity(gravity())
        .law(law)
        .response(Response::cpf())
        .body(BodyDesc::fixed("low", mesh.clone(), turned).unwrap())
        .body(BodyDesc::rigid("high", &mesh, Mass::Total(MASS), pose).unwrap())
        .build()
        .unwrap();
    (0..2000).for_each(|_| sim.step().unwrap());
    // The force is that of the predicted motion, in which the weight alone acts: its damper carries a part.
    let depth = 0.2 - sim.position(1).z + DAMPER * gravity().mag() * DT;
    MASS * gravity().mag() / (k * depth)
}

/// Each cube alone is at a third of the limit. In a stack it has neighbours above and below that give way, and more contacts where edges cross.
#[test]
fn a_stack_is_warned_of_where_none_of_its_bodies_is() {
    let response = Response::cpf();
    let limit = response.stability_limit(Scheme::SymplecticEuler);
    let k = 0.33 * limit * MASS / (9.0 * DT * DT);
    let warnings = |count, k| stacked(response.clone(), count, law(k, Damping::None)).warnings();
    assert!(warnings(1, k).is_empty());
    let w = warnings(10, k);
    assert!(w.len() == 1 && w[0].stack == 10, "{w:?}");
    // Eight crossings of sides, and five vertices of each within the other; the two in the middle meet, and are counted twice.
    assert!((contacts_of_a_joint(2e-3 * k) - 17.0).abs() < 0.2, "{}", contacts_of_a_joint(2e-3 * k));
    // 4 sin²(19 π/42) k/m, where nine contacts of a cube are on the floor.
    let factor = 18.0 / 9.0 * 4.0 * (19.0 * std::f64::consts::PI / 42.0).sin().powi(2);
    assert!((w[0].load() / (0.33 * factor) - 1.0).abs() < 0.02, "{}", w[0]);
    let text = w[0].to_string();
    assert!(text.contains("in a stack of 10") && text.contains("neighbours that give way"), "{text}");
    // What the message suggests is enough.
    assert!(warnings(10, 0.99 * k * w[0].stiffness_factor().unwrap()).is_empty());
}

#[test]
fn bodies_side_by_side_and_bodies_apart_are_no_stack() {
    let k = 0.33 * Response::cpf().stability_limit(Scheme::SymplecticEuler) * MASS / (9.0 * DT * DT);
    let mesh = generators::cuboid(DVec3::broadcast(0.2), [2; 3]).unwrap();
    for step in [DVec3::new(0.2, 0.0, 0.0), DVec3::new(0.0, 0.0, 0.25)] {
        let mut b =
            Simulation::builder(DT).gravity(gravity()).law(law(k, Damping::None)).response(Response::cpf());
        b = b.body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
        for i in 0..5 {
            let pose = Pose::from_position(DVec3::unit_z() * 0.1 + step * f64::from(i));
            b = b.body(BodyDesc::rigid(&format!("cube {i}"), &mesh, Mass::Total(MASS), pose).unwrap());
        }
        assert_eq!(b.build().unwrap().warnings(), []);
    }
}

/// A soft block of 27 nodes on a plane: of its corners each swings on its own contact, long before the block does as a whole.
fn soft_block(k: f64) -> Simulation {
    let mesh = generators::tet_box(DVec3::broadcast(0.2), [2; 3]).unwrap();
    let rubber = Material::new(1e5, 0.3, 1000.0).with_rayleigh(1.0, 2e-3);
    let block = Deformable::solid("block", &mesh, Model::Corotational, &rubber).unwrap();
    Simulation::builder(2e-3)
        .gravity(gravity())
        .scheme(Scheme::ImplicitEuler)
        .law(law(k, Damping::None))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::deformable("block", block, Pose::from_position(DVec3::unit_z() * 0.1)))
        .build()
        .unwrap()
}

/// Where the estimate is above its limit the block trembles, and rests below it.
#[test]
fn a_soft_block_is_warned_of_by_its_corners() {
    for (k, stiff) in [(1e4, false), (2e4, false), (1e5, true), (2e5, true)] {
        let mut sim = soft_block(k);
        let warnings = sim.warnings();
        assert_eq!(warnings.len(), usize::from(stiff), "{k}: {warnings:?}");
        if let Some(w) = warnings.first() {
            assert!(w.contacts == 1 && w.body == "block" && w.load() < 10.0, "{w}");
            assert!(soft_block(0.99 * k * w.stiffness_factor().unwrap()).warnings().is_empty());
        }
        let mut fastest = 0.0f64;
        while sim.time() < 1.5 {
            sim.step().unwrap();
            if sim.time() > 1.3 {
                let state = sim.column::<NodeState>();
                fastest = state.v.iter().fold(fastest, |m, v| m.max(v.mag()));
            }
        }
        assert_eq!(fastest > 1e-2, stiff, "{k}: {fastest} m/s");
    }
}
