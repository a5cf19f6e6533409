//! Two levels: symmetric over-relaxation for what is short, rigid motions of aggregates for what is long.
//!
//! `M⁻¹ = SSOR + ½ Z (Zᵀ A Z)⁻¹ Zᵀ`. Z holds the six rigid motions of each aggregate, a connected piece of the block graph
//! (additive two-level method; aggregates as in Vaněk, Mandel and Brezina 1996, without their smoothing of Z, whose denser
//! coarse matrix is not earned back here). It is what stiff or quasi-static systems want: iterations no longer grow with the
//! number of nodes across the body. At the reference step it saves a quarter of the iterations and costs more than that.
//!
//! The coarse matrix is small and dense; it may lag. [`TwoLevel::update`] refreshes the smoother and rebuilds the coarse
//! matrix only when it is older than `max_age` updates or the last solve took 1.3 times the iterations of the first one
//! after a rebuild ([`TwoLevel::note`]); [`TwoLevel::coarse_age`] says how old it is.

use crate::dense::DenseCholesky;
use crate::matrix::{Block, mul};
use crate::pattern::{BlockPattern, NONE};
use crate::precondition::Preconditioner;
use crate::{Filter, MatrixError, Outcome, Ssor, System};
use impinge_geometry::DVec3;

/// Nodes of an aggregate where that gives few enough of them.
const AGGREGATE: usize = 160;
/// Aggregates aimed at: the coarse matrix has six rows for each and its factor costs their cube.
const MAX_AGGREGATES: usize = 96;
/// Most there can be, when the mesh falls apart into small pieces.
const MOST: usize = 128;
/// Weight of the coarse part: ½ was within 5 % of the best of ¼ … 2 over four decades of stiffness.
const WEIGHT: f64 = 0.5;

/// The preconditioner of one pattern.
#[derive(Clone, Debug, Default)]
pub struct TwoLevel {
    ssor: Ssor,
    /// Aggregate of each node, [`NONE`] where it takes no part.
    aggregate: Vec<u32>,
    /// The node relative to the middle of its aggregate, in units of the aggregate's radius.
    arm: Vec<DVec3>,
    free: Vec<Option<Block>>,
    count: usize,
    coarse: DenseCholesky,
    c: Vec<f64>,
    max_age: u32,
    age: u32,
    first: u32,
    last: u32,
}

impl TwoLevel {
    /// Aggregates the nodes. `positions` are those of the first rows; rows beyond (rigid bodies) are left to the smoother.
    #[must_use]
    pub fn new(pattern: &BlockPattern, positions: &[DVec3]) -> Self {
        let n = pattern.nodes();
        let used = positions.len().min(n);
        let (aggregate, count) = aggregates(pattern, used);
        let mut middle = vec![(DVec3::zero(), 0.0); count];
        let inside: Vec<usize> = (0..used).filter(|&i| aggregate[i] != NONE).collect();
        for &i in &inside {
            let m = &mut middle[aggregate[i] as usize];
            m.0 += positions[i];
            m.1 += 1.0;
        }
        let mut radius = vec![0.0f64; count];
        let mut arm = vec![DVec3::zero(); n];
        for &i in &inside {
            let a = aggregate[i] as usize;
            arm[i] = positions[i] - middle[a].0 / middle[a].1;
            radius[a] = radius[a].max(arm[i].mag());
        }
        for &i in &inside {
            let r = radius[aggregate[i] as usize];
            // A position that is not finite makes a poor aggregate, not a poor answer.
            arm[i] = if r > 0.0 && r.is_finite() { arm[i] / r } else { DVec3::zero() };
        }
        let ssor = Ssor::new(pattern, 1);
        Self { ssor, aggregate, arm, count, max_age: 20, ..Self::default() }
    }

    /// Updates after which the coarse matrix is rebuilt in any case; 1 rebuilds it each time. Default 20.
    pub fn set_max_age(&mut self, updates: u32) {
        self.max_age = updates.max(1);
    }

    /// Aggregates.
    #[must_use]
    pub fn aggregates(&self) -> usize {
        self.count
    }

    /// Updates since the coarse matrix was built: 0 right after it.
    #[must_use]
    pub fn coarse_age(&self) -> u32 {
        self.age
    }

    /// Tells how a solve went, so that a coarse matrix that has grown too old is rebuilt.
    pub fn note(&mut self, outcome: &Outcome) {
        self.last = outcome.iterations;
        if self.age == 0 {
            self.first = outcome.iterations;
        }
    }

    /// Takes new values: the smoother always, the coarse matrix when it is due.
    ///
    /// # Errors
    /// As [`Ssor::update`], and [`MatrixError::Breakdown`] when the coarse matrix is not finite.
    pub fn update(&mut self, system: &System<'_>, filter: &Filter) -> Result<(), MatrixError> {
        self.ssor.update(system, filter)?;
        let slow = f64::from(self.last) > 1.3 * f64::from(self.first) + 2.0;
        self.age += 1;
        // A constraint that came or went changes the space the coarse level may speak of.
        let same_filter = self.free.len() == self.aggregate.len()
            && self.free.iter().enumerate().all(|(i, f)| f.as_ref() == filter.projector(i));
        if self.coarse.is_empty() || slow || self.age >= self.max_age || !same_filter {
            self.rebuild(system, filter)?;
        }
        Ok(())
    }

    /// The six columns of Z at a node, each a vector: P (e_k), P (e_k × arm).
    fn basis(&self, node: usize) -> [DVec3; 6] {
        let r = self.arm[node];
        let z = [
            DVec3::unit_x(),
            DVec3::unit_y(),
            DVec3::unit_z(),
            DVec3::new(0.0, -r.z, r.y),
            DVec3::new(r.z, 0.0, -r.x),
            DVec3::new(-r.y, r.x, 0.0),
        ];
        self.free[node].as_ref().map_or(z, |p| z.map(|v| mul(p, v)))
    }

    fn rebuild(&mut self, system: &System<'_>, filter: &Filter) -> Result<(), MatrixError> {
        self.age = 0;
        self.last = 0;
        self.first = 0;
        let matrix = system.matrix();
        let pattern = matrix.pattern();
        let n = pattern.nodes();
        self.free.clear();
        self.free.extend((0..n).map(|i| filter.projector(i).copied()));
        let rows = 6 * self.count;
        let mut coarse = std::mem::take(&mut self.coarse);
        let a = coarse.matrix_mut(rows);
        let mut add = |i: usize, j: usize, block: &Block| {
            let (p, q) = (self.aggregate[i], self.aggregate[j]);
            if p == NONE || q == NONE {
                return;
            }
            let (zi, zj) = (self.basis(i), self.basis(j));
            let az = zj.map(|z| mul(block, z));
            let (p, q) = (p as usize, q as usize);
            for k in 0..6 {
                for l in 0..6 {
                    let v = zi[k].dot(az[l]);
                    // The whole of a block (p, p), its mirror image included; below the diagonal for others.
                    match p.cmp(&q) {
                        std::cmp::Ordering::Greater => a[(6 * p + k) * rows + 6 * q + l] += v,
                        std::cmp::Ordering::Less => a[(6 * q + l) * rows + 6 * p + k] += v,
                        std::cmp::Ordering::Equal => {
                            a[(6 * p + k) * rows + 6 * p + l] += v;
                            if i != j {
                                a[(6 * p + l) * rows + 6 * p + k] += v;
                            }
                        }
                    }
                }
            }
        };
        for i in 0..n {
            add(i, i, &matrix.diagonal()[i]);
            for (v, &j) in matrix.lower_row(i).iter().zip(pattern.row(i)) {
                add(i, j as usize, v);
            }
        }
        for row in 0..system.contacts().len() {
            let (k, nodes, g) = system.contacts().row(row);
            for (&i, gi) in nodes.iter().zip(g) {
                for (&j, gj) in nodes.iter().zip(g) {
                    if j <= i {
                        let (u, v): ([f64; 3], [f64; 3]) = ((*gi).into(), (*gj).into());
                        add(i as usize, j as usize, &std::array::from_fn(|q| k * u[q / 3] * v[q % 3]));
                    }
                }
            }
        }
        let result = coarse.factor_semidefinite();
        self.coarse = coarse;
        result.map(|_| ())
    }
}

impl Preconditioner for TwoLevel {
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        self.ssor.apply(r, z);
        if self.coarse.is_empty() {
            return;
        }
        let mut c = std::mem::take(&mut self.c);
        c.clear();
        c.resize(6 * self.count, 0.0);
        let free = |i: usize, v: DVec3| self.free[i].as_ref().map_or(v, |p| mul(p, v));
        for i in 0..self.aggregate.len() {
            if self.aggregate[i] != NONE {
                let f = free(i, r[i]);
                let m = self.arm[i].cross(f);
                let at = 6 * self.aggregate[i] as usize;
                for (c, v) in c[at..at + 6].iter_mut().zip([f.x, f.y, f.z, m.x, m.y, m.z]) {
                    *c += v;
                }
            }
        }
        self.coarse.solve(&mut c);
        for i in 0..self.aggregate.len() {
            if self.aggregate[i] != NONE {
                let at = 6 * self.aggregate[i] as usize;
                let c = &c[at..at + 6];
                let turn = DVec3::new(c[3], c[4], c[5]);
                z[i] += free(i, DVec3::new(c[0], c[1], c[2]) + turn.cross(self.arm[i])) * WEIGHT;
            }
        }
        self.c = c;
    }

    fn varies(&self) -> bool {
        true
    }
}

/// Connected pieces of about [`AGGREGATE`] nodes: breadth first from the lowest node that is left; pieces that come out
/// small join the neighbour they share most edges with.
fn aggregates(pattern: &BlockPattern, used: usize) -> (Vec<u32>, usize) {
    let n = pattern.nodes();
    let target = AGGREGATE.max(used.div_ceil(MAX_AGGREGATES));
    // Neighbours both ways.
    let mut start = vec![0usize; n + 1];
    for i in 0..n {
        start[i + 1] += pattern.row(i).len();
        for &j in pattern.row(i) {
            start[j as usize + 1] += 1;
        }
    }
    for i in 0..n {
        start[i + 1] += start[i];
    }
    let mut next = start.clone();
    let mut neighbour = vec![0u32; start[n]];
    for i in 0..n {
        for &j in pattern.row(i) {
            for (a, b) in [(i, j as usize), (j as usize, i)] {
                neighbour[next[a]] = b as u32;
                next[a] += 1;
            }
        }
    }
    let mut aggregate = vec![NONE; n];
    let mut members: Vec<Vec<u32>> = Vec::new();
    // Seeds come from the rim of what is taken, so that little is left between aggregates.
    let mut rim: std::collections::VecDeque<u32> = std::collections::VecDeque::new();
    let mut lowest = 0;
    loop {
        let seed = loop {
            match rim.pop_front() {
                Some(s) if aggregate[s as usize] == NONE => break Some(s),
                Some(_) => {}
                None => break None,
            }
        };
        let seed = match seed {
            Some(s) => s,
            None => {
                while lowest < used && aggregate[lowest] != NONE {
                    lowest += 1;
                }
                if lowest == used {
                    break;
                }
                lowest as u32
            }
        };
        let id = members.len() as u32;
        let mut own = vec![seed];
        aggregate[seed as usize] = id;
        let mut head = 0;
        while head < own.len() {
            let i = own[head] as usize;
            head += 1;
            for &j in &neighbour[start[i]..start[i + 1]] {
                if (j as usize) < used && aggregate[j as usize] == NONE {
                    if own.len() < target {
                        aggregate[j as usize] = id;
                        own.push(j);
                    } else {
                        rim.push_back(j);
                    }
                }
            }
        }
        members.push(own);
    }
    for id in 0..members.len() {
        if 3 * members[id].len() >= target {
            continue;
        }
        let mut votes: std::collections::BTreeMap<u32, usize> = std::collections::BTreeMap::new();
        for &i in &members[id] {
            for &j in &neighbour[start[i as usize]..start[i as usize + 1]] {
                let other = aggregate[j as usize];
                if other != NONE && other != id as u32 {
                    *votes.entry(other).or_default() += 1;
                }
            }
        }
        if let Some((&to, _)) = votes.iter().max_by_key(|(id, votes)| (**votes, std::cmp::Reverse(**id))) {
            let moved = std::mem::take(&mut members[id]);
            for &i in &moved {
                aggregate[i as usize] = to;
            }
            members[to as usize].extend(moved);
        }
    }
    let mut number = vec![NONE; members.len()];
    let mut count = 0;
    for (id, m) in members.iter().enumerate() {
        // Loose pieces beyond what a dense matrix can take (a cloud of particles) are the smoother's business.
        if !m.is_empty() && count < MOST as u32 {
            number[id] = count;
            count += 1;
        }
    }
    for a in &mut aggregate {
        if *a != NONE {
            *a = number[*a as usize];
        }
    }
    (aggregate, count as usize)
}
