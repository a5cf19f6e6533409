//! The tests of the crate in one program: linked once, run side by side.

use impinge_watch::{Kind, Watches};
use impinge_world::Simulation;

mod fast;
mod pressed;
mod rebounds;
mod sheets;
mod soft;
mod volumes;
mod words;

/// What the watch over volumes says.
fn told(watches: &Watches, sim: &Simulation) -> Vec<String> {
    let said = watches.warnings(sim).into_iter().filter(|w| w.kind == Kind::Volumes);
    said.map(|w| w.text).collect()
}
