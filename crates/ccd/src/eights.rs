//! Pairs to look at closely, eight at a time: contacts and intervals of a list of pairs that touch or were open.
//!
//! Weights and normals are computed for eight pairs whose only root is known, signs for eight that were carried over; what is
//! neither goes pair by pair. The packed coordinates are handed on with the intervals, so that whoever integrates over
//! these need not pack them again.

use crate::batch::{Found, gather, pack};
use crate::contact::{contact_normal, contact_weights, weights_and_normal};
use crate::filter::screen::{Block, W};
use crate::filter::steady;
use crate::filter::weigh::{Weighed, trust, weigh};
use crate::intervals::{Carried, Entry, Opens, of_pair, only};
use crate::{Instructions, Interval, Intervals, Kind, Root};
use impinge_geometry::DVec3;
use impinge_geometry::arrays::arrays;

/// Coordinates of eight pairs: `[end][point][axis][lane]`.
pub type Eights = [[[[f64; W]; 3]; 4]; 2];

/// An interval for each of some pairs, by lane.
#[derive(Clone, Debug)]
pub struct Spans<const N: usize> {
    /// Start, fraction of the step.
    pub t_in: [f64; N],
    /// End.
    pub t_out: [f64; N],
    /// Sign of the coplanarity function on the free side at the start, see [`Interval::side`].
    pub side: [f64; N],
    /// And at the end, see [`Interval::side_end`].
    pub side_end: [f64; N],
    /// How it began.
    pub entry: [Entry; N],
    /// Signed weights, `[point][lane]`.
    pub weight: [[f64; N]; 4],
    /// Unit normal towards the side where the coplanarity function is positive, `[axis][lane]`.
    pub normal: [[f64; N]; 3],
}

impl<const N: usize> Spans<N> {
    /// No intervals.
    pub const EMPTY: Self = Self {
        t_in: [0.0; N],
        t_out: [0.0; N],
        side: [0.0; N],
        side_end: [0.0; N],
        entry: [Entry::Contact; N],
        weight: [[0.0; N]; 4],
        normal: [[0.0; N]; 3],
    };

    /// Writes an interval into a lane.
    #[inline]
    pub fn set(&mut self, l: usize, i: &Interval) {
        (self.t_in[l], self.t_out[l], self.entry[l]) = (i.t_in, i.t_out, i.entry);
        (self.side[l], self.side_end[l]) = (f64::from(i.side), f64::from(i.side_end));
        for (out, w) in self.weight.iter_mut().zip(i.weight) {
            out[l] = w;
        }
        let normal = <[f64; 3]>::from(i.normal);
        for (out, n) in self.normal.iter_mut().zip(normal) {
            out[l] = n * f64::from(i.side);
        }
    }

    /// The weights of a lane.
    #[inline]
    #[must_use]
    pub fn weights(&self, l: usize) -> [f64; 4] {
        [self.weight[0][l], self.weight[1][l], self.weight[2][l], self.weight[3][l]]
    }

    /// The interval of a lane.
    #[inline]
    #[must_use]
    pub fn get(&self, l: usize) -> Interval {
        Interval {
            t_in: self.t_in[l],
            t_out: self.t_out[l],
            side: self.side[l] as i8,
            side_end: self.side_end[l] as i8,
            entry: self.entry[l],
            weight: self.weights(l),
            normal: DVec3::new(self.normal[0][l], self.normal[1][l], self.normal[2][l]) * self.side[l],
        }
    }
}

/// Up to eight neighbours of a list of pairs, and their intervals.
#[derive(Clone, Debug)]
pub struct Eight<'a> {
    /// Place of the first of them in the list.
    pub first: usize,
    /// How many there are; lanes from here on mean nothing.
    pub len: usize,
    /// Their points.
    pub x: &'a Eights,
    /// Of the pairs that have exactly one interval: that interval.
    pub spans: &'a Spans<W>,
    /// Pairs that have exactly one.
    pub one: [bool; W],
    /// Intervals of a pair that has two, in order of time; `None` where that is not so.
    pub two: &'a [Option<[Interval; 2]>; W],
}

/// Penetration intervals of a list that holds only pairs that touch and pairs that were open, eight at a time, in order. As
/// [`crate::intervals_of_touching`], for callers that go on with the pairs at once instead of keeping a table.
///
/// `roots` as there. `known` says by place what the last step knows of a pair. Positions of the pairs must be finite: the
/// pairs that touch are, for those that were open see [`crate::check_pairs`].
///
/// # Panics
/// When a stencil names a vertex that is not there.
pub fn intervals_by_eights(
    with: Instructions,
    kind: Kind,
    x0: &[DVec3],
    x1: &[DVec3],
    stencils: &[[u32; 4]],
    roots: &[Option<Root>],
    known: impl Fn(usize) -> Option<Carried>,
    opens: Opens,
    mut visit: impl FnMut(&Eight<'_>),
) {
    let vertices = x0.len().min(x1.len());
    assert!(
        stencils.iter().flatten().all(|&v| (v as usize) < vertices),
        "a stencil names a vertex that is not there"
    );
    let (mut spans, mut two) = (Spans::EMPTY, [None; W]);
    let rows = (0u32..).zip(stencils).map(|(i, &s)| {
        let root = roots.get(i as usize).copied().flatten();
        (i, s, root, known(i as usize).is_some())
    });
    by_lanes(with, kind, x0, x1, true, rows, |group| {
        let mut one = [false; W];
        (spans.weight, spans.normal) = (group.weighed.weight, group.weighed.normal);
        two.fill(None);
        for (l, lane) in group.lanes().enumerate() {
            let known = known(lane.at);
            if let Some(root) = lane.opening(known.is_some(), opens) {
                (spans.t_in[l], spans.t_out[l], spans.entry[l]) = (root.t, 1.0, Entry::Contact);
                (spans.side[l], spans.side_end[l]) = (f64::from(root.before), f64::from(root.before));
                one[l] = true;
                continue;
            }
            let mut found = Intervals::new();
            lane.intervals(known.as_ref(), opens, |i| found.push(i));
            match found[..] {
                [i] => {
                    spans.set(l, &i);
                    one[l] = true;
                }
                // Linear motion has at most two.
                [i, j, ..] => two[l] = Some([i, j]),
                [] => {}
            }
        }
        let (first, len) = (group.rows[0].at, group.rows.len());
        visit(&Eight { first, len, x: &group.block.x, spans: &spans, one, two: &two });
    });
}

/// What is known of a pair before the lanes are looked at.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    at: usize,
    candidate: u32,
    root: Found,
    carried: bool,
    stencil: [u32; 4],
}

impl Row {
    const NONE: Self = Self { at: 0, candidate: 0, root: None, carried: false, stencil: [0; 4] };
}

/// Up to eight pairs with what the wide kernels say of them.
pub(crate) struct Group<'a> {
    kind: Kind,
    x0: &'a [DVec3],
    x1: &'a [DVec3],
    rows: &'a [Row],
    block: &'a Block,
    weighed: &'a Weighed<W>,
    signs: &'a [f64; W],
}

impl Group<'_> {
    /// The pairs, in order.
    #[inline]
    pub fn lanes(&self) -> impl Iterator<Item = Lane<'_>> {
        self.rows.iter().enumerate().map(|(lane, r)| {
            let sign = if r.carried { (self.signs[lane] * self.kind.sign()) as i8 } else { 0 };
            let Self { kind, x0, x1, weighed, .. } = *self;
            let Row { at, candidate, root, stencil, .. } = *r;
            Lane { at, candidate, kind, stencil, x0, x1, root, sign, weighed, lane }
        })
    }
}

/// A pair to look at closely.
pub(crate) struct Lane<'a> {
    /// Place among the pairs visited.
    pub at: usize,
    /// Place in the candidate list.
    pub candidate: u32,
    kind: Kind,
    stencil: [u32; 4],
    x0: &'a [DVec3],
    x1: &'a [DVec3],
    /// Its only root, if known.
    pub root: Found,
    /// Of a pair that was carried over: sign of the papers' coplanarity function if it has no root in the step, else 0.
    sign: i8,
    /// With a root: weights and normal there. Of a pair that was carried over: at the start.
    weighed: &'a Weighed<W>,
    lane: usize,
}

impl Lane<'_> {
    #[inline]
    #[must_use]
    pub fn points(&self) -> [[DVec3; 4]; 2] {
        [gather(self.x0, self.stencil), gather(self.x1, self.stencil)]
    }

    /// The root of a pair whose only interval opens at it, with weights and normal as the lane has them: the usual case.
    #[inline]
    fn opening(&self, known: bool, opens: Opens) -> Option<&Root> {
        let root = self.root.as_ref().filter(|r| !known && r.inside && r.t < 1.0 && r.before != 0)?;
        let opens = !matches!(opens, Opens::From(s) if s != root.before);
        (opens && self.weighed.trust[self.lane] == trust::GOOD).then_some(root)
    }

    /// The intervals of the pair, in order of time; `known` is what the last step knows of it.
    #[inline]
    pub fn intervals(&self, known: Option<&Carried>, opens: Opens, mut push: impl FnMut(Interval)) {
        match (self.root, known) {
            (Some(root), None) => {
                if let Some(i) = only(&root, opens, |t, side| self.weigh(t, side)) {
                    push(i);
                }
            }
            (_, Some(c)) if self.sign != 0 => {
                if let Some(i) = self.all_step(c) {
                    push(i);
                }
            }
            _ => {
                let [x0, x1] = self.points();
                of_pair(self.kind, &x0, &x1, known, opens).into_iter().for_each(push);
            }
        }
    }

    /// The interval of a pair that was carried over and whose function has no root: all step, or none.
    #[inline]
    fn all_step(&self, c: &Carried) -> Option<Interval> {
        // Any number is a side, by its sign.
        let side = c.side.signum();
        if side == 0 || self.sign != -side {
            return None;
        }
        // Points are fetched only where something is missing.
        let weight = c.weight.unwrap_or_else(|| {
            let [x0, x1] = self.points();
            contact_weights(self.kind, &x0, &x1, 0.0)
        });
        let normal = if self.weighed.trust[self.lane] == trust::FLAT {
            let [x0, x1] = self.points();
            contact_normal(self.kind, &x0, &x1, 0.0, side, &weight)
        } else {
            self.weighed.normal(self.lane, side)
        };
        let entry = Entry::Initial;
        Some(Interval { t_in: 0.0, t_out: 1.0, side, side_end: side, entry, weight, normal })
    }

    /// Weights and normal in the middle of the enclosure of the known root.
    #[inline]
    #[must_use]
    pub fn weigh(&self, t: f64, side: i8) -> ([f64; 4], DVec3) {
        if side != 0 && self.weighed.trust[self.lane] == trust::GOOD {
            return (self.weighed.weight(self.lane), self.weighed.normal(self.lane, side));
        }
        let [x0, x1] = self.points();
        weights_and_normal(self.kind, &x0, &x1, t, side)
    }
}

/// Visits pairs in order, eight at a time, with weights and normals computed for those whose only root is known, and signs for those
/// that were carried over, which a row says last. Coordinates are packed for these, or for `all`.
#[inline]
pub(crate) fn by_lanes(
    with: Instructions,
    kind: Kind,
    x0: &[DVec3],
    x1: &[DVec3],
    all: bool,
    rows: impl Iterator<Item = (u32, [u32; 4], Found, bool)>,
    mut visit: impl FnMut(&Group<'_>),
) {
    let (a0, a1) = (arrays(x0).as_flattened(), arrays(x1).as_flattened());
    let (mut block, mut times, mut weighed) = (Block::zero(), [0.0; W], Weighed::NONE);
    let mut signs = [0.0; W];
    let mut rows = rows.enumerate();
    let mut group = [Row::NONE; W];
    loop {
        let mut n = 0;
        let (mut roots, mut old) = (false, false);
        for (at, (candidate, stencil, root, carried)) in rows.by_ref().take(W) {
            group[n] = Row { at, candidate, root, carried, stencil };
            if all || carried || root.is_some() {
                pack(a0, a1, stencil, n, &mut block);
            }
            if carried {
                (times[n], old) = (0.0, true);
            } else if let Some(Root { t, t_hi, .. }) = root {
                (times[n], roots) = (0.5 * (t + t_hi), true);
            }
            n += 1;
        }
        if n == 0 {
            return;
        }
        if old {
            steady::signs(with, &block, &mut signs);
        }
        match kind {
            _ if !(old || roots) => {}
            Kind::VertexFace => weigh::<false>(with, &block, &times, &mut weighed),
            Kind::EdgeEdge => weigh::<true>(with, &block, &times, &mut weighed),
        }
        let (block, weighed, signs) = (&block, &weighed, &signs);
        visit(&Group { kind, x0, x1, rows: &group[..n], block, weighed, signs });
    }
}
