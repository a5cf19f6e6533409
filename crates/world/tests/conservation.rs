//! ACCEPTANCE B55, B34 (n = 1), and the energy ledger.

mod common;

use common::{collision, law};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule, Stiffness};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::Scheme;
use impinge_penalty::{Evaluate, Release};
use impinge_world::{BodyDesc, Mass, PairRule, Response, Simulation};

fn response(evaluate: Evaluate) -> Response {
    Response::Penalty { evaluate, release: Release::Force }
}

fn with_friction() -> PairLaw {
    let friction =
        FrictionLaw { mu_s: 0.6, mu_k: 0.4, k_fp: 3e3, k_fd: 2.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw {
        stiffness: Stiffness::PerContact(4e3),
        damping: Damping::HuntCrossley(0.2),
        friction: Some(friction),
    }
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
