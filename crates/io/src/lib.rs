#![doc = include_str!("../README.md")]

mod error;
mod obj;
mod options;
mod read;
mod statement;
mod write;

pub use error::{LineProblem, ReadError, WriteError};
pub use obj::{read_obj, read_obj_from};
pub use options::{ReadOptions, UpAxis};
pub use read::{SUPPORTED_EXTENSIONS, read_mesh};
pub use write::{write_obj, write_obj_to};
