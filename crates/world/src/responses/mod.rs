//! The families of responses to contact, one folder each: settings, checks, stages, watches.

pub(crate) mod cpf;
pub(crate) mod penalty;
pub(crate) mod pressure;
pub(crate) mod qp;
pub(crate) mod swept;
pub(crate) mod volume;
