#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod accelerated;
mod batch;
mod batch_contacts;
mod candidates;
mod contact;
mod decide;
mod eights;
mod exact;
mod filter;
mod intervals;
mod kind;
mod normals;
mod root;
pub mod screw;
pub mod separation;
#[cfg(feature = "mesh")]
pub mod touch;

pub use batch::{Workspace, touching};
pub use batch_contacts::{
    ContactWorkspace, FirstContactRow, FirstContacts, FirstContactsView, PenetrationIntervalRow,
    PenetrationIntervals, PenetrationIntervalsView, check_pairs, first_contacts, intervals_of_touching,
    penetration_intervals,
};
pub use candidates::{BatchError, Candidates, TierCounts};
pub use contact::{Contact, contact_normal, contact_weights, edge_edge, first_contact, vertex_face};
pub use decide::{Tier, roots, roots_exact, side_of, touches, touches_by};
pub use eights::{Eight, Eights, Spans, intervals_by_eights};
pub use impinge_geometry::wide::Instructions;
pub use intervals::{Carried, Entry, Interval, Intervals, Opens, intervals};
pub use kind::{Kind, NotFinite};
pub use normals::{
    accelerated_length_squared_coefficients, accelerated_normal_coefficients, length_squared_at,
    length_squared_coefficients, normal_at, normal_coefficients, normal_coefficients_into, rms_length,
    unit_normal_at,
};
pub use root::{Class, Root, Roots};
pub use screw::{RigidMotion, screw_within};
pub use separation::{Within, edge_edge_within, vertex_face_within};
#[cfg(feature = "mesh")]
pub use touch::first_touch;
