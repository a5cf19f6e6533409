#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
#![forbid(unsafe_code)]

mod bodies;
mod carried;
mod energy;
mod nodes;
mod pushes;
mod rebounds;
mod sheets;
mod sizes;
mod slips;
mod spun;
mod starts;
mod step_times;
mod sunk;
mod swings;
mod through;
mod trembling;
mod unbraked;
mod unheld;
mod volumes;
mod warning;
mod watches;

pub use step_times::{StepTimes, short_time};
pub use swings::{Missed, Off};
pub use warning::{Kind, Warning};
pub use watches::Watches;
