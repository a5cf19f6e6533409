//! Bodies that nothing joins: systems of their own, solved one beside the other.
//!
//! Conjugate gradients over all of them at once take as many iterations as the hardest one wants, and more, for one polynomial has to serve the
//! eigenvalues of all. By themselves those that rest or fly are done at once, what is asked of one body alone (a column of a compliance) costs
//! that body alone, and several go side by side. How a body moves then depends on itself and on what it touches, and to the tolerance only on what
//! else is in the scene.

use super::linear::Single;
use impinge_contact::par;
use impinge_contact::sums::ordered_sum;
use impinge_geometry::DVec3;
use impinge_solvers::{
    ApplyWorkspace, BlockMatrix, BlockPattern, Filter, MatrixError, Operator, Outcome, Reason, Settings,
    System,
};
use std::ops::Range;

/// Stretches of less rows, such as loose points, go together where they follow each other. (Bodies of less than 128 together with the next one: what
/// a body did then depended on which that was, by as much as a solve leaves over.)
const TINY: usize = 8;

/// What is asked of an island whose right-hand side is smaller than this part of the whole one is asked for this part.
const SMALL: f64 = 1e-3;

const DONE: Outcome = Outcome { iterations: 0, residual: 0.0, converged: true, reason: Reason::Converged };

/// Stretches of rows to be solved by themselves: all rows, in order.
pub(super) fn stretches(pattern: &BlockPattern) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut tiny = false;
    for island in pattern.islands() {
        let was_tiny = std::mem::replace(&mut tiny, island.len() < TINY);
        match out.last_mut() {
            Some(last) if tiny && was_tiny => last.end = island.end,
            _ => out.push(island),
        }
    }
    out
}

/// One of them.
#[derive(Clone, Debug)]
pub(super) struct Island {
    rows: Range<usize>,
    pattern: BlockPattern,
    filter: Filter,
    solver: Single,
    /// The right-hand side on the free components, and its size.
    free: Vec<DVec3>,
    size: f64,
    apply: ApplyWorkspace,
    /// The last solve had nothing to do.
    idle: bool,
}

/// A solve of one island.
struct Job<'a> {
    island: &'a mut Island,
    b: &'a [DVec3],
    x: &'a mut [DVec3],
    outcome: Result<Outcome, MatrixError>,
}

impl Island {
    #[must_use]
    pub fn new(pattern: &BlockPattern, rows: Range<usize>) -> Self {
        Self {
            pattern: pattern.part(rows.clone()),
            rows,
            filter: Filter::none(),
            solver: Single::default(),
            free: Vec::new(),
            size: 0.0,
            apply: ApplyWorkspace::default(),
            idle: false,
        }
    }

    /// Takes new values of the whole matrix.
    pub fn update(&mut self, matrix: &BlockMatrix<'_>, filter: &Filter) -> Result<(), MatrixError> {
        self.filter = filter.part(self.rows.clone());
        let system = System::new(matrix.part(self.rows.clone(), &self.pattern)?);
        let made = self.solver.update(&system, &self.filter);
        made.map_err(|e| e.from_row(self.rows.start))
    }

    /// `whole`: ‖b‖ of all islands.
    fn solve(
        &mut self,
        matrix: &BlockMatrix<'_>,
        positions: &[DVec3],
        (b, whole): (&[DVec3], f64),
        x: &mut [DVec3],
        settings: &Settings,
    ) -> Result<Outcome, MatrixError> {
        // Nothing asked, and nothing prescribed: nothing moves, whatever was guessed.
        self.idle = self.size == 0.0 && !self.filter.prescribes(x);
        if self.idle {
            x.fill(DVec3::zero());
            return Ok(DONE);
        }
        let system = System::new(matrix.part(self.rows.clone(), &self.pattern)?);
        // Driven by prescribed values alone, a solver takes what these leave of b for its size, which may be more than all of b is.
        let driven = self.size == 0.0;
        if driven {
            self.size = size_of_product(&system, &self.filter, x, &mut self.free, &mut self.apply);
        }
        let least = if driven && whole > 0.0 { 0.0 } else { 1.0 };
        let small = SMALL * whole / self.size;
        let tolerance = settings.tolerance * if small.is_finite() { small.max(least) } else { 1.0 };
        let settings = &Settings { tolerance, ..*settings };
        // Rigid rows behind the nodes have no position.
        let end = self.rows.end.min(positions.len());
        let positions = &positions[self.rows.start.min(end)..end];
        let outcome = self.solver.solve(&system, &self.filter, positions, b, x, settings);
        let mut outcome = outcome.map_err(|e| e.from_row(self.rows.start))?;
        if driven && self.size > 0.0 {
            // One that began anew tells of what it began with.
            outcome.residual =
                size_of_product(&system, &self.filter, x, &mut self.free, &mut self.apply) / self.size;
        }
        Ok(outcome)
    }

    /// Appends `b − A x` of the last solve on the free components, where it was measured at its end.
    pub fn push_left(&self, out: &mut Vec<DVec3>) -> Option<()> {
        if self.idle {
            out.resize(out.len() + self.rows.len(), DVec3::zero());
        } else {
            out.extend_from_slice(self.solver.left()?);
        }
        Some(())
    }
}

/// ‖A x‖ on the free components.
fn size_of_product(
    system: &System<'_>,
    filter: &Filter,
    x: &[DVec3],
    product: &mut Vec<DVec3>,
    apply: &mut ApplyWorkspace,
) -> f64 {
    product.resize(x.len(), DVec3::zero());
    system.apply(x, product, apply);
    filter.project(product);
    ordered_sum(x.len(), |i| product[i].mag_sq()).sqrt()
}

/// Solves all islands, which together are all rows, each to the tolerance: so is the whole, but for 10⁻⁶ of it by each that is [`SMALL`]. Iterations
/// are those of the island that took most.
pub(super) fn solve_apart(
    islands: &mut [Island],
    matrix: &BlockMatrix<'_>,
    positions: &[DVec3],
    b: &[DVec3],
    x: &mut [DVec3],
    settings: &Settings,
) -> Result<Outcome, MatrixError> {
    let mut rest = x;
    let mut jobs: Vec<Job<'_>> = Vec::with_capacity(islands.len());
    for island in islands {
        let b = &b[island.rows.clone()];
        let (own, others) = rest.split_at_mut(b.len());
        rest = others;
        island.free.clear();
        island.free.extend_from_slice(b);
        island.filter.project(&mut island.free);
        island.size = ordered_sum(b.len(), |i| island.free[i].mag_sq()).sqrt();
        jobs.push(Job { island, b, x: own, outcome: Ok(DONE) });
    }
    let whole = jobs.iter().map(|j| j.island.size * j.island.size).sum::<f64>().sqrt();
    par::for_each_chunk(&mut jobs, 1, |_, job| {
        let Job { island, b, x, outcome } = &mut job[0];
        *outcome = island.solve(matrix, positions, (b, whole), x, settings);
    });
    let mut all = DONE;
    for job in jobs {
        let one = job.outcome?;
        all.iterations = all.iterations.max(one.iterations);
        // Where there is no right-hand side at all, what each started from stands in for it, as in one solve.
        let part = if whole > 0.0 { job.island.size / whole } else { 1.0 };
        all.residual = (all.residual * all.residual + (one.residual * part) * (one.residual * part)).sqrt();
        if all.converged && !one.converged {
            (all.converged, all.reason) = (false, one.reason);
        }
    }
    // One that stalls may be as good as it has to be for the whole.
    if !all.converged && all.residual <= settings.tolerance {
        (all.converged, all.reason) = (true, Reason::Converged);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(lengths: &[u32]) -> BlockPattern {
        let mut pairs = Vec::new();
        let mut first = 0;
        for n in lengths {
            pairs.extend((first + 1..first + n).map(|i| [i - 1, i]));
            first += n;
        }
        BlockPattern::new(first as usize, pairs.iter().map(|p| &p[..])).unwrap()
    }

    #[test]
    fn tiny_stretches_go_together() {
        let of = |lengths: &[u32]| stretches(&chain(lengths)).iter().map(|r| r.len()).collect::<Vec<_>>();
        assert_eq!(of(&[200, 30, 8]), [200, 30, 8]);
        assert_eq!(of(&[4, 7, 60, 1, 1, 1]), [11, 60, 3]);
        assert_eq!(of(&[1; 300]), [300]);
        assert_eq!(of(&[7]), [7]);
        assert_eq!(of(&[]), [0; 0]);
    }
}
