//! Cables: derivatives, degenerate bends, catenary, Euler's load, the elastica, refusals.

use crate::cloth_support::*;
use impinge_elasticity::rod::{Bend, Bends, Cable, Section};
use impinge_elasticity::spring::Springs;
use impinge_elasticity::{BadElement, Elements, Projection};
use impinge_geometry::DVec3;
use proptest::prelude::*;
use std::f64::consts::PI;

fn one_bend(rest_curvature: f64) -> Bends {
    let mut b = Bends::default();
    b.push(Bend { nodes: [0, 1, 2], rest_curvature, stiffness: 3.0 });
    b
}

/// Two edges of lengths `l` that turn by `angle`.
fn turn(angle: f64, l: [f64; 2]) -> [DVec3; 3] {
    let u = DVec3::new(angle.cos(), angle.sin(), 0.0);
    [DVec3::unit_x() * -l[0], DVec3::zero(), u * l[1]].map(turned)
}

/// `n` equal segments along x.
fn straight(n: usize, length: f64) -> (Vec<u32>, Vec<DVec3>) {
    let x = (0..=n).map(|i| DVec3::unit_x() * (length * i as f64 / n as f64)).collect();
    ((0..=n as u32).collect(), x)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn derivatives_match_finite_differences(
        angle in prop_oneof![0.02..2.8f64, Just(0.0)], rest in prop_oneof![Just(0.0), 0.1..2.0f64],
        l0 in 0.2..2.0f64, l1 in 0.2..2.0f64,
    ) {
        // Straight with a rest curvature there is no derivative.
        prop_assume!(angle > 0.0 || rest == 0.0);
        let b = one_bend(rest);
        let x = turn(angle, [l0, l1]);
        // Close to straight a rest curvature is a cone: the step must stay well inside.
        let h = 5e-4f64.min(if rest > 0.0 { 0.005 * angle } else { 1.0 }) * l0.min(l1);
        let (f, k) = derivative_errors(&b.view(), &x, h);
        prop_assert!(f < 1e-6 && k < 1e-6, "force {f:e}, Hessian {k:e}");
        let (force, torque) = imbalance(&x, &forces(&b.view(), &x));
        // Straight and at rest there is nothing but rounding to add up.
        prop_assert!(angle == 0.0 || (force < 1e-14 && torque < 1e-12), "{force:e} {torque:e}");
        let moved = x.map(|p| turned(p) + DVec3::one());
        let (a, b2) = (energy(&b.view(), &x), energy(&b.view(), &moved));
        prop_assert!((a - b2).abs() <= 1e-12 * (a + 1.0));
        for p in [Projection::Exact, Projection::Spd] {
            prop_assert_eq!(asymmetry(&hessian(&b.view(), &x, p)), 0.0);
        }
        prop_assert!(is_positive_semidefinite(&hessian(&b.view(), &x, Projection::Spd), 1e-13));
    }

    #[test]
    fn projection_is_exact_for_a_straight_cable(l0 in 0.2..2.0f64, l1 in 0.2..2.0f64) {
        let b = one_bend(0.0);
        let x = turn(0.0, [l0, l1]);
        let (a, c) = (hessian(&b.view(), &x, Projection::Exact), hessian(&b.view(), &x, Projection::Spd));
        let size = a.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (r, s) in a.iter().zip(&c) {
            prop_assert!(r.iter().zip(s).all(|(a, c)| (a - c).abs() < 1e-14 * size));
        }
    }
}

#[test]
fn degenerate_bends_are_finite() {
    for rest in [0.0, 0.7] {
        let b = one_bend(rest);
        for x in [
            turn(PI, [1.0, 1.0]),
            turn(PI - 1e-9, [1.0, 2.0]),
            turn(1e-12, [1.0, 1.0]),
            turn(0.0, [1.0, 1.0]),
            turn(1.0, [0.0, 1.0]),
            turn(1.0, [1e-200, 1e-200]),
            [DVec3::zero(); 3],
        ] {
            assert!(energy(&b.view(), &x).is_finite());
            assert!(forces(&b.view(), &x).iter().all(|f| impinge_geometry::is_finite(*f)), "{x:?}");
            for p in [Projection::Exact, Projection::Spd] {
                assert!(hessian(&b.view(), &x, p).iter().flatten().all(|v| v.is_finite()), "{rest} {x:?}");
            }
        }
    }
    assert!(energy(&one_bend(0.0).view(), &turn(PI, [1.0, 1.0])) > 1e8, "a fold is expensive");
}

#[test]
fn a_ring_stores_half_ei_over_r_squared_times_length() {
    let n = 120usize;
    let (ei, radius) = (0.02, 0.5);
    let ring: Vec<DVec3> = (0..n)
        .map(|i| {
            let a = 2.0 * PI * i as f64 / n as f64;
            DVec3::new(radius * a.cos(), radius * a.sin(), 0.0)
        })
        .collect();
    let line: Vec<u32> = (0..n as u32).chain([0, 1]).collect();
    let mut bends = Bends::from_line(&line, &ring, ei).unwrap();
    assert!(energy(&bends.view(), &ring) < 1e-30, "it rests as it lies");
    bends.rest_curvature.fill(0.0);
    let want = 0.5 * ei / (radius * radius) * 2.0 * PI * radius;
    let got = energy(&bends.view(), &ring);
    assert!((got / want - 1.0).abs() < 1e-3, "{}", got / want);
}

/// Sag and the horizontal tension of an elastic catenary between supports at one height (Irvine 1981, §1.3): weight `w`
/// per unstretched length.
fn elastic_catenary(span: f64, length: f64, w: f64, ea: f64) -> (f64, f64) {
    let reach = |h: f64| h * length / ea + 2.0 * h / w * (w * length / (2.0 * h)).asinh();
    let (mut low, mut high) = (1e-9 * w * length, 1e9 * w * length);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if reach(middle) < span { low = middle } else { high = middle }
    }
    let v = w * length / (2.0 * low);
    (w * length * length / (8.0 * ea) + low / w * ((1.0 + v * v).sqrt() - 1.0), low)
}

#[test]
fn a_hanging_cable_has_the_sag_of_the_catenary() {
    let (span, length, density, g) = (1.0, 1.2, 0.3, 9.81);
    let n = 64usize;
    // A parabola too deep, so that all segments start taut; each stiffness starts from the softer one.
    let mut x: Vec<DVec3> = (0..=n)
        .map(|i| {
            let s = i as f64 / n as f64;
            DVec3::new(span * s, -2.0 * s * (1.0 - s), 0.0)
        })
        .collect();
    for ea in [50.0, 5e2, 5e3, 5e4] {
        let (line, rest) = straight(n, length);
        let section = Section { ea, ei: [0.0; 2], gj: 0.0, linear_density: density };
        let cable = Cable::new(&line, &rest, &section, true).unwrap();
        let mut mass = vec![0.0; n + 1];
        section.add_masses(&line, &rest, &mut mass).unwrap();
        assert!((mass.iter().sum::<f64>() - density * length).abs() < 1e-14);
        let load: Vec<DVec3> = mass.iter().map(|m| DVec3::unit_y() * (-m * g)).collect();
        let free: Vec<usize> = (1..n).flat_map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let steps = equilibrium(&mut x, &load, &free, 0.1, 1e-8, |x, p| {
            both(&cable.springs.view(), &cable.bends.view(), x, p)
        });
        let (sag, horizontal) = elastic_catenary(span, length, density * g, ea);
        let got = -x[n / 2].y;
        println!("EA {ea}: sag {got} of {sag} ({:e}), {steps} steps", got / sag - 1.0);
        assert!((got / sag - 1.0).abs() < 1e-3, "sag {got}, catenary {sag}");
        let pull = forces(&cable.springs.view(), &x)[0].x;
        assert!((pull / horizontal - 1.0).abs() < 2e-3, "pull {pull}, catenary {horizontal}");
    }
}

#[test]
fn a_column_buckles_at_eulers_load() {
    // Pinned ends, n segments of rest length l̄ pressed to l: P = 4 EI/(l̄ l) sin²(π/2n) → π² EI/L².
    let (n, length, ei) = (64usize, 2.0, 0.7);
    let (line, rest) = straight(n, length);
    let bar = length / n as f64;
    let strain = 1e-6;
    let squeezed: Vec<DVec3> = rest.iter().map(|p| *p * (1.0 - strain)).collect();
    let critical = 4.0 * ei / (bar * bar * (1.0 - strain)) * (PI / (2.0 * n as f64)).sin().powi(2);
    let euler = PI * PI * ei / (length * length);
    assert!((critical / euler - 1.0).abs() < 1e-3, "{}", critical / euler);
    let sideways: Vec<usize> = (1..n).map(|i| 3 * i + 1).collect();
    for (load, stable) in [(0.9999, true), (1.0001, false)] {
        let section = Section { ea: load * critical / strain, ei: [ei; 2], gj: 0.0, linear_density: 1.0 };
        let cable = Cable::new(&line, &rest, &section, false).unwrap();
        let (_, _, k) = both(&cable.springs.view(), &cable.bends.view(), &squeezed, Projection::Exact);
        let ok = cholesky_solve(restrict(&k, &sideways), &vec![0.0; n - 1]).is_some();
        assert_eq!(ok, stable, "at {load} of the critical load");
    }
}

/// Tip of a cantilever of length 1 and EI = 1 under a force `p` across, by shooting: θ'' = −p cos θ, θ(0) = 0,
/// θ'(1) = 0. Returns (along, across).
fn elastica(p: f64) -> (f64, f64) {
    let run = |slope: f64| {
        let n = 2000;
        let h = 1.0 / f64::from(n);
        let (mut t, mut w, mut x, mut y) = (0.0f64, slope, 0.0, 0.0);
        for _ in 0..n {
            let f = |t: f64, w: f64| (w, -p * t.cos(), t.cos(), t.sin());
            let k1 = f(t, w);
            let k2 = f(t + 0.5 * h * k1.0, w + 0.5 * h * k1.1);
            let k3 = f(t + 0.5 * h * k2.0, w + 0.5 * h * k2.1);
            let k4 = f(t + h * k3.0, w + h * k3.1);
            let mean = |a: f64, b: f64, c: f64, d: f64| h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
            x += mean(k1.2, k2.2, k3.2, k4.2);
            y += mean(k1.3, k2.3, k3.3, k4.3);
            t += mean(k1.0, k2.0, k3.0, k4.0);
            w += mean(k1.1, k2.1, k3.1, k4.1);
        }
        (w, x, y)
    };
    let (mut low, mut high) = (0.0, p);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if run(middle).0 < 0.0 { low = middle } else { high = middle }
    }
    let (_, x, y) = run(low);
    (x, y)
}

#[test]
fn a_cantilever_follows_the_elastica() {
    // Known values first, so that the oracle is not trusted blindly: P L²/EI = 1 gives 0.3017, 0.9436.
    let (along, across) = elastica(1.0);
    assert!((across - 0.30172).abs() < 1e-4 && (along - 0.94357).abs() < 1e-4, "{along} {across}");
    let n = 40usize;
    // The first edge is held; the beam starts at its middle.
    let edge = 1.0 / (n as f64 - 0.5);
    let (line, rest) = straight(n, n as f64 * edge);
    let section = Section { ea: 1e5, ei: [1.0; 2], gj: 0.0, linear_density: 1.0 };
    let cable = Cable::new(&line, &rest, &section, false).unwrap();
    let free: Vec<usize> = (2..=n).flat_map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    for p in [1.0, 5.0] {
        let mut x = rest.clone();
        let mut load = vec![DVec3::zero(); n + 1];
        load[n] = DVec3::unit_y() * p;
        equilibrium(&mut x, &load, &free, 0.2, 1e-8, |x, q| {
            both(&cable.springs.view(), &cable.bends.view(), x, q)
        });
        let (along, across) = elastica(p);
        let got = (x[n].x - 0.5 * edge, x[n].y);
        println!("P L²/EI = {p}: ({}, {}) of elastica", got.0 / along, got.1 / across);
        assert!((got.0 / along - 1.0).abs() < 2e-3 && (got.1 / across - 1.0).abs() < 2e-3);
    }
}

#[test]
fn section_of_a_round_bar() {
    let s = Section::round(2e11, 0.25, 1e-3, 7800.0).unwrap();
    let (area, i) = (PI * 1e-6, PI * 1e-12 / 4.0);
    assert!((s.ea / (2e11 * area) - 1.0).abs() < 1e-15 && (s.ei[0] / (2e11 * i) - 1.0).abs() < 1e-15);
    // G J = 0.8e11 · 2 I.
    assert!((s.gj / (0.8e11 * 2.0 * i) - 1.0).abs() < 1e-15);
    assert!((s.linear_density / (7800.0 * area) - 1.0).abs() < 1e-15);
}

#[test]
fn bad_input_is_refused_with_the_reason() {
    let (line, x) = straight(4, 1.0);
    let good = Section { ea: 1.0, ei: [1.0; 2], gj: 0.0, linear_density: 1.0 };
    let why = |r: Result<Cable, BadElement>| r.unwrap_err().to_string();
    assert!(why(Cable::new(&line[..1], &x, &good, true)).contains("a line of 1 nodes"));
    assert!(why(Cable::new(&[0, 1, 7], &x, &good, true)).contains("names node 7"));
    assert!(why(Cable::new(&line, &x, &Section { ea: -1.0, ..good }, true)).contains("EA is -1 N"));
    assert!(why(Cable::new(&line, &x, &Section { ei: [f64::NAN, 0.0], ..good }, true)).contains("EI is NaN"));
    let mut twice = x.clone();
    twice[2] = twice[1];
    assert!(why(Cable::new(&line, &twice, &good, true)).contains("rest length 0"));
    let fold = Bends::from_line(&[0, 1, 2], &[x[0], x[2], x[1]], 1.0).unwrap_err().to_string();
    assert!(fold.contains("folds back onto itself at node 1"), "{fold}");
    assert!(Bends::from_line(&line, &twice, 1.0).unwrap_err().to_string().contains("has no length"));
    assert!(Section::round(1.0, 0.6, 1.0, 1.0).unwrap_err().to_string().contains("Poisson's ratio"));
    let mut mass = vec![0.0; 2];
    assert!(good.add_masses(&line, &x, &mut mass).unwrap_err().to_string().contains("names node 2"));
    // A cable without springs between nodes is still a cable of springs.
    let ok = Cable::new(&line, &x, &good, true).unwrap();
    assert_eq!((ok.springs.len(), ok.bends.len()), (4, 3));
    assert_eq!(ok.bends.view().nodes()[0], [0, 1, 2]);
    let plain: Springs = ok.springs;
    assert_eq!(plain.stiffness, [4.0; 4]);
}
