//! Cables across cables under continuous penalty and constraints: whatever lies where, none goes through the other.

use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_elasticity::rod::Section;
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_integrators::{ElasticSettings, Scheme};
use impinge_world::{
    AttachTo, BodyDesc, Cpf, CpfImplicit, Deformable, NodeState, QpSettings, Response, Simulation,
};
use proptest::prelude::*;

const G: f64 = 9.81;

/// One cable comes down across another.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    /// Between them, in plan (degrees).
    angle: f64,
    /// Of the segments of the lower and of the upper one (m).
    long: [f64; 2],
    /// How far a node of each is from where they cross, in segments.
    from_node: [f64; 2],
    /// N·m².
    bending: f64,
    /// Of the upper one (m/s).
    speed: f64,
    /// N/m.
    stiffness: f64,
    friction: f64,
    dt: f64,
    /// The lower one hangs through by this part of half its length.
    slack: f64,
    /// Nothing holds the lower one, and there is no gravity.
    loose: bool,
    /// The upper one is the first body.
    upper_first: bool,
}

/// Over the middle of 25 mm by 17 mm, at 1 m/s: node over node on a taut cable.
const NODE_OVER_NODE: Crossing = Crossing {
    angle: 90.0,
    long: [0.025, 0.017],
    from_node: [0.0, 0.0],
    bending: 2.45e-4,
    speed: 1.0,
    stiffness: 3000.0,
    friction: 0.0,
    dt: 1e-3,
    slack: 0.0,
    loose: false,
    upper_first: true,
};

impl Crossing {
    fn simulation(&self, response: Response, scheme: Scheme) -> Simulation {
        let section = Section { ea: 500.0, ei: [self.bending; 2], gj: 0.0, linear_density: 0.08 };
        let line = |i: usize, slack: f64| -> Vec<DVec3> {
            let at = |k: i32| {
                let x = (f64::from(k) + self.from_node[i]) * self.long[i];
                DVec3::new(x, 0.0, slack * (x * x / 0.15 - 0.15))
            };
            let half = (0.15 / self.long[i]).ceil() as i32;
            (-half..=half).map(at).collect()
        };
        let cable = |line: &[DVec3]| Deformable::cable("cable", line, &section, [4.0, 1e-3]).unwrap();
        let under = line(0, self.slack);
        let ends = [under[0].x, under[under.len() - 1].x];
        let held = cable(&under);
        let held = if self.loose { held } else { held.pinned(AttachTo::World, move |p| ends.contains(&p.x)) };
        let turn = rotor_from_rotation_vector(DVec3::unit_z() * self.angle.to_radians());
        let over = Pose::new(DVec3::new(0.0, 0.0, 5e-3 - 0.15 * self.slack), turn);
        let mut upper = BodyDesc::deformable("upper", cable(&line(1, 0.0)), over);
        upper.velocity = DVec3::new(0.0, 0.0, -self.speed);
        let lower = BodyDesc::deformable("lower", held, Pose::identity());
        let friction = FrictionLaw {
            mu_s: self.friction,
            mu_k: self.friction,
            k_fp: self.stiffness,
            k_fd: 0.0,
            k_omega: 0.0,
            rule: SlipRule::ReturnMap,
        };
        let law = PairLaw {
            damping: Damping::KelvinVoigt(0.1),
            friction: (self.friction > 0.0).then_some(friction),
            ..PairLaw::elastic(self.stiffness)
        };
        let [a, b] = if self.upper_first { [upper, lower] } else { [lower, upper] };
        Simulation::builder(self.dt)
            .gravity(DVec3::new(0.0, 0.0, if self.loose { 0.0 } else { -G }))
            .scheme(scheme)
            .elastic_settings(ElasticSettings { tolerance: 1e-12, ..ElasticSettings::default() })
            .law(law)
            .response(response)
            .body(a)
            .body(b)
            .build()
            .unwrap()
    }

    /// How long (s) the upper one was below the lower one without a force, at a stretch; and how often they touched.
    fn unheld(&self, response: Response, scheme: Scheme, seconds: f64) -> (f64, usize) {
        let mut sim = self.simulation(response, scheme);
        let (mut now, mut longest, mut touched, mut above) = (0.0, 0.0f64, 0, true);
        for _ in 0..(seconds / self.dt).round() as usize {
            sim.step().unwrap_or_else(|e| panic!("{self:?}: {e}"));
            let pushes = sim.contact_force(sim.slot("upper").unwrap()) != DVec3::zero();
            touched += usize::from(pushes);
            let height = height(&nodes(&sim, "upper"), &nodes(&sim, "lower"));
            // Once an end has slid off, it may swing below.
            above = height.is_some_and(|h| above || pushes || h > 0.0);
            let lost = above && !pushes && height.is_some_and(|h| h < -1e-6);
            now = if lost { now + self.dt } else { 0.0 };
            longest = longest.max(now);
        }
        (longest, touched)
    }
}

fn nodes(sim: &Simulation, name: &str) -> Vec<DVec3> {
    let x = &sim.column::<NodeState>().x;
    sim.nodes_of(sim.slot(name).unwrap()).map(|n| x[n]).collect()
}

/// Of the upper over the lower where they cross in plan (m), the largest: farther out it may hang down beside the lower one.
fn height(upper: &[DVec3], lower: &[DVec3]) -> Option<f64> {
    let of = |a: &[DVec3], b: &[DVec3]| {
        let (d, e, r) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
        let across = |u: DVec3, v: DVec3| u.x * v.y - u.y * v.x;
        let [s, t] = [across(r, e), across(r, d)].map(|c| c / across(d, e));
        let within = |t: f64| (0.0..=1.0).contains(&t);
        (within(s) && within(t)).then(|| (a[0].z + d.z * s) - (b[0].z + e.z * t))
    };
    upper.windows(2).flat_map(|a| lower.windows(2).filter_map(move |b| of(a, b))).reduce(f64::max)
}

fn responses() -> [(&'static str, Response, Scheme); 4] {
    let thick = QpSettings { thickness: 2e-3, ..QpSettings::default() };
    [
        ("qp", thick.into(), Scheme::ImplicitEuler),
        ("cpf", Cpf::default().into(), Scheme::ImplicitEuler),
        ("dpf-ccd", Cpf::at_end().into(), Scheme::ImplicitEuler),
        ("cpf-implicit", CpfImplicit::default().into(), Scheme::ImplicitMidpoint),
    ]
}

fn holds(c: &Crossing, (name, response, scheme): (&str, Response, Scheme), seconds: f64) {
    let (unheld, touched) = c.unheld(response, scheme, seconds);
    assert!(touched > 0, "{name}: never touched: {c:?}");
    assert!(unheld < 5e-3, "{name}: below without a force for {unheld} s: {c:?}");
}

#[test]
fn a_node_that_falls_on_a_node_stays_above() {
    for response in responses() {
        for dt in [1e-3, 2e-4] {
            for (angle, from_node) in [(90.0, [0.0, 0.0]), (60.0, [1e-3, -2e-3]), (30.0, [0.0, 0.02])] {
                holds(&Crossing { angle, from_node, dt, ..NODE_OVER_NODE }, response.clone(), 0.2);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_cable_goes_through_another(
        angle in 25.0..90.0f64,
        long in prop::sample::select(vec![[0.025, 0.025], [0.025, 0.017], [0.017, 0.025]]),
        places in prop::sample::select(vec![[0.0, 0.0], [0.0, 0.5], [0.5, 0.0], [0.5, 0.5]]),
        off in prop::array::uniform2(-0.02..0.02f64),
        bending in prop::sample::select(vec![2.45e-4, 1e-3]),
        speed in prop::sample::select(vec![0.3, 1.0]),
        stiffness in prop::sample::select(vec![300.0, 1000.0, 3000.0]),
        friction in prop::sample::select(vec![0.0, 0.5]),
        dt in prop::sample::select(vec![1e-3, 5e-4]),
        (slack, loose) in prop::sample::select(vec![(0.0, false), (0.0, false), (0.3, false), (0.0, true)]),
        upper_first in prop::bool::ANY,
        response in 0..4usize,
    ) {
        let from_node = [places[0] + off[0], places[1] + off[1]];
        let c = Crossing { angle, long, from_node, bending, speed, stiffness, friction, dt, slack, loose, upper_first };
        holds(&c, responses()[response].clone(), 0.25);
    }
}
