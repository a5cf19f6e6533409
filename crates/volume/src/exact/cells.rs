//! Exact volumes in the cells of a grid, and the walls' pushes handed to both bodies.
//!
//! The surface inside each cell gives ∫ φ n (walls fixed) and, along each axis, the areas of the walls: what the surface does not
//! close up to a wall, the wall does. With F the flux ∫ n_z of the surface in a cell, the wall above cell k of a column has the
//! area W_k = −Σ_{k' ≤ k} F_k' of the intersection's cross-section, and V = ∫ (z − z_bottom) n_z dS + h W_k, h from z_bottom to the wall. All that is exact.
//!
//! How a wall's push is shared between the surfaces above and below it, (22) and (23) and [`crate::carry`], is an integral of a rational
//! function over the overlay of both surfaces. Rays measure it: their shares α are scaled so that each wall hands on exactly its area. So
//! every cell pushes both bodies alike to rounding, and the cells' gradients sum to the whole one to rounding; only the way a
//! wall's push is spread over vertices carries the rays' error.

use super::sums::{ByCell, Share, merge};
use crate::bounds::Bounds;
use crate::carry::{Carry, Patch};
use crate::closed::along;
use crate::overlap::{CellGrid, Walls};
use impinge_geometry::DVec3;
use std::collections::BTreeMap;

/// The surface of one body in one cell.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub cell: [i32; 3],
    pub side: u8,
    /// n ∫φ of the triangle's corners (m²).
    pub corner: [(u32, DVec3); 3],
    /// ∫ (x − floor) n along each axis (m³).
    pub first: DVec3,
}

/// A cell this many times as large as the overlap: heights from its lower wall keep twelve digits, from further away fewer.
const ENORMOUS: f64 = 1e3;

/// Where heights in a cell are measured from (m): its lower wall; in an enormous cell the lower end of the overlap's box, where
/// that is above the wall.
pub(super) fn floor(grid: &CellGrid, common: &Bounds, axis: usize, index: i32) -> f64 {
    let wall = grid.wall(axis, index);
    if is_enormous(grid, common) { wall.max(common.lo[axis]) } else { wall }
}

/// From the floor of a cell to its upper wall (m).
fn height(grid: &CellGrid, common: &Bounds, axis: usize, index: i32) -> f64 {
    if is_enormous(grid, common) {
        grid.wall(axis, index + 1) - floor(grid, common, axis, index)
    } else {
        grid.size
    }
}

fn is_enormous(grid: &CellGrid, common: &Bounds) -> bool {
    grid.size > ENORMOUS * (common.hi - common.lo).component_max()
}

/// One ray's part of a wall: the share of the surface above it, and where that and the one below are met.
#[derive(Clone, Copy, Debug)]
pub struct WallRay {
    pub axis: usize,
    /// The cell below the wall.
    pub cell: [i32; 3],
    pub alpha: f64,
    pub upper: Met,
    pub lower: Met,
}

/// A point of a surface: whose, and the weights of its triangle's corners.
#[derive(Clone, Copy, Debug)]
pub struct Met {
    pub side: u8,
    pub triangle: u32,
    pub corner: [(u32, f64); 3],
}

/// A row of a cell's gradient.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The cell's number in [`Cells`].
    pub cell: u32,
    pub side: u8,
    pub vertex: u32,
    pub gradient: DVec3,
}

/// What a cell's surface adds up to, then its volume along each axis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    flux: DVec3,
    pub along: DVec3,
}

impl Sum {
    /// m³.
    pub fn volume(&self) -> f64 {
        (self.along.x + self.along.y + self.along.z) / 3.0
    }
}

/// The cells that hold something, by number: those with pieces ascend, and then come those that only walls pass, as they are met.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    list: Vec<([i32; 3], Sum)>,
    /// How many have pieces.
    own: usize,
    /// The numbers of the others.
    passed: BTreeMap<[i32; 3], u32>,
    /// Asked for last.
    last: usize,
    keys: Vec<[i32; 3]>,
}

impl Cells {
    fn start(&mut self, pieces: &[Piece]) {
        let Self { list, own, passed, last, keys } = self;
        keys.clear();
        for p in pieces {
            // Most are of the same cell as the one before.
            if keys.last() != Some(&p.cell) {
                keys.push(p.cell);
            }
        }
        keys.sort_unstable();
        keys.dedup();
        list.clear();
        list.extend(keys.iter().map(|&cell| (cell, Sum::default())));
        passed.clear();
        (*own, *last) = (list.len(), 0);
    }

    fn number(&mut self, cell: [i32; 3]) -> u32 {
        let Self { list, own, passed, last, .. } = self;
        if list.get(*last).is_none_or(|l| l.0 != cell) {
            *last = list[..*own].binary_search_by_key(&cell, |l| l.0).unwrap_or_else(|_| {
                *passed.entry(cell).or_insert_with(|| {
                    list.push((cell, Sum::default()));
                    list.len() as u32 - 1
                }) as usize
            });
        }
        *last as u32
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Of the cell with a number (m³).
    pub fn volume(&self, number: usize) -> f64 {
        self.list[number].1.volume()
    }

    /// Numbers, places and sums in the order of the grid.
    pub fn ordered(&self, order: &mut Vec<u32>) -> impl Iterator<Item = (usize, [i32; 3], &Sum)> {
        order.clear();
        order.extend(0..self.list.len() as u32);
        if !self.passed.is_empty() {
            order.sort_unstable_by_key(|&i| self.list[i as usize].0);
        }
        order.iter().map(move |&i| {
            let (cell, sum) = &self.list[i as usize];
            (i as usize, *cell, sum)
        })
    }
}

/// A cell in its column: the other two indices, the index along the column, the flux of its surface along it (m²), and its number.
type InColumn = ([i32; 2], i32, f64, u32);

/// What pieces are added up with.
#[derive(Clone, Debug, Default)]
pub struct Adding {
    pub cells: Cells,
    pub entries: Vec<Entry>,
    column: Vec<InColumn>,
    scratch: Scratch,
}

impl Adding {
    /// Adds up pieces (any order) and walls: volumes by cell, and all rows. `rays` must be sorted by axis and cell. Returns whose motion
    /// the walls followed.
    pub fn add_up(&mut self, pieces: &[Piece], rays: &[WallRay], grid: &CellGrid, common: &Bounds) -> Carry {
        let Self { cells, entries, column, scratch } = self;
        cells.start(pieces);
        entries.clear();
        for p in pieces {
            let cell = cells.number(p.cell);
            let sum = &mut cells.list[cell as usize].1;
            sum.along += p.first;
            for (vertex, gradient) in p.corner {
                sum.flux += gradient;
                entries.push(Entry { cell, side: p.side, vertex, gradient });
            }
        }
        let carry = match grid.walls {
            Walls::Carried => carried(pieces),
            Walls::Shared => Carry::SHARED,
        };
        for axis in 0..3 {
            scratch.start(axis);
            // Columns along the axis, bottom first.
            column.clear();
            column.extend(
                (0..).zip(&cells.list).map(|(n, (c, s))| (place(*c, axis), c[axis], along(s.flux, axis), n)),
            );
            column.sort_unstable_by_key(|x| (x.0, x.1));
            let column = &column[..];
            let mut wall = 0.0;
            for (i, &(place, k, flux, number)) in column.iter().enumerate() {
                wall -= flux;
                let next = column.get(i + 1).filter(|n| n.0 == place).map(|n| n.1);
                let Some(next) = next else {
                    wall = 0.0; // Closed: what is left is rounding.
                    continue;
                };
                for k in k..next {
                    if wall > 0.0 {
                        let mut cell = [0; 3];
                        (cell[axis], cell[(axis + 1) % 3], cell[(axis + 2) % 3]) = (k, place[0], place[1]);
                        let mut above = cell;
                        above[axis] += 1;
                        let numbers = [cells.number(cell), cells.number(above)];
                        let height = height(grid, common, axis, k);
                        cells.list[numbers[0] as usize].1.along[axis] += wall * height;
                        if !scratch.by_rays(carry, rays, cell, wall) {
                            let of = |i: usize| entries[3 * i].cell;
                            scratch.by_columns((pieces, of), (column, number), carry, k, wall);
                        }
                        hand_over(axis, numbers, &mut scratch.shares, entries);
                    }
                }
            }
        }
        carry
    }
}

fn carried(pieces: &[Piece]) -> Carry {
    let mut patches = [Patch::default(); 2];
    for p in pieces {
        patches[usize::from(p.side)].add(p.corner.iter().fold(DVec3::zero(), |s, c| s + c.1));
    }
    Carry::of(&patches)
}

/// The indices of a cell across an axis.
fn place(cell: [i32; 3], axis: usize) -> [i32; 2] {
    [cell[(axis + 1) % 3], cell[(axis + 2) % 3]]
}

/// Corners of a piece that cancel to this part of themselves are rounding.
const CANCELS: f64 = 1e-3;

/// What walls across an axis are handed on with.
#[derive(Clone, Debug, Default)]
struct Scratch {
    axis: usize,
    shares: Vec<Share>,
    /// Corners of what faces the wall, their areas (m²), and whether from above (0) or from below (1).
    faces: Vec<((u8, u32), f64, usize)>,
    /// Pieces by column. Made when first asked for: nearly every wall is met by a ray.
    by_column: ByCell,
    /// The column of each cell.
    column_of: Vec<u32>,
    /// Flux of each piece along the axis, and that of its corners without signs (m²).
    flux: Vec<(f64, f64)>,
}

impl Scratch {
    fn start(&mut self, axis: usize) {
        self.axis = axis;
        self.flux.clear();
    }

    /// Shares out the push of the wall above `cell` to the surfaces above and below where rays meet them; `false` where none does.
    fn by_rays(&mut self, carry: Carry, rays: &[WallRay], cell: [i32; 3], area: f64) -> bool {
        let Self { axis, shares, .. } = self;
        shares.clear();
        let first = rays.partition_point(|r| (r.axis, r.cell) < (*axis, cell));
        let through = rays[first..].iter().take_while(|r| r.axis == *axis && r.cell == cell);
        let count = through.clone().count();
        for r in through {
            let alpha = carry.share(r.alpha, usize::from(r.upper.side), usize::from(r.lower.side));
            for (met, share) in [(r.upper, alpha), (r.lower, 1.0 - alpha)] {
                let share = share * area / count as f64;
                met.corner.iter().for_each(|&(v, w)| shares.push(((met.side, v), share * w)));
            }
        }
        count > 0
    }

    /// Puts pieces into columns, those in which the cells of `column` stand, which ascend; `cell_of` are numbers.
    fn columns(&mut self, pieces: &[Piece], cell_of: impl Fn(usize) -> u32, column: &[InColumn]) {
        let Self { axis, by_column, column_of, flux, .. } = self;
        let mut count = 0;
        for (i, c) in column.iter().enumerate() {
            count += u32::from(i == 0 || column[i - 1].0 != c.0);
            let at = c.3 as usize;
            if column_of.len() <= at {
                column_of.resize(at + 1, 0);
            }
            column_of[at] = count - 1;
        }
        by_column.sort(count as usize, (0..pieces.len()).map(|i| column_of[cell_of(i) as usize]));
        flux.extend(pieces.iter().map(|p| {
            let along = |c: &(u32, DVec3)| along(c.1, *axis);
            p.corner.iter().map(along).fold((0.0, 0.0), |s, f| (s.0 + f, s.1 + f.abs()))
        }));
    }

    /// The same where no ray passes so small a piece of wall, above cell `k` of the column of the cell `number`: as if it stood in the middle of rays
    /// between all of the column's surfaces that face it from above and from below, by their areas; all to one end where the other has none. Corners
    /// of a region have one sign; where they cancel it is all rounding, and with the rest of it below the shares would be any multiple of the wall.
    fn by_columns(
        &mut self,
        (pieces, cell_of): (&[Piece], impl Fn(usize) -> u32),
        (column, number): (&[InColumn], u32),
        carry: Carry,
        k: i32,
        area: f64,
    ) {
        if self.flux.is_empty() {
            self.columns(pieces, cell_of, column);
        }
        let Self { axis, shares, faces, by_column, column_of, flux } = self;
        let mut totals = [[0.0; 2]; 2];
        faces.clear();
        for &i in by_column.of(column_of[number as usize] as usize) {
            let (p, (flux, size)) = (&pieces[i as usize], flux[i as usize]);
            let up = p.cell[*axis] > k;
            if !(if up { flux > CANCELS * size } else { flux < -CANCELS * size }) {
                continue;
            }
            let total = &mut totals[usize::from(!up)][usize::from(p.side)];
            for (v, g) in p.corner {
                let amount = along(g, *axis).abs();
                *total += amount;
                faces.push(((p.side, v), amount, usize::from(!up)));
            }
        }
        let part = parts(carry, &totals);
        for end in 0..2 {
            for side in (0..2).filter(|&s| part[end][s] > 0.0) {
                for &(to, amount, _) in faces.iter().filter(|f| (f.2, usize::from(f.0.0)) == (end, side)) {
                    shares.push((to, part[end][side] * area * amount / totals[end][side]));
                }
            }
        }
    }
}

/// What each side gets of a wall that no ray passed, above and below it, from the areas that face it there.
fn parts(carry: Carry, areas: &[[f64; 2]; 2]) -> [[f64; 2]; 2] {
    let [above, below] = areas.map(|a| a[0] + a[1]);
    let mut part = [[0.0; 2]; 2];
    for upper in 0..2 {
        for lower in 0..2 {
            let alpha = match (above > 0.0, below > 0.0) {
                (true, true) => carry.share(0.5, upper, lower),
                (above, _) => f64::from(u8::from(above)),
            };
            let of = |area: f64, all: f64| if all > 0.0 { area / all } else { 0.5 };
            let rays = of(areas[0][upper], above) * of(areas[1][lower], below);
            part[0][upper] += rays * alpha;
            part[1][lower] += rays * (1.0 - alpha);
        }
    }
    part
}

/// The push of a wall: + on the cell below it, − on the one above. One row for each vertex, however many rays met its triangles: with a row for each
/// ray the rows took most of the memory.
fn hand_over(axis: usize, cells: [u32; 2], shares: &mut Vec<Share>, entries: &mut Vec<Entry>) {
    merge(shares);
    for &((side, vertex), sum) in &*shares {
        let of = |k: usize| if k == axis { sum } else { 0.0 };
        let gradient = DVec3::new(of(0), of(1), of(2));
        entries.push(Entry { cell: cells[0], side, vertex, gradient });
        entries.push(Entry { cell: cells[1], side, vertex, gradient: -gradient });
    }
}

#[cfg(test)]
mod tests {
    use super::super::sums::tests::numbers;
    use super::*;

    fn piece(cell: [i32; 3], toward: f64, corners: [f64; 3]) -> Piece {
        let corner = [0, 1, 2].map(|k| (k as u32, DVec3::new(0.0, 0.0, toward * corners[k])));
        Piece { cell, side: 1, corner, first: DVec3::zero() }
    }

    #[test]
    fn no_vertex_gets_more_than_the_wall_that_no_ray_passed() {
        // Faces that are all rounding: their corners almost cancel.
        let rounding = [-3e-18, 1e-18, 2.0000001e-18];
        let (below, above) = (piece([0, 0, 0], -1.0, rounding), piece([0, 0, 1], 1.0, rounding));
        let face = piece([0, 0, 0], -1.0, [1e-9, 2e-9, 3e-9]);
        let area = 1e-9;
        for (pieces, handed) in [(vec![below, above], 0.0), (vec![below, above, face], area)] {
            let (mut scratch, mut entries) = (Scratch::default(), Vec::new());
            scratch.start(2);
            assert!(!scratch.by_rays(Carry::SHARED, &[], [0, 0, 0], area));
            let column = [([0; 2], 0, 0.0, 0), ([0; 2], 1, 0.0, 1)];
            let of = |i: usize| pieces[i].cell[2] as u32;
            scratch.by_columns((&pieces, of), (&column, 0), Carry::SHARED, 0, area);
            hand_over(2, [0, 1], &mut scratch.shares, &mut entries);
            let sum: f64 = entries.iter().filter(|e| e.cell == 0).map(|e| e.gradient.z).sum();
            assert!((sum - handed).abs() <= 1e-15 * area, "{sum}, not {handed}");
            assert!(entries.iter().all(|e| e.gradient.z.abs() <= area), "{entries:?}");
        }
    }

    #[test]
    fn each_end_gets_its_share_of_a_wall_that_no_ray_passed() {
        let shared = Carry::SHARED;
        assert_eq!(parts(shared, &[[2.0, 0.0], [0.0, 3.0]]), [[0.5, 0.0], [0.0, 0.5]]);
        assert_eq!(parts(shared, &[[1.0, 3.0], [0.0, 3.0]]), [[0.125, 0.375], [0.0, 0.5]]);
        // Nothing above, or below: all to the other end.
        assert_eq!(parts(shared, &[[0.0, 0.0], [1.0, 3.0]])[1], [0.25, 0.75]);
        assert_eq!(parts(shared, &[[1.0, 0.0], [0.0, 0.0]])[0], [1.0, 0.0]);
        // The first body is bent and the second flat; between two ends of one body nothing changes.
        let n = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let mut patches = [Patch::default(); 2];
        [n(1.0, 0.0), n(0.0, 1.0)].into_iter().for_each(|n| patches[0].add(n));
        [n(0.0, -1.0), n(0.0, -2.0)].into_iter().for_each(|n| patches[1].add(n));
        let carried = Carry::of(&patches);
        let [above, below] = parts(carried, &[[2.0, 0.0], [0.0, 3.0]]);
        assert!(above[0] > 1.0 - 1e-11 && below[1] < 1e-11 && (above[0] + below[1] - 1.0).abs() < 1e-15);
        assert_eq!(parts(carried, &[[0.0, 2.0], [0.0, 3.0]]), [[0.0, 0.5], [0.0, 0.5]]);
        // A quarter of the rays end on the first body both ways, the others on it below alone.
        let [above, below] = parts(carried, &[[1.0, 3.0], [1.0, 0.0]]);
        assert!((above[0] - 0.125).abs() < 1e-11 && above[1] < 1e-11 && (below[0] - 0.875).abs() < 1e-11);
    }

    #[test]
    fn columns_have_their_pieces_in_order() {
        let (mut number, mut scratch) = (numbers(), Scratch::default());
        // Again with the same memory.
        for count in [1, 40, 400, 40] {
            let pieces: Vec<Piece> = (0..count)
                .map(|_| piece([0; 3].map(|_| (number() % 3) as i32), 1.0, [f64::from(number()); 3]))
                .collect();
            let mut cells = Cells::default();
            cells.start(&pieces);
            let of: Vec<u32> = pieces.iter().map(|p| cells.number(p.cell)).collect();
            for axis in 0..3 {
                let cells = (0..).zip(&cells.list).map(|(n, (c, _))| (place(*c, axis), c[axis], 0.0, n));
                let mut column: Vec<InColumn> = cells.collect();
                column.sort_by_key(|c| (c.0, c.1));
                scratch.start(axis);
                scratch.columns(&pieces, |i| of[i], &column);
                for &(at, _, _, number) in &column {
                    let own = (0..).zip(&pieces).filter(|(_, p)| place(p.cell, axis) == at);
                    let got = scratch.by_column.of(scratch.column_of[number as usize] as usize);
                    assert!(got.iter().copied().eq(own.map(|(i, _)| i)), "{count} along {axis}");
                }
            }
        }
    }

    #[test]
    fn cells_that_walls_alone_pass_are_numbered_as_they_are_met_and_listed_in_order() {
        let pieces = [[0, 0, 4], [0, 0, 0], [0, 0, 4]].map(|cell| piece(cell, 1.0, [1.0; 3]));
        let (mut cells, mut order) = (Cells::default(), Vec::new());
        // Again with the same memory.
        for _ in 0..2 {
            cells.start(&pieces);
            let numbers = [4, 0, 3, 1, 3, 4].map(|k| cells.number([0, 0, k]));
            assert_eq!(numbers, [1, 0, 2, 3, 2, 1]);
            let listed = cells.ordered(&mut order).map(|(i, c, _)| (i, c[2]));
            assert!(listed.eq([(0, 0), (3, 1), (2, 3), (1, 4)]));
        }
    }
}
