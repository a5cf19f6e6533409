//! Contacts and what happened to them in the last step, and looks at the bodies where they are now.

use super::id::BodyId;
use crate::components::NodeState;
use crate::contact_points::ContactPoint;
use crate::simulation::Simulation;
use impinge_bodies::{Closest, Met, Placed, Shapes};
use impinge_contact::{ContactEvent, EventKind, SurfaceMap};
use impinge_geometry::{DVec3, is_bounded, try_normalized};
use std::fmt;

/// A contact that began or ended in the last step, with the names of its bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// What happened.
    pub event: ContactEvent,
    /// Names of the two bodies, lower slot first.
    pub names: [&'a str; 2],
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([a, b], size) = (self.names, self.event.impulse.mag());
        match self.event.kind {
            EventKind::Began => write!(f, "'{a}' and '{b}' touch, {size:.3e} N·s"),
            EventKind::Ended => write!(f, "'{a}' and '{b}' part after {size:.3e} N·s"),
        }
    }
}

impl Simulation {
    /// The contacts of the last step: bodies, point, normal, force, depth, area where the response measures one, its name. Of a step that was
    /// halved those of its last part. [`Simulation::contact_points`] gives the same without a new list for each call.
    pub fn contacts(&self) -> impl Iterator<Item = ContactPoint> {
        let mut points = Vec::new();
        self.contact_points(&mut points);
        points.into_iter()
    }

    /// Which pairs of bodies began to touch in the last accepted step, and which ended, by pair. A pair touches where it presses.
    ///
    /// ```
    /// use impinge_world::{BodyDesc, Mass, Simulation};
    /// use impinge_geometry::{DVec3, Pose, generators};
    /// let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// let mut sim = Simulation::builder(1e-3)
    ///     .gravity(DVec3::new(0.0, 0.0, -9.81))
    ///     .law(impinge_contact::PairLaw::elastic(1e4))
    ///     .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
    ///     .body(BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::from_position(DVec3::unit_z() * 0.11))?)
    ///     .build()?;
    /// let mut said = Vec::new();
    /// for _ in 0..100 {
    ///     sim.step()?;
    ///     said.extend(sim.events().map(|e| e.to_string()));
    /// }
    /// assert!(said[0].starts_with("'floor' and 'box' touch, "), "{said:?}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        let name = |slot: u32| self.names().get(slot as usize).map_or("", String::as_str);
        self.followed.events.iter().map(move |&event| Event { event, names: [name(event.a), name(event.b)] })
    }

    /// The first body that a ray meets, at most `max` (m) away. The direction may have any length but 0. `None` where nothing is met, and for
    /// numbers that are not finite.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// # let body = BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::identity())?;
    /// # let sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(body).build()?;
    /// let (body, met) = sim.cast_ray([0.0, 0.0, 5.0], [0.0, 0.0, -1.0], 10.0).unwrap();
    /// assert_eq!(body, sim.body("box").unwrap());
    /// assert!((met.distance - 4.9).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("raycast", "ray cast"))]
    #[must_use]
    pub fn cast_ray(
        &self,
        origin: impl Into<DVec3>,
        direction: impl Into<DVec3>,
        max: f64,
    ) -> Option<(BodyId, Met)> {
        let (origin, direction) = (origin.into(), try_normalized(direction.into())?);
        if !is_bounded(origin) {
            return None;
        }
        let met = self.placed(|slot, body| Some((slot, body.ray(origin, direction, max)?)));
        let first = met.into_iter().min_by(|a, b| a.1.distance.total_cmp(&b.1.distance));
        first.and_then(|(slot, met)| Some((self.id(slot)?, met)))
    }

    /// The body point that is nearest to a point of the world (m), with its distance: negative inside, and then the deepest first. `None` in a
    /// world without a surface, and for numbers that are not finite or beyond [`impinge_geometry::LARGEST`].
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.set_gravity([0.0; 3])?;
    /// # sim.insert(BodyDesc::cuboid("box", [0.6; 3], Mass::Total(2.0), [0.0, 0.0, 0.0])?)?;
    /// let (body, near) = sim.closest_point([0.0, 0.1, 1.0]).unwrap();
    /// assert_eq!(body, sim.body("box").unwrap());
    /// assert!((near.distance - 0.7).abs() < 1e-12 && (near.point.z - 0.3).abs() < 1e-12);
    /// let (_, within) = sim.closest_point([0.0, 0.1, 0.25]).unwrap();
    /// assert!((within.distance + 0.05).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias("project point"))]
    #[must_use]
    pub fn closest_point(&self, point: impl Into<DVec3>) -> Option<(BodyId, Closest)> {
        let point = point.into();
        if !is_bounded(point) {
            return None;
        }
        let near = self.placed(|slot, body| Some((slot, body.closest(point)?)));
        let first = near.into_iter().min_by(|a, b| a.1.distance.total_cmp(&b.1.distance));
        first.and_then(|(slot, near)| Some((self.id(slot)?, near)))
    }

    /// The bodies that a point of the world (m) is inside of, by slot; half spaces too.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # let mut sim = Simulation::new(1e-3)?;
    /// # sim.set_gravity([0.0; 3])?;
    /// # sim.insert(BodyDesc::cuboid("box", [0.6; 3], Mass::Total(2.0), [0.0, 0.0, 0.0])?)?;
    /// # sim.insert(BodyDesc::plane("floor", [0.0, 0.0, 1.0].into(), 0.0))?;
    /// let both = [sim.body("box").unwrap(), sim.body("floor").unwrap()];
    /// assert_eq!(sim.bodies_at([0.0, 0.0, -0.2]), both);
    /// assert_eq!(sim.bodies_at([0.0, 0.0, 0.2]), both[..1]);
    /// assert!(sim.bodies_at([0.0, 0.0, 0.4]).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bodies_at(&self, point: impl Into<DVec3>) -> Vec<BodyId> {
        let point = point.into();
        let inside = self.placed(|slot, body| body.contains(point).then_some(slot));
        inside.into_iter().filter_map(|slot| self.id(slot)).collect()
    }

    /// Asks each body where it is now.
    fn placed<T>(&self, ask: impl Fn(u32, &Placed<'_>) -> Option<T>) -> Vec<T> {
        let (shapes, map) = (self.column::<Shapes>(), self.column::<SurfaceMap>());
        let nodes = self.column::<NodeState>();
        let mut vertices = Vec::new();
        let mut out = Vec::new();
        for (slot, shape) in (0..).zip(&shapes.0) {
            vertices.clear();
            let standing = self.standing(slot);
            if standing.is_none() && map.attachment(slot as usize).has_nodes() {
                vertices.extend(map.range(slot as usize).filter_map(|v| map.at_nodes(v as u32, &nodes.x)));
            }
            let (vertices, tree) = match &standing {
                Some(s) => (&s.vertices, Some(&s.tree)),
                None => (&vertices, None),
            };
            let placed = Placed { shape, pose: self.pose(slot), vertices, tree };
            out.extend(ask(slot, &placed));
        }
        out
    }
}
