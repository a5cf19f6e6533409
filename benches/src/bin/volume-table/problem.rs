//! The complementarity problem of a state with its parts timed apart: assembly of the compliance, iterations of a solver.

use impinge_contact::BodyKind;
use impinge_geometry::DVec3;
use impinge_geometry::tangents;
use impinge_solvers::mlcp::{Cone, ContactProblem, ContactRows, ProblemError};
use impinge_volume::{FrictionAt, RigidRow, friction_rows, normal_row};
use impinge_world::{Dofs, Overlaps, Simulation};

/// A vertex of the first body inside of the second, or next to it.
#[derive(Clone, Copy, Debug)]
pub struct PointContact {
    pub bodies: [u32; 2],
    /// Where (m, world), the way out of the second body, and how deep (m), below zero where it is outside.
    pub point: DVec3,
    pub normal: DVec3,
    pub depth: f64,
}

/// What the problem is made from.
pub struct Rows {
    rows: ContactRows,
    motion: Vec<f64>,
    /// Per degree of freedom of each body: linear 1/mass, and inverse inertia in world axes.
    inverse: Vec<(f64, impinge_geometry::DMat3)>,
    contacts: usize,
}

impl Rows {
    /// Rows of every measured cell of the last step over six degrees of freedom for each body; fixed ones have no mass that could
    /// move. Each is divided by its contact's area, so that a multiplier is an impulse (N·s).
    pub fn of(sim: &Simulation, gravity: DVec3) -> Self {
        let (dofs, overlaps) = (sim.column::<Dofs>(), sim.column::<Overlaps>());
        let bodies = &dofs.bodies;
        let moves = |b: usize| bodies.kind[b] == BodyKind::Rigid;
        let mut rows = ContactRows::new();
        let mut contacts = 0;
        for pair in &overlaps.pairs {
            for cell in pair.cells() {
                let Some(frame) = &pair.frames[cell] else { continue };
                let mut of: [[RigidRow; 3]; 2] = Default::default();
                for side in 0..2 {
                    let (x, centre) = (&pair.x[side], bodies.pose[pair.bodies[side] as usize].position);
                    let normal = normal_row(&pair.overlap, cell, side, x, centre);
                    let at = FrictionAt::Center;
                    let [s, t] = friction_rows(frame, at, &pair.overlap, cell, side, x, centre);
                    of[side] = [normal, s, t];
                }
                for k in 0..3 {
                    let entries = (0..2).filter(|&s| moves(pair.bodies[s] as usize)).flat_map(|s| {
                        let (r, at) = (of[s][k], 6 * pair.bodies[s]);
                        let values = [r.linear.as_array(), r.angular.as_array()].map(|v| *v).concat();
                        (0..6).map(move |i| (at + i, values[i as usize] / frame.projected_area))
                    });
                    rows.push(entries.collect::<Vec<_>>());
                }
                contacts += 1;
            }
        }
        Self::with(rows, contacts, sim, gravity)
    }

    /// Rows of points that are inside of a body.
    pub fn of_points(sim: &Simulation, gravity: DVec3, points: &[PointContact]) -> Self {
        let dofs = sim.column::<Dofs>();
        let bodies = &dofs.bodies;
        let mut rows = ContactRows::new();
        for c in points {
            let [s, t] = tangents(c.normal);
            for axis in [c.normal, s, t] {
                let mut entries = Vec::new();
                for (body, sign) in c.bodies.into_iter().zip([1.0, -1.0]) {
                    let b = body as usize;
                    if bodies.kind[b] == BodyKind::Rigid {
                        let arm = c.point - bodies.pose[b].position;
                        let values = [axis * sign, arm.cross(axis) * sign];
                        let values = values.map(|v| *v.as_array()).concat();
                        entries.extend((6 * body..).zip(values));
                    }
                }
                rows.push(entries);
            }
        }
        Self::with(rows, points.len(), sim, gravity)
    }

    /// With the bodies' motion and inverse masses.
    fn with(rows: ContactRows, contacts: usize, sim: &Simulation, gravity: DVec3) -> Self {
        let dofs = sim.column::<Dofs>();
        let bodies = &dofs.bodies;
        let moves = |b: usize| bodies.kind[b] == BodyKind::Rigid;
        let mut motion = Vec::new();
        let mut inverse = Vec::new();
        for b in 0..bodies.len() {
            let fall = if moves(b) { gravity * sim.dt() } else { DVec3::zero() };
            let (v, w) = (bodies.velocity[b] + fall, bodies.angular_velocity[b]);
            motion.extend([v.x, v.y, v.z, w.x, w.y, w.z]);
            let r = bodies.pose[b].matrix();
            inverse.push((1.0 / bodies.mass[b], r * *bodies.mobility[b].inverse_inertia() * r.transposed()));
        }
        Self { rows, motion, inverse, contacts }
    }

    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.contacts
    }

    /// The problem with round cones.
    ///
    /// # Errors
    /// When a row is not finite.
    pub fn assemble(&self) -> Result<ContactProblem, ProblemError> {
        let cones = vec![Cone::Round { mu: 0.5 }; self.contacts];
        ContactProblem::assemble(&self.rows, &self.motion, None, cones, |x| {
            for (x, (inverse_mass, inertia)) in x.chunks_exact_mut(6).zip(&self.inverse) {
                if x.iter().all(|x| *x == 0.0) {
                    continue;
                }
                let w = *inertia * DVec3::new(x[3], x[4], x[5]);
                (0..3).for_each(|k| x[k] *= inverse_mass);
                x[3..].copy_from_slice(w.as_array());
            }
        })
    }
}
