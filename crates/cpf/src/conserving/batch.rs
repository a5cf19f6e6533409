//! Discrete gradients of all pairs of one kind: the batch that an implicit step asks for again in every iteration.
//!
//! The work list is that of the explicit step: candidates that touch on the way x₀ → x₁ and the pairs in contact from the step
//! before. Rows come out ascending by key, one for a pair. Each is computed on its own: the same bits for any number of threads.

use super::depth::{Depth, triple};
use super::{PairGradient, PairTangent, Scheme, gradient_over, tangent_over};
use crate::batch::{Workspace, carry, find, interval};
use crate::path::Frame;
use crate::{StepError, StepPairs, Tracked, TrackedRow};
use impinge_ccd::{Entry, Interval, Intervals, Kind, TierCounts, contact_normal};
use impinge_contact::par;
use impinge_geometry::{DVec3, scale, try_normalized};

/// Pairs per parallel chunk.
const CHUNK: usize = 64;

/// What a contact answers with besides its stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactLaw {
    /// Damping (N·s/m).
    pub damping: f64,
    /// Damping that grows with the depth (s/m): Hunt and Crossley's χ, on k times the mean depth. Its own derivative by the depth is left
    /// out of the tangent.
    pub chi: f64,
}

/// The discrete gradient of one pair of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientRow {
    /// Stable name of the pair.
    pub key: u64,
    /// The four vertices.
    pub stencil: [u32; 4],
    /// Signed weights of the traced points.
    pub weight: [f64; 4],
    /// Unit direction of the force on the first feature; the contact's normal where there is none.
    pub normal: DVec3,
    /// First start and last end of the penetration, fractions of the step.
    pub span: [f64; 2],
    /// How the last interval began.
    pub entry: Entry,
    /// Row of what was carried over.
    pub row: Option<u32>,
    /// The sign to carry to the next step.
    pub side: i8,
    /// Stiffness (N/m).
    pub stiffness: f64,
    /// Depth at the end of the step (m).
    pub depth: f64,
    /// Part of the force that acts, already in `pair`.
    pub share: f64,
    /// Damping (N·s/m).
    pub damping: f64,
    /// Its penetration intervals among those of the workspace; none where it counts because it is sticky.
    intervals: [u32; 2],
    /// Gradient and energies.
    pub pair: PairGradient,
}

impl GradientRow {
    /// Only a part of what it does acts.
    pub(crate) fn weaken(&mut self, part: f64) {
        self.share *= part;
        self.pair.share(part);
    }

    /// The contact as it would be carried on if it was made in this step.
    pub fn made(&self) -> TrackedRow {
        TrackedRow::opened(self.key, self.stencil, self.side, self.weight, self.stiffness)
    }
}

/// Scratch of [`gradients`]. Dropping it changes nothing.
#[derive(Default)]
pub struct GradientWorkspace {
    find: Workspace,
    groups: Vec<(usize, usize)>,
    rows: Vec<Option<GradientRow>>,
    open: Tracked,
    next: Vec<TrackedRow>,
}

impl GradientWorkspace {
    /// Edges from this number on are segments of cables.
    pub(crate) fn set_segments_from(&mut self, from: u32) {
        self.find.segments_from = Some(from);
    }

    /// ∂G/∂x₁ of a row of the last call, with what that was asked for: of the many trials of a step few need it. The part that acts is in it.
    #[must_use]
    pub fn tangent(
        &self,
        scheme: Scheme,
        kind: Kind,
        dt: f64,
        (x0, x1): (&[DVec3], &[DVec3]),
        row: &GradientRow,
    ) -> Option<PairTangent> {
        let points = |x: &[DVec3]| row.stencil.map(|v| x[v as usize]);
        let [from, to] = row.intervals.map(|i| i as usize);
        let mut intervals: Intervals = (from..to).map(|i| interval(&self.find.intervals, i)).collect();
        if intervals.is_empty() {
            let (t_in, side) = (row.span[0], row.side);
            intervals.push(stuck(t_in, side, row.weight, row.normal));
        }
        let law = (row.stiffness, row.damping);
        let mut tangent = tangent_over(scheme, kind, &points(x0), &points(x1), &intervals, law, dt)?;
        if row.share != 1.0 {
            tangent.as_flattened_mut().iter_mut().for_each(|b| *b = scale(b, row.share));
        }
        Some(tangent)
    }
}

/// The interval of a sticky pair.
fn stuck(t_in: f64, side: i8, weight: [f64; 4], normal: DVec3) -> Interval {
    Interval { t_in, t_out: 1.0, side, side_end: side, entry: Entry::Contact, weight, normal }
}

/// sin² of the angle below which two edges fade as a pair (that of Li et al. 2020, Incremental Potential Contact, section 7.1).
pub const PARALLEL: f64 = 1e-3;

/// Part of the force of two edges: 1 where they cross, 0 where they are parallel and have no normal; what lies along each other there is
/// held by vertices. Of the start of the step, so that within one it is a number.
pub(crate) fn crossing(x: &[DVec3; 4]) -> f64 {
    let (u, v) = (x[1] - x[0], x[3] - x[2]);
    let size = u.mag_sq() * v.mag_sq();
    let z = if size > 0.0 { u.cross(v).mag_sq() / (PARALLEL * size) } else { 0.0 };
    if z < 1.0 { z * (2.0 - z) } else { 1.0 }
}

/// Discrete gradients over the motion `x0` → `x1` (m) in the step of `dt` (s), and in `next` the pairs in contact at its end.
/// `law` gives damping by the pair's key, vertices and stiffness.
///
/// # Errors
/// [`StepError`]; `out` and `next` are then empty.
///
/// `sticky` are pairs to be taken for in contact when their depth says so at the end and not at the start, ascending by key, whether or not they
/// meet within their features on the way: contacts that come and go between the iterations of a solver.
pub fn gradients(
    scheme: Scheme,
    dt: f64,
    x0: &[DVec3],
    x1: &[DVec3],
    pairs: &StepPairs<'_>,
    law: &(dyn Fn(u64, &[u32; 4], f64) -> ContactLaw + Sync),
    tracked: &Tracked,
    sticky: &Tracked,
    ws: &mut GradientWorkspace,
    out: &mut Vec<GradientRow>,
    next: &mut Tracked,
) -> Result<TierCounts, StepError> {
    out.clear();
    next.clear();
    let tiers = find(x0, x1, pairs, tracked, &mut ws.find)?;
    let found = &ws.find.intervals;
    ws.groups.clear();
    let mut from = 0;
    for i in 0..found.len() {
        if found.candidate.get(i + 1) != Some(&found.candidate[i]) {
            ws.groups.push((from, i + 1));
            from = i + 1;
        }
    }
    let mut rows = std::mem::take(&mut ws.rows);
    // Each has some hundred bytes: none is written but by its own contact.
    rows.resize(ws.groups.len(), None);
    let (shared, kind) = (&*ws, pairs.candidates.kind());
    par::fill(&mut rows, CHUNK, |g, slot| {
        *slot = None;
        let (from, to) = shared.groups[g];
        let f = &shared.find;
        let at = f.intervals.candidate[from] as usize;
        let intervals: Intervals = (from..to).map(|i| interval(&f.intervals, i)).collect();
        let Some(last) = intervals.last().copied() else { return };
        let stencil = f.stencils[at];
        let points = |x: &[DVec3]| stencil.map(|v| x[v as usize]);
        let k = f.stiffness[at];
        let (a, b) = (points(x0), points(x1));
        let row = (f.row[at] as usize) < tracked.len();
        let continued = intervals[0].entry == Entry::Initial && row;
        let mut share = if continued { tracked.share[f.row[at] as usize] } else { 1.0 };
        if kind == Kind::EdgeEdge {
            share = share.min(crossing(&a));
        }
        if share == 0.0 {
            return;
        }
        let ContactLaw { damping, chi } = law(f.keys[at], &stencil, k);
        let mut c = damping;
        if chi > 0.0 {
            // One look without damping for the mean depth.
            let depths = gradient_over(scheme, kind, &a, &b, &intervals, (k, 0.0), dt)
                .map_or([0.0; 2], |g| g.energy.map(|e| (2.0 * e / k).sqrt()));
            c += chi * k * 0.5 * (depths[0] + depths[1]);
        }
        let Some(mut pair) = gradient_over(scheme, kind, &a, &b, &intervals, (k, c), dt) else { return };
        if !pair.gradient.iter().all(|g| impinge_geometry::is_finite(*g)) {
            // So large or small that squares leave the range of doubles.
            return;
        }
        let depth = if k > 0.0 { (2.0 * pair.energy[1] / k).sqrt() } else { 0.0 };
        pair.share(share);
        let force = force_on_first(kind, &pair);
        *slot = Some(GradientRow {
            key: f.keys[at],
            stencil,
            weight: last.weight,
            normal: try_normalized(force).unwrap_or(last.normal),
            span: [intervals[0].t_in, last.t_out],
            entry: last.entry,
            row: row.then_some(f.row[at]),
            side: last.side_end,
            stiffness: k,
            depth,
            share,
            damping: c,
            intervals: [from as u32, to as u32],
            pair,
        });
    });
    out.extend(rows.iter().flatten());
    ws.rows = rows;
    ws.open.clear();
    carry(&ws.find, tracked, &mut ws.open, |i, at| {
        ws.find.intervals.t_out[i] >= 1.0 || ws.find.ended_beside(kind, at, x1)
    });
    let listed = out.len();
    for i in 0..sticky.len() {
        let held = sticky.row(i);
        if out[..listed].binary_search_by_key(&held.key, |r| r.key).is_err() {
            out.extend(stick(scheme, kind, dt, (x0, x1), &held, law));
        }
    }
    if out.len() > listed {
        out.sort_by_key(|r| r.key);
    }
    // Parallel edges are let go, and what faded stays faded.
    let mut at = 0;
    for i in 0..ws.open.len() {
        let row = ws.open.row(i);
        while out.get(at).is_some_and(|r| r.key < row.key) {
            at += 1;
        }
        if let Some(r) = out.get(at).filter(|r| r.key == row.key) {
            ws.next.push(TrackedRow { share: r.share, ..row });
        } else if kind == Kind::VertexFace && row.share == 0.0 && !row.fading {
            // Just handed over: it has no force yet, and takes all of it from the triangle that fades.
            ws.next.push(row);
        }
    }
    let stuck = |i: &usize| ws.next.binary_search_by_key(&sticky.key[*i], |r| r.key).is_err();
    let more: Vec<TrackedRow> = (0..sticky.len())
        .filter(stuck)
        .filter_map(|i| {
            let at = out.binary_search_by_key(&sticky.key[i], |r| r.key).ok()?;
            (out[at].depth > 0.0 && out[at].span[1] >= 1.0)
                .then(|| TrackedRow { share: out[at].share, ..sticky.row(i) })
        })
        .collect();
    if !more.is_empty() {
        ws.next.extend(more);
        ws.next.sort_by_key(|r| r.key);
    }
    ws.next.drain(..).for_each(|r| next.push(r));
    Ok(tiers)
}

/// The row of a sticky pair; `None` where it is not in contact at the end, or was behind its plane at the start.
fn stick(
    scheme: Scheme,
    kind: Kind,
    dt: f64,
    (x0, x1): (&[DVec3], &[DVec3]),
    held: &TrackedRow,
    law: &(dyn Fn(u64, &[u32; 4], f64) -> ContactLaw + Sync),
) -> Option<GradientRow> {
    let (a, b) = (held.stencil.map(|v| x0[v as usize]), held.stencil.map(|v| x1[v as usize]));
    let depth = |x: &[DVec3; 4]| Some(Depth::new(&triple(&Frame::of(kind, x)), f64::from(held.side))?.value);
    let (d0, d1) = (depth(&a)?, depth(&b)?);
    if !(d0 <= 0.0 && d1 > 0.0) {
        return None;
    }
    let normal = contact_normal(kind, &a, &b, 1.0, held.side, &held.weight);
    let interval = stuck(d0 / (d0 - d1), held.side, held.weight, normal);
    let k = held.stiffness;
    let ContactLaw { damping, chi } = law(held.key, &held.stencil, k);
    let c = damping + chi * k * 0.5 * d1;
    let mut pair = gradient_over(scheme, kind, &a, &b, &[interval], (k, c), dt)?;
    if !pair.gradient.iter().all(|g| impinge_geometry::is_finite(*g)) {
        return None;
    }
    let share = if kind == Kind::EdgeEdge { crossing(&a) } else { 1.0 };
    if share == 0.0 {
        return None;
    }
    pair.share(share);
    let force = force_on_first(kind, &pair);
    Some(GradientRow {
        key: held.key,
        stencil: held.stencil,
        weight: held.weight,
        normal: try_normalized(force).unwrap_or(interval.normal),
        span: [interval.t_in, 1.0],
        entry: Entry::Contact,
        row: None,
        side: held.side,
        stiffness: k,
        depth: d1,
        share,
        damping: c,
        intervals: [0; 2],
        pair,
    })
}

fn force_on_first(kind: Kind, pair: &PairGradient) -> DVec3 {
    let first = if kind == Kind::VertexFace { 0..1 } else { 0..2 };
    pair.gradient[first].iter().fold(DVec3::zero(), |f, g| f - *g)
}

impl PairGradient {
    /// Only a part of it acts.
    fn share(&mut self, share: f64) {
        if share != 1.0 {
            self.gradient = self.gradient.map(|g| g * share);
            self.energy = self.energy.map(|e| e * share);
            self.couple *= share;
            self.dissipated *= share;
        }
    }
}

/// ½ k δ² of all contacts that were carried over (J), with the vertices at `x` (m); of row `i` the part `part(i)`.
pub fn stored(kind: Kind, tracked: &Tracked, x: &[DVec3], part: impl Fn(usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..tracked.len() {
        let y = triple(&Frame::of(kind, &tracked.stencil[i].map(|v| x[v as usize])));
        let depth = Depth::new(&y, f64::from(tracked.side[i])).map_or(0.0, |d| d.value.max(0.0));
        sum += 0.5 * part(i) * tracked.share[i] * tracked.stiffness[i] * depth * depth;
    }
    sum
}
