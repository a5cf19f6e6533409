//! Boxes on their way, and when two of them first overlap.

use impinge_geometry::DVec3;

/// A box at both ends of a piece of time; in between its corners move straight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swept {
    /// Lower and upper corner at the start.
    pub start: (DVec3, DVec3),
    /// And at the end.
    pub end: (DVec3, DVec3),
}

impl Swept {
    /// Around points.
    #[must_use]
    pub fn around(x0: &[DVec3], x1: &[DVec3]) -> Self {
        let of = |x: &[DVec3]| {
            x[1..].iter().fold((x[0], x[0]), |(lo, hi), &p| (lo.min_by_component(p), hi.max_by_component(p)))
        };
        Self { start: of(x0), end: of(x1) }
    }
}

/// Relative rounding of a difference, a quotient and a sum, with room.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// When two boxes, each grown by half of `pad` (m), first overlap: not after the true time; ∞ when they never do.
///
/// Along an axis two gaps are linear in time, and the boxes overlap while none of the six is positive.
#[inline]
pub(super) fn first_overlap(a: &Swept, b: &Swept, pad: f64) -> f64 {
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    let gaps0 = [a.start.0 - b.start.1, b.start.0 - a.start.1];
    let gaps1 = [a.end.0 - b.end.1, b.end.0 - a.end.1];
    // Arrays: indexing a vector by axis is a call with a branch.
    for (g0, g1) in gaps0.map(<[f64; 3]>::from).iter().zip(&gaps1.map(<[f64; 3]>::from)) {
        for (g0, g1) in g0.iter().zip(g1) {
            let (g0, g1) = (g0 - pad, g1 - pad);
            if g0 > 0.0 {
                if g1 > 0.0 {
                    return f64::INFINITY;
                }
                enter = enter.max(g0 / (g0 - g1) * (1.0 - ROUNDING));
            } else if g1 > 0.0 {
                leave = leave.min(g0 / (g0 - g1) * (1.0 + ROUNDING));
            }
        }
    }
    // Quotients of overflowing numbers are NaN and passed over by the minima.
    if enter > leave { f64::INFINITY } else { enter }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        (-4.0f64..4.0, -4.0f64..4.0, -4.0f64..4.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn boxes_do_not_overlap_before_the_time_and_do_right_after_it(
            p in prop::array::uniform4(vector()), half in prop::array::uniform2(0.0f64..2.0),
        ) {
            let of = |x0: DVec3, x1: DVec3, h: f64| {
                let h = DVec3::broadcast(h);
                Swept { start: (x0 - h, x0 + h), end: (x1 - h, x1 + h) }
            };
            let (a, b) = (of(p[0], p[1], half[0]), of(p[2], p[3], half[1]));
            let t = first_overlap(&a, &b, 0.0);
            let gap = |t: f64| {
                let at = |x0: DVec3, x1: DVec3| x0 * (1.0 - t) + x1 * t;
                let d = at(p[0], p[1]) - at(p[2], p[3]);
                d.abs().component_max() - half[0] - half[1]
            };
            for i in 0..=1000 {
                let s = f64::from(i) / 1000.0;
                prop_assert!(s >= t || gap(s) > -1e-12, "overlap at {} before {}", s, t);
            }
            prop_assert!(t > 1.0 || gap(t) < 1e-12);
        }
    }
}
