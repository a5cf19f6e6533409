//! GMRES on unsymmetric systems.

use impinge_geometry::DVec3;
use impinge_solvers::{GmresWorkspace, Reason, Settings, gmres};

fn dense(n: usize) -> Vec<Vec<f64>> {
    // Far from symmetric, diagonal of both signs.
    let at = |i: usize, j: usize| (((i * 37 + j * 101 + 11) % 97) as f64 / 97.0 - 0.5) * 2.0;
    (0..n)
        .map(|i| {
            (0..n)
                .map(|j| at(i, j) + if i == j { if i % 3 == 0 { -9.0 } else { 12.0 } } else { 0.0 })
                .collect()
        })
        .collect()
}

fn times(a: &[Vec<f64>], x: &[DVec3], y: &mut [DVec3]) {
    let flat: Vec<f64> = x.iter().flat_map(|v| [v.x, v.y, v.z]).collect();
    let row = |i: usize| a[i].iter().zip(&flat).map(|(a, x)| a * x).sum::<f64>();
    for (i, y) in y.iter_mut().enumerate() {
        *y = DVec3::new(row(3 * i), row(3 * i + 1), row(3 * i + 2));
    }
}

/// As many iterations as unknowns, with a restart a few more; the residual said is the one left.
#[test]
fn unsymmetric_systems_are_solved() {
    let a = dense(30);
    let b: Vec<DVec3> = (0..10).map(|i| DVec3::new(1.0, i as f64, -0.5)).collect();
    let wanted = Settings { tolerance: 1e-12, max_iterations: 400 };
    for restart in [30, 8] {
        let mut x = vec![DVec3::zero(); 10];
        let (mut ws, mut calls) = (GmresWorkspace::default(), 0);
        let out = gmres(
            &mut |x, y| {
                calls += 1;
                times(&a, x, y)
            },
            &mut |r, z| z.copy_from_slice(r),
            &b,
            &mut x,
            restart,
            &wanted,
            &mut ws,
        );
        assert!(out.converged, "{out}");
        assert!(out.iterations <= if restart == 30 { 30 } else { 300 }, "{out}");
        let mut left = vec![DVec3::zero(); 10];
        times(&a, &x, &mut left);
        let off: f64 = left.iter().zip(&b).map(|(l, b)| (*l - *b).mag_sq()).sum::<f64>().sqrt();
        let size: f64 = b.iter().map(|b| b.mag_sq()).sum::<f64>().sqrt();
        assert!(off <= 1.01e-12 * size && (off / size - out.residual).abs() < 1e-14);
    }
}

/// A singular system stops and says so; zero needs nothing.
#[test]
fn what_cannot_be_solved_is_said() {
    let wanted = Settings { tolerance: 1e-10, max_iterations: 50 };
    let mut ws = GmresWorkspace::default();
    let mut flat = |x: &[DVec3], y: &mut [DVec3]| {
        for (y, x) in y.iter_mut().zip(x) {
            *y = DVec3::new(x.x, x.x, 0.0);
        }
    };
    let mut same = |r: &[DVec3], z: &mut [DVec3]| z.copy_from_slice(r);
    let mut x = [DVec3::zero()];
    let out = gmres(&mut flat, &mut same, &[DVec3::unit_z()], &mut x, 5, &wanted, &mut ws);
    assert!(!out.converged && out.reason == Reason::Stagnated, "{out}");
    let out = gmres(&mut flat, &mut same, &[DVec3::zero()], &mut x, 5, &wanted, &mut ws);
    assert!(out.converged && out.iterations == 0);
}
