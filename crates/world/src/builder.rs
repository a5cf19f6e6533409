//! From body descriptions to a world that can run.

use crate::body::BodyDesc;
use crate::components::{ContactLimits, Laws, PairRule};
use crate::halvings::Halving;
use crate::planned::{Cut, Planned, Refine};
use crate::response::Response;
use crate::sensor::Sensor;
use crate::suggested::{Found, Suggested};
use crate::timed_force::TimedForce;
use impinge_contact::{PairLaw, Sides};
use impinge_geometry::DVec3;
use impinge_integrators::{AnchorSpring, ElasticSettings, ExternalForces, Scheme};

/// A world under construction.
#[derive(Clone, Debug)]
pub struct Builder {
    pub(crate) dt: f64,
    pub(crate) scheme: Scheme,
    /// That of the pairs that have none of their own, then the others.
    pub(crate) responses: Vec<Response>,
    pub(crate) of_pairs: Vec<((u32, u32), Response)>,
    pub(crate) forces: ExternalForces,
    pub(crate) bodies: Vec<BodyDesc>,
    pub(crate) laws: Laws,
    /// Of the laws that are suggested where none is given.
    pub(crate) friction: Option<f64>,
    /// Which of the laws that are given follow from the bodies, and in what.
    pub(crate) suggested: Vec<(u32, Suggested)>,
    /// The step that these are for (s).
    pub(crate) law_dt: f64,
    /// What was found for bodies so far.
    pub(crate) found: Found,
    pub(crate) elastic: ElasticSettings,
    pub(crate) planned: Vec<Planned>,
    /// Of pairs, under `qp`.
    pub(crate) thickness: Vec<([u32; 2], f64)>,
    pub(crate) halving: Halving,
    pub(crate) timed: Vec<TimedForce>,
    pub(crate) sensors: Vec<Sensor>,
}

impl Builder {
    /// A world with steps of `dt` seconds, the papers' discrete penalty, symplectic Euler and no gravity.
    #[must_use]
    pub fn new(dt: f64) -> Self {
        Self {
            dt,
            scheme: Scheme::default(),
            responses: vec![Response::default()],
            of_pairs: Vec::new(),
            forces: ExternalForces::default(),
            bodies: Vec::new(),
            laws: Laws::default(),
            friction: None,
            suggested: Vec::new(),
            law_dt: dt,
            found: Found::default(),
            elastic: ElasticSettings::default(),
            planned: Vec::new(),
            thickness: Vec::new(),
            halving: Halving::default(),
            timed: Vec::new(),
            sensors: Vec::new(),
        }
    }

    /// Cuts a deformable at a time of the run.
    #[must_use]
    pub fn cut(mut self, cut: Cut) -> Self {
        self.planned.push(Planned::Cut(cut));
        self
    }

    /// Makes the mesh of a deformable finer at a time of the run. What is planned for one time happens in the order given.
    #[must_use]
    pub fn refine(mut self, refine: Refine) -> Self {
        self.planned.push(Planned::Refine(refine));
        self
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

    /// How often a step whose solve did not end may be halved; 8 where nothing is said. The run stops where that is not enough.
    #[must_use]
    #[doc(alias("sub-stepping", "substep"))]
    pub fn halvings(mut self, most: u32) -> Self {
        self.halving.most = most;
        self
    }

    /// Takes the best state of a solve that did not end instead of halving its step. The reports of the responses say where that was. Solves
    /// that have no state to take are halved all the same.
    #[must_use]
    pub fn accept_unfinished(mut self, accept: bool) -> Self {
        self.halving.accept = accept;
        self
    }

    /// The response of every pair that has none of its own.
    #[must_use]
    pub fn response(mut self, response: impl Into<Response>) -> Self {
        self.responses[0] = response.into();
        self
    }

    /// The response of one pair of slots; of a slot and itself that of its own parts. The last one for a pair holds.
    ///
    /// ```
    /// use impinge_world::{BodyDesc, Mass, Response, Simulation};
    /// use impinge_geometry::{DVec3, Pose, generators};
    /// let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// let at = |z| Pose::from_position(DVec3::new(0.0, 0.0, z));
    /// // The floor carries the lower box by constraints, the lower box the upper one by a spring.
    /// let mut sim = Simulation::builder(1e-3)
    ///     .gravity(DVec3::new(0.0, 0.0, -9.81))
    ///     .law(impinge_contact::PairLaw::elastic(1e5))
    ///     .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
    ///     .body(BodyDesc::rigid("lower", &cube, Mass::Total(2.0), at(0.101))?)
    ///     .body(BodyDesc::rigid("upper", &cube, Mass::Total(1.0), at(0.302))?)
    ///     .response(Response::penalty())
    ///     .pair_response(0, 1, Response::qp())
    ///     .build()?;
    /// sim.step()?;
    /// assert_eq!(sim.response_of(0, 1).name(), "qp");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn pair_response(mut self, a: u32, b: u32, response: impl Into<Response>) -> Self {
        self.of_pairs.push(((a.min(b), a.max(b)), response.into()));
        self
    }

    /// Friction of a world without laws of its own, for every pair; 0.5 where nothing is said.
    ///
    /// In such a world a pair of bodies has a law that follows from their masses and the length of a step ([`PairLaw::suggested`]): as stiff as an explicit
    /// step allows with room for stacks, and with a rebound of at most 0.3 of the speed. Heavy bodies sink deeper than light ones. Constraints take the friction alone.
    ///
    /// ```
    /// use impinge_geometry::{DVec3, Pose};
    /// use impinge_world::{BodyDesc, Mass, Simulation};
    /// let at = |z: f64| Pose::from_position(DVec3::new(0.0, 0.0, z));
    /// let mut sim = Simulation::builder(1e-3)
    ///     .gravity([0.0, 0.0, -9.81].into())
    ///     .friction(0.3)
    ///     .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
    ///     .body(BodyDesc::cuboid("box", [0.4; 3], Mass::Total(3.0), at(0.2))?)
    ///     .build()?;
    /// for _ in 0..500 {
    ///     sim.step()?;
    /// }
    /// assert!((sim.contact_force(1).z - 3.0 * 9.81).abs() < 1e-6);
    /// assert!(sim.contacts().all(|c| c.depth < 0.6e-3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn friction(mut self, mu: f64) -> Self {
        self.friction = Some(mu);
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

    /// Lets one of the [`Builder::laws`], by its number, follow from the bodies as in a world without laws ([`Builder::friction`]): each pair of
    /// bodies takes the stiffness that the softer one asks for, and what `what` names besides. The rest stays as the law has it.
    ///
    /// ```
    /// use impinge_contact::{FrictionLaw, PairLaw};
    /// use impinge_world::{BodyDesc, Mass, Simulation, Suggested};
    /// // Ice under two balls; stiffness and damping follow from their masses.
    /// let ice = PairLaw { friction: Some(FrictionLaw::coulomb(0.03)), ..PairLaw::elastic(1.0) };
    /// let mut sim = Simulation::builder(1e-3)
    ///     .gravity([0.0, 0.0, -9.81].into())
    ///     .law(ice)
    ///     .suggest(0, Suggested::ALL)
    ///     .body(BodyDesc::plane("ground", [0.0, 0.0, 1.0].into(), 0.0))
    ///     .body(BodyDesc::ball("light", 0.1, Mass::Total(1.0), [0.0, 0.0, 0.1])?)
    ///     .body(BodyDesc::ball("heavy", 0.1, Mass::Total(64.0), [1.0, 0.0, 0.1])?)
    ///     .build()?;
    /// for _ in 0..1000 {
    ///     sim.step()?;
    /// }
    /// // Both sink equally deep.
    /// let [light, heavy] = [1, 2].map(|slot| sim.position(slot).z);
    /// assert!((light - heavy).abs() < 1e-9);
    /// assert!((sim.contact_force(2).z / sim.contact_force(1).z - 64.0).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn suggest(mut self, law: u32, what: Suggested) -> Self {
        self.suggested.retain(|s| s.0 != law);
        self.suggested.push((law, what));
        self
    }

    /// Whether laws follow from the bodies, so that none of them can be changed by itself.
    pub(crate) fn laws_follow(&self) -> bool {
        self.laws.laws.is_empty() || !self.suggested.is_empty()
    }

    /// How much contact a step may have before the run stops.
    #[must_use]
    pub fn contact_limits(mut self, limits: ContactLimits) -> Self {
        self.laws.limits = limits;
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

    /// The distance (m) that one pair of slots keeps under the response `qp`, whatever the radii of the two; of a slot and itself between
    /// its own parts. The last one for a pair holds.
    #[must_use]
    pub fn thickness(mut self, a: u32, b: u32, distance: f64) -> Self {
        self.thickness.push(([a.min(b), a.max(b)], distance));
        self
    }

    /// A force on a body for a part of the run.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation, TimedForce};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(2.0), Pose::identity())?;
    /// let push = TimedForce { body: 0, force: DVec3::unit_x() * 4.0, torque: DVec3::zero(), from: 0.5, until: 0.75 };
    /// let mut sim =
    ///     Simulation::builder(0.1).law(impinge_contact::PairLaw::elastic(1e4)).body(body).force(push).build()?;
    /// for _ in 0..10 {
    ///     sim.step()?;
    /// }
    /// // F t / m, though the force ends within a step.
    /// assert!((sim.twist(0).velocity.x - 0.5).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn force(mut self, force: TimedForce) -> Self {
        self.timed.push(force);
        self
    }

    /// A spring to an anchor. For a rigid body `arm` is from the centre of mass, body axes.
    #[must_use]
    pub fn anchor(mut self, spring: AnchorSpring) -> Self {
        self.forces.anchors.push(spring);
        self
    }
}
