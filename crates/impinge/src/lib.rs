//! Collision response between rigid and deformable meshes: facade and guide.
