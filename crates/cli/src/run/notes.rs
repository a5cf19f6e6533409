//! What the report says of a response: its law, where it is evaluated, what keeps and what leaks.

use impinge_scene::{Response, SceneSpec};
use impinge_world::{Detection, PressureStep, VolumeFriction};

/// What a reader of the report should know of the law of contact and of how it is stepped.
pub(super) fn notes(spec: &SceneSpec, response: Response) -> Vec<String> {
    let mut out = match response {
        Response::Penalty => penalty_notes(spec),
        Response::DpfCcd => vec![
            "The discrete force on the feature pairs that continuous penalty tracks: F = k δ n at the predicted end of the step, \
             for all of it (seed 000 Fig. 8 b). A contact stays open until its depth is zero."
                .to_string(),
            "The force is applied at the start of the step: stable below kΔt²/m = 4/3; the angular momentum it leaks is drawn \
             beside the residual."
                .to_string(),
        ],
        Response::CpfImplicit => vec![
            "Continuous penalty by discrete gradients of ½kδ², solved together with the motion by Newton's method: energy and momenta are \
             kept whatever the stiffness, but for damping, friction, and the potential that changes hands when a contact slides on to the \
             next triangle."
                .to_string(),
            "Every body moves by the midpoint rule, whatever `integrator` says; moments act about the points halfway.".to_string(),
        ],
        Response::Qp => vec![
            "Contacts are rows J Δv ≤ c of the step's quadratic program min ½ΔvᵀKΔv − bᵀΔv (seed 001, errata Q1–Q5), with \
             Coulomb's cone; forces are its multipliers over Δt. Detection is repeated at each answer."
                .to_string(),
            "Surfaces keep the thickness; contacts are inelastic, and stiffness and damping of the materials are not used."
                .to_string(),
        ],
        Response::Volume => vec![
            "Each cell of intersection volume is one constraint: 0 ≤ −dV/dt ⊥ pressure ≥ 0 with Coulomb's cone (seed 002 (16), (17), (21), errata \
             V1–V3, V8), at the positions the step starts from. Positions are then moved until the volume is at most depth times area (18), (19): no \
             velocity changes."
                .to_string(),
            "Contacts are inelastic, and stiffness and damping of the materials are not used.".to_string(),
        ],
        Response::VolumePenalty => vec![
            "The energy ½kV² of each cell of intersection volume (seed 002 (15), erratum V4), at the positions the step starts from; stiffness and \
             damping of the materials are not used."
                .to_string(),
            match spec.volume_penalty.friction {
                VolumeFriction::Bristles { .. } => {
                    "Friction is a bristle for each cell: a spring that remembers its stretch, up to Coulomb's cone. In steps too long for it the spring \
                     is softer than asked for."
                }
                VolumeFriction::Viscous => {
                    "Friction is viscous up to Coulomb's cone: what holds creeps, and without viscosity nothing rubs."
                }
            }
            .to_string(),
        ],
        Response::Pressure => vec![
            "Contact surfaces are where the pressure fields of two bodies are equal (seed 004); the pressure on them, integrated \
             exactly, is the force. Friction is on the surface too, with a memory of each patch unless the scene says otherwise."
                .to_string(),
            match spec.pressure.step {
                PressureStep::Implicit => {
                    "The pressure is that of the end of the step, solved for with the motion of all bodies: stable for any \
                     modulus, and what is faster than the step loses energy. Both bodies of a pair are pushed at one point: no \
                     momentum leaks."
                }
                PressureStep::Explicit => {
                    "The pressure is that of the start of the step: stable below kΔt²/m = 4 with k the stiffness of the patch, no \
                     leak of momentum."
                }
                PressureStep::Radau => {
                    "Bodies are followed along their path by Radau's method of order 5 and more, to the tolerance of the scene, in as many \
                     inner steps as that takes; forces are integrals along it. Friction is a smooth function of velocity: what \
                     holds creeps."
                }
            }
            .to_string(),
        ],
        Response::Cpf => vec![
            "Continuous penalty: feature pairs found by exact CCD, F = k δ along the turning normal integrated over the \
             time of penetration (seeds 000 §3 and 003 §2). A contact stays open until its depth is zero."
                .to_string(),
            "Impulses are integrated on the way and applied at the start of the step: stable below kΔt²/m = 2; the angular \
             momentum they leak is drawn beside the residual."
                .to_string(),
        ],
    };
    out.push(
        "Forces are applied impulses divided by the step, taken from the ledger that applied them."
            .to_string(),
    );
    out.push(
        "Rigid rotation: exponential map with an energy- and momentum-conserving torque-free update."
            .to_string(),
    );
    out
}

fn penalty_notes(spec: &SceneSpec) -> Vec<String> {
    let at_end = matches!(spec.penalty.evaluate, impinge_scene::Evaluate::End);
    let when = if at_end {
        "Depth is measured at the predicted end of the step and the force applied at its start: this damps by √(1 − kΔt²/m) a \
         step, is stable below kΔt²/m = 4/3, and leaks the angular momentum drawn beside the residual."
    } else {
        "Depth is measured at the start of the step: no numerical damping, stable below kΔt²/m = 4, no leak of momentum."
    };
    if let Detection::Proximity { reach } = spec.penalty.detection {
        return vec![
            format!(
                "Discrete penalty by proximity: features of two bodies (a vertex and a face, two edges) nearer than h = {reach} m are pushed apart with \
                 F = k (h − d) plus damping, whichever side they are on; what is further in a surface than h is let go of (planes push from above, however deep), and no body pushes itself. \
                 What is called depth is h − d. This is what seed 000 compares with."
            ),
            when.replace("Depth", "Distance"),
        ];
    }
    vec![
        "Discrete penalty: every vertex inside another body is pushed along the shortest way out with F = k δ plus damping \
         (seeds 000 §2 and 003 §1). Only vertices are tested: two edges can cross unseen."
            .to_string(),
        when.to_string(),
    ]
}
