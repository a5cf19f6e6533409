//! Surface space: where rigid, deformable, kinematic and fixed bodies look alike.
//!
//! A surface vertex has a body and, through the [`SurfaceMap`], a way to move: `x = S(q)`. Velocities and loads
//! use the Jacobian of `S` at the start of the step: `v = S u` going down, wrench `= Sᵀ impulse` going back up,
//! so the pair is an exact adjoint and no power is invented on the way: the works booked by [`crate::balance`]
//! add up to the change of kinetic energy only because of it.

use crate::{BodyDofsView, Embedding, Loads, NodeDofsView, Prediction, Wrench, par};
use impinge_geometry::DVec3;

crate::table! {
    /// Every surface vertex of every body, bodies in slot order. Rows of rigid bodies are filled only where
    /// a contact needs them (a rest-pose tree does not need the rest); rows of free vertices always.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Surface / SurfaceView / SurfaceRow {
        /// Position at the start of the step (m).
        x0: DVec3,
        /// Predicted position at its end (m).
        x1: DVec3,
        /// Velocity at the start of the step (m/s).
        v0: DVec3,
        /// Body slot.
        body: u32,
    }
}

/// How the surface vertices of one body follow its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attachment {
    /// Vertex `i` of the body is node `first_node + i`.
    Nodes {
        /// Index of the first node.
        first_node: u32,
    },
    /// Vertex `i` of the body is a weighted sum of its nodes, by the body's [`SurfaceMap::embedding`]: a fine
    /// skin on a coarse body, or the boundary of a tet mesh with inner nodes.
    Embedded {
        /// Index of the body's first node; the embedding counts from it.
        first_node: u32,
    },
    /// The vertex rides on the body's pose; loads become a wrench.
    Rigid,
    /// The vertex rides on a prescribed pose; loads are recorded and move nothing.
    Kinematic,
    /// The vertex does not move; loads are recorded and move nothing.
    Fixed,
}

impl Attachment {
    /// `true` where a load changes the motion.
    #[must_use]
    pub fn is_dynamic(self) -> bool {
        matches!(self, Self::Nodes { .. } | Self::Embedded { .. } | Self::Rigid)
    }

    /// `true` where loads end in nodes and not in a wrench: a node takes a force and no couple.
    #[inline]
    #[must_use]
    pub fn has_nodes(self) -> bool {
        self.first_node().is_some()
    }

    /// Index of the body's first node, where it has nodes.
    #[inline]
    #[must_use]
    pub fn first_node(self) -> Option<u32> {
        match self {
            Self::Nodes { first_node } | Self::Embedded { first_node } => Some(first_node),
            Self::Rigid | Self::Kinematic | Self::Fixed => None,
        }
    }
}

/// Vertices per block of a parallel loop.
const CHUNK: usize = 512;

/// The map `S` from degrees of freedom to surface vertices, constant until a body is cut.
#[derive(Clone, Debug, Default)]
pub struct SurfaceMap {
    /// Offset of each vertex from the body's centre of mass in body axes (m); zero where nodes carry it.
    arm: Vec<DVec3>,
    /// Body slot of each vertex.
    body: Vec<u32>,
    /// First vertex of each body, and one past the last body.
    start: Vec<u32>,
    attachment: Vec<Attachment>,
    /// One per embedded body, in slot order, with its slot.
    embeddings: Vec<(u32, Embedding)>,
}

impl SurfaceMap {
    /// Appends the next body slot with its vertices (offsets from the centre of mass, body axes).
    ///
    /// [`Attachment::Embedded`] without an embedding (see [`SurfaceMap::push_embedded`]) is taken for
    /// [`Attachment::Nodes`].
    ///
    /// # Panics
    /// When the vertices of all bodies no longer fit a 32-bit index.
    pub fn push_body(&mut self, attachment: Attachment, arms: &[DVec3]) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        let attachment = match attachment {
            Attachment::Embedded { first_node } => Attachment::Nodes { first_node },
            other => other,
        };
        let slot = u32::try_from(self.attachment.len()).expect("fewer than 2^32 bodies");
        self.arm.extend_from_slice(arms);
        self.body.resize(self.arm.len(), slot);
        self.attachment.push(attachment);
        self.start.push(u32::try_from(self.arm.len()).expect("fewer than 2^32 surface vertices"));
    }

    /// Appends the next body slot: a surface embedded in the nodes `first_node ..` of a body.
    ///
    /// # Panics
    /// As [`SurfaceMap::push_body`].
    pub fn push_embedded(&mut self, first_node: u32, embedding: Embedding) {
        self.push_body(Attachment::Nodes { first_node }, &vec![DVec3::zero(); embedding.vertices()]);
        let slot = self.attachment.len() - 1;
        self.attachment[slot] = Attachment::Embedded { first_node };
        self.embeddings.push((slot as u32, embedding));
    }

    /// The embedding of an embedded body.
    #[must_use]
    pub fn embedding(&self, slot: usize) -> Option<&Embedding> {
        let i = self.embeddings.binary_search_by_key(&slot, |e| e.0 as usize).ok()?;
        Some(&self.embeddings[i].1)
    }

    /// The nodes that carry a surface vertex and their weights, for a vertex of a body with nodes; a node
    /// without weight repeats another one. A constraint or a Hessian block on the surface reaches its unknowns
    /// by this.
    #[must_use]
    pub fn nodes_of(&self, vertex: u32) -> Option<([u32; 4], [f64; 4])> {
        let b = self.body[vertex as usize] as usize;
        let i = vertex - self.start[b];
        match self.attachment[b] {
            Attachment::Nodes { first_node } => Some(([first_node + i; 4], [1.0, 0.0, 0.0, 0.0])),
            Attachment::Embedded { first_node } => {
                let (s, w) = self.embedding(b)?.row(i as usize);
                Some((s.map(|n| first_node + n), w))
            }
            Attachment::Rigid | Attachment::Kinematic | Attachment::Fixed => None,
        }
    }

    /// A node quantity (indexed like `NodeDofs`) seen at a surface vertex of a body with nodes; `None` for a
    /// body without.
    #[inline]
    #[must_use]
    pub fn at_nodes(&self, vertex: u32, node_value: &[DVec3]) -> Option<DVec3> {
        let b = self.body[vertex as usize] as usize;
        let i = (vertex - self.start[b]) as usize;
        match self.attachment[b] {
            Attachment::Nodes { first_node } => Some(node_value[first_node as usize + i]),
            Attachment::Embedded { first_node } => {
                Some(self.embedding(b)?.at(i, &node_value[first_node as usize..]))
            }
            Attachment::Rigid | Attachment::Kinematic | Attachment::Fixed => None,
        }
    }

    /// Number of bodies.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.attachment.len()
    }

    /// Number of surface vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.arm.len()
    }

    /// The attachment of a body.
    #[inline]
    #[must_use]
    pub fn attachment(&self, slot: usize) -> Attachment {
        self.attachment[slot]
    }

    /// The surface vertices of a body.
    #[inline]
    #[must_use]
    pub fn range(&self, slot: usize) -> std::ops::Range<usize> {
        self.start[slot] as usize..self.start[slot + 1] as usize
    }

    /// First surface vertex of a body: a mesh vertex `i` is surface vertex `first(slot) + i`.
    #[inline]
    #[must_use]
    pub fn first(&self, slot: usize) -> u32 {
        self.start[slot]
    }

    /// The body of a vertex.
    #[inline]
    #[must_use]
    pub fn body_of(&self, vertex: u32) -> u32 {
        self.body[vertex as usize]
    }

    /// The arms (offsets from the centre of mass, body axes) of a body's vertices (m).
    #[inline]
    #[must_use]
    pub fn arms(&self, slot: usize) -> &[DVec3] {
        &self.arm[self.range(slot)]
    }

    /// Makes the table fit the map; bodies are written once.
    pub fn shape(&self, surface: &mut Surface) {
        let n = self.vertices();
        surface.x0.resize(n, DVec3::zero());
        surface.x1.resize(n, DVec3::zero());
        surface.v0.resize(n, DVec3::zero());
        surface.body.clear();
        surface.body.extend_from_slice(&self.body);
    }

    /// Fills one vertex: `x0`, `x1` by the pose (exponential map), `v0` by its Jacobian.
    pub fn place(
        &self,
        vertex: u32,
        bodies: BodyDofsView<'_>,
        nodes: NodeDofsView<'_>,
        prediction: &Prediction,
        surface: &mut Surface,
    ) {
        let v = vertex as usize;
        let b = self.body[v] as usize;
        match self.attachment[b] {
            Attachment::Nodes { first_node } => {
                let n = first_node as usize + v - self.start[b] as usize;
                surface.x0[v] = nodes.x[n];
                surface.x1[v] = prediction.node_x[n];
                surface.v0[v] = nodes.v[n];
            }
            Attachment::Embedded { first_node } => {
                let (Some(e), n, i) = (self.embedding(b), first_node as usize, v - self.start[b] as usize)
                else {
                    return;
                };
                surface.x0[v] = e.at(i, &nodes.x[n..]);
                surface.x1[v] = e.at(i, &prediction.node_x[n..]);
                surface.v0[v] = e.at(i, &nodes.v[n..]);
            }
            Attachment::Rigid | Attachment::Kinematic | Attachment::Fixed => {
                let r0 = bodies.pose[b].matrix() * self.arm[v];
                surface.x0[v] = bodies.pose[b].position + r0;
                surface.x1[v] = prediction.pose[b].point_to_world(self.arm[v]);
                surface.v0[v] = bodies.velocity[b] + bodies.angular_velocity[b].cross(r0);
            }
        }
    }

    /// Fills every vertex of one body: the numbers of [`SurfaceMap::place`], on all threads where there are
    /// many.
    pub fn place_body(
        &self,
        slot: usize,
        bodies: BodyDofsView<'_>,
        nodes: NodeDofsView<'_>,
        prediction: &Prediction,
        surface: &mut Surface,
    ) {
        let range = self.range(slot);
        self.place_end(slot, prediction, &mut surface.x1[range.clone()]);
        let (x0, v0) = (&mut surface.x0[range.clone()], &mut surface.v0[range.clone()]);
        match self.attachment[slot] {
            Attachment::Nodes { first_node } => {
                let of_body = first_node as usize..first_node as usize + range.len();
                x0.copy_from_slice(&nodes.x[of_body.clone()]);
                v0.copy_from_slice(&nodes.v[of_body]);
            }
            Attachment::Embedded { first_node } => {
                let (Some(e), n) = (self.embedding(slot), first_node as usize) else { return };
                e.positions(&nodes.x[n..], x0);
                e.velocities(&nodes.v[n..], v0);
            }
            Attachment::Rigid | Attachment::Kinematic | Attachment::Fixed => {
                let (arm, before) = (self.arms(slot), bodies.pose[slot]);
                let r = before.matrix();
                let (velocity, spin) = (bodies.velocity[slot], bodies.angular_velocity[slot]);
                par::fill(x0, CHUNK, |i, x| *x = before.position + r * arm[i]);
                par::fill(v0, CHUNK, |i, v| *v = velocity + spin.cross(r * arm[i]));
            }
        }
    }

    /// Fills every vertex of every body.
    pub fn place_all(
        &self,
        bodies: BodyDofsView<'_>,
        nodes: NodeDofsView<'_>,
        prediction: &Prediction,
        surface: &mut Surface,
    ) {
        self.place_ends(prediction, &mut surface.x1);
        self.by_body(&mut surface.x0, nodes.x, |b| {
            let (from, r) = (bodies.pose[b].position, bodies.pose[b].matrix());
            move |arm| from + r * arm
        });
        self.by_body(&mut surface.v0, nodes.v, |b| {
            let (velocity, spin, r) =
                (bodies.velocity[b], bodies.angular_velocity[b], bodies.pose[b].matrix());
            move |arm| velocity + spin.cross(r * arm)
        });
    }

    /// Where every vertex is at this end, the bits of `x1` of [`SurfaceMap::place_all`]; `x1` has a place for each vertex.
    pub fn place_ends(&self, end: &Prediction, x1: &mut [DVec3]) {
        self.by_body(x1, &end.node_x, |b| {
            let (to, r) = (end.pose[b].position, end.pose[b].matrix());
            move |arm| to + r * arm
        });
    }

    /// A quantity of every vertex: of those that follow a pose what `rigid` makes of the arm, for the others that of their nodes. On all threads where
    /// vertices are many, of however many bodies.
    fn by_body<F: Fn(DVec3) -> DVec3>(
        &self,
        out: &mut [DVec3],
        node_value: &[DVec3],
        rigid: impl Fn(usize) -> F + Sync + Send,
    ) {
        par::for_each_chunk(out, CHUNK, |c, chunk| {
            let (mut from, end) = (c * CHUNK, c * CHUNK + chunk.len());
            while from < end {
                let b = self.body[from] as usize;
                let (first, to) = (self.start[b] as usize, (self.start[b + 1] as usize).min(end));
                let part = &mut chunk[from - c * CHUNK..to - c * CHUNK];
                match self.attachment[b] {
                    Attachment::Nodes { first_node } => {
                        let n = first_node as usize + from - first;
                        part.copy_from_slice(&node_value[n..n + part.len()]);
                    }
                    // Below, with threads of its own.
                    Attachment::Embedded { .. } => {}
                    Attachment::Rigid | Attachment::Kinematic | Attachment::Fixed => {
                        let of = rigid(b);
                        part.iter_mut().zip(&self.arm[from..to]).for_each(|(x, arm)| *x = of(*arm));
                    }
                }
                from = to;
            }
        });
        for (slot, embedding) in &self.embeddings {
            let b = *slot as usize;
            let Some(n) = self.attachment[b].first_node() else { continue };
            embedding.positions(&node_value[n as usize..], &mut out[self.range(b)]);
        }
    }

    /// Where the vertices of one body are at this end.
    fn place_end(&self, slot: usize, end: &Prediction, x1: &mut [DVec3]) {
        match self.attachment[slot] {
            Attachment::Nodes { first_node } => {
                let n = first_node as usize;
                x1.copy_from_slice(&end.node_x[n..n + x1.len()]);
            }
            Attachment::Embedded { first_node } => {
                if let Some(e) = self.embedding(slot) {
                    e.positions(&end.node_x[first_node as usize..], x1);
                }
            }
            Attachment::Rigid | Attachment::Kinematic | Attachment::Fixed => {
                let (arm, pose) = (self.arms(slot), end.pose[slot]);
                let r = pose.matrix();
                par::fill(x1, CHUNK, |i, x| *x = pose.position + r * arm[i]);
            }
        }
    }

    /// `Sᵀ` onto bodies: adds the impulses of the touched vertices of rigid, kinematic and fixed bodies to the
    /// bodies' wrenches, in ascending vertex order. The impulses of bodies with nodes stay on their surface
    /// vertices until [`SurfaceMap::carry_to_nodes`].
    pub fn carry_up(&self, bodies: BodyDofsView<'_>, surface: SurfaceView<'_>, loads: &mut Loads) {
        for t in 0..loads.touched().len() {
            let v = loads.touched()[t];
            let b = self.body[v as usize] as usize;
            if !self.attachment[b].has_nodes() {
                let impulse = loads.impulse[v as usize];
                let arm = surface.x0[v as usize] - bodies.pose[b].position;
                loads.add_wrench(b, Wrench { impulse, moment: arm.cross(impulse) });
            }
        }
    }

    /// `Sᵀ` onto nodes: adds the impulses of the touched vertices of bodies with nodes to `nodes`, a [`Loads`]
    /// with a place per node (`nodes.shape(node_count, 0)`; wrenches unused), in ascending vertex order. Costs
    /// the size of the contacts: [`Loads::touched`] lists the nodes reached, ascending.
    ///
    /// A vertex that is one node hands its impulse over bit for bit.
    pub fn carry_to_nodes(&self, loads: &Loads, nodes: &mut Loads) {
        // Touched vertices are sorted, so bodies come one after the other and each is looked up once.
        let mut at: Option<(u32, Attachment, Option<&Embedding>)> = None;
        for &v in loads.touched() {
            let b = self.body[v as usize];
            let (_, attachment, embedding) = match at {
                Some(same) if same.0 == b => same,
                _ => *at.insert((b, self.attachment[b as usize], self.embedding(b as usize))),
            };
            let (i, impulse) = (v - self.start[b as usize], loads.impulse[v as usize]);
            match (attachment, embedding) {
                (Attachment::Nodes { first_node }, _) => nodes.add_impulse(first_node + i, impulse),
                (Attachment::Embedded { first_node }, Some(e)) => {
                    let (s, w) = e.row(i as usize);
                    for k in 0..4 {
                        if w[k] != 0.0 {
                            nodes.add_impulse(first_node + s[k], impulse * w[k]);
                        }
                    }
                }
                _ => {}
            }
        }
        nodes.sort_touched();
    }
}
