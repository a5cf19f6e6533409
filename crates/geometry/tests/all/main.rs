//! The tests of the crate in one program: linked once, run side by side.

mod arrays;
mod closest;
mod edit_carry;
mod edit_tets;
mod edit_triangles;
mod generators;
mod height_field;
mod linear;
mod mass;
mod polygon;
mod pose;
mod sheet;
mod stored;
mod tet_mesh;
mod tet_mesh_arrays;
mod topology;
mod torus;
mod tri_mesh;
mod triangle;
