//! Warnings of pressure fields: those that nobody asked for, those too soft for their weight, those whose tets are pinched.

use super::settings::{PressureBodies, PressureBody, Yielding};
use crate::part::Part;
use impinge_bodies::{Dofs, Forces};
use impinge_contact::BodyKind;
use impinge_pressure::Shape as Solid;
use std::sync::Arc;

/// Fields that nobody asked for, a sentence for each modulus; then bodies that would sink into the ground further than half
/// their smallest size under their own weight, by slot: a sentence each with what to check.
pub(crate) fn field_warnings(part: Part<'_>) -> Vec<String> {
    let (dofs, bodies) = (part.shared::<Dofs>(), part.shared::<PressureBodies>());
    let gravity = part.shared::<Forces>().0.gravity.mag();
    let warn = |(slot, body): (usize, &Option<PressureBody>)| {
        let field = body.as_ref()?.field()?;
        if dofs.bodies.kind[slot] != BodyKind::Rigid {
            return None;
        }
        let density = dofs.bodies.mass[slot] / field.mesh().volumes().iter().sum::<f64>();
        let what = field.unit_warning(density, gravity)?;
        Some(format!("body '{}': {what}", part.names()[slot]))
    };
    let mut out = assumed_fields(part, &bodies);
    out.extend(bodies.bodies.iter().enumerate().filter_map(warn));
    out.extend(pinched_fields(part, &bodies));
    out
}

/// Fields on tets whose surface touches itself, which a filling does where a gap is thinner than its cell.
fn pinched_fields(part: Part<'_>, bodies: &PressureBodies) -> Vec<String> {
    let mut told: Vec<*const Solid> = Vec::new();
    let mut out = Vec::new();
    for (name, body) in part.names().iter().zip(&bodies.bodies) {
        let Some(body) = body else { continue };
        let Some(field) = body.field() else { continue };
        // Copies of a body share their field.
        if told.contains(&Arc::as_ptr(&body.solid)) {
            continue;
        }
        told.push(Arc::as_ptr(&body.solid));
        out.extend(field.manifold_warning().map(|what| format!("body '{name}': {what}")));
    }
    out
}

fn assumed_fields(part: Part<'_>, bodies: &PressureBodies) -> Vec<String> {
    // Copies of a body share its numbers.
    let mut groups: Vec<(f64, Option<f64>, Vec<&str>)> = Vec::new();
    for (slot, field) in bodies.assumed() {
        let Yielding::Tets(tets) = &field.yielding else { continue };
        let (name, key) = (part.names()[slot].as_str(), (tets.modulus(), field.dissipation));
        match groups.iter_mut().find(|g| (g.0, g.1) == key) {
            Some(g) => g.2.push(name),
            None => groups.push((key.0, key.1, vec![name])),
        }
    }
    let say = |(modulus, chi, names): &(f64, Option<f64>, Vec<&str>)| {
        let who = match names.as_slice() {
            [one] => format!("body '{one}' has"),
            [first, rest @ ..] => format!("body '{first}' and {} more have", rest.len()),
            [] => String::new(),
        };
        let chi = chi.map_or(String::new(), |c| {
            format!(" and a dissipation of {} s/m, for the damping of its law", impinge_bodies::places(c, 3))
        });
        format!(
            "{who} no pressure field; a modulus of {modulus:.3e} Pa was chosen for its weight (1e7 Pa where nothing weighs){chi}; `pressure` of the body sets it"
        )
    };
    groups.iter().map(say).collect()
}
