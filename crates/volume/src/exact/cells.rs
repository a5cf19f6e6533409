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

use super::sums::{Share, merge};
use crate::bounds::Bounds;
use crate::carry::{Carry, Patch};
use crate::closed::along;
use crate::overlap::{CellGrid, Walls};
use impinge_geometry::DVec3;
use std::cell::OnceCell;
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
    pub cell: [i32; 3],
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

/// Adds up pieces (any order) and walls: volumes by cell, and all rows into `entries`. `rays` must be sorted by axis and cell.
pub fn add_up(
    pieces: &[Piece],
    rays: &[WallRay],
    grid: &CellGrid,
    common: &Bounds,
    entries: &mut Vec<Entry>,
) -> BTreeMap<[i32; 3], Sum> {
    let mut cells: BTreeMap<[i32; 3], Sum> = BTreeMap::new();
    let mut scratch = Scratch::default();
    for p in pieces {
        let sum = cells.entry(p.cell).or_default();
        sum.along += p.first;
        for (vertex, gradient) in p.corner {
            sum.flux += gradient;
            entries.push(Entry { cell: p.cell, side: p.side, vertex, gradient });
        }
    }
    let carry = match grid.walls {
        Walls::Carried => carried(pieces),
        Walls::Shared => Carry::SHARED,
    };
    for axis in 0..3 {
        let columns = Columns::new(pieces, axis);
        // Columns along the axis: (the other two indices, the index along it), bottom first.
        let mut column: Vec<([i32; 2], i32, f64)> =
            cells.iter().map(|(c, s)| (place(*c, axis), c[axis], along(s.flux, axis))).collect();
        column.sort_by_key(|x| (x.0, x.1));
        let mut wall = 0.0;
        for (i, &(place, k, flux)) in column.iter().enumerate() {
            wall -= flux;
            let next = column.get(i + 1).filter(|n| n.0 == place).map(|n| n.1);
            let Some(next) = next else {
                wall = 0.0; // Closed: what is left is rounding.
                continue;
            };
            for k in k..next {
                let mut cell = [0; 3];
                (cell[axis], cell[(axis + 1) % 3], cell[(axis + 2) % 3]) = (k, place[0], place[1]);
                if wall > 0.0 {
                    let height = height(grid, common, axis, k);
                    cells.entry(cell).or_default().along[axis] += wall * height;
                    hand_on(&columns, carry, rays, cell, wall, &mut scratch, entries);
                }
            }
        }
    }
    cells
}

fn carried(pieces: &[Piece]) -> Carry {
    let mut patches = [Patch::default(); 2];
    for p in pieces {
        patches[usize::from(p.side)].add(p.corner.iter().fold(DVec3::zero(), |s, c| s + c.1));
    }
    Carry::of(&patches)
}

/// The pieces of each column of cells along an axis, found without a search through all of them.
struct Columns<'a> {
    axis: usize,
    pieces: &'a [Piece],
    /// Numbers of pieces, by column. Made when first asked for: nearly every wall is met by a ray.
    order: OnceCell<Vec<u32>>,
}

impl<'a> Columns<'a> {
    fn new(pieces: &'a [Piece], axis: usize) -> Self {
        Self { axis, pieces, order: OnceCell::new() }
    }

    /// Those of the column that a cell is in, in the order of the pieces.
    fn of(&self, cell: [i32; 3]) -> impl Iterator<Item = &'a Piece> + use<'_, 'a> {
        let (at, pieces, axis) = (place(cell, self.axis), self.pieces, self.axis);
        let of = move |p: &u32| place(pieces[*p as usize].cell, axis);
        let few = pieces.len() <= FEW;
        let order = if few { &[][..] } else { &self.order.get_or_init(|| ordered(pieces, axis))[..] };
        let first = order.partition_point(|p| of(p) < at);
        let last = first + order[first..].partition_point(|p| of(p) == at);
        let all = if few { pieces } else { &[] };
        let through_all = all.iter().filter(move |p| place(p.cell, axis) == at);
        through_all.chain(order[first..last].iter().map(move |&p| &pieces[p as usize]))
    }
}

/// Pieces up to which a search through all of them is cheaper than to put them in order.
const FEW: usize = 128;

/// Numbers of pieces by column.
fn ordered(pieces: &[Piece], axis: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..pieces.len() as u32).collect();
    order.sort_by_key(|&p| place(pieces[p as usize].cell, axis));
    order
}

/// The indices of a cell across an axis.
fn place(cell: [i32; 3], axis: usize) -> [i32; 2] {
    [cell[(axis + 1) % 3], cell[(axis + 2) % 3]]
}

/// Corners of a piece that cancel to this part of themselves are rounding.
const CANCELS: f64 = 1e-3;

/// What a wall is handed on with.
#[derive(Default)]
struct Scratch {
    shares: Vec<Share>,
    /// Corners of what faces the wall, their areas (m²), and whether from above (0) or from below (1).
    faces: Vec<((u8, u32), f64, usize)>,
}

/// The push of the wall above `cell` to the surfaces above and below: + on the cell, − on the one above it.
fn hand_on(
    columns: &Columns<'_>,
    carry: Carry,
    rays: &[WallRay],
    cell: [i32; 3],
    area: f64,
    Scratch { shares, faces }: &mut Scratch,
    entries: &mut Vec<Entry>,
) {
    let axis = columns.axis;
    let mut next = cell;
    next[axis] += 1;
    shares.clear();
    let first = rays.partition_point(|r| (r.axis, r.cell) < (axis, cell));
    let through = rays[first..].iter().take_while(|r| r.axis == axis && r.cell == cell);
    let count = through.clone().count();
    if count > 0 {
        for r in through {
            let alpha = carry.share(r.alpha, usize::from(r.upper.side), usize::from(r.lower.side));
            for (met, share) in [(r.upper, alpha), (r.lower, 1.0 - alpha)] {
                let share = share * area / count as f64;
                met.corner.iter().for_each(|&(v, w)| shares.push(((met.side, v), share * w)));
            }
        }
        hand_over(axis, [cell, next], shares, entries);
        return;
    }
    // No ray passes so small a piece of wall: as if it stood in the middle of rays between all of the column's surfaces that face it from above and
    // from below, by their areas; all to one end where the other has none. Corners of a region have one sign; where they cancel it is all rounding,
    // and with the rest of it below the shares would be any multiple of the wall.
    let mut totals = [[0.0; 2]; 2];
    faces.clear();
    for (p, up, side) in columns.of(cell).filter_map(|p| faces_wall(p, axis, cell[axis])) {
        for (v, g) in p.corner {
            let amount = along(g, axis).abs();
            totals[usize::from(!up)][side] += amount;
            faces.push(((side as u8, v), amount, usize::from(!up)));
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
    hand_over(axis, [cell, next], shares, entries);
}

/// A piece that faces the wall above a cell, if it does: whether from above, and whose it is.
fn faces_wall(p: &Piece, axis: usize, cell: i32) -> Option<(&Piece, bool, usize)> {
    let (flux, size) =
        p.corner.iter().fold((0.0, 0.0), |s, c| (s.0 + along(c.1, axis), s.1 + along(c.1, axis).abs()));
    let up = p.cell[axis] > cell;
    let faces = if up { flux > CANCELS * size } else { flux < -CANCELS * size };
    faces.then_some((p, up, usize::from(p.side)))
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

/// One row for each vertex, however many rays met its triangles: with a row for each ray the rows took most of the memory.
fn hand_over(axis: usize, cells: [[i32; 3]; 2], shares: &mut Vec<Share>, entries: &mut Vec<Entry>) {
    merge(shares);
    for &((side, vertex), sum) in &*shares {
        let mut gradient = DVec3::zero();
        gradient[axis] = sum;
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
            hand_on(
                &Columns::new(&pieces, 2),
                Carry::SHARED,
                &[],
                [0, 0, 0],
                area,
                &mut scratch,
                &mut entries,
            );
            let sum: f64 = entries.iter().filter(|e| e.cell == [0, 0, 0]).map(|e| e.gradient.z).sum();
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
    fn columns_are_the_same_however_many_pieces() {
        let mut number = numbers();
        for count in [1, FEW, FEW + 1, 3 * FEW] {
            let pieces: Vec<Piece> = (0..count)
                .map(|_| piece([0; 3].map(|_| (number() % 3) as i32), 1.0, [f64::from(number()); 3]))
                .collect();
            for axis in 0..3 {
                let columns = Columns::new(&pieces, axis);
                for cell in pieces.iter().map(|p| p.cell).chain([[5; 3]]) {
                    let own = pieces.iter().filter(|p| place(p.cell, axis) == place(cell, axis));
                    assert!(
                        columns.of(cell).map(std::ptr::from_ref).eq(own.map(std::ptr::from_ref)),
                        "{count} along {axis}"
                    );
                }
            }
        }
    }
}
