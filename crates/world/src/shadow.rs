//! Flat faces that bodies lie on each other with, seen along the vertical: plane polygons.

use impinge_geometry::DVec3;

/// Part of its height within which a body's vertices are of the face it lies with.
const FLAT: f64 = 1e-3;

/// Across the vertical (m).
pub(crate) type Point = [f64; 2];

/// Two axes across the vertical, from a point of the bodies: far from the origin differences would be lost.
pub(crate) struct Across {
    pub axes: [DVec3; 2],
    from: DVec3,
}

impl Across {
    pub fn new(up: DVec3, from: DVec3) -> Self {
        let side = if up.x.abs() < 0.7 { DVec3::unit_x() } else { DVec3::unit_y() };
        let first = side.cross(up).normalized();
        Self { axes: [first, up.cross(first)], from }
    }

    pub fn at(&self, x: DVec3) -> Point {
        self.axes.map(|axis| (x - self.from).dot(axis))
    }

    /// The vertices of the flat face that is the last against `way`.
    pub fn face(&self, x: &[DVec3], way: DVec3) -> Vec<Point> {
        let ends = [f64::INFINITY, f64::NEG_INFINITY];
        let [low, high] = (x.iter().map(|p| p.dot(way))).fold(ends, |[l, h], d| [l.min(d), h.max(d)]);
        let flat = |p: &&DVec3| p.dot(way) - low <= FLAT * (high - low);
        x.iter().filter(flat).map(|p| self.at(*p)).collect()
    }
}

/// Twice the area of a triangle, positive counterclockwise.
pub(crate) fn turn(a: Point, b: Point, c: Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The convex hull, counterclockwise.
pub(crate) fn hull(points: &[Point]) -> Vec<Point> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut out: Vec<Point> = Vec::new();
        for p in points {
            while out.len() > 1 && turn(out[out.len() - 2], out[out.len() - 1], p) <= 0.0 {
                out.pop();
            }
            out.push(p);
        }
        out.pop();
        out
    };
    let mut out = half(&mut sorted.iter().copied());
    out.extend(half(&mut sorted.iter().rev().copied()));
    out
}

pub(crate) fn sides(polygon: &[Point]) -> impl Iterator<Item = [Point; 2]> + '_ {
    (0..polygon.len()).map(|i| [polygon[i], polygon[(i + 1) % polygon.len()]])
}

/// What two convex polygons, both counterclockwise, have in common.
pub(crate) fn common(a: &[Point], b: &[Point]) -> Vec<Point> {
    let mut out = a.to_vec();
    for [p, q] in sides(b) {
        let before = std::mem::take(&mut out);
        for [r, s] in sides(&before) {
            let (x, y) = (turn(p, q, r), turn(p, q, s));
            if x >= 0.0 {
                out.push(r);
            }
            if (x > 0.0 && y < 0.0) || (x < 0.0 && y > 0.0) {
                let part = x / (x - y);
                out.push([0, 1].map(|c| r[c] + (s[c] - r[c]) * part));
            }
        }
    }
    out
}

/// The area of a polygon (m²), its middle, and ∫x², ∫xy and ∫y² about that (m⁴).
pub(crate) fn moments(polygon: &[Point]) -> (f64, Point, [f64; 3]) {
    let Some(&o) = polygon.first() else { return (0.0, [0.0; 2], [0.0; 3]) };
    let (mut area, mut first, mut second) = (0.0, [0.0; 2], [0.0; 3]);
    for [p, q] in sides(polygon) {
        let (p, q) = ([p[0] - o[0], p[1] - o[1]], [q[0] - o[0], q[1] - o[1]]);
        let part = 0.5 * (p[0] * q[1] - p[1] * q[0]);
        area += part;
        (0..2).for_each(|c| first[c] += part * (p[c] + q[c]) / 3.0);
        // Of a triangle with a corner at the origin: A/12 Σ (aᵢbᵢ + …).
        for (k, [c, d]) in [[0, 0], [0, 1], [1, 1]].into_iter().enumerate() {
            second[k] += part / 12.0 * (2.0 * (p[c] * p[d] + q[c] * q[d]) + p[c] * q[d] + q[c] * p[d]);
        }
    }
    if area <= 0.0 {
        return (0.0, o, [0.0; 3]);
    }
    let m = first.map(|f| f / area);
    let about =
        [second[0] - area * m[0] * m[0], second[1] - area * m[0] * m[1], second[2] - area * m[1] * m[1]];
    (area, [o[0] + m[0], o[1] + m[1]], about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_squares_have_a_rectangle_or_an_octagon_in_common() {
        let square =
            |h: f64, at: Point| [[-h, -h], [h, -h], [h, h], [-h, h]].map(|p| [p[0] + at[0], p[1] + at[1]]);
        let of = common(&square(0.5, [0.0; 2]), &square(0.5, [0.25, 0.0]));
        let (area, middle, [xx, xy, yy]) = moments(&of);
        assert!((area - 0.75).abs() < 1e-15 && (middle[0] - 0.125).abs() < 1e-15 && middle[1].abs() < 1e-15);
        // b h³/12.
        assert!(
            (xx - 0.75f64.powi(3) / 12.0).abs() < 1e-15
                && xy.abs() < 1e-15
                && (yy - 0.75 / 12.0).abs() < 1e-15
        );
        let r = 0.5f64.sqrt();
        let turned = [[r, 0.0], [0.0, r], [-r, 0.0], [0.0, -r]];
        let octagon = common(&square(0.5, [0.0; 2]), &turned);
        // 2 (√2 − 1).
        assert!(octagon.len() == 8 && (moments(&octagon).0 - 2.0 * (2f64.sqrt() - 1.0)).abs() < 1e-14);
        assert_eq!(common(&square(0.5, [0.0; 2]), &square(0.5, [2.0, 0.0])), Vec::<Point>::new());
    }
}
