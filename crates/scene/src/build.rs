//! From a validated scene to a world that can run.

use crate::error::{Issue, SceneError};
use crate::facets::facets;
use crate::lookup::LawsByMaterial;
use crate::mesh::build_mesh;
use crate::spec::{
    BodySpec, DampingSpec, DriverSpec, Mass, Motion, PairSpec, PressureSpec, Response, RestitutionLaw,
    SceneSpec, SensorSpec, Shape, Sides,
};
use impinge_contact::{Damper, Damping, FrictionLaw, PairLaw, Restitution};
use impinge_geometry::{DVec3, MeshError, Pose, TriMesh, mass_properties};
use impinge_integrators::{AnchorSpring, Driver};
use impinge_penalty::{Release, hunt_crossley_from_restitution, kelvin_voigt_from_restitution};
use impinge_world::{
    BodyDesc, BuildError, MeshShape, PairRule, Penalty, PressureField, Sensor, Simulation, SurfaceVelocity,
    TimedForce, moved_field,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

impl SceneSpec {
    /// A response with the settings of this scene.
    #[must_use]
    pub fn with_settings(&self, response: Response) -> impinge_world::Response {
        // One that joined the list after the file was read has no table in it.
        self.responses.get(&response).cloned().unwrap_or_else(|| response.response())
    }

    /// What ends a contact whose damping is told by its restitution.
    pub(crate) fn release(&self) -> Release {
        let said = self.responses.values().find_map(|r| r.settings::<Penalty>());
        said.map_or_else(Release::default, |p| p.release)
    }

    /// Builds the world this scene describes, under its own response.
    ///
    /// # Errors
    /// Meshes that cannot be read or have no inside, a damping that no coefficient gives, and what
    /// [`impinge_world::Builder::build`] refuses; each with the file and the fix.
    pub fn simulation(&self) -> Result<Simulation, SceneError> {
        self.simulation_with(self.response)
    }

    /// The same under another response.
    ///
    /// # Errors
    /// As [`SceneSpec::simulation`].
    pub fn simulation_with(&self, response: Response) -> Result<Simulation, SceneError> {
        let meshes = self.meshes()?;
        let mut fields = Fields::default();
        let mut shapes = Shapes { meshes: &meshes.meshes, built: BTreeMap::new() };
        let builder = Simulation::builder(self.dt).gravity(self.gravity).elastic_settings(self.deformable);
        let builder = builder.halvings(self.halvings).accept_unfinished(self.accept_unfinished);
        // Some responses move everything by a rule of their own.
        let of_response =
            self.responses_under(response).into_iter().find_map(|r| self.with_settings(r).scheme());
        let mut builder = builder.scheme(of_response.unwrap_or(self.integrator));
        builder = builder.response(self.with_settings(response));
        let (laws, table) = self.laws()?;
        builder = builder.laws(laws, self.materials.len() as u32, table);
        for (law, pair) in (0..).zip(self.pairs_or_one().iter()) {
            if let Some(what) = pair.suggested {
                builder = builder.suggest(law, what);
            }
        }
        for (i, j) in self.ruled_pairs() {
            if let Some(distance) = self.thickness_for(i, j) {
                builder = builder.thickness(i as u32, j as u32, distance);
            }
            let own = self.response_between(i, j, response).filter(|own| *own != response);
            if let Some(own) = own {
                builder = builder.pair_response(i as u32, j as u32, self.with_settings(own));
            }
            let rule = match self.rule_for(i, j) {
                (None, _) => PairRule::Ignore,
                (Some(_), Sides::Both) if self.bodies[i].groups.meets(self.bodies[j].groups) => continue,
                (Some(_), sides) => PairRule::Contact(sides),
            };
            builder = builder.rule(i as u32, j as u32, rule);
        }
        let others = self.first_of_each_sort();
        let mut first_node = 0;
        let mut centers = vec![DVec3::zero(); self.bodies.len()];
        let mut lattices = crate::soft::Lattices::default();
        for (slot, body) in self.bodies.iter().enumerate() {
            let refused = |e: &dyn std::fmt::Display| {
                let what = format!("`{}`: {e}", body.name);
                SceneError::from(self.document.issue(body.place, what, String::new()))
            };
            if let Motion::Deformable(m) = &body.motion {
                let slot_of = |n: &str| self.bodies.iter().position(|b| b.name == n).map(|i| i as u32);
                let soft = crate::soft::build(
                    &body.name,
                    &body.shape,
                    m,
                    (&self.document, &self.base_dir),
                    &mut lattices,
                    slot_of,
                )
                .map_err(|e| self.at_body(body, &e))?;
                first_node += soft.positions.len() as u32;
                let mut desc = BodyDesc::deformable(&body.name, soft, body.pose);
                desc.material = body.material as u32;
                (desc.velocity, desc.angular_velocity) = (m.velocity, m.angular_velocity);
                desc.linear_drag = m.linear_drag;
                desc.thickness = body.thickness;
                desc.groups = body.groups;
                builder = builder.body(desc);
                continue;
            }
            let (mut desc, center) =
                describe(body, meshes.of_body[slot], &mut shapes).map_err(|e| refused(&e))?;
            centers[slot] = center;
            desc.thickness = body.thickness;
            desc.groups = body.groups;
            // The file states it about the origin of its own frame.
            desc.surface_velocity = SurfaceVelocity { about: -center, ..body.surface_velocity };
            let mesh = meshes.of_body[slot];
            let assumed = mesh.and_then(|i| self.assumed_field(slot, &meshes.meshes[i], response, &others));
            let field = fields
                .get(self, body, assumed.as_ref(), (mesh, center))
                .map_err(|e| self.at_body(body, &e))?;
            if let Some(field) = field {
                desc = desc.with_pressure(field);
            }
            desc.actuators = self.actuators.iter().filter(|a| a.body == slot).map(|a| a.actuator).collect();
            builder = builder.body(desc);
            let spring = |node, arm, a: (DVec3, f64, f64, f64)| AnchorSpring {
                body: slot as u32,
                node,
                arm,
                to: a.0,
                stiffness: a.1,
                damping: a.2,
                rest_length: a.3,
            };
            match &body.motion {
                Motion::Rigid(m) => {
                    for a in &m.anchors {
                        let numbers = (a.to, a.stiffness, a.damping, a.rest_length);
                        builder = builder.anchor(spring(None, a.at - center, numbers));
                    }
                }
                Motion::Particles(m) => {
                    for a in &m.anchors {
                        let numbers = (a.to, a.stiffness, a.damping, a.rest_length);
                        builder =
                            builder.anchor(spring(Some(first_node + a.at as u32), DVec3::zero(), numbers));
                    }
                    if let Shape::Points(points) = &body.shape {
                        first_node += points.len() as u32;
                    }
                }
                Motion::Kinematic(_) | Motion::Fixed | Motion::Deformable(_) => {}
            }
        }
        for f in &self.forces {
            let (force, torque, from) = (f.force, f.torque, f.start);
            let until = f.end.unwrap_or(f64::INFINITY);
            builder = builder.force(TimedForce { body: f.body as u32, force, torque, from, until });
        }
        for c in &self.cuts {
            builder = builder.cut(impinge_world::Cut {
                time: c.time,
                slot: c.body as u32,
                point: c.point,
                normal: c.normal,
                within: c.within,
                snap: c.snap,
            });
        }
        for r in &self.refinements {
            let slot = r.body as u32;
            builder = builder.refine(impinge_world::Refine { time: r.time, slot, within: r.within });
        }
        for s in &self.sensors {
            builder = builder.sensor(self.sensor(s, &centers)?);
        }
        builder.build().map_err(|e| self.not_built(&e))
    }

    /// A sensor, with the centres of mass of the bodies in their frames of the file.
    fn sensor(&self, s: &SensorSpec, centers: &[DVec3]) -> Result<Sensor, SceneError> {
        let refused = |what: String, fix: String| SceneError::from(self.document.issue(s.place, what, fix));
        let made = |what: &str| format!("the mesh of the sensor `{}` cannot be made: {what}", s.name);
        let mesh = build_mesh(&s.mesh, &self.base_dir).map_err(|e| {
            let placed = |i: &Issue| self.document.issue(s.place, made(&i.what), i.fix.clone());
            SceneError::new(e.issues().iter().map(placed).collect())
        })?;
        let center = s.on.map_or(DVec3::zero(), |body| centers[body]);
        let pose = Pose { position: s.pose.position - center, ..s.pose };
        let sensor = Sensor::new(&s.name, mesh, pose).map_err(|e| match e {
            BuildError::Mesh { source, .. } => {
                let fix = crate::meshes::mend(&s.mesh, &self.base_dir, &source);
                refused(format!("the sensor `{}` sees what is inside it: {source}", s.name), fix)
            }
            e => refused(e.to_string(), String::new()),
        })?;
        let sensor = sensor.with_groups(s.groups);
        Ok(s.on.map_or_else(|| sensor.clone(), |body| sensor.clone().on(body as u32)))
    }

    /// One law per entry of the file, and the table over materials that names them.
    fn laws(&self) -> Result<(Vec<PairLaw>, Vec<u32>), SceneError> {
        let mut laws = Vec::new();
        for pair in self.pairs_or_one().iter() {
            laws.push(self.law(pair).map_err(|what| {
                let [a, b] = &pair.materials;
                let what = format!("the law of {a} against {b}: {what}");
                Issue::placeless(
                    self.origin().display().to_string(),
                    what,
                    "choose a restitution between 0.001 and 1, \
                    or give the damping itself (kelvin_voigt or hunt_crossley)",
                )
            })?);
        }
        let stated = LawsByMaterial::of(self);
        let each = 0..self.materials.len();
        let all = each.clone().flat_map(|a| each.clone().map(move |b| (a, b)));
        // Materials that cannot meet need no law; any index will do, it is never read.
        let law = |(a, b)| if let [law] = stated.find(a, b)[..] { law as u32 } else { 0 };
        let table = all.map(law).collect();
        if laws.is_empty() {
            // A scene whose bodies never meet may have no law at all.
            laws.push(PairLaw::elastic(1.0));
        }
        Ok((laws, table))
    }

    /// The laws of the file, or what a file without any leaves to the bodies.
    fn pairs_or_one(&self) -> Cow<'_, [PairSpec]> {
        if self.leaves_laws() { vec![PairSpec::of_all()].into() } else { (&self.pairs[..]).into() }
    }

    fn law(&self, pair: &PairSpec) -> Result<PairLaw, String> {
        let (stiffness, k) = (pair.stiffness, pair.stiffness.value());
        let damping = match pair.damping {
            DampingSpec::Given(damping) => damping,
            DampingSpec::Restitution { e, law: RestitutionLaw::KelvinVoigt { mass } } => {
                let c = kelvin_voigt_from_restitution(e, k, mass, self.release());
                let c = c.ok_or_else(|| format!("no Kelvin–Voigt damping gives restitution {e}"))?;
                Damping::Restitution(Restitution { e, damper: Damper::KelvinVoigt(c) })
            }
            DampingSpec::Restitution { e, law: RestitutionLaw::HuntCrossley { speed } } => {
                let x = hunt_crossley_from_restitution(e, speed);
                let x = x.ok_or_else(|| format!("no Hunt–Crossley damping gives restitution {e}"))?;
                Damping::Restitution(Restitution { e, damper: Damper::HuntCrossley { chi: x, speed } })
            }
        };
        let friction = (pair.mu_s > 0.0).then_some(FrictionLaw {
            mu_s: pair.mu_s,
            mu_k: pair.mu_k,
            k_fp: pair.friction_stiffness,
            k_fd: pair.friction_damping,
            k_omega: pair.k_omega,
            rule: pair.slip_rule,
        });
        Ok(PairLaw { stiffness, damping, friction, turning: pair.turning() })
    }
}

/// Rest-pose shapes, each built once and shared by the copies of a body.
struct Shapes<'a> {
    meshes: &'a [TriMesh],
    built: BTreeMap<(usize, bool), Built>,
}

#[derive(Clone)]
struct Built {
    shape: Arc<MeshShape>,
    center: DVec3,
    /// Volume and inertia of unit density; none for shapes that are not weighed.
    solid: Option<impinge_geometry::MassProperties>,
}

impl Shapes<'_> {
    /// The shape of mesh `i`; `weighed` puts the centre of mass at the origin.
    fn get(&mut self, i: usize, weighed: bool) -> Result<Built, MeshError> {
        if let Some(b) = self.built.get(&(i, weighed)) {
            return Ok(b.clone());
        }
        let mesh = &self.meshes[i];
        let built = if weighed {
            let solid = mass_properties(mesh)?;
            let centred = mesh.mapped(|p| p - solid.center)?;
            Built { shape: Arc::new(MeshShape::new(centred)?), center: solid.center, solid: Some(solid) }
        } else {
            Built { shape: Arc::new(MeshShape::new(mesh.clone())?), center: DVec3::zero(), solid: None }
        };
        self.built.insert((i, weighed), built.clone());
        Ok(built)
    }
}

/// Pressure fields, each built once and shared by bodies that are alike.
#[derive(Default)]
struct Fields {
    /// By mesh, centre of mass, and what the scene says of the field.
    built: BTreeMap<(Option<usize>, [u64; 3], String), Arc<PressureField>>,
}

impl Fields {
    /// The field of a body, moved to its centre of mass.
    fn get(
        &mut self,
        scene: &SceneSpec,
        body: &BodySpec,
        assumed: Option<&PressureSpec>,
        (mesh, center): (Option<usize>, DVec3),
    ) -> Result<Option<Arc<PressureField>>, SceneError> {
        let Some(spec) = body.pressure.as_ref().or(assumed) else { return Ok(None) };
        let fine = facets(body, spec, scene.gravity.mag()).filter(|_| assumed.is_none());
        let resolution = fine.map(|f| f.length).or(spec.resolution);
        let spec = &PressureSpec { resolution, ..spec.clone() };
        let of = (
            mesh,
            [center.x, center.y, center.z].map(f64::to_bits),
            format!("{spec:?} {}", assumed.is_some()),
        );
        if let Some(built) = self.built.get(&of) {
            return Ok(Some(built.clone()));
        }
        let mut field = match &body.shape {
            Shape::Mesh(mesh) => {
                let made = spec.build(mesh, &scene.base_dir)?;
                let moved = moved_field(&made, -center);
                PressureField::tets(
                    moved.map_err(|e| SceneError::from(Issue::placeless("pressure", e.to_string(), "")))?,
                )
            }
            _ => PressureField::layer(spec.modulus, spec.thickness),
        };
        field.dissipation = spec.dissipation;
        field.assumed = assumed.is_some();
        let field = Arc::new(field);
        self.built.insert(of, field.clone());
        Ok(Some(field))
    }
}

/// A body's description and its centre of mass in the frame of the scene file.
fn describe(
    body: &BodySpec,
    mesh: Option<usize>,
    shapes: &mut Shapes<'_>,
) -> Result<(BodyDesc, DVec3), MeshError> {
    let mut desc = BodyDesc::plane(&body.name, DVec3::unit_z(), 0.0);
    desc.material = body.material as u32;
    desc.pose = body.pose;
    let mut center = DVec3::zero();
    let rigid = matches!(body.motion, Motion::Rigid(_));
    let mut solid = None;
    desc.shape = match (&body.shape, mesh) {
        (Shape::Mesh(_), Some(i)) => {
            let built = shapes.get(i, rigid)?;
            center = built.center;
            solid = built.solid;
            impinge_world::Shape::Mesh(built.shape)
        }
        (Shape::Plane { normal, offset }, _) => impinge_world::Shape::Plane {
            // The file states the plane in world axes; the body frame may be turned and moved.
            normal: body.pose.vector_to_body(*normal),
            offset: offset - normal.dot(body.pose.position),
        },
        (Shape::Points(points), _) => impinge_world::Shape::Points { count: points.len() },
        (Shape::Mesh(_), None) | (Shape::Solid(_) | Shape::Sheet(_) | Shape::Line(_), _) => {
            return Err(MeshError::Empty);
        }
    };
    desc.pose.position = body.pose.point_to_world(center);
    desc.motion = match &body.motion {
        Motion::Fixed => impinge_world::Motion::Fixed,
        Motion::Kinematic(d) => impinge_world::Motion::Kinematic(driver(d, body.pose)),
        Motion::Rigid(m) => {
            let Some(solid) = solid else { return Err(MeshError::Empty) };
            let mass = match m.mass {
                Mass::Total(kg) => kg,
                Mass::Density(density) => density * solid.volume,
            };
            desc.velocity = m.velocity;
            desc.angular_velocity = m.angular_velocity;
            desc.linear_drag = m.linear_drag;
            desc.angular_drag = m.angular_drag;
            desc.locked = m.locked;
            impinge_world::Motion::Rigid { mass, inertia: solid.inertia_for_mass(mass) }
        }
        Motion::Deformable(_) => return Err(MeshError::Empty),
        Motion::Particles(m) => {
            let Shape::Points(points) = &body.shape else { return Err(MeshError::Empty) };
            desc.linear_drag = m.linear_drag;
            desc.pose = Pose::identity();
            impinge_world::Motion::Particles {
                positions: points.iter().map(|&p| body.pose.point_to_world(p)).collect(),
                velocities: vec![m.velocity; points.len()],
                masses: vec![m.mass / points.len() as f64; points.len()],
            }
        }
    };
    Ok((desc, center))
}

fn driver(d: &DriverSpec, pose: Pose) -> Driver {
    match d {
        DriverSpec::Keyframes(frames) => Driver::Keyframes(frames.clone()),
        DriverSpec::Sine { amplitude, frequency, phase } => {
            Driver::sine(pose, *amplitude, *frequency, *phase)
        }
        DriverSpec::ConstantVelocity { velocity } => Driver::constant(pose, *velocity, DVec3::zero()),
        DriverSpec::Spin { angular_velocity } => Driver::constant(pose, DVec3::zero(), *angular_velocity),
    }
}
