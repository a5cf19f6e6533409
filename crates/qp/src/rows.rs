//! The row table: constraints `J_i Δv ≤ c_i` (or `= c_i`) as sparse rows over blocks of three.
//!
//! Takes rows one by one, each a handful of (block, gradient); gives products with vectors in the order of the table. Rows
//! lie one after the other behind a `start` column, so that a row may have any length. Where a row comes from is its
//! [`RowKind`] and its `key`; [`Rows::sort_by_key`] makes the order one that does not depend on who found what first.

use impinge_geometry::{DVec3, is_finite};
use impinge_solvers::pattern::NONE;
use std::collections::BTreeMap;
use std::fmt;

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKind {
    /// Two surfaces stay apart by their thickness (seed 001 §4.2, 4.3).
    Contact,
    /// A prescribed velocity (§4.4): an equality.
    Fixed,
    /// A spring stays shorter than its limit (§4.5).
    StrainUpper,
    /// A spring stays longer than its limit (§4.5).
    StrainLower,
    /// The rate of strain stays below its limit.
    StrainRate,
    /// Any other inequality.
    Other,
    /// One of the two tangents of a contact with friction; `c` is the value of `J Δv` that means "no slip". Made by
    /// [`Rows::push_friction`].
    Tangent,
}

impl RowKind {
    /// Held as `=` whatever the sign of its multiplier.
    pub fn is_equality(self) -> bool {
        self == Self::Fixed
    }
}

/// Why a row was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RowError {
    /// A gradient or the bound is NaN or infinite.
    NotFinite {
        /// The row's key.
        key: u64,
    },
    /// More entries than 32 bits number.
    TooMany,
    /// Friction names a row that is no contact of this table, or μ is no number ≥ 0.
    Friction {
        /// The row named.
        row: u32,
        /// The coefficient given.
        mu: f64,
    },
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { key } => {
                write!(
                    f,
                    "the row of key {key:#x} is not finite; drop the pair, or stop at the state that made it"
                )
            }
            Self::TooMany => f.write_str("more entries than 32 bits number; solve islands one by one"),
            Self::Friction { row, mu } => write!(
                f,
                "friction {mu} on row {row}: give a contact row of this table without friction yet, and a finite μ ≥ 0"
            ),
        }
    }
}

impl std::error::Error for RowError {}

/// Friction of one contact: its normal row, μ, and its two tangent rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// The normal row.
    pub normal: u32,
    /// The tangent rows.
    pub tangent: [u32; 2],
    /// Coulomb's μ.
    pub mu: f64,
}

/// One row, borrowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    /// What it stands for.
    pub kind: RowKind,
    /// Stable name across steps.
    pub key: u64,
    /// `c` (m/s).
    pub bound: f64,
    /// Blocks, each once.
    pub blocks: &'a [u32],
    /// Gradient on each block.
    pub gradients: &'a [DVec3],
}

/// The table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Entries of row i end at `end[i]`.
    end: Vec<u32>,
    block: Vec<u32>,
    gradient: Vec<DVec3>,
    bound: Vec<f64>,
    rounding: Vec<f64>,
    kind: Vec<RowKind>,
    key: Vec<u64>,
    friction: Vec<Friction>,
}

impl Rows {
    /// No rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Removes the rows from `len` on, and the friction that needs them.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        let entries = self.range(len).start;
        self.end.truncate(len);
        self.block.truncate(entries);
        self.gradient.truncate(entries);
        self.bound.truncate(len);
        self.rounding.truncate(len);
        self.kind.truncate(len);
        self.key.truncate(len);
        self.friction.retain(|f| (f.normal.max(f.tangent[0]).max(f.tangent[1]) as usize) < len);
    }

    /// Rows, tangents included.
    pub fn len(&self) -> usize {
        self.bound.len()
    }

    /// No rows.
    pub fn is_empty(&self) -> bool {
        self.bound.is_empty()
    }

    /// Adds `Σ g·Δv ≤ c` (`=` for [`RowKind::Fixed`]). Blocks named twice are merged, [`NONE`] is left out: what moves on
    /// rails has no block, its velocity belongs into `c`.
    ///
    /// # Errors
    /// [`RowError`]; nothing is added then.
    pub fn push(
        &mut self,
        kind: RowKind,
        key: u64,
        c: f64,
        gradient: &[(u32, DVec3)],
    ) -> Result<u32, RowError> {
        if !c.is_finite() || gradient.iter().any(|g| !is_finite(g.1)) {
            return Err(RowError::NotFinite { key });
        }
        if self.block.len() + gradient.len() >= NONE as usize {
            return Err(RowError::TooMany);
        }
        let first = self.block.len();
        let last = self.len().checked_sub(1).map_or(0..0, |row| self.range(row));
        // Tangents are mostly over the blocks of their normal, each of which is there once.
        let same = gradient.iter().map(|g| g.0).eq(self.block[last.clone()].iter().copied());
        if same {
            self.block.extend_from_within(last);
            self.gradient.extend(gradient.iter().map(|g| g.1));
        }
        for &(block, g) in gradient.iter().filter(|g| !same && g.0 != NONE) {
            match self.block[first..].iter().position(|&n| n == block) {
                Some(k) => self.gradient[first + k] += g,
                None => {
                    self.block.push(block);
                    self.gradient.push(g);
                }
            }
        }
        let row = self.len() as u32;
        self.end.push(self.block.len() as u32);
        self.bound.push(c);
        self.rounding.push(0.0);
        self.kind.push(kind);
        self.key.push(key);
        Ok(row)
    }

    /// Gives a contact row friction: two more rows, `gradient[k]·Δv = c[k]` being "no slip along tangent k" (for the
    /// tangent `t` of the pair, `t·Σwᵢ Δvᵢ = −t·Σwᵢ vᵢ`). The tangents should be orthogonal units.
    ///
    /// # Errors
    /// [`RowError`]; nothing is added then.
    pub fn push_friction(
        &mut self,
        normal: u32,
        mu: f64,
        gradient: [&[(u32, DVec3)]; 2],
        c: [f64; 2],
    ) -> Result<Friction, RowError> {
        let is_contact = self.kind.get(normal as usize) == Some(&RowKind::Contact);
        // Mostly the contact is the last that came, and all with friction came before.
        let newest = self.kind[(normal as usize + 1).min(self.len())..].is_empty();
        let taken = !newest && self.friction.iter().rev().any(|f| f.normal == normal);
        if !is_contact || taken || !(mu >= 0.0 && mu.is_finite()) {
            return Err(RowError::Friction { row: normal, mu });
        }
        let (len, key) = (self.len(), self.key[normal as usize]);
        let first = self.push(RowKind::Tangent, key, c[0], gradient[0])?;
        let second =
            self.push(RowKind::Tangent, key, c[1], gradient[1]).inspect_err(|_| self.truncate(len))?;
        let f = Friction { normal, tangent: [first, second], mu };
        self.friction.push(f);
        Ok(f)
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        let start = if row == 0 { 0 } else { self.end[row - 1] as usize };
        start..self.end[row] as usize
    }

    /// One row.
    pub fn row(&self, row: usize) -> Row<'_> {
        let r = self.range(row);
        Row {
            kind: self.kind[row],
            key: self.key[row],
            bound: self.bound[row],
            blocks: &self.block[r.clone()],
            gradients: &self.gradient[r],
        }
    }

    /// Changes the bound of a row; a bound that is not finite is ignored.
    pub fn set_bound(&mut self, row: usize, c: f64) {
        if c.is_finite() {
            self.bound[row] = c;
        }
    }

    /// States how far rounding may have put the bound of a row (m/s): a row that is violated by no more than that is kept. For a gap, that is a few
    /// units in the last place of its coordinates, over the step. A number below 0, or one that is not finite, is ignored.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn set_rounding(&mut self, row: usize, velocity: f64) {
        if velocity >= 0.0 && velocity.is_finite() {
            self.rounding[row] = velocity;
        }
    }

    /// How far rounding may have put each bound (m/s); 0 where nobody said.
    pub fn rounding(&self) -> &[f64] {
        &self.rounding
    }

    /// Bounds `c`.
    pub fn bounds(&self) -> &[f64] {
        &self.bound
    }

    /// Kinds.
    pub fn kinds(&self) -> &[RowKind] {
        &self.kind
    }

    /// Keys.
    pub fn keys(&self) -> &[u64] {
        &self.key
    }

    /// Contacts with friction.
    pub fn friction(&self) -> &[Friction] {
        &self.friction
    }

    /// The highest block named.
    pub fn largest_block(&self) -> Option<u32> {
        self.block.iter().copied().max()
    }

    /// Blocks and gradients, row by row.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&[u32], &[DVec3])> {
        let (mut blocks, mut gradients, mut from) = (&self.block[..], &self.gradient[..], 0);
        self.end.iter().map(move |&end| {
            let count = (end - std::mem::replace(&mut from, end)) as usize;
            let (b, g) = (blocks.split_at(count), gradients.split_at(count));
            (blocks, gradients) = (b.1, g.1);
            (b.0, g.0)
        })
    }

    /// `J_i x`.
    pub fn dot(&self, row: usize, x: &[DVec3]) -> f64 {
        let r = self.range(row);
        dot(&self.block[r.clone()], &self.gradient[r], x)
    }

    /// `out = J x`.
    pub fn apply(&self, x: &[DVec3], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.entries().map(|(blocks, gradients)| dot(blocks, gradients, x)));
    }

    /// `y += s J_iᵀ`.
    pub fn add(&self, row: usize, s: f64, y: &mut [DVec3]) {
        let r = self.range(row);
        for (&b, g) in self.block[r.clone()].iter().zip(&self.gradient[r]) {
            y[b as usize] += *g * s;
        }
    }

    /// `y += Jᵀ μ`; rows with μ = 0 are passed over.
    pub fn apply_transposed(&self, mu: &[f64], y: &mut [DVec3]) {
        for (&m, (blocks, gradients)) in mu.iter().zip(self.entries()) {
            if m != 0.0 {
                blocks.iter().zip(gradients).for_each(|(&b, g)| y[b as usize] += *g * m);
            }
        }
    }

    /// Sorts by key, then kind, then order of arrival: the same table for any order of detection, as long as rows of one
    /// key arrive in one order.
    pub fn sort_by_key(&mut self) {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by_key(|&i| (self.key[i as usize], self.kind[i as usize], i));
        let mut place = vec![0u32; order.len()];
        let mut sorted = Self::default();
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
            let r = self.range(old as usize);
            sorted.block.extend_from_slice(&self.block[r.clone()]);
            sorted.gradient.extend_from_slice(&self.gradient[r]);
            sorted.end.push(sorted.block.len() as u32);
            sorted.bound.push(self.bound[old as usize]);
            sorted.rounding.push(self.rounding[old as usize]);
            sorted.kind.push(self.kind[old as usize]);
            sorted.key.push(self.key[old as usize]);
        }
        let moved = |i: u32| place[i as usize];
        sorted.friction = self.friction.clone();
        for f in &mut sorted.friction {
            *f = Friction { normal: moved(f.normal), tangent: f.tangent.map(moved), mu: f.mu };
        }
        sorted.friction.sort_by_key(|f| f.normal);
        *self = sorted;
    }

    /// Becomes the given rows and frictions of another table, ascending, over blocks and rows renumbered by their places.
    pub(crate) fn set_part(
        &mut self,
        of: &Self,
        (rows, friction): (&[u32], &[u32]),
        block_place: &[u32],
        row_place: &[u32],
    ) {
        self.clear();
        for &old in rows {
            let row = of.row(old as usize);
            self.block.extend(row.blocks.iter().map(|&b| block_place[b as usize]));
            self.gradient.extend_from_slice(row.gradients);
            self.end.push(self.block.len() as u32);
            self.bound.push(row.bound);
            self.rounding.push(of.rounding[old as usize]);
            self.kind.push(row.kind);
            self.key.push(row.key);
        }
        let new = |row: u32| row_place[row as usize];
        for f in friction.iter().map(|&i| of.friction[i as usize]) {
            self.friction.push(Friction { normal: new(f.normal), tangent: f.tangent.map(new), mu: f.mu });
        }
    }

    /// Multipliers of another table carried over to this one by key: the k-th row of a key takes what the k-th row of the
    /// same key and kind had; others start at 0. For warm starts.
    pub fn carry(&self, old: &Rows, mu: &[f64]) -> Vec<f64> {
        let mut of: BTreeMap<(u64, RowKind, u32), f64> = BTreeMap::new();
        let mut count: BTreeMap<(u64, RowKind), u32> = BTreeMap::new();
        for (i, &m) in mu.iter().enumerate().take(old.len()) {
            let k = count.entry((old.key[i], old.kind[i])).or_insert(0);
            of.insert((old.key[i], old.kind[i], *k), m);
            *k += 1;
        }
        count.clear();
        let carried = self.key.iter().zip(&self.kind).map(|(&key, &kind)| {
            let k = count.entry((key, kind)).or_insert(0);
            let m = of.get(&(key, kind, *k)).copied().unwrap_or(0.0);
            *k += 1;
            m
        });
        carried.collect()
    }
}

#[inline]
pub(crate) fn dot(blocks: &[u32], gradients: &[DVec3], x: &[DVec3]) -> f64 {
    let mut s = 0.0;
    for (&b, g) in blocks.iter().zip(gradients) {
        s += g.dot(x[b as usize]);
    }
    s
}
