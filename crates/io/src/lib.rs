//! Mesh files in and out with errors that name file and line.
