//! Vertices deeper inside another body than the search looks, of bodies that began inside each other: it sees what crosses from outside and what is
//! within the distance that surfaces keep, and what is farther in would fall through.
//!
//! Each has a face it may be pushed to ([`impinge_bodies::Standing::ways_out`]), and here that face is a half space like any
//! other: velocities bring the vertex no deeper, places move it out at the speed of recovery. A pair of bodies is looked at again in each step as
//! long as it has such a vertex. (Followed each from its first face, as the continuous force has them, balls in the middle of each other came half
//! apart: their vertices were out of the faces they began with, and inside others.)

use super::near::Near;
use super::scene::{Found, Scene};
use impinge_bodies::{Dofs, Elastic, Laws, ONE_WAY, Shapes, have_one_way};
use impinge_contact::{Pairs, SurfaceMap};
use impinge_geometry::{DVec3, triangle_area_vector, try_normalized};
use impinge_swept::{Faces, Followed, List, Matter, Tracked, TrackedNext, inside_at_start};

/// Writes to `out` what is inside when the step begins with surface vertices at `x0` (m), of `pairs` that were inside each other from the start:
/// of all before the `first` step, and then of those that have such a vertex in `tracked`.
pub fn find_inside(
    (map, shapes, laws, dofs, elastic): (&SurfaceMap, &Shapes, &Laws, &Dofs, &Elastic),
    (pairs, faces, tracked): (&Pairs, &Faces, &Tracked),
    x0: &[DVec3],
    first: bool,
    out: &mut Followed,
) {
    out.0.iter_mut().for_each(impinge_swept::TrackedList::clear);
    let open = &tracked.0[List::Solid as usize];
    if !first && open.is_empty() {
        return;
    }
    let of = |v: u32| map.body_of(v);
    let mut known: Vec<(u32, u32)> = open.stencil.iter().map(|s| (of(s[0]), of(s[3]))).collect();
    known.iter_mut().for_each(|p| *p = (p.0.min(p.1), p.0.max(p.1)));
    known.sort_unstable();
    known.dedup();
    // Flesh that is on its bone and round it is not pushed off.
    let attached = elastic.attached(&dofs.nodes.body);
    // Rows of points and cables have no surface to say that they go one way.
    let surfaces = |a: u32, b: u32| [a, b].iter().all(|&s| shapes.0[s as usize].surface().is_some());
    let wanted = |a: u32, b: u32| {
        surfaces(a, b)
            && (first || known.binary_search(&(a, b)).is_ok())
            && attached.binary_search(&(a, b)).is_err()
    };
    let matter = Matter { map, shapes, laws, faces };
    let mut rows = Vec::new();
    inside_at_start(pairs, wanted, &matter, dofs, x0, &mut rows);
    rows.sort_by_key(|r| r.key);
    let to = &mut out.0[List::Solid as usize];
    rows.into_iter().for_each(|r| to.push(r));
}

/// A vertex and the face that it is pushed to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Inside {
    key: u64,
    stencil: [u32; 4],
    weight: [f64; 4],
}

/// Part of the distance that two surfaces keep up to which a vertex behind a face is left to the search.
const SEEN: f64 = 0.5;

/// Takes those that the search does not see, with vertices at `x` (m), and notes them for the next step. Of a pair of bodies without a way out of each
/// other those are left that push about the same way as all of them together.
pub(crate) fn take_inside(
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
        if rows.height[i] >= -SEEN * scene.keeps(List::Solid, stencil) {
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
        let one_way = have_one_way(way, pair.len());
        // One in the middle of the other: rows that ask for all ways move nothing, so only what pushes along the mean does.
        let alongside = |n: DVec3| one_way || try_normalized(way).is_none_or(|way| n.dot(way) > ONE_WAY);
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
pub(crate) fn add_inside(inside: &[Inside], scene: &Scene<'_>, x: &[DVec3], found: &mut Vec<Found>) {
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
