//! What the report says of the responses of a run: their laws, where they are evaluated, what keeps and what leaks, and which pairs are theirs.

use crate::facets;
use crate::spec::{BodySpec, MaterialSpec, Motion, PairSpec, Response, SceneSpec};

/// Pairs of one response that are named; of more the number is told.
const NAMED: usize = 12;

impl SceneSpec {
    /// What a reader of the report should know of the law of contact and of how it is stepped.
    #[must_use]
    pub fn notes(&self, response: Response) -> Vec<String> {
        let all = self.responses_under(response);
        let mut out = Vec::new();
        for &own in &all {
            let says = self.with_settings(own).notes();
            if all.len() == 1 {
                out = says;
                continue;
            }
            out.extend(pairs(self, own, response));
            out.extend(says.into_iter().map(|note| format!("{}: {note}", own.name())));
        }
        out.extend(self.left_out());
        if all.contains(&Response::PRESSURE) {
            out.extend(self.facets());
        }
        out.extend(held(self));
        out.extend(turning(self));
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
}

impl SceneSpec {
    /// What the file leaves to the bodies. The numbers of laws are known when these are built ([`impinge_world::Simulation::suggested_laws`]).
    fn left_out(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.dt_suggested {
            out.push(format!(
                "The scene states no `dt`: {} s are taken, at most a hundredth of the shortest time in which a body falls or moves by its smallest side.",
                self.dt
            ));
        }
        if self.leaves_laws() {
            out.push(format!(
                "The scene states no [[pair]]: friction is {}, stiffness and damping follow from the bodies.",
                impinge_world::FRICTION
            ));
        }
        out
    }
}

impl SceneSpec {
    /// Of round pressure fields.
    fn facets(&self) -> Vec<String> {
        let mut told: Vec<(String, Vec<&str>)> = Vec::new();
        for body in &self.bodies {
            let said = body.pressure.as_ref().and_then(|spec| facets::note(body, spec, self.gravity.mag()));
            let Some(said) = said else { continue };
            match told.iter_mut().find(|t| t.0 == said) {
                Some(t) => t.1.push(&body.name),
                None => told.push((said, vec![&body.name])),
            }
        }
        let sentence = |(said, names): (String, Vec<&str>)| {
            let of = match names.len() - 1 {
                0 => format!("field of '{}'", names[0]),
                n => format!("fields of '{}' and {n} more", names[0]),
            };
            format!("Facets of the pressure {of} are {said}")
        };
        told.into_iter().map(sentence).collect()
    }
}

/// What holds and moves bodies beside contact.
fn held(spec: &SceneSpec) -> Vec<String> {
    let mut out = Vec::new();
    let locked = |b: &&BodySpec| matches!(&b.motion, Motion::Rigid(m) if !m.locked.is_empty());
    let named: Vec<&str> = spec.bodies.iter().filter(locked).map(|b| b.name.as_str()).take(NAMED).collect();
    if !named.is_empty() {
        out.push(format!(
            "Locked axes ({}): the inverse mass and inertia have nothing on them, so nothing moves a body there; what the locks take is booked.",
            named.join(", ")
        ));
    }
    if !spec.actuators.is_empty() {
        out.push(
            "Actuators: the force of each is found where a step begins and acts evenly over it; its impulse and work are booked."
                .to_string(),
        );
    }
    out
}

/// Who has rolling and spinning friction.
fn turning(spec: &SceneSpec) -> Option<String> {
    spec.pairs.iter().find_map(PairSpec::turning)?;
    let has = |b: &BodySpec| {
        let own = &spec.materials[b.material].name;
        let law = |other: &MaterialSpec| spec.pair_law(own, &other.name).and_then(PairSpec::turning);
        spec.materials.iter().any(|other| law(other).is_some())
    };
    let soft = |b: &&BodySpec| matches!(b.motion, Motion::Deformable(_) | Motion::Particles(_)) && has(b);
    let without: Vec<&str> = spec.bodies.iter().filter(soft).map(|b| b.name.as_str()).take(NAMED).collect();
    let but = if without.is_empty() {
        String::new()
    } else {
        format!("; none of bodies made of nodes ({})", without.join(", "))
    };
    Some(format!(
        "Rolling and spinning friction: a couple up to a length times the normal force of the step before, held by a spring at rest{but}."
    ))
}

/// Which pairs of bodies go by `own` in a run under `response`.
fn pairs(spec: &SceneSpec, own: Response, response: Response) -> Option<String> {
    if own == response {
        return Some(format!("{}: every pair without a rule of its own.", own.name()));
    }
    let name = |i: usize| spec.bodies[i].name.as_str();
    let meet =
        |&(i, j): &(usize, usize)| spec.can_meet(i, j) && spec.response_between(i, j, response) == Some(own);
    let all = (0..spec.bodies.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    let theirs: Vec<(usize, usize)> = all.filter(meet).collect();
    let named: Vec<String> =
        theirs.iter().take(NAMED).map(|&(i, j)| format!("{} – {}", name(i), name(j))).collect();
    let more = theirs.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| format!("{}: {}{more}.", own.name(), named.join(", ")))
}
