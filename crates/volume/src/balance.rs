//! Both sides of a cell are pushed alike, and a body's pushes on itself do not turn it.
//!
//! Where no ray and no surface sees a wall between cells, its push is handed to nobody ([`crate::Exact`]): of a cell that is tiny that may be a part of its own.
//!
//! The exact gradient of a volume has no moment, because no turn of the whole body changes the volume. Rays do not turn with the body: their
//! gradient has a moment of the order of the pixel's square. Within one body that moment would come from nothing.

use crate::Overlap;
use impinge_geometry::{DMat3, DVec3};

/// Below this share of its trace the tensor of a cell's vertices is that of a line, about which nothing can be balanced.
const LINE: f64 = 1e-9;

impl Overlap {
    /// Spreads what one side of a cell is pushed more than the other over all of its vertices, each by its own push. Cells where that is more than
    /// `most` of the push are left as they are.
    pub fn even_out(&mut self, most: f64) {
        for cell in &self.cells {
            let sum = |rows: &[DVec3]| rows.iter().fold(DVec3::zero(), |s, &g| s + g);
            let push = sum(&self.gradient[cell.start[0]..cell.start[1]]).mag();
            let rows = &mut self.gradient[cell.start[0]..cell.start[2]];
            let (lack, size) = (sum(rows), rows.iter().map(|g| g.mag()).sum::<f64>());
            if size > 0.0 && lack.mag() <= most * push {
                rows.iter_mut().for_each(|g| *g -= lack * (g.mag() / size));
            }
        }
    }

    /// Takes the moment out of every cell's gradient by the smallest turn of its vertices, each weighted by its own push; the sum
    /// of the gradient stays 0. For the overlap of a body with itself: `x` are its vertices (m). A cell whose vertices are on a line is left
    /// as it is.
    ///
    /// # Panics
    /// When `x` is shorter than the vertices that the overlap names.
    pub fn take_out_moments(&mut self, x: &[DVec3]) {
        for cell in &self.cells {
            let rows = cell.start[0]..cell.start[2];
            let (vertex, gradient) = (&self.vertex[rows.clone()], &mut self.gradient[rows]);
            let Some(origin) = vertex.first().map(|&v| x[v as usize]) else { continue };
            let at = |v: u32| x[v as usize] - origin;
            let (mut sum, mut first) = (0.0, DVec3::zero());
            for (&v, g) in vertex.iter().zip(&*gradient) {
                sum += g.mag();
                first += at(v) * g.mag();
            }
            let centre = first / sum;
            let (mut moment, mut squares, mut trace) = (DVec3::zero(), [DVec3::zero(); 3], 0.0);
            for (&v, g) in vertex.iter().zip(&*gradient) {
                let (r, w) = (at(v) - centre, g.mag());
                moment += r.cross(*g);
                squares[0] += r * (w * r.x);
                squares[1] += r * (w * r.y);
                squares[2] += r * (w * r.z);
                trace += w * r.mag_sq();
            }
            // Σ w (r² 1 − r rᵀ), symmetric.
            let column = |k: usize| {
                let mut c = -squares[k];
                c[k] += trace;
                c
            };
            let tensor = DMat3::new(column(0), column(1), column(2));
            let determinant = tensor.determinant();
            if !(determinant > LINE * trace * trace * trace) {
                continue;
            }
            let turn = tensor.inversed() * -moment;
            for (&v, g) in vertex.iter().zip(gradient.iter_mut()) {
                *g += turn.cross(at(v) - centre) * g.mag();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlap::Cell;

    #[test]
    fn both_sides_are_pushed_alike() {
        let g = |x: f64, z: f64| DVec3::new(x, 0.0, z);
        let made = |lack: f64| {
            let cell =
                Cell { index: [0; 3], part: 0, volume: 1.0, along: [1.0; 3], flat: None, start: [0, 2, 4] };
            let gradient = vec![g(1.0, 2.0), g(-1.0, 1.0 + lack), g(0.0, -3.0), g(lack, 0.0)];
            let mut o = Overlap { cells: vec![cell], vertex: vec![0, 1, 0, 1], gradient };
            o.even_out(1e-6);
            let sum = o.gradient.iter().fold(DVec3::zero(), |s, &g| s + g);
            (o, sum.mag())
        };
        let (o, lack) = made(1e-7);
        assert!(lack < 1e-15, "{lack}");
        assert!((o.gradient[2] - g(0.0, -3.0)).mag() < 1e-7);
        // What is a part of the push is none of rounding's.
        assert!(made(1e-2).1 > 1e-2);
        let mut none = Overlap::new();
        none.even_out(1e-6);
        assert_eq!(none, Overlap::new());
    }
}
