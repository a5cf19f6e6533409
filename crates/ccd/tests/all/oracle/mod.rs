//! An exact oracle for vertex–face and edge–edge contact, made to share nothing with the crate it checks.
//!
//! Takes the eight points of a pair; gives what `impinge_ccd::roots` gives, from big integers. The crate counts sign
//! variations of Bernstein coefficients and decides contact by the three cross products of relative positions; here
//! polynomials are in the power basis, roots are isolated with Sturm chains, signs at roots come from greatest common
//! divisors and interval halving, and contact is decided from first principles: the point in the projected triangle,
//! the crossing of two projected segments, a point on a segment where the triangle or the parallelogram of the edges
//! collapses. Motion within one plane is cut at every time at which any of those signs can change, and each piece is tried.

// Every test and example that includes the module uses its own part of it.
#![allow(dead_code, unused_imports)]

mod algebraic;
pub mod check;
pub mod contacts;
mod dyadic;
pub mod families;
mod geometry;
mod poly;
mod truth;

pub use algebraic::Algebraic;
pub use dyadic::Dyadic;
pub use truth::{TrueRoot, Truth, swept_boxes_apart, truth};
