//! Springs: derivatives, momentum, projection, degenerate input, threads, refusals.

use crate::cloth_support::*;
use impinge_elasticity::assemble::{self, Workspace};
use impinge_elasticity::spring::{Spring, Springs, damping};
use impinge_elasticity::{Elements, Projection};
use impinge_geometry::DVec3;
use proptest::prelude::*;

/// A random network: many springs of random rest lengths on few nodes.
fn network(seed: u64, nodes: usize, count: usize, tension_only: bool) -> (Springs, Vec<DVec3>) {
    let mut s = Stream(seed);
    let x: Vec<DVec3> = (0..nodes).map(|_| s.vector(1.0)).collect();
    let mut springs = Springs::default();
    for _ in 0..count {
        let i = (s.unit() * nodes as f64) as u32;
        let j = (i + 1 + (s.unit() * (nodes - 1) as f64) as u32) % nodes as u32;
        let rest = s.within(0.0, 1.5);
        let (stiffness, damping) = (s.within(1.0, 1e3), s.within(0.0, 3.0));
        springs.push(Spring { ends: [i, j], rest, stiffness, damping, tension_only });
    }
    springs.check(nodes).unwrap();
    (springs, x)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn derivatives_match_finite_differences(seed in any::<u64>(), tension_only in any::<bool>()) {
        let (springs, x) = network(seed, 5, 9, tension_only);
        // Away from the kink of a slack spring and from length 0, where no derivative exists.
        prop_assume!((0..9).all(|e| {
            let [i, j] = springs.ends[e].map(|i| i as usize);
            let l = (x[i] - x[j]).mag();
            l > 0.05 && (l - springs.rest[e]).abs() > 1e-3
        }));
        let (f, k) = derivative_errors(&springs.view(), &x, 1e-4);
        prop_assert!(f < 1e-6 && k < 1e-6, "force {f:e}, Hessian {k:e}");
        let (force, torque) = imbalance(&x, &forces(&springs.view(), &x));
        prop_assert!(force < 1e-15 && torque < 1e-14, "{force:e} {torque:e}");
    }

    #[test]
    fn projection_is_semidefinite_and_exact_under_tension(seed in any::<u64>()) {
        let (mut springs, x) = network(seed, 5, 9, false);
        let spd = hessian(&springs.view(), &x, Projection::Spd);
        prop_assert!(is_positive_semidefinite(&spd, 1e-13));
        prop_assert!(asymmetry(&spd) < 1e-15);
        // The nearest semidefinite matrix has no negative direction and costs the same along the spring; under tension
        // nothing is clamped.
        for e in 0..springs.len() {
            springs.rest[e] = 0.0;
        }
        let exact = hessian(&springs.view(), &x, Projection::Exact);
        prop_assert!(exact == hessian(&springs.view(), &x, Projection::Spd));
    }
}

#[test]
fn projection_is_the_nearest_semidefinite_matrix() {
    // Compressed to half: along n the stiffness is k, across it k (1 − 2) = −k, clamped to 0.
    let springs = Springs::from_edges(&[[0, 1]], &[DVec3::zero(), DVec3::unit_x() * 2.0], 10.0, 0.0).unwrap();
    let x = [DVec3::zero(), DVec3::unit_x()];
    let exact = hessian(&springs.view(), &x, Projection::Exact);
    let spd = hessian(&springs.view(), &x, Projection::Spd);
    assert_eq!([exact[0][0], exact[1][1], exact[2][2]], [10.0, -10.0, -10.0]);
    assert_eq!([spd[0][0], spd[1][1], spd[2][2]], [10.0, 0.0, 0.0]);
    assert_eq!(spd[0][3], -10.0);
}

#[test]
fn forces_by_hand() {
    let rest = [DVec3::zero(), DVec3::unit_x() * 2.0];
    let x = [DVec3::zero(), DVec3::unit_x() * 2.5];
    let bar = Springs::from_axial_stiffness(&[[0, 1]], &rest, 100.0, true).unwrap();
    assert_eq!(bar.stiffness[0], 50.0);
    assert_eq!(energy(&bar.view(), &x), 0.5 * 50.0 * 0.25);
    assert_eq!(forces(&bar.view(), &x), [DVec3::unit_x() * 25.0, DVec3::unit_x() * -25.0]);
    // Slack: nothing, and no stiffness.
    let slack = [DVec3::zero(), DVec3::unit_x() * 1.5];
    assert_eq!(energy(&bar.view(), &slack), 0.0);
    assert_eq!(forces(&bar.view(), &slack), [DVec3::zero(); 2]);
    assert!(hessian(&bar.view(), &slack, Projection::Exact).iter().flatten().all(|&v| v == 0.0));
}

#[test]
fn springs_without_length_are_finite() {
    let mut springs = Springs::default();
    springs.push(Spring { ends: [0, 1], rest: 0.0, stiffness: 7.0, damping: 1.0, tension_only: false });
    springs.push(Spring { ends: [0, 2], rest: 1.0, stiffness: 7.0, damping: 1.0, tension_only: false });
    for d in [0.0, 1e-320, 1e-170, 1e-150, 1e-15] {
        let x = [DVec3::zero(), DVec3::new(d, 0.0, 0.0), DVec3::new(0.0, d, 0.0)];
        let v = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
        let mut f = forces(&springs.view(), &x);
        damping::add_forces(springs.view(), &x, &v, &mut f);
        assert!(f.iter().all(|f| impinge_geometry::is_finite(*f)), "{d:e}: {f:?}");
        for p in [Projection::Exact, Projection::Spd] {
            let k = hessian(&springs.view(), &x, p);
            assert!(k.iter().flatten().all(|v| v.is_finite()), "{d:e}");
        }
        assert!(is_positive_semidefinite(&hessian(&springs.view(), &x, Projection::Spd), 1e-12));
    }
    // Zero rest length: k I, the exact Hessian, also at zero length.
    let k = hessian(&springs.view(), &[DVec3::zero(); 3], Projection::Exact);
    assert_eq!([k[3][3], k[4][4], k[5][5], k[6][6]], [7.0, 7.0, 7.0, 0.0]);
}

#[test]
fn damping_takes_energy_and_no_momentum() {
    let (springs, x) = network(5, 6, 14, false);
    let mut s = Stream(9);
    let v: Vec<DVec3> = (0..6).map(|_| s.vector(2.0)).collect();
    let mut f = vec![DVec3::zero(); 6];
    damping::add_forces(springs.view(), &x, &v, &mut f);
    let (force, torque) = imbalance(&x, &f);
    assert!(force < 1e-15 && torque < 1e-15, "{force:e} {torque:e}");
    let power: f64 = f.iter().zip(&v).map(|(f, v)| f.dot(*v)).sum();
    assert!(power < -1.0);
    assert!((power - damping::power(springs.view(), &x, &v)).abs() < 1e-12 * power.abs());
    // −∂f/∂v: the force is linear in v, so the blocks times v give it back.
    let slots = assemble::block_slots(&springs.ends, |i, j| Some(6 * i + j));
    let mut values = vec![[0.0; 9]; 36];
    damping::add_blocks(springs.view(), &x, &slots, &mut values);
    for i in 0..6 {
        for r in 0..3 {
            let row: f64 =
                (0..6).map(|j| (0..3).map(|c| values[6 * i + j][3 * r + c] * v[j][c]).sum::<f64>()).sum();
            assert!((row + f[i][r]).abs() < 1e-13 * (1.0 + row.abs()));
        }
    }
    // Rigid motion is not damped.
    let spin = DVec3::new(0.3, -1.0, 0.4);
    let rigid: Vec<DVec3> = x.iter().map(|p| DVec3::unit_y() + spin.cross(*p)).collect();
    assert!(damping::power(springs.view(), &x, &rigid).abs() < 1e-28);
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let (springs, x) = network(3, 2_000, 30_000, false);
    let slots = assemble::block_slots(&springs.ends, |i, j| Some(2 * i + u32::from(i != j)));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut k = vec![[0.0; 9]; 4_000];
            let mut ws = Workspace::default();
            assemble::add_hessian(&springs.view(), &x, Projection::Spd, &slots, &mut k, &mut ws);
            let e = assemble::energy(&springs.view(), &x, &mut ws);
            let mut f = vec![DVec3::zero(); x.len()];
            assemble::add_forces(&springs.view(), &x, &mut f, &mut ws);
            (e.to_bits(), bits(&f), k.into_iter().flatten().map(f64::to_bits).collect::<Vec<_>>())
        })
    };
    let one = run(1);
    for threads in [2, 5] {
        assert!(run(threads) == one, "other bits with {threads} threads");
    }
    // And those of the plain loop.
    let mut plain = vec![DVec3::zero(); x.len()];
    for e in 0..springs.len() {
        let [i, j] = springs.ends[e].map(|i| i as usize);
        let g = springs.view().gradient_of(e, &[x[i], x[j]]);
        plain[i] -= g[0];
        plain[j] -= g[1];
    }
    assert_eq!(one.1, bits(&plain));
}

#[test]
fn bad_input_is_refused_with_the_reason() {
    let x = [DVec3::zero(), DVec3::unit_x()];
    let reason = |r: Result<Springs, impinge_elasticity::BadElement>| r.unwrap_err().to_string();
    assert!(reason(Springs::from_edges(&[[0, 2]], &x, 1.0, 0.0)).contains("names node 2, but there are 2"));
    assert!(reason(Springs::from_edges(&[[1, 1]], &x, 1.0, 0.0)).contains("twice"));
    assert!(reason(Springs::from_edges(&[[0, 1]], &x, -1.0, 0.0)).contains("stiffness is -1 N/m"));
    assert!(reason(Springs::from_edges(&[[0, 1]], &x, 1.0, f64::NAN)).contains("damping is NaN"));
    let nan = [DVec3::zero(), DVec3::new(f64::NAN, 0.0, 0.0)];
    assert!(reason(Springs::from_edges(&[[0, 1]], &nan, 1.0, 0.0)).contains("rest position 1"));
    assert!(
        reason(Springs::from_axial_stiffness(&[[0, 1]], &[x[0]; 2], 1.0, true)).contains("rest length 0")
    );
}
