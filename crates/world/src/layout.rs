//! From body descriptions to the tables that stay the same from step to step: rows of bodies and nodes, the surface map,
//! shapes, the elastic system. A cut makes them anew.

use crate::body::{BodyDesc, Motion};
use crate::build_error::BuildError;
use crate::components::{Dofs, Elastic, NodeState};
use crate::join::join;
use impinge_bodies::Shapes;
use impinge_contact::{Attachment, BodyDof, BodyKind, Mobility, NodeDof, SurfaceMap};
use impinge_geometry::{DMat3, DVec3};
use impinge_integrators::{ElasticSettings, Scheme};

/// Tables of a world as its bodies start.
#[derive(Debug)]
pub(crate) struct Layout {
    pub dofs: Dofs,
    pub map: SurfaceMap,
    pub shapes: Shapes,
    pub elastic: Elastic,
    /// Where the nodes start.
    pub nodes: NodeState,
}

/// Lays the bodies out in the order of their slots.
pub(crate) fn lay_out(
    bodies: &[BodyDesc],
    scheme: Scheme,
    settings: ElasticSettings,
    dt: f64,
) -> Result<Layout, BuildError> {
    let (mut dofs, mut map) = (Dofs::default(), SurfaceMap::default());
    let (mut shapes, mut nodes) = (Shapes::default(), NodeState::default());
    let mut first = Vec::new();
    for (slot, body) in bodies.iter().enumerate() {
        let slot = slot as u32;
        let first_node = nodes.x.len() as u32;
        first.push(first_node);
        let zero = DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero());
        let mut dof = BodyDof {
            kind: BodyKind::Fixed,
            pose: body.pose,
            velocity: body.velocity,
            angular_velocity: body.angular_velocity,
            angular_momentum: DVec3::zero(),
            mass: 0.0,
            inertia: zero,
            mobility: Mobility::default(),
        };
        let mut push_node = |x: DVec3, v: DVec3, mass: f64| {
            nodes.x.push(x);
            nodes.v.push(v);
            dofs.nodes.push(NodeDof { x, v, mass, body: slot });
        };
        let arms = body.shape.mesh().map_or(&[][..], |m| m.mesh.positions());
        match &body.motion {
            Motion::Fixed => map.push_body(Attachment::Fixed, arms),
            Motion::Kinematic(d) => {
                dof.kind = BodyKind::Kinematic;
                dof.pose = d.pose(0.0).unwrap_or(body.pose);
                map.push_body(Attachment::Kinematic, arms);
            }
            Motion::Rigid { mass, inertia } => {
                dof.kind = BodyKind::Rigid;
                dof.mass = *mass;
                dof.inertia = *inertia;
                let mobility = Mobility::new(*inertia).ok_or(BuildError::BadValue {
                    body: body.name.clone(),
                    quantity: "determinant of the inertia",
                    value: 0.0,
                    must: "positive",
                })?;
                dof.mobility = mobility.locked_on(body.locked);
                map.push_body(Attachment::Rigid, arms);
            }
            Motion::Particles { positions, velocities, masses } => {
                dof.kind = BodyKind::Particles;
                map.push_body(Attachment::Nodes { first_node }, &vec![DVec3::zero(); positions.len()]);
                for ((&x, &v), &mass) in positions.iter().zip(velocities).zip(masses) {
                    push_node(body.pose.point_to_world(x), v + body.velocity, mass);
                }
            }
            Motion::Deformable(d) => {
                dof.kind = BodyKind::Deformable;
                match &d.embedding {
                    Some(e) => map.push_embedded(first_node, e.clone()),
                    None => map.push_body(
                        Attachment::Nodes { first_node },
                        &vec![DVec3::zero(); d.surface.vertices],
                    ),
                }
                let center = body.pose.point_to_world(d.center());
                for (&x, &mass) in d.positions.iter().zip(&d.elastic.masses) {
                    let x = body.pose.point_to_world(x);
                    push_node(x, body.velocity + body.angular_velocity.cross(x - center), mass);
                }
            }
        }
        dofs.bodies.push(dof);
        shapes.0.push(body.shape.clone());
    }
    let poses: Vec<_> = dofs.bodies.pose.clone();
    let mut elastic = join(bodies, &nodes.x, &first, dofs.bodies.view(), &poses, scheme, settings, dt)?;
    for (slot, body) in bodies.iter().enumerate() {
        if let Motion::Deformable(d) = &body.motion {
            elastic.limited.extend(d.limited(slot as u32, map.first(slot)));
        }
    }
    if !elastic.system.is_empty() {
        nodes.guess.resize(nodes.x.len(), DVec3::zero());
    }
    Ok(Layout { dofs, map, shapes, elastic, nodes })
}
