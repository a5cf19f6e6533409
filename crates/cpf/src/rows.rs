//! From a work list to rows: the impulses of a step and what it carries on, eight pairs at a time.
//!
//! The intervals of eight pairs come with the pairs' packed points, so the impulses are integrated there and then, and where each of
//! the eight has one interval, as nearly all have, the rows go out column by column. Everything else goes pair by pair and gives the
//! same bits. Chunks of the list have a fixed length, and their rows are joined in order.

use crate::batch::{Workspace, carried_on};
use crate::exact::{self, Beyond};
use crate::lanes::{self, EXACT, Impulses8, Laws, W};
use crate::{ImpulseRow, Impulses, Normalisation, PairImpulse, Params, Tracked, Used, over_interval};
use impinge_ccd::{Carried, Eight, Entry, Interval, Kind, Opens, intervals_by_eights};
use impinge_contact::wide::Instructions;
use impinge_contact::{SlipState, par};
use impinge_geometry::DVec3;

/// Pairs per parallel chunk.
const CHUNK: usize = 256;

/// Rows of a chunk, where chunks do not write to the tables themselves.
#[derive(Default)]
pub(crate) struct Part {
    out: Impulses,
    next: Tracked,
}

/// A work list and what is done with it.
pub(crate) struct Work<'a> {
    pub with: Instructions,
    pub kind: Kind,
    pub opens: Opens,
    pub x0: &'a [DVec3],
    pub x1: &'a [DVec3],
    pub list: &'a Workspace,
    pub tracked: &'a Tracked,
}

/// Rows of the whole list, behind those of the tables. The same for any number of threads; with one nothing is copied.
pub(crate) fn rows(
    work: &Work<'_>,
    params: &Params,
    parts: &mut Vec<Part>,
    out: &mut Impulses,
    next: &mut Tracked,
) {
    by_chunks(work, parts, out, next, |range, out, next| work.chunk(params, range, out, next));
}

/// What is carried on of the whole list without impulses: of each pair the last interval, if its end and the pair's place pass.
pub(crate) fn carried(
    work: &Work<'_>,
    keep: impl Fn(f64, usize) -> bool + Sync,
    parts: &mut Vec<Part>,
    next: &mut Tracked,
) {
    let none = &mut Impulses::default();
    by_chunks(work, parts, none, next, |range, _, next| {
        work.eights(range, |first, eight| work.carry_on(first, eight, &keep, next));
    });
}

fn by_chunks(
    work: &Work<'_>,
    parts: &mut Vec<Part>,
    out: &mut Impulses,
    next: &mut Tracked,
    chunk: impl Fn(std::ops::Range<usize>, &mut Impulses, &mut Tracked) + Sync,
) {
    let n = work.list.keys.len();
    let chunks = n.div_ceil(CHUNK);
    let range = |c: usize| c * CHUNK..((c + 1) * CHUNK).min(n);
    if par::threads() == 1 || chunks <= 1 {
        (0..chunks).for_each(|c| chunk(range(c), out, next));
        return;
    }
    if parts.len() < chunks {
        parts.resize_with(chunks, Part::default);
    }
    par::for_each_chunk(&mut parts[..chunks], 1, |c, part| {
        let Part { out, next } = &mut part[0];
        out.clear();
        next.clear();
        chunk(range(c), out, next);
    });
    for part in &parts[..chunks] {
        out.append_rows(&part.out);
        next.append_rows(&part.next);
    }
}

/// Lanes as vectors. Written one by one to where they go: a copy of what was just put together in small pieces waits for these.
#[inline(always)]
fn vectors(of: &[[f64; W]; 3], n: usize) -> impl Iterator<Item = DVec3> {
    (0..n).map(|l| DVec3::new(of[0][l], of[1][l], of[2][l]))
}

/// How the row of a lane was normalised.
#[inline(always)]
fn used(off: f64) -> Used {
    if off < 0.0 { Used::Exact } else { Used::Constant }
}

/// The intervals of one of the pairs, in order of time.
#[inline]
fn intervals(eight: &Eight<'_>, l: usize) -> impl Iterator<Item = Interval> {
    let one = eight.one[l].then(|| eight.spans.get(l));
    one.into_iter().chain(eight.two[l].into_iter().flatten())
}

/// The last of them.
#[inline]
fn last(eight: &Eight<'_>, l: usize) -> Option<Interval> {
    let one = eight.one[l].then(|| eight.spans.get(l));
    one.or(eight.two[l].map(|two| two[1]))
}

/// Behind a column. A full eight has a length the compiler knows, and is not worth a call.
#[inline(always)]
fn put<T: Copy>(column: &mut Vec<T>, lanes: &[T]) {
    match <&[T; W]>::try_from(lanes) {
        Ok(eight) => column.extend_from_slice(eight),
        Err(_) => column.extend_from_slice(lanes),
    }
}

impl Work<'_> {
    /// Visits the pairs of a range with their intervals.
    fn eights(&self, range: std::ops::Range<usize>, mut visit: impl FnMut(usize, &Eight<'_>)) {
        let from = range.start;
        let (stencils, roots) = (&self.list.stencils[range.clone()], &self.list.roots()[range]);
        let known = |i: usize| {
            let row = self.list.row[from + i] as usize;
            let side = *self.tracked.side.get(row)?;
            Some(Carried { side, weight: Some(self.tracked.weight[row]) })
        };
        let Self { with, kind, x0, x1, opens, .. } = *self;
        intervals_by_eights(with, kind, x0, x1, stencils, roots, known, opens, |eight| {
            visit(from + eight.first, eight);
        });
    }

    fn chunk(&self, params: &Params, range: std::ops::Range<usize>, out: &mut Impulses, next: &mut Tracked) {
        let (mut laws, mut lanes) = (Laws { k: [0.0; W], share: [1.0; W], dt: params.dt }, Impulses8::NONE);
        // How far L_k may be off for its impulse to be the answer; what |m(t)| itself normalises is above none of these.
        let (limit, tolerance) = match params.normalisation {
            Normalisation::Constant => (f64::INFINITY, 1.0),
            Normalisation::Exact { tolerance } => (EXACT, tolerance),
            Normalisation::Auto { tolerance } => (tolerance, tolerance),
        };
        let beyond = Beyond { limit, tolerance };
        let kind = self.kind;
        self.eights(range, |first, eight| {
            let n = eight.len;
            laws.k[..n].copy_from_slice(&self.list.stiffness[first..first + n]);
            for (l, share) in laws.share.iter_mut().enumerate().take(n) {
                *share = self.share(first + l, eight.spans.entry[l]);
            }
            match kind {
                Kind::VertexFace => self.impulses::<false>(eight, &laws, beyond, &mut lanes),
                Kind::EdgeEdge => self.impulses::<true>(eight, &laws, beyond, &mut lanes),
            }
            let plain: [bool; W] = std::array::from_fn(|l| eight.one[l] && lanes.off[l] <= limit);
            if plain[..n].iter().all(|p| *p) {
                self.columns(first, eight, &laws, &lanes, out);
            } else {
                for l in 0..n {
                    if plain[l] {
                        out.push(self.of_lane(first + l, eight, &laws, &lanes, l));
                    } else {
                        intervals(eight, l).for_each(|i| out.push(self.of_pair(params, first + l, &i)));
                    }
                }
            }
            // Also of one that has just left.
            self.carry_on(first, eight, |_, _| true, next);
        });
    }

    /// By L_k, and by |m(t)| itself where that is off by too much.
    #[inline(always)]
    fn impulses<const EDGES: bool>(
        &self,
        eight: &Eight<'_>,
        laws: &Laws,
        beyond: Beyond,
        lanes: &mut Impulses8,
    ) {
        lanes::impulses::<EDGES>(self.with, eight.x, eight.spans, laws, lanes);
        if lanes.off[..eight.len].iter().any(|&off| off > beyond.limit) {
            exact::impulses::<EDGES>(self.with, eight.x, eight.spans, laws, beyond, lanes);
        }
    }

    /// Part of the force that acts. A contact made anew is a whole one, whatever became of an older one of the pair.
    #[inline(always)]
    #[must_use]
    pub fn share(&self, at: usize, entry: Entry) -> f64 {
        match entry {
            Entry::Initial => self.tracked.share.get(self.list.row[at] as usize).copied().unwrap_or(1.0),
            Entry::Contact => 1.0,
        }
    }

    /// Rows of pairs that have one interval each, all of whose lanes are right.
    #[inline(always)]
    fn columns(&self, at: usize, eight: &Eight<'_>, laws: &Laws, lanes: &Impulses8, out: &mut Impulses) {
        let n = eight.len;
        let (list, here) = (self.list, at..at + n);
        let spans = eight.spans;
        put(&mut out.key, &list.keys[here.clone()]);
        put(&mut out.stencil, &list.stencils[here.clone()]);
        put(&mut out.candidate, &list.candidate[here]);
        out.weight.extend((0..n).map(|l| spans.weights(l)));
        put(&mut out.t_in, &spans.t_in[..n]);
        put(&mut out.t_out, &spans.t_out[..n]);
        put(&mut out.entry, &spans.entry[..n]);
        put(&mut out.share, &laws.share[..n]);
        out.impulse.extend(vectors(&lanes.impulse, n));
        out.normal.extend(vectors(&lanes.normal, n));
        put(&mut out.depth, &lanes.depth[..n]);
        put(&mut out.energy, &lanes.energy[..n]);
        put(&mut out.used, &lanes.off.map(used)[..n]);
        put(&mut out.error, &lanes.error[..n]);
        out.couple.extend(vectors(&lanes.couple, n));
    }

    fn of_lane(&self, at: usize, eight: &Eight<'_>, laws: &Laws, lanes: &Impulses8, l: usize) -> ImpulseRow {
        let spans = eight.spans;
        let vector = |of: &[[f64; W]; 3]| DVec3::new(of[0][l], of[1][l], of[2][l]);
        ImpulseRow {
            key: self.list.keys[at],
            stencil: self.list.stencils[at],
            weight: spans.weights(l),
            candidate: self.list.candidate[at],
            t_in: spans.t_in[l],
            t_out: spans.t_out[l],
            entry: spans.entry[l],
            share: laws.share[l],
            impulse: vector(&lanes.impulse),
            normal: vector(&lanes.normal),
            depth: lanes.depth[l],
            energy: lanes.energy[l],
            used: used(lanes.off[l]),
            error: lanes.error[l],
            couple: vector(&lanes.couple),
        }
    }

    /// The row of an interval whose pair has no lane of its own, or none that is right.
    #[cold]
    fn of_pair(&self, params: &Params, at: usize, i: &Interval) -> ImpulseRow {
        let s = self.list.stencils[at].map(|v| v as usize);
        let (x0, x1) = (s.map(|v| self.x0[v]), s.map(|v| self.x1[v]));
        let p = over_interval(self.kind, &x0, &x1, i, self.list.stiffness[at], params);
        self.row(at, &p, self.share(at, i.entry))
    }

    /// The row of a pair's impulse.
    #[must_use]
    pub fn row(&self, at: usize, p: &PairImpulse, share: f64) -> ImpulseRow {
        ImpulseRow {
            key: self.list.keys[at],
            stencil: self.list.stencils[at],
            weight: p.weight,
            candidate: self.list.candidate[at],
            t_in: p.t_in,
            t_out: p.t_out,
            entry: p.entry,
            share,
            impulse: p.impulse * share,
            normal: p.normal,
            depth: p.depth,
            energy: p.energy * share,
            used: p.used,
            error: p.error * share,
            couple: p.couple * share,
        }
    }

    /// The last interval of each pair is carried on, if its end and the pair's place pass.
    #[inline(always)]
    fn carry_on(&self, at: usize, eight: &Eight<'_>, keep: impl Fn(f64, usize) -> bool, next: &mut Tracked) {
        let n = eight.len;
        if (0..n).all(|l| eight.one[l] && keep(eight.spans.t_out[l], at + l)) {
            self.carry_columns(at, eight, next);
            debug_assert!(next.is_whole(), "a column that is not carried on");
            return;
        }
        for l in 0..n {
            if let Some(last) = last(eight, l).filter(|last| keep(last.t_out, at + l)) {
                next.push(carried_on(self.list, self.tracked, at + l, &last));
            }
        }
    }

    /// Rows of pairs that have one interval each, as [`carried_on`] makes them.
    #[inline(always)]
    fn carry_columns(&self, at: usize, eight: &Eight<'_>, next: &mut Tracked) {
        let n = eight.len;
        let (list, open, spans, here) = (self.list, self.tracked, eight.spans, at..at + n);
        put(&mut next.key, &list.keys[here.clone()]);
        put(&mut next.stencil, &list.stencils[here.clone()]);
        next.side.extend(spans.side_end[..n].iter().map(|s| *s as i8));
        next.weight.extend((0..n).map(|l| spans.weights(l)));
        put(&mut next.stiffness, &list.stiffness[here.clone()]);
        if spans.entry[..n].iter().all(|e| *e == Entry::Contact) {
            put(&mut next.share, &[1.0; W][..n]);
            put(&mut next.fading, &[false; W][..n]);
            put(&mut next.height, &[0.0; W][..n]);
            put(&mut next.band, &[0.0; W][..n]);
            put(&mut next.anchor, &[DVec3::zero(); W][..n]);
            put(&mut next.grip, &[SlipState::Open; W][..n]);
            return;
        }
        // A contact made anew is a whole one, whatever became of an older one of the pair.
        let row = |(r, e): (&u32, &Entry)| if *e == Entry::Initial { *r as usize } else { usize::MAX };
        let rows = || list.row[here.clone()].iter().zip(&spans.entry).map(row);
        next.share.extend(rows().map(|r| open.share.get(r).copied().unwrap_or(1.0)));
        next.fading.extend(rows().map(|r| open.fading.get(r).copied().unwrap_or(false)));
        next.height.extend(rows().map(|r| open.height.get(r).copied().unwrap_or(0.0)));
        next.band.extend(rows().map(|r| open.band.get(r).copied().unwrap_or(0.0)));
        next.anchor.extend(rows().map(|r| open.anchor.get(r).copied().unwrap_or(DVec3::zero())));
        next.grip.extend(rows().map(|r| open.grip.get(r).copied().unwrap_or(SlipState::Open)));
    }
}
