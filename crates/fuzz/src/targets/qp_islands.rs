//! Quadratic programs that fall apart: pieces with blocks shuffled into each other, now and then tied together.

use super::qp::{matrix, rows};
use crate::case::{Case, Outcome, must};
use crate::families::Numbers;
use crate::hostile::{any, finite, vector};
use impinge_geometry::{DVec3, is_finite};
use impinge_qp::{Kkt, Problem, QpError, Report, RowKind, Rows, Settings, Solver, Status};
use impinge_solvers::{BlockMatrix, BlockPattern, Layout, LowRank, System};

/// A problem that has nothing to do with the others, in numbers of its own.
struct Piece {
    pattern: BlockPattern,
    values: Vec<[f64; 9]>,
    contacts: LowRank,
    b: Vec<DVec3>,
    rows: Rows,
    /// Where its blocks are in the whole, ascending.
    place: Vec<u32>,
    /// Where its rows are in the whole, ascending.
    row_place: Vec<u32>,
}

impl Piece {
    fn new(r: &mut Numbers, place: Vec<u32>) -> Self {
        let n = place.len();
        let (pattern, values) = matrix(r, n);
        let mut contacts = LowRank::default();
        for _ in 0..r.below(3) {
            let block = r.below(n as u64) as u32;
            let stiffness = if r.below(24) == 0 { finite(r).abs() } else { r.unit().abs() };
            // What is refused is not there for the whole either.
            let _ = contacts.push(stiffness, &[(block, vector(r))]);
        }
        let rows = rows(r, n, true);
        let still = r.below(4) == 0;
        let mut b: Vec<DVec3> = (0..n).map(|_| if still { DVec3::zero() } else { vector(r) * 2.0 }).collect();
        if r.below(48) == 0 {
            b[0].x = any(r);
        }
        Self { pattern, values, contacts, b, rows, place, row_place: Vec::new() }
    }

    fn solve(&self, s: &Settings) -> Result<(Report, Vec<DVec3>, Vec<f64>), QpError> {
        let broken = |_| QpError::Setting("a piece that does not fit");
        let matrix = BlockMatrix::new(&self.pattern, &self.values).map_err(broken)?;
        let k = System::with_contacts(matrix, &self.contacts).map_err(broken)?;
        let problem = Problem::of_nodes(k, &self.b, &self.rows);
        let (mut dv, mut mu) = (vec![DVec3::zero(); self.b.len()], Vec::new());
        let report = Solver::new().solve(&problem, s, &mut dv, &mut mu)?;
        Ok((report, dv, mu))
    }

    fn moved(&self, blocks: &[u32], gradients: &[DVec3]) -> Vec<(u32, DVec3)> {
        blocks.iter().map(|&b| self.place[b as usize]).zip(gradients.iter().copied()).collect()
    }
}

/// Blocks dealt out to one to four pieces. Each piece keeps its order.
fn dealt(r: &mut Numbers) -> Vec<Vec<u32>> {
    let pieces = 1 + r.below(4) as usize;
    let mut out = vec![Vec::new(); pieces];
    for block in 0..pieces as u32 + r.below(5) as u32 {
        // One each first, so that none is empty.
        let to = if (block as usize) < pieces { block as usize } else { r.below(pieces as u64) as usize };
        out[to].push(block);
    }
    out
}

/// All pieces but their rows.
struct Whole {
    pattern: BlockPattern,
    values: Vec<[f64; 9]>,
    contacts: LowRank,
    b: Vec<DVec3>,
}

/// K, its contacts and b of all pieces.
fn together(pieces: &[Piece], n: usize) -> Result<Whole, String> {
    let pattern = BlockPattern::new(n, pieces.iter().map(|p| &p.place[..])).map_err(|e| e.to_string())?;
    let mut values = vec![[0.0; 9]; pattern.blocks()];
    let (mut contacts, mut b) = (LowRank::default(), vec![DVec3::zero(); n]);
    for p in pieces {
        for (i, &row) in p.place.iter().enumerate() {
            b[row as usize] = p.b[i];
            // Of K the lower triangle is kept; ascending places keep it lower.
            for (j, &column) in p.place[..=i].iter().enumerate() {
                let (from, to) = (p.pattern.slot(i as u32, j as u32), pattern.slot(row, column));
                values[to as usize] = p.values[from as usize];
            }
        }
        for i in 0..p.contacts.len() {
            let (stiffness, blocks, gradients) = p.contacts.row(i);
            contacts.push(stiffness, &p.moved(blocks, gradients)).map_err(|e| e.to_string())?;
        }
    }
    Ok(Whole { pattern, values, contacts, b })
}

/// The rows of all pieces, dealt in turn; three that belong to one friction stay together.
fn rows_together(r: &mut Numbers, pieces: &mut [Piece]) -> Rows {
    let mut rows = Rows::new();
    for p in pieces.iter_mut() {
        p.row_place = Vec::new();
    }
    loop {
        let left: Vec<usize> =
            (0..pieces.len()).filter(|&i| pieces[i].row_place.len() < pieces[i].rows.len()).collect();
        if left.is_empty() {
            return rows;
        }
        let which = left[r.below(left.len() as u64) as usize];
        let p = &pieces[which];
        let i = p.row_place.len();
        let row = p.rows.row(i);
        // Keys name rows across pieces.
        let key = (which as u64) << 32 | row.key;
        let Ok(at) = rows.push(row.kind, key, row.bound, &p.moved(row.blocks, row.gradients)) else {
            return rows;
        };
        let mut placed = vec![at];
        if let Some(f) = p.rows.friction().iter().find(|f| f.normal == i as u32) {
            let [t1, t2] = f.tangent.map(|t| p.rows.row(t as usize));
            let gradients = [p.moved(t1.blocks, t1.gradients), p.moved(t2.blocks, t2.gradients)];
            let slips = [t1.bound, t2.bound];
            let Ok(f) = rows.push_friction(at, f.mu, [&gradients[0], &gradients[1]], slips) else {
                return rows;
            };
            placed.extend(f.tangent);
        }
        pieces[which].row_place.extend(placed);
    }
}

/// Something that ties pieces together, or has no block at all. Says whether the pieces are still apart.
fn tie(r: &mut Numbers, n: usize, rows: &mut Rows, contacts: &mut LowRank) -> bool {
    match r.below(6) {
        0 => {
            let pair = [(r.below(n as u64) as u32, vector(r)), (r.below(n as u64) as u32, vector(r))];
            let _ = rows.push(RowKind::Contact, 1 << 40, r.pick(&[0.0, 1.0, -1e-3]), &pair);
        }
        1 => {
            let pair = [(r.below(n as u64) as u32, vector(r)), (r.below(n as u64) as u32, vector(r))];
            let _ = contacts.push(r.unit().abs(), &pair);
        }
        // 0 ≤ c, which holds or does not.
        2 => {
            let _ = rows.push(RowKind::Contact, 1 << 41, r.pick(&[0.0, 1.0, -1.0]), &[]);
        }
        3 => {
            if let Ok(row) = rows.push(RowKind::Contact, 1 << 42, 1.0, &[]) {
                let tangent = [(r.below(n as u64) as u32, vector(r))];
                let _ = rows.push_friction(row, 0.5, [&tangent, &[]], [0.0, 0.0]);
            }
        }
        _ => return true,
    }
    false
}

pub fn solve(c: &mut Case) -> Result<Outcome, String> {
    let places = dealt(&mut c.r);
    let n: usize = places.iter().map(Vec::len).sum();
    let mut pieces: Vec<Piece> = places.into_iter().map(|p| Piece::new(&mut c.r, p)).collect();
    let Whole { pattern, values, mut contacts, b } = together(&pieces, n)?;
    let mut rows = rows_together(&mut c.r, &mut pieces);
    let apart = tie(&mut c.r, n, &mut rows, &mut contacts);
    let bodies = if c.r.below(4) == 0 { n / 2 } else { 0 };
    let s = Settings::default();
    let shown = || format!("{bodies} bodies\nK {pattern:?} {values:?}\n{contacts:?}\nb {b:?}\n{rows:?}");
    c.show(shown);
    let matrix = BlockMatrix::new(&pattern, &values).map_err(|e| e.to_string())?;
    let k = System::with_contacts(matrix, &contacts).map_err(|e| e.to_string())?;
    let problem = Problem { k, b: &b, rows: &rows, layout: Layout { nodes: n - 2 * bodies, bodies } };
    let (mut dv, mut mu) = (vec![DVec3::zero(); n], Vec::new());
    let answer = Solver::new().solve(&problem, &s, &mut dv, &mut mu);
    let alone = apart && bodies == 0;
    let Ok(report) = answer else {
        let one = !alone || pieces.iter().any(|p| p.solve(&s).is_err());
        must(one, || format!("refused ({}), and none of its pieces is", answer.unwrap_err()))?;
        return Ok(Outcome::Refused);
    };
    must(dv.iter().all(|&v| is_finite(v)) && mu.iter().all(|m| m.is_finite()), || {
        format!("{report}: {dv:?} {mu:?}")
    })?;
    must(report.conflict.iter().all(|&row| (row as usize) < rows.len()), || {
        format!("rows {:?} of {} contradict each other", report.conflict, rows.len())
    })?;
    if !report.solved() {
        return Ok(Outcome::Answered);
    }
    let fresh = Kkt::measure(&problem, &dv, &mu, 0.0);
    let fine = fresh.worst_beyond(s.velocity_tolerance) <= 10.0 * s.tolerance;
    must(fine, || format!("called solved with residuals {fresh}; reported {report}"))?;
    // Apart, the answer of each piece is that of its own problem, bit for bit.
    for (i, p) in pieces.iter().enumerate().filter(|(_, p)| alone && !p.rows.is_empty()) {
        let (one, x, m) = p.solve(&s).map_err(|e| format!("piece {i} alone is refused: {e}"))?;
        must(one.status == Some(Status::Solved), || format!("piece {i} alone: {one}, together: {report}"))?;
        let same = p.place.iter().zip(&x).all(|(&at, x)| dv[at as usize] == *x)
            && p.row_place.iter().zip(&m).all(|(&at, m)| mu[at as usize] == *m);
        must(same, || format!("piece {i} has another answer alone"))?;
    }
    Ok(Outcome::Answered)
}
