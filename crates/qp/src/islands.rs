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

/// Blocks and rows that have nothing to do with the others.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Island {
    /// Ascending: nodes, then both blocks of each body.
    pub blocks: Vec<u32>,
    /// Ascending.
    pub rows: Vec<u32>,
    /// Contacts with friction among the rows, ascending.
    friction: Vec<u32>,
    /// Contacts of K, ascending.
    contacts: Vec<u32>,
}

/// A problem by its islands.
pub(crate) struct Archipelago {
    /// Those with rows, by their smallest block. Rows without blocks go with the first.
    pub islands: Vec<Island>,
    /// The blocks that no row reaches.
    pub rest: Island,
    /// Number of each block in its island.
    block_place: Vec<u32>,
    /// Number of each row in its island.
    row_place: Vec<u32>,
}

/// Disjoint sets; the smallest member stands for its set.
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

/// The islands of a problem. `None` when all is one, and where lengths do not fit, which the problem's check refuses.
pub(crate) fn islands(p: &Problem<'_>) -> Option<Archipelago> {
    let n = p.b.len();
    let fits = p.k.matrix().pattern().nodes() == n && p.layout.blocks() == n;
    if !fits || p.rows.largest_block().is_some_and(|b| b as usize >= n) {
        return None;
    }
    let mut sets = Sets((0..n as u32).collect());
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
    for i in 0..p.rows.len() {
        sets.join_all(p.rows.row(i).blocks);
    }
    let first = |row: u32| p.rows.row(row as usize).blocks.first().copied();
    let mut block_of: Vec<Option<u32>> = (0..p.rows.len() as u32).map(first).collect();
    for f in p.rows.friction() {
        // The three rows of a friction go together, those without blocks too.
        let three = [f.normal, f.tangent[0], f.tangent[1]].map(|r| r as usize);
        let here: Vec<u32> = three.iter().filter_map(|&r| block_of[r]).collect();
        sets.join_all(&here);
        three.iter().for_each(|&r| block_of[r] = here.first().copied());
    }
    let block_of = |row: u32| block_of[row as usize];
    // Number of the island of each set, in the order of smallest blocks.
    let mut number = vec![NONE; n];
    for i in 0..p.rows.len() as u32 {
        if let Some(b) = block_of(i) {
            number[sets.of(b) as usize] = 0;
        }
    }
    let mut count = 0;
    for k in number.iter_mut().filter(|k| **k != NONE) {
        *k = count;
        count += 1;
    }
    if count == 0 {
        return None;
    }
    let mut out: Vec<Island> = (0..count).map(|_| Island::default()).collect();
    let mut rest = Island::default();
    let (mut block_place, mut row_place) = (Vec::with_capacity(n), Vec::with_capacity(p.rows.len()));
    let mut home = |block: Option<u32>| block.map_or(0, |b| number[sets.of(b) as usize]);
    for i in 0..n as u32 {
        let here = match home(Some(i)) {
            NONE => &mut rest,
            k => &mut out[k as usize],
        };
        block_place.push(here.blocks.len() as u32);
        here.blocks.push(i);
    }
    if count == 1 && rest.blocks.is_empty() {
        return None;
    }
    for i in 0..p.rows.len() as u32 {
        let here = &mut out[home(block_of(i)) as usize];
        row_place.push(here.rows.len() as u32);
        here.rows.push(i);
    }
    for (i, f) in p.rows.friction().iter().enumerate() {
        out[home(block_of(f.normal)) as usize].friction.push(i as u32);
    }
    for i in 0..p.k.contacts().len() {
        // One without blocks does nothing.
        let Some(&b) = p.k.contacts().row(i).1.first() else { continue };
        match home(Some(b)) {
            NONE => rest.contacts.push(i as u32),
            k => out[k as usize].contacts.push(i as u32),
        }
    }
    Some(Archipelago { islands: out, rest, block_place, row_place })
}

/// The numbers of one island, which its problem borrows.
pub(crate) struct Part {
    pattern: BlockPattern,
    values: Vec<[f64; 9]>,
    contacts: LowRank,
    b: Vec<DVec3>,
    rows: Rows,
    layout: Layout,
}

impl Part {
    /// Takes the numbers of one of the islands out of `p`.
    pub(crate) fn new(p: &Problem<'_>, all: &Archipelago, island: &Island) -> Result<Self, QpError> {
        let place = &all.block_place;
        let n = island.blocks.len();
        let (whole, k) = (p.k.matrix().pattern(), p.k.matrix());
        let pairs: Vec<[u32; 2]> = island
            .blocks
            .iter()
            .flat_map(|&i| whole.row(i as usize).iter().map(move |&j| (i, j)))
            .map(|(i, j)| [place[i as usize], place[j as usize]])
            .collect();
        let broken = |_| QpError::Setting("the pattern of K names a block that is not there");
        let pattern = BlockPattern::new(n, pairs.iter().map(|p| &p[..])).map_err(broken)?;
        let mut values = vec![[0.0; 9]; pattern.blocks()];
        for (new, &old) in island.blocks.iter().enumerate() {
            values[new] = k.diagonal()[old as usize];
            // Rows keep their order: blocks are ascending in both.
            values[pattern.row_slots(new)].copy_from_slice(k.lower_row(old as usize));
        }
        let mut contacts = LowRank::default();
        for &i in &island.contacts {
            let (stiffness, blocks, gradients) = p.k.contacts().row(i as usize);
            let g: Vec<(u32, DVec3)> =
                blocks.iter().map(|&b| place[b as usize]).zip(gradients.iter().copied()).collect();
            contacts.push(stiffness, &g).map_err(|_| QpError::Setting("a contact of K is not finite"))?;
        }
        let nodes = island.blocks.iter().filter(|&&b| (b as usize) < p.layout.nodes).count();
        Ok(Self {
            b: island.blocks.iter().map(|&i| p.b[i as usize]).collect(),
            rows: p.rows.part(&island.rows, &island.friction, place, &all.row_place),
            layout: Layout { nodes, bodies: (n - nodes) / 2 },
            pattern,
            values,
            contacts,
        })
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
pub(crate) fn in_whole(e: QpError, island: &Island, part: &Layout, whole: &Layout) -> QpError {
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
pub(crate) fn add_report(all: &mut Report, one: Report, island: &Island) {
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
    let numbers = |rows: Vec<u32>| rows.into_iter().map(|r| island.rows[r as usize]);
    all.conflict.extend(numbers(one.conflict));
    all.dropped.extend(numbers(one.dropped));
}
