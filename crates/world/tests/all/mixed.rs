//! Several responses in one world: each pair by its own, weight and momentum as if one law held them all.

use crate::common::{G, gravity};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_pressure::fields;
use impinge_world::{
    BodyDesc, Builder, Mass, Measurement, PressureField, PressureSettings, PressureStep, QpSettings,
    Response, Simulation, VolumeSettings,
};

const DT: f64 = 1e-3;
const EDGE: f64 = 0.2;
const MASSES: [f64; 4] = [3.0, 1.0, 2.0, 0.5];

fn rubbing(k: f64) -> PairLaw {
    PairLaw {
        damping: Damping::HuntCrossley(2.0),
        friction: Some(FrictionLaw {
            mu_s: 0.5,
            mu_k: 0.5,
            k_fp: k,
            k_fd: 20.0,
            k_omega: 2e3,
            rule: SlipRule::ReturnMap,
        }),
        ..PairLaw::elastic(k)
    }
}

/// In cells, so that a joint can carry a tipping moment.
fn volume() -> Response {
    let whole = VolumeSettings::default();
    Response::from(VolumeSettings { measure: Measurement { cell: Some(0.1), ..whole.measure }, ..whole })
}

/// How far apart boxes rest under a response (m), so that a stack starts at rest.
fn gap(response: &Response) -> f64 {
    let thickness = response.settings::<QpSettings>().map(|s| s.thickness);
    thickness.or(response.settings::<VolumeSettings>().map(|s| -s.depth)).unwrap_or(0.0)
}

/// Boxes one above the other, a little beside each other; joint `i` is between body `i` and body `i + 1`, the floor being body 0.
/// `above` lifts each box off the one below (m).
fn stack(joints: &[Response], above: f64) -> Builder {
    let mut builder = Simulation::builder(DT)
        .gravity(gravity())
        .law(rubbing(2e4))
        .response(joints[0].clone())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    let mut z = 0.0;
    for (i, response) in joints.iter().enumerate() {
        z += gap(response) + above + EDGE;
        let across = EDGE - 0.01 * i as f64;
        let size = DVec3::new(across, across, EDGE);
        let at = Pose::from_position(DVec3::new(0.003 * i as f64, 0.002 * i as f64, z - 0.5 * EDGE));
        let mesh = generators::cuboid(size, [1; 3]).unwrap();
        let mut body = BodyDesc::rigid(&format!("box{i}"), &mesh, Mass::Total(MASSES[i]), at).unwrap();
        body = body.with_pressure(PressureField::tets(fields::cuboid(size, 1e7).unwrap()));
        builder = builder.body(body).pair_response(i as u32, i as u32 + 1, response.clone());
    }
    builder
}

/// What joint `i` carries, over the weight above it.
fn carried(sim: &Simulation, i: u32, boxes: usize) -> f64 {
    let ledger = sim.ledger();
    let row = (0..ledger.pairs.len()).find(|&r| (ledger.pairs.a[r], ledger.pairs.b[r]) == (i, i + 1));
    let force = row.map_or(0.0, |r| (ledger.pairs.normal[r] + ledger.pairs.friction[r]).z.abs() / sim.dt());
    force / (MASSES[i as usize..boxes].iter().sum::<f64>() * G)
}

fn momentum_is_kept(sim: &Simulation) {
    let ledger = sim.ledger();
    let m = &ledger.momentum;
    let (linear, angular) = (m.linear_residual.mag(), (m.angular_residual - m.predicted_leak).mag());
    assert!(linear <= 1e-12 * m.linear_scale, "{linear:e} of {:e}", m.linear_scale);
    assert!(angular <= 1e-12 * m.angular_scale, "{angular:e} of {:e}", m.angular_scale);
    // The books of the bodies and those of the pairs are of the same impulses.
    for b in 1..sim.names().len() as u32 {
        let of_pairs = (0..ledger.pairs.len()).fold(DVec3::zero(), |sum, r| {
            let total = ledger.pairs.normal[r] + ledger.pairs.friction[r];
            match b {
                b if b == ledger.pairs.a[r] => sum + total,
                b if b == ledger.pairs.b[r] => sum - total,
                _ => sum,
            }
        });
        let booked = ledger.contact[b as usize].impulse;
        assert!(
            (of_pairs - booked).mag() <= 1e-12 * (1e-3 + booked.mag()),
            "body {b}: {of_pairs:?}, {booked:?}"
        );
    }
}

fn weigh(joints: &[Response], steps: usize, within: f64) {
    let mut sim = stack(joints, 0.0).build().unwrap();
    for _ in 0..steps {
        sim.step().unwrap();
        momentum_is_kept(&sim);
    }
    for i in 0..joints.len() as u32 {
        let part = carried(&sim, i, joints.len());
        let of = joints[i as usize].name();
        assert!((part - 1.0).abs() <= within, "joint {i} ({of}) carries {part} of the weight above it");
        assert_eq!(sim.response_of(i, i + 1).name(), of);
    }
}

/// A stack whose joints alternate between two kinds of constraints.
#[test]
fn joints_of_constraints_in_turn_carry_the_weight() {
    weigh(&[Response::qp(), volume(), Response::qp(), volume()], 60, 1e-6);
    weigh(&[volume(), Response::qp(), volume()], 60, 1e-6);
}

#[test]
fn pressure_fields_among_constraints_carry_the_weight() {
    weigh(&[Response::qp(), Response::pressure()], 250, 1e-4);
    weigh(&[Response::pressure(), volume()], 150, 1e-3);
}

/// Forces that are evaluated, and constraints that take them as given.
#[test]
fn springs_among_constraints_carry_the_weight() {
    weigh(&[Response::penalty(), Response::qp()], 800, 1e-3);
    weigh(&[Response::qp(), Response::cpf()], 800, 1e-3);
    weigh(&[volume(), Response::penalty()], 800, 1e-3);
}

/// They land on each other: momentum is kept in each step, and what falls comes to rest.
#[test]
fn a_landing_keeps_momentum() {
    let joints = [Response::penalty(), Response::qp(), Response::pressure(), volume()];
    let mut sim = stack(&joints, 5e-4).build().unwrap();
    for _ in 0..120 {
        sim.step().unwrap();
        momentum_is_kept(&sim);
    }
    assert!(sim.twist(4).velocity.mag() < 0.05, "{:?}", sim.twist(4));
}

/// Which response is the world's and which is a pair's own is a way of writing: forces agree to what the solves are asked for.
#[test]
fn the_order_of_responses_and_bodies_does_not_matter() {
    let run = |joints: [Response; 3], first: Response| {
        let mut sim = stack(&joints, 0.0).response(first).build().unwrap();
        for _ in 0..40 {
            sim.step().unwrap();
        }
        (1..4).map(|b| (sim.position(b), sim.contact_force(b))).collect::<Vec<_>>()
    };
    let joints = [Response::qp(), volume(), Response::qp()];
    let (a, b) = (run(joints.clone(), Response::qp()), run(joints, volume()));
    for ((x, f), (y, g)) in a.iter().zip(&b) {
        assert!((*x - *y).mag() < 1e-9 && (*f - *g).mag() < 1e-5, "{x:?} {y:?} {f:?} {g:?}");
    }
}

#[test]
fn threads_and_snapshots_give_the_same_bits() {
    let joints = [Response::penalty(), Response::qp(), volume(), Response::cpf()];
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sim = stack(&joints, 2e-4).build().unwrap();
            for _ in 0..30 {
                sim.step().unwrap();
            }
            let middle = sim.snapshot();
            assert_eq!(middle.kept.len(), 4);
            for _ in 0..20 {
                sim.step().unwrap();
            }
            let end = sim.hash();
            sim.restore(&middle).unwrap();
            assert_eq!(sim.hash(), middle.hash());
            for _ in 0..20 {
                sim.step().unwrap();
            }
            assert_eq!(sim.hash(), end, "after going back");
            // Into a world that was built and never run.
            let mut other = stack(&joints, 2e-4).build().unwrap();
            other.restore(&middle).unwrap();
            for _ in 0..20 {
                other.step().unwrap();
            }
            assert_eq!(other.hash(), end, "in another world");
            end
        })
    };
    assert_eq!(run(1), run(2));
    let mut alone = stack(&[Response::qp()], 0.0).build().unwrap();
    let many = stack(&joints, 0.0).build().unwrap().snapshot();
    let refused = alone.restore(&many).unwrap_err();
    assert!(refused.contains("a world with 4 responses, this one has 1"), "{refused}");
}

/// A rule that says what the scene says changes no bit.
#[test]
fn one_response_written_as_a_rule_is_one_response() {
    let plain = |rule: bool| {
        let joints = [Response::qp(), Response::qp()];
        let mut builder = stack(&joints, 1e-4);
        if rule {
            builder = builder.pair_response(0, 2, Response::qp());
        }
        let mut sim = builder.build().unwrap();
        (0..50).for_each(|_| sim.step().unwrap());
        sim.hash()
    };
    assert_eq!(plain(false), plain(true));
}

/// Pairs change hands while bodies rest on each other, to a response with tables of its own and back.
#[test]
fn a_pair_gets_another_response_while_it_touches() {
    let mut sim = stack(&[Response::cpf(), Response::cpf(), Response::cpf()], 0.0).build().unwrap();
    // What springs carry goes up and down about the weight.
    let mean = |sim: &mut Simulation, steps: usize| {
        let mut sum = [0.0; 3];
        for _ in 0..steps {
            sim.step().unwrap();
            momentum_is_kept(sim);
            (0..3).for_each(|i| sum[i] += carried(sim, i as u32, 3) / steps as f64);
        }
        assert!(sum.iter().all(|s| (s - 1.0).abs() < 1e-2), "{sum:?}");
    };
    (0..400).for_each(|_| sim.step().unwrap());
    mean(&mut sim, 200);
    let before = sim.position(3);
    sim.set_response(1, 2, Response::qp()).unwrap();
    assert_eq!(sim.responses().len(), 2);
    (0..400).for_each(|_| sim.step().unwrap());
    mean(&mut sim, 400);
    assert!((sim.position(3) - before).mag() < 5e-3, "{:?} {before:?}", sim.position(3));
    // A body that is not there, and a response that has to be alone.
    assert!(
        sim.set_response(1, 9, Response::qp()).is_err() && sim.set_response(9, 1, Response::qp()).is_err()
    );
    let along = PressureSettings { step: PressureStep::Radau, ..PressureSettings::default() };
    let refused = sim.set_response(1, 2, Response::from(along)).unwrap_err().to_string();
    assert!(refused.contains("radau"), "{refused}");
    sim.set_response(1, 2, Response::cpf()).unwrap();
    (0..400).for_each(|_| sim.step().unwrap());
    mean(&mut sim, 400);
}

/// A step told stage by stage: worlds that differ in one pair's tables alone differ at that pair's stage.
#[test]
fn digests_of_stages_see_the_tables_of_their_response() {
    let run = |lift: f64| {
        let mut sim = stack(&[Response::penalty(), Response::qp()], lift).build().unwrap();
        let mut digests = Vec::new();
        sim.step_digested(&mut digests).unwrap();
        digests
    };
    let (a, b, c) = (run(0.0), run(0.0), run(1e-5));
    assert_eq!(a, b);
    let broad =
        |d: &[impinge_world::StageDigest]| d.iter().find(|s| s.stage == "surface (penalty)").unwrap().digest;
    assert_ne!(broad(&a), broad(&c), "the surface stands elsewhere");
}

/// What would be solved from the wrong forces is refused.
#[test]
fn deformables_under_cpf_implicit_beside_another_response_are_refused() {
    use impinge_elasticity::{Material, tet::Model};
    let block = generators::tet_box(DVec3::broadcast(0.2), [1; 3]).unwrap();
    let jelly = Material::new(1e5, 0.3, 1000.0);
    let soft = impinge_world::Deformable::solid("soft", &block, Model::Corotational, &jelly).unwrap();
    let soft = BodyDesc::deformable("soft", soft, Pose::from_position(DVec3::new(1.0, 0.0, 0.5)));
    let joints = [Response::cpf_implicit(), Response::penalty()];
    let scheme = impinge_integrators::Scheme::ImplicitMidpoint;
    stack(&joints, 1e-3).scheme(scheme).build().unwrap();
    let refused = stack(&joints, 1e-3).scheme(scheme).body(soft).build().err().unwrap().to_string();
    assert!(refused.contains("'soft'") && refused.contains("cpf-implicit"), "{refused}");
}

/// A response that moves bodies by a rule of its own is named where another cannot work with that rule.
#[test]
fn what_cannot_act_beside_cpf_implicit_names_both() {
    let scheme = impinge_integrators::Scheme::ImplicitMidpoint;
    for other in [Response::qp(), volume(), Response::pressure()] {
        let name = other.name();
        let joints = [Response::cpf_implicit(), other];
        let refused = stack(&joints, 1e-3).scheme(scheme).build().err().unwrap().to_string();
        assert!(refused.contains(&format!("'{name}' cannot act beside 'cpf-implicit'")), "{refused}");
    }
    // Where no response asks for the rule, the integrator is what to change.
    let refused = stack(&[Response::qp()], 1e-3).scheme(scheme).build().err().unwrap().to_string();
    assert!(!refused.contains("beside") && refused.contains("use symplectic-euler"), "{refused}");
}

/// Bodies that start flush are moved apart to the thickness of `qp`, against the weight and the springs above: both are work of corrections,
/// and nothing is gained.
#[test]
fn what_corrections_press_into_springs_is_in_the_books() {
    for spring in [Response::penalty(), Response::cpf()] {
        let half = DVec3::new(0.0, 0.0, 0.5 * EDGE);
        let mut builder = Simulation::builder(DT)
            .gravity(gravity())
            .law(rubbing(2e4))
            .response(Response::qp())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .pair_response(1, 2, spring.clone());
        for (i, across) in [(0, 0.2), (1, 0.15)] {
            let mesh = generators::cuboid(DVec3::new(across, across, EDGE), [1; 3]).unwrap();
            let at = Pose::from_position(half * (1 + 2 * i) as f64);
            builder = builder.body(BodyDesc::rigid(&format!("box{i}"), &mesh, Mass::Total(1.0), at).unwrap());
        }
        let mut sim = builder.build().unwrap();
        let mut corrected = 0.0;
        for _ in 0..600 {
            sim.step().unwrap();
            corrected += sim.ledger().energy.work_corrections;
        }
        // Both boxes are as much higher as the lower one was moved.
        let lifted = sim.position(1).z - 0.5 * EDGE;
        let work = 2.0 * G * lifted;
        assert!(
            lifted > 5e-4 && (corrected - work).abs() < 0.02 * work,
            "{}: {corrected} for {work} J",
            spring.name()
        );
        let gained = sim.energy_books().unwrap().gained();
        assert!(gained < 0.05, "{}: {gained}", spring.name());
    }
}

/// Each response says what it found, and the points name their pairs.
#[test]
fn contact_points_of_all_responses_are_read() {
    let joints = [Response::penalty(), Response::qp(), volume(), Response::pressure()];
    let mut sim = stack(&joints, 0.0).build().unwrap();
    (0..300).for_each(|_| sim.step().unwrap());
    let (mut points, mut pieces) = (Vec::new(), impinge_world::ContactPieces::default());
    sim.contact_points(&mut points);
    sim.contact_pieces(&mut pieces);
    for i in 0..4u32 {
        let of_pair = points.iter().filter(|p| (p.a, p.b) == (i, i + 1));
        let force: f64 = of_pair.map(|p| if p.on == i + 1 { p.force.z } else { -p.force.z }).sum();
        let weight = carried(&sim, i, 4) * MASSES[i as usize..].iter().sum::<f64>() * G;
        assert!((force - weight).abs() < 1e-6 * weight, "joint {i}: {force} of {weight}");
    }
    let pushed: Vec<(u32, u32)> = pieces.pieces.iter().map(|p| (p.a, p.b)).collect();
    assert!(pushed.contains(&(2, 3)) && pushed.contains(&(3, 4)) && !pushed.contains(&(1, 2)), "{pushed:?}");
    assert!(pushed.is_sorted());
}
