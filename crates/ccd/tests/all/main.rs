//! The tests of the crate in one program: linked once, run side by side.

mod accelerated;
mod against_oracle;
mod contacts;
mod first_touch;
mod normals;
mod oracle;
mod oracle_by_hand;
mod properties;
mod published_truth;
mod screw;
mod separation;
mod sturm;
