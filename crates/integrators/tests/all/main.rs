//! The tests of the crate in one program: linked once, run side by side.

mod answered_again;
mod bodies_apart;
mod deformable_beams;
mod deformable_momentum;
mod driver;
mod midpoint;
mod radau;
mod radau_rigid;
mod rig;
mod rotation;
mod stable_step;
mod start_with_load;
mod torque_free;
