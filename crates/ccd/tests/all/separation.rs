//! Minimum separation against dense sampling with the geometry crate's nearest points, closed forms, exact thresholds.

use impinge_ccd::Kind;
use impinge_ccd::separation::{SeparationError, Within, first_within, tolerance, within, within_into};
use impinge_geometry::{DVec3, closest_between_segments, closest_on_triangle};
use proptest::prelude::*;

const KINDS: [Kind; 2] = [Kind::VertexFace, Kind::EdgeEdge];

fn at(x0: &[DVec3; 4], x1: &[DVec3; 4], t: f64) -> [DVec3; 4] {
    std::array::from_fn(|i| x0[i] * (1.0 - t) + x1[i] * t)
}

fn distance(kind: Kind, x: &[DVec3; 4]) -> f64 {
    match kind {
        Kind::VertexFace => closest_on_triangle(x[0], [x[1], x[2], x[3]]).distance_squared.sqrt(),
        Kind::EdgeEdge => closest_between_segments([x[0], x[1]], [x[2], x[3]]).distance_squared.sqrt(),
    }
}

/// M of the tolerance: largest coordinate difference between the features at either end.
fn reach(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> f64 {
    let split = if kind == Kind::VertexFace { 1 } else { 2 };
    let mut m = 0.0f64;
    for x in [x0, x1] {
        for a in &x[..split] {
            for b in &x[split..] {
                let d = *a - *b;
                m = m.max(d.x.abs()).max(d.y.abs()).max(d.z.abs());
            }
        }
    }
    m
}

/// All three guarantees, as far as 400 samples and an independent distance can see.
fn check(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4], d: f64) -> Option<Within> {
    let got = within(kind, x0, x1, d).unwrap();
    let m = reach(kind, x0, x1);
    let slack = 1e-13 * m;
    let clear_until = got.map_or(1.0, |w| w.t);
    for i in 0..=400 {
        let t = f64::from(i) / 400.0;
        if t < clear_until || got.is_none() {
            let there = distance(kind, &at(x0, x1, t));
            assert!(there > d - slack, "{kind:?} d={d}: {there} at {t}, reported {got:?}\n{x0:?}\n{x1:?}");
        }
    }
    if let Some(w) = got {
        let there = distance(kind, &at(x0, x1, w.t));
        // Below 2⁻²⁴M the direction between features that lie along each other is noise, and the tolerance grows.
        let limit = d + tolerance(d, m) + if d < m * 2.0f64.powi(-24) { m * 2.0f64.powi(-24) } else { 0.0 };
        assert!(
            there <= w.distance + slack && w.distance <= limit,
            "{kind:?} d={d}: {there} {w:?} {limit}\n{x0:?}\n{x1:?}"
        );
    }
    got
}

fn point(r: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-r..r).prop_map(DVec3::from)
}

fn four(r: f64) -> impl Strategy<Value = [DVec3; 4]> {
    prop::array::uniform4(point(r))
}

/// Small whole numbers: parallel edges, collapsed triangles, features at rest, equal distances.
fn grid() -> impl Strategy<Value = [DVec3; 4]> {
    prop::array::uniform4(prop::array::uniform3(-2..3i8).prop_map(|p| DVec3::from(p.map(f64::from))))
}

fn thickness() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1e-9), 1e-4..1e-2f64, 0.01..1.0f64, Just(0.25), Just(1.0)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: std::env::var("PROPTEST_CASES").map_or(400, |n| n.parse().unwrap()), failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_motion(x0 in four(1.0), x1 in four(1.0), d in thickness()) {
        for kind in KINDS {
            check(kind, &x0, &x1, d);
        }
    }

    #[test]
    fn small_motion_of_near_features(x0 in four(0.5), v in four(0.2), d in thickness()) {
        let x1 = std::array::from_fn(|i| x0[i] + v[i]);
        for kind in KINDS {
            check(kind, &x0, &x1, d);
        }
    }

    #[test]
    fn whole_numbers(x0 in grid(), x1 in grid(), d in thickness()) {
        for kind in KINDS {
            check(kind, &x0, &x1, d);
        }
    }

    /// Slivers: three points nearly on a line.
    #[test]
    fn slivers(a in point(1.0), u in point(1.0), v in four(0.3), e in prop_oneof![Just(1e-3), Just(1e-7), Just(1e-11), Just(1e-15)],
               w in point(1.0), p in point(0.3), d in thickness()) {
        let x0 = [a + u * 0.4 + p, a, a + u, a + u * 0.5 + w * e];
        let x1 = std::array::from_fn(|i| x0[i] + v[0] + v[i] * e);
        let y0 = [a, a + u, a + p, a + p + u + w * e];
        let y1 = std::array::from_fn(|i| y0[i] + v[i]);
        check(Kind::VertexFace, &x0, &x1, d);
        check(Kind::EdgeEdge, &y0, &y1, d);
    }

    /// Powers of two change nothing but the unit; 2^±700 leaves the range of squares.
    #[test]
    fn units(x0 in four(1.0), x1 in four(1.0), d in thickness()) {
        for kind in KINDS {
            let here = within(kind, &x0, &x1, d).unwrap();
            for e in [-700, -40, 700] {
                let s = 2.0f64.powi(e);
                let there = within(kind, &x0.map(|p| p * s), &x1.map(|p| p * s), d * s).unwrap();
                prop_assert_eq!(here.map(|w| w.t), there.map(|w| w.t), "2^{}", e);
                prop_assert_eq!(here.map(|w| w.distance * s), there.map(|w| w.distance));
            }
        }
    }
}

/// A vertex that falls on a face, an edge that falls across an edge: t = (height − d)/speed.
#[test]
fn straight_falls() {
    let (o, x, y, z) = (DVec3::zero(), DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
    let p = DVec3::new(0.25, 0.25, 1.0);
    let face = |p: DVec3| [p, o, x, y];
    let w = check(Kind::VertexFace, &face(p), &face(p - z * 2.0), 0.125).unwrap();
    assert!(w.t <= 0.4375 && w.t > 0.4375 - 1e-6, "{w:?}");
    let cross = |h: f64| [x * -1.0 + z * h, x + z * h, y * -1.0, y];
    let w = check(Kind::EdgeEdge, &cross(1.0), &cross(-1.0), 0.25).unwrap();
    assert!(w.t <= 0.375 && w.t > 0.375 - 1e-6, "{w:?}");
    // Past the corner (1,0,0), 0.5 beside it: within 0.625 from 0.375 before it.
    let past = |x: f64| face(DVec3::new(x, -0.5, 0.0));
    let w = check(Kind::VertexFace, &past(5.0), &past(1.0), 0.625).unwrap();
    assert!(w.t <= 0.90625 && w.t > 0.90625 - 1e-6, "{w:?}");
}

/// The distance falls to exactly d at one instant or stays there: hits. A millionth and a little more away: misses.
#[test]
fn exactly_at_the_thickness() {
    let (o, x, y, z) = (DVec3::zero(), DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
    for d in [0.5, 0.25, 2.0f64.powi(-20)] {
        for (scale, hit) in [(1.0, true), (1.0 + 2e-6 + 1e-9 / d, false)] {
            let h = d * scale;
            // Slides over the face; passes the corner; rests; touches d with its end.
            let slide = |s: f64| [DVec3::new(s, 0.25, h), o, x, y];
            let pass = |s: f64| [DVec3::new(s, -h, 0.0), x * -0.0, y, y + z];
            for (a, b) in [
                (slide(-3.0), slide(4.0)),
                (pass(-3.0), pass(3.0)),
                (slide(0.25), slide(0.25)),
                ([DVec3::new(0.25, 0.25, 2.0), o, x, y], slide(0.25)),
            ] {
                assert_eq!(
                    check(Kind::VertexFace, &a, &b, d).is_some(),
                    hit,
                    "d={d} scale={scale} {a:?} {b:?}"
                );
            }
            // Parallel edges, and an edge over the other's end.
            let over = |s: f64| [x * (s - 1.0) + z * h, x * (s + 1.0) + z * h, o, x];
            let ends = |s: f64| [x * (1.0 + h), x * (3.0 + h) + z * s, y * -0.0, x];
            for (a, b) in [(over(-5.0), over(5.0)), (over(0.0), over(0.5)), (ends(1.0), ends(-1.0))] {
                assert_eq!(
                    check(Kind::EdgeEdge, &a, &b, d).is_some(),
                    hit,
                    "d={d} scale={scale} {a:?} {b:?}"
                );
            }
        }
    }
}

/// A vertex at constant distance above a triangle that turns: the case that costs conservative advancement most.
#[test]
fn a_hair_above_a_turning_triangle() {
    for d in [1e-1, 1e-3, 1e-5] {
        for gap in [1e-4, 1e-6, 1e-8] {
            // The triangle turns about x by a straight motion of its corners; the vertex keeps (nearly) d + gap.
            let n = |angle: f64| DVec3::new(0.0, -angle.sin(), angle.cos());
            let corner = |k: f64, angle: f64| {
                let (s, c) = (k * std::f64::consts::TAU / 3.0).sin_cos();
                DVec3::new(c, s * angle.cos(), s * angle.sin())
            };
            let x = |angle: f64| {
                [n(angle) * (d + gap), corner(0.0, angle), corner(1.0, angle), corner(2.0, angle)]
            };
            check(Kind::VertexFace, &x(0.0), &x(0.3), d);
        }
    }
}

/// d = 0 is contact: exact, so that falling to a hair above the face is none, and sliding on it is one.
#[test]
fn no_thickness_is_contact() {
    let (o, x, y, z) = (DVec3::zero(), DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
    let face = |h: f64| [DVec3::new(0.25, 0.25, h), o, x, y];
    let tiny = 2.0f64.powi(-60);
    assert_eq!(within(Kind::VertexFace, &face(1.0), &face(tiny), 0.0).unwrap(), None);
    assert_eq!(within(Kind::VertexFace, &face(1.0), &face(0.0), 0.0).unwrap().map(|w| w.t), Some(1.0));
    let w = within(Kind::VertexFace, &face(0.5), &face(-0.5), 0.0).unwrap().unwrap();
    assert!(w.t <= 0.5 && w.t > 0.5 - 1e-12 && w.distance < 1e-11, "{w:?}");
    let edges = |s: f64| [x * s, x * (s + 1.0), z * tiny, y + z * tiny];
    assert_eq!(within(Kind::EdgeEdge, &edges(1.0), &edges(-0.5), 0.0).unwrap(), None);
    let edges = |s: f64| [x * s, x * (s + 1.0), o, y];
    let w = within(Kind::EdgeEdge, &edges(1.0), &edges(-1.0), 0.0).unwrap().unwrap();
    assert!(w.t <= 0.5 && w.t > 0.5 - 1e-12, "{w:?}");
}

#[test]
fn batches_agree_with_single_pairs() {
    let mut seed = 7u64;
    let mut unit = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut cloud = |n: usize| -> Vec<DVec3> { (0..n).map(|_| DVec3::new(unit(), unit(), unit())).collect() };
    let (x0, x1) = (cloud(60), cloud(60));
    let stencils: Vec<[u32; 4]> = (0..57).map(|i| [i, i + 1, i + 2, i + 3]).collect();
    for kind in KINDS {
        let mut out = vec![None; stencils.len()];
        within_into(kind, &x0, &x1, &stencils, 0.01, &mut out).unwrap();
        let mut first: Option<(usize, Within)> = None;
        for (i, s) in stencils.iter().enumerate() {
            let p = s.map(|i| i as usize);
            let one = within(kind, &p.map(|i| x0[i]), &p.map(|i| x1[i]), 0.01).unwrap();
            assert_eq!(one, out[i]);
            if let Some(w) = one
                && first.is_none_or(|f| w.t < f.1.t)
            {
                first = Some((i, w));
            }
        }
        let got = first_within(kind, &x0, &x1, &stencils, 0.01).unwrap().unwrap();
        // A search that stops earlier takes other steps: the same pair, and a time within the tolerance.
        assert_eq!(got.0, first.unwrap().0);
        assert!((got.1.t - first.unwrap().1.t).abs() < 1e-5);
    }
}

#[test]
fn refusals() {
    let x = [DVec3::zero(); 4];
    let mut bad = x;
    bad[2].y = f64::NAN;
    for kind in KINDS {
        assert_eq!(within(kind, &x, &x, 0.0).unwrap(), Some(Within { t: 0.0, distance: 0.0 }));
        for d in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(within(kind, &x, &x, d), Err(SeparationError::Thickness(_))));
        }
        let e = within(kind, &x, &bad, 1.0).unwrap_err();
        assert!(e.to_string().contains("point 2") && e.to_string().contains("end"), "{e}");
        let w = within(kind, &[DVec3::unit_x() * 1e-200; 4], &x, 1e300).unwrap();
        assert_eq!(w.map(|w| w.t), Some(0.0));
    }
    assert!(SeparationError::Thickness(-1.0).to_string().contains("at least 0"));
}
