//! Radau IIA on problems with closed forms.

use impinge_integrators::{Radau, RadauError, RadauOrder, RadauProblem, RadauSettings};

fn fixed(order: RadauOrder, h: f64) -> RadauSettings {
    RadauSettings {
        relative: 1e-12,
        absolute: 1e-12,
        orders: [order; 2],
        fixed_step: Some(h),
        ..RadauSettings::default()
    }
}

/// Error at t = 2 of y' = y² cos t, y(0) = 1/c: y = 1/(c − sin t).
fn pole(h: f64, order: RadauOrder) -> f64 {
    let c = 1.3;
    let mut rate = |t: f64, y: &[f64], out: &mut [f64]| out[0] = y[0] * y[0] * t.cos();
    let mut slope = |t: f64, y: &[f64], out: &mut [f64]| out[0] = 2.0 * y[0] * t.cos();
    let mut radau = Radau::new(fixed(order, h), 0.0, &[1.0 / c]).unwrap();
    radau.integrate(&mut RadauProblem::with_jacobian(&mut rate, &mut slope), 2.0).unwrap();
    (radau.state()[0] - 1.0 / (c - 2.0_f64.sin())).abs()
}

#[test]
fn errors_fall_with_the_order() {
    let steps = [(256, 512), (64, 128), (16, 32), (6, 12), (2, 4)];
    for (order, (coarse, fine)) in RadauOrder::ALL.into_iter().zip(steps) {
        let [a, b] = [coarse, fine].map(|n| pole(2.0 / f64::from(n), order));
        let (rate, want) = ((a / b).log2(), (2 * order.stages() - 1) as f64);
        println!("{order:?}: {a:.2e} {b:.2e} rate {rate:.2}");
        assert!((rate - want).abs() < 0.05 * want, "{order:?}: {a:e} {b:e}, order {rate} for {want}");
    }
}

#[test]
fn one_step_of_a_linear_problem_is_its_pade_approximant() {
    // The approximants (s − 1, s) of eᶻ for one to three stages.
    let step = |order: RadauOrder, z: f64| {
        let mut rate = |_: f64, y: &[f64], out: &mut [f64]| out[0] = z * y[0];
        let mut radau = Radau::new(fixed(order, 1.0), 0.0, &[1.0]).unwrap();
        radau.integrate(&mut RadauProblem::new(&mut rate), 1.0).unwrap();
        radau.state()[0]
    };
    let z = -2.0;
    let two = (1.0 + z / 3.0) / (1.0 - 2.0 * z / 3.0 + z * z / 6.0);
    let three = (1.0 + 0.4 * z + z * z / 20.0) / (1.0 - 0.6 * z + 0.15 * z * z - z * z * z / 60.0);
    for (order, want) in RadauOrder::ALL.into_iter().zip([1.0 / 3.0, two, three]) {
        let got = step(order, z);
        assert!((got - want).abs() < 1e-13, "{order:?}: {got} {want}");
    }
    assert!((step(RadauOrder::Thirteen, z) - z.exp()).abs() < 1e-10);
    // L-stable.
    for order in RadauOrder::ALL {
        assert!(step(order, -1e12).abs() < 1e-10, "{order:?}");
    }
}

fn variable(tolerance: f64) -> RadauSettings {
    RadauSettings {
        relative: tolerance,
        absolute: tolerance,
        orders: [RadauOrder::One, RadauOrder::Thirteen],
        ..RadauSettings::default()
    }
}

/// y' = λ (y − cos t) − sin t: y = cos t for any λ (Prothero and Robinson 1974).
#[test]
fn stiffness_does_not_cost_steps() {
    let run = |lambda: f64, tolerance: f64| {
        let mut rate = |t: f64, y: &[f64], out: &mut [f64]| out[0] = lambda * (y[0] - t.cos()) - t.sin();
        let mut radau = Radau::new(variable(tolerance), 0.0, &[1.0]).unwrap();
        radau.integrate(&mut RadauProblem::new(&mut rate), 10.0).unwrap();
        let r = *radau.report();
        println!(
            "λ {lambda:e} tol {tolerance:e}: error {:.1e}, {r:?}",
            (radau.state()[0] - 10.0_f64.cos()).abs()
        );
        ((radau.state()[0] - 10.0_f64.cos()).abs(), r.steps())
    };
    for tolerance in [1e-4, 1e-7, 1e-10] {
        let (soft, steps) = run(-1.0, tolerance);
        let (stiff, fewer) = run(-1e6, tolerance);
        assert!(soft < 10.0 * tolerance && stiff < 10.0 * tolerance, "{soft:e} {stiff:e} for {tolerance:e}");
        assert!(fewer <= steps + 20, "{fewer} {steps}");
    }
}

/// Van der Pol's oscillator in slow time: y₁' = y₂, ε y₂' = (1 − y₁²) y₂ − y₁.
fn van_der_pol(
    tolerance: f64,
    orders: [RadauOrder; 2],
    eps: f64,
    end: f64,
) -> (Vec<f64>, impinge_integrators::RadauReport) {
    let mut rate = |_: f64, y: &[f64], out: &mut [f64]| {
        out[0] = y[1];
        out[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / eps;
    };
    let mut slope = |_: f64, y: &[f64], out: &mut [f64]| {
        out.copy_from_slice(&[0.0, 1.0, (-2.0 * y[0] * y[1] - 1.0) / eps, (1.0 - y[0] * y[0]) / eps]);
    };
    let settings = RadauSettings { orders, ..variable(tolerance) };
    let mut radau = Radau::new(settings, 0.0, &[2.0, -0.66]).unwrap();
    radau.integrate(&mut RadauProblem::with_jacobian(&mut rate, &mut slope), end).unwrap();
    (radau.state().to_vec(), *radau.report())
}

#[test]
fn tolerance_is_met_on_the_stiff_van_der_pol() {
    let all = [RadauOrder::One, RadauOrder::Thirteen];
    // Reference: a fixed high order at a much smaller tolerance, and Hairer and Wanner's value for ε = 1e-6 at t = 1.
    let (reference, _) = van_der_pol(1e-12, [RadauOrder::Nine; 2], 1e-6, 2.0);
    let (one, _) = van_der_pol(1e-12, [RadauOrder::Nine; 2], 1e-6, 1.0);
    assert!((one[0] + 1.863_646_254_808_13).abs() < 1e-6, "{one:?}");
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let (y, r) = van_der_pol(tolerance, all, 1e-6, 2.0);
        let error = (y[0] - reference[0]).abs() / reference[0].abs();
        println!("tol {tolerance:e}: error {error:.1e} {r:?}");
        assert!(error < 20.0 * tolerance, "{error:e} for {tolerance:e}, {r:?}");
        assert!(tolerance > 1e-7 || r.accepted[3] + r.accepted[4] > 0, "the order goes up: {r:?}");
    }
}

#[test]
fn every_order_meets_tolerance_with_its_own_step() {
    for order in RadauOrder::ALL {
        let tolerance = if order == RadauOrder::One { 1e-4 } else { 1e-7 };
        // A rotating pair, whose length and angle are known.
        let mut rate = |_: f64, y: &[f64], out: &mut [f64]| out.copy_from_slice(&[-y[1], y[0]]);
        let settings = RadauSettings { orders: [order; 2], ..variable(tolerance) };
        let mut radau = Radau::new(settings, 0.0, &[1.0, 0.0]).unwrap();
        radau.integrate(&mut RadauProblem::new(&mut rate), 6.0).unwrap();
        let y = radau.state();
        let error = (y[0] - 6.0_f64.cos()).hypot(y[1] - 6.0_f64.sin());
        println!("{order:?}: error {error:.1e} {:?}", radau.report());
        // The tolerance is one per step: errors of a rotation, which forgets nothing, add up.
        let steps = radau.report().steps() as f64;
        assert!(error < steps * tolerance, "{order:?}: {error:e} in {steps} steps");
        let mut within = [0.0; 2];
        assert!(radau.state_at(5.99, &mut within));
        assert!((within[0] - 5.99_f64.cos()).abs() < error + 100.0 * tolerance, "{order:?} {within:?}");
    }
}

/// RADAU's looser steps are enough for what is smooth, and fewer.
#[test]
fn smooth_problems_meet_tolerance_with_fewer_steps() {
    let run = |smooth: bool, tolerance: f64| {
        let mut rate = |_: f64, y: &[f64], out: &mut [f64]| out.copy_from_slice(&[-y[1], y[0]]);
        let settings = RadauSettings { smooth, ..variable(tolerance) };
        let mut radau = Radau::new(settings, 0.0, &[1.0, 0.0]).unwrap();
        radau.integrate(&mut RadauProblem::new(&mut rate), 60.0).unwrap();
        let y = radau.state();
        ((y[0] - 60.0_f64.cos()).hypot(y[1] - 60.0_f64.sin()), radau.report().steps())
    };
    for tolerance in [1e-6, 1e-9] {
        let ((strict, many), (loose, few)) = (run(false, tolerance), run(true, tolerance));
        println!("tol {tolerance:e}: {strict:.1e} in {many}, {loose:.1e} in {few}");
        assert!(few < many && strict.max(loose) < 10.0 * tolerance, "{strict:e} {loose:e}");
    }
}

#[test]
fn what_cannot_be_integrated_is_said() {
    let mut rate = |_: f64, y: &[f64], out: &mut [f64]| out[0] = y[0] * y[0];
    let mut blow_up = Radau::new(variable(1e-6), 0.0, &[1.0]).unwrap();
    let end = blow_up.integrate(&mut RadauProblem::new(&mut rate), 2.0);
    assert!(matches!(end, Err(RadauError::StepTooSmall { .. } | RadauError::NotFinite { .. })), "{end:?}");
    assert!((blow_up.time() - 1.0).abs() < 1e-3 && blow_up.state()[0].is_finite());

    let mut nan = |_: f64, _: &[f64], out: &mut [f64]| out[0] = f64::NAN;
    let mut radau = Radau::new(variable(1e-6), 0.0, &[1.0]).unwrap();
    let end = radau.integrate(&mut RadauProblem::new(&mut nan), 1.0);
    assert_eq!(end, Err(RadauError::NotFinite { time: 0.0 }));

    let bad = |s: RadauSettings, y: &[f64]| matches!(Radau::new(s, 0.0, y), Err(RadauError::Parameter(_)));
    assert!(bad(RadauSettings { absolute: 0.0, ..variable(1e-6) }, &[1.0]));
    assert!(bad(RadauSettings { orders: [RadauOrder::Five, RadauOrder::One], ..variable(1e-6) }, &[1.0]));
    assert!(bad(variable(1e-6), &[f64::NAN]) && bad(variable(1e-6), &[]));
    assert!(matches!(radau.step(&mut RadauProblem::new(&mut rate), 0.0), Err(RadauError::Parameter(_))));
    // An end that lies behind is refused by both in the same words; where it stands already, there is nothing to do.
    for end in [-1.0, f64::NAN, f64::INFINITY] {
        let whole = radau.integrate(&mut RadauProblem::new(&mut rate), end);
        assert!(matches!(whole, Err(RadauError::Parameter(_))), "{end} {whole:?}");
        let one = radau.step(&mut RadauProblem::new(&mut rate), end);
        assert_eq!(whole.map_err(|e| e.to_string()), one.map(|_| ()).map_err(|e| e.to_string()));
    }
    assert_eq!((radau.integrate(&mut RadauProblem::new(&mut rate), 0.0), radau.time()), (Ok(()), 0.0));
}
