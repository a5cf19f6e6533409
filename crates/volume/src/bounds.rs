//! A box along the axes, the one around many points, and on which side of one they lie.

use impinge_contact::for_each_set;
use impinge_contact::wide::Instructions;
use impinge_geometry::DVec3;

/// Points looked at together for the box around them: their coordinates fill whole registers.
const TOGETHER: usize = 4;
/// Points whose sides are found together.
const LANES: usize = 8;

/// An axis-aligned box; empty where `lo` exceeds `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower corner (m).
    pub lo: DVec3,
    /// Upper corner (m).
    pub hi: DVec3,
}

impl Bounds {
    /// Around three points.
    #[inline]
    pub(crate) fn of([a, b, c]: [DVec3; 3]) -> Self {
        Self { lo: a.min_by_component(b).min_by_component(c), hi: a.max_by_component(b).max_by_component(c) }
    }

    /// Around both.
    #[inline]
    pub(crate) fn merged(&self, o: &Self) -> Self {
        Self { lo: self.lo.min_by_component(o.lo), hi: self.hi.max_by_component(o.hi) }
    }

    /// What both cover.
    #[must_use]
    pub fn intersection(&self, o: &Self) -> Self {
        Self { lo: self.lo.max_by_component(o.lo), hi: self.hi.min_by_component(o.hi) }
    }

    /// Common points exist, borders included.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, o: &Self) -> bool {
        (self.lo.x <= o.hi.x)
            & (o.lo.x <= self.hi.x)
            & (self.lo.y <= o.hi.y)
            & (o.lo.y <= self.hi.y)
            & (self.lo.z <= o.hi.z)
            & (o.lo.z <= self.hi.z)
    }

    /// The sides that a point is beyond, as bits: below and above along x, then y, then z. Points all beyond one side have a hull
    /// that shares no point with the box.
    #[inline(always)]
    pub(crate) fn beyond(&self, p: DVec3) -> u8 {
        let (lo, hi) = (self.lo, self.hi);
        u8::from(p.x < lo.x)
            | u8::from(p.x > hi.x) << 1
            | u8::from(p.y < lo.y) << 2
            | u8::from(p.y > hi.y) << 3
            | u8::from(p.z < lo.z) << 4
            | u8::from(p.z > hi.z) << 5
    }

    /// Inside or on the border.
    #[inline]
    pub(crate) fn contains(&self, p: DVec3) -> bool {
        self.overlaps(&Self { lo: p, hi: p })
    }

    /// No point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !(self.lo.x <= self.hi.x && self.lo.y <= self.hi.y && self.lo.z <= self.hi.z)
    }
}

/// The least and the greatest of each coordinate, of points by their place modulo [`TOGETHER`], and a sum that is 0 where all are finite.
struct Extremes {
    lo: [f64; 3 * TOGETHER],
    hi: [f64; 3 * TOGETHER],
    check: [f64; 3 * TOGETHER],
}

/// See [`extremes`].
#[inline(always)]
fn extremes_lanes(points: &[DVec3], out: &mut Extremes) {
    // One after the other each minimum would wait for the last, and a vector of three fills no register.
    let (mut lo, mut hi, mut check) = (out.lo, out.hi, out.check);
    for four in points.chunks_exact(TOGETHER) {
        let [a, b, c, d] = [four[0], four[1], four[2], four[3]];
        let x = [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z];
        for l in 0..3 * TOGETHER {
            // Without a care for NaN this is one instruction for each.
            lo[l] = if x[l] < lo[l] { x[l] } else { lo[l] };
            hi[l] = if x[l] > hi[l] { x[l] } else { hi[l] };
            // A minimum drops NaN, and 0·∞ is NaN: one sum finds both.
            check[l] += x[l] * 0.0;
        }
    }
    *out = Extremes { lo, hi, check };
}

for_each_set! {
    /// Widens `out` by as many points as fill its lanes; up to three at the end are left.
    extremes = extremes_lanes(points: &[DVec3], out: &mut Extremes)
}

/// The box around points; `None` where one is not finite. There must be one.
pub(crate) fn around(points: &[DVec3]) -> Option<Bounds> {
    around_with(Instructions::best(), points)
}

fn around_with(with: Instructions, points: &[DVec3]) -> Option<Bounds> {
    let first = points[0];
    let lanes = std::array::from_fn(|l| [first.x, first.y, first.z][l % 3]);
    let mut out = Extremes { lo: lanes, hi: lanes, check: [0.0; 3 * TOGETHER] };
    extremes(with, points, &mut out);
    let of = |x: &[f64; 3 * TOGETHER], l: usize| DVec3::new(x[l], x[l + 1], x[l + 2]);
    let mut bounds = Bounds { lo: first, hi: first };
    for l in (0..3 * TOGETHER).step_by(3) {
        bounds = bounds.merged(&Bounds { lo: of(&out.lo, l), hi: of(&out.hi, l) });
    }
    let mut check = out.check.iter().sum::<f64>();
    for &p in points.chunks_exact(TOGETHER).remainder() {
        bounds = bounds.merged(&Bounds { lo: p, hi: p });
        check += 0.0 * p.x + 0.0 * p.y + 0.0 * p.z;
    }
    (check == 0.0).then_some(bounds)
}

/// See [`sides`].
#[inline(always)]
fn sides_lanes(bounds: &Bounds, points: &[DVec3], out: &mut [u8]) {
    let mut codes = out.chunks_exact_mut(LANES);
    for (points, codes) in points.chunks_exact(LANES).zip(&mut codes) {
        let mut of = [0; LANES];
        for l in 0..LANES {
            of[l] = bounds.beyond(points[l]);
        }
        codes.copy_from_slice(&of);
    }
    let rest = points.chunks_exact(LANES).remainder();
    for (code, &p) in codes.into_remainder().iter_mut().zip(rest) {
        *code = bounds.beyond(p);
    }
}

for_each_set! {
    /// [`Bounds::beyond`] of each point.
    sides = sides_lanes(bounds: &Bounds, points: &[DVec3], out: &mut [u8])
}

/// [`Bounds::beyond`] of each point.
pub(crate) fn all_beyond(bounds: &Bounds, points: &[DVec3], out: &mut [u8]) {
    sides(Instructions::best(), bounds, points, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on all sides of a box, on its faces among them.
    fn points(count: usize) -> Vec<DVec3> {
        let steps = [-1.5, -1.0, -0.25, -0.0, 0.0, 0.5, 1.0, 2.0, f64::MAX, f64::MIN];
        let at = |i: usize| steps[i % steps.len()];
        (0..count).map(|i| DVec3::new(at(i), at(3 * i + i / 7), at(7 * i + i / 3))).collect()
    }

    #[test]
    fn the_box_is_the_one_that_points_one_by_one_give() {
        for count in 1..40 {
            let points = points(count);
            let one_by_one = points
                .iter()
                .fold(Bounds { lo: points[0], hi: points[0] }, |b, &p| b.merged(&Bounds { lo: p, hi: p }));
            for with in Instructions::available() {
                assert_eq!(
                    around_with(with, &points),
                    Some(one_by_one),
                    "{} with {count} points",
                    with.name()
                );
            }
        }
    }

    #[test]
    fn a_number_that_is_not_finite_is_found_wherever_it_stands() {
        for count in [1, 3, 4, 11] {
            for at in 0..3 * count {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let mut points = points(count);
                    points[at / 3][at % 3] = bad;
                    for with in Instructions::available() {
                        assert_eq!(around_with(with, &points), None, "{bad} at {at} of {count} points");
                    }
                }
            }
        }
    }

    #[test]
    fn sides_are_those_of_points_one_by_one_with_any_instructions() {
        let bounds = Bounds { lo: DVec3::broadcast(-1.0), hi: DVec3::new(0.0, 0.5, 1.0) };
        for count in [0, 1, 7, 8, 9, 200] {
            let points = points(count);
            let one_by_one: Vec<u8> = points.iter().map(|&p| bounds.beyond(p)).collect();
            for with in Instructions::available() {
                let mut codes = vec![0; count];
                sides(with, &bounds, &points, &mut codes);
                assert_eq!(codes, one_by_one, "{} with {count} points", with.name());
            }
        }
    }
}
