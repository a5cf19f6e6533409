//! The impulse with |m(t)| itself of eight intervals at a time: what [`crate::integral::certified`] comes to where four points on the
//! whole interval are certainly good enough.
//!
//! They are for nearly all pairs of features that deform: on a cloth with soft bodies two thirds of the contacts are beyond the
//! tolerance of L_k, and one in ten thousand of these needs more than four points. The rest goes pair by pair. Each
//! operation is that of the scalar twin, in its order: the same bits.

use crate::gauss::{GAUSS_3, GAUSS_4};
use crate::integral::{RHO, SHRINK, ellipse};
use crate::lanes::{EXACT, Impulses8, Laws, Points, Vector, W, add, cross, dot, frame, mix, row, sub};
use impinge_ccd::Spans;
use impinge_contact::for_each_set;

/// Which lanes are looked at, and how good their integrals have to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beyond {
    /// Lanes whose L_k is off by more.
    pub limit: f64,
    /// Bound of the quadrature's error, relative to ∫δ dt.
    pub tolerance: f64,
}

#[inline(always)]
fn scaled(v: Vector, by: f64) -> Vector {
    [v[0] * by, v[1] * by, v[2] * by]
}

#[inline(always)]
fn length(v: Vector) -> f64 {
    dot(v, v).sqrt()
}

/// The integral of one lane and its bound, and whether it is good enough: 0, else NaN.
#[inline(always)]
fn integral<const EDGES: bool>(x: &Points<W>, spans: &Spans<W>, tolerance: f64, l: usize) -> [f64; 5] {
    let ([u0, v0, r0], [u1, v1, r1]) = (frame::<EDGES, W>(&x[0], l), frame::<EDGES, W>(&x[1], l));
    let (a, b) = (spans.t_in[l], spans.t_out[l]);
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let at = |x: f64| {
        let t = middle + half * x;
        let m = cross(mix(u0, u1, t), mix(v0, v1, t));
        (m, dot(m, m), dot(m, mix(r0, r1, t)))
    };
    let distance = |(x, w): (f64, f64)| {
        let (_, mm, f) = at(x);
        w * (if mm > 0.0 { f / mm.sqrt() } else { 0.0 }).abs()
    };
    let [g0, g1, g2] = GAUSS_3;
    let size = distance(g0) + distance(g1) + distance(g2);
    let rate = tolerance * size * 0.5;

    // Taylor vectors about the middle of the interval.
    let (u, v, r) = (mix(u0, u1, middle), mix(v0, v1, middle), mix(r0, r1, middle));
    let (du, dv, dr) = (scaled(sub(u1, u0), half), scaled(sub(v1, v0), half), scaled(sub(r1, r0), half));
    let (n0, n1, n2) = (cross(u, v), add(cross(u, dv), cross(du, v)), cross(du, dv));
    let (lengths, along) = ([length(n1), length(n2)], [dot(n0, n1).abs(), dot(n0, n2).abs()]);
    let (reach, n00, n0) = ([length(r), length(dr)], dot(n0, n0), length(n0));
    let bound = |i: usize| {
        let (a, factor, divisor) = const { ELLIPSES }[i];
        let change = a * (lengths[0] + a * lengths[1]);
        let below = n00 - 2.0 * (a * (along[0] + a * along[1])) - change * change;
        let above = n0 + change;
        let reach = reach[0] + a * reach[1];
        let bound = factor * above * above * reach / below / divisor;
        (if below > 0.0 { bound } else { f64::INFINITY }) * SHRINK[0][i]
    };
    // NaN is never the less.
    let least = |a: f64, b: f64| if b < a { b } else { a };
    let best = least(least(least(f64::INFINITY, bound(0)), bound(1)), bound(2));
    let best = least(least(least(least(best, bound(3)), bound(4)), bound(5)), bound(6));

    let point = |(x, w): (f64, f64)| {
        let (m, mm, f) = at(x);
        let by = if mm > 0.0 { f / mm } else { 0.0 };
        scaled(scaled(m, by), w)
    };
    let [g0, g1, g2, g3] = GAUSS_4;
    // Sums begin at zero: the sign of a zero is that of the twin.
    let sum = add(add(add(add([0.0; 3], point(g0)), point(g1)), point(g2)), point(g3));
    let [vx, vy, vz] = add([0.0; 3], scaled(sum, half));
    let good = size > 0.0 && size < f64::INFINITY && half > 0.0 && best <= rate;
    [vx, vy, vz, best * half, if good { 0.0 } else { f64::NAN }]
}

const ELLIPSES: [(f64, f64, f64); RHO.len()] = {
    let mut out = [(0.0, 0.0, 0.0); RHO.len()];
    let mut i = 0;
    while i < RHO.len() {
        out[i] = ellipse(RHO[i]);
        i += 1;
    }
    out
};

#[inline(always)]
fn all_lanes<const EDGES: bool>(
    x: &Points<W>,
    spans: &Spans<W>,
    laws: &Laws,
    beyond: Beyond,
    out: &mut Impulses8,
) {
    for l in 0..W {
        let [vx, vy, vz, error, good] = integral::<EDGES>(x, spans, beyond.tolerance, l);
        let before = out.get(l);
        let mut found = row([vx, vy, vz], good, error, out.depth[l], x, spans, laws, l);
        let here = before[0] > beyond.limit && found[0] == 0.0;
        found[0] = EXACT;
        out.set(l, std::array::from_fn(|i| if here { found[i] } else { before[i] }));
    }
}

for_each_set! {
    /// Puts the rows of the lanes that are [`Beyond`] in place of those by L_k, where four points are good enough.
    pub(crate) impulses<EDGES> = all_lanes(
        x: &Points<W>,
        spans: &Spans<W>,
        laws: &Laws,
        beyond: Beyond,
        out: &mut Impulses8
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes;
    use crate::lanes::tests::{Ends, in_lanes, interval};
    use crate::{Normalisation, Params, over_interval};
    use impinge_ccd::{Interval, Kind};
    use impinge_contact::wide::Instructions;
    use impinge_geometry::DVec3;
    use proptest::prelude::*;

    /// All rows that are put in place are those of the twin; how many there are.
    fn check(kind: Kind, pairs: &[(Ends, Interval)], laws: &Laws, tolerance: f64) -> usize {
        let (x, spans) = in_lanes(pairs);
        let params = Params::new(laws.dt, Normalisation::Exact { tolerance }).unwrap();
        let mut counts = Vec::new();
        for with in Instructions::available() {
            let mut wide = Impulses8::NONE;
            let beyond = Beyond { limit: tolerance, tolerance };
            match kind {
                Kind::VertexFace => lanes::impulses::<false>(with, &x, &spans, laws, &mut wide),
                Kind::EdgeEdge => lanes::impulses::<true>(with, &x, &spans, laws, &mut wide),
            }
            let by_constant = wide.clone();
            match kind {
                Kind::VertexFace => impulses::<false>(with, &x, &spans, laws, beyond, &mut wide),
                Kind::EdgeEdge => impulses::<true>(with, &x, &spans, laws, beyond, &mut wide),
            }
            let mut exact = 0;
            for (l, (ends, interval)) in pairs.iter().enumerate() {
                let (before, row) = (by_constant.get(l).map(f64::to_bits), wide.get(l));
                if row[0] != EXACT {
                    assert_eq!(row.map(f64::to_bits), before, "{}", with.name());
                    continue;
                }
                exact += 1;
                assert!(by_constant.off[l] > tolerance);
                let twin = over_interval(kind, &ends[0], &ends[1], interval, laws.k[l], &params);
                let share = laws.share[l];
                let ([ix, iy, iz], [nx, ny, nz], [cx, cy, cz]) = (
                    <[f64; 3]>::from(twin.impulse * share),
                    <[f64; 3]>::from(twin.normal),
                    <[f64; 3]>::from(twin.couple * share),
                );
                let (energy, error) = (twin.energy * share, twin.error * share);
                let of_twin = [EXACT, ix, iy, iz, nx, ny, nz, twin.depth, energy, error, cx, cy, cz];
                assert_eq!(row.map(f64::to_bits), of_twin.map(f64::to_bits), "{}", with.name());
            }
            counts.push(exact);
        }
        assert!(counts.windows(2).all(|c| c[0] == c[1]), "{counts:?}");
        counts[0]
    }

    proptest! {
        /// From pairs that four points do for to pairs whose normal turns round within the step.
        #[test]
        fn every_instruction_set_gives_the_scalar_impulse(
            grid in prop::collection::vec((prop::array::uniform24(-3.0..3.0f64), 0.0..1.0f64), 1..=W),
            ends in prop::array::uniform8((0.0..0.9f64, 0.0..2.0f64)),
            k in prop::array::uniform8(0.0..1e4f64),
            share in prop::array::uniform8(0.0..1.0f64),
            digits in 1..8i32,
        ) {
            let mut pairs = Vec::new();
            for (l, ((c, moved), (t_in, length))) in grid.iter().zip(ends).enumerate() {
                let point = |i: usize| DVec3::new(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
                let start: [DVec3; 4] = std::array::from_fn(point);
                let end = std::array::from_fn(|i| start[i] + (point(i + 4) - start[i]) * *moved);
                let side = if l % 3 == 0 { -1 } else { 1 };
                pairs.push(([start, end], interval(t_in, (t_in + length).min(1.0), side)));
            }
            for kind in [Kind::VertexFace, Kind::EdgeEdge] {
                check(kind, &pairs, &Laws { k, share, dt: 0.01 }, 10f64.powi(-digits));
            }
        }
    }

    /// A triangle that grows by a tenth is put in place; one that does not deform keeps its row, and one that turns round goes pair by pair.
    #[test]
    fn what_deforms_as_usual_is_put_in_place() {
        let p = DVec3::new;
        let at = |z: f64, size: f64| [p(0.2, 0.3, z), p(0.0, 0.0, 0.0), p(size, 0.0, 0.0), p(0.0, size, 0.0)];
        let grows = ([at(0.1, 1.0), at(-0.2, 1.1)], interval(1.0 / 3.0, 1.0, 1));
        let stays = ([at(0.1, 1.0), at(-0.2, 1.0)], interval(1.0 / 3.0, 1.0, 1));
        let mut turned = at(-0.2, 1.0);
        turned.swap(2, 3);
        let turns = ([at(0.1, 1.0), turned], interval(1.0 / 3.0, 1.0, 1));
        let laws = Laws { k: [50.0; W], share: [1.0; W], dt: 0.01 };
        for (pairs, exact) in [(vec![grows; W], W), (vec![grows, stays, turns], 1)] {
            assert_eq!(check(Kind::VertexFace, &pairs, &laws, 1e-3), exact);
        }
    }
}
