//! Discrete gradients of all pairs of one kind: the batch that an implicit step asks for again in every iteration.
//!
//! The work list is that of the explicit step: candidates that touch on the way x₀ → x₁ and the pairs in contact from the step
//! before. Rows come out ascending by key, one for a pair. Each is computed on its own: the same bits for any number of threads.

use super::{PairGradient, Scheme, gradient_over};
use crate::batch::{Workspace, carry, find, interval};
use crate::{StepError, StepPairs, Tracked};
use impinge_ccd::{Entry, Intervals, TierCounts};
use impinge_contact::par;
use impinge_geometry::{DMat3, DVec3, scale, try_normalized};

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
    /// Depth at the end of the step (m).
    pub depth: f64,
    /// Part of the force that acts, already in `pair`.
    pub share: f64,
    /// Gradient, tangent and energies.
    pub pair: PairGradient,
}

/// Scratch of [`gradients`]. Dropping it changes nothing.
#[derive(Default)]
pub struct GradientWorkspace {
    find: Workspace,
    groups: Vec<(usize, usize)>,
    rows: Vec<Option<GradientRow>>,
}

/// Discrete gradients over the motion `x0` → `x1` (m) in the step of `dt` (s), and in `next` the pairs in contact at its end.
/// `law` gives damping by the pair's key, vertices and stiffness.
///
/// # Errors
/// [`StepError`]; `out` and `next` are then empty.
pub fn gradients(
    scheme: Scheme,
    dt: f64,
    x0: &[DVec3],
    x1: &[DVec3],
    pairs: &StepPairs<'_>,
    law: &(dyn Fn(u64, &[u32; 4], f64) -> ContactLaw + Sync),
    tracked: &Tracked,
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
    rows.clear();
    rows.resize(ws.groups.len(), None);
    let (shared, kind) = (&*ws, pairs.candidates.kind());
    par::fill(&mut rows, CHUNK, |g, slot| {
        let (from, to) = shared.groups[g];
        let f = &shared.find;
        let at = f.intervals.candidate[from] as usize;
        let intervals: Intervals = (from..to).map(|i| interval(&f.intervals, i)).collect();
        let Some(last) = intervals.last().copied() else { return };
        let stencil = f.stencils[at];
        let points = |x: &[DVec3]| stencil.map(|v| x[v as usize]);
        let k = f.stiffness[at];
        let (a, b) = (points(x0), points(x1));
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
        let row = (f.row[at] as usize) < tracked.len();
        let continued = intervals[0].entry == Entry::Initial && row;
        let share = if continued { tracked.share[f.row[at] as usize] } else { 1.0 };
        if share != 1.0 {
            pair.gradient = pair.gradient.map(|g| g * share);
            pair.tangent = pair.tangent.map(|r| r.map(|b: DMat3| scale(&b, share)));
            pair.energy = pair.energy.map(|e| e * share);
            pair.couple *= share;
            pair.dissipated *= share;
        }
        let first = if kind == impinge_ccd::Kind::VertexFace { 0..1 } else { 0..2 };
        let force = pair.gradient[first].iter().fold(DVec3::zero(), |f, g| f - *g);
        *slot = Some(GradientRow {
            key: f.keys[at],
            stencil,
            weight: last.weight,
            normal: try_normalized(force).unwrap_or(last.normal),
            span: [intervals[0].t_in, last.t_out],
            entry: last.entry,
            row: row.then_some(f.row[at]),
            depth,
            share,
            pair,
        });
    });
    out.extend(rows.iter().flatten());
    ws.rows = rows;
    carry(&ws.find, tracked, next, false);
    Ok(tiers)
}
