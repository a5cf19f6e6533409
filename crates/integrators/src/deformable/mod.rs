//! Deformable bodies in time: energies, masses and grips in one system, explicit and implicit steps, the operator A.

mod energy;
mod islands;
mod linear;
mod operator;
mod part;
mod stability;
mod step;
mod system;

pub use energy::{elastic_energy, node_inertia, node_stiffness};
pub use operator::{ElasticError, ElasticOperator};
pub use part::Energy;
pub use stability::stable_step;
pub use step::{Books, ElasticReport, ElasticSettings, StepInput};
pub use system::{BadSystem, ElasticBody, ElasticSystem, Grip, Pin, Tie};
