//! λ and its projection by the rows' laws: how far Newton's method on the natural map (`natural.rs`) is from its end.

use crate::rows::Rows;
use impinge_geometry::DVec3;

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Projection {
    /// 1/ρ of each row.
    pub(super) give: Vec<f64>,
    pub(super) lambda: Vec<f64>,
    pub(super) r: Vec<f64>,
    /// λ after a step.
    pub(super) next: Vec<f64>,
    projected: Vec<f64>,
    /// The nearest point so far.
    pub(super) nearest: (f64, Vec<DVec3>, Vec<f64>),
}

impl Projection {
    /// Of a row, before P.
    pub(super) fn before(&self, i: usize) -> f64 {
        if self.give[i] > 0.0 { self.lambda[i] + self.r[i] / self.give[i] } else { 0.0 }
    }

    /// Residuals at x, and how far λ is from its projection there, in the unit of each row.
    pub(super) fn distance(&mut self, rows: &Rows, x: &[DVec3]) -> f64 {
        rows.apply(x, &mut self.r);
        self.r.iter_mut().zip(rows.bounds()).for_each(|(r, c)| *r -= c);
        let mut out = std::mem::take(&mut self.projected);
        out.clear();
        out.extend(rows.kinds().iter().enumerate().map(|(i, kind)| {
            let y = self.before(i);
            if kind.is_equality() { y } else { y.max(0.0) }
        }));
        for f in rows.friction() {
            let [a, b] = f.tangent.map(|t| t as usize);
            let y = [a, b].map(|t| self.before(t));
            let (size, most) = (length(y), f.mu * out[f.normal as usize]);
            let keep = if size > most { most / size } else { 1.0 };
            (out[a], out[b]) = (keep * y[0], keep * y[1]);
        }
        let of = |i: usize| {
            let away = self.lambda[i] - out[i];
            self.give[i] * away * away
        };
        let distance = impinge_contact::sums::ordered_sum(out.len(), of).sqrt();
        self.projected = out;
        distance
    }
}

pub(super) fn length(v: [f64; 2]) -> f64 {
    (v[0] * v[0] + v[1] * v[1]).sqrt()
}
