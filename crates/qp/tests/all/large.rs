//! Beyond the dense size: a chain draped over bumps, with contacts, pair rows, copies and strain limits. With feature `factor` through
//! SSOR and the sparse factor, without it through conjugate gradients alone.

use impinge_geometry::DVec3;
use impinge_qp::{Dof, Kkt, Method, Problem, QpError, RowKind, Rows, Settings, Solver, Status, strain_upper};
use impinge_solvers::{BlockMatrix, BlockPattern, System};

struct Chain {
    pattern: BlockPattern,
    values: Vec<[f64; 9]>,
    b: Vec<DVec3>,
}

impl Chain {
    fn new(n: usize, stiffness: f64) -> Self {
        let springs: Vec<[u32; 2]> = (1..n as u32).map(|i| [i - 1, i]).collect();
        let pattern = BlockPattern::new(n, springs.iter().map(|s| &s[..])).unwrap();
        let mut values = vec![[0.0; 9]; pattern.blocks()];
        for i in 0..n {
            (0..3).for_each(|q| values[i][4 * q] += 0.01);
        }
        for s in &springs {
            for (k, slot) in pattern.slots([&s[..]]).into_iter().enumerate() {
                if slot != u32::MAX {
                    let sign = if k == 0 || k == 3 { 1.0 } else { -1.0 };
                    (0..3).for_each(|q| values[slot as usize][4 * q] += sign * stiffness);
                }
            }
        }
        let b = (0..n).map(|i| DVec3::new(0.002 * f64::from((i % 7) as u8) - 0.006, 0.0, -0.01)).collect();
        Self { pattern, values, b }
    }

    fn problem<'a>(&'a self, rows: &'a Rows) -> Problem<'a> {
        Problem::of_nodes(System::new(BlockMatrix::new(&self.pattern, &self.values).unwrap()), &self.b, rows)
    }
}

/// A bumpy floor under every node, twice under every fifth, a pair row between far nodes, strain limits.
fn rows(n: usize) -> Rows {
    let mut rows = Rows::new();
    for i in 0..n as u32 {
        let c = 0.2 + 0.15 * f64::from(i % 11);
        rows.push(RowKind::Contact, u64::from(i), c, &[(i, -DVec3::unit_z())]).unwrap();
        if i % 5 == 0 {
            rows.push(RowKind::Contact, u64::from(i), 2.0 * c, &[(i, DVec3::unit_z() * -2.0)]).unwrap();
        }
    }
    for i in (0..n as u32 - 20).step_by(13) {
        let z = DVec3::unit_z();
        let g = [(i, z), (i + 1, z * -0.5), (i + 17, z * -0.25), (i + 18, z * -0.25)];
        rows.push(RowKind::Contact, 10_000 + u64::from(i), 0.05, &g).unwrap();
    }
    for i in 1..n as u32 {
        let x = [DVec3::unit_x() * f64::from(i) * 0.1, DVec3::unit_x() * f64::from(i - 1) * 0.1];
        let row = strain_upper(x, [DVec3::zero(); 2], 0.101, 0.01).unwrap();
        rows.push(
            RowKind::StrainUpper,
            20_000 + u64::from(i),
            row.bound,
            &[(i, row.gradient[0]), (i - 1, row.gradient[1])],
        )
        .unwrap();
    }
    rows.push(RowKind::Fixed, 30_000, 0.3, &[(0, DVec3::unit_y())]).unwrap();
    rows
}

#[test]
fn a_large_system_is_solved_like_a_small_one() {
    // 70 nodes are dense, 160 are not; K is the same kind of matrix.
    for (n, stiffness) in [(70, 0.05), (160, 0.05), (160, 2.0)] {
        let (chain, rows) = (Chain::new(n, stiffness), rows(n));
        let p = chain.problem(&rows);
        let (mut solver, mut dv, mut mu) = (Solver::new(), vec![DVec3::zero(); n], Vec::new());
        let cold = solver.solve(&p, &Settings::default(), &mut dv, &mut mu).unwrap();
        assert!(cold.solved(), "{n}, {stiffness}: {cold}");
        assert!(cold.active > 10, "{cold}");
        let kkt = Kkt::measure(&p, &dv, &mu, 0.0);
        assert!(kkt.worst() <= 1e-9, "{kkt}");
        // An independent method on the same problem.
        let mut other = vec![DVec3::zero(); n];
        let settings = Settings { method: Method::Dual, ..Settings::default() };
        if 3 * n <= 600 {
            let dual = solver.solve(&p, &settings, &mut other, &mut Vec::new()).unwrap();
            assert!(dual.solved(), "{dual}");
            let apart = dv.iter().zip(&other).fold(0.0, |m: f64, (a, b)| m.max((*a - *b).mag()));
            assert!(apart < 1e-8, "{n}, {stiffness}: {apart}");
        }
        let warm = solver.solve(&p, &Settings::default(), &mut dv, &mut mu).unwrap();
        assert!(warm.solved() && warm.toggles < cold.toggles.max(1), "{warm} after {cold}");
    }
}

#[test]
fn the_same_bits_again_and_with_other_scratch() {
    let (chain, rows) = (Chain::new(120, 0.3), rows(120));
    let p = chain.problem(&rows);
    let run = |solver: &mut Solver| {
        let (mut dv, mut mu) = (vec![DVec3::zero(); 120], Vec::new());
        solver.solve(&p, &Settings::default(), &mut dv, &mut mu).unwrap();
        (dv, mu)
    };
    let mut used = Solver::new();
    let first = run(&mut used);
    assert_eq!(first, run(&mut used), "scratch left over changes the answer");
    assert_eq!(first, run(&mut Solver::new()));
}

#[test]
fn large_contradictions_and_indefinite_matrices_are_named() {
    let n = 120;
    let mut chain = Chain::new(n, 0.05);
    let mut table = rows(n);
    let up = table.push(RowKind::Contact, 77_777, -5.0, &[(40, DVec3::unit_y())]).unwrap();
    let down = table.push(RowKind::Contact, 77_778, 4.0, &[(40, -DVec3::unit_y())]).unwrap();
    let (mut dv, mut mu) = (vec![DVec3::one(); n], Vec::new());
    let report = Solver::new().solve(&chain.problem(&table), &Settings::default(), &mut dv, &mut mu).unwrap();
    assert_eq!(report.status, Some(Status::Infeasible), "{report}");
    assert!(report.conflict.contains(&up) && report.conflict.contains(&down), "{:?}", report.conflict);
    assert!(report.conflict.len() <= 4, "{:?}", report.conflict);
    assert!(dv.iter().all(|v| *v == DVec3::one()) && mu.is_empty());
    // A spring that pushes with more than the mass holds.
    let slot = chain.pattern.slot(61, 60) as usize;
    (0..3).for_each(|q| chain.values[slot][4 * q] = -3.0);
    let refused = Solver::new().solve(&chain.problem(&rows(n)), &Settings::default(), &mut dv, &mut mu);
    assert!(matches!(refused, Err(QpError::NotDefinite { at: Dof::Node(60 | 61) })), "{refused:?}");
}

/// More unknowns than the dual method takes: a wedge whose way out is far, and one that has none.
#[test]
fn a_narrow_wedge_in_something_large() {
    let n = 240;
    let chain = Chain::new(n, 0.05);
    let (x, y) = (DVec3::unit_x(), DVec3::unit_y());
    for slope in [1e-2, 1e-3, 1e-4, 1e-5, 0.0] {
        let mut table = rows(n);
        let up = table.push(RowKind::Contact, 77_777, 0.0, &[(40, x + y * slope)]).unwrap();
        let down = table.push(RowKind::Contact, 77_778, -1e-2, &[(40, y * slope - x)]).unwrap();
        let (mut dv, mut mu) = (vec![DVec3::zero(); n], Vec::new());
        let p = chain.problem(&table);
        let report = Solver::new().solve(&p, &Settings::default(), &mut dv, &mut mu).unwrap();
        if slope > 0.0 {
            assert!(report.solved(), "{slope:e}: {report}");
            let far = -0.5e-2 / slope;
            assert!((dv[40].y / far - 1.0).abs() < 1e-9 / slope, "{slope:e}: {:?} for {far}", dv[40]);
        } else {
            assert_eq!(report.status, Some(Status::Infeasible), "{report}");
            assert!(report.conflict.contains(&up) && report.conflict.contains(&down), "{report:?}");
        }
    }
}
