//! How the impulses of the contacts change with the motion, from one trial of the implicit step.
//!
//! Only a trial that Newton's method goes on from is asked for it. What acts between two rigid bodies is added up over all contacts of
//! the pair, to one block of six rows for each body: their motion is all it depends on, and the linear solver comes back to it many times.

use super::acting::{ActingPlane, Gathered, Setting};
use super::inverse_blocks::Six;
use super::unknowns::{Reach, Turn};
use impinge_contact::{NONE, Surface, par};
use impinge_geometry::{DMat3, DVec3, add, outer, scale, skew};

/// Pairs of bodies made in one go.
const CHUNK: usize = 8;

/// −∂(impulses)/∂w.
#[derive(Default)]
pub(crate) struct Stiffness {
    /// Contacts by pair of bodies, and what they come to.
    runs: Vec<Run>,
    between: Vec<Between>,
    /// Contacts that hang on nodes.
    nodal: Vec<Nodal>,
}

/// The contacts of a pair of rigid bodies: a range of those of features, or of those with planes.
#[derive(Clone, Copy)]
enum Run {
    Mesh(u32, u32),
    Planes(u32, u32),
}

/// What moves of one rigid body do to another: `blocks[i][j]` of body j on body i.
#[derive(Clone, Copy)]
struct Between {
    /// Linear blocks; [`NONE`] for what does not move.
    at: [u32; 2],
    blocks: [[Six; 2]; 2],
}

/// One contact with nodes.
struct Nodal {
    reach: [Reach; 4],
    impulse: [DVec3; 4],
    stiff: [[DMat3; 4]; 4],
}

fn zero() -> DMat3 {
    DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero())
}

const fn none() -> Six {
    let z = DVec3 { x: 0.0, y: 0.0, z: 0.0 };
    let z = DMat3 { cols: [z; 3] };
    [[z; 2]; 2]
}

impl Stiffness {
    /// That of the contacts of a trial that ended on `surface`.
    pub fn build(&mut self, s: &Setting<'_>, found: &Gathered, surface: &Surface, turns: &[Turn]) {
        self.runs.clear();
        self.nodal.clear();
        let mut from = 0;
        for run in found.mesh.chunk_by(|a, b| a.pair == b.pair) {
            let to = from + run.len();
            let nodes = |r: &Reach| matches!(r, Reach::Nodes(..));
            if run.iter().any(|a| a.reach.iter().any(nodes)) {
                self.nodal.extend(run.iter().map(|a| Nodal {
                    reach: a.reach,
                    impulse: a.impulse,
                    stiff: found.stiff(s, surface, a),
                }));
            } else {
                self.runs.push(Run::Mesh(from as u32, to as u32));
            }
            from = to;
        }
        let mut from = 0;
        for run in found.planes.chunk_by(|a, b| a.pair == b.pair) {
            let to = from + run.len();
            if matches!(run[0].reach, Reach::Nodes(..)) {
                self.nodal.extend(run.iter().map(Nodal::on_plane));
            } else {
                self.runs.push(Run::Planes(from as u32, to as u32));
            }
            from = to;
        }
        self.between.resize(self.runs.len(), Between { at: [NONE; 2], blocks: [[none(); 2]; 2] });
        let runs = &self.runs;
        par::fill(&mut self.between, CHUNK, |i, between| {
            between.at = [NONE; 2];
            between.blocks = [[none(); 2]; 2];
            let mut bodies = [0; 2];
            match runs[i] {
                Run::Mesh(from, to) => {
                    for a in &found.mesh[from as usize..to as usize] {
                        between.add(&mut bodies, (&a.reach, &a.impulse), &found.stiff(s, surface, a));
                    }
                }
                Run::Planes(from, to) => {
                    for p in &found.planes[from as usize..to as usize] {
                        between.add_plane(&mut bodies, p);
                    }
                }
            }
            between.finish(bodies.map(|b| &turns[b as usize].tangent), s.dt);
        });
    }

    /// Applied to `p`, added to `y`.
    pub fn apply(&self, p: &[DVec3], turns: &[Turn], dt: f64, y: &mut [DVec3]) {
        for b in &self.between {
            for i in (0..2).filter(|&i| b.at[i] != NONE) {
                let row = b.at[i] as usize;
                let (mut along, mut about) = (y[row], y[row + 1]);
                for j in (0..2).filter(|&j| b.at[j] != NONE) {
                    let (v, w) = (p[b.at[j] as usize], p[b.at[j] as usize + 1]);
                    let m = &b.blocks[i][j];
                    along += m[0][0] * v + m[0][1] * w;
                    about += m[1][0] * v + m[1][1] * w;
                }
                (y[row], y[row + 1]) = (along, about);
            }
        }
        for c in &self.nodal {
            let moved = c.reach.map(|r| r.moved(p, turns, dt));
            for i in 0..4 {
                let q = (0..4).fold(DVec3::zero(), |q, j| q + c.stiff[i][j] * moved[j]);
                c.reach[i].push(q, y);
                c.reach[i].turned(-c.impulse[i], p, turns, dt, y);
            }
        }
    }

    /// Adds the blocks on the diagonal: of three rows, and linear by angular and angular by linear of rigid bodies.
    pub fn add_diagonal(&self, turns: &[Turn], dt: f64, diagonal: &mut [DMat3], mixed: &mut [[DMat3; 2]]) {
        for b in &self.between {
            for i in (0..2).filter(|&i| b.at[i] != NONE) {
                let (at, m) = (b.at[i] as usize, &b.blocks[i][i]);
                diagonal[at] = add(&diagonal[at], &m[0][0]);
                mixed[at] = [add(&mixed[at][0], &m[0][1]), add(&mixed[at][1], &m[1][0])];
                diagonal[at + 1] = add(&diagonal[at + 1], &m[1][1]);
            }
        }
        let mut enter = |from: &Reach, to: &Reach, stiff: &DMat3| match (from, to) {
            (Reach::Nodes(i, wi), Reach::Nodes(j, wj)) => {
                for a in 0..4 {
                    for b in (0..4).filter(|&b| j[b] == i[a]) {
                        let d = &mut diagonal[i[a] as usize];
                        *d = add(d, &scale(stiff, wi[a] * wj[b] * dt));
                    }
                }
            }
            (Reach::Rigid(i, body, _, mean), Reach::Rigid(j, _, arm, _)) if i == j => {
                let at = *i as usize;
                let back = skew(*mean);
                let turn = scale(&(skew(*arm) * turns[*body as usize].tangent), -1.0);
                diagonal[at] = add(&diagonal[at], &scale(stiff, dt));
                mixed[at][0] = add(&mixed[at][0], &scale(&(*stiff * turn), dt));
                mixed[at][1] = add(&mixed[at][1], &scale(&(back * *stiff), dt));
                diagonal[at + 1] = add(&diagonal[at + 1], &scale(&(back * *stiff * turn), dt));
            }
            _ => {}
        };
        for c in &self.nodal {
            for i in 0..4 {
                for j in 0..4 {
                    enter(&c.reach[i], &c.reach[j], &c.stiff[i][j]);
                }
            }
        }
    }
}

impl Nodal {
    /// A vertex on a plane, which does not answer.
    fn on_plane(p: &ActingPlane) -> Self {
        let mut stiff = [[zero(); 4]; 4];
        stiff[0][0] = p.stiff;
        let mut impulse = [DVec3::zero(); 4];
        impulse[0] = p.impulse;
        Self { reach: [p.reach, Reach::Held, Reach::Held, Reach::Held], impulse, stiff }
    }
}

/// `a` × each column of `m`, added to `to`.
fn add_moment(to: &mut DMat3, a: DVec3, m: &DMat3) {
    for (to, m) in to.cols.iter_mut().zip(&m.cols) {
        *to += a.cross(*m);
    }
}

impl Between {
    /// Which of the two bodies a vertex is of, if that moves; the first that comes is the first.
    fn side(&mut self, bodies: &mut [u32; 2], reach: &Reach) -> Option<usize> {
        let Reach::Rigid(at, body, ..) = *reach else { return None };
        let i = if self.at[0] == NONE || self.at[0] == at { 0 } else { 1 };
        (self.at[i], bodies[i]) = (at, body);
        Some(i)
    }

    /// Adds a contact, with turns δψ in the place of δθ and without Δt.
    fn add(
        &mut self,
        bodies: &mut [u32; 2],
        (reach, impulse): (&[Reach; 4], &[DVec3; 4]),
        stiff: &[[DMat3; 4]; 4],
    ) {
        let side = [0, 1, 2, 3].map(|i: usize| self.side(bodies, &reach[i]));
        for i in 0..4 {
            let (Some(si), Reach::Rigid(_, _, end, mean)) = (side[i], reach[i]) else { continue };
            // By the motion of either body and its turn, on point i.
            let mut along = [zero(); 2];
            let mut about = [zero(); 2];
            for j in 0..4 {
                let (Some(sj), Reach::Rigid(_, _, arm, _)) = (side[j], reach[j]) else { continue };
                let k = &stiff[i][j];
                along[sj] = add(&along[sj], k);
                // −K [arm]×
                let [x, y, z] = k.cols;
                about[sj].cols[0] += z * arm.y - y * arm.z;
                about[sj].cols[1] += x * arm.z - z * arm.x;
                about[sj].cols[2] += y * arm.x - x * arm.y;
            }
            for sj in (0..2).filter(|&sj| side.contains(&Some(sj))) {
                let block = &mut self.blocks[si][sj];
                block[0][0] = add(&block[0][0], &along[sj]);
                block[0][1] = add(&block[0][1], &about[sj]);
                add_moment(&mut block[1][0], mean, &along[sj]);
                add_moment(&mut block[1][1], mean, &about[sj]);
            }
            self.turn(si, end, impulse[i]);
        }
    }

    fn add_plane(&mut self, bodies: &mut [u32; 2], p: &ActingPlane) {
        let (Some(side), Reach::Rigid(_, _, arm, mean)) = (self.side(bodies, &p.reach), p.reach) else {
            return;
        };
        let block = &mut self.blocks[side][side];
        let about = scale(&(p.stiff * skew(arm)), -1.0);
        block[0][0] = add(&block[0][0], &p.stiff);
        block[0][1] = add(&block[0][1], &about);
        add_moment(&mut block[1][0], mean, &p.stiff);
        add_moment(&mut block[1][1], mean, &about);
        self.turn(side, arm, p.impulse);
    }

    /// What the turn of an arm changes in the moment of an impulse: −½ (ψ × a) × p = −½ (a pᵀ − a·p) ψ.
    fn turn(&mut self, side: usize, arm: DVec3, impulse: DVec3) {
        let block = &mut self.blocks[side][side][1][1];
        let along = arm.dot(impulse);
        *block = add(block, &scale(&outer(arm, impulse), -0.5));
        for c in 0..3 {
            block.cols[c][c] += 0.5 * along;
        }
    }

    /// From δψ to δθ, and from positions to velocities.
    fn finish(&mut self, tangents: [&DMat3; 2], dt: f64) {
        for row in &mut self.blocks {
            for (block, tangent) in row.iter_mut().zip(tangents) {
                for half in block {
                    *half = [scale(&half[0], dt), scale(&(half[1] * *tangent), dt)];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks of a pair of bodies are what its contacts do point by point, whichever body a contact begins with.
    #[test]
    fn blocks_of_a_pair_are_its_points() {
        let seed = std::cell::Cell::new(5u64);
        let number = || {
            seed.set(seed.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
            (seed.get() >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let vector = || DVec3::new(number(), number(), number());
        let matrix = || DMat3::new(vector(), vector(), vector());
        let turns: Vec<Turn> =
            (0..3).map(|_| Turn { before: zero(), after: zero(), tangent: matrix() }).collect();
        let dt = 0.01;
        // Bodies 0 and 2 move, with blocks 4 and 0; body 1 does not.
        for (second, still) in [(2, false), (1, true)] {
            let (mut by_points, mut by_blocks) = (Stiffness::default(), Stiffness::default());
            let mut between = Between { at: [NONE; 2], blocks: [[none(); 2]; 2] };
            let mut bodies = [0; 2];
            for (turned, on_first) in [(false, 1), (true, 2), (true, 3)] {
                let reach = [0, 1, 2, 3].map(|i| match ((i < on_first) != turned, still) {
                    (true, _) => Reach::Rigid(4, 0, vector(), vector()),
                    (false, true) => Reach::Held,
                    (false, false) => Reach::Rigid(0, second, vector(), vector()),
                });
                let impulse = [0; 4].map(|_| vector());
                let stiff = [[0; 4]; 4].map(|row| row.map(|_| matrix()));
                between.add(&mut bodies, (&reach, &impulse), &stiff);
                by_points.nodal.push(Nodal { reach, impulse, stiff });
            }
            between.finish(bodies.map(|b| &turns[b as usize].tangent), dt);
            by_blocks.between.push(between);
            let p: Vec<DVec3> = (0..6).map(|_| vector()).collect();
            let [points, blocks] = [&by_points, &by_blocks].map(|s| {
                let mut y = vec![DVec3::zero(); 6];
                s.apply(&p, &turns, dt, &mut y);
                y
            });
            let size = points.iter().map(|y| y.mag()).fold(0.0, f64::max);
            for (a, b) in points.iter().zip(&blocks) {
                assert!((*a - *b).mag() <= 1e-14 * size, "{points:?} {blocks:?}");
            }
            assert_eq!(points[0] == DVec3::zero(), still);
        }
    }
}
