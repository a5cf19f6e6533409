//! The impinge command: run scenes, look at meshes, check oracles.
