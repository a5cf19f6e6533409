//! The tests of the crate in one program: linked once, run side by side.

mod closest;
mod edit_carry;
mod edit_tets;
mod edit_triangles;
mod generators;
mod mass;
mod polygon;
mod tet_mesh;
mod topology;
