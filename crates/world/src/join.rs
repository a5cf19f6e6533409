//! From the deformables of a scene to one elastic system: grips resolved to bodies, ties given a stiffness, the explicit step
//! checked.

use crate::body::{BodyDesc, Motion};
use crate::build_error::BuildError;
use crate::components::Elastic;
use impinge_bodies::{Attach, AttachTo, Deformable};
use impinge_contact::BodyDofsView;
use impinge_geometry::{DVec3, Pose};
use impinge_integrators::{
    BadSystem, ElasticSettings, ElasticSystem, Grip, Pin, Scheme, Tie, node_stiffness, stable_step,
};

/// How much stiffer than its node's material a tie to a rigid body is, unless stated.
const TIE: f64 = 10.0;

/// Joins the deformables among `bodies`. `x` are the positions of all nodes of the world (m), `first` the first node of each
/// body, `poses` where the bodies start.
pub(crate) fn join(
    bodies: &[BodyDesc],
    x: &[DVec3],
    first: &[u32],
    dofs: BodyDofsView<'_>,
    poses: &[Pose],
    scheme: Scheme,
    settings: ElasticSettings,
    dt: f64,
) -> Result<Elastic, BuildError> {
    let mut elastic = Elastic { settings, ..Elastic::default() };
    let mut parts = Vec::new();
    let mut softs: Vec<&Deformable> = Vec::new();
    for (slot, body) in bodies.iter().enumerate() {
        let Motion::Deformable(d) = &body.motion else { continue };
        let center = d.center();
        elastic.slots.push(slot as u32);
        elastic.nodes.extend((0..d.positions.len() as u32).map(|i| first[slot] + i));
        elastic.rest.extend(d.positions.iter().map(|p| *p - center));
        parts.push(d.elastic.clone());
        softs.push(d);
    }
    if parts.is_empty() {
        return Ok(elastic);
    }
    let named = |e: BadSystem| BuildError::Deformable {
        body: e.body.map_or("?".to_string(), |b| bodies[elastic.slots[b] as usize].name.clone()),
        reason: e.reason,
    };
    let own: Vec<DVec3> = elastic.nodes.iter().map(|&n| x[n as usize]).collect();
    // Ties to rigid bodies want to know how stiff the body is by itself.
    let alone = ElasticSystem::new(parts.clone(), Vec::new(), Vec::new()).map_err(named)?;
    let stiffness = node_stiffness(&alone, &own);
    let (mut pins, mut ties) = (Vec::new(), Vec::new());
    for (b, d) in softs.iter().enumerate() {
        let start = alone.range(b).start as u32;
        for a in &d.attach {
            let body = &bodies[elastic.slots[b] as usize];
            check(body, d, a, bodies)?;
            for &n in &a.nodes {
                let node = start + n;
                let at = own[node as usize];
                let (to, rigid) = match a.to {
                    AttachTo::World => (Grip::World(at), false),
                    AttachTo::Body(s) => {
                        let arm = a.frame.as_ref().unwrap_or(&poses[s as usize]).point_to_body(at);
                        let rigid = matches!(bodies[s as usize].motion, Motion::Rigid { .. });
                        (
                            if rigid {
                                Grip::Rigid { body: s, arm }
                            } else {
                                Grip::Prescribed { body: s, arm }
                            },
                            rigid,
                        )
                    }
                };
                match a.stiffness {
                    None if !rigid => pins.push(Pin { node, to }),
                    k => {
                        let stiffness = k.unwrap_or(TIE * stiffness[node as usize]);
                        ties.push(Tie { node, to, stiffness, damping: a.damping });
                    }
                }
            }
        }
    }
    let drag = |b: usize| bodies[elastic.slots[b] as usize].linear_drag;
    elastic.system = ElasticSystem::new(parts, pins, ties).map_err(named)?.with_drag(drag);
    if !scheme.is_implicit() {
        let longest = stable_step(&elastic.system, &own, dofs, poses);
        if dt > longest {
            return Err(BuildError::BadSetting(format!(
                "{} is unstable for these deformables: dt is {dt} s, the stiffest of them allows {longest:.3e} s; reduce dt, or \
                 use an implicit scheme",
                scheme.name()
            )));
        }
    }
    Ok(elastic)
}

fn check(body: &BodyDesc, d: &Deformable, a: &Attach, bodies: &[BodyDesc]) -> Result<(), BuildError> {
    let refuse = |reason: String| Err(BuildError::Deformable { body: body.name.clone(), reason });
    if a.nodes.is_empty() {
        return refuse("an attachment holds no node; widen the region it names".to_string());
    }
    if let Some(n) = a.nodes.iter().find(|n| **n as usize >= d.positions.len()) {
        return refuse(format!("an attachment names node {n}, but there are {} (from 0)", d.positions.len()));
    }
    if let AttachTo::Body(s) = a.to {
        let Some(other) = bodies.get(s as usize) else {
            return refuse(format!("an attachment names slot {s}, but there are {} bodies", bodies.len()));
        };
        if matches!(other.motion, Motion::Deformable(_) | Motion::Particles { .. }) {
            return refuse(format!(
                "it is attached to '{}', which has no frame to hold a point; attach to a rigid, kinematic or fixed body, or to \
                 the world",
                other.name
            ));
        }
    }
    Ok(())
}
