//! Closest points against a certificate: q is the closest point of a convex set to p exactly when
//! (p − q)·(v − q) ≤ 0 for every corner v. No sampling is as sharp. A direct minimisation stands beside it.

use impinge_geometry::{
    ClosestPoint, DVec3, TriangleFeature, closest_between_segments, closest_on_segment, closest_on_triangle,
    generators,
};
use proptest::prelude::*;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// How far the certificate is violated, over the square of the largest length in play.
fn violation(p: DVec3, q: DVec3, corners: &[DVec3]) -> f64 {
    let size = corners.iter().map(|&c| (p - c).mag()).fold(0.0, f64::max);
    let worst = corners.iter().map(|&c| (p - q).dot(c - q)).fold(0.0, f64::max);
    if size == 0.0 { worst } else { worst / (size * size) }
}

fn check(p: DVec3, t: [DVec3; 3], tolerance: f64) -> Result<ClosestPoint, TestCaseError> {
    let c = closest_on_triangle(p, t);
    let [wa, wb, wc] = c.weights;
    prop_assert!(c.weights.iter().all(|w| (0.0..=1.0).contains(w)), "{c:?}");
    prop_assert!((wa + wb + wc - 1.0).abs() <= 2.0 * f64::EPSILON, "{c:?}");
    let size = t.iter().map(|x| x.mag()).fold(p.mag(), f64::max).max(f64::MIN_POSITIVE);
    let blended = t[0] * wa + t[1] * wb + t[2] * wc;
    prop_assert!((blended - c.point).mag() <= 4.0 * f64::EPSILON * size, "{c:?}");
    prop_assert_eq!(c.distance_squared, (p - c.point).mag_sq());
    prop_assert!(violation(p, c.point, &t) <= tolerance, "{} {c:?}", violation(p, c.point, &t));
    // The feature names the weights that are not zero.
    let support: Vec<usize> = (0..3).filter(|&i| c.weights[i] > 0.0).collect();
    let named = match c.feature {
        TriangleFeature::Face => vec![0, 1, 2],
        TriangleFeature::Vertex(i) => vec![i as usize],
        TriangleFeature::Edge(i) => {
            let mut e = vec![i as usize, (i as usize + 1) % 3];
            e.sort_unstable();
            e
        }
    };
    prop_assert_eq!(support, named, "{:?}", c);
    Ok(c)
}

fn point(extent: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-extent..extent).prop_map(DVec3::from)
}

/// Lattice points: ties, right angles, coincident and collinear corners come up all the time.
fn lattice() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-2i8..3).prop_map(|a| DVec3::from(a.map(f64::from)))
}

proptest! {
    #[test]
    fn any_triangle_is_certified(p in point(2.0), t in prop::array::uniform3(point(1.0))) {
        check(p, t, 1e-13)?;
    }

    #[test]
    fn lattice_triangles_are_certified(p in lattice(), t in prop::array::uniform3(lattice())) {
        check(p, t, 1e-15)?;
    }

    /// Needles and caps down to 1e-12 of their length.
    #[test]
    fn slivers_are_certified(
        p in point(2.0), a in point(1.0), b in point(1.0), s in 0.0..1.0f64, off in point(1.0), exponent in 0..13i32
    ) {
        let c = a + (b - a) * s + off * 10f64.powi(-exponent);
        for t in [[a, b, c], [b, c, a], [c, b, a]] {
            check(p, t, 1e-11)?;
        }
    }

    #[test]
    fn collapsed_triangles_are_segments_or_points(p in point(2.0), a in point(1.0), b in point(1.0), s in -1.0..2.0f64) {
        let on_line = closest_on_segment(p, [a, b]);
        for t in [[a, a, b], [a, b, b], [b, a, b]] {
            let c = check(p, t, 1e-15)?;
            prop_assert_eq!(c.distance_squared, on_line.distance_squared);
            prop_assert!(c.feature != TriangleFeature::Face);
        }
        let c = check(p, [a; 3], 0.0)?;
        prop_assert_eq!((c.feature, c.point), (TriangleFeature::Vertex(0), a));
        check(p, [a, b, a + (b - a) * s], 1e-13)?;
    }

    /// A query so far away that only rounding decides where on the triangle it lands: still on the triangle.
    #[test]
    fn far_queries_stay_on_the_triangle(p in point(1.0), t in prop::array::uniform3(point(1.0)), exponent in 0..30i32) {
        let size = 10f64.powi(-exponent);
        check(p, t.map(|x| x * size), 1e-13)?;
        check(p, t.map(|x| v(0.0, 0.0, 0.3) + x * size), 1e-13)?;
        let b = t.map(|x| v(0.0, 0.0, 0.3) + x * size);
        check_pair([p, p + t[0]], [b[0], b[1]], 1e-12)?;
    }

    /// Coordinates of any size: no NaN; and the answer scales with the input.
    #[test]
    fn every_scale_is_total(p in point(2.0), t in prop::array::uniform3(point(1.0)), exponent in -300..300i32) {
        let s = 2f64.powi(exponent);
        let c = closest_on_triangle(p * s, t.map(|x| x * s));
        prop_assert!(!c.distance_squared.is_nan() && c.point.mag_sq() >= 0.0);
        let want = closest_on_triangle(p, t);
        // Squares of squares survive down to about 1e-77 m; below that a triangle is as good as a point.
        if exponent > -240 {
            prop_assert!((c.point / s - want.point).mag() < 1e-9, "{c:?} {want:?}");
        } else {
            prop_assert!((c.point - want.point * s).mag() < 1e-70);
        }
    }

    #[test]
    fn agrees_with_nested_search(p in point(2.0), t in prop::array::uniform3(point(1.0))) {
        // Golden-section in both barycentric directions; the distance is convex in each.
        let at = |s: f64, r: f64| t[0] * (1.0 - s) + (t[1] * (1.0 - r) + t[2] * r) * s;
        let search = |f: &dyn Fn(f64) -> f64| {
            let (mut lo, mut hi) = (0.0f64, 1.0f64);
            for _ in 0..60 {
                let (x, y) = (lo + 0.382 * (hi - lo), lo + 0.618 * (hi - lo));
                if f(x) < f(y) { hi = y } else { lo = x }
            }
            f(0.5 * (lo + hi)).min(f(0.0)).min(f(1.0))
        };
        let found = search(&|s| search(&|r| (p - at(s, r)).mag_sq()));
        let c = closest_on_triangle(p, t);
        prop_assert!((c.distance_squared - found).abs() < 1e-9, "{} {found}", c.distance_squared);
        prop_assert!(c.distance_squared <= found + 1e-13);
    }

    #[test]
    fn segments_are_certified(a in prop::array::uniform2(point(1.0)), b in prop::array::uniform2(point(1.0))) {
        check_pair(a, b, 1e-13)?;
    }

    #[test]
    fn lattice_segments_are_certified(a in prop::array::uniform2(lattice()), b in prop::array::uniform2(lattice())) {
        check_pair(a, b, 1e-15)?;
    }

    #[test]
    fn nearly_parallel_segments_are_certified(
        a in prop::array::uniform2(point(1.0)), shift in point(1.0), tilt in prop::array::uniform2(point(1.0)),
        exponent in 0..18i32, flip: bool
    ) {
        let s = 10f64.powi(-exponent);
        let mut b = [a[0] + shift + tilt[0] * s, a[1] + shift + tilt[1] * s];
        if flip { b.reverse(); }
        check_pair(a, b, 1e-12)?;
    }

    #[test]
    fn a_segment_and_its_reverse_give_the_same_point(p in point(2.0), a in point(1.0), b in point(1.0)) {
        let (one, two) = (closest_on_segment(p, [a, b]), closest_on_segment(p, [b, a]));
        prop_assert_eq!(one.point, two.point);
        prop_assert!(violation(p, one.point, &[a, b]) < 1e-15);
    }
}

fn check_pair(a: [DVec3; 2], b: [DVec3; 2], tolerance: f64) -> Result<(), TestCaseError> {
    let c = closest_between_segments(a, b);
    for (s, t, q) in [(a, c.parameters[0], c.points[0]), (b, c.parameters[1], c.points[1])] {
        prop_assert!((0.0..=1.0).contains(&t));
        prop_assert!((s[0] * (1.0 - t) + s[1] * t - q).mag() < 1e-15 * (1.0 + s[0].mag() + s[1].mag()));
        prop_assert!(t != 0.0 || q == s[0]);
        prop_assert!(t != 1.0 || q == s[1]);
    }
    // A minimum over the product of two convex sets is certified on each.
    let worst = violation(c.points[1], c.points[0], &a).max(violation(c.points[0], c.points[1], &b));
    prop_assert!(worst <= tolerance, "{worst} {c:?}");
    prop_assert_eq!(c.distance_squared, (c.points[0] - c.points[1]).mag_sq());
    Ok(())
}

#[test]
fn features_by_hand() {
    let t = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    let cases = [
        (v(0.25, 0.25, -2.0), TriangleFeature::Face, v(0.25, 0.25, 0.0), [0.5, 0.25, 0.25]),
        (v(0.25, -1.0, 3.0), TriangleFeature::Edge(0), v(0.25, 0.0, 0.0), [0.75, 0.25, 0.0]),
        (v(1.0, 1.0, 0.0), TriangleFeature::Edge(1), v(0.5, 0.5, 0.0), [0.0, 0.5, 0.5]),
        (v(-1.0, 0.75, 0.0), TriangleFeature::Edge(2), v(0.0, 0.75, 0.0), [0.25, 0.0, 0.75]),
        (v(-1.0, -1.0, 1.0), TriangleFeature::Vertex(0), t[0], [1.0, 0.0, 0.0]),
        (v(3.0, -1.0, 0.0), TriangleFeature::Vertex(1), t[1], [0.0, 1.0, 0.0]),
        (v(0.0, 5.0, 0.0), TriangleFeature::Vertex(2), t[2], [0.0, 0.0, 1.0]),
        // On the rim itself the lower feature wins over the face.
        (v(0.5, 0.0, 1.0), TriangleFeature::Edge(0), v(0.5, 0.0, 0.0), [0.5, 0.5, 0.0]),
    ];
    for (p, feature, q, weights) in cases {
        let c = closest_on_triangle(p, t);
        assert_eq!((c.feature, c.point, c.weights), (feature, q, weights));
    }
}

#[test]
fn a_unit_box_is_good_to_rounding() {
    let b = generators::cuboid(DVec3::one(), [1; 3]).unwrap();
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 * 3.0 - 1.5
    };
    for _ in 0..2000 {
        let p = v(next(), next(), next());
        let outside = p.x.abs().max(p.y.abs()).max(p.z.abs()) > 0.5;
        if !outside {
            continue;
        }
        let want = v(p.x.clamp(-0.5, 0.5), p.y.clamp(-0.5, 0.5), p.z.clamp(-0.5, 0.5));
        let best = (0..12)
            .map(|f| closest_on_triangle(p, b.corners(f)))
            .min_by(|x, y| x.distance_squared.total_cmp(&y.distance_squared))
            .unwrap();
        assert!((best.point - want).mag() < 5e-16, "{p:?}: {best:?}");
    }
}

#[test]
fn parallel_and_collapsed_segments() {
    let a = [v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0)];
    let c = closest_between_segments(a, [v(3.0, 1.0, 0.0), v(1.0, 1.0, 0.0)]);
    assert_eq!((c.distance_squared, c.points[1].x, c.points[0].x), (1.0, 3.0, 3.0));
    let c = closest_between_segments(a, [v(7.0, 3.0, 4.0), v(6.0, 3.0, 4.0)]);
    assert_eq!((c.distance_squared, c.parameters), (29.0, [1.0, 1.0]));
    let c = closest_between_segments([a[0]; 2], [a[1]; 2]);
    assert_eq!((c.distance_squared, c.parameters), (16.0, [0.0, 0.0]));
    let c = closest_between_segments([v(1.0, 2.0, 0.0); 2], a);
    assert_eq!((c.distance_squared, c.parameters), (4.0, [0.0, 0.25]));
    let c = closest_between_segments(a, [v(1.0, -1.0, 2.0), v(1.0, 3.0, 2.0)]);
    assert_eq!((c.distance_squared, c.parameters), (4.0, [0.25, 0.25]));
}

#[test]
fn what_is_not_finite_is_infinitely_far_away() {
    let t = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    for p in [v(f64::NAN, 0.0, 0.0), v(0.0, f64::INFINITY, 0.0)] {
        let c = closest_on_triangle(p, t);
        assert_eq!((c.distance_squared, c.point), (f64::INFINITY, t[0]));
        assert_eq!(closest_on_segment(p, [t[0], t[1]]).distance_squared, f64::INFINITY);
        assert_eq!(closest_between_segments([p, t[0]], [t[1], t[2]]).distance_squared, f64::INFINITY);
    }
    let big = f64::MAX * 0.25;
    let c = closest_on_triangle(v(0.0, 0.0, big), [v(-big, -big, 0.0), v(big, -big, 0.0), v(0.0, big, 0.0)]);
    assert_eq!(c.feature, TriangleFeature::Face);
    assert!(c.point.x.abs() < 1e-10 * big && c.point.y.abs() < 1e-10 * big);
}
