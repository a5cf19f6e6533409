#![doc = include_str!("../README.md")]

pub mod assemble;
mod element;
mod lanes;
pub mod spring;

pub use element::{BadElement, Blocks, Elements, Projection};
