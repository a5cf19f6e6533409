//! How stiff the friction of springs may be: all contacts of a body pull at it together.
//!
//! A spring k and a damper c on a mass m take (1 + 2a) k Δt²/4m + c Δt/2m of what an explicit step can follow, with the force of its start (a = 0), of
//! the way (½) or of its end (1). At 1 the mass goes to and fro from step to step for ever. Many contacts of a body take the largest eigenvalue of
//! M⁻¹ Σ Jᵀ L J. It is convex in L: where friction has the part p of its stiffness, all take no more than what lies at p between none of it and all of it.
//!
//! A contact between two that move is shared out between them: (x + y)² ≤ x²/u + y²/v for all u + v = 1. Here u and v go as what all contacts of
//! the one and of the other take of it, so that a heavy body is charged little for what a light one lies on it with. What is made of nodes is left out:
//! an implicit step holds them together, and they give less than their masses say.
//!
//! A body whose contacts take little even if each took most along the same way needs no matrix.

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
    /// What it takes.
    pub takes: Takes,
}

/// What a contact takes of a step: k Δt² and c Δt with the factors above (kg).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Takes {
    /// Along the normal.
    pub along: f64,
    /// Across it.
    pub across: f64,
    /// Its friction may act softer than its law says.
    pub yields: bool,
}

impl Takes {
    /// Times a number.
    fn times(self, by: f64) -> Self {
        Self { along: self.along * by, across: self.across * by, ..self }
    }
}

/// What the contacts of a rigid body take together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pulled {
    /// Σ Jᵀ L J of what does not yield.
    firm: Six,
    /// Of all.
    all: Six,
}

impl Pulled {
    /// One more, of which `weight` (1, or −1 of what is touched) is at the body.
    pub fn add(&mut self, pull: &Pull, weight: f64) {
        let [t, s] = tangents(pull.normal);
        let Takes { along, across, yields } = pull.takes;
        for (way, takes, firm) in [(pull.normal, along, true), (t, across, !yields), (s, across, !yields)] {
            let (push, turn) = (way * weight, pull.arm.cross(way));
            let j = [push.x, push.y, push.z, turn.x, turn.y, turn.z];
            if firm {
                add_square(&mut self.firm, &j, takes);
            }
            add_square(&mut self.all, &j, takes);
        }
    }

    /// What they take of a body whose velocity and spin answer an impulse so: without the friction that yields, and with it.
    #[must_use]
    pub fn takes(&self, linear: impl Fn(DVec3) -> DVec3, inverse_inertia: &DMat3) -> [f64; 2] {
        [&self.firm, &self.all].map(|sum| most(answered(sum, &linear, inverse_inertia)))
    }

    /// The part that friction may have: [`friction_part`], and fast where all of them together do not take much.
    #[must_use]
    pub fn part(&self, linear: impl Fn(DVec3) -> DVec3, inverse_inertia: &DMat3) -> f64 {
        if trace(&answered(&self.all, &linear, inverse_inertia)) <= FOLLOWED {
            return 1.0;
        }
        friction_part(self.takes(linear, inverse_inertia))
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

/// The largest eigenvalue, from above, of a matrix that has none below zero.
fn most(mut b: Six) -> f64 {
    let (mut most, mut root) = (1.0, 1.0);
    for squaring in 0..=SQUARINGS {
        if squaring > 0 {
            b = squared(&b);
        }
        // Divided out before the next one: nothing overflows.
        let size = trace(&b);
        if !(size > 0.0 && size.is_finite()) {
            return if squaring == 0 { size.max(0.0) } else { most };
        }
        most *= libm::pow(size, root);
        root *= 0.5;
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

/// The part of its stiffness and of its damping that friction may have beside what contacts take without it. A little is its own as long as they leave
/// something. Contacts that are too stiff by themselves are no matter of friction, which stays as it is.
///
/// ```
/// use impinge_contact::friction_part;
/// assert_eq!(friction_part([0.3, 0.8]), 1.0);
/// assert!((friction_part([0.3, 1.5]) - 0.5).abs() < 1e-12);
/// assert_eq!(friction_part([1.1, 1.5]), 1.0);
/// ```
#[must_use]
pub fn friction_part([firm, all]: [f64; 2]) -> f64 {
    if all <= FOLLOWED || firm >= FOLLOWED {
        return 1.0;
    }
    ((FOLLOWED - firm.min(FOLLOWED - LEAST)) / (all - firm)).min(1.0)
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

    /// The most velocity (m/s) that a unit of impulse gives the contact there, from above (1/kg).
    fn gives(&self, bodies: &BodyDofs) -> f64 {
        let slot = self.slot as usize;
        let inverse = bodies.mobility[slot].inverse_inertia().as_array();
        // The largest sum of a row bounds the eigenvalues, and is one where the axes are principal.
        let turn = (0..3).map(|r| inverse[r].abs() + inverse[r + 3].abs() + inverse[r + 6].abs());
        self.weight * self.weight / bodies.mass[slot] + self.arm(bodies).mag_sq() * turn.fold(0.0, f64::max)
    }
}

/// A contact at one of the bodies that it moves.
#[derive(Clone, Copy, Debug)]
struct Row {
    slot: u32,
    /// The other one; [`NONE`] where it does not move.
    other: u32,
    weight: f64,
    /// What it takes of the body, from above.
    most: f64,
    pull: Pull,
}

/// What the contacts of all rigid bodies take; kept from step to step for its memory alone.
#[derive(Clone, Debug, Default)]
pub struct Pulls {
    rows: Vec<Row>,
    moved: Vec<Moved>,
    /// By slot: what its contacts take of it, from above.
    taken: Vec<f64>,
    /// The same with its share of what is between two that move.
    shared: Vec<f64>,
    /// Index of each body's sum; [`NONE`] where it needs none.
    at: Vec<u32>,
    sums: Vec<(u32, Pulled)>,
    /// The part that friction may have, by slot.
    part: Vec<f64>,
}

impl Pulls {
    /// For a step of these bodies.
    pub fn begin(&mut self, bodies: &BodyDofs) {
        self.rows.clear();
        self.taken.clear();
        self.taken.resize(bodies.len(), 0.0);
    }

    /// A contact with this normal takes so much.
    pub fn add(
        &mut self,
        (map, bodies): (&SurfaceMap, &BodyDofs),
        touched: &Touched<'_>,
        normal: DVec3,
        takes: Takes,
    ) {
        self.find(map, bodies, touched);
        for (i, m) in self.moved.iter().enumerate() {
            let most = takes.along.max(takes.across) * m.gives(bodies);
            if !(most > 0.0 && most.is_finite()) {
                continue;
            }
            self.taken[m.slot as usize] += most;
            let other = self.moved.get(1 - i.min(1)).map_or(NONE, |o| o.slot);
            let pull = Pull { arm: m.arm(bodies), normal, takes };
            self.rows.push(Row { slot: m.slot, other, weight: m.weight, most, pull });
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

    /// The part of its stiffness and of its damping that the friction of each pair may have whose law `yields`; none in `out` where all have all of it.
    pub fn parts(&mut self, bodies: &BodyDofs, pairs: &Pairs, yields: &[bool], out: &mut Vec<f64>) {
        let Self { rows, taken, shared, at, sums, part, .. } = self;
        out.clear();
        let share = |row: &Row| match row.other {
            NONE => 1.0,
            other => 1.0 + taken[other as usize] / taken[row.slot as usize],
        };
        shared.clear();
        shared.resize(bodies.len(), 0.0);
        rows.iter().for_each(|row| shared[row.slot as usize] += row.most * share(row));
        if shared.iter().all(|s| *s <= FOLLOWED) {
            return;
        }
        sums.clear();
        at.clear();
        at.resize(bodies.len(), NONE);
        for row in rows.iter().filter(|row| shared[row.slot as usize] > FOLLOWED) {
            let at = &mut at[row.slot as usize];
            if *at == NONE {
                *at = sums.len() as u32;
                sums.push((row.slot, Pulled::default()));
            }
            let pull = Pull { takes: row.pull.takes.times(share(row)), ..row.pull };
            sums[*at as usize].1.add(&pull, row.weight);
        }
        part.clear();
        part.resize(bodies.len(), 1.0);
        for (slot, sum) in &*sums {
            let b = *slot as usize;
            let (mobility, mass) = (&bodies.mobility[b], bodies.mass[b]);
            part[b] = sum.part(|v| mobility.linear(v) / mass, &mobility.inverse_at(&bodies.pose[b]));
        }
        let part = |slot: u32| part[slot as usize];
        out.extend((0..pairs.len()).map(|p| {
            let may = yields.get(pairs.law[p] as usize) == Some(&true);
            if may { part(pairs.a[p]).min(part(pairs.b[p])) } else { 1.0 }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What corners of a cube take together, each along and across.
    fn cube(mass: f64, edge: f64, corners: &[(DVec3, DVec3)], [along, across]: [f64; 2]) -> [f64; 2] {
        let takes = Takes { along, across, yields: true };
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
        for (n, s) in
            [(0.05f64, 2.0f64), (0.2, 1.0), (0.4, 1.0), (0.5, 3.0), (1.0, 1.0), (1.0, 0.2), (40.0, 9.0)]
        {
            let half = 0.5 * (s + 1.5 * (s + n));
            // Or turn about z: 3 s.
            let wanted = (half + ((half - s).powi(2) + 1.5 * s * s).sqrt()).max(3.0 * s);
            let [along, all] = cube(m, a, &corners, [n * m / 4.0, s * m / 4.0]);
            assert!((0.999..1.03).contains(&(all / wanted)), "{n} and {s}: {all} for {wanted}");
            assert!((0.999..1.03).contains(&(along / (1.5 * n))), "{n}: {along}");
            // With the part that it may have all of it fits, where the rest leaves friction what it has at least.
            let part = friction_part([along, all]);
            let [_, fits] = cube(m, a, &corners, [n * m / 4.0, part * s * m / 4.0]);
            match along {
                leaves if leaves <= FOLLOWED - LEAST => {
                    assert!(part < 1.0 && fits <= FOLLOWED * 1.001, "{n} and {s}: {part}, {fits}")
                }
                _ => assert!(along >= FOLLOWED && part == 1.0, "{n} and {s}: {part} beside {along}"),
            }
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
