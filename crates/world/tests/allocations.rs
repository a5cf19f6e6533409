//! No heap allocation in a steady step: one thread, recorder off, counted by the allocator itself.
//! One test in its own program: the counter is global.
#![allow(unsafe_code)]

#[path = "all/common/mod.rs"]
mod common;

use common::{gravity, law};
use impinge_contact::{Contacts, Damping};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Mass, Simulation};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system allocator unchanged; the counter does not touch memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        unsafe { System.dealloc(p, layout) }
    }

    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(p, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_steady_step_allocates_nothing() {
    let cube = generators::cuboid(DVec3::broadcast(0.2), [4, 4, 4]).unwrap();
    let mut b = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law(3e3, Damping::KelvinVoigt(20.0)))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::particles("dust", vec![DVec3::new(0.5, 0.0, 0.01)], 0.01));
    for i in 0..3 {
        let pose = Pose::from_position(DVec3::new(0.003 * f64::from(i), 0.0, 0.1 + 0.2 * f64::from(i)));
        b = b.body(BodyDesc::rigid(&format!("box-{i}"), &cube, Mass::Total(1.0), pose).unwrap());
    }
    let mut sim = b.build().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let counted = pool.install(|| {
        for _ in 0..1500 {
            sim.step().unwrap();
        }
        let before = CALLS.load(Ordering::Relaxed);
        for _ in 0..300 {
            sim.step().unwrap();
        }
        CALLS.load(Ordering::Relaxed) - before
    });
    assert!(sim.column::<Contacts>().len() >= 50, "the stack must be in contact");
    assert_eq!(counted, 0, "allocations in 300 steady steps");
}
