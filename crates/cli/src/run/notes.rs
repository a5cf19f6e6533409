//! What the report says of a response: its law, where it is evaluated, what keeps and what leaks.

use impinge_scene::{Response, SceneSpec};

/// What a reader of the report should know of the law of contact and of how it is stepped.
pub(super) fn notes(spec: &SceneSpec, response: Response) -> Vec<String> {
    let mut out = spec.with_settings(response).notes();
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
