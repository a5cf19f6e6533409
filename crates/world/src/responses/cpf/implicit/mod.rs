//! The stage of the response `cpf-implicit`.

pub(crate) mod object;
pub(crate) mod response;
pub(crate) mod settings;
