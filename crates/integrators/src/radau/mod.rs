//! Radau IIA: implicit Runge–Kutta methods of order 1, 3, 5, 9 and 13 with steps and order chosen on the way, for ordinary differential
//! equations y' = f(t, y), stiff or not. The integrator of seed 004 (§VIII), which is Hairer and Wanner's RADAU (Journal of
//! Computational and Applied Mathematics 111, 1999): stiffly accurate, no damping to tune, and as exact as asked for
//! as long as f is smooth; where f has a kink steps get short.
//!
//! Coefficients are computed, not copied (`tableau.rs`). Each step solves its stages by the simplified Newton
//! iteration, in the eigenvectors of the inverse collocation matrix: one real n × n system and one complex for each pair.

mod number;
mod prepare;
mod rigid;
mod settings;
mod stages;
mod stepper;
mod tableau;

pub use rigid::{RigidBodies, RigidForces, RigidState, integrate_rigid};
pub use settings::{RadauError, RadauOrder, RadauReport, RadauSettings, RadauStep};
pub use stepper::{Radau, RadauProblem};
