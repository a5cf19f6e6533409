//! Bodies that are inside each other now, and that a response which remembers no way does not hold.

use impinge_world::{Simulation, Unseen};

/// What there is to say of each pair.
pub(crate) fn warnings(sim: &Simulation) -> impl Iterator<Item = String> {
    let through = |u: Unseen| {
        format!(
            "at the end '{}' and '{}' are {:.2e} m inside each other and '{}' does not hold them: they went through each other where no vertex was inside, or \
             within a step; give the meshes more `segments` or use a smaller dt, or a response such as `cpf`, `cpf-implicit` or `qp`",
            u.a, u.b, u.depth, u.response
        )
    };
    sim.unheld_now().into_iter().map(through)
}
