//! What every task needs: its arguments, and the programs of the workspace, built and started.

pub mod arguments;
mod compile;
pub mod workspace;
