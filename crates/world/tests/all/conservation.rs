//! ACCEPTANCE B55, B34 (n = 1), and the energy ledger.

use crate::common;
use crate::common::{collision, law};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::Scheme;
use impinge_penalty::{Evaluate, Release};
use impinge_world::{BodyDesc, Detection, Mass, PairRule, Penalty, Response, Simulation};

fn response(evaluate: Evaluate) -> Response {
    Response::from(Penalty { evaluate, release: Release::Force, detection: Detection::Facing })
}

fn with_friction() -> PairLaw {
    let friction =
        FrictionLaw { mu_s: 0.6, mu_k: 0.4, k_fp: 3e3, k_fd: 2.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw { damping: Damping::HuntCrossley(0.2), friction: Some(friction), ..PairLaw::elastic(4e3) }
}

/// Runs a collision and gives the worst linear and angular residual and the worst distance of the angular
/// residual from the predicted leak, all relative, and whether there was contact.
fn worst(evaluate: Evaluate, law: PairLaw) -> ([f64; 3], f64, usize) {
    let mut sim = collision(response(evaluate), law, 5e-4).build().unwrap();
    let (mut worst, mut leak, mut touching) = ([0.0f64; 3], 0.0f64, 0);
    for _ in 0..800 {
        sim.step().unwrap();
        let ledger = sim.ledger();
        let m = ledger.momentum;
        touching += usize::from(!ledger.pairs.is_empty());
        worst[0] = worst[0].max(m.linear_residual.mag() / m.linear_scale);
        worst[1] = worst[1].max(m.angular_residual.mag() / m.angular_scale);
        worst[2] = worst[2].max((m.angular_residual - m.predicted_leak).mag() / m.angular_scale);
        leak = leak.max(m.predicted_leak.mag() / m.angular_scale);
    }
    (worst, leak, touching)
}

#[test]
fn b55_momentum_at_the_start_is_exact_with_and_without_friction() {
    for law in [law(4e3, Damping::None), law(4e3, Damping::KelvinVoigt(5.0)), with_friction()] {
        let (worst, _, touching) = worst(Evaluate::Start, law);
        assert!(touching > 10, "the bodies must meet");
        assert!(worst[0] < 1e-12 && worst[1] < 1e-12, "{worst:?}");
    }
}

#[test]
fn b55_evaluated_at_the_end_leaks_exactly_what_the_formula_says() {
    for law in [law(4e3, Damping::None), with_friction()] {
        let (worst, leak, touching) = worst(Evaluate::End, law);
        assert!(touching > 10);
        assert!(worst[0] < 1e-12, "linear momentum: {}", worst[0]);
        assert!(worst[2] < 1e-12, "angular momentum against the formula: {}", worst[2]);
        assert!(leak > 1e-8, "the leak is there to be seen: {leak}");
    }
}

/// Linear and angular momentum about the world origin, from poses and twists alone.
fn momenta(sim: &Simulation) -> (DVec3, DVec3) {
    let dofs = sim.column::<impinge_world::Dofs>();
    let (mut p, mut l) = (DVec3::zero(), DVec3::zero());
    for b in 0..dofs.bodies.len() {
        let (pose, twist) = (sim.pose(b as u32), sim.twist(b as u32));
        let r = pose.matrix();
        let mv = twist.velocity * dofs.bodies.mass[b];
        p += mv;
        l += pose.position.cross(mv)
            + r * (dofs.bodies.inertia[b] * (r.transposed() * twist.angular_velocity));
    }
    (p, l)
}

#[test]
fn b55_drift_from_the_first_step_to_the_last() {
    for law in [law(4e3, Damping::None), with_friction()] {
        let mut sim = collision(response(Evaluate::Start), law, 5e-4).build().unwrap();
        let (p0, l0) = momenta(&sim);
        for _ in 0..1500 {
            sim.step().unwrap();
        }
        let (p1, l1) = momenta(&sim);
        assert!((p1 - p0).mag() < 1e-12 * p0.mag(), "linear drift {}", (p1 - p0).mag());
        assert!((l1 - l0).mag() < 1e-12 * l0.mag().max(p0.mag()), "angular drift {}", (l1 - l0).mag());
    }
}

#[test]
fn b54_a_free_body_keeps_its_angular_momentum_over_many_steps() {
    let nut = generators::t_handle([0.10, 0.02], [0.02, 0.04], 0.015).unwrap();
    let mut body = BodyDesc::rigid("nut", &nut, Mass::Density(7800.0), Pose::identity()).unwrap();
    body.angular_velocity = DVec3::new(1e-3, std::f64::consts::PI, 0.0);
    let mut sim = Simulation::builder(1e-3).law(PairLaw::elastic(1.0)).body(body).build().unwrap();
    let (_, before) = momenta(&sim);
    for _ in 0..30_000 {
        sim.step().unwrap();
    }
    let (_, after) = momenta(&sim);
    assert!((after - before).mag() < 1e-8 * before.mag(), "{}", (after - before).mag() / before.mag());
    assert!(after != before, "a comparison of a number with itself would be exact");
}

#[test]
fn explicit_euler_leaks_what_the_formula_says() {
    let scheme = Scheme::ExplicitEuler;
    let mut sim = collision(response(Evaluate::Start), with_friction(), 5e-4).scheme(scheme).build().unwrap();
    let mut leak = 0.0f64;
    for _ in 0..800 {
        sim.step().unwrap();
        let m = sim.ledger().momentum;
        assert!((m.angular_residual - m.predicted_leak).mag() < 1e-12 * m.angular_scale);
        leak = leak.max(m.predicted_leak.mag() / m.angular_scale);
    }
    assert!(leak > 1e-8, "{leak}");
}

#[test]
fn a_lifting_plate_and_a_damped_anchor_are_in_the_energy_books() {
    use impinge_integrators::{AnchorSpring, Driver};
    use impinge_world::Motion;
    let cube = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let plate = generators::cuboid(DVec3::new(1.0, 1.0, 0.1), [1, 1, 1]).unwrap();
    let lift = Driver::constant(Pose::identity(), DVec3::unit_z() * 0.5, DVec3::unit_x() * 0.05);
    let mut floor = BodyDesc::fixed("plate", plate, Pose::identity()).unwrap();
    floor.motion = Motion::Kinematic(lift);
    let pose = Pose::from_position(DVec3::unit_z() * 0.1);
    let spring = AnchorSpring {
        body: 1,
        node: None,
        arm: DVec3::new(0.05, 0.02, 0.0),
        to: DVec3::new(0.3, 0.0, 1.0),
        stiffness: 20.0,
        damping: 5.0,
        rest_length: 0.1,
    };
    let mut sim = Simulation::builder(1e-3)
        .gravity(common::gravity())
        .law(with_friction())
        .response(response(Evaluate::Start))
        .body(floor)
        .body(BodyDesc::rigid("cube", &cube, Mass::Total(1.0), pose).unwrap())
        .anchor(spring)
        .build()
        .unwrap();
    let start = sim.energy().total();
    let (mut driven, mut damped, mut contact) = (0.0, 0.0, 0.0);
    for _ in 0..600 {
        sim.step().unwrap();
        let e = sim.ledger().energy;
        driven += e.work_driven;
        damped += e.work_anchor_damping;
        contact += e.work_normal + e.work_friction;
    }
    let change = sim.energy().total() - start;
    assert!(driven > 0.5 && damped < -0.1, "driven {driven} J, damped {damped} J");
    // Works against potentials: equal up to the step's own error, which is first order in dt.
    let books = driven + damped + contact;
    assert!((change - books).abs() < 0.02 * driven, "energy changed by {change} J, the books say {books} J");
}

#[test]
fn the_pairs_wrench_is_the_body_wrench() {
    // The ball has the lower slot, so every pair's row is about it.
    let mut sim = collision(response(Evaluate::Start), with_friction(), 5e-4).build().unwrap();
    let mut compared = 0;
    for _ in 0..800 {
        let center = sim.pose(0).position;
        sim.step().unwrap();
        let ledger = sim.ledger();
        for p in (0..ledger.pairs.len()).map(|i| ledger.pairs.row(i)) {
            let impulse = p.normal + p.friction;
            let moment = (p.point - center).cross(impulse) + p.moment;
            let body = ledger.contact[0];
            assert!((impulse - body.impulse).mag() < 1e-15 * (1.0 + p.pressed));
            assert!((moment - body.moment).mag() < 1e-15 * (1.0 + p.pressed), "{moment:?} {:?}", body.moment);
            compared += usize::from(p.contacts > 1 && p.friction.mag() > 0.0);
        }
    }
    assert!(compared > 10);
}

#[test]
fn works_add_up_to_the_change_of_kinetic_energy() {
    for evaluate in [Evaluate::Start, Evaluate::End] {
        let mut sim = collision(response(evaluate), with_friction(), 5e-4).build().unwrap();
        let mut before = None;
        let mut worked = 0.0f64;
        for _ in 0..800 {
            sim.step().unwrap();
            let e = sim.ledger().energy;
            if let Some(k) = before {
                let gap: f64 = e.kinetic() - k - e.work_normal - e.work_friction;
                assert!(gap.abs() < 1e-13, "{evaluate:?}: {gap}");
            }
            worked = worked.max(e.work_normal.abs());
            before = Some(e.kinetic());
        }
        assert!(worked > 1e-4);
    }
}

/// Balls in a row, each with a vertex at +x and a flat cap at −x, so that F = k δ holds exactly.
fn cradle(n: usize) -> Vec<f64> {
    let mesh = generators::uv_sphere(0.05, 16, 12, true).unwrap();
    let (lo, hi) = mesh.bounds();
    // Stiff enough that the depth (0.7 mm) stays above the next ring of vertices (1.7 mm): one vertex a contact.
    let (k, m) = (1e6, 1.0);
    let dt = std::f64::consts::PI * f64::sqrt(m / k) / 4000.0;
    let mut b = Simulation::builder(dt).law(PairLaw::elastic(k)).response(response(Evaluate::Start));
    for i in 0..n {
        let pose = Pose::from_position(DVec3::unit_x() * ((hi.x - lo.x) * i as f64));
        let mut ball = BodyDesc::rigid(&format!("ball-{i}"), &mesh, Mass::Total(m), pose).unwrap();
        if i == 0 {
            ball.velocity = DVec3::unit_x();
        }
        b = b.body(ball);
    }
    for i in 0..n as u32 {
        for j in i + 1..n as u32 {
            b = b.rule(i, j, PairRule::Contact(impinge_contact::Sides::First));
        }
    }
    let mut sim = b.build().unwrap();
    for _ in 0..(4000 * (n + 2)) {
        sim.step().unwrap();
    }
    (0..n as u32).map(|i| sim.twist(i).velocity.x).collect()
}

#[test]
fn b34_newtons_cradle_of_linear_contacts() {
    let tables: [&[f64]; 2] =
        [&[-0.13026, 0.15023, 0.98003], &[-0.13228, -0.07533, -0.03101, 0.29622, 0.94240]];
    for expected in tables {
        let got = cradle(expected.len());
        for (g, e) in got.iter().zip(expected) {
            assert!((g - e).abs() < 1e-3, "{got:?} for {expected:?}");
        }
    }
}

#[test]
fn explicit_euler_gains_energy_where_symplectic_does_not() {
    let run = |scheme: Scheme| {
        let mut sim = collision(response(Evaluate::Start), law(4e3, Damping::None), 5e-4)
            .scheme(scheme)
            .build()
            .unwrap();
        sim.step().unwrap();
        let before = sim.ledger().energy.total();
        for _ in 0..1500 {
            sim.step().unwrap();
        }
        assert!(sim.ledger().pairs.is_empty(), "the bodies have parted");
        sim.ledger().energy.total() / before - 1.0
    };
    let (symplectic, explicit) = (run(Scheme::SymplecticEuler), run(Scheme::ExplicitEuler));
    assert!(explicit > 0.002, "{explicit}");
    assert!(symplectic.abs() < 0.3 * explicit, "{symplectic} against {explicit}");
}
