//! Membranes: derivatives, closed forms of the laws, patch test, isometry, wide twin, refusals.

use crate::cloth_support::*;
use impinge_elasticity::Projection;
use impinge_elasticity::cloth::{Cloth, MembraneLaw, Membranes};
use impinge_geometry::DVec3;
use proptest::prelude::*;

fn laws() -> [MembraneLaw; 3] {
    [
        MembraneLaw::isotropic(1e5, 0.3, 1e-3).unwrap(),
        MembraneLaw::orthotropic(2e5, 0.7e5, 0.1e5, 0.4, 1e-3).unwrap(),
        MembraneLaw::rubber(4e4, 1e-3).unwrap(),
    ]
}

/// An n × n sheet of unit size in the plane with its inner nodes shaken, cut along one diagonal.
fn sheet(n: u32, shake: f64, seed: u64) -> (Vec<[u32; 3]>, Vec<DVec3>) {
    let mut s = Stream(seed);
    let mut x = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let inner = i % n != 0 && j % n != 0;
            let size = if inner { shake / f64::from(n) } else { 0.0 };
            let (u, v) = (s.within(-size, size), s.within(-size, size));
            x.push(DVec3::new(f64::from(i) / f64::from(n) + u, f64::from(j) / f64::from(n) + v, 0.0));
        }
    }
    let mut t = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let a = j * (n + 1) + i;
            t.push([a, a + 1, a + n + 2]);
            t.push([a, a + n + 2, a + n + 1]);
        }
    }
    (t, x)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn derivatives_match_finite_differences(seed in any::<u64>(), thin in prop::sample::select(vec![1.0, 0.1, 1e-3])) {
        let mut s = Stream(seed);
        // A patch of rest triangles, squeezed to slivers, then crumpled within reach of the rubber's kink.
        let (t, mut rest) = sheet(2, 0.3, seed);
        rest.iter_mut().for_each(|p| p.y *= thin);
        let m = Membranes::from_rest(&t, &rest, DVec3::new(0.8, 0.6, 0.0)).unwrap();
        let x: Vec<DVec3> = rest.iter().map(|p| {
            // Scaled with the thin side: shearing slivers a hundredfold is no cloth, and det C would be rounding.
            turned(*p * 1.1 + s.vector(0.2 * thin))
        }).collect();
        for law in laws() {
            let cloth = Cloth { membranes: m.view(), law };
            // 1/det C has a jump in its third derivative at a tenth of the area: stay off it.
            let clear = t.iter().enumerate().all(|(e, n)| {
                let [uu, vv, uv] = cloth.strain(e, &n.map(|i| x[i as usize]));
                (((1.0 + 2.0 * uu) * (1.0 + 2.0 * vv) - uv * uv) / 0.01 - 1.0).abs() > 0.6
            });
            if !clear {
                continue;
            }
            let (f, k) = derivative_errors(&cloth, &x, 5e-5 * thin);
            prop_assert!(f < 1e-6 && k < 1e-6, "{law:?}: force {f:e}, Hessian {k:e}");
            let (force, torque) = imbalance(&x, &forces(&cloth, &x));
            prop_assert!(force < 1e-14 && torque < 1e-14, "{force:e} {torque:e}");
            for p in [Projection::Exact, Projection::Spd] {
                prop_assert_eq!(asymmetry(&hessian(&cloth, &x, p)), 0.0);
            }
            let spd = hessian(&cloth, &x, Projection::Spd);
            prop_assert!(is_positive_semidefinite(&spd, 1e-12), "{law:?}");
        }
    }

    #[test]
    fn taut_cloth_needs_no_projection_and_energy_ignores_rigid_motion(seed in any::<u64>()) {
        let (t, rest) = sheet(3, 0.3, seed);
        let m = Membranes::from_rest(&t, &rest, DVec3::unit_x()).unwrap();
        let taut: Vec<DVec3> = rest.iter().map(|p| DVec3::new(1.2 * p.x + 0.05 * p.y, 1.1 * p.y, 0.0)).collect();
        let mut s = Stream(seed);
        let crumpled: Vec<DVec3> = rest.iter().map(|p| *p + s.vector(0.1)).collect();
        for law in laws() {
            let cloth = Cloth { membranes: m.view(), law };
            let exact = hessian(&cloth, &taut, Projection::Exact);
            prop_assert!(exact == hessian(&cloth, &taut, Projection::Spd));
            let moved: Vec<DVec3> =
                crumpled.iter().map(|p| turned(*p) + DVec3::new(3.0, -2.0, 1.0)).collect();
            let (a, b) = (energy(&cloth, &crumpled), energy(&cloth, &moved));
            prop_assert!((a - b).abs() < 1e-12 * a, "{a} {b}");
        }
    }
}

#[test]
fn linear_laws_in_uniaxial_tension() {
    // Stretch along the warp with the weft free: S_uu = E_u h ε, ε_vv = −ν ε.
    let (e_u, e_v, g, nu, h) = (2e5, 0.7e5, 0.1e5, 0.4, 1e-3);
    let law = MembraneLaw::orthotropic(e_u, e_v, g, nu, h).unwrap();
    let s = law.tension([0.01, -nu * 0.01, 0.0]);
    assert!((s[0] - e_u * h * 0.01).abs() < 1e-12 && s[1].abs() < 1e-12, "{s:?}");
    // Along the weft: the other modulus and ratio.
    let s = law.tension([-nu * e_v / e_u * 0.01, 0.01, 0.0]);
    assert!((s[1] - e_v * h * 0.01).abs() < 1e-12 && s[0].abs() < 1e-12, "{s:?}");
    assert!((law.tension([0.0, 0.0, 0.02])[2] - g * h * 0.02).abs() < 1e-15);
    // Isotropic is the orthotropic law with equal moduli and G = E/(2(1+ν)).
    let same = MembraneLaw::orthotropic(1e5, 1e5, 1e5 / 2.6, 0.3, h).unwrap();
    let iso = MembraneLaw::isotropic(1e5, 0.3, h).unwrap();
    let strain = [0.1, -0.05, 0.07];
    for (a, b) in same.tension(strain).iter().zip(iso.tension(strain)) {
        assert!((a - b).abs() < 1e-12 * b.abs());
    }
}

#[test]
fn rubber_in_closed_form() {
    let law = MembraneLaw::rubber(4e4, 1e-3).unwrap();
    let mu_h = 40.0;
    for stretch in [0.8f64, 1.0, 1.5, 3.0] {
        // Equibiaxial: P = μ h (λ − λ⁻⁵). Uniaxial with λ_v = λ^−½: P = μ h (λ − λ⁻²) and no stress across.
        let c = stretch * stretch;
        let e = 0.5 * (c - 1.0);
        let s = law.tension([e, e, 0.0]);
        let want = mu_h * (stretch - stretch.powi(-5));
        assert!((s[0] * stretch - want).abs() < 1e-12 * mu_h && s[0] == s[1], "{stretch}: {s:?}");
        let s = law.tension([e, 0.5 * (1.0 / stretch - 1.0), 0.0]);
        let want = mu_h * (stretch - stretch.powi(-2));
        assert!((s[0] * stretch - want).abs() < 1e-12 * mu_h, "{stretch}: {s:?}");
        assert!(s[1].abs() < 1e-12 * mu_h);
        let want = 0.5 * mu_h * (2.0 * c + 1.0 / (c * c) - 3.0);
        assert!((law.energy_density([e, e, 0.0]) - want).abs() < 1e-12 * mu_h.max(want));
    }
    // Small strain: E = 3 μ, ν = ½.
    let small = MembraneLaw::isotropic(1.2e5, 0.5, 1e-3).unwrap();
    let (a, b) = (law.tangent([0.0; 3], Projection::Exact), small.tangent([0.0; 3], Projection::Exact));
    for i in 0..3 {
        for j in 0..3 {
            assert!((a[i][j] - b[i][j]).abs() < 1e-12 * mu_h, "{i} {j}");
        }
    }
}

#[test]
fn collapsed_triangles_are_finite_and_rubber_pushes_back() {
    let (t, rest) = sheet(1, 0.0, 1);
    let m = Membranes::from_rest(&t, &rest, DVec3::unit_x()).unwrap();
    for law in laws() {
        let cloth = Cloth { membranes: m.view(), law };
        for x in [
            vec![DVec3::zero(); 4],
            vec![DVec3::one() * 1e-200; 4],
            rest.iter().map(|p| DVec3::unit_x() * p.x).collect(),
            rest.iter().map(|p| DVec3::new(p.x, 1e-12 * p.y, 0.0)).collect(),
        ] {
            assert!(energy(&cloth, &x).is_finite() && energy(&cloth, &x) > 0.0);
            assert!(forces(&cloth, &x).iter().all(|f| impinge_geometry::is_finite(*f)));
            let spd = hessian(&cloth, &x, Projection::Spd);
            assert!(spd.iter().flatten().all(|v| v.is_finite()));
            assert!(is_positive_semidefinite(&spd, 1e-12));
        }
        // Squeezed to 5 % of its width, past the parabola: the sides push outward.
        let x: Vec<DVec3> = rest.iter().map(|p| DVec3::new(p.x, 0.05 * p.y, 0.0)).collect();
        let f = forces(&cloth, &x);
        assert!(f[2].y > 0.0 && f[0].y < 0.0, "{law:?} {f:?}");
    }
}

#[test]
fn constant_strain_patch_is_exact() {
    // The sheet has distorted triangles. Its border is moved by one affine map; the inner nodes must find it.
    let n = 4;
    let (t, rest) = sheet(n, 0.35, 7);
    let m = Membranes::from_rest(&t, &rest, DVec3::unit_x()).unwrap();
    let map = |p: DVec3| turned(DVec3::new(1.08 * p.x + 0.06 * p.y, 0.03 * p.x + 1.05 * p.y, 0.0));
    let want: Vec<DVec3> = rest.iter().map(|&p| map(p)).collect();
    let inner: Vec<usize> = (0..rest.len())
        .filter(|i| {
            let (a, b) = (i % (n as usize + 1), i / (n as usize + 1));
            a % n as usize != 0 && b % n as usize != 0
        })
        .collect();
    for law in laws() {
        let cloth = Cloth { membranes: m.view(), law };
        let strain = cloth.strain(0, &t[0].map(|i| want[i as usize]));
        for (e, n) in t.iter().enumerate() {
            let other = cloth.strain(e, &n.map(|i| want[i as usize]));
            assert!((0..3).all(|c| (other[c] - strain[c]).abs() < 1e-14), "triangle {e}");
        }
        let f = forces(&cloth, &want);
        let edge = f.iter().fold(0.0, |m: f64, f| m.max(f.mag()));
        for &i in &inner {
            assert!(f[i].mag() < 1e-13 * edge, "node {i}: {}", f[i].mag() / edge);
        }
        let mut x = want.clone();
        let mut s = Stream(4);
        inner.iter().for_each(|&i| x[i] += s.vector(0.02));
        let free: Vec<usize> = inner.iter().flat_map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let none = vec![DVec3::zero(); x.len()];
        equilibrium(&mut x, &none, &free, 0.1, 1e-12 * edge, |x, p| {
            (energy(&cloth, x), forces(&cloth, x), hessian(&cloth, x, p))
        });
        let error = x.iter().zip(&want).fold(0.0, |m: f64, (a, b)| m.max((*a - *b).mag()));
        assert!(error < 1e-12, "{law:?}: {error:e}");
        // The energy is the density times the area.
        let whole = law.energy_density(strain);
        assert!((energy(&cloth, &x) - whole).abs() < 1e-12 * whole);
    }
}

#[test]
fn rolling_a_sheet_costs_no_membrane_energy() {
    // Columns of the grid go to the corners of a polygon whose sides are as long as the squares: an isometry.
    let n = 12u32;
    let (t, rest) = sheet(n, 0.0, 1);
    let m = Membranes::from_rest(&t, &rest, DVec3::unit_x()).unwrap();
    let turn = 0.35f64;
    let radius = 0.5 / f64::from(n) / (0.5 * turn).sin();
    let rolled: Vec<DVec3> = rest
        .iter()
        .map(|p| {
            let angle = turn * (p.x * f64::from(n)).round();
            turned(DVec3::new(radius * angle.sin(), p.y, radius * (1.0 - angle.cos())))
        })
        .collect();
    for law in laws() {
        let cloth = Cloth { membranes: m.view(), law };
        let stretched: Vec<DVec3> = rolled.iter().map(|p| *p * 1.01).collect();
        let (a, b) = (energy(&cloth, &rolled), energy(&cloth, &stretched));
        assert!(a < 1e-20 * b.max(1.0) && b > 1e-3, "{a:e} against {b:e} for one percent of stretch");
    }
}

#[test]
fn pattern_and_rest_positions_agree_and_masses_add_up() {
    let (t, rest) = sheet(4, 0.3, 3);
    let pattern: Vec<[[f64; 2]; 3]> =
        t.iter().map(|n| n.map(|i| [rest[i as usize].x, rest[i as usize].y])).collect();
    let flat = Membranes::from_pattern(&t, &pattern, rest.len()).unwrap();
    let lifted: Vec<DVec3> = rest.iter().map(|&p| turned(p)).collect();
    let spatial = Membranes::from_rest(&t, &lifted, turned(DVec3::unit_x())).unwrap();
    let mut s = Stream(8);
    let x: Vec<DVec3> = rest.iter().map(|p| *p + s.vector(0.05)).collect();
    let law = laws()[1];
    let a = forces(&Cloth { membranes: flat.view(), law }, &x);
    let b = forces(&Cloth { membranes: spatial.view(), law }, &x);
    for (a, b) in a.iter().zip(&b) {
        assert!((*a - *b).mag() < 1e-11, "{a:?} {b:?}");
    }
    // The same cloth cut at right angles to the warp is another cloth.
    let across = Membranes::from_rest(&t, &rest, DVec3::unit_y()).unwrap();
    let c = forces(&Cloth { membranes: across.view(), law }, &x);
    assert!(a.iter().zip(&c).any(|(a, c)| (*a - *c).mag() > 1.0));
    let mut mass = vec![0.0; rest.len()];
    flat.view().add_masses(0.2, &mut mass);
    assert!((mass.iter().sum::<f64>() - 0.2).abs() < 1e-15);
    assert!(mass.iter().all(|&m| m > 0.0));
}

#[test]
fn wide_kernels_have_the_bits_of_the_scalar_twin_for_any_number_of_threads() {
    let n = 70u32;
    let (t, rest) = sheet(n, 0.3, 11);
    let mut s = Stream(2);
    // Taut, slack and crumpled triangles; some collapsed, some turned over, some at rest.
    let mut x: Vec<DVec3> = rest.iter().map(|p| *p + s.vector(0.7 / f64::from(n))).collect();
    x[40..60].fill(DVec3::one());
    x[100..200].copy_from_slice(&rest[100..200]);
    for law in laws() {
        for count in [1, 7, 8, 15, t.len()] {
            let m = Membranes::from_rest(&t[..count], &rest, DVec3::unit_x()).unwrap();
            assert_wide_is_scalar(Cloth { membranes: m.view(), law }, &x);
        }
    }
}

#[test]
fn bad_input_is_refused_with_the_reason() {
    let x = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_x() * 2.0];
    let reason = |r: Result<Membranes, impinge_elasticity::BadElement>| r.unwrap_err().to_string();
    let from = |t: [u32; 3], x: &[DVec3]| Membranes::from_rest(&[t], x, DVec3::unit_x());
    assert!(reason(from([0, 1, 9], &x)).contains("names node 9"));
    assert!(reason(from([0, 1, 1], &x)).contains("twice"));
    assert!(reason(from([0, 1, 3], &x)).contains("rest area 0 m²"));
    assert!(reason(from([0, 1, 2], &[DVec3::one() * f64::NAN; 3])).contains("rest position 0"));
    assert!(reason(Membranes::from_pattern(&[[0, 1, 2]], &[], 3)).contains("1 triangles but 0 pattern"));
    let nan = [[[0.0, 0.0], [1.0, f64::NAN], [0.0, 1.0]]];
    assert!(reason(Membranes::from_pattern(&[[0, 1, 2]], &nan, 3)).contains("no usable rest shape"));
    // Warp normal to a triangle, a warp of zero length: the first side stands in.
    for warp in [DVec3::unit_z(), DVec3::zero()] {
        assert_eq!(Membranes::from_rest(&[[0, 1, 2]], &x, warp).unwrap().inverse[0], [1.0, 0.0, 0.0, 1.0]);
    }
    let law = |r: Result<MembraneLaw, impinge_elasticity::BadElement>| r.unwrap_err().to_string();
    assert!(law(MembraneLaw::isotropic(0.0, 0.3, 1e-3)).contains("Young's modulus is 0 Pa"));
    assert!(law(MembraneLaw::isotropic(1.0, 1.0, 1e-3)).contains("Poisson's ratio is 1"));
    assert!(law(MembraneLaw::isotropic(1.0, 0.3, f64::INFINITY)).contains("thickness"));
    assert!(law(MembraneLaw::orthotropic(1.0, 4.0, 1.0, 0.5, 1e-3)).contains("stay below 0.25"));
    assert!(law(MembraneLaw::rubber(-1.0, 1e-3)).contains("shear modulus"));
}
