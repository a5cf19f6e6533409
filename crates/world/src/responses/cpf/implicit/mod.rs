//! Continuous penalty by discrete gradients, solved with the motion: the response `cpf-implicit`.

pub(crate) mod acting;
pub(crate) mod continuation;
pub(crate) mod inverse_blocks;
pub(crate) mod line;
pub(crate) mod newton;
pub(crate) mod object;
pub(crate) mod response;
pub(crate) mod settings;
pub(crate) mod trial;
pub(crate) mod unknowns;
