//! What building a scene finds, at the body it is of.

use crate::error::{Issue, SceneError};
use crate::spec::{ActuatorSpec, BodySpec, SceneSpec};
use impinge_world::{BuildError, Family};

/// Responses that take two bodies of these shapes, in words; `None` where it is not their shapes that `response` refuses.
fn takers(response: &str, a: &BodySpec, b: &BodySpec) -> Option<String> {
    let takes = |f: &&Family| f.response().directions(a.shape.kind(), b.shape.kind()).any();
    if a.name == b.name || Family::ALL.iter().filter(takes).any(|f| f.name() == response) {
        return None;
    }
    let able = Family::ALL.iter().filter(takes);
    let names: Vec<String> = able.map(|f| format!("`{}`", f.name())).collect();
    Some(match names.len() {
        0 => "no response takes these two; add a [[rule]] for them with response = \"none\"".to_string(),
        _ => format!("responses that take these two: {}", names.join(", ")),
    })
}

impl SceneSpec {
    /// What the world refused, at the body that it names.
    pub(crate) fn not_built(&self, e: &BuildError) -> SceneError {
        let what = e.to_string();
        if let BuildError::Unsupported { response, a, b, .. } = e {
            let of = |name: &String| self.bodies.iter().find(|s| s.name == *name);
            if let (Some(a), Some(b)) = (of(a), of(b)) {
                return self.document.issue(b.place, what, takers(response, a, b).unwrap_or_default()).into();
            }
        }
        // The kinds of refusals that are of a body begin with it, and some of the settings do.
        let named = what.strip_prefix("body '").and_then(|rest| rest.split('\'').next());
        let Some(body) = named.and_then(|n| self.bodies.iter().find(|b| b.name == n)) else {
            let fix = "change what the message names";
            return Issue::placeless(self.origin().display().to_string(), what, fix).into();
        };
        let of_actuator = |a: &&ActuatorSpec| {
            self.bodies[a.body].name == body.name
                && what.contains(&format!("its actuator on the {}:", a.actuator.axis))
        };
        if let Some(actuator) = self.actuators.iter().find(of_actuator) {
            return self.document.issue(actuator.place, what, String::new()).into();
        }
        let fix = if ["mass", "inertia"].iter().any(|q| what.contains(q)) {
            "check `density` (of the body or of its material) or `mass`, and the size of the shape: kg/m³, kg, m"
        } else {
            ""
        };
        self.document.issue(body.place, what, fix.to_string()).into()
    }

    /// Findings without a place of their own, at the body they are of.
    pub(crate) fn at_body(&self, body: &BodySpec, e: &SceneError) -> SceneError {
        let placed = |i: &Issue| match i.line {
            0 => self.document.issue(body.place, format!("`{}`: {}", body.name, i.what), i.fix.clone()),
            _ => i.clone(),
        };
        SceneError::new(e.issues().iter().map(placed).collect())
    }
}
