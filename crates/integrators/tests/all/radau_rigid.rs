//! Rigid bodies by Radau IIA: invariants, order, and the books of what acted.

use impinge_contact::Mobility;
use impinge_geometry::{DMat3, DVec3, Pose, rotor_from_rotation_vector};
use impinge_integrators::{
    RadauError, RadauOrder, RadauSettings, RigidBodies, RigidForces, RigidState, free_rotation,
    integrate_rigid,
};

fn diagonal(x: f64, y: f64, z: f64) -> DMat3 {
    DMat3::new(DVec3::unit_x() * x, DVec3::unit_y() * y, DVec3::unit_z() * z)
}

const MASS: [f64; 2] = [2.0, 0.5];
/// At rest the spring has this length (m).
const LENGTH: f64 = 0.3;

/// Two bodies with a spring between points off their centres; the force on the first, and its impulse.
#[derive(Default)]
struct Spring {
    stiffness: f64,
    asked: [usize; 3],
    impulse: DVec3,
    moments: [DVec3; 2],
}

impl Spring {
    fn arms(state: &RigidState) -> [DVec3; 2] {
        let at = |b: usize, p| state.pose[b].vector_to_world(p);
        [at(0, DVec3::new(0.1, 0.05, 0.0)), at(1, DVec3::new(0.0, -0.1, 0.05))]
    }

    fn force(&self, state: &RigidState) -> DVec3 {
        let arms = Self::arms(state);
        let d = state.pose[1].position + arms[1] - state.pose[0].position - arms[0];
        d * (self.stiffness * (1.0 - LENGTH / d.mag()))
    }

    fn energy(&self, state: &RigidState) -> f64 {
        let arms = Self::arms(state);
        let d = state.pose[1].position + arms[1] - state.pose[0].position - arms[0];
        let kinetic = |b: usize| {
            0.5 * (MASS[b] * state.velocity[b].mag_sq() + state.angular_momentum[b].dot(state.spin[b]))
        };
        0.5 * self.stiffness * (d.mag() - LENGTH).powi(2) + kinetic(0) + kinetic(1)
    }
}

impl RigidForces for Spring {
    fn forces(&mut self, _: f64, state: &RigidState, only: Option<usize>, out: &mut [[DVec3; 2]]) {
        self.asked[only.map_or(0, |b| b + 1)] += 1;
        let (f, arms) = (self.force(state), Self::arms(state));
        for (b, sign) in [(0, 1.0), (1, -1.0)] {
            out[b][0] += f * sign;
            out[b][1] += arms[b].cross(f * sign);
        }
    }

    fn tally(&mut self, _: f64, weight: f64, state: &RigidState) {
        let (f, arms) = (self.force(state), Self::arms(state));
        self.impulse += f * weight;
        self.moments[0] += arms[0].cross(f) * weight;
        self.moments[1] -= arms[1].cross(f) * weight;
    }
}

/// After a second, from a start in which both turn and the spring is stretched.
fn swing(settings: &RadauSettings) -> (RigidState, Spring, RigidState) {
    let inertia = [diagonal(0.02, 0.01, 0.025), diagonal(0.001, 0.003, 0.0025)];
    let mobility = inertia.map(|j| Mobility::new(j).unwrap());
    let mut state = RigidState::default();
    state.push(Pose::identity(), DVec3::new(0.1, 0.0, -0.2), DVec3::new(0.05, 0.1, -0.02));
    let turned = Pose::new(DVec3::new(0.5, 0.2, 0.1), rotor_from_rotation_vector(DVec3::new(0.3, 1.0, 0.2)));
    state.push(turned, DVec3::new(-0.4, 0.5, 0.0), DVec3::new(0.01, -0.02, 0.015));
    let mut spring = Spring { stiffness: 200.0, ..Spring::default() };
    let bodies = RigidBodies { mass: &MASS, inertia: &inertia, mobility: &mobility };
    let mut start = state.clone();
    // Spins are made on the way: nothing moves in this span to speak of.
    integrate_rigid(settings, bodies, &mut start, [0.0, 1e-15], &mut spring).unwrap();
    spring = Spring { stiffness: 200.0, ..Spring::default() };
    let report = integrate_rigid(settings, bodies, &mut state, [0.0, 1.0], &mut spring).unwrap();
    println!("{report:?}");
    (start, spring, state)
}

fn tolerance(relative: f64) -> RadauSettings {
    RadauSettings { relative, absolute: relative, ..RadauSettings::default() }
}

#[test]
fn two_bodies_on_a_spring_keep_momenta_and_energy() {
    let mut drifts = Vec::new();
    for tol in [1e-5, 1e-7, 1e-9] {
        let (start, spring, end) = swing(&tolerance(tol));
        let linear = |s: &RigidState| s.velocity[0] * MASS[0] + s.velocity[1] * MASS[1];
        let angular = |s: &RigidState| {
            (0..2).fold(DVec3::zero(), |l, b| {
                l + s.angular_momentum[b] + s.pose[b].position.cross(s.velocity[b] * MASS[b])
            })
        };
        assert!((linear(&end) - linear(&start)).mag() < 1e-13, "{:?}", linear(&end) - linear(&start));
        let leak = (angular(&end) - angular(&start)).mag() / angular(&start).mag();
        let drift = (spring.energy(&end) / spring.energy(&start) - 1.0).abs();
        println!("{tol:e}: energy {drift:.1e}, angular momentum {leak:.1e}");
        assert!(drift < tol && leak < tol, "{drift} {leak}");
        drifts.push(drift.max(leak));
        // What was tallied is what moved them.
        for b in 0..2 {
            let sign = if b == 0 { 1.0 } else { -1.0 };
            let gained = (end.velocity[b] - start.velocity[b]) * MASS[b];
            assert!((gained - spring.impulse * sign).mag() < 0.1 * tol * gained.mag().max(1.0), "{tol} {b}");
            let gained = end.angular_momentum[b] - start.angular_momentum[b];
            assert!((gained - spring.moments[b]).mag() < 0.1 * tol, "{tol} {b}: {gained:?}");
        }
        // Slopes ask for one body at a time, thirteen times each.
        assert!(spring.asked[1] == spring.asked[2] && spring.asked[1] % 13 == 0 && spring.asked[1] > 0);
    }
    assert!(drifts[2] < 1e-2 * drifts[0], "{drifts:?}");
}

#[test]
fn fixed_steps_converge_with_their_order() {
    let at = |order: RadauOrder, steps: f64| {
        let settings =
            RadauSettings { orders: [order; 2], fixed_step: Some(1.0 / steps), ..tolerance(1e-13) };
        swing(&settings).2
    };
    let exact = at(RadauOrder::Thirteen, 200.0);
    let error = |s: &RigidState| (s.pose[1].position - exact.pose[1].position).mag();
    for (order, steps, least) in [(RadauOrder::Three, 200.0, 2.7), (RadauOrder::Five, 100.0, 4.6)] {
        let (coarse, fine) = (error(&at(order, steps)), error(&at(order, 2.0 * steps)));
        let found = (coarse / fine).log2();
        println!("{order:?}: {coarse:.2e} {fine:.2e}, order {found:.2}");
        assert!(found > least, "{order:?}: {found}");
    }
}

struct Free;

impl RigidForces for Free {
    fn forces(&mut self, _: f64, _: &RigidState, _: Option<usize>, _: &mut [[DVec3; 2]]) {}
}

#[test]
fn a_free_body_tumbles_through_many_charts() {
    let j = DVec3::new(1.0, 2.0, 2.7);
    let (inertia, inverse) = (diagonal(j.x, j.y, j.z), diagonal(1.0 / j.x, 1.0 / j.y, 1.0 / j.z));
    let mobility = Mobility::new(inertia).unwrap();
    // Near the middle axis, about which it turns over.
    let momentum = DVec3::new(0.01, 6.0, 0.02);
    let mut state = RigidState::default();
    state.push(Pose::identity(), DVec3::zero(), momentum);
    let bodies = RigidBodies { mass: &[3.0], inertia: &[inertia], mobility: &[mobility] };
    integrate_rigid(&tolerance(1e-11), bodies, &mut state, [0.0, 20.0], &mut Free).unwrap();
    assert_eq!(state.angular_momentum[0], momentum);
    let energy = 0.5 * momentum.dot(state.spin[0]);
    let start = 0.5 * momentum.dot(inverse * momentum);
    assert!((energy / start - 1.0).abs() < 1e-8, "{energy} {start}");
    // Second order: an extrapolation of two lengths of step is of fourth.
    let turned = |n: usize| {
        let h = 20.0 / n as f64;
        (0..n).fold(Pose::identity().rotation, |r, _| free_rotation(r, momentum, &inverse, h))
            * DVec3::unit_x()
    };
    let (coarse, fine) = (turned(100_000), turned(200_000));
    let exact = fine + (fine - coarse) / 3.0;
    let got = state.pose[0].rotation * DVec3::unit_x();
    println!(
        "{:.1e} rad from the extrapolation, which moved by {:.1e}",
        (got - exact).mag(),
        (fine - coarse).mag()
    );
    assert!((got - exact).mag() < 1e-6, "{got:?} {exact:?}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let one = [DMat3::identity()];
    let mobility = one.map(|j| Mobility::new(j).unwrap());
    let mut state = RigidState::default();
    state.push(Pose::identity(), DVec3::zero(), DVec3::zero());
    let mut refused = |mass: &[f64], span: [f64; 2], words: &str| {
        let bodies = RigidBodies { mass, inertia: &one, mobility: &mobility };
        let e = integrate_rigid(&tolerance(1e-6), bodies, &mut state, span, &mut Free).unwrap_err();
        assert!(matches!(e, RadauError::Parameter(_)) && e.to_string().contains(words), "{e}");
    };
    refused(&[0.0], [0.0, 1.0], "mass 0 kg");
    refused(&[1.0, 1.0], [0.0, 1.0], "2 masses");
    refused(&[1.0], [1.0, 1.0], "span of 0 s");
    refused(&[f64::NAN], [0.0, 1.0], "mass");
}
