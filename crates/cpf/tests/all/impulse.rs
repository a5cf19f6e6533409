//! Impulses of one pair: closed forms, brute-force quadrature, invariances.

use impinge_ccd::{Carried, Entry, Kind, Opens};
use impinge_cpf::{
    Normalisation, PairImpulse, Params, Particle, Used, height_impulse, instability, longest_step,
    pair_impulses, plane_impulse, tracked_discrete,
};
use impinge_geometry::DVec3;
use proptest::prelude::*;

const CONSTANT: Normalisation = Normalisation::Constant;
const EXACT: Normalisation = Normalisation::Exact { tolerance: 1e-12 };
const KINDS: [Kind; 2] = [Kind::VertexFace, Kind::EdgeEdge];

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

fn face(z0: f64, z1: f64) -> ([DVec3; 4], [DVec3; 4]) {
    let [a, b, c] = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    ([v(0.25, 0.25, z0), a, b, c], [v(0.25, 0.25, z1), a, b, c])
}

fn impulses(
    kind: Kind,
    x: &([DVec3; 4], [DVec3; 4]),
    c: Option<&Carried>,
    n: Normalisation,
) -> Vec<PairImpulse> {
    let params = Params::new(1.0, n).unwrap();
    pair_impulses(kind, &x.0, &x.1, c, Opens::FromBothSides, 1.0, &params).unwrap().to_vec()
}

/// xorshift, so that the cases are the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self) -> DVec3 {
        v(self.unit() * 2.0 - 1.0, self.unit() * 2.0 - 1.0, self.unit() * 2.0 - 1.0)
    }

    /// A pair whose features are likely to meet; `sigma` is how much they deform.
    fn pair(&mut self, kind: Kind, sigma: f64) -> ([DVec3; 4], [DVec3; 4]) {
        let h = 0.4;
        let base = match kind {
            Kind::VertexFace => [v(0.3, 0.3, h), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)],
            Kind::EdgeEdge => [v(-0.5, 0.0, h), v(0.5, 0.1, h), v(0.0, -0.5, 0.0), v(0.1, 0.5, 0.0)],
        };
        let first = if kind == Kind::VertexFace { 1 } else { 2 };
        let x0 = base.map(|p| p + self.vector() * 0.1);
        let x1 = std::array::from_fn(|i| {
            let fall = if i < first { v(0.0, 0.0, -0.9) } else { DVec3::zero() };
            x0[i] + fall + self.vector() * sigma
        });
        (x0, x1)
    }
}

/// B3: a static triangle and a vertex through it.
#[test]
fn vertex_through_a_face_at_rest() {
    for n in [CONSTANT, EXACT, Normalisation::default()] {
        let got = impulses(Kind::VertexFace, &face(0.5, -0.5), None, n);
        assert_eq!(got.len(), 1);
        assert!((got[0].impulse - v(0.0, 0.0, 0.125)).mag() < 1e-14, "{:?}", got[0].impulse);
        assert!((got[0].depth - 0.5).abs() < 1e-15 && (got[0].energy - 0.125).abs() < 1e-15);
        assert!((got[0].t_in - 0.5).abs() < 1e-12 && got[0].t_out == 1.0);
        // In from (p−q)(0) = (0, 0, ½), straight above: nothing leaks.
        assert!(got[0].couple.mag() < 1e-15);
    }
    let (x0, x1) = face(0.5, -0.5);
    let d =
        tracked_discrete(Kind::VertexFace, &x0, &x1, None, Opens::FromBothSides, 1.0, 1.0).unwrap().unwrap();
    assert!((d.impulse - v(0.0, 0.0, 0.5)).mag() < 1e-15);
}

/// Fig. 4 a: in and out within the step. Discrete forces see nothing, continuous ones do.
#[test]
fn a_pair_that_comes_and_goes_is_felt() {
    let mut numbers = Numbers(2);
    let mut count = 0;
    for i in 0..4000 {
        let kind = KINDS[i % 2];
        let x = numbers.pair(kind, 1.5);
        let got = impulses(kind, &x, None, EXACT);
        let [i] = got[..] else { continue };
        if i.t_out < 1.0 {
            count += 1;
            assert!(i.impulse.mag() > 0.0 && i.depth == 0.0);
            let d = tracked_discrete(kind, &x.0, &x.1, None, Opens::FromBothSides, 1.0, 1.0).unwrap();
            assert!(d.is_none(), "{d:?}");
        }
    }
    assert!(count > 20, "{count}");
}

/// Fig. 3: outside at the start, two intervals; inside at the start, two intervals.
#[test]
fn both_cases_of_figure_3() {
    // With a = 0, b = (1, 0, −t), c = (t, 1, 2.1875 − 1.5t), p = (0.3, 0.2t, z): f = −0.2(t − ¼)(t − ½)(t − ¾), and p stays inside.
    let x0 = [v(0.3, 0.0, 0.01875), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 2.1875)];
    let x1 = [v(0.3, 0.2, 0.01875), v(0.0, 0.0, 0.0), v(1.0, 0.0, -1.0), v(1.0, 1.0, 0.6875)];
    let check = |carried: Option<&Carried>, entry: Entry, want: [[f64; 2]; 2]| {
        let got = impulses(Kind::VertexFace, &(x0, x1), carried, EXACT);
        assert_eq!((got.len(), got[0].entry, got[1].entry), (2, entry, Entry::Contact));
        for (g, w) in got.iter().zip(want) {
            assert!((g.t_in - w[0]).abs() < 1e-12 && (g.t_out - w[1]).abs() < 1e-12, "{g:?}");
            assert!((g.impulse - brute(Kind::VertexFace, &(x0, x1), g, false)).mag() < 1e-9);
        }
    };
    check(None, Entry::Contact, [[0.25, 0.5], [0.75, 1.0]]);
    check(Some(&Carried { side: -1, weight: None }), Entry::Initial, [[0.0, 0.25], [0.5, 0.75]]);
}

/// B4 and B5: the polynomial against 12 points, and L_k against |m|.
#[test]
fn quadrature_by_brute_force() {
    let mut numbers = Numbers(11);
    let mut apart = Vec::new();
    let mut count = 0;
    for i in 0..10_000 {
        let kind = KINDS[i % 2];
        let x = numbers.pair(kind, 0.3);
        let by_constant = impulses(kind, &x, None, CONSTANT);
        let exact = impulses(kind, &x, None, EXACT);
        for (c, e) in by_constant.iter().zip(&exact) {
            count += 1;
            let (want_constant, want_exact) = (brute(kind, &x, c, true), brute(kind, &x, e, false));
            let size = want_exact.mag().max(want_constant.mag()).max(1e-9);
            assert!((c.impulse - want_constant).mag() <= 1e-10 * size, "{kind:?} {x:?}");
            assert!(
                (e.impulse - want_exact).mag() <= 1e-9 * size,
                "{} {:?}",
                (e.impulse - want_exact).mag() / size,
                e
            );
            assert!(
                (c.impulse - e.impulse).mag() <= c.error + e.error + 1e-14,
                "the bound of L_k does not hold"
            );
            apart.push((c.impulse - e.impulse).mag() / e.impulse.mag().max(1e-30));
            let zero = c.on_points().iter().fold(DVec3::zero(), |s, p| s + *p);
            assert!(zero.mag() <= 1e-15 * c.impulse.mag() * 4.0);
        }
    }
    apart.sort_by(f64::total_cmp);
    let (median, p95) = (apart[apart.len() / 2], apart[apart.len() * 95 / 100]);
    println!(
        "L_k against |m|, deformation 0.3 of an edge, {count} intervals: median {median:.4}, 95 % {p95:.4}"
    );
    assert!(count > 5000 && median > 0.005 && median < 0.2 && p95 < 0.9);
}

/// −∫ f m/|m|² dt (or over L_k²) with 400 Gauss–Legendre pairs of points, straight from the points.
fn brute(kind: Kind, x: &([DVec3; 4], [DVec3; 4]), i: &PairImpulse, by_constant: bool) -> DVec3 {
    let at = |t: f64| -> [DVec3; 4] { std::array::from_fn(|k| x.0[k] * (1.0 - t) + x.1[k] * t) };
    let m = |p: &[DVec3; 4]| match kind {
        Kind::VertexFace => (p[2] - p[1]).cross(p[3] - p[1]),
        Kind::EdgeEdge => (p[1] - p[0]).cross(p[3] - p[2]),
    };
    let squares = |f: &dyn Fn(f64) -> f64| composite(0.0, 1.0, 400, f);
    let lk2 = squares(&|t| m(&at(t)).mag_sq());
    let component = |c: usize| {
        composite(i.t_in, i.t_out, 400, &|t| {
            let p = at(t);
            let n = m(&p);
            let apart = (0..4).fold(DVec3::zero(), |s, k| s + p[k] * i.weight[k]);
            let len = if by_constant { lk2 } else { n.mag_sq() };
            -n.dot(apart) * n[c] / len
        })
    };
    v(component(0), component(1), component(2))
}

fn composite(a: f64, b: f64, n: usize, f: &dyn Fn(f64) -> f64) -> f64 {
    let h = (b - a) / n as f64;
    let d = 0.5 * h / 3f64.sqrt();
    (0..n).map(|i| a + h * (i as f64 + 0.5)).map(|mid| 0.5 * h * (f(mid - d) + f(mid + d))).sum()
}

#[test]
fn auto_takes_the_constant_where_it_is_good_enough() {
    let auto = |tolerance| Normalisation::Auto { tolerance };
    // Nothing turns: L_k is exact.
    let rigid = impulses(Kind::VertexFace, &face(0.5, -0.5), None, auto(1e-12));
    assert_eq!((rigid[0].used, rigid[0].error), (Used::Constant, 0.0));
    let mut numbers = Numbers(3);
    let mut used = [0, 0];
    for _ in 0..500 {
        let sigma = 0.3 * numbers.unit();
        let x = numbers.pair(Kind::EdgeEdge, sigma);
        let exact = impulses(Kind::EdgeEdge, &x, None, EXACT);
        for (a, e) in impulses(Kind::EdgeEdge, &x, None, auto(0.2)).iter().zip(&exact) {
            used[usize::from(a.used == Used::Exact)] += 1;
            assert!((a.impulse - e.impulse).mag() <= a.error + 1e-14);
            assert!(a.error <= 0.2 * a.impulse.mag() * 2.0);
        }
    }
    assert!(used[0] > 20 && used[1] > 20, "{used:?}");
}

/// Edges that become parallel and a triangle that collapses within the interval: finite, and the same as a fine sum.
#[test]
fn normals_that_vanish_on_the_way() {
    // Edge ab turns over the step through the direction of cd, sinking all the while.
    let x0 = [v(-1.0, -0.5, 0.1), v(1.0, 0.5, 0.1), v(-1.0, 0.0, 0.0), v(1.0, 0.0, 0.0)];
    let x1 = [v(-1.0, 0.5, -0.4), v(1.0, -0.5, -0.4), v(-1.0, 0.0, 0.0), v(1.0, 0.0, 0.0)];
    let got = impulses(Kind::EdgeEdge, &(x0, x1), None, EXACT);
    assert_eq!(got.len(), 1);
    let (i, want) = (&got[0], brute(Kind::EdgeEdge, &(x0, x1), &got[0], false));
    assert!((i.impulse - want).mag() <= 1e-6 * want.mag(), "{:?} {want:?}", i.impulse);
    assert_eq!((i.side, i.side_end), (-i.side_end, i.side_end));
    assert!((i.depth - 0.4).abs() < 1e-12, "{}", i.depth);
    let collapsed = [v(0.2, 0.0, 0.1), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.5, 0.0, 0.0)];
    let sunk = [v(0.2, 0.0, -0.1), v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.5, 0.0, 0.0)];
    assert!(impulses(Kind::VertexFace, &(collapsed, sunk), None, EXACT).is_empty());
}

#[test]
fn sizes_at_the_ends_of_the_range_do_no_harm() {
    for size in [1e-100, 1e-60, 1e60, 1e100, 1e300] {
        let (x0, x1) = face(0.5, -0.5);
        let x = (x0.map(|p| p * size), x1.map(|p| p * size));
        for n in [CONSTANT, EXACT] {
            for i in impulses(Kind::VertexFace, &x, None, n) {
                assert!(
                    i.impulse.mag().is_finite() && i.depth.is_finite() && i.energy.is_finite() || size > 1e70
                );
                assert!(!i.impulse.x.is_nan() && !i.energy.is_nan());
            }
        }
    }
}

#[test]
fn the_plane_in_closed_form() {
    let p = Params::new(0.01, CONSTANT).unwrap();
    // T7's numbers: height 0.1, falling by 0.4, k = 1000: −k∫ over [¼, 1] is 112.5, times Δt.
    let got = height_impulse(0.1, -0.3, 1000.0, &p);
    assert!((got.impulse - 1.125).abs() < 1e-15 && (got.interval.unwrap()[0] - 0.25).abs() < 1e-15);
    let up = height_impulse(-0.3, 0.1, 1000.0, &p);
    assert!(
        (up.impulse - 1.125).abs() < 1e-15
            && up.depth == 0.0
            && (up.interval.unwrap()[1] - 0.75).abs() < 1e-15
    );
    assert!(height_impulse(0.1, 0.0, 1.0, &p).interval.is_none());
    let n = v(0.6, 0.0, 0.8);
    let tilted = plane_impulse(n * 1.1, n * 0.7, n, 1.0, 1000.0, &p);
    assert!((tilted.impulse - 1.125).abs() < 1e-12);
}

#[test]
fn bad_parameters_are_refused_with_the_fix() {
    assert!(Params::new(0.0, CONSTANT).unwrap_err().to_string().contains("dt is 0 s"));
    assert!(Params::new(1.0, Normalisation::Exact { tolerance: 0.0 }).is_err());
    assert!(impinge_cpf::check_stiffness(-2.0).unwrap_err().to_string().contains("must be a positive"));
    let e = instability(0.1, 1e4, 1.0).unwrap();
    assert!((e.dt_limit - longest_step(1e4, 1.0)).abs() < 1e-18 && e.to_string().contains("below 2"));
    assert!(instability(0.01, 1e4, 1.0).is_none() && instability(f64::NAN, 1.0, 1.0).is_some());
}

fn point() -> impl Strategy<Value = DVec3> {
    (-8i32..9, -8i32..9, -8i32..9).prop_map(|(x, y, z)| v(f64::from(x), f64::from(y), f64::from(z)) * 0.25)
}

fn points() -> impl Strategy<Value = [DVec3; 4]> {
    [point(), point(), point(), point()]
}

proptest! {
    /// On a coarse grid degenerate pairs are common: nothing panics, everything is finite and balanced, exact and brute agree.
    #[test]
    fn any_pair(x0 in points(), x1 in points(), side in -1i8..2, edges in any::<bool>()) {
        let kind = KINDS[usize::from(edges)];
        let carried = Carried { side, weight: None };
        for n in [CONSTANT, EXACT, Normalisation::default()] {
            for i in impulses(kind, &(x0, x1), Some(&carried), n) {
                prop_assert!(i.impulse.mag().is_finite() && i.error.is_finite() && i.depth >= 0.0);
                let sum = i.on_points().iter().fold(DVec3::zero(), |s, p| s + *p);
                prop_assert!(sum.mag() <= 1e-14 * (1.0 + i.impulse.mag()));
                prop_assert!((i.normal.mag() - 1.0).abs() < 1e-12 || i.normal == DVec3::zero());
                if n == EXACT {
                    let want = brute(kind, &(x0, x1), &i, false);
                    prop_assert!((i.impulse - want).mag() <= 2e-3 * (1.0 + want.mag()), "{:?} {want:?}", i.impulse);
                }
            }
        }
    }

    /// Moving everything by whole numbers changes nothing; turning the motion around gives the same intervals backwards.
    #[test]
    fn moved_and_turned(seed in 1u64..1_000_000, dx in -4i32..5, dz in -4i32..5) {
        let kind = KINDS[(seed % 2) as usize];
        let x = Numbers(seed).pair(kind, 0.3);
        let d = v(f64::from(dx), 3.0, f64::from(dz));
        let there = (x.0.map(|p| p + d), x.1.map(|p| p + d));
        let (a, b) = (impulses(kind, &x, None, EXACT), impulses(kind, &there, None, EXACT));
        prop_assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(&b) {
            prop_assert!((a.impulse - b.impulse).mag() <= 1e-11);
        }
        // A quarter turn about x.
        let turned = |p: DVec3| v(p.x, -p.z, p.y);
        let c = impulses(kind, &(x.0.map(turned), x.1.map(turned)), None, EXACT);
        prop_assert_eq!(a.len(), c.len());
        for (a, c) in a.iter().zip(&c) {
            prop_assert!((turned(a.impulse) - c.impulse).mag() <= 1e-11);
        }
    }
}

/// Where there is no step to make the state stays; it panicked.
#[test]
fn the_particle_stays_where_there_is_no_step() {
    let p = Particle::new(1.0, 9.81, false).unwrap();
    let both = Particle { bilateral: true, ..p };
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for p in [p, both] {
            for dt in [bad, 0.0, -0.01] {
                let s = p.conserving(-0.1, 0.5, 1e4, 1.0, dt);
                assert_eq!((s.x, s.v, s.impulse), (-0.1, 0.5, 0.0), "dt {dt}");
            }
            for (k, c) in [(bad, 1.0), (1e4, bad)] {
                let s = p.conserving(-0.1, 0.5, k, c, 0.01);
                assert_eq!((s.x, s.v, s.impulse), (-0.1, 0.5, 0.0), "k {k}, c {c}");
            }
            let s = p.conserving(bad, 0.5, 1e4, 1.0, 0.01);
            assert_eq!((s.x.to_bits(), s.v, s.impulse), (bad.to_bits(), 0.5, 0.0));
            let s = p.conserving(-0.1, bad, 1e4, 1.0, 0.01);
            assert_eq!((s.x, s.v.to_bits(), s.impulse), (-0.1, bad.to_bits(), 0.0));
        }
    }
}
