//! Tells worlds apart that were made from other files.

use crate::components::{Dofs, Laws};
use crate::simulation::Simulation;
use crate::trace::digest_of;
use impinge_bodies::{Shape, Shapes};
use impinge_contact::{StateHash, SurfaceMap};

impl Simulation {
    /// Hash over what the scene fixes and no snapshot holds: surfaces with their triangles, masses, laws, the step, the response's
    /// family. It tells worlds apart that were made from other files. What is in neither this nor [`Simulation::hash`]: settings of the response, forces, drivers,
    /// tets and stiffness inside deformables.
    #[must_use]
    pub fn scene_digest(&self) -> u64 {
        let mut hash = StateHash::default();
        let dofs = self.column::<Dofs>();
        hash.word(digest_of(&(&dofs.bodies.kind, &dofs.bodies.mass, &dofs.bodies.inertia, &dofs.nodes.mass)));
        hash.word(digest_of(&*self.column::<SurfaceMap>()));
        for shape in &self.column::<Shapes>().0 {
            let plane =
                if let Shape::Plane { normal, offset } = shape { Some((normal, offset)) } else { None };
            hash.word(digest_of(&(plane, shape.triangles().map(|m| m.triangles()))));
        }
        hash.word(digest_of(&*self.column::<Laws>()));
        hash.word(digest_of(&(self.names(), self.dt(), self.response().name())));
        hash.finish()
    }
}
