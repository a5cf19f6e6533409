//! Nothing is allocated once the buffers have grown. One test in its own binary: the counter is global.
#![allow(unsafe_code)] // a global allocator can be written in no other way

use impinge_broadphase::{Aabb, BodyPairs, VertexTree};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;
static COUNT: AtomicUsize = AtomicUsize::new(0);

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
}
