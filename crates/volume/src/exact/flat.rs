//! Cells in which two flat faces lie on each other: their push is straight across.
//!
//! Plates of one size that lie flush have an overlap V = (L − |s|) w d when one is off by s. Its sides are a depth d high, and push with the pressure of
//! the rest: as soon as s is not 0 they drive the upper plate off, at g d / L, for V falls with either way. That is no contact: the sides of the overlap
//! face each other from the ends of the plate, and what keeps the plates apart is a depth. At s = 0 every slope from −wd to wd is lawful, 0 among them
//! (erratum V10). So where most of a cell's surface is flat, and the rest of it no higher than the overlap is deep, only the part of the gradient
//! along the flat faces' normal is a constraint's ([`crate::Overlap::straighten`]). What is higher, as a wall or a lip beside a floor, is a contact.

use super::cells::{Cells, Piece};
use crate::carry::Carry;
use impinge_geometry::{DVec3, try_normalized};

/// Cosine of the angle between normals of one flat face: 1.4 mrad, what resting plates may lean.
const ALIKE: f64 = 1.0 - 1e-6;
/// Part of a cell's surface that has to be flat: what rises from a plane as its other side is never less than the plane's part.
const MOST: f64 = 0.5;

/// Part of a cell's surface that rounding may put anywhere in it.
const ROUNDING: f64 = 1e-14;

/// What is found of one cell.
#[derive(Clone, Copy, Debug, Default)]
struct Of {
    /// Largest area that faces one way (m²), as A's surface has it.
    lead: DVec3,
    /// ∫n dA of all that is like it on each body's surface, as A's has it (m²).
    along: [DVec3; 2],
    /// Area of that, and all of it (m²).
    flat: [f64; 2],
    all: f64,
    /// ∫h dA over the flat parts (m³).
    first: [f64; 2],
    /// ∫|h| dA of what is not flat, from the middle (m³), a piece at a time: of a rounding's worth of surface that is nothing.
    rises: f64,
    /// Nothing of it is much higher than the overlap is deep.
    level: bool,
}

impl Of {
    fn like(&self, n: DVec3) -> bool {
        n.dot(self.lead) >= ALIKE * n.mag() * self.lead.mag()
    }

    /// ∫h dA of a piece from its ∫x dA, along what all flat parts agree on (m³).
    fn height(&self, at: DVec3) -> f64 {
        let along = self.along[0] + self.along[1];
        at.dot(along) / along.mag()
    }

    /// Height of the middle of the overlap above where heights are measured from (m).
    fn middle(&self) -> f64 {
        let faces = (0..2).filter(|&s| self.flat[s] > 0.0);
        faces.clone().map(|s| self.first[s] / self.flat[s]).sum::<f64>() / faces.count() as f64
    }
}

/// Finds the cells that are flat.
#[derive(Clone, Debug, Default)]
pub struct Flats {
    cells: Vec<Of>,
    /// ∫n dA (m²) as A's surface has it, and ∫x dA (m³), by piece.
    pieces: Vec<(DVec3, DVec3)>,
}

impl Flats {
    /// Looks at pieces, with the number of the cell of each. Heights are measured from `centre`; `size` (m) is that of a cell or of the
    /// overlap, whichever is less.
    pub fn find(
        &mut self,
        pieces: &[Piece],
        cell_of: impl Fn(usize) -> u32,
        x: [&[DVec3]; 2],
        centre: DVec3,
        sums: &Cells,
        size: f64,
    ) {
        let Self { cells, pieces: seen } = self;
        cells.clear();
        cells.resize(sums.len(), Of::default());
        seen.clear();
        for (i, p) in pieces.iter().enumerate() {
            let side = usize::from(p.side);
            let n = p.corner.iter().fold(DVec3::zero(), |s, c| s + c.1);
            let area = n.mag();
            if !(area > 0.0) {
                seen.push((DVec3::zero(), DVec3::zero()));
                continue;
            }
            let weighed =
                |s: DVec3, c: &(u32, DVec3)| s + (x[side][c.0 as usize] - centre) * (c.1.dot(n) / area);
            let at = p.corner.iter().fold(DVec3::zero(), weighed);
            let n = if side == 0 { n } else { -n };
            seen.push((n, at));
            let cell = &mut cells[cell_of(i) as usize];
            cell.all += area;
            if n.mag_sq() > cell.lead.mag_sq() {
                cell.lead = n;
            }
        }
        for (i, &(n, _)) in seen.iter().enumerate() {
            let cell = &mut cells[cell_of(i) as usize];
            if cell.like(n) {
                let side = usize::from(pieces[i].side);
                cell.along[side] += n;
                cell.flat[side] += n.mag();
            }
        }
        for (i, &(n, at)) in seen.iter().enumerate() {
            let cell = &mut cells[cell_of(i) as usize];
            if cell.like(n) {
                cell.first[usize::from(pieces[i].side)] += cell.height(at);
            }
        }
        for (i, &(n, at)) in seen.iter().enumerate() {
            let cell = &mut cells[cell_of(i) as usize];
            if !cell.like(n) {
                cell.rises += (cell.height(at) - cell.middle() * n.mag()).abs();
            }
        }
        for (number, cell) in cells.iter_mut().enumerate() {
            let [flat, rest] = [cell.flat[0].max(cell.flat[1]), cell.all - cell.flat[0] - cell.flat[1]];
            // On the mean over what is not flat: no higher than the overlap is deep.
            cell.level =
                cell.rises * flat <= rest.max(0.0) * sums.volume(number) + ROUNDING * cell.all * flat * size;
        }
    }

    /// The normal that a cell's flat faces push along, out of A, where walls were carried like this.
    pub fn of(&self, number: usize, carry: Carry) -> Option<DVec3> {
        let cell = &self.cells[number];
        let flat = cell.flat[0] + cell.flat[1] >= MOST * cell.all && cell.level;
        flat.then(|| try_normalized(carry.across(cell.along))).flatten()
    }
}
