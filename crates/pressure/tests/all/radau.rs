//! Radau IIA over a pressure field, as in the simulations of seed 004 (§VIII): a ball on a rigid half space.

use impinge_geometry::{DVec3, Pose};
use impinge_integrators::{Radau, RadauOrder, RadauProblem, RadauReport, RadauSettings};
use impinge_pressure::{
    ContactSurface, HalfSpace, Rule, Shape, Workspace, contact, energy, fields, stiffness,
};

const RADIUS: f64 = 0.05;
const MODULUS: f64 = 1e5;
const MASS: f64 = 0.5;
const GRAVITY: f64 = 9.81;

struct Scene {
    ball: Shape,
    floor: Shape,
    here: Pose,
    workspace: Workspace,
    surface: ContactSurface,
}

impl Scene {
    fn new() -> Self {
        Self {
            ball: fields::sphere(RADIUS, RADIUS / 8.0, MODULUS).unwrap().into(),
            floor: HalfSpace::rigid(DVec3::unit_z(), 0.0).unwrap().into(),
            here: Pose::identity(),
            workspace: Workspace::new(),
            surface: ContactSurface::new(),
        }
    }

    fn at(z: f64) -> Pose {
        Pose::from_position(DVec3::new(0.0, 0.0, z))
    }

    /// Force on the ball with its middle at `z` (N), and its derivative (N/m).
    fn force(&mut self, z: f64) -> [f64; 2] {
        let (pose, s) = (Self::at(z), &mut self.surface);
        contact(&self.ball, &pose, &self.floor, &self.here, Rule::Paper, &mut self.workspace, s).unwrap();
        // By the pose of the floor: the other way round by that of the ball.
        [s.wrench.force.z, -stiffness(s, pose.position, DVec3::zero())[2][2]]
    }

    fn energy(&self, [z, v]: [f64; 2]) -> f64 {
        let stored = energy(&self.ball, &Self::at(z), &self.floor, &self.here).unwrap();
        0.5 * MASS * v * v + MASS * GRAVITY * z + stored
    }
}

/// Drops the ball and looks at it after every step.
fn drop_ball(
    damping: f64,
    tolerance: f64,
    end: f64,
    mut look: impl FnMut(&Scene, f64, [f64; 2]),
) -> ([f64; 2], RadauReport) {
    let scene = std::cell::RefCell::new(Scene::new());
    let mut rate = |_: f64, y: &[f64], out: &mut [f64]| {
        let [f, _] = scene.borrow_mut().force(y[0]);
        out.copy_from_slice(&[y[1], (f - damping * y[1]) / MASS - GRAVITY]);
    };
    let mut slope = |_: f64, y: &[f64], out: &mut [f64]| {
        let [_, k] = scene.borrow_mut().force(y[0]);
        out.copy_from_slice(&[0.0, 1.0, k / MASS, -damping / MASS]);
    };
    let settings = RadauSettings {
        relative: tolerance,
        absolute: tolerance * RADIUS,
        orders: [RadauOrder::Three, RadauOrder::Thirteen],
        largest_step: 0.02,
        ..RadauSettings::default()
    };
    let mut radau = Radau::new(settings, 0.0, &[0.1, 0.0]).unwrap();
    let mut problem = RadauProblem::with_jacobian(&mut rate, &mut slope);
    while radau.time() < end {
        radau.step(&mut problem, end).unwrap();
        look(&scene.borrow(), radau.time(), [radau.state()[0], radau.state()[1]]);
    }
    ([radau.state()[0], radau.state()[1]], *radau.report())
}

#[test]
fn the_stiffness_is_the_slope_of_the_force() {
    let mut scene = Scene::new();
    for z in [0.049, 0.045, 0.04] {
        let h = 1e-7;
        let [_, k] = scene.force(z);
        let difference = (scene.force(z + h)[0] - scene.force(z - h)[0]) / (2.0 * h);
        assert!((k / difference - 1.0).abs() < 1e-5, "{k} {difference}");
    }
}

#[test]
fn a_bouncing_ball_keeps_its_energy_to_tolerance() {
    let mut drifts = Vec::new();
    for tolerance in [1e-5, 1e-7, 1e-9] {
        let start = Scene::new().energy([0.1, 0.0]);
        let (mut worst, mut deepest, mut bounces, mut falling) = (0.0f64, f64::INFINITY, 0, true);
        let (_, report) = drop_ball(0.0, tolerance, 1.0, |scene, _, y| {
            worst = worst.max((scene.energy(y) / start - 1.0).abs());
            deepest = deepest.min(y[0]);
            bounces += usize::from(falling && y[1] > 0.0);
            falling = y[1] < 0.0;
        });
        println!(
            "tol {tolerance:e}: drift {worst:.1e}, {bounces} bounces, depth {:.4} m, {report:?}",
            RADIUS - deepest
        );
        assert!(bounces >= 3 && deepest < RADIUS - 0.005, "{bounces} bounces, {deepest}");
        assert!(worst < 5.0 * tolerance, "{worst:e} for {tolerance:e}");
        drifts.push(worst);
    }
    assert!(drifts[2] < 1e-2 * drifts[0], "{drifts:?}");
}

#[test]
fn a_damped_ball_rests_at_its_depth() {
    let (y, report) = drop_ball(8.0, 1e-8, 20.0, |_, _, _| ());
    let [force, _] = Scene::new().force(y[0]);
    let depth = RADIUS - y[0];
    // ACCEPTANCE B13: F = π/3 E d² (3 − 2 d/R).
    let round = |d: f64| std::f64::consts::FRAC_PI_3 * MODULUS * d * d * (3.0 - 2.0 * d / RADIUS);
    let mut exact = 0.004;
    for _ in 0..50 {
        let slope = std::f64::consts::FRAC_PI_3 * MODULUS * (6.0 * exact - 6.0 * exact * exact / RADIUS);
        exact -= (round(exact) - MASS * GRAVITY) / slope;
    }
    println!(
        "rests at {depth:.6} m, a round ball at {exact:.6} m, F/(m g) − 1 = {:.1e}, {report:?}",
        force / (MASS * GRAVITY) - 1.0
    );
    assert!((force / (MASS * GRAVITY) - 1.0).abs() < 1e-6, "{force}");
    assert!(y[1].abs() < 1e-8, "{y:?}");
    assert!((depth / exact - 1.0).abs() < 0.05, "{depth} {exact}");
}
