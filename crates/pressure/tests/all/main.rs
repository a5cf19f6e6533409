//! The tests of the crate in one program: linked once, run side by side.

mod bent;
mod closed_forms;
mod equal_fields;
mod filled;
mod in_faces;
mod invariants;
mod margins;
mod motion;
mod nodal;
mod oracle_bodies;
mod oracle_drake;
mod plane_strain_layer;
mod points;
mod radau;
mod reduce;
mod rigid;
mod shells;
mod slender;
mod stiffness;
mod support;
