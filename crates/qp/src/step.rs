//! The augmented Lagrangian as a function of Δv, and one search along a direction.
//!
//! For a centre μ̄ and weights γᵢ = 1/lᵢ it is
//!
//! ```text
//! φ(x) = ½xᵀKx − bᵀx + Σ (1/2γᵢ)|λᵢ|² (… for friction its Moreau envelope),   λ = P(μ̄ + γ (Jx − c))
//! ```
//! with P the projection onto λ ≥ 0 (rows), onto a disc of radius μλ̄_n (tangents), or nothing (equalities). φ is strictly
//! convex and once differentiable, ∇φ = Kx − b + Jᵀλ.

use crate::rows::{RowKind, Rows};
use crate::term::Term;
use impinge_solvers::pattern::NONE;

/// A row between two rounds: what it is and which side it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Inactive,
    /// Active row, or a contact that sticks.
    Active,
    /// A contact that slips.
    Slip,
}

fn set(old: &mut Side, new: Side) -> u32 {
    u32::from(std::mem::replace(old, new) != new)
}

/// Multipliers and sides for residuals `r = Jx − c`.
#[derive(Debug, Default)]
pub(crate) struct Lagrangian {
    /// μ̄ of each row.
    pub centre: Vec<f64>,
    /// γ of each row; 0 switches the row off.
    pub weight: Vec<f64>,
    /// Radius of the disc of each friction.
    pub radius: Vec<f64>,
    /// λ of the last call.
    pub lambda: Vec<f64>,
    /// Sides of the last call.
    pub side: Vec<Side>,
}

impl Lagrangian {
    /// λ and sides at residuals `r`; returns how many rows changed sides.
    pub(crate) fn update(&mut self, rows: &Rows, r: &[f64]) -> u32 {
        let m = rows.len();
        self.lambda.resize(m, 0.0);
        self.side.resize(m, Side::Inactive);
        let mut toggles = 0;
        for (i, kind) in rows.kinds().iter().enumerate() {
            if *kind == RowKind::Tangent {
                continue;
            }
            let y = self.centre[i] + self.weight[i] * r[i];
            let active = self.weight[i] > 0.0 && (kind.is_equality() || y > 0.0);
            self.lambda[i] = if active { y } else { 0.0 };
            toggles += set(&mut self.side[i], if active { Side::Active } else { Side::Inactive });
        }
        for (f, &radius) in rows.friction().iter().zip(&self.radius) {
            let [a, b] = f.tangent.map(|t| t as usize);
            let y = [a, b].map(|t| self.centre[t] + self.weight[t] * r[t]);
            let size = (y[0] * y[0] + y[1] * y[1]).sqrt();
            let (side, keep) = if radius <= 0.0 || self.weight[a] <= 0.0 {
                (Side::Inactive, 0.0)
            } else if size <= radius {
                (Side::Active, 1.0)
            } else {
                (Side::Slip, radius / size)
            };
            self.lambda[a] = keep * y[0];
            self.lambda[b] = keep * y[1];
            toggles += set(&mut self.side[a], side);
            self.side[b] = side;
        }
        toggles
    }

    /// How many rows are on the other side at residuals `r` (friction is not counted).
    pub(crate) fn wrong_sides(&self, rows: &Rows, r: &[f64]) -> usize {
        let wrong = |i: usize, kind: &RowKind| {
            let active =
                self.weight[i] > 0.0 && (kind.is_equality() || self.centre[i] + self.weight[i] * r[i] > 0.0);
            *kind != RowKind::Tangent && active != (self.side[i] == Side::Active)
        };
        rows.kinds().iter().enumerate().filter(|(i, kind)| wrong(*i, kind)).count()
    }

    /// The curvature of φ beside K at the state of the last [`Lagrangian::update`], ascending by row.
    pub(crate) fn terms(&self, rows: &Rows, r: &[f64], out: &mut Vec<Term>) {
        out.clear();
        // Each row has its place, and those of no term are left out in the end: nothing is to be sorted.
        let of_row = |(i, (kind, (&side, &weight))): (usize, (&RowKind, (&Side, &f64)))| {
            let active = *kind != RowKind::Tangent && side == Side::Active;
            Term::of_row(if active { i } else { NONE as usize }, weight)
        };
        let rest = self.side.iter().zip(&self.weight);
        out.extend(rows.kinds().iter().zip(rest).enumerate().map(of_row));
        for (f, &radius) in rows.friction().iter().zip(&self.radius) {
            let [a, b] = f.tangent.map(|t| t as usize);
            match self.side[a] {
                Side::Inactive => {}
                Side::Active => [a, b].into_iter().for_each(|t| out[t].row = t as u32),
                // A slipping force turns but does not grow: curvature across the slip only.
                Side::Slip => {
                    let y = [a, b].map(|t| self.centre[t] + self.weight[t] * r[t]);
                    let size = (y[0] * y[0] + y[1] * y[1]).sqrt();
                    let weight = self.weight[a] * (radius / size);
                    let (row, other) = (f.tangent[0], f.tangent[1]);
                    out[a] = Term { row, other, ca: -y[1] / size, cb: y[0] / size, weight };
                }
            }
        }
        out.retain(|t| t.row != NONE);
    }

    /// `Σ λ(r + t a)·a`: the rows' part of the slope of φ along a direction with `a = J d`.
    fn slope(&self, rows: &Rows, r: &[f64], a: &[f64], t: f64) -> f64 {
        let mut sum = 0.0;
        let weighted = self.centre.iter().zip(&self.weight);
        for (kind, ((&centre, &weight), (&r, &a))) in rows.kinds().iter().zip(weighted.zip(r.iter().zip(a))) {
            if *kind == RowKind::Tangent || weight <= 0.0 {
                continue;
            }
            let y = centre + weight * (r + t * a);
            if kind.is_equality() || y > 0.0 {
                sum += y * a;
            }
        }
        for (f, &radius) in rows.friction().iter().zip(&self.radius) {
            let [p, q] = f.tangent.map(|t| t as usize);
            if radius <= 0.0 || self.weight[p] <= 0.0 {
                continue;
            }
            let y = [p, q].map(|i| self.centre[i] + self.weight[i] * (r[i] + t * a[i]));
            let size = (y[0] * y[0] + y[1] * y[1]).sqrt();
            let keep = if size <= radius { 1.0 } else { radius / size };
            sum += keep * (y[0] * a[p] + y[1] * a[q]);
        }
        sum
    }

    /// The length of step along d that minimises φ. `linear` = (Kx − b)·d, `curvature` = dᵀKd > 0. `None` when d does not
    /// lead down (rounding).
    ///
    /// A slope that is still falling at the full step is followed further; otherwise the full step is taken when it is
    /// the minimum up to rounding, which it is once the sides no longer change.
    pub(crate) fn line_search(
        &self,
        rows: &Rows,
        r: &[f64],
        a: &[f64],
        linear: f64,
        curvature: f64,
    ) -> Option<f64> {
        let slope = |t: f64| linear + t * curvature + self.slope(rows, r, a, t);
        let first = slope(0.0);
        if !(first < 0.0 && first.is_finite()) {
            return None;
        }
        let small = 1e-3 * -first;
        let (mut lo, mut at_lo) = (0.0, first);
        let (mut hi, mut at_hi) = (1.0, slope(1.0));
        // Up to 2¹⁰ full steps.
        for _ in 0..10 {
            if at_hi >= -0.5 * -first {
                break;
            }
            (lo, at_lo) = (hi, at_hi);
            hi *= 2.0;
            at_hi = slope(hi);
        }
        if !at_hi.is_finite() {
            return None;
        }
        if at_hi <= small {
            return Some(hi);
        }
        // The slope rises steadily from lo to hi: regula falsi with halving of the end that stays (Illinois).
        for _ in 0..60 {
            let t = lo + (hi - lo) * (-at_lo / (at_hi - at_lo)).clamp(0.01, 0.99);
            let s = slope(t);
            if s.abs() <= small {
                return Some(t);
            }
            if s < 0.0 {
                (lo, at_lo) = (t, s);
                at_hi *= 0.5;
            } else {
                (hi, at_hi) = (t, s);
                at_lo *= 0.5;
            }
            if hi - lo <= 1e-14 * hi {
                break;
            }
        }
        // The lower end has gone down all the way.
        Some(if lo > 0.0 { lo } else { hi })
    }
}
