//! Polygon moments against closed forms, a second integration, and input that is no polygon.

use impinge_geometry::{
    DMat3, DVec3, Pose, arrays, outer, polygon_moments, rotor_from_rotation_vector, scale, sub, triangle_area,
};
use proptest::prelude::*;

fn gap(a: &DMat3, b: &DMat3) -> f64 {
    sub(a, b).cols.iter().map(|c| c.abs().component_max()).fold(0.0, f64::max)
}

/// A quarter of a turn of everything, far enough from the axes that no coordinate is special.
fn pose() -> Pose {
    Pose::new(DVec3::new(3.0, -5.0, 2.0), rotor_from_rotation_vector(DVec3::new(0.7, -1.1, 0.4)))
}

#[test]
fn a_rectangle_has_the_textbook_moments() {
    let (b, h) = (3.0, 0.5);
    let corners = [[0.0, 0.0], [b, 0.0], [b, h], [0.0, h]].map(|[x, y]| DVec3::new(x, y, 0.0));
    let m = polygon_moments(&corners);
    assert_eq!((m.area, m.normal), (1.5, DVec3::unit_z()));
    assert!((m.centroid - DVec3::new(1.5, 0.25, 0.0)).mag() < 1e-15);
    assert!((m.about(DVec3::unit_x()) - b * h * h * h / 12.0).abs() < 1e-15);
    assert!((m.about(DVec3::unit_y()) - h * b * b * b / 12.0).abs() < 1e-15);
    assert!((m.about(DVec3::unit_z()) - b * h * (b * b + h * h) / 12.0).abs() < 1e-14);
    // About a corner: b h³/3.
    let corner = m.second_about(DVec3::zero());
    assert!((corner.cols[1].y - b * h * h * h / 3.0).abs() < 1e-15);
    let arrays = corners.map(<[f64; 3]>::from);
    assert_eq!(arrays::polygon_moments(&arrays), m);
}

#[test]
fn a_triangle_and_a_regular_polygon() {
    // Right triangle with legs b and h: about the centroid b h³/36.
    let (b, h) = (2.0, 3.0);
    let m = polygon_moments(&[DVec3::zero(), DVec3::new(b, 0.0, 0.0), DVec3::new(0.0, h, 0.0)]);
    assert!((m.about(DVec3::unit_x()) - b * h * h * h / 36.0).abs() < 1e-14);
    assert!((m.second.cols[0].y + b * b * h * h / 72.0).abs() < 1e-14);
    // Regular n-gon of circumradius 1: polar moment n/12 sin(2π/n) (2 + cos(2π/n)).
    for n in [3u32, 4, 5, 6, 17] {
        let a = std::f64::consts::TAU / f64::from(n);
        let p: Vec<DVec3> =
            (0..n).map(|i| (f64::from(i) * a).sin_cos()).map(|(s, c)| DVec3::new(c, s, 0.0)).collect();
        let polar = f64::from(n) / 12.0 * a.sin() * (2.0 + a.cos());
        assert!((polygon_moments(&p).about(DVec3::unit_z()) - polar).abs() < 1e-14, "{n}");
    }
}

#[test]
fn a_simple_polygon_need_not_be_convex_and_may_repeat_corners() {
    let l = [[0.0, 0.0], [2.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0], [0.0, 1.0]];
    let p: Vec<DVec3> = l.iter().map(|&[x, y]| DVec3::new(x, y, 4.0)).collect();
    // From any corner, also from the reflex one.
    for start in 0..p.len() {
        let mut q = p.clone();
        q.rotate_left(start);
        let m = polygon_moments(&q);
        assert!((m.area - 4.0).abs() < 1e-14);
        // Two rectangles: 2×1 about (1, ½) and 1×2 about (½, 2).
        assert!((m.centroid - DVec3::new(0.75, 1.25, 4.0)).mag() < 1e-14);
        let xx = (1.0 / 12.0 * 8.0 + 2.0 * 0.0625) + (2.0 / 12.0 + 2.0 * 0.0625);
        assert!((m.second.cols[0].x - xx).abs() < 1e-13, "{} for {xx}", m.second.cols[0].x);
        q.reverse();
        let back = polygon_moments(&q);
        assert_eq!(back.normal, -DVec3::unit_z());
        assert!((back.area - 4.0).abs() < 1e-14 && gap(&back.second, &m.second) < 1e-13);
    }
}

#[test]
fn collapsed_polygons_have_a_place_but_no_area() {
    assert_eq!(polygon_moments(&[]).area, 0.0);
    let p = DVec3::new(1.0, 2.0, 3.0);
    let point = polygon_moments(&[p; 5]);
    assert_eq!((point.area, point.centroid, point.normal), (0.0, p, DVec3::zero()));
    let two = polygon_moments(&[p, p + DVec3::unit_x() * 2.0]);
    assert_eq!((two.area, two.centroid), (0.0, p + DVec3::unit_x()));
    // On a line, in steps that round.
    let d = DVec3::new(0.1, 0.7, 0.3);
    let line = polygon_moments(&[p, p + d, p + d * 3.0, p + d * 7.0]);
    assert_eq!((line.area, line.second), (0.0, DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero())));
    assert!((line.centroid - (p + d * 3.5)).mag() < 1e-14);
    for bad in [f64::NAN, f64::INFINITY] {
        let m = polygon_moments(&[p, p + d, DVec3::new(bad, 0.0, 1.0)]);
        assert_eq!((m.area, m.centroid), (0.0, DVec3::zero()));
    }
}

proptest! {
    /// A convex polygon on an ellipse, moved and turned: moments as by three-point quadrature of its triangles
    /// about the origin, and independent of the first corner.
    #[test]
    fn moments_agree_with_quadrature(
        mut turns in prop::collection::vec(0.0..1.0f64, 3..9),
        stretch in 0.01..10.0f64,
        first in 0usize..9,
    ) {
        turns.sort_by(f64::total_cmp);
        let place = pose();
        let corners: Vec<DVec3> = turns
            .iter()
            .map(|t| (t * std::f64::consts::TAU).sin_cos())
            .map(|(s, c)| place.position + place.rotation * DVec3::new(stretch * c, s, 0.0))
            .collect();
        let m = polygon_moments(&corners);
        let (mut area, mut first_moment) = (0.0, DVec3::zero());
        let mut second = scale(&DMat3::identity(), 0.0);
        for i in 1..corners.len() - 1 {
            let [a, b, c] = [corners[0], corners[i], corners[i + 1]].map(|p| p - place.position);
            let part = triangle_area([a, b, c]);
            area += part;
            // The rule on the mid-sides is exact for quadratics.
            for x in [(a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5] {
                first_moment += x * (part / 3.0);
                second = impinge_geometry::add(&second, &scale(&outer(x, x), part / 3.0));
            }
        }
        prop_assume!(area > 1e-6);
        let center = first_moment / area;
        let want = sub(&second, &scale(&outer(center, center), area));
        let size = 1.0 + stretch * stretch;
        prop_assert!((m.area - area).abs() < 1e-13 * size);
        prop_assert!((m.centroid - place.position - center).mag() < 1e-8);
        prop_assert!(gap(&m.second, &want) < 1e-12 * size * size);
        prop_assert!((m.second * m.normal).mag() < 1e-12 * size * size);
        let mut turned = corners.clone();
        turned.rotate_left(first % corners.len());
        let again = polygon_moments(&turned);
        prop_assert!((again.area - m.area).abs() < 1e-13 * size);
    }
}
