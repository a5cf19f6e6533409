//! The implicit step: momenta at the end with which the pressure at the end gives them.
//!
//! P₁ = P* + Δt W(q₁, u₁) for every rigid body that is near another, with q₁ the drift of Δt by P₁ and W the wrenches of all
//! patches. The tangent is masses − Δt² ∂W/∂q − Δt ∂W/∂u from the closed forms of the patches. Pressure is the gradient of an
//! energy and friction resists, so the residual along a direction grows almost monotonically: the line search looks for its
//! zero, which also ends at the kinks of first touch and of slip.
//!
//! Where that ends nowhere it starts again from where the bodies were, and takes kinks for progress; then with the planes of friction as
//! they are. Where side faces of two bodies lie in one plane, a shift of rounding turns the mean normal of their surface, and with it what
//! part of a fast approach is slip: no surface then has the friction that the step asks for.

use super::forces::{Lever, hold_plane, press, query};
use super::linear::{Linear, Masses};
use super::tables::{Bristles, PressureBodies, PressurePatch, PressureReport, PressureSettings};
use super::trial::{Twists, guess, spin_of};
use impinge_bodies::Dofs;
use impinge_contact::{BodyKind, NONE, Prediction, par};
use impinge_geometry::{DMat3, DVec3, Pose};
use impinge_integrators::drift;

/// Accepts a step along which the residual has fallen to this part.
const ENOUGH: f64 = 0.3;
/// Changes of momenta up to this part of the impulses that made them are expected again in the next step. Above it a body lands, slips or
/// takes hold, and what it did last says nothing about what comes.
const SMOOTH: f64 = 1e-2;
/// Way of a body in one iteration, in its smallest half-widths; twice as much after one that was cut so. Deep in each other bodies press so hard that the
/// tangent is not definite, and its direction leads metres away, to where nothing touches and nothing is known of where it did.
const REACH: f64 = 0.5;
/// Residual up to which a step ends where its directions are shorter than places are rounded and do not help: so stiff a contact cannot be met better.
const ROUNDED: f64 = 1e-6;
/// Part of impulses that cancel on a body up to which what they leave is rounding: each is a sum over polygons.
const CANCELS: f64 = 1e-14;
/// Roundings that the place of a point of a contact has gathered: a turn, a shift, and those of the frame of the other body.
const ROUNDINGS: f64 = 8.0;
/// Most tries of a line search.
const TRIES: u32 = 25;

/// What a step starts from.
pub(crate) struct Given<'a> {
    pub dofs: &'a Dofs,
    pub prediction: &'a Prediction,
    pub bodies: &'a PressureBodies,
    pub settings: &'a PressureSettings,
    /// What the last step left.
    pub before: &'a Bristles,
    pub dt: f64,
}

/// The part of a momentum that moves a body.
fn free(given: &Given<'_>, slot: usize, momentum: DVec3) -> DVec3 {
    given.dofs.bodies.mobility[slot].linear(momentum)
}

/// The unknowns of a step and scratch; nothing is kept from one step to the next.
#[derive(Default)]
pub(crate) struct Newton {
    /// Poses and twists by slot at the end.
    pub poses: Vec<Pose>,
    pub twists: Twists,
    /// Slots of the unknown bodies, and where each slot stands among them.
    pub slots: Vec<u32>,
    index: Vec<u32>,
    found: Vec<u32>,
    masses: Vec<(DVec3, DMat3)>,
    /// Velocity and angular momentum, two rows a body; residuals, directions and impulses likewise.
    x: Vec<DVec3>,
    from: Vec<DVec3>,
    r: Vec<DVec3>,
    delta: Vec<DVec3>,
    impulse: Vec<DVec3>,
    /// What contacts give each body in sizes, so that nothing cancels.
    gross: Vec<DVec3>,
    linear: Linear,
}

impl Newton {
    /// Solves, with what is robust where the fast way ends nowhere, and counts on in `report`; `patches` hold the surfaces of coasting bodies at the beginning and those of the solution at the
    /// end. With `again` it goes on from the last solution, with patches that may be new and hold any surfaces.
    pub fn solve(
        &mut self,
        given: &Given<'_>,
        patches: &mut [PressurePatch],
        report: &mut PressureReport,
        again: bool,
    ) {
        self.start(given, patches, again);
        if again {
            self.look(given, patches, report);
        }
        if self.holds(given, patches, report) {
            return;
        }
        self.iterate(given, patches, report, false);
        if report.unfinished {
            // From inside each other the way out is a matter of chance: from outside, the first contact is met on the way.
            self.x.fill(DVec3::zero());
            self.place(given);
            self.look(given, patches, report);
            self.iterate(given, patches, report, true);
        }
        if report.unfinished {
            patches.iter_mut().for_each(hold_plane);
            self.iterate(given, patches, report, true);
        }
    }

    /// Solves with the static coefficient for what slides, too, where some law has another: whether nothing slides, so that it is the solution.
    ///
    /// Where the kinetic coefficient is less a step may have two solutions: what rests on what starts to move slides, or holds. What can hold holds.
    fn holds(
        &mut self,
        given: &Given<'_>,
        patches: &mut [PressurePatch],
        report: &mut PressureReport,
    ) -> bool {
        let laws = |p: &PressurePatch| p.law.bristles().map(|l| (l.mu_s, l.mu_k));
        if patches.iter().all(|p| laws(p).is_none_or(|(mu_s, mu_k)| mu_s == mu_k)) {
            return false;
        }
        let kinetic: Vec<Option<f64>> = patches.iter().map(|p| laws(p).map(|l| l.1)).collect();
        let slide_with = |p: &mut PressurePatch, mu_k: Option<f64>| {
            if let (Some(law), Some(mu_k)) = (&mut p.law.summed, mu_k) {
                law.mu_k = mu_k;
            }
        };
        patches.iter_mut().for_each(|p| slide_with(p, laws(p).map(|l| l.0)));
        self.iterate(given, patches, report, false);
        patches.iter_mut().zip(kinetic).for_each(|(p, mu_k)| slide_with(p, mu_k));
        !report.unfinished && patches.iter().all(|p| p.law.bristles().is_none() || p.sliding == 0.0)
    }

    /// Newton's iterations from where the bodies are, with the surfaces there. With `kinks` a search that ends where the residual along it
    /// changes its sign has gained something, whatever the size of the residual there.
    fn iterate(
        &mut self,
        given: &Given<'_>,
        patches: &mut [PressurePatch],
        report: &mut PressureReport,
        kinks: bool,
    ) {
        self.press(given, patches);
        self.residual(given, patches);
        let first = report.iterations;
        let mut reach = REACH;
        report.unfinished = false;
        // Residual before the last iteration, if that was Newton's and its whole step was taken.
        let mut before = None;
        loop {
            let (now, scale) = (self.size(given, &self.r), self.scale(given));
            report.residual = if scale > 0.0 { now / scale } else { 0.0 };
            // What rounding of the momenta themselves leaves, and of impulses that cancel: of a body between two walls nothing else is left.
            let floor = 1e-15 * self.momenta(given) + CANCELS * self.size(given, &self.gross);
            let target = given.settings.tolerance * scale + floor;
            if now <= target {
                report.residual = report.residual.min(given.settings.tolerance);
                return;
            }
            if report.iterations - first >= given.settings.iterations || !now.is_finite() {
                report.unfinished = true;
                return;
            }
            report.iterations += 1;
            // Where Newton's last step left the part f of a residual, the next one with the same tangent leaves about 2 f.
            let enough = before.take().is_some_and(|b: f64| 2.0 * now * (now / b) <= target);
            if enough && self.chord(given, patches, report) {
                continue;
            }
            self.linearise(given, patches, report);
            let newton = self.direction(given, patches, report);
            let rounding = newton && report.residual <= ROUNDED && self.is_rounding(given);
            let most = self.most(given, reach);
            reach = if most < 1.0 { 2.0 * reach } else { REACH };
            match self.search(given, patches, report, most.min(1.0), kinks) {
                Some(0) if newton && most >= 1.0 => before = Some(now),
                Some(_) => {}
                None if rounding => {}
                None => {
                    report.unfinished = true;
                    return;
                }
            }
            // Of a soft contact a direction as short still helps.
            if rounding && self.size(given, &self.r) > 0.5 * now {
                if self.size(given, &self.r) > now {
                    self.go(given, patches, 0.0, report);
                }
                report.residual = self.size(given, &self.r) / scale;
                return;
            }
        }
    }

    /// The body of which most momentum is left over, by what its mass makes of it.
    #[must_use]
    pub fn worst(&self, given: &Given<'_>) -> Option<u32> {
        let left = |i: usize| {
            let s = self.slots[i] as usize;
            let spin = spin_of(given.dofs, s, &given.dofs.bodies.pose[s], self.r[2 * i + 1]);
            free(given, s, self.r[2 * i]).mag_sq() / given.dofs.bodies.mass[s] + self.r[2 * i + 1].dot(spin)
        };
        (0..self.slots.len()).max_by(|&i, &j| left(i).total_cmp(&left(j))).map(|i| self.slots[i])
    }

    /// How velocities and angular momenta changed, by slot, where they changed smoothly; nothing otherwise.
    pub fn changes(&mut self, given: &Given<'_>, report: &PressureReport, out: &mut Vec<(u32, [DVec3; 2])>) {
        let scale = self.scale(given);
        let b = &given.dofs.bodies;
        for (i, &s) in self.slots.iter().enumerate() {
            let s = s as usize;
            self.delta[2 * i] = (self.x[2 * i] - b.velocity[s]) * b.mass[s];
            self.delta[2 * i + 1] = self.x[2 * i + 1] - b.angular_momentum[s];
        }
        // A comparison with NaN keeps nothing.
        if !report.unfinished && self.size(given, &self.delta) <= SMOOTH * scale {
            out.extend(
                self.slots
                    .iter()
                    .enumerate()
                    .map(|(i, &s)| (s, [self.x[2 * i] - b.velocity[s as usize], self.delta[2 * i + 1]])),
            );
        }
    }

    /// Unknowns of the bodies that patches name, where [`super::trial::coasting`] puts them; others stay where they are predicted.
    /// With `again`, bodies that were unknown before are where they were found.
    fn start(&mut self, given: &Given<'_>, patches: &[PressurePatch], again: bool) {
        let b = &given.dofs.bodies;
        self.from.clone_from(&self.x);
        self.found.clone_from(&self.slots);
        if !again {
            self.found.clear();
        }
        self.index.clear();
        self.index.resize(b.len(), NONE);
        self.slots.clear();
        for s in patches.iter().flat_map(|p| [p.a, p.b]) {
            if b.kind[s as usize] == BodyKind::Rigid && self.index[s as usize] == NONE {
                self.index[s as usize] = 0;
                self.slots.push(s);
            }
        }
        self.slots.sort_unstable();
        self.x.clear();
        self.masses.clear();
        for (i, &s) in self.slots.iter().enumerate() {
            let s = s as usize;
            self.index[s] = i as u32;
            self.x.extend(match self.found.binary_search(&(s as u32)) {
                Ok(k) => [self.from[2 * k], self.from[2 * k + 1]],
                Err(_) => guess(given.dofs, given.before, s),
            });
            self.masses.push(b.mobility[s].mass_matrix(b.mass[s], &b.pose[s]));
        }
        self.poses.clone_from(&given.prediction.pose);
        self.twists.velocity.clone_from(&b.velocity);
        self.twists.spin.clone_from(&b.angular_velocity);
        self.twists.mean_over = -given.dt;
        self.place(given);
        for v in [&mut self.r, &mut self.delta, &mut self.impulse, &mut self.gross] {
            v.clear();
            v.resize(self.x.len(), DVec3::zero());
        }
    }

    /// Poses and twists of the unknowns.
    fn place(&mut self, given: &Given<'_>) {
        let b = &given.dofs.bodies;
        for (i, &s) in self.slots.iter().enumerate() {
            let s = s as usize;
            let (v, l) = (self.x[2 * i], self.x[2 * i + 1]);
            self.poses[s] = drift(&b.pose[s], v, l, &b.mobility[s], given.dt);
            self.twists.velocity[s] = v;
            self.twists.spin[s] = spin_of(given.dofs, s, &self.poses[s], l);
        }
    }

    /// The contact surfaces where the bodies are now.
    fn look(&self, given: &Given<'_>, patches: &mut [PressurePatch], report: &mut PressureReport) {
        let poses = &self.poses;
        par::fill(patches, 1, |_, p| query(p, given.bodies, poses));
        report.queries += patches.len() as u32;
    }

    fn press(&self, given: &Given<'_>, patches: &mut [PressurePatch]) {
        let (poses, twists) = (&self.poses, &self.twists);
        par::fill(patches, 1, |_, p| press(p, poses, twists, given.dt));
    }

    /// P₁ − P* − Δt W, and the impulses.
    fn residual(&mut self, given: &Given<'_>, patches: &[PressurePatch]) {
        self.impulse.fill(DVec3::zero());
        self.gross.fill(DVec3::zero());
        for p in patches {
            let force = p.normal.force + p.friction.force;
            let torque = p.normal.torque + p.friction.torque;
            let at = p.normal.point - Lever::new(p, given.dofs, &self.poses).back;
            for (slot, sign) in [(p.a, given.dt), (p.b, -given.dt)] {
                let i = self.index[slot as usize];
                if i != NONE {
                    let arm = at - given.dofs.bodies.pose[slot as usize].position;
                    let by = [force * sign, (torque + arm.cross(force)) * sign];
                    for (k, by) in by.into_iter().enumerate() {
                        self.impulse[2 * i as usize + k] += by;
                        self.gross[2 * i as usize + k] += by.abs();
                    }
                }
            }
        }
        for (i, &s) in self.slots.iter().enumerate() {
            let s = s as usize;
            let v = self.x[2 * i] - given.prediction.velocity[s];
            let l = self.x[2 * i + 1] - given.prediction.angular_momentum[s];
            self.r[2 * i] = v * self.masses[i].0 - self.impulse[2 * i];
            self.r[2 * i + 1] = l - self.impulse[2 * i + 1];
        }
    }

    /// √(Pᵀ M⁻¹ P) of momenta by row.
    fn size(&self, given: &Given<'_>, rows: &[DVec3]) -> f64 {
        let mut sum = 0.0;
        for (i, &s) in self.slots.iter().enumerate() {
            let s = s as usize;
            let spin = spin_of(given.dofs, s, &given.dofs.bodies.pose[s], rows[2 * i + 1]);
            sum +=
                free(given, s, rows[2 * i]).mag_sq() / given.dofs.bodies.mass[s] + rows[2 * i + 1].dot(spin);
        }
        sum.sqrt()
    }

    /// Size of what changes the momenta: external and contact impulses.
    fn scale(&mut self, given: &Given<'_>) -> f64 {
        let (b, p) = (&given.dofs.bodies, given.prediction);
        for (i, &s) in self.slots.iter().enumerate() {
            let s = s as usize;
            self.delta[2 * i] = (p.velocity[s] - b.velocity[s]) * b.mass[s];
            self.delta[2 * i + 1] = p.angular_momentum[s] - b.angular_momentum[s];
        }
        self.size(given, &self.delta) + self.size(given, &self.impulse)
    }

    fn momenta(&mut self, given: &Given<'_>) -> f64 {
        let p = given.prediction;
        for (i, &s) in self.slots.iter().enumerate() {
            let s = s as usize;
            self.delta[2 * i] = p.velocity[s] * given.dofs.bodies.mass[s];
            self.delta[2 * i + 1] = p.angular_momentum[s];
        }
        self.size(given, &self.delta)
    }

    /// δ from the linear system as it was last made, or downhill where that is no descent.
    fn direction(
        &mut self,
        given: &Given<'_>,
        patches: &[PressurePatch],
        report: &mut PressureReport,
    ) -> bool {
        let at = Masses { given, slots: &self.slots, index: &self.index, masses: &self.masses };
        report.linear += self.linear.solve(&at, patches, &self.r, &mut self.delta);
        let along: f64 = self.delta.iter().zip(&self.r).map(|(d, r)| d.dot(*r)).sum();
        let newton = along < 0.0;
        if !newton {
            // No descent: downhill as masses see it.
            for (i, &s) in self.slots.iter().enumerate() {
                let s = s as usize;
                self.delta[2 * i] = free(given, s, self.r[2 * i]) / -given.dofs.bodies.mass[s];
                self.delta[2 * i + 1] =
                    spin_of(given.dofs, s, &given.dofs.bodies.pose[s], self.r[2 * i + 1]) * -1.0;
            }
        }
        newton
    }

    /// The tangent where the bodies are now.
    fn linearise(&mut self, given: &Given<'_>, patches: &[PressurePatch], report: &mut PressureReport) {
        let at = Masses { given, slots: &self.slots, index: &self.index, masses: &self.masses };
        self.linear.make(&at, patches, &self.poses, &self.twists);
        report.tangents += 1;
    }

    /// Part of δ that moves no body farther than `reach` of its smallest half-width.
    fn most(&self, given: &Given<'_>, reach: f64) -> f64 {
        let mut most = f64::INFINITY;
        for (i, &s) in self.slots.iter().enumerate() {
            let Some(body) = &given.bodies.bodies[s as usize] else { continue };
            let h = body.bounds.half_extent();
            let way = self.delta[2 * i].mag() + self.delta[2 * i + 1].mag() * h.mag();
            most = most.min(reach * h.x.min(h.y).min(h.z) / (way * given.dt));
        }
        most
    }

    /// Whether δ moves every body by less than places are rounded.
    fn is_rounding(&self, given: &Given<'_>) -> bool {
        self.slots.iter().enumerate().all(|(i, &s)| {
            let Some(body) = &given.bodies.bodies[s as usize] else { return true };
            let h = body.bounds.half_extent().mag();
            let way = self.delta[2 * i].mag() + self.delta[2 * i + 1].mag() * h;
            way * given.dt <= ROUNDINGS * f64::EPSILON * (self.poses[s as usize].position.mag() + h)
        })
    }

    /// A whole step with the tangent of the last iteration. `false`, and back where it was, where it gained less than half.
    fn chord(
        &mut self,
        given: &Given<'_>,
        patches: &mut [PressurePatch],
        report: &mut PressureReport,
    ) -> bool {
        let before = self.size(given, &self.r);
        self.direction(given, patches, report);
        self.from.clone_from(&self.x);
        self.go(given, patches, 1.0, report);
        let good = self.size(given, &self.r) <= 0.5 * before;
        if !good {
            self.go(given, patches, 0.0, report);
        }
        good
    }

    /// Moves to `from + α δ` and returns the residual along δ.
    fn go(
        &mut self,
        given: &Given<'_>,
        patches: &mut [PressurePatch],
        alpha: f64,
        report: &mut PressureReport,
    ) -> f64 {
        for i in 0..self.slots.len() {
            self.x[2 * i] = self.from[2 * i] + self.delta[2 * i] * alpha;
            self.x[2 * i + 1] = self.from[2 * i + 1] + self.masses[i].1 * self.delta[2 * i + 1] * alpha;
        }
        self.place(given);
        self.look(given, patches, report);
        self.press(given, patches);
        self.residual(given, patches);
        self.delta.iter().zip(&self.r).map(|(d, r)| d.dot(*r)).sum()
    }

    /// The zero of the residual along δ, at most `most` of it away, roughly, and the tries after that. `None` where nothing was gained.
    fn search(
        &mut self,
        given: &Given<'_>,
        patches: &mut [PressurePatch],
        report: &mut PressureReport,
        most: f64,
        kinks: bool,
    ) -> Option<u32> {
        self.from.clone_from(&self.x);
        let start: f64 = self.delta.iter().zip(&self.r).map(|(d, r)| d.dot(*r)).sum();
        let before = self.size(given, &self.r);
        let (mut lo, mut at_lo, mut hi) = (0.0, start, most);
        let mut at_hi = self.go(given, patches, hi, report);
        // Illinois: false position that halves the end which stays.
        let mut tries = 0;
        let mut now = at_hi;
        let enough = ENOUGH * start.abs();
        while now.is_nan() || now > enough || (tries > 0 && now < -enough) {
            tries += 1;
            if tries > TRIES {
                break;
            }
            let t = if at_hi.is_finite() {
                (lo * at_hi - hi * at_lo) / (at_hi - at_lo)
            } else {
                lo + 0.1 * (hi - lo)
            };
            now = self.go(given, patches, t, report);
            if now > 0.0 || !now.is_finite() {
                (hi, at_hi) = (t, now);
                at_lo *= 0.5;
            } else {
                (lo, at_lo) = (t, now);
                at_hi *= 0.5;
            }
        }
        // Past rounding the search may end where it began.
        let after = self.size(given, &self.r);
        (after.is_finite() && (tries <= TRIES || after < before || (kinks && lo > 0.0))).then_some(tries)
    }
}
