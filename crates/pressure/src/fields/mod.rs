//! Bodies with a field: exact ones for simple shapes (0 on the surface, 1 on the medial axis), the distance to the
//! surface for any tets, Laplace's equation, and laws of pressure that are not linear.
//!
//! Round shapes are faceted: the field is exact for the facets. The extent ε is 1 on the deepest set, so that the slope
//! of the pressure is E over the smallest half thickness.

/// Tets of a field that is made here from a fineness or by the levels of a law, at most: it takes about 2.5 kB for each while it is made.
pub const MOST_TETS: usize = 1 << 20;

mod bend;
mod cells;
#[cfg(feature = "mesh")]
mod distance;
#[cfg(feature = "mesh")]
mod laplace;
#[cfg(feature = "factor")]
mod laplace_factor;
mod primitives;
mod round;
mod slice;
mod split;

pub use bend::{FieldLaw, bend, bend_with};
#[cfg(feature = "mesh")]
pub use distance::distance;
#[cfg(feature = "mesh")]
pub use laplace::{LaplaceReport, laplace};
pub use primitives::{cuboid, cylinder};
pub use round::{capsule, ellipsoid, sphere};
pub use split::split_flat_tets;
