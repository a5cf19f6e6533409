//! A symmetric matrix of 3×3 blocks: a [`BlockPattern`] and its values, applied to a vector.
//!
//! A row adds its own sum `y_i = Σ A_ij x_j` and hands `A_ijᵀ x_i` to the earlier rows `j`. Rows go in at most
//! [`MAX_PARTS`] parts, fixed by the number of nodes: what a part hands to rows before its own goes to a window of its
//! own, and windows are added in the order of parts. So the bits do not depend on the number of threads.

use crate::pattern::BlockPattern;
use impinge_contact::par;
use impinge_geometry::DVec3;
use std::ops::Range;

/// Row-major 3×3 block.
pub type Block = [f64; 9];

/// Most parts of a product.
pub const MAX_PARTS: usize = 16;
const ROWS_PER_PART: usize = 4096;

/// Scratch of a product; dropping it changes nothing.
#[derive(Clone, Debug, Default)]
pub struct ApplyWorkspace {
    windows: Vec<Vec<DVec3>>,
}

/// A pattern and its values, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct BlockMatrix<'a> {
    pattern: &'a BlockPattern,
    diagonal: &'a [Block],
    lower: &'a [Block],
}

/// What `BlockMatrix::new` refuses: the number of blocks does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongLength {
    /// Blocks of the pattern.
    pub wanted: usize,
    /// Blocks given.
    pub given: usize,
}

impl std::fmt::Display for WrongLength {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} blocks for a pattern of {}; size the values by BlockPattern::blocks()",
            self.given, self.wanted
        )
    }
}

impl std::error::Error for WrongLength {}

impl<'a> BlockMatrix<'a> {
    /// Joins pattern and values (diagonal blocks first, see [`BlockPattern`]).
    ///
    /// # Errors
    /// [`WrongLength`] when there are not [`BlockPattern::blocks`] values.
    pub fn new(pattern: &'a BlockPattern, values: &'a [Block]) -> Result<Self, WrongLength> {
        if values.len() != pattern.blocks() {
            return Err(WrongLength { wanted: pattern.blocks(), given: values.len() });
        }
        let (diagonal, lower) = values.split_at(pattern.nodes());
        Ok(Self { pattern, diagonal, lower })
    }

    /// The matrix of a stretch of rows by itself, over [`BlockPattern::part`] of them.
    ///
    /// # Errors
    /// [`WrongLength`] for a pattern of other numbers of rows or blocks, as that of rows that are joined to others.
    ///
    /// # Panics
    /// When the range ends beyond the rows.
    pub fn part<'b>(
        &self,
        rows: Range<usize>,
        pattern: &'b BlockPattern,
    ) -> Result<BlockMatrix<'b>, WrongLength>
    where
        'a: 'b,
    {
        let (start, _) = self.pattern.lower();
        let lower = &self.lower[start[rows.start] as usize..start[rows.end] as usize];
        let diagonal = &self.diagonal[rows];
        if pattern.nodes() != diagonal.len() {
            return Err(WrongLength { wanted: pattern.nodes(), given: diagonal.len() });
        }
        let given = diagonal.len() + lower.len();
        if pattern.blocks() != given {
            return Err(WrongLength { wanted: pattern.blocks(), given });
        }
        Ok(BlockMatrix { pattern, diagonal, lower })
    }

    /// Where the blocks lie.
    #[must_use]
    pub fn pattern(&self) -> &'a BlockPattern {
        self.pattern
    }

    /// The blocks as [`BlockPattern`] numbers them, diagonal first.
    pub fn blocks(&self) -> impl Iterator<Item = &'a Block> + use<'a> {
        self.diagonal.iter().chain(self.lower)
    }

    /// The diagonal blocks.
    #[must_use]
    pub fn diagonal(&self) -> &'a [Block] {
        self.diagonal
    }

    /// The blocks of [`BlockPattern::row`].
    #[must_use]
    pub fn lower_row(&self, node: usize) -> &'a [Block] {
        let (start, _) = self.pattern.lower();
        &self.lower[start[node] as usize..start[node + 1] as usize]
    }

    /// `y = A x`.
    ///
    /// # Panics
    /// When `x` or `y` has another length than the matrix.
    pub fn apply(&self, x: &[DVec3], y: &mut [DVec3], ws: &mut ApplyWorkspace) {
        let n = self.pattern.nodes();
        assert!(x.len() == n && y.len() == n, "vectors of {} and {} blocks for {n} rows", x.len(), y.len());
        if n == 0 {
            return;
        }
        let rows = n.div_ceil(MAX_PARTS).max(ROWS_PER_PART);
        if rows >= n {
            self.rows(0, x, y, &mut []);
            return;
        }
        ws.windows.resize_with(n.div_ceil(rows), Vec::new);
        // A fixed array of parts: a list would allocate on every product.
        let mut parts: [Option<Part<'_>>; MAX_PARTS] = [const { None }; MAX_PARTS];
        let mut count = 0;
        for (k, (y, window)) in y.chunks_mut(rows).zip(&mut ws.windows).enumerate() {
            parts[k] = Some(Part { first: k * rows, y, window });
            count += 1;
        }
        par::for_each_chunk(&mut parts[..count], 1, |_, part| {
            if let Some(p) = &mut part[0] {
                let lowest =
                    (p.first..p.first + p.y.len()).filter_map(|i| self.pattern.row(i).first()).min().copied();
                let reach = p.first - lowest.map_or(p.first, |c| (c as usize).min(p.first));
                p.window.clear();
                p.window.resize(reach, DVec3::zero());
                self.rows(p.first, x, p.y, p.window);
            }
        });
        for (k, window) in ws.windows.iter().enumerate() {
            let first = k * rows - window.len();
            for (y, w) in y[first..].iter_mut().zip(window) {
                *y += *w;
            }
        }
    }

    /// Rows `first..first + y.len()`; `window` takes what belongs to the `window.len()` rows before them.
    fn rows(&self, first: usize, x: &[DVec3], y: &mut [DVec3], window: &mut [DVec3]) {
        let (diagonal, lower) = (self.diagonal, self.lower);
        let (start, column) = self.pattern.lower();
        let before = first - window.len();
        for i in 0..y.len() {
            let row = first + i;
            let xi = x[row];
            let d = &diagonal[row];
            // Column sums per row, added at its end: three independent chains.
            let mut a = [[0.0; 3]; 3];
            let xs = [xi.x, xi.y, xi.z];
            for r in 0..3 {
                for l in 0..3 {
                    a[r][l] = d[3 * r + l] * xs[l];
                }
            }
            let range = start[row] as usize..start[row + 1] as usize;
            for (v, &j) in lower[range.clone()].iter().zip(&column[range]) {
                let j = j as usize;
                let xj = [x[j].x, x[j].y, x[j].z];
                for r in 0..3 {
                    for l in 0..3 {
                        a[r][l] += v[3 * r + l] * xj[l];
                    }
                }
                let yj = if j >= first { &mut y[j - first] } else { &mut window[j - before] };
                yj.x += (v[0] * xs[0] + v[3] * xs[1]) + v[6] * xs[2];
                yj.y += (v[1] * xs[0] + v[4] * xs[1]) + v[7] * xs[2];
                yj.z += (v[2] * xs[0] + v[5] * xs[1]) + v[8] * xs[2];
            }
            y[i] = DVec3::new(
                (a[0][0] + a[0][1]) + a[0][2],
                (a[1][0] + a[1][1]) + a[1][2],
                (a[2][0] + a[2][1]) + a[2][2],
            );
        }
    }
}

struct Part<'a> {
    first: usize,
    y: &'a mut [DVec3],
    window: &'a mut Vec<DVec3>,
}

/// `M v` of a row-major block.
#[inline(always)]
pub(crate) fn mul(m: &Block, v: DVec3) -> DVec3 {
    DVec3::new(
        m[0] * v.x + m[1] * v.y + m[2] * v.z,
        m[3] * v.x + m[4] * v.y + m[5] * v.z,
        m[6] * v.x + m[7] * v.y + m[8] * v.z,
    )
}

/// `Mᵀ v`.
#[inline(always)]
pub(crate) fn mul_transposed(m: &Block, v: DVec3) -> DVec3 {
    DVec3::new(
        m[0] * v.x + m[3] * v.y + m[6] * v.z,
        m[1] * v.x + m[4] * v.y + m[7] * v.z,
        m[2] * v.x + m[5] * v.y + m[8] * v.z,
    )
}

/// `A B`.
#[inline(always)]
pub(crate) fn product(a: &Block, b: &Block) -> Block {
    let mut c = [0.0; 9];
    for i in 0..3 {
        for j in 0..3 {
            c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
    c
}

/// `Aᵀ`.
#[inline(always)]
pub(crate) fn transposed(a: &Block) -> Block {
    [a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]]
}
