//! Contact impulses as discrete gradients between both ends of the real motion, solved for together with it by Newton's method.

mod acting;
pub(crate) mod answer;
mod carried_energy;
mod continuation;
mod inverse_blocks;
mod line;
mod newton;
pub(crate) mod settings;
mod stiffness;
mod trial;
mod unknowns;
