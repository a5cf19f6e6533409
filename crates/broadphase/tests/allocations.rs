//! Nothing is allocated once the buffers have grown. One test in its own binary: the counter is global.
#![allow(unsafe_code)] // a global allocator can be written in no other way

use impinge_broadphase::{
    Aabb, BodyPairs, CandidateWorkspace, CrossCandidates, FeatureTree, Refit, SelfCandidates, VertexTree,
};
use impinge_geometry::{DVec3, Pose, Topology, grid, icosphere, rotor_from_rotation_vector};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;
static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system allocator unchanged; the counter does not touch memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_steady_state_allocates_nothing() {
    let boxes = |step: i32| -> Vec<Aabb> {
        (0..400)
            .map(|i| {
                let a = f64::from(i) * 0.7;
                let p = DVec3::new(a.sin() * 9.0, (1.3 * a).cos() * 9.0, f64::from(i % 20));
                let d = DVec3::new((a + f64::from(step)).sin(), 0.0, (2.0 * a + f64::from(step)).cos()) * 4.0;
                Aabb::new(p + d, p + d).inflated(0.6)
            })
            .collect()
    };
    let histories: Vec<_> = (0..20).map(boxes).collect();
    let sheet: Vec<DVec3> =
        (0..10_000).map(|i| DVec3::new(f64::from(i % 100), f64::from(i / 100), 0.0)).collect();
    let tree = VertexTree::new(&sheet);
    let cube = Aabb::new(DVec3::zero(), DVec3::broadcast(30.0));
    let (mut pairs, mut out, mut ids) = (BodyPairs::new(), Vec::new(), Vec::new());
    let mut found = [0usize; 3];
    let mut round = |found: &mut [usize; 3]| {
        for (k, b) in histories.iter().enumerate() {
            pairs.find(b, |_, _| true, &mut out).unwrap();
            found[0] += out.len();
            let pose =
                Pose::new(DVec3::broadcast(k as f64), rotor_from_rotation_vector(DVec3::one() * k as f64));
            tree.candidates(&pose, &cube, &mut ids);
            found[1] += ids.len();
            tree.below_plane(&pose, DVec3::unit_z(), 0.0, &mut ids);
            found[2] += ids.len();
        }
        pairs.rebuilds()
    };
    let warm = round(&mut found);
    let before = COUNT.load(Ordering::Relaxed);
    let rebuilds = round(&mut found);
    assert_eq!(COUNT.load(Ordering::Relaxed), before);
    assert!(rebuilds > warm, "the rebuild in place was not exercised");
    assert!(found.iter().all(|&n| n > 100), "{found:?}");
    feature_trees();
}

/// A sheet that waves through itself and a ball that dips into it. With `parallel`, rayon's pool has boxes of its
/// own, so only the serial build is counted.
fn feature_trees() {
    let (sheet, ball) = (grid([2.0, 2.0], [60, 60]).unwrap(), icosphere(0.5, 3).unwrap());
    let (t_sheet, t_ball) = (Topology::new(&sheet), Topology::new(&ball));
    let wave = |k: usize| -> Vec<DVec3> {
        let a = k as f64 * 0.3;
        sheet.positions().iter().map(|p| *p + DVec3::new(0.0, 0.0, 0.02 * (20.0 * p.x + a).sin())).collect()
    };
    let frames: Vec<_> = (0..10).map(wave).collect();
    let mut tree = FeatureTree::new(sheet.triangles(), &t_sheet, sheet.positions()).unwrap();
    let rest = FeatureTree::new(ball.triangles(), &t_ball, ball.positions()).unwrap();
    let mut workspace = CandidateWorkspace::new();
    let (mut own, mut cross, mut pairs) = (SelfCandidates::default(), CrossCandidates::default(), Vec::new());
    let mut quick = Vec::new();
    let mut found = [0usize; 3];
    let mut round = || {
        for (k, x) in frames.windows(2).enumerate() {
            assert_eq!(tree.update(&x[0], &x[1], 0.01).unwrap(), Refit::Refitted);
            tree.self_candidates(&mut workspace, &mut own);
            tree.self_triangle_pairs_unsorted(&mut workspace, &mut quick);
            tree.self_triangle_pairs(&mut workspace, &mut pairs);
            assert!(quick.len() >= pairs.len());
            let pose = Pose::from_position(DVec3::new(0.1 * k as f64, 0.3, 0.45));
            tree.candidates_under(&rest, &pose, &mut workspace, &mut cross).unwrap();
            tree.candidates(&rest, &mut workspace, &mut cross);
            found = [own.edge_edge.len(), pairs.len(), cross.edge_edge.len()];
        }
    };
    round();
    let before = COUNT.load(Ordering::Relaxed);
    round();
    if cfg!(not(feature = "parallel")) {
        assert_eq!(COUNT.load(Ordering::Relaxed), before);
    }
    assert!(found.iter().all(|&n| n > 100), "{found:?}");
}
