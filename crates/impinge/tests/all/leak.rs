//! The momentum a scheme is known to leak, where the world's own tests do not look: free points that rub on a free
//! rigid body. Backs what the guide says of them.

use impinge::prelude::*;

/// Worst linear residual, worst angular residual less the predicted leak, largest predicted leak, all relative, and
/// the steps with contact.
fn worst(evaluate: Evaluate) -> (f64, f64, f64, usize) {
    let friction =
        FrictionLaw { mu_s: 0.6, mu_k: 0.4, k_fp: 3e3, k_fd: 2.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    let law = PairLaw { friction: Some(friction), ..PairLaw::elastic(4e3) };
    let ball = generators::icosphere(0.1, 2).unwrap();
    let positions = vec![DVec3::new(0.2, 0.03, 0.01), DVec3::new(0.2, -0.02, 0.03)];
    let mut points = BodyDesc::particles("points", positions, 0.2);
    if let Motion::Particles { velocities, .. } = &mut points.motion {
        velocities.fill(DVec3::new(-2.0, 0.3, 0.1));
    }
    let mut ball = BodyDesc::rigid("ball", &ball, Mass::Total(0.7), Pose::identity()).unwrap();
    ball.angular_velocity = DVec3::new(1.0, 2.0, -3.0);
    let mut sim = Simulation::builder(5e-4)
        .law(law)
        .response(Penalty { evaluate, release: Release::Force, detection: Detection::Facing })
        .body(ball)
        .body(points)
        .rule(0, 1, PairRule::Contact(Sides::Second)) // the points against the ball
        .build()
        .unwrap();
    let (mut linear, mut beyond, mut leak, mut touching) = (0.0f64, 0.0f64, 0.0f64, 0);
    for _ in 0..400 {
        sim.step().unwrap();
        let ledger = sim.ledger();
        let m = ledger.momentum;
        touching += usize::from(!ledger.pairs.is_empty());
        linear = linear.max(m.linear_residual.mag() / m.linear_scale);
        beyond = beyond.max((m.angular_residual - m.predicted_leak).mag() / m.angular_scale);
        leak = leak.max(m.predicted_leak.mag() / m.angular_scale);
    }
    (linear, beyond, leak, touching)
}

#[test]
fn points_that_rub_leak_what_is_predicted_even_at_the_start() {
    for evaluate in [Evaluate::Start, Evaluate::End] {
        let (linear, beyond, leak, touching) = worst(evaluate);
        assert!(touching > 10, "{evaluate:?}: the bodies must meet, {touching}");
        assert!(linear < 1e-12, "{evaluate:?}: linear {linear}");
        assert!(beyond < 1e-12, "{evaluate:?}: beyond the prediction {beyond}");
        assert!(leak > 1e-8, "{evaluate:?}: the leak is there to be seen, {leak}");
    }
}
