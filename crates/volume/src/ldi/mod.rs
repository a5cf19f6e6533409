//! Layered depth images: intersection volumes and gradients by parallel rays along x, y and z (seed 002 §3.2, 5).
//!
//! Each direction gives the volume (11) and, of the gradient, its own component (12)–(14). The volume is the mean of the three;
//! the gradient is not scaled by ⅓ (erratum V5). A cell of the grid takes from a ray's interval the share of its length that
//! lies in the cell, and that is all (22)–(24) say: a wall at the share α hands its push to the surfaces above and below as
//! α and 1 − α, so the cell keeps (α_top − α_bottom) of the column's gradient, on both bodies alike. Other shares than α
//! ([`crate::Walls::Carried`]) are handed on in the same way.

mod blocks;
mod bound;
mod by_place;
mod certify;
mod intervals;
mod lanes;
mod lattice;
mod layered_depth;
mod layers;
mod members;
mod overlaps;
mod own;
mod places;
mod raster;
mod registers;
mod room;
mod sample;
mod sheets;
mod split;
mod visible;
mod weigh;
mod within;

pub use certify::{Adaptive, Certificate, Certified, Tolerance};
pub use lattice::{Lattice, Limits};
pub use layered_depth::{Detected, Layer, LayeredDepth};
pub use overlaps::{PairOverlap, Work};

use layered_depth::{BAND_ROWS, Strip, reach};
