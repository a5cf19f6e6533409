//! Where the 3×3 blocks of a symmetric matrix lie.
//!
//! Takes the stencils of a mesh (edges, triangles, tets, contacts, any length); gives the lower half of the block
//! graph in compressed rows, and for each stencil the slots its element matrix is added to.
//!
//! ```text
//! values:  [ diagonal blocks 0 .. n | blocks of row 0 | row 1 | ... ]        column < row, ascending in a row
//! slot     0 ..................... n  n + start[0] ...
//! ```
//! Half the matrix is stored because reading it is what a product costs: with 10 k nodes (148 k blocks, 31 944 dofs)
//! the whole took 0.43 ms and the half 0.28 ms, with 100 k nodes 12.3 and 6.5 ms (one core, 27 GB/s from its cache and
//! 10 GB/s from memory; 8 rows side by side in lanes took 0.60 and 12.3 ms, for the sake of gathers).

use std::fmt;
use std::ops::Range;

/// "Not stored" in slot tables, and "no node" in stencils.
pub const NONE: u32 = u32::MAX;

/// Why a pattern was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// A stencil names a node that does not exist.
    OutOfRange {
        /// Which stencil.
        stencil: usize,
        /// What it names.
        node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// More blocks than a slot can number.
    TooLarge {
        /// Nodes or blocks wanted.
        count: usize,
    },
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { stencil, node, nodes } => write!(
                f,
                "stencil {stencil} names node {node} of {nodes}; use a smaller index, or pattern::NONE for no node"
            ),
            Self::TooLarge { count } => {
                write!(f, "{count} blocks do not fit a 32-bit slot; split the system into several")
            }
        }
    }
}

impl std::error::Error for PatternError {}

/// The block graph of a symmetric matrix: diagonal and lower half.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockPattern {
    nodes: usize,
    start: Vec<u32>,
    column: Vec<u32>,
}

impl BlockPattern {
    /// The graph in which any two nodes of one stencil are joined. Every node has its diagonal block, joined or not;
    /// repeated nodes and [`NONE`] in a stencil are ignored.
    ///
    /// # Errors
    /// [`PatternError`] for an index out of range, and for more blocks than 32 bits number.
    pub fn new<'a>(
        nodes: usize,
        stencils: impl IntoIterator<Item = &'a [u32]> + Clone,
    ) -> Result<Self, PatternError> {
        if nodes >= NONE as usize {
            return Err(PatternError::TooLarge { count: nodes });
        }
        // Count, place, sort each row: pairs fall into short rows, so this is far cheaper than one big sort.
        let mut start = vec![0usize; nodes + 1];
        let each_pair = |f: &mut dyn FnMut(u32, u32)| {
            for (k, s) in stencils.clone().into_iter().enumerate() {
                for (i, &a) in s.iter().enumerate() {
                    if a != NONE && a as usize >= nodes {
                        return Err(PatternError::OutOfRange { stencil: k, node: a, nodes });
                    }
                    for &b in &s[..i] {
                        if a != b && a != NONE && b != NONE {
                            f(a.max(b), a.min(b));
                        }
                    }
                }
            }
            Ok(())
        };
        each_pair(&mut |row, _| start[row as usize + 1] += 1)?;
        for i in 0..nodes {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut raw = vec![0u32; start[nodes]];
        each_pair(&mut |row, column| {
            raw[next[row as usize]] = column;
            next[row as usize] += 1;
        })?;
        let mut column = Vec::new();
        let mut packed = vec![0u32];
        for i in 0..nodes {
            let row = &mut raw[start[i]..start[i + 1]];
            row.sort_unstable();
            let mut last = NONE;
            for &c in row.iter().filter(|c| **c != NONE) {
                if c != last {
                    column.push(c);
                    last = c;
                }
            }
            if nodes + column.len() >= NONE as usize {
                return Err(PatternError::TooLarge { count: nodes + column.len() });
            }
            packed.push(column.len() as u32);
        }
        Ok(Self { nodes, start: packed, column })
    }

    /// Block rows.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Becomes the graph of the nodes `of` (ascending) of a larger one, numbered anew by `place`. None of them may be joined to any other.
    pub fn set_part(&mut self, whole: &Self, of: &[u32], place: &[u32]) {
        self.nodes = of.len();
        self.start.clear();
        self.start.push(0);
        self.column.clear();
        for &node in of {
            self.column.extend(whole.row(node as usize).iter().map(|&j| place[j as usize]));
            self.start.push(self.column.len() as u32);
        }
    }

    /// Stored blocks: the diagonal and the lower half. A value array has this many `[f64; 9]`.
    pub fn blocks(&self) -> usize {
        self.nodes + self.column.len()
    }

    /// Blocks of the whole matrix.
    pub fn full_blocks(&self) -> usize {
        self.nodes + 2 * self.column.len()
    }

    /// The columns below the diagonal of one row, ascending.
    pub fn row(&self, node: usize) -> &[u32] {
        &self.column[self.range(node)]
    }

    /// The slots of [`BlockPattern::row`].
    pub fn row_slots(&self, node: usize) -> Range<usize> {
        let r = self.range(node);
        self.nodes + r.start..self.nodes + r.end
    }

    fn range(&self, node: usize) -> Range<usize> {
        self.start[node] as usize..self.start[node + 1] as usize
    }

    /// `start` and `column` of the lower half: the columns of row `i` are `column[start[i]..start[i + 1]]`.
    pub fn lower(&self) -> (&[u32], &[u32]) {
        (&self.start, &self.column)
    }

    /// The slot of block (row, column): row itself on the diagonal, [`NONE`] above it and where nothing is stored.
    pub fn slot(&self, row: u32, column: u32) -> u32 {
        if row == column && (row as usize) < self.nodes {
            return row;
        }
        if row as usize >= self.nodes || column > row {
            return NONE;
        }
        match self.row(row as usize).binary_search(&column) {
            Ok(k) => (self.nodes + self.range(row as usize).start + k) as u32,
            Err(_) => NONE,
        }
    }

    /// The slots of an element matrix: for a stencil of n nodes the n×n slots, row by row. Block (a, b) of the element
    /// is added to slot `[n·a + b]`; [`NONE`] says "not stored": the mirror block is, or the node is [`NONE`].
    ///
    /// A stencil that names a node twice adds to its diagonal from four places; element matrices may be written as if
    /// the nodes were different.
    pub fn push_slots(&self, stencil: &[u32], out: &mut Vec<u32>) {
        for &a in stencil {
            for &b in stencil {
                out.push(self.slot(a, b));
            }
        }
    }

    /// The slot table of many stencils, one after the other.
    pub fn slots<'a>(&self, stencils: impl IntoIterator<Item = &'a [u32]>) -> Vec<u32> {
        let mut out = Vec::new();
        for s in stencils {
            self.push_slots(s, &mut out);
        }
        out
    }

    /// Stretches of rows that are joined to no row outside, as short as they are; all rows in order. Such a stretch is a system of its own.
    pub fn islands(&self) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let (mut lowest, mut end) = (usize::MAX, self.nodes);
        for row in (0..self.nodes).rev() {
            lowest = lowest.min(self.row(row).first().map_or(row, |c| *c as usize));
            if lowest == row {
                out.push(row..end);
                (lowest, end) = (usize::MAX, row);
            }
        }
        out.reverse();
        out
    }

    /// The pattern of a stretch of rows by itself; what joins it to others is left out.
    ///
    /// # Panics
    /// When the range ends beyond the rows.
    pub fn part(&self, rows: Range<usize>) -> Self {
        let mut part = Self { nodes: rows.len(), start: vec![0], column: Vec::new() };
        for row in rows.clone() {
            let within = self.row(row).iter().filter(|c| **c as usize >= rows.start);
            part.column.extend(within.map(|c| c - rows.start as u32));
            part.start.push(part.column.len() as u32);
        }
        part
    }

    /// Bytes one product with this matrix has to read and write when nothing stays in the cache: values, columns, the
    /// two vectors.
    pub fn apply_bytes(&self) -> usize {
        72 * self.blocks() + 4 * self.column.len() + 4 * self.start.len() + 48 * self.nodes
    }

    /// Flops of one product.
    pub fn apply_flops(&self) -> usize {
        18 * self.full_blocks()
    }
}
