//! The L_k impulse of eight intervals at a time.
//!
//! Takes the points of eight pairs packed by lane and an interval each; gives their rows: impulse ∫ f m dt / L_k², unit direction, depth,
//! energy, couple, and the bound that follows from how far the constant is from |m(t)|. Plain arrays and no inner loops: the compiler spreads them over the widest registers the machine has. The scalar twin is the same
//! function for one lane.

use crate::gauss::GAUSS_3;
use impinge_ccd::{Interval, Kind, Spans};
use impinge_contact::for_each_set;
use impinge_geometry::DVec3;

/// Lanes of a block.
pub(crate) const W: usize = 8;

/// Coordinates by lane: `[end][point][axis][lane]`.
pub(crate) type Points<const N: usize> = [[[[f64; N]; 3]; 4]; 2];

/// Stiffness and share of pairs, by lane.
#[derive(Clone, Debug)]
pub(crate) struct Laws {
    /// (N/m).
    pub k: [f64; W],
    /// Part of the force that acts.
    pub share: [f64; W],
    /// Length of the step (s).
    pub dt: f64,
}

/// The integrals the lanes gave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Integrals<const N: usize> {
    /// ∫ f m dt / L_k² (m), `[axis][lane]`.
    pub value: [[f64; N]; 3],
    /// max |L(t)²/L_k² − 1|; NaN or infinite where L_k says nothing.
    pub off: [f64; N],
    /// Bound of the error of `value`, as far as `off` is below [`NEAR`].
    pub error: [f64; N],
    /// Depth at the end of the step (m).
    pub depth: [f64; N],
}

impl<const N: usize> Integrals<N> {
    /// A lane's integral.
    #[inline(always)]
    #[must_use]
    pub fn value(&self, lane: usize) -> DVec3 {
        DVec3::new(self.value[0][lane], self.value[1][lane], self.value[2][lane])
    }
}

/// The impulses of eight pairs, each already multiplied by its share. The scalar twin is [`crate::over_interval`].
#[derive(Clone, Debug)]
pub(crate) struct Impulses8 {
    /// max |L(t)²/L_k² − 1| where the row is right as it stands: L_k normalises, all is finite, the impulse is not zero. Else NaN, for
    /// the way that goes pair by pair. [`EXACT`] where [`crate::exact::impulses`] has put its row here.
    pub off: [f64; W],
    /// (N·s), `[axis][lane]`.
    pub impulse: [[f64; W]; 3],
    /// Its unit direction.
    pub normal: [[f64; W]; 3],
    /// At the end of the step (m).
    pub depth: [f64; W],
    /// (J).
    pub energy: [f64; W],
    /// Of the impulse (N·s).
    pub error: [f64; W],
    /// (N·m·s).
    pub couple: [[f64; W]; 3],
}

impl Impulses8 {
    pub const NONE: Self = Self {
        off: [f64::NAN; W],
        impulse: [[0.0; W]; 3],
        normal: [[0.0; W]; 3],
        depth: [0.0; W],
        energy: [0.0; W],
        error: [0.0; W],
        couple: [[0.0; W]; 3],
    };

    /// Writes a row of [`row`].
    #[inline(always)]
    pub fn set(&mut self, l: usize, row: [f64; 13]) {
        let [off, ix, iy, iz, nx, ny, nz, depth, energy, error, cx, cy, cz] = row;
        self.off[l] = off;
        (self.impulse[0][l], self.impulse[1][l], self.impulse[2][l]) = (ix, iy, iz);
        (self.normal[0][l], self.normal[1][l], self.normal[2][l]) = (nx, ny, nz);
        (self.depth[l], self.energy[l], self.error[l]) = (depth, energy, error);
        (self.couple[0][l], self.couple[1][l], self.couple[2][l]) = (cx, cy, cz);
    }

    /// The row of a lane, as it was written.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, l: usize) -> [f64; 13] {
        let ([ix, iy, iz], [nx, ny, nz]) = (vector(&self.impulse, l), vector(&self.normal, l));
        let [cx, cy, cz] = vector(&self.couple, l);
        [self.off[l], ix, iy, iz, nx, ny, nz, self.depth[l], self.energy[l], self.error[l], cx, cy, cz]
    }
}

/// [`Impulses8::off`] of a row that |m(t)| itself normalises.
pub(crate) const EXACT: f64 = -1.0;

/// Up to here the bound is `off·∫δ dt` with |m|² ≥ L_k²(1 − off).
pub(crate) const NEAR: f64 = 0.99;

pub(crate) type Vector = [f64; 3];

#[inline(always)]
pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn mix(a: Vector, b: Vector, t: f64) -> Vector {
    let s = 1.0 - t;
    [a[0] * s + b[0] * t, a[1] * s + b[1] * t, a[2] * s + b[2] * t]
}

#[inline(always)]
pub(crate) fn vector<const N: usize>(of: &[[f64; N]; 3], l: usize) -> Vector {
    [of[0][l], of[1][l], of[2][l]]
}

#[inline(always)]
pub(crate) fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
pub(crate) fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// u, v and r of [`crate::path::Frame`].
#[inline(always)]
pub(crate) fn frame<const EDGES: bool, const N: usize>(x: &[[[f64; N]; 3]; 4], l: usize) -> [Vector; 3] {
    let (a, b, c, d) = (vector(&x[0], l), vector(&x[1], l), vector(&x[2], l), vector(&x[3], l));
    if EDGES { [sub(b, a), sub(d, c), sub(a, c)] } else { [sub(c, b), sub(d, b), sub(a, b)] }
}

/// The integral of one lane: value, how far L_k is off, bound, depth. Seed 000 (15), (17); ERRATA C1, C2, C8.
#[inline(always)]
fn integral<const EDGES: bool, const N: usize>(x: &Points<N>, spans: &Spans<N>, l: usize) -> [f64; 6] {
    let ([u0, v0, r0], [u1, v1, r1]) = (frame::<EDGES, N>(&x[0], l), frame::<EDGES, N>(&x[1], l));
    // Bernstein vectors of m, and of |m|².
    let (n0, n2) = (cross(u0, v0), cross(u1, v1));
    let twice = add(cross(u0, v1), cross(u1, v0));
    let n1 = [0.5 * twice[0], 0.5 * twice[1], 0.5 * twice[2]];
    let l0 = dot(n0, n0);
    let l1 = dot(n0, n1);
    let l2 = (2.0 * dot(n1, n1) + dot(n0, n2)) / 3.0;
    let l3 = dot(n1, n2);
    let l4 = dot(n2, n2);
    let lk2 = (l0 + l1 + l2 + l3 + l4) * 0.2;
    let inverse = 1.0 / lk2;
    let away = |l: f64| (l * inverse - 1.0).abs();
    let off = max(max(max(away(l0), away(l1)), max(away(l2), away(l3))), away(l4));
    // Multiplying by the inverse leaves an ulp or two where all coefficients are equal.
    let off = if off <= 4.0 * f64::EPSILON { 0.0 } else { off };

    let (a, b) = (spans.t_in[l], spans.t_out[l]);
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let at = |x: f64| {
        let t = middle + half * x;
        let m = cross(mix(u0, u1, t), mix(v0, v1, t));
        (m, dot(m, mix(r0, r1, t)))
    };
    let [(x0, w0), (x1, w1), (x2, w2)] = GAUSS_3;
    let ((m0, f0), (m1, f1), (m2, f2)) = (at(x0), at(x1), at(x2));
    let (f0, f1, f2) = (w0 * f0, w1 * f1, w2 * f2);
    let scale = half * inverse;
    let sum = |k: usize| (m0[k] * f0 + m1[k] * f1 + m2[k] * f2) * scale;
    let value = [sum(0), sum(1), sum(2)];
    let f = half * (f0.abs() + f1.abs() + f2.abs());
    let error = if off == 0.0 { 0.0 } else { off * f / (lk2 * (1.0 - off)).sqrt() };

    let mm = dot(n2, n2);
    let depth = max(-spans.side_end[l] * (dot(n2, r1) / mm.sqrt()), 0.0);
    let depth = if b < 1.0 || mm <= 0.0 { 0.0 } else { depth };
    let known = lk2 > 0.0 && lk2 < f64::INFINITY;
    [value[0], value[1], value[2], if known { off } else { f64::NAN }, error, depth]
}

/// The row of one lane: `off` or NaN, impulse, normal, depth, energy, error, couple. As [`crate::pair::finish`].
#[inline(always)]
fn lane<const EDGES: bool>(x: &Points<W>, spans: &Spans<W>, laws: &Laws, l: usize) -> [f64; 13] {
    let [vx, vy, vz, off, error, depth] = integral::<EDGES, W>(x, spans, l);
    row([vx, vy, vz], off, error, depth, x, spans, laws, l)
}

/// The same of an integral and the bound of its error; `off` below [`NEAR`] where it may be the answer.
#[inline(always)]
pub(crate) fn row(
    value: Vector,
    off: f64,
    error: f64,
    depth: f64,
    x: &Points<W>,
    spans: &Spans<W>,
    laws: &Laws,
    l: usize,
) -> [f64; 13] {
    let (k, share) = (laws.k[l], laws.share[l]);
    let scale = -k * laws.dt;
    let (ix, iy, iz) = (value[0] * scale, value[1] * scale, value[2] * scale);
    let error = error * scale.abs();
    let largest = max(max(ix.abs(), iy.abs()), iz.abs());
    let (wx, wy, wz) = (ix / largest, iy / largest, iz / largest);
    let length = dot([wx, wy, wz], [wx, wy, wz]).sqrt();
    let start = &x[0];
    let first = vector(&start[0], l);
    let d1 = sub(vector(&start[1], l), first);
    let d2 = sub(vector(&start[2], l), first);
    let d3 = sub(vector(&start[3], l), first);
    let [_, w1, w2, w3] = &spans.weight;
    let (w1, w2, w3) = (w1[l], w2[l], w3[l]);
    let apart = |i: usize| d1[i] * w1 + d2[i] * w2 + d3[i] * w3;
    let couple = cross([apart(0), apart(1), apart(2)], [ix, iy, iz]);
    // NaN fails every comparison; the sum is finite where all three are, or not looked at as it stands.
    let all = ix.abs() + iy.abs() + iz.abs() + error + depth;
    let plain = off < NEAR && all < f64::INFINITY && largest >= f64::MIN_POSITIVE;
    [
        if plain { off } else { f64::NAN },
        ix * share,
        iy * share,
        iz * share,
        wx / length,
        wy / length,
        wz / length,
        depth,
        0.5 * k * depth * depth * share,
        error * share,
        couple[0] * share,
        couple[1] * share,
        couple[2] * share,
    ]
}

/// One interval, scalar: the same integral as its lane's.
#[inline]
pub(crate) fn one(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4], interval: &Interval) -> Integrals<1> {
    let x: Points<1> = [x0, x1].map(|x| x.map(|p| <[f64; 3]>::from(p).map(|c| [c])));
    let mut spans = Spans::<1>::EMPTY;
    spans.set(0, interval);
    let [x, y, z, off, error, depth] = match kind {
        Kind::VertexFace => integral::<false, 1>(&x, &spans, 0),
        Kind::EdgeEdge => integral::<true, 1>(&x, &spans, 0),
    };
    Integrals { value: [[x], [y], [z]], off: [off], error: [error], depth: [depth] }
}

#[inline(always)]
fn all_lanes<const EDGES: bool>(x: &Points<W>, spans: &Spans<W>, laws: &Laws, out: &mut Impulses8) {
    for l in 0..W {
        out.set(l, lane::<EDGES>(x, spans, laws, l));
    }
}

for_each_set! {
    /// The lanes of a block.
    pub(crate) impulses<EDGES> = all_lanes(x: &Points<W>, spans: &Spans<W>, laws: &Laws, out: &mut Impulses8)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::path::{Path, Straight};
    use crate::{Normalisation, Params, over_interval};
    use impinge_ccd::Entry;
    use impinge_contact::wide::Instructions;
    use proptest::prelude::*;

    pub(crate) type Ends = [[DVec3; 4]; 2];

    pub(crate) fn interval(t_in: f64, t_out: f64, side_end: i8) -> Interval {
        let (entry, weight) = (Entry::Contact, [1.0, -0.5, -0.3, -0.2]);
        Interval { t_in, t_out, side: 1, side_end, entry, weight, normal: DVec3::unit_z() }
    }

    /// One pair a lane; what is left of the eight is empty.
    pub(crate) fn in_lanes(pairs: &[(Ends, Interval)]) -> (Points<W>, Spans<W>) {
        let (mut x, mut spans) = ([[[[0.0; W]; 3]; 4]; 2], Spans::EMPTY);
        for (l, (ends, interval)) in pairs.iter().enumerate() {
            for (end, out) in ends.iter().zip(&mut x) {
                for (p, out) in end.iter().zip(out) {
                    (out[0][l], out[1][l], out[2][l]) = (p.x, p.y, p.z);
                }
            }
            spans.set(l, interval);
        }
        (x, spans)
    }

    fn check(kind: Kind, pairs: &[(Ends, Interval)], laws: &Laws) -> Result<usize, TestCaseError> {
        let (x, spans) = in_lanes(pairs);
        let params = Params::new(laws.dt, Normalisation::Constant).unwrap();
        let mut plain = 0;
        for with in Instructions::available() {
            let mut wide = Impulses8::NONE;
            match kind {
                Kind::VertexFace => impulses::<false>(with, &x, &spans, laws, &mut wide),
                Kind::EdgeEdge => impulses::<true>(with, &x, &spans, laws, &mut wide),
            }
            for (l, (ends, interval)) in pairs.iter().enumerate() {
                let off = one(kind, &ends[0], &ends[1], interval).off[0];
                if wide.off[l].is_nan() {
                    continue;
                }
                plain += 1;
                prop_assert_eq!(off.to_bits(), wide.off[l].to_bits(), "{}", with.name());
                let twin = over_interval(kind, &ends[0], &ends[1], interval, laws.k[l], &params);
                let share = laws.share[l];
                let vector = |v: &[[f64; W]; 3]| [v[0][l], v[1][l], v[2][l]].map(f64::to_bits);
                let bits = |v: DVec3| <[f64; 3]>::from(v).map(f64::to_bits);
                prop_assert_eq!(vector(&wide.impulse), bits(twin.impulse * share), "{}", with.name());
                prop_assert_eq!(vector(&wide.normal), bits(twin.normal));
                prop_assert_eq!(vector(&wide.couple), bits(twin.couple * share));
                let row = [wide.depth[l], wide.energy[l], wide.error[l]].map(f64::to_bits);
                let of_twin = [twin.depth, twin.energy * share, twin.error * share].map(f64::to_bits);
                prop_assert_eq!(row, of_twin);
            }
        }
        Ok(plain)
    }

    proptest! {
        /// Also for pairs whose normal vanishes, and for blocks of which only some lanes are filled.
        #[test]
        fn every_instruction_set_gives_the_scalar_impulse(
            grid in prop::collection::vec(prop::array::uniform24(-3i8..=3), 1..=W),
            ends in prop::array::uniform8((0.0..0.9f64, 0.0..2.0f64)),
            k in prop::array::uniform8(0.0..1e4f64),
            share in prop::array::uniform8(0.0..1.0f64),
        ) {
            let mut pairs = Vec::new();
            for (l, (c, (t_in, length))) in grid.iter().zip(ends).enumerate() {
                let point = |i: usize| DVec3::new(c[3 * i].into(), c[3 * i + 1].into(), c[3 * i + 2].into());
                let ends = [std::array::from_fn(point), std::array::from_fn(|i| point(i + 4))];
                let side = if l % 3 == 0 { -1 } else { 1 };
                pairs.push((ends, interval(t_in, (t_in + length).min(1.0), side)));
            }
            for kind in [Kind::VertexFace, Kind::EdgeEdge] {
                check(kind, &pairs, &Laws { k, share, dt: 0.01 })?;
            }
        }

        /// Against the integral of the general path.
        #[test]
        fn a_lane_is_the_closed_form(c in prop::array::uniform24(-3.0..3.0f64), t_in in 0.0..0.9f64) {
            let point = |i: usize| DVec3::new(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
            let (x0, x1) = (std::array::from_fn(point), std::array::from_fn(|i| point(i + 4)));
            let path = Straight::new(Kind::VertexFace, &x0, &x1);
            let (n0, n2) = (path.start.normal(), path.end.normal());
            let n1 = (path.start.u.cross(path.end.v) + path.end.u.cross(path.start.v)) * 0.5;
            let lk2 = impinge_ccd::rms_length(&impinge_ccd::length_squared_coefficients(&[n0, n1, n2])).powi(2);
            let (value, _) = crate::integral::constant(&path, &GAUSS_3, t_in, 1.0, lk2);
            let lane = one(Kind::VertexFace, &x0, &x1, &interval(t_in, 1.0, 1));
            prop_assert!((lane.value(0) - value).mag() <= 1e-12 * (1.0 + value.mag()));
            let depth = (-crate::integral::signed_distance(&path.at(1.0))).max(0.0);
            prop_assert!((lane.depth[0] - depth).abs() <= 1e-12 * (1.0 + depth));
        }
    }

    /// Ordinary pairs are not left to the way that goes pair by pair; those that L_k says nothing of, or whose impulse is zero, are.
    #[test]
    fn what_is_ordinary_is_right_as_it_stands() {
        let p = DVec3::new;
        let at = |z: f64, size: f64| [p(0.2, 0.3, z), p(0.0, 0.0, 0.0), p(size, 0.0, 0.0), p(0.0, size, 0.0)];
        let ordinary = ([at(0.1, 1.0), at(-0.2, 1.1)], interval(1.0 / 3.0, 1.0, 1));
        let flat = ([at(0.1, 0.0), at(-0.2, 0.0)], interval(0.5, 1.0, 1));
        let none = ([at(0.1, 1.0), at(-0.2, 1.0)], interval(1.0, 1.0, 1));
        let huge = ([at(0.1, 1e80), at(-0.2, 1e80)], interval(0.5, 1.0, 1));
        let laws = Laws { k: [50.0; W], share: [1.0; W], dt: 0.01 };
        let sets = Instructions::available().len();
        for (pairs, plain) in [(vec![ordinary; W], W), (vec![ordinary, flat, none, huge], 1)] {
            assert_eq!(check(Kind::VertexFace, &pairs, &laws).unwrap(), plain * sets);
        }
    }
}
