//! The tests of the crate in one program: linked once, run side by side.

mod actuators;
mod advice;
mod bad_input;
mod chain;
mod cloth_on_itself_cpf;
mod determinism;
mod flush;
mod grips;
mod groups;
mod implicit_friction;
mod implicit_rest;
mod mangled;
mod measures;
mod mixed;
mod number;
mod open_ground;
mod overrides;
mod points_cpf;
mod pressure;
mod qp;
mod scenes;
mod schema;
mod sensors;
mod start_in_touch;
mod volume;
mod works_at_rest;
