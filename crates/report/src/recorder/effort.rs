//! What a response took to find its forces, step by step: the counts of its own report, as curves.

use crate::Parameter;
use impinge_world::{
    Elastic, Family, NewtonReport, Part, PressureReport, QpReport, Simulation, VolumeReport,
};

/// Counts of one response.
pub(super) struct Effort {
    /// Id of the plot.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// One for each curve.
    pub counts: &'static [&'static str],
    /// What they are.
    pub note: &'static str,
    /// What the residual is of.
    pub residual: &'static str,
}

const QP: Effort = Effort {
    id: "constraints",
    title: "Constraints",
    counts: &[
        "solves",
        "iterations",
        "factorisations",
        "toggles",
        "rows",
        "limits",
        "active",
        "unfinished",
        "last unfinished",
        "not clean",
        "cut",
        "left",
        "solves for places",
        "moved",
        "not moved",
    ],
    note: "Of the quadratic programs of a step: programs solved, linear systems, factorisations, changes of side; rows of \
           contacts (without friction) and of strain limits, those with an impulse; programs short of the tolerance, \
           whether the last was one and whether the last detection pass found something new; bodies and nodes cut short, \
           and pairs that touch in spite of all; programs solved to move places apart, bodies and nodes moved so, and whether \
           something was too near and no place was found.",
    residual: "Largest relative residual of Karush, Kuhn and Tucker in the last program, friction included.",
};

const VOLUME: Effort = Effort {
    id: "volumes",
    title: "Volume constraints",
    counts: &["cells", "active", "contained", "groups", "iterations", "unfinished", "passes", "stopped"],
    note: "Cells with volume, those with an impulse, those without a way out; groups that share no body, iterations of their solves, \
           groups short of the tolerance; passes of the position stabilisation; pairs stopped where they would have passed each other.",
    residual: "Largest relative residual of the contact law over the groups.",
};

const PRESSURE: Effort = Effort {
    id: "surfaces",
    title: "Contact surfaces",
    counts: &[
        "patches",
        "polygons",
        "surfaces computed",
        "Newton",
        "tangents",
        "linear solver",
        "unfinished",
    ],
    note: "Pairs that touch and the polygons between them; contact surfaces computed for it; iterations of the implicit step, the \
           tangents assembled for them (one may serve two iterations), and whether it ended short of the tolerance. Along a path (`step = \"radau\"`) they are \
           Newton iterations of all stages, Jacobians and, as the linear solver, inner steps, and there is no residual.",
    residual: "Residual of the implicit step over the impulses that enter it.",
};

const NEWTON: Effort = Effort {
    id: "newton",
    title: "Implicit continuous penalty",
    counts: &["Newton", "linear solver", "settled"],
    note: "Iterations of a step, and whether it had to be settled which contacts slide.",
    residual: "Residual over the momenta and impulses that enter the step.",
};

/// That of a family; `None` for those that have nothing to solve.
fn effort(family: Family) -> Option<&'static Effort> {
    match family {
        Family::Qp => Some(&QP),
        Family::Volume => Some(&VOLUME),
        Family::Pressure => Some(&PRESSURE),
        Family::CpfImplicit => Some(&NEWTON),
        _ => None,
    }
}

/// Those of the responses of a world that solve something, in their order.
pub(super) fn efforts(sim: &Simulation) -> Vec<&'static Effort> {
    sim.parts().filter_map(|p| effort(p.response().family())).collect()
}

/// Of the step just made: the counts of one response, in the order of [`Effort::counts`], and the residual.
pub(super) fn measure(part: Part<'_>) -> Option<(Vec<f64>, f64)> {
    let numbers = |counts: &[u32]| counts.iter().map(|&c| f64::from(c)).collect();
    Some(match part.response().family() {
        Family::Qp => {
            let r = *part.column::<QpReport>();
            let (open, unclean) = (u32::from(!r.solved), u32::from(!r.clean));
            let solved = [r.solves, r.iterations, r.factorisations, r.toggles, r.rows, r.limits, r.active];
            let ended = [r.unfinished, open, unclean, r.cut, r.left, r.place_solves, r.moved, r.unplaced];
            (numbers(&[&solved[..], &ended[..]].concat()), r.residual)
        }
        Family::Volume => {
            let r = *part.column::<VolumeReport>();
            let found = [r.cells, r.active, r.contained, r.islands];
            let solved = [r.iterations, r.unfinished, r.passes, r.stopped];
            (numbers(&[found, solved].concat()), r.residual)
        }
        Family::Pressure => {
            let r = *part.column::<PressureReport>();
            let found = [r.patches, r.polygons, r.queries];
            let solved = [r.iterations, r.tangents, r.linear, u32::from(r.unfinished)];
            (numbers(&[&found[..], &solved[..]].concat()), r.residual)
        }
        Family::CpfImplicit => {
            let r = *part.column::<NewtonReport>();
            (numbers(&[r.iterations, r.linear, u32::from(r.settled)]), r.residual)
        }
        _ => return None,
    })
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
