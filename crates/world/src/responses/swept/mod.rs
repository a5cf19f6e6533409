//! Detection on the swept path of the step, for the responses that follow features: every surface vertex moves straight from where it is to
//! its predicted place, and feature pairs that may meet on the way are listed.

pub(crate) mod broad;
pub(crate) mod edges;
pub(crate) mod finder;
pub(crate) mod inside;
pub(crate) mod kept;
pub(crate) mod margin;
pub(crate) mod matter;
pub(crate) mod outer_edges;
pub(crate) mod place;
pub(crate) mod reach;
pub(crate) mod start;
pub(crate) mod surfaces;
pub(crate) mod tables;
