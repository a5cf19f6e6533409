//! Certified floating-point tiers: signs first, roots second, and "cannot say" for what needs the exact tier.
//!
//! * [`screen`]: relative separating axes (exact) and signs of the coplanarity cubic, eight pairs at a time.
//! * [`single`]: pairs with one simple root, eight at a time.
//! * [`steady`]: pairs without a root and the sign of theirs, eight at a time.
//! * [`weigh`]: weights and normals at contact times, eight at a time.
//! * [`pair`]: the polynomials of one pair with forward error bounds.
//! * [`certify`]: isolation of the roots and the test whether the features touch there.
//!
//! All bounds use u = 2⁻⁵³ and hold with or without fused multiply-add; none is used, so that the reported times
//! are the same on every machine.

pub(crate) mod axis;
pub(crate) mod certify;
pub(crate) mod pair;
pub(crate) mod screen;
pub(crate) mod single;
pub(crate) mod steady;
#[cfg(test)]
mod tests;
pub(crate) mod weigh;
