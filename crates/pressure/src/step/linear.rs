//! The linear system of a Newton iteration: (M − Δt² ∂W/∂q − Δt ∂W/∂u) δ = −r, six unknowns a body.
//!
//! It is kept until it is made anew, so that an iteration may use the tangent of the one before. Few bodies are solved by an LU
//! factor, checked and refined by the residual; many, and what has no factor, by GMRES with the blocks of single bodies as
//! preconditioner. Turns are counted by the way they make at about the radius of gyration: sizes and pivots then do not depend on how long a metre is.

use super::forces::{Lever, tangent};
use super::newton::Given;
use super::tables::PressurePatch;
use super::trial::{Twists, spin_of};
use crate::Matrix12;
use impinge_contact::{NONE, par};
use impinge_geometry::{DMat3, DVec3, Pose, power_of_two};
use impinge_solvers::{DenseLu, GmresWorkspace, Settings, gmres};

/// Unknowns up to which a dense factor is made: twenty bodies.
const DENSE: usize = 120;
/// Residual of the linear system over its right side.
const TOLERANCE: f64 = 1e-9;
/// Corrections of an answer of the factor.
const CORRECTIONS: u32 = 3;

/// The unknown bodies.
pub(crate) struct Masses<'a> {
    pub given: &'a Given<'a>,
    pub slots: &'a [u32],
    /// Where each slot stands among them.
    pub index: &'a [u32],
    pub masses: &'a [(DVec3, DMat3)],
}

/// What a patch adds; nothing where it does not touch.
#[derive(Default)]
struct Tangent {
    touches: bool,
    of: Matrix12,
}

impl Tangent {
    fn get(&self) -> Option<&Matrix12> {
        self.touches.then_some(&self.of)
    }
}

/// The system and what solves it.
#[derive(Default)]
pub(crate) struct Linear {
    tangents: Vec<Tangent>,
    inverses: Vec<[[f64; 6]; 6]>,
    /// Of each body: a power of two near its radius of gyration (m), and its masses in terms of it.
    lengths: Vec<f64>,
    masses: Vec<(DVec3, DMat3)>,
    lu: DenseLu,
    factored: bool,
    right: Vec<DVec3>,
    left: Vec<DVec3>,
    b: Vec<f64>,
    x: Vec<f64>,
    gmres: GmresWorkspace,
}

fn six(a: DVec3, b: DVec3) -> [f64; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

fn inverse(lu: &mut DenseLu, block: &[[f64; 6]; 6]) -> Option<[[f64; 6]; 6]> {
    lu.matrix_mut(6).copy_from_slice(block.as_flattened());
    lu.factor().ok()?;
    let mut out = [[0.0; 6]; 6];
    for j in 0..6 {
        let (mut unit, mut column) = ([0.0; 6], [0.0; 6]);
        unit[j] = 1.0;
        lu.solve(&unit, &mut column);
        (0..6).for_each(|i| out[i][j] = column[i]);
    }
    Some(out)
}

fn flat(rows: &[DVec3], out: &mut Vec<f64>) {
    out.clear();
    out.extend(rows.iter().flat_map(|v| [v.x, v.y, v.z]));
}

impl Masses<'_> {
    /// Sides of a patch whose bodies are unknown, with their places.
    fn sides(&self, p: &PressurePatch) -> impl Iterator<Item = (usize, usize)> {
        let at = [self.index[p.a as usize], self.index[p.b as usize]];
        (0..2).filter(move |&s| at[s] != NONE).map(move |s| (s, at[s] as usize))
    }

    /// A power of two near the radius of gyration of a body (m): what is divided by it keeps its digits.
    fn length(&self, i: usize) -> f64 {
        let (bodies, s) = (&self.given.dofs.bodies, self.slots[i] as usize);
        let inertia = &bodies.inertia[s].cols;
        let radius = ((inertia[0].x + inertia[1].y + inertia[2].z) / bodies.mass[s]).sqrt();
        power_of_two(radius)
    }

    /// y = A x, two rows a body, with `masses` and tangents of turns by length.
    fn apply(
        &self,
        (masses, patches, tangents): (&[(DVec3, DMat3)], &[PressurePatch], &[Tangent]),
        x: &[DVec3],
        y: &mut [DVec3],
    ) {
        for i in 0..self.slots.len() {
            y[2 * i] = x[2 * i] * masses[i].0;
            y[2 * i + 1] = masses[i].1 * x[2 * i + 1];
        }
        for (p, t) in patches.iter().zip(tangents).filter_map(|(p, t)| Some((p, t.get()?))) {
            let mut u = [0.0; 12];
            for (side, i) in self.sides(p) {
                u[6 * side..6 * side + 6].copy_from_slice(&six(x[2 * i], x[2 * i + 1]));
            }
            for (side, i) in self.sides(p) {
                for k in 0..3 {
                    let row = |r: usize| t[r].iter().zip(&u).map(|(a, b)| a * b).sum::<f64>();
                    y[2 * i][k] += row(6 * side + k);
                    y[2 * i + 1][k] += row(6 * side + 3 + k);
                }
            }
        }
    }
}

impl Linear {
    /// Takes the tangents of all patches where the bodies are.
    pub fn make(&mut self, at: &Masses<'_>, patches: &[PressurePatch], poses: &[Pose], twists: &Twists) {
        let given = at.given;
        self.lengths.clear();
        self.lengths.extend((0..at.slots.len()).map(|i| at.length(i)));
        self.masses.clear();
        let turning = |m: &DMat3, l: f64| DMat3::new(m.cols[0] / l, m.cols[1] / l, m.cols[2] / l);
        self.masses.extend(at.masses.iter().zip(&self.lengths).map(|(m, l)| (m.0, turning(&m.1, l * l))));
        let lengths = &self.lengths;
        self.tangents.resize_with(patches.len(), Tangent::default);
        par::fill(&mut self.tangents, 1, |i, t| {
            let lever = Lever::new(&patches[i], given.dofs, poses);
            t.touches = tangent(&patches[i], poses, twists, &lever, given.dt, &mut t.of);
            let by = [patches[i].a, patches[i].b].map(|s| lengths.get(at.index[s as usize] as usize));
            for (side, l) in by.into_iter().enumerate().filter_map(|(side, l)| Some((side, l?))) {
                for turn in 6 * side + 3..6 * side + 6 {
                    t.of[turn].iter_mut().for_each(|x| *x /= l);
                    t.of.iter_mut().for_each(|row| row[turn] /= l);
                }
            }
        });
        self.inverses.clear();
        self.factored = 6 * at.slots.len() <= DENSE && self.factor(at, patches);
    }

    /// The dense factor; `false` where there is none.
    fn factor(&mut self, at: &Masses<'_>, patches: &[PressurePatch]) -> bool {
        let n = 6 * at.slots.len();
        let a = self.lu.matrix_mut(n);
        for i in 0..at.slots.len() {
            for k in 0..3 {
                a[(6 * i + k) * n + 6 * i + k] = self.masses[i].0[k];
                for j in 0..3 {
                    a[(6 * i + 3 + k) * n + 6 * i + 3 + j] = self.masses[i].1.cols[j][k];
                }
            }
        }
        for (p, t) in patches.iter().zip(&self.tangents).filter_map(|(p, t)| Some((p, t.get()?))) {
            for (rows, i) in at.sides(p) {
                for (columns, j) in at.sides(p) {
                    for k in 0..6 {
                        let to = &mut a[(6 * i + k) * n + 6 * j..][..6];
                        let from = &t[6 * rows + k][6 * columns..][..6];
                        to.iter_mut().zip(from).for_each(|(x, y)| *x += y);
                    }
                }
            }
        }
        self.lu.factor().is_ok()
    }

    /// δ for the residual `r`; returns the iterations it took: solves of the factor, or those of GMRES.
    pub fn solve(
        &mut self,
        at: &Masses<'_>,
        patches: &[PressurePatch],
        r: &[DVec3],
        delta: &mut [DVec3],
    ) -> u32 {
        delta.fill(DVec3::zero());
        self.right.clear();
        self.right.extend(r.iter().map(|r| *r * -1.0));
        self.right.chunks_exact_mut(2).zip(&self.lengths).for_each(|(r, l)| r[1] /= *l);
        let spent = self.solved(at, patches, delta);
        delta.chunks_exact_mut(2).zip(&self.lengths).for_each(|(d, l)| d[1] /= *l);
        spent
    }

    /// δ for the right side at hand.
    fn solved(&mut self, at: &Masses<'_>, patches: &[PressurePatch], delta: &mut [DVec3]) -> u32 {
        let mut spent = 0;
        if self.factored {
            let size = |v: &[DVec3]| v.iter().map(|x| x.mag_sq()).sum::<f64>().sqrt();
            let goal = TOLERANCE * size(&self.right);
            self.left.clone_from(&self.right);
            self.x.clear();
            self.x.resize(3 * self.right.len(), 0.0);
            while spent < CORRECTIONS {
                spent += 1;
                flat(&self.left, &mut self.b);
                self.lu.solve(&self.b, &mut self.x);
                for (d, x) in delta.iter_mut().zip(self.x.chunks_exact(3)) {
                    *d += DVec3::new(x[0], x[1], x[2]);
                }
                at.apply((&self.masses, patches, &self.tangents), delta, &mut self.left);
                self.left.iter_mut().zip(&self.right).for_each(|(y, b)| *y = *b - *y);
                if size(&self.left) <= goal {
                    return spent;
                }
            }
            delta.fill(DVec3::zero());
        }
        spent + self.iterate(at, patches, delta)
    }

    /// By GMRES.
    fn iterate(&mut self, at: &Masses<'_>, patches: &[PressurePatch], delta: &mut [DVec3]) -> u32 {
        if self.inverses.len() != at.slots.len() {
            self.blocks(at, patches);
        }
        let (masses, tangents, inverses) = (&self.masses, &self.tangents, &self.inverses);
        let mut apply = |x: &[DVec3], y: &mut [DVec3]| at.apply((masses, patches, tangents), x, y);
        let mut precondition = |r: &[DVec3], z: &mut [DVec3]| {
            for (i, m) in inverses.iter().enumerate() {
                let u = six(r[2 * i], r[2 * i + 1]);
                let row = |k: usize| m[k].iter().zip(&u).map(|(a, b)| a * b).sum::<f64>();
                z[2 * i] = DVec3::new(row(0), row(1), row(2));
                z[2 * i + 1] = DVec3::new(row(3), row(4), row(5));
            }
        };
        let unknowns = 3 * self.right.len();
        let settings = Settings { tolerance: TOLERANCE, max_iterations: 2 * unknowns as u32 };
        let (b, restart) = (&self.right, unknowns.min(200));
        gmres(&mut apply, &mut precondition, b, delta, restart, &settings, &mut self.gmres).iterations
    }

    /// The inverse block of every body.
    fn blocks(&mut self, at: &Masses<'_>, patches: &[PressurePatch]) {
        self.inverses.clear();
        let mut lu = DenseLu::new();
        let dofs = at.given.dofs;
        for i in 0..at.slots.len() {
            let mut block = [[0.0; 6]; 6];
            for k in 0..3 {
                block[k][k] = self.masses[i].0[k];
                (0..3).for_each(|j| block[3 + k][3 + j] = self.masses[i].1.cols[j][k]);
            }
            for (p, t) in patches.iter().zip(&self.tangents).filter_map(|(p, t)| Some((p, t.get()?))) {
                for (side, slot) in [(0, p.a), (1, p.b)] {
                    if slot == at.slots[i] {
                        for (row, from) in block.iter_mut().zip(&t[6 * side..]) {
                            row.iter_mut().zip(&from[6 * side..]).for_each(|(x, y)| *x += y);
                        }
                    }
                }
            }
            // A singular block is no preconditioner; the mass always is one.
            let plain = || {
                let mut m = [[0.0; 6]; 6];
                (0..3).for_each(|k| m[k][k] = 1.0 / at.masses[i].0[k]);
                let s = at.slots[i] as usize;
                for j in 0..3 {
                    let e = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()][j];
                    let w = spin_of(dofs, s, &dofs.bodies.pose[s], e);
                    (0..3).for_each(|k| m[3 + k][3 + j] = w[k] * self.lengths[i] * self.lengths[i]);
                }
                m
            };
            self.inverses.push(inverse(&mut lu, &block).unwrap_or_else(plain));
        }
    }
}
