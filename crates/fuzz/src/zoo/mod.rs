//! The bad mesh zoo: broken surfaces of every kind that the health report knows, from the file to a few steps of every
//! response. What comes out is a correct run, or an error that says what is wrong.

pub mod animals;
pub mod files;
mod named;
pub mod stages;
pub mod table;
