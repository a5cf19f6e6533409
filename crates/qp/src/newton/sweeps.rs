//! Sweeps of Gauss and Seidel over contacts, of bodies that no element joins: where Newton's method begins when the multipliers at hand are far off.
//!
//! What a hit changes runs through a heap in a few sweeps to a digit or two, and a sweep costs less than a large system. Newton's method took twenty systems
//! and more to sort sides of rows that are nearly right after them.

use super::coupled::{SOFT, SOFTEST, SOFTNESS};
use super::{Iterate, Newton, polishes};
use crate::problem::{Problem, QpError, Report, Settings, mul};
use crate::rows::{RowKind, Rows};
use impinge_geometry::{DVec3, halt};
use impinge_solvers::pattern::NONE;

/// Sweeps at most, to and fro, and the change of one, over the largest multiplier, after which there is no other.
const SWEEPS: usize = 30;
const SETTLED: f64 = 1e-3;
/// Relative residual from which on a start is far from the solution.
const FAR: f64 = 1e-3;

/// x and λ, with x the motion of the loads and λ.
struct Swept<'a> {
    rows: &'a Rows,
    inverse: &'a [[f64; 9]],
    x: &'a mut [DVec3],
    lambda: &'a mut [f64],
}

impl Swept<'_> {
    /// By how much a row is beyond its bound.
    fn beyond(&self, row: usize) -> f64 {
        self.rows.dot(row, self.x) - self.rows.bounds()[row]
    }

    /// Gives a multiplier its new value; returns the change.
    fn set(&mut self, row: usize, value: f64) -> f64 {
        let change = value - self.lambda[row];
        if change != 0.0 {
            self.lambda[row] = value;
            let row = self.rows.row(row);
            for (&b, g) in row.blocks.iter().zip(row.gradients) {
                self.x[b as usize] -= mul(&self.inverse[b as usize], *g * change);
            }
        }
        change.abs()
    }
}

impl Newton {
    /// Friction with the normal force of the same Δv, from the multipliers at hand. Systems that it takes are added to the budget.
    pub(super) fn solve_warm(
        &mut self,
        p: &Problem<'_>,
        s: &Settings,
        (inverse, scale): (&[[f64; 9]], &[f64]),
        report: &mut Report,
        budget: &mut u32,
    ) -> Result<Option<Iterate>, QpError> {
        self.free_motion(p, inverse);
        let mut softness = SOFTNESS;
        if !polishes(p) && self.is_far(p) {
            self.sweep(p, (inverse, scale));
            if self.is_far(p) {
                softness = SOFT;
            }
        }
        // Rows that contradict each other by a hair drift: each round moves their forces on by little, and they stay in the way until one is at its cone.
        // The softest rows take them where they do not push against each other at all.
        for softness in [softness, SOFTEST] {
            let before = report.iterations;
            let found = self.coupled(p, s, (inverse, scale), softness, report, *budget)?;
            *budget += report.iterations - before;
            if found.is_some() || p.rows.friction().is_empty() || halt::asked() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// x and λ at hand are far from the solution.
    fn is_far(&mut self, p: &Problem<'_>) -> bool {
        self.measure.of(p, &self.x, &self.phi.lambda, 0.0).worst() > FAR
    }

    /// Brings x and λ, x being the motion of the loads and λ, near the solution.
    pub(super) fn sweep(&mut self, p: &Problem<'_>, (inverse, scale): (&[[f64; 9]], &[f64])) {
        let rows = p.rows;
        let of_normal = &mut self.scratch.of_normal;
        of_normal.clear();
        of_normal.resize(rows.len(), NONE);
        for (f, place) in rows.friction().iter().zip(0..) {
            of_normal[f.normal as usize] = place;
        }
        let mut at = Swept { rows, inverse, x: &mut self.x, lambda: &mut self.phi.lambda };
        for pass in 0..SWEEPS {
            let (mut change, mut largest) = (0.0f64, 0.0f64);
            for k in 0..rows.len() {
                let i = if pass % 2 == 0 { k } else { rows.len() - 1 - k };
                let kind = rows.kinds()[i];
                if kind == RowKind::Tangent || scale[i] <= 0.0 {
                    continue;
                }
                let unit = scale[i].sqrt();
                let free = at.lambda[i] + at.beyond(i) / scale[i];
                let value = if kind.is_equality() { free } else { free.max(0.0) };
                change = change.max(unit * at.set(i, value));
                largest = largest.max(unit * value.abs());
                let Some(f) = rows.friction().get(of_normal[i] as usize) else { continue };
                let [a, b] = f.tangent.map(|t| t as usize);
                let across = scale[a].max(scale[b]);
                if across > 0.0 {
                    let y = [a, b].map(|t| at.lambda[t] + at.beyond(t) / across);
                    let (size, most) = ((y[0] * y[0] + y[1] * y[1]).sqrt(), f.mu * value);
                    let keep = if size > most { most / size } else { 1.0 };
                    change = change.max(unit * at.set(a, keep * y[0])).max(unit * at.set(b, keep * y[1]));
                }
            }
            if change <= SETTLED * largest {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kkt::row_scales;
    use impinge_solvers::{BlockMatrix, BlockPattern, System};

    /// Beads of 1 kg on a wire, each with friction against the one below, and a shove along the ground. Scaled to a unit diagonal, the matrix of the
    /// normals is I − L − Lᵀ with |L|² ≤ ½ and least eigenvalue l = 1 − cos(π/2n): to and fro, the error falls to 1 − 1/(1 + 1/2l) at least, in its norm.
    #[test]
    fn sweeps_keep_the_balance_and_the_cones_and_come_near() {
        const BEADS: u32 = 4;
        const LEAST: f64 = 1.0 - 0.923_879_532_511_286_7;
        let (x, y, z) = (DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
        let mut rows = Rows::new();
        for i in 0..BEADS {
            let both = |g: DVec3| if i == 0 { vec![(i, g)] } else { vec![(i, g), (i - 1, -g)] };
            let normal = rows.push(RowKind::Contact, u64::from(i), 0.0, &both(-z)).unwrap();
            rows.push_friction(normal, 0.4, [&both(x), &both(y)], [0.1, 0.0]).unwrap();
        }
        let pattern = BlockPattern::new(BEADS as usize, std::iter::empty::<&[u32]>()).unwrap();
        let values = [[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]; BEADS as usize];
        let b = [y * 0.1 - z; BEADS as usize];
        let p = Problem::of_nodes(System::new(BlockMatrix::new(&pattern, &values).unwrap()), &b, &rows);
        let inverse = p.check().unwrap();
        let scale = row_scales(&p, &inverse);
        let mut newton = Newton::default();
        newton.measure.begin(&p, &scale);
        newton.x = b.to_vec();
        newton.phi.lambda = vec![0.0; rows.len()];
        newton.sweep(&p, (&inverse, &scale));
        let kkt = newton.measure.of(&p, &newton.x, &newton.phi.lambda, 0.0);
        assert!(kkt.stationarity < 1e-14 && kkt.dual == 0.0, "{kkt}");
        // At rest none falls. The norm is that of the momentum which they still have, of n when they began.
        let left: f64 = newton.x.iter().map(|x| x.z * x.z).sum();
        let pairs = (SWEEPS / 2) as i32;
        let most = (1.0 - 1.0 / (1.0 + 0.5 / LEAST)).powi(pairs);
        assert!((left / f64::from(BEADS)).sqrt() <= most, "{left} against {most}");
        for f in rows.friction() {
            let [n, a, b] = [f.normal, f.tangent[0], f.tangent[1]].map(|i| newton.phi.lambda[i as usize]);
            assert!((a * a + b * b).sqrt() <= 0.4 * n * (1.0 + 1e-15), "{n} {a} {b}");
        }
    }

    /// Contacts that share no body are solved by one sweep, stuck or at their cones.
    #[test]
    fn sweeps_solve_contacts_that_share_no_body() {
        let (x, y, z) = (DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
        let mut rows = Rows::new();
        for i in 0..3 {
            let normal = rows.push(RowKind::Contact, u64::from(i), 0.0, &[(i, -z)]).unwrap();
            rows.push_friction(normal, 0.5, [&[(i, x)], &[(i, y)]], [0.0, 0.0]).unwrap();
        }
        let pattern = BlockPattern::new(3, std::iter::empty::<&[u32]>()).unwrap();
        let values = [[2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0]; 3];
        let b = [x * 0.5 - z * 2.0, x * 3.0 - z * 2.0, x + z];
        let p = Problem::of_nodes(System::new(BlockMatrix::new(&pattern, &values).unwrap()), &b, &rows);
        let inverse = p.check().unwrap();
        let scale = row_scales(&p, &inverse);
        let mut newton = Newton { x: b.map(|b| b * 0.5).to_vec(), ..Newton::default() };
        newton.phi.lambda = vec![0.0; rows.len()];
        newton.sweep(&p, (&inverse, &scale));
        // It sticks; of 3 N·s the cone of 2 N·s takes 1; it leaves.
        let expected = [DVec3::zero(), x, (x + z) * 0.5];
        let off = newton.x.iter().zip(expected).map(|(x, e)| (*x - e).mag()).fold(0.0, f64::max);
        assert!(off < 1e-15, "{:?}", newton.x);
    }
}
