//! Cloth: a membrane that stretches and shears ([`Membranes`] with a [`MembraneLaw`]) and edges that bend
//! ([`Hinges`], or [`QuadraticBends`] where the rest shape is flat).

mod hinge;
mod hinge_derivatives;
mod hinge_wide;
mod law;
mod membrane;
mod membrane_hessian;
mod quadratic;
mod wide;

pub use hinge::{Hinge, Hinges, HingesView, dihedral_angle, plate_stiffness};
pub use law::MembraneLaw;
pub use membrane::{Cloth, Membrane, Membranes, MembranesView};
pub use quadratic::{QuadraticBend, QuadraticBends, QuadraticBendsView};
