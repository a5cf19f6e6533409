//! What a response refuses: settings and schemes that make no sense, and pairs that it cannot handle.

use crate::build_error::BuildError;
use crate::components::Laws;
use crate::response::Response;
use crate::responses::penalty::check::check_near;
use crate::responses::pressure;
use crate::responses::volume::check::check_volume;
use crate::seen::Seen;
use crate::shapes::Shape;
use crate::support::{Family, ShapeKind, directions};
use impinge_contact::{Sides, Stiffness};
use impinge_integrators::Scheme;

/// Refuses settings of a response that make no sense, and a scheme it cannot work with.
fn check_settings(response: &Response, scheme: Scheme) -> Result<(), BuildError> {
    response.check_scheme(scheme).map_err(BuildError::BadSetting)?;
    match response {
        Response::Volume(s) => {
            s.check().map_err(BuildError::BadSetting)?;
            return linear_scheme(response, scheme);
        }
        Response::VolumePenalty(s) => return s.check().map_err(BuildError::BadSetting),
        Response::Pressure(s) => return pressure::check::settings(s, scheme).map_err(BuildError::BadSetting),
        _ => {}
    }
    let Response::Qp(settings) = response else { return Ok(()) };
    settings.check().map_err(BuildError::BadSetting)?;
    linear_scheme(response, scheme)
}

/// Refuses a scheme whose velocities are not linear in the impulses.
fn linear_scheme(response: &Response, scheme: Scheme) -> Result<(), BuildError> {
    match scheme {
        Scheme::SymplecticEuler | Scheme::ImplicitEuler => Ok(()),
        other => Err(BuildError::BadSetting(format!(
            "response '{}' cannot go with {}: its rows are about the velocity that bodies move with, which must be linear in the \
             impulses; use symplectic-euler or implicit-euler",
            response.family().name(),
            other.name()
        ))),
    }
}

/// Refuses pairs that can meet and that a response of this family cannot handle. The laws know their materials.
fn check_support(family: Family, laws: &Laws, bodies: &[Seen<'_>]) -> Result<(), BuildError> {
    for (j, b) in bodies.iter().enumerate() {
        if family != Family::Qp
            && laws.of(j as u32, j as u32).is_some()
            && let Shape::Soft(s) = b.shape
            && s.meets_itself_thin()
        {
            return Err(BuildError::Unsupported {
                response: family.name(),
                a: b.name.to_string(),
                b: b.name.to_string(),
                reason: match s.mesh {
                    Some(_) => {
                        "cloth has no inside that it could meet itself in; take 'qp', which keeps a thickness between its layers, or \
                         take self_contact out"
                    }
                    None => {
                        "a cable has no inside that it could meet itself in; take 'qp', which keeps a thickness between its parts, or \
                         take self_contact out"
                    }
                },
            });
        }
        for (i, a) in bodies[..j].iter().enumerate() {
            // Two bodies that forces do not move exchange nothing.
            let meet = a.moved || b.moved;
            let Some((law, sides)) = laws.of(i as u32, j as u32).filter(|_| meet) else { continue };
            let refused = |reason| BuildError::Unsupported {
                response: family.name(),
                a: a.name.to_string(),
                b: b.name.to_string(),
                reason,
            };
            let loose = |s: &Seen<'_>| match s.shape {
                Shape::Points { .. } => true,
                Shape::Soft(s) => s.mesh.is_none(),
                _ => false,
            };
            let per_area = matches!(laws.laws[law as usize].stiffness, Stiffness::PerArea(_));
            if per_area && (loose(a) || loose(b)) {
                return Err(refused(
                    "the pair's stiffness is per area, and a loose point stands for none; give their materials a law \
                     with a stiffness per contact point",
                ));
            }
            let damping = laws.laws[law as usize].damping;
            if family == Family::Pressure
                && let Some(reason) = pressure::check::pair(a, b, damping)
            {
                return Err(refused(reason));
            }
            let can = directions(family, ShapeKind::of(a.shape), ShapeKind::of(b.shape));
            let left = match sides {
                Sides::Both => can.any(),
                Sides::First => can.first,
                Sides::Second => can.second,
            };
            if !left && matches!(family, Family::Volume | Family::VolumePenalty) {
                return Err(refused(
                    "an intersection volume takes two bodies with an inside, and a sheet, a cable or loose points have none; add a \
                     rule that lets them pass through each other, give the thin one a thickness (a closed mesh), or take a response \
                     that finds contacts by their motion",
                ));
            }
            if !left {
                return Err(refused(
                    "on the sides asked for, neither has vertices that the other's surface could be tested with; add a rule that \
                     lets them pass through each other, or give one of them a mesh",
                ));
            }
        }
    }
    Ok(())
}

/// Refuses strain limits where no response of the world has rows for them.
fn check_limits(responses: &[Response], bodies: &[Seen<'_>]) -> Result<(), BuildError> {
    let [first, ..] = responses else { return Ok(()) };
    if responses.iter().any(|r| r.family() == Family::Qp) {
        return Ok(());
    }
    match bodies.iter().find(|b| b.limited) {
        None => Ok(()),
        Some(b) => Err(BuildError::BadSetting(format!(
            "body '{}' has strain limits, and response '{}' has no rows for them; take 'qp', or take the limits out",
            b.name,
            first.family().name()
        ))),
    }
}

/// The number of a response among those of a world, which it joins where it is new.
pub(crate) fn number_of(responses: &mut Vec<Response>, response: Response) -> Result<u8, BuildError> {
    let at = responses.iter().position(|r| *r == response).unwrap_or(responses.len());
    if at == responses.len() {
        responses.push(response);
    }
    u8::try_from(at).map_err(|_| {
        BuildError::BadSetting("a world has 256 responses at most; give pairs the same settings".to_string())
    })
}

/// Refuses what a response of the world cannot work with, each on the pairs that are its own.
pub(crate) fn check_responses(
    responses: &[Response],
    scheme: Scheme,
    laws: &mut Laws,
    seen: &[Seen<'_>],
) -> Result<(), BuildError> {
    for (k, response) in responses.iter().enumerate() {
        if responses.len() > 1 {
            laws.acting = Some(k as u8);
            if let Some(reason) = response.stands_alone() {
                return Err(BuildError::BadSetting(reason.to_string()));
            }
            // Its deformables are solved from the forces that the step predicted with, which know no other response.
            let soft = seen.iter().find(|b| matches!(b.shape, Shape::Soft(_)));
            if let (Family::CpfImplicit, Some(b)) = (response.family(), soft) {
                return Err(BuildError::BadSetting(format!(
                    "body '{}' is deformable, and response 'cpf-implicit' solves deformables without the loads of other responses; give all \
                     pairs of this world 'cpf-implicit', or take 'cpf'",
                    b.name
                )));
            }
        }
        check_support(response.family(), laws, seen)?;
        check_settings(response, scheme)?;
        check_near(response, laws, seen)?;
        check_volume(response, scheme, laws, seen)?;
    }
    check_limits(responses, seen)
}
