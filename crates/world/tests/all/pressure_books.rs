//! Pressure fields: momentum, energy, continuity, and the same bits for any threads and after restore.

use crate::pressing::{
    at, ball, collision, compliant, cube, explicit, floor, law, report, run, settings, world,
};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_world::{
    BodyDesc, Bristles, Mass, PressureField, PressureSettings, PressureStep, Response, Simulation,
};

/// The same with a rigid one, which only the fields can push.
fn with_a_rigid_one(settings: PressureSettings, dt: f64) -> Simulation {
    let mesh = generators::icosphere(0.04, 2).unwrap();
    let mut rigid = BodyDesc::rigid("rigid", &mesh, Mass::Total(0.5), at(0.12, 0.13, 0.0)).unwrap();
    rigid.velocity = DVec3::new(0.0, -1.0, 0.0);
    // Laws are for pairs; the rigid one meets only what yields.
    collision(settings, dt).body(rigid).build().unwrap()
}

#[test]
fn momentum_is_exact_and_the_books_close() {
    for (name, settings, dt) in [
        ("implicit", PressureSettings::default(), 1e-3),
        ("implicit, long", PressureSettings::default(), 1e-2),
        ("explicit", explicit(), 2e-4),
    ] {
        let mut sim = with_a_rigid_one(settings, dt);
        let steps = (0.25 / dt) as usize;
        let (mut linear, mut angular, mut books, mut touched) = (0.0f64, 0.0f64, 0.0f64, 0);
        for _ in 0..steps {
            let before = sim.energy().kinetic();
            sim.step().unwrap();
            assert!(!report(&sim).unfinished, "{name}: {:?}", report(&sim));
            let l = sim.ledger();
            linear = linear.max(l.momentum.linear_residual.mag() / l.momentum.linear_scale);
            angular = angular.max(l.momentum.angular_residual.mag() / l.momentum.angular_scale);
            assert!(l.momentum.predicted_leak.mag() <= 1e-15, "{name}: {:?}", l.momentum.predicted_leak);
            let gained = l.energy.kinetic() - before;
            books = books.max((gained - l.energy.work_normal - l.energy.work_friction).abs());
            touched += report(&sim).patches;
        }
        println!(
            "{name}: {touched} patches; linear {linear:.1e}, angular {angular:.1e}, books {books:.1e} J"
        );
        assert!(touched > 20 && linear < 1e-13 && angular < 1e-13 && books < 1e-12, "{name}");
    }
}

#[test]
fn a_ball_that_bounces_keeps_its_energy_to_the_order_of_the_step() {
    let mut drifts = Vec::new();
    for dt in [2e-4, 1e-4] {
        let body = compliant("ball", &ball(0.0125, 1e5), 0.5, at(0.0, 0.0, 0.1));
        let set = PressureSettings { energy: true, ..explicit() };
        let mut sim = world(dt, 0.0, set).body(floor()).body(body).build().unwrap();
        let start = sim.energy().total();
        let (mut deepest, mut bounces, mut was) = (0.0f64, 0, false);
        while bounces < 4 {
            sim.step().unwrap();
            let r = report(&sim);
            deepest = deepest.max(r.energy);
            bounces += u32::from(was && r.patches == 0);
            was = r.patches > 0;
        }
        let drift = sim.energy().total() / start - 1.0;
        println!(
            "explicit, dt = {dt:.0e}: energy after 4 bounces {drift:.3e}, largest U {deepest:.4} J of {start:.4}"
        );
        assert!(deepest > 0.3 * start, "the contact stores what the ball loses");
        drifts.push(drift);
    }
    assert!(drifts[1].abs() < 5e-3 && drifts[1].abs() < 0.8 * drifts[0].abs().max(1e-4), "{drifts:?}");
    // The implicit step takes energy out, never puts it in.
    let body = compliant("ball", &ball(0.0125, 1e5), 0.5, at(0.0, 0.0, 0.1));
    let mut sim = world(1e-3, 0.0, PressureSettings::default()).body(floor()).body(body).build().unwrap();
    let mut most = sim.energy().total();
    let start = most;
    for _ in 0..2000 {
        sim.step().unwrap();
        let now = sim.ledger().energy.total();
        assert!(now <= most * (1.0 + 1e-9), "{now} > {most}");
        most = most.min(now.max(sim.energy().total()));
    }
    println!("implicit, 1 ms: {:.3e} of the energy after 2 s", sim.energy().total() / start);
}

#[test]
fn forces_are_continuous_where_tets_and_faces_change() {
    // A slow turn and slide of a driven-in box over a ball: the force never jumps.
    let mut last: Option<DVec3> = None;
    let mut worst = 0.0f64;
    for i in 0..400 {
        let t = f64::from(i) * 1e-9;
        let rotation = rotor_from_rotation_vector(DVec3::new(0.1 + t, 0.2, 0.3));
        let a = compliant("a", &cube(1e6), 1.0, Pose::new(DVec3::new(0.01 + t, 0.0, 0.085 - t), rotation));
        let b = compliant("b", &ball(0.025, 2e6), 1.0, at(0.0, 0.0, 0.0));
        let mut sim = Simulation::builder(1e-6)
            .law(law(0.0))
            .response(Response::from(explicit()))
            .body(a)
            .body(b)
            .build()
            .unwrap();
        sim.step().unwrap();
        let f = sim.contact_force(0);
        if let Some(before) = last {
            worst = worst.max((f - before).mag() / f.mag());
        }
        last = Some(f);
    }
    println!("largest relative change of the force for 1e-9 steps of the pose: {worst:.2e}");
    assert!(worst < 1e-6);
}

/// A few boxes and balls that tumble onto each other on a compliant ground.
fn heap(settings: PressureSettings, dt: f64) -> Simulation {
    let ground = floor().with_pressure(PressureField::layer(5e6, 0.1).dissipation(0.2));
    let mut builder = world(dt, 0.5, settings).body(ground);
    for i in 0..5 {
        let field = if i % 2 == 0 { cube(2e6) } else { ball(0.025, 1e6) };
        let rotation = rotor_from_rotation_vector(DVec3::new(0.1, 0.2, 0.05) * f64::from(i));
        let x = 0.01 * f64::from(i % 3) - 0.01;
        let pose = Pose::new(DVec3::new(x, -0.5 * x, 0.06 + 0.11 * f64::from(i)), rotation);
        builder = builder.body(compliant(&format!("b{i}"), &field, 1.0 + 0.1 * f64::from(i), pose));
    }
    builder.build().unwrap()
}

#[test]
fn a_heap_has_the_same_bits_for_any_threads_and_after_restore() {
    for (settings, dt) in [(settings(), 1.0 / 120.0), (explicit(), 5e-4), (PressureSettings::radau(), 5e-4)] {
        let hashes: Vec<Vec<u64>> = [1, 4]
            .into_iter()
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut sim = heap(settings, dt);
                    (0..80)
                        .map(|_| {
                            sim.step().unwrap();
                            sim.hash()
                        })
                        .collect()
                })
            })
            .collect();
        assert_eq!(hashes[0], hashes[1], "threads");
        let mut sim = heap(settings, dt);
        run(&mut sim, 40);
        let kept = sim.snapshot();
        let remembers = settings.step != PressureStep::Radau;
        assert_eq!(!sim.column::<Bristles>().0.is_empty(), remembers, "friction remembers something");
        run(&mut sim, 40);
        assert_eq!(sim.hash(), hashes[0][79]);
        // In the same world, whose searches are of later poses, and in a fresh one, which has made none.
        for mut other in [sim, heap(settings, dt)] {
            other.restore(&kept).unwrap();
            for step in 40..80 {
                other.step().unwrap();
                assert_eq!(other.hash(), hashes[0][step], "restored, step {step}");
            }
        }
    }
}

#[test]
fn every_step_of_a_heap_is_solved_to_the_tolerance() {
    for dt in [1.0 / 60.0, 1.0 / 240.0] {
        let mut sim = heap(settings(), dt);
        let (mut iterations, mut most, mut worst, mut unfinished, mut sum) = (0, 0, 0.0f64, 0, 0.0f64);
        let steps = (3.0 / dt) as usize;
        for _ in 0..steps {
            sim.step().unwrap();
            let r = report(&sim);
            iterations += r.iterations;
            most = most.max(r.iterations);
            worst = worst.max(r.residual);
            unfinished += u32::from(r.unfinished);
            sum = sum.max(sim.ledger().momentum.linear_residual.mag());
        }
        println!(
            "heap at {dt:.4} s: {:.2} Newton iterations a step, most {most}, worst residual {worst:.1e}, unfinished {unfinished} of \
             {steps}, momentum {sum:.1e}",
            f64::from(iterations) / steps as f64
        );
        assert!(unfinished == 0 && sum < 1e-13);
    }
}
