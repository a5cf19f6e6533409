//! The laboratory as its users call it: one binary for all commands, so that it links once.

mod ccd_truth;
mod conform;
mod elsewhere;
mod examples;
mod gallery;
mod oracle;
mod papers;
mod program;
