//! Queries allocate nothing. One test in its own binary: the counter is global.
#![allow(unsafe_code)] // a global allocator can be written in no other way

use impinge_geometry::{DVec3, torus};
use impinge_query::MeshIndex;
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
fn no_query_and_no_update_allocates() {
    let mesh = torus(1.0, 0.4, 60, 40).unwrap();
    let mut index = MeshIndex::new(&mesh);
    let before = COUNT.load(Ordering::Relaxed);
    let mut found = [0; 4];
    for i in 0..500 {
        if i % 100 == 0 {
            index.update(mesh.positions()).unwrap();
        }
        let t = f64::from(i);
        let p = DVec3::new((1.7 * t).sin() * 1.6, (0.9 * t).cos() * 1.6, (2.3 * t).sin() * 0.5);
        found[0] += usize::from(index.nearest(p).distance < 0.2);
        found[1] += usize::from(index.inside(p));
        found[2] += usize::from(index.penetration(p).is_some());
        found[3] += usize::from(index.ray(p, -p, 2.0).is_some());
    }
    assert_eq!(COUNT.load(Ordering::Relaxed), before);
    assert!(found.iter().all(|&n| n > 20), "{found:?}");
}
