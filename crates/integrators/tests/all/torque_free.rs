//! ACCEPTANCE B54: a wing nut at 180 °/s about its middle axis. Invariants to 1e-8, the flip period against the
//! Jacobi elliptic solution, and the order with which it is reached.

use impinge_geometry::{DMat3, DRotor3, DVec3, generators, mass_properties};
use impinge_integrators::free_rotation;

/// The complete elliptic integral of the first kind, parameter `m = k²`, by the arithmetic–geometric mean.
fn elliptic_k(m: f64) -> f64 {
    let (mut a, mut g) = (1.0f64, (1.0 - m).sqrt());
    while (a - g).abs() > 1e-15 * a {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    std::f64::consts::PI / (2.0 * a)
}

/// Period of the body-frame angular velocity (Landau and Lifshitz, Mechanics, §37), moments ascending.
fn period(mut i: [f64; 3], omega: [f64; 3]) -> f64 {
    let energy2: f64 = (0..3).map(|a| i[a] * omega[a] * omega[a]).sum();
    let l2: f64 = (0..3).map(|a| (i[a] * omega[a]).powi(2)).sum();
    if l2 < energy2 * i[1] {
        i.swap(0, 2);
    }
    let rate2 = (i[2] - i[1]) * (l2 - energy2 * i[0]);
    let m = (i[1] - i[0]) * (energy2 * i[2] - l2) / rate2;
    4.0 * elliptic_k(m) * (i[0] * i[1] * i[2] / rate2).sqrt()
}

struct Spin {
    period: f64,
    energy: f64,
    flips: usize,
}

fn spin(moments: [f64; 3], omega: [f64; 3], dt: f64, seconds: f64) -> Spin {
    let inverse = DMat3::new(
        DVec3::new(1.0 / moments[0], 0.0, 0.0),
        DVec3::new(0.0, 1.0 / moments[1], 0.0),
        DVec3::new(0.0, 0.0, 1.0 / moments[2]),
    );
    let l = DVec3::new(moments[0] * omega[0], moments[1] * omega[1], moments[2] * omega[2]);
    let energy = |r: DRotor3| {
        let p = r.reversed() * l;
        0.5 * p.dot(inverse * p)
    };
    let mut r = DRotor3::identity();
    let (e0, mut worst) = (energy(r), 0.0f64);
    let (mut crossings, mut before) = (Vec::new(), omega[1]);
    for n in 0..(seconds / dt) as usize {
        r = free_rotation(r, l, &inverse, dt);
        let now = (inverse * (r.reversed() * l)).y;
        if before * now < 0.0 {
            crossings.push(dt * (n as f64 + before / (before - now)));
        }
        before = now;
        worst = worst.max((energy(r) / e0 - 1.0).abs());
    }
    let flips = crossings.len() - 1;
    Spin { period: 2.0 * (crossings[flips] - crossings[0]) / flips as f64, energy: worst, flips }
}

#[test]
fn b54_wing_nut_keeps_its_invariants_and_flips_on_time() {
    let mesh = generators::t_handle([0.10, 0.02], [0.02, 0.04], 0.015).unwrap();
    let moments = mass_properties(&mesh).unwrap().principal().moments;
    let (a, b, c) = (moments[0], moments[1], moments[2]);
    assert!(a < 0.9 * b && b < 0.95 * c, "three distinct moments: {moments:?}");
    let moments = [a, b, c];
    let omega = [1e-3, std::f64::consts::PI, 0.0]; // 180 °/s about the middle axis, nudged
    let exact = period(moments, omega);
    let seconds = 4.2 * exact;
    let runs: Vec<Spin> = [4e-3, 2e-3, 1e-3].iter().map(|&dt| spin(moments, omega, dt, seconds)).collect();
    let errors: Vec<f64> = runs.iter().map(|r| (r.period / exact - 1.0).abs()).collect();
    for r in &runs {
        assert!(r.flips >= 6, "{}", r.flips);
        assert!(r.energy < 1e-8, "energy drift {}", r.energy);
    }
    for w in errors.windows(2) {
        let order = (w[0] / w[1]).log2();
        assert!((order - 2.0).abs() < 0.1, "order {order}, errors {errors:?}");
    }
    // Second order: of the size (ω Δt)²/12, which is 8e-7 at 1 ms.
    let scale = (omega[1] * 1e-3).powi(2) / 12.0;
    assert!(errors[2] < 2.0 * scale, "relative period error at 1 ms: {}", errors[2]);
    println!(
        "flip period {exact} s; relative errors at 4, 2, 1 ms: {errors:?}; energy drift {}",
        runs[2].energy
    );
}
