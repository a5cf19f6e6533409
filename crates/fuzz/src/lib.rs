#![doc = include_str!("../README.md")]

pub mod case;
pub mod corpus;
pub mod double;
pub mod hostile;
pub mod kept;
pub mod memory;
pub mod mutate;
pub mod runner;
pub mod solid;
pub mod targets;
pub mod watch;
pub mod zoo;

/// Random pairs of features for continuous collision detection, shared with the tests of `impinge-ccd`; and the
/// sequence of numbers that every case here is made of.
#[path = "../../ccd/tests/all/oracle/families.rs"]
#[allow(missing_docs, dead_code, clippy::should_implement_trait)]
pub mod families;

/// The smallest valid file of each format, shared with the tests of `impinge-io`.
#[path = "../../io/tests/all/samples/mod.rs"]
#[allow(missing_docs, unexpected_cfgs)]
pub mod samples;
