//! The same scene told differently: bodies in another order, everything moved rigidly, nudged, or taken up later. What such a twin does says
//! whether a response depends on what physics does not.

use crate::names;
use crate::spec::{DriverSpec, Motion, SceneSpec, Shape, Sides, Target};
use impinge_geometry::{DVec3, Pose, mass_properties, rotor_from_rotation_vector};
use impinge_world::Simulation;

impl SceneSpec {
    /// The scene with its bodies declared in reverse order. Nothing that is said by name changes.
    ///
    /// # Errors
    /// The reason, when a rule takes "first" and "second" from the order of the file.
    pub fn reversed(&self) -> Result<Self, String> {
        for rule in self.rules.iter().filter(|r| r.sides != Sides::Both && !r.none) {
            let both = |n: &str| rule.bodies.iter().all(|pattern| names::fits(pattern, n));
            if self.bodies.iter().filter(|b| both(&b.name)).count() > 1 {
                return Err(format!(
                    "the rule for {} against {} takes the first of two bodies from the order of the file",
                    rule.bodies[0], rule.bodies[1]
                ));
            }
        }
        let mut out = self.clone();
        out.bodies.reverse();
        let last = self.bodies.len() - 1;
        out.cuts.iter_mut().for_each(|c| c.body = last - c.body);
        out.refinements.iter_mut().for_each(|r| r.body = last - r.body);
        out.actuators.iter_mut().for_each(|a| a.body = last - a.body);
        out.forces.iter_mut().for_each(|f| f.body = last - f.body);
        for body in out.sensors.iter_mut().filter_map(|s| s.on.as_mut()) {
            *body = last - *body;
        }
        for e in &mut out.expectations {
            e.target = match e.target {
                Target::Scene => Target::Scene,
                Target::Body(b) => Target::Body(last - b),
                Target::Pair(a, b) => Target::Pair(last - a, last - b),
                Target::Sensor(s, body) => Target::Sensor(s, body.map(|b| last - b)),
            };
        }
        Ok(out)
    }

    /// The scene with everything in it, gravity too, carried by `by`. Its expectations are left out: they name places of the world.
    ///
    /// # Errors
    /// The reason, when something stands along the axes of the world: the region of a cut or of a refinement, or the grid or the rays of intersection
    /// volumes where `response` or that of a rule uses them, locked axes, actuators.
    pub fn moved(&self, by: &Pose, response: crate::Response) -> Result<Self, String> {
        let all = self.rules.iter().filter_map(|r| r.response).chain([response]);
        if let Some(what) = all.filter_map(|r| self.with_settings(r).along_axes()).next() {
            return Err(format!("{what} stand along the axes of the world"));
        }
        if self.cuts.iter().any(|c| c.within.is_some()) {
            return Err("the region of a cut stands along the axes of the world".to_string());
        }
        if self.refinements.iter().any(|r| r.within.is_some()) {
            return Err("the region of a refinement stands along the axes of the world".to_string());
        }
        let locked = |m: &Motion| matches!(m, Motion::Rigid(m) if !m.locked.is_empty());
        if let Some(b) = self.bodies.iter().find(|b| locked(&b.motion)) {
            return Err(format!("`{}` is locked on axes of the world", b.name));
        }
        if let Some(a) = self.actuators.first() {
            return Err(format!(
                "the actuator of `{}` acts on an axis of the world",
                self.bodies[a.body].name
            ));
        }
        let point = |p| by.point_to_world(p);
        let turn = |v| by.vector_to_world(v);
        let pose = |p: &Pose| Pose::new(point(p.position), by.rotation * p.rotation);
        let mut out = self.clone();
        out.gravity = turn(self.gravity);
        out.expectations.clear();
        for b in &mut out.bodies {
            b.pose = pose(&b.pose);
            if let Shape::Plane { normal, offset } = &mut b.shape {
                *normal = turn(*normal).normalized();
                *offset += normal.dot(by.position);
            }
            match &mut b.motion {
                Motion::Rigid(m) => {
                    (m.velocity, m.angular_velocity) = (turn(m.velocity), turn(m.angular_velocity));
                    m.anchors.iter_mut().for_each(|a| a.to = point(a.to));
                }
                Motion::Particles(m) => {
                    m.velocity = turn(m.velocity);
                    m.anchors.iter_mut().for_each(|a| a.to = point(a.to));
                }
                Motion::Deformable(m) => {
                    (m.velocity, m.angular_velocity) = (turn(m.velocity), turn(m.angular_velocity));
                }
                Motion::Kinematic(d) => match d {
                    DriverSpec::Keyframes(keys) => keys.iter_mut().for_each(|k| k.pose = pose(&k.pose)),
                    DriverSpec::Sine { amplitude, .. } => *amplitude = turn(*amplitude),
                    DriverSpec::ConstantVelocity { velocity } => *velocity = turn(*velocity),
                    DriverSpec::Spin { angular_velocity } => *angular_velocity = turn(*angular_velocity),
                },
                Motion::Fixed => {}
            }
        }
        for f in &mut out.forces {
            (f.force, f.torque) = (turn(f.force), turn(f.torque));
        }
        for s in out.sensors.iter_mut().filter(|s| s.on.is_none()) {
            s.pose = pose(&s.pose);
        }
        for c in &mut out.cuts {
            (c.point, c.normal) = (point(c.point), turn(c.normal));
        }
        Ok(out)
    }

    /// The scene with what moves shifted by `shift` (m) and turned by as many parts of `size` (m), each body another way, and gravity turned
    /// as much: nothing that anybody could measure where `shift` is a rounding error. A run that ends elsewhere than this twin multiplies
    /// whatever differs. `size` must be above 0.
    #[must_use]
    pub fn nudged(&self, shift: f64, size: f64) -> Self {
        let angle = shift / size;
        let turn = |axis: DVec3| rotor_from_rotation_vector(axis.normalized() * angle);
        let mut out = self.clone();
        out.gravity = Pose::new(DVec3::zero(), turn(DVec3::new(1.0, 2.0, 3.0))).vector_to_world(self.gravity);
        for (i, b) in out.bodies.iter_mut().enumerate() {
            if matches!(b.motion, Motion::Fixed | Motion::Kinematic(_)) {
                continue;
            }
            // Fractions that never repeat.
            let part = |step: f64| (step * (i as f64 + 1.0)).fract() - 0.5;
            let way =
                DVec3::new(part(0.618_033_988_7), part(0.754_877_666_2), part(0.569_840_290_9)).normalized();
            b.pose = Pose::new(b.pose.position + way * shift, (turn(way) * b.pose.rotation).normalized());
        }
        out
    }

    /// The scene as it stands in `sim`, a run of it that has touched nothing yet: rigid bodies where they are, with the velocities they
    /// have. Its expectations are left out: they name times.
    ///
    /// # Errors
    /// The reason, when the state is more than poses and velocities of rigid bodies, or time matters.
    pub fn taken_up(&self, sim: &Simulation) -> Result<Self, String> {
        let plain = |m: &Motion| matches!(m, Motion::Rigid(_) | Motion::Fixed);
        if let Some(b) = self.bodies.iter().find(|b| !plain(&b.motion)) {
            return Err(format!("`{}` is driven, or made of nodes", b.name));
        }
        if !(self.actuators.is_empty() && self.forces.is_empty()) {
            return Err("actuators count from the start of the run, and forces go by its time".to_string());
        }
        let meshes = self.meshes().map_err(|e| e.to_string())?;
        let mut out = self.clone();
        out.expectations.clear();
        for (slot, b) in out.bodies.iter_mut().enumerate() {
            let (Motion::Rigid(m), Some(mesh)) = (&mut b.motion, meshes.of_body[slot]) else { continue };
            let (pose, twist) = (sim.pose(slot as u32), sim.twist(slot as u32));
            let center = mass_properties(&meshes.meshes[mesh]).map_err(|e| e.to_string())?.center;
            b.pose = Pose::new(pose.position - pose.vector_to_world(center), pose.rotation);
            (m.velocity, m.angular_velocity) = (twist.velocity, twist.angular_velocity);
        }
        Ok(out)
    }
}
