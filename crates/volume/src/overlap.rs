//! What an evaluation gives: intersection volumes by grid cell, with the gradient at every vertex they depend on.

use crate::closed::along;
use crate::{Body, VolumeError};
use impinge_geometry::DVec3;
use std::collections::BTreeSet;

/// What the walls of cells move with, which decides how their pushes are handed to the two bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Walls {
    /// With the body whose surface is bent, and with two that are bent alike as in the paper. What lies on something flat is pushed straight off it in
    /// every cell that has part of that; a layer of cells within the overlap has no push, see [`Overlap::join_slivers`].
    #[default]
    Carried,
    /// The paper's (22) and (23): with both surfaces, by where on the ray the wall is.
    Shared,
}

/// A regular grid that divides an intersection into independent contacts (seed 002 §5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellGrid {
    /// Lower corner of cell (0, 0, 0) (m).
    pub origin: DVec3,
    /// Edge of a cell (m).
    pub size: f64,
    /// What its walls move with.
    pub walls: Walls,
}

/// Cells from the grid's origin along one axis at most: far below the range of an index.
const MAX_INDEX: f64 = 1_073_741_824.0;
/// Cells over the overlap's box at most, where nothing asks for fewer.
pub(crate) const MOST_CELLS: usize = 1 << 24;

impl CellGrid {
    /// A grid from the lower corner of one cell (m) and its edge (m), with [`Walls::Carried`].
    ///
    /// # Errors
    /// [`VolumeError::Size`] for an edge that is not positive and finite, or an origin that is not finite.
    pub fn new(origin: DVec3, size: f64) -> Result<Self, VolumeError> {
        if !(size > 0.0 && size.is_finite()) {
            return Err(VolumeError::Size { what: "the cell size", value: size });
        }
        if let Some(value) = [origin.x, origin.y, origin.z].into_iter().find(|x| !x.is_finite()) {
            return Err(VolumeError::Size { what: "the origin of the cells", value });
        }
        Ok(Self { origin, size, walls: Walls::default() })
    }

    /// The same with other walls.
    #[must_use]
    pub fn with_walls(self, walls: Walls) -> Self {
        Self { walls, ..self }
    }

    /// The cell's number along `axis` that holds the coordinate `x` (m).
    #[inline]
    pub(crate) fn index(&self, axis: usize, x: f64) -> i32 {
        let i = (x - along(self.origin, axis)) / self.size;
        // `floor` is a call on a baseline processor.
        let whole = i as i32;
        whole.saturating_sub(i32::from(f64::from(whole) > i))
    }

    /// Lower wall of a cell along `axis` (m).
    #[inline]
    pub(crate) fn wall(&self, axis: usize, index: i32) -> f64 {
        along(self.origin, axis) + f64::from(index) * self.size
    }

    /// The cells that a box spans; refuses one that spans more than can be numbered, or than `most`.
    pub(crate) fn count(&self, lo: DVec3, hi: DVec3, most: usize) -> Result<f64, VolumeError> {
        let far = (lo - self.origin).abs().max_by_component((hi - self.origin).abs()) / self.size;
        let across = (hi - lo) / self.size;
        let cells = [across.x, across.y, across.z].iter().map(|n| n.ceil().max(1.0)).product::<f64>();
        if far.component_max() < MAX_INDEX && cells <= most as f64 {
            return Ok(cells);
        }
        Err(VolumeError::Cells { size: self.size, cells: cells.max(far.component_max()), allowed: most })
    }
}

/// One contact: the volume inside one cell of the grid, or all of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Which cell; zeros without a grid.
    pub index: [i32; 3],
    /// Which place. Of a body that overlaps itself its lowest vertex there; of two bodies with several places that are told apart a number
    /// made of the lowest vertices there; 0 for others.
    pub part: u32,
    /// Intersection volume in it (m³).
    pub volume: f64,
    /// The volume as seen along x, y and z (m³). Layered depth images differ; the exact volume is one.
    pub along: [f64; 3],
    /// The normal of two flat faces that it lies between, see [`Overlap::straighten`].
    pub(crate) flat: Option<DVec3>,
    pub(crate) start: [usize; 3],
}

/// A number without likeness to others: a bijection (the finaliser of MurmurHash3).
fn mixed(x: u32) -> u32 {
    let x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    let x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// Names of the places of two bodies, all different, from the lowest vertex of each there: of the one that tells all of them apart if the other does
/// not (of a floor's few triangles several may meet in one), else of both, in which the order of the bodies does not matter unless two places have
/// the same two numbers. The only place has no name.
pub(crate) fn place_names(lowest: &[[u32; 2]]) -> Vec<u32> {
    if lowest.len() == 1 {
        return vec![0];
    }
    let tells_all = [0, 1].map(|side| {
        let mut names: Vec<u32> = lowest.iter().map(|l| l[side]).collect();
        names.sort_unstable();
        names.windows(2).all(|w| w[0] != w[1])
    });
    let name = |l: &[u32; 2]| match tells_all {
        [true, false] => l[0],
        [false, true] => l[1],
        _ => mixed(l[0]).wrapping_add(mixed(l[1])),
    };
    let mut names: Vec<u32> = lowest.iter().map(name).collect();
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&i| (names[i], lowest[i]));
    // Those that have one name all the same have the next that is free.
    let mut taken = BTreeSet::new();
    for i in order {
        while !taken.insert(names[i]) {
            names[i] = names[i].wrapping_add(1);
        }
    }
    names
}

impl Cell {
    /// A name for warm starts: the same cell of the same pair in the next step has it again. Cells of one pair that are a
    /// multiple of 16384 apart along an axis may share one, and so may places, which costs iterations and nothing else.
    #[must_use]
    pub fn key(&self, pair: u32) -> u64 {
        let part = |i: i32| u64::from(i as u32 & 0x3fff);
        u64::from(pair) << 42
            | part(self.index[0] ^ self.part as i32) << 28
            | part(self.index[1]) << 14
            | part(self.index[2])
    }
}

/// Intersection volumes of a pair and their gradients. Buffers are kept from one evaluation to the next.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(alias("intersection volume", "signed volume"))]
pub struct Overlap {
    pub(crate) cells: Vec<Cell>,
    pub(crate) vertex: Vec<u32>,
    pub(crate) gradient: Vec<DVec3>,
}

impl Overlap {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The cells that hold some of the intersection, by index, then by place.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Puts cells that came place by place into the order of [`Overlap::cells`].
    pub(crate) fn order(&mut self) {
        self.cells.sort_by_key(|c| (c.index, c.part));
    }

    /// Sum over the cells (m³).
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.cells.iter().map(|c| c.volume).sum()
    }

    /// ∂V/∂p (m²) of one cell for the vertices of body `side` (0: A, 1: B) it depends on, lowest first.
    ///
    /// # Panics
    /// When there is no such cell or side.
    #[must_use]
    pub fn gradient(&self, cell: usize, side: usize) -> (&[u32], &[DVec3]) {
        let s = &self.cells[cell].start;
        let rows = s[side]..s[side + 1];
        (&self.vertex[rows.clone()], &self.gradient[rows])
    }

    /// Adds ∂V/∂p (m²) of all cells of body `side` to one value for each vertex.
    ///
    /// # Panics
    /// When `out` is shorter than the body has vertices.
    pub fn add_gradient(&self, side: usize, out: &mut [DVec3]) {
        for cell in 0..self.cells.len() {
            let (vertex, g) = self.gradient(cell, side);
            for (&v, &g) in vertex.iter().zip(g) {
                out[v as usize] += g;
            }
        }
    }

    /// Of cells that lie between two flat faces, takes only what pushes straight across: their sides are a depth high, and drive plates that lie flush
    /// off each other. Exact volumes with [`Walls::Carried`] tell which those are; what is higher beside a flat face, as a wall or a lip, keeps its push.
    /// Pushes on both bodies stay opposite. The sum over all cells is not the gradient of the whole volume any more where that leans.
    pub fn straighten(&mut self) {
        for cell in &self.cells {
            if let Some(n) = cell.flat {
                self.gradient[cell.start[0]..cell.start[2]].iter_mut().for_each(|g| *g = n * g.dot(n));
            }
        }
    }

    /// The same as another, in the memory that is there.
    #[cfg(feature = "step")]
    pub(crate) fn copy(&mut self, of: &Self) {
        self.cells.clone_from(&of.cells);
        self.vertex.clone_from(&of.vertex);
        self.gradient.clone_from(&of.gradient);
    }

    /// Gives the vertices of a side other numbers.
    #[cfg(feature = "step")]
    pub(crate) fn renumber(&mut self, side: usize, number: impl Fn(u32) -> u32) {
        for cell in &self.cells {
            self.vertex[cell.start[side]..cell.start[side + 1]].iter_mut().for_each(|v| *v = number(*v));
        }
    }

    /// Nothing again; memory is kept.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.vertex.clear();
        self.gradient.clear();
    }
}

/// A way to measure intersections. Exact and layered depth images answer in the same shape, so one can be held against the
/// other on the same pair.
#[doc(alias("intersection volume"))]
pub trait Evaluate {
    /// Writes the intersection volumes of two bodies and their gradients to `out`, which is cleared first. Without `grid` there
    /// is one cell, or none where the bodies are apart.
    ///
    /// # Errors
    /// [`VolumeError`] for positions that are not finite and for sizes that do not fit.
    fn evaluate(
        &mut self,
        a: Body<'_>,
        b: Body<'_>,
        grid: Option<&CellGrid>,
        out: &mut Overlap,
    ) -> Result<(), VolumeError>;
}

/// Values gathered at vertices and handed out sorted: a dense column and the list of what was touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gather {
    sum: Vec<DVec3>,
    seen: Vec<bool>,
    touched: Vec<u32>,
}

impl Gather {
    pub fn shape(&mut self, vertices: usize) {
        if self.sum.len() < vertices {
            self.sum.resize(vertices, DVec3::zero());
            self.seen.resize(vertices, false);
        }
    }

    /// What a vertex has, to add to.
    #[inline]
    pub fn at(&mut self, vertex: u32) -> &mut DVec3 {
        let v = vertex as usize;
        if !self.seen[v] {
            self.seen[v] = true;
            self.touched.push(vertex);
        }
        &mut self.sum[v]
    }

    /// Appends the rows of a pair's sides and says where they are.
    pub fn drain_pair([a, b]: [&mut Self; 2], out: &mut Overlap) -> [usize; 3] {
        let first = out.vertex.len();
        a.drain(out);
        let middle = out.vertex.len();
        b.drain(out);
        [first, middle, out.vertex.len()]
    }

    /// Appends what was gathered to the rows of `out`, lowest vertex first, and forgets it.
    fn drain(&mut self, out: &mut Overlap) {
        self.touched.sort_unstable();
        for &v in &self.touched {
            out.vertex.push(v);
            out.gradient.push(self.sum[v as usize]);
            self.sum[v as usize] = DVec3::zero();
            self.seen[v as usize] = false;
        }
        self.touched.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_names_of_their_own() {
        assert_eq!(place_names(&[[7, 9]]), [0]);
        assert!(place_names(&[]).is_empty());
        // The one that tells them apart, whichever body it is.
        assert_eq!(place_names(&[[0, 5], [0, 3], [1, 9]]), [5, 3, 9]);
        assert_eq!(place_names(&[[5, 0], [3, 0], [9, 1]]), [5, 3, 9]);
        // Of both, the order of bodies does not matter, but for those with the same two numbers.
        let (a, b) = ([[0, 4], [2, 3], [5, 1]], [[4, 0], [3, 2], [1, 5]]);
        assert_eq!(place_names(&a), place_names(&b));
        for lowest in [vec![[0, 1], [1, 0], [2, 2]], vec![[3, 3]; 6], vec![[u32::MAX; 2]; 3]] {
            let mut names = place_names(&lowest);
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), lowest.len(), "{lowest:?}");
        }
    }
}
