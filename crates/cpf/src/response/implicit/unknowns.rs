//! The unknowns of an implicit step, in blocks of three: the velocities that positions move by.
//!
//! Blocks of the elastic system first (its nodes, then linear and angular part of each tied rigid body), then free nodes, then linear and
//! angular part of every other rigid body. With w such a vector, nodes and centres of mass move by Δt w, and bodies turn by
//! cay(Δt w): the midpoint rule (`impinge_integrators::momentum_after`).

use impinge_bodies::{Dofs, Elastic, Operator};
use impinge_contact::{BodyKind, NONE, Prediction, Surface, SurfaceMap};
use impinge_geometry::{DMat3, DVec3, Pose, diagonal, scale};
use impinge_integrators::{cayley, cayley_tangent, mean_turn, momentum_after};

/// Where degrees of freedom are in the vector.
#[derive(Default)]
pub(crate) struct Unknowns {
    elastic: usize,
    /// Block of each world node.
    node: Vec<u32>,
    /// Linear block of each body, [`NONE`] for those without; the angular one is next.
    body: Vec<u32>,
    /// World nodes after the elastic blocks.
    nodes: Vec<u32>,
    /// Bodies after those.
    bodies: Vec<u32>,
}

/// How a rigid body moves in a trial.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    /// Arms at the start and the end of the trial are these matrices times the arm in body axes.
    pub before: DMat3,
    pub after: DMat3,
    /// δψ = T δθ.
    pub tangent: DMat3,
}

/// How a surface vertex hangs on the unknowns.
#[derive(Clone, Copy)]
pub(crate) enum Reach {
    /// On none.
    Held,
    /// On nodes.
    Nodes([u32; 4], [f64; 4]),
    /// On a rigid body: linear block, slot, arm at the end and halfway (m).
    Rigid(u32, u32, DVec3, DVec3),
}

impl Unknowns {
    /// Lays out the unknowns of a step.
    pub fn lay_out(&mut self, dofs: &Dofs, elastic: &Elastic) {
        let u = self;
        u.elastic = elastic.system.layout().blocks();
        for (blocks, len) in [(&mut u.node, dofs.nodes.len()), (&mut u.body, dofs.bodies.len())] {
            blocks.clear();
            blocks.resize(len, NONE);
        }
        u.nodes.clear();
        u.bodies.clear();
        if elastic.system.is_empty() {
            u.elastic = 0;
        }
        for (i, &n) in elastic.nodes.iter().enumerate() {
            u.node[n as usize] = i as u32;
        }
        if !elastic.system.is_empty() {
            for (r, &b) in elastic.system.rigid().iter().enumerate() {
                u.body[b as usize] = elastic.system.layout().linear(r);
            }
        }
        let mut next = u.elastic as u32;
        for n in 0..u.node.len() {
            if u.node[n] == NONE {
                u.node[n] = next;
                u.nodes.push(n as u32);
                next += 1;
            }
        }
        for b in 0..u.body.len() {
            if dofs.bodies.kind[b] == BodyKind::Rigid && u.body[b] == NONE {
                u.body[b] = next;
                u.bodies.push(b as u32);
                next += 2;
            }
        }
    }

    /// Number of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.elastic + self.nodes.len() + 2 * self.bodies.len()
    }

    /// Elastic blocks, which come first.
    #[must_use]
    pub fn elastic(&self) -> usize {
        self.elastic
    }

    /// Linear blocks of the rigid bodies outside the elastic system, with their slots.
    pub fn rigid(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.bodies.iter().map(|&b| (self.body[b as usize] as usize, b as usize))
    }

    /// Blocks of the free nodes, with the nodes.
    pub fn free_nodes(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.nodes.iter().map(|&n| (self.node[n as usize] as usize, n as usize))
    }

    /// The motion without contact. Gives the first body that turns too far in one step.
    pub fn start(
        &self,
        dofs: &Dofs,
        prediction: &Prediction,
        operator: &Operator,
        dt: f64,
        w: &mut Vec<DVec3>,
    ) -> Result<(), usize> {
        w.clear();
        w.extend_from_slice(&operator.operator.velocities()[..self.elastic]);
        w.extend(self.free_nodes().map(|(_, n)| (dofs.nodes.v[n] + prediction.node_v[n]) * 0.5));
        for (_, b) in self.rigid() {
            w.push((dofs.bodies.velocity[b] + prediction.velocity[b]) * 0.5);
            w.push(spin(dofs, b, prediction.angular_momentum[b], dt).ok_or(b)?);
        }
        Ok(())
    }

    /// The motion that goes on as it is at the start of the step: of what rests or is carried, far nearer to the solution than the motion
    /// without contact, `free`. What is prescribed, and a body that would turn too far, moves as there.
    pub fn go_on(&self, dofs: &Dofs, elastic: &Elastic, dt: f64, free: &[DVec3], w: &mut Vec<DVec3>) {
        w.clear();
        w.resize(free.len(), DVec3::zero());
        for (n, i) in self.node.iter().map(|&i| i as usize).enumerate() {
            w[i] = dofs.nodes.v[n] - free[i];
        }
        for b in (0..self.body.len()).filter(|&b| self.body[b] != NONE) {
            if let Some(spin) = spin(dofs, b, dofs.bodies.angular_momentum[b], dt) {
                let at = self.body[b] as usize;
                (w[at], w[at + 1]) = (dofs.bodies.velocity[b] - free[at], spin - free[at + 1]);
            }
        }
        elastic.system.hold(&mut w[..self.elastic]);
        w.iter_mut().zip(free).for_each(|(w, free)| *w += *free);
    }

    /// Poses and nodes at the end of trial `w`; prescribed poses are in `prediction`.
    pub fn place(
        &self,
        dofs: &Dofs,
        prediction: &Prediction,
        dt: f64,
        w: &[DVec3],
        end: &mut Prediction,
        turns: &mut Vec<Turn>,
    ) {
        end.pose.clone_from(&prediction.pose);
        end.node_x.clear();
        end.node_x.extend((0..self.node.len()).map(|n| dofs.nodes.x[n] + w[self.node[n] as usize] * dt));
        turns.clear();
        for b in 0..self.body.len() {
            let before = dofs.bodies.pose[b].matrix();
            let at = self.body[b];
            if at == NONE {
                let none = scale(&DMat3::identity(), 0.0);
                turns.push(Turn { before, after: end.pose[b].matrix(), tangent: none });
                continue;
            }
            let theta = w[at as usize + 1] * dt;
            let pose = &dofs.bodies.pose[b];
            end.pose[b] = Pose {
                position: pose.position + w[at as usize] * dt,
                rotation: (cayley(theta) * pose.rotation).normalized(),
            };
            turns.push(Turn { before, after: end.pose[b].matrix(), tangent: cayley_tangent(theta) });
        }
    }

    /// How a vertex of `surface` (both ends of the trial) hangs on the unknowns.
    #[must_use]
    pub fn reach(&self, map: &SurfaceMap, turns: &[Turn], vertex: u32) -> Reach {
        if let Some((nodes, weight)) = map.nodes_of(vertex) {
            return Reach::Nodes(nodes.map(|n| self.node[n as usize]), weight);
        }
        let b = map.body_of(vertex) as usize;
        if self.body[b] == NONE {
            return Reach::Held;
        }
        let arm = map.arms(b)[(vertex - map.first(b)) as usize];
        let (before, after) = (turns[b].before * arm, turns[b].after * arm);
        Reach::Rigid(self.body[b], b as u32, after, (before + after) * 0.5)
    }

    /// Momentum that trial `w` asks for beyond the prediction (N·s, N·m·s) outside the elastic blocks; what it is compared with, and the
    /// derivative of each block by w, row by row.
    pub fn momentum(
        &self,
        dofs: &Dofs,
        prediction: &Prediction,
        dt: f64,
        w: &[DVec3],
        out: &mut [DVec3],
        slopes: &mut [DMat3],
    ) {
        for (i, n) in self.free_nodes() {
            let m = dofs.nodes.mass[n];
            out[i] = (w[i] * 2.0 - dofs.nodes.v[n] - prediction.node_v[n]) * m;
            slopes[i] = scale(&DMat3::identity(), 2.0 * m);
        }
        for (i, b) in self.rigid() {
            let d = &dofs.bodies;
            let mobility = &d.mobility[b];
            let masses = mobility.masses(d.mass[b]);
            out[i] = (w[i] * 2.0 - d.velocity[b] - prediction.velocity[b]) * masses;
            slopes[i] = diagonal(masses * 2.0);
            let (rotation, momentum) = (d.pose[b].rotation, d.angular_momentum[b]);
            let (l, slope) = momentum_after(rotation, momentum, mobility, w[i + 1] * dt, dt);
            out[i + 1] = l - prediction.angular_momentum[b];
            slopes[i + 1] = scale(&slope, dt);
        }
    }

    /// Size of the momenta (kg m/s) that residuals are to be read against; `weights` as of [`Unknowns::weights`].
    #[must_use]
    pub fn scale(&self, dofs: &Dofs, prediction: &Prediction, weights: &[f64]) -> f64 {
        let mut sum = 0.0;
        for n in 0..self.node.len() {
            sum += dofs.nodes.mass[n] * (dofs.nodes.v[n].mag() + prediction.node_v[n].mag());
        }
        for b in (0..self.body.len()).filter(|&b| self.body[b] != NONE) {
            sum += dofs.bodies.mass[b] * (dofs.bodies.velocity[b].mag() + prediction.velocity[b].mag());
            let spin = dofs.bodies.angular_momentum[b].mag() + prediction.angular_momentum[b].mag();
            sum += spin * weights[self.body[b] as usize + 1];
        }
        sum
    }

    /// One over the radius of gyration (1/m) on angular blocks, 1 on others: what makes rows comparable.
    pub fn weights(&self, dofs: &Dofs, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.len(), 1.0);
        for b in (0..self.body.len()).filter(|&b| self.body[b] != NONE) {
            let (j, m) = (&dofs.bodies.inertia[b], dofs.bodies.mass[b]);
            let radius = ((j.cols[0].x + j.cols[1].y + j.cols[2].z) / (2.0 * m)).sqrt();
            out[self.body[b] as usize + 1] = if radius > 0.0 { 1.0 / radius } else { 1.0 };
        }
    }
}

/// Mean angular velocity (rad/s) of a body with this angular momentum at the end, `None` where it turns too far.
fn spin(dofs: &Dofs, b: usize, end: DVec3, dt: f64) -> Option<DVec3> {
    let d = &dofs.bodies;
    let momentum = [d.angular_momentum[b], end];
    Some(mean_turn(d.pose[b].rotation, momentum, &d.mobility[b], dt)? / dt)
}

impl Reach {
    /// Change of the vertex' end (m) by a change `p` of w.
    #[must_use]
    pub fn moved(&self, p: &[DVec3], turns: &[Turn], dt: f64) -> DVec3 {
        match *self {
            Self::Held => DVec3::zero(),
            Self::Nodes(at, weight) => {
                (0..4).fold(DVec3::zero(), |x, k| x + p[at[k] as usize] * weight[k]) * dt
            }
            Self::Rigid(at, body, arm, _) => {
                let tangent = turns[body as usize].tangent;
                (p[at as usize] + (tangent * p[at as usize + 1]).cross(arm)) * dt
            }
        }
    }

    /// How far the vertex is from the centre of mass that it turns about (m); 0 where it turns about none.
    #[must_use]
    pub fn arm(&self) -> f64 {
        match *self {
            Self::Rigid(_, _, after, _) => after.mag(),
            Self::Nodes(..) | Self::Held => 0.0,
        }
    }

    /// Adds an impulse on the vertex.
    pub fn push(&self, impulse: DVec3, out: &mut [DVec3]) {
        match *self {
            Self::Held => {}
            Self::Nodes(at, weight) => {
                for k in 0..4 {
                    if weight[k] != 0.0 {
                        out[at[k] as usize] += impulse * weight[k];
                    }
                }
            }
            Self::Rigid(at, _, _, mean) => {
                out[at as usize] += impulse;
                out[at as usize + 1] += mean.cross(impulse);
            }
        }
    }

    /// Adds what the turn of the arm changes in the moment of an impulse.
    pub fn turned(&self, impulse: DVec3, p: &[DVec3], turns: &[Turn], dt: f64, out: &mut [DVec3]) {
        if let Self::Rigid(at, body, arm, _) = *self {
            let spin = turns[body as usize].tangent * p[at as usize + 1];
            out[at as usize + 1] += spin.cross(arm).cross(impulse) * (0.5 * dt);
        }
    }
}

/// The points halfway and the poses halfway: where impulses of the midpoint rule act.
pub(crate) fn halfway(
    surface: &Surface,
    poses: (&[Pose], &[Pose]),
    kinds: &[BodyKind],
    mean: &mut Surface,
    out: &mut [Pose],
) {
    for v in 0..surface.x0.len() {
        mean.x0[v] = (surface.x0[v] + surface.x1[v]) * 0.5;
    }
    for (b, pose) in out.iter_mut().enumerate() {
        if kinds[b] == BodyKind::Rigid {
            pose.position = (poses.0[b].position + poses.1[b].position) * 0.5;
        }
    }
}
