//! The program as its users call it: one binary for all commands, so that it links once.

mod asked;
mod bad_input;
mod before;
mod breaker;
mod calibrate;
mod compare;
mod elsewhere;
mod export;
mod foretold;
mod lost;
mod printed;
mod program;
mod recorded;
mod refused_files;
mod runner;
mod scene_files;
mod sweep;
