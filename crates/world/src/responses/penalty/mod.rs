//! Discrete penalty: vertices inside the other body, or features near it, when contact is evaluated.

pub(crate) mod broad;
pub(crate) mod check;
pub(crate) mod narrow;
pub(crate) mod near;
pub(crate) mod object;
pub(crate) mod own_contact;
pub(crate) mod response;
pub(crate) mod schema;
pub(crate) mod unheld;
