//! What a response took to find its forces, step by step: the counts of its own report, as curves.

use crate::Parameter;
use impinge_world::{Effort, Elastic, Part, Simulation};

/// Those of the responses of a world that solve something, in their order.
pub(super) fn efforts(sim: &Simulation) -> Vec<&'static Effort> {
    sim.parts().filter_map(|p| p.response().effort()).collect()
}

/// Of the step just made: the counts of one response, in the order of [`Effort::counts`], and the residual.
pub(super) fn measure(part: Part<'_>) -> Option<(Vec<f64>, f64)> {
    part.response().effort().map(|effort| (effort.measure)(part))
}

/// Which solver the deformables got, and why.
pub(super) fn solver_parameters(sim: &Simulation) -> Vec<Parameter> {
    if sim.deformables() == 0 {
        return Vec::new();
    }
    let elastic = sim.column::<Elastic>();
    let s = elastic.settings;
    let p = |name: &str, value: String, note: String| Parameter {
        name: name.to_string(),
        value,
        unit: String::new(),
        note,
    };
    let size = format!(
        "{} bodies, {} nodes, {} blocks of the operator",
        elastic.slots.len(),
        elastic.system.nodes(),
        elastic.system.pattern().blocks()
    );
    let (method, why) = elastic.system.solver(&s);
    vec![
        p("deformables", size, String::new()),
        p("deformable.solver", method, why),
        p("deformable.tolerance", format!("{:e}", s.tolerance), "of a linear solve".to_string()),
        p(
            "deformable.newton_tolerance",
            format!("{:e}", s.newton_tolerance),
            "of Newton's method".to_string(),
        ),
    ]
}
