//! What the response asks of ways that are not straight: planes, velocities while in contact, which sides meet.

use super::dissipation::Pair;
use crate::{CurvedWays, Params, PlaneWayImpulse, height_impulse, plane_way_impulse};
use impinge_contact::{Surface, SurfaceMap};
use impinge_geometry::DVec3;
use impinge_swept::Ways;

/// Calls `look` with the ways of a step for [`crate::accumulate_on_ways`] and [`crate::retrack_on_ways`].
pub(crate) fn on_curves<T>(
    surface: &Surface,
    ways: &Ways,
    map: &SurfaceMap,
    look: impl FnOnce(&CurvedWays<'_>) -> T,
) -> T {
    look(&CurvedWays {
        x0: &surface.x0,
        x1: &surface.x1,
        at: &|v, t| ways.at(surface, v, t),
        off: &|v, part| ways.off(surface, v, part),
        pieces: &|v, w| ways.pieces([map.body_of(v), map.body_of(w)]),
    })
}

/// What a plane does to a vertex.
pub(crate) struct PlaneHit {
    pub interval: [f64; 2],
    /// For how much of the step the vertex is below it.
    pub span: f64,
    pub impulse: DVec3,
    pub normal: DVec3,
    /// Mean velocity of the vertex meanwhile (m/s); of the step on a straight way.
    pub moved: DVec3,
    pub depth: f64,
    pub energy: f64,
}

impl PlaneHit {
    /// Of a vertex and the plane of a body, given by normal and offset (m) at both ends of the step; `None` where the vertex stays free.
    pub fn find(
        surface: &Surface,
        ways: &Ways,
        [vertex, target]: [u32; 2],
        [start, end]: [(DVec3, f64); 2],
        k: f64,
        params: &Params,
    ) -> Option<Self> {
        let v = vertex as usize;
        let pieces = ways.pieces([surface.body[v], target]);
        if pieces == 0 {
            let (x0, x1) = (surface.x0[v], surface.x1[v]);
            let height = |(n, d): (DVec3, f64), x: DVec3| n.dot(x) - d;
            let hit = height_impulse(height(start, x0), height(end, x1), k, params);
            let interval = hit.interval?;
            return Some(Self {
                interval,
                span: interval[1] - interval[0],
                impulse: end.0 * hit.impulse,
                normal: end.0,
                moved: (x1 - x0) / params.dt,
                depth: hit.depth,
                energy: hit.energy,
            });
        }
        let at = |t: f64| ways.at(surface, vertex, t);
        let height = |t: f64| {
            let (n, d) = ways.plane_at(target, start, t);
            (n, n.dot(at(t)) - d)
        };
        let hit = plane_way_impulse(&height, pieces, k, params)?;
        let [from, to] = widened(hit.interval);
        let moved = (at(to) - at(from)) / ((to - from) * params.dt);
        let PlaneWayImpulse { interval, span, impulse, normal, depth, energy } = hit;
        Some(Self { interval, span, impulse, normal, moved, depth, energy })
    }
}

/// An interval of the step, long enough to say how fast something goes in it.
fn widened([t_in, t_out]: [f64; 2]) -> [f64; 2] {
    const LEAST: f64 = 1e-6;
    if t_out - t_in >= LEAST {
        return [t_in, t_out];
    }
    let from = (t_in - LEAST).clamp(0.0, 1.0 - 2.0 * LEAST);
    [from, from + 2.0 * LEAST]
}

/// How far the two points of a contact move against each other in an interval of the step, over its length (m).
pub(crate) fn moved_against(surface: &Surface, ways: &Ways, seen: &Pair, interval: [f64; 2]) -> DVec3 {
    let [from, to] = widened(interval);
    let moved = |u, k: usize| {
        let at = |t: f64| ways.at(surface, seen.stencil[k], t);
        u + (at(to) - at(from)) * seen.weight[k]
    };
    (0..4).fold(DVec3::zero(), moved) / (to - from)
}

/// Whether a vertex is below the plane of a body somewhere on its way; `plane` has its normal and offset (m) at the start.
pub(crate) fn dips(surface: &Surface, ways: &Ways, [vertex, target]: [u32; 2], plane: (DVec3, f64)) -> bool {
    let pieces = ways.pieces([surface.body[vertex as usize], target]);
    (1..2 * pieces).any(|k| {
        let t = k as f64 / (2 * pieces) as f64;
        let (n, d) = ways.plane_at(target, plane, t);
        n.dot(ways.at(surface, vertex, t)) < d
    })
}
