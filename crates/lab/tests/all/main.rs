//! The laboratory as its users call it: one binary for all commands, so that it links once.

mod conform;
mod elsewhere;
mod examples;
mod gallery;
mod oracle;
mod program;
