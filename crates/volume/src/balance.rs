//! A body's pushes on itself must not turn it.
//!
//! The exact gradient of a volume has no moment, because no turn of the whole body changes the volume. Rays do not turn with the body: their
//! gradient has a moment of the order of the pixel's square. Within one body that moment would come from nothing.

use crate::Overlap;
use impinge_geometry::{DMat3, DVec3};

/// Below this share of its trace the tensor of a cell's vertices is that of a line, about which nothing can be balanced.
const LINE: f64 = 1e-9;

impl Overlap {
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
