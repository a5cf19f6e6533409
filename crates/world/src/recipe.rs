//! What the tables of a world are made from, now and as it was built.

use crate::body::{BodyDesc, Motion};
use crate::planned::Planned;
use impinge_bodies::{Deformable, Edit, Shape};
use impinge_geometry::edit::NodeMap;
use impinge_integrators::{ElasticSettings, Scheme};
use std::sync::Arc;

/// What the tables of a world are made from.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) built: Arc<[BodyDesc]>,
    pub(crate) bodies: Vec<BodyDesc>,
    pub(crate) scheme: Scheme,
    pub(crate) settings: ElasticSettings,
    pub(crate) planned: Vec<Planned>,
    pub(crate) edits: Vec<Arc<Edit>>,
    pub(crate) maps: Vec<Arc<NodeMap>>,
}

impl Recipe {
    #[must_use]
    pub fn new(
        bodies: Vec<BodyDesc>,
        scheme: Scheme,
        settings: ElasticSettings,
        mut planned: Vec<Planned>,
    ) -> Self {
        planned.sort_by(|a, b| a.time().total_cmp(&b.time()));
        let built = bodies.clone().into();
        Self { built, bodies, scheme, settings, planned, edits: Vec::new(), maps: Vec::new() }
    }

    /// What is planned and not made yet.
    #[must_use]
    pub fn still_planned(&self) -> &[Planned] {
        &self.planned[self.edits.iter().filter(|e| e.planned).count()..]
    }

    pub(crate) fn deformable(&self, slot: u32) -> Option<&Arc<Deformable>> {
        match &self.bodies.get(slot as usize)?.motion {
            Motion::Deformable(d) => Some(d),
            _ => None,
        }
    }

    /// The bodies with one of them replaced.
    pub(crate) fn with(&self, slot: u32, body: Deformable) -> Vec<BodyDesc> {
        let mut bodies = self.bodies.clone();
        let b = &mut bodies[slot as usize];
        b.shape = Shape::Soft(body.surface.clone());
        b.motion = Motion::Deformable(Arc::new(body));
        bodies
    }
}
