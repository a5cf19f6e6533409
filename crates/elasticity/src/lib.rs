#![doc = include_str!("../README.md")]

pub mod assemble;
pub mod cloth;
mod element;
mod lanes;
pub mod rod;
pub mod spring;

pub use element::{BadElement, Blocks, Elements, Projection};
