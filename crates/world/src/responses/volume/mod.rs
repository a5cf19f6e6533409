//! Intersection volumes: which bodies overlap, by how much, what pushes them apart, and what moves them apart.

pub(crate) mod check;
pub(crate) mod facets;
pub(crate) mod narrow;
pub(crate) mod object;
pub(crate) mod pairs;
pub(crate) mod penalty;
pub(crate) mod reading;
pub(crate) mod response;
pub(crate) mod rims;
pub(crate) mod schema;
pub(crate) mod settings;
pub(crate) mod shallow;
pub(crate) mod slides;
pub(crate) mod stabilise;
pub(crate) mod undamped;
