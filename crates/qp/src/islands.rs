//! Problems that fall apart: what shares neither an entry of K nor a row is solved on its own.
//!
//! Heaps that stand beside each other have nothing to do with each other, and Newton's method on both at once goes as many rounds as the
//! worse one needs, over systems of both sizes. One by one, costs add up, small heaps get the dense backend, and each ends at a tolerance of
//! its own size. The optimum is the same: the objective is a sum over the islands, and each row belongs to one of them.

use crate::problem::{Dof, Problem, QpError, Report, Status};
use crate::rows::Rows;
use impinge_geometry::DVec3;
use impinge_solvers::pattern::NONE;
use impinge_solvers::{BlockMatrix, BlockPattern, Layout, LowRank, System};

/// Blocks and rows that have nothing to do with the others, all ascending.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Island<'a> {
    /// Nodes, then both blocks of each body.
    pub blocks: &'a [u32],
    pub rows: &'a [u32],
    /// Contacts with friction among the rows.
    friction: &'a [u32],
    /// Contacts of K.
    contacts: &'a [u32],
}

/// A problem by its islands; kept from one to the next for its memory alone.
#[derive(Debug, Default)]
pub(crate) struct Archipelago {
    sets: Sets,
    /// A block of each row, [`NONE`] where it has none.
    block_of: Vec<u32>,
    /// Island of each block.
    home: Vec<u32>,
    blocks: Groups,
    rows: Groups,
    friction: Groups,
    contacts: Groups,
    /// Number of each block in its island.
    block_place: Vec<u32>,
    /// Number of each row in its island.
    row_place: Vec<u32>,
}

/// Numbers by group, ascending in each.
#[derive(Debug, Default)]
struct Groups {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Groups {
    /// `items` numbers, each in one of so many groups, or in none ([`NONE`]).
    fn set(&mut self, groups: usize, items: usize, of: impl Fn(u32) -> u32) {
        self.start.clear();
        self.start.resize(groups + 2, 0);
        let all = || (0..items as u32).map(|i| (i, of(i) as usize)).filter(|(_, g)| *g < groups);
        // One place farther than they begin, so that they begin there once all are in.
        all().for_each(|(_, g)| self.start[g + 2] += 1);
        (2..groups + 2).for_each(|g| self.start[g] += self.start[g - 1]);
        self.items.clear();
        self.items.resize(self.start[groups + 1] as usize, 0);
        for (i, g) in all() {
            let next = &mut self.start[g + 1];
            self.items[*next as usize] = i;
            *next += 1;
        }
    }

    fn of(&self, group: usize) -> &[u32] {
        &self.items[self.start[group] as usize..self.start[group + 1] as usize]
    }

    /// Numbers each item within its group.
    fn places(&self, groups: usize, out: &mut Vec<u32>) {
        out.clear();
        out.resize(self.items.len(), 0);
        for g in 0..groups {
            self.of(g).iter().zip(0..).for_each(|(&i, place)| out[i as usize] = place);
        }
    }
}

/// Disjoint sets; the smallest member stands for its set.
#[derive(Debug, Default)]
struct Sets(Vec<u32>);

impl Sets {
    fn of(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            // Halves the way for the next.
            self.0[i as usize] = self.0[self.0[i as usize] as usize];
            i = self.0[i as usize];
        }
        i
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    fn join_all(&mut self, blocks: &[u32]) {
        blocks.windows(2).for_each(|w| self.join(w[0], w[1]));
    }
}

impl Archipelago {
    /// Finds the islands of a problem. `None` when all is one, and where lengths do not fit, which the problem's check refuses; else how many have
    /// rows. They come by their smallest block, rows without blocks in the first; the blocks that no row reaches are one island more.
    pub(crate) fn find(&mut self, p: &Problem<'_>) -> Option<usize> {
        let (n, m) = (p.b.len(), p.rows.len());
        let fits = p.k.matrix().pattern().nodes() == n && p.layout.blocks() == n;
        if !fits || p.rows.largest_block().is_some_and(|b| b as usize >= n) {
            return None;
        }
        let Self { sets, block_of, home, .. } = self;
        sets.0.clear();
        sets.0.extend(0..n as u32);
        let pattern = p.k.matrix().pattern();
        for i in 0..n {
            pattern.row(i).iter().for_each(|&j| sets.join(i as u32, j));
        }
        for body in 0..p.layout.bodies {
            sets.join(p.layout.linear(body), p.layout.angular(body));
        }
        for i in 0..p.k.contacts().len() {
            sets.join_all(p.k.contacts().row(i).1);
        }
        block_of.clear();
        let mut joined = &[][..];
        for (blocks, _) in p.rows.entries() {
            // The rows of a contact are mostly of the same blocks.
            if blocks != joined {
                sets.join_all(blocks);
                joined = blocks;
            }
            block_of.push(blocks.first().copied().unwrap_or(NONE));
        }
        for f in p.rows.friction() {
            // The three rows of a friction go together, those without blocks too.
            let three = [f.normal, f.tangent[0], f.tangent[1]].map(|r| r as usize);
            let here = three.map(|r| block_of[r]);
            let first = here.into_iter().find(|b| *b != NONE).unwrap_or(NONE);
            here.into_iter().filter(|b| *b != NONE && *b != first).for_each(|b| sets.join(first, b));
            three.iter().for_each(|&r| block_of[r] = first);
        }
        // Number of the island of each set, in the order of smallest blocks.
        home.clear();
        home.resize(n, NONE);
        for &b in block_of.iter().filter(|b| **b != NONE) {
            home[sets.of(b) as usize] = 0;
        }
        let mut count = 0;
        for k in home.iter_mut().filter(|k| **k != NONE) {
            *k = count;
            count += 1;
        }
        if count == 0 {
            return None;
        }
        // The smallest block of a set comes first, and knows.
        let mut rest = false;
        for b in 0..n as u32 {
            let number = home[sets.of(b) as usize];
            home[b as usize] = if number == NONE { count } else { number };
            rest |= number == NONE || number == count;
        }
        if count == 1 && !rest {
            return None;
        }
        let count = count as usize;
        let of_block = |b: u32| home[b as usize];
        let of_row = |i: u32| match block_of[i as usize] {
            NONE => 0,
            b => home[b as usize],
        };
        self.blocks.set(count + 1, n, of_block);
        self.rows.set(count + 1, m, of_row);
        self.friction
            .set(count + 1, p.rows.friction().len(), |i| of_row(p.rows.friction()[i as usize].normal));
        let contacts = p.k.contacts();
        self.contacts.set(count + 1, contacts.len(), |i| {
            // One without blocks does nothing.
            contacts.row(i as usize).1.first().map_or(NONE, |&b| of_block(b))
        });
        self.blocks.places(count + 1, &mut self.block_place);
        self.rows.places(count + 1, &mut self.row_place);
        Some(count)
    }

    /// The island of each row, and how many islands have rows.
    pub(crate) fn of_rows(&mut self, p: &Problem<'_>, out: &mut Vec<u32>) -> usize {
        out.clear();
        out.resize(p.rows.len(), 0);
        let Some(count) = self.find(p) else { return 1 };
        for i in 0..count {
            self.rows.of(i).iter().for_each(|&row| out[row as usize] = i as u32);
        }
        count
    }

    /// One of the islands found; after those with rows the blocks that no row reaches.
    pub(crate) fn island(&self, i: usize) -> Island<'_> {
        Island {
            blocks: self.blocks.of(i),
            rows: self.rows.of(i),
            friction: self.friction.of(i),
            contacts: self.contacts.of(i),
        }
    }
}

/// The numbers of one island, which its problem borrows.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Part {
    pattern: BlockPattern,
    values: Vec<[f64; 9]>,
    contacts: LowRank,
    b: Vec<DVec3>,
    rows: Rows,
    layout: Layout,
    gradient: Vec<(u32, DVec3)>,
}

impl Part {
    /// Takes the numbers of one of the islands out of `p`.
    pub(crate) fn take(
        &mut self,
        p: &Problem<'_>,
        all: &Archipelago,
        island: &Island<'_>,
    ) -> Result<(), QpError> {
        let place = &all.block_place;
        let (whole, k) = (p.k.matrix().pattern(), p.k.matrix());
        self.pattern.set_part(whole, island.blocks, place);
        self.values.clear();
        self.values.extend(island.blocks.iter().map(|&i| k.diagonal()[i as usize]));
        // Rows keep their order: blocks are ascending in both.
        island.blocks.iter().for_each(|&i| self.values.extend_from_slice(k.lower_row(i as usize)));
        self.contacts.clear();
        for &i in island.contacts {
            let (stiffness, blocks, gradients) = p.k.contacts().row(i as usize);
            self.gradient.clear();
            self.gradient.extend(blocks.iter().map(|&b| place[b as usize]).zip(gradients.iter().copied()));
            self.contacts
                .push(stiffness, &self.gradient)
                .map_err(|_| QpError::Setting("a contact of K is not finite"))?;
        }
        let nodes = island.blocks.iter().filter(|&&b| (b as usize) < p.layout.nodes).count();
        self.layout = Layout { nodes, bodies: (island.blocks.len() - nodes) / 2 };
        self.b.clear();
        self.b.extend(island.blocks.iter().map(|&i| p.b[i as usize]));
        self.rows.set_part(p.rows, (island.rows, island.friction), place, &all.row_place);
        Ok(())
    }

    /// The problem of the island.
    pub(crate) fn problem(&self) -> Result<Problem<'_>, QpError> {
        let broken = |_| QpError::Setting("K has fewer values than its pattern blocks");
        let matrix = BlockMatrix::new(&self.pattern, &self.values).map_err(broken)?;
        let k = System::with_contacts(matrix, &self.contacts).map_err(broken)?;
        Ok(Problem { k, b: &self.b, rows: &self.rows, layout: self.layout })
    }
}

/// The error of an island in the numbers of the whole.
pub(crate) fn in_whole(e: QpError, island: &Island<'_>, part: &Layout, whole: &Layout) -> QpError {
    let moved = |at: Dof| {
        let block = match at {
            Dof::Node(i) => i,
            Dof::Linear(k) => part.linear(k) as usize,
            Dof::Angular(k) => part.angular(k) as usize,
        };
        Dof::of(whole, island.blocks[block] as usize)
    };
    match e {
        QpError::NotDefinite { at } => QpError::NotDefinite { at: moved(at) },
        QpError::NotFinite { at, what } => QpError::NotFinite { at: moved(at), what },
        other => other,
    }
}

/// Adds the report of an island to that of the whole: sums of what was done, the worst of how it ended. Residuals are those of the islands,
/// each over its own size, so none hides behind a larger one.
pub(crate) fn add_report(all: &mut Report, one: Report, island: &Island<'_>) {
    let rank = |s: Option<Status>| match s {
        None => 0,
        Some(Status::Solved) => 1,
        Some(Status::Unfinished) => 2,
        Some(Status::Infeasible) => 3,
    };
    if rank(one.status) > rank(all.status) {
        all.status = one.status;
    }
    all.iterations += one.iterations;
    all.rounds = all.rounds.max(one.rounds);
    all.factorisations += one.factorisations;
    all.inner += one.inner;
    all.toggles += one.toggles;
    all.active += one.active;
    all.kkt = all.kkt.larger(&one.kkt);
    all.rough |= one.rough;
    let numbers = |rows: Vec<u32>| rows.into_iter().map(|r| island.rows[r as usize]);
    all.conflict.extend(numbers(one.conflict));
    all.dropped.extend(numbers(one.dropped));
}
