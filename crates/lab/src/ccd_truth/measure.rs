//! One set of queries through the public calls: answers compared, times taken.
//!
//! Two ways, in turn in every pass, so that a busy machine hits both alike. The whole file through the batch call, a few
//! times in a row as a solver would call it: its time over the number of queries, and of those the median over all calls, is
//! the mean. Every query by itself: the least time over the passes, less the cost of reading the clock; median, 99th
//! percentile and worst are of those.

use super::csv::Row;
use super::file::Set;
use impinge_ccd::{Candidates, Class, Kind, Roots, TierCounts, Workspace, roots, touches, touching};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

/// Batch calls per pass. The first of them finds the caches cold after the queries one by one.
const IN_A_ROW: usize = 5;

/// Results of a file.
pub struct Measured {
    /// Name of the file.
    pub name: String,
    /// What the pairs consist of.
    pub kind: Kind,
    /// Number of queries.
    pub queries: usize,
    /// Those that touch.
    pub positives: usize,
    /// Those that touch and are said not to.
    pub false_negatives: usize,
    /// Those that do not touch and are said to.
    pub false_positives: usize,
    /// Queries whose roots are listed.
    pub listed: usize,
    /// Nanoseconds per query in the batch.
    pub mean: f64,
    /// Least nanoseconds of each query by itself, ascending.
    pub single: Vec<f64>,
    /// Queries by the tier that decided them.
    pub tiers: TierCounts,
    /// Queries with a wrong answer of any kind, and what it is.
    pub wrong: BTreeMap<usize, String>,
}

impl Measured {
    /// Queries with a wrong answer.
    pub fn failed(&self) -> usize {
        self.wrong.len()
    }

    /// A quantile of the single times; 0 when there is no query.
    pub fn quantile(&self, q: f64) -> f64 {
        quantile(&self.single, q)
    }

    /// The worst query.
    pub fn worst(&self) -> f64 {
        self.single.last().copied().unwrap_or(0.0)
    }
}

/// A quantile of ascending numbers, the lower of two.
pub fn quantile(ascending: &[f64], q: f64) -> f64 {
    let at = (ascending.len().saturating_sub(1) as f64 * q) as usize;
    ascending.get(at).copied().unwrap_or(0.0)
}

/// What reading the clock twice costs, in nanoseconds.
fn clock() -> f64 {
    let one = || {
        let t = Instant::now();
        t.elapsed().as_nanos() as f64
    };
    (0..1000).map(|_| one()).fold(f64::INFINITY, f64::min)
}

/// Compares and times a file.
///
/// # Errors
/// When the kernels refuse its numbers.
pub fn measure(
    name: &str,
    set: &Set,
    listed: Option<&BTreeMap<usize, Row>>,
    passes: u32,
) -> Result<Measured, String> {
    let n = set.len();
    let stencils: Vec<[u32; 4]> = (0..n as u32).map(|i| std::array::from_fn(|k| 4 * i + k as u32)).collect();
    let candidates = match set.kind {
        Kind::VertexFace => Candidates::VertexFace(&stencils),
        Kind::EdgeEdge => Candidates::EdgeEdge(&stencils),
    };
    let mut m = Measured {
        name: name.to_string(),
        kind: set.kind,
        queries: n,
        positives: set.truth.iter().filter(|t| **t).count(),
        false_negatives: 0,
        false_positives: 0,
        listed: listed.map_or(0, BTreeMap::len),
        mean: 0.0,
        single: vec![f64::INFINITY; n],
        tiers: TierCounts::default(),
        wrong: BTreeMap::new(),
    };
    let mut workspace = Workspace::new();
    let mut batch = Vec::new();
    // The first call makes room and warms the caches.
    m.tiers =
        touching(&set.x0, &set.x1, candidates, &mut workspace, &mut batch).map_err(|e| e.to_string())?;
    check(set, listed, &batch, &mut m)?;

    let clock = clock();
    let mut means = Vec::new();
    for _ in 0..passes {
        for _ in 0..IN_A_ROW {
            let t = Instant::now();
            let again = touching(&set.x0, &set.x1, candidates, &mut workspace, &mut batch);
            means.push(t.elapsed().as_nanos() as f64 / n.max(1) as f64);
            black_box((again.is_ok(), &batch));
        }
        for (i, least) in m.single.iter_mut().enumerate() {
            let (x0, x1) = set.query(i);
            let t = Instant::now();
            let _ = black_box(touches(black_box(set.kind), black_box(&x0), black_box(&x1)));
            *least = least.min((t.elapsed().as_nanos() as f64 - clock).max(0.0));
        }
    }
    means.sort_by(f64::total_cmp);
    m.mean = quantile(&means, 0.5);
    m.single.sort_by(f64::total_cmp);
    Ok(m)
}

/// All answers against what is known.
fn check(
    set: &Set,
    listed: Option<&BTreeMap<usize, Row>>,
    batch: &[u32],
    m: &mut Measured,
) -> Result<(), String> {
    let mut batch = batch.iter().copied().peekable();
    for (i, &truth) in set.truth.iter().enumerate() {
        let (x0, x1) = set.query(i);
        let in_batch = batch.next_if_eq(&(i as u32)).is_some();
        let touch = touches(set.kind, &x0, &x1).map_err(|e| format!("query {i}: {e}"))?;
        let all = roots(set.kind, &x0, &x1).map_err(|e| format!("query {i}: {e}"))?;
        m.false_negatives += usize::from(truth && !in_batch);
        m.false_positives += usize::from(!truth && in_batch);
        let mut wrong = Vec::new();
        if [in_batch, touch, all.touch()] != [truth; 3] {
            wrong.push(format!(
                "touch is {truth}; the batch says {in_batch}, the single call {touch}, the roots {}",
                all.touch()
            ));
        }
        if let Some(row) = listed.and_then(|l| l.get(&i)) {
            wrong.extend(compare(row, truth, &all).err());
        }
        if !wrong.is_empty() {
            m.wrong.insert(i, wrong.join("; "));
        }
    }
    match batch.next() {
        Some(extra) => Err(format!("the batch names query {extra} out of order or of {}", set.len())),
        None => Ok(()),
    }
}

/// Roots against the list: how many, where, and whether the features touch there.
fn compare(row: &Row, truth: bool, got: &Roots) -> Result<(), String> {
    if row.hit != truth {
        return Err("roots.csv and the set of queries contradict each other".into());
    }
    let plane = matches!(got.class, Class::DegenerateAlways | Class::CoplanarAlways);
    if plane != row.coplanar {
        return Err(format!("class is {:?}, and roots.csv says coplanar = {}", got.class, row.coplanar));
    }
    let ours: Vec<([f64; 2], bool)> = match plane {
        // The first contact only; the interval's lower end may be rounded down.
        true => got.touching.first().map(|i| ([i[0], i[0].next_up()], true)).into_iter().collect(),
        false => got.roots.iter().map(|r| ([r.t, r.t_hi], r.inside)).collect(),
    };
    if ours.len() != row.roots.len() {
        return Err(format!("{} roots, roots.csv lists {}", ours.len(), row.roots.len()));
    }
    for (k, (&([lo, hi], inside), r)) in ours.iter().zip(&row.roots).enumerate() {
        if !(lo <= r.hi && r.lo <= hi) {
            return Err(format!("root {k} is in [{lo:e}, {hi:e}], listed in [{:e}, {:e}]", r.lo, r.hi));
        }
        if inside != r.inside {
            return Err(format!("root {k} at {lo:e} has inside = {inside}, listed {}", r.inside));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::csv::ListedRoot;
    use super::*;

    fn row(roots: &[(f64, f64, bool)]) -> Row {
        let roots = roots.iter().map(|&(lo, hi, inside)| ListedRoot { lo, hi, inside }).collect();
        Row { hit: true, coplanar: false, roots }
    }

    #[test]
    fn quantiles() {
        let v: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!((quantile(&v, 0.5), quantile(&v, 0.99), quantile(&[], 0.5)), (50.0, 99.0, 0.0));
    }

    #[test]
    fn a_listed_root_that_differs_is_wrong() {
        // A vertex falls through the origin of a face at ½.
        let face = [[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]];
        let at = |z: f64| [[0.0, 0.0, z], face[0], face[1], face[2]].map(impinge_geometry::DVec3::from);
        let got = roots(Kind::VertexFace, &at(1.0), &at(-1.0)).unwrap();
        assert_eq!(compare(&row(&[(0.5, 0.5, true)]), true, &got), Ok(()));
        for bad in [
            row(&[]),
            row(&[(0.25, 0.49, true)]),
            row(&[(0.51, 0.6, true)]),
            row(&[(0.5, 0.5, false)]),
            row(&[(0.5, 0.5, true), (0.6, 0.6, true)]),
            Row { coplanar: true, ..row(&[(0.5, 0.5, true)]) },
            Row { hit: false, ..row(&[(0.5, 0.5, true)]) },
        ] {
            assert!(compare(&bad, true, &got).is_err(), "{bad:?}");
        }
    }
}
