//! How stiff the friction of springs may be: all contacts of a body pull at it together.
//!
//! A spring k and a damper c on a mass m take (1 + 2a) k Δt²/4m + c Δt/2m of what an explicit step can follow, with the force of its start (a = 0), of
//! the way (½) or of its end (1). At 1 the mass goes to and fro from step to step for ever. Many contacts of a body take the largest eigenvalue of
//! M⁻¹ Σ Jᵀ L J. It is convex in L: where friction has the part p of its stiffness, all take no more than what lies at p between none of it and all of it.
//!
//! A contact between two that move is shared out between them: (x + y)² ≤ (u + v)(x²/u + y²/v) for all u and v, here what an impulse gives each. What
//! is made of nodes is left out: an implicit step holds them together, and they give less than their masses say.

use crate::{BodyDofs, BodyKind, NONE, Pairs, SurfaceMap};
use impinge_geometry::{DMat3, DVec3, tangents};

/// What contacts may take of what a step can follow. A tenth is left, or nothing would die away.
pub const FOLLOWED: f64 = 0.9;
/// What of that is left to friction, at least.
const LEAST: f64 = 0.1;
/// Squarings of a matrix whose largest eigenvalue is looked for: the 64th power is less than 3 % off.
const SQUARINGS: u32 = 6;

type Six = [[f64; 6]; 6];

/// A contact point of a body, as what it takes of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// From the centre of mass (m).
    pub arm: DVec3,
    /// Of the contact.
    pub normal: DVec3,
    /// Along the normal, and across it (kg).
    pub takes: [f64; 2],
}

/// What the contacts of a rigid body take together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pulled {
    /// Σ Jᵀ L J along the normals.
    along: Six,
    /// With friction.
    all: Six,
}

impl Pulled {
    /// One more, of which `weight` (1, or −1 of what is touched) is at the body.
    pub fn add(&mut self, pull: &Pull, weight: f64) {
        let [t, s] = tangents(pull.normal);
        let [along, across] = pull.takes;
        for (way, takes) in [(pull.normal, along), (t, across), (s, across)] {
            let (push, turn) = (way * weight, pull.arm.cross(way));
            let j = [push.x, push.y, push.z, turn.x, turn.y, turn.z];
            if way == pull.normal {
                add_square(&mut self.along, &j, takes);
            }
            add_square(&mut self.all, &j, takes);
        }
    }

    /// What they take of a body whose velocity and spin answer an impulse so: along the normals alone, and with friction.
    #[must_use]
    pub fn takes(&self, linear: impl Fn(DVec3) -> DVec3, inverse_inertia: &DMat3) -> [f64; 2] {
        [&self.along, &self.all].map(|sum| most(answered(sum, &linear, inverse_inertia), 0.0))
    }

    /// The part that friction may have: [`friction_part`], and fast where all of them together do not take much.
    #[must_use]
    pub fn part(&self, linear: impl Fn(DVec3) -> DVec3, inverse_inertia: &DMat3) -> f64 {
        let all = most(answered(&self.all, &linear, inverse_inertia), FOLLOWED);
        if all <= FOLLOWED {
            return 1.0;
        }
        friction_part([most(answered(&self.along, &linear, inverse_inertia), 0.0), all])
    }
}

/// Adds the product of a row with itself so many times.
fn add_square(sum: &mut Six, row: &[f64; 6], times: f64) {
    for (out, a) in sum.iter_mut().zip(row) {
        out.iter_mut().zip(row).for_each(|(x, b)| *x += times * a * b);
    }
}

/// M⁻¹ times a sum.
fn answered(sum: &Six, linear: impl Fn(DVec3) -> DVec3, inverse_inertia: &DMat3) -> Six {
    let mut out = [[0.0; 6]; 6];
    for c in 0..6 {
        let at = |r: usize| DVec3::new(sum[r][c], sum[r + 1][c], sum[r + 2][c]);
        let (v, w) = (linear(at(0)), *inverse_inertia * at(3));
        for (r, x) in [v.x, v.y, v.z, w.x, w.y, w.z].into_iter().enumerate() {
            out[r][c] = x;
        }
    }
    out
}

fn trace(b: &Six) -> f64 {
    (0..6).map(|i| b[i][i]).sum()
}

/// The largest eigenvalue, from above, of a matrix that has none below zero; no nearer than to see that it is no more than `enough`.
fn most(mut b: Six, enough: f64) -> f64 {
    let mut most = 1.0;
    for squaring in 0..=SQUARINGS {
        if squaring > 0 {
            b = squared(&b);
        }
        // Divided out before the next one: nothing overflows.
        let size = trace(&b);
        if !(size > 0.0 && size.is_finite()) {
            return if squaring == 0 { size.max(0.0) } else { most };
        }
        most *= (0..squaring).fold(size, |root, _| root.sqrt());
        if most <= enough {
            break;
        }
        b.as_flattened_mut().iter_mut().for_each(|x| *x /= size);
    }
    most
}

fn squared(b: &Six) -> Six {
    let mut out = [[0.0; 6]; 6];
    for (row, of) in out.iter_mut().zip(b) {
        for (x, with) in of.iter().zip(b) {
            row.iter_mut().zip(with).for_each(|(o, y)| *o += x * y);
        }
    }
    out
}

/// The part of its stiffness and of its damping that friction may have beside what contacts take along their normals. A little is its own in any case:
/// contacts that are too stiff by themselves are no matter of friction, and are told of.
///
/// ```
/// use impinge_contact::friction_part;
/// assert_eq!(friction_part([0.3, 0.8]), 1.0);
/// assert!((friction_part([0.3, 1.5]) - 0.5).abs() < 1e-12);
/// ```
#[must_use]
pub fn friction_part([along, all]: [f64; 2]) -> f64 {
    let along = along.min(FOLLOWED - LEAST);
    if all > FOLLOWED { (FOLLOWED - along) / (all - along) } else { 1.0 }
}

/// Where the points of a contact are and what they move.
#[derive(Clone, Copy, Debug)]
pub struct Touched<'a> {
    /// Surface vertices; [`NONE`] counts for nothing.
    pub stencil: &'a [u32],
    /// Their weights.
    pub weight: &'a [f64],
    /// Places of all surface vertices at the start of the step (m).
    pub x: &'a [DVec3],
    /// A body without vertices that is touched at the first of them.
    pub plane: Option<u32>,
}

/// One of the bodies that a contact moves.
#[derive(Clone, Copy, Debug)]
struct Moved {
    slot: u32,
    /// Σ w x of its points (m) and Σ w.
    place: DVec3,
    weight: f64,
}

impl Moved {
    fn arm(&self, bodies: &BodyDofs) -> DVec3 {
        self.place - bodies.pose[self.slot as usize].position * self.weight
    }

    /// Velocity (m/s) that a unit of impulse gives the contact there, along three axes together (1/kg).
    fn gives(&self, bodies: &BodyDofs, inverse: &[DMat3]) -> f64 {
        let (slot, arm) = (self.slot as usize, self.arm(bodies));
        let (mobility, inverse) = (&bodies.mobility[slot], inverse[slot]);
        let of = |a: DVec3| {
            let turn = arm.cross(a);
            mobility.linear(a).dot(a) * (self.weight * self.weight) / bodies.mass[slot]
                + turn.dot(inverse * turn)
        };
        of(DVec3::unit_x()) + of(DVec3::unit_y()) + of(DVec3::unit_z())
    }
}

/// What the contacts of all rigid bodies take; kept from step to step for its memory alone.
#[derive(Clone, Debug, Default)]
pub struct Pulls {
    /// Index of each body's sum; [`NONE`] where nothing touches it.
    at: Vec<u32>,
    sums: Vec<(u32, Pulled)>,
    moved: Vec<Moved>,
    gives: Vec<f64>,
    /// Inverse inertia of each body about its centre, in world axes.
    inverse: Vec<DMat3>,
    /// The part that friction may have, by slot.
    part: Vec<f64>,
}

impl Pulls {
    /// For a step of these bodies.
    pub fn begin(&mut self, bodies: &BodyDofs) {
        self.sums.clear();
        self.at.clear();
        self.at.resize(bodies.len(), NONE);
        self.inverse.clear();
        self.inverse.extend(bodies.mobility.iter().zip(&bodies.pose).map(|(m, pose)| m.inverse_at(pose)));
    }

    /// A contact with this normal takes so much along and across it (kg).
    pub fn add(
        &mut self,
        (map, bodies): (&SurfaceMap, &BodyDofs),
        touched: &Touched<'_>,
        normal: DVec3,
        takes: [f64; 2],
    ) {
        self.find(map, bodies, touched);
        self.gives.clear();
        // One that is moved alone takes all.
        match &self.moved[..] {
            [_] => self.gives.push(1.0),
            moved => self.gives.extend(moved.iter().map(|m| m.gives(bodies, &self.inverse))),
        }
        let total: f64 = self.gives.iter().sum();
        for (m, &own) in self.moved.iter().zip(&self.gives) {
            if !(own > 0.0 && total.is_finite()) {
                continue;
            }
            let slot = m.slot as usize;
            if self.at[slot] == NONE {
                self.at[slot] = self.sums.len() as u32;
                self.sums.push((m.slot, Pulled::default()));
            }
            let pull = Pull { arm: m.arm(bodies), normal, takes: takes.map(|t| t * total / own) };
            self.sums[self.at[slot] as usize].1.add(&pull, m.weight);
        }
    }

    /// The rigid bodies that a contact moves.
    fn find(&mut self, map: &SurfaceMap, bodies: &BodyDofs, touched: &Touched<'_>) {
        self.moved.clear();
        let rigid = |slot: u32| bodies.kind[slot as usize] == BodyKind::Rigid;
        for (&v, &weight) in touched.stencil.iter().zip(touched.weight).filter(|(v, _)| **v != NONE) {
            let (slot, place) = (map.body_of(v), touched.x[v as usize] * weight);
            match self.moved.iter_mut().find(|m| m.slot == slot) {
                Some(m) => (m.place, m.weight) = (m.place + place, m.weight + weight),
                None if rigid(slot) => self.moved.push(Moved { slot, place, weight }),
                None => {}
            }
        }
        let plane = touched.plane.filter(|slot| rigid(*slot));
        if let Some((&v, slot)) = touched.stencil.first().zip(plane) {
            self.moved.push(Moved { slot, place: -touched.x[v as usize], weight: -1.0 });
        }
    }

    /// The part of its stiffness and of its damping that the friction of each pair may have.
    pub fn parts(&mut self, bodies: &BodyDofs, pairs: &Pairs, out: &mut Vec<f64>) {
        self.part.clear();
        self.part.resize(bodies.len(), 1.0);
        for (slot, sum) in &self.sums {
            let b = *slot as usize;
            let (mobility, mass) = (&bodies.mobility[b], bodies.mass[b]);
            self.part[b] = sum.part(|v| mobility.linear(v) / mass, &self.inverse[b]);
        }
        out.clear();
        let part = |slot: u32| self.part[slot as usize];
        out.extend(pairs.a.iter().zip(&pairs.b).map(|(&a, &b)| part(a).min(part(b))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What corners of a cube take together, each along and across.
    fn cube(mass: f64, edge: f64, corners: &[(DVec3, DVec3)], takes: [f64; 2]) -> [f64; 2] {
        let mut sum = Pulled::default();
        for &(arm, normal) in corners {
            sum.add(&Pull { arm: arm * (0.5 * edge), normal, takes }, 1.0);
        }
        let inverse = DMat3::identity() * (6.0 / (mass * edge * edge));
        sum.takes(|v| v / mass, &inverse)
    }

    #[test]
    fn a_cube_that_sticks_on_four_corners_takes_what_it_must() {
        let (m, a) = (2.0, 0.3);
        let corners = [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]
            .map(|[x, y]| (DVec3::new(x, y, -1.0), DVec3::unit_z()));
        // Slide x and turn about y: [[s, √1.5 s], [√1.5 s, 1.5 (s + n)]] with s and n of all four over m.
        for (n, s) in [(1.0f64, 1.0f64), (0.2, 1.0), (1.0, 0.2), (1.0, 0.0), (40.0, 9.0)] {
            let half = 0.5 * (s + 1.5 * (s + n));
            // Or turn about z: 3 s.
            let wanted = (half + ((half - s).powi(2) + 1.5 * s * s).sqrt()).max(3.0 * s);
            let [along, all] = cube(m, a, &corners, [n * m / 4.0, s * m / 4.0]);
            assert!((0.999..1.03).contains(&(all / wanted)), "{n} and {s}: {all} for {wanted}");
            assert!((0.999..1.03).contains(&(along / (1.5 * n))), "{n}: {along}");
            // With the part that it may have, all of it fits.
            let part = friction_part([along, all]);
            let [_, fits] = cube(m, a, &corners, [n * m / 4.0, part * s * m / 4.0]);
            assert!(fits <= FOLLOWED * 1.001 || along > FOLLOWED - LEAST, "{n} and {s}: {part}, {fits}");
        }
    }

    #[test]
    fn a_body_between_walls_takes_what_all_of_them_ask_for() {
        let walls = |ways: &[DVec3]| -> Vec<(DVec3, DVec3)> {
            let of = |n: DVec3| {
                let [t, s] = tangents(n);
                [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(x, y)| (n + t * x + s * y, n))
            };
            ways.iter().flat_map(|&n| of(n)).collect()
        };
        let (x, y) = (DVec3::unit_x(), DVec3::unit_y());
        let [_, two] = cube(1.0, 0.2, &walls(&[x, -x]), [0.0, 0.05]);
        let [_, four] = cube(1.0, 0.2, &walls(&[x, -x, y, -y]), [0.0, 0.05]);
        // A turn about the axis of two walls: 8 corners, 3 times each. The other two add what is half as long.
        for (takes, turn) in [(two, 8.0 * 3.0), (four, 8.0 * 3.0 + 8.0 * 1.5)] {
            assert!((0.999..1.03).contains(&(takes / (0.05 * turn))), "{takes} for {turn}");
        }
    }
}
