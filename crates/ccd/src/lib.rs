#![doc = include_str!("../README.md")]

mod exact;
mod kind;
mod root;

pub use kind::{Kind, NotFinite};
pub use root::{Class, Root, Roots};
