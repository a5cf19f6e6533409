//! Two bodies of a scene, alone: pressed, thrown and dragged against each other.
//!
//! The one that moves has so much mass that contact does not change its way, where the way is to be prescribed; so a response sees an
//! ordinary rigid body, and force against depth is read off the ledger.

use impinge_contact::Evaluated;
use impinge_geometry::DVec3;
use impinge_scene::{BodySpec, Mass, Motion, Response, RigidMotion, SceneSpec, Shape};
use impinge_world::{Decisions, Simulation};

/// Times its mass. In a time T a contact of stiffness k changes the prescribed way by a share kT²/M: nothing, for any k and the steps below.
const HEAVY: f64 = 1e30;
/// An impact is followed for this many times the half period of its contact.
const PERIODS: f64 = 100.0;
/// And for this many steps at most.
const MOST_STEPS: f64 = 2e6;
/// Length of the steps of a press (s): so slow that damping does nothing.
const LONG: f64 = 1e3;

/// The two bodies.
pub struct Rig {
    spec: SceneSpec,
    /// Along which they are pressed; unit, from the moving body into the other.
    into: DVec3,
    /// Way from the pose in `spec` along `into` to the first touch (m).
    pub touch: f64,
    /// Mass of the moving body (kg).
    pub mass: f64,
    /// Weight of it in its scene (N); of 1 m/s² where there is no gravity.
    pub weight: f64,
    /// Smallest extent of the moving body (m).
    pub extent: f64,
    /// Their names.
    pub names: [String; 2],
}

/// What one step of a prescribed way gave.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Way beyond the first touch, when the response looked (m).
    pub depth: f64,
    /// Force along the way (N).
    pub normal: f64,
    /// Size of the rest (N).
    pub across: f64,
}

impl Rig {
    /// The first two bodies of law `pair` that can stand for it: a rigid one, and a plane, a fixed body or another rigid one.
    ///
    /// # Errors
    /// Why there are none.
    pub fn new(scene: &SceneSpec, pair: usize) -> Result<Self, String> {
        let law = scene
            .pairs
            .get(pair)
            .ok_or_else(|| format!("--pair {pair}: the scene has {} pairs, from 0", scene.pairs.len()))?;
        if law.suggested.is_some() {
            return Err(format!(
                "--pair {pair}: its stiffness follows from the bodies; state `stiffness` to fit it"
            ));
        }
        let of_pair = |a: usize, b: usize| {
            let name = |i: usize| scene.materials[scene.bodies[i].material].name.as_str();
            scene.pair_law(name(a), name(b)).is_some_and(|l| std::ptr::eq(l, law))
        };
        let rank = |b: &BodySpec| match (&b.shape, &b.motion) {
            (Shape::Plane { .. }, _) => 0,
            (_, Motion::Fixed) => 1,
            (_, Motion::Kinematic(_) | Motion::Rigid(_)) => 2,
            _ => 3,
        };
        let mut best: Option<(usize, usize, usize)> = None;
        for (t, tool) in scene.bodies.iter().enumerate() {
            for (o, other) in scene.bodies.iter().enumerate() {
                let fits = matches!(tool.motion, Motion::Rigid(_))
                    && rank(other) < 3
                    && scene.can_meet(t, o)
                    && of_pair(t, o);
                if fits && best.is_none_or(|(r, ..)| rank(other) < r) {
                    best = Some((rank(other), t, o));
                }
            }
        }
        let (_, t, o) = best.ok_or_else(|| {
            format!(
                "pair {pair} ({} – {}) has no rigid body that meets a plane or another rigid body: force against depth needs bodies \
                 that keep their shape",
                law.materials[0], law.materials[1]
            )
        })?;
        Self::of(scene, t, o)
    }

    fn of(scene: &SceneSpec, t: usize, o: usize) -> Result<Self, String> {
        let whole = scene.simulation_with(Response::PENALTY).map_err(|e| e.to_string())?;
        let centre = whole.position(t as u32);
        let mass = whole.column::<impinge_world::Dofs>().bodies.mass[t];
        let into = match &scene.bodies[o].shape {
            Shape::Plane { normal, .. } => -*normal,
            _ if scene.gravity.mag() > 0.0 => scene.gravity.normalized(),
            _ => (whole.position(o as u32) - centre).normalized(),
        };
        if !into.mag_sq().is_finite() {
            return Err("the two bodies have one centre: there is no way to press them together".to_string());
        }
        let extents = |slot: usize| {
            let map = whole.column::<impinge_contact::SurfaceMap>();
            let mut low = DVec3::broadcast(f64::INFINITY);
            let mut high = -low;
            for a in map.arms(slot) {
                (low, high) = (low.min_by_component(*a), high.max_by_component(*a));
            }
            high - low
        };
        let tool = extents(t);
        let mut spec = scene.clone();
        spec.gravity = DVec3::zero();
        spec.expectations.clear();
        spec.cuts.clear();
        spec.refinements.clear();
        let (mut fixed, moving) = (scene.bodies[o].clone(), scene.bodies[t].clone());
        fixed.motion = Motion::Fixed;
        let names = [moving.name.clone(), fixed.name.clone()];
        spec.bodies = vec![fixed, moving];
        let far = tool.mag()
            + if matches!(scene.bodies[o].shape, Shape::Plane { .. }) { 0.0 } else { extents(o).mag() };
        let g = scene.gravity.mag();
        let mut rig = Self {
            spec,
            into,
            touch: 0.0,
            mass,
            weight: mass * if g > 0.0 { g } else { 1.0 },
            extent: tool.component_min(),
            names,
        };
        // From outside, in ever smaller steps; the discrete penalty says how deep.
        let (mut from, mut step) = (-far, rig.extent / 20.0);
        for _ in 0..4 {
            let steps = (2.0 * far / step).ceil() as u64;
            from = rig.first_touch(from, step, steps.min(200_000))?;
            step /= 50.0;
        }
        rig.touch = from;
        Ok(rig)
    }

    /// The last way without contact before the first with it (m).
    fn first_touch(&self, from: f64, step: f64, steps: u64) -> Result<f64, String> {
        let mut sim = self.prescribed(Response::PENALTY, &self.spec, from, step, DVec3::zero())?;
        for n in 0..steps {
            sim.step().map_err(|e| e.to_string())?;
            let deep = sim.ledger().pairs.depth_max.iter().copied().fold(0.0, f64::max);
            if deep > 0.0 {
                // Exact for what is met straight on; otherwise the next, finer round starts before it.
                let back = if deep <= step * (1.0 + 1e-6) { deep } else { 2.0 * step };
                let seen = if sim.column::<Decisions>().evaluated == Evaluated::Start { 0.0 } else { 1.0 };
                return Ok(from + step * (n as f64 + seen) - back);
            }
        }
        Err(format!("'{}' meets nothing on its way into '{}'", self.names[0], self.names[1]))
    }

    /// The rig with the moving body at `at` on its way, going on by `step` (m) in each step of time, and by `across` (m).
    fn prescribed(
        &self,
        response: Response,
        spec: &SceneSpec,
        at: f64,
        step: f64,
        across: DVec3,
    ) -> Result<Simulation, String> {
        let velocity = (self.into * step + across) * (1.0 / spec.dt);
        self.placed(response, spec, at, velocity, self.mass * HEAVY)
    }

    fn placed(
        &self,
        response: Response,
        spec: &SceneSpec,
        at: f64,
        velocity: DVec3,
        mass: f64,
    ) -> Result<Simulation, String> {
        let mut spec = spec.clone();
        let tool = &mut spec.bodies[1];
        tool.pose.position += self.into * at;
        tool.motion = Motion::Rigid(RigidMotion {
            mass: Mass::Total(mass),
            velocity,
            angular_velocity: DVec3::zero(),
            linear_drag: 0.0,
            angular_drag: 0.0,
            locked: Default::default(),
            anchors: Vec::new(),
        });
        spec.simulation_with(response).map_err(|e| e.to_string())
    }

    /// The rig with another law and other settings of the scene.
    ///
    /// # Errors
    /// Those of the change.
    pub fn with(&self, change: impl FnOnce(&mut SceneSpec) -> Result<(), String>) -> Result<Self, String> {
        let mut spec = self.spec.clone();
        change(&mut spec)?;
        Ok(Self { spec, names: self.names.clone(), ..*self })
    }

    /// Whether a response has a stiffness to fit, as `--from` or `--to`.
    ///
    /// # Errors
    /// Why not.
    pub fn can(&self, response: Response, option: &str) -> Result<(), String> {
        let law = self.spec.with_settings(response);
        let why = if law.has_multipliers() {
            "a hard constraint: its force is whatever keeps the bodies apart, so it has no stiffness, no damping and nothing to fit"
        } else if law.needs_fields() && option == "to" {
            "its stiffness is in the pressure fields of the bodies and no number of the pair; fit the other way round"
        } else {
            return Ok(());
        };
        Err(format!("--{option} {}: {why}", response.name()))
    }

    /// Whether the stiffness of a response is in its own table.
    pub fn has_own_stiffness(&self, response: Response) -> bool {
        !self.spec.with_settings(response).stiffness_keys().is_empty()
    }

    /// Force against depth down to `deepest` (m), in `steps` steps so slow that damping does nothing.
    ///
    /// # Errors
    /// When the response does not take the two, or a step fails.
    pub fn press(&self, response: Response, deepest: f64, steps: u32) -> Result<Vec<Sample>, String> {
        let way = deepest / f64::from(steps);
        let mut spec = self.spec.clone();
        // Long steps make it slow; the way of a step stays.
        spec.dt = LONG;
        self.go(response, &spec, self.touch, way, DVec3::zero(), steps)
    }

    /// The same, pressed `depth` deep and dragged along by twenty times that in all: no spring that sticks stretches so far.
    ///
    /// # Errors
    /// As [`Rig::press`].
    pub fn slide(&self, response: Response, depth: f64, steps: u32) -> Result<Vec<Sample>, String> {
        let side = if self.into.x.abs() < 0.9 { DVec3::unit_x() } else { DVec3::unit_y() };
        let across = (side - self.into * side.dot(self.into)).normalized();
        let step = across * (20.0 * depth / f64::from(steps));
        let mut spec = self.spec.clone();
        spec.dt = LONG;
        self.go(response, &spec, self.touch + depth, 0.0, step, steps)
    }

    fn go(
        &self,
        response: Response,
        spec: &SceneSpec,
        from: f64,
        way: f64,
        across: DVec3,
        steps: u32,
    ) -> Result<Vec<Sample>, String> {
        let mut sim = self.prescribed(response, spec, from, way, across)?;
        let at_end = sim.response().depth_at_end();
        let mut out = Vec::new();
        for n in 0..steps {
            sim.step().map_err(|e| e.to_string())?;
            let when = match sim.column::<Decisions>().evaluated {
                // Booked like the continuous force, but its depth is that of the end.
                _ if at_end => 1.0,
                Evaluated::Start => 0.0,
                Evaluated::End => 1.0,
                Evaluated::Path | Evaluated::Mean => 0.5,
            };
            let force = sim.contact_force(1);
            let normal = -force.dot(self.into);
            let depth = from - self.touch + way * (f64::from(n) + when);
            out.push(Sample { depth, normal, across: (force + self.into * normal).mag() });
        }
        Ok(out)
    }

    /// Speed after over speed before of an impact at `speed` (m/s), by the centre of mass.
    ///
    /// # Errors
    /// As [`Rig::press`], and when the body does not come back.
    pub fn rebound(&self, response: Response, speed: f64, lasts: f64) -> Result<f64, String> {
        let mut spec = self.spec.clone();
        // Two hundred steps for the contact, whatever the scene does: a step's own damping is not the law's.
        spec.dt = (lasts / 200.0).min(self.spec.dt);
        let before = 2.0 * speed * spec.dt;
        let mut sim = self.placed(response, &spec, self.touch - before, self.into * speed, self.mass)?;
        let mut met = false;
        let steps = (PERIODS * lasts / spec.dt).ceil();
        if steps > MOST_STEPS {
            return Err(format!(
                "an impact lasts {lasts:.3e} s: {PERIODS} times that in steps of {:.3e} s are more than {MOST_STEPS:.0e} steps; set a longer scene.dt",
                spec.dt
            ));
        }
        for _ in 0..steps as u64 {
            sim.step().map_err(|e| e.to_string())?;
            let touching = sim.ledger().pairs.pressed.iter().any(|&p| p > 0.0);
            let out = -sim.twist(1).velocity.dot(self.into);
            if met && !touching && out > 0.0 {
                return Ok(out / speed);
            }
            met |= touching;
        }
        Err(format!(
            "'{}' does not come back within {PERIODS} times the contact's half period",
            self.names[0]
        ))
    }
}
