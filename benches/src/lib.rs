//! Inputs shared by the benches: the same on every machine and in every run, made by generators and a fixed
//! sequence of numbers. Criterion is in the benches alone; its settings are in their `main.rs`.

mod contacts;
mod numbers;
mod points;
mod worlds;

pub use contacts::Touching;
pub use numbers::Numbers;
pub use points::{around, boxes, torus_10k, torus_100k};
pub use worlds::{box_stack, falling_pile, particle, pressure_pile, torus_pile};

/// One thread for every bench: what is measured is the code, and not how busy the other cores are.
///
/// # Panics
/// When something else started a pool before.
pub fn one_thread() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
        pool.expect("the pool is set up before anything uses it");
    });
}
