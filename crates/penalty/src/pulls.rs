//! What the contacts of all bodies take of a step, from which follows how stiff their friction may be.

use crate::response::{Inputs, motion, share, sharing, stiffness};
use crate::{Evaluate, Params};
use impinge_contact::{
    BodyDofs, ContactsView, Damping, NONE, PlaneContactsView, Pulls, SurfaceMap, Takes, Touched,
};
use impinge_geometry::DVec3;

/// Adds the contacts that push. The friction of laws of which `yields` is true may act softer.
///
/// # Panics
/// As [`crate::accumulate_mesh`].
pub fn add_pulls(
    p: &Params,
    reach: f64,
    input: &Inputs<'_>,
    yields: &[bool],
    (contacts, planes): (ContactsView<'_>, PlaneContactsView<'_>),
    dofs: (&SurfaceMap, &BodyDofs),
    pulls: &mut Pulls,
) {
    let x = input.surface.x0;
    let (of_meshes, of_planes) = (sharing(input, contacts.pair), sharing(input, planes.pair));
    for i in 0..contacts.len() {
        let (stencil, weight, normal) = (&contacts.stencil[i], &contacts.weight[i], contacts.normal[i]);
        let named = (0..4).filter(|&k| stencil[k] != NONE);
        let apart = named
            .fold(DVec3::zero(), |s, k| s + motion(p, &input.surface, stencil[k] as usize).0 * weight[k]);
        let depth = reach - normal.dot(apart);
        let pair = contacts.pair[i];
        if let Some(takes) = takes(p, input, yields, (pair, contacts.area[i]), depth, share(&of_meshes, pair))
        {
            pulls.add(dofs, &Touched { stencil, weight, x, plane: None }, normal, takes);
        }
    }
    for i in 0..planes.len() {
        let vertex = planes.vertex[i];
        let (at, _) = motion(p, &input.surface, vertex as usize);
        let depth = reach - planes.normal[i].dot(at - planes.point[i]);
        let pair = planes.pair[i];
        if let Some(takes) = takes(p, input, yields, (pair, planes.area[i]), depth, share(&of_planes, pair)) {
            let touched = Touched { stencil: &[vertex], weight: &[1.0], x, plane: Some(planes.plane[i]) };
            pulls.add(dofs, &touched, planes.normal[i], takes);
        }
    }
}

/// Of a contact this deep (m).
fn takes(
    p: &Params,
    input: &Inputs<'_>,
    yields: &[bool],
    (pair, area): (u32, f64),
    depth: f64,
    points: f64,
) -> Option<Takes> {
    if depth.is_nan() || depth <= 0.0 {
        return None;
    }
    let number = input.pairs.law[pair as usize] as usize;
    let law = &input.laws[number];
    let (k, per_point) = stiffness(input, pair, area);
    let spring = p.dt * p.dt * if p.evaluate == Evaluate::End { 0.75 } else { 0.25 };
    let damper = match law.damping.plain() {
        Damping::KelvinVoigt(c) => c * per_point / points.sqrt(),
        Damping::HuntCrossley(chi) => chi * k * depth,
        Damping::None | Damping::Restitution(_) => 0.0,
    };
    let of = |k: f64, c: f64| k * spring + 0.5 * c * p.dt;
    let across = law.friction.map_or(0.0, |f| of(f.k_fp * per_point, f.k_fd * per_point));
    Some(Takes { along: of(k, damper), across, yields: yields.get(number) == Some(&true) })
}
