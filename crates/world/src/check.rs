//! What a response refuses: settings and schemes that make no sense, and pairs that it cannot handle.

use crate::build_error::BuildError;
use crate::components::Laws;
use crate::response::{ContactResponse, Response};
use crate::seen::{Seen, SeenBody};
use impinge_bodies::{Shape, ShapeKind, first_two};
use impinge_contact::{Sides, Stiffness};
use impinge_integrators::Scheme;

/// The slots whose pairs are looked at: of bodies with the same laws, of one sort of shape and with data of one class two stand for all.
fn unlike(laws: &Laws, bodies: &[SeenBody<'_>]) -> Vec<usize> {
    let sort = |(kind, b): (_, &SeenBody<'_>)| {
        let [first, second] = [b.moved, b.fixed].map(u8::from);
        (kind, ShapeKind::of(b.shape), [nodes(b), gone(b), b.limited], [first, second], b.data.classes())
    };
    first_two(laws.kinds().into_iter().zip(bodies).map(sort)).collect()
}

/// No points are left of it.
fn gone(s: &SeenBody<'_>) -> bool {
    matches!(s.shape, Shape::Points { count: 0 })
}

/// Made of nodes.
fn nodes(s: &SeenBody<'_>) -> bool {
    matches!(s.shape, Shape::Soft(_) | Shape::Points { .. })
}

/// Refuses a body that meets itself under a response that cannot handle it.
fn check_itself(
    response: &dyn ContactResponse,
    laws: &Laws,
    slot: usize,
    b: &SeenBody<'_>,
) -> Result<(), BuildError> {
    let Shape::Soft(s) = b.shape else { return Ok(()) };
    if laws.of(slot as u32, slot as u32).is_none() {
        return Ok(());
    }
    let distance = laws.thickness.between(slot as u32, slot as u32);
    if s.meets_itself_thin()
        && let Some(why) = response.refuses_itself_thin(s.mesh.is_some(), distance)
    {
        let name = b.name.to_string();
        return Err(BuildError::Unsupported {
            response: response.name(),
            a: name.clone(),
            b: name,
            reason: why.join("; "),
        });
    }
    match response.refuses_itself().filter(|_| s.own.is_some()) {
        Some([what, fix]) => Err(BuildError::BadSetting(format!(
            "body '{}' meets itself, and response '{}' {what}; {fix}",
            b.name,
            response.name()
        ))),
        None => Ok(()),
    }
}

/// Refuses pairs that can meet and that a response cannot handle, those of the body in slot `only` or all. The laws know their materials.
fn check_support(
    response: &dyn ContactResponse,
    seen: &Seen<'_>,
    only: Option<usize>,
) -> Result<(), BuildError> {
    let (laws, bodies) = (seen.laws, seen.bodies);
    let mut looked_at = only.map_or(0..bodies.len(), |slot| slot..slot + 1);
    looked_at.try_for_each(|slot| check_itself(response, laws, slot, &bodies[slot]))?;
    let slots = unlike(laws, bodies);
    for &j in only.as_ref().map_or(&slots[..], std::slice::from_ref) {
        let b = &bodies[j];
        let refused = |a: &SeenBody<'_>, reason: String| BuildError::Unsupported {
            response: response.name(),
            a: a.name.to_string(),
            b: b.name.to_string(),
            reason,
        };
        for &i in slots.iter().filter(|i| if only.is_some() { **i != j } else { **i < j }) {
            let (i, j) = (i.min(j), i.max(j));
            let (a, b) = (&bodies[i], &bodies[j]);
            // Two bodies that forces do not move exchange nothing.
            let meet = (a.moved || b.moved) && !gone(a) && !gone(b);
            let Some((law, sides)) = laws.of(i as u32, j as u32).filter(|_| meet) else { continue };
            let loose = |s: &SeenBody<'_>| match s.shape {
                Shape::Points { .. } => true,
                Shape::Soft(s) => s.mesh.is_none(),
                _ => false,
            };
            let law = &laws.laws[law as usize];
            if matches!(law.stiffness, Stiffness::PerArea(_)) && (loose(a) || loose(b)) {
                let reason = "the pair's stiffness is per area, and a loose point stands for none; give their materials a law with a \
                              stiffness per contact point";
                return Err(refused(a, reason.to_string()));
            }
            if (nodes(a) || nodes(b))
                && let Some(what) = response.refuses_nodes()
            {
                let fix = "take another response for the scene, make the body rigid, or add a rule that lets the two pass through each \
                           other";
                return Err(refused(a, format!("{what}; {fix}")));
            }
            if let Some(reason) = response.refuses(a, b, law) {
                return Err(refused(a, reason.to_string()));
            }
            let can = response.directions(ShapeKind::of(a.shape), ShapeKind::of(b.shape));
            let left = match sides {
                Sides::Both => can.any(),
                Sides::First => can.first,
                Sides::Second => can.second,
            };
            let open = [a, b].into_iter().find(|s| ShapeKind::of(s.shape) == ShapeKind::Open);
            if !left && let Some(open) = open {
                let reason = format!(
                    "the mesh of '{}' is open, and what this response asks about the other body needs its inside; close it (give ground a bottom with \
                     `thicken`), or take a response that needs none",
                    open.name
                );
                return Err(refused(a, reason));
            }
            if !left {
                return Err(refused(a, response.no_direction().join("; ")));
            }
        }
    }
    Ok(())
}

/// Refuses strain limits where no response of the world has rows for them.
fn check_limits(responses: &[Response], bodies: &[SeenBody<'_>]) -> Result<(), BuildError> {
    let [first, ..] = responses else { return Ok(()) };
    if responses.iter().any(|r| r.limits_strain()) {
        return Ok(());
    }
    match bodies.iter().find(|b| b.limited) {
        None => Ok(()),
        Some(b) => Err(BuildError::BadSetting(format!(
            "body '{}' has strain limits, and response '{}' has no rows for them; take 'qp', or take the limits out",
            b.name,
            first.name()
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

/// Why a response is refused that would be taken by a rule of motion that moves nothing: another response of the world has one of its own.
fn beside_mover(responses: &[Response], refused: usize, seen: &Seen<'_>) -> Option<BuildError> {
    let mover = responses.iter().find(|r| r.scheme() == Some(seen.scheme))?;
    let response = &responses[refused];
    let taken = [Scheme::SymplecticEuler, Scheme::ImplicitEuler]
        .into_iter()
        .any(|scheme| response.check(&Seen { scheme, ..*seen }).is_ok());
    (taken && response.scheme().is_none()).then(|| {
        let (mover, own, response) = (mover.name(), seen.scheme.name(), response.name());
        BuildError::BadSetting(format!(
            "response '{response}' cannot act beside '{mover}': '{mover}' moves all bodies by the rule '{own}', whatever the integrator, and \
             '{response}' works with symplectic-euler or implicit-euler alone; let the pairs of one of the two have another response"
        ))
    })
}

/// Refuses what a response of the world cannot work with, each on the pairs that are its own. Of pairs those of the body in slot `only` are looked
/// at, where the others were before; else all.
pub(crate) fn check_responses(
    responses: &[Response],
    scheme: Scheme,
    laws: &mut Laws,
    bodies: &[SeenBody<'_>],
    only: Option<usize>,
) -> Result<(), BuildError> {
    let beside = responses.len() > 1;
    for (k, response) in responses.iter().enumerate() {
        if beside {
            laws.acting = Some(k as u8);
            if let Some(reason) = response.stands_alone(bodies) {
                return Err(BuildError::BadSetting(reason));
            }
        }
        if let Some(own) = response.scheme().filter(|s| *s != scheme) {
            return Err(BuildError::BadSetting(format!(
                "response '{}' moves bodies by the rule '{}' and the integrator is '{}'; set the integrator to '{}'",
                response.name(),
                own.name(),
                scheme.name(),
                own.name()
            )));
        }
        let seen = Seen { scheme, laws, bodies, beside };
        check_support(&**response, &seen, only)?;
        response.check(&seen).map_err(|e| beside_mover(responses, k, &seen).unwrap_or(e))?;
    }
    check_limits(responses, bodies)
}
