//! Rods with frames: derivatives away from the base, torque balance, uniform twist, twist buckling, curved rest shapes.

use crate::cloth_support::*;
use impinge_elasticity::rod::{Rod, Section, Twist, Twists};
use impinge_elasticity::{BadElement, Elements, Projection};
use impinge_geometry::{DVec3, try_normalized};
use proptest::prelude::*;
use std::f64::consts::PI;

const SECTION: Section = Section { ea: 1e3, ei: [0.7, 0.4], gj: 0.5, linear_density: 1.0 };

/// Nodes 0..=n along `f`, followed by the n angles at zero.
fn curve(n: usize, f: impl Fn(f64) -> DVec3) -> (Vec<u32>, Vec<u32>, Vec<DVec3>) {
    let x = (0..=n).map(|i| f(i as f64 / n as f64)).chain((0..n).map(|_| DVec3::zero())).collect();
    ((0..=n as u32).collect(), (n as u32 + 1..2 * n as u32 + 1).collect(), x)
}

fn helix(s: f64) -> DVec3 {
    DVec3::new(0.4 * (5.0 * s).cos(), 0.4 * (5.0 * s).sin(), 0.8 * s)
}

/// Everything that means something: positions and the x of the angles.
fn meaningful(n: usize) -> Vec<usize> {
    (0..3 * (n + 1)).chain((0..n).map(|k| 3 * (n + 1 + k))).collect()
}

/// One inner node with a base that is not the present shape.
fn shaken(seed: u64, size: f64) -> (Twists, [DVec3; 5]) {
    let mut s = Stream(seed);
    let mut base = [[DVec3::zero(); 2]; 2];
    let x = [DVec3::zero(), DVec3::unit_x(), DVec3::new(1.7, 0.5, 0.2)];
    for (k, b) in base.iter_mut().enumerate() {
        let t = try_normalized(try_normalized(x[k + 1] - x[k]).unwrap() + s.vector(size)).unwrap();
        let d = s.vector(1.0);
        *b = [t, try_normalized(d - t * d.dot(t)).unwrap()];
    }
    let mut twists = Twists::default();
    let rest = [s.within(-0.5, 0.5), s.within(-0.5, 0.5), s.within(-1.0, 1.0)];
    twists.push(Twist {
        nodes: [0, 1, 2, 3, 4],
        base,
        base_twist: 0.0,
        rest,
        stiffness: [s.within(0.5, 2.0), s.within(0.5, 2.0), s.within(0.5, 2.0)],
    });
    let angles = [s.within(-3.0, 3.0), s.within(-3.0, 3.0)].map(|a| DVec3::unit_x() * a);
    (twists, [x[0], x[1] + s.vector(0.3), x[2] + s.vector(0.3), angles[0], angles[1]])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn derivatives_match_finite_differences_away_from_the_base(
        seed in any::<u64>(), size in prop::sample::select(vec![0.0, 0.3, 0.8]),
    ) {
        let (twists, x) = shaken(seed, size);
        // The twist wraps at ±π from its base value: stay off the cut.
        let m = twists.view().strains(0, &x)[2] - (x[4].x - x[3].x);
        prop_assume!((m.abs() - PI).abs() > 0.05);
        let (f, k) = derivative_errors(&twists.view(), &x, 5e-4);
        prop_assert!(f < 1e-6 && k < 1e-6, "force {f:e}, Hessian {k:e}");
        let total: DVec3 = forces(&twists.view(), &x)[..3].iter().fold(DVec3::zero(), |a, b| a + *b);
        let size = forces(&twists.view(), &x).iter().fold(0.0, |m: f64, f| m.max(f.mag()));
        prop_assert!(total.mag() < 1e-14 * size);
        for p in [Projection::Exact, Projection::Spd] {
            prop_assert!(asymmetry(&hessian(&twists.view(), &x, p)) < 1e-15);
        }
        prop_assert!(is_positive_semidefinite(&hessian(&twists.view(), &x, Projection::Spd), 1e-13));
    }

    #[test]
    fn torques_balance_with_the_torques_of_the_angles(seed in any::<u64>()) {
        // A rigid turn ω moves nodes by ω × x and frames by ω·t: Σ x × f + Σ q t = 0 with q = −∂E/∂θ.
        let n = 8;
        let (line, angles, mut x) = curve(n, helix);
        let mut rod = Rod::new(&line, &angles, &x, DVec3::unit_z(), &SECTION).unwrap();
        let mut s = Stream(seed);
        x[..=n].iter_mut().for_each(|p| *p += s.vector(0.02));
        x[n + 1..].iter_mut().for_each(|p| p.x += s.within(-0.5, 0.5));
        rod.commit(&x);
        let f = forces(&rod.twists.view(), &x);
        let (mut torque, mut size) = (DVec3::zero(), 0.0);
        for i in 0..=n {
            torque += x[i].cross(f[i]);
            size += x[i].mag() * f[i].mag();
        }
        for k in 0..n {
            torque += rod.frames[k].tangent * f[n + 1 + k].x;
        }
        prop_assert!(torque.mag() < 1e-13 * size, "{} of {size}", torque.mag());
    }
}

#[test]
fn commit_keeps_energy_and_strains() {
    let n = 10;
    let (line, angles, mut x) = curve(n, helix);
    let mut rod = Rod::new(&line, &angles, &x, DVec3::unit_z(), &SECTION).unwrap();
    assert!(energy(&rod.twists.view(), &x) < 1e-28 && energy(&rod.springs.view(), &x) == 0.0);
    let mut s = Stream(4);
    for _ in 0..50 {
        x[..=n].iter_mut().for_each(|p| *p += s.vector(0.05));
        x[n + 1..].iter_mut().for_each(|p| p.x += s.within(-0.4, 0.4));
        let before = energy(&rod.twists.view(), &x);
        let axis = rod.material_axis(3, &x, x[n + 4].x);
        rod.commit(&x);
        let after = energy(&rod.twists.view(), &x);
        assert!((before - after).abs() < 1e-12 * (1.0 + before), "{before} {after}");
        assert!((axis - rod.material_axis(3, &x, x[n + 4].x)).mag() < 1e-13);
        for f in &rod.frames {
            assert!(f.tangent.dot(f.reference).abs() < 1e-14 && (f.reference.mag() - 1.0).abs() < 1e-14);
        }
    }
    // A base that has gone round once more stays so.
    rod.twists.base_twist[2] += 2.0 * PI;
    let wound = rod.twists.view().strains(2, &rod.twists.nodes[2].map(|i| x[i as usize]));
    rod.commit(&x);
    assert!(
        (rod.twists.view().strains(2, &rod.twists.nodes[2].map(|i| x[i as usize]))[2] - wound[2]).abs()
            < 1e-12
    );
}

#[test]
fn bending_meets_the_right_stiffness() {
    // Straight along x, first axis y. Turn the last edge by 0.2 towards y: B₁; towards z: B₂. A quarter turn of the frames
    // swaps them.
    let (line, angles, rest) = curve(2, |s| DVec3::unit_x() * (2.0 * s));
    let rod = Rod::new(&line, &angles, &rest, DVec3::unit_y(), &SECTION).unwrap();
    let kappa2 = 4.0 * (0.1f64).tan().powi(2);
    let bent = |d: DVec3, turn: f64| {
        let mut x = rest.clone();
        x[2] = x[1] + DVec3::unit_x() * 0.2f64.cos() + d * 0.2f64.sin();
        (x[3].x, x[4].x) = (turn, turn);
        energy(&rod.twists.view(), &x) / (0.5 * kappa2)
    };
    for (d, turn, want) in [
        (DVec3::unit_y(), 0.0, 0.7),
        (DVec3::unit_z(), 0.0, 0.4),
        (DVec3::unit_y(), 0.5 * PI, 0.4),
        (DVec3::unit_z(), 0.5 * PI, 0.7),
        (DVec3::unit_z(), 0.25 * PI, 0.55),
    ] {
        assert!((bent(d, turn) - want).abs() < 1e-12, "{d:?} {turn}: {}", bent(d, turn));
    }
}

#[test]
fn twist_spreads_evenly_and_pulls_with_gj_over_l() {
    let (n, length) = (12usize, 3.0);
    let (line, angles, rest) = curve(n, |s| DVec3::unit_x() * (length * s));
    let rod = Rod::new(&line, &angles, &rest, DVec3::unit_y(), &SECTION).unwrap();
    let mut x = rest.clone();
    let total = 4.0; // more than half a turn
    x[2 * n].x = total;
    let free: Vec<usize> = (1..n - 1).map(|k| 3 * (n + 1 + k)).collect();
    let none = vec![DVec3::zero(); x.len()];
    equilibrium(&mut x, &none, &free, 10.0, 1e-12, |x, p| {
        both(&rod.springs.view(), &rod.twists.view(), x, p)
    });
    // From the middle of the first edge to the middle of the last.
    let between = length * (n as f64 - 1.0) / n as f64;
    for k in 0..n {
        assert!((x[n + 1 + k].x - total * k as f64 / (n as f64 - 1.0)).abs() < 1e-12);
    }
    let want = SECTION.gj * total / between;
    let f = forces(&rod.twists.view(), &x);
    assert!((f[n + 1].x - want).abs() < 1e-12 && (f[2 * n].x + want).abs() < 1e-12);
    assert!((energy(&rod.twists.view(), &x) - 0.5 * want * total).abs() < 1e-12);
}

#[test]
fn a_twisted_rod_between_clamps_buckles_at_greenhills_moment() {
    // EI w'''' = i M w''' with both ends clamped: tan(M L/2EI) = M L/2EI, M L/EI = 8.9868 (Greenhill 1883).
    let n = 48usize;
    let length = 1.0;
    let (line, angles, rest) = curve(n, |s| DVec3::unit_x() * (length * s));
    let section = Section { ea: 1e3, ei: [1.0; 2], gj: 0.8, linear_density: 1.0 };
    let rod = Rod::new(&line, &angles, &rest, DVec3::unit_y(), &section).unwrap();
    // The two end edges are held; the rod reaches from middle to middle.
    let between = length * (n as f64 - 1.0) / n as f64;
    let critical = 8.9868 / between;
    let free: Vec<usize> = meaningful(n)
        .into_iter()
        .filter(|&i| {
            let node = i / 3;
            if node <= n { (2..n - 1).contains(&node) } else { node != n + 1 && node != 2 * n }
        })
        .collect();
    for (load, stable) in [(0.98, true), (1.02, false)] {
        let mut x = rest.clone();
        for k in 0..n {
            x[n + 1 + k].x = load * critical / section.gj * between * k as f64 / (n as f64 - 1.0);
        }
        let (_, f, k) = both(&rod.springs.view(), &rod.twists.view(), &x, Projection::Exact);
        assert!(free.iter().all(|&i| f[i / 3][i % 3].abs() < 1e-10), "straight is an equilibrium");
        let ok = cholesky_solve(restrict(&k, &free), &vec![0.0; free.len()]).is_some();
        assert_eq!(ok, stable, "at {load} of Greenhill's moment");
    }
}

#[test]
fn degenerate_rods_are_finite() {
    let (twists, x) = shaken(3, 0.2);
    let along = |p: DVec3, q: DVec3| [x[0], p, q, x[3], x[4]];
    let [t, d] = twists.base[0][0];
    for x in [
        [DVec3::zero(); 5],
        along(x[0], x[2]),
        along(x[1], x[0]),
        along(x[1], x[0] + DVec3::unit_y() * 1e-9),
        along(x[0] - t, x[2]),
        along(x[0] - t + d * 1e-7, x[2]),
    ] {
        assert!(energy(&twists.view(), &x).is_finite());
        assert!(forces(&twists.view(), &x).iter().all(|f| impinge_geometry::is_finite(*f)), "{x:?}");
        for p in [Projection::Exact, Projection::Spd] {
            assert!(hessian(&twists.view(), &x, p).iter().flatten().all(|v| v.is_finite()), "{x:?}");
        }
    }
    let (line, angles, mut x) = curve(4, helix);
    let mut rod = Rod::new(&line, &angles, &x, DVec3::unit_z(), &SECTION).unwrap();
    x[2] = x[1];
    rod.commit(&x);
    assert!(forces(&rod.twists.view(), &x).iter().all(|f| impinge_geometry::is_finite(*f)));
}

#[test]
fn bad_input_is_refused_with_the_reason() {
    let (line, angles, x) = curve(3, |s| DVec3::unit_x() * s);
    let why = |r: Result<Rod, BadElement>| r.unwrap_err().to_string();
    assert!(why(Rod::new(&line, &angles, &x, DVec3::unit_x(), &SECTION)).contains("along the first edge"));
    assert!(
        why(Rod::new(&line, &angles[1..], &x, DVec3::unit_y(), &SECTION)).contains("2 angle nodes for 3")
    );
    assert!(why(Rod::new(&line, &[4, 5, 1], &x, DVec3::unit_y(), &SECTION)).contains("twice"));
    assert!(why(Rod::new(&line, &[4, 5, 99], &x, DVec3::unit_y(), &SECTION)).contains("names node 99"));
    let soft = Section { gj: -1.0, ..SECTION };
    assert!(why(Rod::new(&line, &angles, &x, DVec3::unit_y(), &soft)).contains("GJ is -1"));
    let fold = [x[0], x[2], x[1], x[3], x[4], x[5], x[6]];
    assert!(why(Rod::new(&line, &angles, &fold, DVec3::unit_y(), &SECTION)).contains("folds back"));
    let rod = Rod::new(&line, &angles, &x, DVec3::unit_y(), &SECTION).unwrap();
    assert_eq!(rod.twists.view().nodes()[1], [1, 2, 3, 5, 6]);
}
