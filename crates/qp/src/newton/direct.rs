//! Newton's systems of friction as they are, unsymmetric where contacts slip, by elimination in blocks: of bodies that no element joins, whose K
//! is its diagonal.

use crate::block_lu::{Block, BlockLu};
use crate::problem::Problem;
use crate::rows::RowKind;
use crate::step::{Lagrangian, Side};
use impinge_geometry::DVec3;

/// Blocks up to which it is used: its order of elimination takes memory by the square of them.
const MOST: usize = 2048;

/// A contact that slips: how its tangents answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slip {
    pub normal: usize,
    pub tangents: [usize; 2],
    /// Unit of the force.
    pub along: [f64; 2],
    /// Weight across the force, and of what follows the normal force.
    pub across: f64,
    pub follows: f64,
}

/// A contact with its friction, or another row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Group {
    /// Its row, and those of its tangents where it has friction.
    rows: [u32; 3],
    rubs: bool,
    /// Where its blocks begin, how many there are, and where their slots begin.
    from: u32,
    count: u32,
    slots: u32,
}

/// `K + Jᵀ Z J`, with Z the derivative of λ by the residuals of the rows, group by group.
#[derive(Debug, Default)]
pub(super) struct Direct {
    lu: BlockLu,
    groups: Vec<Group>,
    /// Group of each row.
    group_of: Vec<u32>,
    blocks: Vec<u32>,
    /// Three for each block of a group: of its row, and of its tangents; each component thrice, as it stands in a product of blocks.
    gradients: Vec<[Block; 3]>,
    slots: Vec<u32>,
    diagonal: Vec<u32>,
    /// Of the blocks of a row among those of its group.
    places: Vec<usize>,
    /// What pattern and order are of: blocks of K, groups, and their blocks. Islands of one shape come one after the other.
    of: (usize, Vec<Group>, Vec<u32>),
    z: Vec<Block>,
    /// The Z that is factored.
    factored: Vec<Block>,
    usable: bool,
    /// Factors made since somebody asked.
    pub(super) made: u32,
    /// The problem is one for this, and its pattern is known.
    suits: bool,
    analysed: bool,
    x: (Vec<[f64; 3]>, Vec<[f64; 3]>),
}

impl Direct {
    /// Takes a problem; `false` where blocks of K know each other, or there are too many.
    pub(super) fn prepare(&mut self, p: &Problem<'_>) -> bool {
        self.suits = p.is_apart() && p.b.len() <= MOST;
        (self.analysed, self.usable) = (false, false);
        self.suits
    }

    /// What [`Direct::prepare`] said last.
    pub(super) fn suits(&self) -> bool {
        self.suits
    }

    /// Finds groups, pattern and order. Not before a system is to be solved: of what rests none is.
    fn analyse(&mut self, p: &Problem<'_>) {
        self.analysed = true;
        self.groups.clear();
        self.group_of.clear();
        self.group_of.resize(p.rows.len(), u32::MAX);
        for f in p.rows.friction() {
            let rows = [f.normal, f.tangent[0], f.tangent[1]];
            rows.iter().for_each(|&r| self.group_of[r as usize] = self.groups.len() as u32);
            self.groups.push(Group { rows, rubs: true, ..Group::default() });
        }
        for i in 0..p.rows.len() {
            if p.rows.kinds()[i] != RowKind::Tangent && self.group_of[i] == u32::MAX {
                self.group_of[i] = self.groups.len() as u32;
                self.groups.push(Group { rows: [i as u32; 3], ..Group::default() });
            }
        }
        let Self { lu, groups, blocks, gradients, slots, diagonal, places, of, .. } = self;
        blocks.clear();
        gradients.clear();
        for g in groups.iter_mut() {
            let from = blocks.len();
            let rows = if g.rubs { &g.rows[..] } else { &g.rows[..1] };
            let of = |r: u32| p.rows.row(r as usize).blocks;
            // Tangents are mostly over the blocks of their normal, in their order.
            let alike = rows.iter().all(|&r| of(r) == of(rows[0]));
            let named = if alike { &rows[..1] } else { rows };
            named.iter().for_each(|&r| blocks.extend_from_slice(of(r)));
            blocks[from..].sort_unstable();
            let mut at = from;
            for i in from..blocks.len() {
                if i == from || blocks[i] != blocks[at - 1] {
                    blocks[at] = blocks[i];
                    at += 1;
                }
            }
            blocks.truncate(at);
            (g.from, g.count) = (from as u32, (at - from) as u32);
            gradients.resize(at, [[0.0; 9]; 3]);
            for (k, &r) in rows.iter().enumerate() {
                let row = p.rows.row(r as usize);
                if k == 0 || !alike {
                    places.clear();
                    places.extend(row.blocks.iter().map(|b| blocks[from..].binary_search(b).unwrap_or(0)));
                }
                for (&place, v) in places.iter().zip(row.gradients) {
                    let v = [v.x, v.x, v.x, v.y, v.y, v.y, v.z, v.z, v.z];
                    gradients[from + place][k].iter_mut().zip(v).for_each(|(g, v)| *g += v);
                }
            }
        }
        let mut first = 0;
        for g in groups.iter_mut() {
            g.slots = first;
            first += g.count * g.count;
        }
        if of.0 == p.b.len() && of.1 == *groups && of.2 == *blocks {
            return;
        }
        of.0 = p.b.len();
        of.1.clone_from(groups);
        of.2.clone_from(blocks);
        lu.analyse(p.b.len(), groups.iter().map(|g| &blocks[g.from as usize..][..g.count as usize]));
        diagonal.clear();
        diagonal.extend((0..p.b.len() as u32).map(|i| lu.slot(i, i)));
        slots.clear();
        for g in groups.iter() {
            let of = &blocks[g.from as usize..][..g.count as usize];
            slots
                .extend(of.iter().flat_map(|&a| of.iter().map(move |&b| (a, b))).map(|(a, b)| lu.slot(a, b)));
        }
    }

    /// Factors at the sides of `phi` with these slips, unless that is what is factored; `false` where there are no factors.
    pub(super) fn factor(&mut self, p: &Problem<'_>, phi: &Lagrangian, slips: &[Slip]) -> bool {
        if !self.suits {
            return false;
        }
        if !self.analysed {
            self.analyse(p);
        }
        self.z.clear();
        self.z.extend(self.groups.iter().map(|g| {
            let [n, a, _] = g.rows.map(|r| r as usize);
            let normal = if phi.side[n] == Side::Active { phi.weight[n] } else { 0.0 };
            let across = if g.rubs && phi.side[a] == Side::Active { phi.weight[a] } else { 0.0 };
            [normal, 0.0, 0.0, 0.0, across, 0.0, 0.0, 0.0, across]
        }));
        for s in slips {
            let z = &mut self.z[self.group_of[s.normal] as usize];
            let [x, y] = s.along;
            z[3..].copy_from_slice(&[
                s.follows * x,
                s.across * y * y,
                -s.across * x * y,
                s.follows * y,
                -s.across * x * y,
                s.across * x * x,
            ]);
        }
        if self.usable && self.z == self.factored {
            return true;
        }
        self.assemble(p);
        self.made += 1;
        std::mem::swap(&mut self.z, &mut self.factored);
        self.usable = self.lu.factor();
        self.usable
    }

    fn assemble(&mut self, p: &Problem<'_>) {
        let Self { lu, groups, gradients, slots, diagonal, z, .. } = self;
        lu.clear();
        for (d, &slot) in p.k.matrix().diagonal().iter().zip(&*diagonal) {
            *lu.value(slot) = *d;
        }
        for (g, z) in groups.iter().zip(&*z).filter(|(_, z)| **z != [0.0; 9]) {
            let count = g.count as usize;
            let gradients = &gradients[g.from as usize..][..count];
            let slots = &slots[g.slots as usize..][..count * count];
            for (b, gb) in gradients.iter().enumerate() {
                // What each row answers to a motion of this block, along each component of another.
                let h: [Block; 3] = std::array::from_fn(|r| {
                    std::array::from_fn(|e| {
                        let c = 3 * (e % 3);
                        z[3 * r] * gb[0][c] + z[3 * r + 1] * gb[1][c] + z[3 * r + 2] * gb[2][c]
                    })
                });
                for (a, ga) in gradients.iter().enumerate() {
                    let v = lu.value(slots[a * count + b]);
                    // All nine at once: what is written may be what is read, as far as a compiler knows.
                    let sum: Block = std::array::from_fn(|e| {
                        v[e] + (ga[0][e] * h[0][e] + ga[1][e] * h[1][e] + ga[2][e] * h[2][e])
                    });
                    *v = sum;
                }
            }
        }
    }

    /// `d += A⁻¹ r`.
    pub(super) fn add_solution(&mut self, r: &[DVec3], d: &mut [DVec3]) {
        let (b, x) = &mut self.x;
        b.clear();
        b.extend(r.iter().map(|v| [v.x, v.y, v.z]));
        x.clear();
        x.resize(b.len(), [0.0; 3]);
        self.lu.solve(b, x);
        d.iter_mut().zip(&*x).for_each(|(d, x)| *d += DVec3::new(x[0], x[1], x[2]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Rows;
    use impinge_solvers::{BlockMatrix, BlockPattern, System};

    /// Three bodies in a ring of contacts: one slips, one sticks, one is open, and one row has no friction.
    #[test]
    fn a_direction_is_that_of_the_derivative() {
        let mut rows = Rows::new();
        let at = |k: usize| DVec3::new(0.3 + 0.1 * k as f64, -0.2, 0.9 - 0.2 * k as f64);
        let (t, u) = (DVec3::new(0.8, 0.1, -0.2), DVec3::new(0.1, 0.9, 0.3));
        for (k, [a, b]) in [[0u32, 1], [1, 2], [2, 0]].into_iter().enumerate() {
            let both = |g: DVec3| [(a, g), (b, -g)];
            let normal = rows.push(RowKind::Contact, k as u64, 0.0, &both(at(k))).unwrap();
            rows.push_friction(normal, 0.7, [&both(t), &[(a, u)]], [0.0; 2]).unwrap();
        }
        rows.push(RowKind::Other, 9, 0.0, &[(1, DVec3::unit_y())]).unwrap();
        let pattern = BlockPattern::new(3, std::iter::empty::<&[u32]>()).unwrap();
        let values = [1.0, 2.0, 4.0].map(|m| [m, 0.1, 0.0, 0.1, m, 0.2, 0.0, 0.2, m]);
        let b = [DVec3::zero(); 3];
        let p = Problem::of_nodes(System::new(BlockMatrix::new(&pattern, &values).unwrap()), &b, &rows);
        let mut phi = Lagrangian { centre: vec![0.0; 10], weight: vec![50.0; 10], ..Lagrangian::default() };
        phi.side = vec![Side::Active; 10];
        (phi.side[1], phi.side[2]) = (Side::Slip, Side::Slip);
        (6..9).for_each(|i| phi.side[i] = Side::Inactive);
        let slips = [Slip { normal: 0, tangents: [1, 2], along: [0.6, -0.8], across: 20.0, follows: 35.0 }];
        let mut direct = Direct::default();
        assert!(direct.prepare(&p));
        let rhs = [DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.1, -1.0), DVec3::new(-0.7, 0.4, 0.2)];
        for _ in 0..2 {
            assert!(direct.factor(&p, &phi, &slips));
            let mut d = [DVec3::zero(); 3];
            direct.add_solution(&rhs, &mut d);
            let (mut a, mut z) = (Vec::new(), vec![0.0; 10]);
            rows.apply(&d, &mut a);
            phi.answer(&slips, &a, &mut z);
            let mut left = rhs;
            rows.apply_transposed(&z.iter().map(|z| -z).collect::<Vec<_>>(), &mut left);
            for (i, left) in left.iter().enumerate() {
                let kd = crate::problem::mul(&values[i], d[i]);
                assert!((*left - kd).mag() < 1e-12, "{i}: {left:?} against {kd:?}");
            }
        }
    }

    #[test]
    fn blocks_of_k_that_know_each_other_are_not_for_this() {
        let pattern = BlockPattern::new(2, [&[0u32, 1][..]]).unwrap();
        let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let values = [unit, unit, [0.0; 9]];
        let (b, rows) = ([DVec3::zero(); 2], Rows::new());
        let p = Problem::of_nodes(System::new(BlockMatrix::new(&pattern, &values).unwrap()), &b, &rows);
        assert!(!Direct::default().prepare(&p));
    }
}
