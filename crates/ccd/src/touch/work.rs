//! How much a search looks at, and that it finds what all pairs would give, on meshes of 20 480 triangles each.

use super::search::LOOKED;
use super::{Start, features, first_touch};
use crate::first_contact;
use impinge_geometry::{DVec3, Pose, TriMesh, icosphere};
use impinge_query::MeshIndex;

/// A rough ball: no two triangles lie alike.
fn rough(radius: f64, seed: u64) -> TriMesh {
    let mut state = seed;
    icosphere(radius, 5)
        .unwrap()
        .mapped(|p| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            p * (1.0 + 0.01 * ((state >> 11) as f64 / (1u64 << 53) as f64))
        })
        .unwrap()
}

/// The earliest touch where `a` moves along x, of all pairs of triangles whose shadows along x overlap, each unless it begins too late.
fn brute(a: &TriMesh, [from, to]: [DVec3; 2], b: &TriMesh) -> f64 {
    let way = to.x - from.x;
    let corners = |m: &TriMesh, by: DVec3| -> Vec<[DVec3; 3]> {
        m.triangles().iter().map(|t| t.map(|i| m.positions()[i as usize] + by)).collect()
    };
    let lo = |t: &[DVec3; 3]| t[0].min_by_component(t[1]).min_by_component(t[2]);
    let hi = |t: &[DVec3; 3]| t[0].max_by_component(t[1]).max_by_component(t[2]);
    let (first, last, second) = (corners(a, from), corners(a, to), corners(b, DVec3::zero()));
    let mut order: Vec<usize> = (0..second.len()).collect();
    order.sort_by(|i, j| lo(&second[*i]).y.total_cmp(&lo(&second[*j]).y));
    let widest = second.iter().map(|t| hi(t).y - lo(t).y).fold(0.0, f64::max);
    let mut best = f64::INFINITY;
    for (i, t) in first.iter().enumerate() {
        let (low, high) = (lo(t), hi(t));
        let begin = order.partition_point(|j| lo(&second[*j]).y < low.y - widest);
        for &j in order[begin..].iter().take_while(|j| lo(&second[**j]).y <= high.y) {
            let u = &second[j];
            let apart = hi(u).y < low.y || hi(u).z < low.z || lo(u).z > high.z;
            if apart || lo(u).x - high.x > best.min(1.0) * way {
                continue;
            }
            for (_, kind, pick) in features(&a.triangles()[i], i as u32, &b.triangles()[j], j as u32) {
                if let Some(c) = first_contact(kind, &pick.of(t, u), &pick.of(&last[i], u)).unwrap() {
                    best = best.min(c.t);
                }
            }
        }
    }
    best
}

#[test]
fn a_search_of_many_triangles_looks_at_few_and_misses_none() {
    let (a, b) = (rough(0.1, 1), rough(0.12, 2));
    let [ia, ib] = [&a, &b].map(MeshIndex::new);
    let mut most = 0;
    for (y, way) in [(0.0, 0.5), (0.07, 0.3), (0.15, 0.4), (0.05, 0.29)] {
        let ends = [-0.5, way - 0.5].map(|x| DVec3::new(x, y, 0.01));
        let [start, end] = ends.map(Pose::from_position);
        LOOKED.with(|n| n.set(0));
        let hit = first_touch(&ia, (&start, &end), &ib, &Pose::identity()).unwrap();
        let looked = LOOKED.with(std::cell::Cell::get);
        let wanted = brute(&a, ends, &b);
        println!("{looked} of {} pairs, at {wanted:.12}", a.triangles().len() * b.triangles().len());
        match hit {
            Some(hit) => assert!(hit.start == Start::Apart && hit.t == wanted, "{} {wanted}", hit.t),
            None => assert!(wanted.is_infinite(), "{wanted}"),
        }
        most = most.max(looked);
    }
    // Fewer than one of the meshes has: what is looked at does not go with all of them.
    assert!(most < a.triangles().len(), "{most}");
}
