//! Which bodies overlap, where they are now.

use super::id::{BodyId, BodyKey};
use crate::components::NodeState;
use crate::simulation::Simulation;
use impinge_bodies::{MeshShape, Occupied, OpenError, Placed, Shapes};
use impinge_contact::SurfaceMap;
use impinge_geometry::Pose;
use std::sync::Arc;

impl Simulation {
    /// The bodies that overlap a body now, by slot: they share more than their boundary with it. Decided by the meshes themselves, of whatever kind;
    /// soft bodies count where their nodes are. A body that rests on a spring overlaps what carries it by the depth of the contact.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3])?;
    /// # let at = |x: f64| Pose::from_position(DVec3::new(x, 0.0, 0.0));
    /// let sim = Simulation::builder(1e-3)
    ///     .law(impinge_contact::PairLaw::elastic(1e4))
    ///     .body(BodyDesc::rigid("a", &cube, Mass::Total(1.0), at(0.0))?)
    ///     .body(BodyDesc::rigid("b", &cube, Mass::Total(1.0), at(0.19))?)
    ///     .body(BodyDesc::rigid("c", &cube, Mass::Total(1.0), at(0.41))?)
    ///     .build()?;
    /// assert_eq!(sim.overlapping("a")?, [sim.body("b").unwrap()]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] for a body that is not there.
    pub fn overlapping(&self, body: impl BodyKey) -> Result<Vec<BodyId>, OpenError> {
        let slot = body.slot_in(self)?;
        let mut found = Vec::new();
        self.with_occupied(|all| {
            let Some(own) = &all[slot as usize] else { return };
            let others = (0..).zip(all).filter(|(s, _)| *s != slot);
            found.extend(others.filter_map(|(s, o)| o.as_ref()?.overlaps(own).then_some(s)));
        });
        Ok(found.into_iter().filter_map(|s| self.id(s)).collect())
    }

    /// The bodies that a closed mesh with this pose would overlap now, by slot; as [`Simulation::overlapping`]. Of a pose that is not finite none.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, MeshShape, Simulation};
    /// # use impinge_geometry::{DVec3, Pose, generators};
    /// # use std::sync::Arc;
    /// # let floor = BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
    /// # let sim = Simulation::builder(1e-3).law(impinge_contact::PairLaw::elastic(1e4)).body(floor).build()?;
    /// let probe = Arc::new(MeshShape::new(generators::icosphere(0.1, 2)?)?);
    /// let at = |z: f64| Pose::from_position(DVec3::unit_z() * z);
    /// assert_eq!(sim.overlapping_shape(&probe, at(0.05)).len(), 1);
    /// assert!(sim.overlapping_shape(&probe, at(0.15)).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn overlapping_shape(&self, shape: &Arc<MeshShape>, pose: Pose) -> Vec<BodyId> {
        let shape = impinge_bodies::Shape::Mesh(shape.clone());
        let mut found = Vec::new();
        self.with_occupied(|all| {
            let Some(own) = Occupied::new(&Placed { shape: &shape, pose, vertices: &[], tree: None }) else {
                return;
            };
            found.extend((0..).zip(all).filter_map(|(s, o)| o.as_ref()?.overlaps(&own).then_some(s)));
        });
        found.into_iter().filter_map(|s: u32| self.id(s)).collect()
    }

    /// The room that each body takes now, by slot.
    pub(crate) fn with_occupied(&self, ask: impl FnOnce(&[Option<Occupied<'_>>])) {
        let (shapes, map) = (self.column::<Shapes>(), self.column::<SurfaceMap>());
        let nodes = self.column::<NodeState>();
        let vertices: Vec<Vec<_>> = (0..shapes.0.len())
            .map(|slot| {
                let range = if map.attachment(slot).has_nodes() { map.range(slot) } else { 0..0 };
                range.filter_map(|v| map.at_nodes(v as u32, &nodes.x)).collect()
            })
            .collect();
        let of = |slot: usize| {
            let pose = self.pose(slot as u32);
            Occupied::new(&Placed { shape: &shapes.0[slot], pose, vertices: &vertices[slot], tree: None })
        };
        let all: Vec<Option<Occupied<'_>>> = (0..shapes.0.len()).map(of).collect();
        ask(&all);
    }
}
