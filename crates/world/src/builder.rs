//! From body descriptions to a world that can run.

use crate::body::{BodyDesc, Motion};
use crate::check::BuildError;
use crate::components::{
    Dofs, Drivers, Forces, Laws, Name, NodeState, PairRule, Placement, Slot, State, Twist,
};
use crate::join::join;
use crate::shapes::Shapes;
use crate::simulation::Simulation;
use crate::standard::{Response, standard};
use impinge_contact::{Attachment, BodyDof, BodyKind, NodeDof, PairLaw, Sides, SurfaceMap};
use impinge_geometry::{DMat3, DVec3, inverse};
use impinge_integrators::{AnchorSpring, ElasticSettings, ExternalForces, Scheme};
use std::sync::Arc;

/// A world under construction.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(crate) dt: f64,
    pub(crate) scheme: Scheme,
    pub(crate) response: Response,
    pub(crate) forces: ExternalForces,
    pub(crate) bodies: Vec<BodyDesc>,
    pub(crate) laws: Laws,
    pub(crate) elastic: ElasticSettings,
}

impl Builder {
    /// A world with steps of `dt` seconds, the papers' discrete penalty, symplectic Euler and no gravity.
    pub fn new(dt: f64) -> Self {
        Self {
            dt,
            scheme: Scheme::default(),
            response: Response::penalty(),
            forces: ExternalForces::default(),
            bodies: Vec::new(),
            laws: Laws::default(),
            elastic: ElasticSettings::default(),
        }
    }

    /// Gravity (m/s²).
    #[must_use]
    pub fn gravity(mut self, g: DVec3) -> Self {
        self.forces.gravity = g;
        self
    }

    /// Time integration scheme.
    #[must_use]
    pub fn scheme(mut self, scheme: Scheme) -> Self {
        self.scheme = scheme;
        self
    }

    /// Tolerances of implicit steps.
    #[must_use]
    pub fn elastic_settings(mut self, settings: ElasticSettings) -> Self {
        self.elastic = settings;
        self
    }

    /// Response family.
    #[must_use]
    pub fn response(mut self, response: Response) -> Self {
        self.response = response;
        self
    }

    /// One law for every pair of materials.
    #[must_use]
    pub fn law(self, law: PairLaw) -> Self {
        self.laws(vec![law], 1, vec![0])
    }

    /// Laws and the table that names one for materials `(i, j)` at `i · materials + j`.
    #[must_use]
    pub fn laws(mut self, laws: Vec<PairLaw>, materials: u32, of_materials: Vec<u32>) -> Self {
        self.laws.laws = laws;
        self.laws.materials = materials;
        self.laws.of_materials = of_materials;
        self
    }

    /// Adds a body; its slot is the number of bodies added before.
    #[must_use]
    pub fn body(mut self, body: BodyDesc) -> Self {
        self.bodies.push(body);
        self
    }

    /// An exception for one pair of slots; `First` and `Second` sides are those of `a` and `b` as given here. The
    /// last rule for a pair holds.
    #[must_use]
    pub fn rule(mut self, a: u32, b: u32, rule: PairRule) -> Self {
        let rule = match rule {
            PairRule::Contact(Sides::First) if b < a => PairRule::Contact(Sides::Second),
            PairRule::Contact(Sides::Second) if b < a => PairRule::Contact(Sides::First),
            rule => rule,
        };
        self.laws.exceptions.push(((a.min(b), a.max(b)), rule));
        self
    }

    /// A spring to an anchor. For a rigid body `arm` is from the centre of mass, body axes.
    #[must_use]
    pub fn anchor(mut self, spring: AnchorSpring) -> Self {
        self.forces.anchors.push(spring);
        self
    }

    /// Checks everything and builds the world.
    ///
    /// # Errors
    /// [`BuildError`], with the body and the fix.
    pub fn build(mut self) -> Result<Simulation, BuildError> {
        self.check()?;
        let (mut dofs, mut map, mut nodes) = (Dofs::default(), SurfaceMap::default(), NodeState::default());
        let (mut drivers, mut shapes) = (Drivers::default(), Shapes::default());
        let mut first_node = Vec::new();
        let mut world = hecs::World::new();
        let mut entities = Vec::new();
        for (slot, body) in self.bodies.iter().enumerate() {
            let slot = slot as u32;
            let mut dof = BodyDof {
                kind: BodyKind::Fixed,
                pose: body.pose,
                velocity: body.velocity,
                angular_velocity: body.angular_velocity,
                angular_momentum: DVec3::zero(),
                mass: 0.0,
                inertia: DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero()),
                inverse_inertia: DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero()),
            };
            first_node.push(nodes.x.len() as u32);
            let mut placement = body.pose;
            let mut driver = None;
            let arms = body.shape.mesh().map_or(&[][..], |m| m.mesh.positions());
            match &body.motion {
                Motion::Fixed => map.push_body(Attachment::Fixed, arms),
                Motion::Kinematic(d) => {
                    dof.kind = BodyKind::Kinematic;
                    placement = d.pose(0.0).unwrap_or(placement);
                    driver = Some(d.clone());
                    map.push_body(Attachment::Kinematic, arms);
                }
                Motion::Rigid { mass, inertia } => {
                    dof.kind = BodyKind::Rigid;
                    dof.mass = *mass;
                    dof.inertia = *inertia;
                    dof.inverse_inertia = inverse(inertia).ok_or(BuildError::BadValue {
                        body: body.name.clone(),
                        quantity: "determinant of the inertia",
                        value: 0.0,
                        must: "positive",
                    })?;
                    map.push_body(Attachment::Rigid, arms);
                }
                Motion::Particles { positions, velocities, masses } => {
                    dof.kind = BodyKind::Particles;
                    let first_node = nodes.x.len() as u32;
                    map.push_body(Attachment::Nodes { first_node }, &vec![DVec3::zero(); positions.len()]);
                    for ((&x, &v), &mass) in positions.iter().zip(velocities).zip(masses) {
                        let node = NodeDof {
                            x: body.pose.point_to_world(x),
                            v: v + body.velocity,
                            mass,
                            body: slot,
                        };
                        nodes.x.push(node.x);
                        nodes.v.push(node.v);
                        dofs.nodes.push(node);
                    }
                }
                Motion::Deformable(d) => {
                    dof.kind = BodyKind::Deformable;
                    let first_node = nodes.x.len() as u32;
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
                        let v = body.velocity + body.angular_velocity.cross(x - center);
                        nodes.x.push(x);
                        nodes.v.push(v);
                        dofs.nodes.push(NodeDof { x, v, mass, body: slot });
                    }
                }
            }
            if dof.kind == BodyKind::Kinematic {
                dof.pose = placement;
            }
            dofs.bodies.push(dof);
            drivers.0.push(driver);
            shapes.0.push(body.shape.clone());
            self.forces.linear_drag.push(body.linear_drag);
            self.forces.angular_drag.push(body.angular_drag);
            // Free vertices have their own velocities; the row of their body has none.
            let twist = if dof.kind.has_nodes() {
                Twist { velocity: DVec3::zero(), angular_velocity: DVec3::zero() }
            } else {
                Twist { velocity: body.velocity, angular_velocity: body.angular_velocity }
            };
            entities.push(world.spawn((Slot(slot), Name(body.name.clone()), Placement(placement), twist)));
        }
        let names: Arc<[String]> = self.bodies.iter().map(|b| b.name.clone()).collect();
        let poses: Vec<_> = dofs.bodies.pose.clone();
        let (bodies, settings) = (dofs.bodies.view(), self.elastic);
        let elastic =
            join(&self.bodies, &nodes.x, &first_node, bodies, &poses, self.scheme, settings, self.dt)?;
        if !elastic.system.is_empty() {
            nodes.guess.resize(nodes.x.len(), DVec3::zero());
        }
        let pipeline = standard(self.response, self.scheme, &names);
        let constant = (map, drivers, shapes, Forces(self.forces), self.laws, elastic);
        let state = (dofs, nodes, State::default());
        Ok(Simulation::assemble(world, entities, names, pipeline, self.dt, self.response, constant, state))
    }
}
