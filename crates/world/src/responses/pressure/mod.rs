//! Stages of the response `pressure`: boxes, pairs, contact surfaces, impulses.

pub(crate) mod body;
pub(crate) mod broad;
pub(crate) mod check;
pub(crate) mod narrow;
pub(crate) mod object;
pub(crate) mod reading;
pub(crate) mod response;
pub(crate) mod rest;
pub(crate) mod schema;
pub(crate) mod settings;
pub(crate) mod take;
