//! Which 3×3 blocks the stiffness of a tet mesh has, and where each tet adds its own: compressed rows with sorted columns.

use super::SKIP;

/// Which blocks a matrix keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// All.
    Full,
    /// Column ≤ row.
    Lower,
    /// Column ≥ row.
    Upper,
}

/// The block-sparse pattern of a body of tets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TetPattern {
    /// Block `row_start[r]..row_start[r + 1]` are row r's.
    pub row_start: Vec<u32>,
    /// The column of each block, ascending within a row.
    pub column: Vec<u32>,
    /// `slots[t][i][j]`: the block of corner i (row) and corner j (column) of tet t, or [`SKIP`].
    pub slots: Vec<[[u32; 4]; 4]>,
}

impl TetPattern {
    /// The pattern of `nodes` nodes and their tets. Every row has its diagonal block, nodes in no tet included, so that
    /// masses and attachments find room.
    ///
    /// # Panics
    /// When a tet names a node out of range, or the matrix has more than 2³² − 1 blocks.
    #[must_use]
    pub fn new(nodes: usize, tets: &[[u32; 4]], triangle: Triangle) -> Self {
        let keeps = |r: u32, c: u32| match triangle {
            Triangle::Full => true,
            Triangle::Lower => c <= r,
            Triangle::Upper => c >= r,
        };
        let mut count = vec![1usize; nodes + 1];
        let pairs = |t: &[u32; 4]| {
            let t = *t;
            (0..16).map(move |k| (t[k / 4], t[k % 4])).filter(move |&(r, c)| r != c && keeps(r, c))
        };
        for (r, _) in tets.iter().flat_map(pairs) {
            count[r as usize] += 1;
        }
        // Rows with repeats, each sorted and thinned in place.
        let mut start = vec![0usize; nodes + 1];
        for r in 0..nodes {
            start[r + 1] = start[r] + count[r];
        }
        let mut end = start.clone();
        let mut with_repeats = vec![0u32; start[nodes]];
        for r in 0..nodes {
            with_repeats[end[r]] = r as u32;
            end[r] += 1;
        }
        for (r, c) in tets.iter().flat_map(pairs) {
            with_repeats[end[r as usize]] = c;
            end[r as usize] += 1;
        }
        let mut row_start = vec![0u32];
        let mut column = Vec::new();
        for r in 0..nodes {
            let row = &mut with_repeats[start[r]..start[r + 1]];
            row.sort_unstable();
            column
                .extend(row.iter().enumerate().filter(|&(k, c)| k == 0 || row[k - 1] != *c).map(|(_, &c)| c));
            assert!(column.len() < SKIP as usize, "more blocks than a u32 counts");
            row_start.push(column.len() as u32);
        }
        let mut pattern = Self { row_start, column, slots: Vec::new() };
        pattern.slots = tets
            .iter()
            .map(|t| {
                t.map(|r| t.map(|c| if keeps(r, c) { pattern.find(r, c).unwrap_or(SKIP) } else { SKIP }))
            })
            .collect();
        pattern
    }

    /// The slot of block (row, column), if the matrix keeps it.
    #[must_use]
    pub fn find(&self, row: u32, column: u32) -> Option<u32> {
        let r = row as usize;
        let (a, b) = (*self.row_start.get(r)?, *self.row_start.get(r + 1)?);
        self.column[a as usize..b as usize].binary_search(&column).ok().map(|k| a + k as u32)
    }
}
