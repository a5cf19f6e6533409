//! Vertices that were deeper inside another body when the run began than the search looks: it sees what crosses from outside and what is within the
//! distance that surfaces keep, and what is farther in would fall through.
//!
//! They are opened and followed as those of the continuous force are ([`super::super::FollowTracked`]): each has a face it may be pushed to. Here that face is a
//! half space like any other. Velocities bring the vertex no deeper, places move it out at the speed of recovery, and once it is near the surface
//! the search has it.

use super::near::Near;
use super::search::{Found, Scene};
use crate::swept::{Followed, List, TrackedNext};
use impinge_geometry::{DVec3, triangle_area_vector, try_normalized};

/// A vertex and the face that it is pushed to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Inside {
    key: u64,
    stencil: [u32; 4],
    weight: [f64; 4],
}

/// Part of the distance that two surfaces keep up to which a vertex behind a face is left to the search.
const SEEN: f64 = 0.5;

/// Cosine of the angle to the way on which two bodies leave each other up to which a face may push: from faces on all sides of it a vertex in the
/// middle of a body has no way at all, and rows that ask for all of them contradict each other.
const ALONGSIDE: f64 = 0.3;

/// Takes those that are still deep when the step begins, with vertices at `x` (m), and carries them on. One that has passed the rim of its face is on the
/// next one, where there is one. Of each pair of bodies those are left that push about the same way as all of them together.
pub(super) fn take_inside(
    followed: &Followed,
    scene: &Scene<'_>,
    x: &[DVec3],
    out: &mut Vec<Inside>,
    next: &mut TrackedNext,
) {
    out.clear();
    let rows = &followed.0[List::Solid as usize];
    // Pair, lower slot first, with the way of the first, and the row.
    let mut deep: Vec<((u32, u32), DVec3, usize)> = Vec::new();
    for i in 0..rows.len() {
        let stencil = rows.stencil[i];
        if rows.fading[i] || rows.height[i] >= -SEEN * scene.keeps(List::Solid, stencil) {
            continue;
        }
        let Some(n) = normal(stencil, x) else { continue };
        let (a, b) = (scene.map.body_of(stencil[0]), scene.map.body_of(stencil[3]));
        deep.push(if a < b { ((a, b), n, i) } else { ((b, a), -n, i) });
    }
    // Rows stay in order within a pair.
    deep.sort_by_key(|d| d.0);
    let mut kept: Vec<usize> = Vec::new();
    for pair in deep.chunk_by(|p, q| p.0 == q.0) {
        let way = pair.iter().fold(DVec3::zero(), |s, d| s + d.1);
        let alongside = |n: DVec3| try_normalized(way).is_none_or(|way| n.dot(way) > ALONGSIDE);
        kept.extend(pair.iter().filter(|d| alongside(d.1)).map(|d| d.2));
    }
    kept.sort_unstable();
    for i in kept {
        out.push(Inside { key: rows.key[i], stencil: rows.stencil[i], weight: rows.weight[i] });
        next.0[List::Solid as usize].push(rows.row(i));
    }
}

/// Outer normal of the face of a stencil; `None` of one without area.
fn normal(stencil: [u32; 4], x: &[DVec3]) -> Option<DVec3> {
    try_normalized(triangle_area_vector([1, 2, 3].map(|i| x[stencil[i] as usize])))
}

/// Adds them to what the search has found with vertices at `x` at the end (ascending by list and key), which knows a pair better.
pub(super) fn add_inside(inside: &[Inside], scene: &Scene<'_>, x: &[DVec3], found: &mut Vec<Found>) {
    let known = found.len();
    for &Inside { key, stencil, weight } in inside {
        let Some(normal) = normal(stencil, x) else { continue };
        let at = (List::Solid, key);
        if found[..known].binary_search_by_key(&at, |f| (f.list, f.key)).is_err() {
            let keeps = scene.keeps(List::Solid, stencil);
            found.push(Found {
                list: List::Solid,
                key,
                stencil,
                near: Near { weight, normal },
                keeps,
                touch: None,
            });
        }
    }
    if found.len() > known {
        found.sort_by_key(|f| (f.list, f.key));
    }
}
