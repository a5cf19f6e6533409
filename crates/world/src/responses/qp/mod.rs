//! Stages of the response `qp`: contacts as linear constraints of the implicit step ([`impinge_qp`]).

pub(crate) mod cut;
pub(crate) mod inside;
pub(crate) mod object;
pub(crate) mod response;
pub(crate) mod schema;
pub(crate) mod settings;
pub(crate) mod shift;
pub(crate) mod wide;
