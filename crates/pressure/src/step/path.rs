//! The step of Radau IIA: bodies under pressure and smooth friction along the path itself, to a tolerance (seed 004 §VIII), at order 5 and, where
//! a step takes more than ten inner ones, up to 13.
//!
//! Bodies that patches join are integrated together, others alone. External impulses act evenly over the step, which is exact for
//! weight and first order for springs to anchors and drag; kinematic bodies go straight from pose to pose. What the patches do is summed at the stages of each accepted step
//! with the method's own weights, so that the booked impulses are what moved the bodies; moments are about each body's own,
//! moving centre, and works are those along the path.

use super::forces::{press, query, surfaces_at};
use super::tables::{PathEnds, PressureBodies, PressurePatch, PressureReport, PressureSettings};
use super::trial::Twists;
use impinge_bodies::{ContactError, Dofs, Names};
use impinge_contact::{BodyKind, NONE, PatchRow, Prediction, Wrench};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_integrators::{
    RadauOrder, RadauReport, RadauSettings, RigidBodies, RigidForces, RigidState, integrate_rigid,
    rotation_between,
};

/// Inner steps of one step at most.
const STEPS: usize = 10_000;

/// What a patch did over the step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    /// Impulse on `a` (N·s) and moments on `a` and `b` about their centres (N·m·s): of the pressure, and of friction.
    normal: (DVec3, [DVec3; 2]),
    friction: (DVec3, [DVec3; 2]),
    work: [f64; 2],
    /// ∫ |F| dt, and times the place where it acted.
    weight: f64,
    place: DVec3,
}

/// What a step starts from.
pub(crate) struct Given<'a> {
    pub dofs: &'a Dofs,
    pub prediction: &'a Prediction,
    pub bodies: &'a PressureBodies,
    pub settings: &'a PressureSettings,
    /// When it starts.
    pub time: f64,
    pub dt: f64,
    pub names: &'a Names,
}

/// Scratch; nothing is kept from one step to the next.
#[derive(Default)]
pub(crate) struct Path {
    /// Poses and twists by slot: at the end, once walked.
    pub poses: Vec<Pose>,
    twists: Twists,
    /// By patch.
    done: Vec<Done>,
    /// Where each slot stands in its island.
    index: Vec<u32>,
    queries: u32,
}

impl Path {
    /// Walks the step; `patches` hold the surfaces at the end.
    pub fn walk(
        &mut self,
        given: &Given<'_>,
        patches: &mut [PressurePatch],
        ends: &mut PathEnds,
        report: &mut PressureReport,
    ) -> Result<(), ContactError> {
        let b = &given.dofs.bodies;
        self.poses.clone_from(&b.pose);
        self.twists.velocity.clone_from(&b.velocity);
        self.twists.spin.clone_from(&b.angular_velocity);
        self.done.clear();
        self.done.resize(patches.len(), Done::default());
        self.queries = 0;
        ends.0.clear();
        ends.0.resize(b.len(), None);
        let group = groups(given.dofs, patches);
        for first in (0..b.len()).filter(|&s| b.kind[s] == BodyKind::Rigid && group[s] == s) {
            let slots: Vec<usize> = (first..b.len()).filter(|&s| group[s] == first).collect();
            let mine: Vec<usize> = (0..patches.len())
                .filter(|&p| [patches[p].a, patches[p].b].iter().any(|&s| group[s as usize] == first))
                .collect();
            self.walk_together(given, &slots, &mine, patches, ends, report)?;
        }
        for (s, pose) in self.poses.iter_mut().enumerate() {
            *pose = ends.0[s].unwrap_or(given.prediction.pose[s]);
        }
        for p in patches.iter_mut() {
            query(p, given.bodies, &self.poses);
            press(p, &self.poses, &self.twists, given.dt);
        }
        report.queries += self.queries + patches.len() as u32;
        Ok(())
    }

    fn walk_together(
        &mut self,
        given: &Given<'_>,
        slots: &[usize],
        mine: &[usize],
        patches: &mut [PressurePatch],
        ends: &mut PathEnds,
        report: &mut PressureReport,
    ) -> Result<(), ContactError> {
        let (b, p, dt) = (&given.dofs.bodies, given.prediction, given.dt);
        let mut state = RigidState::default();
        self.index.clear();
        self.index.resize(b.len(), NONE);
        let mut external = Vec::with_capacity(slots.len());
        for (i, &s) in slots.iter().enumerate() {
            self.index[s] = i as u32;
            state.push(b.pose[s], b.velocity[s], b.angular_momentum[s]);
            external.push([
                (p.velocity[s] - b.velocity[s]) * (b.mass[s] / dt),
                (p.angular_momentum[s] - b.angular_momentum[s]) / dt,
            ]);
        }
        let of = |v: &[f64]| slots.iter().map(|&s| v[s]).collect::<Vec<_>>();
        let inertia: Vec<_> = slots.iter().map(|&s| b.inertia[s]).collect();
        let mobility: Vec<_> = slots.iter().map(|&s| b.mobility[s]).collect();
        let bodies = RigidBodies { mass: &of(&b.mass), inertia: &inertia, mobility: &mobility };
        let settings = RadauSettings {
            relative: given.settings.tolerance,
            absolute: given.settings.tolerance,
            orders: [RadauOrder::Five, RadauOrder::Thirteen],
            // Most steps are smooth; one that is not is found out by its error, unless a touch begins and ends between two stages.
            first_step: dt,
            most_steps: STEPS,
            ..RadauSettings::default()
        };
        let mut forces = Acting { given, slots, mine, external: &external, patches, path: self };
        let span = [0.0, dt];
        let made: RadauReport =
            integrate_rigid(&settings, bodies, &mut state, span, &mut forces).map_err(|source| {
                let body = given.names.get(slots[0]).cloned().unwrap_or_else(|| format!("#{}", slots[0]));
                ContactError::Path { body, others: slots.len() - 1, time: given.time, source }
            })?;
        report.iterations += made.iterations as u32;
        report.tangents += made.jacobians as u32;
        report.linear += made.steps() as u32;
        for (i, &s) in slots.iter().enumerate() {
            ends.0[s] = Some(state.pose[i]);
            self.poses[s] = state.pose[i];
            self.twists.velocity[s] = state.velocity[i];
            self.twists.spin[s] = state.spin[i];
        }
        Ok(())
    }

    /// Impulses and works of patch `k` into the row that the response made of its end.
    pub fn book(&self, k: usize, patch: &PressurePatch, dofs: &Dofs, row: &mut PatchRow) {
        let done = &self.done[k];
        if done.weight > 0.0 {
            row.point = done.place / done.weight;
        }
        // Booked about the point of the row and the centres at the start.
        let arms = [patch.a, patch.b].map(|s| row.point - dofs.bodies.pose[s as usize].position);
        let sides = |(impulse, moments): (DVec3, [DVec3; 2])| {
            let side =
                |impulse: DVec3, k: usize| Wrench { impulse, moment: moments[k] - arms[k].cross(impulse) };
            [side(impulse, 0), side(-impulse, 1)]
        };
        row.normal = sides(done.normal);
        row.friction = sides(done.friction);
        row.work = Some(done.work);
    }

    /// Whether patch `k` pressed at any time of the step.
    #[must_use]
    pub fn touched(&self, k: usize) -> bool {
        self.done[k].weight > 0.0
    }
}

/// The lowest slot of the bodies that patches join, by slot.
fn groups(dofs: &Dofs, patches: &[PressurePatch]) -> Vec<usize> {
    let kind = &dofs.bodies.kind;
    let mut group: Vec<usize> = (0..kind.len()).collect();
    let root = |group: &[usize], mut s: usize| {
        while group[s] != s {
            s = group[s];
        }
        s
    };
    for p in patches {
        let [a, b] = [p.a, p.b].map(|s| s as usize);
        if kind[a] == BodyKind::Rigid && kind[b] == BodyKind::Rigid {
            let (a, b) = (root(&group, a), root(&group, b));
            group[a.max(b)] = a.min(b);
        }
    }
    for s in 0..group.len() {
        group[s] = root(&group, s);
    }
    group
}

/// What acts on the bodies of an island.
struct Acting<'a, 'b> {
    given: &'a Given<'b>,
    slots: &'a [usize],
    /// Patches of the island.
    mine: &'a [usize],
    external: &'a [[DVec3; 2]],
    patches: &'a mut [PressurePatch],
    path: &'a mut Path,
}

impl Acting<'_, '_> {
    /// Puts bodies where they are at a time of the step.
    fn place(&mut self, time: f64, state: &RigidState) {
        for (i, &s) in self.slots.iter().enumerate() {
            self.path.poses[s] = state.pose[i];
            self.path.twists.velocity[s] = state.velocity[i];
            self.path.twists.spin[s] = state.spin[i];
        }
        let (b, share) = (&self.given.dofs.bodies, time / self.given.dt);
        for s in (0..b.len()).filter(|&s| b.kind[s] == BodyKind::Kinematic) {
            let (from, to) = (&b.pose[s], &self.given.prediction.pose[s]);
            let turn = rotation_between(from.rotation, to.rotation) * share;
            self.path.poses[s] = Pose {
                position: from.position + (to.position - from.position) * share,
                rotation: (rotor_from_rotation_vector(turn) * from.rotation).normalized(),
            };
        }
    }

    fn press(&mut self, k: usize) {
        let patch = &mut self.patches[k];
        query(patch, self.given.bodies, &self.path.poses);
        press(patch, &self.path.poses, &self.path.twists, self.given.dt);
        self.path.queries += 1;
    }
}

impl RigidForces for Acting<'_, '_> {
    fn forces(&mut self, time: f64, state: &RigidState, only: Option<usize>, out: &mut [[DVec3; 2]]) {
        self.place(time, state);
        out.iter_mut().zip(self.external).for_each(|(o, e)| (0..2).for_each(|k| o[k] += e[k]));
        let only = only.map(|b| self.slots[b] as u32);
        for &k in self.mine {
            let [a, b] = [self.patches[k].a, self.patches[k].b];
            if only.is_some_and(|s| s != a && s != b) {
                continue;
            }
            self.press(k);
            let p = &self.patches[k];
            let force = p.normal.force + p.friction.force;
            let torque = p.normal.torque + p.friction.torque;
            for (slot, sign) in [(a, 1.0), (b, -1.0)] {
                let i = self.path.index[slot as usize];
                if i != NONE {
                    let arm = p.normal.point - self.path.poses[slot as usize].position;
                    out[i as usize][0] += force * sign;
                    out[i as usize][1] += (torque + arm.cross(force)) * sign;
                }
            }
        }
    }

    fn tally(&mut self, time: f64, weight: f64, state: &RigidState) {
        self.place(time, state);
        for &k in self.mine {
            self.press(k);
            let p = &self.patches[k];
            let arms = [p.a, p.b].map(|s| p.normal.point - self.path.poses[s as usize].position);
            // What moving surfaces do is booked apart.
            let belts = surfaces_at(p, &self.path.poses, p.motion.point).unwrap_or_default();
            let [velocity, spin] = [p.motion.velocity - belts.velocity, p.motion.spin - belts.spin];
            let done = &mut self.path.done[k];
            for (w, sum, work) in [(&p.normal, &mut done.normal, 0), (&p.friction, &mut done.friction, 1)] {
                sum.0 += w.force * weight;
                sum.1[0] += (w.torque + arms[0].cross(w.force)) * weight;
                sum.1[1] -= (w.torque + arms[1].cross(w.force)) * weight;
                done.work[work] += (w.force.dot(velocity) + w.torque.dot(spin)) * weight;
            }
            let size = (p.normal.force + p.friction.force).mag() * weight;
            done.weight += size;
            done.place += p.normal.point * size;
        }
    }
}
