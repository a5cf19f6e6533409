//! What the rows of one contact say: gradients over the unknowns, bounds, and friction. It depends on no other contact.

use super::program::Program;
use super::rigid_pair::RigidPair;
use super::row::Row;
use super::rows::Contacts;
use super::scene::Scene;
use impinge_bodies::Dofs;
use impinge_contact::{FrictionLaw, first_point};
use impinge_geometry::{DVec3, bent, shared_spin, tangents};

/// Part of the speed that forces alone give both sides of a contact in the step, up to which a slip is none: what friction held lacks as little of it.
const REST: f64 = 1e-4;

/// Units in the last place of coordinates that a gap of bodies may be off by.
const PLACES: f64 = 4.0;

/// Rows of a contact before they are in the table.
#[derive(Default)]
pub(crate) struct Built {
    /// Empty where nothing of it can be moved.
    pub gradient: Vec<(u32, DVec3)>,
    pub bound: f64,
    /// What rounding makes of the bound (m/s).
    pub rounding: f64,
    /// Coefficient, and bounds of the tangents.
    pub friction: Option<(f64, [f64; 2])>,
    /// Normal of the plane that the tangents are in.
    pub slip_normal: DVec3,
    pub tangent: [Vec<(u32, DVec3)>; 2],
}

/// How bodies move when a step begins.
#[derive(Clone, Copy)]
struct Moves<'a> {
    dofs: &'a Dofs,
    /// As they came here, else as the step begins.
    came: bool,
}

impl Moves<'_> {
    /// Velocity (m/s) and spin (rad/s).
    fn of(self, slot: usize) -> [DVec3; 2] {
        let b = &self.dofs.bodies;
        if self.came { self.dofs.came(slot) } else { [b.velocity[slot], b.angular_velocity[slot]] }
    }
}

impl Contacts<'_> {
    /// The rows of a contact at Δv.
    pub fn build(&self, r: &Row, dv: &[DVec3], out: &mut Built) {
        let gap = r.gap(&self.store.surface.x1);
        let Scene { map, dofs, laws, .. } = self.scene;
        let (x, poses) = self.program.arms(&self.store.surface, dofs);
        let store = &mut out.gradient;
        store.clear();
        out.friction = None;
        let pair = RigidPair::of(r, map, self.dynamics);
        let g = |k: usize| r.normal * -r.weight[k];
        let moved: f64 = match pair {
            Some(pair) => {
                let at = |k: usize| x[r.stencil[k] as usize];
                pair.gradient((self.dynamics, poses), at, g, dv, store)
            }
            None => {
                for k in 0..r.points() {
                    let v = r.stencil[k];
                    self.dynamics.gradient(map, poses, v, x[v as usize], g(k), store);
                }
                store.iter().map(|(b, g)| g.dot(dv[*b as usize])).sum()
            }
        };
        if store.is_empty() {
            return;
        }
        out.bound = (gap - r.goal) / self.dt + moved;
        let points = r.stencil[..r.points()].iter().map(|&v| self.store.surface.x1[v as usize]);
        // The loop of detection leaves a bound as it is that is off by twice as much.
        let left = 0.5 * Program::Velocities.tolerance(r.keeps) / self.dt;
        out.rounding = self.rounding(points, r.offset).max(left);
        if let (Program::Velocities, Some(law)) = (self.program, &laws.laws[r.law as usize].friction) {
            self.build_friction((r, pair), law, dv, out);
        }
    }

    /// What rounding makes of a bound (m/s) over a length of these points and an offset (m).
    pub fn rounding(&self, points: impl Iterator<Item = DVec3>, offset: f64) -> f64 {
        PLACES * f64::EPSILON * points.fold(offset.abs(), |m, p| m.max(p.abs().component_max())) / self.dt
    }

    /// Friction acts where the ledger applies it: on a pair that takes wrenches half way between its two points.
    fn build_friction(
        &self,
        (r, pair): (&Row, Option<RigidPair>),
        law: &FrictionLaw,
        dv: &[DVec3],
        out: &mut Built,
    ) {
        let Scene { map, dofs, .. } = self.scene;
        let surface = &self.store.surface;
        let middle = self.rubs_at(r);
        let moves = Moves { dofs, came: false };
        let at = |k: usize| middle.unwrap_or(surface.x0[r.stencil[k] as usize]);
        let mut slip = DVec3::zero();
        let over = (self.shared(r, moves), self.dt);
        if let Some(pair) = pair {
            slip = pair.slip(r, (self.dynamics, dofs, self.prediction), at, surface, over);
        }
        for k in (0..r.points()).filter(|_| pair.is_none()) {
            let (v, at) = (r.stencil[k], at(k));
            let ahead = (dofs, self.prediction);
            let velocity = self.dynamics.velocity(map, ahead, v, at, over).unwrap_or_else(|| {
                // On rails, as far as they lead in this step: an arc of all of their spin.
                let (slot, bodies) = (map.body_of(v) as usize, &dofs.bodies);
                let (spin, x0) = (bodies.angular_velocity[slot], surface.x0[v as usize]);
                let off = bent(over.0 - spin, spin.cross(at - bodies.pose[slot].position), self.dt);
                (surface.x1[v as usize] - x0) / self.dt + spin.cross(at - x0) + off
            });
            slip += velocity * r.weight[k];
        }
        let [velocity, arc] = self.beneath(r, middle.unwrap_or_else(|| r.point(&surface.x0)), over, moves);
        slip -= velocity + arc;
        out.slip_normal = if pair.is_some() { self.slip_plane(r) } else { r.normal };
        let across = slip - out.slip_normal * slip.dot(out.slip_normal);
        let mu = if law.mu_s == law.mu_k || self.is_at_rest(r) { law.mu_s } else { law.mu_k };
        let mut bound = [0.0; 2];
        for (i, t) in tangents(out.slip_normal).into_iter().enumerate() {
            let out = &mut out.tangent[i];
            out.clear();
            let at = |k: usize| middle.unwrap_or(surface.x0[r.stencil[k] as usize]);
            let (poses, g) = (&dofs.bodies.pose[..], |k: usize| t * r.weight[k]);
            if let Some(pair) = pair {
                pair.gradient((self.dynamics, poses), at, g, dv, out);
            }
            for k in (0..r.points()).filter(|_| pair.is_none()) {
                self.dynamics.gradient(map, poses, r.stencil[k], at(k), g(k), out);
            }
            bound[i] = -t.dot(across);
        }
        out.friction = Some((mu, bound));
    }

    /// A contact does not slip when the step begins, and has the static coefficient.
    fn is_at_rest(&self, r: &Row) -> bool {
        let [first, second] = self.given(r).map(|v| v.mag());
        // Where no force acts, what moves a surface by no more than rounding.
        let rounding = self.program.tolerance(r.keeps) / self.dt;
        let rest = REST * (first + second) + rounding;
        // Bodies that begin as they turn have their velocities now; what is driven has another velocity in the step to come.
        [(self.dt, true), (self.dt, false), (0.0, false)]
            .into_iter()
            .any(|before| self.slip_before(r, before) <= rest)
    }

    /// Velocities (m/s) that forces alone give both sides of a contact in the step: those that bodies at rest have before their contacts hold them.
    pub fn given(&self, r: &Row) -> [DVec3; 2] {
        let surface = &self.store.surface;
        let mut sides = [DVec3::zero(); 2];
        for k in 0..r.points() {
            let v = r.stencil[k] as usize;
            let moved = (self.scene.predicted[v] - surface.x0[v]) / self.dt - surface.v0[v];
            sides[usize::from(r.weight[k] <= 0.0)] += moved * r.weight[k];
        }
        sides
    }

    /// Mean slip speed (m/s) of a contact in a time `span` (s) up to now, less what arcs leave of it to third order: with the velocities that bodies came
    /// with, or with those that the step begins with.
    ///
    /// After a step the velocities of centres are those that led here.
    fn slip_before(&self, r: &Row, (span, came): (f64, bool)) -> f64 {
        let (surface, Scene { map, dofs, .. }) = (&self.store.surface, self.scene);
        let moves = Moves { dofs, came };
        let shared = self.shared(r, moves);
        let at = self.rubs_at(r);
        let [velocity, arc] =
            self.beneath(r, at.unwrap_or_else(|| r.point(&surface.x0)), (shared, -span), moves);
        let (mut slip, mut arcs) = (-(velocity + arc), arc.mag());
        for k in 0..r.points() {
            let (v, slot) = (r.stencil[k] as usize, map.body_of(r.stencil[k]) as usize);
            if map.attachment(slot).has_nodes() {
                slip += surface.v0[v] * r.weight[k];
                continue;
            }
            let arm = at.unwrap_or(surface.x0[v]) - dofs.bodies.pose[slot].position;
            let [velocity, spin] = moves.of(slot);
            let off = bent(shared, spin.cross(arm), -span) * r.weight[k];
            slip += (velocity + spin.cross(arm)) * r.weight[k] + off;
            arcs += off.mag();
        }
        ((slip - r.normal * slip.dot(r.normal)).mag() - arcs * shared.mag() * span).max(0.0)
    }

    /// Where friction acts (m): half way between the two points of a contact whose sides both take wrenches.
    ///
    /// A body that slides over a face has its points there as far apart as it slides in the step.
    fn rubs_at(&self, r: &Row) -> Option<DVec3> {
        let (surface, map) = (&self.store.surface, self.scene.map);
        let wrench = |v: u32| !map.attachment(map.body_of(v) as usize).has_nodes();
        let last = r.points() - 1;
        (last > 0 && wrench(r.stencil[0]) && wrench(r.stencil[last])).then(|| {
            let apart =
                (0..4).fold(DVec3::zero(), |d, k| d + surface.x0[r.stencil[k] as usize] * r.weight[k]);
            first_point(&r.stencil, &r.weight, &surface.x0) - apart * 0.5
        })
    }

    /// The spin (rad/s) that the bodies of a contact have in common, with their surfaces; nodes have any.
    fn shared(&self, r: &Row, moves: Moves<'_>) -> DVec3 {
        let Scene { map, dofs: Dofs { bodies, .. }, laws, .. } = self.scene;
        let spin = |b: u32| {
            let own = laws.surface_velocities.spin(b, &bodies.pose[b as usize]);
            moves.of(b as usize)[1] + own
        };
        match r.bodies.map(|b| (!map.attachment(b as usize).has_nodes()).then(|| spin(b))) {
            [Some(a), Some(b)] => shared_spin(a, b),
            [a, b] => a.or(b).unwrap_or_default(),
        }
    }

    /// Velocity (m/s) of what moves below a contact point beside vertices: its plane, and surfaces that move against their bodies.
    ///
    /// The second is what its mean over a time `span` (s) from now has beyond that.
    fn beneath(&self, r: &Row, at: DVec3, (shared, span): (DVec3, f64), moves: Moves<'_>) -> [DVec3; 2] {
        let Scene { map, dofs: Dofs { bodies, .. }, laws, .. } = self.scene;
        let first = map.body_of(r.stencil[0]);
        let pair = [first, r.bodies[0] ^ r.bodies[1] ^ first];
        let drift = laws.surface_velocities.drift(&bodies.pose, pair, at, r.normal).unwrap_or_default();
        let [velocity, turning] = r.plane.map_or([DVec3::zero(); 2], |p| {
            let [velocity, spin] = moves.of(p as usize);
            let turning = spin.cross(at - bodies.pose[p as usize].position);
            [velocity + turning, turning]
        });
        [velocity + drift, bent(shared, turning + drift, span)]
    }

    /// Velocity (m/s) of a plane's body at a point.
    pub fn plane_velocity(&self, plane: u32, at: DVec3) -> DVec3 {
        let (b, bodies) = (plane as usize, &self.scene.dofs.bodies);
        bodies.velocity[b] + bodies.angular_velocity[b].cross(at - bodies.pose[b].position)
    }
}
