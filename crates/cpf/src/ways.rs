//! Literal CPF of a whole step whose vertices go on arcs or parabolas: as [`accumulate`](crate::accumulate), with the times and integrals of
//! these ways.
//!
//! All pairs of two bodies cut their ways into the same pieces, so what is common to two pairs is in one place at every time: nothing slips
//! through between neighbours.

use crate::batch::{Counts, Impulses, StepPairs, Workspace, carried_on, list};
use crate::curved::{parabola, piece_starts, way_impulses};
use crate::rows::Work;
use crate::step_error::StepError;
use crate::{Force, Normalisation, PairError, PairImpulse, Params, Tracked, Used, at_end, pair_impulses};
use impinge_ccd::accelerated::contacts;
use impinge_ccd::{BatchError, Carried, Interval, Kind, Opens, check_pairs, touches};
use impinge_contact::par;
use impinge_contact::wide::Instructions;
use impinge_geometry::DVec3;
use smallvec::SmallVec;

/// Pairs per parallel chunk.
const CHUNK: usize = 64;

/// Ways of a step that are not straight.
#[derive(Clone, Copy)]
pub struct CurvedWays<'a> {
    /// Vertices at the start (m).
    pub x0: &'a [DVec3],
    /// And at the end.
    pub x1: &'a [DVec3],
    /// Where a vertex is at a fraction of the step (m); at 0 and 1 by the same bits as above.
    pub at: &'a (dyn Fn(u32, f64) -> DVec3 + Sync),
    /// How far a vertex leaves the line between two places of its way that are a part of the step apart (m), at the most.
    pub off: &'a (dyn Fn(u32, f64) -> f64 + Sync),
    /// Parabolas for the ways of a pair, by its first and its last vertex; 0 where all of these are straight.
    pub pieces: &'a (dyn Fn(u32, u32) -> usize + Sync),
}

/// The impulses of a pair, or which of its points has a place that is not finite.
pub(crate) type OfPair = Result<SmallVec<[PairImpulse; 3]>, u8>;

impl CurvedWays<'_> {
    fn places(&self, s: [u32; 4], t: f64) -> [DVec3; 4] {
        s.map(|v| (self.at)(v, t))
    }

    /// The boxes of the two features have a gap between them, on the part of their way between places `a` and `b`.
    fn apart(&self, kind: Kind, s: [u32; 4], [a, b]: [&[DVec3; 4]; 2], part: f64) -> bool {
        let first = if kind == Kind::VertexFace { 1 } else { 2 };
        let around = |of: std::ops::Range<usize>| {
            let none = [DVec3::broadcast(f64::INFINITY), DVec3::broadcast(f64::NEG_INFINITY)];
            of.fold(none, |[lo, hi], i| {
                let (low, high) = (a[i].min_by_component(b[i]), a[i].max_by_component(b[i]));
                // Places on the way are rounded.
                let size = low.abs().max_by_component(high.abs()).component_max();
                let off = (self.off)(s[i], part) * (1.0 + 1e-9) + 64.0 * f64::EPSILON * size;
                let off = DVec3::broadcast(off);
                [lo.min_by_component(low - off), hi.max_by_component(high + off)]
            })
        };
        let ([lo, hi], [low, high]) = (around(0..first), around(first..4));
        let gap = |lo: DVec3, hi: DVec3| lo.x > hi.x || lo.y > hi.y || lo.z > hi.z;
        gap(lo, high) || gap(low, hi)
    }

    /// Whether a pair touches on its way, or which of its points is not finite.
    fn touch(&self, kind: Kind, s: [u32; 4]) -> Result<bool, u8> {
        let (a, b) = (self.places(s, 0.0), self.places(s, 1.0));
        if self.apart(kind, s, [&a, &b], 1.0) {
            return Ok(false);
        }
        match (self.pieces)(s[0], s[3]) {
            0 => touches(kind, &a, &b).map_err(|_| 0),
            pieces => self.touch_between((kind, s), [&a, &b], 0..pieces, pieces),
        }
    }

    /// The same on some of the pieces of its way. Boxes shrink with the square of the time: most pairs are known to be apart after few halvings.
    fn touch_between(
        &self,
        (kind, s): (Kind, [u32; 4]),
        [a, b]: [&[DVec3; 4]; 2],
        pieces: std::ops::Range<usize>,
        of: usize,
    ) -> Result<bool, u8> {
        if self.apart(kind, s, [a, b], pieces.len() as f64 / of as f64) {
            return Ok(false);
        }
        if pieces.len() == 1 {
            let times = [pieces.start, pieces.end].map(|p| piece_starts(p, of));
            let control = parabola(&|t| self.places(s, t), times, [*a, *b]);
            return contacts(kind, &control).map(|found| found.touch()).map_err(|e| e.point as u8);
        }
        let middle = pieces.start + pieces.len() / 2;
        let m = self.places(s, piece_starts(middle, of));
        let before = self.touch_between((kind, s), [a, &m], pieces.start..middle, of)?;
        Ok(before || self.touch_between((kind, s), [&m, b], middle..pieces.end, of)?)
    }

    /// Writes the places of the candidates that touch to `out`, ascending.
    pub(crate) fn touching(
        &self,
        pairs: &StepPairs<'_>,
        found: &mut Vec<Result<bool, u8>>,
        out: &mut Vec<u32>,
    ) -> Result<(), StepError> {
        out.clear();
        let (c, n) = (pairs.candidates, pairs.candidates.len());
        check_pairs(self.x0, self.x1, (0..n).map(|i| (i, c.stencil(i)))).map_err(StepError::Pairs)?;
        found.clear();
        found.resize(n, Ok(false));
        par::fill(found, CHUNK, |i, slot| {
            if let Some(s) = c.stencil(i) {
                *slot = self.touch(c.kind(), s);
            }
        });
        for (i, touches) in found.iter().enumerate() {
            match *touches {
                Ok(true) => out.push(i as u32),
                Ok(false) => {}
                Err(point) => return Err(StepError::Pairs(lost(c.stencil(i).unwrap_or_default(), point))),
            }
        }
        Ok(())
    }

    /// The impulses of a pair, one for each interval in which it penetrates.
    fn of_pair(
        &self,
        kind: Kind,
        s: [u32; 4],
        carried: Option<&Carried>,
        opens: Opens,
        k: f64,
        params: &Params,
    ) -> OfPair {
        let pieces = (self.pieces)(s[0], s[3]);
        if pieces == 0 {
            let (x0, x1) = (self.places(s, 0.0), self.places(s, 1.0));
            return match pair_impulses(kind, &x0, &x1, carried, opens, k, params) {
                Ok(found) => Ok(found.into_iter().collect()),
                Err(PairError::NotFinite(e)) => Err(e.point as u8),
                Err(PairError::Stiffness(_)) => Ok(SmallVec::new()),
            };
        }
        way_impulses(kind, &|t| self.places(s, t), pieces, carried, opens, k, params)
            .map_err(|e| e.point as u8)
    }

    /// Impulses of the work list, pair by pair.
    fn look(&self, pairs: &StepPairs<'_>, params: &Params, ws: &mut Workspace) -> Result<(), StepError> {
        let (kind, opens) = (pairs.candidates.kind(), pairs.opens);
        let mut found = std::mem::take(&mut ws.on_ways);
        found.clear();
        found.resize(ws.keys.len(), Ok(SmallVec::new()));
        let list = &*ws;
        par::fill(&mut found, CHUNK, |i, slot| {
            let carried =
                list.carried.binary_search_by_key(&(i as u32), |c| c.0).ok().map(|at| &list.carried[at].1);
            *slot = self.of_pair(kind, list.stencils[i], carried, opens, list.stiffness[i], params);
        });
        let failed = found.iter().zip(&ws.stencils).find_map(|(f, s)| f.as_ref().err().map(|p| lost(*s, *p)));
        ws.on_ways = found;
        failed.map_or(Ok(()), |e| Err(StepError::Carried(e)))
    }
}

fn lost(stencil: [u32; 4], point: u8) -> BatchError {
    BatchError::NotFinite { vertex: stencil[usize::from(point).min(3)] as usize, at_end: true }
}

fn interval(p: &PairImpulse) -> Interval {
    Interval {
        t_in: p.t_in,
        t_out: p.t_out,
        side: p.side,
        side_end: p.side_end,
        entry: p.entry,
        weight: p.weight,
        normal: p.normal,
    }
}

/// [`accumulate`](crate::accumulate) on ways that are not straight. Impulses act on the points where they are when the step begins, as
/// there; the moment that this leaves is booked in the same way.
///
/// # Errors
/// [`StepError`]; `out` and `next` are then empty.
pub fn accumulate_on_ways(
    params: &Params,
    ways: &CurvedWays<'_>,
    pairs: &StepPairs<'_>,
    tracked: &Tracked,
    ws: &mut Workspace,
    out: &mut Impulses,
    next: &mut Tracked,
) -> Result<Counts, StepError> {
    out.clear();
    next.clear();
    let tiers = list(ways.x0, ways.x1, pairs, Some(ways), tracked, ws)?;
    ways.look(pairs, params, ws)?;
    let with = *ws.instructions.get_or_insert_with(Instructions::best);
    let (kind, opens) = (pairs.candidates.kind(), pairs.opens);
    let work = Work { with, kind, opens, x0: ways.x0, x1: ways.x1, list: ws, tracked };
    for (at, found) in work.list.on_ways.iter().enumerate() {
        let Ok(found) = found else { continue };
        for p in found {
            let p = match params.force {
                Force::Integrated => *p,
                // A pair that has come and gone is not seen (Fig. 4 a).
                Force::AtEnd if p.t_out < 1.0 => continue,
                Force::AtEnd => {
                    let s = ws.stencils[at];
                    let (x0, x1) = (ways.places(s, 0.0), ways.places(s, 1.0));
                    at_end(kind, &x0, &x1, &interval(p), ws.stiffness[at], params.dt)
                }
            };
            out.push(work.row(at, &p, work.share(at, p.entry)));
        }
        if let Some(last) = found.last() {
            next.push(carried_on(ws, tracked, at, &interval(last)));
        }
    }
    let constant = out.used.iter().filter(|u| **u == Used::Constant).count();
    Ok(Counts { tiers, constant, exact: out.len() - constant })
}

/// [`retrack`](crate::retrack) on ways that are not straight.
///
/// # Errors
/// [`StepError`]; `next` is then empty.
pub fn retrack_on_ways(
    ways: &CurvedWays<'_>,
    pairs: &StepPairs<'_>,
    tracked: &Tracked,
    ws: &mut Workspace,
    next: &mut Tracked,
) -> Result<(), StepError> {
    next.clear();
    list(ways.x0, ways.x1, pairs, Some(ways), tracked, ws)?;
    // Times and sides alone are asked for.
    let params = Params { dt: 1.0, normalisation: Normalisation::Constant, force: Force::Integrated };
    ways.look(pairs, &params, ws)?;
    let kind = pairs.candidates.kind();
    for (at, found) in ws.on_ways.iter().enumerate() {
        let Some(last) = found.as_ref().ok().and_then(|f| f.last()) else { continue };
        if last.t_out >= 1.0 || ws.ended_beside(kind, at, ways.x1) {
            next.push(carried_on(ws, tracked, at, &interval(last)));
        }
    }
    Ok(())
}
