//! A step that is made in parts is one step from outside.

use crate::common::gravity;
use hecs::{Query, QueryBorrow};
use impinge_contact::{Damping, FrictionLaw, Ledger, Loads, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_world::{
    BodyDesc, ContactError, Mass, Outcome, PairRule, Place, Response, Simulation, Stage, StageError, Step,
    StepError, hecs,
};

/// Exact in binary, and its parts too.
const DT: f64 = 1.0 / 512.0;

/// Solves nothing, and ends only in steps that are no longer than this, between these times.
pub struct NoLonger(pub f64, pub std::ops::Range<f64>);

impl Stage for NoLonger {
    type Io = (&'static mut Loads,);
    type Rows = ();

    fn name(&self) -> &'static str {
        "no longer"
    }

    fn run(
        &mut self,
        _io: <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, ()>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        if step.dt <= self.0 || !self.1.contains(&step.time) {
            return Ok(Outcome::items(1));
        }
        Err(ContactError::Unfinished {
            solve: "nothing",
            body: "box".to_string(),
            residual: step.dt,
            tolerance: self.0,
            remedy: "wait",
        }
        .into())
    }
}

/// Two boxes and some dust fall onto a floor and each other.
fn falling(response: Response, dt: f64) -> Simulation {
    let friction =
        FrictionLaw { mu_s: 0.6, mu_k: 0.5, k_fp: 2e3, k_fd: 3.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    let law =
        PairLaw { damping: Damping::KelvinVoigt(3.0), friction: Some(friction), ..PairLaw::elastic(2e3) };
    let cube = generators::cuboid(DVec3::broadcast(0.2), [2; 3]).unwrap();
    let body = |name: &str, x: f64, z: f64| {
        let turn = rotor_from_rotation_vector(DVec3::new(0.3, 0.2, 0.1));
        let mut body =
            BodyDesc::rigid(name, &cube, Mass::Total(1.0), Pose::new(DVec3::new(x, 0.0, z), turn)).unwrap();
        body.velocity = DVec3::new(0.3, 0.0, -1.0);
        body.linear_drag = 0.1;
        body
    };
    Simulation::builder(dt)
        .gravity(gravity())
        .law(law)
        .response(response)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(body("box", 0.0, 0.16))
        .body(body("upper", 0.03, 0.45))
        .rule(1, 3, PairRule::Ignore)
        .rule(2, 3, PairRule::Ignore)
        .body(BodyDesc::particles("dust", vec![DVec3::new(0.4, 0.0, 0.01)], 0.1))
        .build()
        .unwrap()
}

/// Impulses, moments about the origin, works and residuals of steps, added up one by one.
#[derive(Default)]
struct Added {
    pairs: Vec<((u32, u32), [DVec3; 2], DVec3)>,
    bodies: Vec<(DVec3, DVec3)>,
    works: [f64; 5],
    residual: DVec3,
}

impl Added {
    fn take(&mut self, l: &Ledger, centres: &[DVec3]) {
        for p in (0..l.pairs.len()).map(|i| l.pairs.view().row(i)) {
            let (total, key) = (p.normal + p.friction, (p.a, p.b));
            let moment = p.moment + p.point.cross(total);
            match self.pairs.iter_mut().find(|x| x.0 == key) {
                Some((_, [n, f], m)) => (*n, *f, *m) = (*n + p.normal, *f + p.friction, *m + moment),
                None => self.pairs.push((key, [p.normal, p.friction], moment)),
            }
        }
        self.bodies.resize(centres.len(), Default::default());
        for ((sum, w), x) in self.bodies.iter_mut().zip(&l.contact).zip(centres) {
            *sum = (sum.0 + w.impulse, sum.1 + w.moment + x.cross(w.impulse));
        }
        let e = l.energy;
        let works = [e.work_normal, e.work_friction, e.work_drag, e.work_driven, e.work_elastic];
        self.works.iter_mut().zip(works).for_each(|(a, b)| *a += b);
        self.residual += l.momentum.linear_residual;
    }

    fn check(&mut self, other: &mut Self, what: &str) {
        self.pairs.sort_by_key(|p| p.0);
        other.pairs.sort_by_key(|p| p.0);
        assert_eq!(self.pairs.len(), other.pairs.len(), "{what}");
        let near =
            |a: DVec3, b: DVec3| assert!((a - b).mag() <= 1e-13 * (1.0 + b.mag()), "{what}: {a:?} {b:?}");
        for (a, b) in self.pairs.iter().zip(&other.pairs) {
            assert_eq!(a.0, b.0);
            near(a.1[0], b.1[0]);
            near(a.1[1], b.1[1]);
            near(a.2, b.2);
        }
        for (a, b) in self.bodies.iter().zip(&other.bodies) {
            near(a.0, b.0);
            near(a.1, b.1);
        }
        for (a, b) in self.works.iter().zip(other.works) {
            assert!((a - b).abs() <= 1e-13 * (1.0 + b.abs()), "{what}: {a} {b}");
        }
        near(self.residual, other.residual);
    }
}

/// Centres that moments of a ledger are about: where bodies are before a step; the dust's are about the origin.
fn centres(sim: &Simulation) -> Vec<DVec3> {
    (0..4).map(|s| if s == 3 { DVec3::zero() } else { sim.pose(s).position }).collect()
}

#[test]
fn the_books_of_a_step_in_parts_are_the_sum_of_short_steps() {
    for response in [Response::penalty(), Response::cpf(), Response::qp()] {
        let name = response.name();
        let mut whole = falling(response.clone(), DT);
        whole.pipeline = std::mem::take(&mut whole.pipeline).with(Place::Solve, NoLonger(DT / 4.0, 0.0..9.9));
        let mut short = falling(response, DT / 4.0);
        let mut touched = 0;
        for step in 0..200 {
            let (mut a, mut b) = (Added::default(), Added::default());
            let before = centres(&whole);
            whole.step().unwrap();
            a.take(&whole.ledger(), &before);
            for _ in 0..4 {
                let before = centres(&short);
                short.step().unwrap();
                b.take(&short.ledger(), &before);
            }
            assert_eq!(whole.snapshot().bodies, short.snapshot().bodies, "{name} {step}");
            assert_eq!(whole.snapshot().nodes, short.snapshot().nodes, "{name} {step}");
            assert_eq!(whole.snapshot().kept, short.snapshot().kept, "{name} {step}");
            a.check(&mut b, &format!("{name} {step}"));
            let (e, f) = (whole.ledger().energy, short.ledger().energy);
            assert_eq!((e.total(), e.contact), (f.total(), f.contact), "energies are those of the end");
            let impulse = a.bodies[1].0;
            assert!((whole.contact_force(1) * DT - impulse).mag() <= 1e-15 * (1.0 + impulse.mag()));
            let m = whole.ledger().momentum;
            assert!(m.linear_residual.mag() <= 1e-12 * m.linear_scale, "{name}: {m:?}");
            touched += whole.ledger().pairs.len();
        }
        assert!(touched > 100, "{name}: {touched}");
        let halved = whole.halved();
        assert_eq!((halved.steps, halved.most, halved.of), (200, 2, 200));
        assert_eq!(halved.to_string(), "200 of 200 steps were halved, at most 2 times");
        assert_eq!((whole.steps(), whole.time()), (200, 200.0 * DT));
    }
}

#[test]
fn a_part_that_fails_late_leaves_the_state_before_the_step() {
    // The second half of the second step never ends.
    let mut sim = falling(Response::penalty(), DT);
    let never = NoLonger(0.0, 1.5 * DT..9.9);
    sim.pipeline = std::mem::take(&mut sim.pipeline).with(Place::Solve, NoLonger(DT / 2.0, 0.0..9.9));
    sim.pipeline = std::mem::take(&mut sim.pipeline).with(Place::Solve, never);
    sim.step().unwrap();
    let before = sim.snapshot();
    let StepError { step, time, stage, halvings, .. } = sim.step().unwrap_err();
    assert_eq!((step, time, stage.as_str(), halvings), (1, 1.5 * DT, "no longer", 8));
    assert_eq!(sim.snapshot(), before);
    assert_eq!(sim.halved().to_string(), "1 of 1 step was halved, at most 1 time");
}

#[test]
fn halved_steps_have_the_same_bits_for_any_threads_and_after_restore() {
    let make = || {
        let mut sim = falling(Response::cpf(), DT);
        let now_and_then = NoLonger(DT / 8.0, 0.1..0.2);
        sim.pipeline = std::mem::take(&mut sim.pipeline).with(Place::Solve, now_and_then);
        sim
    };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sim = make();
            (0..75).for_each(|_| sim.step().unwrap());
            let middle = sim.snapshot();
            (0..75).for_each(|_| sim.step().unwrap());
            assert_eq!((sim.halved().steps, sim.halved().most), (51, 3));
            (middle, sim.hash())
        })
    };
    let (middle, end) = run(1);
    assert_eq!(run(2).1, end);
    let mut fresh = make();
    fresh.restore(&middle).unwrap();
    (0..75).for_each(|_| fresh.step().unwrap());
    assert_eq!(fresh.hash(), end);
}
