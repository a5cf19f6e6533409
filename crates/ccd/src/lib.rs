#![doc = include_str!("../README.md")]

mod batch;
mod batch_contacts;
mod candidates;
mod contact;
mod decide;
mod exact;
mod filter;
mod intervals;
mod kind;
mod root;

pub use batch::{Workspace, touching};
pub use batch_contacts::{
    ContactWorkspace, FirstContactRow, FirstContacts, FirstContactsView, PenetrationIntervalRow,
    PenetrationIntervals, PenetrationIntervalsView, first_contacts, penetration_intervals,
};
pub use candidates::{BatchError, Candidates, TierCounts};
pub use contact::{Contact, edge_edge, first_contact, contact_normal, vertex_face, contact_weights};
pub use decide::{Tier, roots, roots_exact, touches, touches_by};
pub use filter::instructions::Instructions;
pub use intervals::{Carried, Entry, Interval, Intervals, Opens, intervals};
pub use kind::{Kind, NotFinite};
pub use root::{Class, Root, Roots};
